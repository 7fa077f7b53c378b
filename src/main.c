/* reconstruct: finds the command, and turns its status into an exit code and a line on stderr. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/team.h"
#include "commands/commands.h"
#include "run/signals.h"

/* stdout may be a file on a full disk. */
static rec_status flush_output(rec_status status, rec_error *error)
{
    if ((fflush(stdout) || ferror(stdout)) && (!status || status == REC_NO))
        return rec_fail_system(error, REC_IO, errno, "standard output");
    return status;
}

/* Libraries that get no memory (OpenMP, FFTW) end the process by exit(1), which would say that bits
 * differ. `ends` tells that main has come to its own end. */
static void ended_by_library(int status, void *ends)
{
    if (status && !*(const int *)ends) {
        fputs("reconstruct: a library got no memory or no thread\n", stderr);
        _exit(REC_LIMIT);
    }
}

int main(int argc, char **argv)
{
    static int ends;
    on_exit(ended_by_library, &ends);
    const command_id id = command_find(argc, argv);
    if (id != COMMAND_RUN) {
        argv++;
        argc--;
    }
    rec_error error = {0};
    command_line line;
    rec_status status = command_line_parse(&line, id, argc, argv, &error);
    if (!status && line.option[OPTION_HELP].given)
        command_print_help(stdout, id);
    else if (!status && line.option[OPTION_VERSION].given)
        command_print_version(stdout);
    else if (!status) {
        rec_signals_install();
        rec_team_fit();
        status = command_table[id].run(&line, &error);
    }
    status = flush_output(status, &error);
    if (status && error.message[0])
        fprintf(stderr, "reconstruct: %s\n", error.message);
    if (status == REC_USAGE)
        fprintf(stderr, "Try 'reconstruct %s%s--help'.\n",
                command_table[id].name ? command_table[id].name : "",
                command_table[id].name ? " " : "");
    if (status == REC_SIGNALLED)
        rec_signals_die();
    ends = 1;
    return (int)status;
}
