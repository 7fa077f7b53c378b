#!/usr/bin/env bash
# --picture: the input is a picture, whose edges are taken; and inputs that are pictures unasked.
. tests/lib.sh

castle 64 48 >grey.pgm && castle 70 44 --colour >colour.ppm && waves 60 40 >waves.pgm || exit 1
given works edges grey.pgm -o e.pgm

exactly() { check_where 'built_with FFTW' 'built without FFTW' "$@"; } # NAME COMMAND...
back() { # PICTURE OPTION...: it comes back, to its bytes
    exits 0 --headless --picture "$@" -o out.ppm --format "${format-pgm}" && same out.ppm "$1" &&
        grep -qE "equal to $1, bit for bit|grey levels RMS from $1, PSNR" "$top/stderr"
}
exactly 'a picture comes back' back grey.pgm
exactly 'in colour' eval 'format=ppm back colour.ppm'
for boundary in mirror wrap sawtooth; do
    exactly "--boundary $boundary, and its mean" back grey.pgm --boundary $boundary
done
exactly 'edges of a stencil' back grey.pgm --stencil laplace8
check 'of a stencil that keeps the mean' back grey.pgm --stencil sharpen --boundary mirror
exactly 'a halo' back grey.pgm --halo 200
check 'nothing else has to be asked for' exits 0 --headless --picture grey.pgm
piped() { exits 0 --headless --picture - -o out.pgm <grey.pgm && same out.pgm grey.pgm; }
exactly 'from standard input' piped

same_bits() { # OPTION...: as with a file of its edges
    works edges grey.pgm "$@" -o edges.pfm &&
        works --headless -q -n 30 --reference grey.pgm edges.pfm "$@" -o a.pfm --report a.json &&
        works --headless -q -n 30 --picture grey.pgm "$@" -o b.pfm --report b.json &&
        same a.pfm b.pfm && equal "$(grep -o '"reference_rms.*' a.json)" \
        "$(grep -o '"reference_rms.*' b.json)"
}
check 'iterates have the bits of those from a file of edges' same_bits
check 'with a stencil' same_bits --stencil laplace8
means() { # OPTION...: that of an iterate is the picture's
    exits 0 edges grey.pgm --boundary mirror -o m.pfm &&
        awk '{ exit !($2 > 1) }' "$top/stdout" && cp "$top/stdout" mean &&
        works --headless -q -n 40 --picture grey.pgm --boundary mirror "$@" -o m.pfm &&
        float_samples m.pfm 3072 | tr ' ' '\n' | awk 'NR == FNR { wanted = $2; next }
            { sum += $1 } END { exit !((sum / 3072 - wanted) ^ 2 < 1e-6) }' mean -
}
check 'a mean that is free is that of the picture' means
check 'with a start, too' means --start 7

for option in '--reference e.pgm' '--zero-level 3' '--mean 3 --boundary mirror' \
    '--balance --boundary mirror'; do
    # shellcheck disable=SC2086
    check "--picture $option: exit 64" refuses 64 '--picture cannot be used with' --headless -q \
        --picture $option grey.pgm -o x.pgm
done

castle 30 20 --maxval 65535 >deep.pgm || exit 1
exactly 'no advice to use it where it is used' refuses 65 'stretch keeps more; --force writes it' \
    --headless -q --picture deep.pgm -o x.pgm

# ---- lists, and what identifies a run ----

each() { # of a list
    works --headless -q --picture grey.pgm waves.pgm colour.ppm -o list/ --report list.jsonl &&
        same list/grey.pgm grey.pgm && same list/colour.ppm colour.ppm &&
        equal "$(grep -c '"psnr"' list.jsonl)" 3 &&
        exits 0 --headless --picture grey.pgm waves.pgm colour.ppm -o list/ --report list.jsonl \
            --resume && says '3 done before' &&
        exits 0 --headless --force grey.pgm waves.pgm colour.ppm -o list/ --report list.jsonl \
            --resume &&
        ! says 'done before'
}
exactly 'a list: each is its own original, and the journal knows what was asked' each
other_checkpoint() {
    local run=(--headless -q -n 1e9 --checkpoint c -o x.pfm)
    castle 600 600 >large.pgm && works edges large.pgm -o large.pfm || return
    "$program" "${run[@]}" --checkpoint-every 0.1 --picture large.pgm 2>"$top/stderr" &
    appears c && kill -TERM $! # before it has begun there would be no checkpoint
    wait $!
    equal $? 75 &&
        refuses 65 'c: ' "${run[@]}" large.pfm &&
        interrupted TERM "${run[@]}" --picture large.pgm && equal "$status" 75
}
check 'a checkpoint of a picture is not one of its edges' other_checkpoint

# ---- pictures unasked ----

noted() { # TEXT FILE
    exits 0 --headless -n 1 "$2" -o x.pfm && says "note: $2: $1" &&
        works --headless -q -n 1 "$2" -o x.pfm
}
plain 80 60 255 '(int(x / 9) + int(y / 9)) % 2 * 255' >board.pgm
plain 80 60 255 '(x % 12 == 0 || y % 10 == 0) * 255' >outlines.pgm # of a detector
for file in grey.pgm waves.pgm board.pgm colour.ppm; do
    check "$file is a picture" noted 'this is a picture, not edges: --picture takes its edges' $file
done
check 'outlines have no sign' noted 'edges without sign cannot be rebuilt' outlines.pgm
printf '3 3 1 128\n0 1 0\n1 -4 1\n0 1 0\n' >around128.mat
edges_are_edges() { # PICTURE
    local made
    works edges "$1" -o e.pgm --format pam && works edges "$1" -o e.pfm &&
        exits 0 edges "$1" --stencil laplace8 --boundary mirror -o f.pgm --format pam &&
        works convolve "$1" --headless -q --stencil around128.mat -o g.pgm --format pam || return
    for made in e.pgm e.pfm f.pgm g.pgm; do
        exits 0 --headless -n 1 $made -o x.pfm && ! says note || return
    done
}
for file in grey.pgm waves.pgm board.pgm colour.ppm outlines.pgm; do
    check "edges of $file are edges" edges_are_edges $file
done
cut_off() {
    refuses 65 'this is a picture, not edges: --picture takes its edges; --force writes it' \
        --headless -q grey.pgm -o cut.pgm && absent cut.pgm && tidy &&
        refuses 65 '--picture takes' --headless -q outlines.pgm -o cut.pgm && absent cut.pgm &&
        refuses 65 '--picture takes' --headless -q grey.pgm -o - && [ ! -s "$top/stdout" ] &&
        works --headless -q grey.pgm -o cut.pfm &&
        works --headless -q --force grey.pgm -o cut.pgm && warns 'almost nothing is visible: ' &&
        works --headless -q -n 5000 grey.pgm -o cut.pgm &&
        warns 'almost nothing is visible: '
}
check 'a picture as edges: hardly a pixel is right, and it is not written' cut_off
jpeg() { # where a window would take it for a picture, it is one without a display, too
    local text='photo.jpg: edges do not survive JPEG; if this is a picture, --picture takes'
    exits 0 heal -q grey.pgm --mask =-1 -o photo.jpg && exits 0 heal -q photo.jpg --mask =-1 \
        -o decoded.pgm && exits 0 --headless -q -n 1 photo.jpg -o x.pfm && says "warning: $text" &&
        works --headless -q --picture photo.jpg -o out.pgm && same out.pgm decoded.pgm &&
        works -q photo.jpg -o unasked.pgm && same unasked.pgm decoded.pgm
}
if where 'built_with libjpeg' 'built without libjpeg' 'edges in a JPEG'; then
    exactly 'edges in a JPEG: a warning; without a display it is a picture' jpeg
fi
finish
