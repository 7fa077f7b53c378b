#!/usr/bin/env bash
# The ladder on the command line: its table, its files, the plate, and what is refused. Speeds are
# not tested, they are different everywhere; the rungs' bits are tests/unit/test_bench.c's.
. tests/lib.sh
use_bench

quick=(--rungs cpu --size 40x30 --time 0)

row() { # NUMBER NAME: one line of the table with a speed in it
    grep -qE "^ *$1  $2 .* [0-9.]+ (us|ms|s) .* [0-9.]+%" "$top/stdout" ||
        { echo "no row $1 $2:"; cat "$top/stdout"; false; }
}

table() {
    exits 0 "${quick[@]}" && [ ! -s "$top/stderr" ] && prints '40 x 30' && prints 'host ' &&
        row 1 cpu-exercise && row 2 cpu-columns && row 3 cpu-rows &&
        prints 'of copy      GB/s as a percentage' && row 4 cpu-swap &&
        equal "$(grep -cE '^ *[0-9]+  [a-z]' "$top/stdout")" 4
}
several_sizes() {
    exits 0 --rungs 4 --size 16,20x10 --time 0 && prints '16 x 16' && prints '20 x 10' &&
        equal "$(grep -c '^ *4  cpu-swap' "$top/stdout")" 2
}
shipped() {
    # A processor without some vectors skips those kernels; its own choice works everywhere.
    exits 0 --rungs shipped --size 33x17 --time 0 && row 30 cpu/base && row 33 cpu/auto &&
        grep -E '^ *70  exact/cpu ' "$top/stdout" | grep -qE ' built without | [um]?s .*%'
}
check 'the table' table
check 'several sizes' several_sizes
check 'the shipped solvers' shipped

json() {
    exits 0 "${quick[@]}" --json out.json &&
        grep -q '"name": "cpu-rows", "width": 40, "height": 30, "outcome": "timed"' out.json &&
        grep -q '"copy_bytes_per_second": [0-9]' out.json && prints cpu-rows && tidy
}
parses() {
    python3 -c 'import json, sys
runs = json.load(open(sys.argv[1]))["results"]
assert [run["rung"] for run in runs] == [1, 2, 3, 4]
assert all(0 < run["seconds"]["minimum"] <= run["seconds"]["median"] <= run["seconds"]["maximum"]
           for run in runs)
assert runs[0]["times_cpu"] == 1 and runs[0]["times_before"] is None
for run in runs:
    rate = 40 * 30 / run["seconds"]["median"]
    assert abs(run["updates_per_second"] / rate - 1) < 1e-6
    assert abs(run["bytes_per_second"] / (rate * run["bytes_per_update"]) - 1) < 1e-6' out.json
}
check '--json FILE' json
check_where 'command -v python3' 'no python3' \
    'it is JSON, and its numbers belong together' parses
check '--json -: the table goes to stderr' all exits 0 "${quick[@]}" --json - \
    and says cpu-rows and prints '"program": "reconstruct bench"'

# docs/ladder.py draws what was written, and compares it with what was written earlier.
script() { "$root/docs/ladder.py" "$@" >"$top/stdout" 2>"$top/stderr"; } # ARGUMENT...
compared() {
    # It took 10 ms, where a slow machine takes 0.1: the factor must show.
    sed -E 's/"median": [0-9.e-]+/"median": 0.01/' out.json >slow.json &&
        script compare out.json slow.json &&
        grep -qE 'cpu-rows .* [0-9]{3,}\.[0-9]+x$' "$top/stdout" &&
        sed 's/"width": 40/"width": 41/' out.json >other.json &&
        script compare out.json other.json && grep -qE 'cpu-rows .* nanx$' "$top/stdout"
}
drawn() {
    script draw out.json && head -n 1 "$top/stdout" | grep -q '^<svg ' && prints '</svg>' &&
        prints '>cpu-exercise</text>' && prints '>cpu-columns</text>' &&
        prints 'l852.0 ' && # one roof, from side to side
        cp "$top/stdout" plot.svg && ! grep nan plot.svg
}
check_where 'command -v python3' 'no python3' 'a factor for every rung' compared
check_where 'command -v python3' 'no python3' 'the roofline' drawn
# On the host alone.
check_where 'command -v python3' 'no python3' 'the roofline of the convolution' all exits 0 \
    --problem convolution --rungs 50 --radius 3 --size 64 --json course.json \
    and script draw course.json and prints '>serial</text>'
check_where 'command -v python3' 'no python3' 'the roofline of docs/ is that of its file' \
    all script draw "$root/docs/ladder-h200.json" and same "$top/stdout" "$root/docs/roofline.svg"

# docs/scaling.py with a program whose speed is the number of GPUs that it sees: a rank sees all.
scaled() {
    printf '#!/bin/sh\nshift 2\nexec "$@"\n' >launch
    cat >tool <<'END'
#!/bin/sh
seen=$(echo "$CUDA_VISIBLE_DEVICES" | tr -d , | wc -m)
while [ "$1" != --report ]; do shift; done
echo "{\"updates_per_second\": $((seen - 1))e12, \"kernel\": \"k\", \"change_rms\": 1}" >"$2"
END
    chmod +x launch tool && cp tool tool-mpi &&
        RECONSTRUCT=./tool "$root/docs/scaling.py" measure --gpus 4 --counts 1,2 --names 2048 \
            --ranks ./launch >scaling.csv &&
        printf '2048,2048x2048,%s,k\n' 1,process,1000.0 2,process,2000.0 2,ranks,2000.0 \
            2,ideal,1641.0 | cmp - scaling.csv &&
        "$root/docs/scaling.py" table <scaling.csv | grep -qxF \
            '| 2048 x 2048 | 1000 | 2000 | 1641 | 122% |' &&
        "$root/docs/scaling.py" fit <scaling.csv | grep -q '^LATENCY, BANDWIDTH = ' &&
        rm launch tool tool-mpi scaling.csv
}
check_where 'command -v python3' 'no python3' 'one image over several GPUs, measured' scaled
check_where 'command -v python3' 'no python3' 'the plot of several GPUs is that of its file' \
    eval '"$root/docs/scaling.py" draw <"$root/docs/scaling.csv" | cmp - "$root/docs/scaling.svg"'

# As in a serial loop in double. NVIDIA's program in float stops after 555 for a side of 64.
plate() { # SOLVER
    local side count first rows last
    while read -r side count first rows last; do
        exits 0 --problem plate --size "$side" --solver "$1" &&
            awk -v c="$count" -v f="$first" -v r="$rows" -v l="$last" '
                function near(a, b) { return a > b * 0.9999 && a < b * 1.0001 }
                /^ +[0-9]+  / { if (!n++) bad += !near($2, f); end = $2 }
                /reached 1e-4 after/ { d = $8 - c; said = d * d < 2 }
                END { exit bad || n != r || !near(end, l) || !said }' "$top/stdout" ||
            { cat "$top/stdout"; return 1; }
    done <<'END'
5 8 0.141421356 1 0.141421356
17 92 0.0831890331 4 0.000208172085
64 556 0.0438475475 23 0.000101322911
129 888 0.0310077519 36 0.000101658043
END
}
for solver in reference cpu; do check "the plate, $solver" plate $solver; done
check 'a plate that does not converge: exit 1' all exits 1 --problem plate -n 100 -s cpu \
    and prints 'stopped after 100' and says 'did not converge'
if "$executable" --help | grep -q '^  spectral '; then
    check 'the plate, spectral: exit 64' refuses 64 spectral --problem plate -s spectral
fi

convolution=(--problem convolution --size 40 --rungs 50,51,63)
course() {
    exits 0 "${convolution[@]}" --width 1,2 --json course.json &&
        prints '40 x 40, stencil 3 x 3' && prints '40 x 40, stencil 5 x 5' &&
        prints '50  serial 5x5 ' && prints '63  cpu-solver 3x3 ' &&
        prints 'GFLOP/s      billions' &&
        grep -q '"radius": 2, .*"operations_per_byte": 6.25' course.json
}
course_reference() { # made, found right with a border of 0, and with a NaN and an infinity wrong
    exits 0 "${convolution[@]}" --radius 2 --create-reference reference.raw &&
        equal "$(wc -c <reference.raw)" 6400 &&
        dd if=/dev/zero of=reference.raw bs=4 count=80 conv=notrunc 2>"$top/dd" &&
        exits 0 "${convolution[@]}" --radius 2 --reference reference.raw &&
        prints '63  cpu-solver 5x5 ' && prints 'but for a border of 2 pixels' &&
        printf '\377\377\377\377\0\0\200\177' |
            dd of=reference.raw bs=1 seek=404 conv=notrunc 2>"$top/dd" &&
        exits 1 "${convolution[@]}" --radius 2 --reference reference.raw &&
        prints '2 of 1600 pixels are wrong, the first at column 21, row 2' && rm reference.raw
}
check 'the course on convolution' course
check '--width is an old name of --radius' all exits 0 "${convolution[@]}" --width=1 \
    and prints 'stencil 3 x 3' and exits 0 --help and prints --radius and not prints --width
check_where 'command -v python3' 'no python3' 'its curve over the widths' all script draw \
    course.json and prints '>cpu-solver</text>' and prints '<line class="shipped"' \
    and not grep nan "$top/stdout"
check "the course's reference file" course_reference
echo short >short.raw
check 'a reference of another size: exit 65' \
    all exits 65 "${convolution[@]}" --radius 2 --reference short.raw and says '6400 bytes'
check 'one reference for two widths: exit 64' \
    refuses 64 'one --radius' "${convolution[@]}" --radius 2,3 --reference short.raw
check 'a radius of 0: exit 64' refuses 64 ': must be 1 to 31' "${convolution[@]}" --radius 0
check '--radius with the ladder: exit 64' refuses 64 'for --problem ladder' --radius 2

if has_device; then
    check 'the course on the device' all exits 0 --problem convolution \
        --size 203 --radius 1,2,3,4,5,8 --rungs gpu,60,62 and not prints WRONG \
        and prints '52  row 3x3 ' and prints '59  tile 17x17 ' and prints '60  direct 11x11 '
    check 'the rungs of the device' \
        all exits 0 --rungs gpu,cuda/auto --blocks 32x8,1x256 --size 203x117 --time 0 \
        and row 10 swap and row 11 'block 1x256' and row 24 add-right and row 28 grid \
        and row 49 cuda/auto and exits 0 --rungs 71 --size 2048x33,20000x300 --time 0 \
        and row 71 exact/cuda and not prints WRONG \
        and exits 0 --rungs 71 --slabs 3 --size 1000x203 --time 0 and row 71 exact/cuda
    check 'the plate, cuda' plate cuda
elif ! built_with CUDA; then
    check 'a rung that is not in this build: exit 64' refuses 64 'no CUDA' --rungs 10
else
    without_device() {
        exits 69 --rungs gpu --size 16 && prints 'skipped: 38 of the GPU' &&
            equal "$(grep -c skipped "$top/stdout")" 1 && says 'none of these rungs'
    }
    check 'a rung of a device that is not here: exit 69' without_device
fi

check 'no such rung: exit 64' refuses 64 'unknown rung' --rungs 4,nonsense
check 'a rung of another problem: exit 64' refuses 64 '--problem convolution' --rungs 51
check 'two grids: exit 64' refuses 64 'at most 1' --grid 4x4,5x5
check 'too many threads: exit 64' refuses 64 '1024 threads' --blocks 64x32
check 'no such problem: exit 64' refuses 64 'ladder|plate|convolution' --problem pan
check 'an operand: exit 64' refuses 64 'not input.pgm' input.pgm
check '--solver with the ladder: exit 64' refuses 64 'for --problem ladder' -s cpu
check '--json with the plate: exit 64' refuses 64 'for --problem p' --problem plate --json x
check 'an oblong plate: exit 64' refuses 64 square --problem plate --size 64x65
check 'a folder that is not there: exit 73' refuses 73 none/x.json --json none/x.json
check 'nothing was left behind' tidy

finish
