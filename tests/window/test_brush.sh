#!/usr/bin/env bash
# The brush of a picture that was opened for something else, the mask of a clone's SOURCE, and files
# that are opened by a key.
. tests/window/lib.sh

usually=()
hasten 3 # as in test_paint.sh

# The run stays where it was, and -o has its result; what was painted has its own files.
turns() {
    opens --tone clamp --pace max -n 200 ../edges-grey.pgm -o left.pgm && shows_grey &&
        measure_panel 500 && press b && wait_for says_in_red && # these are edges
        wait_for title_is 'edges-grey.pgm - reconstruct' && wait_for is_filled &&
        draws 150 120 260 200 &&
        wait_for title_is '*edges-grey.pgm - reconstruct' && press b && shows_grey &&
        title_is '*edges-grey.pgm - reconstruct' && press q && wait_for asks &&
        press Escape b && wait_for is_filled && press s &&
        appears edges-grey-healed.pgm && wait_for title_is 'edges-grey.pgm - reconstruct' &&
        quits && same left.pgm ../grey-200.pgm &&
        is_made_again edges-grey-healed.pgm ../edges-grey.pgm edges-grey-mask.$png \
            edges-grey-sources.txt
}
window_check 'b turns a picture to its brush, and back' turns

window_check 'without an input b and Ctrl+O wait for one' all opens \
    and press b ctrl+o and title_is reconstruct and press Escape and quits

paints_source() {
    opens clone ../small.pgm ../grey.pgm && wait_for title_is 'grey.pgm - reconstruct' &&
        wait_for is_filled && press b && wait_for title_is 'small.pgm - reconstruct' &&
        wait_for is_filled &&
        draws 250 200 350 250 && press b && wait_for title_is '*grey.pgm - reconstruct' &&
        press s && appears grey-cloned.pgm && appears grey-mask.$png && quits &&
        pixels grey-mask.$png >mask.pgm && equal "$(size_of mask.pgm)" '96 64' || return
    unknown=$(samples 1 <mask.pgm | grep -c 255)
    [ "$unknown" -gt 100 ] && [ "$unknown" -lt 3000 ] &&
        "$program" clone ../small.pgm ../grey.pgm --mask mask.pgm -q -o again.pgm &&
        pixels grey-cloned.pgm >cloned.pgm && alike cloned.pgm again.pgm || return
    opens clone ../small.pgm ../grey.pgm --mask mask.pgm && wait_for is_filled && press b &&
        wait_for title_is 'small.pgm - reconstruct' && wait_for is_filled && draws 20 20 30 30 &&
        wait_for is_painted && kill -TERM $pid && ends 143 && pixels grey-mask-2.$png >more.pgm &&
        [ "$(samples 1 <more.pgm | grep -c 255)" -gt "$unknown" ] && [ -s grey-recovered-2.pgm ]
}
window_check 'the mask of SOURCE is painted where b shows it' paints_source

by_dialog() {
    mkdir bin && printf '#!/bin/sh\necho %s\n' "file://$PWD/../sm%61ll.pgm" >bin/zenity &&
        chmod +x bin/zenity && PATH=$PWD/bin:$PATH opens && press ctrl+o &&
        wait_for title_is 'small.pgm - reconstruct' && quits
}
window_check 'Ctrl+O opens what the dialog of the desktop says' by_dialog

if command -v zenity kdialog >/dev/null; then
    skip 'Ctrl+O opens a file by its name' 'a dialog is here'
else
    window_check 'without a dialog Ctrl+O opens a file by its name' all eval 'HOME=$PWD/.. opens' \
        and press ctrl+o and x type --delay 60 '~/smalx' and press BackSpace \
        and x type --delay 60 l.pgm \
        and press Return and wait_for title_is 'small.pgm - reconstruct' and quits
fi
finish_window
