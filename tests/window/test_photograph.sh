#!/usr/bin/env bash
# A picture in place of edges: what the window says of it, and the key e.
. tests/window/lib.sh
hasten 3 # messages stay for 4 s, and hide a doubt

no_red() { ! says_in_red; }
window_check 'e takes the edges of a picture, and takes it back' \
    eval 'headless -n 200 ../grey.pgm -o as-edges.pgm && opens -n 200 ../grey.pgm &&
    shows as-edges.pgm 600 500 && measure_panel 500 && wait_for says_in_red && press e &&
    shows_grey && wait_for no_red && press End && shows ../grey.pgm 600 500 && press e &&
    shows as-edges.pgm 600 500 && wait_for says_in_red && quits'

# Going on from a jump loads the picture again; the difference is 0 at the end.
one_colour() { [ "$(colours 500 300 50 50 | wc -l)" -eq 1 ]; }
window_check '--picture: the difference from the original' all opens --picture -n 200 ../grey.pgm \
    and shows_grey and measure_panel 500 and no_red and press 5 \
    and press End and wait_for one_colour and press space and wait_for one_colour and quits

photographs() {
    convert ../grey.pgm photo.jpg && convert photo.jpg photo.pgm &&
        given "$program" edges photo.pgm -o e.pgm && headless -n 200 e.pgm -o wanted.pgm &&
        opens -n 200 photo.jpg && shows wanted.pgm 600 500 && measure_panel 500 && no_red &&
        press e && wait_for says_in_red && press e && shows wanted.pgm 600 500 && quits &&
        opens -n 200 --zero-level 128 photo.jpg && wait_for says_in_red && quits &&
        opens -n 200 --reference photo.jpg photo.jpg && wait_for says_in_red && press e &&
        wait_for says_in_red && quits
}
begins_exactly() { # from the limit it goes back, and to the brush
    local usually=(--tone clamp)
    convert ../grey.pgm photo.jpg && convert photo.jpg photo.pgm && opens photo.jpg &&
        shows photo.pgm 600 500 && wait_for is_at_rest && press Home space &&
        wait_for eval '! part_is photo.pgm.rgb 600 500 0 0' && press space End &&
        shows photo.pgm 600 500 && quits
}
paints_onto_it() { # what s saves is what -o writes; without the file, and after a signal, it is PNG
    local usually=()
    convert ../grey.pgm photo.jpg && cp photo.jpg kept.jpg && opens heal photo.jpg &&
        wait_for is_filled && draws 150 120 260 200 &&
        wait_for title_is '*photo.jpg - reconstruct' && press s && appears photo-healed.jpg &&
        wait_for title_is 'photo.jpg - reconstruct' &&
        is_made_again photo-healed.jpg photo.jpg photo-mask.$png photo-sources.txt &&
        same again.jpg photo-healed.jpg && rm photo.jpg && draws 150 160 260 200 &&
        wait_for title_is '*photo.jpg - reconstruct' && press s && appears photo-healed-2.$png &&
        quits && cp kept.jpg photo.jpg && opens heal photo.jpg &&
        wait_for is_filled && draws 150 120 260 200 &&
        wait_for title_is '*photo.jpg - reconstruct' &&
        kill -TERM $pid && ends 143 && [ -s photo-recovered-3.$png ]
}
if where 'built_with libjpeg && command -v convert >/dev/null' 'no libjpeg, or no ImageMagick' \
    'a JPEG is a picture by itself'; then
    window_check 'a JPEG is a picture by itself, but not beside options of edges' photographs
    window_check 'it is seen at once' begins_exactly
    window_check 'what is painted becomes a JPEG, and what is recovered a PNG' paints_onto_it
fi
finish_window
