#!/usr/bin/env bash
# heal, and --mask with --onto: what is inside the mask is right, and outside it nothing changes.
. tests/lib.sh

castle 64 48 >grey.pgm && castle 64 48 --colour >colour.ppm &&
    castle 64 48 --maxval 65535 >deep.pgm &&
    castle 64 48 --colour --maxval 65535 >deep.ppm || exit 1

disc='((x - 30) ^ 2 + (y - 20) ^ 2 < 90) * 255'
side='((x - 60) ^ 2 + (y - 3) ^ 2 < 90 || y > 44 || x == 0) * 255'
plain 64 48 255 "$disc" >disc.pgm
plain 64 48 255 "$side" >side.pgm
plain 64 48 255 '(x * 7 + y * 13) % 10 > 2 ? 255 : 0' >points.pgm

samples() { # FILE: of the raw 64 x 48 picture, one a line, planes beside each other
    local planes=1 bytes=1 columns=(-)
    [ "$(head -c 2 "$1")" = P6 ] && planes=3 columns=(- - -)
    [ "$(sed -n 3p "$1" | tr -d '\0')" = 65535 ] && bytes=2
    raw_samples "$1" $((64 * 48 * planes)) $bytes |
        awk '{ for (i = 1; i <= NF; i++) print $i }' | paste -d ' ' "${columns[@]}"
}
# The pictures are equal outside the mask, and differ inside.
only_inside() { # MASK PICTURE OUT
    cmp <(head -n 3 "$2") <(head -n 3 "$3") &&
        paste -d, <(tail -n +2 "$1") <(samples "$2") <(samples "$3") | awk -F, '
            $2 != $3 { if ($1 < 128) { print "outside, pixel", NR - 1, $2, $3; bad = 1 }
                       else inside = 1 }
            END { exit bad || !inside }'
}
# Spoils what is unknown: the mean of mask and picture.
spoil() { # MASK PICTURE
    paste -d, <(tail -n +2 "$1") <(samples "$2") | awk -F, -v name="$2" '
        BEGIN { print name ~ /ppm$/ ? "P3" : "P2", 64, 48, name ~ /deep/ ? 65535 : 255 }
        { print $1 < 128 ? $2 : $2 ~ / / ? "1 2 3" : 77 }'
}

# ---- from edges ----

gives_back() { # PICTURE MASK BOUNDARY
    local ending=${1##*.}
    exits 0 edges "$1" --boundary "$3" -o e.pfm && spoil "$2" "$1" >spoilt."$ending" &&
        works -q --mask "$2" --onto spoilt."$ending" --boundary "$3" e.pfm -o out."$ending" &&
        same out."$ending" "$1"
}
for boundary in halo mirror wrap sawtooth cylinder; do
    for mask in disc side points; do
        check "$mask, $boundary" gives_back grey.pgm $mask.pgm $boundary
    done
done
for picture in colour.ppm deep.pgm deep.ppm; do
    check "$picture, from its edges" gives_back $picture side.pgm halo
done
check '--onto: the edges have the halo that they were made with' all works edges grey.pgm -o e.pgm \
    and works -q --mask side.pgm --onto grey.pgm e.pgm -o out.pgm and same out.pgm grey.pgm
nothing_known() {
    plain 64 48 255 255 >all.pgm && exits 0 edges grey.pgm --boundary mirror -o e.pfm &&
        works -q --mask all.pgm --onto grey.pgm --boundary mirror e.pfm -o out.pgm \
            --mean "$(sed 's/mean //' "$top/stdout")" && same out.pgm grey.pgm &&
        refuses 65 'leaves no pixel known' -q --mask all.pgm --onto grey.pgm --boundary mirror \
            e.pfm -o x.pgm
}
check 'nothing is known: --mean says the rest' nothing_known
iterated() { # with -n: from the picture, the bits of the reference
    local run=(-q --mask side.pgm --onto spoilt.pgm e.pgm)
    works edges grey.pgm -o e.pgm && works heal -q grey.pgm --mask side.pgm -o spoilt.pgm &&
        exits 0 "${run[@]:1}" -n 30 --compare --headless -o n.pgm &&
        prints 'all 3072 samples are equal, bit for bit' && only_inside side.pgm spoilt.pgm n.pgm &&
        works "${run[@]}" -n 0 -o zero.pgm && same zero.pgm spoilt.pgm &&
        works "${run[@]}" --start 7 -n 0 -o seven.pgm &&
        only_inside side.pgm spoilt.pgm seven.pgm &&
        equal "$(samples seven.pgm | head -n 1)" 7
}
check '-n iterates, with the bits of the reference; --start sets what is unknown' iterated

# ---- healing ----

heals() { # PICTURE MASK OPTION...
    local picture=$1 mask=$2 ending=${1##*.}
    works heal -q "$picture" --mask "$mask" "${@:3}" -o out."$ending" &&
        only_inside "$mask" "$picture" out."$ending"
}
for picture in grey.pgm colour.ppm deep.pgm deep.ppm; do
    check "$picture: outside the mask nothing changes" heals $picture side.pgm
    check "$picture: nor with --from" heals $picture disc.pgm --from 9,-7
done
untouched() { # PICTURE MASK OPTION...: what is healed was right
    local picture=$1 mask=$2
    works heal -q "$picture" --mask "$mask" "${@:3}" -o out.pgm --format p2 &&
        equal "$(tail -n +4 out.pgm | xargs)" "$(tail -n +2 "$picture" | xargs)"
}
plain 64 48 255 137 >constant.pgm
plain 64 48 255 '3 * x + 20' >ramp.pgm
plain 64 48 65535 '1000 * x + 20' >deep-ramp.pgm
plain 64 48 255 '100 + (x % 16) * 5 + (y % 8) * 9' >tiles.pgm
plain 64 48 255 '(y < 9 && x > 9 && x < 60 || y > 40 && x > 9 && x < 40) * 255' >edge.pgm
for mask in disc side points edge; do
    check "a constant, $mask" untouched constant.pgm $mask.pgm
done
soft() { # not so where it has two values
    plain 64 48 255 'x * 4' >soft.pgm && exits 0 heal grey.pgm --mask soft.pgm -o out.pgm &&
        says 'note: soft.pgm has soft edges: pixels are unknown from half of white on' &&
        exits 0 heal grey.pgm --mask disc.pgm -o out.pgm && ! says soft
}
check 'a soft mask is cut with a word' soft
check 'a ramp, and a mask at its side' untouched ramp.pgm edge.pgm
check 'a ramp of 16 bits' untouched deep-ramp.pgm edge.pgm
check 'a ramp from elsewhere' untouched ramp.pgm disc.pgm --from -8,5
check 'tiles, from the next one' untouched tiles.pgm disc.pgm --from 16,8
check '--halo alone is a halo' all works heal -q constant.pgm --mask edge.pgm --halo 0 -o out.pgm \
    and differ out.pgm constant.pgm
no_fringe() { # PICTURE: what is filled smoothly lies between the samples around it
    heals "$1" side.pgm --from none &&
        paste -d, <(tail -n +2 side.pgm) <(samples "$1") <(samples out.pgm) |
        awk -F, 'NR == 1 { low = 1e9 } $1 < 128 { low = $2 < low ? $2 : low
            high = $2 > high ? $2 : high } $1 >= 128 { least = !n || $3 < least ? $3 : least
            most = !n++ || $3 > most ? $3 : most }
            END { print low, least, most, high; exit !(low <= least && most <= high) }'
}
check 'no fringe in a picture' no_fringe grey.pgm
check 'nor with 16 bits' no_fringe deep.pgm
direction() { # OPTION WANTED: at 10,20, of a picture whose only dot is at 17,23
    works heal -q dot.pgm --mask around.pgm --from "$1" -o out.pgm --format p2 &&
        equal "$(tail -n +4 out.pgm | xargs | cut -d' ' -f$((20 * 40 + 10 + 1)))" "$2"
}
plain 40 40 255 'x == 17 && y == 23 ? 190 : 90' >dot.pgm
plain 40 40 255 '((x - 10) ^ 2 + (y - 20) ^ 2 < 9) * 255' >around.pgm
check '--from DX,DY: to the right and down' direction 7,3 190
check '--from the other way' direction -7,-3 90
plain 5 5 255 'x == 2 && y == 1 ? 13 : 10' >small.pgm
plain 5 5 255 '(x == 2 && y == 2) * 255' >one.pgm
rounds() { # 10.75
    works heal -q small.pgm --mask one.pgm -o out.pgm --format p2 &&
        equal "$(tail -n +4 out.pgm | xargs | cut -d' ' -f13)" 11
}
check 'samples are rounded' rounds
clipped() {
    plain 9 9 255 'x == 6 && y == 4 ? 200 : 100' >bright.pgm
    plain 9 9 255 'x == 2 && y == 4 ? 255 : 0' >one.pgm
    plain 9 9 255 'x < 5 ? 250 : x == 6 && y == 4 ? 100 : 0' >step.pgm
    exits 0 heal -q step.pgm --mask one.pgm --from 4,0 -o out.pgm &&
        warns 'warning: 1 sample lies outside 0..255 (0 to 350) and was cut off; PFM keeps them' &&
        plain 9 9 300 'x == 8 ? 300 : 100' >wide.pgm && # and around the mask
        exits 0 heal -q wide.pgm --mask one.pgm --from none --maxval 255 -o out.pgm &&
        warns 'warning: 9 samples lie outside 0..255 (100 to 300)'
}
check 'what is cut off is counted' clipped

# ---- what goes along ----

white() {
    plain 64 48 1000 '9 * x' >thousand.pgm &&
        works heal -q thousand.pgm --mask disc.pgm -o out.pgm &&
        equal "$(sed -n 3p out.pgm | tr -d '\0')" 1000 &&
        works heal -q thousand.pgm --mask disc.pgm --maxval 600 -o out.pgm &&
        equal "$(sed -n 3p out.pgm | tr -d '\0')" 600
}
check 'white is that of the picture, unless it is said' white
floats() {
    works convolve --headless -q grey.pgm --stencil binomial -o soft.pfm &&
        works heal -q soft.pfm --mask side.pgm -o out.pfm &&
        paste <(float_samples soft.pfm 3072 | tr ' ' '\n') \
            <(float_samples out.pfm 3072 | tr ' ' '\n') \
            <(tail -n +2 side.pgm | lines_of 64 | tac | lines_of 1) |
        awk '$3 < 128 && $1 != $2 { exit bad = 1 } $3 >= 128 && $1 != $2 { inside++ }
            END { exit bad || inside < 100 }'
}
check 'PFM: outside the mask every bit' floats
see_through() { # PICTURE BITS
    convert "$1" \( grey.pgm -negate -depth "$2" \) -alpha off -compose CopyOpacity -composite \
        -depth "$2" clear.png && works heal -q clear.png --mask side.pgm -o out.png &&
        equal "$(identify -format '%[channels] %z' out.png)" \
            "$(identify -format '%[channels] %z' clear.png)" &&
        equal "$(convert out.png -alpha extract -depth "$2" gray:- | cksum)" \
            "$(convert clear.png -alpha extract -depth "$2" gray:- | cksum)" &&
        convert out.png -alpha off -depth "$2" seen."${1##*.}" &&
        only_inside side.pgm "$1" seen."${1##*.}" &&
        refuses 64 "cannot hold the picture's transparency; PNG can" heal -q clear.png \
            --mask side.pgm -o x.pfm
}
# Left of column 26 nothing is seen but an island of 90; right of it all is 200.
hides() { # COLOUR: the samples of disc, picture, alpha and result, a pixel a line
    plain 64 48 255 "x > 25 ? 200 : x == 9 && y == 9 ? 90 : $1" >half.pgm &&
        plain 64 48 255 'x > 25 || x == 9 && y == 9 ? 255 : x > 22 ? 100 : 0' >seen.pgm &&
        convert half.pgm seen.pgm -alpha off -compose CopyOpacity -composite half.png &&
        works heal -q half.png --mask disc.pgm -o out.png &&
        convert out.png -alpha extract alpha.pgm && convert out.png -alpha off out.pgm &&
        paste <(tail -n +2 disc.pgm) <(tail -n +2 half.pgm) <(samples alpha.pgm) <(samples out.pgm)
}
# Inside the mask every pixel of alpha above 0 is filled; all other pixels are as they were.
hidden() {
    hides 0 >black && hides 255 >white && paste black white | awk '
        { filled = $1 > 0 && $3 > 0 }
        filled && ($4 != $8 || $4 < 91 || $4 > 200) { print "inside", NR - 1, $0; exit bad = 1 }
        filled && $4 < 200 { less = 1 }
        !filled && ($4 != $2 || $8 != $6) { print "outside", NR - 1, $0; exit bad = 1 }
        END { exit bad || !less }'
}
nothing_is_seen() {
    plain 64 48 255 '(x > 20 || x == 9 && y == 9) * 255' >most.pgm && hides 7 >/dev/null &&
        refuses 65 'leaves no pixel of half.png known that is not transparent' heal half.png \
            --mask most.pgm -o x.png
}
profile() { # FROM TO: an ICC profile goes along
    perl -e 'my $p = pack("N a4 N a4 a4 a4 x12 a4 x28 N3", 400, "test", 0x02000000, "mntr", "RGB ",
            "XYZ ", "acsp", 0xf6d6, 0x10000, 0xd32d); $p .= "\0" x (128 - length $p);
        $p .= pack("N a4 N N", 1, "cprt", 144, 256);
        srand 7; print $p . join "", map { chr rand 256 } 1 .. 256' >made.icc &&
        convert colour.ppm -profile made.icc "$1" && convert "$1" was.icc &&
        same was.icc made.icc && works heal -q "$1" --mask side.pgm -o "$2" &&
        convert "$2" got.icc && same got.icc made.icc
}
if where 'built_with libpng && command -v convert' 'no libpng, or no ImageMagick' \
    'alpha and profile'; then
    check 'alpha' see_through grey.pgm 8
    check 'alpha of colour' see_through colour.ppm 8
    check 'alpha of 16 bits' see_through deep.ppm 16
    check 'hidden colours do not count, and stay' hidden
    check 'nothing known is seen' nothing_is_seen
    check 'a colour profile' profile tagged.png healed.png
    if built_with libjpeg; then check 'that of a JPEG' profile tagged.jpg healed.png; fi
fi

# ---- lists and reports ----

mkdir masks && cp disc.pgm masks/grey.pgm && cp side.pgm masks/colour.pgm
list() {
    works heal -q grey.pgm colour.ppm --mask masks -o list/ --report list.jsonl &&
        only_inside disc.pgm grey.pgm list/grey.pgm &&
        only_inside side.pgm colour.ppm list/colour.ppm &&
        contains list.jsonl "\"unknown\": $(grep -c 255 <(tail -n +2 disc.pgm))," &&
        contains list.jsonl '"distance_max": 0.'
}
check 'a list, and a folder of masks' list
resumed() {
    exits 0 heal grey.pgm colour.ppm --mask masks -o list/ --report list.jsonl --resume &&
        says '2 done before' &&
        exits 0 heal grey.pgm colour.ppm --mask disc.pgm -o list/ --report list.jsonl --resume &&
        ! says 'done before' &&
        exits 0 heal grey.pgm colour.ppm --mask disc.pgm -o list/ --report list.jsonl --resume \
            --from none && ! says 'done before'
}
check '--resume knows the mask' resumed
check 'a picture without a mask fails alone' all exits 66 heal -q grey.pgm deep.pgm --mask masks \
    -o some/ and says 'masks/deep.pgm' and [ -s some/grey.pgm ] and absent some/deep.pgm
piped() {
    "$program" heal -q - --mask disc.pgm -o - <grey.pgm >out.pgm &&
        only_inside disc.pgm grey.pgm out.pgm
}
check 'from standard input, to standard output' piped
reference() {
    exits 0 heal grey.pgm --mask disc.pgm --reference grey.pgm --headless &&
        says 'RMS from grey.pgm'
}
check '--reference' reference
exact() { # the limit, from where the iteration goes
    works heal -q grey.pgm --mask disc.pgm -o a.pfm &&
        works heal -q grey.pgm --mask disc.pgm -s cpu -t 0.0005 -o b.pfm &&
        within 0.01 a.pfm b.pfm &&
        exits 0 heal grey.pgm --mask disc.pgm -n 4000 --headless --compare spectral \
            --max-difference 0.01
}
check 'the exact picture is the limit of the iteration' exact
check 'an input named heal is ./heal' all cp grey.pgm heal \
    and refuses 64 'heal needs --mask' heal grey.pgm -o x.pgm \
    and works --headless -q -n 1 ./heal -o x.pfm and rm heal

# ---- masks as other programs write them ----

valued() { # MAXVAL EXPRESSION [PLANES]: the same as with disc.pgm
    plain 64 48 "$1" "$2" ${3+"$3"} >valued.pnm &&
        works heal -q grey.pgm --mask valued.pnm -o a.pgm &&
        works heal -q grey.pgm --mask disc.pgm -o b.pgm && same a.pgm b.pgm
}
check 'a mask of 0 and 1' valued 255 "$disc > 0"
check 'of 10 and 100' valued 255 "$disc > 0 ? 100 : 10"
check 'of 255 in 16 bits' valued 65535 "$disc"
check 'in red' valued 255 "p == 0 && $disc" 3
check 'of dark red' valued 255 "p == 0 && $disc ? 60 : 0" 3
opaque_is_unknown() { # COLOUR
    convert disc.pgm -fill "$1" -colorize 100 \( disc.pgm \) -alpha off -compose CopyOpacity \
        -composite brush.png && works heal -q grey.pgm --mask brush.png -o a.pgm &&
        works heal -q grey.pgm --mask disc.pgm -o b.pgm && same a.pgm b.pgm
}
if built_with libpng && command -v convert >/dev/null; then
    check 'black on transparent' opaque_is_unknown black
    check 'red on transparent' opaque_is_unknown red
    check 'white on transparent' opaque_is_unknown white
fi

pure() { # a hole has the value in all planes: red, green and blue are none
    plain 64 48 255 "$disc ? 0 : p == x % 3 ? 200 : 0" 3 >pure.ppm &&
        works heal -q pure.ppm --mask =0 -o a.ppm &&
        works heal -q pure.ppm --mask disc.pgm --from none -o b.ppm && same a.ppm b.ppm
}
check '--mask =0 takes black alone' pure

# ---- what is not used may be anything ----

# A slope in floats: x + y, but VALUE where the mask is at least LEAST.
slope() { # MASK LEAST VALUE
    printf 'Pf\n64 48\n-1.0\n' && tail -n +2 "$1" | perl -e 'my @mask = map { split } <STDIN>;
        for my $y (reverse 0 .. 47) { print pack "f<64",
            map { $mask[64 * $y + $_] >= $ARGV[0] ? $ARGV[1] : $_ + $y } 0 .. 63 }' "$2" "$3"
}
slope disc.pgm 256 0 >slope.pfm
bad_samples() { # COMMAND...: with each of these values in disc.pgm it makes the slope of bad.pfm
    local value
    for value in ${values-1e20 -1e30} 3e38 nan inf -inf; do
        slope disc.pgm 1 $value >bad.pfm && works "$@" -o out.pfm <bad.pfm &&
            exits 0 compare -q --max-difference 1e-4 out.pfm slope.pfm || return
    done
}
check 'under the mask' bad_samples heal -q bad.pfm --mask disc.pgm
check 'where iterations start' bad_samples heal -q bad.pfm --mask disc.pgm -n 4000
check 'under a mask, with a source' bad_samples clone -q slope.pfm bad.pfm --mask disc.pgm
values= check 'with the larger gradient' bad_samples clone -q slope.pfm - --mask disc.pgm \
    --gradient mixed
around_edges() { # edges of known pixels, and the picture where they are unknown
    slope disc.pgm 1 nan >bad.pfm && exits 0 edges slope.pfm --boundary mirror -o e.pfm &&
        { head -c 14 e.pfm && paste <(tail -n +2 disc.pgm | lines_of 64 | tac | lines_of 1) \
            <(float_samples e.pfm 3072 | lines_of 1) | awk '{ print $1 ? $2 : "inf" }' |
            perl -e 'print pack "f<*", <STDIN>'; } >some.pfm &&
        works -q --mask disc.pgm --onto bad.pfm --boundary mirror some.pfm -o out.pfm &&
        exits 0 compare -q --max-difference 1e-4 out.pfm slope.pfm
}
check 'edges that are not used' around_edges
used() {
    plain 64 48 255 '((x - 30) ^ 2 + (y - 20) ^ 2 < 70) * 255' >less.pgm &&
        slope disc.pgm 1 nan >bad.pfm && refuses 65 'bad.pfm: the sample at x 2' heal bad.pfm \
            --mask less.pgm -o x.pfm && works clone -q bad.pfm slope.pfm --mask less.pgm -o x.pfm &&
        slope side.pgm 1 nan >bad.pfm &&
        works clone -q bad.pfm slope.pfm --mask disc.pgm -o out.pfm
}
check 'what is used is refused' used

# ---- refusals ----

plain 64 47 255 0 >short.pgm
plain 48 64 255 0 >turned.pgm
cp grey.pgm GREY.PNM
plain 64 48 255 0 >black.pgm
plain 64 48 255 255 >white.pgm
printf 'Pf\n64 48\n-1.0\n' >nan.pfm && perl -e 'print pack "f<3072", (1) x 3071, "nan"' >>nan.pfm
plain 64 48 255 'x % 3' >labels.pgm
plain 64 48 255 'p == x % 2 ? 90 : 0' 3 >colours.ppm
given works edges grey.pgm -o e.pgm
refusals heal grey.pgm --mask <<'END'
65~the mask is 64 x 47, and grey.pgm is 64 x 48~short.pgm -o x.pgm
65~the same; pictures are turned as their Exif says, and so must masks be~turned.pgm -o x.pgm
65~the mask is empty: its largest sample is 0, and~black.pgm -o x.pgm
65~sample is 2, and unknown pixels have at least half of~labels.pgm -o x.pgm
65~the mask is empty~colours.ppm -o x.pgm
65~leaves no pixel of grey.pgm known~white.pgm -o x.pgm
65~leaves no pixel of grey.pgm known~white.pgm --boundary wrap -o x.pgm
65~looks like a picture~grey.pgm -o x.pgm
65~nan.pfm: ~nan.pfm -o x.pgm
66~none.pgm~none.pgm -o x.pgm
64~this command has no option --tone~disc.pgm --tone stretch -o x.pgm
64~disc.pgm is input and output~disc.pgm -o disc.pgm
64~grey.pgm is input and output~disc.pgm -o grey.pgm
64~masks/grey.pgm is input and output~masks -o masks/grey.pgm
END
check 'a mask that is missing is named by its picture' refuses 66 'masks/GREY.PNM: ' heal GREY.PNM \
    --mask masks -o list/
check 'no mask' refuses 64 'heal needs --mask' heal grey.pgm -o x.pgm
built_with FFTW && check 'the spectral solver' refuses 64 'the spectral solver takes no mask' \
    heal grey.pgm --mask disc.pgm -s spectral -o x.pgm
if built_with libjpeg; then
    refusals heal --mask disc.pgm -o x.jpg <<'END'
64~x.jpg: maxval 65535: JPEG needs 255~deep.pgm
64~x.jpg: maxval 65535: JPEG needs 255~grey.pgm --maxval 65535
END
else
    check 'JPEG is not written' refuses 64 'JPEG cannot be written; use .pgm' heal grey.pgm \
        --mask disc.pgm -o x.jpg
fi
refusals e.pgm -o x.pgm <<'END'
64~--mask needs --onto PICTURE~--mask disc.pgm --headless
64~--onto needs --mask~--onto grey.pgm --headless
65~colour.ppm: is 64 x 48 of 3 planes, and e.pgm is 64 x 48 of 1~--mask disc.pgm --onto colour.ppm
END
refusals --mask disc.pgm --onto grey.pgm e.pgm -o x.pgm <<'END'
64~--mask cannot be used with~--stencil laplace8
64~--mask cannot be used with~--picture
64~--mask cannot be used with~--balance --boundary mirror
64~--mask cannot be used with~--frames f --frames-at 1
64~the pixels around the mask determine it~--mean 3 --boundary mirror
64~--tone stretch changes the samples~--tone stretch
END
check 'nothing is left behind' all tidy and tidy list
finish
