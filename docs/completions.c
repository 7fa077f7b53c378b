/* The completions for bash, zsh and fish: each shell's own way around the same tables.
 *
 * They complete commands, options, the words of options, folders, and images by their ending.
 * Left out on purpose: options written in one word with their letter (-scpu), and lists with commas
 * behind their first part. */
#include <stdio.h>
#include <string.h>

#include "docs/manual.h"

/* Whether the option may stand without its argument. */
static int is_optional(const option_row *row) { return row->kind == OPTION_WORD; }

static void print_commands(const char *between)
{
    const char *gap = "";
    for (int i = 0; i < COMMANDS; i++)
        if (command_table[i].name) {
            printf("%s%s", gap, command_table[i].name);
            gap = between;
        }
}

/* Of the commands whose operands are images. */
static void print_takers(const char *between)
{
    const char *gap = "";
    for (int i = 0; i < COMMANDS; i++)
        if (manual_takes_images((command_id)i)) {
            printf("%s%s", gap, manual_name((command_id)i));
            gap = between;
        }
}

static void print_head(const char *first, const char *shell)
{
    printf("%s# Completion of reconstruct for %s, made from the program's tables.\n\n", first,
           shell);
}

/* ---- bash ---- */

static void print_bash_argument(option_id id)
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
           is_optional(row) ? " [[ $joined ]] && return" : " return");
}

void manual_print_bash(void)
{
    print_head("", "bash");
    fputs("# These add to COMPREPLY what begins with $current.\n"
          "_reconstruct_words() # WORDS\n"
          "{\n"
          "    local word\n"
          "    for word in $1; do\n"
          "        [[ $word == \"$current\"* ]] && COMPREPLY+=(\"$word\")\n"
          "    done\n"
          "}\n"
          "_reconstruct_files() # -d: folders, -f: all\n"
          "{\n"
          "    local name\n"
          "    compopt -o filenames 2>/dev/null\n"
          "    while IFS= read -r name; do\n"
          "        COMPREPLY+=(\"$name\")\n"
          "    done < <(compgen \"$1\" -- \"$current\")\n"
          "}\n"
          "_reconstruct_images()\n"
          "{\n"
          "    local name\n"
          "    _reconstruct_files -d\n"
          "    while IFS= read -r name; do\n"
          "        [[ ${name,,} == *.@(", stdout);
    manual_print_endings("|");
    fputs(") ]] && COMPREPLY+=(\"$name\")\n"
          "    done < <(compgen -f -- \"$current\")\n"
          "}\n\n"
          "_reconstruct()\n"
          "{\n"
          "    local current=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]}\n"
          "    local command=run joined='' operands='' i\n"
          "    COMPREPLY=()\n"
          "    case ${COMP_WORDS[1]} in\n"
          "    ", stdout);
    print_commands(" | ");
    fputs(") ((COMP_CWORD > 1)) && command=${COMP_WORDS[1]} ;;\n"
          "    esac\n"
          "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
          "        [[ ${COMP_WORDS[i]} == -- ]] && operands=1\n"
          "    done\n"
          "    # --option=word comes as three words.\n"
          "    if [[ $current == = ]]; then\n"
          "        joined=1 current=''\n"
          "    elif [[ $option == = ]]; then\n"
          "        joined=1 option=${COMP_WORDS[COMP_CWORD - 2]}\n"
          "    fi\n"
          "    [[ $operands ]] || case $option in\n", stdout);
    for (int id = 0; id < OPTIONS; id++)
        if (option_table[id].argument)
            print_bash_argument((option_id)id);
    fputs("    esac\n"
          "    if [[ ! $operands && $current == -* ]]; then\n"
          "        case $command in\n", stdout);
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
    fputs("        esac\n"
          "        return\n"
          "    fi\n"
          "    ((COMP_CWORD == 1)) && _reconstruct_words '", stdout);
    print_commands(" ");
    fputs("'\n"
          "    case $command in\n"
          "    ", stdout);
    print_takers(" | ");
    puts(") _reconstruct_images ;;\n"
         "    esac\n"
         "}\n"
         "complete -F _reconstruct reconstruct");
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

static void print_zsh_action(option_id id)
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
static void print_zsh_mixed(option_id id)
{
    manual_argument argument;
    if (!option_table[id].argument)
        return;
    manual_find_argument(id, &argument);
    if (argument.words[0] && argument.files)
        printf("_reconstruct_%s() {\n"
               "    _alternative 'words:word:(%s)' 'files:file:%s'\n}\n", option_table[id].name,
               argument.words, argument.files == IMAGES ? "_reconstruct_images" : "_files");
}

static void print_zsh_option(option_id id)
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
        fputs(is_optional(row) ? "::" : ":", stdout);
        put_zsh(row->argument);
        putchar(':');
        print_zsh_action(id);
    }
    putchar('\'');
}

void manual_print_zsh(void)
{
    print_head("#compdef reconstruct\n", "zsh");
    fputs("_reconstruct_images() {\n"
          "    _files -g '*.(#i)(", stdout);
    manual_print_endings("|");
    puts(")'\n}");
    for (int id = 0; id < OPTIONS; id++)
        print_zsh_mixed((option_id)id);
    fputs("_reconstruct_commands() {\n"
          "    local -a commands\n"
          "    commands=(\n", stdout);
    for (int i = 0; i < COMMANDS; i++)
        if (command_table[i].name) {
            printf("        '%s:", command_table[i].name);
            put_zsh(command_table[i].summary);
            puts("'");
        }
    fputs("    )\n"
          "    _describe -t commands command commands\n"
          "}\n"
          "_reconstruct_first() {\n"
          "    if ((CURRENT > 2)); then\n"
          "        _reconstruct_images\n"
          "    else\n"
          "        _alternative 'commands:command:_reconstruct_commands' \\\n"
          "            'images:image:_reconstruct_images'\n"
          "    fi\n"
          "}\n\n"
          "_reconstruct() {\n"
          "    local command=run\n"
          "    if ((CURRENT > 2)) && [[ $words[2] == (", stdout);
    print_commands("|");
    fputs(") ]]; then\n"
          "        command=$words[2]\n"
          "        shift words\n"
          "        ((CURRENT--))\n"
          "    fi\n"
          "    case $command in\n", stdout);
    for (int i = 0; i < COMMANDS; i++) {
        printf("    %s)\n        _arguments -s -S :", manual_name((command_id)i));
        for (int id = 0; id < OPTIONS; id++)
            if (manual_has((command_id)i, (option_id)id))
                print_zsh_option((option_id)id);
        if (i == COMMAND_RUN)
            fputs(" \\\n            '1: :_reconstruct_first'", stdout);
        if (manual_takes_images((command_id)i))
            fputs(" \\\n            '*:image:_reconstruct_images'", stdout);
        puts("\n        ;;");
    }
    puts("    esac\n}\n\n_reconstruct \"$@\"");
}

/* ---- fish ---- */

/* Within ''. */
static void put_fish(const char *text)
{
    for (; *text; text++)
        printf("%s%c", *text == '\'' || *text == '\\' ? "\\" : "", *text);
}

static void print_fish_option(option_id id)
{
    static const char *const ways[] = {
        [NO_FILES] = "", [IMAGES] = "(__reconstruct_images)",
        [FOLDERS] = "(__fish_complete_directories)", [ANY_FILES] = ""};
    const option_row *row = &option_table[id];
    char line[MANUAL_LINE];
    manual_argument argument = {.files = NO_FILES};
    if (row->argument)
        manual_find_argument(id, &argument);
    fputs("complete -c reconstruct -n '__reconstruct_is", stdout);
    for (int i = 0; i < COMMANDS; i++)
        if (manual_has((command_id)i, id))
            printf(" %s", manual_name((command_id)i));
    printf("' -l %s", row->name);
    if (row->letter)
        printf(" -s %c", row->letter);
    if (row->argument)
        fputs(is_optional(row) ? "" : argument.files == ANY_FILES ? " -r -F" : " -x", stdout);
    if (argument.words[0] || *ways[argument.files])
        printf(" -a '%s%s%s'", argument.words, argument.words[0] && argument.files ? " " : "",
               ways[argument.files]);
    fputs(" -d '", stdout);
    put_fish(manual_brief(row, line));
    puts("'");
    if (is_optional(row)) /* as a word of its own, too */
        printf("complete -c reconstruct -n '__reconstruct_follows --%s' -a '%s'\n", row->name,
               argument.words);
}

void manual_print_fish(void)
{
    print_head("", "fish");
    fputs("# Is it one of these commands that is being typed?\n"
          "function __reconstruct_is\n"
          "    set -l words (commandline -opc)\n"
          "    if contains -- \"$words[2]\" ", stdout);
    print_commands(" ");
    fputs("\n"
          "        contains -- $words[2] $argv\n"
          "    else\n"
          "        contains -- run $argv\n"
          "    end\n"
          "end\n"
          "function __reconstruct_first\n"
          "    test (count (commandline -opc)) -eq 1\n"
          "end\n"
          "function __reconstruct_follows\n"
          "    set -l words (commandline -opc)\n"
          "    test \"$words[-1]\" = $argv[1]\n"
          "end\n"
          "function __reconstruct_images\n"
          "    set -l begun (string unescape -- (commandline -ct))\n"
          "    set begun (string replace -r '^-[^=]*=' '' -- $begun)\n"
          "    __fish_complete_path \"$begun\" |\n"
          "        string match -ri '^[^\\t]*(?:/|\\.(?:", stdout);
    manual_print_endings("|");
    fputs("))(?=\\t|$)'\n"
          "end\n\n"
          "complete -c reconstruct -f\n", stdout);
    for (int i = 0; i < COMMANDS; i++)
        if (command_table[i].name) {
            printf("complete -c reconstruct -n __reconstruct_first -a %s -d '",
                   command_table[i].name);
            put_fish(command_table[i].summary);
            puts("'");
        }
    fputs("complete -c reconstruct -n '__reconstruct_is ", stdout);
    print_takers(" ");
    puts("' -a '(__reconstruct_images)'");
    for (int id = 0; id < OPTIONS; id++)
        print_fish_option((option_id)id);
}
