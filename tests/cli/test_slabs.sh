#!/usr/bin/env bash
# One image in several slabs, and on several devices where there are: bits, numbers and stops are
# those of the whole image.
. tests/lib.sh
set -m
exec 2>/dev/null # bash's notes on jobs

castles 151 97 60 203

alike() { # NAME ARGUMENT...: with 2, 3 and 1000 slabs as without
    local count
    works --headless -q "${@:2}" -o whole.pfm --report whole.json || return
    for count in 2 3 1000; do
        works --headless -q "${@:2}" --slabs $count -o cut.pfm --report cut.json &&
            same whole.pfm cut.pfm && grep -qF '"slabs": ' cut.json &&
            equal "$(numbers cut.json)" "$(numbers whole.json)" || return
    done
}
for solver in cpu cuda; do # other borders, colour, the standstill: tests/unit/test_iterates.c
    where '"$program" --headless -q -n 1 -s $solver grey.pgm -o x.pfm' 'not available' \
        "slabs of the $solver solver" || continue
    check "$solver: an iterate" alike a -s $solver -n 333 grey.pgm
    check "$solver: a tolerance stops at the same iteration" alike d -s $solver -t 20 -k 50 grey.pgm
done

counted() { # WANTED SLABS: slabs of an image with 97 rows
    works --headless -q -s cpu -n 1 grey.pgm --slabs "$2" -o x.pfm --report r.json &&
        grep -qF "\"slabs\": $1," r.json
}
check 'the report says how many slabs there are' counted 3 3
check 'a slab has four rows at least' counted 24 1000

# ---- what is refused ----

check 'no slabs' refuses 64 --slabs --headless -n 1 --slabs 0 grey.pgm -o x.pgm
check_where '"$program" --headless -q -s spectral grey.pgm -o x.pgm' 'no spectral solver' \
    'the exact picture is made of the whole image' refuses 64 '--slabs' --headless -s spectral \
    --slabs 2 grey.pgm -o x.pgm
check 'a device twice' refuses 64 'device 1 twice' --headless -n 1 -d 1,1 grey.pgm -o x.pgm
for list in 0, ,0 0,x '' 0-1 1024 everything 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16; do
    check "--device '$list'" refuses 64 "--device $list" --headless -n 1 -d "$list" grey.pgm \
        -o x.pgm
done
check 'devices are for solvers of a GPU' \
    refuses 64 'uses none' --headless -s cpu -n 1 -d 0,1 grey.pgm -o x.pgm

# ---- several devices ----

devices=$("$program" devices 2>/dev/null | grep -c '^device ')
if where '[ "$devices" -ge 2 ]' "this machine has $devices" 'several devices'; then
    several() {
        local way
        works --headless -q -n 333 --device 0 colour.ppm -o whole.pfm --report whole.json || return
        for way in '--device 0,1' '--device 1,0 --slabs 5' '--device all'; do
            works --headless -q -n 333 $way colour.ppm -o cut.pfm --report cut.json &&
                same whole.pfm cut.pfm &&
                equal "$(numbers cut.json)" "$(numbers whole.json)" || return
        done
        grep -qF "\"devices\": $devices," cut.json
    }
    check 'several devices' several
    together() { exits 0 devices && prints 'together (--device all)'; }
    check 'what several devices hold together' together
fi

# ---- checkpoints ----

# A checkpoint is of the image: any number of slabs goes on from it.
{ printf 'P5 400 300 255\n'; head -c 120000 /dev/urandom; } >e.pgm
on_the_host
total=$(iterations_for 0.8 e.pgm)
given works --headless -q -n "$total" e.pgm -o whole.pfm
resumed() {
    local -a run_it=(--headless -q -n "$total" e.pgm -o out.pfm --checkpoint c --slabs 5)
    local -a slabs=(5 1 3 2)
    left() {
        run_it[-1]=${slabs[stops]}
        complaint_is 75 e.pgm && [ -s c ] && absent out.pfm
    }
    is_stopped TERM 75 out.pfm && works "${run_it[@]}" && same out.pfm whole.pfm && absent c
}
check 'a checkpoint of 5 slabs is resumed with 1, 3 and 2' resumed

finish
