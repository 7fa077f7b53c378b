/* reconstruct: finds the command, and turns its status into an exit code and a line on stderr. */
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#include "base/team.h"
#include "commands/commands.h"
#include "run/signals.h"

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
    rec_error error = {0};
    rec_status status = program_begin("reconstruct", &argc, &argv, &error);
    const command_id id = command_move(argc, argv);
    argv += id != COMMAND_RUN;
    argc -= id != COMMAND_RUN;
    command_line line = {.operands = argv + 1};
    if (!status && id != COMMAND_BENCH) /* another program's line */
        status = command_line_parse(&line, id, argc, argv, &error);
    if (!status && line.option[OPTION_HELP].given)
        command_print_help(stdout, id, line.option[OPTION_HELP].count && id == COMMAND_RUN);
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
        status = command_refuse_mistakes(&line, &error);
        if (!status)
            status = command_table[id].run(&line, &error);
    }
    char name[64];
    snprintf(name, sizeof name, "reconstruct%s%s", command_table[id].name ? " " : "",
             command_table[id].name ? command_table[id].name : "");
    const int code = program_end(status, &error, name);
    if (command_leaves_a_thread) { /* in a driver: exit() could wait for it */
        fflush(NULL);
        _exit(code);
    }
    return code;
}
