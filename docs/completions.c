/* What the templates of the completions (docs/reconstruct.bash.in, .zsh.in, .fish.in) take from the
 * tables: each shell's own way to say the same.
 *
 * They complete commands, options, the words of options, folders, and images by their ending.
 * Left out on purpose: options written in one word with their letter (-scpu), and lists with commas
 * behind their first part. */
#include <stdio.h>
#include <string.h>

#include "docs/manual.h"

/* ---- for all shells: names, with blanks between ---- */

static void put_command_names(void)
{
    for (int i = COMMAND_RUN + 1; i < COMMANDS; i++)
        printf("%s%s", i > COMMAND_RUN + 1 ? " " : "", command_table[i].name);
}

/* Whether its operands are images: such a command has an output. */
static int takes_images(int of) { return manual_has((command_id)of, OPTION_OUTPUT); }

static void put_image_commands(void)
{
    for (int i = 0; i < COMMANDS; i++)
        if (takes_images(i))
            printf("%s%s", i ? " " : "", manual_name((command_id)i));
}

static void put_image_endings(void)
{
    manual_argument endings = {0};
    const rec_format *format;
    for (size_t i = 0; (format = rec_format_at(i)); i++) {
        if (format->ending)
            manual_add_word(&endings, format->ending);
        if (format->other_ending)
            manual_add_word(&endings, format->other_ending);
    }
    manual_put_words(&endings, '|');
}

/* ---- bash ---- */

static void put_bash_argument(option_id id)
{
    static const char *const ways[] = {
        [NO_FILES] = "", [IMAGES] = " _reconstruct_images;", [FOLDERS] = " _reconstruct_files -d;",
        [ANY_FILES] = " _reconstruct_files -f;"};
    const option_row *row = &option_table[id];
    manual_argument argument;
    manual_find_argument(id, &argument);
    printf("    --%s", row->name);
    if (row->letter)
        printf(" | -%c", row->letter);
    putchar(')');
    if (argument.words[0])
        printf(" _reconstruct_words '%s';", argument.words);
    printf("%s%s ;;\n", ways[argument.files],
           option_is_optional(row) ? " [[ $joined ]] && return" : " return");
}

static void put_bash_arguments(void)
{
    for (int id = 0; id < OPTIONS; id++)
        if (option_table[id].argument)
            put_bash_argument((option_id)id);
}

static void put_bash_options(void)
{
    for (int i = 0; i < COMMANDS; i++) {
        printf("        %s) _reconstruct_words '", manual_name((command_id)i));
        const char *gap = "";
        for (int id = 0; id < OPTIONS; id++) {
            const option_row *row = &option_table[id];
            if (!manual_has((command_id)i, (option_id)id))
                continue;
            printf("%s--%s", gap, row->name);
            if (row->letter)
                printf(" -%c", row->letter);
            gap = " ";
        }
        puts("' ;;");
    }
}

/* ---- zsh ---- */

/* A description between [ and ], or one of a list with colons, all of it in ''. */
static void put_zsh(const char *text)
{
    for (; *text; text++)
        if (*text == '\'')
            fputs("'\\''", stdout);
        else
            printf("%s%c", strchr("[]:\\", *text) ? "\\" : "", *text);
}

static void put_zsh_action(option_id id)
{
    manual_argument argument;
    manual_find_argument(id, &argument);
    const char *const ways[] = {
        [NO_FILES] = "", [IMAGES] = "_reconstruct_images", [FOLDERS] = "_files -/",
        [ANY_FILES] = "_files"};
    if (argument.words[0] && argument.files)
        printf("_reconstruct_%s", option_table[id].name);
    else if (argument.words[0])
        printf("(%s)", argument.words);
    else
        fputs(ways[argument.files], stdout);
}

/* An option that takes words or files needs a function for both. */
static void put_zsh_arguments(void)
{
    for (int id = 0; id < OPTIONS; id++) {
        manual_argument argument;
        manual_find_argument((option_id)id, &argument);
        if (argument.words[0] && argument.files)
            printf("_reconstruct_%s() {\n"
                   "    _alternative 'words:word:(%s)' 'files:file:%s'\n}\n",
                   option_table[id].name, argument.words,
                   argument.files == IMAGES ? "_reconstruct_images" : "_files");
    }
}

static void put_zsh_option(option_id id)
{
    const option_row *row = &option_table[id];
    char line[MANUAL_LINE];
    const char *long_sign = !row->argument ? "" : "=", *letter_sign = !row->argument ? "" : "+";
    fputs(" \\\n            '", stdout);
    if (row->letter)
        printf("(-%c --%s)'{-%c%s,--%s%s}'[", row->letter, row->name, row->letter, letter_sign,
               row->name, long_sign);
    else
        printf("--%s%s[", row->name, long_sign);
    put_zsh(manual_brief(row, line));
    putchar(']');
    if (row->argument) {
        fputs(option_is_optional(row) ? "::" : ":", stdout);
        put_zsh(row->argument);
        putchar(':');
        put_zsh_action(id);
    }
    putchar('\'');
}

static void put_zsh_commands(void)
{
    for (int i = COMMAND_RUN + 1; i < COMMANDS; i++) {
        printf("        '%s:", command_table[i].name);
        put_zsh(command_table[i].summary);
        puts("'");
    }
}

static void put_zsh_options(void)
{
    for (int i = 0; i < COMMANDS; i++) {
        printf("    %s)\n        _arguments -s -S :", manual_name((command_id)i));
        for (int id = 0; id < OPTIONS; id++)
            if (manual_has((command_id)i, (option_id)id))
                put_zsh_option((option_id)id);
        if (i == COMMAND_RUN)
            fputs(" \\\n            '1: :_reconstruct_first'", stdout);
        if (takes_images(i))
            fputs(" \\\n            '*:image:_reconstruct_images'", stdout);
        puts("\n        ;;");
    }
}

/* ---- fish ---- */

/* Within ''. */
static void put_fish(const char *text)
{
    for (; *text; text++)
        printf("%s%c", *text == '\'' || *text == '\\' ? "\\" : "", *text);
}

static void put_fish_option(option_id id)
{
    static const char *const ways[] = {
        [NO_FILES] = "", [IMAGES] = "(__reconstruct_images)",
        [FOLDERS] = "(__fish_complete_directories)", [ANY_FILES] = ""};
    const option_row *row = &option_table[id];
    char line[MANUAL_LINE];
    manual_argument argument;
    manual_find_argument(id, &argument);
    fputs("complete -c reconstruct -n '__reconstruct_is", stdout);
    for (int i = 0; i < COMMANDS; i++)
        if (manual_has((command_id)i, id))
            printf(" %s", manual_name((command_id)i));
    printf("' -l %s", row->name);
    if (row->letter)
        printf(" -s %c", row->letter);
    if (row->argument && !option_is_optional(row))
        fputs(argument.files == ANY_FILES ? " -r -F" : " -x", stdout);
    if (argument.words[0] || *ways[argument.files])
        printf(" -a '%s%s%s'", argument.words, argument.words[0] && argument.files ? " " : "",
               ways[argument.files]);
    fputs(" -d '", stdout);
    put_fish(manual_brief(row, line));
    puts("'");
    if (option_is_optional(row)) /* as a word of its own, too */
        printf("complete -c reconstruct -n '__reconstruct_follows --%s' -a '%s'\n", row->name,
               argument.words);
}

static void put_fish_commands(void)
{
    for (int i = COMMAND_RUN + 1; i < COMMANDS; i++) {
        printf("complete -c reconstruct -n __reconstruct_first -a %s -d '", command_table[i].name);
        put_fish(command_table[i].summary);
        puts("'");
    }
}

static void put_fish_options(void)
{
    for (int id = 0; id < OPTIONS; id++)
        put_fish_option((option_id)id);
}

const manual_directive manual_completions[] = {
    {"@command-names@", put_command_names, 0},   {"@image-commands@", put_image_commands, 0},
    {"@image-endings@", put_image_endings, 0},   {"@bash-arguments@", put_bash_arguments, 1},
    {"@bash-options@", put_bash_options, 1},     {"@zsh-arguments@", put_zsh_arguments, 1},
    {"@zsh-commands@", put_zsh_commands, 1},     {"@zsh-options@", put_zsh_options, 1},
    {"@fish-commands@", put_fish_commands, 1},   {"@fish-options@", put_fish_options, 1},
    {NULL, NULL, 0},
};
