#!/usr/bin/env bash
# Random keys, mouse, sizes and file changes, for minutes: no part of `make check`.
#
#   tests/window/monkey.sh [MINUTES [SEED]]     (10, and a seed by the clock, which it prints)
#
# The same seed does the same things in the same order, though not at the same moments. It fails,
# and leaves what was done in $MONKEY_LOG (monkey.log), when the program dies, does not leave when
# it is told to, or says anything on stderr but its own messages.
MONKEY_LOG=$(realpath "${MONKEY_LOG:-monkey.log}")
minutes=${1:-10} seed=${2:-$((SECONDS + $(date +%s) % 100000))}
. tests/window/lib.sh
PATIENCE=${PATIENCE:-60} RANDOM=$seed

echo "# seed $seed, $minutes minutes"
: >"$MONKEY_LOG"
note() { echo "$*" >>"$MONKEY_LOG"; }
any() { shift $((RANDOM % $#)) && echo "$1"; } # WORD...: one of them
upto() { echo $(((RANDOM * 32768 + RANDOM) % ($1 + 1))); } # N: 0..N

# ---- what there is to see ----

mkdir shelf
for size in '1 1' '1 300' '700 2' '333 222'; do
    # shellcheck disable=SC2086
    waves $size >"${size/ /x}.pgm" && edges_of "${size/ /x}.pgm"
done
head -c 700 edges-grey.pgm >edges-short.pgm
echo nonsense >edges-nonsense.pgm
: >edges-empty.pgm
set -- edges-*
good=(edges-grey.pgm edges-colour.ppm edges-small.pgm edges-333x222.pgm edges-1x1.pgm
    edges-700x2.pgm)

# Each is one way to start it; pictures are painted in, as edges are watched.
ways=('' '-k 1' '-k 100000' '-n 500 --format pam -o out' '-s spectral' '-s reference -k 1'
    '--tone stretch --pace max' '--pace 0.5' '--reference ../grey.pgm' '--reference ../colour.ppm'
    '--frames film --frames-log -n 3000' '--checkpoint marks -n 100000' '--start 0 --halo 9'
    '--boundary mirror --balance' heal heal 'heal -s cpu -n 3000' 'heal -o out/'
    'clone ../colour.ppm' 'clone ../grey.pgm')
usually=()

# ---- what a monkey does ----

keys=(space n i r plus minus K k comma period Home End Next Prior s 1 2 3 4 5 Tab z x 0 o Left
    Right Up Down braceleft braceright backslash H Return t g G c C d p v f F11 h question
    Escape u e j b b S bracketleft bracketright w Delete ctrl+z ctrl+y ctrl+shift+z ctrl+o)
ways_off=(-300 -20 -1 0 1 20 300)
events() { # COUNT: words for xdotool
    local i across=900 down=700
    for ((i = 0; i < $1; i++)); do
        case $((RANDOM % 13)) in
        0 | 1 | 2 | 3 | 4) echo "key --delay $(upto 30) $(any "${keys[@]}")" ;;
        5 | 6) echo "mousemove --window $window $(upto $across) $(upto $down)" ;;
        7) echo "click --repeat $(any 1 1 2 2 3 5) --delay $(upto 40) $(any 1 1 2 3 4 4 4 5 5)" ;;
        8) echo "mousedown $(any 1 1 1 2)" ;;
        9) echo "mouseup $(any 1 2)" ;;
        10) echo "mousemove_relative -- $(any "${ways_off[@]}") $(any "${ways_off[@]}")" ;;
        11) echo "keydown ctrl click 1 keyup ctrl" ;;
        12) echo "windowsize $window $(any 1 240 480 777 1280 1600 "$(upto 1200)") \
            $(any 1 200 500 901 1024 "$(upto 1000)")" ;;
        esac
    done
}
change_a_file() { # FILE...: any of them becomes any other, or goes
    local from to
    to=in-$((RANDOM % 3)) from=$(any "$@")
    note "file $to $from"
    case $((RANDOM % 5)) in
    0) rm -f "$to" ;;
    1) cat "../$from" >"$to" ;; # not at once
    *) cp "../$from" shelf && mv "shelf/$from" "$to" ;;
    esac
}

# The program's own words are its name and a message, a note, or the command of what was saved.
own_words() { ! grep -vE '^(reconstruct:|reconstruct (heal|clone)|note:|warning:) ' "$top/stderr"; }

leaves() {
    local how status
    how=$(any q q q TERM INT)
    note "leaves by $how"
    x mouseup 1 mouseup 2
    case $how in
    q) ended || press Escape q Return ;; # out of a prompt; and leaves what is not saved
    *) kill "-$how" $pid 2>/dev/null ;;
    esac
    wait_for ended || { kill -KILL $pid; return 1; }
    wait $pid
    status=$?
    note "exit $status"
    case $status in
    0 | 65 | 66 | 69 | 73 | 74 | 75) ;;
    143 | 130) [ "$how" != q ] ;;
    *) false ;;
    esac
}

round() { # FILE...: one run of the program
    local i way count
    way=$(any "${ways[@]}") count=$((RANDOM % 4))
    mkdir shelf
    for ((i = 0; i < 3; i++)); do cp "../$(any "${good[@]}")" in-$i; done
    case $way in
    heal*) [ $count -gt 0 ] || count=1 ;;
    clone*) count=1 ;;
    *spectral*) headless -s spectral ../edges-small.pgm -o x.pgm || return 0 ;;
    esac
    # shellcheck disable=SC2046,SC2086
    set -- $way -- $(for ((i = 0; i < count; i++)); do echo in-$i; done)
    note "starts $*"
    launch "$@"
    wait_for find_window_or_end || return
    [ -n "$window" ] || { leaves && own_words; return; }
    for ((i = 0; i < 150 && SECONDS < until; i++)); do
        what=$(events $((1 + RANDOM % 9)))
        note "$what"
        ended && break
        # shellcheck disable=SC2086
        x windowfocus "$window" $what >/dev/null 2>&1
        [ $((RANDOM % 8)) -gt 0 ] || change_a_file "${all[@]}"
    done
    leaves && own_words
}

all=("$@") until=$((SECONDS + minutes * 60)) rounds=0 what=
rm -r shelf
while [ $SECONDS -lt $until ]; do
    begin
    if ! round >"$top/notes" 2>&1; then
        cat "$top/notes" "$top/stderr"
        tail -n 12 "$MONKEY_LOG"
        echo "not ok - round $((rounds + 1)) of seed $seed; what was done is in $MONKEY_LOG"
        exit 1
    fi
    cd ..
    rounds=$((rounds + 1))
done
kill $xvfb && wait $xvfb 2>/dev/null
rm -f "$MONKEY_LOG"
echo "ok - $rounds runs of seed $seed"
