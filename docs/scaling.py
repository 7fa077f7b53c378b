#!/usr/bin/env python3
"""One image over the GPUs of a host: measures it, and draws docs/scaling.svg.

    docs/scaling.py measure --gpus 8 [--ranks mpirun] >docs/scaling.csv
    docs/scaling.py table <docs/scaling.csv                 the table of docs/clusters.md
    docs/scaling.py draw <docs/scaling.csv >docs/scaling.svg
    docs/scaling.py fit <docs/scaling.csv                   the model's constants, and how far off it is
    docs/scaling.py model                                   what docs/clusters.md expects

measure runs ./reconstruct, or the program that RECONSTRUCT names, on random edges; with --ranks also
reconstruct-mpi beside it, a rank on each GPU. A line is: name, columns x rows, GPUs, way, G updates a second, kernel.
The way "ideal" is what that many GPUs would make if an exchange took no time: one of them, alone with a slab and the
ghost rows that it computes, times their number, own rows counted. --counts 1,4 leaves out two GPUs, --names 2048,weak
all but these images. The changes of the last iteration must be the same numbers for every count, else it ends with 1.
"""
import argparse
import csv
import json
import math
import os
import random
import subprocess
import sys
import tempfile

PROGRAM = os.environ.get("RECONSTRUCT", "./reconstruct")
STRONG = [(2048, 2048), (4096, 4096), (5001, 3333), (16384, 16384), (65536, 16384), (65536, 65536)]
WEAK = (65536, 8192)  # of each GPU
PASS, ROW = 15e-6, 235e-9  # of `diagonal`: seconds of a launch, and of a row of a strip on all of a block's share
LATENCY, BANDWIDTH = 10e-6, 200e9  # of an exchange: seconds, bytes a second; fitted to two H200s
NODES = 60e-6, 50e9  # the same between nodes, not measured


def write_edges(path, width, height):
    block = random.Random(1).randbytes(width * min(height, 1024))
    with open(path, "wb") as file:
        file.write(b"P5\n%d %d\n255\n" % (width, height))
        for y in range(0, height, 1024):
            at = y // 1024
            file.write((block[at:] + block[:at])[:width * min(height - y, 1024)])


def run(command, folder, gpus, n):
    report = os.path.join(folder, "report.json")
    seen = {**os.environ, "CUDA_VISIBLE_DEVICES": ",".join(map(str, range(gpus)))}
    command = [*command, "-n", n, "-k", n, "--headless", "-q", "--report", report]
    if subprocess.run(command, env=seen).returncode:
        print("failed:", *command, file=sys.stderr)
        return {"updates_per_second": 0, "kernel": "failed", "change_rms": math.nan}
    return json.load(open(report))


def measure(counts, launcher, names):
    differ = 0

    def write(way, gpus, about, share=1.0):
        print(f"{name},{width}x{height},{gpus},{way},{share * about['updates_per_second'] * 1e-9:.1f},"
              f"{about['kernel']}", flush=True)

    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
        edges = os.path.join(folder, "edges.pgm")
        for name, size in [(str(size[0]), size) for size in STRONG] + [("weak", WEAK)]:
            changes = set()
            for gpus in counts if not names or name in names else ():
                width, height = size[0], size[1] * (gpus if name == "weak" else 1)
                if name == "weak" or gpus == counts[0]:
                    write_edges(edges, width, height)
                # Enough that the rotation into antidiagonals, once a run, does not count.
                n = str(max(4096, int(4e12 / (width * height)) // 512 * 512))
                for way in ("process", "ranks") if launcher and gpus > 1 else ("process",):
                    command = [PROGRAM, "--device", ",".join(map(str, range(gpus))), edges]
                    if way == "ranks":
                        command = [*launcher.split(), "-n", str(gpus), PROGRAM + "-mpi", "-s", "cuda", edges]
                    about = run(command, folder, gpus, n)
                    if name != "weak":
                        changes.add(about["change_rms"])
                    write(way, gpus, about)
                if gpus > 1:
                    own, slab = height / gpus, os.path.join(folder, "slab.pgm")
                    rows = math.ceil(own) + min(gpus - 1, 2) * ghost_rows(width)
                    write_edges(slab, width, rows)
                    write("ideal", gpus, run([PROGRAM, "--device", "0", slab], folder, 1, n), gpus * own / rows)
                    os.remove(slab)
            differ |= len(changes) > 1 or math.nan in changes
    return differ


def ghost_rows(width):
    """On each side of a slab: src/solver/slabs.c."""
    return min(224, max(64, 2 ** 19 // width) // 32 * 32)


# ---- the model ----


def rate_of(width, height):
    """G updates a second of a whole image that stays on the chip, measured: docs/measurements.md."""
    table = [(0.065, 278), (0.26, 1027), (0.59, 1779), (1.05, 2507), (2.36, 3420), (4.2, 3780)]
    cells = width * height * 1e-6
    for (a, low), (b, high) in zip(table, table[1:]):
        if cells <= b:
            return low + (high - low) * max(0, cells - a) / (b - a)
    return table[-1][1]


def seconds_of(width, height, depth, closed, row):
    """`depth` iterations of a slab, ghost rows counted, by the faster kernel; closed: sides without a neighbour."""
    if width * height < 5.5e6:
        return 10e-6 + width * height * depth / rate_of(width, height) * 1e-9
    slow = 0.45 * (400 / width + (400 / height if closed else 0))
    rows = 2 * (height + 16) * math.ceil(width / 2 / 344) * (1 + slow) / 132
    return depth / 32 * (PASS + row * (rows + 64))


def model(width, height, gpus, latency=LATENCY, bandwidth=BANDWIDTH, row=ROW):
    """G updates a second of an image over that many GPUs."""
    if gpus == 1:
        depth = 224
        return width * height * depth / seconds_of(width, height, depth, 2, row) * 1e-9
    depth = ghost_rows(width)
    rows, slowest = height / gpus, 0
    for neighbours in (1, 2) if gpus > 2 else (1,):
        own = seconds_of(width, rows + neighbours * depth, depth, 2 - neighbours, row)
        slowest = max(slowest, own + latency + neighbours * 4 * depth * width / bandwidth)
    return width * height * depth / slowest * 1e-9


# ---- measured rows: name, columns x rows, GPUs, way, rate, kernel ----


def best_of(rows, ways):
    """The highest rates, as images[name][gpus] = (rate, width, height)."""
    images = {}
    for name, size, gpus, way, rate, kernel in rows:
        width, height = map(int, size.split("x"))
        gpus, rate = int(gpus), float(rate)
        name = f"{width} x {height // gpus} a GPU" if name == "weak" else f"{width} x {height}"
        if (way == "ideal") != (ways == "ideal") or kernel == "failed":
            continue
        if rate > images.setdefault(name, {}).get(gpus, (0,))[0]:
            images[name][gpus] = (rate, width, height)
    return images


def fit(rows):
    """The constants with the least mean square of the model's relative error over what was measured."""
    points = [(gpus, *point) for image in best_of(rows, "measured").values() for gpus, point in image.items()]

    def error(constants):
        return math.sqrt(sum(math.log(model(width, height, gpus, *constants) / rate) ** 2
                             for gpus, rate, width, height in points) / len(points))

    tried = [(latency * 1e-6, bandwidth * 1e9, row * 1e-9) for latency in range(0, 41, 2)
             for bandwidth in (50, 75, 100, 150, 200, 250, 300, 400) for row in range(200, 300, 2)]
    best = min(tried, key=error)
    print(f"LATENCY, BANDWIDTH = {best[0]:.0e}, {best[1]:.0e}; ROW = {best[2]:.3e}")
    print(f"off by {100 * error(best):.1f}% (root mean square); with the constants of now "
          f"{100 * error((LATENCY, BANDWIDTH, ROW)):.1f}%")


def table(rows):
    measured, ideal = best_of(rows, "measured"), best_of(rows, "ideal")
    counts = sorted({gpus for image in measured.values() for gpus in image})
    heads = [f"{n} GPU{'s' * (n > 1)}" for n in counts]
    print(f"| image (columns x rows) | {' | '.join(heads)} | an ideal exchange | reached |")
    print("|---" + "|--:" * (len(counts) + 2) + "|")
    for name, image in measured.items():
        most = max(image)
        top = ideal.get(name, {}).get(most, (0,))[0]
        cells = [f"{image[gpus][0]:.0f}" if gpus in image else "" for gpus in counts]
        cells += [f"{top:.0f}", f"{100 * image[most][0] / top:.0f}%"] if top else ["", ""]
        print(f"| {name} | " + " | ".join(cells) + " |")


# ---- the plot ----

LEFT, RIGHT, TOP, BOTTOM = 78, 560, 70, 450
STYLE = """text{font-family:-apple-system,'Segoe UI',Helvetica,Arial,sans-serif;font-size:12px;fill:#59636e}
.card{fill:#ffffff;stroke:#d1d9e0}.title{font-size:16px;font-weight:600;fill:#1f2328}.grid{stroke:#e6eaef}
.line{fill:none;stroke-width:2}.model{fill:none;stroke:#8b949e;stroke-width:1.5;stroke-dasharray:4 4}
@media (prefers-color-scheme:dark){.card{fill:#0d1117;stroke:#30363d}text{fill:#9198a1}.title{fill:#e6edf3}
.grid{stroke:#21262d}}"""
COLOURS = ["#0969da", "#bc4c00", "#1a7f37", "#8250df", "#cf222e", "#9a6700", "#a40e6c"]


def draw(rows):
    best, ideal = best_of(rows, "measured"), best_of(rows, "ideal")
    most = max(gpus for points in best.values() for gpus in points)
    low, high = 2000, 2000 * 2 ** math.ceil(math.log2(max(p[0] for s in best.values() for p in s.values()) / 2000))

    def place(gpus, rate):
        x = LEFT + (RIGHT - LEFT) * math.log2(gpus) / math.log2(most)
        return x, BOTTOM - (BOTTOM - TOP) * math.log(max(rate, low) / low) / math.log(high / low)

    def line(points, style):
        return f'<polyline {style} points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in points)}"/>'

    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 500" width="720" height="500" role="img" '
           'aria-label="Speed on one and several GPUs, measured and by the model">', f"<style>\n{STYLE}\n</style>",
           '<rect class="card" x="0.5" y="0.5" width="719" height="499" rx="8"/>',
           f'<text class="title" x="{LEFT}" y="30">One image over the GPUs of a host</text>',
           f'<text x="{LEFT}" y="50">G updates a second; both axes logarithmic; dashed: the model'
           f'{"; rings: an ideal exchange" if ideal else ""}</text>']
    rate = low
    while rate <= high:
        y = place(1, rate)[1]
        out += [f'<line class="grid" x1="{LEFT}" y1="{y:.1f}" x2="{RIGHT}" y2="{y:.1f}"/>',
                f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{rate}</text>']
        rate *= 2
    for gpus in sorted({g for points in best.values() for g in points}):
        out.append(f'<text x="{place(gpus, low)[0]:.1f}" y="{BOTTOM + 22}" text-anchor="middle">{gpus} '
                   f'GPU{"s" if gpus > 1 else ""}</text>')
    label = 1e9
    ordered = sorted(best.items(), key=lambda item: item[1][max(item[1])][0])
    for (name, points), colour in zip(ordered, COLOURS):
        measured = [place(gpus, points[gpus][0]) for gpus in sorted(points)]
        out.append(line([place(g, model(points[g][1], points[g][2], g)) for g in sorted(points)], 'class="model"'))
        out.append(line(measured, f'class="line" stroke="{colour}"'))
        out += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>' for x, y in measured]
        out += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5.5" fill="none" stroke="{colour}"/>'
                for x, y in (place(g, point[0]) for g, point in ideal.get(name, {}).items())]
        label = min(measured[-1][1] + 4, label - 15)
        out.append(f'<text x="{measured[-1][0] + 12:.1f}" y="{label:.1f}" style="fill:{colour}">{name}</text>')
    return "\n".join(out + ["</svg>"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["measure", "table", "draw", "fit", "model"])
    parser.add_argument("--gpus", type=int, default=1)
    parser.add_argument("--ranks", help="the launcher of ranks, such as mpirun")
    parser.add_argument("--counts", help="of GPUs (1,2,4,8,16, up to --gpus)")
    parser.add_argument("--names", help="of the images: the columns, or weak (all)")
    arguments = parser.parse_args()
    if arguments.what == "measure":
        counts = [int(n) for n in (arguments.counts or "1,2,4,8,16").split(",") if int(n) <= arguments.gpus]
        sys.exit(measure(counts, arguments.ranks, arguments.names and arguments.names.split(",")))
    if arguments.what != "model":
        done = {"table": table, "draw": lambda rows: print(draw(rows)), "fit": fit}[arguments.what]
        done(list(csv.reader(sys.stdin)))
        return
    print("columns x rows: G updates/s of one GPU; times as fast on 2, 4, 8, 64; on 64 of 8 nodes")
    for width, height in [*STRONG, (16384, 65536), (WEAK[0], None)]:
        of = [(gpus, height or WEAK[1] * gpus) for gpus in (1, 2, 4, 8, 64)]
        rates = [model(width, rows, gpus) for gpus, rows in of] + [model(width, of[-1][1], 64, *NODES)]
        print(f"{width} x {height or f'{WEAK[1]} a GPU'}: {rates[0]:.0f};",
              " ".join(f"{rate / rates[0]:.2f}" for rate in rates[1:]))


if __name__ == "__main__":
    main()
