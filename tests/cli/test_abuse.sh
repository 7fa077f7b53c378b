#!/usr/bin/env bash
# What surroundings and names do to a run: closed descriptors, lists that never end, names that are
# no text, system calls that fail where few do.
. tests/lib.sh

waves 24 16 >p.pgm && for i in {1..20}; do cp p.pgm "i$i.pgm"; done
"$program" edges p.pgm -o e.pgm

# ---- closed descriptors ----

without_stderr() { # warnings go nowhere, not into the pictures
    "$program" --headless -n 20 i*.pgm -o shut --report shut.jsonl 2>&- &&
        "$program" --headless -n 20 i*.pgm -o open 2>/dev/null && diff -r shut open &&
        ! grep -v '^{.*}$' shut.jsonl
}
check 'a closed standard error' without_stderr
without_stdout() {
    "$program" --headless -q -n 20 e.pgm -o - >&- 2>"$top/stderr"
    equal $? 73 && says 'standard output: is not open for writing'
}
check 'a closed standard output is an error' without_stdout
without_stdin() {
    "$program" --headless -q -n 20 - -o x.pgm <&- 2>"$top/stderr"
    equal $? 74 && says 'standard input: cannot be read' && absent x.pgm
}
check 'a closed standard input is an error' without_stdin

# ---- lists that never end ----

ends_by_term() { # after a while it dies of the signal, or of its list
    timeout -k 10 1 "$program" --headless -q -n 5 --files-from "$@" -o never
    equal $? 124
}
check 'names without end, and a signal' ends_by_term /dev/zero --null
keeps_arriving() { yes e.pgm 2>/dev/null | ends_by_term -; }
check 'a pipe without end, and a signal' keeps_arriving
head -c 10000 /dev/zero | tr '\0' x >long
check 'a name without end' refuses 65 'name 1 is longer than' --headless -q -n 5 --files-from long \
    -o never

# ---- names that are no text ----

odd=$'x\e[31m\x9b\xed\xa0\x80\xe0\x80\xaf\xf0\x80\x80\xaf\xf4\x90\x80\x80.pgm'
cp e.pgm "$odd"
built_with FFTW && check 'no escape of a name reaches the terminal' \
    all exits 0 --headless --stencil laplace8 --force "$odd" -o x.pgm --report odd.jsonl \
    and says 'the stencil laplace8' and not grep -q $'\e' "$top/stderr"
valid() { iconv -f UTF-8 -t UTF-8 odd.jsonl >/dev/null && contains odd.jsonl '\ufffd\ufffd\ufffd'; }
built_with FFTW && check 'a report is UTF-8, whatever the name is' valid

# ---- numbers of threads, calls that fail ----

for n in "" "-n 5" "-n 5 --compare"; do
    # shellcheck disable=SC2086
    OMP_NUM_THREADS=100000 check "OMP_NUM_THREADS=100000 $n" exits 0 --headless -q $n e.pgm -o x.pgm
done
stays='.lock: cannot be removed'
fails() { # FAULT TEXT ARGUMENT...
    with_faults FAULT="$1" "$program" --headless -q -n 5 e.pgm "${@:3}" 2>"$top/stderr"
    equal $? 74 && says "$2" && rm -f ./*.lock
}
if where '! sanitized' 'sanitizers come first' 'a lock that stays is a write error'; then
    check 'where no place in the file can be asked for, rows are written in order' all \
        with_faults FAULT=lseek:1 "$program" --headless -q -n 5 e.pgm -o x.pgm \
        and works --headless -q -n 5 e.pgm -o y.pgm and same x.pgm y.pgm
    check 'a lock that stays' fails unlink:1+ "$stays" -o x.pgm --checkpoint c
    check 'that of a list' fails unlink:1+ "$stays" i1.pgm -o xs --report xs.jsonl
fi

# ---- stencils and boundaries ----

# As convolve has it, which applies the stencil itself.
check 'edges by laplace with each boundary that --help names' \
    all works edges p.pgm --stencil laplace --boundary replicate -o r.pfm and works convolve \
    --headless -q p.pgm --stencil laplace --boundary replicate -o c.pfm and same r.pfm c.pfm
built_with FFTW && check 'advice that would not help is not given' \
    refuses 65 'needs --boundary wrap' --headless -q --stencil sobel-x --boundary mirror \
    e.pgm -o x.pgm

finish
