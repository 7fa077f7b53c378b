#include "base/team.h"

#include <pthread.h>
#include <stdlib.h>

static void *pass(void *gate)
{
    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
    return NULL;
}

void rec_team_fit(void)
{
    enum { OTHERS = 3 }; /* threads beside a team: one that warms up, the window's, a driver's */
    const size_t wanted = rec_team_size() + OTHERS - 1;
    pthread_t *const threads = malloc(wanted * sizeof *threads);
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    size_t had = 0;
    pthread_mutex_lock(&gate); /* so that all are there together */
    while (threads && had < wanted && !pthread_create(&threads[had], NULL, pass, &gate))
        had++;
    pthread_mutex_unlock(&gate);
    for (size_t i = 0; i < had; i++)
        pthread_join(threads[i], NULL);
    free(threads);
    if (had < wanted)
        omp_set_num_threads(had > OTHERS ? (int)(had - OTHERS) + 1 : 1);
}
