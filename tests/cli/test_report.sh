#!/usr/bin/env bash
# The report: one JSON object an input, one a line; and that stdout carries data alone.
. tests/lib.sh

waves 33 65 >picture.pgm
castle 20 10 --colour >picture.ppm
given works edges picture.pgm -o e.pgm
given works edges picture.ppm -o c.ppm

report() { # ARGUMENT...: into r.json, exit code in status
    run --headless -q "$@" --report r.json
    [ -s r.json ] || { show_run; return 1; }
    cat r.json >>all.jsonl
    if command -v jq >/dev/null; then
        jq -e . r.json >/dev/null || { cat r.json; return 1; }
    fi
}
has() { # JSON...: each piece of text is in every object
    local text lines
    lines=$(wc -l <r.json)
    for text; do
        [ "$(grep -acF -e "$text" r.json)" -eq "$lines" ] ||
            { echo "no $text in:"; cat r.json; return 1; }
    done
}

all_keys() {
    local key
    report -n 50 e.pgm || return
    for key in input width height planes solver kernel device iterations stopped \
        updates_per_second seconds device_start load upload iterate download save wall \
        change_rms change_max distance_rms distance_max distance_by; do
        has "\"$key\": " || return
    done
    equal "$status" 0 && equal "$(wc -l <r.json)" 1 && has '"input": "e.pgm"' '"width": 33' \
        '"height": 65' '"planes": 1' '"solver": "' '"iterations": 50' '"stopped": "iterations"'
}
rate() {
    report -n 50 c.ppm && has '"planes": 3' &&
        awk -v rate="$(value updates_per_second)" -v seconds="$(value iterate)" 'BEGIN {
            wanted = 20 * 10 * 3 * 50 / seconds
            exit !(seconds > 0 && rate / wanted > 0.999 && rate / wanted < 1.001) }'
}
plain_numbers() { report -n 50 e.pgm && ! grep -iE ': -?(nan|inf)' r.json && ! grep -F "'" r.json; }
standstill() {
    report -n 1000000000 e.pgm && has '"stopped": "standstill"' &&
        [ "$(value iterations)" -lt 1000000 ] &&
        awk -v d="$(value distance_rms)" 'BEGIN { exit !(d < 0.5) }'
}
tolerance_reached() {
    report -t 2 e.pgm -o near.pgm && equal "$status" 0 &&
        has '"stopped": "tolerance"' '"status": 0' &&
        { ! built_with FFTW || has '"distance_by": "limit"'; } &&
        awk -v d="$(value distance_rms)" 'BEGIN { exit !(d <= 2 && d > 0) }' &&
        within 15 near.pgm picture.pgm
}
# 20 of 2145 samples of this picture lie outside 0..255.
printf 'Pf 2145 1 -1\n' >wide.pfm
{ zeros 8500; printf '\0\0\200\303%.0s' {1..10}; printf '\0\0\200\103%.0s' {1..10}; } >>wide.pfm
warned() {
    works --headless -q -n 0 --report w.json wide.pfm -o w.pgm && warns \
        'warning: 0.9% of the pixels lie outside 0..255 (-256 to 256) and were cut off; --t' &&
        contains w.json '"minimum": -256' && contains w.json '"maximum": 256' &&
        contains w.json '"clipped": 20'
}
kept() { # OPTION...: nothing is cut off
    works --headless -q -n 0 --report w.json wide.pfm "$@" && [ ! -s "$top/warnings" ] &&
        contains w.json '"minimum": -256' && contains w.json '"clipped": 0'
}
wide_range() { # 16 bits into 8
    printf 'P2 3 1 65535\n0 1000 65535\n' >sixteen.pgm && works edges sixteen.pgm -o sixteen.pfm &&
        works --headless -q -n 0 --start sixteen.pgm sixteen.pfm -o w.pgm &&
        warns '67% of the pixels lie outside 0..255 (0 to 65535)' &&
        warns ' cut off; --maxval 65535 keeps them' &&
        works --headless -q -n 0 --start sixteen.pgm --maxval 65535 sixteen.pfm -o w.pgm &&
        [ ! -s "$top/warnings" ]
}
counted() {
    works --headless -q -n 0 wide.pfm sixteen.pfm e.pgm -o list/ &&
        warns 'warning: wide.pfm: 0.9%' &&
        warns 'warning: pixels were cut off in 3 of 3 pictures' || return
    for i in {1..12}; do cp wide.pfm "wide$i.pfm"; done
    works --headless -q -n 0 wide?*.pfm -o list/ &&
        warns 'warning: pixels were cut off in 12 of 12 pictures' &&
        equal "$(grep -c 'lie outside' "$top/warnings")" 10 && rm wide?*.pfm
}
auto() {
    works --headless -q -n 0 --tone auto wide.pfm -o auto.pgm &&
        works --headless -q -n 0 wide.pfm -o clamp.pgm && same auto.pgm clamp.pgm &&
        works --headless -q -n 0 --tone auto sixteen.pfm -o auto.pgm && [ ! -s "$top/warnings" ] &&
        works --headless -q -n 0 --tone stretch sixteen.pfm -o stretch.pgm &&
        same auto.pgm stretch.pgm
}
check 'pixels that are cut off: a warning, and the report' warned
check 'with --tone stretch there are none' kept --tone stretch -o w.pgm
check 'nor in formats without tones' kept -o w.pfm
check '16 bits written as 8' wide_range
check 'a list counts the warnings' counted
check 'the tone auto' auto

comparison() {
    report -n 50 --compare e.pgm && has '"comparison": {' '"samples": 2145' '"differing": 0' \
        '"maximum": 0' '"rms": 0' '"psnr": null' '"solver_seconds": ' '"reference_seconds": '
}
several() {
    : >empty.pgm
    run --headless -q -n 50 e.pgm missing.pgm empty.pgm c.ppm --report r.json
    equal "$status" 66 && equal "$(wc -l <r.json)" 4 &&
        grep -q '^{"input": "e.pgm", "status": 0, ' r.json &&
        grep -q '^{"input": "missing.pgm", "status": 66, "error": "missing.pgm: ' r.json &&
        grep -q '^{"input": "empty.pgm", "status": 65, "error": "empty.pgm: ' r.json &&
        grep -q '^{"input": "c.ppm", "status": 0, ' r.json
}
to_stdout() {
    exits 0 --headless -q -n 50 e.pgm c.ppm --report - && [ ! -s "$top/stderr" ] &&
        equal "$(wc -l <"$top/stdout")" 2 && cp "$top/stdout" r.json && has '"iterations": 50' &&
        equal "$(grep -c '^{"input": .*}$' r.json)" 2
}
to_stdout_beside_comparison() {
    exits 0 --headless -q -n 50 --compare e.pgm --report - && equal "$(wc -l <"$top/stdout")" 1 &&
        grep -aq '^{"input": .*}$' "$top/stdout" && says 'bit for bit'
}
by_signal() {
    rm -f r.json c
    "$program" --headless -q -t 1e-300 -n 100000000000 big.pgm -s cpu -k 5 --checkpoint c \
        --report r.json --checkpoint-every 0.1 2>"$top/stderr" &
    appears c
    kill -TERM $!
    wait $!
    equal $? 75 && has '"stopped": "signal"' '"status": 75' '"error": "' && rm c
}
check 'every key of the report' all_keys
check 'updates per second: pixels, planes and iterations by seconds.iterate' rate
check 'numbers that JSON knows' plain_numbers
check 'what is not known is null' all report -n 0 e.pgm \
    and has '"change_rms": null' '"change_max": null' '"iterations": 0' '"updates_per_second": ' \
    and not has '"distance_rms": null'
check 'stopped by standstill' standstill
check '-t reached: exit 0' tolerance_reached
check '-t not reached within -n: exit 1, the output is there' all rm -f near.pgm \
    and report -t 0.001 -n 50 e.pgm -o near.pgm and complaint_is 1 e.pgm and says 0.001 \
    and has '"stopped": "iterations"' '"status": 1' '"error": "' \
    and works --headless -q -n 50 e.pgm -o fifty.pgm and same near.pgm fifty.pgm
check '-t not reached before the standstill: exit 1, the spectral solver is named' \
    all report -t 1e-12 e.pgm -o still.pgm \
    and complaint_is 1 spectral and has '"stopped": "standstill"' and within 1 still.pgm picture.pgm
if has_spectral; then
    check '-t below the error of the exact picture: exit 1' refuses 1 'in double comes closer' \
        --headless -q -s spectral -t 1e-30 e.pgm -o x.pfm
fi
check 'the comparison' comparison
check 'several inputs, some bad: an object each' several
check 'to stdout, and nothing else there' to_stdout
check 'to stdout beside a comparison' to_stdout_beside_comparison
{ printf 'P5 700 500 255\n'; head -c 350000 /dev/urandom; } >big.pgm
# What the schema uses of its language, so that no package is needed.
by_schema() {
    exits 0 edges e.pgm c.ppm -o all --boundary mirror --report e.jsonl &&
        exits 0 --headless -q -n 5 e.pgm c.ppm -o all.d --report d.jsonl --start 3 --compare &&
        cat [der].json* >>all.jsonl && python3 - "$root/docs/report.schema.json" all.jsonl <<'END'
import json, re, sys
schema = json.load(open(sys.argv[1]))
types = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float),
         "null": type(None)}
def check(at, value, rule):
    if "$ref" in rule:
        rule = schema["$defs"][rule["$ref"].split("/")[-1]]
    names = rule.get("type", [])
    names = [names] if isinstance(names, str) else names
    good = not names or any(isinstance(value, types[name]) for name in names)
    good &= value in rule.get("enum", [value])
    good &= "minimum" not in rule or value >= rule["minimum"]
    assert good and re.search(rule.get("pattern", ""), str(value)), (at, value, rule)
    if isinstance(value, dict):
        assert set(rule.get("required", [])) <= set(value), (at, value)
        for name, inner in value.items():
            other = rule.get("additionalProperties", {})
            known = rule.get("properties", {}).get(name, other)
            assert known is not False, (at, name)
            check(at + "." + name, inner, known)
    for inner in value if isinstance(value, list) else []:
        check(at, inner, rule["items"])
lines = [json.loads(line) for line in open(sys.argv[2])]
for number, line in enumerate(lines, 1):
    check(str(number), line, schema)
assert len(lines) > 10 and len(set(name for line in lines for name in line)) > 35
END
}
check_where 'command -v python3' 'there is no python3 here' \
    'every report is as docs/report.schema.json says' by_schema
on_the_host # which needs no time to start
check 'stopped by a signal' by_signal

finish
