#!/usr/bin/env bash
# Outputs that are inputs, or other outputs, under whatever name: refused, and no file is harmed.
. tests/lib.sh

waves 24 16 >picture.pgm
given works edges picture.pgm -o a.pgm
cp a.pgm b.pgm && waves 40 30 | "$program" edges - -o c.pgm
mkdir sub && cp c.pgm sub/a.pgm
printf '%s\n' a.pgm b.pgm c.pgm >list
ln -s a.pgm link.pgm
ln a.pgm hard.pgm

run=(--headless -q -n 5)
check 'the output is the input' keeps a.pgm a.pgm "${run[@]}" a.pgm -o a.pgm
check 'the output is the input by another path' keeps a.pgm a.pgm "${run[@]}" a.pgm -o sub/../a.pgm
check 'the output leads to the input' keeps a.pgm link.pgm "${run[@]}" a.pgm -o link.pgm
check 'the output is the input under a second name' keeps a.pgm hard.pgm \
    "${run[@]}" a.pgm -o hard.pgm
check 'the folder of outputs is that of the inputs' keeps b.pgm a.pgm "${run[@]}" a.pgm b.pgm -o .
check 'one input into its own folder' keeps sub/a.pgm a.pgm "${run[@]}" sub/a.pgm -o sub
check 'the output is the start' keeps b.pgm b.pgm "${run[@]}" a.pgm --start b.pgm -o b.pgm
check 'the report is the input' keeps a.pgm a.pgm "${run[@]}" a.pgm -o out.pgm --report a.pgm
check 'the output of edges is its input' keeps picture.pgm picture.pgm \
    edges picture.pgm -o picture.pgm
check 'the report is the output' refuses 64 out.pgm "${run[@]}" a.pgm -o out.pgm --report out.pgm
check 'the checkpoint is the output' refuses 64 out.pgm "${run[@]}" a.pgm -o out.pgm \
    --checkpoint out.pgm
check 'the checkpoint cannot be stdout' refuses 64 --checkpoint "${run[@]}" a.pgm -o out.pgm \
    --checkpoint -
check 'nothing is left of all these' tidy

# ---- in lists, and frames ----

mkdir f && cp a.pgm f/a.pgm && cp c.pgm f/a-000001.pgm && cp c.pgm f/b-000002.pgm
check 'a frame would be an input' keeps f/a-000001.pgm f/a-000001.pgm \
    --headless -q -n 3 -k 1 f/a.pgm f/a-000001.pgm --frames f
check 'by another path, too' keeps f/a-000001.pgm f/a-000001.pgm \
    --headless -q -n 3 -k 1 a.pgm f/a-000001.pgm --frames sub/../f
check 'a frame would be the reference' keeps f/a-000001.pgm f/a-000001.pgm \
    --headless -q -n 3 -k 1 a.pgm --frames f --reference f/a-000001.pgm
check 'a frame would be the output' eval 'run --headless -q -n 3 -k 1 a.pgm --frames x \
    -o x/a-000002.pgm; complaint_is 73 x/a-000002.pgm' # which it is by then
check 'a frame would be another output' refuses 73 b-000002 \
    --headless -q -n 3 -k 1 b.pgm f/b-000002.pgm --frames x -o x
check 'what is no frame of any input stays in peace' \
    all works --headless -q -n 3 -k 1 b.pgm f/a-000001.pgm --frames f and [ -s f/b-000001.pgm ]
check 'an output would be another input' keeps sub/a.pgm sub/a.pgm \
    --headless -q -n 3 a.pgm sub/a.pgm --parents -o f/../sub
echo sub/list.pgm >list.pgm && cp a.pgm sub/list.pgm
check 'the report would be the list' keeps list 'input and output' \
    --headless -q -n 5 --files-from list -o x/ --report ./list
check 'an output would be the list' keeps list.pgm list.pgm \
    --headless -q -n 3 --files-from list.pgm -o . # fails all of its one input

# Links, which no name tells of: what exists is asked for again when an output gets its name.
linked() { # FILE TARGET LINK ARGUMENT...: a link to FILE where an output goes; 64 before the work
    ln -sf "$2" "$3" && keeps "$1" 'input and output' --headless -q -n 3 "${@:4}" &&
        [ -L "$3" ]
}
mkdir in ou && cp a.pgm b.pgm c.pgm in
check 'an output is a link to another input' linked in/b.pgm ../in/b.pgm ou/a.pgm --jobs 1 \
    in/a.pgm in/b.pgm -o ou
to_the_list() { # whose other inputs are done
    printf 'in/a.pgm\nin/b.pgm\n' | tee names.txt >names.was && ln -sf ../names.txt ou/a.pgm &&
        run --headless -q -n 3 --files-from names.txt -o ou
    equal "$status" 64 && says 'it is names.txt' && same names.txt names.was && [ -s ou/b.pgm ] &&
        rm ou/*
}
check 'to the list' to_the_list
given exits 0 --headless -n 3 a.pgm b.pgm -o kept --report was.jsonl
check 'to the journal of --resume' linked was.jsonl ../was.jsonl ou/a.pgm in/a.pgm in/b.pgm -o ou \
    --report new.jsonl --resume was.jsonl
printf '3 3\n0 1 0\n1 -4 1\n0 1 0\n' >own.txt && rm ou/*
ln -s ../own.txt ou/a.pgm
check 'to the stencil' keeps own.txt 'input and output' convolve --headless -q \
    --stencil own.txt in/a.pgm in/b.pgm -o ou
two_outputs_one_file() {
    rm ou/* && ln -s b.pgm ou/a.pgm &&
        exits 73 --headless -q -n 3 in/a.pgm in/b.pgm in/c.pgm -o ou --jobs "$1" &&
        says 'is one file with' && [ -s ou/b.pgm ] && [ -s ou/c.pgm ]
}
check 'two outputs are one file' two_outputs_one_file 1
check 'with several threads, too' two_outputs_one_file 3
made_on_the_way() { # after the check before the work
    rm ou/* && mkfifo slow.pgm && cp in/b.pgm "$top/before" || return
    "$program" --headless -q -n 3 slow.pgm in/b.pgm -o ou --jobs 1 2>"$top/stderr" &
    exec 9>slow.pgm && ln -s ../in/b.pgm ou/slow.pgm && cat a.pgm >&9 && exec 9>&- || return
    wait $!
    equal $? 73 && says 'input and output' && same in/b.pgm "$top/before" && [ -s ou/b.pgm ]
}
check 'a link that is made on the way' made_on_the_way
standard_input() {
    cp a.pgm "$top/before" && run --headless -q -n 3 - -o a.pgm <a.pgm
    complaint_is 64 'input and output' && same a.pgm "$top/before"
}
check 'what standard input reads' standard_input
caseless() { # as exFAT by FUSE: any case opens a file, and each name has an inode of its own
    cat >caseless.c <<'END'
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
int stat(const char *path, struct stat *about)
{
    int (*real)(const char *, struct stat *) = dlsym(RTLD_NEXT, "stat");
    struct dirent *entry;
    DIR *folder = strchr(path, '/') ? NULL : opendir(".");
    int result = real(path, about);
    while (result && folder && (entry = readdir(folder)))
        if (!strcasecmp(entry->d_name, path))
            result = real(entry->d_name, about);
    for (about->st_ino += 1000; *path; path++)
        about->st_ino = about->st_ino * 31 + (unsigned char)*path;
    if (folder)
        closedir(folder);
    return result;
}
END
    "${CC:-gcc}" -shared -fPIC -O1 -o caseless.so caseless.c -ldl && cp a.pgm UPPER.pgm || return
    LD_PRELOAD=$PWD/caseless.so run --headless -q -n 3 UPPER.pgm -o upper.pgm
    equal "$status" 64 && says 'input and output' && absent upper.pgm &&
        LD_PRELOAD=$PWD/caseless.so works --headless -q -n 3 UPPER.pgm -o other.pgm
}
check_where '! sanitized' 'sanitizers come first' 'a name without case' caseless

finish
