/* Files that others save. The kernel tells of it, but not of what another host does (NFS, CIFS),
 * nor in many file systems that are programs (FUSE). */
#pragma once

#include <stddef.h>

typedef struct rec_watch rec_watch;

/* Of files that are written and closed, or renamed into place: of each its name (as rec_path_open
 * has it), and what that leads to. NULL paths are left out. NULL if the system refuses. */
rec_watch *rec_watch_open(const char *const paths[], size_t count);
void rec_watch_close(rec_watch *watch); /* NULL is fine */

/* 1: one was saved since the last call, or it may have been. 0 for NULL. */
int rec_watch_is_news(rec_watch *watch);
