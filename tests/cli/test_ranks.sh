#!/usr/bin/env bash
# One image over several processes: reconstruct-mpi under a real mpirun. Bits, numbers and stops are
# those of the plain program, and files are the same ones.
. tests/lib.sh
set -m
exec 2>/dev/null # bash's notes on jobs

shared=$program-mpi
for tool in "$shared" mpirun; do
    needs 'command -v "$tool"' "there is no ${tool##*/} here; make MPI=1 builds it with MPI" \
        'one image over several processes'
done
mpirun=(mpirun)
export OMPI_MCA_mpi_yield_when_idle=1 # more ranks than processors: who waits gives way
if mpirun --version | grep -q 'Open MPI'; then
    mpirun+=(--oversubscribe --allow-run-as-root --bind-to none)
fi

castles 151 97 60 203
castle 400 23 >low.pgm
given works edges picture.pgm -o grey.dat
given works edges low.pgm -o low-edges.pfm
given run edges --boundary mirror picture.pgm -o mirrored.pgm

ranks() { # COUNT ARGUMENT...: as `run`
    arguments=("${@:2}")
    timeout 120 "${mpirun[@]}" -n "$1" "$shared" "${@:2}" >"$top/stdout" 2>"$top/stderr"
    status=$?
}
foreign() { # VARIABLE: of a launcher that this MPI library does not know
    env "$1" "$shared" --headless -q -n 5 grey.pgm -o foreign.pgm 2>"$top/stderr"
    equal $? 64 && contains "$top/stderr" 'sees only one: start them with' && absent foreign.pgm
}
for variable in PMI_SIZE=3 SLURM_STEP_NUM_TASKS=2 PMIX_RANK=1; do
    check "alone among several processes: $variable" foreign $variable
done
one_of_one() {
    SLURM_STEP_NUM_TASKS=2 ranks 1 --headless -q -n 5 grey.pgm -o one.pgm && equal "$status" 0
}
check 'one rank by mpirun, within a step of two tasks' one_of_one
counts='2 3 5'
alike() { # ENDING ARGUMENT...: with so many ranks as without
    local count
    works --headless -q "${@:2}" -o "whole.$1" --report whole.json || return
    for count in $counts; do
        ranks $count --headless -q "${@:2}" -o "cut.$1" --report cut.json &&
            equal "$status" 0 && same "whole.$1" "cut.$1" && tidy &&
            contains cut.json "\"ranks\": $count," &&
            equal "$(numbers cut.json)" "$(numbers whole.json)" || { show_run; return 1; }
    done
}
check 'an iterate' alike pfm -s cpu -n 333 grey.pgm
counts=5 # starting ranks takes most of the time
check 'a slab each, and no device' contains cut.json '"devices": 0, "slabs": 5,'
check 'colour' alike ppm -s cpu -n 131 --halo 7 colour.ppm
check 'fewer rows than ghost rows' alike raw -s cpu -n 200 low-edges.pfm
check 'a mirrored border' alike pfm -s cpu -n 200 --boundary mirror mirrored.pgm
counts='2 5' check 'a wrapped picture' alike pfm -s cpu -n 100 --boundary wrap --balance grey.pgm
counts=2 check 'a sawtooth' alike pam -s cpu -n 100 --boundary sawtooth grey.pgm
check 'formats that the first rank reads and writes' alike dat -s cpu -n 90 --start 3 grey.dat
check 'a tone of the whole' alike pgm -s cpu -n 90 --tone stretch grey.pgm
check 'the reference solver, and slabs of ranks' alike pfm -s reference -n 77 --slabs 2 grey.pgm
counts=3 check 'a tolerance stops at the same iteration' alike pfm -s cpu -t 20 -k 50 grey.pgm
check 'standstill' alike pfm -s cpu -t 1e-9 -n 60000 colour.ppm --start picture.ppm
check 'the distance from a picture' alike pfm -s cpu -n 50 --reference picture.pgm grey.pgm
check '--compare' all ranks 3 --headless -q -s cpu --compare -n 150 --halo 7 colour.ppm \
    --report cut.json and prints 'equal, bit for bit' and contains cut.json '"differing": 0,'
# A frame every 40 iterations.
check '--frames' eval 'works --headless -q -s cpu -n 120 -k 40 grey.pgm --frames whole &&
    ranks 3 --headless -q -s cpu -n 120 -k 40 grey.pgm --frames cut && equal "$status" 0 &&
    diff -r whole cut'
check 'pipes' eval 'works --headless -q -s cpu -n 50 grey.pgm -o whole.pgm && cat grey.pgm |
    "${mpirun[@]}" -n 2 "$shared" --headless -q -s cpu -n 50 - -o - >cut.pgm &&
    same whole.pgm cut.pgm'
if where 'built_with FFTW' 'no FFTW' 'the exact picture'; then
    exact() { # by the first rank
        works --headless -q -s spectral grey.pgm -o whole.pfm &&
            ranks 3 --headless -q -s spectral grey.pgm -o cut.pfm --report cut.json &&
            equal "$status" 0 && same whole.pfm cut.pfm && contains cut.json '"ranks": 1,' ||
            { show_run; return 1; }
    }
    check 'the exact picture' exact
fi
if where '"$program" --headless -q -n 1 -s cuda grey.pgm -o x.pfm' 'there is no CUDA' devices; then
    counts='2 3 5'
    devices=$("$program" devices | grep -c '^device ')
    on_devices() { # ranks beyond the number of devices share one, and it is counted once
        alike "$@" -s cuda && contains cut.json "\"devices\": $devices,"
    }
    everywhere() { # WAYS
        on_devices pfm -n 1333 colour.ppm && grep -qE "\"trades\": \"($1)\"," cut.json &&
            on_devices pfm -n 100 --boundary wrap --balance grey.pgm
    }
    check 'devices: rows go from one to the other' everywhere direct
    shared=$shared-faults
    [ ! -x "$shared" ] ||
        FAULT=cudaIpcOpenMemHandle check 'devices: rows go through the host' everywhere 'host|mpi'
    shared=$program-mpi
    # A rank that sees the devices in another order shares none of them: it has several.
    list=${CUDA_VISIBLE_DEVICES:-$(seq -s , 0 $((devices - 1)))}
    cat >turned <<END
#!/bin/sh
[ "\${OMPI_COMM_WORLD_RANK-\${PMI_RANK-}}" != 1 ] ||
    export CUDA_VISIBLE_DEVICES=$(tr , '\n' <<<"$list" | tac | paste -sd ,)
exec "$shared" "\$@"
END
    chmod +x turned
    several() { # of 3 ranks the second has all devices
        shared=./turned alike "$@" -s cuda && contains cut.json '"trades": "direct",'
    }
    if where '[ "$devices" -gt 1 ]' "this machine has $devices" 'several devices a rank'; then
        check 'several devices a rank' several pfm -n 333 colour.ppm
        check 'several devices a rank, wrapped' several pfm -n 90 --boundary wrap --balance grey.pgm
    fi
fi

# ---- what is refused, by one message and its exit code ----

only() { # CODE TEXT: of the run before
    equal "$status" "$1" && says "$2" &&
        equal "$(grep -c '^reconstruct: ' "$top/stderr")" 1 && [ ! -s "$top/stdout" ] ||
        { show_run; return 1; }
}
denied() { # CODE TEXT ARGUMENT...: to 3 ranks
    ranks 3 "${@:3}"
    only "$1" "$2"
}
head -c 9000 grey.pgm >short.pgm
echo 2 3 1 2 3 4 5 6 >short.dat
check 'a window' denied 64 '--headless' grey.pgm
check 'a list' denied 64 '--shard' --headless -n 5 grey.pgm mirrored.pgm -o out/
check 'other commands' denied 64 'one process' edges picture.pgm -o x.pgm
check 'more ranks than rows' denied 64 'at most 1 rank' --headless -n 1 short.dat -o x.pgm
check 'a convolution' denied 64 'whole images' --headless -n 5 --stencil laplace8 grey.pgm -o x.pgm
check 'a picture' denied 64 'cannot compute edges' --headless -n 5 --picture picture.pgm -o x.pgm
check 'a damaged file' denied 65 short.pgm --headless -n 5 short.pgm -o x.pgm
check 'no file' denied 66 nothing.pgm --headless -n 5 nothing.pgm -o x.pgm
check 'no folder' denied 73 nowhere --headless -n 5 grey.pgm -o nowhere/x.pgm
cat >elsewhere <<'END'
#!/bin/sh
[ "${OMPI_COMM_WORLD_RANK-${PMI_RANK-}}" != 1 ] || cd other || exit
exec "$@"
END
chmod +x elsewhere
mkdir folder other && cp mirrored.pgm other && cp low.pgm other/grey.pgm
elsewhere() { # CODE TEXT ARGUMENT...: one of 3 ranks is in another folder
    timeout 120 "${mpirun[@]}" -n 3 ./elsewhere "$shared" "${@:3}" >"$top/stdout" 2>"$top/stderr"
    status=$?
    only "$1" "$2"
}
check 'another file on a rank' elsewhere 65 'on rank 1' --headless -n 5 grey.pgm -o "$PWD/x.pgm"
check 'no file on a rank' elsewhere 66 colour.ppm --headless -n 5 colour.ppm -o "$PWD/x.ppm"
check 'no output on a rank' elsewhere 73 'rank 1' --headless -n 5 mirrored.pgm -o x.pgm
check 'a rank that fails alone' elsewhere 73 'rank 1: folder' --headless -n 5 mirrored.pgm \
    -o folder/x.pgm
check 'nothing was written' absent x.pgm folder/x.pgm other/x.pgm

# ---- signals and checkpoints ----

{ printf 'P5 400 300 255\n'; head -c 120000 /dev/urandom; } >e.pgm
total=$(on_the_host; iterations_for 4 e.pgm)
given works --headless -q -s cpu -n "$total" e.pgm -o whole.pfm
starts() { # COUNT: in the background, sets job; until the first checkpoint
    arguments=(ranks)
    "${mpirun[@]}" -n "$1" "$shared" --headless -q -s cpu -n "$total" e.pgm -o out.pfm \
        --checkpoint "$PWD/c" --checkpoint-every 0.1 >"$top/stdout" 2>"$top/stderr" &
    job=$!
    wait_for test c -nt begun
}
ranks_of_job() { pgrep -f "^$shared --headless .*$PWD/c"; } # and no other test's
resumed() {
    local count
    rm -f c out.pfm
    for count in 5 3; do
        touch begun
        sleep 0.02
        starts $count || return
        kill -TERM "$(ranks_of_job | sed -n 2p)"
        wait $job
        status=$?
        only 75 'the same command' && absent out.pfm && tidy || return
    done
    works --headless -q -n "$total" -s cpu e.pgm -o out.pfm --checkpoint c &&
        same out.pfm whole.pfm && absent c
}
check 'a checkpoint of 5 ranks is resumed with 3, and by the plain program' resumed
killed() { # a rank; the others end with it
    rm -f c out.pfm
    touch begun
    starts 3 || return
    kill -KILL "$(ranks_of_job | sed -n 2p)"
    wait $job
    [ $? -ne 0 ] && absent out.pfm && wait_for eval '[ -z "$(ranks_of_job)" ]' &&
        wait_for not_held && { equal "$status" 0 || { show_run; return 1; }; } &&
        same out.pfm whole.pfm && absent c && tidy_after_kill
}
not_held() { # mpirun may end before the last rank has, whose lock on the checkpoint goes with it
    ranks 2 --headless -q -n "$total" -s cpu e.pgm -o out.pfm --checkpoint c
    [ "$status" -ne 73 ]
}
check 'a rank is killed, and the checkpoint is good' killed

finish
