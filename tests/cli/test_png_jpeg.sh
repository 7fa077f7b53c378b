#!/usr/bin/env bash
# PNG and JPEG: what ImageMagick makes of a picture comes in as its samples, what goes out is what
# it reads, and damaged files are refused.
. tests/lib.sh

castle 33 21 --colour >colour.ppm && castle 33 21 >grey.pgm || exit 1
needs 'command -v convert' 'there is no ImageMagick here' 'PNG and JPEG'

comes_in() { exits 0 compare "$1" "$2"; } # FILE WANTED
png_in() { # OPTIONS OF CONVERT: the PNG that it makes is its PNM
    convert colour.ppm "$@" in.png && convert in.png -depth "${depth:-8}" "wanted.${as:-ppm}" &&
        comes_in in.png "wanted.${as:-ppm}"
}
over_black() {
    convert colour.ppm \( -size 33x21 gradient: \) -compose CopyOpacity -composite \
        "PNG32:clear.png" && convert clear.png -background black -alpha remove -depth 8 \
        wanted.ppm &&
        exits 0 edges clear.png -o clear.pfm &&
        says 'note: clear.png has transparency; it is composed over black' &&
        within 1 clear.png wanted.ppm
}
goes_out() { # SOURCE DEPTH
    convert "$1" -depth "$2" source.pnm && works edges source.pnm -o e.pfm &&
        works --headless -q -n 0 --start source.pnm --maxval $((2 ** $2 - 1)) e.pfm -o out.png &&
        comes_in out.png source.pnm && convert out.png -depth "$2" "back.pnm" &&
        comes_in back.pnm source.pnm && equal "$(identify -format %z out.png)" "$2"
}
packed() { # PICTURE LEVEL: what the head of the deflated samples says of the effort, 0 to 3
    local at
    works edges "$1" -o e.pfm && works --headless -q -n 0 --start "$1" "${@:3}" e.pfm -o out.png &&
        at=$(grep -abo IDAT out.png) &&
        equal $(($(od -An -tu1 -j $((${at%%:*} + 5)) -N 1 out.png) >> 6)) "$2"
}
size() { stat -c %s "$1"; }
packed_to() { # PICTURE LEVEL PERCENT: of what the usual filters and level 6 of zlib need
    packed "$1" "$2" && works --headless -q -n 0 --start "$1" --jobs 2 e.pfm -o two.png &&
        same out.png two.png && convert "$1" -define png:color-type=0 -define png:bit-depth=8 \
        -define png:compression-filter=5 -define png:compression-level=6 \
        -define png:compression-strategy=1 usual.png &&
        [ $(($(size out.png) * 100)) -le $(($(size usual.png) * $3)) ]
}
cut() { head -c "$2" "$1" >"cut.${1##*.}"; } # FILE BYTES
few_bits() { # TWO COLOURS, OPTION OF CONVERT...: little is in it, so that it is short
    convert -size 2048x2048 "xc:$1" +antialias -fill "$2" -draw 'rectangle 90,90 120,120' \
        "${@:3}" in.png && convert in.png -depth 8 wanted.ppm &&
        convert wanted.ppm wanted.pgm && [ "$(stat -c %s in.png)" -lt 2000 ] &&
        within 0 in.png "wanted.${as:-pgm}" && cut in.png 300 &&
        refuses 65 'cut.png: ends after' edges cut.png -o e.pfm
}
damaged_png() {
    convert colour.ppm in.png && cut in.png 300 && refuses 65 'cut.png: ends after' edges cut.png \
        -o e.pfm && printf '\377\377\377\377' | dd of=in.png bs=1 seek=200 conv=notrunc 2>dd &&
        refuses 65 'in.png: libpng' edges in.png -o e.pfm
}
long_texts() { # compressed: 990 of 8 MB are not made long
    python3 -c 'import struct, zlib
chunk = lambda t, b: struct.pack(">I", len(b)) + t + b + struct.pack(">I", zlib.crc32(t + b))
text = chunk(b"zTXt", b"k\0\0" + zlib.compress(bytes(7900000), 9)) * 990
open("long.png", "wb").write(b"\x89PNG\r\n\x1a\n" +
    chunk(b"IHDR", struct.pack(">IIBBBBB", 4, 4, 8, 0, 0, 0, 0)) + text +
    chunk(b"IDAT", zlib.compress(bytes(20))) + chunk(b"IEND", b""))' &&
        timeout 20 "$program" edges -q long.png -o e.pfm
}
frames_are_png() {
    works edges grey.pgm -o e.pgm && works --headless -q -n 2 -k 1 --format png --frames film \
        e.pgm &&
        equal "$(ls film)" $'e-000001.png\ne-000002.png\ne-000003.png' &&
        works --headless -q -n 2 e.pgm -o last.pgm && comes_in film/e-000003.png last.pgm
}

if where 'built_with libpng' 'built without libpng' PNG; then
    rm -f e.pfm
    check 'a damaged PNG is refused' damaged_png
    check 'a PNG of 8 bits' png_in
    check 'a PNG of 16 bits' eval 'depth=16 png_in -resize 40x30 -depth 16'
    check 'an interlaced PNG' png_in -interlace PNG
    check 'a PNG with a palette' png_in -colors 7 -type Palette
    check 'a grey PNG' eval 'as=pgm png_in -colorspace Gray'
    check 'a PNG of 1 bit' eval 'as=pgm png_in -monochrome -depth 1 -type Grayscale'
    check 'with little in it' few_bits black white -depth 1
    check 'a palette with little in it' eval 'as=ppm few_bits navy yellow -type Palette \
        -define png:bit-depth=2 -define png:color-type=3'
    check_where 'command -v python3' 'no python3' 'long texts are not wanted' long_texts
    check 'alpha is composed over black, and a note says so' over_black
    check 'what is transparent is black' \
        all convert -size 5x4 'xc:rgba(200,100,50,0)' PNG32:none.png \
        and convert -size 5x4 xc:black -type TrueColor PPM:black.ppm and comes_in none.png black.ppm
    check 'PNG of 8 bits, out, grey' goes_out grey.pgm 8
    check 'PNG of 8 bits, out' goes_out colour.ppm 8
    check 'PNG of 16 bits, out' goes_out colour.ppm 16
    castle 400 300 >photo.pgm
    plain 640 480 255 '(x + y) * 255 / 1118' >slope.pgm
    plain 640 480 255 '40 + 60 * ((x % 8 * 31 + y % 12 * 17 + \
        int(x / 8) * int(y / 12) % 26 * 7) % 97 % 3)' >letters.pgm
    check 'a photograph is packed fast, by runs' packed_to photo.pgm 0 105
    check 'with 16 bits, too' packed photo.pgm 0 --maxval 65535
    check 'slopes as long as it takes' packed_to slope.pgm 2 100
    check 'letters without filters' packed_to letters.pgm 2 60
    check 'edges as PNG' all works edges colour.ppm -o e.png \
        and works edges colour.ppm -o e.ppm and comes_in e.png e.ppm \
        and works --headless -q e.png -o f.png and comes_in f.png colour.ppm
    check 'frames as PNG' frames_are_png
    check 'PNG has two ranges' refuses 64 'PNG needs 255 or 65535' --headless -q --maxval 100 \
        e.pfm -o x.png
    check 'the wider range of PNG is advised' eval "exits 0 --headless -q -n 0 --start 300 e.pfm \
        -o x.png && warns '--maxval 65535 keeps'"
fi

jpeg_in() { # OPTIONS OF CONVERT
    convert colour.ppm -quality 90 "$@" in.jpg && convert in.jpg "wanted.${as:-ppm}" &&
        comes_in in.jpg "wanted.${as:-ppm}"
}
markers() { # KIND JPEG: where they are
    LC_ALL=C grep -obUaP "\xff\x$1" "$2" | sed 's/:.*//'
}
spoilt() { # OFFSET BYTES: in.jpg with other bytes there, as spoilt.jpg
    cp in.jpg spoilt.jpg && printf "%b" "$2" |
        dd of=spoilt.jpg bs=1 seek="$1" conv=notrunc 2>dd
}
read_with() { # WARNING: of spoilt.jpg, whose samples are those of wanted.ppm
    exits 0 compare spoilt.jpg wanted.ppm && says "warning: spoilt.jpg: libjpeg: $1"
}
odd_jpegs() { # what cameras write: read with a warning
    convert colour.ppm -interlace JPEG many.jpg && convert many.jpg many.ppm &&
        convert colour.ppm in.jpg && convert in.jpg wanted.ppm || return
    local scan
    scan=$(markers da in.jpg | tail -n 1)
    spoilt $((scan + 11)) '\0\0\0' && read_with 'Invalid SOS parameters' &&
        spoilt 11 '\002' && read_with 'Warning: unknown JFIF revision number 2.' &&
        head -c -2 in.jpg >spoilt.jpg && read_with 'Premature end of JPEG file' &&
        spoilt $((scan + 14)) '\377\002\377\002' &&
        refuses 65 'libjpeg: Corrupt JPEG data: premature end of data segment, after 0 of 21 rows' \
            edges spoilt.jpg -o e.pfm &&
        head -c -2 many.jpg >spoilt.jpg && mv many.ppm wanted.ppm &&
        read_with 'Premature end of JPEG file' &&
        scan=$(markers da many.jpg | tail -n 1) &&
        head -c $((scan + 12)) many.jpg >spoilt.jpg &&
        refuses 65 'spoilt.jpg: ends in scan 10' edges spoilt.jpg -o e.pfm &&
        head -c "$scan" many.jpg >spoilt.jpg &&
        refuses 65 'spoilt.jpg: ends after scan 9; others are missing' edges spoilt.jpg -o e.pfm
}
too_many_scans() { # the first one, time and again
    local begin end i
    begin=$(markers da many.jpg | head -n 1) || return
    end=$(markers c4 many.jpg | awk -v begin="$begin" '$1 > begin' | head -n 1)
    {
        head -c "$end" many.jpg
        for i in {1..100}; do head -c "$end" many.jpg | tail -c +$((begin + 1)); done
        tail -c +$((end + 1)) many.jpg
    } >scans.jpg
    refuses 65 'scans.jpg: a JPEG of more than 100 scans' edges scans.jpg -o e.pfm
}
# shellcheck disable=SC2059
number() { # ORDER BYTES VALUE: below 256
    local zeros='' i
    for ((i = 1; i < $2; i++)); do zeros+='\0'; done
    [ "$1" = MM ] && printf "$zeros\\$(printf %o "$3")" || printf "\\$(printf %o "$3")$zeros"
}
tiff() { # ORDER ORIENTATION [DIRECTORY ENTRIES TYPE]: as Exif has it
    [ "$1" = MM ] && printf 'MM\0*' || printf 'II*\0'
    number "$1" 4 "${3-8}" && number "$1" 2 "${4-1}"
    [ "$1" = MM ] && printf '\001\022' || printf '\022\001' # the tag
    number "$1" 2 "${5-3}" && number "$1" 4 1 && number "$1" 2 "$2" && printf '\0\0\0\0\0\0'
}
noted() { # ARGUMENTS OF tiff: to turned.jpg, the picture of plain.jpg with that orientation
    {
        head -c 2 plain.jpg && printf '\377\341\0\010http:/' && printf '\377\341\0\042Exif\0\0' &&
            tiff "$@" && tail -c +3 plain.jpg
    } >turned.jpg
}
turns() { # ORDER ORIENTATION OPTION OF CONVERT...
    noted "$1" "$2" && convert plain.ppm "${@:3}" wanted.ppm && comes_in turned.jpg wanted.ppm
}
noted_png() { # ARGUMENTS OF tiff: to turned.png; with MM before the samples, with II behind them
    tiff "$@" | python3 -c 'import struct, sys, zlib
exif, png = b"eXIf" + sys.stdin.buffer.read(), open("plain.png", "rb").read()
at = png.index(b"IDAT") - 4 if sys.argv[1] == "MM" else len(png) - 12
chunk = struct.pack(">I", len(exif) - 4) + exif + struct.pack(">I", zlib.crc32(exif))
open("turned.png", "wb").write(png[:at] + chunk + png[at:])' "$1"
}
turns_png() { # ORDER ORIENTATION OPTION OF CONVERT...: which knows nothing of the orientation
    convert plain.ppm plain.png && noted_png "$1" "$2" && convert plain.ppm "${@:3}" wanted.ppm &&
        comes_in turned.png wanted.ppm &&
        convert wanted.ppm -fill black -colorize 100 -fill white -draw 'rectangle 4,5 7,11' \
            mask.pgm && exits 0 heal -q wanted.ppm --mask mask.pgm -o healed.ppm &&
        exits 0 heal -q turned.png --mask mask.pgm -o healed.png &&
        comes_in healed.png healed.ppm && convert healed.png "${@:3}" shown.ppm &&
        comes_in shown.ppm healed.ppm && exits 0 clone -q healed.ppm turned.png --mask mask.pgm \
            -o healed.png && convert healed.png "${@:3}" shown.ppm && within 0 shown.ppm healed.png
}
all_turns() { # ORDER [COMMAND]
    local turns=${2-turns}
    "$turns" "$1" 1 && "$turns" "$1" 2 -flop && "$turns" "$1" 3 -rotate 180 &&
        "$turns" "$1" 4 -flip && "$turns" "$1" 5 -transpose && "$turns" "$1" 6 -rotate 90 &&
        "$turns" "$1" 7 -transverse && "$turns" "$1" 8 -rotate 270
}
no_turns() {
    local numbers
    for numbers in '0' '9' '255' '6 200' '6 30' '6 8 0' '6 8 1 4'; do
        # shellcheck disable=SC2086
        noted II $numbers && comes_in turned.jpg plain.ppm || { echo "$numbers"; return 1; }
    done
    noted II 6 8 255 && exits 0 compare turned.jpg wanted.ppm # it is there, whatever follows
}
# shellcheck disable=SC2059
profiled() { # NUMBER TEXT: photo.jpg, with the profile TEXT (of 4 bytes) as part NUMBER of 1
    { head -c 2 plain.jpg && printf '\377\342\0\024ICC_PROFILE\0'"\\$1"'\1'"$2" &&
        tail -c +3 plain.jpg; } >photo.jpg
}
bad_profiles() { # a profile that is none, and one with a part too many
    local number ending=ppm
    ! built_with libpng || ending=png
    plain 33 21 255 'x > 9 && x < 14 && y > 3 && y < 8 ? 255 : 0' >mask.pgm
    convert colour.ppm plain.jpg && exits 0 heal -q plain.jpg --mask mask.pgm -o wanted.ppm &&
        for number in 1 2; do
            profiled $number junk && exits 0 heal -q photo.jpg --mask mask.pgm -o healed.$ending &&
                comes_in healed.$ending wanted.ppm || return
        done
}
without_warnings() { # JPEG, as libjpeg's own decoder sees it
    ! command -v djpeg >/dev/null || { djpeg "$1" >decoded 2>told && empty "$(cat told)"; }
}
around() { # MASK JPEG OUT [DEGREES]: more than 8 pixels from the mask the pictures are one
    convert "$1" -morphology Dilate Square:8 -negate far.pgm &&
        convert "$2" -rotate "${4:-0}" far.pgm -compose Multiply -composite a.ppm &&
        convert "$3" -rotate "${4:-0}" far.pgm -compose Multiply -composite b.ppm &&
        same a.ppm b.ppm &&
        differ "$2" "$3" && without_warnings "$3"
}
onto_jpeg() {
    plain 64 48 255 '(x - 40) ^ 2 + (y - 14) ^ 2 < 60 ? 255 : 0' >disc.pgm
    castle 64 48 --colour | convert - -quality 83 -sampling-factor 1x1 photo.jpg &&
        exits 0 heal photo.jpg --from none --mask disc.pgm -o healed.jpg --report r.json &&
        says ' of 144 blocks are coded anew' && around disc.pgm photo.jpg healed.jpg &&
        equal "$(value blocks)" 144 && equal "$(value blocks_changed)" 18 &&
        works heal -q photo.jpg --from none --mask disc.pgm -o healed.ppm &&
        within 60 healed.ppm healed.jpg &&
        works clone -q healed.ppm photo.jpg --mask disc.pgm -o cloned.jpeg &&
        around disc.pgm photo.jpg cloned.jpeg && works edges photo.jpg -o e.pfm &&
        works -q --mask disc.pgm --onto photo.jpg e.pfm -o same.jpg &&
        within 0 photo.jpg same.jpg && exits 0 heal - --mask disc.pgm -o piped.jpg <photo.jpg &&
        says 'note: piped.jpg: coded at quality 95, 4:4:4'
}
onto_turned() {
    convert photo.jpg -sampling-factor 1x1 -interlace JPEG plain.jpg && noted MM 6 &&
        printf more >>turned.jpg && convert disc.pgm -rotate 90 up.pgm && mkdir healed &&
        exits 0 heal -q turned.jpg --mask up.pgm --format jpg -o healed/ &&
        says 'note: healed/turned.jpg: left out, because it showed the old picture: 4 bytes' &&
        around up.pgm turned.jpg healed/turned.jpg 90 &&
        works edges healed/turned.jpg -o e.pfm && equal "$(sed -n 2p e.pfm)" '48 64' &&
        equal "$(identify -format '%[interlace]' healed/turned.jpg)" JPEG
}
other_kinds() {
    convert disc.pgm in.jpg && spoilt "$(($(markers c0 in.jpg) + 1))" '\303' &&
        refuses 65 'SOF type 0xc3 (lossless)' heal spoilt.jpg --mask disc.pgm -o x.jpg &&
        spoilt "$(($(markers c0 in.jpg) + 4))" '\014' &&
        refuses 65 'data precision 12' heal spoilt.jpg --mask disc.pgm -o x.jpg
}
anew() {
    castle 64 48 --colour >photo.ppm && exits 0 heal photo.ppm --mask disc.pgm -o healed.jpg &&
        says 'note: healed.jpg: coded at quality 95, 4:4:4' &&
        equal "$(identify -format '%Q %[jpeg:sampling-factor]' healed.jpg)" '95 1x1,1x1,1x1' &&
        works heal -q photo.ppm --mask disc.pgm -o wanted.ppm && within 20 wanted.ppm healed.jpg &&
        without_warnings healed.jpg && castle 64 48 >photo.pgm &&
        exits 0 heal -q photo.pgm --mask disc.pgm -o - --format jpg &&
        without_warnings "$top/stdout"
}
side_by_side() { # of the size of photographs: read together, and named in their order
    convert -size 200x200 plasma: -seed 5 large.png && castle 200 200 --colour >wanted.ppm &&
        convert wanted.ppm source.jpg && plain 200 200 255 'x > 90 && x < y ? 255 : 0' >mask.pgm &&
        convert mask.pgm mask.png && cut large.png 100000 && mv cut.png short.png &&
        head -c 9000 large.png >bad.png && local threads &&
        for threads in 1 2; do
            export OMP_NUM_THREADS=$threads
            works heal -q large.png --mask mask.png -o healed-$threads.png &&
                works clone -q source.jpg large.png --mask mask.png -o cloned-$threads.png &&
                refuses 65 'short.png: ' heal short.png --mask bad.png -o x.png &&
                refuses 65 'bad.png: ' heal large.png --mask bad.png -o x.png &&
                refuses 65 'short.png: ' clone missing.png short.png --mask bad.png -o x.png &&
                refuses 66 'missing.png: ' clone missing.png large.png --mask bad.png -o x.png ||
                return
        done
    unset OMP_NUM_THREADS
    same healed-1.png healed-2.png && same cloned-1.png cloned-2.png
}
counted_once() { # decoded for a JPEG, and once more for what is none
    convert -size 2000x1500 gradient:red-blue wide.jpg && plain 2000 1500 255 \
        'x > 90 && x < 99 && y > 90 && y < 99 ? 255 : 0' >mask.pgm &&
        (export OMP_NUM_THREADS=2 && ulimit -v 560000 && timeout -s KILL 60 \
            "$program" heal -q wide.jpg --from none --mask mask.pgm -o wide.ppm)
}
if where 'built_with libpng && command -v python3 >/dev/null' 'no libpng, or no python3' \
    'the orientation of a PNG'; then
    cp colour.ppm plain.ppm
    check 'Exif turns a PNG, and heal and clone keep it, before the samples' all_turns MM turns_png
    check 'and behind them' all_turns II turns_png
fi
if where 'built_with libjpeg' 'built without libjpeg' JPEG; then
    convert colour.ppm plain.jpg && convert plain.jpg plain.ppm
    check 'Exif turns the pixels, little-endian' all_turns II
    check 'big-endian' all_turns MM
    check 'grey, too' eval 'convert colour.ppm -colorspace Gray plain.jpg &&
        convert plain.jpg -rotate 90 wanted.pgm && noted MM 6 && comes_in turned.jpg wanted.pgm'
    check 'an Exif that is damaged turns nothing' eval 'convert colour.ppm plain.jpg &&
        convert plain.jpg plain.ppm && convert plain.ppm -rotate 90 wanted.ppm && no_turns'
    check 'a turned JPEG that ends early' eval 'convert -size 50x90 plasma: -seed 3 plain.jpg &&
        noted II 6 && cut turned.jpg $(($(stat -c %s turned.jpg) / 2)) &&
        refuses 65 "of 90 rows" edges cut.jpg -o e.pfm'
    check 'a JPEG' jpeg_in
    check 'a progressive JPEG' jpeg_in -interlace JPEG
    check 'a grey JPEG' eval 'as=pgm jpeg_in -colorspace Gray'
    check 'bytes behind a JPEG are ignored' eval \
        'printf more >>in.jpg; as=pgm comes_in in.jpg wanted.pgm'
    check 'a JPEG in CMYK is refused' eval 'convert colour.ppm -colorspace CMYK cmyk.jpg &&
        refuses 65 "CMYK cannot be read" edges cmyk.jpg -o e.pfm'
    check 'a damaged JPEG is refused' all convert colour.ppm in.jpg \
        and cut in.jpg 700 and refuses 65 'cut.jpg: ' edges cut.jpg -o e.pfm \
        and cut in.jpg 90 and refuses 65 'cut.jpg: ' edges cut.jpg -o e.pfm
    check 'a JPEG with harmless faults is read; others are named with their place' odd_jpegs
    check 'a JPEG that would be decoded for hours' too_many_scans
    check 'a photograph with a bad profile is healed without it' bad_profiles
    check 'edges of a JPEG, and its picture again' eval 'jpeg_in && works edges in.jpg -o e.pfm &&
        works --headless -q e.pfm -o back.ppm && comes_in back.ppm wanted.ppm'
    check 'without a display a JPEG is a picture' eval 'exits 0 in.jpg -o back.ppm &&
        says "as with --headless" && comes_in back.ppm wanted.ppm'
    check 'a folder of references may have .jpeg files' eval 'works edges in.jpg -o e.pfm &&
        mkdir jpegs && cp in.jpg jpegs/e.jpeg &&
        works --headless -q e.pfm --reference jpegs --report r.json && contains r.json psnr'
    check 'a JPEG is written onto one' onto_jpeg
    check 'turned, progressive, from a folder into one' onto_turned
    check 'other pictures become JPEGs of quality 95' anew
    check_where '! sanitized' 'sanitizers need the address space' \
        'a JPEG that becomes another file waits for no memory of its own' counted_once
    check 'a JPEG without loss, and one of 12 bits' other_kinds
    check 'edges do not survive' refuses 64 'x.jpg: edges do not survive JPEG' edges colour.ppm \
        -o x.jpg
fi
if where 'built_with libpng && built_with libjpeg' 'built without both' 'several files'; then
    check 'a picture, a source and a mask are read side by side' side_by_side
fi
finish
