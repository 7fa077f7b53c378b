/* The table says which options decide the iterate, and which the output. Two hashes of the settings
 * must agree: the identity of a checkpoint changes with the former, that of a journal's lines with
 * both, and neither changes with any other option. */
#include "base/text.h"
#include "commands/commands.h"
#include "job/job.h"
#include "tests/unit/problems.h"

#define OUT "--headless -o o.pgm "
#define FIVE OUT "-n 5 "
#define CLONES "clone " FIVE "--mask m.pgm a.pgm "
#define STENCIL FIVE "-s cpu --stencil "

/* Two command lines that differ in one option. */
typedef struct pair {
    option_id id;
    const char *both, *one, *other;
} pair;

static const pair pairs[] = {
    {OPTION_HEADLESS, "-n 5 -o o.pgm", "--headless", ""},
    {OPTION_PICTURE, FIVE, "--picture", ""},
    {OPTION_ITERATIONS, OUT, "-n 5", "-n 6"},
    {OPTION_TOLERANCE, OUT "-s cpu", "-t 1", "-t 2"},
    {OPTION_EVERY, OUT "-s cpu -t 1", "-k 10", "-k 20"},
    {OPTION_EVERY, FIVE "-s cpu --frames f", "-k 10", "-k 20"},
    {OPTION_PACE, "-n 5 -o o.pgm", "--pace 3", "--pace max"},
    {OPTION_OUTPUT, "--headless -n 5", "-o o.pgm", "-o p.pgm"},
    {OPTION_MASK, FIVE "--onto a.pgm", "--mask m.pgm", "--mask n.pgm"},
    {OPTION_ONTO, FIVE "--mask m.pgm", "--onto a.pgm", "--onto b.pgm"},
    {OPTION_FROM, "heal " FIVE "--mask m.pgm", "--from 3,4", ""},
    {OPTION_FROM, "heal " FIVE "--mask m.pgm", "--from 3,4", "--from none"},
    {OPTION_GROW, "heal " FIVE "--mask m.pgm", "--grow 1", ""},
    {OPTION_AT, CLONES, "--at 3,4", ""},
    {OPTION_GRADIENT, CLONES "--at 1,0", "--gradient average", ""},
    {OPTION_KEEP, "heal " OUT "--mask m.pgm --from 3,4", "--keep 20", ""},
    {OPTION_KEEP, "heal " OUT "--mask m.pgm --from 3,4", "--keep 20", "--keep 30"},
    {OPTION_WHITE, CLONES "--at 1,0", "--white 1", ""},
    {OPTION_SOLVER, FIVE, "-s spectral", "-s cpu"},
    {OPTION_KERNEL, "convolve " FIVE "-s cpu --stencil box", "--kernel separable", ""},
    {OPTION_DEVICE, OUT "-s spectral", "--device 0", ""},
    {OPTION_SLABS, FIVE "-s cpu", "--slabs 2", ""},
    {OPTION_START, FIVE, "--start 3", ""},
    {OPTION_START, FIVE, "--start 3", "--start 4"},
    {OPTION_START, FIVE, "--start a.pgm", "--start b.pgm"},
    {OPTION_HALO, FIVE, "--halo 1", ""},
    {OPTION_BOUNDARY, FIVE, "--boundary mirror", "--boundary wrap"},
    {OPTION_STENCIL, STENCIL, "laplace8", "laplace9"},
    {OPTION_STENCIL, "convolve " FIVE "--stencil box", "--stencil sharpen", ""},
    {OPTION_OMEGA, STENCIL "laplace8", "--omega 0.5", "--omega 0.25"},
    {OPTION_OMEGA, OUT "-s spectral --frames f --frames-at 5 --stencil laplace8", "--omega 1", ""},
    {OPTION_FORCE, STENCIL "laplace8", "--force", ""},
    {OPTION_WIDTH, STENCIL "binomial", "--width 2", "--width 1"},
    {OPTION_NORMALISE, "convolve " STENCIL "weights", "--normalise", ""},
    {OPTION_FLIP, "convolve " STENCIL "weights", "--flip", ""},
    {OPTION_MEAN, OUT "-s spectral --boundary wrap", "--mean 5", "--mean 6"},
    {OPTION_BALANCE, FIVE "--boundary wrap", "--balance", ""},
    {OPTION_ZERO_LEVEL, FIVE, "--zero-level 0", ""},
    {OPTION_ZERO_LEVEL, FIVE, "--zero-level 0", "--zero-level 1"},
    {OPTION_TONE, FIVE, "--tone stretch", ""},
    {OPTION_MAXVAL, FIVE, "--maxval 100", ""},
    {OPTION_MAXVAL, "heal " FIVE "--mask m.pgm", "--maxval 255", ""},
    {OPTION_FORMAT, FIVE, "--format pfm", ""},
    {OPTION_COMPARE, FIVE "-s cpu", "--compare", ""},
    {OPTION_COMPARE, FIVE "-s cpu", "--compare spectral", "--compare"},
    {OPTION_MAX_DIFFERENCE, FIVE "--compare", "--max-difference 1", ""},
    {OPTION_REFERENCE, FIVE, "--reference a.pgm", ""},
    {OPTION_REFERENCE, FIVE, "--reference d", "--reference e"},
    {OPTION_FRAMES, FIVE "-s cpu", "--frames f", "--frames g"},
    {OPTION_FRAMES_AT, OUT "-s spectral --frames f", "--frames-at 1", "--frames-at 1,2"},
    {OPTION_FRAMES_LOG, FIVE "-s cpu -k 10 --frames f", "--frames-log", ""},
    {OPTION_CHECKPOINT, FIVE, "--checkpoint c", ""},
    {OPTION_CHECKPOINT_EVERY, FIVE "--checkpoint c", "--checkpoint-every 5", ""},
    {OPTION_REPORT, FIVE, "--report r.jsonl", ""},
    {OPTION_FILES_FROM, "--headless -n 5 -o o/", "--files-from l", ""},
    {OPTION_NULL, "--headless -n 5 -o o/ --files-from l", "--null", ""},
    {OPTION_SHARD, FIVE, "--shard 0/2", ""},
    {OPTION_OUTPUT_DIR, "--headless -n 5", "--output-dir o", "--output-dir p"},
    {OPTION_PARENTS, FIVE, "--parents", ""},
    {OPTION_RESUME, FIVE "--report r.jsonl", "--resume", ""},
    {OPTION_JOBS, FIVE, "--jobs 2", ""},
    {OPTION_QUIET, FIVE, "-q", ""},
    {OPTION_HELP, FIVE, "--help", ""},
    {OPTION_VERSION, FIVE, "--version", ""},
};

/* Values of options that decide something and these do not: all stencil solvers have the same bits,
 * and iterations between looks matter only where a look stops or writes. */
static const pair alike[] = {
    {OPTION_EVERY, FIVE "-s cpu", "-k 10", "-k 20"},
    {OPTION_SOLVER, FIVE, "-s reference", "-s cpu"},
    {OPTION_KERNEL, "convolve " FIVE "-s cpu --stencil box", "--kernel base", ""},
};

typedef struct hashes {
    uint64_t iterate, output;
    int there; /* 0: this build has no such solver */
} hashes;

/* At its blanks. */
static int split(char *text, char **argv)
{
    int argc = 0;
    for (char *word; (word = strsep(&text, " "));)
        if (*word)
            argv[argc++] = word;
    return argc;
}

static hashes hash(const char *both, const char *value)
{
    char text[512], input[] = "in.pgm", *argv[32] = {NULL};
    char *const inputs[] = {input};
    hashes made = {0};
    rec_error failure = {0};
    command_line line;
    rec_settings settings;
    rec_jobs jobs;
    rec_job *job;
    snprintf(text, sizeof text, "run %s %s %s", both, value,
             strstr(both, "--files-from") || strstr(value, "--files-from") ? "" : input);
    const int argc = split(text, argv);
    const command_id id = command_find(argv[1]);
    const int named = id < COMMANDS;
    SUCCEEDS(command_line_parse(&line, named ? id : COMMAND_RUN, argc - named, argv + named,
                                &error));
    if (id == COMMAND_CLONE) {
        line.source = *line.operands++;
        line.operand_count--;
    }
    const rec_status status = settings_parse(&settings, &line, &failure);
    if (status == REC_UNAVAILABLE)
        return made;
    assert_succeeded(status, &failure);
    if (!settings.list && !settings.checkpoint) /* whose identity that of an iterate is */
        settings.checkpoint = "kept";
    SUCCEEDS(rec_jobs_make(&jobs, &settings, inputs, 1, &error));
    SUCCEEDS(rec_jobs_create_job(&jobs, 0, &job, &error));
    SUCCEEDS(rec_job_load(job, &error));
    SUCCEEDS(rec_job_set_problem(job, &error));
    made = (hashes){rec_job_identify(job), rec_settings_hash(&settings), 1};
    rec_job_destroy(job);
    rec_jobs_destroy(&jobs);
    settings_destroy(&settings);
    return made;
}

static void check(const pair *row, unsigned expected)
{
    const hashes one = hash(row->both, row->one), other = hash(row->both, row->other);
    const unsigned changed = (one.iterate != other.iterate ? DECIDES_ITERATE : 0) |
                             (one.output != other.output ? DECIDES_OUTPUT : 0);
    if (one.there && other.there && changed != expected)
        fail_msg("--%s decides %u: %s [%s] [%s]", option_table[row->id].name, changed, row->both,
                 row->one, row->other);
}

TEST_IN_FOLDER(the_table_says_what_changes_an_identity)
{
    static const char *const names[] = {"in.pgm", "a.pgm", "b.pgm", "d/in.pgm", "e/in.pgm"};
    enum { HEADER = 15, PIXELS = 64 * 64 };
    solver_or_skip("spectral"); /* some rows are about it */
    uint8_t file[HEADER + 2 * PIXELS] = "P5 64 64 65535\n"; /* edges of -32767, 32767, ... */
    for (size_t i = 0; i < PIXELS; i++) {
        file[HEADER + 2 * i] = i & 1 ? 255 : 0;
        file[HEADER + 2 * i + 1] = i & 1 ? 255 : 1;
    }
    assert_int_equal(chdir(*state) | mkdir("d", 0777) | mkdir("e", 0777), 0);
    write_bytes("weights", "3 1\n1 2 3\n", 10);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        file[HEADER + 1]++; /* their sum may be balanced, and need not be */
        write_bytes(names[i], file, sizeof file);
    }
    uint8_t mask[HEADER - 2 + PIXELS] = "P5 64 64 255\n";
    for (size_t i = 0; i < 2; i++) {
        mask[HEADER - 2 + 64 * 20 + 30 + i] = 255;
        write_bytes(i ? "n.pgm" : "m.pgm", mask, sizeof mask);
    }
    unsigned char tried[OPTIONS] = {0};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++, tried[pairs[i - 1].id] = 1)
        check(&pairs[i], option_table[pairs[i].id].decides);
    for (size_t i = 0; i < sizeof alike / sizeof *alike; i++)
        check(&alike[i], 0);
    for (size_t i = 0; i < OPTIONS; i++)
        if (!tried[i] && option_table[i].commands & (1u << COMMAND_RUN | 1u << COMMAND_CONVOLVE |
                                                     1u << COMMAND_HEAL | 1u << COMMAND_CLONE))
            fail_msg("--%s needs a row of this test", option_table[i].name);
        else if (!tried[i])
            assert_int_equal(option_table[i].decides, 0);
}

static rec_settings parse(const char *options)
{
    static char text[512];
    char *argv[32] = {NULL};
    static command_line line; /* the settings point to its texts */
    rec_settings settings;
    snprintf(text, sizeof text, "run %s in.pgm", options);
    SUCCEEDS(command_line_parse(&line, COMMAND_RUN, split(text, argv), argv, &error));
    SUCCEEDS(settings_parse(&settings, &line, &error));
    return settings;
}

TEST(a_value_goes_into_the_member_that_its_row_names)
{
    REC_OWNED(settings_destroy)
    rec_settings made = parse("--pace 3 --maxval 1000 --halo 2.5 --boundary halo -n 7 "
                              "--boundary wrap --boundary halo --reference r.pgm -n 5");
    assert_true(made.pace == 3 && made.run.problem.boundary.value == 2.5f);
    assert_true(made.writing.maxval == 1000 && made.run.iterations == 5 && !made.output);
    assert_string_equal(made.original, "r.pgm");
}

TEST(pace_may_be_a_word_and_is_full_speed_beside_a_check_interval)
{
    static const struct {
        const char *options;
        double pace;
    } rows[] = {{"", REC_PACE_USUAL}, {"-k 5", 0}, {"-k 5 --pace 2", 2}, {"--pace max", 0},
                {"--pace 2 --pace max", 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        REC_OWNED(settings_destroy) rec_settings made = parse(rows[i].options);
        assert_true(made.pace == rows[i].pace);
    }
}

/* The end of a range is the number as typed: exp and log would miss one of 16 digits. */
TEST(a_range_of_frames_ends_where_it_says)
{
    rec_settings settings = {0};
    SUCCEEDS(frames_at_parse(&settings, "3..9007199254740991:7,limit", &error));
    assert_int_equal(settings.frames_count, 8);
    assert_int_equal(settings.frames_at[0], 3);
    assert_int_equal(settings.frames_at[6], 9007199254740991);
    assert_true(settings.frames_at[7] == REC_LIMIT_ITERATION);
    free(settings.frames_at);
}

TEST(digits_stand_in_groups_of_three_from_the_right)
{
    char text[32];
    assert_string_equal(rec_format_count(text, 999), "999");
    assert_string_equal(rec_format_count(text, 4100), "4 100");
    assert_string_equal(rec_format_count(text, 12345678), "12 345 678");
}
