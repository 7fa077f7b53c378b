/* How main begins and ends. */
#include "cli/program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/text.h"
#include "run/signals.h"

static const char *program;
static int ends; /* main is about to return */

/* FFTW without memory and Xlib without a display call exit(1), which would say that bits differ. */
static void ended_by_library(void)
{
    if (!ends) {
        fprintf(stderr, "%s: a library called exit(): out of memory, or no display\n", program);
        _exit(REC_LIMIT);
    }
}

rec_status program_begin(const char *name, int *argc, char ***argv, rec_error *error)
{
    /* A closed descriptor would be the next file's: a warning would go into a picture. To read or
     * to write what was closed is still an error; words for standard error are lost. */
    static const int how[] = {O_WRONLY, O_RDONLY, O_RDWR};
    for (int file = 0; file < 3; file++)
        if (fcntl(file, F_GETFD) < 0)
            open("/dev/null", how[file]); /* takes the lowest that is free */
    program = name;
    rec_use_plain_numbers();
    const rec_status status = rec_ranks_begin(argc, argv, error);
    atexit(ended_by_library);
    return status;
}

int program_end(rec_status status, rec_error *error, const char *command)
{
    /* stdout may be a file on a full disk. */
    if ((fflush(stdout) || ferror(stdout)) && (!status || status == REC_NO))
        status = rec_fail_system(error, REC_IO, errno, "standard output");
    status = rec_ranks_conclude(status, error);
    if (status && error->message[0])
        fprintf(stderr, "%s: %s\n", program, error->message);
    if (status == REC_USAGE)
        fprintf(stderr, "Try '%s --help'.\n", command);
    rec_ranks_end();
    if (status == REC_SIGNALLED)
        rec_signals_die();
    ends = 1;
    return status == REC_IN_USE ? REC_NO_OUTPUT : (int)status;
}
