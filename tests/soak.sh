#!/usr/bin/env bash
# Hours of work: tests/soak.sh HOURS. Lists run one after the other, headless, while a window gets
# random input where there is a display to be had (tests/window/monkey.sh). Every minute: memory,
# descriptors and threads of the window's process, device memory, temporary files. The second half
# of the time must need no more than the first did.
set -u
hours=${1:?usage: tests/soak.sh HOURS}
program=$(realpath "${RECONSTRUCT:-./reconstruct}") || exit 1
top=$(mktemp -d "${TMPDIR:-/tmp}/reconstruct-soak.XXXXXX") || exit 1
seconds=$(awk -v h="$hours" 'BEGIN { print int(h * 3600) }')
monkey=
clean_up() {
    [ -z "$monkey" ] || kill -TERM -- "-$monkey" 2>/dev/null
    rm -rf "$top"
}
trap clean_up EXIT
trap 'exit 130' INT TERM
set -m

if command -v Xvfb >/dev/null && command -v xdotool >/dev/null; then
    RECONSTRUCT=$program MONKEY_LOG=$top/monkey.log tests/window/monkey.sh \
        $((seconds / 60 + 1)) >"$top/monkey.out" 2>&1 &
    monkey=$!
fi
cd "$top" || exit 1
for i in 1 2 3 4 5 6 7 8; do
    { printf 'P5 %d %d 255\n' $((200 + 37 * i)) $((150 + 29 * i))
      head -c $(((200 + 37 * i) * (150 + 29 * i))) /dev/urandom; } >"e$i.pgm"
done

# Kilobytes, descriptors, threads of the process; megabytes of the device; temporary files.
figures() { # PID
    local memory=0 files=0 threads=0 device=0
    if [ -n "$1" ] && [ -r "/proc/$1/status" ]; then
        memory=$(sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$1/status")
        threads=$(sed -n 's/^Threads:[^0-9]*//p' "/proc/$1/status")
        files=$(find "/proc/$1/fd" 2>/dev/null | wc -l)
    fi
    device=$(nvidia-smi --query-gpu=memory.used --format=csv,noheader,nounits 2>/dev/null |
        head -n 1)
    echo "${memory:-0} $files ${threads:-0} ${device:-0} $(find . -name '.*.*-[0-9]*' | wc -l)"
}

lists=0 failed=0
while [ $SECONDS -lt "$seconds" ]; do
    begin=$SECONDS
    while [ $((SECONDS - begin)) -lt 60 ] && [ $SECONDS -lt "$seconds" ]; do
        "$program" --headless -q -n $((200 + RANDOM % 2000)) e?.pgm -o out --checkpoint kept \
            --checkpoint-every 0.5 >list.log 2>&1 || { failed=$((failed + 1)); cat list.log; }
        lists=$((lists + 1))
    done
    window=$(pgrep -f "^$program" -n)
    echo "$SECONDS s: $lists lists," \
        "$(figures "$window" | tee -a figures) (kB, descriptors, threads, MB, left)"
done

verdict=$(awk '
    { for (i = 1; i <= NF; i++) if (NR <= 1 || $i > most[NR * 2 > n, i]) most[NR * 2 > n, i] = $i }
    END {
        for (i = 1; i <= 5; i++)
            if (n > 3 && most[1, i] > most[0, i] * 1.2 + (i == 1 ? 20000 : i == 4 ? 200 : 3))
                print "grew: column " i ", from " most[0, i] " to " most[1, i]
    }' n="$(wc -l <figures)" figures)
[ -z "$verdict" ] || { echo "$verdict"; failed=$((failed + 1)); }
echo "$lists passed, $failed failed, $([ -n "$monkey" ] && echo 0 || echo 1) skipped"
[ $failed -eq 0 ]
