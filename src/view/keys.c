#include "view/keys.h"

#define KEY(code, shift, repeats, time, name, action, help) \
    {SDLK_##code, shift, repeats, REC_KEY_##time, name, REC_ACTION_##action, help}

/* Of two rows with the same key the first counts whose time it is. */
const rec_key rec_keys[] = {
    KEY(SPACE,        0, 0, ALWAYS, "Space",     PAUSE,       "pause, and go on"),
    KEY(n,            0, 1, ALWAYS, "n",         STEP,        "one batch, even past the end"),
    KEY(r,            0, 0, ALWAYS, "r",         RESTART,     "start again"),
    KEY(s,            0, 0, ALWAYS, "s",         SAVE,        "save the view and the result"),
    KEY(RIGHT,        0, 0, ALWAYS, "Right",     NEXT,        "next input"),
    KEY(PAGEDOWN,     0, 0, ALWAYS, "Page Down", NEXT,        NULL),
    KEY(RIGHTBRACKET, 0, 0, ALWAYS, "]",         NEXT,        NULL),
    KEY(LEFT,         0, 0, ALWAYS, "Left",      PREVIOUS,    "previous input"),
    KEY(PAGEUP,       0, 0, ALWAYS, "Page Up",   PREVIOUS,    NULL),
    KEY(LEFTBRACKET,  0, 0, ALWAYS, "[",         PREVIOUS,    NULL),
    KEY(COMMA,        0, 1, SLIDER, "Comma",     EARLIER,     "back in time"),
    KEY(PERIOD,       0, 1, SLIDER, "Period",    LATER,       "on in time"),
    KEY(HOME,         0, 0, SLIDER, "Home",      FIRST,       "to the start"),
    KEY(END,          0, 0, SLIDER, "End",       LIMIT,       "to the exact picture"),
    KEY(ESCAPE,       0, 0, JUMPED, "Escape",    BACK,        "back to the run"),
    KEY(f,            0, 0, ALWAYS, "f",         FULL_SCREEN, "full screen, and back"),
    KEY(h,            0, 0, ALWAYS, "h",         HELP,        "open and close this help"),
    KEY(SLASH,        1, 0, ALWAYS, "?",         HELP,        NULL),
    KEY(QUESTION,     0, 0, ALWAYS, "?",         HELP,        NULL), /* a key of its own */
    KEY(F1,           0, 0, ALWAYS, "F1",        HELP,        NULL),
    KEY(q,            0, 0, ALWAYS, "q",         LEAVE,       "leave; -o writes the result"),
    KEY(ESCAPE,       0, 0, ALWAYS, "Escape",    LEAVE,       NULL),
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
