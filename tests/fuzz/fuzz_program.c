/* The program: command lines, such as `heal e.pgm --mask m.pgm -o o.png`, one after the other in a
 * folder of small files; behind an empty line the file x, which is standard input, too. A command
 * that takes long gets a signal. No name leads out of the folder: a slash is kept only behind
 * "dir". */
#include <fcntl.h>
#include <fnmatch.h>
#include <ftw.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/team.h"
#include "base/text.h"
#include "commands/commands.h"
#include "tests/fuzz/fuzz.h"

enum { MOST = 60, LONGEST = 4096, MILLISECONDS = 110 };

#define GREY "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
static struct {
    const char *name, *bytes;
    size_t size;
} files[] = {
    {"e.pgm", "P5 8 6 255\n" GREY, 59},
    {"c.ppm", "P6 8 6 255\n" GREY GREY GREY, 155},
    {"m.pgm",
     "P5 8 6 1\n\0\0\0\0\0\0\0\0\0\0\0\1\1\0\0\0\0\0\1\1\1\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0\0\0"
     "\0\0\0\0\0\0\0\0\0\0",
     57},
    {"s", "3 3\n0 1 0\n1 -4 1\n0 1 0\n", 24},
    {"l", "e.pgm\ndir/e.pgm\nc.ppm\n", 22},
    {"dir/e.pgm", "P5 7 6 255\n" GREY, 53},
    {"x", NULL, 0},
};
enum { FILES = sizeof files / sizeof *files };

static FILE *terminal;
static int reader, nowhere, output, start;
static char folder[64];

static void stop(int number) { rec_signal_received = SIGTERM; }

/* Standard error is a terminal, for the progress. It loses what it has no room for. */
static void open_terminal(void)
{
    reader = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
    FUZZ_REQUIRE(reader >= 0 && !grantpt(reader) && !unlockpt(reader));
    const int file = open(ptsname(reader), O_RDWR | O_NOCTTY | O_NONBLOCK);
    FUZZ_REQUIRE(file >= 0 && (terminal = fdopen(file, "w")));
}

static void begin(void)
{
    const struct sigaction action = {.sa_handler = stop};
    open_terminal();
    nowhere = open("/dev/null", O_WRONLY);
    output = dup(STDOUT_FILENO);
    start = open(".", O_PATH);
    unsetenv("DISPLAY");
    unsetenv("WAYLAND_DISPLAY");
    unsetenv("SDL_VIDEODRIVER");
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
    sigaction(SIGPROF, &action, NULL);
    rec_use_plain_numbers();
}

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *place)
{
    return remove(path);
}

/* Two folders deep: ".." is ours, too. */
static void make_folder(void)
{
    snprintf(folder, sizeof folder, "%s/reconstruct-fuzz.XXXXXX",
             access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
    FUZZ_REQUIRE(mkdtemp(folder) && !chdir(folder));
    FUZZ_REQUIRE(!mkdir("w", 0777) && !chdir("w") && !mkdir("dir", 0777) &&
                 !symlink("e.pgm", "link"));
    for (size_t i = 0; i < FILES; i++) {
        FILE *const file = fopen(files[i].name, "wb");
        FUZZ_REQUIRE(file && fwrite(files[i].bytes, 1, files[i].size, file) == files[i].size);
        fclose(file);
    }
}

/* ---- what must hold afterwards ---- */

static int is_input(const command_line *line, const char *name)
{
    static const option_id inputs[] = {OPTION_MASK, OPTION_ONTO, OPTION_START, OPTION_REFERENCE,
                                       OPTION_FILES_FROM};
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        if (line->option[inputs[i]].given && !strcmp(line->option[inputs[i]].text, name))
            return 1;
    for (size_t i = 0; i < line->operand_count; i++)
        if (!strcmp(line->operands[i], name))
            return 1;
    return 0;
}

static int is_as_it_was(size_t i)
{
    char now[LONGEST + 1];
    FILE *const file = fopen(files[i].name, "rb");
    const int same = file && fread(now, 1, sizeof now, file) == files[i].size &&
                     !memcmp(now, files[i].bytes, files[i].size);
    if (file)
        fclose(file);
    return same;
}

static int is_leftover(const char *path, const struct stat *about, int kind, struct FTW *place)
{
    return !fnmatch("*.rec-*", path, 0) || !fnmatch("*.lock", path, 0);
}

/* ---- as in main.c ---- */

/* What no signal ends soon is left out. */
static int takes_long(const command_line *line)
{
    return line->option[OPTION_EVERY].count > 100000;
}

static rec_status run(command_line *line, int argc, char **argv, rec_error *error)
{
    command_id id = argc > 1 ? command_find(argv[1]) : COMMANDS;
    const int named = id != COMMANDS;
    id = named ? id : COMMAND_RUN;
    const rec_status status = command_line_parse(line, id, argc - named, argv + named, error);
    const option_value *const given = line->option;
    if (status || takes_long(line))
        return status;
    if (given[OPTION_HELP].given)
        command_print_help(stdout, id, 0);
    else if (given[OPTION_VERSION].given)
        command_print_version(stdout);
    else if (command_wants_stencils(line))
        command_print_stencils(stdout);
    else
        return command_table[id].run(line, error);
    return REC_OK;
}

static rec_status run_quietly(command_line *line, int argc, char **argv, rec_error *error)
{
    char said[4096];
    FILE *const kept = stderr;
    const struct itimerval soon = {.it_value.tv_usec = 1000 * MILLISECONDS}, never = {0};
    FUZZ_REQUIRE(freopen("x", "rb", stdin) && fflush(stdout) == 0);
    dup2(nowhere, STDOUT_FILENO);
    stderr = terminal;
    rec_signal_received = 0;
    rec_team_set_size(2);
    setitimer(ITIMER_PROF, &soon, NULL);
    const rec_status status = run(line, argc, argv, error);
    setitimer(ITIMER_PROF, &never, NULL);
    stderr = kept;
    fflush(stdout);
    fflush(terminal);
    while (read(reader, said, sizeof said) > 0) {
    }
    dup2(output, STDOUT_FILENO);
    return status;
}

static void run_line(char *words)
{
    char name[] = "reconstruct", *argv[MOST + 2] = {name};
    int argc = 1, kept[FILES];
    command_line line;
    rec_error error = {0};
    for (char *at = words; at && argc <= MOST; argc++)
        argv[argc] = strsep(&at, " ");
    for (size_t i = 0; i < FILES; i++)
        kept[i] = is_as_it_was(i);
    const rec_status status = run_quietly(&line, argc, argv, &error);
    const int list = line.operand_count > 1 || line.option[OPTION_FILES_FROM].given;
    FUZZ_REQUIRE(!status || list ||
                 (error.status == status && (error.message[0] || status == REC_NO)));
    for (size_t i = 0; i < FILES; i++)
        FUZZ_REQUIRE(!kept[i] || !is_input(&line, files[i].name) || is_as_it_was(i));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[LONGEST + 1];
    if (size > LONGEST)
        return 0;
    if (!terminal)
        begin();
    memcpy(text, data, size);
    text[size] = 0;
    for (size_t i = 0; i < size; i++)
        if (text[i] == '/' && (i < 3 || memcmp(text + i - 3, "dir", 3)))
            text[i] = '_';
    char *const end = memmem(text, size, "\n\n", 2), *at = text;
    files[FILES - 1].bytes = end ? end + 2 : text + size;
    files[FILES - 1].size = size - (size_t)(files[FILES - 1].bytes - text);
    if (end)
        *end = 0;
    const int leaves = strstr(text, ".lock") || strstr(text, ".rec-");
    make_folder();
    while (at) {
        run_line(strsep(&at, "\n"));
        FUZZ_REQUIRE(leaves || !nftw(folder, is_leftover, 8, FTW_PHYS));
    }
    FUZZ_REQUIRE(!fchdir(start) && !nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS));
    return 0;
}
