#include "base/file_watch.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>

#include "base/memory.h"
#include "base/paths.h"

/* Folders are watched: a file that is renamed into place is another one. All their files of these
 * names are taken for those. */
struct rec_watch {
    int file;
    size_t count;
    char names[][NAME_MAX + 1];
};

static void add(rec_watch *watch, const char *path)
{
    rec_owned char *folder = path ? rec_path_folder(path) : NULL;
    if (folder && inotify_add_watch(watch->file, folder, IN_CLOSE_WRITE | IN_MOVED_TO) >= 0)
        snprintf(watch->names[watch->count++], NAME_MAX + 1, "%s", rec_path_name(path));
}

rec_watch *rec_watch_open(const char *const paths[], size_t count)
{
    rec_watch *watch = calloc(1, sizeof *watch + 2 * count * sizeof *watch->names);
    if (!watch || (watch->file = inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) < 0) {
        free(watch);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        char file[PATH_MAX];
        const char *path = paths[i] ? rec_path_without_page(paths[i], file) : NULL;
        rec_owned char *real = path ? realpath(path, NULL) : NULL;
        add(watch, path);
        add(watch, real);
    }
    return watch;
}

void rec_watch_close(rec_watch *watch)
{
    if (watch)
        close(watch->file);
    free(watch);
}

int rec_watch_is_news(rec_watch *watch)
{
    _Alignas(struct inotify_event) char events[4096];
    int found = 0;
    for (ssize_t end; watch && (end = read(watch->file, events, sizeof events)) > 0;)
        for (const char *at = events; at < events + end;) {
            const struct inotify_event *event = (const void *)at;
            found |= (event->mask & IN_Q_OVERFLOW) != 0;
            for (size_t i = 0; i < watch->count && event->len; i++)
                found |= !strcmp(event->name, watch->names[i]);
            at += sizeof *event + event->len;
        }
    return found;
}
