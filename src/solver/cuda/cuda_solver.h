/* The cuda solver's state: for the files of src/solver/cuda alone. */
#pragma once

#include "solver/cuda/cuda_plan.h"
#include "device/cuda_room.h"
#include "solver/type.h"

struct rec_cuda;

/* Halo exchange with one neighbour: cuda_exchange.c. All zero: no neighbour on this side. */
typedef struct rec_cuda_border {
    rec_border at;
    rec_transport transport; /* to another rank */
    size_t floats;  /* of a strip */
    float *strips;  /* on the device, or pinned: two strips */
    int pinned;
    float *neighbour; /* its two strips; NULL: MPI sends the rows */
    cudaEvent_t neighbour_filled[2];
    float words[2]; /* sent and received in place of rows */
} rec_cuda_border;

typedef struct rec_cuda {
    rec_cuda_iterates iterates;
    rec_cuda_plan plan;
    rec_slab slab;
    rec_cuda_room room;
    rec_costs costs;
    /* Pinned memory that the kernels write to: the norms of the change, by planes; and the squares
     * of the change of all planes, followed by those of the distance. */
    rec_device_norms *norms;
    double *squares;
    rec_cuda_border borders[2]; /* above and below */
    cudaEvent_t filled[2];      /* recorded after the strips of both borders are filled */
    cudaEvent_t shared[2];      /* the same, for neighbours in other ranks */
    int next_strip;             /* 0 or 1, for both borders */
    uint64_t expected;       /* iterations that will follow, as far as known */
    int other_is_older;      /* iterates.other is M_(N-2), not M_(N-1) */
    int other_undefined;     /* iterates.other is no iterate: the iterations ended quickly */
    int moving_known;        /* the last look had M_(N-2), so it could detect a standstill */
} rec_cuda;

/* cuda_exchange.c: as in rec_solver_type */
rec_status rec_cuda_exchange(void *const *states, size_t count, rec_field field, rec_error *error);
void rec_cuda_borders_destroy(rec_cuda *slab);

/* Row y of a plane of the field, ghost rows counted. */
float *rec_cuda_row(const rec_cuda *solver, rec_field field, size_t plane, size_t y);
