#!/usr/bin/env bash
# Data: NumPy's arrays, and holes instead of a mask. Where pixels are known not a byte changes.
. tests/lib.sh

python3 -c 'import struct' 2>/dev/null || { echo '1..0 # SKIP no python3 here'; exit; }

# An array of 20 x 31 waves, with unknown pixels of that value; and the places of the bytes that
# differ in two files, as pixels: known, unknown, header.
cat >"$top/data.py" <<'END'
import math, struct, sys
W, H = 31, 20
unknown = lambda x, y: (x - 12) ** 2 + (y - 9) ** 2 < 20 or x == 30 and y > 15
def order(fortran, planes):
    if fortran: return [(x, y, p) for p in range(planes) for x in range(W) for y in range(H)]
    return [(x, y, p) for y in range(H) for x in range(W) for p in range(planes)]
def npy(name, kind, fortran, planes, hole):
    code = {'u1': 'B', 'b1': 'B', 'u2': 'H', 'i2': 'h', 'i4': 'i', 'i8': 'q', 'f2': 'e', 'f4': 'f',
            'f8': 'd'}[kind[1:]]
    wave = lambda x, y, p: 100 + 40 * math.sin(x / 5) + 30 * math.cos(y / 4) + 7 * p + 1 / 3
    at = order(fortran, planes)
    if kind[1:] == 'b1': values = [unknown(x, y) for x, y, p in at]
    else: values = [float(hole) if hole and unknown(x, y) else wave(x, y, p) for x, y, p in at]
    if code not in 'efd': values = [int(v) for v in values]
    shape = f"{H}, {W}" + (f", {planes}" if planes > 1 else "")
    text = f"{{'descr': '{kind}', 'fortran_order': {bool(fortran)}, 'shape': ({shape}), }}"
    head = b'\x93NUMPY\1\0' + struct.pack('<H', 118) + f'{text:117}\n'.encode()
    data = struct.pack(('>' if kind[0] == '>' else '<') + str(len(at)) + code, *values)
    open(name, 'wb').write(head + data)
def changed(a, b, size, fortran, planes):
    a, b, at = open(a, 'rb').read(), open(b, 'rb').read(), order(fortran, planes)
    assert len(a) == len(b) and a[:128] == b[:128], 'another header'
    places = {at[(i - 128) // size] for i in range(128, len(a)) if a[i] != b[i]}
    known = [q for q in places if not unknown(*q[:2])]
    assert not known, f'known samples changed: {known[:3]}'
    print(len({q[:2] for q in places}))
name, *rest = sys.argv[2:]
if sys.argv[1] == 'npy': npy(name, rest[0], int(rest[1]), int(rest[2]), rest[3])
else: changed(name, rest[0], *map(int, rest[1:]))
END
data() { python3 "$top/data.py" "$@"; }
changes() { data changed "$1" "$2" "${@:4}" >changes && equal "$(cat changes)" "$3"; }

given data npy mask.npy '|b1' 0 1 ''
heals() { # TYPE FORTRAN PLANES
    data npy a.npy "$1" "$2" "$3" 3 && works heal -q a.npy --mask mask.npy -o out.npy &&
        changes a.npy out.npy 65 "${1#??}" "$2" "$3" &&
        works heal -q a.npy --mask =3 -o again.npy && same again.npy out.npy &&
        data npy b.npy "$1" "$2" "$3" '' && within "$4" b.npy out.npy
}
for type in '|u1' '<u2' '>i2' '<i4' '>i8' '<f2' '>f4' '<f4' '<f8'; do
    check "an array of $type: the known samples stay" heals "$type" 0 1 15
done
check 'in colour, in Fortran order' heals '>f8' 1 3 15
check 'the same of integers' heals '|u1' 1 3 15

holes() {
    data npy nan.npy '<f8' 0 1 nan && works heal -q nan.npy --mask nan -o out.npy &&
        changes nan.npy out.npy 65 8 0 1 && exits 0 heal nan.npy --mask nan -o x.npy &&
        says 'note: nan.npy has samples of 64 bits' &&
        works heal -q out.npy --mask nan -o whole.npy && same whole.npy out.npy
}
check '--mask nan; where nothing is unknown the output is the input' holes
in_pfm() {
    data npy f.npy '<f4' 0 1 nan && run heal -q f.npy --mask nan -o f.pfm && run convolve -q f.npy \
        --stencil laplace --headless -o n.npy && complaint_is 65 'the sample at x ' &&
        works heal -q f.npy --mask nan -o f.npy.npy && within 0 f.pfm f.npy.npy
}
check 'the same from NumPy into PFM, bit for bit' in_pfm
lists() {
    rm -rf list && data npy c.npy '<f4' 0 1 '' &&
        works heal -q --mask nan f.npy c.npy --format npy -o list/ &&
        within 0 list/f.npy f.pfm && within 0 list/c.npy c.npy
}
check 'a list' lists
edges() {
    works edges -q c.npy -o e.npy && exits 0 -q --headless e.npy -o back.npy &&
        within 0.01 back.npy c.npy
}
check 'edges, and the picture again' edges
hole_onto() {
    works edges c.npy -o e.pfm && works -q --mask nan --onto f.npy e.pfm -o out.npy &&
        changes f.npy out.npy 65 4 0 1 && within 0.01 out.npy c.npy
}
check '--mask nan --onto' hole_onto
check 'no nodata' refuses 65 'says no nodata value' heal f.npy --mask nodata -o x.npy
check '--mask =x' refuses 64 '--mask =x: must be a number' heal f.npy --mask =x -o x.npy
check 'clone' refuses 64 '--mask nan: those are holes' clone f.npy c.npy --mask nan -o x.npy
check 'NaN beside the holes' refuses 65 'f.npy: the sample at x ' heal f.npy --mask =77 -o x.npy
tidy_now() { tidy && tidy list; }
check 'nothing is left behind' tidy_now
finish
