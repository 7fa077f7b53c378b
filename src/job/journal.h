/* The journal of a list: a line of JSON for every input that was worked on, by one write, after its
 * output is in its place. Journals of shards can be concatenated; the last line of an input counts.
 * A list is resumed by it: what is done is passed over without being read. */
#ifndef REC_JOB_JOURNAL_H
#define REC_JOB_JOURNAL_H

#include <pthread.h>
#include <stdint.h>

#include "base/status.h"
#include "job/names.h"

typedef struct rec_done { /* the last line of an input */
    int known;              /* there is one, of the same settings */
    rec_status status;
    uint64_t input_bytes, input_time;
    uint64_t output_bytes;  /* 0: none was written */
    size_t planes;
} rec_done;

typedef struct rec_journal {
    int file[2];            /* the report and, where that cannot be read again, one beside the
                               checkpoints */
    const char *path[2];
    size_t count;
    char *own_path;         /* of the latter */
    rec_table table;        /* of the inputs that earlier lines tell of, by the hash of their names: */
    rec_done *done;
    uint64_t settings;      /* a hash of what decides the bytes of an output */
    pthread_mutex_t lock;   /* of the files */
} rec_journal;

#endif
