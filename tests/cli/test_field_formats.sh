#!/usr/bin/env bash
# The files of the exercise: .dat text, and plain PGM with signed samples beyond its maxval. 100
# iterations stay within 0.01 of the exercise's own order of additions, worked out here in double.
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

# ((((left + right) + up) + down) - edge) * 0.25, from the edges themselves, halo 0
awk 'NR == 1 { w = $1; h = $2; next }
    { for (i = 1; i <= NF; i++) { e[int(k / w), k % w] = $i; k++ } }
    END {
        for (y = -1; y <= h; y++)
            for (x = -1; x <= w; x++)
                m[y, x] = y < 0 || x < 0 || y == h || x == w ? 0 : e[y, x]
        for (n = 0; n < 100; n++) {
            for (y = 0; y < h; y++)
                for (x = 0; x < w; x++)
                    new[y, x] = ((((m[y, x-1] + m[y, x+1]) + m[y-1, x]) + m[y+1, x]) \
                        - e[y, x]) * 0.25
            for (y = 0; y < h; y++)
                for (x = 0; x < w; x++)
                    m[y, x] = new[y, x]
        }
        for (y = h - 1; y >= 0; y--) # as PFM has its rows
            for (x = 0; x < w; x++)
                printf "%.9g\n", m[y, x]
    }' edge.dat >wanted

near_the_exercise() # SOLVER EDGES
{
    works --headless -q -n 100 -s "$1" "$2" -o "$1.pfm" &&
        float_samples "$1.pfm" 900 | tr ' ' '\n' | paste wanted - | awk '
            { d = $1 - $2; if (d < 0) d = -d; if (d > most) most = d }
            END { print "largest difference", most; exit NR == 900 && most < 0.01 ? 0 : 1 }'
}
check 'the picture behind these edges is no trifle' \
    test "$(sort -g wanted | tail -n 1 | cut -d. -f1)" -gt 20
check '.dat: 100 iterations of the reference, within 0.01' near_the_exercise reference edge.dat
check '.dat: 100 iterations of the cpu solver, within 0.01' near_the_exercise cpu edge.dat
check 'signed P2: the same' near_the_exercise cpu edge.pgm
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
