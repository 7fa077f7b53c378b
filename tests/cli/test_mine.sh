#!/usr/bin/env bash
# A kernel of one's own in the ladder (bench --mine): right ones, the mistakes of
# tests/wrong, and what crashes, hangs or does not compile.
. tests/lib.sh
use_bench

quick=(--rungs 4 --size 64 --time 0)
wrong=$root/tests/wrong
# The program finds kernels/ beside itself or in the current folder.
ln -s "$root/kernels" kernels

# A step that a mistake is put into: other text behind some of its names.
cat >good.c <<'END'
#include "kernels/stencil.h"
#define M y * stride + x
#define OUT y * stride + x
#define E edges[y * stride + x]
#define F rec_edge_term(E)
#define UP m[-stride]
#define LEFT m[-1]
#define RIGHT m[1]
#define DOWN m[stride]
#define RESULT rec_update(UP, LEFT, RIGHT, DOWN, F)
#define AFTER (void)0
void step(float *out, const float *in, const float *edges, int width, int height, int stride)
{
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            const float *m = in + M;
            out[OUT] = RESULT;
            AFTER;
        }
}
END
# The same for n steps, and for one with a norm.
cat - <(sed 's/^void step/static void once/' good.c) >many.c <<'END'
#define TIMES n
#define THEN (void)0
static int t;
#include "many.h"
END
cat >many.h <<'END'
static void once(float *, const float *, const float *, int, int, int);
float *steps(float *out, float *in, const float *edges, int width, int height, int stride, int n)
{
    for (t = 0; t < TIMES; t++) {
        float *made = out;
        once(out, in, edges, width, height, stride);
        THEN;
        out = in, in = made;
    }
    return in;
}
END
sed -e '1i #define CHANGE ((double)out[OUT] - (double)m[0])' \
    -e '1i #define ADD *squares += CHANGE * CHANGE' -e 's/AFTER;/ADD; &/; s/void step/&_norm/' \
    -e 's/int stride)/int stride, double *squares)/' good.c >norm.c
base=good.c
other() { # FILE [NAME TEXT]...: the base with that behind these names
    printf '#define %s %s\n' "${@:2}" >"$1"
    grep -vF "$(printf '#define %s %.0s\n' "${@:2}")" $base >>"$1"
}
other crash.c AFTER '*(volatile float *)8 = 0'
other late.c AFTER 'if (width == 299) *(volatile float *)8 = 0'
other hang.c AFTER 'for (volatile int i = 0;; i++)'
other slow.c AFTER 'extern int usleep(unsigned); static int n; n++ || usleep(5010000)'
other nonsense.c AFTER 'no such thing'
sed -e '/for (int y/i #pragma omp parallel for' -e '1i #include <omp.h>' \
    -e 's/AFTER;/out[M] += omp_get_num_threads() * 0;/' good.c >threads.c
echo 'int walk;' >stepless.c

right() { # FILE
    exits 0 --mine "$1" "${quick[@]}" --json out.json && ! prints WRONG &&
        grep -qE '^99  mine .* [0-9.]+ (us|ms|s) .*x' "$top/stdout" &&
        tail -n 2 "$top/stdout" | grep -q '^mine is right, bit for bit, here and on six' &&
        tail -n 1 "$top/stdout" | grep -q '% of the speed of' &&
        grep -q '"name": "mine", "width": 64, "height": 64, "outcome": "timed"' out.json &&
        tidy && equal "$(find "$top" -name 'reconstruct-mine*' | wc -l)" 0
}
export TMPDIR=$top
check 'a right one has a row between its neighbours, and a verdict' right good.c
check_where '! "${CC:-cc}" --version | grep -q clang' 'clang may lack OpenMP' \
    'one with threads' right threads.c
alone() { exits 0 --mine good.c --rungs mine --size 64 --time 0 && ! prints cpu-swap; }
check '--rungs mine: no others' alone
castle_by() { # EXTENSION: the program's own bits
    exits 0 --mine good.c -n 100 -o castle."$1" && prints 'mine is right' && ! prints cpu-swap &&
        "$executable" --headless -q -n 100 "$root/data/castle-edges.pgm" -o own."$1" &&
        same castle."$1" own."$1" && rm castle."$1" own."$1"
}
check 'it makes the castle, -n 100 -o' castle_by pfm
# Of a wrong one, without it, of what no picture is.
check '-n and -o: what is refused' all exits 1 --mine "$wrong/rim.c" -o x.pgm \
    and refuses 64 'go together' -o x.pgm and refuses 64 'go together' --mine good.c -n 5 \
    and absent x.pgm and refuses 64 'unknown extension' --mine good.c -o x.jxl
check '--rungs mine without one: exit 64' refuses 64 '--mine FILE' --rungs mine

reached() { # SOLUTION: as far as the machine is fast enough
    exits 0 --mine "$root/kernels/ladder/solutions/$1" --exercise "${1%.*}" "${quick[@]:2}" &&
        prints 'mine is right' && prints "exercise ${1%.*}, " &&
        { prints '; a star each from' || prints 'so no goal is judged'; }
}
for each in H1 H4 H5; do check "the solution of exercise $each" reached $each.c; done
# Each call takes 2% longer.
other busy.c AFTER 'extern int usleep(unsigned); static double us = 200; \
    width == 64 && !x && !y && usleep(us *= 1.02)'
check 'a busy machine is said' all exits 0 --mine busy.c --exercise H1 "${quick[@]:2}" \
    and prints 'The machine is busy' and prints 'so no goal is judged'
hints() { # of a wrong one, too
    exits 1 --mine "$wrong/rim.c" --exercise H1 --hint 2 && prints 'the goal is not reached' &&
        prints 'hint 2: exchange the two' && ! prints '--hint 1'
}
check 'hints' hints
check 'exercises: what is refused' all refuses 64 'must be H1, H4' --mine good.c --exercise 7 \
    and refuses 64 'is for a .cu file' --mine good.c --exercise 2 \
    and refuses 64 'goes with --mine' --exercise H1 and refuses 64 'goes with' --hint 1 \
    and refuses 65 'no function steps' --mine good.c --exercise H5

is_wrong() { # FILE TEXT [SIZE]: says so at its end, without having timed anything
    exits 1 --mine "$1" "${quick[@]}" && prints "mine is WRONG: ${3-}" && prints "$2" &&
        ! prints 'mine is right' && ! prints cpu-swap
}
check 'the index beside the row' is_wrong "$wrong/beside.c" 'a row has stride cells'
check 'no border' is_wrong "$wrong/rim.c" 'border pixels that nobody wrote'
check 'another order of additions' is_wrong "$wrong/order.c" 'rounded in another way'
check 'blocks rounded down' is_wrong "$wrong/tail.c" 'do the loops reach them all'
check 'a new value of a neighbour' is_wrong "$wrong/mixed.c" "new value was used"
named() { # TEXT NAME TEXT...
    other wrong.c "${@:2}"
    check "named: $1" is_wrong wrong.c "$1"
}
named 'E has the wrong sign' F '0.25f * E'
named 'E was used in place of f' F E
named 'E is missing' F 0
named 'the 0.25 is missing' RESULT '(UP + LEFT) + (RIGHT + DOWN) - E'
named 'the sum of the neighbours lacks' RESULT '(UP + LEFT) + (RIGHT + DOWN) + F'
named 'E stands outside the 0.25' RESULT '0.25f * ((UP + LEFT) + (RIGHT + DOWN)) - E'
named 'E has its 0.25 twice' F 'rec_edge_term(0.25f * E)'
named 'used twice, in place of the left neighbour' LEFT RIGHT
named 'the pixel itself was used in place of the lower' DOWN 'm[0]'
named 'the pixel itself was used in place of E' F 'rec_edge_term(m[0])'
named 'a diagonal neighbour was used in place of the upper' UP 'm[-stride + 1]'
named 'the right neighbour is missing' RIGHT 0
named 'NaN came out' F 'sqrtf(-1 - E * E)'
named 'the neighbours are those of the right pixel' M '(y * stride + x + 1)'
named 'E is that of the lower left pixel' E 'edges[(y + 1) * stride + x - 1]'
named 'this is the result of the lower pixel' M '((y + 1) * stride + x)' E 'edges[M]' \
    DOWN 'm[y + 1 < height ? stride : 0]'
named 'the halo, which keeps its value' OUT 'y * width + x'
named 'E was indexed by width' E 'edges[y * width + x]'
named 'a cell of another row was read' M 'y * width + x'
named 'new value was used' RIGHT 'out[M + 1]' UP 'out[M - stride]'
named 'beyond the border 0 (or nothing) was used' UP '(y ? m[-stride] : 0)'
named 'beyond the border the border pixel' LEFT 'm[x ? -1 : 0]' RIGHT 'm[x + 1 < width]'
named 'row 0, column -1: the halo' AFTER 'static int n; out[y * stride - 1] = (float)n++'
named 'kept from call to call' AFTER 'static int n; out[0] += !x && !y && ++n > 25'
named 'line 18 stores to edges[0]' AFTER '((float *)edges)[M] = 1'
named 'a race' AFTER 'static int n; out[M] += (float)n++'
named 'no mistake that is known here' F '(rec_edge_term(E) + 3)'
base=many.c
check 'a right one of n steps' exits 0 --mine many.c "${quick[@]}"
named 'one iteration is missing' TIMES 1
named 'one iteration is missing' TIMES 'n - 1'
named 'an iteration too many' TIMES 'n + 1'
named 'the halo changed with the iterations' THEN 'if (n > 1) made[-1] = 0'
named 'right for n = 1, but not for more' F '(rec_edge_term(E) + (t && x % 8 > 5))'
named 'it returned neither' THEN 'return 0'
base=norm.c
check 'a right norm' exits 0 --mine norm.c "${quick[@]}"
named 'nothing was added' ADD '(void)0'
named 'the sums of the calls before' ADD 'static double all; *squares = all += CHANGE * CHANGE'
last='if (x + 1 == width && y + 1 == height) *squares'
named 'the root was taken' AFTER "$last = sqrt(*squares)"
named 'divided by the number' AFTER "$last /= width * height"
named 'the changes were added' ADD '*squares += CHANGE'
named 'the squares of the new pixels' CHANGE '(double)out[OUT]'
named 'should be double' ADD '*squares += (float)CHANGE * (float)CHANGE'
named 'two runs differ: a race' ADD 'static int n; *squares += CHANGE * CHANGE + n++'
named 'too much' ADD '*squares += CHANGE * CHANGE + (x == 2) * 1e6'
base=good.c
other wrong.c F '(rec_edge_term(E) + (width == 31))'
check 'what depends on the size' is_wrong wrong.c 'no mistake that is known here: up' '31 x 37'
other wrong.c F '(y ? 0 : 7)'
check 'what explains most of the pixels' is_wrong wrong.c 'E is missing; that explains 23616'

crashes() {
    exits 1 --mine crash.c "${quick[@]}" && prints 'line 18 is the last that ran: Segm' &&
        exits 1 --mine late.c --rungs 4 --size 299 --time 0 --json crash.json &&
        prints '4  cpu-swap' && says crashed && grep -q '"cpu-swap".*"timed"' crash.json
}
hangs() { exits 1 --mine hang.c "${quick[@]}" && says 'took too long'; }
check_where '! sanitized' 'the sanitizer catches it' 'a crash costs one rung' crashes
check 'an endless loop ends' hangs
on_terminal() { # after 5 s
    script -qec "'$program' --mine slow.c --rungs 4 --size 64 --time 0" /dev/null >said
    grep 's: 4 cpu-swap at 64 x 64' said
}
check_where 'command -v script' 'no script' 'progress on a terminal' on_terminal
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
if where 'built_with CUDA && [ -n "$nvcc" ]' 'built without CUDA, or no nvcc' kernels; then
    if has_device; then
        check 'the skeleton is right' exits 0 --mine "$root/kernels/ladder/exercise.cu" \
            --rungs 11 --size 203 --time 0
        check 'device: the index beside the row' on_device beside 'a row has stride cells'
        check 'device: no border' on_device rim 'border pixels that nobody wrote'
        check 'device: another order' on_device order 'rounded in another way'
        check 'device: blocks rounded down' on_device tail 'number of blocks rounded up'
        check 'device: a new value' on_device mixed 'new value was used'
        for each in 2 3 5 6 9; do check "device: the solution of $each" reached $each.cu; done
        sed 's/in\[i - stride\]/in[i - (1ll << 40)]/' "$root/kernels/ladder/exercise.cu" >far.cu
        illegal() { exits 1 --mine far.cu --rungs 11 --size 64 --time 0 && prints illegal; }
        check 'device: an illegal address costs one rung' illegal
    fi
fi
finish
