#!/usr/bin/env python3
"""Fills the tables of course.md from what `bench --json` and profile.sh wrote; --check: only looks.

lessons-CARD.json, course-CARD.json and profile-CARD.txt lie beside it; host-epyc.json has the
host's rungs on one thread, of several runs the shortest."""
import json
import os
import re
import sys

folder = os.path.dirname(os.path.abspath(__file__))
cards = ['h200']  # of others the files lie beside it
rows = ''.join(open(f'{folder}/../src/bench/rungs_{side}.c').read() for side in ('cpu', 'gpu', 'shipped'))
rung_names = {int(number): name for number, name in re.findall(r'^    {(\d+), \d+, "([^"]+)"', rows, re.M)}


def results(kind, card):
    path = os.path.join(folder, f'{kind}-{card}.json')
    return json.load(open(path))['results'] if os.path.exists(path) else None


def seconds(value):
    unit, name = next((u for u in ((1, 's'), (1e-3, 'ms')) if value >= u[0]), (1e-6, 'µs'))
    return f'{value / unit:.3g} {name}'


def rate(run):
    value = run['updates_per_second'] * 1e-9
    return f'{value:.0f}' if value >= 100 else f'{value:.3g}'


def find(runs, **wanted):
    return [r for r in runs if r['outcome'] == 'timed' and all(r.get(k) == v for k, v in wanted.items())]


def ladder(rungs):
    known = [(c, runs) for c in cards if (runs := results('lessons', c) or results('ladder', c))]
    head = ''.join(f' {c.upper()}: 2048 | 8192 | of copy |' for c, _ in known)
    lines = ['| | rung |' + head, '|--:|---|' + '--:|--:|--:|' * len(known)]
    for word in rungs:
        rung, _, block = word.partition('/')  # 11/64x4: of several blocks that one
        rung = int(rung)
        names = dict.fromkeys(r['name'] for _, runs in known for r in find(runs, rung=rung)
                              if r['name'].endswith(block))
        for name in names or [rung_names[rung]]:
            line = f'| {rung} | {name} |'
            for _, runs in known:
                small, large = (find(runs, rung=rung, name=name, width=w) for w in (2048, 8192))
                of_copy = large and large[0]['percent_of_copy']
                line += f" {rate(small[0]) if small else '-'} | {rate(large[0]) if large else '-'} |"
                digits = '.0f' if of_copy and of_copy >= 10 else '.2g'
                line += f' {of_copy:{digits}}% |' if of_copy else ' - |'
            lines.append(line)
    return lines


def course(rungs):
    known = [(card, runs) for card in cards if (runs := results('course', card))]
    radii = [(card, runs, r) for card, runs in known for r in (3, 5)]
    lines = ['| | rung |' + ''.join(f' {c.upper()}: {2 * r + 1} x {2 * r + 1} |' for c, _, r in radii),
             '|--:|---|' + '--:|' * len(radii)]
    for rung in map(int, rungs):
        line = f'| {rung} | {rung_names[rung]} |'
        for _, runs, radius in radii:
            run = find(runs, rung=rung, radius=radius)
            line += f" {seconds(run[0]['seconds']['median']) if run else '-'} |"
        lines.append(line)
    return lines


def host(rungs):
    """On a processor that others use, the shortest of many samples."""
    sides = [('EPYC', 'host', 'epyc', 512, 'minimum'), ('EPYC', 'host', 'epyc', 2048, 'minimum'),
             ('Xeon', 'lessons', 'h200', 2048, 'median'), ('Xeon', 'lessons', 'h200', 8192, 'median')]
    lines = ['| | rung |' + ''.join(f' {side[0]}, {side[3]} |' for side in sides), '|--:|---|' + '--:|' * len(sides)]
    for rung in map(int, rungs):
        line = f'| {rung} | {rung_names[rung]} |'
        for _, *file, size, which in sides:
            run = find(results(*file), rung=rung, width=size)[0]
            line += f" {rate({'updates_per_second': size * size / run['seconds'][which]})} |"
        lines.append(line)
    return lines


def profile(kernels):
    card = next((c for c in cards if os.path.exists(os.path.join(folder, f'profile-{c}.txt'))), None)
    if not card:
        return []
    titles = 'loads stores SM% L2% DRAM% occup.% eligible'.split()
    lines = [f'| {card.upper()}: kernel | block | ' + ' | '.join(titles) + ' | warps wait most for |',
             '|---|---|' + '--:|' * len(titles) + '---|']
    for row in open(os.path.join(folder, f'profile-{card}.txt')):
        match = re.match(r'(\w+(?:<.*?>)?) +\((\d+), (\d+), 1\)((?: +[-\d.]+){13})  (.*) \(', row)
        if match and any(f'{match[1]} {match[2]}x{match[3]}'.startswith(k.replace('/', ' ')) for k in kernels):
            name = match[1].removeprefix('ladder_')
            figures = match[4].split()[:9]
            del figures[2:4]  # the efficiencies follow from the sectors
            lines.append(f'| `{name}` | {match[2]} x {match[3]} | ' + ' | '.join(figures) + f' | {match[5]} |')
    return lines


def fill(match):
    kind, *words = match[1].split()
    lines = globals()[kind](words)
    return f'<!-- {match[1]} -->\n' + ''.join(line + '\n' for line in ['', *lines, ''] if lines) + '<!-- end -->'


path = os.path.join(folder, 'course.md')
text = open(path).read()
made = re.sub(r'<!-- ((?:ladder|course|host|profile).*?) -->\n.*?<!-- end -->', fill, text, flags=re.S)
if '--check' not in sys.argv:
    open(path, 'w').write(made)
elif made != text:
    sys.exit('course.md: a table is not what the JSON files say; docs/course-tables.py fills them')
