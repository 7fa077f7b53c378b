#!/usr/bin/env bash
# The wrong kernels of tests/wrong/*.txt: each has its true name, without a GPU.
. tests/lib.sh
use_bench
export CUDA_VISIBLE_DEVICES= TMPDIR=$top OMP_WAIT_POLICY=passive
ln -s "$root/kernels" kernels

for list in own rows; do
    awk '
        function end() { if (name) print "}" tail >name }
        /^== / {
            end()
            name = $2
            sub(/:$/, "", name)
            cu = name ~ /cu$/
            launch = $0
            sub(/^[^<]*/, "", launch)
            sub(/>>>.*/, ">>>", launch)
            print "#include \"kernels/stencil.h\"\n" \
                  "#define UPDATE(i) rec_update(in[(i) - stride], in[(i) - 1], in[(i) + 1], " \
                  "in[(i) + stride], rec_edge_term(edges[i]))\n" \
                  "#define ARGS float *out, const float *in, const float *edges, int width, " \
                  "int height, int stride\n" \
                  (cu ? "__global__ void update" : "void step") "(ARGS)\n{" >name
            tail = cu ? "\nextern \"C\" void step(ARGS)\n{\nupdate" launch \
                        "(out, in, edges, width, height, stride);\n}" : ""
            next
        }
        name { print >name }
        END { end() }' "$root/tests/wrong/$list.txt"
done

named() { # FILE TEXT...: without having timed anything
    local text
    exits 1 --mine "$1" --rungs mine --size 64 --time 0 && ! prints 'mine is right' || return 1
    for text in "${@:2}"; do prints "$text" || says "$text" || return 1; done
}
name() { check "named: $1" named "$@"; }
plain() { where 'command -v addr2line' 'no addr2line' "$1"; }
if plain 'indices and races in C'; then
    name loops-exchanged.c 'line 8 stores to out[2553], row 37, column 0: the halo'
    name one-more.c 'line 8 stores to out[67], row 0, column 67: the halo'
    name in-place.c 'line 9 stores to in[0]: a step reads'
    name swapped.c 'line 11 stores to in[0]: a step reads'
    name transposed.c 'line 8 loads in[2691], row 39, column 0: outside of 67 x 37 pixels'
    name shared-sum.c 'line 11 stores to a variable that all threads share' 'a race'
    name shared-x.c 'line 9 stores to a variable that all threads share' 'at line 9, with no'
    printf 'void step(float *out, const float *in, const float *e, int w, int h, int s)\n{\n%s}' \
        'out[1ll << 40] = 1;' >far.c
    name far.c 'line 3 is the last that ran: Segmentation fault'
fi
name from-one.c 'border pixels that nobody wrote'
name int-sum.c 'the sum of the neighbours is cut off to a whole number'
name unset-sum.c uninitialized
name thirds.c 'nobody wrote them: do the loops reach them all?' '211 x 113, step 1: 422 of'
name every-other.c 'the old value was written'
name scatter.c 'beyond the border 0 (or nothing) was used' '11124 more are only rounded in another'
name quarter.c 'all of them are 0: 1 / 4 is 0 in whole numbers'
name clipped.c 'they are within 0 to 255'
name whole.c 'they are whole numbers, cut off'
name nan-column.c 'the first at column 210, row 0: ' 'NaN came out' '5807 more are wrong, too'
sed 's/in\[x \* stride + y\]/in[y * stride + x]/; 1i #define UNUSED int unused = 1;
    s/^{/{ UNUSED/' transposed.c >unused.c
name unused.c "unused variable 'unused'"

# Right ones stay silent, whatever the number of threads.
silent() { # FILE THREADS
    OMP_NUM_THREADS=$2 exits 0 --mine "$1" --rungs mine --size 64 --time 0 &&
        prints 'mine is right' && silent_stderr
}
silent_stderr() { [ ! -s "$top/stderr" ]; }
cat >team.c <<'END'
#include <stdlib.h>
#include "kernels/stencil.h"
void step(float *out, const float *in, const float *edges, int width, int height, int stride)
{
    int rows = 0;
#pragma omp parallel reduction(+ : rows)
    {
        float *row = malloc((size_t)width * sizeof *row), kept[4];
#pragma omp for schedule(dynamic, 3)
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++) {
                const int i = y * stride + x;
                kept[x % 4] = row[x] = rec_edge_term(edges[i]);
                out[i] = rec_update(in[i - stride], in[i - 1], in[i + 1], in[i + stride], row[x]);
                out[i] += 0 * kept[x % 4];
            }
#pragma omp for
        for (int y = 0; y < height; y++)
            out[y * stride] += 0 * out[(height - 1 - y) * stride + width / 2];
#pragma omp critical
        rows += 0 * (int)row[0];
        free(row);
    }
}
END
where '! "${CC:-cc}" --version | grep -q clang' 'clang may lack OpenMP' 'right teams' &&
    for threads in 1 2 8; do
        for each in "$root"/kernels/ladder/solutions/H[45].c team.c; do
            check "silent: ${each##*/} on $threads" silent "$each" $threads
        done
    done

# What ends the program, and names and compilers with blanks.
ended() { exits 1 --mine ended.c --rungs mine --size 64 --time 0 && says 'ended the program'; }
printf '#include <unistd.h>
void step(float *o, const float *i, const float *e, int w, int h, int s) { _exit(0); }' >ended.c
check 'a step that ends the program' ended
cp "$root/kernels/ladder/solutions/H1.c" 'a "name" \ of.c'
check 'a name with quotes' silent 'a "name" \ of.c' 1
flags() { CC='cc -DFLAG' silent flag.c 1; }
{ echo '#ifdef FLAG'; cat "$root/kernels/ladder/solutions/H1.c"; echo '#endif'; } >flag.c
check 'CC of several words' flags

if where '! sanitized && command -v g++ && command -v addr2line' \
    'no g++ or addr2line, or a sanitizer that watches jumps' 'kernels without a GPU'; then
    name no-block.cu 'race: line 8 stores to out what line 8 stores' 'is blockIdx in the index?'
    name grid-dim.cu 'race: line 8 stores to out what line 8 stores'
    name bounds-exchanged.cu 'line 8 stores to out[3552], row 37, column 0: the halo'
    name launch-exchanged.cu 'update has 16384 threads a block on 2048 x 2048'
    name second-barrier.cu 'race: line 9 stores to shared what line 16 loads'
    name no-bounds.cu 'line 7 stores to out[67], row 0, column 67: the halo'
    name small-tile.cu 'line 10 stores to cell 256 of tile, which has 256'
    name partial-tile.cu 'line 18 loads shared memory that no thread of its block has stored'
    name many-threads.cu 'update has 2048 threads a block on 256 x 128'
    name barrier.cu 'line 10 is a barrier that 48 of the 256 threads of block 4 reach: undefined'
fi
finish
