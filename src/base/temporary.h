/* The temporary files of outputs: for output.c, and what killed runs have left. */
#pragma once

#include <sys/types.h>

/* Opens a file in the target's folder, of that mode less the umask. *name is NULL if it has no name
 * yet; `named`: it must have one. Returns 0 or an errno. */
int rec_temporary_open(const char *target, mode_t mode, int named, char **name, int *file);

/* Gives the file a name. Returns 0 or an errno. */
int rec_temporary_give_name(const char *target, char **name, int file);

/* Removes the temporary files that killed processes of this host have left in the folder, and never
 * one of a living process. */
void rec_temporary_sweep(const char *folder);
