/* The only door to MPI: base/ranks.h over an MPI library, in place of base/ranks.c. Failures of MPI
 * end all ranks, which is its default. */
#include "base/ranks.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

#include "base/clock.h"
#include "base/hash.h"

#define PATIENCE_SECONDS 5
#define MOST_BYTES ((size_t)1 << 30) /* of a message: MPI counts in int */

enum { TAG_UP, TAG_DOWN, TAG_TURN, TAG_DATA };

static int own, count = 1, first_here;
static MPI_Comm here;     /* the ranks of this host */
static MPI_Comm ending;   /* for the end alone: ranks may be there while others wait elsewhere */
static FILE *complaints;  /* stderr as it was */

void rec_ranks_begin(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &own);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    MPI_Comm_dup(MPI_COMM_WORLD, &ending);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, own, MPI_INFO_NULL, &here);
    MPI_Allreduce(&own, &first_here, 1, MPI_INT, MPI_MIN, here);
    const int file = dup(STDERR_FILENO);
    complaints = file >= 0 ? fdopen(file, "w") : NULL;
    if (own && (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)))
        MPI_Abort(MPI_COMM_WORLD, REC_LIMIT);
}

void rec_ranks_end(void)
{
    MPI_Comm_free(&here);
    MPI_Comm_free(&ending);
    MPI_Finalize();
}

/* ---- agreement ---- */

/* The status and message of the first that has failed, out of all ranks'. */
static rec_status first_failure(const rec_error *all, rec_error *error)
{
    for (int i = 0; i < count; i++)
        if (all[i].status) {
            *error = all[i];
            return all[i].status;
        }
    return REC_OK;
}

static rec_error *make_room(void)
{
    rec_error *all = malloc((size_t)count * sizeof *all);
    if (!all)
        MPI_Abort(MPI_COMM_WORLD, REC_LIMIT);
    return all;
}

rec_status rec_ranks_agree(rec_status status, rec_error *error)
{
    int mine = (int)status, worst;
    MPI_Allreduce(&mine, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (!worst)
        return REC_OK;
    rec_error *all = make_room(), own_error = status ? *error : (rec_error){0};
    own_error.status = status;
    MPI_Allgather(&own_error, sizeof own_error, MPI_BYTE, all, sizeof *all, MPI_BYTE,
                  MPI_COMM_WORLD);
    status = first_failure(all, error);
    free(all);
    return status;
}

rec_status rec_ranks_conclude(rec_status status, rec_error *error)
{
    if (count == 1)
        return status;
    rec_error *all = make_room(), own_error = status ? *error : (rec_error){0};
    MPI_Request request;
    int complete = 0;
    own_error.status = status;
    MPI_Iallgather(&own_error, sizeof own_error, MPI_BYTE, all, sizeof *all, MPI_BYTE, ending,
                   &request);
    const double begin = rec_now();
    while (MPI_Test(&request, &complete, MPI_STATUS_IGNORE), !complete) {
        if (status && rec_now() - begin > PATIENCE_SECONDS) {
            if (complaints)
                rec_say(complaints, "reconstruct: rank %d: %s\n", own, error->message);
            if (complaints)
                fflush(complaints);
            MPI_Abort(MPI_COMM_WORLD, (int)status);
        }
        usleep(1000);
    }
    status = first_failure(all, error);
    free(all);
    return status;
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

size_t rec_ranks_fellows(const void *thing, size_t bytes, size_t *index)
{
    MPI_Comm alike;
    int rank, fellows;
    MPI_Comm_split(here, (int)(rec_hash(REC_HASH_START, thing, bytes) & 0x7fffffff), own, &alike);
    MPI_Comm_rank(alike, &rank);
    MPI_Comm_size(alike, &fellows);
    MPI_Comm_free(&alike);
    *index = (size_t)rank;
    return (size_t)fellows;
}

/* ---- rows ---- */

/* Queues what goes to a neighbour and what comes from it. */
static int queue(const rec_strip *strip, int rank, int tag, int tag_back, MPI_Request request[2])
{
    if (!strip)
        return 0;
    MPI_Irecv(strip->ghosts, (int)strip->floats, MPI_FLOAT, rank, tag_back, MPI_COMM_WORLD,
              &request[0]);
    MPI_Isend(strip->own, (int)strip->floats, MPI_FLOAT, rank, tag, MPI_COMM_WORLD, &request[1]);
    return 2;
}

void rec_ranks_trade(const rec_strip *above, const rec_strip *below)
{
    MPI_Request request[4];
    MPI_Status done[4];
    int requests = queue(above, (own + count - 1) % count, TAG_UP, TAG_DOWN, request);
    requests += queue(below, (own + 1) % count, TAG_DOWN, TAG_UP, request + requests);
    MPI_Waitall(requests, request, done);
}

int rec_ranks_take_device_memory(void)
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

void rec_ranks_take_turn(void *sums, size_t bytes)
{
    if (own)
        MPI_Recv(sums, (int)bytes, MPI_BYTE, own - 1, TAG_TURN, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void rec_ranks_give_turn(void *sums, size_t bytes)
{
    if (own + 1 < count)
        MPI_Send(sums, (int)bytes, MPI_BYTE, own + 1, TAG_TURN, MPI_COMM_WORLD);
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
