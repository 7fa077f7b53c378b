#include "view/draw/bar.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "run/progress.h"
#include "view/draw/theme.h"

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
    static const char *const noise[] = {"(R)", "(TM)", "(tm)", "NVIDIA ", "Processor", "CPU ",
                                        "-Core"};
    snprintf(text, size, "%s", device);
    text[strcspn(text, "@,")] = '\0';
    for (size_t i = 0; i < sizeof noise / sizeof *noise; i++) {
        const int is_cores = i == sizeof noise / sizeof *noise - 1;
        for (char *found; (found = strstr(text, noise[i]));) {
            const char *rest = found + strlen(noise[i]);
            while (is_cores && found > text && found[-1] != ' ')
                found--; /* with how many there are */
            memmove(found, rest, strlen(rest) + 1);
        }
    }
    size_t length = 0;
    for (const char *from = text; *from; from++) /* one space between two words, none at the end */
        if (*from != ' ' || (length && text[length - 1] != ' '))
            text[length++] = *from;
    text[length - (length && text[length - 1] == ' ')] = '\0';
}

/* No numbers of the run: they are not this iterate's. */
static void write_jump(rec_bar_field *field, uint64_t iteration)
{
    char number[32];
    if (iteration == REC_LIMIT_ITERATION) {
        set_field(field, "", "", "limit");
        return;
    }
    format_count(number, sizeof number, iteration);
    set_field(field, "iterate", "(jump)", "%s", number);
}

/* "12.3 s", "4:05", "2:03:45" */
static void format_time(char *text, size_t size, double seconds)
{
    const unsigned long whole = (unsigned long)seconds;
    if (seconds < 60)
        snprintf(text, size, "%.1f s", seconds);
    else if (seconds < 3600)
        snprintf(text, size, "%lu:%02lu", whole / 60, whole % 60);
    else
        snprintf(text, size, "%lu:%02lu:%02lu", whole / 3600, whole / 60 % 60, whole % 60);
}

/* How the picture is shown. */
static void write_view(rec_bar_field *field, const rec_view_state *state, const rec_bar_view *view)
{
    const rec_wanted *wanted = view->wanted;
    const int is_picture =
        wanted->scene == REC_SCENE_PICTURE || wanted->scene == REC_SCENE_SIDES;
    const int is_auto = wanted->tone_auto && is_picture;
    const rec_tone tone = is_auto ? state->tone : wanted->tone;
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
    char number[32];
    format_count(number, sizeof number, state->iteration);
    set_field(&field[ITERATION], "", state->iteration == 1 ? "iteration" : "iterations", "%s",
              number);
    if (state->rate > 0)
        set_field(&field[RATE], "", "updates/s", "%s", rec_format_rate(number, state->rate));
    format_level(number, sizeof number, state->change);
    if (!isnan(state->change))
        set_field(&field[CHANGE], "change", "", "%s", number);
    format_level(number, sizeof number, state->distance);
    if (state->distance <= WHITE) /* above it the bound says nothing */
        set_field(&field[DISTANCE], "distance <=", "", "%s", number);
    format_time(number, sizeof number, state->seconds);
    set_field(&field[TIME], "", "", "%s", number);
    if (state->pace > 0)
        set_field(&field[PACE], "pace", "s a decade", "%.2g", state->pace);
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

static void write_fields(rec_bar *bar, const rec_view_state *state, const rec_bar_view *view,
                         double now)
{
    rec_bar_field *field = bar->field;
    for (int i = 0; i < REC_BAR_FIELDS; i++)
        set_field(&field[i], "", "", "%s", "");
    if (state->phase == REC_PHASE_EMPTY)
        return;
    set_field(&field[NAME], "", "", "%s", rec_bar_name(state->name));
    if (state->inputs > 1)
        snprintf(field[NAME].after, sizeof field[NAME].after, "%zu/%zu", state->index + 1,
                 state->inputs);
    if (!rec_phase_is_open(state->phase))
        return;
    write_view(field, state, view);
    if (!isnan(state->psnr))
        set_field(&field[PSNR], "PSNR", "dB", "%.4g", state->psnr);
    if (state->phase == REC_PHASE_JUMPED) {
        write_jump(&field[ITERATION], state->jump);
        return;
    }
    write_numbers(field, state, view);
    if (state->iteration != state->measured_at && now - state->measured_time > FRESH_SECONDS) {
        mark_stale(&field[DISTANCE], state->measured_at);
        mark_stale(&field[PSNR], state->measured_at);
    }
}

static void write_state(rec_bar *bar, const rec_view_state *state)
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
    bar->jumped = state->phase == REC_PHASE_JUMPED;
    bar->state_color = state->phase == REC_PHASE_FAILED    ? rec_colors.red
                       : state->phase == REC_PHASE_STOPPED ? rec_colors.green
                                                           : rec_colors.amber;
    if (state->phase == REC_PHASE_STOPPED && state->stop == REC_STOP_STANDSTILL)
        text = state->alternating ? "stands still, pixels alternate" : "stands still";
    if (state->phase == REC_PHASE_STOPPED && state->stop == REC_STOP_TOLERANCE)
        text = "within the tolerance";
    snprintf(bar->state, sizeof bar->state, "%s", text);
}

static void take_message(rec_bar *bar, const rec_view_state *state, double now)
{
    if (bar->messages != state->messages) {
        bar->messages = state->messages;
        bar->message_is_bad = state->message_is_bad;
        bar->message_until =
            now + (state->message_is_bad ? BAD_MESSAGE_SECONDS : GOOD_MESSAGE_SECONDS);
        snprintf(bar->message, sizeof bar->message, "%s", state->message);
    } else if (now >= bar->message_until) {
        bar->message[0] = '\0';
    }
}

int rec_bar_update(rec_bar *bar, const rec_view_state *state, const rec_bar_view *view, double now)
{
    const rec_bar old = *bar;
    write_fields(bar, state, view, now);
    write_state(bar, state);
    take_message(bar, state, now);
    int changed = strcmp(bar->state, old.state) || strcmp(bar->message, old.message);
    for (int i = 0; i < REC_BAR_FIELDS; i++)
        changed |= strcmp(bar->field[i].value, old.field[i].value) ||
                   strcmp(bar->field[i].before, old.field[i].before) ||
                   strcmp(bar->field[i].after, old.field[i].after);
    if (strcmp(bar->field[NAME].value, old.field[NAME].value))
        for (int i = 0; i < REC_BAR_FIELDS; i++)
            bar->field[i].slot = 0;
    return changed;
}

int rec_bar_height(const rec_text *text)
{
    return LINES * rec_text_height(text) +
           (2 * PADDING + 1 + (LINES - 1) * LEADING) * rec_text_scale(text);
}

/* Draws a field, or with draw = 0 only measures it; returns its width. */
static int draw_field(const rec_bar_field *field, rec_text *text, int x, int y, int draw)
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
            x += WORD_GAP * rec_text_scale(text);
        if (draw)
            rec_text_draw(text, x, y, *parts[i].color, parts[i].string);
        x += rec_text_width(text, parts[i].string);
    }
    return x - begin;
}

/* Draws the fields of a line that have room in `width`. */
static void draw_fields(rec_bar *bar, int line, rec_text *text, int x, int y, int width)
{
    const int gap = GAP * rec_text_scale(text);
    const int first = first_of_line[line], last = first_of_line[line + 1];
    int used = 0, left_out[REC_BAR_FIELDS] = {0};
    for (int i = first; i < last; i++) {
        rec_bar_field *field = &bar->field[i];
        const int wide = draw_field(field, text, 0, 0, 0);
        field->slot = wide > field->slot ? wide : field->slot;
        left_out[i] = !wide;
        used += wide ? field->slot + gap : 0;
    }
    for (size_t i = 0; i < sizeof dispensable / sizeof *dispensable && used - gap > width; i++) {
        const int victim = dispensable[i];
        if (victim < first || victim >= last || left_out[victim])
            continue;
        used -= bar->field[victim].slot + gap;
        left_out[victim] = 1;
    }
    for (int i = first; i < last; i++) {
        if (left_out[i])
            continue;
        draw_field(&bar->field[i], text, x, y, 1);
        x += bar->field[i].slot + gap;
    }
}

/* A message, cut to the width that there is. */
static void draw_message(const rec_bar *bar, rec_text *text, int x, int y, int width)
{
    char cut[sizeof bar->message + 4];
    snprintf(cut, sizeof cut, "%s", bar->message);
    for (size_t length = strlen(cut); length && rec_text_width(text, cut) > width;) {
        do
            length--;
        while (length && ((unsigned char)cut[length] & 0xc0) == 0x80); /* UTF-8 stays whole */
        strcpy(cut + length, "...");
    }
    rec_text_draw(text, x, y, bar->message_is_bad ? rec_colors.red : rec_colors.bright, cut);
}

void rec_bar_draw(rec_bar *bar, SDL_Renderer *renderer, rec_text *text, int width, int height)
{
    const int scale = rec_text_scale(text), tall = rec_bar_height(text);
    const int upper = height - tall + (PADDING + 1) * scale;
    const int lower = upper + rec_text_height(text) + LEADING * scale;
    const int left = REC_MARGIN * scale;
    int right = width - REC_MARGIN * scale;
    if (bar->scale != scale)
        for (int i = 0; i < REC_BAR_FIELDS; i++)
            bar->field[i].slot = 0;
    bar->scale = scale;
    rec_fill(renderer, rec_colors.bar, 0, height - tall, width, tall);
    rec_fill(renderer, rec_colors.border, 0, height - tall, width, scale);
    const char *hint = bar->jumped ? jump_hint : usual_hint;
    const int hint_width = rec_text_width(text, hint);
    draw_fields(bar, 1, text, left, lower, right - left - hint_width - GAP * scale);
    rec_text_draw(text, right - hint_width, lower, rec_colors.dim, hint);
    if (bar->state[0]) {
        right -= rec_text_width(text, bar->state);
        rec_text_draw(text, right, upper, bar->state_color, bar->state);
        right -= GAP * scale;
    }
    if (bar->message[0])
        draw_message(bar, text, left, upper, right - left);
    else
        draw_fields(bar, 0, text, left, upper, right - left);
}
