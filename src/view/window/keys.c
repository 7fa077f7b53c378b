#include "view/window/keys.h"

#define KEY(code, shift, repeats, time, name, action, help) \
    {SDLK_##code, shift, repeats, REC_KEY_##time, name, REC_ACTION_##action, help}

/* Of two rows with the same key the first counts whose time it is. */
const rec_key rec_keys[] = {
    KEY(SPACE,        0, 0, ALWAYS, "Space",     PAUSE,       "pause, and go on"),
    KEY(n,            0, 1, ALWAYS, "n",         STEP,        "one batch, even past the end"),
    KEY(i,            0, 1, ALWAYS, "i",         SINGLE,      "one iteration"),
    KEY(r,            0, 0, ALWAYS, "r",         RESTART,     "start again"),
    KEY(PLUS,         0, 1, ALWAYS, "+",         LESS_OFTEN,  "K, iterations in a batch, doubled"),
    KEY(KP_PLUS,      0, 1, ALWAYS, "+",         LESS_OFTEN,  NULL),
    KEY(EQUALS,       0, 1, ALWAYS, "=",         LESS_OFTEN,  NULL),
    KEY(MINUS,        0, 1, ALWAYS, "-",         MORE_OFTEN,  "K halved"),
    KEY(KP_MINUS,     0, 1, ALWAYS, "-",         MORE_OFTEN,  NULL),
    KEY(k,            0, 0, ALWAYS, "k",         USUAL_K,     "K of the command, or by the screen"),
    KEY(COMMA,        0, 1, SLIDER, "Comma",     EARLIER,     "back in time"),
    KEY(PERIOD,       0, 1, SLIDER, "Period",    LATER,       "on in time"),
    KEY(HOME,         0, 0, SLIDER, "Home",      FIRST,       "to the start"),
    KEY(END,          0, 0, SLIDER, "End",       LIMIT,       "to the exact picture"),
    KEY(ESCAPE,       0, 0, JUMPED, "Escape",    BACK,        "back to the run"),
    KEY(PAGEDOWN,     0, 0, ALWAYS, "Page Down", NEXT,        "next input"),
    KEY(RIGHTBRACKET, 0, 0, ALWAYS, "]",         NEXT,        NULL),
    KEY(PAGEUP,       0, 0, ALWAYS, "Page Up",   PREVIOUS,    "previous input"),
    KEY(LEFTBRACKET,  0, 0, ALWAYS, "[",         PREVIOUS,    NULL),
    KEY(s,            0, 0, ALWAYS, "s",         SAVE,        "save the view and the result"),
    KEY(1,            0, 0, ALWAYS, "1",         SHOW_PICTURE,    "the reconstruction"),
    KEY(2,            0, 0, ALWAYS, "2",         SHOW_EDGES,      "the edges"),
    KEY(3,            0, 0, ALWAYS, "3",         SHOW_SIDES,      "both, a divider between"),
    KEY(4,            0, 0, ALWAYS, "4",         SHOW_CHANGE,     "the change of a batch"),
    KEY(5,            0, 0, ALWAYS, "5",         SHOW_DIFFERENCE, "the difference from the reference"),
    KEY(TAB,          0, 1, ALWAYS, "Tab",       SHOW_NEXT,       "the next of these"),
    KEY(z,            0, 1, ALWAYS, "z",         ZOOM_IN,         "nearer (or the wheel)"),
    KEY(x,            0, 1, ALWAYS, "x",         ZOOM_OUT,        "farther away"),
    KEY(0,            0, 0, ALWAYS, "0",         FIT,             "the whole picture"),
    KEY(o,            0, 0, ALWAYS, "o",         ORIGINAL_SIZE,   "1:1"),
    KEY(LEFT,         0, 1, ALWAYS, "Left",      PAN_LEFT,        "move about (or drag)"),
    KEY(RIGHT,        0, 1, ALWAYS, "Right",     PAN_RIGHT,       NULL),
    KEY(UP,           0, 1, ALWAYS, "Up",        PAN_UP,          NULL),
    KEY(DOWN,         0, 1, ALWAYS, "Down",      PAN_DOWN,        NULL),
    KEY(t,            0, 0, ALWAYS, "t",         TONE,            "tone: clamp, stretch, epcc"),
    KEY(g,            1, 1, ALWAYS, "G",         DARKER,          "darker: less gamma"),
    KEY(g,            0, 1, ALWAYS, "g",         BRIGHTER,        "brighter: more gamma"),
    KEY(c,            1, 1, ALWAYS, "C",         LESS_CONTRAST,   "less contrast"),
    KEY(c,            0, 1, ALWAYS, "c",         MORE_CONTRAST,   "more contrast"),
    KEY(d,            0, 0, ALWAYS, "d",         PLAIN_TONE,      "as it is: gamma and contrast 1"),
    KEY(p,            0, 0, ALWAYS, "p",         PLOT,            "the plot, and away with it"),
    KEY(v,            0, 0, ALWAYS, "v",         VALUES,          "values under the cursor, or not"),
    KEY(f,            0, 0, ALWAYS, "f",         FULL_SCREEN,     "full screen, and back"),
    KEY(F11,          0, 0, ALWAYS, "F11",       FULL_SCREEN,     NULL),
    KEY(h,            0, 0, ALWAYS, "h",         HELP,            "this help, its next page, and away"),
    KEY(SLASH,        1, 0, ALWAYS, "?",         HELP,            NULL),
    KEY(QUESTION,     0, 0, ALWAYS, "?",         HELP,            NULL), /* a key of its own */
    KEY(F1,           0, 0, ALWAYS, "F1",        HELP,            NULL),
    KEY(q,            0, 0, ALWAYS, "q",         LEAVE,           "leave; -o writes the result"),
    KEY(ESCAPE,       0, 0, ALWAYS, "Escape",    LEAVE,           NULL),
    {0, 0, 0, REC_KEY_ALWAYS, NULL, REC_ACTION_NONE, NULL},
};

rec_action rec_keys_find(const SDL_KeyboardEvent *event, rec_key_time now)
{
    if (event->keysym.mod & (KMOD_CTRL | KMOD_ALT | KMOD_GUI))
        return REC_ACTION_NONE;
    for (const rec_key *key = rec_keys; key->action; key++)
        if (key->code == event->keysym.sym && key->time <= now &&
            (!key->shift || event->keysym.mod & KMOD_SHIFT))
            return event->repeat && !key->repeats ? REC_ACTION_NONE : key->action;
    return REC_ACTION_NONE;
}
