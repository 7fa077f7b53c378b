/* The temporary files of outputs and locks. */
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

/* Opens a file in the target's folder, of mode `mode` less the umask. *name is NULL if the file has
 * no name yet; with `named` it has one. Returns 0 or an errno. */
int rec_temporary_open(const char *target, mode_t mode, int named, char **name, int *file);

/* Gives the file, named `name` or NULL, the target's name. Returns 0 or an errno; EEXIST: taken. */
int rec_temporary_place(const char *name, int file, const char *target);

/* Gives a file without a name one beside the target. Returns 0 or an errno. */
int rec_temporary_give_name(const char *target, char **name, int file);

/* Gives a file owner, group, mode, attributes and ACL of the file `from`, which is `old`, as far as
 * we may. Nobody gains rights by that: where group or ACL are lost, the group has none, and others
 * have none that it had not. Returns the errno of a mode that cannot be set, or 0. */
int rec_temporary_copy_rights(int file, const char *from, const struct stat *old);

/* Removes the temporary files that killed processes of this host have left in the folder. Those of
 * living processes stay. */
void rec_temporary_sweep(const char *folder);
