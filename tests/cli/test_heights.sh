#!/usr/bin/env bash
# edges --normals and --slopes: height fields come back from their normals, and from their slopes.
. tests/lib.sh

side=256
# Writes SHAPE.pfm, its heights with a mean of 0, SHAPE-p.pfm and SHAPE-q.pfm, its slopes, and
# SHAPE-BITS.ppm, its normals with green up.
cat >../shape.pl <<'END'
my ($shape, $n) = @ARGV;
my (@z, @p, @q, $sum);
for my $y (0 .. $n - 1) {
    for my $x (0 .. $n - 1) {
        my ($i, $u, $v) = ($y * $n + $x, $x - $n / 2 + 0.5, $y - $n / 2 + 0.5);
        if ($shape eq 'cap') {
            $z[$i] = sqrt(300 ** 2 - $u ** 2 - $v ** 2);
            ($p[$i], $q[$i]) = (-$u / $z[$i], -$v / $z[$i]);
        } elsif ($shape eq 'sine') {
            my ($a, $b) = (6.283185307179586 * 3 / $n, 6.283185307179586 * 2 / $n);
            $z[$i] = 9 * sin($a * $x) * cos($b * $y) + 4 * sin($b * $y);
            $p[$i] = 9 * $a * cos($a * $x) * cos($b * $y);
            $q[$i] = -9 * $b * sin($a * $x) * sin($b * $y) + 4 * $b * cos($b * $y);
        } else {
            $z[$i] = $p[$i] = $q[$i] = 0;
        }
        $sum += $z[$i];
    }
}
$_ -= $sum / @z for @z;
sub floats {
    my ($name, @rows) = (shift);
    unshift @rows, [splice @_, 0, $n] while @_;
    open my $file, '>', $name or die;
    print $file "Pf\n$n $n\n-1.0\n", map { pack 'f<*', @$_ } @rows;
}
floats("$shape.pfm", @z);
floats("$shape-p.pfm", @p);
floats("$shape-q.pfm", @q);
for my $white (255, 65535) {
    my $bits = $white > 255 ? 16 : 8;
    open my $file, '>', "$shape-$bits.ppm" or die;
    print $file "P6\n$n $n\n$white\n";
    for my $i (0 .. $#z) {
        my @n = $p[$i] == 0 && $q[$i] == 0 ? (1 / $white, 1 / $white, 1)
            : map { $_ / sqrt(1 + $p[$i] ** 2 + $q[$i] ** 2) } -$p[$i], $q[$i], 1;
        print $file pack $white > 255 ? 'n*' : 'C*', map { int(($_ + 1) / 2 * $white + 0.5) } @n;
    }
}
END
for shape in cap sine flat; do given perl ../shape.pl $shape $side; done

near() { # MOST A B: so many hundredths of a percent of B's height
    paste <(float_samples "$2" $((side * side)) | tr ' ' '\n') \
        <(float_samples "$3" $((side * side)) | tr ' ' '\n') | awk -v most="$1" '
        { d = $1 > $2 ? $1 - $2 : $2 - $1; worst = d > worst ? d : worst
          low = NR == 1 || $2 < low ? $2 : low; high = NR == 1 || $2 > high ? $2 : high }
        END { print worst, high - low; exit !(worst <= most / 10000 * (high - low)) }'
}
heights() { # SHAPE MOST BOUNDARY INPUT...
    works edges --boundary "$3" "${@:4}" -o e.pfm &&
        works --headless -q --boundary "$3" --mean 0 e.pfm -o h.pfm && near "$2" h.pfm "$1".pfm
}
limit() { check_where 'built_with FFTW' 'built without FFTW' "$@"; } # NAME COMMAND...
limit 'a cap from 16 bits' heights cap 10 mirror --normals --green up cap-16.ppm
limit 'a cap from 8 bits' heights cap 25 mirror --normals --green up cap-8.ppm
limit 'a sine from 16 bits' heights sine 10 wrap --normals --green up sine-16.ppm
limit 'a sine from 8 bits' heights sine 25 wrap --normals --green up sine-8.ppm
limit 'a cap from its slopes' heights cap 10 mirror --slopes cap-p.pfm cap-q.pfm
limit 'a sine from its slopes' heights sine 10 wrap --slopes sine-p.pfm sine-q.pfm
turned() { # green that counts downwards
    perl -e 'local $/; $_ = <>; my $head = substr($_, 0, 17, ""); my @s = unpack "n*", $_;
        $s[3 * $_ + 1] = 65535 - $s[3 * $_ + 1] for 0 .. $#s / 3; print $head, pack "n*", @s' \
        cap-16.ppm >down.ppm && works edges --normals --green up cap-16.ppm -o a.pfm &&
        works edges --normals --green up cap-16.ppm -o up.pfm && same a.pfm up.pfm &&
        works edges --normals --green down down.ppm -o b.pfm && within 1e-6 a.pfm b.pfm &&
        works edges --normals --green up down.ppm -o c.pfm && ! within 1e-3 a.pfm c.pfm &&
        exits 0 edges --normals --green auto down.ppm -o c.pfm && same b.pfm c.pfm &&
        says 'note: down.ppm: green points down: the curl is' &&
        works edges -q --normals down.ppm -o d.pfm && same c.pfm d.pfm &&
        exits 0 edges --normals cap-16.ppm -o c.pfm && says 'cap-16.ppm: green points up' &&
        same a.pfm c.pfm
}
check '--green, and what the curl tells of it' turned
untold() { # slopes along one axis alone have no curl, whatever the sign
    perl -e 'print "P3\n8 8\n255\n"; for my $y (0 .. 7) { print 128 + 20 * ($_ % 3), " 128 220\n"
        for 0 .. 7 }' >along.ppm && exits 0 edges -q --normals along.ppm -o a.pfm &&
        says 'warning: along.ppm: it is unclear where green points' &&
        works edges --normals --green up along.ppm -o b.pfm && same a.pfm b.pfm
}
check 'nothing tells where green points' untold
flat() {
    local bits
    for bits in 8 16; do
        works edges --normals --green up flat-$bits.ppm -o e.pgm &&
            equal "$(raw_samples e.pgm $((side * side)) 2 | tr ' ' '\n' | uniq)" 32768 || return
    done
}
check 'a flat map stays flat' flat
check 'the sides are free unless it is said' \
    all works edges --normals --green up cap-16.ppm -o a.pfm \
    and works edges --normals --green up cap-16.ppm --boundary mirror -o b.pfm and same a.pfm b.pfm
other_flat() { # (127, 127), as common as 128
    { echo P3 4 4 255; printf '127 127 255\n%.0s' {1..16}; } >f127.ppm &&
        exits 0 edges --normals --green up f127.ppm -o a.pfm && says 'f127.ppm: 127 is flat' &&
        equal "$(float_samples a.pfm 16 | tr ' ' '\n' | sort -u)" 0 &&
        works edges --normals --green up --flat 127 f127.ppm -o b.pfm && same a.pfm b.pfm &&
        works edges --normals --green up --flat 128 f127.ppm -o b.pfm && differ a.pfm b.pfm
}
check 'a map whose flat colour is 127' other_flat
numbers() { # floats; and bytes with a sign, of which 127 is 1; NaN has no slope
    perl -e 'my @n = (-0.6, 0, 0.8); print "PF\n3 1\n-1\n", pack "f<9", @n, ("nan") x 3, @n' >n.pfm
    perl -e 'print "\x93NUMPY\1\0v\0", pack("A117", "{\"descr\": \"|i1\", \"fortran_order\": " .
        "False, \"shape\": (1, 3, 3)}"), "\n", pack "c9", -76, 0, 102, 0, 0, 0, -76, 0, 102' >n.npy
    works edges --normals --green up n.pfm -o a.pfm &&
        works edges --normals --green up n.npy -o b.pfm &&
        float_samples a.pfm 3 | awk '{ exit !($1 > 0.749 && $1 < 0.751 && !$2 && $1 + $3 == 0) }' &&
        within 1e-2 a.pfm b.pfm
}
check 'normals of floats and of int8' numbers
steep() { # a normal that points sideways has no slope; its neighbours' counts
    printf 'P3 3 1 255\n64 128 228  255 128 128  64 128 228\n' >steep.ppm &&
        works edges --normals --green up steep.ppm -o e.pfm && float_samples e.pfm 3 |
        awk '{ exit !($1 > 0.6 && $1 < 0.65 && $2 * $2 < 1e-9 && $1 + $3 == 0) }'
}
check 'a normal without a slope' steep
two_channels() { # BITS BLUE: z follows from x and y, and that is said
    perl -e 'local $/; binmode STDIN; $_ = <STDIN>; my ($bits, $blue) = @ARGV;
        my $c = $bits > 8 ? "n*" : "C*"; my $head = substr($_, 0, $bits > 8 ? 17 : 15, "");
        my @s = unpack $c, $_; $s[3 * $_ + 2] = $blue for 0 .. @s / 3 - 1;
        print $head, pack $c, @s' "$1" "$2" <cap-"$1".ppm >two.ppm &&
        exits 0 edges --normals --green up two.ppm -o two.pfm && says 'note: two.ppm: ' &&
        says 'from red and green' && works edges -q --normals --green up two.ppm -o two.pfm &&
        works edges --normals --green up cap-"$1".ppm -o all.pfm && within 5e-2 two.pfm all.pfm
}
check 'two channels, blue 0' two_channels 8 0
check 'two channels, blue 128' two_channels 8 128
check 'two channels of 16 bits' two_channels 16 32768
alpha() { # a height or a gloss
    convert cap-8.ppm \( -size 256x256 gradient: \) -alpha off -compose CopyOpacity -composite \
        a.png && works edges --normals --green up a.png -o a.pfm &&
        works edges --normals --green up cap-8.ppm -o b.pfm &&
        same a.pfm b.pfm && convert flat-8.ppm -colorspace gray -depth 8 p.png &&
        convert p.png -alpha set -channel A -evaluate set 30% pa.png &&
        works edges --slopes --zero-level 128 p.png p.png -o a.pfm &&
        works edges --slopes --zero-level 128 pa.png pa.png -o b.pfm && same a.pfm b.pfm
}
if built_with libpng && command -v convert >/dev/null; then check 'an alpha is not used' alpha; fi
at_once() { # heights, in one command
    works edges --normals --green up cap-16.ppm -o e.pfm &&
        works --headless -q --boundary mirror --mean 0 e.pfm -o h.pfm &&
        works heights -q cap-16.ppm -o once.pfm && within 1e-3 h.pfm once.pfm &&
        works heights -q --boundary wrap --slopes sine-p.pfm sine-q.pfm -o once.pfm &&
        near 10 once.pfm sine.pfm && works heights --green up cap-8.ppm -o once.pgm &&
        equal "$(head -c 17 once.pgm | xargs)" 'P5 256 256 65535' &&
        equal "$(raw_samples once.pgm $((side * side)) 2 | tr ' ' '\n' | sort -n | sed -n '1p;$p' |
            xargs)" '0 65535' && refuses 64 'heights needs -o' heights cap-8.ppm &&
        refuses 64 'one normal map, not 2' heights cap-8.ppm cap-8.ppm -o x.png
}
limit 'reconstruct heights' at_once
lossy() {
    convert cap-8.ppm -quality 95 cap.jpg && exits 0 heights -q cap.jpg -o h.pgm &&
        says 'warning: cap.jpg: JPEG changes normals' &&
        works heights -q cap-8.ppm -o h.jpg && equal "$(identify -format %z h.jpg)" 8
}
if built_with libjpeg && command -v convert >/dev/null; then check 'normals in a JPEG' lossy; fi
stretched() {
    works edges -q --normals cap-16.ppm -o e.pfm &&
        works --headless -q --boundary mirror e.pfm --maxval 65535 --tone stretch -o h.png
}
if built_with libpng; then limit 'as a PNG of 16 bits' stretched; fi

refused() { refuses "$1" "$2" edges "${@:3}" -o x.pfm; } # CODE TEXT ARGUMENT...
printf 'P2 2 2 255\n0 0 0 0\n' >small.pgm
check '--slopes of one image' refused 64 'two images, P and Q' --slopes cap-p.pfm
check '--slopes of two sizes' refused 65 'two grey images of one size' --slopes cap-p.pfm small.pgm
check '--slopes in colour' refused 65 'two grey images' --slopes cap-8.ppm cap-8.ppm
check 'normals in grey' refused 65 'a normal map is in colour' --normals small.pgm
check '--halo' refused 64 'nothing is known around a height field' --normals cap-8.ppm --halo 3
check '--boundary halo' refused 64 'must be mirror, wrap or cylinder' --normals cap-8.ppm \
    --boundary halo
check '--boundary sawtooth' refused 64 'must be mirror, wrap or cylinder' --normals cap-8.ppm \
    --boundary sawtooth
check '--green alone' refused 64 '--green needs --normals' cap-8.ppm --green down
check 'both' refused 64 'cannot be used with' --normals --slopes cap-p.pfm cap-q.pfm
check '--stencil' refused 64 'cannot be used with' --normals cap-8.ppm --stencil box
fractions() { refused 65 'PFM' --normals --green up cap-8.ppm --format pgm; }
check 'fractions in a format of integers' fractions
check 'Q is overwritten' refuses 64 'cap-q.pfm is input and output' edges --slopes cap-p.pfm \
    cap-q.pfm -o cap-q.pfm
finish
