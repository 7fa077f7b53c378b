/* reconstruct-bench, which `reconstruct bench` executes. */
#include "bench/bench.h"

#include "base/text.h"
#include "run/signals.h"

static void print_help(void)
{
    puts("Usage: reconstruct-bench [OPTION]...\n"
         "       reconstruct bench [OPTION]...\n\n"
         "Check and time a ladder of kernels, one idea after the other.");
    options_print(stdout, &bench_options, BENCH_ALL, 0);
    for (bench_problem problem = BENCH_LADDER; problem <= BENCH_COURSE; problem++) {
        const bench_rung *rung;
        printf("\n--problem %s, columns of the table:\n", problem ? "convolution" : "ladder");
        bench_explain_columns(stdout, problem);
        puts("\nrungs (--rungs takes numbers, ranges, names, and cpu, gpu, shipped, mine):");
        for (size_t i = 0; (rung = bench_rung_at(problem, i)); i++)
            printf("  %2d %-26s%s\n", rung->number, rung->name, rung->idea);
    }
}

int main(int argc, char **argv)
{
    rec_error error = {0};
    command_line line;
    char radius[64];
    rec_status status = program_begin("reconstruct-bench", &argc, &argv, &error);
    for (char **word = argv; !status && *word; word++)
        if (!strcmp(*word, "--width") || !strncmp(*word, "--width=", 8)) { /* as it was called */
            snprintf(radius, sizeof radius, "--radius%s", *word + 7);
            *word = radius;
        }
    REC_THEN(status, options_parse(&line, &bench_options, BENCH_ALL, argc, argv, &error));
    if (!status && line.option[BENCH_HELP].given)
        print_help();
    else if (!status && line.option[BENCH_VERSION].given)
        printf("reconstruct-bench %s\nbuilt by: %s\n", rec_version, rec_build);
    else if (!status) {
        rec_signals_install();
        status = bench_execute(&line, &error);
    }
    return program_end(status, &error, "reconstruct-bench");
}
