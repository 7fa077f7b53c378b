#!/usr/bin/env bash
# The window on a display of its own (Xvfb), with real keys (xdotool). What is on the screen is
# compared with what --headless writes, byte for byte; which iteration it is, is told by the names
# of the files that the key s saves. Full screen and minimising need a window manager: not here.
. tests/lib.sh

if ! "$program" --version | grep -q '^built with:.*SDL2'; then
    skip 'the window' 'built without SDL2'
    finish
fi
for tool in Xvfb xdotool import convert; do
    command -v $tool >/dev/null && continue
    skip 'the window' "there is no $tool here"
    finish
done

# ---- the display ----

# Without -noreset it starts anew, and refuses clients meanwhile, whenever the last window closes.
Xvfb -displayfd 9 -screen 0 1280x1024x24 -nolisten tcp -noreset 9>"$top/display" >/dev/null 2>&1 &
xvfb=$!
for ((tries = 0; tries < 200; tries++)); do
    [ -s "$top/display" ] && break
    sleep 0.05
done
screen=:$(cat "$top/display")

wait_for() # COMMAND...: until it succeeds, at most half a minute
{
    local end=$((SECONDS + 30))
    until "$@"; do
        [ $SECONDS -lt $end ] || { echo "waited in vain for: $*"; return 1; }
        sleep 0.05
    done
}

# ---- a window ----

find_window()
{
    window=$(DISPLAY=$screen xdotool search --onlyvisible --pid $pid 2>/dev/null | tail -n 1)
    [ -n "$window" ]
}

ended() { ! kill -0 $pid 2>/dev/null; }
find_window_or_end() { find_window || ended; }

launch() # ARGUMENT...: in the background
{
    arguments=("$@")
    # Bash starts what is in the background with SIGINT ignored.
    DISPLAY=$screen OMP_WAIT_POLICY=passive env --default-signal=INT "$program" "$@" \
        >"$top/stdout" 2>"$top/stderr" &
    pid=$!
}

opens() # ARGUMENT...
{
    launch "$@"
    wait_for find_window_or_end && [ -n "$window" ] || { head "$top/stderr"; return 1; }
}

x() { DISPLAY=$screen xdotool "$@"; }
press() { x windowfocus "$window" key --delay 60 "$@"; }

ends() # STATUS
{
    wait_for ended || { kill -KILL $pid; return 1; }
    wait $pid
    status=$?
    [ $status -eq "$1" ] || { echo "wanted exit $1"; show_run; return 1; }
}
quits() { press q && ends 0; }

# ---- what it shows ----

shoot() # WIDTH HEIGHT X Y FILE: that part of the window, as bytes of red, green and blue
{
    DISPLAY=$screen import -silent -window "$window" -crop "$1x$2+$3+$4" +repage -depth 8 "rgb:$5"
}

part_is() # FILE WIDTH HEIGHT X Y
{
    shoot "$2" "$3" "$4" "$5" now.rgb 2>/dev/null && cmp -s now.rgb "$1"
}

as_rgb() # FILE [OPTION...]: to FILE.rgb
{
    local file=$1
    shift
    convert "$file" -set colorspace sRGB "$@" -depth 8 "rgb:$file.rgb"
}

shows() # PICTURE WIDTH HEIGHT [X Y]: soon, 1:1
{
    as_rgb "$1" && wait_for part_is "$1.rgb" "$2" "$3" "${4:-0}" "${5:-0}"
}

size_of_window()
{
    x getwindowgeometry --shell "$window" | sed -n 's/^\(WIDTH\|HEIGHT\)=//p' | xargs
}
size_is() { [ "$(size_of_window)" = "$1" ]; }
title_is() { [ "$(x getwindowname "$window")" = "$1" ]; }

# The key s; sets `saved` to the iteration that the new files are named by, `view` to the picture.
new_view()
{
    view=$(find . -maxdepth 1 -name '*-view*.p?m' -newer before | head -n 1)
    [ -n "$view" ]
}
saves()
{
    touch -d '-1 second' before
    find . -maxdepth 1 -name '*-view*' -exec touch -d '-1 hour' {} +
    press s && wait_for new_view || return
    saved=$(sed -E 's/.*-([0-9]+)-view(-[0-9]+)?\.p[gp]m/\1/' <<<"$view")
}
saves_iteration() # N
{
    saves && equal "$saved" "$1"
}
is_at() # N: soon
{
    local end=$((SECONDS + 30))
    until saves && [ "$saved" -ge "$1" ]; do
        [ $SECONDS -lt $end ] || break
    done
    equal "$saved" "$1"
}

# Every test has a folder of its own, with the pictures of all of them above it.
begin() { rm -rf here && mkdir here && cd here || exit 1; }
window_check() # NAME FUNCTION
{
    local name=$1
    shift
    begin
    check "$name" "$@"
    if [ -n "${pid-}" ]; then
        kill -KILL $pid 2>/dev/null
        wait $pid 2>/dev/null
    fi
    cd ..
}

waves 600 500 >grey.pgm
waves 96 64 >small.pgm
convert -size 120x90 gradient:red-blue -rotate 90 -depth 8 colour.ppm
for picture in grey.pgm small.pgm colour.ppm; do
    "$program" edges $picture -o "edges-$picture" || exit 1
done
"$program" --headless -q -n 200 edges-grey.pgm -o grey-200.pgm || exit 1
"$program" --headless -q -n 250 edges-grey.pgm -o grey-250.pgm || exit 1
"$program" --headless -q -n 200 edges-grey.pgm -o grey-200.pfm || exit 1

# ---- the picture ----

opens_and_shows()
{
    opens -n 200 ../edges-grey.pgm && wait_for title_is 'edges-grey.pgm - reconstruct' &&
        shows ../grey-200.pgm 600 500 && quits
}
window_check 'it opens and shows the very picture of --headless' opens_and_shows

magnifies()
{
    "$program" --headless -q -n 100 ../edges-small.pgm -o small-100.pgm &&
        convert small-100.pgm -sample 800% large.pgm &&
        opens -n 100 ../edges-small.pgm && shows large.pgm 768 512 && quits
}
window_check 'a small picture is magnified by a whole number, pixel by pixel' magnifies

colour()
{
    "$program" --headless -q -n 100 ../edges-colour.ppm -o colour-100.ppm &&
        convert colour-100.ppm -sample 600% large.ppm &&
        opens -n 100 ../edges-colour.ppm && shows large.ppm 540 720 && quits
}
window_check 'colour' colour

tones()
{
    "$program" --headless -q -n 200 --tone epcc ../edges-grey.pgm -o epcc.pgm &&
        opens -n 200 --tone epcc ../edges-grey.pgm && shows epcc.pgm 600 500 && saves &&
        same "$view" epcc.pgm && quits
}
window_check 'the tone' tones

# Smaller than the picture: reduced, its aspect kept, in the middle.
resizes()
{
    local width height bar
    opens -n 200 ../edges-grey.pgm && shows ../grey-200.pgm 600 500 || return
    set -- $(size_of_window)
    bar=$(($2 - 500))
    x windowsize "$window" 360 $((250 + bar)) && wait_for size_is "360 $((250 + bar))" || return
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        saves || return
        set -- $(identify -format '%w %h' "$view")
        [ "$1 $2" = '300 250' ] && break
    done
    equal "$1 $2" '300 250' && shows "$view" 300 250 30 0 || return
    x windowsize "$window" 900 $((500 + bar)) && wait_for size_is "900 $((500 + bar))" &&
        shows ../grey-200.pgm 600 500 150 0 && shoot 150 500 0 0 left.rgb &&
        equal "$(od -An -v -tu1 -w3 left.rgb | sort -u | xargs)" '18 18 20' && quits
}
window_check 'resizing keeps the aspect, with a dark border' resizes

helps()
{
    opens -n 200 ../edges-grey.pgm && shows ../grey-200.pgm 600 500 &&
        shoot 600 500 0 0 plain.rgb && press h && sleep 0.5 && ! part_is plain.rgb 600 500 0 0 &&
        press question && wait_for part_is plain.rgb 600 500 0 0 && quits
}
window_check 'the help sheet opens and closes' helps

# ---- the keys ----

pauses()
{
    local first
    opens ../edges-grey.pgm && sleep 1 && press space && sleep 0.5 && saves || return
    first=$saved
    [ "$first" -gt 0 ] && sleep 0.5 && saves_iteration "$first" &&
        [ -e "edges-grey-$first.pfm" ] && [ -e "edges-grey-$first-2.pfm" ] &&
        same "edges-grey-$first-view.pgm" "edges-grey-$first-view-2.pgm" || return
    press space && sleep 1 && saves || return
    [ "$saved" -gt "$first" ] || { echo "still at $saved"; return 1; }
    quits
}
window_check 'space pauses and goes on; what was saved is not overwritten' pauses

saved_bits()
{
    opens ../edges-grey.pgm && sleep 1 && press space && sleep 0.5 && saves || return
    "$program" --headless -q -n "$saved" ../edges-grey.pgm -o wanted.pfm &&
        "$program" --headless -q -n "$saved" ../edges-grey.pgm -o wanted.pgm &&
        same "edges-grey-$saved.pfm" wanted.pfm && same "$view" wanted.pgm &&
        shows wanted.pgm 600 500 && tidy && quits
}
window_check 's saves the view and the result, with the bits of --headless' saved_bits

steps()
{
    opens -n 200 -k 50 ../edges-grey.pgm && shows ../grey-200.pgm 600 500 &&
        saves_iteration 200 && same edges-grey-200.pfm ../grey-200.pfm &&
        press n && shows ../grey-250.pgm 600 500 && saves_iteration 250 &&
        press n n n && is_at 400 || return
    press r && shows ../grey-200.pgm 600 500 && saves_iteration 200 &&
        same edges-grey-200-2.pfm ../grey-200.pfm && quits
}
window_check 'n does one batch, also beyond the end; r starts again' steps

steps_while_paused()
{
    opens -k 50 ../edges-grey.pgm && sleep 0.5 && press space && sleep 0.5 && saves || return
    press n && is_at $((saved + 50)) && quits
}
window_check 'n while it is paused' steps_while_paused

rests()
{
    local before after
    opens ../edges-grey.pgm && sleep 1 && press space && sleep 1 || return
    before=$(awk '{ print $14 + $15 }' /proc/$pid/stat)
    sleep 2
    after=$(awk '{ print $14 + $15 }' /proc/$pid/stat)
    [ $((after - before)) -le 6 ] || { echo "$((after - before)) ticks in 2 s"; return 1; }
    quits
}
window_check 'a paused window takes no time of the processor' rests

# ---- the time machine ----

# The slider's strip and the bar below it are what is left of the window under the picture; the
# strip's middle is at a quarter of that.
drag() # PERCENT...: of the width, from the first to each next one; it stays held
{
    local across down at
    read -r across down <<<"$(size_of_window)"
    local y=$((down - panel * 3 / 4)) begun=
    for at; do
        x mousemove --window "$window" $((across * at / 100)) $y || return
        [ -n "$begun" ] || x mousedown 1
        begun=1
        sleep 0.05
    done
}
let_go() { x mouseup 1; }

jumps_to() # N|limit: what the picture and the saved files must be
{
    local n=(-n "$1")
    [ "$1" = limit ] && n=()
    "$program" --headless -q -s spectral "${n[@]}" ../edges-grey.pgm -o "jump-$1.pgm" &&
        "$program" --headless -q -s spectral "${n[@]}" ../edges-grey.pgm -o "jump-$1.pfm" &&
        shows "jump-$1.pgm" 600 500 && saves && same "$view" "jump-$1.pgm" &&
        same "edges-grey-$1.pfm" "jump-$1.pfm"
}

opens_paused() # ARGUMENT...: the grey picture after 200 iterations
{
    opens -n 200 ../edges-grey.pgm "$@" && shows ../grey-200.pgm 600 500 || return
    local across down
    read -r across down <<<"$(size_of_window)"
    panel=$((down - 500))
}

jumps_by_key()
{
    opens_paused && press End && jumps_to limit && press Home && jumps_to 0 &&
        press period && jumps_to 1 && press period && jumps_to 2 && press comma comma period &&
        shows jump-1.pgm 600 500 && press Escape && shows ../grey-200.pgm 600 500 &&
        saves_iteration 200 && press period && jumps_to 251 && press comma comma && jumps_to 158 &&
        quits
}
jumps_by_mouse()
{
    local shown
    opens_paused && drag 30 35 40 45 50 && sleep 0.5 && saves || return
    shown=$saved
    [ "$shown" -gt 10000 ] && [ "$shown" -lt 100000 ] || { echo "it shows $shown"; return 1; }
    jumps_to "$shown" && drag 60 90 200 && wait_for part_is_limit && let_go || return
    # Let go, moving means nothing any more; a click on the picture goes back to the run.
    x mousemove --window "$window" 300 $((500 + panel / 4)) && sleep 0.3 && jumps_to limit &&
        x mousemove --window "$window" 300 250 click 1 && shows ../grey-200.pgm 600 500 && quits
}
part_is_limit()
{
    [ -e limit.rgb ] || { "$program" --headless -q ../edges-grey.pgm -o limit.pgm &&
        as_rgb limit.pgm && mv limit.pgm.rgb limit.rgb; }
    part_is limit.rgb 600 500 0 0
}

# From the jump on the stencil's bits from that very image.
plays_from_a_jump()
{
    opens_paused -k 50 -o result.pfm && press period && jumps_to 251 && press n && is_at 301 &&
        "$program" --headless -q -n 50 --start jump-251.pfm ../edges-grey.pgm -o wanted.pfm &&
        same edges-grey-301.pfm wanted.pfm && shows_pfm wanted.pfm && press space && sleep 1 &&
        press space && sleep 0.5 && saves && [ "$saved" -gt 301 ] &&
        "$program" --headless -q -n $((saved - 251)) --start jump-251.pfm ../edges-grey.pgm \
            -o later.pfm && same "edges-grey-$saved.pfm" later.pfm && quits && same result.pfm later.pfm
}
shows_pfm()
{
    "$program" --headless -q -n 50 --start jump-251.pfm ../edges-grey.pgm -o "$1.pgm" &&
        shows "$1.pgm" 600 500
}

leaves_from_a_jump()
{
    opens_paused -o result.pfm && press End && jumps_to limit && quits &&
        same result.pfm ../grey-200.pfm && tidy
}

plays_after_a_checkpoint()
{
    local total
    opens ../edges-grey.pgm --checkpoint mark && sleep 0.5 && press Home period && press space &&
        sleep 0.5 && kill -INT $pid && ends 75 && [ "$(sed -n 3p mark)" = 'jumped 1' ] || return
    total=$(($(sed -n '2s/iterations //p' mark) + 100))
    "$program" --headless -q -s spectral -n 1 ../edges-grey.pgm -o one.pfm &&
        "$program" --headless -q -n $total ../edges-grey.pgm --checkpoint mark -o resumed.pfm \
            --report report.json && contains report.json '"jumped": 1,' &&
        "$program" --headless -q -n $((total - 1)) --start one.pfm ../edges-grey.pgm \
            -o wanted.pfm && same resumed.pfm wanted.pfm
}

spectral_itself()
{
    opens -s spectral ../edges-grey.pgm -o result.pfm && sleep 0.5 && press Home period &&
        "$program" --headless -q -s spectral -n 1 ../edges-grey.pgm -o one.pfm &&
        "$program" --headless -q -s spectral -n 1 ../edges-grey.pgm -o one.pgm &&
        shows one.pgm 600 500 && press space && sleep 0.5 && shows one.pgm 600 500 &&
        saves_iteration 1 && quits && same result.pfm one.pfm
}

mirrored()
{
    local border=(--boundary mirror --tone clamp)
    "$program" edges --boundary mirror ../grey.pgm -o e.pgm >/dev/null &&
        "$program" --headless -q -s spectral -n 251 "${border[@]}" e.pgm -o jump.pgm &&
        "$program" --headless -q -s spectral -n 251 "${border[@]}" e.pgm -o jump.pfm &&
        opens -n 200 -k 50 "${border[@]}" e.pgm && sleep 1 && press period &&
        shows jump.pgm 600 500 && press n && is_at 301 &&
        "$program" --headless -q -n 50 "${border[@]}" --start jump.pfm e.pgm -o wanted.pfm &&
        same e-301.pfm wanted.pfm && quits
}

from_a_pipe()
{
    DISPLAY=$screen "$program" -n 200 - <../edges-grey.pgm >"$top/stdout" 2>"$top/stderr" &
    pid=$!
    arguments=(-)
    wait_for find_window_or_end && shows ../grey-200.pgm 600 500 && press End &&
        wait_for part_is_limit && press r && shows ../grey-200.pgm 600 500 && quits
}

changed_meanwhile()
{
    cp ../edges-grey.pgm e.pgm && opens -n 200 e.pgm && shows ../grey-200.pgm 600 500 &&
        "$program" edges ../grey-200.pgm -o e.pgm && press End && sleep 1 &&
        saves_iteration 200 && shows ../grey-200.pgm 600 500 && quits
}

if "$program" --headless -q -s spectral edges-small.pgm -o has-spectral.pgm 2>"$top/stderr"; then
    window_check 'keys jump to the very iterates of --solver spectral, and back' jumps_by_key
    window_check 'so does the mouse while it drags' jumps_by_mouse
    window_check 'playing from a jump goes on with the bits of the stencil' plays_from_a_jump
    window_check 'leaving from a jump writes the result of the run' leaves_from_a_jump
    window_check 'a checkpoint after a jump, and what goes on from it' plays_after_a_checkpoint
    window_check 'a run of the spectral solver stays where it is played' spectral_itself
    window_check 'jumps with a mirrored border' mirrored
    window_check 'an input that can be read only once' from_a_pipe
    window_check 'an input that has changed meanwhile is refused, and the run stays' changed_meanwhile
else
    no_slider()
    {
        opens -n 200 ../edges-grey.pgm && shows ../grey-200.pgm 600 500 && press End && sleep 0.5 &&
            saves_iteration 200 && quits
    }
    window_check 'without an FFT there is no slider' no_slider
fi

# ---- leaving ----

writes_at_end()
{
    opens -n 200 ../edges-grey.pgm -o result.pfm && shows ../grey-200.pgm 600 500 &&
        absent result.pfm && quits && same result.pfm ../grey-200.pfm && tidy
}
window_check 'q writes the result' writes_at_end

writes_unfinished()
{
    opens ../edges-grey.pgm -o result.pfm && sleep 1 && press space && sleep 0.5 && saves &&
        press Escape && ends 0 && same result.pfm "edges-grey-$saved.pfm"
}
window_check 'an unfinished result is written as it stands' writes_unfinished

unwritable()
{
    mkdir -p made && opens -n 200 ../edges-grey.pgm -o made/result.pgm &&
        shows ../grey-200.pgm 600 500 && rm -r made && press q && ends 73 && says 'made/result.pgm'
}
window_check 'a result that cannot be written is an error' unwritable

interrupted()
{
    opens ../edges-grey.pgm -o result.pgm && sleep 0.5 && kill -TERM $pid && ends 143 &&
        absent result.pgm
}
window_check 'a signal ends it, without a result' interrupted

interrupted_with_checkpoint()
{
    opens -q ../edges-grey.pgm -o result.pfm --checkpoint mark && sleep 1 && kill -INT $pid &&
        ends 75 && absent result.pfm && [ -s mark ] &&
        opens -n 1000000 ../edges-grey.pgm --checkpoint mark && sleep 0.5 && press space &&
        sleep 0.5 && saves && "$program" --headless -q -n "$saved" ../edges-grey.pgm -o wanted.pfm &&
        same "edges-grey-$saved.pfm" wanted.pfm && quits
}
window_check 'a signal with a checkpoint: run again it goes on' interrupted_with_checkpoint

# ---- several inputs ----

both()
{
    opens -n 200 ../edges-grey.pgm ../edges-small.pgm -o out && shows ../grey-200.pgm 600 500 &&
        press Right && wait_for title_is 'edges-small.pgm - reconstruct' &&
        [ -s out/edges-grey.pgm ] && press Left && wait_for title_is 'edges-grey.pgm - reconstruct' &&
        [ -s out/edges-small.pgm ] && wait_for part_is ../grey-200.pgm.rgb 600 500 0 0 &&
        press bracketright && wait_for title_is 'edges-small.pgm - reconstruct' && quits &&
        same out/edges-grey.pgm ../grey-200.pgm
}
window_check 'next and previous input; results are written when one is left' both

one_bad()
{
    echo nonsense >bad.pgm
    opens -n 200 bad.pgm ../edges-grey.pgm && sleep 0.5 && press Next &&
        shows ../grey-200.pgm 600 500 && press q && ends 65 && says bad.pgm
}
window_check 'a bad input among others: they are shown, and the exit code tells' one_bad

only_bad()
{
    launch missing.pgm && ends 66 && says missing.pgm
}
window_check 'the only input cannot be opened: it ends by itself' only_bad

# ---- without a display ----

check 'without a display: exit 69, and how to do without' refuses 69 '--headless' edges-grey.pgm

without_screen()
{
    SDL_VIDEODRIVER=dummy "$program" -q -n 100 ../edges-grey.pgm -o result.pgm 2>"$top/stderr" &
    pid=$!
    arguments=(dummy)
    ready $pid && sleep 1 && kill -TERM $pid && ends 143
}
window_check "SDL's own dummy display, when it is asked for" without_screen

kill $xvfb && wait $xvfb 2>/dev/null
finish
