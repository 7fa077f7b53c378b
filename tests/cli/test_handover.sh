#!/usr/bin/env bash
# The default solver begins on the processor, and a device takes over when it is ready, with the
# same bits; devices that take long, fail, or never answer. reconstruct-late has a device of its own
# (tests/late_device.c).
. tests/lib.sh

late=$executable-late
needs '[ -x "$late" ]' "$late is not there" 'a device that is late'

# Enough for a device to be worth it, which 0.42 s of work are, once this processor's rate is known:
# six times as much, on a clock that goes eight times as fast where a library can be put before that
# of C; else four times.
export OMP_NUM_THREADS=1
castle 900 700 >castle.pgm
given works edges castle.pgm -o e.pgm
work=1.7
hasten 8
[ ${#hasty[@]} = 0 ] || work=0.3
n=$(on_the_host; iterations_for $work e.pgm)
castle 700 900 >castle.pgm
given works edges castle.pgm -o other.pgm
given works --headless -q -s cpu -n "$n" e.pgm -o e.pfm
given works --headless -q -s cpu -n "$n" other.pgm -o other.pfm

on() { # DEVICE ARGUMENT...: as run, in the program with that device
    program=env run "DEVICE=$1" "${hasty[@]}" "$late" --headless -q "${@:2}"
}

field() { sed -nE "s/.*\"$1\": \"?([^\",}]*)\"?.*/\1/p" "$top/stdout"; } # of the report

# The run before has the processor's bits, a solver, a handover, and a line on stderr.
same_bits() { # SOLVER TEST-OF-HANDOVER LINE
    [ "$status" -eq 0 ] && cmp e.pfm o.pfm && [ "$(field solver)" = "$1" ] &&
        eval "[ $(field handover) $2 ]" && grep -qx "$3" <(cat "$top/stderr"; echo) && return
    show_run
    cat "$top/stdout"
    return 1
}
long() { on "$1" -n "$n" e.pgm -o o.pfm --report - "${@:2}"; }

takes_over() { long 1 && same_bits late '-gt 0' '' && long 50 -k 7 && same_bits late '-gt 0' ''; }
check 'a device takes over with the same bits' takes_over

hangs() { long hangs && same_bits cpu '= null' ''; }
check 'neither the run nor the process waits for a driver that hangs' hangs

small() { long small && same_bits cpu '= null' 'warning: the processor .*too small'; }
check 'a device that is too small is named, and the processor goes on' small

check 'a machine without a device says nothing' all long absent and same_bits cpu '= null' ''

check 'a driver that fails is named, and the processor goes on' all long fails \
    and same_bits cpu '= null' 'warning: the processor computes alone: the driver fails'

# With a GPU in the machine, that is what works on slabs.
today=cpu
has_device && today=cuda
as_asked() {
    long 1 -s cpu && same_bits cpu '= null' '' &&
        long 1 --slabs 2 && same_bits "$today" '= null' '' &&
        on 0 -n 2 e.pgm --report - && [ "$(field solver)" = cpu ] &&
        on hangs --compare -n 2 e.pgm && [ "$status" -eq 0 ]
}
check 'short runs, named solvers, slabs and comparisons need no device' as_asked

lists() {
    on "$1" -n "$n" e.pgm other.pgm -o list/ --format pfm --report - && [ "$status" -eq 0 ] &&
        cmp e.pfm list/e.pfm && cmp other.pfm list/other.pfm &&
        [ "$(field solver | sort -u)" = "$2" ]
}
each() { lists 1 late && lists small cpu && [ "$(wc -l <"$top/stderr")" -eq 1 ]; }
check 'each image of a list is on what is ready; what is refused is told once' each
finish
