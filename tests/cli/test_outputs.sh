#!/usr/bin/env bash
# Outputs are whole or absent: where they cannot be created (73), and cannot be written (74). A
# killed program's are in test_kills.sh.
. tests/lib.sh

waves 300 200 >picture.pgm
given works edges picture.pgm -o e.pgm
given works --headless -q -n 5 e.pgm -o new.pgm
{ printf 'P5 300 199 255\n'; zeros 59700; } >old.pgm

# ---- a locale with a decimal comma ----

# As a window system sets one in all threads: for good, or for a moment again and again.
cat >comma.c <<'END'
#include <locale.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static void *turn(void *none)
{
    for (int i = 0;; i++, usleep(100))
        setlocale(LC_ALL, i % 2 ? "" : "C");
    return none;
}
__attribute__((constructor)) static void comma(void)
{
    pthread_t thread;
    setlocale(LC_ALL, "");
    if (getenv("TURNS"))
        pthread_create(&thread, NULL, turn, NULL);
}
END
mkdir locales
printf '%s\n' '3 3' '0 -1 0' '-1 4.5 -1' '0 -1 0' >stencil.txt
with_comma() { env LOCPATH=$PWD/locales LC_ALL=de_DE.UTF-8 LD_PRELOAD="$PWD/comma.so" "$@"; }
numbers_into() { # FOLDER [COMMAND]: that has a list read and write numbers
    "${@:2}" "$program" --headless -q --jobs 2 -n 5 --halo 0.5 e.pgm new.pgm -o "$1" --format pfm \
        --report "$1.json" &&
        "${@:2}" "$program" edges --stencil stencil.txt "$1/e.pfm" -o "$1/edges.pfm"
}
numbers_keep_their_point() {
    numbers_into plain && numbers_into comma with_comma "$@" && diff -r plain comma &&
        equal "$(grep -c '"change_rms": [0-9]*\.[0-9]' comma.json)" 2
}
if where '! sanitized && "${CC:-gcc}" -shared -fPIC -pthread -o comma.so comma.c &&
    localedef -i de_DE -f UTF-8 locales/de_DE.UTF-8 &&
    [[ $(with_comma printf %.1f 0,5) == 0,5 ]]' 'no locale with a comma can be made here' \
    'numbers have a point, whatever the locale is'; then
    check 'numbers have a point, whatever the locale is' numbers_keep_their_point
    check 'and while a thread switches it' numbers_keep_their_point env TURNS=1
fi

# ---- cannot be created ----

mkdir folder.pgm
check 'edges into a folder that does not exist' refuses 73 missing/out.pgm \
    edges picture.pgm -o missing/out.pgm
# Before the iterations: an hour's work is not lost to a mistyped folder.
refusals --headless -q -n 1000000000000 -t 1e-300 e.pgm <<'END'
73~missing/out.pgm~-o missing/out.pgm
73~missing/r.json~-o out.pgm --report missing/r.json
73~missing/c~-o out.pgm --checkpoint missing/c
73~folder.pgm~-o out.pgm --report folder.pgm
73~folder.pgm~-o out.pgm --checkpoint folder.pgm
73~old.pgm~picture.pgm --output-dir old.pgm
64~several inputs need a folder: -o FOLDER/~picture.pgm -o new.pgm
73~missing/made~picture.pgm -o missing/made
64~cannot both go to stdout~-o /dev/stdout --report -
64~/dev/stdout: must be a file~-o x.pgm --checkpoint /dev/stdout
END

# ---- cannot be written ----

stdout_full() { # ARGUMENT...
    arguments=("$@")
    "$program" "$@" >/dev/full 2>"$top/stderr"
    status=$?
    : >"$top/stdout"
    complaint_is 74 'standard output'
}
if where '[ -c /dev/full ]' 'there is no /dev/full' 'full devices'; then
    check 'edges to /dev/full' refuses 74 /dev/full edges picture.pgm -o /dev/full --format pgm
    check 'a report to /dev/full; the picture is there' \
        eval 'run --headless -q -n 5 e.pgm -o out.pgm --report /dev/full;
        complaint_is 74 /dev/full && [ -c /dev/full ] && same out.pgm new.pgm'
    check 'the picture to a full stdout' stdout_full --headless -q -n 5 e.pgm -o -
    check 'the report to a full stdout' stdout_full --headless -q -n 5 e.pgm --report -
    check 'the comparison to a full stdout' stdout_full --headless -q -n 5 e.pgm --compare
    check '--help to a full stdout' stdout_full --help
fi
closed_pipe() {
    arguments=(--headless -q -n 5 e.pgm -o - --format pfm)
    "$program" "${arguments[@]}" 2>"$top/stderr" | true
    status=${PIPESTATUS[0]}
    : >"$top/stdout"
    complaint_is 74 'standard output'
}
check 'a pipe that nobody reads' closed_pipe

keeps_old() { # OUTPUT OPTION...: 74, the old file is as it was, and no other is there
    local output=$1 folder
    folder=$(dirname "$1")
    cp old.pgm "$output" && refuses 74 "$output" --headless -q -n 5 e.pgm -o "$output" "${@:2}" &&
        same "$output" old.pgm && tidy "$folder"
}
# More than this process may write; also of folders that cannot be mounted.
check 'a limit on the size of files keeps the old one' eval \
    '(ulimit -f 100 && keeps_old kept.pgm --format pfm) && tidy' # where nothing can be mounted, too
mkdir small
if where 'is_root && mount -t tmpfs -o size=160k tmpfs small' 'no tmpfs can be mounted here' \
    'a full disk'; then
    mounted=$PWD/small
    check 'a full disk keeps the old file' keeps_old small/kept.pgm --format pfm
    check 'a full disk and a .dat' keeps_old small/kept.pgm --format dat
    check 'a disk that has room takes the new file' all works --headless \
        -q -n 5 e.pgm -o small/kept.pgm and same small/kept.pgm new.pgm and tidy small
    check 'a checkpoint on a full disk' all refuses 74 small/c \
        --headless -q -n 1000000000 e.pgm -o out2.pgm --checkpoint small/c --checkpoint-every 0 \
        and absent out2.pgm small/c and tidy small
fi

# ---- what is already there: links, pipes, modes are in tests/unit/test_image_output.c ----

check '/dev/stdout to a pipe' eval 'exits 0 --headless -q -n 5 e.pgm -o /dev/stdout --format pgm |
    cat && "$program" --headless -q -n 5 e.pgm -o /dev/stdout --format pgm | cmp - new.pgm'
lines_around() { # OUTPUT: what stands before and behind the data stays
    { echo header && "$program" edges picture.pgm --format dat -o "$1" && echo footer; } >around
    { echo header && cat whole.dat && echo footer; } | cmp - around
}
descriptors() {
    local way
    "$program" edges picture.pgm --format dat -o - >whole.dat && ln -s /dev/stdout leads || return
    for way in - /dev/stdout /dev/fd/1 /proc/self/fd/1 leads; do
        lines_around "$way" || return
    done
    echo header >more && "$program" edges picture.pgm --format dat -o /dev/fd/7 7>>more &&
        { echo header && cat whole.dat; } | cmp - more && echo header >said &&
        "$program" --headless -q -n 2 e.pgm -o x.pgm --report /dev/stderr 2>>said &&
        "$program" --headless -q -n 2 e.pgm new.pgm -o x/ --report /dev/stdout >>said &&
        equal "$(grep -c ^{ said)" 3 && equal "$(head -1 said)" header && exec 5>gone && rm gone &&
        "$program" edges picture.pgm --format dat -o /dev/fd/5 &&
        equal "$(stat -Lc %s /dev/fd/5)" "$(stat -c %s whole.dat)" && exec 5>&- &&
        empty "$(find . -name '*deleted*')"
}
check 'an open descriptor is written to as it is' descriptors
check 'one that is closed' refuses 73 '/dev/fd/9: is not open for writing' \
    edges picture.pgm -o /dev/fd/9
check 'one that is open for reading' eval 'refuses 73 "is not open for writing" \
    --headless -q -n 5 e.pgm -o x.pgm --report /dev/fd/7 7<old.pgm'
check 'a bad input leaves the output as it was' eval 'cp old.pgm kept2.pgm && : >empty.pgm &&
    refuses 65 empty.pgm --headless -q -n 5 empty.pgm -o kept2.pgm && same kept2.pgm old.pgm'
check 'no temporary file is left by all of these' tidy

kept_after() { # CODE TEXT: of the run before, whose output failed in the end
    complaint_is "$1" "$2" && says 'the work is kept in kept' &&
        works --headless -q -n 5 e.pgm -o out.pgm --checkpoint kept --report r.json &&
        contains r.json '"resumed": 5' && same out.pgm new.pgm && absent kept && tidy
}
full_in_the_end() { # OUTPUT
    run --headless -q -n 5 e.pgm -o "$1" --format pfm --checkpoint kept
    kept_after 74 'No space left'
}
folder_in_the_end() { # the output's name is taken while the input is awaited
    mkfifo late.fifo || return
    "$program" --headless -q -n 5 late.fifo -o taken.pgm --checkpoint kept 2>"$top/stderr" &
    exec 9>late.fifo && mkdir taken.pgm && cat e.pgm >&9
    exec 9>&-
    wait $!
    status=$?
    : >"$top/stdout"
    kept_after 73 'taken.pgm: is a folder' && rmdir taken.pgm
}
check 'a full device in the end: the checkpoint keeps the work' full_in_the_end /dev/full
[ -z "$mounted" ] ||
    check 'a full disk in the end: the checkpoint keeps the work' full_in_the_end small/kept.pgm
check 'a folder in its place in the end: the checkpoint keeps the work' folder_in_the_end

# ---- names ----

printable() { # what the run said has no control character but line feeds
    ! LC_ALL=C grep -aq $'[\x01-\x09\x0b-\x1f\x7f\x80-\x9f]' "$top/stdout" "$top/stderr" \
        "$top/warnings"
}
evil=$'e\e[31m\x9b2J\n\r\xc2\x9bx.pgm'
evil_name() {
    cp e.pgm "$evil" && exits 0 --headless -n 5 "$evil" -o "o$evil" --frames film -k 5 &&
        printable &&
        says 'e?[31m' && same "o$evil" new.pgm &&
        exits 1 --headless -n 5 -t 1e-9 "$evil" -o x.pgm &&
        printable && exits 1 compare "$evil" new.pgm && printable &&
        prints 'e?[31m' && exits 0 --headless --compare -n 2 "$evil" && printable &&
        refuses 66 'gone e?[31m' edges "gone $evil" -o x.pgm && printable &&
        exits 65 --headless -n 5 "$evil" picture.pgm /dev/null -o many/ && printable
}
long_names() { # a part has 255 bytes, a path 4095
    local part path=. i
    part=$(printf 'x%.0s' {1..250})
    for ((i = 0; i < 14; i++)); do path=$path/$part; mkdir "$path" || return; done
    works --headless -q -n 5 e.pgm -o "$path/$part.pgm" && same "$path/$part.pgm" new.pgm &&
        works --headless -q -n 5 e.pgm -o "$part.pfm" --checkpoint "$path/c" && tidy "$path" &&
        run edges "$path/$part-none.pgm" -o x.pgm && equal "$status" 66 &&
        says 'cannot be opened: File name too long' &&
        run edges "$path/none.pgm" -o x.pgm && equal "$status" 66 &&
        says 'none.pgm: cannot be opened: No such file or directory'
}
small_stack() { # ARGUMENT...; what sanitizers put around variables takes room, too
    (ulimit -s $((64 + $(sanitized && echo 128 || echo 0))) && works "$@")
}
check 'control characters of names do not reach the terminal' evil_name
check 'long names, and the reason stands behind them' long_names
check 'a small stack: plain text' eval 'printf "P2 3 2 255 1 2 3 4 5 6" >plain.pgm
    small_stack edges plain.pgm -o plain.dat &&
    small_stack --headless -q -n 2 plain.dat -o plain.pfm'
check 'a small stack: the exact picture' small_stack --headless -q e.pgm -o small.pgm
check 'a small stack: the cpu solver' eval \
    'small_stack --headless -q -n 5 -s cpu e.pgm -o small.pgm && same small.pgm new.pgm'
check 'a small header of a large image takes no time' eval \
    'printf "P5 60001 30000 255\n" >huge.pgm && SECONDS=0 &&
    refuses 65 "ends after 0 of 30000 rows" edges huge.pgm -o x.pgm && [ $SECONDS -lt 20 ]'

finish
