#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/paths.h"
#include "base/text.h"
#include "run/run.h"
#include "view/draw/draw.h"

#define GOOD_MESSAGE_SECONDS 4.0
#define BAD_MESSAGE_SECONDS 10.0
#define FRESH_SECONDS 0.5 /* a number that is older names its iterate */
#define SOLVING_SECONDS 0.3 /* what is painted lags: it is told */
#define FIELD_SIZE sizeof((rec_bar_texts *)NULL)->field[0]

/* In pixels at a scale of 1. */
#define PADDING 5
#define GAP 16
#define WORD_GAP 4
#define LEADING 3 /* between the two lines */

enum { NAME, SIZE, SCENE, TONE, SOLVER,
       ITERATION, RATE, CHANGE, DISTANCE, PSNR, TIME, PACE, EVERY, FRAMES, LINES = 2 };
static const int first_of_line[LINES + 1] = {NAME, ITERATION, REC_BAR_FIELDS};

/* What is left out first when the window is narrow; the state and the name stay. */
static const int dispensable[] = {FRAMES, SOLVER, EVERY, TIME, PACE, TONE, SIZE, CHANGE,
                                  RATE, SCENE, PSNR, DISTANCE, ITERATION};

/* Grey levels: three digits, and none behind the point of a large number. */
static char *format_level(char text[32], double level)
{
    snprintf(text, 32, fabs(level) >= 99.95 ? "%.0f" : "%.3g", level);
    return text;
}

/* TAB separates the value from the text around it. */
#define SET(name, ...) snprintf(texts->field[name], FIELD_SIZE, __VA_ARGS__)

/* Measured now and then: a number of an older iterate is dimmed, and `at` names that. */
#define SET_MEASURED(name, title, value, unit, at) \
    SET(name, *(at) ? "%s %s at %s" : "%s\t%s\t%s", title, value, *(at) ? at : unit)

/* "AMD EPYC 9V74", "H200": without words that tell nothing. */
static void shorten_device(char *text, size_t size, const char *device)
{
    static const char *const noise[] = {"NVIDIA", "CPU", "Processor", "-Core"};
    char words[256], *rest = words;
    size_t used = 0;
    snprintf(words, sizeof words, "%.*s", (int)strcspn(device, "@,"), device);
    text[0] = '\0';
    for (char *word; (word = strsep(&rest, " "));) {
        word[strcspn(word, "(")] = '\0'; /* (R), (TM) */
        int is_noise = !*word;
        for (size_t i = 0; i < sizeof noise / sizeof *noise; i++)
            is_noise |= strstr(word, noise[i]) != NULL;
        if (!is_noise && used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? " " : "", word);
    }
}

/* How the picture is shown. */
static void write_view(rec_bar_texts *texts, const rec_view_state *state, const rec_wanted *wanted)
{
    const int is_picture = rec_scenes[wanted->scene].layer == REC_LAYER_PICTURE;
    const int is_auto = wanted->tone == REC_TONE_AUTO && is_picture;
    const rec_tone tone = wanted->tone == REC_TONE_AUTO ? REC_TONE_CLAMP : wanted->tone;
    const double percent = 100 * rec_viewport_scale(&wanted->viewport, state->size);
    const double half = 127.5 / (double)wanted->contrast, middle = 127.5 - (double)wanted->shift;
    char more[64] = "", memory[32] = "", count[24] = "", device[sizeof state->info.costs.device];
    char number[32], from[40] = "";
    int used = 0;
    SET(SIZE, percent < 9.95 ? "\t%zu x %zu\tat %.2g%%" : "\t%zu x %zu\tat %.0f%%",
        state->size.width, state->size.height, percent);
    if (wanted->scene != REC_SCENE_PICTURE)
        SET(SCENE, "\t%s",
            state->of_limit && wanted->scene == REC_SCENE_DIFFERENCE ? "difference from the limit"
            : state->painted ? rec_scenes[wanted->scene].painted
            : state->plain ? rec_scenes[wanted->scene].plain
                           : rec_scenes[wanted->scene].name);
    if (wanted->shift != 0)
        used = snprintf(more, sizeof more, " %.3g to %.3g", middle - half, middle + half);
    else if (wanted->contrast != 1)
        used = snprintf(more, sizeof more, "  contrast %.3g", (double)wanted->contrast);
    if (wanted->gamma != 1)
        snprintf(more + used, sizeof more - (size_t)used, "  gamma %.3g", wanted->gamma);
    if (is_auto && state->numbers.fitted)
        SET(TONE, "contrast:\tfitted%s", more);
    else if (is_auto && !(state->exact && !more[0]))
        SET(TONE, "contrast:\t0-%u%s", state->numbers.levels.white, more);
    else if (tone != REC_TONE_CLAMP || more[0])
        SET(TONE, "\t%s%s", rec_tone_names[tone], more);
    if (state->exact) /* how is no matter to who paints */
        return;
    if (state->info.costs.device_bytes)
        rec_format_bytes(memory, (double)state->info.costs.device_bytes);
    shorten_device(device, sizeof device, state->info.costs.device);
    if (state->info.devices > 1)
        snprintf(count, sizeof count, "%zu x ", state->info.devices);
    if (state->run.handover)
        snprintf(from, sizeof from, " from %s", rec_format_count(number, state->run.handover));
    SET(SOLVER, "\t%s%s/%s%s\t%s%.28s%s%s", *from ? "cpu, then " : "", state->info.solver,
        state->info.kernel, from, count, device, *memory ? ", " : "", memory);
}

/* Iterations a second; NaN before it is known. */
static double speed_of(const rec_view_state *state)
{
    const double samples = (double)(state->size.width * state->size.height * state->planes);
    return state->run.updates_per_second / samples;
}

double rec_bar_seconds_left(const rec_view_state *state)
{
    const double done = (double)state->run.iterations, end = state->numbers.end;
    return state->phase != REC_PHASE_ITERATING || !(done > 0) || end <= done
               ? 0
               : fmax(state->numbers.pace * log10(end / done), (end - done) / speed_of(state));
}

/* While it iterates; at the limit there is nothing to do. */
static void write_rates(rec_bar_texts *texts, const rec_view_state *state)
{
    const uint64_t iterations = state->run.iterations;
    /* The time to ten times as many: that of the pace, if the solver can keep it. */
    const double pace = state->numbers.pace, fastest = 9 * (double)iterations / speed_of(state);
    const int kept = pace > 0 && !(fastest > pace);
    char number[32], seconds[32];
    SET(ITERATION, "\t%s\titeration%s", rec_format_count(number, iterations),
        rec_plural(iterations));
    if (isnan(state->run.updates_per_second)) /* it took one step */
        return;
    snprintf(seconds, sizeof seconds, fmax(pace, fastest) < 99.5 ? "%.2g s" : "%.0f s",
             fmax(pace, fastest));
    if (state->phase != REC_PHASE_STOPPED && kept)
        SET(PACE, "x10 iterations every\t%s\t", seconds);
    else if (state->phase != REC_PHASE_STOPPED && fastest > 0)
        SET(PACE, "full speed: x10 every\t%s\ton this %s", seconds,
            state->info.costs.device_bytes ? "GPU" : "processor");
    rec_format_count(number, state->every);
    if (state->every_is_automatic)
        SET(EVERY, "\t%s\titeration%s a picture", number, rec_plural(state->every));
    else
        SET(EVERY, "K\t%s\t", number);
}

static void write_numbers(rec_bar_texts *texts, const rec_view_state *state, const char *at)
{
    const rec_numbers *numbers = &state->numbers;
    const double seconds = state->run.seconds.iterate, change = state->run.look.change_rms;
    const double rate = state->run.updates_per_second;
    char number[32];
    if (rate > 0)
        SET(RATE, "\t%s\tupdates/s", rec_format_rate(number, rate));
    if (!isnan(change))
        SET(CHANGE, "change\t%s", format_level(number, change));
    if (numbers->history.measured || numbers->distance <= 255) /* above it a bound says nothing */
        SET_MEASURED(DISTANCE, numbers->history.measured ? "distance" : "distance <=",
                     format_level(number, numbers->distance), "", at);
    if (seconds < 60)
        SET(TIME, "\t%.1f\ts", seconds);
    else if (seconds > 0)
        SET(TIME, "\t%s", rec_format_seconds(number, seconds));
}

/* What is painted, with what, and from where it is filled. */
static void write_painting(rec_bar_texts *texts, const rec_view_state *state, double radius)
{
    const int clones = state->painted == REC_EDIT_CLONE;
    char number[32];
    SET(ITERATION, "mask\t%s\tpixels", rec_format_count(number, state->unknown));
    if (!clones && radius < 0)
        SET(RATE, "\tlasso");
    else if (!clones)
        SET(RATE, "brush\t%.0f\twide", 2 * radius + 1);
    if (state->rule)
        SET(CHANGE, "%s\t%s", clones ? "gradients" : "fill", state->rule);
    if (clones)
        SET(DISTANCE, "at\t%td, %td", -state->edit.x, -state->edit.y);
    else if (state->edit.aims)
        SET(DISTANCE, "the next stroke\tfrom the cross");
    else if (state->edit.x || state->edit.y)
        SET(DISTANCE, "from\t%+td, %+td", state->edit.x, state->edit.y);
}

static void write_fields(rec_bar_texts *texts, const rec_view_state *state,
                         const rec_wanted *wanted, double frame_rate, double now)
{
    const rec_numbers *numbers = &state->numbers;
    const int jumped = state->phase == REC_PHASE_JUMPED;
    const size_t pixels = state->size.width * state->size.height;
    char number[32], several[48] = "", at[32] = "";
    if (state->phase == REC_PHASE_EMPTY)
        return;
    if (state->inputs > 1)
        snprintf(several, sizeof several, "%zu/%zu", state->index + 1, state->inputs);
    SET(NAME, state->phase == REC_PHASE_LOADING ? "%.160s\t\t%s" : "\t%.160s\t%s",
        rec_path_name(rec_input_name(state->name)), several); /* dim beside another picture */
    if (!rec_phase_is_open(state->phase))
        return;
    write_view(texts, state, wanted);
    if (state->exact) {
        write_painting(texts, state, wanted->radius);
        return;
    }
    if (!jumped && state->run.iterations != numbers->measured_at &&
        now - numbers->measured_time > FRESH_SECONDS)
        rec_format_count(at, numbers->measured_at);
    snprintf(number, sizeof number, "%.4g", numbers->psnr);
    if (!isnan(numbers->psnr) && (size_t)numbers->equal != pixels) /* else all is said */
        SET_MEASURED(PSNR, "PSNR", number, "dB", at);
    if (frame_rate > 0)
        SET(FRAMES, "\t%.0f\tfps", frame_rate);
    if (!jumped)
        write_numbers(texts, state, at);
    if (jumped ? state->jump == REC_LIMIT_ITERATION : state->run.stop == REC_STOP_LIMIT)
        SET(ITERATION, "\tlimit");
    else if (jumped)
        SET(ITERATION, "iterate\t%s\t(jump)", rec_format_count(number, state->jump));
    else
        write_rates(texts, state);
}

/* What an end came to: beside the original where there is one. */
static void write_end(char *text, size_t size, const rec_view_state *state)
{
    static const char *const ends[REC_STOP_DIVERGED + 1] = {
        [REC_STOP_NONE] = "", [REC_STOP_SIGNAL] = "stopped",
        [REC_STOP_ITERATIONS] = "finished: all iterations are done",
        [REC_STOP_TOLERANCE] = "finished: within the tolerance",
        [REC_STOP_STANDSTILL] = "finished: nothing changes any more",
        [REC_STOP_DIVERGED] = "diverged",
        [REC_STOP_LIMIT] = "finished: the exact picture",
    };
    const double equal = state->numbers.equal;
    const size_t pixels = state->size.width * state->size.height;
    const rec_stop stop = state->phase == REC_PHASE_JUMPED ? REC_STOP_LIMIT : state->run.stop;
    const int done = state->run.iterations || stop != REC_STOP_ITERATIONS;
    char all[32], some[48] = "all ";
    if (!isnan(equal) && (size_t)equal != pixels)
        strcat(rec_format_count(some, (uint64_t)equal), " of ");
    if (!isnan(equal))
        snprintf(text, size, "%s%s%s pixels %s", done ? "finished: " : "", some,
                 rec_format_count(all, pixels), done ? "equal the original" : "are equal");
    else if (stop == REC_STOP_STANDSTILL && state->run.look.alternating)
        snprintf(text, size, "finished: pixels alternate between two values");
    else
        snprintf(text, size, "%s", ends[stop]);
}

static void write_state(rec_bar_texts *texts, const rec_view_state *state, int lags)
{
    static const char *const phases[REC_PHASE_LEFT + 1] = {
        [REC_PHASE_LOADING] = "loading ...", [REC_PHASE_PREPARING] = "transforming ...",
        [REC_PHASE_PAUSED] = "paused",       [REC_PHASE_FAILED] = "failed",
        [REC_PHASE_LEAVING] = "leaving ...", [REC_PHASE_LEFT] = "leaving ...",
    };
    const int ended = state->phase == REC_PHASE_STOPPED ||
                      (state->phase == REC_PHASE_JUMPED && state->jump == REC_LIMIT_ITERATION);
    const int diverged = state->phase == REC_PHASE_STOPPED && state->run.stop == REC_STOP_DIVERGED;
    const int unsaved = ended && state->exact && state->unsaved;
    if (state->exact && (ended || lags))
        snprintf(texts->state, sizeof texts->state, "%s",
                 lags             ? "solving ..."
                 : unsaved        ? "not saved"
                 : state->unknown ? "done"
                                  : "ready");
    else if (ended)
        write_end(texts->state, sizeof texts->state, state);
    else if (phases[state->phase])
        snprintf(texts->state, sizeof texts->state, "%s", phases[state->phase]);
    texts->state_color = diverged || state->phase == REC_PHASE_FAILED ? rec_colors.red
                         : unsaved || state->phase == REC_PHASE_PAUSED ? rec_colors.amber
                         : ended ? rec_colors.green : rec_colors.calm;
}

int rec_bar_update(rec_bar *bar, const rec_view_state *state, const rec_wanted *wanted,
                   double frame_rate, double now)
{
    rec_bar_texts texts;
    memset(&texts, 0, sizeof texts); /* it is compared as a whole */
    write_fields(&texts, state, wanted, frame_rate, now);
    const int fills = state->exact && state->phase == REC_PHASE_ITERATING;
    bar->solving_since = !fills ? now : fmin(bar->solving_since, now);
    const int lags = now - bar->solving_since > SOLVING_SECONDS;
    write_state(&texts, state, lags);
    if (fills && !lags) { /* it does not flicker */
        memcpy(texts.state, bar->now.state, sizeof texts.state);
        texts.state_color = bar->now.state_color;
    }
    /* A message stays for a while, a doubt about the input as long as that is open. */
    if (bar->messages != state->messages)
        bar->message_until = now +
                             (state->message_is_bad ? BAD_MESSAGE_SECONDS : GOOD_MESSAGE_SECONDS);
    bar->messages = state->messages;
    const int tells = bar->prompt || (now < bar->message_until && *state->message);
    texts.message_is_bad = tells ? state->message_is_bad : *state->doubt != '\0';
    snprintf(texts.message, sizeof texts.message, bar->prompt ? "open: %s_" : "%s",
             bar->prompt ? bar->prompt : tells ? state->message : state->doubt);
    const int changed = memcmp(&texts, &bar->now, sizeof texts) != 0;
    if (strcmp(texts.field[NAME], bar->now.field[NAME]))
        memset(bar->slot, 0, sizeof bar->slot);
    bar->now = texts;
    return changed;
}

int rec_bar_height(const rec_canvas *canvas)
{
    return LINES * canvas->line + (2 * PADDING + 1 + (LINES - 1) * LEADING) * canvas->scale;
}

/* Draws a field, or with draw = 0 only measures it; returns its width. */
static int draw_field(const char *field, const rec_canvas *canvas, int x, int y, int draw)
{
    char parts[FIELD_SIZE], *rest = parts;
    const int begin = x;
    snprintf(parts, sizeof parts, "%s", field);
    for (int i = 0; rest; i++) {
        const char *part = strsep(&rest, "\t");
        if (!*part)
            continue;
        if (x > begin)
            x += WORD_GAP * canvas->scale;
        if (draw)
            rec_text_draw(canvas, REC_LEFT, x, y, i == 1 ? rec_colors.bright : rec_colors.dim,
                          part);
        x += rec_text_width(canvas, part);
    }
    return x - begin;
}

/* Draws the fields of a line that have room in `width`; a name that has none is cut. */
static void draw_fields(rec_bar *bar, int line, const rec_canvas *canvas, int x, int y, int width)
{
    const int gap = GAP * canvas->scale;
    const int first = first_of_line[line], last = first_of_line[line + 1];
    int used = 0, left_out[REC_BAR_FIELDS] = {0};
    for (int i = first; i < last; i++) {
        const int wide = draw_field(bar->now.field[i], canvas, 0, 0, 0);
        bar->slot[i] = SDL_max(wide, bar->slot[i]);
        left_out[i] = !wide;
        used += wide ? bar->slot[i] + gap : 0;
    }
    for (size_t i = 0; i < sizeof dispensable / sizeof *dispensable && used - gap > width; i++) {
        const int victim = dispensable[i];
        if (victim < first || victim >= last || left_out[victim])
            continue;
        used -= bar->slot[victim] + gap;
        left_out[victim] = 1;
    }
    const SDL_Rect room = {0, y, SDL_max(x + width, 1), canvas->line};
    sdl.RenderSetClipRect(canvas->renderer, &room);
    for (int i = first; i < last; i++) {
        if (left_out[i])
            continue;
        draw_field(bar->now.field[i], canvas, x, y, 1);
        x += bar->slot[i] + gap;
    }
    sdl.RenderSetClipRect(canvas->renderer, NULL);
}

void rec_bar_draw(rec_bar *bar, const rec_canvas *canvas, const char *hint)
{
    const int scale = canvas->scale, top = canvas->height - rec_bar_height(canvas);
    const int upper = top + (PADDING + 1) * scale;
    const int lower = upper + canvas->line + LEADING * scale;
    const int left = REC_MARGIN * scale, right = canvas->width - left;
    const char *const message = bar->now.message, *const state = bar->now.state;
    const int taken = *state ? rec_text_width(canvas, state) + GAP * scale : 0;
    const int room = SDL_max(right - left - taken, 0);
    if (bar->scale != scale)
        memset(bar->slot, 0, sizeof bar->slot);
    bar->scale = scale;
    rec_strip_draw(canvas, top, rec_bar_height(canvas));
    rec_text_draw(canvas, REC_RIGHT, right, upper, bar->now.state_color, state);
    if (*message) { /* on both lines if it is too long for one, and cut where their room ends */
        const SDL_Rect lines = {left, upper, room, 2 * canvas->line};
        sdl.RenderSetClipRect(canvas->renderer, &lines);
        rec_text_paragraph(canvas, left, upper, room,
                           bar->now.message_is_bad ? rec_colors.red : rec_colors.bright, message,
                           1);
        sdl.RenderSetClipRect(canvas->renderer, NULL);
    } else {
        draw_fields(bar, 0, canvas, left, upper, room);
    }
    if (rec_text_width(canvas, message) > room)
        return;
    hint = rec_text_fit(canvas, hint, right - left);
    rec_text_draw(canvas, REC_RIGHT, right, lower, rec_colors.dim, hint);
    draw_fields(bar, 1, canvas, left, lower,
                right - left - rec_text_width(canvas, hint) - GAP * scale);
}
