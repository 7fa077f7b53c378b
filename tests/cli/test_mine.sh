#!/usr/bin/env bash
# A kernel of one's own in the ladder (bench --mine): right ones, the mistakes of
# tests/wrong, and what crashes, hangs or does not compile.
. tests/lib.sh
use_bench

quick=(--rungs 4 --size 64 --time 0)
wrong=$root/tests/wrong
# The program finds kernels/ beside itself or in the current folder.
ln -s "$root/kernels" kernels

cat >good.c <<'END'
#include "kernels/stencil.h"
void step(float *out, const float *in, const float *edges, int width, int height, int stride)
{
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            const float *m = in + y * stride + x;
            out[y * stride + x] = rec_update(m[-stride], m[-1], m[1], m[stride],
                                             rec_edge_term(edges[y * stride + x]));
        }
}
END
body() { # FILE STATEMENT: a step that does that before the right thing
    sed "s/^{/{ $2/" good.c >"$1"
}
body crash.c '*(volatile float *)8 = 0;'
body hang.c 'for (volatile int i = 0;; i++) ;'
body race.c 'static int calls; out[0] = (float)calls++; out++; in++; edges++; width--;'
body nonsense.c 'no such thing;'
echo 'int walk;' >stepless.c

right() {
    exits 0 --mine good.c "${quick[@]}" --json out.json && ! prints WRONG &&
        grep -qE '^99  mine .* [0-9.]+ (us|ms|s) .*x' "$top/stdout" && prints '% of the speed of' &&
        grep -q '"name": "mine", "width": 64, "height": 64, "outcome": "timed"' out.json &&
        tidy && equal "$(find "$top" -name 'reconstruct-mine*' | wc -l)" 0
}
export TMPDIR=$top
check 'a right one has a row between its neighbours' right

is_wrong() { # FILE TEXT
    exits 1 --mine "$1" "${quick[@]}" && prints '99  mine            WRONG: 203 x 117' &&
        prints "$2"
}
check 'the index beside the row' is_wrong "$wrong/beside.c" 'a row has stride cells'
check 'no border' is_wrong "$wrong/rim.c" 'border pixels that nobody wrote'
check 'another order of additions' is_wrong "$wrong/order.c" 'rounded in another way'
check 'blocks rounded down' is_wrong "$wrong/tail.c" 'number of blocks rounded up'
check 'a new value of a neighbour' is_wrong "$wrong/mixed.c" "new value was used"
check 'a race' is_wrong race.c 'two runs of the same step differ'

crashes() {
    exits 1 --mine crash.c "${quick[@]}" --json crash.json && prints '4  cpu-swap' &&
        says 'crashed (Segmentation fault)' && grep -q '"cpu-swap".*"timed"' crash.json
}
hangs() {
    exits 1 --mine hang.c "${quick[@]}" && prints '4  cpu-swap' && says 'not done in time'
}
if [ "${SANITIZED:-}" = 1 ]; then
    skip 'a crash costs one rung' 'the sanitizer catches it'
else
    check 'a crash costs one rung' crashes
fi
check 'an endless loop costs one rung' hangs
check 'what does not compile: exit 65' eval 'exits 65 --mine nonsense.c && says "not compile"'
check 'no function step: exit 65' refuses 65 'no function step' --mine stepless.c --size 8
check 'no file: exit 66' refuses 66 none.c --mine none.c
check 'neither .c nor .cu: exit 64' refuses 64 'must be a .c or .cu' --mine out.json
check '--mine with another problem: exit 64' \
    refuses 64 'convolution' --mine good.c --problem convolution
without_compiler() { PATH=/nowhere CC= NVCC= refuses 69 'no compiler' --mine "$1"; }
check 'no compiler: exit 69' without_compiler good.c

nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null)
on_device() { # FILE TEXT
    exits 1 --mine "$wrong/$1.cu" --rungs 11 --size 64 --time 0 && prints "$2"
}
if built_with CUDA && [ -n "$nvcc" ]; then
    if "$executable" devices | grep -q '^device 0'; then
        check 'the skeleton is right' exits 0 --mine "$root/kernels/ladder/exercise.cu" \
            --rungs 11 --size 203 --time 0
        check 'device: the index beside the row' on_device beside 'a row has stride cells'
        check 'device: no border' on_device rim 'border pixels that nobody wrote'
        check 'device: another order' on_device order 'rounded in another way'
        check 'device: blocks rounded down' on_device tail 'number of blocks rounded up'
        check 'device: a new value' on_device mixed 'new value was used'
        sed 's/in\[i - stride\]/in[i - (1ll << 40)]/' "$root/kernels/ladder/exercise.cu" >far.cu
        illegal() { exits 1 --mine far.cu --rungs 11 --size 64 --time 0 && prints illegal; }
        check 'device: an illegal address costs one rung' illegal
    else
        check 'the skeleton compiles; without a device: exit 69' eval 'exits 69 --mine \
            "$root/kernels/ladder/exercise.cu" --size 64 && says "compiles, but cannot run"'
    fi
else
    skip 'kernels' 'built without CUDA, or no nvcc'
fi
finish
