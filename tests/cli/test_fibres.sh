#!/usr/bin/env bash
# bench --mine my.cu where no GPU is: what each line moves, conflicts of banks, races, and words of
# CUDA that are not known then.
. tests/lib.sh
use_bench
export CUDA_VISIBLE_DEVICES= TMPDIR=$top
needs '! sanitized && command -v g++ && command -v addr2line' \
    'no g++ or addr2line, or a sanitizer that watches jumps' 'kernels without a GPU'
ln -s "$root/kernels" kernels

# A tile down whose columns the warps go: all words of a request are in one bank.
cat >tile.cu <<'E'
#include <cuda_runtime.h>
#include "kernels/stencil.h"
extern __shared__ float tile[];
template <int N>
__global__ void update(float *out, const float *in, const float *edges, int width, int height,
                       int stride)
{
    const int x = blockIdx.x * N + threadIdx.x, y = blockIdx.y * N + threadIdx.y;
    const int inside = x < width && y < height, i = y * stride + x;
    const int tx = threadIdx.x, ty = threadIdx.y;
    float *const here = &tile[tx * N + ty];
    if (inside)
        *here = in[i];
    __syncthreads();
    if (!inside)
        return;
    const float up = ty ? here[-1] : in[i - stride];
    const float left = tx ? here[-N] : in[i - 1];
    const float right = tx < N - 1 && x + 1 < width ? here[N] : in[i + 1];
    const float down = ty < N - 1 && y + 1 < height ? here[1] : in[i + stride];
    out[i] = rec_update(up, left, right, down,
                        rec_edge_term(__ldg(&edges[i])));
}
extern "C" void step(float *out, const float *in, const float *edges, int width, int height,
                     int stride)
{
    const dim3 threads(32, 32), blocks((width + 31) / 32, (height + 31) / 32);
    update<32> <<<blocks, threads, 32 * 32 * sizeof(float)>>>(out, in, edges, width, height,
                                                              stride);
}
E
sed 's/^ *__syncthreads();//' tile.cu >race.cu
sed '/int inside/s/$/ asm("bar.sync 0;"); __shfl_down_sync(~0u, 1, 1);/' tile.cu >unknown.cu
# A thread copies four edges by one load and one store.
cat >four.cu <<'E'
__global__ void copy(float4 *out, const float4 *edges)
{
    const float4 four = edges[threadIdx.x];
    out[threadIdx.x] = four;
}
extern "C" void step(float *out, const float *in, const float *edges, int width, int height,
                     int stride)
{
    copy<<<1, 64>>>((float4 *)out, (const float4 *)edges);
}
E

row() { # LINE WHAT FIGURES: a row of the table
    grep -qE "^ *$1 +$2 +[0-9]+ +$3 " "$top/stdout" && return
    echo "no $*"
    cat "$top/stdout"
    return 1
}
skeleton() {
    exits 0 --mine "$root/kernels/ladder/exercise.cu" && row 21 '4 load of  in' '32\.0 +4\.0' &&
        row 21 '1 store to out' '32\.0 +4\.0' && prints 'out[i] = rec_update(' &&
        prints 'line 21: 32.0 sectors of 32 bytes a request, where 4.0 would' &&
        prints 'mine is right, bit for bit' && ! grep -E 'race|conflicts a' "$top/stdout"
}
columns() {
    exits 0 --mine tile.cu && row 13 '1 load of  in' '4\.0 +4\.0' &&
        row 13 '1 store to shared' '31\.0' && row 18 '1 load of  shared' '30\.0' &&
        row 21 '1 load of  edges' '4\.0 +4\.0' && prints 'line 13: 31.0 conflicts a request' &&
        prints 'mine is right' && ! grep -E 'race|sectors of' "$top/stdout"
}
races() {
    exits 1 --mine race.cu && prints 'race: line 13 stores to shared what line 18 loads: ' &&
        prints '__syncthreads() missing' && prints 'mine is WRONG: it has a race'
}
vectors() { exits 1 --mine four.cu && row 3 '1 load of  edges' '16\.0 +16\.0'; }
# The solution of an exercise reaches its goal; what it began with does not.
reached() { # EXERCISE BYTES
    exits 0 --mine "$solutions/$1.cu" --exercise "$1" && prints 'mine is right' &&
        grep -qE "^$2 bytes an update .*: the goal is reached" "$top/stdout"
}
solutions=$root/kernels/ladder/solutions
for each in 2:26 3:26 5:30 6:17 9:9; do
    check "the solution of exercise ${each%:*}" reached "${each%:*}" "${each#*:}\.[0-9]"
done
check 'what exercise 2 begins with' all exits 0 --mine "$root/kernels/ladder/exercise.cu" \
    --exercise 2 and prints '192.0 bytes' and prints 'the goal is not reached'
wrong() { # EXERCISE SED TEXT
    sed -E "$2" "$solutions/$1.cu" >wrong.cu && exits 1 --mine wrong.cu && prints "$3"
}
check 'tiles that overlap too little' wrong 9 's/28/30/g; s/27/29/g; s/>= 2/>= 1/g; s/< 30/< 31/g
    s/ - 2 \+/ - 1 +/g' 'right for n = 1, but not for more'
check 'a halo that changes' wrong 9 's/t && inside/t/' 'the halo changed'
check 'blocks whose sums are lost' wrong 5 's/atomicAdd.*/*squares = sums[0];/' 'it has a race'
check 'a thread a row: 32 sectors a request' skeleton
check 'words of one bank: 31 conflicts a request' columns
check 'a barrier that is missing: a race, by its lines' races
sed 's/if (inside)/if (inside \&\& tx)/' tile.cu >rimless.cu
check 'shared memory that nobody stored, by its line' all exits 1 --mine rimless.cu \
    and prints 'line 20 loads shared memory that no thread of its block has stored'
check 'four floats by one load: 16 sectors' vectors
check 'what is not known has its line and word' all exits 65 --mine unknown.cu \
    and says 'unknown.cu:9' and says PTX_is_not_known \
    and says "'__shfl_down_sync' was not declared" \
    and says 'course.md lists what CUDA works there'
finish
