#!/usr/bin/env bash
# Bad input: each with its exit code and one clear line that names the file; nothing is written.
. tests/lib.sh

waves 9 7 >good.pgm

bad() # CODE TEXT FILE OPTION...: as edges; the message names the file and has the text
{
    local code=$1 text=$2 file=$3
    shift 3
    rm -f out.pfm
    refuses "$code" "$file: " --headless -q -n 3 "$file" "$@" -o out.pfm && says "$text" &&
        absent out.pfm && tidy
}

# ---- files ----

mkdir folder
: >empty.pgm
echo 'hello world' >words.pgm
printf 'P' >p.pgm
printf 'P1 1 1 1\n' >bitmap.pbm
printf 'P9 1 1 1\n' >p9.pgm
check 'a missing file' bad 66 'No such file' missing.pgm
check 'a folder' bad 66 folder folder
check 'a file beneath a file' bad 66 '' good.pgm/x.pgm
check 'an empty file' bad 65 empty empty.pgm
check '/dev/null' bad 65 empty /dev/null
check 'something else' bad 65 format words.pgm
check 'a lone P' bad 65 '' p.pgm
check 'a bitmap' bad 65 PBM bitmap.pbm
check 'an unknown magic' bad 65 format p9.pgm
empty_stdin()
{
    refuses 65 'standard input' --headless -q -n 3 - -o out.pfm && absent out.pfm
}
check 'empty standard input' empty_stdin
if is_root; then
    skip 'a file that must not be read' 'root reads everything'
else
    cp good.pgm secret.pgm && chmod 0 secret.pgm
    check 'a file that must not be read' bad 66 'ermission' secret.pgm
fi

# ---- raw formats ----

raw() # NAME HEADER BYTES
{
    printf "$2" >"$1"
    zeros "$3" >>"$1"
}
raw short.pgm 'P5 4 3 255\n' 11
raw short16.pgm 'P5 4 3 65535\n' 23
raw short.ppm 'P6 4 3 255\n' 35
raw short.pam 'P7\nWIDTH 4\nHEIGHT 3\nDEPTH 1\nMAXVAL 255\nTUPLTYPE GRAYSCALE\nENDHDR\n' 11
raw depth2.pam 'P7\nWIDTH 4\nHEIGHT 3\nDEPTH 2\nMAXVAL 255\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\n' 24
raw endless.pam 'P7\nWIDTH 4\nHEIGHT 3\n' 0
raw header.pgm 'P5 4' 0
raw long.pgm 'P5 4 3 255\n' 13
raw two.pgm 'P5 4 3 255\n' 36
raw crlf.pgm 'P5\r\n4 3\r\n255\r\n' 12
raw width0.pgm 'P5 0 3 255\n' 0
raw height0.pgm 'P5 4 0 255\n' 0
raw minus.pgm 'P5 -1 3 255\n' 12
raw letter.pgm 'P5 4x 3 255\n' 12
raw fraction.pgm 'P5 4.5 3 255\n' 12
raw huge.pgm 'P5 1000000000000 1 255\n' 12
raw wide.pgm 'P5 1000001 1 255\n' 1000001
raw maxval0.pgm 'P5 4 3 0\n' 12
raw maxval65536.pgm 'P5 4 3 65536\n' 24
printf 'P5 2 1 100\n\144\145' >beyond.pgm
check 'P5, one byte short' bad 65 'after 2 of 3 rows' short.pgm
check 'P5 of 16 bits, one byte short' bad 65 ends short16.pgm
check 'P6, one byte short' bad 65 ends short.ppm
check 'PAM, one byte short' bad 65 ends short.pam
check 'PAM with an alpha channel' bad 65 'depth 2' depth2.pam
check 'PAM, the end of its header missing' bad 65 ends endless.pam
check 'a header that ends' bad 65 ends header.pgm
check 'P5, one byte too many' bad 65 more long.pgm
check 'two images in one file' bad 65 more two.pgm
check 'a header with CR LF, which shifts the samples' bad 65 'CR LF' crlf.pgm
check 'width 0' bad 65 '' width0.pgm
check 'height 0' bad 65 '' height0.pgm
check 'width -1' bad 65 '' minus.pgm
check 'width 4x' bad 65 '' letter.pgm
check 'width 4.5' bad 65 '' fraction.pgm
check 'width 10^12' bad 65 '' huge.pgm
check 'width 1000001' bad 65 1000001 wide.pgm
check 'maxval 0' bad 65 '' maxval0.pgm
check 'maxval 65536' bad 65 65536 maxval65536.pgm
check 'a sample beyond maxval' bad 65 'x 1, y 0' beyond.pgm

# ---- plain formats and .dat ----

plain() # NAME CONTENT
{
    printf "$2" >"$1"
}
plain letter-plain.pgm 'P2 3 2 255\n1 2 3\n4 x 6\n'
plain tail-plain.pgm 'P2 3 2 255\n1 2 3\n4 5a 6\n'
plain few.pgm 'P2 3 2 255\n1 2 3\n4 5\n'
plain many.pgm 'P2 3 2 255\n1 2 3\n4 5 6\n7\n'
plain half.pgm 'P2 3 2 255\n1 2 3\n4 1.5 6\n'
plain exponent.pgm 'P2 3 2 255\n1 2 3\n4 1e2 6\n'
plain sign.pgm 'P2 3 2 255\n1 2 3\n4 - 6\n'
plain signs.pgm 'P2 3 2 255\n1 2 3\n4 --5 6\n'
plain zero-plain.pgm 'P2 0 2 255\n'
plain minus-plain.pgm 'P2 -1 2 255\n1 2\n'
plain huge-plain.pgm 'P2 1000000000000 2 255\n1 2\n'
plain maxval0-plain.pgm 'P2 1 1 0\n0\n'
plain maxval65536-plain.pgm 'P2 1 1 65536\n0\n'
plain none-plain.pgm 'P2'
plain few.ppm 'P3 1 2 255\n1 2 3 4 5\n'
check 'P2 with a letter: line and column' bad 65 'line 3, column 3' letter-plain.pgm
check 'P2 with a number with a tail' bad 65 'line 3, column 4' tail-plain.pgm
check 'P2 with too few samples' bad 65 'after 5 of the 6' few.pgm
check 'P2 with too many samples' bad 65 'line 4, column 1' many.pgm
check 'P2 with 1.5' bad 65 'line 3, column 4' half.pgm
check 'P2 with 1e2' bad 65 'line 3' exponent.pgm
check 'P2 with a lone sign' bad 65 'line 3' sign.pgm
check 'P2 with two signs' bad 65 'line 3' signs.pgm
check 'P2, width 0' bad 65 width zero-plain.pgm
check 'P2, width -1' bad 65 width minus-plain.pgm
check 'P2, width 10^12' bad 65 1000000000000 huge-plain.pgm
check 'P2, maxval 0' bad 65 maxval maxval0-plain.pgm
check 'P2, maxval 65536' bad 65 65536 maxval65536-plain.pgm
check 'P2 and no more' bad 65 ends none-plain.pgm
check 'P3 with too few samples' bad 65 'after 5 of the 6' few.ppm

thirty=000000000000000000000000000000
plain large.dat "2 1\n1${thirty} -1${thirty}\n"
plain too-large.dat "2 1\n5 1${thirty}0\n"
plain too-small.dat "2 1\n-1${thirty}0 5\n"
plain exponent.dat '2 1\n5 1e31\n'
plain few.dat '3 2\n1 2 3 4 5\n'
plain many.dat '3 2\n1 2 3 4 5 6 7\n'
plain size0.dat '0 2\n'
plain side.dat '1000001 1\n1\n'
plain one-side.dat '3'
check '1e30 written out in a .dat is the largest that goes' \
    works --headless -q -n 3 large.dat -o large.pfm
check '1e31 written out in a .dat' bad 65 'line 2, column 3' too-large.dat
check '-1e31' bad 65 'line 2, column 1' too-small.dat
check '1e31 as such' bad 65 'line 2' exponent.dat
check '.dat with too few samples' bad 65 'after 5 of the 6' few.dat
check '.dat with too many samples' bad 65 'line 2, column 13' many.dat
check '.dat, width 0' bad 65 width size0.dat
check '.dat, width 1000001' bad 65 1000001 side.dat
check '.dat with half a header' bad 65 ends one-side.dat

# ---- PFM ----

plain nan.pfm 'Pf\n2 1\n-1.0\n\0\0\0\0\0\0\xc0\x7f'
plain infinity.pfm 'Pf\n2 1\n-1.0\n\0\0\x80\x7f\0\0\0\0'
plain minus-infinity.pfm 'Pf\n2 1\n1.0\n\xff\x80\0\0\0\0\0\0'
plain large.pfm 'Pf\n2 1\n1.0\n\x72\0\0\0\0\0\0\0' # 2^101
plain short.pfm 'Pf\n2 1\n-1.0\n\0\0\0\0\0\0\0'
plain long.pfm 'Pf\n2 1\n-1.0\n\0\0\0\0\0\0\0\0\0'
plain order.pfm 'Pf\n2 1\n0\n\0\0\0\0\0\0\0\0'
plain word.pfm 'Pf\n2 1\nlittle\n\0\0\0\0\0\0\0\0'
plain zero.pfm 'Pf\n0 1\n-1\n'
plain minus.pfm 'Pf\n2 -1\n-1\n\0\0\0\0\0\0\0\0'
check 'NaN in a PFM' bad 65 'x 1, y 0' nan.pfm
check 'infinity in a PFM' bad 65 'x 0, y 0' infinity.pfm
check 'minus infinity in a big-endian PFM' bad 65 'x 0, y 0' minus-infinity.pfm
check 'a PFM with a sample above 1e30' bad 65 1e+30 large.pfm
check 'a PFM, one byte short' bad 65 ends short.pfm
check 'a PFM, one byte too many' bad 65 more long.pfm
check 'a PFM of no byte order' bad 65 "'0'" order.pfm
check 'a PFM whose byte order is a word' bad 65 little word.pfm
check 'a PFM of width 0' bad 65 width zero.pfm
check 'a PFM of height -1' bad 65 height minus.pfm

# ---- the start, the picture ----

start() # TEXT FILE
{
    refuses 65 "$1" --headless -q -n 3 good.pgm --start "$2" -o out.pfm && says "$2" &&
        absent out.pfm
}
picture() # CODE FILE
{
    refuses "$1" "$2: " edges "$2" -o out.pfm && absent out.pfm && tidy
}
waves 7 9 >turned.pgm
printf 'P3 1 1 255\n1 2 3\n' >colour.ppm
check 'edges and start of different sizes' refuses 65 '7 x 9' \
    --headless -q -n 3 good.pgm --start turned.pgm -o out.pfm
check 'grey edges and a start in colour' refuses 65 'must be the same' \
    --headless -q -n 3 good.pgm --start colour.ppm -o out.pfm
check 'a damaged start is named' start ends few.pgm
rm -f out.pfm
check 'a missing start' refuses 66 missing.pgm \
    --headless -q -n 3 good.pgm --start missing.pgm -o out.pfm
check 'a start of 1e31' refuses 65 1e31 --headless -q -n 3 good.pgm --start 1e31 -o out.pfm
check 'a start that is not a number' \
    refuses 65 nan --headless -q -n 3 good.pgm --start nan -o out.pfm
check 'a start of 12abc is the name of a file' refuses 66 12abc \
    --headless -q -n 3 good.pgm --start 12abc -o out.pfm
check 'a picture with a sample above its maxval' picture 65 beyond.pgm
plain negative.pgm 'P2 1 1 255\n-1\n'
plain above.pgm 'P2 1 1 255\n256\n'
check 'a picture with a negative sample' picture 65 negative.pgm
check 'a plain picture above its maxval' picture 65 above.pgm
check 'a missing picture' picture 66 missing.pgm

# ---- more than memory ----

too_large() # SIZE OPTION...: refused at once, with the size
{
    local begin=$SECONDS size=$1
    shift
    run "$@"
    { complaint_is 71 "$size" || complaint_is 65 "$size"; } && [ $((SECONDS - begin)) -lt 5 ]
}
raw million.pgm 'P5 1000000 1000000 255\n' 100
raw million.ppm 'P6 1000000 1000000 65535\n' 100
plain million.dat '1000000 1000000\n1 2 3\n'
plain million.pfm 'PF 1000000 1000000 -1\n1234'
for file in million.pgm million.ppm million.dat million.pfm; do
    check "$file: a header of 10^12 pixels" \
        too_large '1000000 x 1000000' --headless -q -n 3 $file -o out.pfm
done
check 'the picture of edges: the same' too_large '1000000 x 1000000' edges million.pgm -o out.pfm

if [ "${SANITIZED-0}" = 1 ]; then
    skip 'less address space than the image needs' 'sanitizers need address space'
else
    limited()
    {
        raw big.pgm 'P5 9000 9000 255\n' 81000000
        (
            ulimit -v 300000
            run --headless -q -n 3 big.pgm -o out.pfm
            complaint_is 71 big.pgm
        ) && absent out.pfm && tidy
    }
    check 'less address space than the image needs' limited
fi

finish
