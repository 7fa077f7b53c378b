/* What is edited inside a mask: --mask with --onto, heal, clone. */
#include "commands/commands.h"

/* Two whole numbers with a comma. */
static rec_status read_place(const option_value *value, option_id id, ptrdiff_t *x, ptrdiff_t *y,
                             rec_error *error)
{
    const char *at = value->text;
    ptrdiff_t *const numbers[] = {x, y};
    char part[OPTION_PART];
    double number;
    for (size_t i = 0; value->given && i < 2; i++) {
        if (!at || option_next_part(id, &at, part, NULL) || !option_read_number(part, &number) ||
            number < -REC_MAX_SIDE || number > REC_MAX_SIDE ||
            number != (double)(ptrdiff_t)number || (i && at))
            return rec_fail(error, REC_USAGE, "--%s %s: must be two whole numbers with a comma, "
                            "at most %d in magnitude", option_table[id].name, value->text,
                            REC_MAX_SIDE);
        *numbers[i] = (ptrdiff_t)number;
    }
    return REC_OK;
}

static rec_status set_heal(rec_edit *edit, const option_value *given, rec_error *error)
{
    ptrdiff_t dx = 0, dy = 0;
    REC_TRY(read_place(&given[OPTION_FROM], OPTION_FROM, &dx, &dy, error));
    if (!edit->mask && given[OPTION_HEADLESS].given)
        return rec_fail(error, REC_USAGE, "heal needs --mask MASK, which is white where the "
                                          "picture shall be healed");
    if (given[OPTION_FROM].given && !dx && !dy)
        return rec_fail(error, REC_USAGE, "--from 0,0: the picture there is what shall be healed");
    edit->kind = REC_EDIT_HEAL;
    edit->x = -dx;
    edit->y = -dy;
    edit->rule = given[OPTION_FROM].given ? REC_GRADIENT_SOURCE : REC_GRADIENT_ZERO;
    return REC_OK;
}

static rec_status set_clone(rec_edit *edit, const command_line *line, rec_error *error)
{
    edit->kind = REC_EDIT_CLONE;
    edit->source = line->source;
    edit->rule = (rec_gradient)line->option[OPTION_GRADIENT].count;
    return read_place(&line->option[OPTION_AT], OPTION_AT, &edit->x, &edit->y, error);
}

static rec_status set_onto(rec_edit *edit, const option_value *given, rec_error *error)
{
    edit->onto = given[OPTION_ONTO].text;
    edit->kind = edit->mask ? REC_EDIT_ONTO : REC_EDIT_NONE;
    return !edit->mask || edit->onto
               ? REC_OK
               : rec_fail(error, REC_USAGE, "--mask needs --onto PICTURE, the picture around what "
                                            "the edges give");
}

rec_status settings_set_edit(rec_settings *made, const command_line *line, rec_error *error)
{
    const option_value *given = line->option;
    rec_edit *edit = &made->edit;
    edit->mask = given[OPTION_MASK].text;
    REC_TRY(line->command == COMMAND_HEAL    ? set_heal(edit, given, error)
            : line->command == COMMAND_CLONE ? set_clone(edit, line, error)
                                             : set_onto(edit, given, error));
    if (!edit->kind)
        return REC_OK;
    made->own_white = !given[OPTION_MAXVAL].given;
    if (edit->kind != REC_EDIT_ONTO)
        made->reading.role = REC_PICTURE;
    if (rec_ranks_count() > 1)
        return rec_fail(error, REC_USAGE, "--mask: several ranks take no mask");
    if (given[OPTION_TONE].given && given[OPTION_TONE].count != REC_TONE_CLAMP)
        return rec_fail(error, REC_USAGE, "--tone %s changes the samples around the mask",
                        given[OPTION_TONE].text);
    return REC_OK;
}
