#!/usr/bin/env bash
# What a file of data means beside its samples: holes of each band, texts of nodata, GDAL's mask
# pages and sparse blocks, smaller copies, bytes of the old picture, alpha that colours
# are multiplied by.
. tests/lib.sh

python3 -c 'import struct' 2>/dev/null || { echo '1..0 # SKIP no python3 here'; exit; }

# A page is a dictionary: its samples as rows of pixels of bands, their type, more tags, strips of 8
# rows; `sparse`: strips without bytes, `same`: strips that lie where those of the page before do,
# `inside`: it is a SubIFD of the next page.
cat >"$top/t.py" <<'END'
import struct, sys
W, H = 40, 32
hole = lambda x, y: 8 <= y < 20 and 10 <= x < 24
inside = lambda x, y: 12 <= y < 16 and 14 <= x < 20
ramp = lambda x, y, b=0: 60 + x + 2 * y + 10 * b
def rows(f, bands=1):
    return [[[f(x, y, b) for b in range(bands)] for x in range(W)] for y in range(H)]
def tiff(name, *pages):
    out, link = bytearray(b'II*\0' + bytes(4)), 4
    offsets, inside = [], None
    for page in pages:
        code, bands = page['type'], len(page['rows'][0][0])
        size = struct.calcsize(code)
        every = range(0, len(page['rows']), 8)
        strips = [b''.join(struct.pack('<%d%s' % (len(p), code), *p)
                           for row in page['rows'][i:i + 8] for p in row) for i in every]
        if page.get('bits'): strips = [bytes(int(''.join(str(p[0]) for p in row[i:i + 8]), 2)
            for row in page['rows'][j:j + 8] for i in range(0, W, 8)) for j in range(0, H, 8)]
        lengths = [0 if i in page.get('sparse', ()) else len(s) for i, s in enumerate(strips)]
        for i, strip in enumerate(strips):
            if i in page.get('same', ()): strips[i] = b''
            else: offsets[i:i + 1] = [len(out) if lengths[i] else 0]
            if lengths[i]: out += strips[i]
        kind = {'f': 3, 'd': 3, 'h': 2}.get(code, 1)
        tags = {254: ('I', [page.get('kind', 0)]), 256: ('I', [len(page['rows'][0])]),
                257: ('I', [len(page['rows'])]), 258: ('H', [page.get('bits', 8 * size)] * bands),
                259: ('H', [1]), 262: ('H', [page.get('photometric', 2 if bands > 2 else 1)]),
                273: ('I', offsets[:len(strips)]), 277: ('H', [bands]), 278: ('I', [8]),
                279: ('I', lengths), 284: ('H', [1]), 339: ('H', [kind] * bands)}
        tags.update(page.get('tags', {}))
        if inside: tags[330] = 'I', inside
        entries = b''
        for tag, (code, values) in sorted(tags.items()):
            raw = values if code in 'sB' else struct.pack('<%d%s' % (len(values), code), *values)
            count = len(values)
            if len(raw) > 4:
                raw, place = struct.pack('<I', len(out)), raw + bytes(len(raw) % 2)
                out += place
            entries += struct.pack('<HHI', tag, {'B': 1, 's': 2, 'H': 3, 'I': 4}[code], count)
            entries += raw.ljust(4, b'\0')
        inside = page.get('inside') and [len(out)]
        if not inside: struct.pack_into('<I', out, link, len(out))
        out += struct.pack('<H', len(tags)) + entries + bytes(4)
        if not inside: link = len(out) - 4
    open(name, 'wb').write(out)
def read(name): # pages: their tags, and samples
    b, found = open(name, 'rb').read(), []
    link = struct.unpack_from('<I', b, 4)[0]
    while link:
        tags = {}
        for i in range(struct.unpack_from('<H', b, link)[0]):
            tag, kind, count = struct.unpack_from('<HHI', b, link + 2 + 12 * i)
            code = ' BsHI'[kind] if kind < 5 else 'B'
            size, at = struct.calcsize(code) * count, link + 10 + 12 * i
            at = at if size <= 4 else struct.unpack_from('<I', b, at)[0]
            form = '<%d%s' % (count, code)
            tags[tag] = b[at:at + size] if code == 's' else struct.unpack_from(form, b, at)
        link = struct.unpack_from('<I', b, link + 14 + 12 * i)[0]
        data = b''.join(b[o:o + n] for o, n in zip(tags[273], tags[279]))
        kind = {(1, 8): 'B', (1, 16): 'H', (2, 16): 'h', (3, 32): 'f', (3, 64): 'd'}.get(
            (tags[339][0], tags[258][0]))
        if kind: data = [v[0] for v in struct.iter_unpack('<' + kind, data)]
        found.append((tags, data))
    return found
def page(f, code='f', bands=1, nodata=None, **more):
    tags = dict(more.pop('tags', {}))
    if nodata is not None: tags[42113] = 's', nodata.encode() + b'\0'
    return dict(rows=rows(f, bands), type=code, tags=tags, **more)
def near(name, f, bands=1, most=0.01, where=lambda x, y: True, at=0):
    v = read(name)[at][1]
    for y in range(H):
        for x in range(W):
            for b in range(bands):
                if not where(x, y): continue
                got, want = v[(y * W + x) * bands + b], f(x, y, b)
                assert abs(got - want) <= most, (x, y, b, got, want)
nan = float('nan')
exec(sys.argv[1])
END
py() { python3 "$top/t.py" "$1"; }
heals() { works heal -q "$1" --mask "${2:-nodata}" -o o.tif; } # FILE MASK
needs 'built_with libtiff' 'built without libtiff' 'holes in TIFF'

# ---- which samples are holes ----

words() { # TEXT VALUE TYPE
    py "tiff('a.tif', page(lambda x, y, b: $2 if hole(x, y) else ramp(x, y), '$3', nodata='$1'))" &&
        heals a.tif && py "near('o.tif', ramp)"
}
for row in '-1.#QNAN nan f' '1.#IND nan f' '-9999,5 -9999.5 f' '-9999.0 -9999 h' \
    '-9.999e3\n -9999 h' 'nan nan d'; do
    # shellcheck disable=SC2086
    check "nodata is ${row% * *}" words $row
done
check 'text behind a number is no nodata' all py \
    "tiff('a.tif', page(lambda x, y, b: ramp(x, y), nodata='12 m'))" \
    and refuses 65 'declares no nodata' heal -q a.tif --mask nodata -o x.tif
both() { # MASK: NaN and nodata are holes, whichever is asked for
    py "f = lambda x, y, b: nan if inside(x, y) else -9 if hole(x, y) else ramp(x, y)
tiff('a.tif', page(f, nodata='-9'))" && heals a.tif "$1" && py "near('o.tif', ramp)"
}
for mask in nan nodata =-9; do check "NaN beside nodata: --mask $mask" both "$mask"; done
check 'white that is 0' all py "tiff('a.tif', page(lambda x, y, b: 0 if hole(x, y) else ramp(x, y),
    'B', nodata='0', photometric=0))" and heals a.tif and py "near('o.tif', ramp, most=1)" \
    and heals a.tif =0 and py "near('o.tif', ramp, most=1)"
own() { # floats: each band has its own, and its known samples keep their bits
    py "f = lambda x, y, b: -9 if (hole, inside)[b](x, y) else 1 / 3 + ramp(x, y, b)
tiff('a.tif', page(f, 'd', 2, nodata='-9'))" && heals a.tif && py "
near('o.tif', lambda x, y, b: 1 / 3 + ramp(x, y, b), 2)
a, o = read('a.tif')[0][1], read('o.tif')[0][1]
assert all(p == q for p, q in zip(a, o) if p != -9)"
}
check 'two bands of floats' own
check 'three of colour' all py "tiff('a.tif', page(lambda x, y, b: nan if b == 1 and hole(x, y) or \
b == 2 and inside(x, y) else ramp(x, y, b), bands=3))" and heals a.tif nan \
    and py "near('o.tif', ramp, 3)"
red() { # integers: a hole has no band
    py "f = lambda x, y, b: 0 if hole(x, y) or b and (x, y) == (3, 3) else ramp(x, y, b)
tiff('a.tif', page(f, '$1', 4, nodata='0', tags={338: ('H', [0])}))" && heals a.tif && py "
near('o.tif', ramp, 4, 1, lambda x, y: (x, y) != (3, 3))
assert read('o.tif')[0][1][(3 * W + 3) * 4:][1:4] == [0, 0, 0]"
}
opaque() { # its white is what marks holes
    py "f = lambda x, y, b: 2 ** 32 - 1 if b == 3 or hole(x, y) else int(ramp(x, y, b))
tiff('a.tif', page(f, 'I', 4, photometric=2, tags={338: ('H', [2])}))" &&
        heals a.tif =4294967295 && py "
v = struct.unpack('<%dI' % (W * H * 4), read('o.tif')[0][1])
assert set(v[3::4]) == {2 ** 32 - 1} and max(v[::4]) < 2 ** 31"
}
check 'an alpha of 32 bits stays' opaque
in_some() {
    py "tiff('a.tif', page(lambda x, y, b: nan if b and hole(x, y) else ramp(x, y, b), bands=2))" &&
        refuses 65 'has holes in some of its bands alone' heal -q a.tif --mask nan --from auto \
            -o x.tif
}
check 'one source for holes of some bands' in_some
for type in B h; do check "colour and infrared of $type: pure red is no hole" red $type; done
constant() {
    py "f = lambda x, y, b: 77 if b == 3 else ramp(x, y, b)
tiff('a.tif', page(f, 'B', 4, tags={338: ('H', [0])}))
tiff('m.tif', page(lambda x, y, b: 255 * hole(x, y), 'B'))" && heals a.tif m.tif &&
        py "near('o.tif', lambda x, y, b: 77 if b == 3 else ramp(x, y, b), 4, 1)
assert set(read('o.tif')[0][1][3::4]) == {77}"
}
check 'a band that is constant stays so under a mask' constant
# 20 of the filled samples would be 0.
for mask in nodata =0; do check "what is filled is not $mask" all \
    py "tiff('a.tif', page(lambda x, y, b: 0 if hole(x, y) else x - 17 or 1, 'h', nodata='0'))" \
    and exits 0 heal -q a.tif --mask "$mask" -o o.tif and py "assert 0 not in read('o.tif')[0][1]"
done
none() {
    run heal "$1" --mask "$2" -o o.tif &&
        says "note: $1: no sample is $3: the picture is unchanged"
}
check 'a mask that finds nothing says so' all py "tiff('a.tif', page(ramp, nodata='-9999'))" \
    and none a.tif nodata -9999 and none a.tif =-8 -8 and none a.tif nan nan
void() {
    py "tiff('v.tif', page(lambda x, y, b: -9, nodata='-9'))" && rm -rf list &&
        exits 0 heal a.tif v.tif --mask nodata -o list/ && same list/v.tif v.tif &&
        says 'v.tif: has no samples but holes' && same list/a.tif a.tif &&
        refuses 65 'leaves no pixel' heal -q v.tif --mask nodata -o x.tif
}
check 'a void tile of a list; floats of a list keep their format' void
check 'floats are not cut off to white' all py \
    "tiff('a.tif', page(lambda x, y, b: nan if hole(x, y) else 1000 + x))" \
    and refuses 65 'TIFF, NumPy and PFM hold any value' heal -q a.tif --mask nan -o x.pgm
piped() {
    "$program" heal - --mask nan -o o.tif <a.tif 2>err && grep -q 'from a pipe comes a new' err
}
check 'a pipe' piped

# ---- blocks, pages and bytes ----

sparse() { # the third strip becomes real, the last stays as it is
    py "tiff('a.tif', page(lambda x, y, b: -9 if 8 <= y < 16 and x > 5 else ramp(x, y), nodata='-9',
sparse=[3]))" && heals a.tif '=-8' && same a.tif o.tif &&
        py "tiff('m.tif', page(lambda x, y, b: 255 * (8 <= y < 16 and x > 5), 'B'))" &&
        heals a.tif m.tif && py "near('o.tif', ramp, where=lambda x, y: y < 24 and not 8 <= y < 16)
assert read('o.tif')[0][0][273][3] == 0" && heals a.tif && py "
v = read('o.tif')[0][1]
assert len(v) == W * H and -9 not in v"
}
check 'sparse blocks are nodata, and stay sparse' sparse
check 'a sparse block of a mask page' all py "\
tiff('a.tif', page(lambda x, y, b: 9 if 8 <= y < 16 else 90, 'B'), dict(rows=rows(lambda *at: 1),
    type='B', bits=1, kind=4, photometric=4, sparse=[1]))" \
    and heals a.tif and py "near('o.tif', lambda *at: 90)"
# The second page has a strip of the first.
check 'pages that share blocks' all py "f = lambda x, y, b: 200 if hole(x, y) else ramp(x, y)
tiff('a.tif', page(f, 'B'), page(f, 'B', same=[1]))
tiff('m.tif', page(lambda x, y, b: 255 * hole(x, y), 'B'))" \
    and exits 0 heal -q a.tif --mask m.tif --from none -o o.tif \
    and says '1 block of the old picture stays' and py "near('o.tif', ramp, most=1)
near('o.tif', lambda x, y, b: 200 if hole(x, y) else ramp(x, y), most=0, at=1)"
copies() { # behind a mask page; nothing of them is left in the file
    py "f = lambda x, y, b: b'SECRET'[x % 6] if hole(x, y) else ramp(x, y)
stats = b'<GDALMetadata><Item name=\"STATISTICS_MAXIMUM\" sample=\"0\">9</Item>'
stats += b'<Item name=\"B\">1</Item></GDALMetadata>\0'
tags = {700: ('B', b'<x>iVBORw&#xA;0KGgoSECRET'), 42112: ('s', stats)}
bits = rows(lambda x, y, b: int(not hole(x, y)))
tiff('a.tif', page(f, 'B', kind=1), page(f, 'B', kind=1, inside=1), page(f, 'B', tags=tags),
     dict(rows=bits, type='B', bits=1, kind=4, photometric=4), page(f, 'B', kind=1),
     page(ramp, 'B'))" &&
        exits 0 heal -q a.tif --mask nodata -o o.tif && says '4 smaller copies' &&
        py "near('o.tif', ramp, most=1); near('o.tif', ramp, most=0, at=2)
p = read('o.tif')
assert len(p) == 3 and not bytes(p[0][0][700])[3:].strip() and p[0][0][254] == (0,), 'pages'
assert set(p[1][1]) == {255}, 'the page of the mask'
text = p[0][0][42112]
assert b'STATISTICS' not in text and b'name=\"B\"' in text, text
assert b'SECRET' not in open('o.tif', 'rb').read() and b'SECRET' in open('a.tif', 'rb').read()"
}
check 'smaller copies, a thumbnail in front, a page of a mask, statistics' copies
check 'a thumbnail alone is a picture' all py \
    "tiff('a.tif', page(lambda x, y, b: 0 if hole(x, y) else ramp(x, y), 'B', kind=1))" \
    and heals a.tif =0 and py "near('o.tif', ramp, most=1)"
alpha() { # one colour everywhere, multiplied by an alpha of two halves; some of no alpha
    py "a = lambda x, y: 0 if (x, y) == (2, 2) else $1 if x < 17 else 255
of = lambda x, y, b: (204, 102, 51, 255)[b] * a(x, y) / 255 if a(x, y) or b == 3 else 9
f = lambda x, y, b: round(of(x, y, b))
tiff('a.tif', page(f, 'B', 4, tags={338: ('H', [1])}))
tiff('m.tif', page(lambda x, y, b: 255 * hole(x, y), 'B'))" && heals a.tif m.tif && py "
a = lambda x, y: 0 if (x, y) == (2, 2) else $1 if x < 17 else 255
of = lambda x, y, b: (204, 102, 51, 255)[b] * a(x, y) / 255 if a(x, y) or b == 3 else 9
near('o.tif', of, 4, 1)
v = read('o.tif')[0][1]
assert all(max(v[i:i + 3]) <= v[i + 3] for i in range(0, len(v), 4) if v[i + 3])"
}
for part in 127 160; do check "colours multiplied by an alpha of $part" alpha $part; done

# ---- headers of NumPy ----

header() { # TEXT
    py "t = '''$1'''.encode() + b'\n'
data = [nan if hole(x, y) else ramp(x, y) for y in range(H) for x in range(W)]
open('a.npy', 'wb').write(b'\x93NUMPY\1\0' + struct.pack('<H', len(t)) + t +
    struct.pack('=%df' % len(data), *data))" && works heal -q a.npy --mask nan -o o.npy &&
        works heal -q a.npy --mask nan --format tiff-float -o o.tif && py "near('o.tif', ramp)"
}
check 'double quotes, tabs' header '{"descr":	"=f4", "fortran_order":	False, "shape":	(32,	40), }'
check 'of Python 2' header "{u'descr': u'=f4', u'fortran_order': False, u'shape': (32L, 40L)}"
check 'no type' all eval "printf '\223NUMPY\1\0\2\0{}' >b.npy" \
    and refuses 65 'an array of an unknown type or shape' heal -q b.npy --mask nan -o x.npy
check 'nothing is left behind' all tidy and tidy list
finish
