/* What a run tells: its report, rates and time left for people, and how a second signal ends it. */
#include <time.h>

#include "base/text.h"
#include "run/progress.h"
#include "run/report.h"
#include "run/signals.h"
#include "tests/unit/support.h"

static char *text_of(const rec_report *report)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    rec_report_write(stream, report);
    fclose(stream);
    return text;
}

TEST(a_report_is_json_whatever_the_names)
{
    rec_report report = {
        .input = "a\"b\\c\n\xff\xc3\xa9.pgm",
        .width = 3, .height = 2, .planes = 1,
        .info = {.solver = "cpu", .kernel = "base", .costs.device = "x"},
        .state = {.iterations = 5, .stop = REC_STOP_ITERATIONS,
                  .look = {.change_rms = NAN, .change_max = 0.1 + 0.2, .distance_rms = INFINITY,
                           .distance_max = 0.25}},
    };
    owned_text *text = text_of(&report);
    assert_non_null(strstr(text, "{\"input\": \"a\\\"b\\\\c\\u000a\\ufffd\xc3\xa9.pgm\", "));
    assert_non_null(strstr(text, "\"change_rms\": null"));
    assert_non_null(strstr(text, "\"change_max\": 0.30000000000000004"));
    assert_non_null(strstr(text, "\"distance_rms\": null, \"distance_max\": 0.25"));
    assert_non_null(strstr(text, "\"stopped\": \"iterations\""));
    assert_null(strstr(text, "comparison"));
    assert_non_null(strstr(text, "\"jumped\": null"));
    assert_string_equal(text + strlen(text) - 2, "}\n");

    const struct { uint64_t to; const char *expected; } jumps[] = {
        {0, "\"jumped\": 0,"}, {123456789, "\"jumped\": 123456789,"},
        {REC_LIMIT_ITERATION, "\"jumped\": \"limit\","}};
    for (size_t i = 0; i < sizeof jumps / sizeof *jumps; i++) {
        report.state.jumped = 1;
        report.state.jumped_to = jumps[i].to;
        owned_text *jumped = text_of(&report);
        assert_non_null(strstr(jumped, jumps[i].expected));
    }
}

TEST(rates_are_written_for_people)
{
    char text[32];
    assert_string_equal(rec_format_rate(text, 0), "0.00");
    assert_string_equal(rec_format_rate(text, 999.4), "999");
    assert_string_equal(rec_format_rate(text, 999.6), "1.00 k");
    assert_string_equal(rec_format_rate(text, 4.155e12), "4.16 T");
}

/* ---- progress ---- */

/* After 300 of 900 iterations in half a minute, those of the checkpoint apart, a minute is left. */
TEST(time_left_is_by_what_was_done_here)
{
    owned_text *text = NULL;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    assert_non_null(stream);
    rec_progress progress = rec_progress_begin(stream, 0);
    rec_progress_next(&progress, "e.pgm", 1000, 0);
    rec_run_state now = {.iterations = 100, .updates_per_second = 1e9};
    rec_progress_update(&progress, &now);
    progress.begin -= 30;
    progress.last -= 30;
    now.iterations = 400;
    rec_progress_update(&progress, &now);
    rec_progress_end(&progress);
    fclose(stream);
    assert_string_equal(text, "e.pgm: 400 of 1000 iterations, 1.00 G updates/s, 1:00 left\n");
}

/* The same signal a second later is somebody who will not wait; but for the one that the system
 * repeats. */
static int repeat_signal(void *context)
{
    const int number = *(const int *)context;
    signal(number, SIG_DFL);
    rec_signals_install();
    raise(number);
    raise(number); /* at once: timeout(1) signals a process and its group */
    if (rec_signal_received != number)
        return 99;
    nanosleep(&(struct timespec){1, 100000000}, NULL);
    raise(number);
    return 7;
}

TEST(a_second_later_a_signal_kills)
{
    assert_int_equal(in_child(repeat_signal, &(int){SIGTERM}), -SIGTERM);
    assert_int_equal(in_child(repeat_signal, &(int){SIGHUP}), -SIGHUP);
    assert_int_equal(in_child(repeat_signal, &(int){SIGXCPU}), 7);
}
