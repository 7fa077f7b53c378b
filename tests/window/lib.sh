# shellcheck shell=bash
# What the tests of the window share; sourced by tests/window/test_*.sh, which are run from the root
# of the repository. The window is on a display of its own (Xvfb), with real keys and a real mouse
# (xdotool). The screen, which Xvfb keeps in a file, is compared with what --headless writes, byte
# for byte. The names of the files that the key s saves tell the iteration. Full screen, minimising,
# dropping a file and displays with several pixels to a point are tested in
# tests/unit/test_window_events.c.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
# The renderer that OpenGL without a graphics card leads to, at once: window.sh has the way there.
export SDL_RENDER_DRIVER=software
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
    DISPLAY=$screen env --default-signal=INT "${hasty[@]}" "$program" "${arguments[@]}" \
        >"$top/stdout" 2>"$top/stderr" &
    pid=$!
}

opens() { # ARGUMENT...
    launch "$@"
    wait_for find_window_or_end && [ -n "$window" ] || { head "$top/stderr"; return 1; }
}

x() { DISPLAY=$screen xdotool "$@"; }
# SDL takes a key that was let go less than 2 ms before for a repeated one: once the server has
# answered it is let go.
# shellcheck disable=SC2046
press() { # KEY...
    x windowfocus "$window" $(printf 'key --delay 0 %s getwindowfocus -f sleep 0.003 ' "$@") \
        >/dev/null
}

ends() { # STATUS
    wait_for ended || { kill -KILL $pid; return 1; }
    wait $pid
    status=$?
    [ $status -eq "$1" ] || { echo "wanted exit $1"; show_run; return 1; }
}
quits() { press q && ends 0; }

# ---- what it shows ----

geometry() { # of the window: sets X, Y, WIDTH, HEIGHT
    local shell
    shell=$(x getwindowgeometry --shell "$window") && eval "$shell"
}
shoot() { # WIDTH HEIGHT X Y [OPERATION...]: that part of the window, below 0 from its end, as PPM
    geometry && pixels "$top/Xvfb_screen0" crop "$1" "$2" \
        $((X + $3 + ($3 < 0) * WIDTH)) $((Y + $4 + ($4 < 0) * HEIGHT)) "${@:5}"
}

part_is() { cmp -s <(shoot "${@:2}" 2>/dev/null) "$1"; } # PPM WIDTH HEIGHT X Y

shows() { # PICTURE WIDTH HEIGHT [X Y]: soon, 1:1
    pixels "$1" rgb >"$1.rgb" && wait_for part_is "$1.rgb" "$2" "$3" "${4:-0}" "${5:-0}"
}
size_of() { sed -n '2{p;q}' "$1"; } # PICTURE of the program or of pixels: "WIDTH HEIGHT"

size_is() { geometry && [ "$WIDTH $HEIGHT" = "$1" ]; }
title_is() { [ "$(x getwindowname "$window")" = "$1" ]; }
is_shown() { wait_for title_is "edges-$1.pgm - reconstruct"; } # NAME

title_like() { [[ $(x getwindowname "$window") == $1 ]]; } # PATTERN

# The picture's area of the window is what the bar and the slider below it leave: sets `panel` to
# their height, while the area is known to be DOWN pixels high.
measure_panel() { geometry && panel=$((HEIGHT - $1)); } # DOWN
shows_grey() { shows ../grey-200.pgm 600 500 "$@"; } # [X Y]: the grey picture after 200 iterations
opens_paused() { # ARGUMENT...: with that picture
    opens -n 200 ../edges-grey.pgm "$@" && shows_grey && measure_panel 500
}
resize() { # WIDTH DOWN: until the picture's area has that size
    x windowsize "$window" "$1" $(($2 + panel)) && wait_for size_is "$1 $(($2 + panel))"
}

samples() { tail -n +4 | od -An -v -tu1 -w"$1"; } # A_LINE: of a PGM or PPM of bytes

colours() { shoot "$@" colours | sort -u; } # WIDTH HEIGHT X Y: those there in the window, "R G B"
has_colour() { shoot "${@:2}" colours | grep -qx "$1"; } # "R G B" WIDTH HEIGHT X Y
amber='242 193 92' green='137 204 137' red='244 122 108' calm='170 174 182'
says_in_red() { has_colour "$red" 600 "$panel" 0 500; } # a bad message in the bar

point() { x mousemove --window "$window" "$1" "$2"; } # X Y: the mouse, in the window
# shellcheck disable=SC2046
way() { # BUTTON X Y...: of the mouse from point to point, with that button
    x mousemove --window "$window" "$2" "$3" mousedown "$1" \
        $(printf "mousemove --window $window %s %s " "${@:4}") mouseup "$1"
}
drag_to() { way 1 "$@"; } # X Y X Y: from there to there
draws() { way 1 "$@" && x mousemove 0 0; } # X Y X Y: a stroke
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

# The keys s and S, or only that of the view; sets `saved` to the iteration that the new files are
# named by, `view` to the pixels of the view.
declare -A seen
presses_s() { # KEY...; what comes before the input is open does nothing
    local tries
    press "$@"
    for ((tries = 0; tries < 150; tries++)); do
        for view in *-view*.p[gpn][mg]; do [ -n "${seen[$view]-}" ] || return 0; done
        sleep 0.02
    done
    return 1
}
looks() { # [KEY]
    for view in *-view*.p[gpn][mg]; do seen[$view]=1; done # without any its pattern
    wait_for presses_s "$@" S || return
    saved=${view%-view*} saved=${saved##*-}
    pixels "$view" >"${view%.*}.pixels" && view=${view%.*}.pixels
}
saves() { looks s; }
saves_iteration() { saves && equal "$saved" "$1"; } # N
is_beyond() { looks && [ "$saved" -gt "$1" ]; } # N
is_view_of() { looks && [ "$(size_of "$view")" = "$1" ]; } # "WIDTH HEIGHT"
is_at() { wait_for is_beyond $(($1 - 1)) && equal "$saved" "$1"; } # N: soon
# The bar says on the right that it is paused, or stands still.
is_at_rest() { shoot 100 40 -110 -42 colours | grep -qxE "$amber|$green"; }
is_filled() { is_at_rest; } # what is painted is: the bar says so, in amber if it is not saved
is_painted() { title_like '\**' && is_filled; } # a stroke has arrived
asks() { has_colour "$amber" 300 120 150 190; } # whether to save, before it leaves
rests_after() { # N: iterations at least; `saved` says how many
    wait_for is_beyond "$1" && press space && wait_for is_at_rest && saves
}

# Every test has a folder of its own, with the pictures of all of them above it.
begin() { seen=() && rm -rf here && mkdir here && cd here || exit 1; }
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

waves 600 500 >plain.pgm
pixels plain.pgm >grey.pgm
pixels <(head -n 1 plain.pgm && tail -n +2 plain.pgm | tac) >other.pgm
waves 96 64 >small.pgm
castle 90 120 --colour >colour.ppm
edges_of grey.pgm other.pgm small.pgm colour.ppm
for name in grey other; do
    given headless -n 200 edges-$name.pgm -o $name-200.pgm
    given headless -n 200 edges-$name.pgm -o $name-200.pfm
done
