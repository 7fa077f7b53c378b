#!/usr/bin/env bash
# The window's inputs: several, bad ones, none; files that change; K; the film that it makes.
. tests/window/lib.sh

window_check 'next and previous input; results are written when one is left' \
    eval 'opens -n 200 ../edges-grey.pgm ../edges-small.pgm -o out && shows_grey && press Next &&
    is_shown small && [ -s out/edges-grey.pgm ] && press Prior && is_shown grey &&
    [ -s out/edges-small.pgm ] && wait_for part_is ../grey-200.pgm.rgb 600 500 0 0 && press Next &&
    is_shown small && quits && same out/edges-grey.pgm ../grey-200.pgm'

# Paused where it was, with its K; the other one goes on from where it was, too.
keeps_runs() {
    local first
    cp ../edges-grey.pgm .
    opens -k 50 edges-grey.pgm ../edges-small.pgm && rests_after 0 && first=$saved &&
        press Next && is_shown small && rests_after 0 && rm edges-grey.pgm && press Prior &&
        is_shown grey && saves_iteration "$first" &&
        same "edges-grey-$first.pfm" "edges-grey-$first-2.pfm" && press n &&
        is_at $((first + 50)) && press Next && is_shown small && is_beyond 0 && quits
}
window_check 'the next and the previous input keep where each run was' keeps_runs

# Without an input Enter opens the sample that was installed with the program, or says why not.
sample() {
    mkdir -p bin share/reconstruct && cp "$program" bin/reconstruct || return
    local program=$PWD/bin/reconstruct
    opens -n 200 && press Return && wait_for has_colour "$red" 700 80 0 768 &&
        cp ../edges-grey.pgm share/reconstruct/castle-edges.pgm && press Return &&
        wait_for title_is 'castle-edges.pgm - reconstruct' && shows_grey && quits
}
window_check 'without an input Enter opens the sample' sample

window_check 'a bad input among others: they are shown, and the exit code tells' \
    eval 'echo nonsense >bad.pgm; opens -n 200 bad.pgm ../edges-grey.pgm &&
    wait_for has_colour "$red" 600 500 0 0 && press Next && shows_grey && press q && ends 65 &&
    says bad.pgm'

only_bad() { launch missing.pgm && ends 66 && says missing.pgm; }
window_check 'the only input cannot be opened: it ends by itself' only_bad

through_a_set() {
    opens -n 200 ../edges-grey.pgm ../edges-small.pgm ../edges-other.pgm && is_shown grey &&
        press Prior && shows_grey && is_shown grey && press Next &&
        is_shown small && press Next && is_shown other && shows ../other-200.pgm 600 500 &&
        press Next && saves_iteration 200 && is_shown other && same edges-other-200.pfm \
        ../other-200.pfm && press Prior Prior && is_shown grey && shows_grey && quits
}
window_check 'a set of inputs has a first and a last one' through_a_set

# Whatever is pressed while there is nothing to show.
without_a_file() {
    opens && wait_for title_is reconstruct && wait_for has_colour "$calm" 700 700 0 0 &&
        press space n i r s plus minus K k End period Next Prior 2 3 z o Right t g c p v h h h 1 &&
        x mousemove --window "$window" 100 100 click 4 && x mousemove --window "$window" 100 760 \
        click 1 && x windowsize "$window" 300 300 && wait_for size_is '300 300' &&
        wait_for has_colour "$calm" 300 200 0 0 && quits && [ ! -s "$top/stderr" ] &&
        [ -z "$(ls ./*edges* ./*.pfm 2>/dev/null)" ]
}
window_check 'without a file it says what to do' without_a_file

# ---- files that change ----

# A file that keeps still is loaded again, and iterated as far as before.
loads_again() {
    cp ../edges-grey.pgm e.pgm && opens -n 200 -o result.pfm e.pgm && shows_grey &&
        cp ../edges-other.pgm new && mv new e.pgm && shows ../other-200.pgm 600 500 &&
        saves_iteration 200 && same e-200.pfm ../other-200.pfm && rm e.pgm && press n &&
        is_at 300 && cp ../edges-grey.pgm e.pgm && shows_grey && quits &&
        same result.pfm ../grey-200.pfm
}
window_check 'a file that has changed is loaded again' loads_again

becomes_unreadable() {
    cp ../edges-grey.pgm e.pgm && opens -n 200 e.pgm && shows_grey && measure_panel 500 &&
        echo nonsense >e.pgm && wait_for says_in_red && shows_grey && saves_iteration 200 &&
        press n && is_at 300 && cp ../edges-other.pgm e.pgm && shows ../other-200.pgm 600 500 &&
        quits
}
window_check 'a file that cannot be read any more leaves the picture, until it can' \
    becomes_unreadable

window_check 'it may become one of another size' eval 'cp ../edges-grey.pgm e.pgm &&
    opens -n 100 e.pgm && is_at 100 && measure_panel 500 && cp ../edges-small.pgm e.pgm &&
    headless -n 100 ../edges-small.pgm -o small.pgm && resize 576 384 &&
    pixels small.pgm times 6 >large.pgm && shows large.pgm 576 384 && quits'

becomes_good() {
    echo nonsense >e.pgm
    opens -n 200 e.pgm ../edges-small.pgm && wait_for has_colour "$red" 600 500 0 0 &&
        cp ../edges-grey.pgm e.pgm && shows_in_the_middle ../grey-200.pgm && rm e.pgm && press r &&
        wait_for has_colour "$red" 600 500 0 0 && cp ../edges-grey.pgm e.pgm && shows_grey &&
        press q && ends 65
}
# The window has the size that it opened with: it is as large as the picture was not known to be.
shows_in_the_middle() { # PICTURE
    wait_for title_is 'e.pgm - reconstruct' && wait_for is_open && shows "$1" 600 500
}
is_open() { geometry && [ "$WIDTH" = 600 ]; }
window_check 'a file that was bad or missing is loaded when it is good' becomes_good

# ---- K ----

doubles() {
    opens_paused -k 50 && press n && is_at 250 && press K n && is_at 350 && press K K n &&
        is_at 750 && press i i i && is_at 753 && press k n && is_at 803 && press r && is_at 200 &&
        press n && is_at 250 && quits && opens_paused && press K K n && is_at 400 && quits
}
window_check 'K doubles the batch, from 100; k leaves it to the command; i does one iteration' \
    doubles

window_check 'the title tells the progress while it iterates' all opens -n 100000000 \
    ../edges-grey.pgm and wait_for title_like '*% edges-grey.pgm - reconstruct' and press space \
    and is_shown grey and press space and wait_for title_like '*% edges-grey.pgm*' and quits \
    and opens -n 1000000000000 -k 10 ../edges-small.pgm and press n and is_shown small and quits

# ---- the film ----

films() { # OPTION...: the frames of the window are those of --headless
    headless -n 400 --frames wanted "$@" ../edges-grey.pgm && [ "$(ls wanted | wc -l)" -gt 5 ] &&
        opens -n 400 --frames film "$@" ../edges-grey.pgm && press K K && wait_for frames &&
        is_at 400 && quits && diff -r wanted film
}
frames() { [ "$(ls film | wc -l)" -ge "$(ls wanted | wc -l)" ]; }
window_check 'the film is that of --headless' films -k 50
window_check 'so is one of log-spaced frames' films --frames-log

# Also at the end of the run.
frame_in_the_way() {
    local frame=film/edges-grey-000002.pgm
    mkdir -p $frame && opens -n 100 -k 100 --frames film ../edges-grey.pgm && wait_for is_open &&
        measure_panel 500 && wait_for says_in_red && rmdir $frame && press space &&
        wait_for test -s $frame && saves_iteration 100 && press q && ends 73 && says $frame
}
window_check 'a frame that cannot be written is tried again' frame_in_the_way

# ---- filters ----

# They iterate as a reconstruction does; there are no edges to show, and no slider to jump with.
filters() {
    "$program" convolve --headless -q -n 40 --stencil binomial ../grey.pgm -o wanted.pgm &&
        opens convolve -n 40 -k 5 --stencil binomial ../grey.pgm && shows wanted.pgm 600 500 &&
        measure_panel 500 && press End Home && is_at 40 && press n && is_at 45 && quits
}
window_check 'a filter, live' filters

# ---- the window's size ----

# Down to less than a window manager would let it become, while it iterates.
sizes() {
    local size
    opens -k 5 ../edges-grey.pgm && wait_for is_open && measure_panel 500 || return
    for size in '700 300' '120 80' '1 1' '900 800' '240 200' '30 700' '1200 90' '600 600'; do
        x windowsize "$window" $size && wait_for size_is "$size" && press 3 z 4 0 1 || return
    done
    resize 600 500 && press space && saves &&
        headless -n "$saved" ../edges-grey.pgm -o wanted.pgm && shows wanted.pgm 600 500 && quits &&
        [ ! -s "$top/stderr" ]
}
window_check 'any size, while it iterates' sizes

finish_window
