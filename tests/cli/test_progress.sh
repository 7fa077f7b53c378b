#!/usr/bin/env bash
# Progress on stderr: a bar on a terminal, a line every few seconds off it, nothing with --quiet.
. tests/lib.sh

# Noise on the host, which is far from a standstill for as long as these tests take.
everywhere=$program
on_the_host
{ printf 'P5 1400 1000 255\n'; head -c 1400000 /dev/urandom; } >e.pgm
some=$(iterations_for 0.4 e.pgm)

hasten 20 # five seconds are a quarter of one

quiet() {
    works --headless -q -n "$some" e.pgm -o out.pgm && printf '1 1\n4\n' >dot.dat &&
        program=$everywhere works --headless --quiet dot.dat -o out.pfm
}
check 'off a terminal: lines without carriage returns' all exits 0 --headless \
    -n "$some" e.pgm -o out.pgm and [ ! -s "$top/stdout" ] and not grep -q $'\r' "$top/stderr" \
    and not grep -q $'\e' "$top/stderr" and says "e.pgm: $some iterations" and says updates/s
check 'with --quiet: nothing, nor that -n was not given' quiet

if where 'script -qec true /dev/null' 'no pseudo-terminal: script (util-linux) is not here' \
    'on a terminal: a bar'; then
    on_terminal() { # OPTION...: what a terminal would get, in file `screen`
        local command
        printf -v command '%q ' "$program" --headless -n "$some" e.pgm -o bar.pfm "$@"
        script -qec "$command" /dev/null >screen </dev/null
    }
    whole_bar() { # the first one has neither a rate nor the time left
        grep -q $'\r''\[#*\.*\] ' screen &&
            grep -q "[0-9] of $some iterations, [0-9.]* [kMGT] updates/s, [0-9:]* left" screen
    }
    bar() { # of a run that is long enough: a machine that was busy a moment ago may be fast now
        local tries
        for ((tries = 0; tries < 8; tries++)); do
            on_terminal
            whole_bar && return
            some=$((some * 2))
        done
        cat -v screen
        return 1
    }
    cleared() { # before the summary comes
        tail -n 3 screen | grep -q $'\r\e\\[K'"e.pgm: $some iterations"
    }
    quiet_terminal() { on_terminal -q && equal "$(wc -c <screen)" 0; }
    check 'on a terminal: a bar with iterations, rate and time left' bar
    check 'the bar is cleared in the end' cleared
    check 'on a terminal with --quiet: nothing' quiet_terminal
fi

# Starts a run that takes for ever, until its log has the line.
says_in_time() { # LINE ARGUMENT...
    "${hasty[@]}" "$program" --headless -n 1000000000 "${@:2}" >log.stdout 2>log &
    wait_for grep -qE "$1" log
    kill -TERM $!
    wait $! 2>/dev/null
    grep -qE "$1" log && ! grep -q $'\r' log && [ ! -s log.stdout ] || { cat -v log; return 1; }
}
check 'off a terminal: a line after a few seconds' says_in_time \
    '^e.pgm: [0-9]+ of 1000000000 iterations, [0-9.]+ [kMGT] updates/s, .* left$' e.pgm -o log.pgm
! has_spectral || check 'off a terminal: what would be done sooner' says_in_time \
    '^note: e.pgm: the exact picture .*: leave out -n$' e.pgm -o log.pgm

# The first of the two comes to a standstill soon. With two threads they are solved one after the
# other.
export OMP_NUM_THREADS=2
{ printf 'P5 100 80 255\n'; head -c 8000 /dev/urandom; } >short.pgm
cp short.pgm t2.pgm && cp short.pgm t3.pgm
check 'of a list: how many are done, and the one at work' says_in_time \
    '^1 of 2 inputs, .*; e.pgm: [0-9]+ of 1000000000 iterations' short.pgm e.pgm -o listed/
check 'of a list: what failed is no work that the time left follows from' says_in_time \
    '^1 of 2 inputs; e.pgm: [0-9]+ of 1000000000 iterations' none.pgm e.pgm -o failing/
check 'of a list solved side by side: the one that takes longest' says_in_time \
    '^3 of 4 inputs, .* left; e.pgm takes 0:[0-9]+ so far$' short.pgm e.pgm t?.pgm -o beside/

finish
