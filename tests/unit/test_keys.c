/* The table of keys: every row can be reached and says what it does. Skipped in a build without
 * SDL. */
#include "tests/unit/cm.h"

#if REC_HAVE_SDL
#include <string.h>

#include "view/window/window.h"

#define EACH_KEY(key) for (const rec_key *key = rec_keys; key->name; key++)

static const rec_key *find(SDL_Keycode code, Uint16 modifiers, int repeat)
{
    SDL_KeyboardEvent event = {.type = SDL_KEYDOWN, .repeat = (Uint8)repeat};
    event.keysym.sym = code;
    event.keysym.mod = modifiers;
    return rec_keys_find(&event);
}

TEST(every_row_says_what_it_does)
{
    EACH_KEY(key) {
        assert_true(*key->name && key->codes[0] && !key->press == !!key->act);
        if (!key->help) {
            assert_string_equal(key->name, key[-1].name);
            continue;
        }
        assert_true(strlen(key->help) >= 3 && strlen(key->help) <= 23 && strlen(key->name) <= 9);
        EACH_KEY(other)
            assert_true(other == key || !other->help || strcmp(other->help, key->help));
    }
}

TEST(every_key_can_be_reached)
{
    EACH_KEY(key)
        for (int i = 0; i < REC_KEY_CODES && key->codes[i]; i++) {
            const Uint16 modifiers = key->codes[i] >> 31 ? KMOD_LSHIFT : 0;
            const SDL_Keycode code = (SDL_Keycode)(key->codes[i] & 0x7fffffff);
            assert_ptr_equal(find(code, modifiers, 0), key);
            assert_null(find(code, KMOD_LCTRL, 0));
            assert_null(find(code, KMOD_RALT, 0));
            assert_null(find(code, KMOD_LGUI, 0));
            assert_ptr_equal(find(code, modifiers, 1), key->repeats ? key : NULL);
        }
}

/* The help has a part for each group, so its rows stand together. */
TEST(groups_stand_together)
{
    int begun[REC_KEY_GROUPS] = {0};
    EACH_KEY(key)
        if (key == rec_keys || key->group != key[-1].group)
            assert_int_equal(begun[key->group]++, 0);
    for (int group = 0; group < REC_KEY_GROUPS; group++)
        assert_true(begun[group] && *rec_key_groups[group]);
}

/* On a French keyboard the first of them has an ampersand, and one a minus, which keeps its
 * meaning. */
TEST(keys_of_digits_are_digits)
{
    SDL_KeyboardEvent event = {.type = SDL_KEYDOWN};
    event.keysym.scancode = SDL_SCANCODE_1;
    event.keysym.sym = SDLK_AMPERSAND;
    assert_ptr_equal(rec_keys_find(&event), find(SDLK_1, 0, 0));
    event.keysym.scancode = SDL_SCANCODE_0;
    assert_ptr_equal(rec_keys_find(&event), find(SDLK_0, 0, 0));
    event.keysym.scancode = SDL_SCANCODE_6;
    assert_null(rec_keys_find(&event));
    event.keysym.sym = SDLK_MINUS;
    assert_ptr_equal(rec_keys_find(&event), find(SDLK_MINUS, 0, 0));
}
#endif
