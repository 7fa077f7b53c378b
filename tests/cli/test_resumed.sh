#!/usr/bin/env bash
# Checkpoints and journals of earlier releases (tests/resumed/, made by db2425d; clone, onto and
# from by 97acb933): runs and lists go on from them. Whoever changes what identifies a run gives the
# formats another version, and makes them anew. Each run's output could not be written (/dev/full);
# host and device were renamed.
. tests/lib.sh

kept=$root/tests/resumed
given cp "$kept"/p* .
given works edges picture.pgm -o grey.pgm
given works edges picture.ppm -o colour.ppm
plain 40 30 255 'x > 9 && x < 25 && y > 6 && y < 20 ? 255 : 0' >mask.pgm
touch -d 2001-01-01 ./*.p?m # as the journals have it

# The times of the outputs that today's program makes become those of the journal.
age() { # JOURNAL
    local name time
    sed -E 's/.*"output": "([^"]*)".*"output_time": ([0-9]*).*/\1 \2/' "$1" |
        while read -r name time; do
            touch -d "@${time:0:-9}.${time: -9}" "$name" || return
        done
}

goes_on() { # CHECKPOINT ITERATIONS ARGUMENT...: the bits of a run without it
    local -a run_it=(-q -s cpu -n 1000 "${@:3}" --headless)
    [[ $3 != heal && $3 != clone ]] || run_it=("$3" -q -s cpu -n 1000 "${@:4}" --headless)
    cp "$kept/$1" c && works "${run_it[@]}" -o whole.pfm && works "${run_it[@]}" -o resumed.pfm \
        --checkpoint c --report r.json && same resumed.pfm whole.pfm && absent c &&
        equal "$(value resumed)" "$2"
}
check 'a run goes on from its checkpoint' goes_on run 500 grey.pgm
check 'frames go on, and those of this run alone are counted' all cp "$kept/run" c \
    and exits 0 -s cpu -n 700 -k 100 grey.pgm --headless -o x.pfm --checkpoint c --frames film \
    and says 'grey.pgm: 3 frames, film/grey-000006.pgm to 000008'
check 'a heal' goes_on heal 300 heal picture.pgm --mask mask.pgm
check 'a heal with a source' goes_on from 300 heal picture.pgm --mask mask.pgm --from -12,3
check 'a clone' goes_on clone 300 clone patch.pgm picture.pgm --at 10,7
check 'edges into a picture' goes_on onto 300 grey.pgm --mask mask.pgm --onto picture.pgm

is_done() { # INPUT ARGUMENT...: a list of it, with the journal, does nothing
    local -a run_it=("${@:2}" --files-from input -o out/)
    echo "$1" >input && exits 0 "${run_it[@]}" && age "$kept/journal.jsonl" 2>age
    cp "$kept/journal.jsonl" j.jsonl && exits 0 "${run_it[@]}" --report j.jsonl --resume &&
        says '0 written, 1 done before' && same j.jsonl "$kept/journal.jsonl"
}
check 'an input is done' is_done grey.pgm --headless -n 20 -s cpu
check 'a healed one' is_done picture.pgm heal --headless --mask mask.pgm --from none
check 'edges' is_done picture.ppm edges --boundary mirror

list_goes_on() { # the first is done, the second one has a checkpoint
    local -a run_it=(--headless -s cpu -n 700 grey.pgm colour.ppm)
    cp -r "$kept/list" list && exits 0 "${run_it[@]}" -o listed/ && cp -r listed whole &&
        age list/journal.jsonl && exits 0 "${run_it[@]}" -o listed/ --checkpoint list/ &&
        says '1 written, 1 done before' && diff -r listed whole &&
        equal "$(sed -n 2p list/journal.jsonl | value resumed /dev/stdin)" 200
}
check 'a list, with the checkpoint of one that is not' list_goes_on
finish
