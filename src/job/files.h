/* The files of a run that no output may overwrite: what is read, the report, and the outputs of
 * other inputs. Files are compared by device and inode, so links do not matter. The promise holds
 * against files that exist when an output gets its name, not against a program that makes links at
 * that moment. */
#pragma once

#include <pthread.h>

#include "base/output.h"
#include "job/settings.h"

typedef struct rec_files {
    pthread_mutex_t lock;
    const rec_settings *settings;
    const char *const *names; /* of the inputs */
    size_t count, listed;     /* of these names, and those that are in the tree */
    int fresh;                /* the outputs' folder was not there */
    int has_others;           /* the files that the settings name are in the tree */
    void *tree;               /* (tsearch) */
} rec_files;

/* The inputs are names[0..count-1]. Headless they are looked at when an output exists for the first
 * time, otherwise at once: the array may move later. */
void rec_files_take(rec_files *files, const rec_settings *settings, const char *const *names,
                    size_t count);
void rec_files_free(rec_files *files);

/* A file that the run reads, beside those in the settings; NULL: none. */
rec_status rec_files_add(rec_files *files, const char *path, rec_error *error);

/* `status` if the file exists, and the run reads it or has it as the output of an input that is not
 * `owner`. */
rec_status rec_files_ask(rec_files *files, const char *path, const char *owner, rec_status status,
                         rec_error *error);

/* What an output asks before it replaces its target: rec_lock_check of three locks, and
 * rec_files_ask with REC_NO_OUTPUT. From then on the target belongs to `owner`. */
typedef struct rec_claim {
    rec_output_guard guard;
    rec_files *files;
    const char *owner; /* the input's name */
    const rec_lock *locks[3]; /* NULL: none */
} rec_claim;
rec_claim rec_files_claim(rec_files *files, const char *owner);
