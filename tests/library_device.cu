/* The library with arrays on a device: the same bits as with arrays on the host, exact and
 * iterated, of the whole picture and on a mask; and how long the exact picture takes from device
 * to device.
 *
 *     library_device SIDE [gaps] */
#include <reconstruct.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        if (call) {                                                                                \
            fprintf(stderr, "%s: %s\n", #call, rec_error_text());                                  \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

enum { ROUNDS = 200 };
static size_t side;
static cudaStream_t stream;

static rec_array array_of(float *data, size_t stride)
{
    return {data, 1, (ptrdiff_t)stride, (ptrdiff_t)(stride * side), stream};
}

/* Starts from the edges. */
static std::vector<float> solve(rec_poisson *solver, const rec_array &edges, const rec_array &to,
                                int iterates)
{
    std::vector<float> made(side * side);
    CHECK(rec_poisson_load(solver, &edges, &edges));
    CHECK(iterates ? rec_poisson_iterate(solver, 50, NULL) : rec_poisson_solve(solver, 0, NULL));
    CHECK(rec_poisson_read(solver, &to));
    CHECK(cudaMemcpy2DAsync(made.data(), side * 4, to.data, to.down * 4, side * 4, side,
                            cudaMemcpyDefault, stream) || cudaStreamSynchronize(stream));
    return made;
}

/* A child of fork() has the processor alone. */
static int try_child(rec_poisson *solver, const rec_array &edges, const rec_array &to)
{
    int result;
    const pid_t child = fork();
    if (!child) {
        rec_poisson *made;
        alarm(60);
        const int refused =
            rec_poisson_create(&made, side, side, 1, "halo", 0, 0) == REC_CODE_UNAVAILABLE &&
            rec_poisson_solve(solver, 0, NULL) == REC_CODE_UNAVAILABLE;
        CHECK(rec_poisson_create(&made, side, side, 1, "halo", 0, REC_PROCESSOR));
        CHECK(rec_poisson_load(made, &edges, NULL) || rec_poisson_solve(made, 0, NULL));
        CHECK(rec_poisson_read(made, &to));
        rec_poisson_destroy(solver);
        _exit(!refused);
    }
    return waitpid(child, &result, 0) != child || result;
}

int main(int argc, char **argv)
{
    rec_poisson *solver, *host;
    cudaEvent_t begin, end;
    float *edges, *picture, milliseconds = 0, least = 1e9f;
    side = argc > 1 ? strtoul(argv[1], NULL, 10) : 2048;
    const size_t stride = side + (argc > 2 ? 32 : 0);
    std::vector<float> noise(side * side), made(side * side);
    for (size_t i = 0; i < noise.size() / 2; i++) { /* its sum is 0 */
        noise[i] = (float)(i * 7919 % 511) - 255;
        noise[noise.size() - 1 - i] = -noise[i];
    }
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) || cudaEventCreate(&begin) ||
          cudaEventCreate(&end) || cudaMalloc(&edges, stride * side * 4) ||
          cudaMalloc(&picture, stride * side * 4) ||
          cudaMemcpy2D(edges, stride * 4, noise.data(), side * 4, side * 4, side,
                       cudaMemcpyDefault));
    const rec_array from = array_of(edges, stride), to = array_of(picture, stride);
    const rec_array ours = array_of(noise.data(), side), theirs = array_of(made.data(), side);
    std::vector<unsigned char> unknown(side * side);
    for (size_t i = 0; i < unknown.size(); i++)
        unknown[i] = i % 97 > 2;
    for (int wraps = 0; wraps < 2; wraps++) {
        CHECK(rec_poisson_create(&solver, side, side, 1, wraps ? "wrap" : "halo", 7, 0));
        CHECK(rec_poisson_create(&host, side, side, 1, wraps ? "wrap" : "halo", 7, REC_PROCESSOR));
        for (int way = 0; way < 4; way++) {
            const int iterates = way % 2, masked = way / 2;
            const unsigned char *mask = masked ? unknown.data() : NULL;
            CHECK(rec_poisson_mask(solver, mask, side) || rec_poisson_mask(host, mask, side));
            if (solve(solver, from, to, iterates) !=
                solve(iterates ? host : solver, ours, theirs, iterates)) {
                fprintf(stderr, "other bits: wraps %d, iterates %d, masked %d\n", wraps, iterates,
                        masked);
                return 1;
            }
        }
        CHECK(rec_poisson_mask(solver, NULL, 0));
        double distance = -1; /* asked for, the picture is computed at once; and it is read twice */
        CHECK(rec_poisson_load(solver, &from, NULL));
        CHECK(rec_poisson_solve(solver, 0, &distance));
        CHECK(cudaMemsetAsync(picture, 0, stride * side * 4, stream));
        CHECK(rec_poisson_read(solver, &theirs));
        CHECK(rec_poisson_read(solver, &to));
        std::vector<float> twice(side * side);
        CHECK(cudaMemcpy2DAsync(twice.data(), side * 4, picture, stride * 4, side * 4, side,
                                cudaMemcpyDefault, stream) || cudaStreamSynchronize(stream));
        CHECK(twice != made || !(distance >= 0 && distance < 0.1));
        rec_poisson_destroy(host);
        rec_poisson_destroy(solver);
    }
    CHECK(rec_poisson_create(&solver, side, side, 1, "halo", 0, 0));
    for (int round = 0; round < ROUNDS; round++) {
        CHECK(cudaEventRecord(begin, stream));
        CHECK(rec_poisson_load(solver, &from, NULL));
        CHECK(rec_poisson_solve(solver, 0, NULL));
        CHECK(rec_poisson_read(solver, &to));
        CHECK(cudaEventRecord(end, stream) || cudaEventSynchronize(end) ||
              cudaEventElapsedTime(&milliseconds, begin, end));
        least = milliseconds < least ? milliseconds : least;
    }
    CHECK(cudaEventRecord(begin, stream));
    for (int round = 0; round < ROUNDS; round++) {
        CHECK(rec_poisson_load(solver, &from, NULL));
        CHECK(rec_poisson_solve(solver, 0, NULL));
        CHECK(rec_poisson_read(solver, &to));
    }
    CHECK(cudaEventRecord(end, stream) || cudaEventSynchronize(end) ||
          cudaEventElapsedTime(&milliseconds, begin, end));
    printf("%zu x %zu from device to device: %.1f us alone, %.1f us behind each other\n", side,
           side, 1e3 * least, 1e3 * milliseconds / ROUNDS);
    CHECK(try_child(solver, ours, theirs));
    rec_poisson_destroy(solver);
    return 0;
}
