/* The temporary files of outputs: for output.c alone. */
#ifndef REC_BASE_TEMPORARY_H
#define REC_BASE_TEMPORARY_H

#include <sys/types.h>

/* A file in the target's folder, of that mode less the umask; *name is NULL where it has none yet,
 * which `named` does not allow. Returns 0 or an errno. */
int rec_temporary_open(const char *target, mode_t mode, int named, char **name, int *file);

/* Gives it one. Returns 0 or an errno. */
int rec_temporary_give_name(const char *target, char **name, int file);

/* Removes those that killed processes of this host have left in the folder; never those of a living
 * one. */
void rec_temporary_sweep(const char *folder);

#endif
