#!/usr/bin/env bash
# Where heal takes texture from: the places that it finds, for each part of a mask, or is given.
. tests/lib.sh

castle 64 48 >grey.pgm || exit 1
plain 64 48 255 '((x - 30) ^ 2 + (y - 20) ^ 2 < 90) * 255' >disc.pgm

# Bricks with noise of their own.
joint='y % 12 < 2 || (x + int(y / 12) % 2 * 9) % 18 < 2'
bricks="(sin(x * 12.9 + y * 78.2) * 43758) % 40 + 100 + ($joint) * 60"
plain 128 96 255 "$bricks" >bricks.pgm
round='(x - 40) ^ 2 + (y - 50) ^ 2 < 90'
plain 128 96 255 "($round) * 255" >round.pgm
plain 128 96 255 "($round || (x - 90) ^ 2 + (y - 30) ^ 2 < 90) * 255" >two.pgm
plain 128 96 255 '(x % 20 < 1 && y % 24 < 2) * 255' >specks.pgm
plain 128 96 255 '(x % 42 < 9 && y % 30 < 9) * 255' >many.pgm
finds() {
    local places
    exits 0 heal bricks.pgm --mask round.pgm -o a.pgm --report r.json &&
        places=$(sed -n 's/^note: .* 285 pixels at 31,41 are filled from \([0-9]*\) places$/\1/p' \
            "$top/stderr") &&
        [ "$places" -ge 2 ] && equal "$(grep -o '"from": \[' r.json | wc -l)" "$places" &&
        works heal -q bricks.pgm --mask round.pgm --from auto --jobs 1 -o b.pgm &&
        same a.pgm b.pgm &&
        works heal -q bricks.pgm --mask round.pgm --from none -o b.pgm && differ a.pgm b.pgm
}
check 'the source that fits is found, and told' finds
counts_nowhere() { # what is to go
    plain 128 96 255 "x % 42 < 9 && y % 30 < 9 ? 255 : $bricks" >hidden.pgm &&
        works heal -q bricks.pgm --mask many.pgm -o a.pgm &&
        works heal -q hidden.pgm --mask many.pgm -o b.pgm && differ bricks.pgm hidden.pgm &&
        same a.pgm b.pgm
}
check 'what lies under the mask changes nothing' counts_nowhere
of_each_part() {
    exits 0 heal bricks.pgm --mask two.pgm -o a.pgm &&
        says '285 pixels at 31,41 are filled from' &&
        says '285 pixels at 81,21 are filled from' &&
        exits 0 heal bricks.pgm --mask many.pgm --report r.json -o a.pgm &&
        equal "$(grep -c '^note' "$top/stderr")" 9 &&
        says 'and 8 more parts, which --report lists' &&
        [ "$(grep -o '"from"' r.json | wc -l)" -ge 16 ] &&
        exits 0 heal bricks.pgm --mask specks.pgm -o a.pgm && ! says 'are filled from'
}
check 'each part has its own; few lines tell' of_each_part
grain() { # PGM of 384 x 384: with noise of 6 either way, by which clouds are not smooth
    echo P2 384 384 255
    tail -c 147456 "$1" | od -An -v -tu1 -w1 | awk '{
        random = (16807 * (random + 1)) % 2147483647
        value = $1 + int(13 * random / 2147483647) - 6
        print (value < 0 ? 0 : value > 255 ? 255 : value)
    }'
}
no_other_bird() { # in the place of this one, above a cloud
    castle 384 384 >castle.pgm && grain castle.pgm >grain.pgm &&
        plain 384 384 255 '((x - 148)^2 + (y - 38)^2 < 82) * 255' >bird.pgm &&
        exits 0 heal grain.pgm --mask bird.pgm -o a.pgm --format p2 &&
        says 'are filled from' &&
        paste <(tail -n +2 bird.pgm) <(tr -s ' ' '\n' <a.pgm | tail -n +5) |
        awk '$1 == 255 { n++; bad += $2 < 100 } END { exit !n || bad }'
}
check 'what stands out in the surroundings is not taken' no_other_bird
apart() { # what is far away in a mask changes nothing
    local spots=('(x - 40) ^ 2 + (y - 300) ^ 2 < 90' '(x - 340) ^ 2 + (y - 25) ^ 2 < 60')
    plain 384 384 255 "(${spots[0]}) * 255" >first.pgm &&
        plain 384 384 255 "(${spots[1]}) * 255" >second.pgm &&
        plain 384 384 255 "(${spots[0]} || ${spots[1]}) * 255" >both.pgm &&
        works heal -q grain.pgm --mask first.pgm "$@" -o one.pgm &&
        works heal -q one.pgm --mask second.pgm "$@" -o a.pgm &&
        works heal -q grain.pgm --mask both.pgm "$@" -o b.pgm --report r.json && same a.pgm b.pgm &&
        contains r.json "\"unknown\": $(grep -c 255 <(tail -n +2 both.pgm)),"
}
check 'parts far from each other are filled each by itself' apart --from none
check 'with a source, too' apart --from 20,-15
smooth_is_smooth() { # PICTURE MASK: what a person would fill smoothly, and data
    exits 0 heal "$1" --mask "$2" -o a.pfm && ! says 'are filled --from' &&
        works heal -q "$1" --mask "$2" --from none -o b.pfm && same a.pfm b.pfm
}
plain 128 96 255 '60 + int(x / 8)' >flat.pgm
plain 128 96 255 '90 + (sin(x * 12.9 + y * 78.2) * 43758) % 2' >sky.pgm
exits 0 convolve --headless -q bricks.pgm --stencil sharpen -o bricks.pfm
check 'flat surroundings: none' smooth_is_smooth flat.pgm round.pgm
plain 128 96 255 '(x > 9 && x < 110 && y > 9 && y < 88) * 255' >most.pgm
plain 128 96 255 '(x < 63) * 255' >half.pgm
check 'a rectangle of most of a picture: none' smooth_is_smooth bricks.pgm most.pgm
check 'of a little less than half: one' all exits 0 heal bricks.pgm --mask half.pgm -o a.pgm and \
    says 'are filled from'
check 'grain has a source' all exits 0 heal sky.pgm --mask round.pgm -o a.pgm and says 'are filled'
check 'data: none' smooth_is_smooth bricks.pfm round.pgm
check 'data, if asked for' all works heal -q bricks.pfm --mask round.pgm --from auto -o a.pfm \
    and works heal -q bricks.pfm --mask round.pgm -o b.pfm and differ a.pfm b.pfm
runs() { # the disc of round.pgm, as the window saves it: its halves take from two places
    awk '{ print $1 < 50 ? "from 18,12" : "from -18,24"; print $1, $2 }' <(
        tail -n +2 round.pgm | lines_of 128 | awk '{ for (x = 1; x <= NF; x++) if ($x) {
            printf "%d %d..", NR - 1, x - 1; while ($x) x++; print x - 2 } }')
}
from_file() {
    runs >parts.txt && exits 0 heal bricks.pgm --mask round.pgm --from parts.txt -o a.pgm \
        --report r.json && works heal -q bricks.pgm --mask round.pgm --from 18,12 -o b.pgm &&
        equal "$(sed -n 's/.*"from": \[\(18, 12\)\].*/\1/p' r.json)" '18, 12' &&
        differ a.pgm b.pgm && sed -i 's/-18,24/18,12/' parts.txt &&
        works heal -q bricks.pgm --mask round.pgm --from parts.txt -o a.pgm && same a.pgm b.pgm
}
check '--from FILE: a source for each run of pixels' from_file
bad_file() { # LINE
    runs >bad.txt && echo "$1" >>bad.txt &&
        refuses 65 'bad.txt, line 39: ' heal bricks.pgm --mask round.pgm --from bad.txt -o x.pgm
}
for line in 'from 1' '3 4' '3 9..4' '96 1..2' '3 1..128' 'from 1,2 3' '3 4..5 6'; do
    check "a file with the line $line" bad_file "$line"
done
too_many() {
    local -a heals=(heal bricks.pgm --mask round.pgm --from many.txt -o x.pgm)
    { yes 'from 1,2' | head -n 65535; echo '41 60..60'; } >many.txt &&
        refuses 65 'many.txt, line 65537: more than 65535 sources' "${heals[@]}" &&
        echo 'from 1,2' >>many.txt && refuses 65 'many.txt, line 65537: ' "${heals[@]}"
}
check 'a file with more sources than there are numbers' too_many
grows() {
    plain 128 96 255 '(x >= 30 && x < 50 && y >= 40 && y < 52) * 255' >box.pgm &&
        plain 128 96 255 '(x >= 27 && x < 53 && y >= 37 && y < 55) * 255' >larger.pgm &&
        works heal -q bricks.pgm --mask box.pgm --grow 3 -o a.pgm &&
        works heal -q bricks.pgm --mask larger.pgm -o b.pgm && same a.pgm b.pgm
}
check '--grow N: so many pixels around the mask' grows
check 'a source inside the mask is told' all exits 0 heal grey.pgm --mask disc.pgm --from 3,0 -o \
    out.pgm and says 'pixels have their source inside the mask' \
    and exits 0 heal grey.pgm --mask disc.pgm --from 30,0 -o out.pgm \
    and not says 'inside the mask'

for from in 43,0 -40,0 0,37 0,-30; do # the disc is at 21..39, 11..29
    check "--from $from: from outside" refuses 65 "--from $from puts the whole source outside" \
        heal grey.pgm --mask disc.pgm --from "$from" -o x.pgm
done
for from in 42,0 -39,0 0,36 0,-29; do
    check "--from $from: a pixel is inside" \
        works heal -q grey.pgm --mask disc.pgm --from "$from" -o x.pgm
done
check '--from 0,0' refuses 64 '--from 0,0' heal grey.pgm --mask disc.pgm --from 0,0 -o x.pgm
for from in 1 1,2,3 1,x 1.5,2 ,2 '' 2000000,1; do
    check "--from '$from'" refuses 64 "--from $from: must be auto, none, a file" heal grey.pgm \
        --mask disc.pgm --from "$from" -o x.pgm
done
check 'nothing is left behind' tidy
finish
