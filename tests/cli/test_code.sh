#!/usr/bin/env bash
# What the text of the programs keeps to, and their machine code: a hot loop beyond 32 KiB does not
# fit into the instruction cache and runs at half the rate. The size of every loop is printed.
. tests/lib.sh

# ---- the text ----

cd "$root" || exit 1
mapfile -t texts < <(find src kernels tests data docs -type f \( -name '*.[ch]' -o -name '*.cu' -o \
    -name '*.cuh' -o -name '*.sh' -o -name '*.mk' \) && printf '%s\n' Makefile .ci/run)
mapfile -t sources < <(printf '%s\n' "${texts[@]}" | grep -E '^(src|kernels)/')
given test "${#sources[@]}" -gt 100

# Links within the documents, in GitHub's spelling of headings.
headings() { # FILE
    sed -n '/^```/,/^```$/d; s/^##* //p' "$1" | tr '[:upper:]' '[:lower:]' |
        sed 's/\[\([^]]*\)\]([^)]*)/\1/g; s/[^a-z0-9_ -]//g; s/ /-/g'
}
links_hold() {
    local file link to status=0
    for file in README.md docs/*.md; do
        for link in $(grep -o '](\([^):]*\))' "$file" | sed 's/^](//; s/)$//'); do
            to=$(dirname "$file")/${link%%#*}
            [ -n "${link%%#*}" ] || to=$file
            [ -e "$to" ] && [ "${link#*#}" = "$link" ] && continue
            headings "$to" | grep -qxF -- "${link#*#}" || { echo "$file: $link"; status=1; }
        done
    done
    return $status
}
check 'links of the documents lead somewhere' links_hold
words() { cat "${@:2}" | wc -w | awk -v most="$1" '{ print } $1 > most { exit 1 }'; } # MOST FILE...
documents_are_short() { # but for the log, and the gallery of pictures
    local -a counted=(README.md)
    mapfile -O 1 -t counted < <(ls docs/*.md | grep -vE 'measurements|gallery')
    words 36000 "${counted[@]}" && words 10500 docs/course.md && words 7500 docs/measurements.md
}
check 'the documents have at most so many words' documents_are_short

none_has() { ! LC_ALL=C.UTF-8 grep -nP -e "$1" "${@:2}"; } # PATTERN FILE...: no line of them has it
ends_with_a_line_end() {
    local file bad=0
    for file; do
        [ -z "$(tail -c 1 "$file")" ] || { echo "$file"; bad=1; }
    done
    return $bad
}
# The kernels' headers have the names of what they do, as the folders of the host's have.
names_are_unique() {
    empty "$(basename -a "${sources[@]}" | sort | uniq -d |
        grep -vxE '(convolution|multigrid|spectral|stencil)\.h')"
}
are_short() { empty "$(wc -l "${sources[@]}" | awk '$1 > 400 && $2 != "total"')"; }
check 'lines have at most 100 columns' none_has '.{101}' "${texts[@]}"
check 'lines end without blanks' none_has '[ \t\r]$' "${texts[@]}"
check 'C is indented by spaces' none_has '\t' "${sources[@]}"
check 'files end with a line end' ends_with_a_line_end "${texts[@]}"
check 'no name is used twice' names_are_unique
check 'no file has more than 400 lines' are_short

# FILE INCLUDED, from the root, of what src and kernels include of each other.
includes() {
    local file name folder
    grep -oE '^ *# *include "[^"]+' "${sources[@]}" | sed 's/: *# *include "/ /' |
        while read -r file name; do
            for folder in src . "${file%/*}"; do
                [ -e "$folder/$name" ] || continue
                realpath --relative-to=. "$file" "$folder/$name"
                break
            done
        done | paste -d ' ' - -
}
includes >"$top/includes"
given test "$(wc -l <"$top/includes")" -gt 300
no_circles() { tsort "$top/includes" 2>&1 >/dev/null | grep . && return 1 || return 0; }
# A folder may include those of lower levels only.
folders_include_downwards() {
    empty "$(awk -v levels='base 0 kernels 1 image 2 problem 3 device 4 display 5
        solver 6 run 7 edit 7 api 8 job 8 cli 8 view 9 bench 9 commands 10 main 11' '
        BEGIN { n = split(levels, l, /[ \n]+/); for (i = 1; i < n; i += 2) level[l[i]] = l[i + 1] }
        {
            split($0, file, " ")
            split(file[1], from, /[\/.]/)
            split(file[2], to, /[\/.]/)
            a = from[1] == "src" ? from[2] : from[1]
            b = to[1] == "src" ? to[2] : to[1]
            if (a != b && !(level[b] < level[a]))
                print
            if (a != b && b != "kernels" && (file[2] ~ /^src\/[a-z]+\/[a-z]+\// ||
                                             file[2] ~ /^src\/edit\/edit_type/))
                print $0 " (private header)"
        }' "$top/includes")"
}
# The table of docs/contributing.md has the first sentences of the folders' own READMEs.
folders_say_it() {
    local folder said
    for folder in src/*/ kernels/; do
        folder=${folder%/}
        [ "$folder" != src/python ] || continue
        said=$(sed -n 3p "$folder/README.md")
        said=${said%.}
        grep -qiF "\`$folder/\` | $said |" docs/contributing.md &&
            [ "$(wc -l <"$folder/README.md")" -le 25 ] || { echo "$folder: $said"; return 1; }
    done
    for folder in src/*/*/ kernels/ladder/; do
        [ -e "$folder/README.md" ] || empty "$(ls "$folder" | grep '\.c')" || return
    done
}
check 'each folder has a README, whose first sentence is in docs/contributing.md' folders_say_it
check 'no circle of includes' no_circles
check 'folders include what is below them, and no private header' folders_include_downwards

# USER OWNER, as the linker sees them: a file, and one of whose functions or data it needs. Objects
# whose source is gone are of an earlier build.
arrows() { # FOLDER
    (cd "$1" && find src kernels -name '*.o' -exec nm -gA {} +) |
        sed -E 's/(_(base|avx2|avx512)|\.[0-9]+)?\.o:.* ([A-Z]) /.o \3 /' |
        awk '$2 ~ /[TDBRU]/ { sub(/\.o$/, "", $1); print $3, $2, $1 }' | sort -u | awk '
            function there(file) { return system("test -e " file ".c -o -e " file ".cu") == 0 }
            function put(i, j) {
                for (i = 0; i < users; i++)
                    for (j = 0; j < owners; j++)
                        if (user[i] != owner[j])
                            print user[i], owner[j]
                users = owners = 0
            }
            $1 != name { put(); name = $1 }
            !($3 in known) { known[$3] = there($3) }
            known[$3] && $2 == "U" { user[users++] = $3 }
            known[$3] && $2 != "U" { owner[owners++] = $3 }
            END { put() }' | sort -u
}
built=$(dirname "$program")
[ -d "$built/src" ] || built=build
check_where '[ -d "$built/src" ] && command -v nm' 'there are no objects' \
    'no two files call each other in a circle' eval 'arrows "$built" >"$top/arrows" &&
    [ "$(wc -l <"$top/arrows")" -gt 300 ] && empty "$(tsort "$top/arrows" 2>&1 >/dev/null)"'

# ---- the machine code ----

# What the linker took into the program is what it calls.
no_course() {
    nm "$program" >"$top/symbols" && grep -q ' rec_version$' "$top/symbols" &&
        ! grep -E ' (bench_|rec_ladder)' "$top/symbols"
}
check_where 'nm "$program" | grep " T main"' 'it has no symbols' \
    'the program has nothing of the ladder' no_course
small() { # with code for one kind of card
    strip -o "$top/stripped" "$program" && stat -c '%s bytes' "$top/stripped" &&
        [ "$(stat -c %s "$top/stripped")" -le 10800000 ]
}
check_where '! cuobjdump -lelf "$program" | grep sm_120' 'it is for all kinds of cards' \
    'the program without symbols has at most 10.8 MB' small

needs 'built_with CUDA' 'built without CUDA' 'hot loops fit into the instruction cache'
needs 'command -v cuobjdump' 'no cuobjdump: it comes with the CUDA Toolkit' \
    'hot loops fit into the instruction cache'

# Prints BYTES LIMIT KERNEL for every loop of at least 4 KiB that has no other such loop in it. A
# loop of stream_pass, of diagonal_pass, and of a masked level with a mass has its body twice, of
# which one is worked through: for rows inside the image and at its edge.
loops() {
    cuobjdump -sass "$program-bench" |
        awk -v twice='(stream|diagonal)_pass|2upILb1ELb1ELb1E' '
        function hex(text, i, value) {
            for (i = 1; i <= length(text); i++)
                value = value * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
            return value
        }
        function put(i, j, inner) {
            for (i = 0; i < n; i++) {
                inner = 1
                for (j = 0; j < n; j++)
                    if (j != i && from[i] <= from[j] && to[j] <= to[i] &&
                        (to[j] - from[j] < to[i] - from[i] || j < i))
                        inner = 0
                if (inner)
                    print to[i] - from[i], (name ~ twice ? 2 : 1) * 32768, name
            }
            n = 0
        }
        /Function :/ { put(); name = $NF }
        /^ *\/\*[0-9a-f]+\*\/.*[ \t]BRA/ {
            here = $1
            gsub(/[^0-9a-f]/, "", here)
            if (!match($0, /0x[0-9a-f]+ *;/))
                next
            target = substr($0, RSTART + 2, RLENGTH - 3)
            gsub(/[^0-9a-f]/, "", target)
            if (hex(here) + 16 - hex(target) >= 4096) {
                from[n] = hex(target)
                to[n++] = hex(here) + 16
            }
        }
        END { put() }' | c++filt
}

loops >"$top/loops"
given test -s "$top/loops"
sort -rn "$top/loops" | sed 's/^/# /'
fit() { awk '$1 > $2 { print "too large: " $0; bad = 1 } END { exit bad }' "$top/loops"; }
check 'hot loops fit into the instruction cache' fit
finish
