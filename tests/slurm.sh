# shellcheck shell=bash
# A real Slurm on this machine, for tests: several nodes, each a slurmd of its own, with GPUs that
# are names only. No systemd, no root, no cgroups, and nothing listens but on 127.0.0.1. Up in about
# a second, down in half of one. Sourced by tests/cli/test_slurm.sh.
#
#   slurm_up [FOLDER [NODES [CPUS [GPUS]]]]     # exports SLURM_CONF
#   slurm_until JOB "STATE ..." [SECONDS]       # waits for one of them
#   slurm_node_dies n2; slurm_node_returns n2   # as a power cut, jobs and all; and a fresh one
#   slurm_node_is_cut_off n2                    # as a cut network: jobs go on
#   slurm_down                                  # ends what slurm_up started, by process id
#
# - A GPU's File= in gres.conf must be a character device whose name ends in its number: a plain
#   file is counted but sets no CUDA_VISIBLE_DEVICES.
# - Lost jobs are seen when their node registers: anew, or at every 20th ping, SlurmdTimeout / 3.
# - A requeued job waits for AuthInfo's cred_expire, 120 s; less than 5 counts as 120.
# - Time limits are looked at every 30 s: tests send the signal by scancel instead, --batch -s USR1.
# - Without accounting there is no sacct; scontrol show job tells of a job for MinJobAge.

slurm_folder=
slurm_processes=

slurm_port_is_free() { ! (: <"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

slurm_up() {
    local nodes=${2:-2} cpus=${3:-2} gpus=${4:-2} user base i devices gres=
    for i in munged slurmctld slurmd sbatch; do
        command -v $i >/dev/null || { echo "slurm_up: there is no $i" >&2; return 1; }
    done
    getent hosts "$(hostname -s)" >/dev/null ||
        { echo "slurm_up: /etc/hosts has no address of $(hostname -s)" >&2; return 1; }
    user=$(id -un)
    slurm_folder=$(realpath -m "${1:-$(mktemp -d /tmp/slurm.XXXXXX)}")
    mkdir -p "$slurm_folder/state" "$slurm_folder/gpus" || return
    chmod 755 "$slurm_folder"
    for base in $(seq $((20000 + RANDOM % 8000)) 50 29900); do
        for i in $(seq 0 "$nodes"); do slurm_port_is_free $((base + i)) || continue 2; done
        break
    done
    if [ "$gpus" -gt 0 ]; then
        devices=$slurm_folder/gpus/gpu
        for i in $(seq 0 $((gpus - 1))); do
            mknod "$devices$i" c 1 3 2>/dev/null || { devices=/dev/tty; break; }
        done
        echo "Name=gpu File=${devices}[0-$((gpus - 1))]" >"$slurm_folder/gres.conf"
        gres="Gres=gpu:$gpus"
    fi
    (umask 077 && head -c 1024 /dev/urandom >"$slurm_folder/munge.key") || return
    cat >"$slurm_folder/slurm.conf" <<END
ClusterName=fixture
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmctldPort=$base
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$slurm_folder/munge.socket,cred_expire=${SLURM_REQUEUE_DELAY:-5}
CredType=cred/munge
StateSaveLocation=$slurm_folder/state
SlurmdSpoolDir=$slurm_folder/spool-%n
TmpFS=$slurm_folder/tmp-%n
SlurmctldPidFile=$slurm_folder/slurmctld.pid
SlurmdPidFile=$slurm_folder/%n.pid
SlurmctldLogFile=$slurm_folder/slurmctld.log
SlurmdLogFile=$slurm_folder/%n.log
MailProg=/bin/true
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
ReturnToService=2
JobRequeue=1
KillWait=${SLURM_KILL_WAIT:-5}
MinJobAge=3600
SlurmdTimeout=${SLURM_NODE_TIMEOUT:-8}
MessageTimeout=10
BatchStartTimeout=1
SchedulerParameters=batch_sched_delay=0,sched_interval=2,sched_min_interval=0
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
${gres:+GresTypes=gpu}
${SLURM_EXTRA:-}
NodeName=n[1-$nodes] NodeAddr=127.0.0.1 Port=[$((base + 1))-$((base + nodes))] CPUs=$cpus \
    RealMemory=2000 $gres State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE DefaultTime=10 State=UP PriorityTier=1 \
    GraceTime=${SLURM_GRACE:-1}
PartitionName=urgent Nodes=ALL MaxTime=INFINITE DefaultTime=10 State=UP PriorityTier=10
END
    export SLURM_CONF=$slurm_folder/slurm.conf
    munged --foreground --force --key-file="$slurm_folder/munge.key" \
        --socket="$slurm_folder/munge.socket" \
        --pid-file="$slurm_folder/munged.pid" --seed-file="$slurm_folder/munge.seed" \
        --log-file="$slurm_folder/munged.log" >"$slurm_folder/munged.out" 2>&1 &
    slurm_processes=$!
    for i in $(seq 100); do [ -S "$slurm_folder/munge.socket" ] && break; sleep 0.05; done
    slurmctld -D >"$slurm_folder/slurmctld.out" 2>&1 &
    slurm_processes="$! $slurm_processes"
    for i in $(seq "$nodes"); do slurm_node_returns "n$i"; done
    for ((i = SECONDS; SECONDS < i + 20;)); do # it waits long for a controller that is not there
        timeout 5 scontrol -o show nodes 2>/dev/null | grep -c 'State=IDLE ' | grep -qx "$nodes" &&
            return 0
        sleep 0.1
    done
    echo "slurm_up: the nodes did not come; see $slurm_folder/*.log" >&2
    return 1
}

slurm_node_is_cut_off() { # its jobs live on
    local process
    process=$(cat "$slurm_folder/$1.process") && rm "$slurm_folder/$1.process" &&
        kill -9 "$process" && ! wait "$process" 2>/dev/null
}

slurm_node_returns() {
    mkdir -p "$slurm_folder/spool-$1" "$slurm_folder/tmp-$1"
    slurmd -D -N "$1" >>"$slurm_folder/$1.out" 2>&1 &
    echo $! >"$slurm_folder/$1.process"
}

# A step does not name its node, its tasks do; the configuration tells them from another fixture's.
slurm_node_dies() {
    local step task
    slurm_node_is_cut_off "$1"
    for step in $(pgrep -u "$(id -u)" -f '^slurmstepd: \['); do
        for task in $(pgrep -P "$step"); do
            tr '\0' '\n' 2>/dev/null <"/proc/$task/environ" |
                grep -cxE "SLURMD_NODENAME=$1|SLURM_CONF=$slurm_folder/slurm.conf" | grep -qx 2 ||
                continue
            kill -9 "$step" 2>/dev/null
            kill -9 -- "-$task" 2>/dev/null
        done
    done
}

slurm_state() {
    scontrol show job "$1" 2>/dev/null | sed -n 's/.*JobState=\([A-Z_]*\).*/\1/p' | head -1
}

slurm_until() {
    local i
    for i in $(seq $((${3:-30} * 10))); do
        case " $2 " in *" $(slurm_state "$1") "*) return 0 ;; esac
        sleep 0.1
    done
    echo "slurm_until: job $1 is $(slurm_state "$1"), not $2" >&2
    return 1
}

slurm_down() {
    local process i
    [ -n "$slurm_folder" ] || return 0
    scancel --user="$(id -un)" 2>/dev/null
    for i in $(seq 80); do [ -z "$(squeue -h 2>/dev/null)" ] && break; sleep 0.1; done
    for process in "$slurm_folder"/n*.process; do
        [ -e "$process" ] && slurm_processes="$(cat "$process") $slurm_processes" && rm "$process"
    done
    for process in $slurm_processes; do
        kill "$process" 2>/dev/null
        wait "$process" 2>/dev/null
    done
    slurm_processes=
    unset SLURM_CONF
}
