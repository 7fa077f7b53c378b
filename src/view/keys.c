#include "view/keys.h"

const rec_key rec_keys[] = {
    {SDLK_SPACE,        0, 0, "Space",     REC_ACTION_PAUSE,       "pause, and go on"},
    {SDLK_n,            0, 1, "n",         REC_ACTION_STEP,        "one batch, even past the end"},
    {SDLK_r,            0, 0, "r",         REC_ACTION_RESTART,     "start again"},
    {SDLK_s,            0, 0, "s",         REC_ACTION_SAVE,        "save the view and the result"},
    {SDLK_RIGHT,        0, 0, "Right",     REC_ACTION_NEXT,        "next input"},
    {SDLK_PAGEDOWN,     0, 0, "Page Down", REC_ACTION_NEXT,        NULL},
    {SDLK_RIGHTBRACKET, 0, 0, "]",         REC_ACTION_NEXT,        NULL},
    {SDLK_LEFT,         0, 0, "Left",      REC_ACTION_PREVIOUS,    "previous input"},
    {SDLK_PAGEUP,       0, 0, "Page Up",   REC_ACTION_PREVIOUS,    NULL},
    {SDLK_LEFTBRACKET,  0, 0, "[",         REC_ACTION_PREVIOUS,    NULL},
    {SDLK_f,            0, 0, "f",         REC_ACTION_FULL_SCREEN, "full screen, and back"},
    {SDLK_h,            0, 0, "h",         REC_ACTION_HELP,        "open and close this help"},
    {SDLK_SLASH,        1, 0, "?",         REC_ACTION_HELP,        NULL},
    {SDLK_QUESTION,     0, 0, "?",         REC_ACTION_HELP,        NULL}, /* a key of its own */
    {SDLK_F1,           0, 0, "F1",        REC_ACTION_HELP,        NULL},
    {SDLK_q,            0, 0, "q",         REC_ACTION_LEAVE,       "leave; -o writes the result"},
    {SDLK_ESCAPE,       0, 0, "Escape",    REC_ACTION_LEAVE,       NULL},
    {0,                 0, 0, NULL,        REC_ACTION_NONE,        NULL},
};

rec_action rec_keys_find(const SDL_KeyboardEvent *event)
{
    if (event->keysym.mod & (KMOD_CTRL | KMOD_ALT | KMOD_GUI))
        return REC_ACTION_NONE;
    for (const rec_key *key = rec_keys; key->action; key++)
        if (key->code == event->keysym.sym && (!key->shift || event->keysym.mod & KMOD_SHIFT))
            return event->repeat && !key->repeats ? REC_ACTION_NONE : key->action;
    return REC_ACTION_NONE;
}
