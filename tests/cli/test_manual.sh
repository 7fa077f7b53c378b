#!/usr/bin/env bash
# The tables, --help, the manual page and the completions against each other, and what each shell
# really completes: bash always, zsh and fish where they are installed.
#
#   MANUAL  the program that makes page and completions (beside $RECONSTRUCT, else in build/)
. tests/lib.sh

manual=$(cd "$root" && realpath -q "${MANUAL:-$(dirname "$program")/manual}")
[ -x "$manual" ] || manual=$root/build/manual
[ -x "$manual" ] || { echo 'Bail out! the program manual is not there: make builds it'; exit 1; }

made() { "$manual" "$2" >"$1" && [ -s "$1" ]; } # FILE WHAT
given made tables tables
given made page "$root/docs/reconstruct.1.in"
given made bench-page "$root/docs/reconstruct-bench.1.in"
for shell in bash zsh fish; do given made $shell "$root/docs/reconstruct.$shell.in"; done

rows() { # KIND [OF]: the names that the tables have, sorted
    awk -F'\t' -v kind="$1" -v of="${2-}" '
        $1 == kind && (of == "" || $2 == of) { print $NF }' "$top/work/tables" | sort -u
}
commands=$(rows command | grep -v '^run$')
typed() { [ "$1" = run ] || echo "$1"; } # COMMAND: the word for it

same_sets() { # GOT WANTED: lists, whatever their order; an empty one is no list
    [ -n "$2" ] && diff <(sort -u <<<"$1") <(sort -u <<<"$2")
}
# ---- the source ----

# The names as they are written, not as they are compiled.
in_source() {
    same_sets "$(sed -nE 's/^( *\[BENCH_[A-Z_]+\] = \{|ROW\([^"]*)"([a-z-]+)".*/--\2/p' \
        "$root"/src/{commands/option_rows.h,bench/bench_options.c})" "$(rows option | grep '^--')"
}
check 'the source has the options of the tables' in_source

# ---- --help ----

in_help() { # COMMAND
    # shellcheck disable=SC2046
    exits 0 $(typed "$1") --help && same_sets "$(sed -nE '
        s/^  (-[a-zA-Z]), (--[a-z-]+)( .*)?$/\1\n\2/p
        s/^      (--[a-z-]+)( .*)?$/\1/p' "$top/stdout")" "$(rows option "$1")"
}
for command in run $commands; do
    check "--help of $command has its options and no other" in_help "$command"
done
exits 0 --help
check '--help has the commands' same_sets \
    "$(sed -nE 's/^       reconstruct ([a-z]+).*/\1/p' "$top/stdout")" "$commands"
check '--help has the solvers' same_sets "$(sed -nE '/^Solvers/,/^$/s/^  ([a-z]+) .*/\1/p' \
    "$top/stdout")" "$(rows solver)"
check '--help has the exit codes' same_sets \
    "$(sed -nE '/^Exit codes/,$s/^ +([0-9]+) .*/\1/p' "$top/stdout")" "$(rows exit)"
about_itself() { # COMMAND TEXT: its help has that, and explains no other command
    exits 0 "$1" --help && prints "$2" && ! grep -E '`(edges|convolve|compare|bench)' "$top/stdout"
}
check '--help of edges is about edges' about_itself edges 'edges leave the mean free'
check '--help of convolve is about filters' all about_itself convolve 'repeated N times' \
    and prints 'Without a display -o is enough'
check '--help of compare is about a comparison' about_itself compare 'It is a picture of'
check '--help explains epcc' about_itself convolve "epcc, the exercise's square root"

# ---- the page ----

section() { # PAGE HEADING: its lines, without the backslashes of hyphens
    sed -n "/^\.S[HS] $2\$/,/^\.S[HS]/p" "$1" | sed 's/\\-/-/g'
}
bold_terms() { # PAGE HEADING: what is bold in the first line of each item
    section "$1" "$2" | grep -A1 '^\.TP$' | grep -oP '\\fB\K.*?(?=\\fR)'
}
in_page() { # PAGE COMMAND
    local word
    if [ "$2" = bench ]; then # it has a page of its own
        same_sets "$(bold_terms bench-page OPTIONS | grep '^-')" "$(rows option bench)"
        return
    fi
    word=$(typed "$2")
    same_sets "$(bold_terms "$1" "reconstruct${word:+ $word}" | grep '^-')" "$(rows option "$2")"
}
page_has() { # PAGE HEADING KIND
    same_sets "$(bold_terms "$1" "$2" | sed 's/\\e/\\/')" "$(rows "$3")"
}
signals_in_page() {
    local signal signals
    signals=$(sed -n 's/.*stopping\[\] = {\(.*\)};/\1/p' "$root/src/run/signals.c" | tr -d ,)
    [ -n "$signals" ] || return
    for signal in $signals; do
        section page SIGNALS | grep -w "$signal" || { echo "no $signal"; return 1; }
    done
}
kernels_in_page() {
    same_sets "$(section page SOLVERS | sed -n '/^its kernel/,/^\.TP/p' |
        grep -oP '\\fB\K.*?(?=\\fR)')" "$(rows kernel)"
}
lint() { # COMMAND...: it finds nothing to say but of the length of lines, which are of tables
    "$@" page bench-page >listed 2>said
    case $1 in mandoc) grep -v 'input text line longer' listed >>said ;; esac
    [ ! -s said ] || { cat said; return 1; }
}
for command in run $commands; do
    check "the page has the options of $command and no other" in_page page "$command"
done
check 'the page has the commands' same_sets "$(sed -n 's/^\.SS reconstruct //p' page)" "$commands"
check 'the page has the solvers' same_sets "$(bold_terms page SOLVERS | grep -v '^auto$')" \
    "$(rows solver)"
check 'the page has the kernels' kernels_in_page
check 'the page has the tones' page_has page TONES tone
check 'the page has the formats' page_has page FORMATS format
check 'the page has the exit codes' page_has page 'EXIT STATUS' exit
check 'the page has the signals' signals_in_page
if built_with SDL2; then
    check 'the page has the keys' page_has page WINDOW key
else
    check 'without a window there are no keys' eval \
        '[ -z "$(rows key)" ] && ! grep -q "^\.SH WINDOW" page && grep -q "without a window" page'
fi
check 'no directive is left over' eval '! grep -n "@[a-z-][a-z-]*@" page bench-page bash zsh fish'
for name in groff mandoc; do
    case $name in groff) lints='groff -man -Tutf8 -ww' ;; mandoc) lints='mandoc -T lint' ;; esac
    # shellcheck disable=SC2086
    check_where 'command -v $name' "there is no $name here" \
        "$name finds nothing wrong with the pages" lint $lints
done
# ---- bash ----

kinds=$'halo\nmirror\nwrap\nsawtooth\nmirror101\nreplicate\ncylinder'

mkdir shelf && cd shelf || exit 1
mkdir 'deep folder' && : >a.pgm && : >'two words.PPM' && : >b.dat && : >notes.txt &&
    : >'deep folder/c.pfm'
files=$'a.pgm\ntwo words.PPM\nb.dat\ndeep folder'

bash_completes() { # FILE WORD...: what bash would offer for the last of them
    local file=$1
    shift
    bash --norc -c '
        . "$1" && shift && COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) &&
        _reconstruct reconstruct "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"
        printf "%s\n" "${COMPREPLY[@]}"' bash "$file" "${completes-reconstruct}" "$@"
}
in_bash() { # FILE COMMAND
    # shellcheck disable=SC2046
    same_sets "$(bash_completes "$1" $(typed "$2") -)" "$(rows option "$2")"
}
offers() { same_sets "$(bash_completes ../bash "${@:2}")" "$1"; } # WANTED WORD...
offers_nothing() { empty "$(bash_completes ../bash "$@")"; } # WORD...
check 'bash reads its completion' bash -n ../bash
for command in run $commands; do
    check "bash completes the options of $command and no other" in_bash ../bash "$command"
done
check 'bash: the first word is a command or an image' offers "$commands"$'\n'"$files" ''
check 'bash: what was begun' offers edges ed
check 'bash: options that were begun' offers $'--checkpoint\n--checkpoint-every' --check
check 'bash: solvers' offers $'auto\n'"$(rows solver)" --solver ''
check 'bash: solvers behind the letter, of bench' offers cpu bench -s cp
offers_alone() { completes=reconstruct-bench offers "$@"; } # WANTED WORD...: to that program
check 'bash: the options of reconstruct-bench' offers_alone "$(rows option bench)" -
check 'bash: its solvers' offers_alone cpu -s cp
check 'bash: kernels' offers "$(rows kernel)" --kernel ''
check 'bash: tones' offers "$(rows tone)" --tone ''
check 'bash: formats' offers "$(rows format)" edges --format ''
check 'bash: words of an option' offers "$kinds" edges --boundary ''
check 'bash: words behind =' offers "$kinds" edges --boundary =
check 'bash: a word begun behind =' offers sawtooth --boundary = sa
check 'bash: a word that may be missing, or an image' offers $'reference\nspectral\n'"$files" \
    --compare ''
check 'bash: behind = the word alone' offers $'reference\nspectral' --compare =
check 'bash: a word or a file' offers $'edges\n'"$files" --start ''
check 'bash: folders' offers 'deep folder' --frames ''
check 'bash: any file' offers "$files"$'\nnotes.txt' --report ''
check 'bash: a number is not completed' offers_nothing -n ''
check 'bash: images behind options' offers "$files" --headless -n 5 ''
check 'bash: images of compare' offers "$files" compare a.pgm ''
check 'bash: images of convolve' offers "$files" convolve ''
check 'bash: no images for devices' offers_nothing devices ''
check 'bash: commands for help' offers "$commands" help ''
check 'bash: stencils' offers $'sobel-x\nsobel-y' edges --stencil sob
check 'bash: behind -- no options' offers_nothing -- --
check 'bash: behind -- images' offers "$files" -- --solver ''
# ---- fish, zsh ----

fish_completes() { # FILE LINE
    fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$1" "$2" | cut -f1
}
# Zsh completes in its line editor alone: this runs one in a terminal of its own, with a compadd
# that writes down what it is asked to add.
cat >../zsh-driver <<'END'
zmodload zsh/zpty
file=$1 line=$2 said=$3
mkdir -p $said.d && cp $file $said.d/_reconstruct && : >$said || exit
zpty -b inner zsh -f -i
zpty -w inner "fpath=($said.d \$fpath) said=$said PS1= LISTMAX=0 KEYTIMEOUT=1"
zpty -w inner 'autoload -Uz compinit; compinit -u -C -d $said.dump
compadd() {
    local -a hits
    if (( ! ${@[(I)-(O|A|D)]} )); then
        builtin compadd -O hits "$@"
        (( $#hits )) && print -rl -- ${(Q)hits} >>$said
    fi
    builtin compadd "$@"
}
finish() { print -r -- "#done" >>$said; BUFFER= }
zle -N finish; bindkey "^X" finish; bindkey "^I" complete-word; print -r -- "#ready" >>$said'
wait_for() {
    local tries
    for ((tries = 0; tries < 500; tries++)); do
        while zpty -r -t inner >/dev/null; do :; done
        [[ $(<$said) == *$1* ]] && return
        sleep 0.02
    done
    return 1
}
wait_for '#ready' && zpty -w -n inner "$line"$'\t\x18' && wait_for '#done'
zpty -d inner
grep -v '^#' $said
END
zsh_completes() { zsh -f ../zsh-driver "$(realpath "$1")" "$2" "$top/zsh-said"; } # FILE LINE
in_shell() { # FILE COMMAND
    same_sets "$("${shell}_completes" "$1" "reconstruct $(typed "$2") -" | sed 's/=$//; s/:.*//')" \
        "$(rows option "$2")"
}
in_bench_alone() { # FILE
    same_sets "$("${shell}_completes" "$1" 'reconstruct-bench -' | sed 's/=$//; s/:.*//')" \
        "$(rows option bench)"
}
shell_offers() { same_sets "$("${shell}_completes" "../$shell" "$2")" "$1"; } # WANTED LINE
shell_checks() { # SHELL IMAGES BEFORE-A-WORD IMAGE-IN-A-FOLDER FOLDERS
    local command shell=$1
    command -v "$shell" >/dev/null || { skip "$shell" "there is no $shell here"; return; }
    for command in run $commands; do
        check "$shell completes the options of $command and no other" in_shell "../$shell" \
            "$command"
    done
    check "$shell completes the options of reconstruct-bench" in_bench_alone "../$shell"
    check "$shell: the first word" shell_offers "$commands"$'\n'"$2" 'reconstruct '
    check "$shell: solvers" shell_offers $'auto\n'"$(rows solver)" 'reconstruct bench -s '
    check "$shell: words of an option" shell_offers "$kinds" 'reconstruct edges --boundary '
    check "$shell: words behind =" shell_offers "$(sed "s/^/$3/" <<<"$kinds")" \
        'reconstruct --boundary='
    check "$shell: a word that may be missing" shell_offers \
        $'reference\nspectral\n'"$2" 'reconstruct --compare '
    check "$shell: images" shell_offers "$2" 'reconstruct compare '
    check "$shell: commands for help" shell_offers "$commands" 'reconstruct help '
    check "$shell: an image in a folder" shell_offers "$4" 'reconstruct deep\ folder/'
    check "$shell: folders" shell_offers "$5" 'reconstruct --frames '
}
shell_checks fish "${files/%deep folder/deep folder/}" '--boundary=' 'deep folder/c.pfm' \
    'deep folder/'
shell_checks zsh "$files" '' c.pfm 'deep folder'

finish
