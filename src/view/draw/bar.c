#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "run/progress.h"
#include "view/draw/draw.h"

#define GOOD_MESSAGE_SECONDS 4.0
#define BAD_MESSAGE_SECONDS 10.0
#define FRESH_SECONDS 0.5 /* a number that is older names its iterate */
#define WHITE 255.0       /* grey levels */

/* In the window's own pixels, to be scaled as the text is. */
#define PADDING 5
#define GAP 16
#define WORD_GAP 4
#define LEADING 3 /* between the two lines */

enum { NAME, SIZE, SCENE, TONE, SOLVER,
       ITERATION, RATE, CHANGE, DISTANCE, PSNR, TIME, PACE, EVERY, FRAMES };
enum { LINES = 2 };
static const int first_of_line[LINES + 1] = {NAME, ITERATION, REC_BAR_FIELDS};

static const char *const usual_hint = "h help";
static const char *const jump_hint = "Space continues   Esc returns   h help";

/* What is left out first when the window is narrow; the iteration and the state stay. */
static const int dispensable[] = {FRAMES, SOLVER, EVERY, TIME, PACE, TONE, SIZE, CHANGE,
                                  RATE, SCENE, PSNR, NAME, DISTANCE};

const char *rec_bar_name(const char *input)
{
    const char *slash = strrchr(input, '/');
    return !strcmp(input, "-") ? "standard input" : slash && slash[1] ? slash + 1 : input;
}

/* "12 345 678" */
static void format_count(char *text, size_t size, uint64_t count)
{
    char digits[24];
    const int length = snprintf(digits, sizeof digits, "%" PRIu64, count);
    size_t used = 0;
    for (int i = 0; i < length && used + 2 < size; i++) {
        if (i && (length - i) % 3 == 0)
            text[used++] = ' ';
        text[used++] = digits[i];
    }
    text[used] = '\0';
}

/* Grey levels: three digits, and none behind the point of a large number. */
static void format_level(char *text, size_t size, double level)
{
    snprintf(text, size, fabs(level) >= 99.95 ? "%.0f" : "%.3g", level);
}

__attribute__((format(printf, 4, 5)))
static void set_field(rec_bar_field *field, const char *before, const char *after,
                      const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(field->value, sizeof field->value, format, arguments);
    va_end(arguments);
    field->stale = 0;
    snprintf(field->before, sizeof field->before, "%s", before);
    snprintf(field->after, sizeof field->after, "%s", after);
}

/* "AMD EPYC 9V74", "H200": what is said anyway, or by nobody, is left out. */
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

/* The iterate in place of the numbers of the run, which are another one's. */
static void write_iterate(rec_bar_field *field, uint64_t iteration, const char *after)
{
    char number[32];
    format_count(number, sizeof number, iteration);
    if (iteration == REC_LIMIT_ITERATION)
        set_field(field, "", "", "limit");
    else
        set_field(field, "iterate", after, "%s", number);
}

/* How the picture is shown. */
static void write_view(rec_bar_field *field, const rec_view_state *state, const rec_bar_view *view)
{
    const rec_wanted *wanted = view->wanted;
    const int is_picture =
        wanted->scene == REC_SCENE_PICTURE || wanted->scene == REC_SCENE_SIDES;
    const int is_auto = wanted->tone_auto && is_picture;
    const rec_tone tone = is_auto ? state->numbers.tone : wanted->tone;
    const double percent = 100 * view->scale, half = 127.5 / (double)wanted->contrast;
    char more[64] = "";
    int used = 0;
    set_field(&field[SIZE], "", "", "%zu x %zu", state->size.width, state->size.height);
    snprintf(field[SIZE].after, sizeof field[SIZE].after,
             percent < 9.95 ? "at %.2g%%" : "at %.0f%%", percent);
    if (wanted->scene != REC_SCENE_PICTURE)
        set_field(&field[SCENE], "", "", "%s", rec_scenes[wanted->scene].name);
    if (wanted->shift != 0)
        used = snprintf(more, sizeof more, " %.3g to %.3g", 127.5 - (double)wanted->shift - half,
                        127.5 - (double)wanted->shift + half);
    else if (wanted->contrast != 1)
        used = snprintf(more, sizeof more, "  contrast %.3g", (double)wanted->contrast);
    if (wanted->gamma != 1)
        snprintf(more + used, sizeof more - (size_t)used, "  gamma %.3g", wanted->gamma);
    if (is_auto || tone != REC_TONE_CLAMP || more[0])
        set_field(&field[TONE], "", is_auto ? "(auto)" : "", "%s%s", rec_tone_names[tone], more);
    set_field(&field[SOLVER], "", "", "%s/%s", state->info.solver, state->info.kernel);
    char memory[32] = "", device[sizeof state->info.device];
    if (state->info.device_bytes)
        rec_format_bytes(memory, (double)state->info.device_bytes);
    shorten_device(device, sizeof device, state->info.device);
    snprintf(field[SOLVER].after, sizeof field[SOLVER].after, "%.28s%s%s", device,
             memory[0] ? ", " : "", memory);
}

static void write_numbers(rec_bar_field *field, const rec_view_state *state,
                          const rec_bar_view *view)
{
    const rec_numbers *numbers = &state->numbers;
    const double seconds = state->run.seconds.iterate, change = state->run.look.change_rms;
    char number[32];
    format_count(number, sizeof number, state->run.iterations);
    set_field(&field[ITERATION], "", state->run.iterations == 1 ? "iteration" : "iterations", "%s",
              number);
    if (numbers->rate > 0)
        set_field(&field[RATE], "", "updates/s", "%s", rec_format_rate(number, numbers->rate));
    format_level(number, sizeof number, change);
    if (!isnan(change))
        set_field(&field[CHANGE], "change", "", "%s", number);
    format_level(number, sizeof number, numbers->distance);
    if (numbers->distance <= WHITE) /* above it the bound says nothing */
        set_field(&field[DISTANCE], "distance <=", "", "%s", number);
    if (seconds < 60)
        set_field(&field[TIME], "", "s", "%.1f", seconds);
    else
        set_field(&field[TIME], "", "", "%s", rec_format_seconds(number, seconds));
    if (state->run.stop == REC_STOP_LIMIT)
        return; /* it does not iterate */
    if (numbers->pace > 0)
        set_field(&field[PACE], "pace", "s a decade", "%.2g", numbers->pace);
    format_count(number, sizeof number, state->every);
    set_field(&field[EVERY], "K", state->every_is_automatic ? "(by the screen)" : "", "%s", number);
    if (view->frame_rate > 0)
        set_field(&field[FRAMES], "", "pictures/s", "%.0f", view->frame_rate);
}

/* A number of an older iterate than the one that is shown. */
static void mark_stale(rec_bar_field *field, uint64_t iteration)
{
    char number[32];
    format_count(number, sizeof number, iteration);
    field->stale = field->value[0] != '\0';
    if (field->stale)
        snprintf(field->after, sizeof field->after, "at %s", number);
}

static void write_fields(rec_bar_field *field, const rec_view_state *state,
                         const rec_bar_view *view, double now)
{
    const rec_numbers *numbers = &state->numbers;
    if (state->phase == REC_PHASE_EMPTY)
        return;
    set_field(&field[NAME], "", "", "%s", rec_bar_name(state->name));
    if (state->inputs > 1)
        snprintf(field[NAME].after, sizeof field[NAME].after, "%zu/%zu", state->index + 1,
                 state->inputs);
    if (!rec_phase_is_open(state->phase))
        return;
    write_view(field, state, view);
    if (!isnan(numbers->psnr))
        set_field(&field[PSNR], "PSNR", "dB", "%.4g", numbers->psnr);
    if (state->phase == REC_PHASE_JUMPED) {
        write_iterate(&field[ITERATION], state->jump, "(jump)");
        return;
    }
    write_numbers(field, state, view);
    if (state->run.stop == REC_STOP_LIMIT)
        write_iterate(&field[ITERATION], REC_LIMIT_ITERATION, "");
    if (state->run.iterations != numbers->measured_at &&
        now - numbers->measured_time > FRESH_SECONDS) {
        mark_stale(&field[DISTANCE], numbers->measured_at);
        mark_stale(&field[PSNR], numbers->measured_at);
    }
}

static void write_state(rec_bar_texts *texts, const rec_view_state *state)
{
    static const char *const phases[] = {
        [REC_PHASE_EMPTY] = "",
        [REC_PHASE_LOADING] = "loading ...", [REC_PHASE_ITERATING] = "",
        [REC_PHASE_PAUSED] = "paused",       [REC_PHASE_PREPARING] = "transforming ...",
        [REC_PHASE_JUMPED] = "",             [REC_PHASE_STOPPED] = "done",
        [REC_PHASE_FAILED] = "failed",       [REC_PHASE_LEAVING] = "leaving ...",
        [REC_PHASE_LEFT] = "leaving ...",
    };
    const char *text = phases[state->phase];
    texts->jumped = state->phase == REC_PHASE_JUMPED;
    texts->state_color = state->phase == REC_PHASE_FAILED    ? rec_colors.red
                       : state->phase == REC_PHASE_STOPPED ? rec_colors.green
                                                           : rec_colors.amber;
    if (state->phase == REC_PHASE_STOPPED && state->run.stop == REC_STOP_STANDSTILL)
        text = state->run.look.alternating ? "stands still, pixels alternate" : "stands still";
    if (state->phase == REC_PHASE_STOPPED && state->run.stop == REC_STOP_TOLERANCE)
        text = "within the tolerance";
    snprintf(texts->state, sizeof texts->state, "%s", text);
}

/* A message stays for a while. */
static void take_message(rec_bar *bar, rec_bar_texts *texts, const rec_view_state *state,
                         double now)
{
    if (bar->messages != state->messages)
        bar->message_until =
            now + (state->message_is_bad ? BAD_MESSAGE_SECONDS : GOOD_MESSAGE_SECONDS);
    bar->messages = state->messages;
    texts->message_is_bad = state->message_is_bad;
    if (now < bar->message_until)
        snprintf(texts->message, sizeof texts->message, "%s", state->message);
}

int rec_bar_update(rec_bar *bar, const rec_view_state *state, const rec_bar_view *view, double now)
{
    rec_bar_texts texts;
    memset(&texts, 0, sizeof texts); /* it is compared as a whole */
    write_fields(texts.field, state, view, now);
    write_state(&texts, state);
    take_message(bar, &texts, state, now);
    const int changed = memcmp(&texts, &bar->now, sizeof texts) != 0;
    if (strcmp(texts.field[NAME].value, bar->now.field[NAME].value))
        memset(bar->slot, 0, sizeof bar->slot);
    bar->now = texts;
    return changed;
}

int rec_bar_height(const rec_canvas *canvas)
{
    return LINES * canvas->line +
           (2 * PADDING + 1 + (LINES - 1) * LEADING) * canvas->scale;
}

/* Draws a field, or with draw = 0 only measures it; returns its width. */
static int draw_field(const rec_bar_field *field, const rec_canvas *canvas, int x, int y, int draw)
{
    const struct { const char *string; const SDL_Color *color; } parts[] = {
        {field->before, &rec_colors.dim},
        {field->value, field->stale ? &rec_colors.dim : &rec_colors.bright},
        {field->after, &rec_colors.dim}};
    const int begin = x;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!parts[i].string[0])
            continue;
        if (x > begin)
            x += WORD_GAP * canvas->scale;
        if (draw)
            rec_text_draw(canvas, REC_LEFT, x, y, *parts[i].color, parts[i].string);
        x += rec_text_width(canvas, parts[i].string);
    }
    return x - begin;
}

/* Draws the fields of a line that have room in `width`. */
static void draw_fields(rec_bar *bar, int line, const rec_canvas *canvas, int x, int y, int width)
{
    const rec_bar_field *field = bar->now.field;
    const int gap = GAP * canvas->scale;
    const int first = first_of_line[line], last = first_of_line[line + 1];
    int used = 0, left_out[REC_BAR_FIELDS] = {0};
    for (int i = first; i < last; i++) {
        const int wide = draw_field(&field[i], canvas, 0, 0, 0);
        bar->slot[i] = rec_larger(wide, bar->slot[i]);
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
    for (int i = first; i < last; i++) {
        if (left_out[i])
            continue;
        draw_field(&field[i], canvas, x, y, 1);
        x += bar->slot[i] + gap;
    }
}

/* A message, cut to the width that there is. */
static void draw_message(const rec_bar_texts *texts, const rec_canvas *canvas, int x, int y,
                         int width)
{
    char cut[sizeof texts->message + 4];
    snprintf(cut, sizeof cut, "%s", texts->message);
    for (size_t length = strlen(cut); length && rec_text_width(canvas, cut) > width;) {
        do
            length--;
        while (length && ((unsigned char)cut[length] & 0xc0) == 0x80); /* UTF-8 stays whole */
        strcpy(cut + length, "...");
    }
    rec_text_draw(canvas, REC_LEFT, x, y,
                  texts->message_is_bad ? rec_colors.red : rec_colors.bright, cut);
}

void rec_bar_draw(rec_bar *bar, const rec_canvas *canvas, int width, int height)
{
    const int scale = canvas->scale, tall = rec_bar_height(canvas);
    const int upper = height - tall + (PADDING + 1) * scale;
    const int lower = upper + canvas->line + LEADING * scale;
    const int left = REC_MARGIN * scale;
    int right = width - REC_MARGIN * scale;
    if (bar->scale != scale)
        memset(bar->slot, 0, sizeof bar->slot);
    bar->scale = scale;
    rec_fill(canvas, rec_colors.bar, 0, height - tall, width, tall);
    rec_fill(canvas, rec_colors.border, 0, height - tall, width, scale);
    const char *hint = bar->now.jumped ? jump_hint : usual_hint;
    rec_text_draw(canvas, REC_RIGHT, right, lower, rec_colors.dim, hint);
    draw_fields(bar, 1, canvas, left, lower,
                right - left - rec_text_width(canvas, hint) - GAP * scale);
    if (bar->now.state[0]) {
        rec_text_draw(canvas, REC_RIGHT, right, upper, bar->now.state_color, bar->now.state);
        right -= rec_text_width(canvas, bar->now.state) + GAP * scale;
    }
    if (bar->now.message[0])
        draw_message(&bar->now, canvas, left, upper, right - left);
    else
        draw_fields(bar, 0, canvas, left, upper, right - left);
}
