/* The table of keys: every row can be reached and says what it does. Skipped in a build without
 * SDL. */
#include "tests/unit/cm.h"

#if REC_HAVE_SDL
#include "tests/unit/canvas.h"
#include "view/window/window.h"

#define EACH_KEY(key) for (const rec_key *key = rec_keys; key->name; key++)

static const rec_abilities all = {1, 1, 0, 0, 0}, usual = {1, 0, 0, 0, 0};
static rec_abilities has; /* the window */

static const rec_key *find(SDL_Keycode code, Uint16 modifiers, int repeat)
{
    SDL_KeyboardEvent event = {.type = SDL_KEYDOWN, .repeat = (Uint8)repeat};
    event.keysym.sym = code;
    event.keysym.mod = modifiers;
    return rec_keys_find(&event, has);
}

TEST(every_row_says_what_it_does)
{
    EACH_KEY(key) {
        assert_true(*key->name && key->codes[0] && !key->press == !!key->act);
        if (!key->help) {
            assert_string_equal(key->name, key[-1].name);
            continue;
        }
        assert_true(strlen(key->help) >= 3 && strlen(key->help) <= 28 && strlen(key->name) <= 9);
        EACH_KEY(other)
            assert_true(other == key || !other->help || strcmp(other->help, key->help));
    }
}

TEST(every_key_can_be_reached)
{
    EACH_KEY(key)
        for (int i = 0; i < REC_KEY_CODES && key->codes[i]; i++) {
            has = key->group == REC_KEYS_PAINT ? all : usual;
            has.asks = key->group == REC_KEYS_LEAVE;
            has.output = key->press == rec_window_leave && key->argument == 1;
            const Uint16 control = key->codes[i] >> 29 & 1 ? KMOD_RCTRL : 0;
            const Uint16 modifiers = control | (key->codes[i] >> 31 ? KMOD_LSHIFT : 0);
            const SDL_Keycode code = (SDL_Keycode)(key->codes[i] & 0x4fffffff);
            assert_ptr_equal(find(code, modifiers, 0), key);
            const rec_key *with = find(code, KMOD_LCTRL, 0);
            assert_true(!with || code == SDLK_o || code == SDLK_w || code == SDLK_y ||
                        (with->press == key->press && with->act == key->act));
            assert_null(find(code, KMOD_RALT, 0));
            assert_null(find(code, KMOD_LGUI, 0));
            assert_ptr_equal(find(code, modifiers, 1), key->repeats ? key : NULL);
        }
}

TEST(some_keys_are_those_of_every_program)
{
    has = usual;
    assert_true(find(SDLK_s, KMOD_LCTRL, 0)->act == rec_worker_save);
    has.asks = 1; /* only the answers count */
    assert_int_equal(find(SDLK_s, 0, 0)->group, REC_KEYS_LEAVE);
    assert_null(find(SDLK_q, 0, 0));
    has.asks = 0;
    assert_ptr_equal(find(SDLK_q, KMOD_LCTRL, 0), find(SDLK_q, 0, 0));
    assert_ptr_equal(find(SDLK_w, KMOD_RCTRL, 0), find(SDLK_q, 0, 0));
    assert_ptr_equal(find(SDLK_PLUS, KMOD_LSHIFT, 0), find(SDLK_z, 0, 0));
    assert_ptr_equal(find(SDLK_EQUALS, KMOD_LCTRL | KMOD_LSHIFT, 0), find(SDLK_z, 0, 0));
    assert_ptr_equal(find(SDLK_MINUS, 0, 0), find(SDLK_x, 0, 0));
    assert_ptr_equal(find(SDLK_MINUS, KMOD_LCTRL, 0), find(SDLK_x, 0, 0));
    assert_ptr_equal(find(SDLK_0, KMOD_LCTRL, 0), find(SDLK_0, 0, 0));
    const SDL_Keycode free_keys[] = {SDLK_w, SDLK_LEFTBRACKET, SDLK_RIGHTBRACKET};
    for (size_t i = 0; i < 3; i++)
        assert_null(find(free_keys[i], 0, 0));
}

TEST(who_paints_has_keys_and_words_of_that)
{
    has = all;
    assert_string_equal(rec_key_help(find(SDLK_2, 0, 0), has), "before");
    assert_string_equal(rec_key_help(find(SDLK_2, 0, 0), usual), "edges");
    assert_true(find(SDLK_n, 0, 0) && find(SDLK_4, 0, 0));
    has.fills = 1;
    assert_true(!find(SDLK_n, 0, 0) && !find(SDLK_4, 0, 0) && find(SDLK_y, 0, 0));
    has = usual;
}

static SDL_Keycode cyrillic(SDL_Scancode place) { return 0x400 + (SDL_Keycode)place; }
static SDL_Keycode turkish(SDL_Scancode place) { return place == SDL_SCANCODE_Q ? SDLK_f : 0x131; }

static const rec_key *find_at(SDL_Scancode place, SDL_Keycode code, Uint16 modifiers)
{
    const SDL_KeyboardEvent event = {.keysym = {place, code, modifiers, 0}};
    return rec_keys_find(&event, all);
}

TEST(a_layout_without_latin_letters_has_all_keys)
{
    has = all;
    sdl.GetKeyFromScancode = cyrillic;
    assert_ptr_equal(find_at(SDL_SCANCODE_Q, 0x439, 0), find(SDLK_q, 0, 0));
    assert_ptr_equal(find_at(SDL_SCANCODE_Q, SDLK_SEMICOLON, 0), find(SDLK_q, 0, 0)); /* Greek */
    assert_ptr_equal(find_at(SDL_SCANCODE_Z, 0x44f, KMOD_LCTRL), find(SDLK_z, KMOD_LCTRL, 0));
    assert_ptr_equal(find_at(SDL_SCANCODE_G, 0x43f, KMOD_LSHIFT), find(SDLK_g, KMOD_LSHIFT, 0));
    assert_ptr_equal(find_at(SDL_SCANCODE_LEFTBRACKET, 0x445, 0), find(SDLK_LEFTBRACKET, 0, 0));
    assert_ptr_equal(find_at(SDL_SCANCODE_COMMA, 0x431, 0), find(SDLK_COMMA, 0, 0));
    assert_null(find_at(SDL_SCANCODE_KP_0, 0x431, 0));
    sdl.GetKeyFromScancode = turkish; /* its r is elsewhere */
    assert_null(find_at(SDL_SCANCODE_R, 0x131, 0));
    assert_ptr_equal(find_at(SDL_SCANCODE_2, 0xe9, 0), find(SDLK_2, 0, 0));
    has = usual;
}

/* Of what is done now: who paints has no time. */
TEST(the_first_page_of_the_help_has_twelve_rows)
{
    canvas c = make_canvas(800, 600, 1);
    const rec_abilities both[] = {usual, {.paint = 1, .fills = 1}, {.paint = 1, .slider = 1}};
    for (int i = 0; i < 3; i++) {
        const rec_key *before = NULL;
        int rows = 0;
        for (int y = 0; y < 600; y++) {
            const rec_key *key = rec_help_find(&c.on, both[i], 1, (SDL_Point){400, y});
            rows += key && key != before;
            before = key;
            assert_true(!key || !both[i].paint || key->group != REC_KEYS_TIME);
        }
        assert_int_equal(rows, 12);
    }
    destroy_canvas(&c);
}

/* Each row that the help shows can be clicked, on its page, where the page has its text. */
TEST(every_row_of_the_help_is_found)
{
    owned_canvas c = make_canvas(400, 300, 1);
    has = all;
    const int pages = rec_help_draw(&c.on, has, 1);
    char found[128] = {0};
    assert_true(pages > 1);
    for (int page = 1; page <= pages; page++) {
        wipe(&c);
        rec_help_draw(&c.on, has, page);
        for (int i = 0; i < c.on.width / 20 * c.on.height; i++) {
            const SDL_Point point = {i / c.on.height * 20, i % c.on.height};
            const rec_key *key = rec_help_find(&c.on, has, page, point);
            assert_true(!key || at(&c, point.x, point.y) != BEHIND);
            found[key ? key - rec_keys : 127] = 1;
        }
    }
    EACH_KEY(key)
    assert_int_equal(found[key - rec_keys], key->help && rec_key_works(key, all));
}

/* Where a mask is painted they mean something else, and what they were is not in the help. */
TEST(some_keys_paint)
{
    has = usual;
    assert_true(find(SDLK_e, 0, 0)->act == rec_worker_make_edges);
    assert_null(find(SDLK_z, KMOD_LCTRL, 0));
    assert_null(find(SDLK_u, 0, 0));
    has = all;
    assert_true(find(SDLK_e, 0, 0)->act == rec_worker_change_rule);
    const Uint16 both = KMOD_LCTRL | KMOD_RSHIFT;
    assert_true(find(SDLK_z, KMOD_LCTRL, 0)->act == rec_worker_undo);
    assert_ptr_equal(find(SDLK_z, both, 0), find(SDLK_y, KMOD_LCTRL, 0));
    assert_true(find(SDLK_z, 0, 0)->press == rec_window_zoom);
    assert_true(find(SDLK_RIGHTBRACKET, KMOD_LSHIFT, 0)->act == rec_worker_change_pace);
    has = (rec_abilities){.paint = 1};
    assert_null(find(SDLK_HOME, 0, 0));
    has = usual;
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
    assert_ptr_equal(rec_keys_find(&event, has), find(SDLK_1, 0, 0));
    event.keysym.scancode = SDL_SCANCODE_0;
    assert_ptr_equal(rec_keys_find(&event, has), find(SDLK_0, 0, 0));
    event.keysym.scancode = SDL_SCANCODE_1 + REC_SCENES;
    assert_null(rec_keys_find(&event, has));
    event.keysym.sym = SDLK_MINUS;
    assert_ptr_equal(rec_keys_find(&event, has), find(SDLK_MINUS, 0, 0));
}
#endif
