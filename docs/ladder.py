#!/usr/bin/env python3
"""What `reconstruct bench --json` wrote, as a picture, or beside an earlier file.

    docs/ladder.py draw LADDER.json [N|WxH] > roofline.svg   one size; by default the largest
    docs/ladder.py compare LADDER.json EARLIER.json

The picture is the roofline: how fast each rung could be for the bytes that it moves, and how fast it is. Two roofs: the
measured copy, and the arithmetic (every float32 lane doing nothing but the update's three instructions, at the measured
clock; a convolution has an fma for every two operations). With several widths of a stencil it is the curve of pixels a
second over them. Left out of the roofline: rungs whose bytes nobody counted, that do not update, of the other side than
the device, and of several blocks all but the best.
"""
import json
import math
import sys
from html import escape

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 960, 560, 78, 930, 66, 496
NAME_WIDTH, NAME_HEIGHT = 80, 15
HOST, SHIPPED = {1, 2, 3, 4, *range(30, 34), 50, 51, 63}, {*range(30, 50), *range(60, 64)}
NO_UPDATES = {5, 23, 24, 27, 84, 85, 86}
STYLE = """<style>
svg{font:12px -apple-system,'Segoe UI',Helvetica,Arial,sans-serif}
.card{fill:#ffffff;stroke:#d1d9e0}.soft{fill:#59636e}
.title{fill:#1f2328;font-size:16px;font-weight:600}
.name{fill:#1f2328}
.grid{stroke:#e6eaef}.roof{stroke:#0969da;stroke-width:2;fill:none}.roofname{fill:#0969da}
.leader{stroke:#b6bec7}.rung{fill:#bc4c00}.shipped{fill:#1a7f37}
line.rung{stroke:#bc4c00;stroke-width:1.5}line.shipped{stroke:#1a7f37;stroke-width:1.5}
</style>"""


def read(path):
    with open(path) as file:
        return json.load(file)


def timed(ladder):
    return [row for row in ladder["results"] if row["outcome"] == "timed"]


class Chart:
    """Points at (across, up) on axes that begin and end at the outermost of them."""

    def __init__(self, points):
        self.points = points  # (across, up, row)
        across, up = [p[0] for p in points], [p[1] for p in points]
        self.low_x, self.high_x, self.low_y, self.high_y = min(across), max(across), min(up), max(up)

    def x(self, across):
        return LEFT + (RIGHT - LEFT) * (across - self.low_x) / (self.high_x - self.low_x)

    def y(self, up):
        return BOTTOM - (BOTTOM - TOP) * (up - self.low_y) / (self.high_y - self.low_y)

    def line(self, kind, x1, y1, x2, y2):
        print(f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>')

    def text(self, kind, anchor, x, y, text, turn=0):
        turned = f' transform="rotate({turn:.1f} {x:.1f} {y:.1f})"' if turn else ""
        print(f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{turned}>{escape(text, False)}</text>')

    def column(self, across, name):
        self.line("grid", self.x(across), TOP, self.x(across), BOTTOM)
        self.text("soft", "middle", self.x(across), BOTTOM + 18, name)

    def open(self, title, machine, axes):
        row = self.points[0][2]
        print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
              f'height="{HEIGHT}" role="img" aria-label="{title}">\n{STYLE}\n'
              f'<rect class="card" x="0.5" y="0.5" width="{WIDTH - 1}" height="{HEIGHT - 1}" rx="8"/>')
        self.text("title", "start", LEFT, 30, f"{title} on one {machine}, {row['width']} x {row['height']}")
        self.text("soft", "start", LEFT, 50, axes)
        for power in range(math.ceil(self.low_y), math.floor(self.high_y) + 1):
            self.line("grid", LEFT, self.y(power), RIGHT, self.y(power))
            self.text("soft", "end", LEFT - 8, self.y(power) + 4, f"{10 ** (power - 9):g}")

    def close(self, named):
        """A name stands beside its point, or below the names that are there already; a line leads to it."""
        placed = []
        points = sorted(self.points, key=lambda p: -p[1])
        for across, up, row in (p for p in points if p in named):
            x, y = self.x(across), self.y(up)
            for other_x, other_y in placed:
                if abs(other_x - x) < NAME_WIDTH:
                    y = max(y, other_y + NAME_HEIGHT)
            placed.append((x, y))
            self.line("leader", x, self.y(up), x + 14, y)
            self.text("name", "start", x + 16, y + 4, row["name"].split()[0] if "radius" in row else row["name"])
        for across, up, row in points:
            print(f'<circle class="{kind_of(row)}" cx="{self.x(across):.1f}" cy="{self.y(up):.1f}" r="4"/>')
        print("</svg>")


def kind_of(row):
    return "shipped" if row["rung"] in SHIPPED else "rung"


def operations(row):
    return 2 * (2 * row["radius"] + 1) ** 2 if "radius" in row else 5


def draw_roofline(rows, device, machine):
    best = {}
    for row in rows:
        if row["bytes_per_update"] and row["rung"] not in NO_UPDATES:
            there = best.setdefault(row["rung"], row)
            best[row["rung"]] = min(there, row, key=lambda r: r["seconds"]["median"])
    points = [(math.log2(operations(r) / r["bytes_per_update"]), math.log10(r["updates_per_second"] * operations(r)), r)
              for r in best.values()]
    if not points:
        sys.exit("no rung to plot: none that counts its bytes was timed")
    chart = Chart(points)
    copy = machine["copy_bytes_per_second"]
    peak = machine["peak_updates_per_second"] * (6 if "radius" in points[0][2] else 5) if device else math.inf
    ridge = math.log2(peak / copy) if device else -math.inf

    def roof(across):
        return min(math.log10(copy) + across * math.log10(2), math.log10(peak))

    chart.low_x -= 1.1
    chart.high_x = max(chart.high_x, ridge) + 0.6
    ridge = ridge if device else chart.high_x  # nobody measured the host's arithmetic
    chart.low_y = min(chart.low_y, roof(chart.low_x)) - 0.25
    chart.high_y = max(chart.high_y, roof(chart.high_x)) + 0.2
    chart.open("The ladder", machine["name"],
               "GFLOP a second against FLOP a byte that the kernel moves; both axes logarithmic")
    for power in range(math.ceil(chart.low_x), math.floor(chart.high_x) + 1):
        chart.column(power, f"1/{2 ** -power:g}" if power < 0 else f"{2 ** power:g}")
    chart.text("soft", "middle", (LEFT + RIGHT) // 2, BOTTOM + 42, "FLOP a byte")
    chart.text("soft", "middle", 22, (TOP + BOTTOM) // 2, "GFLOP a second", -90)
    top, y = chart.y(roof(ridge)), chart.y(roof(chart.low_x))
    dx, dy = chart.x(ridge) - LEFT, top - y
    print(f'<path class="roof" d="M{LEFT} {y:.1f}l{dx:.1f} {dy:.1f}H{RIGHT}"/>')
    chart.text("roofname", "middle", LEFT + 0.72 * dx - 4, y + 0.72 * dy - 7,
               f"a copy: {copy * 1e-9:.1f} GB/s" if copy < 1e12 else f"a copy: {copy * 1e-12:.1f} TB/s",
               math.degrees(math.atan2(dy, dx)))
    if device:
        chart.text("roofname", "end", RIGHT - 4, top - 7, f"arithmetic: {peak * 1e-9:.0f}")
    chart.close(points)


def draw_curve(rows, machine):
    chart = Chart([(2 * row["radius"] + 1, math.log10(row["updates_per_second"]), row) for row in rows])
    chart.high_x += 0.2 * max(chart.high_x - chart.low_x, 1)  # for the names
    chart.low_y -= 0.1
    chart.high_y += 0.1
    chart.open("Convolution", machine["name"], "G pixels a second (logarithmic) against the side of the stencil")
    for side in sorted({p[0] for p in chart.points}):
        chart.column(side, f"{side}")
    last = []
    for rung in dict.fromkeys(row["rung"] for row in rows):
        line = [p for p in chart.points if p[2]["rung"] == rung]
        for one, other in zip(line, line[1:]):
            chart.line(kind_of(one[2]), chart.x(one[0]), chart.y(one[1]), chart.x(other[0]), chart.y(other[1]))
        last.append(line[-1])
    chart.close(last)


def draw(path, size=None):
    ladder = read(path)
    rows = timed(ladder)
    if size:
        width, _, height = size.partition("x")
        asked = int(width), int(height or width)
    else:
        asked = max(((r["width"], r["height"]) for r in rows), key=lambda s: s[0] * s[1], default=None)
    rows = [row for row in rows if (row["width"], row["height"]) == asked]
    if len({row.get("radius") for row in rows}) > 1:
        draw_curve(rows, ladder["device"] or ladder["host"])
        return
    sides = [[row for row in rows if (row["rung"] in HOST) == host] for host in (False, True)]
    device = ladder["device"] and any(row["bytes_per_update"] for row in sides[0])
    draw_roofline(sides[0 if device else 1], device, ladder["device"] if device else ladder["host"])


def compare(path, earlier):
    before = {(row["name"], row["width"], row["height"]): row["seconds"]["median"] for row in timed(read(earlier))}
    print(f"{'rung':20} {'size':>13} {'earlier, us':>12} {'now, us':>12} {'times as fast':>14}")
    for row in timed(read(path)):
        key = row["name"], row["width"], row["height"]
        now, then = row["seconds"]["median"], before.get(key)
        print(f"{key[0]:20} {f'{key[1]} x {key[2]}':>13} {then * 1e6 if then else math.nan:12.3f} {now * 1e6:12.3f} "
              f"{then / now if then else math.nan:13.3f}x")


if __name__ == "__main__":
    words = sys.argv[1:]
    if words[:1] == ["draw"] and len(words) in (2, 3):
        draw(*words[1:])
    elif words[:1] == ["compare"] and len(words) == 3:
        compare(*words[1:])
    else:
        sys.exit(__doc__)
