#!/usr/bin/env bash
# heal and clone in the window: what is painted with the mouse, and what it comes to on the screen
# and in the files that s saves.
. tests/window/lib.sh

usually=()
hasten 3 # half a second passes before what is opened is filled
# What is shown is within the tolerance of what is saved: rounding may tell them apart.
part_is() { # PPM WIDTH HEIGHT X Y
    shoot "${@:2}" >shot.ppm 2>/dev/null && alike shot.ppm "$1"
}
away() { point 300 $((500 + panel / 2)); } # from the picture: no brush on it, and no value
opens_painting() { # ARGUMENT...: of a command whose picture is the grey one; without the outline
    opens "$@" && wait_for is_filled && measure_panel 500 && press u && away
}
goes() { way "$@" && away; } # BUTTON X Y...
draws() { goes "$1" "$2" "$3" $((($2 + $4) / 2)) "$3" "$4" "$5"; } # BUTTON X Y X Y

# Saves, and sets `inside` to the pixels that differ from the grey picture, all within the saved
# mask, and `unknown` to those of the mask.
looks_at_files() { # healed|cloned
    rm -f grey-*.$png grey-*.pgm grey-sources.txt
    press s && appears "grey-$1.pgm" && appears grey-mask.$png &&
        pixels "grey-$1.pgm" >saved.pgm && pixels grey-mask.$png >mask.pgm || return
    [ "$1" = healed ] || return 0 # the mask of a clone has the size of its source
    inside=$(cmp -l saved.pgm ../grey.pgm | wc -l)
    unknown=$(tail -n +4 mask.pgm | tr -d '\0' | wc -c)
    pixels ../grey.pgm outside mask.pgm >rest.pgm &&
        same <(pixels saved.pgm outside mask.pgm) rest.pgm
}
# What is shown was saved, and is what the command without a window makes of the mask.
is_right() { # healed|cloned COMMAND ARGUMENT...
    looks_at_files "$1" && shows saved.pgm 600 500 &&
        "$program" "${@:2}" -q -o again.pgm && alike saved.pgm again.pgm
}
heals() { # as the window saved it
    looks_at_files healed && shows saved.pgm 600 500 &&
        is_made_again saved.pgm ../grey.pgm mask.pgm grey-sources.txt
}

paints() {
    local first
    opens_painting heal ../grey.pgm && shows ../grey.pgm 600 500 && draws 1 150 120 260 200 &&
        heals && first=$unknown && [ "$inside" -gt 1000 ] && draws 3 150 120 180 120 && heals &&
        [ "$unknown" -lt "$first" ] && press ctrl+z && heals && [ "$unknown" = "$first" ] &&
        press ctrl+y && heals && [ "$unknown" -lt "$first" ] && press ctrl+z ctrl+shift+z &&
        heals && [ "$unknown" -lt "$first" ] &&
        draws 1 590 480 599 499 && heals && [ "$inside" -gt 1000 ] &&
        press Delete && shows ../grey.pgm 600 500 && looks_at_files healed && [ "$unknown" = 0 ] &&
        press ctrl+z && heals && [ "$unknown" -gt 1000 ] && quits
}
window_check 'left paints, right erases, Ctrl+Z and Ctrl+Y, Delete; s saves both files' paints

sizes() {
    local small large
    opens_painting heal ../grey.pgm --grow 5 && draws 1 200 200 200 200 && heals &&
        small=$unknown && equal "$small" 1961 && # a radius of 20, and 5 more
        press Delete bracketright bracketright && draws 1 200 200 200 200 && heals &&
        large=$unknown && [ "$large" -gt $((2 * small)) ] && press Delete bracketleft bracketleft &&
        draws 1 200 200 200 200 && heals && [ "$unknown" = "$small" ] &&
        press Delete ctrl+Up ctrl+Up && draws 1 200 200 200 200 && heals &&
        [ "$unknown" = "$large" ] && press Delete && x keydown ctrl click 5 keyup ctrl &&
        x keydown alt click 5 keyup alt &&
        draws 1 200 200 200 200 && heals && [ "$unknown" = "$small" ] && quits
}
window_check 'the brush is larger and smaller' sizes

straight() {
    opens_painting heal ../grey.pgm && draws 1 100 100 100 100 && heals && first=$unknown &&
        point 300 200 && x keydown shift click 1 keyup shift && away && heals &&
        [ "$unknown" -gt $((first + 8000)) ] && press ctrl+z && heals &&
        [ "$unknown" = "$first" ] && quits
}
window_check 'Shift+click paints a straight stroke from the last one' straight

encloses() { # a box; the right button takes a half of it back, and nothing beside it
    local first
    opens_painting heal ../grey.pgm && press w && goes 1 100 100 300 100 300 200 100 200 &&
        heals && first=$unknown && [ "$first" -gt 19000 ] && [ "$first" -lt 21000 ] &&
        goes 3 50 50 200 50 200 300 50 300 && heals && [ "$unknown" -gt 9500 ] &&
        [ "$unknown" -lt 10500 ] && press ctrl+z && heals && [ "$unknown" = "$first" ] &&
        press w && draws 1 400 400 400 400 && heals && [ "$unknown" -gt $((first + 1000)) ] && quits
}
window_check 'w: what the mouse encloses is painted, or erased' encloses

moves() {
    opens_painting heal ../grey.pgm && draws 1 270 250 330 250 && heals || return
    pixels saved.pgm crop 300 250 150 125 times 2 >zoomed.pgm
    pixels saved.pgm crop 300 250 130 115 times 2 >moved.pgm
    press plus && shows zoomed.pgm 600 500 && draws 2 200 200 240 220 &&
        shows moved.pgm 600 500 && press 0 && heals && press 3 || return
    pixels saved.pgm crop 290 500 0 0 rgb >left.rgb
    pixels ../grey.pgm crop 290 500 310 0 rgb >right.rgb
    wait_for part_is left.rgb 290 500 0 0 && wait_for part_is right.rgb 290 500 310 0 &&
        press 1 && shows saved.pgm 600 500 && x keydown y && shows ../grey.pgm 600 500 &&
        x keyup y && shows saved.pgm 600 500 && quits
}
window_check 'the middle button moves, and paints nothing; the divider, and y while held' moves

window_check 'Ctrl+click sets the place to take from' all opens_painting heal ../grey.pgm \
    and point 400 300 and x keydown ctrl and x click 1 and x keyup ctrl and draws \
    1 200 200 240 210 and is_right healed heal ../grey.pgm --mask mask.pgm --from 200,100 and quits

is_clone() { # AT GRADIENT
    is_right cloned clone ../small.pgm ../grey.pgm --mask mask.pgm --at="$1" --gradient "$2"
}
clones() {
    opens_painting clone ../small.pgm ../grey.pgm && draws 1 20 20 220 170 &&
        is_clone 200,150 source && equal "$(size_of mask.pgm)" '96 64' && press e &&
        is_clone 200,150 mixed && draws 1 300 250 60 110 && is_clone -40,10 mixed && quits
}
window_check 'a clone follows the mouse, e changes its gradients' clones

window_check 'j iterates instead, and back' all opens_painting heal ../grey.pgm \
    and draws 1 150 120 260 200 and heals and press j and wait_for is_beyond 10 and press space \
    and press j and heals and quits

twice() {
    local first
    opens_painting heal ../grey.pgm -o made.pgm && first=$pid && ! says_in_red &&
        draws 1 150 120 260 200 && heals &&
        opens heal ../grey.pgm -o "$PWD/made.pgm" && wait_for says_in_red && quits && pid=$first &&
        find_window && quits && same made.pgm saved.pgm
}
window_check 'the second window with one output says so; q writes the result' twice

# What is not saved is asked for once; with -o, and after Delete, there is nothing to lose.
no_star() { title_is 'grey.pgm - reconstruct'; }
asks_before_it_leaves() {
    opens_painting heal ../grey.pgm && no_star && draws 1 150 120 260 200 &&
        wait_for title_is '*grey.pgm - reconstruct' && press q && wait_for asks && press b q 5 &&
        asks && press Escape && wait_for asks_no_more && press ctrl+w && wait_for asks &&
        press Return && ends 0 && absent grey-healed.pgm && absent grey-recovered.pgm || return
    opens_painting heal ../grey.pgm && draws 1 150 120 260 200 && press q && wait_for asks &&
        press s && ends 0 && [ -s grey-healed.pgm ] && [ -s grey-mask.$png ] || return
    opens_painting heal ../grey.pgm && draws 1 150 120 260 200 && heals && wait_for no_star &&
        draws 1 50 60 90 60 && wait_for title_is '*grey.pgm - reconstruct' && press ctrl+z &&
        wait_for no_star && press ctrl+y && wait_for title_is '*grey.pgm - reconstruct' &&
        wait_for eval '! has_colour "$green" 590 40 0 $((500 + panel - 42))' &&
        press Delete && wait_for no_star && quits
}
asks_no_more() { ! asks; }
window_check 'what is not saved is asked for: s, Enter, Escape' asks_before_it_leaves

plain 300 200 255 '(x % 40 < 20) * 255' >stripes.pgm
window_check 'a clone that goes beyond white is shown as it is saved' all opens_painting clone \
    ../stripes.pgm ../grey.pgm and looks_at_files cloned and shows saved.pgm 600 500 \
    and press b Delete w and goes 1 100 50 200 50 200 100 100 100 \
    and press b and wait_for is_filled and press Delete and shows ../grey.pgm 600 500 and press q \
    and wait_for asks and press Return and ends 0

jpg=$(built_with libjpeg && echo jpg || echo $png) # what is recovered loses nothing
recovers() {
    echo kept >grey-recovered.pgm
    opens_painting heal ../grey.pgm && draws 1 150 120 260 200 && wait_for is_painted &&
        kill -TERM $pid && ends 143 && says "saved grey-recovered-2.pgm and grey-mask-2.$png" &&
        equal "$(cat grey-recovered.pgm)" kept &&
        is_made_again grey-recovered-2.pgm ../grey.pgm grey-mask-2.$png grey-sources-2.txt &&
        mkdir made && opens_painting heal ../grey.pgm -o made/made.$jpg && rm -r made &&
        draws 1 150 120 260 200 && press q && ends 73 && [ -s grey-recovered-3.pgm ]
}
floats() { # as such
    opens_painting heal ../grey-200.pfm && draws 1 150 120 260 200 && wait_for is_filled &&
        press s && appears grey-200-healed.pfm && is_made_again grey-200-healed.pfm \
        ../grey-200.pfm grey-200-mask.$png grey-200-sources.txt && quits
}
window_check 'floats stay floats' floats
far_away() { # a long name, and a folder that is gone
    local long
    long=$(printf 'l%.0s' {1..248}) && cp ../grey.pgm "$long.pgm" && mkdir gone && cd gone &&
        opens_painting heal "${PWD%/gone}/$long.pgm" && draws 1 150 120 260 200 &&
        wait_for is_painted && rmdir ../gone && kill -TERM $pid && ends 143
    cd .. && [ -s "${long:48}-recovered.pgm" ] && says "here/${long:48}-mask.$png"
}
window_check 'a signal, a long name, and no folder: the input has one' far_away
window_check 'a signal, or an output that cannot be written: what was painted is kept' recovers

# Another program saves the file anew, or it is opened again, by a name that is typed.
saves_anew() {
    cp ../grey.pgm photo && wait_for part_is corner.rgb 200 100 0 0 && wait_for is_filled
}
opens_again() {
    press ctrl+o && wait_for rm asked 2>/dev/null && x type --delay 60 photo/grey.pgm &&
        press Return
}
paints_at() { # Y THAN: more pixels than these are unknown then, and filled
    draws 1 200 "$1" 240 "$1" && heals && [ "$unknown" -gt "$2" ]
}
outlives_its_file() {
    mkdir photo bin && printf '#!/bin/sh\n>asked; exit 127\n' >bin/zenity && chmod +x bin/zenity &&
        pixels ../grey.pgm crop 200 100 0 0 rgb >corner.rgb && cp ../other.pgm photo/grey.pgm &&
        plain 600 500 255 '(x > 568 && y > 468) * 255' >spot.pgm &&
        opens_painting heal photo/grey.pgm --mask spot.pgm && saves_anew &&
        paints_at 200 2000 && quits && cp ../other.pgm photo/grey.pgm &&
        opens --picture photo/grey.pgm && press b && wait_for is_filled && # the picture stays
        press u && saves_anew && paints_at 200 1000 && quits &&
        PATH=$PWD/bin:$PATH opens_painting heal photo/grey.pgm && draws 1 200 200 240 200 &&
        opens_again && draws 1 200 300 240 300 && touch photo/grey.pgm && opens_again &&
        paints_at 400 $((unknown * 5 / 2)) && quits # all three strokes
}
window_check 'its file is saved anew, or opened again: what is painted stays' outlives_its_file

# The options that the program names make the same picture, whatever e has chosen.
repeats() {
    local keys=() key
    for key in u e e e e; do # u is no matter
        keys+=("$key")
        opens_painting heal ../grey.pgm && point 400 300 && x keydown ctrl click 1 keyup ctrl &&
            draws 1 200 200 240 210 && wait_for is_painted && press "${keys[@]}" && looks &&
            kill -TERM $pid && ends 143 || return
        mv grey-recovered.pgm saved.pgm &&
            eval "$(sed -n 's|^reconstruct heal|"$program" heal -q|p' "$top/stderr")" &&
            alike grey-recovered.pgm saved.pgm && rm grey-* || return
    done
}
window_check 'the options that are printed repeat what was painted' repeats

# In a region of 200 x 200 pixels of 6 million, with 250 moves of the mouse a second: what is
# painted is seen before the button is let go.
keeps_up() {
    local round i
    castle 3000 40 --colour | tail -c 360000 >rows
    { printf 'P6\n3000 2000\n255\n' && for ((i = 0; i < 50; i++)); do cat rows; done; } >photo.ppm
    opens heal photo.ppm && wait_for is_filled && press o && point 300 200 &&
        x mousedown 1 || return
    for round in 0 1 2 3; do
        shoot 300 300 250 150 >before.rgb && for ((i = 40 * round; i < 40 * round + 40; i++)); do
            echo "mousemove --window $window $((300 + i * 7 % 160)) $((200 + i)) sleep 0.004"
        done | x - && wait_for eval '! part_is before.rgb 300 300 250 150' || return
    done
    x mouseup 1 && press Delete && quits
}
window_check 'a large photograph is painted while the mouse moves' keeps_up
finish_window
