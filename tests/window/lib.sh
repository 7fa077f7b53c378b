# shellcheck shell=bash
# What the tests of the window share; sourced by tests/window/test_*.sh, which are run from the root
# of the repository. The window is on a display of its own (Xvfb), with real keys and a real mouse
# (xdotool). The screen, which Xvfb keeps in a file, is compared with what --headless writes, byte
# for byte. The names of the files that the key s saves tell the iteration. Full screen, minimising,
# dropping a file and displays with several pixels to a point are tested in
# tests/unit/test_window_events.c.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
. tests/lib.sh

needs 'built_with SDL2' 'built without SDL2' 'the window'
for tool in Xvfb xdotool; do
    needs "command -v $tool" "there is no $tool here" 'the window'
done

# ---- the display ----

# shellcheck disable=SC2046
given "${CC:-cc}" -O2 -o "$top/pixels" "$root/tests/window/pixels.c" \
    $(pkg-config --exists libpng && echo -DPNG && pkg-config --cflags --libs libpng)
pixels() { "$top/pixels" "$@"; } # FILE [OPERATION]...: see pixels.c

given open_display

# ---- a window ----

find_window() {
    window=$(DISPLAY=$screen xdotool search --onlyvisible --pid $pid 2>/dev/null | tail -n 1)
    [ -n "$window" ]
}

ended() { ! kill -0 $pid 2>/dev/null; }
find_window_or_end() { find_window || ended; }

# What most tests compare with is clamped, and shall be there soon.
usually=(--tone clamp --pace max)
launch() { # ARGUMENT...: in the background; the mouse is out of the way
    arguments=("${usually[@]}" "$@")
    [ "${1-}" != convolve ] || arguments=("$@" "${usually[@]}")
    x mousemove 0 0
    # Bash starts what is in the background with SIGINT ignored.
    DISPLAY=$screen env --default-signal=INT "$program" "${arguments[@]}" \
        >"$top/stdout" 2>"$top/stderr" &
    pid=$!
}

opens() { # ARGUMENT...
    launch "$@"
    wait_for find_window_or_end && [ -n "$window" ] || { head "$top/stderr"; return 1; }
}

x() { DISPLAY=$screen xdotool "$@"; }
press() { x windowfocus "$window" key --delay 60 "$@"; }

ends() { # STATUS
    wait_for ended || { kill -KILL $pid; return 1; }
    wait $pid
    status=$?
    [ $status -eq "$1" ] || { echo "wanted exit $1"; show_run; return 1; }
}
quits() { press q && ends 0; }

# ---- what it shows ----

shoot() { # WIDTH HEIGHT X Y: that part of the window, as PPM
    local X Y
    eval "$(x getwindowgeometry --shell "$window" | grep '^[XY]=')" &&
        pixels "$top/Xvfb_screen0" crop "$1" "$2" $((X + $3)) $((Y + $4))
}

part_is() { cmp -s <(shoot "${@:2}" 2>/dev/null) "$1"; } # PPM WIDTH HEIGHT X Y

shows() { # PICTURE WIDTH HEIGHT [X Y]: soon, 1:1
    pixels "$1" rgb >"$1.rgb" && wait_for part_is "$1.rgb" "$2" "$3" "${4:-0}" "${5:-0}"
}
size_of() { sed -n '2{p;q}' "$1"; } # PICTURE of the program or of pixels: "WIDTH HEIGHT"

size_of_window() {
    x getwindowgeometry --shell "$window" | sed -n 's/^\(WIDTH\|HEIGHT\)=//p' | xargs
}
size_is() { [ "$(size_of_window)" = "$1" ]; }
title_is() { [ "$(x getwindowname "$window")" = "$1" ]; }
is_shown() { wait_for title_is "edges-$1.pgm - reconstruct"; } # NAME

title_like() { [[ $(x getwindowname "$window") == $1 ]]; } # PATTERN

# The picture's area of the window is what the bar and the slider below it leave: sets `panel` to
# their height, while the area is known to be DOWN pixels high.
measure_panel() { panel=$(($(size_of_window | cut -d ' ' -f 2) - $1)); } # DOWN
shows_grey() { shows ../grey-200.pgm 600 500 "$@"; } # [X Y]: the grey picture after 200 iterations
opens_paused() { # ARGUMENT...: with that picture
    opens -n 200 ../edges-grey.pgm "$@" && shows_grey && measure_panel 500
}
resize() { # WIDTH DOWN: until the picture's area has that size
    x windowsize "$window" "$1" $(($2 + panel)) && wait_for size_is "$1 $(($2 + panel))"
}

samples() { tail -n +4 | od -An -v -tu1 -w"$1"; } # A_LINE: of a PGM or PPM of bytes

colours() { # WIDTH HEIGHT X Y: those in that part of the window, "R G B" each
    shoot "$@" | samples 3 | awk '{ print $1, $2, $3 }' | sort -u
}
has_colour() { colours "${@:2}" | grep -qx "$1"; } # "R G B" WIDTH HEIGHT X Y
amber='242 193 92' green='137 204 137' red='244 122 108' calm='170 174 182'
says_in_red() { has_colour "$red" 600 "$panel" 0 500; } # a bad message in the bar

point() { x mousemove --window "$window" "$1" "$2"; } # X Y: the mouse, in the window
drag_to() { # X Y X Y: with the left button, from there to there
    point "$1" "$2" && x mousedown 1 && point "$3" "$4" && x mouseup 1
}

draws() { # X Y X Y: a stroke
    point "$1" "$2" && x mousedown 1 && point "$3" "$4" && x mouseup 1 mousemove 0 0
}
png=png # what s saves where nothing says otherwise
built_with libpng || png=pgm
alike() { "$program" compare -q --max-difference 1 "$@"; } # PICTURE PICTURE: within rounding
# What was saved is what heal makes of the saved mask and of the sources, if some were found: the
# same samples.
is_made_again() { # SAVED PICTURE MASK SOURCES: as again.ENDING
    local from=none again=again.${1##*.}
    [ ! -e "$4" ] || from=$4
    "$program" heal "$2" --mask "$3" --from "$from" -q -o "$again" &&
        "$program" compare -q "$1" "$again"
}

# The keys s and S; sets `saved` to the iteration that the new files are named by, `view` to the
# pixels of the view.
new_view() {
    view=$(find . -maxdepth 1 -name '*-view*.p[gpn][mg]' -newer before | head -n 1)
    [ -n "$view" ]
}
presses_s() { # what comes before the input is open does nothing
    local tries
    press s S
    for ((tries = 0; tries < 60; tries++)); do
        new_view && return
        sleep 0.05
    done
    return 1
}
saves() {
    touch -d '-1 second' before
    find . -maxdepth 1 -name '*-view*' -exec touch -d '-1 hour' {} +
    wait_for presses_s || return
    saved=$(sed -E 's/.*-([0-9]+)-view(-[0-9]+)?\.p../\1/' <<<"$view")
    pixels "$view" >"${view%.*}.pixels" && view=${view%.*}.pixels
}
saves_iteration() { saves && equal "$saved" "$1"; } # N
is_beyond() { saves && [ "$saved" -gt "$1" ]; } # N
is_at() { wait_for is_beyond $(($1 - 1)) && equal "$saved" "$1"; } # N: soon
# The bar says on the right that it is paused, or stands still.
is_at_rest() {
    local size
    read -ra size <<<"$(size_of_window)"
    colours 100 40 $((size[0] - 110)) $((size[1] - 42)) | grep -qxE "$amber|$green"
}
is_filled() { is_at_rest; } # what is painted is: the bar says so, in amber if it is not saved
rests_after() { # N: iterations at least; `saved` says how many
    wait_for is_beyond "$1" && press space && wait_for is_at_rest && saves
}

# Every test has a folder of its own, with the pictures of all of them above it.
begin() { rm -rf here && mkdir here && cd here || exit 1; }
window_check() { # NAME FUNCTION
    local name=$1
    begin
    check "$name" "${@:2}"
    if [ -n "${pid-}" ]; then
        kill -KILL $pid 2>/dev/null
        wait $pid 2>/dev/null
    fi
    pid=
    cd ..
}

finish_window() {
    kill $xvfb && wait $xvfb 2>/dev/null
    finish
}

# ---- pictures ----

edges_of() { # PICTURE...: to edges-PICTURE
    local picture
    for picture; do
        given "$program" edges "$picture" -o "edges-$picture"
    done
}
headless() { "$program" --headless -q "$@"; } # ARGUMENT...

waves 600 500 >grey.pgm
{ echo P2 600 500 255 && waves 600 500 | tail -n +2 | tac; } >other.pgm
waves 96 64 >small.pgm
castle 90 120 --colour >colour.ppm
edges_of grey.pgm other.pgm small.pgm colour.ppm
for name in grey other; do
    given headless -n 200 edges-$name.pgm -o $name-200.pgm
    given headless -n 200 edges-$name.pgm -o $name-200.pfm
done
