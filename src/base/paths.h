/* Names of files and folders: their parts, whether two names are one file; opening and reading. */
#pragma once

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"

const char *rec_path_name(const char *path); /* the last part: behind the last slash */

/* The last part, and its length without the ending: of "a/b.c.pgm" "b.c", of ".rc" ".rc". */
const char *rec_path_stem(const char *path, size_t *length);

/* The folder's part with its slash, or ".", a new string; NULL without memory. */
char *rec_path_folder(const char *path);

/* *copied: a new string; NULL after REC_LIMIT. */
rec_status rec_path_copy(char **copied, const char *path, rec_error *error);

/* 1 if `path` is a folder, or ends with a slash. */
int rec_path_is_folder(const char *path);

/* 1 for "-": standard input, or standard output; 0 for NULL. */
int rec_path_is_standard(const char *path);

/* The descriptor that an output's name stands for: 1 for "-", N for /dev/fd/N and what leads there,
 * as /dev/stdout does; -1 for another name, or NULL. */
int rec_path_descriptor(const char *path);

/* 1 if `path` is a regular file or does not exist yet; 0 for a descriptor. */
int rec_path_is_regular(const char *path);

/* *target: the path with the symlinks at its end followed, also to what does not exist yet, but
 * not from a descriptor to its file; a new string, NULL without memory. Returns 0 or an errno. */
int rec_path_follow(char **target, const char *path);

/* Creates the folder if it does not exist; with `parents` also the folders above. REC_NO_OUTPUT. */
rec_status rec_path_make_folder(const char *path, int parents, rec_error *error);

/* *path = "folder/name", and ".ending" unless that is NULL, a new string; NULL after REC_LIMIT. */
rec_status rec_path_join(char **path, const char *folder, const char *name, const char *ending,
                         rec_error *error);

typedef struct rec_file_mark { /* tells whether a file has changed */
    uint64_t bytes, time;      /* ns since 1970 */
} rec_file_mark;

/* The page that FILE[N] asks for, N from 1 on, where no file has that name itself; 0: none. The
 * functions below then mean FILE. */
size_t rec_path_page(const char *path);
/* FILE: `path` itself, or written to `file`. */
const char *rec_path_without_page(const char *path, char file[PATH_MAX]);

/* Opens for reading; "-" is standard input. REC_NO_INPUT, for a folder too. *mark, unless
 * that is NULL: of the regular file, or zeros. */
rec_status rec_path_open(FILE **stream, const char *path, rec_file_mark *mark, rec_error *error);

/* REC_IO: reading `name` failed, for the reason in errno; REC_SIGNALLED after a signal to stop. */
rec_status rec_read_failed(const char *name, rec_error *error);

/* A stream that is closed where its block ends; NULL and standard input are left alone. */
static inline void rec_close_at(FILE **stream)
{
    if (*stream && *stream != stdin)
        fclose(*stream);
}
#define rec_owned_stream REC_OWNED(rec_close_at) FILE

/* The next byte of a stream of this thread; EOF also after a signal: a pipe may never end. */
static inline int rec_next_byte(FILE *stream)
{
    return rec_is_stopped() ? EOF : getc_unlocked(stream);
}

/* The lines of a text. */
typedef struct rec_lines {
    FILE *stream;     /* to be opened */
    const char *name; /* for messages */
    int nul;          /* they end with NUL, not with a newline */
    char *line;       /* the last, with its end if it has one, and a 0 */
    size_t length, capacity;
    size_t number;    /* of that line, counted from 1 */
} rec_lines;

/* length is 0 at the end of the text. REC_BAD_INPUT for a line of more than REC_LINE_BYTES: it is
 * no text. A byte order mark before the first line is skipped. */
#define REC_LINE_BYTES (1 << 20)
rec_status rec_lines_next(rec_lines *lines, rec_error *error);
void rec_lines_close(rec_lines *lines);
#define rec_owned_lines REC_OWNED(rec_lines_close) rec_lines

/* UTF-8's, with which editors on Windows begin a text. */
#define REC_BYTE_ORDER_MARK "\xef\xbb\xbf"

/* 1 if two names mean one regular file, which need not exist yet; 0 for "-". */
int rec_path_is_one_file(const char *a, const char *b);

typedef struct rec_file_id { /* equal for all names of a file */
    uint64_t device, inode;
} rec_file_id;

/* "-" is standard input. Returns 0 for what does not exist or is no regular file. */
int rec_file_identify(const char *path, rec_file_id *id);

/* Fills in the mark. Returns 0, with a mark of zeros, for "-" and what is no regular file. */
int rec_file_note(const char *path, rec_file_mark *mark);
/* Both of an open file. */
int rec_file_look(int file, rec_file_id *id, rec_file_mark *mark);
