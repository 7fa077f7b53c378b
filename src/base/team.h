/* Teams of OpenMP threads: how many the next one will have, how many this one has, who among them
 * is asking, and from where on it pays. Without OpenMP there is one thread. */
#pragma once

#include <stddef.h>

#ifdef _OPENMP
#include <omp.h>
#else
static inline int omp_get_max_threads(void) { return 1; }
static inline int omp_get_num_threads(void) { return 1; }
static inline int omp_get_thread_num(void) { return 0; }
static inline void omp_set_num_threads(int threads) {}
#endif

/* Samples of an image: fewer take one thread less time than starting a team. */
#define REC_WORTH_A_TEAM ((size_t)1 << 17)

/* Limits the teams that this thread starts to the threads that the system can give: OpenMP ends the
 * process when it cannot have one. */
void rec_team_fit(void);

static inline size_t rec_team_size(void)
{
    return (size_t)omp_get_max_threads();
}

/* Threads for an image of so many samples: 1 if it is small. */
static inline size_t rec_team_for(size_t samples)
{
    return samples > REC_WORTH_A_TEAM ? rec_team_size() : 1;
}

/* Threads for so many independent things. */
static inline size_t rec_team_of(size_t things)
{
    return things < rec_team_size() ? things : rec_team_size();
}

/* Teams that this thread starts have at most so many threads from now on. */
static inline void rec_team_limit(size_t threads)
{
    if (threads < rec_team_size())
        omp_set_num_threads((int)threads);
}

static inline size_t rec_team_present(void)
{
    return (size_t)omp_get_num_threads();
}

static inline size_t rec_team_member(void)
{
    return (size_t)omp_get_thread_num();
}
