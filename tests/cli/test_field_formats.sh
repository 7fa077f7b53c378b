#!/usr/bin/env bash
# The files of the exercise: .dat text, and plain PGM with signed samples beyond its maxval. (That
# iterates stay near the exercise's own order of additions is in tests/unit/test_solver.c.)
. tests/lib.sh

# Edges in the shape of the exercise's: twelve signed integers a line, right-aligned.
waves 36 25 | awk 'NR == 1 { w = $2; h = $3 }
    NR > 1 { m[int((NR - 2) / w), (NR - 2) % w] = $1 }
    END {
        printf "%d %d\n", w, h
        for (y = 0; y < h; y++)
            for (x = 0; x < w; x++)
                printf "%4d%s", m[y-1, x] + m[y+1, x] + m[y, x-1] + m[y, x+1] - 4 * m[y, x],
                    ++n % 12 && n < w * h ? " " : "\n"
    }' >edge.dat
{
    printf 'P2\n# edges\n36 25\n255\n'
    sed 1d edge.dat
} >edge.pgm

check 'signed P2 has edges beyond maxval and below 0' \
    awk '$0 ~ /-/ { low = 1 } END { exit !low }' edge.pgm
check 'both files are the same image' within 0 edge.dat edge.pgm

plain_styles()
{
    sed 1d edge.dat | xargs -n 1 >list
    { printf 'P2 36 25 # comment\n255\n'; cat list; } >tall.pgm
    { printf '  36\t25\r\n'; xargs <list; } >long.dat
    xargs <edge.dat | tr -d '\n' >no-newline.dat
    within 0 edge.dat tall.pgm && within 0 edge.dat long.dat && within 0 edge.dat no-newline.dat
}
check 'line breaks, tabs, CR and comments make no difference' plain_styles

unchanged()
{
    works --headless -q -n 0 edge.dat -o again.dat && within 0 edge.dat again.dat &&
        awk 'NR > 1 && NF > 12 { exit 1 }' again.dat
}
check 'zero iterations write the .dat back, twelve a line' unchanged

signed_colour()
{
    printf 'P3 2 1 255\n-4 300 0  8 -1020 12\n' >edges.ppm &&
        works --headless -q -n 1 --start 0 edges.ppm -o colour.pfm &&
        equal "$(float_samples colour.pfm 6)" '1 -75 0 -2 255 -3'
}
check 'signed P3' signed_colour

finish
