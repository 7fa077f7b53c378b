/* Ranks: processes that work on one image together, each on rows of its own. The plain program is
 * one rank (ranks.c); reconstruct-mpi has MPI behind these functions (src/solver/ranks). Collective
 * functions return when all ranks have called them; with one rank they do nothing. No function here
 * fails: MPI ends all ranks when it cannot go on. */
#pragma once

#include <stddef.h>

#include "base/status.h"

/* The begin and the end of the program, collective. Ranks but the first lose stdout and stderr.
 * REC_USAGE: a launcher that MPI does not know started several processes, each a rank alone. */
rec_status rec_ranks_begin(int *argc, char ***argv, rec_error *error);
void rec_ranks_end(void);
/* The status that all ranks exit with; collective. A failed rank whose call the others do not join
 * prints its error and ends all ranks with its status. */
rec_status rec_ranks_conclude(rec_status status, rec_error *error);

const char *rec_ranks_library(char text[64]); /* "Open MPI v4.1.4"; NULL: none is in the program */
size_t rec_ranks_count(void);
size_t rec_ranks_own(void); /* this process's number, from 0: the first has the top rows */

size_t rec_ranks_host(void); /* the host's name: the lowest rank on this host */

/* How many of this host's ranks pass an equal key; *index: which of them, from 0. Collective. */
size_t rec_ranks_alike(const void *key, size_t bytes, size_t *index);

/* ---- rows ---- */

/* An image is cut into pieces at multiples of this number of rows, and no piece has fewer. So sums
 * over groups of this number of rows are the same however the image is cut. */
enum { REC_ROWS_TOGETHER = 4 };

/* The first row of piece i of `count`; of i = count, the height. */
static inline size_t rec_cut(size_t height, size_t count, size_t i)
{
    return i == count ? height : height / REC_ROWS_TOGETHER * i / count * REC_ROWS_TOGETHER;
}

/* Rows to send to a neighbour, and room for its rows. */
typedef struct rec_strip {
    const float *own;
    float *ghosts;
    size_t floats; /* of each; 0: no neighbour */
} rec_strip;

/* Halo exchange with the ranks above and below. The first and the last rank are neighbours if both
 * have such a strip. Collective among neighbours. */
void rec_ranks_exchange(const rec_strip strips[2]);
/* 1: the strips may be in a device's memory. */
int rec_ranks_accept_device_memory(void);

/* ---- what all ranks must know ---- */

/* REC_OK if all ranks pass it; else status and message of the lowest that failed. Collective. */
rec_status rec_ranks_agree(rec_status status, rec_error *error);
double rec_ranks_most(double value);           /* maximum over all ranks; collective */
void rec_ranks_share(void *data, size_t bytes); /* broadcast by the first rank; collective */

/* A reduction in the order of the rows: after `begin` a rank has the sums over all rows above, and
 * adds its own; after `end` every rank has the sums over the image. Collective. */
void rec_ranks_reduce_begin(void *sums, size_t bytes);
void rec_ranks_reduce_end(void *sums, size_t bytes);

/* One rank sends and the other receives. */
void rec_ranks_send(size_t rank, const void *data, size_t bytes);
void rec_ranks_receive(size_t rank, void *data, size_t bytes);
