/* reconstruct: finds the command, and turns its status into an exit code and a line on stderr. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/ranks.h"
#include "base/team.h"
#include "base/text.h"
#include "commands/commands.h"
#include "run/run.h"

/* stdout may be a file on a full disk. */
static rec_status flush_output(rec_status status, rec_error *error)
{
    if ((fflush(stdout) || ferror(stdout)) && (!status || status == REC_NO))
        return rec_fail_system(error, REC_IO, errno, "standard output");
    return status;
}

/* Libraries that get no memory (FFTW) or lose the display (Xlib) end the process by
 * exit(1), which would say that bits differ. `ends` is set when main returns normally. */
static void ended_by_library(int status, void *ends)
{
    if (status && !*(const int *)ends) {
        fputs("reconstruct: a library called exit(): out of memory, or no display\n", stderr);
        _exit(REC_LIMIT);
    }
}

/* A closed descriptor would be the next file's: a warning would go into a picture. To read or to
 * write what was closed is still an error; words for standard error are lost. */
static void fill_descriptors(void)
{
    static const int how[] = {O_WRONLY, O_RDONLY, O_RDWR};
    for (int file = 0; file < 3; file++)
        if (fcntl(file, F_GETFD) < 0)
            open("/dev/null", how[file]); /* takes the lowest that is free */
}

/* Ranks on the same processors share them: each rank limits its teams of threads. */
static void fit_team(void)
{
    cpu_set_t processors;
    size_t index;
    CPU_ZERO(&processors);
    sched_getaffinity(0, sizeof processors, &processors);
    const size_t sharing = rec_ranks_alike(&processors, sizeof processors, &index);
    const size_t share = (size_t)CPU_COUNT(&processors) / sharing;
    if (sharing > 1)
        rec_team_limit(share ? share : 1);
}

int main(int argc, char **argv)
{
    static int ends;
    rec_error error = {0};
    fill_descriptors();
    rec_use_plain_numbers();
    rec_status status = rec_ranks_begin(&argc, &argv, &error);
    on_exit(ended_by_library, &ends);
    command_id id = argc > 1 ? command_find(argv[1]) : COMMANDS;
    if (id == COMMANDS) {
        id = COMMAND_RUN;
    } else {
        argv++;
        argc--;
    }
    command_line line;
    if (!status)
        status = command_line_parse(&line, id, argc, argv, &error);
    if (!status && line.option[OPTION_HELP].given)
        command_print_help(stdout, id);
    else if (!status && line.option[OPTION_VERSION].given)
        command_print_version(stdout);
    else if (!status && command_wants_stencils(&line))
        command_print_stencils(stdout);
    else if (!status && id != COMMAND_RUN && rec_ranks_count() > 1)
        status = rec_fail(&error, REC_USAGE, "%zu ranks were started, but this command is for "
                          "one process: start reconstruct without MPI", rec_ranks_count());
    else if (!status) {
        rec_signals_install();
        fit_team();
        if (id == COMMAND_RUN && line.operand_count)
            status = command_refuse_misspelled(line.operands[0], &error);
        if (!status)
            status = command_table[id].run(&line, &error);
    }
    status = rec_ranks_conclude(flush_output(status, &error), &error);
    if (status && error.message[0])
        fprintf(stderr, "reconstruct: %s\n", error.message);
    if (status == REC_USAGE)
        fprintf(stderr, "Try 'reconstruct %s%s--help'.\n",
                command_table[id].name ? command_table[id].name : "",
                command_table[id].name ? " " : "");
    rec_ranks_end();
    if (status == REC_SIGNALLED)
        rec_signals_die();
    ends = 1;
    if (command_leaves_a_thread) { /* in a driver: exit() could wait for it */
        fflush(NULL);
        _exit((int)status);
    }
    return (int)status;
}
