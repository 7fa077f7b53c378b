#!/usr/bin/env bash
# What the window can show of a reconstruction, and how: zoom and pan, the five scenes, the tone.
. tests/window/lib.sh

waves 1200 800 >large.pgm
edges_of large.pgm

# ---- zoom and pan ----

# The picture's area, 600 x 500, at column X and row Y of the picture magnified by SCALE.
shows_part() { # PICTURE SCALE X Y [WIDTH HEIGHT [AT_X AT_Y]]
    local scale=$2 width=${5:-600} height=${6:-500}
    local -a part=($(($3 / scale)) $(($4 / scale)) $(($3 % scale)) $(($4 % scale)))
    pixels "$1" crop $(((part[2] + width + scale - 1) / scale)) \
        $(((part[3] + height + scale - 1) / scale)) "${part[@]:0:2}" times "$scale" \
        crop "$width" "$height" "${part[@]:2}" >part.pgm &&
        shows part.pgm "$width" "$height" "${7:-0}" "${8:-0}"
}
grey=../grey-200.pgm

# Without the cursor in the window the middle stays where it is.
zooms_by_key() {
    opens_paused && press v plus && shows_part $grey 2 300 250 && press z &&
        shows_part $grey 3 600 500 && press minus x && shows_grey && press x && press z z z &&
        shows_part $grey 4 900 750 && press 0 && shows_grey && press z z z z z z z z z z z z &&
        press z && shows_part $grey 64 18900 15750 && saves && equal "$(size_of "$view")" '10 8' &&
        quits
}
# What a scene had at 1:1 is drawn magnified until its next snapshot comes: only what is seen of it.
stays_small() {
    opens_paused && press v 2 z z z z z z z z z 1 && shows_part $grey 32 9300 7750 &&
        awk '/VmHWM/ { print $2; exit $2 > 400000 }' /proc/$pid/status && quits
}
window_check 'magnified pictures take no memory' stays_small
window_check 'the keys + - z x zoom by whole numbers, in the middle; 0 shows all' zooms_by_key

# The point under the cursor stays there, unless the picture's border would come into the area.
window_check 'the wheel zooms at the cursor' all opens_paused \
    and press v and point 100 50 and x click --repeat 4 4 and shows_part $grey 2 100 50 \
    and press z and shows_part $grey 3 200 100 and point 500 400 and press x \
    and shows_part $grey 2 0 0 and point 599 499 and x click --repeat 4 4 \
    and shows_part $grey 4 599 499 and quits

pans() {
    opens_paused && press v z && drag_to 300 250 260 220 && shows_part $grey 2 340 280 &&
        press Right && shows_part $grey 2 403 280 && press Down Down Left &&
        shows_part $grey 2 340 406 && press Up && shows_part $grey 2 340 343 &&
        press Left Left Left Left Left Left Left && shows_part $grey 2 0 343 &&
        drag_to 100 400 20 10 && shows_part $grey 2 80 500 && x mousedown 2 && point 30 20 &&
        shows_part $grey 2 70 490 && x mouseup 2 && point 300 300 && shows_part $grey 2 70 490 &&
        quits
}
window_check 'dragging and the arrows pan, to the border of the picture' pans

# The picture that stands still from the start: every iterate is the original.
opens_large() { # WIDTH HEIGHT: of the area; the picture is 1200 x 800, and fits when it opens
    opens -n 1 --start ../large.pgm ../edges-large.pgm && wait_for is_wider 768 &&
        measure_panel $(((WIDTH * 2 + 1) / 3)) && resize "$1" "$2" && shows_reduced "$1" "$2"
}
is_wider() { geometry && [ "$WIDTH" -gt "$1" ]; } # WIDTH
shows_reduced() { # WIDTH HEIGHT: the whole picture, each pixel a mean
    wait_for is_view_of "$1 $2" && pixels ../large.pgm mean $((1200 / $1)) >mean.pgm &&
        within 1 "$view" mean.pgm && shows "$view" "$1" "$2"
}
one_to_one() {
    local -x SDL_MOUSE_DOUBLE_CLICK_TIME=20000 # milliseconds: of a busy machine
    opens_large 600 400 && resize 300 200 && shows_reduced 300 200 && resize 600 400 &&
        press o && shows_part ../large.pgm 1 300 200 600 400 &&
        press Left Left && shows_part ../large.pgm 1 198 200 600 400 && press 0 &&
        shows_reduced 600 400 && press v &&
        point 30 40 && x click --repeat 2 --delay 60 1 && shows_part ../large.pgm 1 30 40 600 400 &&
        press x && shows_reduced 600 400 && quits
}
window_check 'a picture larger than the window is reduced, each pixel a mean, and shown 1:1' \
    one_to_one

keeps_part() {
    opens -n 200 ../edges-grey.pgm ../edges-other.pgm && shows_grey && measure_panel 500 &&
        press z Right && shows_part $grey 2 363 250 && press Next &&
        shows_part ../other-200.pgm 2 363 250 && press 2 &&
        shows_part_of_edges ../edges-other.pgm && press Prior &&
        shows_part_of_edges ../edges-grey.pgm && press 1 && shows_part $grey 2 363 250 &&
        resize 400 300 && shows_part $grey 2 463 350 400 300 && press 0 && resize 600 500 &&
        shows_grey && quits
}
shows_part_of_edges() { # EDGES
    as_shown "$1" 600 500 >edges.pgm && shows_part edges.pgm 2 363 250
}
# Edges in the tone `clamp`: 128 is 0.
as_shown() { # EDGES WIDTH HEIGHT: 16 bits, 32768 is 0
    echo "P2 $2 $3 255"
    tail -c $((2 * $2 * $3)) "$1" | od -An -v -w2 --endian=big -tu2 |
        awk '{ v = $1 - 32768 + 128; print (v < 0 ? 0 : v > 255 ? 255 : v) }'
}
window_check 'part and scene are kept from one input to the next, and the part while resizing' \
    keeps_part

# ---- scenes ----

sides() { # COLUMN: the divider is there; beside its line the picture and the edges
    local at=$1
    [ "$at" -le 2 ] || shows_part $grey 1 0 0 $((at - 2)) 500 || return
    shows_part edges.pgm 1 $((at + 2)) 0 $((598 - at)) 500 $((at + 2)) 0 &&
        has_colour "$amber" 1 100 "$at" 0
}
has_part() { # PICTURE WIDTH X OTHER: those columns are the other's
    cmp <(pixels "$1" crop "$2" 500 "$3" 0) <(pixels "$4" crop "$2" 500 "$3" 0)
}
edges_and_sides() {
    as_shown ../edges-grey.pgm 600 500 >edges.pgm
    opens_paused && press v 2 && shows edges.pgm 600 500 && press 3 && sides 300 || return
    drag_to 300 100 150 90 && sides 150 && saves || return
    equal "$(size_of "$view")" '600 500' && has_part "$view" 150 0 $grey &&
        has_part "$view" 450 150 edges.pgm && drag_to 152 90 30 80 && sides 30 &&
        drag_to 32 300 0 300 && sides 0 && press 1 && shows_grey && quits
}
window_check 'the edges, and the picture beside them with a divider to drag' edges_and_sides

# What s wrote is what is on the screen, magnified; the legend covers a corner of some scenes.
shows_saved() { # [MAGNIFICATION [X]]
    pixels "$view" times "${1:-1}" crop 600 380 "${2:-0}" 0 >seen.ppm &&
        shows seen.ppm 600 380 "${2:-0}"
}
varied() { # MOST LEAST: so many colours in the picture's upper part
    local many
    many=$(colours 600 380 0 0 | wc -l)
    [ "$many" -le "$1" ] && [ "$many" -ge "$2" ]
}
coloured() { colours 600 380 0 0 | awk '$1 != $2 || $2 != $3 { n++ } END { exit n < 20 }'; }
change_of_a_batch() {
    local first
    opens -k 20 --pace 4 ../edges-grey.pgm && measure_panel 500 &&
        wait_for is_beyond 0 && press 4 && wait_for is_beyond 20 && wait_for coloured &&
        press space && wait_for is_at_rest && wait_for coloured && saves && coloured || return
    first=$saved
    shows_saved && press n && is_at $((first + 20)) && shows_saved && coloured && quits
}
window_check 'the change of a batch is a heat map' change_of_a_batch

no_legend() { [ "$(colours 600 70 0 430 | wc -l)" = 1 ]; } # below the notice
window_check 'the difference from a reference, and none where the picture is it' \
    eval 'opens -n 3 --start ../grey.pgm --reference ../grey.pgm ../edges-grey.pgm &&
    is_shown grey && press 5 && wait_for varied 1 1 && quits &&
    opens_paused --reference ../grey.pgm ../edges-small.pgm && press 5 && wait_for coloured &&
    saves && shows_saved && press Next && wait_for no_legend && quits'

# Of colours: from black to white, 202 columns that begin 19 columns from the left.
has_ramp() {
    shoot 202 45 19 645 | samples 606 | awk '{ bad = $1 > 0 || $604 < 255
            for (i = 1; i <= 606; i += 3) bad += $i != $(i + 2) || (i > 1 && $i < $(i - 3))
            good += !bad } END { exit !good }'
}
window_check 'the difference of a picture in colour has a legend' all opens -n 200 --reference \
    ../colour.ppm ../edges-colour.ppm and wait_for title_is 'edges-colour.ppm - reconstruct' \
    and press 5 and wait_for has_ramp and press 1 and wait_for eval '! has_ramp' and quits

part_is_at() { # N: the picture after that many iterations is on the screen
    [ -e "at-$1.rgb" ] || { headless -n "$1" ../edges-grey.pgm -o "at-$1.pgm" &&
        pixels "at-$1.pgm" rgb >"at-$1.rgb"; }
    part_is "at-$1.rgb" 600 500 0 0
}
window_check 'Tab goes through the scenes; without a reference 5 subtracts the exact picture' \
    eval 'as_shown ../edges-grey.pgm 600 500 >edges.pgm; opens_paused && press Tab &&
    shows edges.pgm 600 500 && press Tab && sides 300 && press Tab n && wait_for coloured &&
    press Tab && wait_for part_is_at 300 &&
    { ! has_spectral || { press 5 && wait_for coloured; }; } && press 1 &&
    wait_for part_is_at 300 && quits'

saved_views() {
    local scene
    opens_paused --reference ../grey.pgm && press 4 S && wait_for says_in_red &&
        [ -z "$(find . -name '*-view*')" ] && press n z && is_at 300 || return
    for scene in 1 2 4 5; do
        press $scene && saves && shows_saved 2 || { echo "scene $scene"; return 1; }
    done
    quits
}
window_check 'the saved view of each scene is what is seen; a change needs a batch' saved_views

# A, B, both; it prints and exits as without the window.
two_pictures() {
    usually=()
    run compare ../grey.pgm ../other.pgm && cp "$top/stdout" printed &&
        opens compare --show ../grey.pgm ../other.pgm && shows ../grey.pgm 600 500 && press 2 &&
        shows ../other.pgm 600 500 && pixels ../grey.pgm crop 290 500 0 0 >left.pgm &&
        pixels ../other.pgm crop 290 500 310 0 >right.pgm && press 3 && shows left.pgm 290 500 &&
        shows right.pgm 290 500 310 0 &&
        press 5 && wait_for coloured && press q && ends 1 && cmp printed "$top/stdout" &&
        opens compare --show ../grey.pgm ../grey.pgm && press 5 && wait_for varied 1 1 &&
        press q && ends 0
}
window_check 'compare --show: two pictures and their difference' two_pictures
usually=(--tone clamp --pace max)

# ---- tone ----

of_tone() { # TONE
    headless -n 200 --tone "$1" ../edges-grey.pgm -o "$1.pgm" && shows "$1.pgm" 600 500
}
window_check 'the tone, by the option and by t' eval 'opens -n 200 --tone epcc ../edges-grey.pgm &&
    of_tone epcc && saves && same "$view" epcc.pgm && press t t && of_tone clamp && press t &&
    of_tone stretch && press t && of_tone epcc && quits'

# Much of the picture after 200 iterations lies outside 0..255, nothing of the exact one. Between
# the levels that 0.5% of the pixels are below and above, it is shown from black to white. At
# iterate 200, once nothing moves any more.
fits() { # MOST: percent of the view's pixels that are black, and that are white
    looks && equal "$saved" 200 && pixels "$view" rgb >"$view.rgb" &&
        part_is "$view.rgb" 600 500 0 0 && samples 1 <"$view" |
        awk -v most="$1" '{ b += $1 == 0; w += $1 == 255 }
        END { print b / NR, w / NR; n = most * NR / 100; exit !(b + w > 0 && b < n && w < n) }'
}
tone_by_itself() {
    usually=(--pace max)
    opens -n 200 ../edges-grey.pgm && wait_for fits 0.8 && press t &&
        of_tone clamp && press t t t && wait_for fits 0.8 && quits &&
        opens -n 1 --start ../grey.pgm ../edges-grey.pgm && shows ../grey.pgm 600 500 &&
        quits && opens -n 0 ../edges-grey.pgm && wait_for has_mid_grey && quits
}
# The first frame: 0 is in the middle between the smallest and the largest edge, not black.
has_mid_grey() {
    shoot 200 200 200 150 | samples 3 | awk '{ n += $1 > 64 && $1 < 192 } END { exit n < 36000 }'
}
window_check 'the tone auto: fitted while clamp would cut off much, and grey edges at first' \
    tone_by_itself
white_of_file() { # of hazy pictures, which would look otherwise if they were fitted
    for white in 65535 15; do
        { echo P2 600 500 $white && samples 1 <$grey |
            awk -v w=$white '{ print int((64 + $1 / 2) / 17) * w / 15 }'; } >hazy-$white.pgm
    done
    samples 1 <$grey | awk 'BEGIN { print "P2 600 500 255" }
        { print int((64 + $1 / 2) / 17) * 17 }' >hazy.pgm
    for white in 65535 15; do
        opens heal hazy-$white.pgm && shows hazy.pgm 600 500 && press t && shows hazy.pgm 600 500 &&
            quits || return
    done
}
window_check 'white is that of a picture of any number of bits' white_of_file
usually=(--tone clamp --pace max)

# 255 (v / 255)^(1 / gamma), rounded, of the bytes; (v - 127.5) c + 127.5 of the numbers.
bent() { # GAMMA
    { echo P2 600 500 255 && samples 1 <$grey |
        awk -v g="$1" '{ print int(255 * ($1 / 255) ^ (1 / g) + 0.5) }'; } >bent.pgm &&
        shows bent.pgm 600 500
}
steeper() { # CONTRAST
    { echo P2 600 500 255 && tail -c $((4 * 600 * 500)) ../grey-200.pfm | od -An -v -w4 -tf4 |
        awk -v c="$1" '{ v = int(($1 - 127.5) * c + 127.5 + 0.5)
            row = (NR % 600 == 1 ? "" : row "\n") (v < 0 ? 0 : v > 255 ? 255 : v) }
            NR % 600 == 0 { rows[NR / 600] = row }
            END { for (y = 500; y; y--) print rows[y] }'
    } >steeper.pgm && wait_for saves_like steeper.pgm &&
        shows "$view" 600 500
}
saves_like() { looks && within 1 "$view" "$1"; }
window_check 'gamma and contrast by key, and back' all opens_paused \
    and press g and bent 1.25 and press G and shows_grey and press G and bent 0.8 and press d c \
    and steeper 1.25 and press C C and steeper 0.8 and press d and shows_grey and quits

# ---- over the picture ----

# Near enough each pixel has its value as a number.
numbers() {
    opens_paused && press z z z z z z z z z && press v && shows_part $grey 32 9300 7750 &&
        press v z && wait_for has_colour '255 255 255' 200 200 200 200 && press v &&
        shows_part $grey 48 14100 11750 && quits && castle 18 13 >grey.pgm &&
        castle 18 13 --colour >colour.ppm && edges_of grey.pgm colour.ppm &&
        opens -n 1 edges-grey.pgm edges-colour.ppm && # 42 pixels: too little for three numbers
        wait_for has_colour '255 255 255' 600 500 0 0 && press Next && is_at 1 && shows_saved 42 &&
        press v 3 && drag_to 378 99 100 99 && saves && shows_saved 42 126 && quits
}
window_check 'pixels that are large enough show their values; a divider moves none' numbers

# The handles of black and white are at the ends of the graph, which begins 12 columns within the
# histogram's panel, 280 x 140 in the corner.
mean_of_view() { looks && samples 1 <"$view" | awk '{ s += $1 } END { print int(s / NR / 2.55) }'; }
levels_by_hand() {
    local before after
    opens_paused && press H && wait_for has_colour "$amber" 300 150 0 350 &&
        before=$(mean_of_view) && drag_to 279 440 100 440 && after=$(mean_of_view) &&
        [ "$after" -gt $((before + 20)) ] ||
        { echo "the mean is $before, and then $after"; return 1; }
    press d Escape && point 0 0 && press v && shows_grey && quits
}
window_check 'the histogram has handles that set black and white' levels_by_hand

histogram_and_plot() {
    opens_paused && resize 480 600 && press H && wait_for has_colour "$amber" 280 140 10 450 &&
        wait_for panel_is_still && press p && wait_for has_colour '112 176 244' 480 440 0 0 &&
        part_is histogram.rgb 280 140 10 450 && resize 480 230 &&
        wait_for eval '! has_colour "$amber" 200 140 10 80' && press 4 &&
        wait_for has_colour "$calm" 480 87 0 0 && quits # the notice is above the plot
}
panel_is_still() {
    shoot 280 140 10 450 >histogram.rgb && sleep 0.1 && part_is histogram.rgb 280 140 10 450
}
window_check 'a narrow window has the plot above the histogram, a low one only the plot' \
    histogram_and_plot

shows_beside() { ! part_is $grey.rgb 600 500 0 0 && part_is below.rgb 600 400 0 100; }
values() {
    opens_paused ../edges-other.pgm && shoot 600 400 0 100 >below.rgb && point 300 250 &&
        wait_for shows_beside && press Next && is_shown other && press Prior &&
        wait_for shows_beside && press v && shows_grey && press v && wait_for shows_beside &&
        point 300 $((505 + panel)) && shows_grey && quits
}
window_check 'the values under the cursor come, and go with v and with the cursor' values

# The plot's panel has its ground where only the picture was.
plots() {
    opens_paused && press p && wait_for eval '! part_is $grey.rgb 600 500 0 0' && part_is_top &&
        press p && wait_for eval '! part_is_top' && press p && shows_grey && quits
}
part_is_top() { cmp -s <(shoot 600 200 0 0) <(pixels $grey crop 600 200 0 0 rgb); }
window_check 'p shows the plot in a corner, over all, and hides it' plots

finish_window
