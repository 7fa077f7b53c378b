/* The table of keys: every action that a key can ask for has one, every row can be reached and says
 * what it does. Skipped in a build without SDL. */
#include "tests/unit/cm.h"

#ifdef REC_HAVE_SDL
#include <string.h>

#include "view/window/keys.h"

#define EACH_KEY(key) for (const rec_key *key = rec_keys; key->action; key++)

static rec_action find(SDL_Keycode code, Uint16 modifiers, int repeat, rec_key_time time)
{
    SDL_KeyboardEvent event = {.type = SDL_KEYDOWN, .repeat = (Uint8)repeat};
    event.keysym.sym = code;
    event.keysym.mod = modifiers;
    return rec_keys_find(&event, time);
}

static int has_key(rec_action action)
{
    EACH_KEY(key)
        if (key->action == action)
            return 1;
    return 0;
}

static void every_action_has_a_key(void **state)
{
    (void)state;
    /* An iterate to seek comes from the slider's keys, a file by dropping it. */
    const rec_action without[] = {REC_ACTION_OPEN, REC_ACTION_ADD, REC_ACTION_SEEK};
    for (int action = REC_ACTION_NONE + 1; action <= REC_ACTION_HELP; action++) {
        int needs = 1;
        for (size_t i = 0; i < sizeof without / sizeof *without; i++)
            needs &= action != (int)without[i];
        if (has_key((rec_action)action) != needs)
            fail_msg("action %d", action);
    }
}

static void every_row_says_what_it_does(void **state)
{
    (void)state;
    assert_non_null(rec_keys[0].help);
    EACH_KEY(key) {
        assert_true(key->name && *key->name && key->code);
        if (key->help) {
            assert_true(strlen(key->help) >= 3 && strlen(key->help) <= 40);
            EACH_KEY(other)
                assert_true(other == key || !other->help || strcmp(other->help, key->help));
        } else if (key->action != key[-1].action) {
            /* of one more direction, say */
            assert_true(key->action > REC_ACTION_PAN_LEFT && key->action <= REC_ACTION_PAN_DOWN);
        }
    }
}

static void every_row_can_be_reached(void **state)
{
    (void)state;
    EACH_KEY(key) {
        const Uint16 modifiers = key->shift ? KMOD_LSHIFT : 0;
        assert_int_equal(find(key->code, modifiers, 0, key->time), key->action);
        assert_int_equal(find(key->code, KMOD_LCTRL, 0, key->time), REC_ACTION_NONE);
        assert_int_equal(find(key->code, KMOD_RALT, 0, key->time), REC_ACTION_NONE);
        assert_int_equal(find(key->code, KMOD_LGUI, 0, key->time), REC_ACTION_NONE);
        assert_int_equal(find(key->code, modifiers, 1, key->time),
                         key->repeats ? key->action : REC_ACTION_NONE);
    }
}

static void some_have_their_time(void **state)
{
    (void)state;
    assert_int_equal(find(SDLK_ESCAPE, 0, 0, REC_KEY_SLIDER), REC_ACTION_LEAVE);
    assert_int_equal(find(SDLK_ESCAPE, 0, 0, REC_KEY_JUMPED), REC_ACTION_BACK);
    assert_int_equal(find(SDLK_PERIOD, 0, 0, REC_KEY_ALWAYS), REC_ACTION_NONE);
    assert_int_equal(find(SDLK_PERIOD, 0, 0, REC_KEY_JUMPED), REC_ACTION_LATER);
    assert_int_equal(find(SDLK_SLASH, 0, 0, REC_KEY_ALWAYS), REC_ACTION_NONE);
    assert_int_equal(find(SDLK_w, 0, 0, REC_KEY_ALWAYS), REC_ACTION_NONE);
    assert_int_equal(find(SDLK_SPACE, KMOD_CAPS | KMOD_NUM, 0, REC_KEY_ALWAYS), REC_ACTION_PAUSE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_action_has_a_key),
        cmocka_unit_test(every_row_says_what_it_does),
        cmocka_unit_test(every_row_can_be_reached),
        cmocka_unit_test(some_have_their_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#else

static void keys_need_sdl(void **state)
{
    (void)state;
    print_message("# this build has no window\n");
    skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(keys_need_sdl)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
