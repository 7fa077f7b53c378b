/* The options, a row each: a name for the code, the member of rec_settings into which the value is
 * only copied (else the commands read it), then as in option_row. Names and tables follow. */
ROW(OUTPUT, INTO(output), "output", 'o', TEXT, "FILE", 0, 0, JOBS | EDGES | HEIGHTS | COMPARE, 0,
    "the output: {extensions}; - is stdout")
ROW(PICTURE, NOWHERE, "picture", 0, FLAG, NULL, 0, 0, RUN, ITERATE,
    "the input is a picture: compute its edges, rebuild it, and report the difference")
ROW(HEADLESS, NOWHERE, "headless", 0, FLAG, NULL, 0, 0, JOBS, 0,
    "no window; needs an output: -o, --compare, --report, --frames or --reference")
ROW(ITERATIONS, INTO(run.iterations), "iterations", 'n', COUNT, "N", 0, OPTION_MOST_COUNT, JOBS,
    OUTPUT, "iterations in total, such as 5000, 1e6 or 10k")
ROW(TOLERANCE, INTO(run.tolerance), "tolerance", 't', NUMBER, "LEVELS", OPTION_ABOVE_0, INFINITY,
    RUN | EDITS, OUTPUT,
    "iterate until the picture is at most LEVELS grey levels (RMS) from the exact one: for their "
    "number, since the exact picture itself, without -t, is there sooner")
ROW(MASK, INTO(edit.mask), "mask", 0, TEXT, "MASK", 0, 0, RUN | EDITS, ITERATE,
    "an image: pixels are unknown where it is white, and keep their samples elsewhere")
ROW(ONTO, INTO(edit.onto), "onto", 0, TEXT, "PICTURE", 0, 0, RUN, ITERATE,
    "with --mask: the picture around the unknown pixels")
ROW(FROM, NOWHERE, "from", 0, TEXT, "auto|none|DX,DY|FILE", 0, 0, HEAL, ITERATE,
    "the source of the gradients: auto, the place that fits each part of the mask best (default, "
    "except for data such as PFM); none, the smoothest fill; DX,DY, so many pixels to the right "
    "and down; FILE, as the window saved them")
ROW(AT, NOWHERE, "at", 0, PLACE, "X,Y", 0, REC_MAX_SIDE, CLONE, ITERATE,
    "where SOURCE's top left pixel lies in TARGET; parts outside are ignored (0,0)")
ROW(GRADIENT, INTO(edit.rule), "gradient", 0, CHOICE, REC_GRADIENT_WORDS, 0, 0, EDITS, ITERATE,
    "the gradients inside the mask: {gradients}")
ROW(KEEP, INTO(edit.keep), "keep", 0, NUMBER, "N", OPTION_ABOVE_0, INFINITY, EDITS, ITERATE,
    "keep the source's colours: the correction that hides the seam decays over N pixels (15 to 60)")
ROW(GROW, INTO(edit.grow), "grow", 0, COUNT, "N", 0, 1000, HEAL, ITERATE,
    "widen the mask by N pixels (0), and strokes in the window (2)")
ROW(NORMALS, NOWHERE, "normals", 0, FLAG, NULL, 0, 0, EDGES, 0,
    "the input is a normal map: compute the edges of its height field")
ROW(GREEN, NOWHERE, "green", 0, CHOICE, REC_GREEN_WORDS, 0, 0, EDGES | HEIGHTS, 0,
    "where green points in a normal map: up (OpenGL), down (DirectX), or auto, where the curl is "
    "smaller (default)")
ROW(FLAT, NOWHERE, "flat", 0, CHOICE, "127|127.5|128", 0, 0, EDGES | HEIGHTS, 0,
    "the red and green that stand for 0 in a normal map of 8 bits, and what is like that of 16 "
    "(default: 127.5, but a map's own flat colour, 127 or 128 in both, is flat)")
ROW(SLOPES, NOWHERE, "slopes", 0, FLAG, NULL, 0, 0, EDGES | HEIGHTS, 0,
    "the inputs are the slopes of a height field to the right, P, and downwards, Q: compute its "
    "edges")
ROW(TONE, INTO(writing.tone), "tone", 0, CHOICE, "clamp|stretch|epcc|auto", 0, 0, RUNS, OUTPUT,
    "how values become grey levels: clamp, rounded and cut off (the default); stretch, the "
    "smallest black and the largest white; epcc, the exercise's square root of the magnitude, for "
    "8 bits; auto, clamp while it cuts off at most 1% of the pixels, else stretch (the window's "
    "default)")
ROW(MAXVAL, INTO(writing.maxval), "maxval", 0, COUNT, "M", 1, 65535, JOBS | HEIGHTS, OUTPUT,
    "the value of white in the output, 1 to 65535 (255; of heights 65535)")
ROW(FORMAT, NOWHERE, "format", 0, TEXT, "NAME", 0, 0, JOBS | EDGES | HEIGHTS | COMPARE, OUTPUT,
    "the output's format, whatever its extension: {formats}")
ROW(FILES_FROM, INTO(files_from), "files-from", 0, TEXT, "LIST", 0, 0, LISTS, 0,
    "read the names of the inputs from this file, one a line; - is standard input")
ROW(NULL, NOWHERE, "null", 0, FLAG, NULL, 0, 0, LISTS, 0,
    "the names in LIST end with NUL, as find -print0 writes them")
ROW(OUTPUT_DIR, INTO(output), "output-dir", 0, TEXT, "FOLDER", 0, 0, LISTS, 0,
    "the folder for the results, like -o FOLDER/")
ROW(PARENTS, INTO(parents), "parents", 0, FLAG, NULL, 0, 0, LISTS, 0,
    "results keep the relative paths of their inputs")
ROW(REPORT, INTO(report), "report", 0, TEXT, "FILE", 0, 0, JOBS | EDGES | COMPARE, 0,
    "write a JSON object for each input, one a line, as soon as it is done; - is stdout")
ROW(RESUME, INTO(resume), "resume", 0, JOURNAL, "FILE.jsonl", 0, 0, LISTS, 0,
    "skip the inputs that --report lists as done, and append to it; FILE: read this report, too; "
    "--resume=FOLDER: all reports FOLDER/*.jsonl")
ROW(SHARD, NOWHERE, "shard", 0, TEXT, "I/N", 0, 0, LISTS, 0,
    "only inputs I, I + N, I + 2 N, ...; I is 0 to N - 1")
ROW(JOBS, INTO(threads), "jobs", 0, COUNT, "N", 1, 1024, LISTS, 0,
    "at most N threads compute (default: one for each processor); with 1, reading, solving and "
    "writing take turns")
ROW(CHECKPOINT, INTO(checkpoint), "checkpoint", 0, TEXT, "FILE", 0, 0, JOBS, 0,
    "continue from FILE if it exists, and keep it up to date; with several inputs a folder")
ROW(CHECKPOINT_EVERY, INTO(run.checkpoint_every), "checkpoint-every", 0, NUMBER, "SECONDS", 0, 1e9,
    JOBS, 0, "seconds between two checkpoints (60)")
ROW(REFERENCE, INTO(original), "reference", 0, TEXT, "PICTURE", 0, 0, JOBS, OUTPUT,
    "report the distance from this picture: RMS, PSNR; a folder: from its picture with the "
    "input's name; limit: from the exact picture")
ROW(COMPARE, NOWHERE, "compare", 0, WORD, "reference|spectral", 0, 0, JOBS, OUTPUT,
    "run the CPU reference beside the solver and compare bits; exit 1 if a bit differs. spectral: "
    "report the distance from the exact picture")
ROW(MAX_DIFFERENCE, INTO(max_difference), "max-difference", 0, NUMBER, "D", 0, INFINITY,
    JOBS | COMPARE, OUTPUT, "tolerate differences up to D grey levels")
ROW(WHITE, INTO(edit.white), "white", 0, NUMBER, "V", OPTION_ABOVE_0, REC_MAX_MAGNITUDE,
    CLONE | COMPARE, OUTPUT,
    "the value of white in a PFM, if the other file has a white of its own")
ROW(RELATIVE, NOWHERE, "relative", 0, NUMBER, "R", 0, 1, COMPARE, 0,
    "tolerate |a - b| up to R (|a| + |b|)")
ROW(SHOW, NOWHERE, "show", 0, FLAG, NULL, 0, 0, COMPARE, 0,
    "also show both and their difference, in a window")
ROW(FRAMES, INTO(film), "frames", 0, TEXT, "FOLDER", 0, 0, RUNS, OUTPUT,
    "write a numbered picture of the start and of every K iterations (-k)")
ROW(FRAMES_LOG, NOWHERE, "frames-log", 0, FLAG, NULL, 0, 0, RUNS, OUTPUT,
    "write iterates 0 to 10, then in steps of at least 10%, until standstill")
ROW(FRAMES_AT, NOWHERE, "frames-at", 0, TEXT, "LIST", 0, 0, RUN, OUTPUT,
    "write these iterates, computed by the spectral solver, such as 0,1,10..1e6:60,limit: "
    "numbers, a range (60 iterates, log-spaced), the limit")
ROW(SOLVER, NOWHERE, "solver", 's', TEXT, "NAME", 0, 0, JOBS, OUTPUT,
    "the solver: auto (cpu, then cuda once a device is ready), or one that `reconstruct --help` "
    "lists")
ROW(DEVICE, NOWHERE, "device", 'd', TEXT, "NUMBER,...|all", 0, 0, JOBS, 0,
    "the CUDA device (0), or several that share an image; selects the cuda solver unless -s is "
    "spectral; `reconstruct devices` lists the devices")
ROW(EVERY, INTO(run.every), "every", 'k', COUNT, "K", 1, OPTION_MOST_COUNT, JOBS, OUTPUT,
    "the check interval in iterations: display, norms, stop rules, signals (default: as many as "
    "take at least 0.2 s; with --frames 100)")
ROW(PACE, INTO(pace), "pace", 0, NUMBER, "SECONDS|max", OPTION_ABOVE_0, 1e9, JOBS, 0,
    "in the window: seconds until there are ten times as many iterations; max: as fast as "
    "possible (default: a run takes about 20 s; with -k, max)")
ROW(STENCIL, NOWHERE, "stencil", 0, TEXTS, "NAME|FILE", 0, 0, RUNS | EDGES, ITERATE,
    "the weights: a name from `--stencil list`, or a file")
ROW(WIDTH, NOWHERE, "width", 0, COUNT, "RADIUS", 1, 31, RUNS | EDGES, ITERATE,
    "the radius of the stencil, where it can be chosen: 2 is 5 x 5")
ROW(BOUNDARY, INTO(run.problem.boundary.kind), "boundary", 0, CHOICE,
    "halo|mirror|wrap|sawtooth|mirror101|replicate|cylinder", 0, 0, JOBS | EDGES | HEIGHTS, ITERATE,
    "what is around the picture: {boundaries}")
ROW(HALO, INTO(run.problem.boundary.value), "halo", 0, NUMBER, "VALUE", -INFINITY, INFINITY,
    JOBS | EDGES, ITERATE, "the constant around the picture (0)")
ROW(MEAN, NOWHERE, "mean", 0, TEXT, "V|R,G,B", 0, 0, RUN, ITERATE,
    "with --boundary {means}: the mean of the exact picture (default: that of the start, with "
    "--tone stretch)")
ROW(START, NOWHERE, "start", 0, TEXT, "edges|VALUE|FILE", 0, 0, RUN | EDITS, ITERATE,
    "the image before the first iteration (edges)")
ROW(FORCE, INTO(force), "force", 0, FLAG, NULL, 0, 0, RUN, 0,
    "continue even if a stencil's edges do not determine the picture, or if at least 95% of it is "
    "cut off")
ROW(QUIET, NOWHERE, "quiet", 'q', FLAG, NULL, 0, 0, JOBS | EDGES | HEIGHTS | COMPARE, 0,
    "no progress and no notes; warnings and errors remain")
ROW(HELP, NOWHERE, "help", 'h', FLAG, NULL, 0, 0, ALL, 0, "print this text")
ROW(VERSION, NOWHERE, "version", 'V', FLAG, NULL, 0, 0, RUN, 0,
    "print the version and what is built in")
ROW(KERNEL, INTO(run.solver_options.kernel), "kernel", 0, TEXT, "NAME", 0, 0, JOBS, ITERATE,
    "a kernel of the solver (default: the solver chooses)")
ROW(SLABS, NOWHERE, "slabs", 0, COUNT, "S", 1, 1e6, RUN | EDITS, 0,
    "cut the image into S slabs of rows (one for each device); the result is the same, bit for bit")
ROW(OMEGA, NOWHERE, "omega", 0, NUMBER, "W", OPTION_ABOVE_0, INFINITY, RUN, ITERATE,
    "with --stencil and -n: the damping of the iteration (the fastest)")
ROW(BALANCE, INTO(balance), "balance", 0, FLAG, NULL, 0, 0, RUN, ITERATE,
    "with --boundary {means}: first subtract the mean of the edges")
ROW(ZERO_LEVEL, INTO(reading.zero_level), "zero-level", 0, NUMBER, "VALUE", -REC_MAX_MAGNITUDE,
    REC_MAX_MAGNITUDE, RUN | EDGES, ITERATE,
    "the sample that stands for an edge of 0 ((maxval + 1) / 2 for unsigned samples, else 0)")
ROW(NORMALISE, NOWHERE, "normalise", 0, FLAG, NULL, 0, 0, RUNS | EDGES, ITERATE,
    "divide by the sum of the weights")
ROW(FLIP, NOWHERE, "flip", 0, FLAG, NULL, 0, 0, RUNS | EDGES, ITERATE,
    "turn the stencil by 180 degrees: a convolution instead of a correlation")
