#!/usr/bin/env python3
"""The program beside others, in one run: convolution, the five-point iteration, and cloning.

    docs/peers.py convolution [--size 4096] [--radius 1,2,3,5,7,15] [--npp libnppif.so.13]
    docs/peers.py filters [--size 2048] [--radius 2,3,5,7,15] [--threads 2]
    docs/peers.py jacobi [--size 2048]
    docs/peers.py masked [--size 512] [--kernel cuda]
    docs/peers.py exact [--size 2048] [--rounds 8]
    docs/peers.py heal [--pictures /usr/share/backgrounds/mate/nature]

Peers are what this Python can import: cuDNN by PyTorch, CuPy, NPP by its library, OpenCV, SciPy, NumPy, Numba,
Devito, PyAMG, fpie; for `heal` also the command gmic, and the program that BEFORE names. `exact` needs the Python
module, as PYTHONPATH=src/python RECONSTRUCT_LIBRARY=build/libreconstruct.so.0 find it: whole pictures from their
edges, and a clone; the ways take turns, and the best of each counts. `masked` clones a disc of one colour picture
into another: milliseconds, and the errors against SciPy's spsolve. Each result is compared with the first one's, away
from the border, before its time is printed: G pixels (or updates) a second, the median of at least five runs.
./reconstruct, or the program that RECONSTRUCT names, prints its own figures by `bench`, which checks every bit.
"""
import argparse
import ctypes
import json
import os
import shutil
import statistics
import subprocess
import tempfile
import time

try:
    import numpy as np
except ImportError:
    raise SystemExit("peers.py needs NumPy, and one of the peers")

PROGRAM = os.environ.get("RECONSTRUCT", "./reconstruct")


def print_own(rungs, size, *options):
    """Rows of `reconstruct bench`, of rungs that this build and this machine have."""
    for rung in rungs:
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            done = subprocess.run([PROGRAM + "-bench", "--rungs", str(rung), "--size", str(size), "--json", file.name,
                                   *options], capture_output=True, text=True)
            if done.returncode:
                print(f"rung {rung}: {done.stderr.splitlines()[0]}")
                continue
            for row in json.load(open(file.name))["results"]:
                if row["outcome"] == "timed":
                    print(f"this program, {row['name']:20} {row['updates_per_second'] * 1e-9:10.3f}")


def timed(run, wait, most=0.5):
    """Median seconds of run(), which wait() sees to its end."""
    run()
    wait()
    samples, begin = [], time.perf_counter()
    while len(samples) < 5 or (time.perf_counter() - begin < most and len(samples) < 51):
        before = time.perf_counter()
        run()
        wait()
        samples.append(time.perf_counter() - before)
    return statistics.median(samples)


def importable(name):
    try:
        return __import__(name, fromlist=["x"])
    except ImportError as error:
        print(f"{name}: not here ({error})")
        return None


# ---- convolution: (name, a function that filters once, one that waits, one that returns the result) ----

class NppStream(ctypes.Structure):
    _fields_ = [("stream", ctypes.c_void_p), ("device", ctypes.c_int), ("multiprocessors", ctypes.c_int),
                ("threads", ctypes.c_int), ("block", ctypes.c_int), ("shared", ctypes.c_size_t),
                ("major", ctypes.c_int), ("minor", ctypes.c_int), ("flags", ctypes.c_uint),
                ("workspace", ctypes.c_uint)]


class Pair(ctypes.Structure):
    _fields_ = [("x", ctypes.c_int), ("y", ctypes.c_int)]


def npp_peer(library, cupy, picture, weights):
    npp = ctypes.CDLL(library)
    source, target = cupy.asarray(picture), cupy.zeros_like(cupy.asarray(picture))
    kernel = cupy.asarray(weights[::-1, ::-1].copy())  # it convolves
    about = cupy.cuda.runtime.getDeviceProperties(0)
    stream = NppStream(None, 0, about["multiProcessorCount"], about["maxThreadsPerMultiProcessor"],
                       about["maxThreadsPerBlock"], about["sharedMemPerBlock"], about["major"], about["minor"], 0, 0)
    height, width = picture.shape
    side = len(weights)

    def run():
        status = npp.nppiFilterBorder_32f_C1R_Ctx(
            ctypes.c_void_p(source.data.ptr), 4 * width, Pair(width, height), Pair(0, 0),
            ctypes.c_void_p(target.data.ptr), 4 * width, Pair(width, height), ctypes.c_void_p(kernel.data.ptr),
            Pair(side, side), Pair(side // 2, side // 2), 2, stream)  # 2: replicate
        if status:
            raise RuntimeError(f"NPP: status {status}")
    return run, cupy.cuda.Device().synchronize, lambda: cupy.asnumpy(target)


def convolution_peers(picture, weights, library):
    torch, cupy = importable("torch"), importable("cupy")
    if torch and torch.cuda.is_available():
        torch.backends.cudnn.allow_tf32 = False
        torch.backends.cudnn.benchmark = True
        given = torch.from_numpy(picture)[None, None].cuda()
        kernel = torch.from_numpy(weights)[None, None].cuda()
        made = {}

        def run():
            made["cudnn"] = torch.nn.functional.conv2d(given, kernel, padding="same")
        yield "cuDNN", run, torch.cuda.synchronize, lambda: made["cudnn"][0, 0].cpu().numpy()
    if cupy:
        ndimage = importable("cupyx.scipy.ndimage")
        source, target, taps = cupy.asarray(picture), cupy.empty(picture.shape, "float32"), cupy.asarray(weights)
        yield ("CuPy", lambda: ndimage.correlate(source, taps, output=target, mode="constant"),
               cupy.cuda.Device().synchronize, lambda: cupy.asnumpy(target))
        if library:
            yield "NPP", *npp_peer(library, cupy, picture, weights)
    nothing = lambda: None
    cv2 = importable("cv2")
    if cv2:
        result = np.empty_like(picture)
        yield ("OpenCV", lambda: cv2.filter2D(picture, -1, weights, dst=result, borderType=cv2.BORDER_CONSTANT),
               nothing, lambda: result)
    ndimage = importable("scipy.ndimage")
    if ndimage and len(weights) <= 5:
        by = np.empty_like(picture)
        yield "SciPy", lambda: ndimage.correlate(picture, weights, output=by, mode="constant"), nothing, lambda: by


def convolution(asked):
    for radius in asked.radius:
        side = 2 * radius + 1
        rng = np.random.default_rng(1)
        weights = rng.random((side, side), dtype="float32")
        weights /= weights.sum()
        picture = rng.random((asked.size, asked.size), dtype="float32")
        print(f"== {side} x {side}, {asked.size} x {asked.size}")
        print_own((60, 61, 63), asked.size, "--problem", "convolution", "--radius", str(radius))
        first = None
        for name, run, wait, result in convolution_peers(picture, weights, asked.npp):
            seconds = timed(run, wait)
            inner = result()[side:-side, side:-side]
            first = inner if first is None else first
            right = np.abs(inner - first).max() < 1e-4
            print(f"{name:34} {asked.size ** 2 / seconds * 1e-9:10.3f}" if right else f"{name}: WRONG")


# ---- filters on the processor: this program and OpenCV take turns, and the best of each counts ----

def filters(asked):
    cv2, applications = importable("cv2"), 20
    if not cv2:
        return
    cv2.setNumThreads(asked.threads)
    picture = np.random.default_rng(1).integers(0, 256, (asked.size, asked.size)).astype("float32")
    result = np.empty_like(picture)
    print(f"{asked.size} x {asked.size}, {asked.threads} threads, G pixels/s: this program, OpenCV, ratio")
    with tempfile.TemporaryDirectory() as folder:
        given, made, report = (os.path.join(folder, name) for name in ("given.pgm", "made.pfm", "report.json"))
        with open(given, "wb") as file:
            file.write(b"P5 %d %d 255\n" % picture.shape[::-1] + picture.astype("uint8").tobytes())
        for passes, radius in [(2, radius) for radius in asked.radius] + [(1, radius) for radius in asked.radius[:4]]:
            line = np.exp(-np.arange(-radius, radius + 1) ** 2 / (radius / 1.5) ** 2)
            line = (line / line.sum()).astype("float32")
            square, stencil = np.outer(line, line), os.path.join(folder, "stencil.mat")
            np.savetxt(stencil, square, fmt="%.9g", comments="", header=f"{len(line)} {len(line)}")

            def own(n):
                subprocess.run([PROGRAM, "convolve", given, "--headless", "--stencil", stencil, "-s", "cpu", "-n", str(n),
                                "-o", made, "--report", report, *(["--kernel", "separable"] if passes == 2 else [])],
                               check=True, capture_output=True, env=os.environ | {"OMP_NUM_THREADS": str(asked.threads)})
                with open(report) as file:
                    return 1e-9 * json.load(file)["updates_per_second"]

            def peer():
                if passes == 2:
                    cv2.sepFilter2D(picture, -1, line, line, dst=result, borderType=cv2.BORDER_CONSTANT)
                else:
                    cv2.filter2D(picture, -1, square, dst=result, borderType=cv2.BORDER_CONSTANT)
            own(1)
            peer()
            with open(made, "rb") as file:
                found = np.frombuffer(file.read()[-picture.nbytes:], "<f4").reshape(picture.shape)[::-1]
            if np.abs(found - result).max() > 2e-3:
                print(f"{len(line)} x {len(line)}: WRONG")
                continue
            best = [0, 0]
            for _ in range(asked.rounds):
                best[0] = max(best[0], own(applications))
                before = time.perf_counter()
                for _ in range(applications):
                    peer()
                best[1] = max(best[1], 1e-9 * applications * picture.size / (time.perf_counter() - before))
            print(f"{len(line)} x {len(line)}, {passes} pass{'es' if passes > 1 else ''}: {best[0]:.3f} {best[1]:.3f} "
                  f"{best[0] / best[1]:.2f}", flush=True)


# ---- the five-point iteration ----

def numpy_step(m, f, other):
    other[1:-1, 1:-1] = 0.25 * (m[1:-1, :-2] + m[1:-1, 2:] + m[:-2, 1:-1] + m[2:, 1:-1] - f)
    return other, m


def numba_step():
    numba = importable("numba")
    if not numba:
        return None

    @numba.njit(parallel=True, fastmath=True)
    def step(m, f, other):
        for y in numba.prange(1, m.shape[0] - 1):
            for x in range(1, m.shape[1] - 1):
                other[y, x] = np.float32(0.25) * (m[y, x - 1] + m[y, x + 1] + m[y - 1, x] + m[y + 1, x] - f[y - 1, x - 1])
        return other, m
    return step


def devito_peer(f, n):
    devito = importable("devito")
    if not devito:
        return None
    devito.configuration["language"] = "openmp"
    devito.configuration["log-level"] = "ERROR"
    grid = devito.Grid(shape=f.shape)
    m = devito.TimeFunction(name="m", grid=grid, space_order=2, time_order=1, save=None)
    edges = devito.Function(name="f", grid=grid)
    edges.data[:] = f
    x, y = grid.dimensions
    t = grid.stepping_dim
    around = m[t, x - 1, y] + m[t, x + 1, y] + m[t, x, y - 1] + m[t, x, y + 1]
    operator = devito.Operator([devito.Eq(m[t + 1, x, y], 0.25 * (around - edges[x, y]))])

    def run():
        m.data_with_halo[:] = 0
        operator.apply(time_m=0, time_M=n - 1)
        return np.array(m.data[n % 2])
    return run


def jacobi(asked):
    n, size = 20, asked.size
    f = np.random.default_rng(1).integers(-1020, 1021, (size, size)).astype("float32")

    def iterate(step):
        def run():
            m, other = np.zeros((size + 2, size + 2), "float32"), np.zeros((size + 2, size + 2), "float32")
            for _ in range(n):
                m, other = step(m, f, other)
            return m[1:-1, 1:-1]
        return run
    print_own((1, 33, 49), size)
    expected = None
    for name, run in (("NumPy", iterate(numpy_step)), ("Numba, all cores", (lambda s: s and iterate(s))(numba_step())),
                      ("Devito, all cores", devito_peer(f, n))):
        if not run:
            continue
        found = run()
        expected = found if expected is None else expected
        right = np.abs(found - expected).max() < 1e-2
        seconds = timed(run, lambda: None)
        print(f"{name:34} {n * size ** 2 / seconds * 1e-9:10.3f}" if right else f"{name}: WRONG")


# ---- cloning: 4 M - the neighbours = 4 S - its neighbours in a disc ----

def write_picture(path, picture):
    with open(path, "wb") as file:
        file.write(b"P%d %d %d 255\n" % (6 if picture.ndim == 3 else 5, picture.shape[1], picture.shape[0]))
        file.write(picture.tobytes())


def own_clone(source, target, mask, kernel):
    with tempfile.TemporaryDirectory() as folder:
        names = [os.path.join(folder, name) for name in ("source.ppm", "target.ppm", "mask.pgm", "out.pfm", "report")]
        for name, picture in zip(names, (source, target, mask)):
            write_picture(name, picture)
        begin = time.perf_counter()
        subprocess.run([PROGRAM, "clone", names[0], names[1], "--mask", names[2], "--headless", "-q", "-o", names[3],
                        "--report", names[4], *(["--kernel", kernel] if kernel else [])], check=True)
        whole = time.perf_counter() - begin
        data = open(names[3], "rb").read()[-target.size * 4:]
        seconds = json.load(open(names[4]))["seconds"]
    return seconds["iterate"], whole, np.frombuffer(data, "<f4").reshape(target.shape)[::-1]


def masked(asked):
    linalg, sparse, amg, cv2, pie = (importable(name) for name in ("scipy.sparse.linalg", "scipy.sparse", "pyamg", "cv2",
                                                                   "fpie.process"))
    size, rng = asked.size, np.random.default_rng(1)
    y, x = np.mgrid[:size, :size]
    waves = [sum(40 * np.sin(x / rng.uniform(9, 90) + y / rng.uniform(9, 90)) for _ in range(3)) for _ in range(6)]
    source, target = (np.clip(127 + np.stack(waves[k:k + 3], 2) + rng.normal(0, 4, (size, size, 3)), 0, 255)
                      .astype("uint8") for k in (0, 3))
    inside = np.hypot(x - size / 2, y - size / 2) < 0.4 * size
    number = np.cumsum(inside).reshape(inside.shape) - 1
    cells = np.flatnonzero(inside)
    right, rows, columns = np.zeros((len(cells), 3)), [np.arange(len(cells))], [np.arange(len(cells))]
    for step in (1, -1, size, -size):
        beside = cells + step
        known = ~inside.ravel()[beside]
        flat = source.reshape(-1, 3).astype(float)
        right += flat[cells] - flat[beside] + known[:, None] * target.reshape(-1, 3)[beside]
        rows.append(np.flatnonzero(~known))
        columns.append(number.ravel()[beside[~known]])
    values = np.concatenate([np.full(len(cells), 4.0), -np.ones(sum(map(len, rows)) - len(cells))])
    matrix = sparse.csr_matrix((values, (np.concatenate(rows), np.concatenate(columns))))

    def direct():
        return linalg.splu(matrix.tocsc()).solve(right)

    def multigrid():
        solver = amg.ruge_stuben_solver(matrix)
        return np.stack([solver.solve(right[:, p], tol=1e-6, accel="cg") for p in range(3)], 1)

    def opencv_picture():
        return cv2.seamlessClone(source, target, 255 * inside.astype("uint8"), (size // 2, size // 2), cv2.NORMAL_CLONE)

    def opencv():
        return opencv_picture().reshape(-1, 3)[cells]

    def fpie():
        blend = pie.EquProcessor("src", "taichi-cpu", asked.threads)
        blend.reset(source, 255 * inside.astype("uint8"), target, (0, 0), (0, 0))
        return blend.step(5000)[0].reshape(-1, 3)[cells]
    print(f"== a disc of {len(cells)} pixels in {size} x {size}, three planes: ms, largest and RMS error")
    truth = np.clip(direct(), 0, 255)

    def print_row(name, seconds, found):
        error = np.clip(found, 0, 255) - truth
        print(f"{name:34} {1e3 * seconds:10.2f} {np.abs(error).max():10.2g} {np.sqrt((error ** 2).mean()):10.2g}")
    for name, peer, needed in (("SciPy, sparse LU", direct, linalg), ("PyAMG, conjugate gradients", multigrid, amg),
                               ("OpenCV seamlessClone", opencv, cv2), ("fpie, 5000 iterations", fpie, pie)):
        if needed:
            print_row(name, timed(peer, lambda: None), peer())
    if cv2:
        changed = (opencv_picture() != target)[~inside]
        print(f"OpenCV changes {changed.sum()} of {changed.size} samples outside the mask")
    runs = [own_clone(source, target, 255 * inside.astype("uint8"), asked.kernel) for _ in range(5)]
    for way, name in enumerate(("this program, solving", "this program, the whole process")):
        print_row(name, statistics.median(run[way] for run in runs), runs[0][2].reshape(-1, 3)[cells])


# ---- from Python: whole pictures, zeros around them; a clone in three planes ----

def best_of(ways, rounds, truth):
    """A row for each way: the best times of the clock and of the processors, the largest difference from the truth."""
    best = {name: [float("inf")] * 2 for name in ways}
    for left in reversed(range(rounds)):
        for name, run in ways.items():
            before = time.perf_counter(), time.process_time()
            found = run()
            taken = time.perf_counter() - before[0], time.process_time() - before[1]
            best[name] = [min(pair) for pair in zip(best[name], taken)]
            if not left:
                off = np.abs(found.astype("float64") - truth).max()
                print(f"{name:34}" + "".join(f" {1e3 * part:10.1f}" for part in best[name]) + f" {off:10.2g}", flush=True)


def exact(asked):
    reconstruct, fft, amg, cv2 = (importable(name) for name in ("reconstruct", "scipy.fft", "pyamg", "cv2"))
    size = asked.size
    y, x = np.mgrid[:size, :size]
    picture = np.rint(127 + 60 * np.sin(x / 40 + y / 90) + 50 * np.cos(y / 30 - x / 200)).astype("float32")
    edges, ways = reconstruct.laplacian(picture), {"reconstruct.solve": lambda: reconstruct.solve(edges)}
    angle = 2 - 2 * np.cos(np.pi * np.arange(1, size + 1) / (size + 1))
    values = -(angle[:, None] + angle).astype("float32")
    for workers in (2, 1) if fft else ():
        ways[f"SciPy, sine transforms, {workers} worker(s)"] = lambda workers=workers: fft.idstn(
            fft.dstn(edges, type=1, workers=workers) / values, type=1, workers=workers)
    print(f"{size} x {size}: ms, ms of processors, largest difference")
    best_of(ways, asked.rounds, picture)
    if amg:
        before = time.process_time()
        solver = amg.ruge_stuben_solver(amg.gallery.poisson((size, size), format="csr"))
        print(f"PyAMG, making its solver: {1e3 * (time.process_time() - before):.0f} ms of processors")
        best_of({"PyAMG, conjugate gradients": lambda: solver.solve(
            -edges.ravel().astype("float64"), tol=1e-8, accel="cg").reshape(size, size)}, 1, picture)
    source = np.stack([picture, picture[::-1], picture.T], 2).astype("uint8")
    target = np.repeat((127 + 20 * np.cos(x / 60)).astype("uint8")[..., None], 3, 2)
    inside = np.zeros((size, size), "uint8")
    inside[size // 8:-size // 8, size // 8:-size // 8] = 255
    ways = {"reconstruct.clone": lambda: reconstruct.clone(source, target, inside)}
    if cv2:
        middle = (size // 8 + (size - 2 * (size // 8)) // 2,) * 2
        ways["OpenCV, seamlessClone"] = lambda: cv2.seamlessClone(source, target, inside.copy(), middle, cv2.NORMAL_CLONE)
    best_of(ways, min(asked.rounds, 4), ways["reconstruct.clone"]())


# Of each picture: left, top and size of what is hidden. scikit-image has some, Debian's mate-backgrounds others.
HIDDEN = [
    ("coffee.png", 60, 310, 60), ("chelsea.png", 20, 190, 60), ("chelsea.png", 330, 60, 55),
    ("rocket.jpg", 540, 200, 50), ("rocket.jpg", 60, 350, 50), ("astronaut.png", 420, 360, 60),
    ("Dune.jpg", 900, 800, 110), ("Dune.jpg", 1200, 620, 100), ("GreenMeadow.jpg", 600, 700, 110),
    ("RainDrops.jpg", 900, 700, 120), ("Wood.jpg", 700, 1500, 129), ("Storm.jpg", 600, 500, 110),
    ("coffee.png", 500, 30, 60), ("chelsea.png", 150, 215, 55), ("motorcycle_left.png", 620, 420, 60),
    ("motorcycle_left.png", 40, 380, 60), ("grass.png", 220, 200, 70), ("gravel.png", 150, 300, 70),
    ("Dune.jpg", 300, 850, 120), ("Dune.jpg", 500, 120, 100), ("GreenMeadow.jpg", 250, 350, 100),
    ("Blinds.jpg", 900, 500, 110), ("Wood.jpg", 1900, 700, 110), ("RainDrops.jpg", 400, 500, 110),
    # Drawn by seed, and written down before one of them was filled: 20 across a border, 12 of texture, 4 smooth. Also of
    # Debian's lomiri-wallpapers and plasma-workspace-wallpapers; face.png is SciPy's.
    ("DarkestHour/contents/images/2560x1600.jpg", 868, 954, 111), ("Kleiber_by_Lukas_Baubkus.jpg", 1404, 1634, 128),
    ("Kleiber_by_Lukas_Baubkus.jpg", 140, 1048, 81), ("LadyBird.jpg", 1388, 703, 66), ("LadyBird.jpg", 1077, 773, 82),
    ("Picture_0B_by_freespace.jpg", 1031, 1461, 133), ("Picture_1A_by_freespace.jpg", 648, 666, 128),
    ("Picture_1A_by_freespace.jpg", 967, 332, 60), ("YellowFlower.jpg", 1923, 120, 120),
    ("aitzgorri_by_Aitzol_Berasategi.jpg", 2078, 1169, 147), ("astronaut.png", 333, 298, 48),
    ("camera.png", 136, 325, 65), ("chelsea.png", 218, 170, 58), ("coffee.png", 430, 268, 49),
    ("coffee.png", 42, 235, 51), ("face.png", 884, 367, 47), ("ihc.png", 428, 46, 43), ("moon.png", 286, 124, 45),
    ("rocket.jpg", 230, 354, 40), ("seeding_by_Clements_Engelhardt.jpg", 4832, 1284, 145),
    ("Kleiber_by_Lukas_Baubkus.jpg", 1084, 1415, 116), ("Picture_1A_by_freespace.jpg", 118, 294, 143),
    ("Picture_1A_by_freespace.jpg", 294, 482, 81), ("astronaut.png", 351, 154, 41), ("camera.png", 103, 165, 44),
    ("camera.png", 367, 293, 54), ("coffee.png", 488, 87, 60), ("coffee.png", 223, 288, 45),
    ("ihc.png", 311, 334, 61), ("picosdeeuropa_by_Aitzol_Berasategi.jpg", 1495, 2090, 69),
    ("picosdeeuropa_by_Aitzol_Berasategi.jpg", 2010, 1614, 105),
    ("seeding_by_Clements_Engelhardt.jpg", 2169, 1051, 64), ("Bridge_by_Sander_Klootwijk.jpg", 335, 321, 144),
    ("Kleiber_by_Lukas_Baubkus.jpg", 4349, 909, 120), ("moon.png", 239, 217, 59),
    ("picosdeeuropa_by_Aitzol_Berasategi.jpg", 2295, 328, 67)]


def heal(asked):
    """Hidden regions of photographs, filled: how near the truth they are, and how sharp."""
    cv2, image, data, restoration = (importable(name) for name in ("cv2", "PIL.Image", "skimage.data", "skimage.restoration"))
    if not (cv2 and image and data and restoration):
        return
    folders = [os.path.dirname(data.__file__), *(asked.pictures or "").split(":")]
    sums = {}
    for number, (name, x, y, size) in enumerate(HIDDEN):
        path = next((os.path.join(folder, name) for folder in folders if os.path.exists(os.path.join(folder, name))), None)
        if not path:
            print(f"{name}: not here (--pictures)")
            continue
        left, top = max(x - 1100, 0), max(y - 1100, 0)  # further away nothing is looked at
        truth = np.array(image.open(path).convert("RGB"))[top:y + 1300, left:x + 1300]
        x, y = x - left, y - top
        mask = np.zeros(truth.shape[:2], np.uint8)
        random, turn = np.random.default_rng(number % 12), np.linspace(0, 2 * np.pi, 40, endpoint=False)
        radius = size / 2 * (0.8 + 0.2 * np.cos(3 * turn + random.uniform(0, 6)) * random.uniform(0, 1))
        way = np.stack([x + size / 2 + radius * np.cos(turn),
                        y + size / 2 + radius * np.sin(turn) * random.uniform(.7, 1)], 1)
        cv2.fillPoly(mask, [way.astype(np.int32)], 255)
        inside = mask > 0
        given = np.where(inside[..., None], 255 - truth, truth)  # what lies under a mask must not help
        part, near = (np.s_[max(y - by, 0):y + size + by, max(x - by, 0):x + size + by] for by in (40, 200))

        def by_files(picture, hidden, *command):
            with tempfile.TemporaryDirectory() as folder:
                names = {name: os.path.join(folder, name + ".png") for name in "AMO"}
                image.fromarray(picture).save(names["A"], compress_level=1)
                image.fromarray(hidden).save(names["M"])
                subprocess.run([names.get(word, word) for word in command], check=True, stderr=subprocess.DEVNULL)
                return np.array(image.open(names["O"]).convert("RGB"))

        def own(source, program=PROGRAM):
            return by_files(given, mask, program, "heal", "-q", "A", "--mask", "M", "--from", source, "-o", "O")

        def gmic(*way):  # on the surroundings: its time goes with the picture
            made = truth.copy()
            made[near] = by_files(given[near], mask[near], "gmic", "A", "M", *way, "keep[0]", "output", "O")
            return made

        def biharmonic():
            made = truth.copy()
            found = restoration.inpaint_biharmonic(truth[part] / 255, inside[part], channel_axis=2)
            made[part] = np.clip(255 * found + .5, 0, 255)
            return made

        def shiftmap():
            made, found = truth.copy(), given[near].copy()
            cv2.xphoto.inpaint(cv2.cvtColor(found, cv2.COLOR_RGB2Lab), 255 - mask[near], found, cv2.xphoto.INPAINT_SHIFTMAP)
            made[near] = cv2.cvtColor(found, cv2.COLOR_Lab2RGB)
            return made

        def sharpness(picture):
            grey = picture.astype(float).mean(2)
            return (np.abs(np.diff(grey, axis=1))[:-1] + np.abs(np.diff(grey, axis=0))[:, :-1])[inside[:-1, :-1]].mean()
        patches = (("G'MIC inpaint", lambda: gmic("inpaint[0]", "[1],7")),
                   ("G'MIC inpaint_matchpatch", lambda: gmic("inpaint_matchpatch[0]", "[1]")))
        before = os.environ.get("BEFORE")
        for peer, fill in (("heal --from none", lambda: own("none")), ("heal", lambda: own("auto")),
                           *((("heal, BEFORE", lambda: own("auto", before)),) if before else ()),
                           ("OpenCV Telea", lambda: cv2.inpaint(truth, mask, 5, cv2.INPAINT_TELEA)),
                           ("OpenCV Navier-Stokes", lambda: cv2.inpaint(truth, mask, 5, cv2.INPAINT_NS)),
                           ("scikit-image biharmonic", biharmonic), *(patches if shutil.which("gmic") else ()),
                           *((("OpenCV SHIFTMAP", shiftmap),) if hasattr(cv2, "xphoto") else ())):
            made = fill()
            if asked.save:
                image.fromarray(made).crop((part[1].start, part[0].start, part[1].stop, part[0].stop)).save(
                    os.path.join(asked.save, f"{number}-{peer.replace(' ', '_')}.png"))
            error = np.square(made.astype(float) - truth)[inside].mean()
            sums.setdefault(peer, {})[number] = (10 * np.log10(255 ** 2 / max(error, 1e-9)), sharpness(made) / sharpness(truth))
    print("== PSNR in dB, sharpness (mean gradient, of the truth's): the first 12, on which weights were chosen, 12 others;"
          " drawn by seed: 20 across borders, 16 others")
    for peer, found in sums.items():
        groups = [[found[n] for n in range(*group) if n in found] for group in ((0, 12), (12, 24), (24, 44), (44, 60))]
        print(f"{peer:26}" + "".join(f"{value:8.2f}" for group in groups if group for value in np.mean(group, 0)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ways = {"convolution": (convolution, 4096), "filters": (filters, 2048), "jacobi": (jacobi, 2048),
            "masked": (masked, 512), "exact": (exact, 2048), "heal": (heal, 1)}
    parser.add_argument("what", choices=ways)
    parser.add_argument("--size", type=int)
    parser.add_argument("--radius", type=lambda text: [int(part) for part in text.split(",")], default=[1, 2, 3, 5, 7, 15])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--npp")
    parser.add_argument("--kernel")
    parser.add_argument("--pictures", help="folders of photographs, for heal, with : between them")
    parser.add_argument("--save", help="a folder for what heal fills, region by region")
    asked = parser.parse_args()
    asked.size = asked.size or ways[asked.what][1]
    ways[asked.what][0](asked)


if __name__ == "__main__":
    main()
