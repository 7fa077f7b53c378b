#!/usr/bin/env bash
# clone: a source goes seamlessly into a target, with the gradients of either or both.
. tests/lib.sh

scene='100 + 40 * sin(x / 3 + p) + 40 * cos(y / 4 - p) + (x * y) % 7'
moved=${scene//x/(x + 12)} moved=${moved//y/(y + 9)}
# The part of the target at 12,9, brighter: its gradients are those of the target.
plain 40 30 255 "$scene" >target.pgm
plain 16 14 255 "$moved + 30" >part.pgm
plain 16 14 255 '(x > 0 && x < 15 && y > 0 && y < 13) * 255' >inner.pgm
plain 40 30 255 "$scene" 3 >target.ppm
plain 16 14 255 "$moved + 30" 3 >part.ppm
plain 16 14 255 77 >flat.pgm

values() { xargs <"$1" | cut -d' ' -f5-; } # FILE: of a plain picture, whatever its header's lines
clones() { # SOURCE TARGET OPTION...
    works clone -q "$@" -o out.txt --format "$([ "${2##*.}" = ppm ] && echo p3 || echo p2)"
}
stays() { # SOURCE TARGET OPTION...: what is cloned is what was there
    clones "$@" && equal "$(values out.txt)" "$(values "$2")"
}
at=(--at 12,9 --mask inner.pgm)
check 'a part in its place' stays part.pgm target.pgm "${at[@]}"
check 'in colour' stays part.ppm target.ppm "${at[@]}"
check 'the mean of equal gradients' stays part.pgm target.pgm "${at[@]}" --gradient average
check 'the larger of equal gradients' stays part.pgm target.pgm "${at[@]}" --gradient mixed
check 'the larger gradient is the target'\''s' stays flat.pgm target.pgm "${at[@]}" --gradient mixed
check 'without a mask, too' stays flat.pgm target.pgm --at 12,9 --gradient mixed
check 'outside the target' stays flat.pgm target.pgm --at -9,22 --gradient mixed
check 'a grey source for a colour target' stays flat.pgm target.ppm --at 12,9 --gradient mixed
check 'a colour source for a grey target is said' all exits 0 clone part.ppm target.pgm \
    "${at[@]}" -o x.pgm and says 'note: target.pgm is grey: of part.ppm the luminance counts'

# ---- kept colours ----

plain 41 1 255 100 >line.pgm
plain 41 1 255 180 >high.pgm
plain 41 1 255 '(x > 0 && x < 40) * 255' >between.pgm
decays() { # N: by the closed form, 180 - 80 cosh(k (x - 20)) / cosh(20 k), 2 cosh(k) = 2 + 1 / N^2
    clones high.pgm line.pgm --mask between.pgm --keep "$1" &&
        values out.txt | lines_of 1 | awk -v n="$1" '
            function cosh(x) { return (exp(x) + exp(-x)) / 2 }
            BEGIN { c = 1 + 1 / (2 * n * n); k = log(c + sqrt(c * c - 1)) }
            { d = $1 - 180 + 80 * cosh(k * (NR - 21)) / cosh(20 * k) }
            d > 0.501 || d < -0.501 { bad = 1; print NR - 1, $1 }
            END { exit bad || NR != 41 }'
}
check 'the correction decays over N pixels' decays 5
check 'over fewer' decays 1.5
keeps() {
    clones part.ppm target.ppm "${at[@]}" --keep 0.05 && values out.txt >kept &&
        clones part.ppm target.ppm "${at[@]}" --keep 1e9 && ! same kept out.txt &&
        equal "$(values out.txt)" "$(values target.ppm)" &&
        equal "$(lines_of 3 <kept | sed -n "$((12 * 40 + 20))p")" \
            "$(values part.ppm | lines_of 3 | sed -n "$((3 * 16 + 8))p")"
}
check 'colours stay, or all of them adapt' keeps
plain 40 30 255 '((x - 12) ^ 2 + (y - 9) ^ 2 < 30) * 255' >disc.pgm
plain 40 30 255 '((x - 19) ^ 2 + (y - 13) ^ 2 < 30) * 255' >shifted.pgm
as_healed() { # OPTION...: heal --from is clone of the picture onto itself
    works heal -q target.pgm --mask disc.pgm --from 7,4 "$@" -o healed.pgm --report r.json &&
        works clone -q target.pgm target.pgm --mask shifted.pgm --at -7,-4 "$@" -o cloned.pgm &&
        same healed.pgm cloned.pgm
}
kept_elsewhere() { # in heal; in the report; monochrome keeps the luminance
    as_healed --keep 4 && contains r.json '"keep": 4,' &&
        clones spot.ppm hundred.ppm --mask one.pgm --keep 0.01 --gradient monochrome &&
        equal "$(values out.txt | lines_of 3 | sed -n 13p)" '28 28 28'
}

# ---- depth ----

plain 40 30 65535 "257 * int($scene)" >deep.pgm
scaled() { stays part.pgm deep.pgm "${at[@]}" && equal "$(xargs <out.txt | cut -d' ' -f4)" 65535; }
check 'a source of 8 bits for a target of 16' scaled
plain 40 30 65535 "50 * ($scene) + x" >fine.pgm
plain 16 14 65535 "50 * ($moved) + x + 12 + 300" >fine-part.pgm
check '16 bits, no 8 in between' stays fine-part.pgm fine.pgm "${at[@]}"
floats() {
    works convolve --headless -q target.pgm --stencil binomial -o soft.pfm &&
        works clone -q part.pgm soft.pfm "${at[@]}" -o out.pfm && differ soft.pfm out.pfm
}
check 'PFM' floats
floats_to_1() {
    printf '1 1 255\n1\n' >to1 && works convolve --headless -q part.pgm --stencil to1 -o part.pfm &&
        works clone -q part.pgm target.pgm "${at[@]}" -o wanted.pgm &&
        works clone -q part.pfm target.pgm "${at[@]}" --white 1 -o out.pgm &&
        within 1 out.pgm wanted.pgm && exits 0 clone part.pfm target.pgm "${at[@]}" -o dark.pgm &&
        says 'note: part.pfm has samples from 0' && differ dark.pgm wanted.pgm
}
check 'a source of floats up to 1' floats_to_1

# ---- colours ----

plain 16 14 255 '(x > 7 && y > 6) * (p == 0) * 100' 3 >red.ppm
plain 40 30 255 100 >plain.pgm
plain 40 30 255 '100 + p' 3 >plain.ppm
plane() { values "$1" | lines_of 3 | cut -d' ' -f$(($2 + 1)) | xargs; } # FILE PLANE
bright() { # the source has no green
    clones red.ppm plain.ppm --at 5,5 && equal "$(plane out.txt 1 | lines_of 1 | uniq)" 101
}
check 'every plane has its own gradients' bright
one_pixel() { # SOURCE TARGET OPTION...: of a single unknown pixel, at 2,2
    clones "$@" --mask one.pgm && values out.txt | lines_of "${planes:-1}" | sed -n 13p
}
plain 5 5 255 '(x == 2 && y == 2) * 255' >one.pgm
plain 5 5 255 100 >hundred.pgm
plain 5 5 255 '100 + 50 * p' 3 >hundred.ppm
# 0.299 * 50 + 0.587 * 20 + 0.114 * 10 = 27.83
plain 5 5 255 '(x == 2 && y == 2) * (p == 0 ? 50 : p == 1 ? 20 : 10)' 3 >spot.ppm
plain 5 5 255 '(x == 2 && y == 2) * 28' >spot.pgm
weighs() {
    equal "$(one_pixel spot.ppm hundred.pgm)" 128 &&
        equal "$(planes=3 one_pixel spot.ppm hundred.ppm --gradient monochrome)" '128 178 228' &&
        equal "$(planes=3 one_pixel spot.ppm hundred.ppm)" '150 170 210' &&
        equal "$(planes=3 one_pixel spot.pgm hundred.ppm)" '128 178 228' &&
        equal "$(one_pixel spot.pgm hundred.pgm --gradient average)" 114
}
check 'luminance, one plane for three, and the mean' weighs
clipped() {
    plain 5 5 255 250 >light.pgm && exits 0 clone -q spot.pgm light.pgm --mask one.pgm -o out.pgm &&
        warns 'warning: 1 sample lies outside 0..255 (250 to 278) and was cut off'
}
check 'what is cut off is counted' clipped

check 'heal --from keeps colours, too, and the luminance can be kept' kept_elsewhere

# ---- place and shape ----

dot_at() { # X,Y COLUMN ROW: the source's bright pixel 1,0 is there
    plain 3 3 255 '(x == 1 && y == 0) * 90' >dot.pgm
    clones dot.pgm plain.pgm --at "$1" &&
        equal "$(values out.txt | lines_of 1 | awk '$1 > 115 { print NR - 1 }')" $(($3 * 40 + $2))
}
check '--at X,Y: to the right and down' dot_at 20,6 21 6
check '--at of the other sign' dot_at -1,7 0 7
check 'heal --from is a clone of the picture' as_healed
shape() { # the source's alpha is the mask
    convert flat.pgm inner.pgm -alpha off -compose CopyOpacity -composite flat.png &&
        works clone -q flat.png target.pgm --at 12,9 -o a.pgm &&
        works clone -q flat.pgm target.pgm "${at[@]}" -o b.pgm && same a.pgm b.pgm &&
        works clone -q flat.pgm target.pgm --at 12,9 -o c.pgm && differ a.pgm c.pgm &&
        works clone -q flat.png target.pgm --mask one16.pgm --at 12,9 -o c.pgm && differ a.pgm c.pgm
}
plain 16 14 255 '(x == 4 && y == 4) * 255' >one16.pgm
kept() { # the target's alpha, which hides nothing
    convert target.ppm \( target.pgm -negate +level 55%,100% \) -alpha off -compose CopyOpacity \
        -composite t.png &&
        works clone -q part.ppm t.png "${at[@]}" -o out.png &&
        equal "$(convert out.png rgba:- | cksum)" "$(convert t.png rgba:- | cksum)"
}
# A disc that is flat goes into what is flat, whatever colour is hidden around it.
plain 24 24 255 '((x - 12) ^ 2 + (y - 12) ^ 2 < 80) * 255' >round.pgm
hides() { # COLOUR OPTION...
    plain 24 24 255 "(x - 12) ^ 2 + (y - 12) ^ 2 < 80 ? 200 : $1" 3 >around.ppm &&
        convert around.ppm round.pgm -alpha off -compose CopyOpacity -composite cut.png &&
        clones cut.png plain.pgm "${@:2}" && equal "$(values out.txt | lines_of 1 | uniq)" 100
}
hidden_source() {
    local rule
    for rule in source mixed average monochrome; do
        hides 0 --at 5,3 --gradient $rule && hides 255 --at 5,3 --gradient $rule || return
    done
    hides 0 --at -4,9 && plain 24 24 255 255 >whole.pgm && hides 9 --mask whole.pgm --at 9,4
}
if where 'built_with libpng && command -v convert >/dev/null' 'no libpng, or no ImageMagick' \
    transparency; then
    check "SOURCE's transparency is its shape" shape
    check 'hidden colours of SOURCE do not count' hidden_source
    check "TARGET's is kept" kept
fi
wraps() {
    plain 40 30 255 '10 * (x % 4)' >stripes.pgm && plain 5 30 255 '10 * (x % 4)' >some.pgm &&
        works clone -q some.pgm stripes.pgm --at 36,0 --boundary wrap --gradient mixed -o out.pgm
}
check '--boundary wrap' wraps
check 'a source that covers the target' all refuses 65 'leaves no pixel of target.pgm known' clone \
    target.pgm target.pgm -o x.pgm and works clone -q target.pgm target.pgm --halo 100 -o out.pgm

# ---- refusals ----

refusals clone part.pgm <<'END'
65~part.pgm: lies wholly outside target.pgm~target.pgm -o x.pgm --at 40,0
65~part.pgm: lies wholly outside target.pgm~target.pgm -o x.pgm --at 0,30
65~part.pgm: lies wholly outside target.pgm~target.pgm -o x.pgm --at -16,0
65~part.pgm: lies wholly outside target.pgm~target.pgm -o x.pgm --at 0,-14
65~the mask is 40 x 30, and part.pgm is 16 x 14~target.pgm -o x.pgm --mask disc.pgm
64~clone takes two pictures, SOURCE and TARGET, not 1~-o x.pgm
64~SOURCE and TARGET, not 3~target.pgm plain.pgm -o x.pgm
66~none.pgm~none.pgm -o x.pgm
64~--at 3: must be two whole numbers~target.pgm -o x.pgm --at 3
64~--gradient most: must be one of source|mixed~target.pgm -o x.pgm --gradient most
64~this command has no option --from~target.pgm -o x.pgm --from 1,2
64~part.pgm is input and output~target.pgm -o part.pgm
64~inner.pgm is input and output~target.pgm --mask inner.pgm -o inner.pgm
64~gradient mixed~target.pgm -o x.pgm --keep 3 --gradient mixed
64~average~target.pgm -o x.pgm --keep 3 --gradient average
64~the cpu solver iterates~target.pgm -o x.pgm --keep 3 -s cpu
64~cpu solver iterates~target.pgm -o x.pgm --keep 3 -n 5
64~the reference iterates~target.pgm -o x.pgm --keep 3 --headless --compare
64~above 0~target.pgm -o x.pgm --keep 0
END
check 'nothing to keep without a source' refuses 64 'needs a source' heal target.pgm \
    --mask disc.pgm --from none --keep 3 -o x.pgm
check 'an input named clone is ./clone' all cp target.pgm clone \
    and refuses 64 'clone takes two pictures' clone target.pgm -o x.pgm \
    and works --headless -q -n 1 ./clone -o x.pfm
finish
