#!/usr/bin/env bash
# A journal and a checkpoint have one owner: a second run is refused, what another run has taken
# over is left to it, and what is no lock stays.
. tests/lib.sh

waves 24 16 | "$program" edges - -o a.pgm && cp a.pgm b.pgm && waves 40 30 |
    "$program" edges - -o c.pgm
lines() { equal "$(wc -l <"$1")" "$2"; } # FILE COUNT

slow_list() { # in the background, until each line is asked for: the shell becomes the program
    exec "$program" --headless -n 20 a.pgm wait.pgm c.pgm -o own --report own.jsonl --jobs 1 "$@"
}
owned() { # a second run is refused, and harms nothing
    local pid
    mkfifo wait.pgm
    slow_list 2>own.err &
    pid=$!
    appears own.jsonl && cp own.jsonl own.before &&
        refuses 73 "process $pid on $(uname -n)" --headless -q -n 20 a.pgm c.pgm -o own \
            --report own.jsonl && same own.jsonl own.before &&
        refuses 73 "process $pid on" --headless -q -n 20 a.pgm -o own/ b.pgm --report own.jsonl \
            --resume && others_refused && same own.jsonl own.before &&
        timeout 60 cp b.pgm wait.pgm
    wait $pid
    equal $? 0 && lines own.jsonl 3 && absent own.jsonl.lock && works edges a.pgm -o own.jsonl \
        --format dat
}
others_refused() { # whatever the file would be of them, under whatever name
    local -a what
    ln -s own.jsonl leads && for what in 'edges a.pgm -o one.dat --report' \
        'heal a.pgm --mask a.pgm -o one.pgm --report' 'compare a.pgm a.pgm --report' \
        'compare a.pgm b.pgm --format pgm -o' 'edges a.pgm --format dat -o' \
        '--headless -n 4 -k 2 a.pgm -o one.pgm --checkpoint' \
        '--headless -n 4 a.pgm --format pgm -o' '--headless -n 4 a.pgm -o one.pgm --report'; do
        for file in own.jsonl leads; do
            # shellcheck disable=SC2086
            refuses 73 "process $pid on" $what $file || return
        done
    done
}
check 'a journal has one owner, and no other run writes it' owned
taken_over() { # COMMAND...: makes room for another lock, which is seen before the next line
    local pid
    rm -rf own own.jsonl was.lock own.jsonl.lock
    slow_list 2>own.err &
    pid=$!
    appears own.jsonl && "$@" &&
        echo 'reconstruct lock 1 far-away 7 - - -' >own.jsonl.lock &&
        timeout 60 cp b.pgm wait.pgm
    wait $pid
    equal $? 73 && contains own.err 'another run has taken it over' && contains own.err processed &&
        contains own.err '1 written, 1 in use by another run' && lines own.jsonl 1 &&
        absent own/wait.pgm own/c.pgm && contains own.jsonl.lock far-away
}
check 'what another run has taken over is left to it' taken_over mv own.jsonl.lock was.lock
check 'a lock with another text is no longer ours' taken_over true
one_of_them() { # no failure, and no line; what failed goes first
    local -a run_it=(--headless -n 9 a.pgm b.pgm --output-dir om --report om.jsonl --resume \
        --checkpoint omc)
    mkdir omc && echo 'reconstruct lock 1 far-away 7 - - -' >omc/b.checkpoint.lock || return
    exits 75 "${run_it[@]}" && says '1 written, 1 in use by another run' && lines om.jsonl 1 &&
        exits 66 "${run_it[@]}" missing.pgm && says '1 in use by another run, 1 failed' &&
        rm omc/* && exits 0 "${run_it[@]}" && says '1 written, 1 done before' && absent omc
}
check 'an input of a list whose checkpoint another run has' one_of_them
not_ours() { # LOCK: that is somebody's file
    mv "$1" poetry.lock && cp poetry.lock "$top/before" &&
        refuses 73 'poetry.lock: is not a lock' --headless -q -n 5 a.pgm -o x.pgm \
            --checkpoint poetry && same poetry.lock "$top/before"
}
echo 'content-hash = "0123"' >somebodys && check "somebody's file is no lock" not_ours somebodys
: >nothing && check 'an empty one neither' not_ours nothing
echo 'far-away 1 -' >older && check 'nor that of an earlier version' not_ours older
echo theirs >victim && ln -sf victim planted && check 'nor a link' not_ours planted
equal "$(cat victim)" theirs || check 'the file behind the link' false

without_locks() { # on the same host: the sign of life, and the process
    local pid
    rm -rf own own.jsonl own.jsonl.lock
    slow_list 2>own.err &
    pid=$!
    appears own.jsonl && refuses 73 "process $pid on" "${again[@]}" && kill -KILL $pid &&
        ! wait $pid && exits 0 "${again[@]}" && absent own.jsonl.lock
}
other_clock() { # SECONDS AGE CODE: this host's clock, and how old the sign of life is
    rm -f x.pgm && echo 'reconstruct lock 1 far-away 7 - - -' >ck.lock &&
        touch -d "-$2 seconds" ck.lock || return
    local -x FAULT_CLOCK=$1
    run --headless -q -n 3 a.pgm -o x.pgm --checkpoint ck
    equal "$status" "$3"
}
again=(--headless -q -n 20 a.pgm c.pgm -o own --report own.jsonl)
if where '! sanitized' 'sanitizers come first' 'without locks, other clocks'; then
    given with_faults true
    export LD_PRELOAD=$top/faults.so
    FAULT_LOCKS=0 check 'a file system without locks has living runs, too' without_locks
    check 'the clock of this host is ahead' other_clock 3600 5 73
    check 'it is behind' other_clock -3600 100 0
    unset LD_PRELOAD
fi
few_files() {
    local count
    for count in 4 5 6 7; do
        rm -f ck ck.lock
        (ulimit -n $count &&
            exec "$program" --headless -q -n 9 a.pgm -o x.pgm --checkpoint ck) 2>few
        [ $? -eq 0 ] || absent ck.lock || return
        ! grep 'not a lock' few || return
    done
}
sanitized || check 'where descriptors run out no lock stays' few_files
readable() { # alone, as the lock of another user
    chmod 777 . && mkdir -p rw && chmod 777 rw && chmod 755 "$top" && rm -f ck &&
        echo "reconstruct lock 1 $(uname -n) 999999 - - -" >ck.lock && chmod 644 a.pgm ck.lock &&
        setpriv --reuid=65534 --regid=65534 --clear-groups "$program" --headless -q -n 3 a.pgm \
            -o rw/x.pgm --checkpoint ck && absent ck.lock
}
check_where 'is_root && setpriv --reuid=65534 --clear-groups "$program" --version' \
    'no other user can run it' 'the lock of a dead run of another user' readable

finish
