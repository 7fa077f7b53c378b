#!/usr/bin/env bash
# The window: what it shows, keys that make it go on and rest, and leaving it.
. tests/window/lib.sh
unset SDL_RENDER_DRIVER

given headless -n 250 edges-grey.pgm -o grey-250.pgm

# ---- the picture ----

magnifies() { # PICTURE TIMES WIDTH HEIGHT
    headless -n 100 "../edges-$1" -o "$1" && pixels "$1" times "$2" >large &&
        opens -n 100 "../edges-$1" && shows large "$3" "$4" && quits
}
window_check 'a small picture is magnified by a whole number, pixel by pixel' \
    magnifies small.pgm 8 768 512
window_check 'colour' magnifies colour.ppm 6 540 720

# Smaller than the picture: reduced, its aspect kept, in the middle.
resizes() {
    opens_paused && resize 360 250 && wait_for is_view_of '300 250' &&
        shows "$view" 300 250 30 0 && resize 900 500 && shows_grey 150 0 &&
        equal "$(colours 150 500 0 0)" '18 18 20' && quits
}
window_check 'resizing keeps the aspect, with a dark border' resizes

# Letters twice as large; at 100% a pixel of the picture is one of the screen all the same.
of_a_scaled_desktop() { # VARIABLE VALUE
    local usual
    opens_paused && usual=$panel && quits && echo 'Xft.dpi: 192' >resources || return
    local -x "$1=$2"
    opens -n 200 ../edges-grey.pgm && wait_for size_is_of 960 && shows_grey 180 0 &&
        measure_panel 500 && echo "$usual, $panel" && [ "$panel" -gt $((usual * 17 / 10)) ] &&
        press o && shows_grey 180 0 && quits
}
size_is_of() { geometry && [ "$WIDTH" = "$1" ]; }
window_check 'the text follows Xft.dpi' of_a_scaled_desktop XENVIRONMENT resources
window_check 'and GDK_SCALE' of_a_scaled_desktop GDK_SCALE 2

# ---- the keys ----

# The help, of three pages here, the plot, a jump, each with one Escape; then it does nothing more.
escapes() {
    local keys
    opens_paused && press p && wait_for eval '! part_is ../grey-200.pgm.rgb 600 500 0 0' &&
        wait_for is_still plot.rgb || return
    for keys in 'question question question' Escape; do
        # shellcheck disable=SC2086
        press h && wait_for has_colour "$amber" 300 400 0 0 && press $keys &&
            wait_for part_is plot.rgb 600 500 0 0 || return
    done
    press Escape && shows_grey && press Escape Escape && saves_iteration 200 && shows_grey && quits
}
is_still() { # FILE: which has the picture's area, twice the same
    shoot 600 500 0 0 >"$1" && sleep 0.3 && part_is "$1" 600 500 0 0
}
window_check 'Escape closes what is open, one thing at a time, and never the window' escapes

pauses() {
    local first # on the host: a device is at the standstill before the key comes
    opens -s cpu ../edges-grey.pgm && rests_after 0 || return
    first=$saved
    headless -n "$first" ../edges-grey.pgm -o wanted.pfm &&
        headless -n "$first" ../edges-grey.pgm -o wanted.pgm &&
        same "edges-grey-$first.pfm" wanted.pfm && same "$view" wanted.pgm &&
        shows wanted.pgm 600 500 && saves_iteration "$first" &&
        same "edges-grey-$first-2.pfm" wanted.pfm && same "$view" wanted.pgm && tidy || return
    press space && wait_for is_beyond "$first" && quits
}
window_check 'space pauses; s saves the bits of --headless, and overwrites nothing; space goes on' \
    pauses

steps() {
    opens -n 200 -k 50 ../edges-grey.pgm && shows_grey && saves_iteration 200 &&
        same edges-grey-200.pfm ../grey-200.pfm && press n && shows ../grey-250.pgm 600 500 &&
        saves_iteration 250 && press n n n && is_at 400 || return
    press r && shows_grey && saves_iteration 200 && same edges-grey-200-2.pfm ../grey-200.pfm &&
        quits
}
window_check 'n does one batch, also beyond the end; r starts again' steps

rests() {
    local before after
    opens -s cpu ../edges-grey.pgm && rests_after 0 && sleep 0.5 || return # IDLE_SECONDS
    before=$(awk '{ print $14 + $15 }' /proc/$pid/stat)
    sleep 2
    after=$(awk '{ print $14 + $15 }' /proc/$pid/stat)
    [ $((after - before)) -le 6 ] || { echo "$((after - before)) ticks in 2 s"; return 1; }
    quits
}
window_check 'a paused window takes no time of the processor' rests

# With the bytes of -o: as the input without it, with as many levels as the original.
saves_pictures() {
    castle 90 60 --maxval 1000 >deep.pgm && "$program" edges deep.pgm -o edges-deep.pgm &&
        headless --maxval 1000 -n 100 edges-deep.pgm -o wanted.pgm &&
        opens -n 200 ../edges-grey.pgm && shows_grey && press s && appears edges-grey-200.pgm &&
        same edges-grey-200.pgm ../grey-200.pgm && same edges-grey-200.pfm ../grey-200.pfm &&
        quits &&
        opens -n 200 ../edges-grey.pgm -o result.pgm && shows_grey && press s &&
        appears edges-grey-200-2.pgm && same edges-grey-200-2.pgm ../grey-200.pgm && quits &&
        opens -n 200 ../edges-grey.pgm -o result.pfm && shows_grey && press s &&
        appears edges-grey-200-3.pfm && quits && [ "$(ls edges-grey-200-3* | wc -l)" = 1 ] &&
        opens -n 100 --reference deep.pgm edges-deep.pgm && is_shown deep && is_at 100 &&
        saves && same edges-deep-100.pgm wanted.pgm && quits
}
window_check 's saves the picture as -o does, and the exact iterate' saves_pictures

# ---- leaving ----

window_check 'Ctrl+S saves, Ctrl+W and Ctrl+Q leave, and write the result' \
    all opens -n 200 ../edges-grey.pgm -o result.pfm and shows_grey and absent result.pfm \
    and press ctrl+s and wait_for appears edges-grey-200.pfm and press ctrl+w and ends 0 \
    and same result.pfm ../grey-200.pfm and opens ../edges-grey.pgm and press ctrl+q and ends 0

window_check 'an unfinished result is written as it stands' \
    eval 'opens ../edges-grey.pgm -o result.pfm && rests_after 0 && quits &&
    same result.pfm "edges-grey-$saved.pfm"'

window_check 'a result that cannot be written is an error' all mkdir -p made \
    and opens -n 200 ../edges-grey.pgm -o made/result.pgm \
    and shows_grey and rm -r made and press q and ends 73 and says 'made/result.pgm'

window_check 'a signal ends it, without a result' eval 'opens ../edges-grey.pgm -o result.pgm &&
    wait_for is_beyond 0 && kill -TERM $pid && ends 143 && absent result.pgm'

interrupted_with_checkpoint() {
    opens -q ../edges-grey.pgm -o result.pfm --checkpoint mark && wait_for is_beyond 0 &&
        kill -INT $pid && ends 75 && absent result.pfm && [ -s mark ] &&
        opens -n 1000000 ../edges-grey.pgm --checkpoint mark && rests_after 0 &&
        headless -n "$saved" ../edges-grey.pgm -o wanted.pfm &&
        same "edges-grey-$saved.pfm" wanted.pfm && quits && mkdir marks &&
        opens ../edges-{grey,other}.pgm --checkpoint marks && wait_for is_beyond 0 &&
        press Next && is_shown other && wait_for is_beyond 0 && kill -INT $pid && ends 75 &&
        [ "$(cd marks && echo e*)" = "edges-grey.checkpoint edges-other.checkpoint" ]
}
window_check 'a signal with a checkpoint: run again it goes on' interrupted_with_checkpoint

# Nobody writes to the pipe.
window_check 'an input that never comes is not waited for' eval 'mkfifo pipe && exec 8<>pipe &&
    opens pipe && quits && opens pipe && kill -TERM $pid && ends 143'

# ---- other displays ----

# Native Wayland: weston shows its own screen in a window of Xvfb, from which it has a seat.
# (Its headless backend has none, and SDL 2.26 crashes there.)
on_wayland() { # FUNCTION STATUS: with which the program ends after that
    local weston status=1
    local -x XDG_RUNTIME_DIR=$PWD
    chmod 700 . && {
        DISPLAY=$screen weston --backend=x11-backend.so --use-pixman --socket=way --idle-time=0 \
            --width=1200 --height=1000 --no-config >log 2>&1 &
    }
    weston=$!
    : >"$top/stderr" # what the run before it said is not this one's
    wait_for test -S way && {
        WAYLAND_DEBUG=1 WAYLAND_DISPLAY=way SDL_VIDEODRIVER=wayland "$program" \
            "${usually[@]}" --checkpoint mark ../edges-grey.pgm 2>"$top/stderr" &
        pid=$!
        wait_for is_drawn && "$1" && ends "$2" && [ -s mark ] && absent mark.lock && status=0
    }
    kill -KILL $weston
    wait $weston 2>/dev/null
    return $status
}
# What the protocol says: the window has its title, and was drawn several times.
is_drawn() {
    grep -q 'set_title("edges-grey.pgm' "$top/stderr" &&
        [ "$(grep -c 'wl_surface.*commit' "$top/stderr")" -gt 3 ]
}
terminate() { kill -TERM $pid; }
compositor_dies() { kill -KILL $weston && wait_for ended && says 'the display is gone; '; }
if where 'command -v weston >/dev/null' 'there is no weston here' 'native Wayland'; then
    window_check 'native Wayland: it opens and draws, without a graphics card' \
        on_wayland terminate 75
    window_check 'a compositor of Wayland that dies' on_wayland compositor_dies 69
fi

gives_up() { window='' && wait_for ended; } # nobody can ask the display for the window
hasten 4 # the display gets a second
stalls() { # as over a dead network
    opens ../edges-grey.pgm -n 1e9 --checkpoint mark && wait_for is_beyond 0 &&
        kill -STOP $xvfb && sleep 0.3 && kill -TERM $pid && gives_up
    kill -CONT $xvfb
    ends 75 && says checkpoint && [ -s mark ] && absent mark.lock
}
window_check 'a display that stalls: a signal ends it all the same' stalls

stalls_early() { # STATUS OPTION...: within SDL, before there is a run
    kill -STOP $xvfb && launch_blind ../edges-grey.pgm "${@:2}" && sleep 0.5 && kill -TERM $pid &&
        gives_up
    kill -CONT $xvfb
    ends "$1"
}
launch_blind() { # ARGUMENT...: without a look at the display, which stalls
    DISPLAY=$screen "${hasty[@]}" "$program" "$@" 2>"$top/stderr" &
    pid=$!
}
window_check 'a display that stalls from the beginning' stalls_early 143
window_check 'with a checkpoint, too' stalls_early 75 --checkpoint mark

loses_display() { # its work is kept, and the same command goes on
    opens ../edges-{grey,other}.pgm --pace 1 --checkpoint marks && wait_for is_beyond 0 &&
        kill -KILL $xvfb && ends 69 && says 'the display is gone' &&
        [ -s marks/edges-grey.checkpoint ] && absent marks/edges-grey.checkpoint.lock
}
window_check 'a display that goes away' loses_display

finish
