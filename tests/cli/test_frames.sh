#!/usr/bin/env bash
# A film of a run: a numbered picture of every K iterations, or log-spaced ones, the same whether
# the run is stopped on its way or not. (Frames by jumps, --frames-at, are in test_exact.sh; a
# window's in tests/window/test_inputs.sh.)
. tests/lib.sh
set -m
exec 2>/dev/null # bash's notes on jobs

waves 60 40 >picture.pgm
castle 30 20 --colour >picture.ppm
given works edges picture.pgm -o e.pgm
given works edges picture.ppm -o c.ppm
{ printf 'P5 400 300 255\n'; head -c 120000 /dev/urandom; } >big.pgm

film() { works --headless -q "$@"; } # ARGUMENT...: headless and quiet

# FOLDER has the frames of STEM that are these iterates of the input, in their order, and no others.
frames_are() { # FOLDER STEM ENDING INPUT ITERATE...
    local folder=$1 stem=$2 ending=$3 input=$4 number=0 iterate name
    shift 4
    for iterate; do
        number=$((number + 1))
        printf -v name '%s/%s-%06d.%s' "$folder" "$stem" $number "$ending"
        works --headless -q -s cpu -n "$iterate" "$input" "${options[@]}" -o "one.$ending" &&
            same "$name" "one.$ending" || return
    done
    equal "$(find "$folder" -name "$stem-*" | wc -l)" $number && tidy "$folder"
}
options=()

# ---- which iterates ----

every() {
    film --frames every -k 20 -n 110 e.pgm && frames_are every e pgm e.pgm 0 20 40 60 80 100
}
check '--frames: the start and every K iterations' every
usual_k() { film --frames usual -n 300 e.pgm && frames_are usual e pgm e.pgm 0 100 200 300; }
check 'K is 100 where -k does not say' usual_k
check '--frames-log: each a tenth further on' all film --frames spaced --frames-log -n 24 e.pgm \
    and frames_are spaced e pgm e.pgm 0 1 2 3 4 5 6 7 8 9 10 11 13 15 17 19 21 24
one_frame() { film --frames one -n 0 e.pgm && frames_are one e pgm e.pgm 0; }
check 'of no iterations the start' one_frame
waves 8 7 >tiny.pgm
given works edges tiny.pgm -o tiny-edges.pgm
each_to_the_standstill() { # which may take one iteration more for the parity of N
    local last
    for last in 100000 100001; do
        rm -rf each
        film --frames each -k 1 -n $last tiny-edges.pgm -o still.pgm --report r.json &&
            contains r.json '"stopped": "standstill"' || return
        last=$(sed -E 's/.*"iterations": ([0-9]+).*/\1/' r.json)
        equal "$(find each -type f | wc -l)" $((last + 1)) &&
            same "$(printf 'each/tiny-edges-%06d.pgm' $((last + 1)))" still.pgm || return
    done
}
check '-k 1 to the standstill: none is skipped' each_to_the_standstill
endless() {
    film --frames endless --frames-log e.pgm --report r.json -o still.pgm &&
        contains r.json '"stopped": "standstill"' && contains r.json '"solver": "cpu"' &&
        within 1 still.pgm picture.pgm && [ -e endless/e-000050.pgm ]
}
check_where '! built_with CUDA' 'the solver may be another' \
    '--frames-log alone goes on to the standstill' endless
same_end() { # where a tolerance stops does not depend on the film
    film -t 3 -k 50 e.pgm -o plain.pfm --report plain.json &&
        film -t 3 -k 50 e.pgm -o filmed.pfm --report filmed.json --frames t --frames-log &&
        same plain.pfm filmed.pfm &&
        equal "$(grep -o '"iterations": [0-9]*' filmed.json)" \
            "$(grep -o '"iterations": [0-9]*' plain.json)"
}
check '-t ends where it does without a film' same_end

# ---- what is in them ----

options=(--tone stretch --maxval 1000)
check 'colour, tone and maxval' eval 'film --frames colour -k 5 -n 10 c.ppm "${options[@]}" &&
    frames_are colour c ppm c.ppm 0 5 10'
options=(--halo 9 --start 77)
check 'PFM, a halo and a start' eval 'film --frames float -k 3 -n 9 e.pgm --format pfm \
    "${options[@]}" && frames_are float e pfm e.pgm 0 3 6 9'
options=()
check 'several inputs' all film --frames both -k 5 -n 10 e.pgm c.ppm -o results \
    and frames_are both e pgm e.pgm 0 5 10 and frames_are both c ppm c.ppm 0 5 10 \
    and same both/e-000003.pgm results/e.pgm
check 'the last line but one tells how many, and of older ones behind them' all exits 0 --headless \
    --frames told -k 5 -n 10 e.pgm and says '3 frames, told/e-000001.pgm to 000003' \
    and not says 'another run' and exits 0 --headless --frames told -k 5 -n 5 e.pgm \
    and says 'another run' and [ -e told/e-000003.pgm ]

# ---- stopped, and gone on with ----

everywhere=$program
on_the_host
total=$(iterations_for 0.3 big.pgm)
k=$((total / 40 + 1))
given works --headless -q -n "$total" -k $k big.pgm --frames whole
given works --headless -q -n "$total" --frames-log big.pgm --frames whole-log

resumed() { # SIGNAL STATUS WHOLE OPTION...
    local whole=$3 file
    local -a run_it=(--headless -q -n "$total" big.pgm --frames part --checkpoint c
        --checkpoint-every 0.02 "${@:4}")
    left() { # what lies before the checkpoint is not touched any more
        find part -type f -exec touch -d '2001-01-01' {} +
        ls part >kept
        done_by c >"from-$stops"
    }
    rm -rf part c .c.*
    is_stopped "$1" "$2" part || return
    rm -f part/.big* # of a killed one
    [ "$status" -eq 0 ] || works "${run_it[@]}" || return
    absent c && diff -r part "$whole" || return
    [ -n "${every_k-}" ] || return 0
    for file in $(head -n $(($(cat "from-$stops") / every_k)) kept); do
        equal "$(date -r "part/$file" +%Y)" 2001 || return
    done
}
every_k=$k
check 'SIGTERM, and gone on with: every K' resumed TERM 75 whole -k $k
every_k=
check 'SIGKILL, and gone on with: log-spaced' resumed KILL 137 whole-log --frames-log
program=$everywhere
finished() {
    local -a run_it=(--headless -q -k 5 -n 10 e.pgm missing.pgm -o made --checkpoint kept2)
    exits 66 "${run_it[@]}" && [ -s kept2/journal.jsonl ] &&
        exits 66 "${run_it[@]}" --frames later &&
        frames_are later e pgm e.pgm 0 5 10
}
check 'an input that is finished without its film is done again for it' finished

# ---- what is refused ----

wrong() { refuses 64 "$1" --headless -q e.pgm "${@:2}" && absent none; } # TEXT OPTION...
check 'every K iterations without an end' wrong -n --frames none -k 5
check '--frames-log without a folder' wrong '--frames FOLDER' --frames-log -n 5 -o out.pgm
check '--frames-at without a folder' wrong '--frames FOLDER' --frames-at 5 -o out.pgm
check '--frames-log and --frames-at' wrong --frames-at --frames none --frames-log --frames-at 5
if has_spectral; then
    check 'a solver that takes no steps' wrong stencil --frames none -k 5 -n 5 -s spectral
fi
check '--frames-at with a checkpoint' wrong --checkpoint --frames none --frames-at 5 --checkpoint c
as_text() {
    refuses 64 pgm --headless -q -n 5 e.pgm --frames wrong --format ppm && empty "$(ls -A wrong)"
}
check 'a format that does not fit is refused at the first frame' as_text

# ---- where there is no room ----

check 'a folder that is a file' refuses 73 picture.pgm --headless -q -n 5 e.pgm --frames picture.pgm
mkdir small
if where 'is_root && mount -t tmpfs -o size=300k tmpfs small' 'no tmpfs can be mounted here' \
    'a full disk'; then
    mounted=$PWD/small
    full() {
        refuses 74 small/film/big-000003.pgm --headless -q -k 5 -n 500 big.pgm \
            --frames small/film &&
            equal "$(ls -A small/film | xargs)" 'big-000001.pgm big-000002.pgm'
    }
    check 'a full disk: the frames before it are whole' full
    check 'a folder that cannot be written to' all rm -r small/film and mount -o remount,ro small \
        and refuses 73 small --headless -q -k 5 -n 500 big.pgm --frames small
fi

finish
