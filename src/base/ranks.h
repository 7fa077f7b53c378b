/* Ranks: processes that work on one image together, each on rows of its own. All of them do the
 * same in the same order. The plain program is one rank (ranks.c); reconstruct-mpi has MPI behind
 * these functions (src/solver/ranks). A collective function returns when all ranks have called it;
 * with one rank it does nothing. No function here fails: MPI ends all ranks when it cannot go
 * on. */
#pragma once

#include <stddef.h>

#include "base/status.h"

/* The begin and the end of the program, collective. Ranks but the first lose stdout and stderr. */
void rec_ranks_begin(int *argc, char ***argv);
void rec_ranks_end(void);
/* The status that all ranks exit with; collective. If a rank failed alone and the others do not
 * come, that rank prints its error and ends all of them with its status. */
rec_status rec_ranks_conclude(rec_status status, rec_error *error);

const char *rec_ranks_library(char text[64]); /* "Open MPI v4.1.4"; NULL: none is in the program */
size_t rec_ranks_count(void);
size_t rec_ranks_own(void); /* this process's number, from 0: the first has the top rows */

size_t rec_ranks_host(void); /* the first rank of this one's host, which names the host */

/* How many ranks of this host have the same `bytes` bytes of `thing`, and which of them this one
 * is, from 0. Collective. */
size_t rec_ranks_alike(const void *thing, size_t bytes, size_t *index);

/* ---- rows ---- */

/* Pieces of an image begin at a multiple of so many rows, and have at least so many, so that sums
 * over so many rows each are the same ones however it is cut. */
enum { REC_ROWS_TOGETHER = 4 };

/* The first row of piece i of `count`; of i = count, the height. */
static inline size_t rec_cut(size_t height, size_t count, size_t i)
{
    return i == count ? height : height / REC_ROWS_TOGETHER * i / count * REC_ROWS_TOGETHER;
}

/* Rows for a neighbour, and room for the neighbour's rows: so many floats each; 0: no neighbour. */
typedef struct rec_strip {
    const float *own;
    float *ghosts;
    size_t floats;
} rec_strip;

/* Exchanges rows with the ranks above and below. The first and the last are neighbours where they
 * say so. Collective among neighbours. */
void rec_ranks_exchange(const rec_strip strips[2]);
/* 1: the strips may be in a device's memory. */
int rec_ranks_take_device_memory(void);

/* ---- what all ranks must know ---- */

/* REC_OK when all ranks say so; else the status and the message of the first that does not.
 * Collective. */
rec_status rec_ranks_agree(rec_status status, rec_error *error);
double rec_ranks_most(double value);           /* the largest of all; collective */
void rec_ranks_share(void *data, size_t bytes); /* the first rank's, to all; collective */

/* Sums in the order of the rows: between the two calls a rank has those over all rows above its
 * own, and adds to them; afterwards all have those over the image. Collective. */
void rec_ranks_reduce_begin(void *sums, size_t bytes);
void rec_ranks_reduce_end(void *sums, size_t bytes);

/* From one rank to another, which calls the other function. */
void rec_ranks_send(size_t rank, const void *data, size_t bytes);
void rec_ranks_receive(size_t rank, void *data, size_t bytes);
