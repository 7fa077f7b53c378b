#!/usr/bin/env bash
# SIGKILL at random moments, and the same command again: the output is as before or complete at any
# time, in the end it has the bits of an unstopped run, and nothing else is left. KILLS=1000 is
# `make kills`.
. tests/lib.sh
exec 2>/dev/null # bash's notes on jobs

{ printf 'P5 300 200 255\n'; head -c 60000 /dev/urandom; } >e.pgm
on_the_host
total=$(iterations_for 0.3 e.pgm)
given works --headless -q -n "$total" e.pgm -o whole.pfm
given works --headless -q -n 3 e.pgm -o old.pfm

kills=0 ends=0
killed_until() { # KILLS
    local delay rounds
    cp old.pfm out.pfm
    for ((rounds = 0; kills < $1 && rounds < 3 * $1 + 20; rounds++)); do
        "$program" --headless -q -n "$total" e.pgm -o out.pfm --checkpoint c \
            --checkpoint-every 0.01 2>"$top/stderr" &
        printf -v delay '0.%03d' $((RANDOM % 200))
        sleep "$delay"
        kill -KILL $! 2>/dev/null
        wait $!
        status=$?
        case $status in
        137)
            kills=$((kills + 1))
            cmp -s out.pfm old.pfm || same out.pfm whole.pfm || return
            ;;
        0)
            ends=$((ends + 1))
            same out.pfm whole.pfm && absent c && tidy_after_kill || return
            cp old.pfm out.pfm
            ;;
        *)
            cat "$top/stderr"
            equal $status 137
            return
            ;;
        esac
    done
    [ "$kills" -ge "$1" ] || { echo "$kills of $1 runs met the signal"; return 1; }
    works --headless -q -n "$total" e.pgm -o out.pfm --checkpoint c && same out.pfm whole.pfm &&
        absent c && tidy_after_kill
}
check "${KILLS:-15} kills at random moments, and the same command again" killed_until "${KILLS:-15}"
echo "# $kills kills, $ends runs to the end between them"
finish
