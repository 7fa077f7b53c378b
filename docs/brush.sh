#!/usr/bin/env bash
# docs/brush.sh OUT.webp: a film of the window while the brush paints things away in the castle, by
# the program itself on a display of its own. Needs Xvfb, xdotool and ImageMagick with WebP.
set -euo pipefail
out=$(realpath "${1:?usage: docs/brush.sh OUT.webp}")
root=$(realpath "$(dirname "$0")/..")
top=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || :; wait; rm -rf "$top"' EXIT
cd "$top"
"$root/build/castle" 1440 1080 --colour >large.ppm && convert large.ppm -resize 50% castle.png
Xvfb -displayfd 3 -screen 0 800x680x24 -nolisten tcp -nocursor 3>display >/dev/null 2>&1 &
until [ -s display ]; do sleep 0.1; done
DISPLAY=:$(cat display) && export DISPLAY
"$root/build/reconstruct" heal castle.png 2>/dev/null &
until window=$(xdotool search --onlyvisible --pid $!); do sleep 0.1; done
until xdotool getwindowname "$window" | grep -q castle; do sleep 0.1; done
sleep 2

frames=0
frame() { # [TIMES]: what the window shows, held so many tenths of a second
    import -window "$window" "$(printf 'frame-%04d.png' $frames)"
    echo "${1:-1}" >>held
    frames=$((frames + 1))
}
stroke() { # X Y...: one stroke along these points
    local x=$1 y=$2 i
    xdotool mousemove --window "$window" "$x" "$y" && frame
    xdotool mousedown 1
    while [ $# -ge 2 ]; do
        for i in 1 2 3; do
            xdotool mousemove --window "$window" $((x + ($1 - x) * i / 3)) $((y + ($2 - y) * i / 3))
            sleep 0.05
        done
        x=$1 y=$2
        frame
        shift 2
    done
    xdotool mouseup 1 && sleep 0.4 && frame 2
}
xdotool windowfocus "$window" key --delay 60 bracketleft bracketleft bracketleft
frame 8
stroke 214 63 230 64
stroke 258 66 278 67
stroke 288 55 306 53
stroke 238 98 254 98
stroke 306 82 322 82
stroke 568 106 584 106
stroke 586 93 602 93
stroke 250 73 254 73
stroke 312 127 288 124 288 130 300 127
stroke 286 146 286 120
stroke 378 82 356 78 356 86 368 82
stroke 353 102 353 74
stroke 434 29 412 24 412 32 424 29
stroke 408 48 408 20
stroke 556 109 534 104 534 112 546 109
stroke 530 126 530 100
stroke 283 256 283 270
xdotool mousemove --window "$window" 690 30 && frame 8
xdotool key u && sleep 0.5 && frame 30
delays=()
for ((i = 0; i < frames; i++)); do
    delays+=(-delay "$(sed -n $((i + 1))p held | sed 's/$/0/')" "$(printf 'frame-%04d.png' $i)")
done
convert "${delays[@]}" -loop 0 -quality 60 "$out"
