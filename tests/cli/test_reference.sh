#!/usr/bin/env bash
# --reference: how far the result is from a picture, in the summary and in the report.
. tests/lib.sh

waves 60 40 >plain.pgm
castle 30 20 --colour >picture.ppm
given works edges plain.pgm -o e.pgm
given works edges picture.ppm -o c.ppm
given works --headless -q -n 100000000 e.pgm -o picture.pgm
given works --headless -q -n 200 e.pgm -o near.pfm

measured() { # ITERATIONS REFERENCE PEAK: the numbers are those of `compare`
    local rms psnr
    works --headless -q -n "$1" e.pgm --reference "$2" --report r.json -o out.pfm || return
    run compare out.pfm "$2"
    read -r rms psnr < <(sed -nE 's/.*RMS ([^,]*), PSNR (.*) dB/\1 \2/p' "$top/stdout")
    awk -v rms="$rms" -v r="$(value reference_rms)" -v p="$(value psnr)" -v peak="$3" 'BEGIN {
        wanted = 20 * log(peak / r) / log(10)
        exit !(r > 0 && r / rms < 1.00001 && rms / r < 1.00001 && p - wanted < 1e-9 &&
               wanted - p < 1e-9) }' || { cat r.json; show_run; return 1; }
}
check 'RMS and PSNR of an iterate' measured 200 picture.pgm 255
deep() { plain 60 40 1000 '(y * 60 + x) * 7 % 1001' >deep.pgm && measured 200 deep.pgm 1000; }
check "the peak is the reference's maxval" deep
check 'a PFM has the peak 255' measured 50 near.pfm 255
check 'equal: no distance, and a PSNR beyond all numbers' all works --headless -q -n 200 e.pgm \
    --reference near.pfm --report r.json and contains r.json '"reference_rms": 0, "psnr": null' \
    and exits 0 --headless -n 200 e.pgm --reference near.pfm and says 'equal to near.pfm'
summary() {
    exits 0 --headless -n 200 e.pgm --reference picture.pgm &&
        grep -Eq 'RMS from picture.pgm, PSNR [0-9.]+ dB' "$top/stderr" && [ ! -s "$top/stdout" ]
}
check 'the summary; nothing else has to be asked for' summary
check 'not in a report that it was not asked for' \
    all works --headless -q -n 20 e.pgm --report r.json and not grep -E 'psnr|reference_rms' r.json
check 'beside a comparison with the reference solver' \
    all exits 0 --headless -q -n 20 --compare e.pgm --reference picture.pgm --report r.json \
    and grep -Eq '"reference_rms": [0-9.]+, "psnr": [0-9.e+-]+, "comparison": {' r.json

exact() { # as from the picture that the spectral solver writes
    works --headless -q -s spectral e.pgm -o limit.pfm && measured 200 limit.pfm 255 &&
        was=$(value psnr) &&
        exits 0 --headless -n 200 e.pgm --reference limit --report r.json &&
        equal "$(value psnr)" "$was" && says 'RMS from the exact picture, PSNR'
}
! has_spectral || check 'limit: the exact picture, which no file has' exact

# ---- several inputs ----

mkdir pictures && cp picture.pgm pictures/e.pgm && cp picture.ppm pictures/c.ppm
folder() {
    works --headless -q -n 200 e.pgm c.ppm --reference pictures --report all.json &&
        works --headless -q -n 200 e.pgm --reference picture.pgm --report r.json &&
        equal "$(grep '"input": "e.pgm"' all.json | grep -o '"reference_rms": [^,]*')" \
            "\"reference_rms\": $(value reference_rms)" &&
        equal "$(grep -c psnr all.json)" 2
}
check 'a folder has a picture for each, by its name' folder
check 'one that is missing there: the others go on' eval 'cp e.pgm f.pgm;
    run --headless -q -n 20 f.pgm e.pgm --reference pictures --report r.json;
    complaint_is 66 pictures/f.pgm && equal "$(grep -c psnr r.json)" 1'
check 'a file is the picture of all' eval 'cp e.pgm f.pgm &&
    works --headless -q -n 20 e.pgm f.pgm --reference picture.pgm --report r.json &&
    equal "$(grep -c psnr r.json)" 2'

# ---- what is refused ----

waves 61 40 >wide.pgm
other_size() { # REFERENCE SIZE
    refuses 65 "$2" --headless -q -n 100000000 -t 1e-300 e.pgm --reference "$1" -o out.pgm &&
        says ', and e.pgm is 60 x 40 of 1 plane' &&
        refuses 65 ', and standard input is 60 x 40' --headless -q -n 100000000 -t 1e-300 - \
            --reference "$1" -o out.pgm <e.pgm
}
castle 60 40 --colour >planes.ppm
check 'another size, before the iterations' other_size wide.pgm '61 x 40 of 1 plane'
check 'other planes' other_size planes.ppm '60 x 40 of 3 planes'
check 'none' refuses 66 none.pgm --headless -q -n 5 e.pgm --reference none.pgm -o out.pgm
echo junk >junk.pgm
check 'no picture' refuses 65 junk.pgm --headless -q -n 5 e.pgm --reference junk.pgm -o out.pgm
check 'from a pipe' refuses 64 reference --headless -q -n 5 e.pgm --reference - -o out.pgm
check 'nothing to show' refuses 64 'needs an output' --headless -q -n 5 e.pgm \
    --reference picture.pgm
check 'the output is the reference' keeps picture.pgm 'input and output' --headless -q -n 5 e.pgm \
    --reference picture.pgm -o picture.pgm
check 'the folder of outputs is that of the references' keeps pictures/e.pgm 'input and output' \
    --headless -q -n 5 e.pgm c.ppm --reference pictures -o pictures

finish
