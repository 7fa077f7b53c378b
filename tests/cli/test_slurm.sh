#!/usr/bin/env bash
# The job scripts of docs/slurm on a real Slurm, with virtual nodes (tests/slurm.sh).
. tests/lib.sh
. "$root/tests/slurm.sh"

for tool in munged slurmctld slurmd sbatch squeue; do
    command -v $tool >/dev/null || PATH=$PATH:/usr/sbin
    needs "command -v $tool" "there is no $tool here" 'job scripts on Slurm'
done
needs '! sanitized' 'they are the same with sanitizers' 'job scripts on Slurm'

end_all() {
    [ "$BASHPID" = $$ ] || return
    slurm_down >/dev/null 2>&1
    clean_up
}
trap end_all EXIT
chmod 755 "$top" "$top/work"
slurm_up "$top/slurm" 5 4 2 >"$top/notes" 2>&1
needs "[ $? = 0 ]" "Slurm does not come up here: $(tail -n 1 "$top/notes")" 'job scripts on Slurm'

# What the scripts run: on the host, and it notes the devices that it would see.
cat >reconstruct <<END
#!/bin/sh
echo "\${CUDA_VISIBLE_DEVICES-none}" >>devices
exec "$program" "\$@" -s cpu
END
sed "s,$program,$program-mpi," reconstruct >reconstruct-mpi
chmod +x reconstruct reconstruct-mpi
# More ranks than processors: who waits gives way. Nodes on one host would use the same shared
# memory.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1 \
    OMPI_MCA_btl=tcp,self
mkdir held
cat >held/reconstruct <<END
#!/bin/bash
[ ! -e "\$3" ] && [ ! -e "\${@: -1}" ] || exec "$program" "\$@" -s cpu
"$program" "\$@" -s cpu &
trap 'kill -USR1 \$!; kill -CONT \$!' USR1 TERM
until [ -e "\$3" ]; do sleep 0.05; done
kill -STOP \$!
wait \$! && exit
wait \$!
END
chmod +x held/reconstruct
{ printf 'P5 400 300 255\n'; head -c 120000 /dev/urandom; } >e.pgm
total=$(on_the_host; iterations_for 3 e.pgm)
few=$((total / 3))
given works --headless -q -n "$few" e.pgm -s cpu -o few.pfm
mkdir in
for i in $(seq -w 12); do
    { printf 'P5 200 150 255\n'; head -c 30000 /dev/urandom; } >"in/e$i.pgm"
done
ls in/*.pgm >list
each=$(on_the_host; iterations_for 0.3 in/e01.pgm)
given works --headless -q -n "$each" in/*.pgm -s cpu -o one --format pfm

submit() { # ARGUMENT...: sets job
    job=$(sbatch --parsable --cpus-per-task=1 "$@") && job=${job%%;*}
}
starts() { wait_for test -e "$1"; } # FILE: of the job

# Slurm 24.11 starts a job that was preempted once more when it is done.
comes_back() { # OUT WANTED [RESTARTS]: of the job, which was stopped on its way once, to its bits
    slurm_until "$job" COMPLETED 300 && same "$1" "$2" && absent "$1.checkpoint" &&
        scontrol show job "$job" | grep -E "Restarts=[1${3-}]( |\$)" ||
        { scontrol show job "$job"; return 1; }
}
headless() { # ITERATIONS OPTION...
    works --headless -q -n "$1" e.pgm -s cpu -o whole.pfm || return
    rm -f out.pfm
    submit -x $begun "${@:2}" "$root/docs/slurm/headless.sh" e.pgm out.pfm -n "$1" \
        --checkpoint-every 0.2 && starts out.pfm.checkpoint && scancel --batch -s USR1 "$job" &&
        comes_back out.pfm whole.pfm &&
        contains "reconstruct-$job.txt" 'goes back into the queue' || return
    grep -qx '[01]' devices || { cat devices; return 1; }
}
held() { # OUT OPTION...: a run that stands still from its first checkpoint until a signal comes
    job=$(cd held && sbatch --parsable --cpus-per-task=1 "${@:2}" "$root/docs/slurm/headless.sh" \
        ../e.pgm "../$1" -n "$few" --checkpoint-every 0.2) && starts "$1.checkpoint"
}
preempted() { job=$preempted comes_back preempted.pfm few.pfm 2; } # by what goes first
timed() { # by Slurm itself, which looks every half a minute
    job=$timed comes_back timed.pfm few.pfm &&
        contains "held/reconstruct-$timed.txt" 'goes back into the queue'
}
at_once() # a signal that comes before the script waits is handed on
(
    mkdir at_once && cd at_once || return
    printf '#!/bin/bash\ntrap "exit 75" USR1\n: >ready\nsleep 5 & wait\n' >reconstruct
    chmod +x reconstruct
    wait() { unset -f wait; until [ -e ready ]; do sleep 0.1; done; kill -USR1 $$; wait "$@"; }
    export -f wait
    bash "$root/docs/slurm/headless.sh" e o
    equal $? 75
)
cancelled() { equal "$(slurm_state "$never")" CANCELLED; } # it did not come back
has_all() { # FOLDER JOB: which has ended
    [ "$(find "$1" -name '*.pfm' | wc -l)" = 12 ] && [ -z "$(squeue -h -j "$2" 2>&1)" ]
}
array() { # a node has died, and a shard gets the signal
    slurm_node_returns n1
    starts all/3.jsonl && scancel --batch -s USR1 "${shards}_3" 2>/dev/null
    PATIENCE=300 wait_for has_all all "$shards" ||
        { squeue; cat reconstruct-"$shards"_*.txt; return 1; }
    local name
    for name in in/*.pgm; do
        name=${name##*/}
        same "all/in/${name%.pgm}.pfm" "one/${name%.pgm}.pfm" || return
    done
    equal "$(cat all/*.jsonl | grep -c '"status": 0')" 12 && tidy_after_kill all
}
again() { # nothing is left to do
    local i made
    made=$(stat -c %i all/in/*.pfm)
    for i in 0 1 2 3; do
        exits 0 --headless -q --files-from list --shard $i/4 --parents --output-dir all \
            --format pfm -n "$each" -s cpu --report all/$i.jsonl --resume || return
    done
    equal "$(stat -c %i all/in/*.pfm)" "$made"
}
steps() { # srun, with the task's number as the shard
    # shellcheck disable=SC2016
    srun -n 3 --cpus-per-task=1 bash -c './reconstruct --headless -q --files-from list -n 5 \
        --shard $SLURM_PROCID/3 --output-dir steps --report steps-$SLURM_PROCID.jsonl' &&
        equal "$(find steps -name '*.pgm' | wc -l)" 12 && equal "$(cat steps-*.jsonl | wc -l)" 12
}
wrong_numbers() { # in every job, before any work
    job=$(sbatch --parsable --wait --cpus-per-task=1 --array=1-2 "$root/docs/slurm/array.sh" \
        2 list wrong -n 5)
    local task
    for task in 1 2; do
        contains "reconstruct-${job%%;*}_$task.txt" '--array=0-1' || return
    done
    absent wrong
}
# A node that Slurm calls dead works on beside the one that its job is given to: its run stands
# still until that one has begun.
begins_apart() {
    mkdir two && ls "$PWD"/in/*.pgm >two/list && with_faults cp "$top/faults.so" two || return
    cat >two/reconstruct <<END
#!/bin/bash
echo \$SLURMD_NODENAME >>workers
work() {
    FAULT_HOST=\$SLURMD_NODENAME LD_PRELOAD=\$PWD/faults.so exec "$program" "\$@" -s cpu --jobs 1
}
[ "\$(wc -l <workers)" -gt 1 ] && work "\$@"
work "\$@" &
until [ -s ../apart/0.jsonl ]; do sleep 0.05; done
kill -STOP \$!
until grep -v "\"host\": \"\$SLURMD_NODENAME\"" ../apart/0.jsonl; do sleep 0.1; done
kill -CONT \$!
wait \$!
END
    chmod +x two/reconstruct
    apart=$(cd two && sbatch --parsable --cpus-per-task=1 --array=0-0 -x n1,n2,n3 \
        "$root/docs/slurm/array.sh" 1 list ../apart -n "$each" --format pfm) || return
    wait_for test -s apart/0.jsonl && node=$(cat two/workers) && slurm_node_is_cut_off "$node"
}
cut_off() {
    local name
    PATIENCE=200 wait_for has_all apart "$apart" || { squeue; cat two/*.txt; return 1; }
    slurm_node_returns "$node"
    wait_for grep 'another run has taken it over' two/reconstruct-"$apart"_0.txt &&
        equal "$(wc -l <two/workers)" 2 && [ "$(wc -l <apart/0.jsonl)" -le 13 ] &&
        equal "$(grep -c "\"host\": \"$node\"" apart/0.jsonl)" 1 && absent apart/0.jsonl.lock ||
        return
    for name in $(find apart -name '*.pfm'); do
        same "$name" "one/${name##*/}" || return
    done
}
# What takes Slurm half a minute to see begins before all tests, each on nodes of its own.
begun=n1,n3,n4
begins() {
    held timed.pfm -w n2 --time=1 --signal=B:USR1@60 && timed=$job &&
        held preempted.pfm -w n3 && preempted=$job &&
        sbatch -p urgent -o /dev/null -w n3 --exclusive --wrap 'sleep 1' && begins_apart &&
        submit -w n1 --array=0-3%2 "$root/docs/slurm/array.sh" 4 list all -n "$each" \
            --format pfm --checkpoint-every 0.1 && shards=$job && starts all/0.jsonl &&
        slurm_node_dies n1 &&
        submit -w n2 "$root/docs/slurm/headless.sh" e.pgm never.pfm -n 1000000000 -t 1e-300 \
            --checkpoint-every 0.2 && never=$job && starts never.pfm.checkpoint && scancel "$never"
}
given begins
if where '[ -x "$program-mpi" ] && command -v mpirun' \
    'there is no reconstruct-mpi; make MPI=1 builds it' 'headless.sh: four ranks on two nodes'; then
    shared() {
        headless "$total" --nodes=2 --ntasks-per-node=2 &&
            contains out.pfm.json '"ranks": 4,'
    }
    check 'headless.sh: four ranks on two nodes, stopped and resumed' shared
    foreign() { # tasks that MPI takes for one process each
        srun -x $begun -n3 --mpi=none "$program-mpi" --headless -q -n 5 e.pgm -o f.pgm 2>said
        equal $? 64 && equal "$(grep -c 'sees only one: start them with .*srun --mpi=' said)" 3 &&
            absent f.pgm
    }
    check 'srun without MPI: refused, with the right command' foreign
fi
check 'headless.sh: USR1, a checkpoint, the queue, and the same bits' headless "$total"
check 'headless.sh: preempted' preempted
check 'headless.sh: a signal before it waits' at_once
check 'array.sh: a node dies, a shard is stopped: every output once, the bits of one process' array
check 'the shards again: nothing is done' again
check 'srun with SLURM_PROCID as the shard' steps
check 'array.sh: numbers that shards do not have' wrong_numbers
check 'array.sh: a node that is cut off: one owner in the end, at most one image twice' cut_off
check 'headless.sh: the end of its time' timed
check 'headless.sh: cancelled is cancelled' cancelled
finish
