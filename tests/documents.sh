# shellcheck shell=bash
# The commands of the documents, run as they stand and in their order; sourced by tests that do. A
# command stands in a block of ```sh, or in the text as `reconstruct ...`, `make ...`. What
# cannot run is told, invisibly for readers, before its block or its paragraph:
#
#     <!-- not run: it needs two nodes -->
#
# What a document assumes is there: small files of the names that it uses. Windows open on a display
# of their own; of `make` goals and variables must exist; what starts on a cluster starts once here.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
. tests/lib.sh
mkdir -p "$top/bin"
for name in reconstruct reconstruct-bench reconstruct-mpi; do
    [ ! -x "${program%/*}/$name" ] || ln -s "${program%/*}/$name" "$top/bin"
done
PATH=$top/bin:$PATH

# ---- what stands there ----

commands_of() { # DOCUMENT: sets commands, reasons that forbid to run them, limits in seconds
    local line code inside='' reason='' command='' in_text limit='[:|] ([0-9]+) s( \|)?$'
    in_text='`(\./)?(reconstruct (-|[A-Z]|[a-z]+ )|make [a-zA-Z])[^`]+`'
    commands=() reasons=() limits=()
    while IFS= read -r line; do
        if [[ $line =~ ^\ *'```'(.*) ]]; then
            if [ "$inside" ]; then inside='' reason=''; else inside=${BASH_REMATCH[1]:-text}; fi
        elif [ "$inside" = sh ]; then
            [[ $line != '#'* && $line ]] || continue
            command+=${command:+$'\n'}$line
            [[ $line != *\\ ]] && bash -n <<<"$command" 2>/dev/null || continue
            [[ $line =~ $limit ]] && limits[${#commands[@]}]=${BASH_REMATCH[1]}
            commands+=("$command") reasons+=("$reason") command=''
        elif [ -z "$inside" ]; then
            [[ $line != '<!-- not run: '* ]] || { reason=${line#*: } && reason=${reason% -->}; }
            [ "$line" ] || reason=''
            [[ $line == *\`* ]] || continue
            while read -r code; do
                [[ $line =~ $limit ]] && limits[${#commands[@]}]=${BASH_REMATCH[1]}
                commands+=("${code//\`/}") reasons+=("$reason")
            done < <(grep -oE "$in_text" <<<"$line")
        fi
    done <"$1"
}

# Of alternatives the first, what is optional, too; names of numbers are numbers. What measures is
# of 61 x 61 pixels and short; what measures others says what it would.
prepared() { # COMMAND
    local short=' --size 61 --time 0'
    [[ $1 != *--problem* && $1 != *profile.sh* ]] || short=' --size 61'
    [[ $1 != *--help* ]] || short=
    if [[ $1 == *'reconstruct bench'* || $1 == *profile.sh* ]]; then
        sed -E "s/ --(size|time) [^ ;]+//g; s/reconstruct bench|profile\.sh [^ ]+/&$short/
            s/( --radius [0-9]+),[0-9,]+/\1/" <<<"$1"
    elif [[ $1 =~ ^(docs/(peers|scaling)\.py[^\#]*) ]]; then
        echo "${BASH_REMATCH[1]} --help"
    elif [[ $1 =~ ^(\./)?reconstruct ]]; then
        sed -E 's/(--[a-z]+) \.\.\.//; s/[][]//g; s/([^ |]+)(\|[^ |]+)+/\1/g; s/\.\.\.//
            s/I\/N/0\/2/; s/\<N\>/3/g; s/\<X,Y\>/1,2/; s/\<RULE\>/source/; s/\<NAME\>/binomial/
            s/\<COMMAND\>/heal/; s/-o OUT( |$)/-o OUT.pfm\1/' <<<"$1"
    else
        echo "$1"
    fi
}

# ---- what stands in for others ----

make() { # GOAL|NAME=VALUE...
    local word
    [ -s "$top/goals" ] ||
        { env -u MAKEFLAGS make -pq -C "$root" help; cat "$root/Makefile"; } >"$top/goals" 2>&1
    for word; do
        case $word in
        *=*) grep -qE "[$][({]${word%%=*}\>" "$root"/{Makefile,docs/docs.mk,tests/tests.mk} ;;
        *) grep -qE "^(.* )?$word( .*)?:" "$top/goals" ;;
        esac || { echo "make: nothing has $word" >&2; return 1; }
    done
}
once() { # OPTION... COMMAND...
    until type -t -- "$1" >/dev/null; do
        [ $# -gt 0 ] || { echo 'reconstruct-mpi: not found' >&2; return 127; }
        shift
    done
    SLURM_ARRAY_TASK_ID=0 SLURM_PROCID=0 SLURM_NTASKS=1 "$@"
}
sbatch() { once "$@"; }
srun() { once "$@"; }
mpirun() { once "$@"; }
sudo() { "$@"; }
module() { :; }
nvidia-cuda-mps-control() { :; }

files() { # [SIDE]: in the current folder
    local name side=${1-61}
    mkdir build data edges TILES
    ln -s "$root"/{kernels,tests} "$top"/bin/* . && cp -r "$root/docs" .
    cp kernels/ladder/exercise.cu my.cu
    castle "$side" "$side" >picture.pgm && castle "$side" "$side" --colour >picture.ppm
    reconstruct edges picture.pgm -o edges.pgm && reconstruct edges picture.ppm -o edges.pfm
    cp edges.pgm edges/one.pgm
    cp edges.pgm data/castle-edges.pgm && cp edges.pgm build/castle-edges.pgm
    castle 1 1 >/dev/null && ln -s "$CASTLE" build/castle
    printf '%s\n' edges/one.pgm >list.txt && cp list.txt LIST
    plain "$side" "$side" 255 'x > 20 && x < 40 && y > 20 && y < 40 ? 255 : 0' >MASK
    plain "$side" "$side" 255 'p == 2 ? 255 : 128' 3 >NORMALS
    for name in EDGES EDGES.pgm A.pgm B.pgm P.pfm Q.pfm EDGES.pfm; do cp edges.pgm "$name"; done
    for name in PICTURE.pgm PICTURE SOURCE TARGET A B DATA.pfm; do cp picture.pgm "$name"; done
    made PHOTO.jpg picture.ppm && made TARGET.jpg picture.ppm && made DATA.npy picture.pgm
    made PICTURE.png picture.ppm && made SOURCE.png picture.ppm && made TARGET.png picture.ppm
    # A TIFF of 4 x 4 bytes, whose nodata value is 7.
    base64 -d <<<'H4sIAAAAAAACA/P01GLgYGBg4GJgYGRmYASyWICYEYnNBGWDVDFD2SDMhsQWZGQB021ALIokLgYVB5kj
DmULAHHjEiYGJiBtzgABBoZGxiamZubmZqYmxkaGBgB7lu27lgAAAA==' | gunzip >DEM.tif
    made MASK.png MASK && made NORMALS.png NORMALS && cp DEM.tif TILES && cp DEM.tif OTHER.tif
    tar -cf edges.tar edges && tar=edges.tar
}
# What the build does not know has the first bytes of its format.
made() { # FILE PICTURE
    reconstruct --headless -q --picture "$2" -o "$1" 2>/dev/null && return
    case $1 in
    *.jpg) printf '\377\330\377\340' ;;
    *) head -c 100 "$root/docs/window.png" ;;
    esac >"$1"
}

# ---- running ----

# Sets needs where something is missing here. A mistake of tests/wrong is found.
runs() { # COMMAND
    local status wanted=0 line=$(prepared "$1")
    local lacks='(convert|jq|parallel|ffmpeg|strace|python3|reconstruct-mpi|squeue|ncu): .*'
    lacks+='not found|needs NumPy|(PNG|JPEG|TIFF) cannot be (read|written)'
    needs=
    [[ $1 != *tests/wrong* ]] || wanted=1
    set +u
    eval "$line" >"$top/out" 2>"$top/err"
    status=$?
    set -u
    if grep -qE 'no display|no input: name' "$top/err"; then
        in_window "$line"
        status=$?
    fi
    if [ $status -eq 69 ] || grep -q ERR_NVGPUCTRPERM "$top/out" "$top/err" ||
        { [ $status -eq 64 ] && grep -qE 'no CUDA|no device' "$top/err"; } ||
        { [ $status -eq 66 ] && [ "$lacking" ]; } ||
        grep -qE "$lacks" "$top/err"; then
        needs=$(grep -m 1 . "$top/err")
        lacking=1
        return 0
    fi
    [ $status -eq $wanted ] && return
    echo "exit $status: $line"
    cat "$top/out" "$top/err"
    return 1
}

# It opens, and the key q closes it.
in_window() { # COMMAND
    local pid
    if ! built_with SDL2 || ! command -v Xvfb >/dev/null || ! command -v xdotool >/dev/null; then
        return 69
    fi
    [ "$xvfb" ] || open_display
    [ "$screen" ] || return
    (export DISPLAY=$screen && eval "exec $1") >"$top/out" 2>"$top/err" &
    pid=$!
    wait_for closes || kill -KILL $pid
    wait $pid
}
closes() {
    local id
    kill -0 $pid 2>/dev/null || return 0
    id=$(DISPLAY=$screen xdotool search --onlyvisible --pid $pid 2>/dev/null) &&
        DISPLAY=$screen xdotool windowfocus "$id" key q 2>/dev/null
    return 1
}

run_document() { # DOCUMENT
    local i name result lacking='' xvfb='' screen=''
    # The times of README are those of pictures of 768 x 768.
    local side=61 begin took
    { [ "$1" != README.md ] || sanitized; } || side=768
    cd "$top/work" && rm -rf here && mkdir here && cd here && given files $side
    commands_of "$root/$1"
    for i in "${!commands[@]}"; do
        name="${1##*/}: $(head -n 1 <<<"${commands[i]}" | sed 's/^ *//; s/ *# .*//')"
        if [ "${reasons[i]}" ]; then
            skip "$name" "${reasons[i]}"
            continue
        fi
        begin=${EPOCHREALTIME/./}
        runs "${commands[i]}" >"$top/result"
        result=$?
        took=$(((${EPOCHREALTIME/./} - begin) / 1000))
        if [ $side = 768 ] && [ "${limits[i]-}" ]; then
            name+=": $took ms of ${limits[i]} s"
            [ $took -le "${limits[i]}000" ] || result=1
        fi
        if [ $result -eq 0 ] && [ -n "$needs" ]; then
            skip "$name" "$needs"
        else
            check "$name" eval "cat '$top/result'; [ $result -eq 0 ]"
        fi
    done
    [ -z "$xvfb" ] || { kill $xvfb && wait $xvfb; rm "$top/display"; } 2>/dev/null
}
