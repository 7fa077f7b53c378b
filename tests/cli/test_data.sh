#!/usr/bin/env bash
# Data: NumPy's arrays, and holes instead of a mask. Where pixels are known not a byte changes.
. tests/lib.sh

python3 -c 'import struct' 2>/dev/null || { echo '1..0 # SKIP no python3 here'; exit; }

# An array of 20 x 31 waves, with unknown pixels of that value; and the places of the bytes that
# differ in two files, as pixels: known, unknown, header.
cat >"$top/data.py" <<'END'
import math, struct, sys, zlib
W, H = 31, 20
unknown = lambda x, y: (x - 12) ** 2 + (y - 9) ** 2 < 20 or x == 30 and y > 15
def order(fortran, planes):
    if fortran: return [(x, y, p) for p in range(planes) for x in range(W) for y in range(H)]
    return [(x, y, p) for y in range(H) for x in range(W) for p in range(planes)]
def samples(kind, at, hole): # the bytes of a wave
    code = {'u1': 'B', 'b1': 'B', 'u2': 'H', 'u4': 'I', 'i2': 'h', 'i4': 'i', 'i8': 'q', 'f2': 'e',
            'f4': 'f', 'f8': 'd'}[kind[1:]]
    def wave(x, y, p): # the last of four planes is an alpha
        if p < 3: return 100 + 40 * math.sin(x / 5) + 30 * math.cos(y / 4) + 7 * p + 1 / 3
        return 204
    if kind[1:] == 'b1': values = [unknown(x, y) for x, y, p in at]
    else: values = [float(hole) if hole and p < 3 and unknown(x, y) else wave(x, y, p)
                    for x, y, p in at]
    if code not in 'efd': values = [int(v) for v in values]
    return struct.pack(('>' if kind[0] == '>' else '<') + str(len(at)) + code, *values)
def npy(name, kind, fortran, planes, hole):
    shape = f"{H}, {W}" + (f", {planes}" if planes > 1 else "")
    text = f"{{'descr': '{kind}', 'fortran_order': {bool(fortran)}, 'shape': ({shape}), }}"
    head = b'\x93NUMPY\1\0' + struct.pack('<H', 118) + f'{text:117}\n'.encode()
    open(name, 'wb').write(head + samples(kind, order(fortran, planes), hole))
def changed(a, b, size, fortran, planes): # data from byte 128 on
    at = order(fortran, planes)
    assert len(a) == len(b) and a[:128] == b[:128], 'another header'
    places = {at[(i - 128) // size] for i in range(128, len(a)) if a[i] != b[i]}
    known = [q for q in places if q[2] > 2 or not unknown(*q[:2])]
    assert not known, f'known samples changed: {known[:3]}'
    print(len({q[:2] for q in places}))
def tiff(name, kind, squeezed, planes, hole, alpha='0'):
    # two pages, a smaller copy behind the first, tags; in packets a thumbnail if squeezed; alpha:
    # what the last plane is for
    end = '>' if kind[0] == '>' else '<'
    out, link = bytearray((b'MM\0*' if end == '>' else b'II*\0') + bytes(4)), 4
    out += b'KNOWN_INCOMPATIBLE_EDITION=NO\n ' # as GDAL has it
    data, size = samples(kind, order(0, planes), hole), int(kind[2])
    for sub in 0, 1, 0:
        seven = 7 * W * planes * size # rows
        strips = [data[i:i + seven] for i in range(0, len(data), seven)]
        strips = [zlib.compress(strip) if squeezed else strip for strip in strips]
        offsets = [len(out) + sum(map(len, strips[:i])) for i in range(3)]
        out += b''.join(strips) + bytes(len(b''.join(strips)) % 2)
        tags = {254: ('I', [sub]), 256: ('H', [W]), 257: ('H', [H]),
                258: ('H', [8 * size] * planes), 259: ('H', [8 if squeezed else 1]),
                262: ('H', [2 if planes > 1 else 1]),
                273: ('I', offsets), 277: ('H', [planes]), 278: ('H', [7]),
                279: ('I', [len(strip) for strip in strips]), 284: ('H', [1]),
                339: ('H', [{'u': 1, 'i': 2, 'f': 3}[kind[1]]] * planes),
                700: ('B', [b'<x:xmpmeta> /9j/' if squeezed else b'<x:xmpmeta>']),
                34377: ('B', [b'8BIM\xff\xd8\xff' if squeezed else b'8BIM\xff\xd8']),
                37724: ('s', [b'layers\0']),
                42113: ('s', [(hole or '-1').encode() + b'\0']), 65000: ('H', [3, 1, 4])}
        rows = b''
        if alpha > '0': tags[338] = 'H', [int(alpha)]
        for tag, (code, values) in sorted(tags.items()):
            raw = values[0] if code in 'sB' else struct.pack(end + str(len(values)) + code, *values)
            count = len(raw) if code in 'sB' else len(values)
            if len(raw) > 4:
                place, raw = len(out), raw + bytes(len(raw) % 2)
                out += raw
                raw = struct.pack(end + 'I', place)
            rows += struct.pack(end + 'HHI', tag, {'B': 1, 's': 2, 'H': 3, 'I': 4}[code], count)
            rows += raw.ljust(4, b'\0')
        struct.pack_into(end + 'I', out, link, len(out))
        out += struct.pack(end + 'H', len(tags)) + rows
        link = len(out)
        out += bytes(4)
    open(name, 'wb').write(out)
def pages(name): # the other tags of each page, and its pixels
    b = open(name, 'rb').read()
    end = '>' if b[:2] == b'MM' else '<'
    link, found = struct.unpack_from(end + 'I', b, 4)[0], []
    while link:
        tags = {}
        for i in range(struct.unpack_from(end + 'H', b, link)[0]):
            tag, kind, count = struct.unpack_from(end + 'HHI', b, link + 2 + 12 * i)
            size = {1: 1, 2: 1, 3: 2, 4: 4}[kind] * count
            at = link + 10 + 12 * i
            at = at if size <= 4 else struct.unpack_from(end + 'I', b, at)[0]
            tags[tag] = b[at:at + size] if kind < 3 else \
                struct.unpack_from(end + str(count) + ' BsHI'[kind], b, at)
        link = struct.unpack_from(end + 'I', b, link + 14 + 12 * i)[0]
        strips = [b[o:o + n] for o, n in zip(tags.pop(273), tags.pop(279))]
        strips = [zlib.decompress(s) if tags[259] == (8,) else s for s in strips]
        found.append((tags, b''.join(strips)))
    return found
def over(name, of, part): # its last strip, of 2 bytes as it says, is in another part of the file
    b = bytearray(open(of, 'rb').read())
    link = struct.unpack_from('<I', b, 4)[0]
    entries = {struct.unpack_from('<H', b, at)[0]: at + 8 for at in range(link + 2, link + 170, 12)}
    offsets, counts = (struct.unpack_from('<I', b, entries[tag])[0] for tag in (273, 279))
    strip = struct.unpack_from('<I', b, offsets)[0]
    place = {'header': 4, 'directory': link + 2, 'tags': offsets - 1, 'strip': strip + 1}.get(part)
    struct.pack_into('<I', b, counts + 8, 2)
    if place: struct.pack_into('<I', b, offsets + 8, place)
    open(name, 'wb').write(b)
# A file FORMAT-LAYOUT-TYPE.ENDING of equal rows with a square of threes; of more than 16 MB if its
# name has `large`. The places of the square's samples in it. Blocks of a TIFF lie from the last on.
def laid(name):
    form, layout, kind = name.split('.')[0].split('-')[:3]
    code = {'u1': 'B', 'u2': 'H', 'i4': 'i', 'i8': 'q', 'f4': 'f', 'f8': 'd'}[kind[1:]]
    end, size, planes = '<>'[kind[0] == 'b'], int(kind[2]), 3 if 'colour' in name else 1
    width, square, base = 150, range(20, 40), 2 ** 60 if code == 'q' else 0
    height = (17 << 20) // (width * size * planes) if 'large' in name else 50
    pack = lambda code, values: struct.pack(end + str(len(values)) + code, *values)
    value = lambda x, y, p: 3 if y in square and 70 <= x < 90 else base + 100 + x % 50 + p
    def rows(some, columns): # those of the square are the only ones that differ
        first, *hole = [pack(code, [value(x, y, p) for x in columns for p in some])
                        for y in (0, 20)]
        return [hole[0] if y in square else first for y in range(height)]
    every, across = range(planes), range(width)
    text = f"{{'descr': '{end}{kind[1:]}', 'fortran_order': {layout == 'columns'}, 'shape': " + \
        f"({height}, {width}{', 3' * (planes > 1)}), }}"
    head = {'npy': b'\x93NUMPY\1\0' + struct.pack('<H', 118) + f'{text:117}\n'.encode(), 'tif': b'',
            'pfm': f'P{"fF"[planes > 1]} {width} {height} {"-" * (end == "<")}1\n'.encode(),
            'pnm': f'P{5 + planes // 3} {width} {height} {256 ** size - 1}\n'.encode()}[form]
    # Blocks of so many rows, columns and planes, and where each begins
    high, wide, deep = {'rows': (height, width, 0), 'strips': (7, width, 0), 'apart': (7, width, 1),
                        'tiles': (32, 48, 0), 'columns': (height, 1, 1)}[layout]
    tiled, deep = layout == 'tiles', deep or planes
    blocks = []
    for p in range(0, planes, deep):
        columns = [rows(range(p, p + deep), range(x, x + wide)) for x in range(0, width, wide)]
        for y in range(0, height, high):
            blocks += [b''.join(c[y:y + high]).ljust(tiled * high * len(c[0]), b'\t')
                       for c in columns]
    if form == 'pfm': blocks = [b''.join(rows(every, across)[::-1])]
    if form == 'tif':
        tags = [(256, 'I', [width]), (257, 'I', [height]), (258, 'H', [8 * size] * planes),
                (259, 'H', [1]), (262, 'H', [1 + planes // 3]), (273 + 51 * tiled, 'Q', blocks),
                (277, 'H', [planes]), (284, 'H', [1 + (layout == 'apart')]),
                (279 + 46 * tiled, 'Q', list(map(len, blocks))),
                (339, 'H', [{'u': 1, 'i': 2, 'f': 3}[kind[1]]] * planes)]
        tags += [(322, 'H', [wide]), (323, 'H', [high])] if tiled else [(278, 'I', [high])]
        beside = 16 * len(blocks) * (len(blocks) > 1)
        behind = 32 + 20 * len(tags) + beside
    offsets, at = [0] * len(blocks), behind if form == 'tif' else len(head)
    for i in range(len(blocks))[::-1 if form == 'tif' else 1]:
        offsets[i], at = at, at + len(blocks[i])
    if form == 'tif': # a BigTIFF
        head = (b'II', b'MM')[end == '>'] + struct.pack(end + 'HHHQQ', 43, 8, 0, 16, len(tags))
        more = b''
        for tag, form, values in sorted(tags):
            raw = pack(form, offsets if values is blocks else values)
            if len(raw) > 8:
                raw, more = pack('Q', [behind - beside + len(more)]), more + raw
            head += struct.pack(end + 'HHQ', tag, {'H': 3, 'I': 4, 'Q': 16}[form], len(values))
            head += raw.ljust(8, b'\0')
        head += bytes(8) + more
        blocks.reverse()
    def spot(x, y, p):
        if name.startswith('pfm'): y = height - 1 - y
        per = -(-width // wide)
        i = (p // deep * -(-height // high) + y // high) * per + x // wide
        return offsets[i] + ((y % high * wide + x % wide) * deep + p % deep) * size
    places = sorted((spot(x, y, p), p) for y in square for x in range(70, 90) for p in every)
    return b''.join([head] + blocks), places, end + code, size, base
def laid_changed(name):
    a, places, code, size, base = laid(name)
    b, last = open('new-' + name, 'rb').read(), 0
    assert len(a) == len(b), f'{name}: another size'
    for at, p in places + [(len(a), 0)]:
        assert a[last:at] == b[last:at], f'{name}: other bytes in {last}..{at}'
        if at < len(a):
            value, last = struct.unpack_from(code, b, at)[0], at + size
            assert base + 100 + p <= value <= base + 150 + p, f'{name}: {value} at {at}'
word, name, *rest = sys.argv[1:]
if word == 'changed' and name.endswith('.tif'):
    a, b = pages(name), pages(rest[0])
    assert b'_EDITION=YES\n' in open(rest[0], 'rb').read(), 'no note'
    for tag in (34377, 37724)[0 if a[0][0][259] == (8,) else 1:]: del a[0][0][tag]
    a[0][0][700] = a[0][0][700].replace(b'/9j/', b'    ')
    assert a[0][0] == b[0][0] and a[2] == b[1] and len(b) == 2, 'other tags or pages'
    changed(bytes(128) + a[0][1], bytes(128) + b[0][1], *map(int, rest[1:]))
elif word == 'changed':
    changed(open(name, 'rb').read(), open(rest[0], 'rb').read(), *map(int, rest[1:]))
elif word == 'beside':
    a, b = pages(name), pages(rest[0])
    del a[0][0][37724] # layers
    assert a[0][0] == b[0][0] and a[2] == b[1] and len(b) == 2, 'other tags or pages'
elif word == 'over': over(name, *rest)
elif word == 'laid':
    for name in [name] + rest: open(name, 'wb').write(laid(name)[0])
elif word == 'laid-changed':
    for name in [name] + rest: laid_changed(name)
else: {'npy': npy, 'tiff': tiff}[word](name, rest[0], int(rest[1]), int(rest[2]), *rest[3:])
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
        not says "samples of 64 bits" && exits 0 heal nan.npy --mask nan -o x.pfm &&
        says 'note: nan.npy has samples of 64 bits' &&
        works heal -q out.npy --mask nan -o whole.npy && same whole.npy out.npy
}
check '--mask nan; where nothing is unknown the output is the input' holes
check 'the same from NumPy into PFM, bit for bit' all data npy f.npy '<f4' 0 1 nan \
    and run heal -q f.npy --mask nan -o f.pfm and run convolve \
    -q f.npy --stencil laplace --headless -o n.npy and complaint_is 65 'e+30; `heal --mask' \
    and works heal -q f.npy --mask nan -o f.npy.npy and within 0 f.pfm f.npy.npy
check 'a list' all rm -rf list and data npy c.npy '<f4' 0 1 '' and works heal -q --mask nan \
    f.npy c.npy --format npy -o list/ and within 0 list/f.npy f.pfm and within 0 list/c.npy c.npy
edges() {
    works edges -q c.npy -o e.npy && exits 0 -q --headless e.npy -o back.npy &&
        within 0.01 back.npy c.npy
}
check 'edges, and the picture again' edges
check '--mask nan --onto' all works edges c.npy -o e.pfm and works -q --mask nan \
    --onto f.npy e.pfm -o out.npy and changes f.npy out.npy 65 4 0 1 and within 0.01 out.npy c.npy

rounded() { # a float has no room for the edges of such noise: the estimate says so
    python3 - <<'END' && run clone -q s.pfm t.pfm --mask m.pgm -t 0.001 -o o.pfm --report r.json
import random, struct
inside = [0 < i // 300 < 299 and 0 < i % 300 < 299 for i in range(90000)]
g = random.Random(1)
s = [g.gauss(0, 1e4) for i in inside]
for name, values in ('s.pfm', s), ('t.pfm', [0 if i else v for i, v in zip(inside, s)]):
    open(name, 'wb').write(b'Pf\n300 300\n-1\n' + struct.pack('<90000f', *values))
open('m.pgm', 'wb').write(b'P5 300 300 255\n' + bytes(255 * i for i in inside))
END
    complaint_is 1 'and comes no closer' && python3 - <<'END'
import json, struct
s, o = (struct.unpack('<90000f', open(name, 'rb').read()[14:]) for name in ('s.pfm', 'o.pfm'))
assert max(abs(p - q) for p, q in zip(s, o)) <= json.load(open('r.json'))['distance_max'] < 0.1
END
}
check 'the estimate counts what was rounded before' rounded

# ---- however the samples lie in a file, the holes alone are written ----

laid() { # NAME...
    local name
    data laid "$@" && for name; do
        works heal -q "$name" --mask =3 -o "new-$name" || return
    done && data laid-changed "$@"
}
for type in u1 u2 i4 i8 f4 f8; do
    set --
    for order in l b; do
        set -- "$@" npy-{rows,columns}-$order$type{,-colour}.npy
        built_with libtiff && set -- "$@" tif-{rows,strips,tiles,apart}-$order$type-colour.tif \
            tif-tiles-$order$type.tif
        [ $type != f4 ] || set -- "$@" pfm-rows-$order$type{,-colour}.pfm
    done
    [ "${type%[12]}" != u ] || set -- "$@" pnm-rows-b$type{.pgm,-colour.ppm}
    [ $type != i8 ] || set -- "$@" npy-rows-b$type-large.npy
    [ $type != f4 ] || set -- "$@" pfm-rows-{l,b}$type-large.pfm
    ! built_with libtiff || set -- "$@" tif-{strips,tiles,apart}-l$type-colour-large.tif
    [ "${type%[12]}" != u ] || set -- "$@" pnm-rows-b$type-large{.pgm,-colour.ppm}
    check "samples of $type however they lie: others and the header stay" laid "$@"
    rm -f ./*-large*
done
peak() { with_faults FAULT_PEAK="$top/peak" "$program" heal -q "$@" && cat "$top/peak"; }
in_little() { # of a file of 17 MB, which a conversion holds twice
    data laid pfm-rows-lf4-large.pfm && mv pfm*large.pfm l.pfm &&
        [ $(($(peak l.pfm --mask =3 -o x.pfm) + 20000)) -lt \
        "$(peak l.pfm --mask =3 -o x.npy)" ]
}
check_where '! sanitized' 'sanitizers take more' 'no picture is held in memory' in_little
spots() { # in two corners of a picture of 144 MB
    printf 'P5\n12000 12000\n255\n\7' >s.pgm && truncate -s 144000018 s.pgm &&
        printf '\7' >>s.pgm &&
        [ "$(OMP_NUM_THREADS=2 && export OMP_NUM_THREADS && ulimit -v 140000 &&
            peak s.pgm --mask =7 --from auto -o x.pgm)" -lt 40000 ] && rm x.pgm
}
check_where '! sanitized' 'sanitizers take more' 'far spots take little memory' spots
in_memory() { # squares, wires, a corner: as where picture and mask are held as a whole
    python3 - <<'END' || return
import random
random.seed(1)
noise = random.randbytes(4200 * 4200).translate(bytes(100 + i // 4 for i in range(256)))
open('c.pgm', 'wb').write(b'P5\n4200 4200\n255\n' + noise)
mask = [bytearray(4200) for y in range(4200)]
for x, y, width, height in ((60, 70, 9, 130), (1000, 63, 40, 1), (1010, 64, 1, 300),
                            (3000, 100, 700, 3), (2000, 2000, 64, 64), (2066, 2050, 30, 30),
                            (4190, 4180, 10, 20)):
    for row in mask[y:y + height]: row[x:x + width] = b'\xff' * width
open('c-mask.pgm', 'wb').write(b'P5 4200 4200 255\n' + b''.join(mask))
END
    local options
    for options in '--from auto --grow 3' '--from none --grow 40' '--from 90,-50' \
        '--from auto --boundary halo'; do
        # shellcheck disable=SC2086
        exits 0 heal -q c.pgm --mask c-mask.pgm $options -o in.pgm && "$program" heal -q - \
            --mask c-mask.pgm $options -o out.pgm <c.pgm && same in.pgm out.pgm || return
    done
}
check_where '! sanitized' 'sanitizers take minutes' 'the same in memory' in_memory
decoded() { { printf 'P5\n6000 6000\n254\n' && tail -c 36000000 s.pgm; } >t.pgm && rm s.pgm &&
    ! (ulimit -v 250000 && "$program" heal -q t.pgm --mask =7 -o y.pgm 2>"$top/stderr") &&
    says 'takes 288 MB of memory, more than'; }
check_where '! sanitized' 'sanitizers take more' 'what is decoded must fit' decoded
cut() { # another program writes to it
    data laid npy-rows-li8-large.npy && mv npy*large.npy m.npy && with_faults FAULT=read:300 \
        "$program" heal -q m.npy --mask =3 -o cut.npy 2>"$top/stderr"
    equal $? 74 && says 'm.npy: cannot be read' && absent cut.npy
}
check_where '! sanitized' 'the library comes first' 'a file that cannot be read on' cut

# ---- TIFF ----

in_tiff() { # TYPE SQUEEZED PLANES
    data tiff a.tif "$1" "$2" "$3" 3 && exits 0 heal a.tif --mask mask.npy -o out.tif &&
        says "out.tif: left out, because it showed the old picture: $((2 + 2 * $2)) smaller" &&
        says 'note: a.tif has 2 pages; this is the first, a.tif[2] the second' &&
        changes a.tif out.tif 65 "${1#??}" 0 "$3" &&
        exits 0 heal -q a.tif --mask nodata -o again.tif && same again.tif out.tif &&
        data npy a.npy "$1" 0 "$3" 3 && works heal -q a.npy --mask =3 -o out.npy &&
        run heal -q a.tif --mask =3 -o tiff.npy && within 0.5 out.npy tiff.npy
}
tiffs() { check_where 'built_with libtiff' 'built without libtiff' "$@"; } # NAME COMMAND...
converted() { # NAME COMMAND...: of what ImageMagick makes
    check_where 'built_with libtiff && command -v convert' 'no libtiff, or no ImageMagick' "$@"
}
for type in '<u1' '>u2' '<i2' '>i4' '<u4' '>f2' '<f4' '>f8'; do
    tiffs "a TIFF of $type: known samples, tags and pages stay" in_tiff "$type" 0 1
    tiffs 'the same, compressed, in colour' in_tiff "$type" 1 3
done
alphas() { # associated: colours are composed already; else once. Both stay when they are healed.
    local kind
    data npy c.npy '|u1' 0 3 3 && data tiff 1.tif '<u1' 0 4 3 1 && data tiff 2.tif '<u1' 0 4 3 2 &&
        printf '1 1\n0.8\n' >part.mat && works heal -q c.npy --mask =3 -o h.npy &&
        run convolve --headless -q c.npy --stencil part.mat -o part.pfm && within 0 1.tif c.npy &&
        within 1e-4 2.tif part.pfm && for kind in 1 2; do
            exits 0 heal -q $kind.tif --mask =3 -o h$kind.tif &&
                changes $kind.tif h$kind.tif 65 1 0 4 || return
        done && within 0 h1.tif h.npy
}
tiffs 'associated and other alphas' alphas
page() { # its copy has another first page
    exits 0 heal -q 'a.tif[2]' --mask =3 -o b.tif && exits 0 convolve -q --headless 'b.tif[2]' \
        --stencil gaussian:1 -o b.npy && exits 0 convolve -q --headless out.tif \
        --stencil gaussian:1 -o c.npy && within 0 b.npy c.npy && refuses 65 'has no page 3' heal \
        'a.tif[3]' --mask =3 -o x.tif && refuses 65 'npy[2]: NumPy has no pages' heal 'a.npy[2]' \
        --mask =3 -o x.tif && refuses 64 'is input and output' heal 'a.tif[2]' --mask =3 -o a.tif
}
tiffs 'a page by its number' page
tiles() { # a list, by the name of the format
    rm -rf list && exits 0 heal -q a.tif --mask =3 -o b.tif && exits 0 heal -q a.tif --mask =3 \
        --format tiff -o list/ && same list/a.tif b.tif && works heal -q a.npy c.npy --mask =3 \
        --format npy-uint -o list/ && contains list/a.npy "'|u1'" && exits 0 heal -q a.tif \
        --mask =3 --maxval 65535 --format tiff-float -o f.tif && within 0 f.tif b.tif
}
tiffs 'a list of tiles' tiles
untouched() { works heal -q a.tif --mask =1e9 -o whole.tif && same whole.tif a.tif; }
tiffs 'without holes the same file' untouched
pipes() {
    works heal -q out.npy --mask =3 --format tiff-float -o new.tif &&
        "$program" heal -q - --mask =3 -o - --format tiff-float <new.tif | cat >piped.tif &&
        within 0 piped.tif new.tif && works convolve -q --headless piped.tif --stencil gaussian:1 \
        -o d.tif && run convolve -q --headless new.tif --stencil gaussian:1 -o d.npy &&
        within 0 d.tif d.npy
}
tiffs 'through pipes; floats stay floats' pipes
made() { # a new file, with an alpha
    convert -size 31x20 gradient:red-blue -density 90x70 -units PixelsPerCentimeter -alpha set \
        -region 9x9+2+2 -alpha transparent a.png &&
        works heal -q a.png --mask mask.npy -o n.tif &&
        works heal -q a.png --mask mask.npy -o n.png &&
        works heal -q n.tif --mask =1e9 -o m.png && within 0 n.png m.png &&
        convert n.tif -depth 8 rgba:n.raw && convert n.png -depth 8 rgba:m.raw &&
        same n.raw m.raw && equal "$(convert m.png -format '%x %y' info:)" '90 70'
}
built_with libpng && converted 'a new one, as another program sees it' made
seen() { # WxH CONVERT-OPTIONS: as ImageMagick sees it, also healed
    # shellcheck disable=SC2086
    convert -size "$1" gradient:black-white -depth 8 ${*:2} o.tif &&
        convert o.tif -auto-orient +repage o.png && within 0 o.tif o.png &&
        works heal -q o.tif --mask mask.npy -o p.tif &&
        works heal -q o.png --mask mask.npy -o p.png && within 0 p.tif p.png &&
        convert p.tif -auto-orient +repage q.png && within 0 q.png p.png
}
for way in '31x20 -orient BottomRight' '20x31 -orient RightTop' '20x31 -orient LeftBottom' \
    '31x20 -define quantum:polarity=min-is-white'; do
    # shellcheck disable=SC2086
    built_with libpng && converted "turned or white below: $way" seen $way
done
fixed() { # CONVERT-OPTIONS TEXT
    # shellcheck disable=SC2086
    convert -size 31x20 gradient:red-blue $1 f.tif &&
        exits 0 heal -q f.tif --mask mask.npy -o g.npy &&
        refuses 64 "can be written: f.tif has $2" heal f.tif --mask mask.npy -o x.tif
}
converted 'a palette' fixed '-colors 9 -type palette' 'a palette'
converted 'CMYK' fixed '-colorspace CMYK -depth 8' CMYK
converted 'JPEG in TIFF' fixed '-compress jpeg' 'JPEG inside'
converted 'one bit' fixed '-monochrome -compress group4' 'samples of another kind'
over() { # PART: it is written elsewhere, and the other parts stay
    data tiff a.tif '<u1' 0 1 3 && data over f.tif a.tif "$1" &&
        exits 0 heal -q f.tif --mask mask.npy -o g.npy && exits 0 heal -q f.tif --mask mask.npy \
        -o x.tif && within 0.5 g.npy x.tif && data beside f.tif x.tif
}
for part in header directory tags strip; do tiffs "a strip over the $part" over $part; done
tiffs 'a strip that is longer than it says' over less

# ---- what is refused ----

tiffs 'what libtiff says has the name once' all eval "printf 'II*\0\10\0\0\0' >cut.tif" \
    and refuses 65 cut.tif heal cut.tif --mask nan -o x.tif \
    and grep -q ': cut.tif: libtiff: Can not read TIFF directory count$' "$top/stderr"
check 'no nodata' refuses 65 'declares no nodata value' heal f.npy --mask nodata -o x.npy
check '--mask =x' refuses 64 '--mask =x: must be a number' heal f.npy --mask =x -o x.npy
check 'clone fills holes of TARGET; smoothly where SOURCE has them, too' all \
    data npy c.npy '<f4' 0 1 '' \
    and works clone -q c.npy f.npy --mask nan -o x.npy and within 1e-3 x.npy c.npy \
    and data npy v.npy '<f4' 0 1 77 and cp v.npy w.npy \
    and works clone -q v.npy w.npy --mask =77 -o x.npy and within 1e-3 x.npy f.npy.npy \
    and works clone -q v.npy w.npy --mask =77 -o x.pfm and within 1e-3 x.pfm f.npy.npy
check 'NaN beside the holes' all works heal -q f.npy --mask =77 -o x.npy and within 0 x.npy f.pfm
check 'nothing is left behind' all tidy and tidy list
finish
