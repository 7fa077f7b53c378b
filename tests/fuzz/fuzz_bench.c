/* The program of the ladder: command lines, one after the other in an empty folder. No name leads
 * out of it: a slash is replaced. */
#include <fcntl.h>
#include <ftw.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/team.h"
#include "base/text.h"
#include "bench/bench.h"
#include "tests/fuzz/fuzz.h"

enum { MOST = 60, LONGEST = 4096 };

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *place)
{
    return remove(path);
}

/* What measures, starts a compiler, or is large is left out. */
static int takes_long(const command_line *line)
{
    const option_value *given = line->option, *size = &given[BENCH_SIZE];
    const int measures = given[BENCH_PROBLEM].count != 1 && !given[BENCH_CREATE_REFERENCE].given;
    return measures || !size->given || strlen(size->text) > 2;
}

static void run_line(char *words)
{
    char name[] = "reconstruct-bench", *argv[MOST + 2] = {name};
    int argc = 1;
    command_line line;
    rec_error error = {0};
    for (char *at = words; at && argc <= MOST; argc++)
        argv[argc] = strsep(&at, " ");
    rec_status status = options_parse(&line, &bench_options, BENCH_ALL, argc, argv, &error);
    if (!status && !takes_long(&line))
        status = bench_execute(&line, &error);
    FUZZ_REQUIRE(!status || (error.status == status && error.message[0]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[LONGEST + 1], folder[64], *at = text;
    if (size > LONGEST)
        return 0;
    memcpy(text, data, size);
    text[size] = 0;
    for (char *slash = text; (slash = strchr(slash, '/'));)
        *slash = '_';
    snprintf(folder, sizeof folder, "%s/reconstruct-fuzz.XXXXXX",
             access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
    const int start = open(".", O_PATH), output = dup(STDOUT_FILENO);
    const int nowhere = open("/dev/null", O_WRONLY);
    FUZZ_REQUIRE(mkdtemp(folder) && !chdir(folder) && !fflush(stdout));
    dup2(nowhere, STDOUT_FILENO);
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
    rec_use_plain_numbers();
    rec_team_set_size(2);
    while (at)
        run_line(strsep(&at, "\n"));
    fflush(stdout);
    dup2(output, STDOUT_FILENO);
    FUZZ_REQUIRE(!fchdir(start) && !nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS));
    close(nowhere);
    close(output);
    close(start);
    return 0;
}
