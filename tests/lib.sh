# shellcheck shell=bash
# What the tests of the command line share; sourced by tests/cli/test_*.sh, which are run from the
# root of the repository, each on its own. They print TAP and exit 1 when a test failed.
#
#   RECONSTRUCT  the program (./reconstruct)
#   CASTLE       the compiled generator of pictures (compiled here when it is not given)
#   SANITIZED    1: built with sanitizers, which need more address space than a limit leaves
#
# A test is a name and a command: `check NAME COMMAND...` is ok where the command exits 0, and what
# it printed is the diagnostic where it does not. Commands are the helpers below, `all` of several
# of them, or functions that chain them with &&. Everything happens in a temporary folder, which is
# the current one.

# A shell cannot take back that its parent ignores a signal (as one does that starts this in the
# background, and nohup): env can.
if [ -z "${DEFAULT_SIGNALS-}" ] && env --default-signal=INT true 2>/dev/null; then
    DEFAULT_SIGNALS=1 exec env --default-signal=INT,TERM,USR1,HUP "$0" "$@"
fi

set -u
export LC_ALL=C
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}exitcode=99
export UBSAN_OPTIONS=${UBSAN_OPTIONS:+$UBSAN_OPTIONS:}halt_on_error=1:print_stacktrace=1:exitcode=99
# The images are small: several threads gain nothing.
export OMP_NUM_THREADS=${OMP_NUM_THREADS:-1}
unset DISPLAY WAYLAND_DISPLAY SDL_VIDEODRIVER
# Open MPI and Slurm use hwloc, which asks all X servers of this machine for graphics cards,
# whatever DISPLAY is. If a server goes away meanwhile, the process ends; those of the window's
# tests do.
export HWLOC_COMPONENTS=-gl

root=$PWD
program=$(realpath "${RECONSTRUCT:-./reconstruct}") || exit 1
executable=$program # whatever starts it
called=reconstruct  # what its messages begin with
[ -x "$program" ] || { echo "Bail out! $program is not there: make builds it"; exit 1; }
top=$(mktemp -d "${TMPDIR:-/tmp}/reconstruct-cli.XXXXXX") || exit 1
mounted=
clean_up() {
    local job
    [ "$BASHPID" = $$ ] || return # a background job that a signal met before its exec
    for job in $(jobs -p); do kill -KILL "$job" 2>/dev/null; done
    cd /
    [ -z "$mounted" ] || umount "$mounted"
    chmod -R u+w "$top" && rm -rf "$top"
}
trap clean_up EXIT
export LSAN_OPTIONS=suppressions=$root/tests/leaks:print_suppressions=0
mkdir "$top/work" && cd "$top/work" || exit 1
exec </dev/null

# ---- TAP ----

count=0 failed=0

check() { # NAME COMMAND...
    local name=$1
    count=$((count + 1))
    if "${@:2}" >"$top/notes" 2>&1; then
        echo "ok $count - $name"
    else
        failed=$((failed + 1))
        echo "not ok $count - $name"
        sed 's/^/# /' "$top/notes"
    fi
}

# What the tests of a file start from, without a number of its own.
given() { # COMMAND...
    "$@" >"$top/notes" 2>&1 && return
    sed 's/^/# /' "$top/notes"
    echo "Bail out! without this there is nothing to test: $*"
    exit 1
}

# One after the other while they succeed. What is expanded is so before the first of them.
all() { # COMMAND... and COMMAND...
    local link
    local -a chain=()
    for link in "$@" and; do
        [ "$link" = and ] || { chain+=("$link"); continue; }
        "${chain[@]}" || return
        chain=()
    done
}
not() { ! "$@"; } # COMMAND...

skip() { # NAME REASON
    count=$((count + 1))
    echo "ok $count - $1 # SKIP $2"
}

where() { # CONDITION REASON NAME: skipped for that reason where it does not hold
    eval "$1" >/dev/null 2>&1 || { skip "$3" "$2"; return 1; }
}
check_where() { ! where "${@:1:3}" || check "${@:3}"; } # CONDITION REASON NAME COMMAND...
needs() { where "$@" || finish; } # CONDITION REASON NAME: the tests behind it do

finish() {
    echo "1..$count"
    [ $failed -eq 0 ]
    exit
}

# ---- running the program ----

show_run() {
    printf 'command: %s' "$called"
    printf ' %q' "${arguments[@]}"
    printf '\nexit %s, stdout %s bytes, stderr:\n' "$status" "$(wc -c <"$top/stdout")"
    head -n 20 "$top/stderr"
}

# That pixels were cut off, or that a build without FFT iterates where others have the exact
# picture, is no matter of most tests: it stands apart.
run() { # ARGUMENT...: sets status; $top/stdout, stderr and warnings have what it printed
    arguments=("$@")
    "$program" "$@" >"$top/stdout" 2>"$top/stderr"
    status=$?
    local apart='^warning: .* cut off|^warning: neither -n nor -t was given'
    grep -aE "$apart" "$top/stderr" >"$top/warnings" && sed -i -E "/$apart/d" "$top/stderr"
    return 0
}

exits() { # CODE ARGUMENT...
    local wanted=$1
    run "${@:2}"
    [ "$status" -eq "$wanted" ] && return
    echo "wanted exit $wanted"
    show_run
    return 1
}

# Exit 0 and not a word on either stream: for `edges`, and for runs with -q.
works() { # ARGUMENT...
    exits 0 "$@" || return
    [ ! -s "$top/stdout" ] && [ ! -s "$top/stderr" ] && return
    echo "wanted silence"
    show_run
    return 1
}

# What every refusal looks like: the exit code, one line on stderr that begins with the program's
# name and has the text in it, for wrong usage a second one that leads to --help, and no data.
complaint_is() { # CODE TEXT: of the run before
    local -a lines
    mapfile -t lines <"$top/stderr"
    [ "$status" -eq "$1" ] && [ ! -s "$top/stdout" ] &&
        [[ ${lines[0]-} == "$called: "*"$2"* ]] &&
        if [ "$1" -eq 64 ]; then
            [ ${#lines[@]} -eq 2 ] && [[ ${lines[1]} == "Try '$called "*"--help'." ]]
        else
            [ ${#lines[@]} -eq 1 ]
        fi && return
    echo "wanted exit $1 and one line, reconstruct: ...$2..."
    show_run
    return 1
}

refuses() { # CODE TEXT ARGUMENT...: and, but for a verdict (1), no new file comes behind -o
    local word last='' new=''
    for word in "${@:3}"; do
        [ "$last" != -o ] || new=$word
        last=$word
    done
    [ ! -e "$new" ] || new=''
    run "${@:3}"
    complaint_is "$1" "$2" && { [ "$1" -eq 1 ] || [ -d "$new" ] || absent "$new"; }
}

# A check for each row of standard input, CODE~TEXT~ARGUMENT...: COMMAND with these is refused so.
refusals() { # COMMAND...
    local row code text rest
    local -a rows words
    mapfile -t rows
    for row in "${rows[@]}"; do
        IFS='~' read -r code text rest <<<"$row"
        eval "words=($rest)" # as the shell reads them
        check "exit $code, ${text:-refused}: ${rest:-nothing else}" refuses "$code" "$text" "$@" \
            "${words[@]}"
    done
}

keeps() { # FILE TEXT ARGUMENT...: refused, and the file is what it was
    cp "$1" "$top/before" && refuses 64 "${@:2}" && same "$1" "$top/before" && return
    cp "$top/before" "$1" # for the tests behind this one
    return 1
}

# From here on it is the program of the ladder that is run.
use_bench() {
    called=reconstruct-bench
    program=${executable%/*}/$called
}

# ---- asking ----

# Whether the program has what --version calls NAME; a name may stand for what is left out, too.
built_with() { "$executable" --version | grep -qE "^built with: (.*, )?$1(,|\$)"; } # NAME

has_device() { "$executable" devices | grep -q '^device 0'; }
has_spectral() { "$executable" --help | grep -q '^  spectral'; }
sanitized() { [ "${SANITIZED-}" = 1 ]; }

same() { cmp "$1" "$2"; } # FILE FILE: byte for byte

differ() { ! cmp -s "$1" "$2" || { echo "$1 and $2 are the same"; return 1; }; } # FILE FILE

absent() { # PATH...
    local path
    for path; do
        [ ! -e "$path" ] && [ ! -L "$path" ] || { echo "$path is there"; return 1; }
    done
}

contains() { # FILE TEXT
    grep -aqF -e "$2" "$1" && return
    echo "no '$2' in ${1##*/}:"
    head -n 20 "$1"
    return 1
}
prints() { contains "$top/stdout" "$1"; } # TEXT: the run before had it on stdout
says() { contains "$top/stderr" "$1"; }   # TEXT: on stderr
warns() { contains "$top/warnings" "$1"; } # TEXT: of cut off pixels

equal() { # GOT WANTED: which must be something, or two commands that found nothing would agree
    [ "$1" = "$2" ] && [ -n "$2" ] && return
    printf 'got    %s\nwanted %s\n' "$1" "$2"
    return 1
}

empty() { [ -z "$1" ] || { printf 'wanted nothing, got %s\n' "$1"; return 1; }; } # TEXT

within() { # DIFFERENCE A B: no two samples further apart
    exits 0 compare --max-difference "$1" "$2" "$3" || { cat "$top/stdout"; return 1; }
}

# The exact picture of a picture's edges has its bytes. OPTION... make the edges, too; those in
# `solved` are of the second run alone, as the means that the first one prints.
comes_back() { # PICTURE EDGES OPTION...
    local mean=() back=back.${1##*.}
    exits 0 edges "$1" -o "$2" "${@:3}" || return
    [ ! -s "$top/stdout" ] || mean=(--mean "$(sed -n 's/^mean //p' "$top/stdout")")
    works --headless -q "$2" "${@:3}" "${mean[@]}" "${solved[@]}" -o "$back" && same "$back" "$1"
}
solved=()

# What a report has of the run, without what depends on the machine, the cut and the clock.
numbers() { # REPORT
    local names='device|ranks|devices|slabs|trades|kernel|id|settings|finished|host|pid'
    names+='|output|output_bytes|output_time|output_id|input_time|job|task'
    sed -E 's/"('$names')": ("[^"]*"|[0-9.e+-]*),? ?//g
            s/"seconds": \{[^}]*\},?//
            s/"(updates_per_second|solver_seconds|reference_seconds)": [0-9.e+-]*,?//g' "$1"
}

# A number or a word of the first object in a report.
value() { head -n 1 "${2-r.json}" | sed -E "s/.*\"$1\": \"?([^,}\"]*).*/\1/"; } # KEY [REPORT]

# No temporary file was left in the folder.
tidy() { # [FOLDER]
    local left
    left=$(find "${1:-.}" -name '.*.*-[0-9]*' | head -n 5)
    [ -z "$left" ] || { echo "left behind: $left"; return 1; }
}

# The same after a SIGKILL and another run, where the file system has files without names.
tidy_after_kill() {
    perl -e 'exit !sysopen(my $file, ".", 0x410001, 0600)' 2>/dev/null || rm -f ./.*.*-[0-9]*
    tidy
}

# ---- pictures ----

castle() { # WIDTH HEIGHT [--colour]
    if [ -z "${CASTLE-}" ]; then
        CASTLE=$top/castle
        "${CC:-gcc}" -O2 -ffp-contract=off -o "$CASTLE" "$root/data/castle.c" -lm || exit 1
    fi
    "$CASTLE" "$@"
}
[ -z "${CASTLE-}" ] || CASTLE=$(cd "$root" && realpath "$CASTLE") || exit 1

# picture.pgm and picture.ppm, and their edges grey.pgm and colour.ppm.
castles() { # WIDTH HEIGHT WIDTH HEIGHT: of the grey one, and of the one in colour
    castle "$1" "$2" >picture.pgm
    castle "$3" "$4" --colour >picture.ppm
    given works edges picture.pgm -o grey.pgm
    given works edges picture.ppm -o colour.ppm
}

plain() { # WIDTH HEIGHT MAXVAL EXPRESSION [PLANES]: of x, y and the plane p, as plain PGM or PPM
    awk -v w="$1" -v h="$2" -v m="$3" -v planes="${5-1}" 'BEGIN {
        print (planes > 1 ? "P3" : "P2"), w, h, m
        for (y = 0; y < h; y++) for (x = 0; x < w; x++)
            for (p = 0; p < planes; p++) print int('"$4"') }'
}
waves() { plain "$1" "$2" 255 '127 + 60 * sin(x / 3) + 50 * cos(y / 5) + (x > y ? 15 : -15)'; }

zeros() { head -c "$1" /dev/zero; } # BYTES

# The samples of a raw file of COUNT samples of BYTES each, whose header's length does not matter.
raw_samples() { # FILE COUNT BYTES: unsigned, big-endian
    tail -c $(($2 * $3)) "$1" | od -An -v -w$(($2 * $3)) --endian=big -tu"$3" | xargs
}

float_samples() { # PFM COUNT: the last COUNT floats
    tail -c $(($2 * 4)) "$1" | od -An -v -w$(($2 * 4)) -tf4 | xargs
}

# The words of standard input, so many a line; xargs -n would start a process for each line.
lines_of() { # COUNT
    awk -v n="$1" '{ for (i = 1; i <= NF; i++) printf "%s%s", $i, ++k % n ? " " : "\n" }'
}

# ---- processes ----

# With tests/faults.c before the C library: what it makes fail is in variables.
with_faults() { # VARIABLE=VALUE... COMMAND...
    [ -e "$top/faults.so" ] ||
        "${CC:-gcc}" -O1 -shared -fPIC -o "$top/faults.so" "$root/tests/faults.c" -ldl || return
    env LD_PRELOAD="$top/faults.so" "$@"
}

hasty=()
hasten() { # N: "${hasty[@]}" starts a program whose clock is so many times as fast, if it can be
    sanitized || ! with_faults true || hasty=(env FAULT_HASTE="$1" LD_PRELOAD="$top/faults.so")
}

is_root() { [ "$(id -u)" -eq 0 ]; }

# Waits until a background run has its signal handlers (where /proc tells): the program's, not those
# of the shell that it was forked from.
ready() { # PID
    local key value tries
    [ -r /proc/self/status ] || { sleep 0.5; return 0; }
    for ((tries = 0; tries < 2000; tries++)); do
        [ "/proc/$1/exe" -ef "$executable" ] && while read -r key value _; do
            [ "$key" = SigCgt: ] && [ $((0x$value & 0x200)) -ne 0 ] && return 0
        done 2>/dev/null <"/proc/$1/status"
        kill -0 "$1" 2>/dev/null || return 1
        sleep 0.005
    done
    return 1
}

# A busy machine is slow. SDL may replace its first window by another one meanwhile.
wait_for() { # COMMAND...: until it succeeds, at most a minute, or PATIENCE in seconds
    local end=$((SECONDS + ${PATIENCE:-60})) nap=1
    until "$@"; do
        [ $SECONDS -lt $end ] || { echo "waited in vain for: $*"; return 1; }
        sleep 0.0$((nap = nap < 4 ? 2 * nap : 5))
        [ -n "${SDL_RENDER_DRIVER-}" ] || [ -z "${window-}" ] ||
            x getwindowname "$window" >/dev/null 2>&1 || find_window || :
    done
}
appears() { wait_for test -s "$1"; } # FILE: with something in it

# A display of its own, whose screen Xvfb keeps in a file: sets `screen`. Without -noreset it starts
# anew, and refuses clients meanwhile, whenever the last window closes.
open_display() {
    Xvfb -displayfd 9 -screen 0 1280x1024x24 -nolisten tcp -noreset -nocursor -fbdir "$top" \
        9>"$top/display" >/dev/null 2>&1 &
    xvfb=$!
    PATIENCE=10 appears "$top/display" && screen=:$(cat "$top/display")
}

# Starts ARGUMENT... in the background, sends SIGNAL at a random moment of the next fifth of a
# second, or of `within` milliseconds, and sets status.
interrupted() { # SIGNAL ARGUMENT...
    local signal=$1 delay
    arguments=("${@:2}")
    "$program" "${@:2}" >"$top/stdout" 2>"$top/stderr" &
    ready $!
    printf -v delay '0.%03d' $((RANDOM % ${within:-200}))
    sleep "$delay"
    kill -"$signal" $!
    wait $!
    status=$?
}

# Runs the command `run_it` until SIGNAL has stopped it three times with CODE, or it came to its
# end; `left` looks at what each stop leaves. What is faster than a first signal begins anew,
# without OUTPUT.
is_stopped() { # SIGNAL CODE OUTPUT
    local tries
    stops=0
    for ((tries = 0; tries < 30 && stops < 3; tries++)); do
        interrupted "$1" "${run_it[@]}"
        if [ "$status" -eq 0 ]; then
            [ $stops -eq 0 ] || break
            rm -rf "$3"
            continue
        fi
        equal "$status" "$2" || { show_run; return 1; }
        stops=$((stops + 1))
        left || return
    done
    [ $stops -gt 0 ] || { echo 'never stopped'; return 1; }
}

done_by() { # CHECKPOINT: the iterations in it, 0 while it is not there
    [ -e "$1" ] && sed -n '2{s/^iterations //p;q}' "$1" || echo 0
}

# From here on runs are on the host: what a signal shall find at work would on a device have reached
# the standstill of a small picture before it comes.
on_the_host() {
    cat >"$top/on-the-host" <<END
#!/bin/sh
case \$1 in
--headless) exec "$program" "\$@" -s cpu ;;
*) exec "$program" "\$@" ;;
esac
END
    chmod +x "$top/on-the-host"
    program=$top/on-the-host
}

# A number of iterations that takes about SECONDS here, on the host: builds with sanitizers are much
# slower. The processor's time is measured, the least of three, and all threads are taken to be at
# work: on a busy machine the clock's is several times as long, and the processor's still twice.
iterations_for() { # SECONDS EDGES
    local n TIMEFORMAT='%U %S'
    for n in 0 2000 2000 2000; do # the first is what starting takes
        time "$program" --headless -q -n $n "$2" --report /dev/null 2>/dev/null
    done 2>&1 | awk -v wanted="$1" -v threads="$OMP_NUM_THREADS" '
        NR == 1 { start = $1 + $2 }
        NR == 2 || $1 + $2 < least { least = $1 + $2 }
        END {
            used = least - start
            printf "%d\n", 2000 * wanted * threads / (used > 5e-3 ? used : 5e-3)
        }'
}
