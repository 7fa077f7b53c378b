#!/usr/bin/env bash
# The window's time machine: jumps by key and by mouse, and what goes on from them.
. tests/window/lib.sh

# Jumps are compared with files that --headless makes of small images, on the host; in double, the
# last bits of a device's are others.
usually+=(-s cpu)

# The slider's strip and the two lines of the bar below it are what is left of the window under the
# picture; the strip's middle is at a sixth of that.
drag() { # PERCENT...: of the width, from the first to each next one; it stays held
    local at begun=
    geometry && for at; do
        point $((WIDTH * at / 100)) $((HEIGHT - panel * 5 / 6)) || return
        [ -n "$begun" ] || x mousedown 1
        begun=1
        sleep 0.05
    done
}
let_go() { x mouseup 1; }

jumps_to() { # N|limit: what the picture and the saved files must be
    local n=(-n "$1")
    [ "$1" = limit ] && n=()
    headless -s spectral "${n[@]}" ../edges-grey.pgm -o "jump-$1.pgm" &&
        headless -s spectral "${n[@]}" ../edges-grey.pgm -o "jump-$1.pfm" &&
        shows "jump-$1.pgm" 600 500 && saves && same "$view" "jump-$1.pgm" &&
        same "edges-grey-$1.pfm" "jump-$1.pfm"
}

jumps_by_mouse() {
    local shown
    opens_paused && drag 30 35 40 45 50 && saves || return
    shown=$saved
    [ "$shown" -gt 10000 ] && [ "$shown" -lt 100000 ] || { echo "it shows $shown"; return 1; }
    jumps_to "$shown" && drag 60 90 200 && wait_for part_is_limit && let_go || return
    # Let go, moving means nothing any more.
    x mousemove --window "$window" 300 $((500 + panel / 6)) && jumps_to limit &&
        press Escape && shows_grey && quits
}
part_is_limit() {
    [ -e limit.rgb ] || { headless ../edges-grey.pgm -o limit.pgm &&
        pixels limit.pgm rgb >limit.rgb; }
    part_is limit.rgb 600 500 0 0
}

# From the jump on the stencil's bits from that very image.
plays_from_a_jump() { # saved twice: s may come before the step, and S behind it
    opens_paused -k 50 -o result.pfm && press period && jumps_to 251 && press n && is_at 301 &&
        saves_iteration 301 &&
        headless -n 50 --start jump-251.pfm ../edges-grey.pgm -o wanted.pfm &&
        same edges-grey-301.pfm wanted.pfm && shows_pfm wanted.pfm && press space &&
        rests_after 301 &&
        headless -n $((saved - 251)) --start jump-251.pfm ../edges-grey.pgm \
            -o later.pfm && same "edges-grey-$saved.pfm" later.pfm && quits &&
        same result.pfm later.pfm
}
shows_pfm() {
    headless -n 50 --start jump-251.pfm ../edges-grey.pgm -o "$1.pgm" &&
        shows "$1.pgm" 600 500
}

# Edit, save, look: at the limit, at an iterate, and where the run was paused.
stays_where_it_was() {
    local n
    cp ../edges-grey.pgm e.pgm && opens e.pgm -o result.pfm && is_shown_as e.pgm &&
        wait_for is_beyond 0 && press End && wait_for part_is_limit || return
    cp ../edges-other.pgm new && mv new e.pgm && shows ../other.pgm 600 500 &&
        press comma && shows_iterate other 1000000000 || return
    cp ../edges-grey.pgm new && mv new e.pgm && shows_iterate grey 1000000000 && press Escape &&
        rests_after 100 && n=$saved || return
    cp ../edges-other.pgm new && mv new e.pgm && shows_iterate other "$n" && saves_iteration "$n" &&
        press n && is_at $((n + 100)) && press End && wait_for is_saved_limit || return
    cp ../edges-grey.pgm new && mv new e.pgm && shows ../grey.pgm 600 500 && quits &&
        within 0.01 result.pfm ../grey.pgm
}
is_saved_limit() { press s && [ -s e-limit.pfm ]; }
is_shown_as() { wait_for title_is "$1 - reconstruct"; }
shows_iterate() { # PICTURE N
    headless -s spectral -n "$2" "../edges-$1.pgm" -o "at-$2.pgm" && shows "at-$2.pgm" 600 500
}

plays_after_a_checkpoint() {
    local total
    opens ../edges-grey.pgm --checkpoint mark && wait_for is_beyond 0 &&
        press Home period space && wait_for is_beyond 1 && kill -INT $pid &&
        ends 75 && [ "$(sed -n 3p mark)" = 'jumped 1' ] || return
    total=$(($(sed -n '2s/iterations //p' mark) + 100))
    headless -s spectral -n 1 ../edges-grey.pgm -o one.pfm &&
        headless -n $total ../edges-grey.pgm --checkpoint mark -o resumed.pfm \
            --report report.json && contains report.json '"jumped": 1,' &&
        headless -n $((total - 1)) --start one.pfm ../edges-grey.pgm \
            -o wanted.pfm && same resumed.pfm wanted.pfm
}

spectral_itself() {
    opens -s spectral ../edges-grey.pgm -o result.pfm && jumps_to limit && press n &&
        jumps_to limit && press Home n && is_at 100 && press Home period &&
        headless -s spectral -n 1 ../edges-grey.pgm -o one.pfm &&
        headless -s spectral -n 1 ../edges-grey.pgm -o one.pgm &&
        shows one.pgm 600 500 && press space && saves_iteration 1 &&
        shows one.pgm 600 500 && quits && same result.pfm one.pfm
}

# Its tone is not that of the edges that were shown before; nor is that of a run from a jump, whose
# solver counts from there.
spectral_tone() {
    opens -s spectral --tone auto ../edges-grey.pgm && wait_for part_is_limit &&
        press comma i && is_at 1000000001 && wait_for part_is_limit &&
        press Home period && is_at 1 && press Escape && wait_for part_is_limit && quits &&
        opens -n 0 --pace 9 --tone auto ../edges-grey.pgm && is_at 0 && press End &&
        wait_for part_is_limit && press space space && wait_for is_at_rest && saves &&
        same "$view" limit.pgm && quits
}

mirrored() {
    local border=(--boundary mirror --tone clamp)
    "$program" edges --boundary mirror ../grey.pgm -o e.pgm >/dev/null &&
        headless -s spectral -n 251 "${border[@]}" e.pgm -o jump.pgm &&
        headless -s spectral -n 251 "${border[@]}" e.pgm -o jump.pfm &&
        opens -n 200 -k 50 "${border[@]}" e.pgm && is_at 200 && press period &&
        shows jump.pgm 600 500 && press n && is_at 301 && saves_iteration 301 &&
        headless -n 50 "${border[@]}" --start jump.pfm e.pgm -o wanted.pfm &&
        same e-301.pfm wanted.pfm && quits
}

from_a_pipe() {
    x mousemove 0 0
    DISPLAY=$screen "$program" --tone clamp --pace max -n 200 - <../edges-grey.pgm >"$top/stdout" \
        2>"$top/stderr" &
    pid=$!
    arguments=(-)
    wait_for find_window_or_end && shows_grey && press End && wait_for part_is_limit && press r &&
        shows_grey && quits
}

if headless -s spectral edges-small.pgm -o has-spectral.pgm 2>"$top/stderr"; then
    window_check 'keys jump to the very iterates of --solver spectral, and back' \
        eval 'opens_paused && press End && jumps_to limit && press Home && jumps_to 0 &&
        press period && jumps_to 1 && press period && jumps_to 2 && press comma comma period &&
        shows jump-1.pgm 600 500 && press Escape && shows_grey && saves_iteration 200 &&
        press period && jumps_to 251 && press comma comma && jumps_to 158 && quits'
    window_check 'so does the mouse while it drags' jumps_by_mouse
    window_check 'playing from a jump goes on with the bits of the stencil' plays_from_a_jump
    window_check 'a file that has changed is shown where the old one was' stays_where_it_was
    window_check 'leaving from a jump writes the result of the run' all opens_paused -o result.pfm \
        and press End and jumps_to limit and quits and same result.pfm ../grey-200.pfm and tidy
    window_check 'a checkpoint after a jump, and what goes on from it' plays_after_a_checkpoint
    window_check 'a run of the spectral solver stays where it is played' spectral_itself
    window_check 'the tone of the exact picture suits it' spectral_tone
    window_check 'jumps with a mirrored border' mirrored
    window_check 'an input that can be read only once' from_a_pipe
    # What a jump starts from is read again.
    window_check 'an input that is not what it was is refused, and the run stays' \
        eval 'cp ../edges-grey.pgm e.pgm && opens -n 200 e.pgm && shows_grey && measure_panel 500 &&
        echo nonsense >e.pgm && press End && wait_for says_in_red && saves_iteration 200 &&
        shows_grey && quits'
else
    no_slider() { opens_paused && press End && saves_iteration 200 && quits; }
    window_check 'without an FFT there is no slider' no_slider
fi

finish_window
