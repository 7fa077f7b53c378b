#!/usr/bin/env bash
# Lists of inputs: where their names come from, shards, the journal and going on by it, relative
# paths that are kept, what ends a list. (Files that would overwrite others: test_overwrite.sh; two
# runs with one journal or checkpoint: test_owner.sh.)
. tests/lib.sh

waves 24 16 | "$program" edges - -o a.pgm && cp a.pgm b.pgm && waves 40 30 |
    "$program" edges - -o c.pgm
mkdir sub && cp c.pgm sub/a.pgm
printf '%s\n' a.pgm b.pgm c.pgm >list
listed() { exits 0 --headless -q -n 20 --files-from "$@"; }
lines() { equal "$(wc -l <"$1")" "$2"; } # FILE COUNT

# ---- names ----

from_file() {
    listed list --output-dir one && works --headless -q -n 20 a.pgm -o a1.pgm &&
        same one/a.pgm a1.pgm && equal "$(ls one)" $'a.pgm\nb.pgm\nc.pgm'
}
check 'names from a file' from_file
from_pipe() {
    listed - -o two/ < <(printf 'a.pgm\r\n\r\nb.pgm') && equal "$(ls two)" $'a.pgm\nb.pgm'
}
check 'from standard input, with CR LF and the last line open' from_pipe
marked() { # by an editor on Windows
    printf '\357\273\277a.pgm\r\nb.pgm\r\n' >marked && listed marked -o marks/ &&
        equal "$(ls marks)" $'a.pgm\nb.pgm'
}
check 'a byte order mark is no part of the first name' marked
odd_names() {
    local name=$'odd\nname.pgm'
    cp a.pgm "$name" && listed - --null -o odd/ < <(printf '%s\0' "$name" b.pgm) &&
        [ -s $'odd/odd\nname.pgm' ] && [ -s odd/b.pgm ]
}
check 'a NUL ends each name' odd_names
printf 'a.pgm\0b.pgm\0' >zeros
check 'a NUL in a name' refuses 65 --null --headless -q -n 5 --files-from zeros -o zeros-out/
empty_list() { : >none && listed none -o empty/ --report e.jsonl && lines e.jsonl 0; }
check 'an empty list is done at once' empty_list
one_of_a_list() { echo a.pgm >single && listed single -o alone && [ -s alone/a.pgm ]; }
check 'a list of one has a folder too' one_of_a_list
check 'one input, and a folder with a slash' all cp a.pgm .hidden \
    and works --headless -q -n 20 a.pgm -o new/ \
    and [ -s new/a.pgm ] and works --headless -q -n 20 .hidden -o new/ and [ -s new/.hidden.pgm ]
check 'a list and operands' refuses 64 files-from --headless -q -n 5 --files-from list a.pgm -o x
check 'a list that is a folder' refuses 66 'is a folder' --headless -q -n 5 --files-from sub -o x
check 'a list that is not there' refuses 66 nolist --headless -q -n 5 --files-from nolist -o x
check '--null without a list' refuses 64 files-from --headless -q -n 5 --null a.pgm -o x
check '--output-dir and -o' refuses 64 output --headless -q -n 5 a.pgm -o x --output-dir y

# ---- shards ----

shards() {
    local i all
    for i in 0 1 2 3; do
        listed list --shard "$i/4" -o shards --report "s$i.jsonl" || return
    done
    all=$(cat s?.jsonl | grep -o '"input": "[a-z.]*"' | sort)
    equal "$(ls shards)" $'a.pgm\nb.pgm\nc.pgm' && lines s0.jsonl 1 && lines s3.jsonl 0 &&
        equal "$all" $'"input": "a.pgm"\n"input": "b.pgm"\n"input": "c.pgm"'
}
check 'shards share a list' shards
for shard in 4/4 1 1/0 -1/4 1/4x /4 1/; do
    check "--shard $shard" refuses 64 shard --headless -q -n 5 --files-from list \
        --shard "$shard" -o x
done
clashing() { # those inputs fail, and the rest of the list is done
    local i
    mkdir -p far/1 far/2
    for i in {1..8}; do echo far/1/f$i.pgm; echo far/2/f$i.pgm; done | shuf >clash
    printf '%s\n' c.pgm a.pgm sub/a.pgm c.pgm b.pgm >>clash
    run --headless -q -n 5 --files-from clash -o clashing --report clash.jsonl
    equal "$status" 64 && equal "$(ls clashing)" $'b.pgm\nc.pgm' && lines clash.jsonl 20 &&
        equal "$(grep -c '"status": 64, "error": ".* would have the same output' clash.jsonl)" 18 &&
        equal "$(grep -c 'would have the same output name; --parents keeps' "$top/stderr")" 10
}
check 'equal stems in a list from a file, and a name that comes again' clashing
check 'in every shard' eval 'run --headless -q -n 5 --files-from clash --shard 0/20 -o clashing2;
    equal "$status" 64 && [ -d clashing2 ] &&
    exits 0 --headless -q -n 5 --files-from clash --shard 19/20 -o clashing2 &&
    [ -s clashing2/b.pgm ]'
leaves_its_folder() {
    printf '%s\n' sub/../a.pgm b.pgm >up && run --headless -q -n 5 --files-from up --parents -o up.d
    equal "$status" 64 && says 'cannot have ..' && [ -s up.d/b.pgm ]
}
check 'a name with .. in it, and --parents' leaves_its_folder
check 'a name that is given twice' refuses 64 'is given twice' --headless -n 5 a.pgm a.pgm -o x

# ---- relative paths ----

parents() {
    printf '%s\n' a.pgm ./sub//a.pgm "$PWD/sub/a.pgm" >deep
    listed deep --parents -o tree --report t.jsonl && [ -s tree/a.pgm ] && [ -s tree/sub/a.pgm ] &&
        [ -s "tree$PWD/sub/a.pgm" ] && same tree/sub/a.pgm one/c.pgm
}
check '--parents keeps the folders' parents
check 'frames and checkpoints keep them too' all works --headless -q -n 4 -k 2 a.pgm sub/a.pgm \
    --parents --frames pf --checkpoint pc and [ -s pf/sub/a-000003.pgm ] and [ -s pf/a-000001.pgm ]
left_over() { # in folders below those of the options
    local file name=.a.pgm.rec-$(uname -n)-1-0
    works --headless -q -n 4 -k 2 a.pgm sub/a.pgm --parents --frames lf --checkpoint lc -o lo ||
        return
    mkdir -p lc/sub
    for file in lf/sub lc/sub lo/sub; do : >"$file/$name"; done
    works --headless -q -n 4 -k 2 sub/a.pgm --parents --frames lf --checkpoint lc/ -o lo/ &&
        absent "lf/sub/$name" lc/sub "lo/sub/$name"
}
check 'what killed runs left in such folders is removed' left_over
check '--parents and ..' refuses 64 .. --headless -q -n 5 sub/../a.pgm b.pgm --parents -o x

# ---- the journal ----

files() { stat -c '%i %Y' "$@"; } # another number is another file
again() { run --headless -n 20 --files-from list -o kept --report k.jsonl --resume "$@"; }
goes_on() {
    printf '%s\n' a.pgm b.pgm missing.pgm >list2
    run --headless -n 20 --files-from list2 -o kept --report k.jsonl
    equal "$status" 66 && says '2 written, 1 failed (see k.jsonl)' && lines k.jsonl 3 &&
        grep -q '"input": "missing.pgm", "status": 66, "error": "missing' k.jsonl || return
    local made
    made=$(files kept/a.pgm)
    again && equal "$status" 0 && says '1 written, 2 done before' && lines k.jsonl 4 &&
        equal "$(files kept/a.pgm)" "$made" || return
    again && equal "$status" 0 && says '0 written, 3 done before' && lines k.jsonl 4
}
check '--resume passes over what is done' goes_on
resumed_anew() { # what differs, and how
    again && lines k.jsonl "$before" || return
    "$@" && again && equal "$status" 0 && says '1 written, 2 done before' &&
        lines k.jsonl $((before += 1))
}
progress() { # counts what the list has, and names what no run has begun
    printf '%s\r\n' a.pgm no.pgm >list3 && mkdir pr && cp k.jsonl pr && echo '{"torn' >>pr/k.jsonl
    equal "$("$root/docs/slurm/progress.sh" list3 pr)" \
        $'{"0":1,"not begun":1}\nno.pgm: not begun'
}
check_where 'command -v jq' 'there is no jq' 'how far a list is' progress
before=4
check 'an output that is gone is written again' resumed_anew rm kept/a.pgm
check 'a shorter output is written again' resumed_anew truncate -s 20 kept/b.pgm
check 'a touched input is done again' resumed_anew touch -d @0 c.pgm
check 'a torn line is no line' resumed_anew truncate -s -9 k.jsonl
away() { mv b.pgm gone && again && mv gone b.pgm && lines k.jsonl $((before += 1)); }
check 'an input that was away is done again' resumed_anew away
other_settings() {
    again --tone stretch && says '3 written' && again && says '3 written' # the last line counts
}
# All options that decide the output: tests/unit/test_options.c.
check 'other settings are another matter' other_settings
of_other_files() {
    local -a run_it=(--headless -n 3 a.pgm b.pgm -o st --report st.jsonl --resume --start s)
    cp a.pgm s && exits 0 "${run_it[@]}" && exits 0 "${run_it[@]}" && says '2 done before' &&
        touch -d 2001-01-01 s && exits 0 "${run_it[@]}" && says '2 written'
}
check 'another file to start from is another matter' of_other_files
another_run() { # writes the same outputs meanwhile; these lines are not about them
    local -a run_it=(--headless --files-from list -o ab --resume)
    exits 0 "${run_it[@]}" -n 100 --report ab1.jsonl &&
        exits 0 "${run_it[@]}" -n 200 --report ab2.jsonl &&
        exits 0 "${run_it[@]}" -n 100 --report ab1.jsonl && says '3 written' &&
        cp -r ab elsewhere && exits 0 "${run_it[@]}" -n 100 --report ab1.jsonl &&
        says '3 done before' && exits 0 --headless --files-from list -o elsewhere --resume -n 100 \
        --report ab1.jsonl && says '3 written'
}
check 'outputs of another run, or elsewhere, are not those of the lines' another_run
newest() { # of several journals, in any order: not the last line of the last file
    listed list -o ne --report old.jsonl && sed -i 's/"status": 0/"status": 65/' old.jsonl &&
        listed list -o ne --report new.jsonl &&
        exits 0 --headless -n 20 --files-from list -o ne --report none.jsonl \
            --resume new.jsonl --resume old.jsonl && says '3 done before' &&
        grep -qE "\"finished\": \"$(date -u +%Y)-.*Z\", \"host\": \"$(uname -n)\"" new.jsonl
}
check 'the newest line counts, whatever the order of the journals' newest
references() { # in a folder: one that changes is another matter
    local -a run_it=(--headless -n 5 a.pgm b.pgm --reference refs -o rf --report rf.jsonl --resume)
    mkdir refs && cp a.pgm b.pgm refs && exits 0 "${run_it[@]}" && exits 0 "${run_it[@]}" &&
        says '2 done before' && cp b.pgm refs/a.pgm && exits 0 "${run_it[@]}" &&
        says '1 written, 1 done before'
}
check 'a changed picture in the folder of --reference' references

anew() { listed list -o kept --report k.jsonl && lines k.jsonl 3; }
check 'without --resume the journal starts anew' anew
another_count() {
    local i made
    for i in 0 1; do listed list --shard $i/2 -o n2 --report n$i.jsonl; done
    made=$(files n2/*)
    for i in 0 1 2; do
        listed list --shard $i/3 -o n2 --report m$i.jsonl --resume n0.jsonl --resume=n1.jsonl &&
            lines m$i.jsonl 0 || return
    done
    equal "$(files n2/*)" "$made"
}
check 'further journals let the number of shards change' another_count
into_a_pipe() { # which is not read as a journal, or this would wait for a writer
    mkfifo j.fifo || return
    cat j.fifo >piped.jsonl &
    timeout 60 "$program" --headless -q -n 5 a.pgm b.pgm -o pj --report j.fifo --checkpoint pc &&
        wait $! && lines piped.jsonl 2
}
check 'a journal that is a pipe' into_a_pipe
removed() { # while the second input is awaited: both lines are there, and it is said
    mkfifo slow.pgm
    timeout 60 "$program" --headless -n 5 a.pgm slow.pgm -o rj --report rj.jsonl 2>removed &
    until [ -s rj.jsonl ]; do sleep 0.01; done
    rm rj.jsonl && cat b.pgm >slow.pgm && wait $! && lines rj.jsonl 2 &&
        contains removed 'rj.jsonl was removed meanwhile: it is written again'
}
check 'a journal that somebody removes' removed
check '--resume by a report that cannot be read' refuses 64 'standard output cannot be read again' \
    --headless -q -n 5 a.pgm b.pgm -o pj --report - --resume
check '--resume without --report' refuses 64 report --headless -q -n 5 a.pgm -o x --resume
check 'a journal that is not there' refuses 66 no.jsonl --headless -q -n 5 --files-from list -o x \
    --report x.jsonl --resume no.jsonl
verdict() {
    local -a run_it=(--headless -n 3 -t 0.001 a.pgm c.pgm -o v --report v.jsonl --resume)
    exits 1 "${run_it[@]}" && says '2 written, 2 of them did not pass the check (see v.jsonl)' &&
        [ -s v/a.pgm ] && exits 1 "${run_it[@]}" && says '2 done before' && lines v.jsonl 2 &&
        exits 66 "${run_it[@]}" missing.pgm || return
    run_it=(--headless -q -n 3 -t 0.001 a.pgm c.pgm -o v2 --checkpoint v2c)
    exits 1 "${run_it[@]}" && exits 1 "${run_it[@]}" && lines v2c/journal.jsonl 2
}
check 'a verdict of 1 is done, and stays 1, with checkpoints, too' verdict
others_stay() { # of a run with other settings, in the same folder
    local -a run_it=(--headless -q -n 3 a.pgm c.pgm -o over --checkpoint overc \
        --report over.jsonl --resume)
    works "${run_it[@]}" && cp over/a.pgm before.pgm && mkdir overc &&
        run --headless -q -n 4 -k 1 a.pgm -o /dev/full --format pgm --checkpoint overc/a.checkpoint
    equal "$status" 74 && cp overc/a.checkpoint "$top/kept" && works "${run_it[@]}" &&
        same overc/a.checkpoint "$top/kept" && same over/a.pgm before.pgm && lines over.jsonl 2
}
check 'a list that is done leaves the checkpoints of other runs' others_stay

{ printf 'P5 400 300 255\n'; head -c 120000 /dev/urandom; } >long.pgm
printf 'P2 1 1 255 0' >dot.pgm # a fixed point at once, however slow the machine is
no_lock() {
    "$program" --headless -n 1000000000 -t 1e-300 dot.pgm long.pgm -o nl --checkpoint nlc -s cpu &
    appears nlc/journal.jsonl && absent nlc/dot.checkpoint.lock
    local result=$?
    kill -KILL $! 2>/dev/null # which may have come to its end
    return $result
}
OMP_NUM_THREADS=2 check 'its lock goes with it, while another is solved' no_lock

# ---- failures ----

first_counts() {
    : >empty.pgm && run --headless -q -n 5 empty.pgm missing.pgm a.pgm -o f1 --report f1.jsonl
    equal "$status" 65 && says 'empty.pgm: ' && says 'missing.pgm: ' && [ -s f1/a.pgm ]
}
check 'each failure is told, the first one is the exit code' first_counts
check 'the first failure is told where the report fails, too' refuses 65 'empty.pgm: is empty' \
    --headless -q -n 5 empty.pgm -o no.pgm --report /dev/full
# Reading it fails at once.
check 'a read error of one input does not end the list' all refuses 74 \
    '/proc/self/mem: cannot be read' --headless -q -n 5 /proc/self/mem a.pgm -o f2 --jobs 1 \
    and [ -s f2/a.pgm ]
check 'a start that cannot be read is told once' refuses 66 none.pgm \
    --headless -q -n 5 a.pgm b.pgm -o out/ --start none.pgm
# It is that input's matter.
check 'an output that cannot be overwritten does not end the list' all mkdir -p way/b.pgm \
    and refuses 73 'way/b.pgm: is a folder' --headless -q -n 5 --files-from list -o way --jobs 1 \
    and [ -s way/c.pgm ]
gone() { # nothing more is computed for it
    mkfifo late.pgm
    timeout 60 "$program" --headless -q -n 5 a.pgm late.pgm b.pgm c.pgm -o going/ --jobs 1 \
        2>said &
    appears going/a.pgm && mv going gone && cat c.pgm >late.pgm
    wait $!
    equal $? 73 && contains said 'late.pgm: cannot be created: No such file or directory; the rem'
}
check 'a folder of outputs that goes away ends the list' gone
for i in {1..40}; do cp c.pgm "d$i.pgm"; echo "d$i.pgm"; done >many
full_disk() { # ends it, and nothing else is touched
    local where
    mkdir full && mount -t tmpfs -o size=24k none full && mounted=$PWD/full || return
    for where in --frames -o; do
        rm -rf full/*
        exits 74 --headless -n 5 --files-from many $where full --report many.jsonl --jobs 1 &&
            says 'the remaining inputs are not processed' &&
            [ "$(wc -l <many.jsonl)" -lt 40 ] || return
    done
    rm -rf full/*
    exits 74 --headless -q -n 5 --files-from many -o full --report many.jsonl --jobs 8 &&
        equal "$(wc -l <"$top/stderr")" 1 || return
    umount full && mounted= && rm -rf full &&
        exits 0 --headless -n 5 --files-from many -o full --report many.jsonl --resume &&
        equal "$(ls full | wc -l)" 40
}
OMP_NUM_THREADS=4 check 'a journal that cannot be written is told once' refuses 74 'not processed' \
    --headless -q -n 5 --files-from many -o out/ --report /dev/full
check_where is_root 'needs root' 'a full disk ends the list' full_disk
by_signal() { # 75, and the same command goes on
    local i
    for i in {1..30}; do ln $([ $i -lt 20 ] && echo c || echo long).pgm "s$i.pgm"; done
    interrupted TERM --headless -n 1000000000 -t 1e-300 -k 100 s{1..30}.pgm -s cpu -o stopped/ \
        --report stopped.jsonl --resume
    equal "$status" 75 && ! says failed && [ "$(ls stopped | wc -l)" -lt 20 ] || return
    equal "$(grep -c '"status": [01],' stopped.jsonl)" "$(ls stopped | wc -l)"
}
check 'a signal ends it, and all lines of what is done are there' by_signal

unread() { # what a signal meets before it is read has no line
    mkfifo never.pgm
    "$program" --headless -q -n 5 a.pgm never.pgm -o un/ --report un.jsonl --jobs 2 &
    appears un.jsonl && kill -TERM $!
    wait $!
    lines un.jsonl 1
}
check 'what a signal meets before it is read is no failure' unread

# Small images a thread each, a large one by all threads, and broken ones between them.
side_by_side() {
    local i of
    waves 2100 2000 | "$program" edges - -o big.pgm && : >broken.pgm || return
    for i in {1..40}; do
        case $i in 7) of=big ;; 13) of=broken ;; *[02468]) of=a ;; *) of=c ;; esac
        cp $of.pgm "m$i.pgm" && echo "m$i.pgm"
    done >mixed
    for i in 20 ""; do
        OMP_NUM_THREADS=3 run --headless -q ${i:+-n $i} --files-from mixed -o "both$i" \
            --report "both$i.jsonl"
        equal "$status" 65 && lines "both$i.jsonl" 40 && says 'm13.pgm: ' || return
        run --headless -q ${i:+-n $i} --files-from mixed -o "each$i" --report alone.jsonl --jobs 1
        equal "$status" 65 && lines alone.jsonl 40 && equal "$(ls "both$i" | wc -l)" 39 &&
            diff -r "both$i" "each$i" || return
    done
}
check 'images side by side have the bits of one alone' side_by_side

short_of_memory() { # each image takes more than the part of the memory that lists may have
    { printf 'P5 3600 3600 255\n'; zeros 12960000; } >large1.pgm && cp large1.pgm large2.pgm &&
        (ulimit -v 800000 && timeout 60 "$program" --headless -q -n 1 -s cpu large1.pgm large2.pgm \
            -o large/ --jobs 2) && equal "$(ls large | wc -l)" 2
}
check_where '! sanitized' 'sanitizers need the address space' \
    'images beyond the budget are done one after the other' short_of_memory

# ---- edges ----

edges_of_lists() { # as one by one
    local name
    mkdir pictures && cp a.pgm pictures/a.pgm && cp c.pgm pictures/c.pgm &&
        ls pictures/*.pgm >pictures.txt && echo missing.pgm >>pictures.txt || return
    run edges -q --files-from pictures.txt -o el --report el.jsonl --boundary mirror --jobs 2
    equal "$status" 66 && lines el.jsonl 3 || return
    for name in a c; do
        exits 0 edges pictures/$name.pgm -o $name.edges.pgm --boundary mirror &&
            same el/$name.pgm $name.edges.pgm && prints 'mean ' &&
            grep -q "pictures/$name.*\"mean\": \[$(cut -c6-15 "$top/stdout")[0-9.]*\]" el.jsonl ||
            return
    done
    works edges -q pictures/a.pgm pictures/c.pgm -o es --boundary mirror --shard 1/2 &&
        equal "$(ls es)" c.pgm && exits 0 edges pictures/*.pgm -o el --boundary mirror --resume \
        --report el.jsonl && says '0 written, 2 done before' && exits 0 edges pictures/*.pgm -o el \
        --boundary mirror --zero-level 32767 --resume --report el.jsonl && says '2 written'
}
check 'edges of a list, its report and its shards' edges_of_lists

# ---- many ----

many() {
    local i begin
    for ((i = 0; i < 200000; i++)); do echo "folder/of/no/file-$i.pgm"; done >names
    begin=$(date +%s)
    echo a.pgm >>names
    listed names --shard 200000/200001 -o far --report far.jsonl && [ -s far/a.pgm ] &&
        [ $(($(date +%s) - begin)) -le 60 ]
}
check 'two hundred thousand names start at once' many
stats() { # COUNT ARGUMENT...: how often a list of so many asks the system about a file
    local i
    for ((i = 0; i < $1; i++)); do cp a.pgm "st-$i.pgm" && echo "st-$i.pgm"; done >stats
    with_faults FAULT=stat:1000000 FAULT_COUNT="$top/calls" "$program" --headless -q \
        --files-from stats "${@:2}" && cat "$top/calls"
}
few_stats() { # MOST ARGUMENT...
    local some more
    rm -rf st1 st2 st.jsonl
    some=$(stats 10 "${@:2}" -o st1) && rm -f st.jsonl && more=$(stats 60 "${@:2}" -o st2) &&
        [ "$some" -gt 10 ] && [ $((more - some)) -le $((50 * $1)) ]
}
if where '! sanitized' 'sanitizers come first' 'five questions about files an image'; then
    check 'five questions about files an image' few_stats 5 -n 3
    check 'and three more with a report' few_stats 8 -n 3 --report st.jsonl
fi

finish
