#!/usr/bin/env bash
# Wrong usage and what --help says; abbreviations, --, and files with odd names.
. tests/lib.sh

waves 9 7 >picture.pgm
given works edges picture.pgm -o e.pgm
cp e.pgm f.pgm

wrong() { refuses 64 "$@" && tidy; } # TEXT ARGUMENT...
headless() { # TEXT OPTION...: the same of an otherwise good headless run
    wrong "$1" --headless -q e.pgm -o out.pgm "${@:2}"
}

# ---- options ----

check 'an unknown option: the nearest name' headless --iterations --iteratons 5
check 'an unknown option with a value: the nearest name' headless --checkpoint --chekpoint=x
# What is near nothing gets no suggestion.
check 'an unknown option that is near none' all headless --list --list and not says 'did you mean'
check 'two letters swapped' headless 'did you mean --headless' --headlses
check 'a misspelled command' wrong 'did you mean `edges`' egdes picture.pgm
check 'a misspelled command behind another' wrong 'did you mean `edges`' heal egdes -o x.pgm
experts_last() { # what is used most comes first
    exits 0 --help && equal "$(sed -n '/^For experts/,/^Solvers/p' "$top/stdout" |
        grep -oE '^ +--[a-z-]+' | tr -d ' \n')" \
        --kernel--slabs--omega--balance--zero-level--normalise--flip &&
        sed -n '/^Most used/{n;p}' "$top/stdout" | grep -- --output
}
check '--help in groups' experts_last
check 'help of no command' wrong 'unknown command pan' help pan
check 'an unknown letter' headless -z -z
check 'an ambiguous abbreviation' headless --check --check x
check 'an option of another command' wrong compare compare --compare e.pgm f.pgm
check 'an option without its argument' wrong -n --headless e.pgm -o out.pgm -n
check 'a long option without its argument' \
    wrong --iterations --headless e.pgm -o out.pgm --iterations
check 'a flag with an argument' headless --quiet --quiet=yes
for number in 12abc -5 +5 1.5 ' 5' '' 1e-3 1.5e0 3kM 0x10 1e16; do
    check "-n '$number'" headless "$number" -n "$number"
done
many() { # TEXT COUNT: the same count, written otherwise
    works --headless -q -s cpu -n "$2" e.pgm -o many.pfm &&
        works --headless -q -s cpu -n "$1" e.pgm -o again.pfm && same many.pfm again.pfm
}
check '-n 1e2' many 1e2 100
check '-n 0.2k' many 0.2k 200
check '-n 10^30' headless 1000 -n 1000000000000000000000000000000
check '-n in words' headless five --iterations=five
while read -r option value text; do
    check "$option $value" headless "${text:-$value}" $option $value
done <<'END'
-k 0 at least 1
-k -1
-t 0.5x
-t -1
-t 0 above 0
-t nan
-t inf
--halo nan
--halo inf
--halo 5,
--maxval 0 at least 1
--maxval 65536 65535
--zero-level 1x
-d -1
-d 0x1
END
check '--tone of no such name' headless stretch --tone bright
check 'iterations without a number: a warning; --tone auto is a tone' all exits 0 -q --headless \
    -s cpu --tone auto e.pgm -o auto.pgm and contains "$top/warnings" 'neither -n nor -t'
for option in '--omega 1' '--width 3' --normalise --flip; do
    check "$option without a stencil" refuses 64 'needs --stencil' --headless -n 5 e.pgm -o x.pgm \
        $option # shellcheck disable=SC2086
done
check '--pace with --headless' refuses 64 --headless --headless --pace 5 e.pgm -o x.pgm
check '--format of no such name' headless pam --format jpeg
check 'a solver that is not there' headless cpu --solver magic
check 'a kernel that is not there' headless magic -n 5 -s cpu --kernel magic
check '--checkpoint-every -1' headless -1 --checkpoint c --checkpoint-every -1
check '--max-difference -1' wrong -1 compare --max-difference -1 e.pgm f.pgm
check 'an output whose ending tells no format' wrong out.jxl --headless -q e.pgm -o out.jxl
check 'an output without an ending' wrong .pgm --headless -q e.pgm -o out
check 'an output without a name' wrong '' --headless -q e.pgm -o ''

piped_name() { # a pipe has a name that a person understands, and one is not several
    "$program" --headless -s cpu -n 1 - -o piped.pgm <e.pgm 2>said &&
        grep -q '^standard input: 1 iteration, ' said || { cat said; false; }
}
# The ladder is a program of its own, found beside this one.
closed_door() {
    cp "$program" alone && ! ./alone bench --help >said 2>&1 && contains said \
        'reconstruct-bench is not installed; install the package reconstruct-bench' &&
        { ./alone bench 2>said || equal $? 69; }
}
check 'bench is executed' all exits 0 bench --rungs 4 --size 16 --time 0 \
    and prints ' 4  cpu-swap ' and exits 64 bench --rungs x and says \
    "Try 'reconstruct-bench --help'." and exits 0 bench --version and prints reconstruct-bench
check 'bench that is not installed: exit 69' closed_door
stranger() { # of the current folder
    printf '#!/bin/sh\necho STRANGER\n' >reconstruct-bench && chmod +x reconstruct-bench
    unshare -m sh -c 'umount -l /proc && "$0" bench --version' "$program" >said 2>&1
    rm reconstruct-bench
    grep '^reconstruct-bench ' said || { cat said; false; }
}
check_where 'unshare -m umount -l /proc' '/proc cannot be taken away' 'bench without /proc' stranger
check 'help COMMAND is COMMAND --help' all exits 0 bench --help \
    and cp "$top/stdout" long and exits 0 help bench and same "$top/stdout" long \
    and exits 0 --help and cp "$top/stdout" long and exits 0 help and same "$top/stdout" long
check '-V is --version' all exits 0 --version \
    and cp "$top/stdout" long and exits 0 -V and same "$top/stdout" long
check 'standard input is called so' piped_name

# ---- options that contradict each other, or lack one ----

check 'no input' wrong input --headless -o out.pgm
check 'nothing at all' wrong input
check 'headless with nothing to show' wrong --compare --headless e.pgm
check 'headless with a number of iterations and nothing to show' \
    wrong --report --headless -n 5 e.pgm
check '--max-difference without --compare' headless --compare --max-difference 3
check '--checkpoint-every without --checkpoint' headless --checkpoint --checkpoint-every 3
check 'picture and report both to stdout' wrong stdout --headless -q -n 5 e.pgm -o - --report -
check 'two inputs with one output name' wrong e.pgm --headless -q -n 5 e.pgm ./e.pgm -o folder
check 'two inputs with one checkpoint name' wrong e.pgm \
    --headless -q -n 5 e.pgm ./e.pgm --report r.json --checkpoint folder
check 'edges without -o' wrong -o edges e.pgm
check 'edges of nothing' wrong 'no input' edges -o out.pgm
check 'edges of two pictures' wrong 'a folder' edges picture.pgm e.pgm -o out.pgm
check 'devices of something' wrong arguments devices e.pgm

# ---- what people type first ----

waves 8 8 >mask.pgm
while IFS=: read -r right words; do
    read -ra words <<<"$words"
    check "${words[*]}: $right" refuses 64 "did you mean $right?" "${words[@]}"
done <<'END'
`heal`:inpaint picture.pgm -o out.pgm
`clone`:blend picture.pgm e.pgm -o out.pgm
`clone SOURCE TARGET --mask MASK -o FILE`:clone -s picture.pgm -m mask.pgm -t e.pgm -o out.pgm
`clone SOURCE TARGET --mask MASK -o FILE`:clone -t e.pgm -s picture.pgm -m mask.pgm -o out.pgm
--mask MASK:heal picture.pgm -m mask.pgm -o out.pgm
--mask mask.pgm:heal picture.pgm mask.pgm
--mask e.pgm:heal picture.pgm e.pgm -o out.pgm
-o out.pgm:--headless e.pgm out.pgm
-o out.pgm:heal picture.pgm --mask mask.pgm out.pgm
-o out.pgm:compare e.pgm f.pgm out.pgm
--device NUMBER:--headless --gpu=0 e.pgm -o out.pgm
--jobs N:--headless --threads 2 e.pgm -o out.pgm
--jobs N:--headless -j2 e.pgm -o out.pgm
the input alone, without -i:--headless -i e.pgm -o out.pgm
--help:-help
`reconstruct --version`:-v
END
check '10_000' headless 'such as 5000, 1e6 or 10k' -n 10_000
check 'an output without a display: as with --headless' all exits 0 e.pgm -o out.pgm \
    and says 'no display' and says 'written to out.pgm' \
    and works --headless -q e.pgm -o same.pgm and same out.pgm same.pgm and rm out.pgm same.pgm
fixed_folder() {
    mkdir -p fixed && touch fixed/x.pgm && chmod 666 fixed/x.pgm &&
        ! setpriv --reuid=65534 --clear-groups "$program" --headless -q "$PWD/e.pgm" \
            -o fixed/x.pgm 2>"$top/stderr" && says 'in fixed/'
}
check_where 'is_root && setpriv --reuid=65534 --clear-groups "$program" --version' \
    'no other user can run it' 'an output that cannot be replaced names its folder' fixed_folder
rm mask.pgm

# ---- what is not here ----

not_here() { refuses 69 "$@" && tidy; } # TEXT ARGUMENT...
opened_later() { ! ldd "$executable" | grep -iE 'sdl|x11|wayland|pulse|fontconfig'; }
check 'libraries of the window are opened when a window is' opened_later
check 'a device that is not there' \
    not_here CUDA --headless -q -n 5 -s cuda --device 99 e.pgm -o out.pgm
check 'a device that is not there, for whatever solver has devices' \
    not_here CUDA --headless -q -n 5 --device 99 e.pgm -o out.pgm
check 'a device for a solver that has none' \
    wrong GPU --headless -q -n 5 -s cpu --device 0 e.pgm -o out.pgm
check 'no display: --headless is named' not_here --headless e.pgm
check 'no display, and no input' refuses 66 nothing.pgm nothing.pgm
empty_window() {
    SDL_VIDEODRIVER=dummy "$program" 2>"$top/stderr" &
    ready $! && sleep 0.5 && kill -TERM $! && wait $!
    equal $? 143 && equal "$(cat "$top/stderr")" 'reconstruct: stopped by a signal'
}
if built_with SDL2; then
    check 'nothing at all, on a display: a window that waits for an input' empty_window
    for pace in 1x 0 -3 nan; do
        SDL_VIDEODRIVER=dummy check "--pace $pace" refuses 64 "--pace $pace" --pace $pace e.pgm
    done
    mkdir no-fonts no-sdl
    touch no-fonts/libSDL2_ttf-2.0.so.0 no-sdl/libSDL2-2.0.so.0 # files that are no libraries
    paths=${LD_LIBRARY_PATH-}
    LD_LIBRARY_PATH=$PWD/no-fonts:$paths check 'a window without libSDL2_ttf' empty_window
    export LD_LIBRARY_PATH=$PWD/no-sdl:$paths SDL_VIDEODRIVER=dummy
    check 'a window without libSDL2' \
        not_here '--headless works; the window needs libSDL2' e.pgm -o out.pgm
    check 'no libSDL2, and no window' works --headless -q -n 5 e.pgm -o out.pgm
    export LD_LIBRARY_PATH=$paths
    unset SDL_VIDEODRIVER
fi

# ---- help ----

help_of() { # TEXT COMMAND...
    exits 0 "${@:2}" --help && prints "Usage: reconstruct $1" && prints --help &&
        [ ! -s "$top/stderr" ] &&
        cp "$top/stdout" long &&
        { [ -z "${2-}" ] || { exits 0 "${@:2}" -h && same long "$top/stdout"; }; } &&
        awk 'length > 100 { print "long line: " $0; bad = 1 } END { exit bad }' long
}
check '--help' help_of '[OPTION]'
brief_help() { # on a small terminal
    exits 0 -h && ! grep -q ' $' "$top/stdout" && [ "$(wc -l <"$top/stdout")" -le 30 ] &&
        prints '  -s, --solver NAME            the solver' &&
        prints --help && ! prints --halo && exits 0 -qh && prints Usage
}
check '-h' brief_help
check 'edges --help' help_of edges edges
check 'edges --help has its options alone' eval 'prints --halo && ! prints --checkpoint'
check 'compare --help' help_of compare compare
check 'devices --help' help_of devices devices
check '--help wins over what is missing' exits 0 --headless --help
check '--version' eval 'exits 0 --version && prints "reconstruct " && prints libnetpbm'
check 'devices' eval 'exits 0 devices && prints device && [ ! -s "$top/stderr" ]'

# ---- spellings ----

works --headless -q -n 5 e.pgm -o five.pgm
spelled() { # ARGUMENT...
    works "$@" -o spelled.pgm && same spelled.pgm five.pgm && rm spelled.pgm
}
check 'an abbreviation' spelled --head --qui --iter 5 e.pgm
check 'an abbreviation with =' spelled --headless -q --iter=5 e.pgm
check 'letters run together' spelled --headless -qn5 e.pgm
check 'options behind the input' spelled e.pgm -q -n 5 --headless
check 'the last of two -n counts' spelled --headless -q -n 7 e.pgm -n 5
check 'leading zeros' spelled --headless -q -n 0005 e.pgm

named() { # NAME: an odd name, as input, as output and in the report
    cp e.pgm "$1" && works --headless -q -n 5 -o odd.pgm --report report.json -- "$1" &&
        same odd.pgm five.pgm && rm "$1" && works --headless -q -n 5 e.pgm -o "$1" &&
        same "$1" five.pgm && equal "$(wc -l <report.json)" 1 && rm -- "$1"
}
check 'a name with spaces' named ' two  words.pgm'
check 'a name with a newline' named $'two\nlines.pgm'
check 'a name that is not UTF-8' named $'caf\xe9.pgm'
check 'a name with quotes and a backslash' named "it's \"so\"\\.pgm"
check 'a name with percent signs' named '100%s%n.pgm'
check 'a name of 250 characters' named "$(printf 'x%.0s' {1..246}).pgm"
check 'a complaint about a name with percent signs' refuses 66 '%s%n%d.pgm' --headless -q -n 5 \
    -o odd.pgm -- '%s%n%d.pgm'
dash_file() { cp e.pgm ./- && works --headless -q -n 5 ./- -o odd.pgm && same odd.pgm five.pgm; }
check 'a leading dash after --' all cp e.pgm ./-n.pgm \
    and works --headless -q -n 5 -o odd.pgm -- -n.pgm and same odd.pgm five.pgm \
    and works --headless -q -n 5 -o -n.pgm e.pgm and same ./-n.pgm five.pgm
check './- is a file' dash_file
check 'a file called as a command: by ./ and behind --' all cp e.pgm ./edges \
    and works --headless -q -n 5 -o odd.pgm ./edges and same odd.pgm five.pgm \
    and works --headless -q -n 5 -o odd.pgm -- edges and same odd.pgm five.pgm
# Before it, the value of an option that has a command's name.
check 'a command behind options, or an operand' all works -q --report heal edges picture.pgm -o \
    again.pgm and same again.pgm e.pgm and [ -s heal ] and works picture.pgm edges -o again.pgm \
    and same again.pgm e.pgm and rm heal
check '--help before a command' eval 'exits 0 --help heal && prints "Usage: reconstruct heal"'

finish
