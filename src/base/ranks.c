/* One rank, the plain program: nothing to wait for and nothing to send. */
#include "base/ranks.h"

rec_status rec_ranks_begin(int *argc, char ***argv, rec_error *error) { return REC_OK; }
void rec_ranks_end(void) {}
rec_status rec_ranks_conclude(rec_status status, rec_error *error) { return status; }

const char *rec_ranks_library(char text[64]) { return NULL; }
size_t rec_ranks_count(void) { return 1; }
size_t rec_ranks_own(void) { return 0; }
size_t rec_ranks_host(void) { return 0; }

size_t rec_ranks_alike(const void *key, size_t bytes, size_t *index)
{
    *index = 0;
    return 1;
}

void rec_ranks_exchange(const rec_strip strips[2]) {}
int rec_ranks_accept_device_memory(void) { return 0; }

rec_status rec_ranks_agree(rec_status status, rec_error *error) { return status; }
double rec_ranks_most(double value) { return value; }
void rec_ranks_share(void *data, size_t bytes) {}
void rec_ranks_reduce_begin(void *sums, size_t bytes) {}
void rec_ranks_reduce_end(void *sums, size_t bytes) {}
void rec_ranks_send(size_t rank, const void *data, size_t bytes) {}
void rec_ranks_receive(size_t rank, void *data, size_t bytes) {}
