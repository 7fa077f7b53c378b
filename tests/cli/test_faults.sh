#!/usr/bin/env bash
# Calls that fail: a job whose Nth allocation, open, read, write, fsync, rename or thread fails ends
# with a code and a message that fit, its output is as before or complete, and run again it is
# right. FAULTS=all tries every N (`make faults`), else some of them.
. tests/lib.sh

needs '! sanitized && with_faults true' 'a library cannot be put before the C library here' \
    'calls that fail'

{ printf 'P5 400 400 255\n'; head -c 160000 /dev/urandom; } >e.pgm
plain 60 50 255 '(y * 60 + x) * 7 % 256' >plain.pgm
plain 60 50 1 'x < 40' >mask.pgm
given works --headless -q -n 3 e.pgm -o old.pfm
export OMP_NUM_THREADS=2 # one to fail

faulty() { # FAULT ARGUMENT...: sets status
    with_faults FAULT="$1" FAULT_COUNT="$top/calls" "$program" "${@:2}" \
        >"$top/stdout" 2>"$top/stderr"
    status=$?
}

# Codes that a family's failure may have: the program goes on without what it asked for, or ends so.
codes_of() { # FAMILY
    case $1 in
    malloc) echo 0 71 ;;
    cudaMalloc) echo 0 71 ;; # without the limit a run goes on
    open) echo 0 66 71 73 74 ;;
    read) echo 0 65 66 71 74 ;;
    pthread_create) echo 0 ;;
    *) echo 0 73 74 ;;
    esac
}

one_fault() { # FAULT WANTED ARGUMENT...: with the output out.pfm
    local fault=$1 wanted=$2 codes
    cp old.pfm out.pfm
    rm -f c ./.c.*
    faulty "$fault" "${@:3}"
    codes=" $(codes_of "${fault%%:*}") "
    arguments=("${@:3}")
    local number=${fault#*:}
    # A fast run may call less often than the one that was counted: then nothing has failed.
    [ "$status" -eq 0 ] && [ "$(cat "$top/calls")" -lt "${number%+}" ] && codes=' 0 '
    [[ $codes == *" $status "* ]] || { echo "$fault: exit $status"; show_run; return 1; }
    if [ "$status" -eq 0 ]; then
        same out.pfm "$wanted" || return
    else
        grep -q '^reconstruct: .' "$top/stderr" ||
            { echo "$fault: no message"; show_run; return 1; }
        cmp -s out.pfm old.pfm || same out.pfm "$wanted" ||
            { echo "$fault: half an output"; return 1; }
        exits 0 "${@:3}" && same out.pfm "$wanted" || { echo "after $fault"; return 1; }
    fi
    tidy || { echo "$fault"; return 1; }
}

every_fault() { # FAMILY ARGUMENT...
    local family=$1 calls n bad=0 tried=0
    rm -f c
    faulty "$family:0" "${@:2}"
    [ "$status" -eq 0 ] || { show_run; return 1; }
    cp out.pfm wanted.pfm
    calls=$(cat "$top/calls")
    [ "$calls" -gt 0 ] || { echo "no call of $family"; return 1; }
    local step=1
    [ "${FAULTS-}" = all ] || step=$((calls / 25 + 1))
    for ((n = 1; n <= calls; n += step)); do
        one_fault "$family:$n" wanted.pfm "${@:2}" || bad=$((bad + 1))
        tried=$((tried + 1))
    done
    [ "$family" = malloc ] || one_fault "$family:1+" wanted.pfm "${@:2}" || bad=$((bad + 1))
    echo "# $tried faults of $calls calls of $family, $bad wrong" >&3
    [ $bad -eq 0 ]
}

# A good checkpoint is never called damaged, nor lost, because a call failed that had to do with it.
resumed_fault() { # FAMILY
    local calls n step
    cp good c && faulty "$1:0" "${resume[@]}" && calls=$(cat "$top/calls") || return
    step=$((calls / 15 + 1))
    for ((n = 1; n <= calls; n += step)); do
        cp good c
        faulty "$1:$n" "${resume[@]}"
        arguments=("${resume[@]}")
        # Where the output failed, its work is in the checkpoint now.
        [ "$status" -eq 0 ] || { [ "$status" -ne 65 ] && ! grep -q damaged "$top/stderr" &&
            { grep -q 'kept in c,' "$top/stderr" || same good c; }; } ||
            { echo "$1:$n"; show_run; return 1; }
    done
}
resume=(--headless -q -n 30 -k 10 e.pgm -o out.pfm -s cpu --checkpoint c)
run --headless -q -n 20 -k 10 -s cpu e.pgm -o /dev/full --format pfm --checkpoint c
given test -s c
given mv c good
for family in malloc read; do
    check "resuming, each $family fails: the checkpoint is not called damaged" resumed_fault $family
done

# A list that cannot be read to its end is no shorter one. Its second name needs more memory.
short_list() {
    local calls n long
    printf -v long './%.0s' {1..200}
    printf '%s\n' plain.pgm "${long}e.pgm" >list
    local -a run_it=(--headless -q -n 1 --files-from list -o listed/ -s cpu)
    faulty malloc:0 "${run_it[@]}" && calls=$(cat "$top/calls") || return
    for ((n = 1; n <= calls && n <= 100; n++)); do
        rm -rf listed
        faulty malloc:$n "${run_it[@]}"
        [ "$status" -ne 0 ] || equal "$(ls listed | wc -l)" 2 || { echo "malloc:$n"; return 1; }
    done
}
check 'each malloc fails: a list' short_list

exec 3>&1
for family in malloc open read write fsync rename pthread_create; do
    check "each $family fails: with a checkpoint and a report" every_fault $family --headless -q \
        -n 30 -k 10 e.pgm -o out.pfm -s cpu --checkpoint c --checkpoint-every 0 --report r.json
done
for family in malloc open read write; do
    check "each $family fails: a plain picture" every_fault $family --headless -q -n 3 plain.pgm \
        -o out.pfm -s cpu
done
for family in malloc open read write; do
    check "each $family fails: a clone in a mask" every_fault $family clone -q plain.pgm e.pgm \
        --mask mask.pgm --at 30,-9 --gradient mixed -o out.pfm
done
check 'each malloc fails: the exact picture' every_fault malloc --headless -q plain.pgm -o out.pfm

# What memory held before is in no result: solvers read borders that they never wrote, times 0.
with_nans() { # ARGUMENT...
    works "$@" -o out.pfm && with_faults FAULT_NANS=1 "$program" "$@" -o nans.pfm &&
        same out.pfm nans.pfm
}
for n in 1 2 7 32; do
    check "memory full of NaNs: $n iterations" with_nans --headless -q -n $n plain.pgm -s cpu
done
check 'memory full of NaNs: the exact picture' with_nans --headless -q plain.pgm
check 'memory full of NaNs: a clone in a mask' with_nans clone -q plain.pgm e.pgm --mask mask.pgm
check 'memory full of NaNs: iterations in a mask' with_nans heal -q plain.pgm --mask mask.pgm -n 9
check 'memory full of NaNs: filters' with_nans convolve --headless -q plain.pgm --stencil gaussian:2

# What asks a device for memory has no other way: each failure is 71, and a checkpoint is kept.
needs '[ -x "$program-faults" ] && has_device' 'no CUDA device' 'each cudaMalloc fails'
program=$program-faults
resume+=(-s cuda)
check 'resuming, each cudaMalloc fails: the checkpoint is kept' resumed_fault cudaMalloc
check 'each cudaMalloc fails: with a checkpoint and a report' every_fault cudaMalloc --headless -q \
    -n 30 -k 10 e.pgm -o out.pfm -s cuda --checkpoint c --checkpoint-every 0 --report r.json
check 'each cudaMalloc fails: the exact picture' every_fault cudaMalloc --headless -q plain.pgm \
    -o out.pfm -s spectral -d 0
check 'each cudaMalloc fails: a convolution' every_fault cudaMalloc convolve --headless -q \
    --stencil gaussian:2 plain.pgm -o out.pfm -s cuda

# The picture takes the place of its edges where both do not fit (367 MB with all), and the host has
# what does not fit at all, unless a device was named. With more threads the host is as fast.
little_memory() {
    local -x OMP_NUM_THREADS=1
    local exact=(--headless -q large.pfm -s spectral)
    castle 4095 5400 >large.pgm && works edges large.pgm -o large.pfm &&
        works "${exact[@]}" -o whole.pfm --report whole.json &&
        FREE=320000000 works "${exact[@]}" -o folded.pfm --report folded.json &&
        grep -q '"kernel": "cuda"' folded.json && same folded.pfm whole.pfm &&
        FREE=150000000 exits 0 --headless large.pfm -s spectral -o host.pfm &&
        says 'the processor solves it: the limit needs' &&
        exits 0 compare host.pfm whole.pfm --max-difference 0.01 &&
        FREE=150000000 refuses 71 'the limit needs' "${exact[@]}" -o no.pfm --device 0
}
check 'a device with little memory' little_memory
finish
