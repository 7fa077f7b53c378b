#!/usr/bin/env bash
# Signals and checkpoints: stopped anywhere and resumed, the bits are those of an unstopped run.
. tests/lib.sh

# Background jobs with signals as a person's terminal gives them: without job control bash starts
# them with SIGINT ignored, which the program respects.
set -m
exec 2>/dev/null # bash's notes on jobs

{ printf 'P5 400 300 255\n'; head -c 120000 /dev/urandom; } >e.pgm
{ printf 'P6 130 100 255\n'; head -c 39000 /dev/urandom; } >c.ppm
on_the_host
within=100
total=$(iterations_for 0.4 e.pgm)
given works --headless -q -n "$total" e.pgm -o whole.pfm
given works --headless -q -n "$total" c.ppm -o whole-c.pfm

# ---- with a checkpoint ----

resumed() { # SIGNAL: three stops, then to the end
    local -a run_it=(--headless -q -n "$total" e.pgm -o out.pfm --checkpoint c)
    # It may come while the result is written.
    left() {
        { complaint_is 75 e.pgm || complaint_is 75 out.pfm; } && absent out.pfm || return
        # Before the first iteration there is nothing to keep: such a stop does not count.
        [ -s c ] || { equal "$(grep -c checkpoint "$top/stderr")" 0 && stops=$((stops - 1)); }
    }
    rm -f out.pfm c
    is_stopped "$1" 75 out.pfm && works "${run_it[@]}" --report r.json &&
        same out.pfm whole.pfm && absent c && tidy && grep -qF "\"iterations\": $total," r.json
}
for signal in INT TERM USR1; do
    check "SIG$signal, three times: exit 75, a checkpoint, and the bits of an unstopped run" \
        resumed $signal
done

twice_at_once() { # as timeout(1) does
    rm -f c
    "$program" --headless -q -n "$((100 * total))" e.pgm -o out.pfm --checkpoint c \
        --checkpoint-every 0.1 2>"$top/stderr" &
    appears c
    kill -TERM $! && kill -TERM $!
    wait $!
    equal $? 75 && [ -s c ] && rm c
}
check 'the same signal twice at once is one' twice_at_once

other_settings() { # what does not decide the bits may change on the way
    local tries
    for ((tries = 0; tries < 20; tries++)); do # it may be faster than the signal
        interrupted TERM --headless -q -n "$total" e.pgm -o out.pfm --checkpoint c
        [ "$status" -ne 0 ] && break
    done
    equal "$status" 75 && OMP_NUM_THREADS=2 works --headless -q -n "$total" -k 17 e.pgm \
        -o out.pfm --checkpoint c && same out.pfm whole.pfm && absent c
}
check 'another K, another number of threads: the same bits' other_settings

stopped_beyond() { # ITERATIONS CHECKPOINT: which has more than so many
    local tries within=$within
    rm -f "$2"
    for ((tries = 0; tries < 100 && $(done_by "$2") <= $1; tries++)); do
        within=$((within * 5 / 4)) # -t has its limit first, which takes longer on a busy machine
        interrupted TERM --headless -q -n 1000000000 -t 1e-300 e.pgm -o no.pfm --checkpoint "$2"
        equal "$status" 75 || return
    done
    [ "$(done_by "$2")" -gt "$1" ]
}
resumed_from_another_n() {
    stopped_beyond 0 c || return
    local more
    more=$(($(done_by c) + 50))
    exits 0 --headless -n $more e.pgm -o out2.pfm --checkpoint c &&
        says "$more iterations ($((more - 50)) from the checkpoint)" &&
        works --headless -q -n $more e.pgm -o straight.pfm && same out2.pfm straight.pfm
}
check 'a larger -n goes on from the checkpoint of a smaller one' resumed_from_another_n

standstill_resumed() {
    waves 64 48 >small.pgm && works edges small.pgm -o s.pgm &&
        works --headless -q -n 100000001 s.pgm -o still.pfm || return
    interrupted TERM --headless -q -n 100000001 -k 1 s.pgm -o out3.pfm --checkpoint c3
    if [ "$status" -ne 0 ]; then
        equal "$status" 75 &&
            works --headless -q -n 100000001 s.pgm -o out3.pfm --checkpoint c3 || return
    fi
    same out3.pfm still.pfm && absent c3
}
check 'resumed on the way to a standstill' standstill_resumed

several() {
    local -a run_it=(--headless -q -n "$total" e.pgm c.ppm -o made --format pfm --checkpoint kept)
    local tries
    for ((tries = 0; tries < 4; tries++)); do
        interrupted TERM "${run_it[@]}"
        [ "$status" -eq 0 ] && break
        equal "$status" 75 || return
        # Between two inputs there is nothing to keep.
        [ -s kept/e.checkpoint ] || [ -s kept/c.checkpoint ] || says ' of 2 inputs' || return
    done
    works "${run_it[@]}" && same made/e.pfm whole.pfm && same made/c.pfm whole-c.pfm &&
        equal "$(ls -A kept)" journal.jsonl
}
check 'several inputs, a folder of checkpoints' several

stops_for() { # SIGNAL: as for SIGTERM, whatever K is, and within seconds
    local begin pid
    rm -f c11
    "$program" --headless -q -n 1000000000 -k 1000000000 e.pgm -o out11.pfm --checkpoint c11 \
        --checkpoint-every 0.1 2>"$top/stderr" &
    pid=$!
    appears c11 && [ "$(done_by c11)" -gt 0 ] || return # due within the batch
    begin=$(date +%s)
    kill "-$1" "$pid"
    wait "$pid"
    equal $? 75 && [ $(($(date +%s) - begin)) -le 30 ]
}
for signal in TERM HUP XCPU; do
    check "$signal with a huge K: checkpoints when due, and one at once" stops_for "$signal"
done

# ---- two runs and one checkpoint ----

long_run() { # in the background: the shell becomes the program
    exec "$program" --headless -q -n 1000000000 -k 1000000000 e.pgm -o out13.pfm \
        --checkpoint c13 "$@"
}
held() { # the second is refused, the first goes on, and the file is free behind it
    local pid
    rm -f c13*
    long_run --checkpoint-every 0.1 2>/dev/null &
    pid=$!
    appears c13
    refuses 73 "process $pid on" --headless -q -n 7 e.pgm -o out14.pfm --checkpoint c13
    local refused=$?
    kill -TERM "$pid"
    wait "$pid"
    equal $? 75 && equal $refused 0 && [ -s c13 ] && absent c13.lock out14.pfm
}
check 'a checkpoint that another run works with' held
killed_holder() {
    local pid
    long_run --checkpoint-every 0.1 2>/dev/null &
    pid=$!
    appears c13.lock
    kill -KILL "$pid"
    wait "$pid" 2>/dev/null
    [ -s c13.lock ] && exits 0 --headless -q -n $(($(done_by c13) + 5)) e.pgm -o out13.pfm \
        --checkpoint c13 && absent c13 c13.lock
}
check 'of a killed run it is taken over' killed_holder
elsewhere() { # SECONDS JOB CODE: a holder on another host, seen alive so long ago
    echo "reconstruct lock 1 far-away 123 $2" >c13.lock && touch -d "$1 seconds ago" c13.lock
    SLURM_JOB_ID=77 SLURM_ARRAY_TASK_ID=3 exits "$3" --headless -q -n 5 e.pgm -o out13.pfm \
        --checkpoint c13
}
check 'a holder elsewhere that is alive' elsewhere 10 "88 3 -" 73
check 'another task of this job' elsewhere 10 "77 4 -" 73
check 'one without a sign of life' elsewhere 70 "88 3 -" 0
check 'this very job on another host, requeued' elsewhere 1 "77 3 -" 0
without_an_output() {
    interrupted TERM --headless -q -n 1000000000 -t 1e-300 e.pgm --report r10 --checkpoint c10
    equal "$status" 75 || return
    local more
    more=$(($(done_by c10) + 50))
    works --headless -q -n $more e.pgm --report r10 --checkpoint c10 && absent c10
}
check 'a run for its report alone removes its checkpoint too' without_an_output

# ---- without a checkpoint ----

dies() { # SIGNAL STATUS
    cp whole.pfm out6.pfm
    interrupted "$1" --headless -q -n 1000000000 -t 1e-300 e.pgm -o out6.pfm
    local lines
    equal "$status" "$2" && same out6.pfm whole.pfm && tidy && lines=$(wc -l <"$top/stderr") &&
        [ "$lines" -le 1 ] && [ ! -s "$top/stdout" ]
}
check 'SIGINT without a checkpoint: dies of it, the output is as it was' dies INT 130
check 'SIGTERM' dies TERM 143
check 'SIGUSR1' dies USR1 138
check 'SIGTERM during a comparison' \
    eval 'interrupted TERM --headless -q --compare -n 100000000000 -t 1e-300 e.pgm;
    equal "$status" 143'
several_die() {
    cp e.pgm e2.pgm # a smaller one would stand still, and be written, before the signal comes
    interrupted TERM --headless -q -n 1000000000 -t 1e-300 e.pgm e2.pgm -o made7
    equal "$status" 143 && empty "$(ls -A made7)"
}
check 'one signal ends several inputs' several_die
ignored() {
    local pid
    (trap '' INT; exec "$program" --headless -q -n "$total" e.pgm -o out8.pfm) &
    pid=$!
    ready $pid
    kill -INT $pid
    wait $pid
    equal $? 0 && same out8.pfm whole.pfm
}
check 'a signal that the parent ignores stays ignored' ignored

# ---- while it waits for input or output ----

stopped_waiting() { # CODE ARGUMENT...: waits for a pipe or a slow writer on standard input
    local code=$1
    arguments=("${@:2}")
    "$program" "${@:2}" >"${into:-$top/stdout}" 2>"$top/stderr" <"${from:-/dev/null}" &
    local pid=$!
    ready $pid && wait_for grep -q '^State:.S' "/proc/$pid/status" # it sleeps in the system
    if [ -z "${into-}" ]; then sleep 0.2; else appears begun; fi
    kill -TERM $pid
    wait $pid
    status=$?
    equal $status "$code" || show_run
    [ $status -eq "$code" ]
}
mkfifo in.fifo out.fifo
new_fifo() { rm -f slow.fifo && mkfifo slow.fifo; } # none that a dying writer still writes into
slow_input() { # TEXT ARGUMENT...: it begins with the text, and no more comes
    local text=$1
    new_fifo
    { printf "$text"; sleep 60; } >slow.fifo &
    local writer=$!
    from=slow.fifo stopped_waiting 143 "${@:2}"
    local result=$?
    kill -- -$writer
    return $result
}
endless_input() { # TEXT CHARACTER ARGUMENT...: after the text the character comes for ever
    local text=$1 character=$2 writer pid
    new_fifo
    { printf "$text"; tr '\0' "$character" </dev/zero; } >slow.fifo 2>"$top/stderr" &
    writer=$!
    "$program" "${@:3}" <slow.fifo >"$top/stdout" 2>"$top/stderr" &
    pid=$!
    ready $pid && sleep 0.3 && kill -TERM $pid && PATIENCE=10 wait_for ended $pid || kill -9 $pid
    wait $pid
    status=$?
    kill -- -$writer
    equal $status ${code:-143}
}
ended() { grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null || ! kill -0 "$1" 2>/dev/null; } # PID
full_pipe() { # CODE ARGUMENT...: nobody reads more than a byte
    local code=$1
    rm -f begun full.fifo && mkfifo full.fifo # none of the bytes of the run before
    { sleep 0.5; head -c 1 >begun; sleep 60; } <full.fifo &
    local reader=$!
    into=full.fifo stopped_waiting "$code" --headless -q -n 5 "${@:2}"
    local result=$?
    kill -- -$reader
    return $result
}
check 'a pipe that nobody writes to: the signal ends the opening' \
    stopped_waiting 143 edges in.fifo -o no.pgm
check 'a slow pipe: the signal ends the reading' \
    slow_input 'P5 100 100 255\n' --headless -q -n 5 - -o no.pgm
check 'the same for an input of several' \
    stopped_waiting 143 --headless -q -n 5 e.pgm in.fifo -o no/
check 'a comment without end' endless_input 'P5\n#' x --headless -q -n 5 - -o no.pgm
code=75 check 'the same with --checkpoint: the command is to be run again' \
    endless_input 'P5\n#' x --headless -q -n 5 - -o no.pgm --checkpoint no.ck
check 'a number without end' endless_input 'P2\n2 2\n255\n' 0 --headless -q -n 5 - -o no.pgm
check 'a tuple type without end' endless_input 'P7\nTUPLTYPE ' A --headless -q -n 5 - -o no.pgm
check 'blanks behind an image' endless_input 'P2\n1 1\n255\n7' ' ' --headless -q -n 5 - -o no.pgm
check 'blank lines behind a stencil' endless_input '1 1\n1\n' '\n' convolve --headless -q e.pgm \
    --stencil /dev/stdin -o no.pgm
code=75 check 'lines behind a journal' endless_input '{}\n' '\n' --headless -q e.pgm c.ppm -o no/ \
    --report no.jsonl --resume=/dev/stdin
check 'a list that nobody writes: the signal ends the opening' \
    stopped_waiting 143 --headless -q -n 5 --files-from in.fifo -o no/
check 'a slow list: the signal ends the reading' \
    slow_input 'e.pgm\n' --headless -q -n 5 --files-from - -o no/
check 'a pipe that nobody reads: the signal ends the opening' \
    stopped_waiting 143 --headless -q -n 5 e.pgm -o out.fifo --format pfm
check 'a full pipe: the signal ends the writing' full_pipe 143 e.pgm -o - --format pfm
mkdir many && for i in {1..200}; do ln e.pgm many/$i.pgm; done
check 'the same for the report of many' full_pipe 143 many/*.pgm --report -
check 'a full pipe, with a checkpoint: the work is kept, exit 75' all rm -f c and full_pipe \
    75 e.pgm -o - --format pfm --checkpoint c and says 'the work is kept in c' and [ -s c ] and rm c
stopped_writing() { # PICTURE: once there are bytes of a JPEG of it; if it ends before, once more
    local tries pid
    for ((tries = 0; tries < 10; tries++)); do
        rm -f large-out.jpg
        "$program" heal -q "$1" --mask dots.pgm -o large-out.jpg 2>"$top/stderr" &
        pid=$!
        wait_for eval 'ended $pid || [ -s "$(find /proc/$pid/fd -lname "$PWD/[#.]*")" ]'
        kill -TERM $pid
        wait $pid
        status=$?
        [ $status -eq 0 ] || break
    done
    equal $status 143 && absent large-out.jpg && tidy
}
large_jpeg() {
    { printf 'P6 3000 2000 255\n' && head -c 18000000 /dev/urandom; } >large.ppm &&
        { printf 'P5 3000 2000 255\n' && zeros 3000000 && printf '\377\377' && zeros 2999998; } \
            >dots.pgm && stopped_writing large.ppm &&
        works heal -q large.ppm --mask dots.pgm -o large.jpg && stopped_writing large.jpg
}
check_where 'built_with libjpeg' 'built without libjpeg' \
    'a large JPEG, anew and onto one: the signal ends the writing' large_jpeg

between_steps() { # once the last image is read
    with_faults true && cp e.pgm last.pgm || return
    FAULT_TERM=last.pgm LD_PRELOAD=$top/faults.so run "$@"
    complaint_is 143 'stopped by a signal' && absent no.pfm
}
steps='with a signal behind reading'
check_where '! sanitized' 'sanitizers come first' "edges $steps" eval \
    'between_steps edges last.pgm -o no.pfm && says "last.pgm: stopped"'
check_where '! sanitized' 'sanitizers come first' "a comparison $steps" \
    between_steps compare e.pgm last.pgm

# ---- checkpoints that are refused: every cut and every bit is in tests/unit/test_run.c ----

check 'a checkpoint to spoil' stopped_beyond 3 good # the last test asks for 3
spoiled() { # TEXT OPTION...: with the checkpoint `bad`
    cp bad bad.before && refuses 65 "$1" --headless -q -n 1000000000 e.pgm -o no.pfm \
        --checkpoint bad "${@:2}" && says bad && same bad bad.before
}
line_changed() { sed "$1" good >bad && differ good bad && spoiled "$2"; }
check 'something else' eval 'cp e.pgm bad; spoiled "not a checkpoint"'
check 'cut short by a byte' eval 'head -c -1 good >bad; spoiled damaged'
check 'another version' line_changed '1s/[0-9]*$/0/' version
check 'of another input' eval 'cp good bad; head -c 120000 /dev/urandom >samples
    { printf "P5 400 300 255\n"; cat samples; } >other.pgm
    refuses 65 another --headless -q -n 5 other.pgm -o no.pfm --checkpoint bad && same good bad'
# All options that decide it: tests/unit/test_options.c.
check 'of another halo' eval 'cp good bad; spoiled another --halo 1'
check 'of more iterations than are asked for' eval 'cp good bad; spoiled "more than the 3" -n 3'

finish
