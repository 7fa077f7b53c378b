/* reconstruct compare A B: two images, sample by sample. */
#include "commands/commands.h"
#include "image/image.h"

rec_status command_compare(const command_line *line, rec_error *error)
{
    if (line->operand_count != 2)
        return rec_fail(error, REC_USAGE, "compare takes two images, not %zu",
                        line->operand_count);
    const rec_read_options reading = {.role = REC_SAMPLES};
    char **names = line->operands;
    rec_image a = {0}, b = {0};
    rec_image_info info = {0};
    rec_difference difference;
    rec_status status = rec_image_read(names[0], &reading, &a, &info, error);
    if (!status)
        status = rec_image_read(names[1], &reading, &b, NULL, error);
    if (!status)
        status = rec_image_compare(&a, &b, info.maxval, &difference, error);
    rec_image_destroy(&a);
    rec_image_destroy(&b);
    if (status)
        return status;
    print_difference(stdout, &difference, names[0], names[1]);
    const option_value *most = &line->option[OPTION_MAX_DIFFERENCE];
    return judge_difference(&difference, most->given, most->number, error);
}
