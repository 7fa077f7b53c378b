/* The only file that calls MPI: base/ranks.h over an MPI library, in place of base/ranks.c.
 * Failures of MPI end all ranks, which is its default. */
#include "base/ranks.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#define LAUNCHERS "Open MPI's mpirun -n N (within sbatch, too), or srun --mpi=pmix"
#else
#define LAUNCHERS "MPICH's mpiexec -n N, or srun --mpi=pmi2"
#endif

#include "base/clock.h"
#include "base/hash.h"

#define PATIENCE_SECONDS 5
#define MOST_BYTES ((size_t)1 << 30) /* of a message: MPI counts in int */

enum { TAG_UP, TAG_DOWN, TAG_REDUCE, TAG_DATA };

static int own, count = 1, first_here, initialized;
static MPI_Comm here;     /* the ranks of this host */
static MPI_Comm ending;   /* for rec_ranks_conclude, while others may be in another collective */
static FILE *complaints;  /* stderr as it was */

static rec_status refuse_launcher(rec_error *error)
{
    char library[64];
    return rec_fail(error, REC_USAGE,
                    "several processes were started, but %s sees only one: start them with %s",
                    rec_ranks_library(library), LAUNCHERS);
}

/* A step of Slurm's without MPI makes Open MPI end the process by exit(1). */
rec_status rec_ranks_begin(int *argc, char ***argv, rec_error *error)
{
    /* Whether a launcher says that it started several processes. Of several the innermost counts:
     * mpirun within sbatch has other numbers than Slurm, rightly. MPI_Init changes these. */
    static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"};
    const char *rank = getenv("PMIX_RANK"), *size = NULL;
    for (size_t i = 0; !size && i < sizeof sizes / sizeof *sizes; i++)
        size = getenv(sizes[i]);
    const int several = (size && atoi(size) > 1) || (rank && atoi(rank) > 0);
    int level;
    if (several && getenv("SLURM_STEP_NUM_TASKS") && !getenv("PMIX_RANK") && !getenv("PMI_RANK"))
        return refuse_launcher(error);
    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &level); /* only this thread calls MPI */
    initialized = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &own);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    MPI_Comm_dup(MPI_COMM_WORLD, &ending);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, own, MPI_INFO_NULL, &here);
    MPI_Allreduce(&own, &first_here, 1, MPI_INT, MPI_MIN, here);
    const int file = dup(STDERR_FILENO);
    complaints = file >= 0 ? fdopen(file, "w") : NULL;
    if (own && (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)))
        MPI_Abort(MPI_COMM_WORLD, REC_LIMIT);
    return count > 1 || !several ? REC_OK : refuse_launcher(error);
}

void rec_ranks_end(void)
{
    if (!initialized)
        return;
    MPI_Comm_free(&here);
    MPI_Comm_free(&ending);
    MPI_Finalize();
    initialized = 0;
}

/* ---- agreement ---- */

static int first_failed(rec_status status) { return status ? own : count; }

/* The status and the message of the rank that failed first; count: none did. */
static rec_status tell(int first, rec_status status, rec_error *error, MPI_Comm to)
{
    if (first == count)
        return REC_OK;
    if (first == own)
        error->status = status;
    MPI_Bcast(error, sizeof *error, MPI_BYTE, first, to);
    return error->status;
}

rec_status rec_ranks_agree(rec_status status, rec_error *error)
{
    const int mine = first_failed(status);
    int first;
    MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return tell(first, status, error, MPI_COMM_WORLD);
}

rec_status rec_ranks_conclude(rec_status status, rec_error *error)
{
    const int mine = first_failed(status);
    int first, complete = 0;
    MPI_Request request;
    if (!initialized)
        return status;
    MPI_Iallreduce(&mine, &first, 1, MPI_INT, MPI_MIN, ending, &request);
    const double begin = rec_now();
    while (MPI_Test(&request, &complete, MPI_STATUS_IGNORE), !complete) {
        if (status && rec_now() - begin > PATIENCE_SECONDS) {
            if (complaints) {
                rec_say(complaints, "reconstruct: rank %d: %s\n", own, error->message);
                fflush(complaints);
            }
            MPI_Abort(MPI_COMM_WORLD, (int)status);
        }
        usleep(1000);
    }
    return tell(first, status, error, ending);
}

/* ---- who there is ---- */

const char *rec_ranks_library(char text[64])
{
    char name[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(name, &length);
    snprintf(text, 64, "%.*s", (int)strcspn(name, ",\n"), name);
    return text;
}

size_t rec_ranks_count(void) { return (size_t)count; }
size_t rec_ranks_own(void) { return (size_t)own; }

size_t rec_ranks_host(void) { return (size_t)first_here; }

size_t rec_ranks_alike(const void *key, size_t bytes, size_t *index)
{
    MPI_Comm alike;
    int rank, sharing;
    MPI_Comm_split(here, (int)(rec_hash(REC_HASH_START, key, bytes) & 0x7fffffff), own, &alike);
    MPI_Comm_rank(alike, &rank);
    MPI_Comm_size(alike, &sharing);
    MPI_Comm_free(&alike);
    *index = (size_t)rank;
    return (size_t)sharing;
}

/* ---- rows ---- */

void rec_ranks_exchange(const rec_strip strips[2])
{
    const int neighbours[] = {(own + count - 1) % count, (own + 1) % count};
    MPI_Request request[4];
    int requests = 0;
    for (int i = 0; i < 2; i++) {
        if (!strips[i].floats)
            continue;
        MPI_Irecv(strips[i].ghosts, (int)strips[i].floats, MPI_FLOAT, neighbours[i],
                  i ? TAG_UP : TAG_DOWN, MPI_COMM_WORLD, &request[requests++]);
        MPI_Isend(strips[i].own, (int)strips[i].floats, MPI_FLOAT, neighbours[i],
                  i ? TAG_DOWN : TAG_UP, MPI_COMM_WORLD, &request[requests++]);
    }
    MPI_Waitall(requests, request, MPI_STATUSES_IGNORE);
}

int rec_ranks_accept_device_memory(void)
{
    int takes = 0;
#ifdef MPIX_CUDA_AWARE_SUPPORT /* Open MPI */
    takes = MPIX_Query_cuda_support();
#elif defined(MPIX_GPU_SUPPORT_CUDA) /* MPICH */
    MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &takes);
#endif
    return takes;
}

/* ---- what all have to know ---- */

double rec_ranks_most(double value)
{
    double most;
    MPI_Allreduce(&value, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

void rec_ranks_share(void *data, size_t bytes)
{
    MPI_Bcast(data, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}

void rec_ranks_reduce_begin(void *sums, size_t bytes)
{
    if (own)
        MPI_Recv(sums, (int)bytes, MPI_BYTE, own - 1, TAG_REDUCE, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

void rec_ranks_reduce_end(void *sums, size_t bytes)
{
    if (own + 1 < count)
        MPI_Send(sums, (int)bytes, MPI_BYTE, own + 1, TAG_REDUCE, MPI_COMM_WORLD);
    MPI_Bcast(sums, (int)bytes, MPI_BYTE, count - 1, MPI_COMM_WORLD);
}

void rec_ranks_send(size_t rank, const void *data, size_t bytes)
{
    for (size_t sent = 0, now; sent < bytes; sent += now) {
        now = bytes - sent < MOST_BYTES ? bytes - sent : MOST_BYTES;
        MPI_Send((const char *)data + sent, (int)now, MPI_BYTE, (int)rank, TAG_DATA,
                 MPI_COMM_WORLD);
    }
}

void rec_ranks_receive(size_t rank, void *data, size_t bytes)
{
    for (size_t there = 0, now; there < bytes; there += now) {
        now = bytes - there < MOST_BYTES ? bytes - there : MOST_BYTES;
        MPI_Recv((char *)data + there, (int)now, MPI_BYTE, (int)rank, TAG_DATA, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    }
}
