#!/usr/bin/env bash
# --boundary: edges and their mean, the solvers, the exact picture, and what is refused.
. tests/lib.sh

castle 61 44 >picture.pgm
castle 40 33 --colour >picture.ppm
mirror=(--boundary mirror)
run_mirrored=(--headless -q --boundary mirror)

# ---- edges ----

mean_is_that_of_the_samples() {
    local wanted got
    wanted=$(tail -c $((61 * 44)) picture.pgm | od -An -v -w1 -tu1 |
        awk '{ sum += $1 } END { printf "%.12g", sum / NR }')
    exits 0 edges "${mirror[@]}" picture.pgm -o e.pgm && equal "$(wc -l <"$top/stdout")" 1 &&
        [ ! -s "$top/stderr" ] && got=$(awk '{ printf "%.12g", $2 }' "$top/stdout") &&
        equal "$got" "$wanted"
}
check 'edges prints the mean' mean_is_that_of_the_samples
check 'edges prints a mean a plane' all exits 0 edges "${mirror[@]}" picture.ppm -o e.ppm \
    and grep -qE '^mean [0-9.]+,[0-9.]+,[0-9.]+$' "$top/stdout"
check 'edges to stdout: the mean is on stderr' all exits 0 edges "${mirror[@]}" picture.pgm -o - \
    and same "$top/stdout" e.pgm and says 'mean '
check 'edges of a halo are others, and print nothing' all works edges picture.pgm -o halo.pgm \
    and differ halo.pgm e.pgm \
    and works edges --boundary halo picture.pgm -o halo2.pgm and same halo.pgm halo2.pgm
printf 'P2 3 2 9\n1 2 4 8 0 5\n' >six.pgm
given exits 0 edges "${mirror[@]}" six.pgm -o six.dat

# ---- stencils: their bits, and that they converge, are in tests/unit/test_iterates.c; how a
# checkpoint goes on with its boundary in tests/unit/test_run.c ----

check '-t' all works "${run_mirrored[@]}" -s cpu -t 0.01 --start 3.3333333 six.dat -o near.pfm \
    and within 0.05 near.pfm six.pgm
check 'without --mean the tone is stretch, but where it is said' \
    all works "${run_mirrored[@]}" -s cpu -n 300 e.pgm -o one.pgm and works "${run_mirrored[@]}" \
    -s cpu -n 300 --tone stretch e.pgm -o two.pgm and works "${run_mirrored[@]}" -s cpu \
    -n 300 --tone clamp e.pgm -o three.pgm and same one.pgm two.pgm and differ one.pgm three.pgm

# ---- what is refused ----

refusals --headless -q -o out.pgm <<'END'
64~halo|mirror|wrap|sawtooth~--boundary torus -n 3 e.pgm
64~--halo~--boundary mirror --halo 3 -n 3 e.pgm
64~--mean~--mean 3 e.pgm
64~--balance~--balance e.pgm
64~--start VALUE~--boundary mirror -n 5 --mean 3 e.pgm
64~--start VALUE~--boundary mirror -s cpu --mean 3 e.pgm
64~mirror, wrap or cylinder~--boundary sawtooth --mean 3 e.pgm
64~cylinder is for edits and exact pictures~--boundary cylinder -n 3 e.pgm
END
refusals edges -o out.pgm picture.pgm <<'END'
64~halo|mirror|wrap|sawtooth~--boundary 3
64~--halo~--boundary mirror --halo 3
64~no option --mean~--boundary mirror --mean 3
64~wrap has no constant~--boundary wrap --halo 3
END
check 'edges that do not sum to 0, and --balance' all refuses 65 '--balance' "${run_mirrored[@]}" \
    -s cpu -n 5 halo.pgm -o out.pgm and says 'halo.pgm: the edges of plane 0 sum to -' \
    and eval 'refuses 65 "standard input: the edges of plane 0 sum to -" "${run_mirrored[@]}" \
    -s cpu -n 5 - -o out.pgm <halo.pgm' \
    and works "${run_mirrored[@]}" -s cpu -n 5 --balance halo.pgm -o out.pgm
fractions_come_back() { # OPTION...: their edges are rounded, so they do not sum to 0 exactly
    "$program" edges --boundary wrap "$@" float.pfm -o e.pfm >mean &&
        works --headless -q --boundary wrap "$@" -s cpu -n 900 --start "$(cut -c6- mean)" e.pfm \
            -o near.pfm && within 1e-3 near.pfm float.pfm
}
waves 7 3 >waves.pgm && given works --headless -q -s cpu -n 50 waves.pgm -o float.pfm
check 'a picture with fractions, from its own edges' fractions_come_back
check 'from those of a stencil' fractions_come_back --stencil laplace8

# ---- the exact picture: others are in test_exact.sh ----

has_spectral || finish

free_mean() {
    works "${run_mirrored[@]}" --mean 3.25 e.pgm -o one.pfm &&
        works "${run_mirrored[@]}" --start 3.25 e.pgm -o two.pfm && within 1e-4 one.pfm two.pfm &&
        works "${run_mirrored[@]}" e.pgm -o three.pgm &&
        works "${run_mirrored[@]}" --mean 12 --tone stretch e.pgm -o four.pgm &&
        within 1 three.pgm four.pgm && works "${run_mirrored[@]}" --mean 7 e.ppm -o five.pfm &&
        works "${run_mirrored[@]}" --mean 7,7,7 e.ppm -o six.pfm && same five.pfm six.pfm
}
check '--mean is for all planes; without it, that of the start, and the tone stretch' free_mean
check '--mean of so many numbers' refuses 64 '1 plane' "${run_mirrored[@]}" --mean 1,2,3 e.pgm \
    -o out.pgm
for mean in '' 1, 1,2 1,2,3,4 ,1 ' 1' 1x nan 1e31; do
    check "--mean '$mean'" refuses 64 --mean "${run_mirrored[@]}" --mean "$mean" e.ppm -o out.ppm
done
check '--compare spectral' exits 0 "${run_mirrored[@]}" \
    -s cpu -n 20000 --compare spectral --max-difference 0.1 six.dat

finish
