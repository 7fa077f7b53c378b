#!/usr/bin/env bash
# SIGKILL at random moments, and the same command again: the output is as before or complete at any
# time, in the end it has the bits of an unstopped run, and nothing else is left. KILLS=1000 is
# `make kills`.
. tests/lib.sh
exec 2>/dev/null # bash's notes on jobs

{ printf 'P5 300 200 255\n'; head -c 60000 /dev/urandom; } >e.pgm
{ printf 'P5 1500 1000 255\n'; zeros 1500000; } >large.pgm # writing takes most of the time
on_the_host
total=$(iterations_for 0.3 e.pgm)

killed_until() { # KILLS MILLISECONDS ARGUMENT...
    local delay rounds kills=0 ends=0 run_it=(--headless -q "${@:3}" -o out.pfm --checkpoint c)
    works --headless -q "${@:3}" -o whole.pfm && works --headless -q "${@:3}" -n 3 --start 9 \
        -o old.pfm && cp old.pfm out.pfm || return
    for ((rounds = 0; kills < $1 && rounds < 9 * $1 + 20; rounds++)); do
        "$program" "${run_it[@]}" --checkpoint-every 0.01 2>"$top/stderr" &
        printf -v delay '0.%03d' $((RANDOM % $2))
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
    echo "# $kills kills, $ends runs to the end between them" >&3
    works "${run_it[@]}" && same out.pfm whole.pfm && absent c && tidy_after_kill
}
exec 3>&1
check "${KILLS:-15} kills at random moments, and the same command again" \
    killed_until "${KILLS:-15}" 200 -n "$total" e.pgm
check "${KILLS:-15} kills while it writes" killed_until "${KILLS:-15}" 80 -n 0 large.pgm
finish
