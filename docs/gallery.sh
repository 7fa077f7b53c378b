#!/usr/bin/env bash
# docs/gallery.sh SCENE: draws what docs/gallery.md begins with, in the current folder.
# docs/gallery.sh shade|colour|pair ...: makes numbers visible; puts pictures beside each other.
# Needs ImageMagick, and build/castle (make sample).
set -euo pipefail
castle() { # GEOMETRY: a part of the sample, to standard output
    [ -s castle.ppm ] || "${CASTLE:-build/castle}" 960 720 --colour >castle.ppm
    convert castle.ppm -crop "$1" +repage "${@:2}"
}
draw() { convert -size "$1" "xc:$2" "${@:3}"; } # SIZE GROUND OPERATION... FILE
field() { # WIDTH HEIGHT MAXVAL BODY: BODY sets value[1..], from x and y in -1..1; P2 or P3
    awk -v w="$1" -v h="$2" -v white="$3" 'function wave(a, b, c) { return sin(a * x + b * y + c) }
        BEGIN {
            for (j = 0; j < h; j++)
                for (i = 0; i < w; i++) {
                    x = 2 * (i + 0.5) / w - 1; y = 2 * (j + 0.5) / h - 1; count = 1
                    '"$4"'
                    if (!(i + j)) print (count == 3 ? "P3" : "P2"), w, h, white
                    for (k = 1; k <= count; k++) print int(value[k] * white + 0.5)
                }
        }'
}
case ${1:?usage: docs/gallery.sh SCENE} in
wire) # two wires over sky, mountains and trees
    wires=(-fill none -draw 'path "M -5,86 Q 160,170 330,118 Q 160,170 -5,86"'
        -draw 'path "M -5,180 Q 150,262 330,212 Q 150,262 -5,180"')
    castle 480x300+20+150 -strokewidth 2.5 -stroke '#20242c' "${wires[@]}" wire.png
    draw 480x300 black -strokewidth 6 -stroke white "${wires[@]}" -threshold 20% wire-mask.png
    ;;
dust) # 4000 specks and 15 hairs on a scan
    awk 'function dot(x, y, r, i, j) {
            for (i = int(x - r); i <= x + r; i++)
                for (j = int(y - r); j <= y + r; j++)
                    if ((i - x) ^ 2 + (j - y) ^ 2 <= r * r)
                        white[i, j] = 1
        }
        BEGIN {
            srand(1)
            for (n = 0; n < 4000; n++)
                dot(int(rand() * 480), int(rand() * 300), 0.5 + 2.5 * rand() ^ 8)
            for (n = 0; n < 15; n++) {
                x = rand() * 480; y = rand() * 300; angle = 6.3 * rand(); bend = (rand() - 0.5) / 12
                for (step = 0; step < 60; step++) {
                    dot(x, y, 1)
                    angle += bend; x += cos(angle); y += sin(angle)
                }
            }
            print "P2 480 300 255"
            for (j = 0; j < 300; j++)
                for (i = 0; i < 480; i++)
                    print white[i, j] ? 255 : 0
        }' >dust-mask.pgm
    castle 480x300+20+150 \
        \( dust-mask.pgm -fill '#d8d0c0' -opaque white -transparent black \) -composite dust.png
    ;;
clone) # birds of a blue sky, for an evening
    castle 480x300+0+150 evening.png
    castle 190x100+265+50 birds.png
    draw 190x100 black -fill white -draw 'ellipse 95,50 92,47 0,360' birds-mask.png
    ;;
keep) # a green bird on beige
    wing='path "M 150,78 C 130,52 100,30 60,22 C 70,52 90,82 125,96 Z"'
    body='path "M 30,100 C 70,80 110,62 150,66 C 180,48 205,62 198,80 C 190,100 150,118 110,108 Z"'
    castle 480x300+0+0 sky.png
    draw 230x150 '#d8c8a8' -fill '#2f8f2f' -draw "$body" -fill '#e8d23c' \
        -draw 'path "M 110,104 C 140,112 175,104 190,86 C 170,96 140,94 120,96 Z"' \
        -fill '#1f6b2b' -draw "$wing" -fill '#d8402a' -draw 'path "M 199,68 L 216,77 L 198,82 Z"' \
        -fill black -draw 'circle 187,69 190,69' bird.png
    draw 230x150 black -fill white -stroke white -strokewidth 7 -draw "$body" -draw "$wing" \
        -draw 'line 198,75 216,77' bird-mask.png
    ;;
dem) # hills in 16 bits, 0 where the radar saw nothing
    # shellcheck disable=SC2016
    field 480 300 65535 'z = 0.5; for (n = 1; n < 36; n++) {
            a = n * 2.4; s = 2.5 * 1.12 ^ n; u = wave(s * cos(a), s * sin(a), n * n)
            z += (u < 0 ? -u : u) / s ^ 1.25 * 0.8 - 0.5 / s ^ 1.25 }
        hole = wave(13, 9, 1) + wave(-11, 14, 2) + wave(19, -23, 0) + wave(31, 29, 4) / 2
        value[1] = hole > 1.9 ? 0 : z < 0.02 ? 0.02 : z > 1 ? 1 : z' >dem.pgm
    ;;
ocean) # the temperature of a sea, around the globe; 0 on land
    # shellcheck disable=SC2016
    field 480 240 65535 'pi = 3.14159265; x *= pi; lat = y * pi / 2
        t = 0.1 + 0.75 * cos(lat) ^ 1.5 + 0.05 * (wave(3, 8, 1) + wave(-2, 11, 2) + wave(7, 5, 0))
        land = wave(1, 1, 2) + wave(2, -3, 1) + wave(3, 5, 5) / 2 + wave(-7, 9, 3) / 4
        value[1] = land + wave(12, 17, 0) / 8 > 0.7 ? 0 : t < 0.02 ? 0.02 : t' >ocean.pgm
    ;;
normals) # of a ring, a dome and ripples; green points up
    # shellcheck disable=SC2016
    field 300 300 255 'r = sqrt(x * x + y * y); g = (r - 0.6) / 0.13; u = x; v = y
        ring = -2 * 0.25 * exp(-g * g) * g / 0.13 / r
        dome = -2 * 0.4 * exp(-(u * u + v * v) / 0.04) / 0.04
        ripple = 0.012 * cos(40 * x + 9 * y)
        p = ring * x + dome * u + 40 * ripple; q = ring * y + dome * v + 9 * ripple
        size = sqrt(p * p + q * q + 1); count = 3
        value[1] = 0.5 - p / size / 2; value[2] = 0.5 + q / size / 2
        value[3] = 0.5 + 1 / size / 2' >normals.ppm
    ;;
curves) # two strokes beside each other where a curve divides
    draw 480x320 none +antialias -fill none -strokewidth 2 \
        -stroke '#2a4f9e' -draw 'line 0,0 480,0' \
        -stroke '#f2a65a' -draw 'path "M 0,199 Q 240,150 480,199"' \
        -stroke '#2c6e31' -draw 'path "M 0,203 Q 240,154 480,203"' \
        -stroke '#b8d977' -draw 'line 0,319 480,319' \
        -stroke '#f6c77d' -draw 'circle 120,110 120,76' \
        -stroke '#fff3c0' -draw 'circle 120,110 120,80' \
        -stroke '#3f7d35' -draw 'circle 330,250 330,204' \
        -stroke '#6b1226' -draw 'circle 330,250 330,208' \
        -stroke '#ffb09a' -draw 'path "M 306,238 Q 314,226 328,222"' strokes.png
    convert strokes.png -alpha extract -threshold 50% -negate strokes-mask.png
    convert strokes.png -background black -flatten lines.png
    ;;
shade | voids) # HEIGHTS FILE: in relief; voids: red where they are 0
    red='#c03030'
    [ "$1" = voids ] || red=none
    convert "$2" -shade 315x40 -level 57%,71% -colorspace sRGB \
        \( "$2" -threshold 0 -negate -morphology Dilate Disk:2 -fill $red -opaque white \
        -transparent black \) -composite "$3"
    ;;
colour) # FIELD FILE: from blue to red, grey where it is 0
    convert "$2" \( -size 1x50 gradient:'#2b1055-#21918c' gradient:'#21918c-#fde725' -append \) \
        -clut \
        \( "$2" -threshold 0 -negate -fill '#888880' -opaque white -transparent black \) \
        -composite "$3"
    ;;
pair) # NAME PICTURE...
    convert "${@:3}" -background white -bordercolor white +append -quality 88 "$2.jpg"
    ;;
esac
