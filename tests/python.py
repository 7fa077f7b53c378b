"""The Python module as its users call it; test_python.sh runs the test that an argument names."""
import ctypes
import importlib.util
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import types
import warnings
import weakref

import numpy as np
import reconstruct

RANDOM = np.random.default_rng(1)


def pictures():
    for shape in (50, 70), (50, 70, 3), (40, 60, 5):
        for kind in np.uint8, np.uint16, np.float32, np.float64:
            yield (RANDOM.random(shape) * 200).astype(kind)


def hole(shape):
    mask = np.zeros(shape[:2], bool)
    mask[10:20, 10:30] = True
    return mask


def raises(kind, words, call, *arguments, **options):
    try:
        call(*arguments, **options)
    except kind as error:
        assert words in str(error), error
    else:
        raise AssertionError(f"{call.__name__} did not raise {kind.__name__}")


def test_the_picture_comes_back():
    for boundary, value in (("halo", 9), ("mirror", 0), ("wrap", 0), ("cylinder", 0)):
        for picture in pictures():
            axis = {} if picture.ndim == 2 else {"channel_axis": -1}
            edges = reconstruct.laplacian(picture, boundary, value, **axis)
            assert edges.dtype == np.float32 and edges.shape == picture.shape
            found = reconstruct.solve(edges, boundary, value, **axis)
            means = picture.mean(axis=(0, 1)) if boundary != "halo" else 0
            assert np.abs(found + means - picture).max() < 0.01, (boundary, picture.dtype, picture.shape)


def test_iterations_are_those_of_a_loop():
    edges = RANDOM.integers(-99, 99, (20, 30)).astype(np.float32)
    picture = np.pad(edges, 1, constant_values=3)
    for _ in range(100):  # in several steps, between which the library asks for signals
        around = picture[:-2, 1:-1] + picture[2:, 1:-1] + picture[1:-1, :-2] + picture[1:-1, 2:]
        picture[1:-1, 1:-1] = (around - edges) / 4
    assert np.abs(reconstruct.solve(edges, value=3, iterations=100) - picture[1:-1, 1:-1]).max() < 1e-3


def test_known_samples_stay():
    for picture in pictures():
        mask = hole(picture.shape)
        axis = {} if picture.ndim == 2 else {"channel_axis": -1}
        for found in (reconstruct.fill(picture, mask, **axis), reconstruct.heal(picture, mask, (45, 5), **axis),
                      reconstruct.heal(picture, mask, **axis),
                      reconstruct.clone(picture[20:40, 20:50], picture, mask[5:25, 5:35], at=(5, 5), **axis)):
            assert found.dtype == picture.dtype and found.shape == picture.shape
            assert np.array_equal(found[~mask], picture[~mask])
            assert not np.array_equal(found[mask], picture[mask])


def test_a_plane_is_filled_exactly():
    y, x = np.mgrid[:64, :80]
    for level, kind in ((0, np.float32), (5e6, np.float64)):
        plane = (level + 0.3 * x + 0.7 * y).astype(kind)
        holes = plane.copy()
        holes[20:40, 30:50] = np.nan
        assert np.abs(reconstruct.fill(holes) - plane).max() < 0.01
        holes[45:50, 10:20] = np.inf
        assert np.abs(reconstruct.fill(np.ma.masked_where((x == 70) & (abs(y - 30) < 9), holes)) - plane).max() < 0.01


def test_what_is_healed_takes_the_texture():
    y, x = np.mgrid[:60, :90]
    picture = 50.0 * (x % 6 > 2) + 30 * (y % 4 > 1) + x
    assert np.abs(reconstruct.heal(picture, hole(picture.shape), (24, 12)) - picture).max() < 0.05


def test_what_is_cloned_takes_the_brightness():
    y, x = np.mgrid[:50, :70]
    target = np.stack([x + y, 2 * x, 90 - y], axis=-1).astype(np.float32)
    found = reconstruct.clone(target + 100, target, hole(target.shape))
    assert np.abs(found - target).max() < 0.02
    for rule in ("mixed", "average", "monochrome"):
        assert np.isfinite(reconstruct.clone(target[:20, :30] + 7, target, at=(-4, 40), gradient=rule)).all()


def test_a_source_is_found():
    y, x = np.mgrid[:120, :160]
    picture = np.rint(90 + 50 * np.sin(x * 0.9) * np.cos(y * 0.7) + 30 * np.sin(x * 0.31 + y * 0.23)).astype(np.uint8)
    mask = np.zeros(picture.shape, bool)
    mask[40:64, 60:90] = True
    smooth, found = reconstruct.heal(picture, mask), reconstruct.heal(picture, mask, "auto")
    assert np.array_equal(found[~mask], picture[~mask])
    assert np.diff(found[40:64, 60:90].astype(float)).std() > 4 * np.diff(smooth[40:64, 60:90].astype(float)).std()
    faint = (200 + x % 2).astype(np.uint16)  # which has its own ends for floats only
    assert np.array_equal(reconstruct.heal(faint, mask, "auto"), reconstruct.heal(faint, mask))
    assert np.abs(reconstruct.heal(faint.astype(float), mask, "auto") - faint).max() < 0.05
    raises(ValueError, "auto", reconstruct.heal, picture, mask, "best")
    raises(ValueError, "outside the picture", reconstruct.heal, picture, mask, (0, -5 * picture.shape[0]))


def test_integers_are_rounded_and_clipped():
    x = np.mgrid[:60, :80][1]
    mask = hole(x.shape) | np.roll(hole(x.shape), 40, axis=1)
    source, target = 250 * (x % 9 > 3), np.where(x < 40, 30, 220)
    exact = reconstruct.clone(source.astype(float), target.astype(float), mask)
    assert exact.min() < -9 and exact.max() > 264
    for kind in (np.uint8, np.uint16):
        found = reconstruct.clone(source.astype(kind), target.astype(kind), mask)
        assert np.abs(found - np.clip(exact, 0, np.iinfo(kind).max)).max() < 0.51


def test_what_is_kept():
    target, source = np.full((80, 90), 200.0), np.full((40, 40), 50.0)
    free = reconstruct.clone(source, target, at=(20, 20))
    kept = reconstruct.clone(source, target, at=(20, 20), keep=4)
    assert np.abs(free - 200).max() < 0.01 and abs(kept[40, 40] - 50) < 5 and kept[0, 0] == 200
    raises(ValueError, "no colours to keep", reconstruct.clone, source, target, gradient="mixed", keep=4)


def test_any_axis_and_any_strides():
    picture = RANDOM.random((3, 40, 50)).astype(np.float32)
    first = reconstruct.solve(picture, channel_axis=0)
    last = reconstruct.solve(np.moveaxis(picture, 0, -1), channel_axis=-1)
    assert np.array_equal(np.moveaxis(first, 0, -1), last)
    assert np.array_equal(reconstruct.solve(picture[:, ::-1, ::2], channel_axis=0),
                          reconstruct.solve(picture[:, ::-1, ::2].copy(), channel_axis=0))
    assert np.array_equal(reconstruct.solve(picture[0]), first[0])


def test_heights():
    y, x = np.mgrid[-1:1:64j, -1:1:80j]
    z = 8 * np.exp(-4 * (x ** 2 + y ** 2))
    down, right = np.gradient(z)
    for green, sign in (("up", 1), ("down", -1)):
        normals = np.stack([-right, sign * down, np.ones_like(z)], axis=-1)
        normals /= np.linalg.norm(normals, axis=2, keepdims=True)
        of_bytes = np.rint((normals + 1) * 127.5).astype(np.uint8)
        for given, off in ((normals, 0.1), (of_bytes, 0.5)):
            for which in (green, "auto"):
                found, info = reconstruct.heights(given, green=which, return_info=True)
                assert np.abs(found - (z - z.mean())).max() < off and 0 < info["distance"] < 0.02


def test_green_points_where_the_program_says():
    y, x = np.mgrid[-1:1:64j, -1:1:80j]
    down, right = np.gradient(8 * np.exp(-4 * (x ** 2 + y ** 2)))
    noise = np.random.default_rng(2).normal(size=x.shape)
    for rough, green in ((0.02, "down"), (0.03, "up"), (0.05, "up")):  # only the first is clear
        normals = np.stack([rough * noise - right, -down, np.ones_like(x)], axis=-1)
        normals /= np.linalg.norm(normals, axis=2, keepdims=True)
        normals = np.rint((normals + 1) * 127.5).astype(np.uint8)
        normals[:, :9] = 128, 128, 255  # flat
        found = reconstruct.heights(normals)
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "normals.ppm").write_bytes(b"P6 80 64 255\n" + normals.tobytes())
            subprocess.run([os.environ["RECONSTRUCT"], "heights", "normals.ppm", "-o", "heights.npy"], cwd=folder,
                           stderr=subprocess.DEVNULL, check=True)
            assert np.abs(found - np.load(folder + "/heights.npy")).max() < 0.01
        assert np.array_equal(found, reconstruct.heights(normals, green=green))


def test_the_program_makes_the_same_bytes():
    """Headless, on 1 and 8 threads; tests/window/test_paint.sh has what a window saves."""
    y, x = np.mgrid[:120, :160]
    smooth = 90 + x / 3 + 30 * np.sin(y / 9) + RANDOM.normal(0, 8, y.shape)
    mask = np.zeros(y.shape, np.uint8)
    mask[20:40, 30:60] = mask[60:66, 70:150] = mask[0:9, 90:99] = 255
    mask[50:115, 4:69] = 255  # a box, by transforms
    kinds = {"u1": 1, "u2": 200, "i2": -90, "u4": 9e6, "i4": -4e6, "f4": 3, ">f8": 3e5}
    with tempfile.TemporaryDirectory() as folder:
        def program(*arguments):
            for threads in "1", "8":
                subprocess.run([os.environ["RECONSTRUCT"], *arguments, "-q", "-o", f"{threads}.npy"], cwd=folder,
                               check=True, env={**os.environ, "OMP_NUM_THREADS": threads})
            one, eight = (np.load(os.path.join(folder, f"{threads}.npy")) for threads in "18")
            assert (one == eight).all()
            return one

        np.save(os.path.join(folder, "m.npy"), mask)
        for kind, scale in kinds.items():
            picture = (smooth * scale).astype(kind)
            source = np.ascontiguousarray(picture[::-1, ::-1][:70, :90])
            np.save(os.path.join(folder, "p.npy"), picture)
            np.save(os.path.join(folder, "s.npy"), source)
            heal = "heal", "p.npy", "--mask", "m.npy", "--from"
            ways = [(program(*heal, "none"), reconstruct.fill(picture, mask)),
                    (program(*heal, "17,-9"), reconstruct.heal(picture, mask, (17, -9))),
                    (program(*heal, "17,-9", "--keep", "5"), reconstruct.heal(picture, mask, (17, -9), keep=5)),
                    (program("clone", "s.npy", "p.npy", "--at", "40,30"), reconstruct.clone(source, picture, at=(40, 30))),
                    (program(*heal, "auto"), reconstruct.heal(picture, mask, "auto"))]
            for i, (written, returned) in enumerate(ways):
                assert (written == returned.astype(written.dtype)).all(), (kind, i)


def test_errors():
    raises(ValueError, "axes= which two", reconstruct.solve, np.zeros((3, 3, 3, 3)))
    for call in (reconstruct.fill, reconstruct.solve, reconstruct.laplacian):
        raises(ValueError, "by axes= which two are height and width (others count pictures), or channel_axis=", call,
               np.zeros((9, 9, 3)))
    raises(ValueError, "say by channel_axis= which of three", reconstruct.heal, np.zeros((9, 9, 5)), np.ones((9, 9)))
    raises(ValueError, "no samples", reconstruct.solve, np.zeros((0, 3)))
    raises(ValueError, "sum to", reconstruct.solve, np.ones((9, 9)), "mirror")
    raises(ValueError, "whole number", reconstruct.solve, np.ones((9, 9)), iterations=-1)
    raises(ValueError, "unknown boundary", reconstruct.solve, np.ones((9, 9)), "mirrors")
    raises(ValueError, "must be 9 x 9", reconstruct.fill, np.ones((9, 9)), np.ones((9, 8)))
    raises(ValueError, "leaves no pixel", reconstruct.fill, np.ones((9, 9)), np.ones((9, 9)))
    raises(ValueError, "onto=", reconstruct.solve, np.ones((9, 9)), mask=np.ones((9, 9)))
    raises(ValueError, "must be integers or floats", reconstruct.solve, np.ones((9, 9), complex))
    raises(ValueError, "unknown rule", reconstruct.clone, np.ones((3, 3)), np.ones((9, 9)), gradient="sources")
    raises(ValueError, "numbers of at most", reconstruct.solve, np.full((9, 9), np.nan))
    if not reconstruct.device_count():
        raises(RuntimeError, "", reconstruct.solve, np.ones((9, 9)), device=0)
    solver = reconstruct.Poisson((9, 9))
    solver.close()
    raises(ValueError, "closed", solver.solve)
    raises(ValueError, "closed", solver.guide, None, np.ones((9, 9)))
    raises(ValueError, "device is 'cpu'; it must be the number", reconstruct.fill, np.ones((9, 9)), device="cpu")
    raises(ValueError, "boundary is None; it must be a word", reconstruct.solve, np.ones((9, 9)), None)
    raises(ValueError, "at is 5; it must be two whole numbers", reconstruct.clone, np.ones((3, 3)), np.ones((9, 9)), at=5)
    raises(ValueError, "threads is 0", reconstruct.fill, np.ones((9, 9)), threads=0)
    raises(ValueError, "tolerance", reconstruct.solve, np.zeros((9, 9)), tolerance=float("nan"))
    raises(ValueError, "for edits and exact pictures", reconstruct.solve, np.zeros((9, 9)), "cylinder", iterations=3)
    for keep in (-1, float("nan")):
        raises(ValueError, "keep", reconstruct.clone, np.ones((3, 3)), np.ones((9, 9)), keep=keep)
        raises(ValueError, "keep", reconstruct.heal, np.ones((9, 9)), hole((9, 9)), keep=keep)
    for shape in ((9,), (9, 0), (9, 9, 0), (9, 9, 3, 1)):
        raises(ValueError, "it must be (height, width)", reconstruct.Poisson, shape)
    with reconstruct.Poisson((9, 9)) as solver:
        solver.load(np.ones((9, 9)))
        solver.solve()
        raises(ValueError, "must be 1 x 9 x 9", solver.read, np.zeros((3, 3), np.float32))
        raises(ValueError, "must be 1 x 9 x 9", solver.guide, None, np.zeros((3, 3), np.float32))
        raises(ValueError, "3 channels, the target 1", solver.guide, np.ones((3, 9, 9)), np.ones((9, 9)))
        for out in (np.zeros((9, 9)), np.broadcast_to(np.float32(1), (9, 9))):
            raises(ValueError, "that can be written", solver.read, out)


def test_repeated_samples():
    for once in (np.float32(5), RANDOM.random(80).astype(np.float32), RANDOM.random((60, 80)).astype(np.float32)):
        repeated = np.broadcast_to(once, (3, 60, 80))
        assert np.array_equal(reconstruct.solve(repeated, channel_axis=0), reconstruct.solve(repeated.copy(), channel_axis=0))


def test_progress_and_interrupt():
    edges = RANDOM.random((300, 300)).astype(np.float32)
    seen = []

    def stop(done):
        seen.append(done)
        if done > 200e-9:
            raise KeyError("enough")

    raises(KeyError, "enough", reconstruct.solve, edges, iterations=10 ** 9, progress=stop)
    assert seen[0] == 0 and seen == sorted(seen) and seen[-1] < 1
    for call in (lambda tell: reconstruct.solve(edges, iterations=9, progress=tell),
                 lambda tell: reconstruct.fill(np.where(edges > 0.9, np.nan, edges), progress=tell)):
        seen.clear()
        call(seen.append)
        assert seen[0] == 0 and seen == sorted(seen) and seen[-1] == 1, seen
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    raises(KeyboardInterrupt, "", reconstruct.solve, edges, iterations=10 ** 9)


def test_what_a_signal_raises_is_not_lost():
    edges = RANDOM.random((99, 99)).astype(np.float32)
    for kind in (KeyboardInterrupt, TimeoutError):
        def interrupt(frame, *_):
            if frame.f_code.co_name == "watch":
                raise kind("now")  # before its first line
        lost = []
        sys.unraisablehook = lost.append
        for call in (lambda: reconstruct.solve(edges, iterations=10 ** 5),
                     lambda: reconstruct.fill(edges, edges > 0.5)):
            sys.settrace(interrupt)  # a function that raises is taken off
            raises(kind, "now", call)
        sys.settrace(None)
        assert not lost


def test_every_picture_has_its_own_holes():
    known = RANDOM.random((2, 5, 40, 50))
    holes = known.copy()
    for i, picture in enumerate(holes.reshape(-1, 40, 50)):
        picture[5 + i:20, 3 * i:3 * i + 9] = np.nan
    wanted = np.array([reconstruct.fill(p) for p in holes.reshape(-1, 40, 50)]).reshape(known.shape)
    assert np.isfinite(wanted).all() and np.array_equal(wanted[np.isfinite(holes)], known[np.isfinite(holes)])
    for threads in (1, 4):
        assert np.array_equal(reconstruct.fill(holes, axes=(-2, -1), threads=threads), wanted)
    assert np.array_equal(reconstruct.fill(holes.transpose(2, 0, 3, 1), axes=(0, 2)), wanted.transpose(2, 0, 3, 1))
    found, info = reconstruct.fill(known, np.isnan(holes), axes=(2, 3), tolerance=1e-5, return_info=True)
    assert np.abs(found - wanted).max() < 1e-3 and 0 < info["distance"] <= 1e-5
    assert np.array_equal(found[np.isfinite(holes)], known[np.isfinite(holes)])
    edges = reconstruct.laplacian(known, axes=(2, 3))
    assert np.array_equal(edges[1, 2], reconstruct.laplacian(known[1, 2]))
    assert np.abs(reconstruct.solve(edges, axes=(2, 3)) - known).max() < 1e-4
    assert np.abs(reconstruct.solve(edges, axes=(2, 3), mask=np.isnan(holes), onto=holes) - known).max() < 1e-4
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        holes[0, 3] = np.nan
        found = reconstruct.fill(holes, axes=(-2, -1))
    assert "1 of 10 pictures have no known sample" in str(said[0].message) and said[0].filename == __file__
    assert np.isnan(found[0, 3]).all() and np.array_equal(np.delete(found.reshape(10, 40, 50), 3, 0),
                                                          np.delete(wanted.reshape(10, 40, 50), 3, 0))
    holes[0, 1] *= 1e38
    raises(ValueError, "picture 2 of 9: ", reconstruct.fill, holes, axes=(-2, -1))


def test_the_globe_wraps_left_and_right():
    y, x = np.mgrid[:40, :72]
    picture = np.sin(x * np.pi / 36) * 50 + y
    holes = np.where((abs(x - 36) > 30) & (abs(y - 20) < 6), np.nan, picture)
    ends = np.roll(np.roll(holes, 36, axis=1), 0)
    wanted = np.roll(reconstruct.fill(ends, tolerance=1e-5), 36, axis=1)  # the hole is in the middle
    assert np.abs(reconstruct.fill(holes, boundary="cylinder", tolerance=1e-5) - wanted).max() < 1e-3
    assert np.abs(reconstruct.fill(holes, tolerance=1e-5) - wanted).max() > 1


class Labelled:
    """As xarray's DataArray."""
    coords = {}

    def __init__(self, data, dims):
        self.data, self.dims = data, dims

    def copy(self, data):
        return Labelled(data, self.dims)


def test_what_comes_in_comes_out():
    data = RANDOM.random((4, 30, 40))
    data[:, 5:9, 6:20] = np.nan
    found = reconstruct.fill(Labelled(data, ("time", "y", "x")), axes=("y", "x"))
    assert found.dims == ("time", "y", "x") and np.array_equal(found.data, reconstruct.fill(data, axes=(1, 2)))
    raises(ValueError, "no axis 'lat': it has ('time', 'y', 'x')", reconstruct.fill,
           Labelled(data, ("time", "y", "x")), axes=("lat", "x"))
    masked = np.ma.masked_array(np.arange(1200).reshape(30, 40), np.isnan(data[0]), fill_value=-9)
    found = reconstruct.fill(masked)
    assert isinstance(found, np.ma.MaskedArray) and not found.mask.any() and found.fill_value == -9
    assert np.array_equal(found[~masked.mask], masked[~masked.mask])
    if importlib.util.find_spec("xarray"):
        xarray = importlib.import_module("xarray")
        given = xarray.DataArray(data, dims=("time", "lat", "lon"), name="t", attrs={"units": "K"},
                                 coords={"lat": np.arange(30.0)})
        found = reconstruct.fill(given, axes=("lat", "lon"), boundary="cylinder")
        assert found.attrs == given.attrs and found.name == "t" and found.lat.equals(given.lat)
        assert int(found.isnull().sum()) == 0 and bool((found == given).where(given.notnull(), True).all())


def test_out_is_written_and_errstate_changes_nothing():
    picture = RANDOM.random((30, 40)).astype(np.float32)
    out = np.zeros((30, 40))
    assert reconstruct.solve(reconstruct.laplacian(picture), out=out) is out and np.abs(out - picture).max() < 1e-4
    raises(ValueError, "out is (3, 3)", reconstruct.solve, picture, out=np.zeros((3, 3)))
    with np.errstate(all="raise"):
        for level in (1e-300, 1e-40, 1.0):
            reconstruct.fill(np.where(np.eye(9) > 0, np.nan, level))
            assert np.isfinite(reconstruct.laplacian(np.full((4, 4), level))).all()


def test_threads_share_a_solver():
    with reconstruct.Poisson((60, 70)) as solver:
        raised, rights = [], []

        def work(i):
            for _ in range(20):
                try:
                    solver.load(np.full((60, 70), i, np.float32))
                    solver.iterate(3)
                    rights.append(solver.read()[0, 30, 30] == -i * 0.75 + i)  # it starts from its edges
                except ValueError as error:
                    raised.append(str(error))
        threads = [threading.Thread(target=work, args=(i,)) for i in (1, 2, 3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert all(rights) and all("another thread has loaded" in words for words in raised)
        solver.load(np.ones((60, 70)))
        for call in (solver.close, lambda: solver.mask(None), lambda: solver.load(np.ones((60, 70)))):
            raises(ValueError, "the solver is computing", solver.iterate, 9, lambda share: call())
        thread = threading.Thread(target=lambda: solver.iterate(30000))
        thread.start()
    thread.join()  # closing has waited, or came first
    alive = weakref.ref(solver)
    del solver, call, work, thread, threads
    assert alive() is None  # without the collector of cycles


class Fake(np.ndarray):
    """An array as those of devices are, in ordinary memory."""
    device = types.SimpleNamespace(id=2)
    __cuda_array_interface__ = property(lambda self: {
        "shape": self.shape, "typestr": self.dtype.str, "data": (self.ctypes.data, False), "version": 3,
        "strides": None if self.flags.c_contiguous else self.strides, "stream": 7})


empty_like = np.empty_like  # as a module with such arrays has it


def test_arrays_of_a_device_are_passed_as_they_are():
    def call(name, *arguments):
        arrays = [a._obj for a in arguments if isinstance(getattr(a, "_obj", None), reconstruct._Array)]
        calls[name[12:]] = [(a.data, a.across, a.down, a.plane, a.stream) for a in arrays] or arguments
        if name == "rec_poisson_read":
            (ctypes.c_float * 1800).from_address(arrays[0].data)[:] = range(1800)
        edits.extend(a._obj for a in arguments if isinstance(getattr(a, "_obj", None), reconstruct._Edit))
        return 0

    edits = []
    wide, calls, real = np.zeros((3, 20, 60), np.float32).view(Fake), {}, reconstruct._call
    if not reconstruct.device_count():
        raises(RuntimeError, "CUDA", reconstruct.solve, wide, channel_axis=0)
    raises(ValueError, "device=", reconstruct.Poisson((20, 60, 3)).load, wide)
    reconstruct._call = call
    reconstruct.solve(wide[:, :, :30], channel_axis=0)
    assert calls["load"] == [(wide.ctypes.data, 1, 60, 1200, 7)] and calls["create"][-1] == 2
    found = reconstruct.solve(np.zeros((20, 30, 3), np.float32).view(Fake), device=1, channel_axis=-1)
    assert calls["load"][0][1:] == (1, 30, 600, 7) and calls["create"][-1] == 1
    assert np.array_equal(found, np.arange(1800).reshape(3, 20, 30).transpose(1, 2, 0))
    raises(ValueError, "no gradients pass", reconstruct.fill, types.SimpleNamespace(requires_grad=True))
    raises(ValueError, "must be float32, and this has <f2", reconstruct.fill, wide.astype(np.float16), channel_axis=0)
    for call in (lambda: reconstruct.fill(wide, np.asarray(wide[0]) == 0, channel_axis=0),
                 lambda: reconstruct.clone(wide[:, :9, :9].copy(), wide, at=(3, 4), channel_axis=0)):
        found = call()
        picture, device = edits[-1].picture, edits[-1].device
        assert (picture.across, picture.down, picture.plane, picture.planes, picture.stream) == (4, 240, 4800, 3, 7)
        assert type(found) is Fake and picture.data == found.ctypes.data != wide.ctypes.data and device == 2
    raises(ValueError, "must be float32", reconstruct.solve, wide.astype(float), channel_axis=0)
    reconstruct._call = real


def test_arrays_of_cupy_and_torch():
    edges = RANDOM.integers(-99, 99, (40, 50, 3)).astype(np.float32)
    for name in ("cupy", "torch") if reconstruct.device_count() else ():
        module = importlib.import_module(name) if importlib.util.find_spec(name) else None
        for options in ({}, {"iterations": 50}, {"mask": hole(edges.shape)}) if module else ():
            for axis in (-1, 0):
                given = np.moveaxis(edges, -1, axis).copy()
                there = module.asarray(given) if name == "cupy" else module.from_numpy(given).cuda()
                found = reconstruct.solve(there, onto=there, channel_axis=axis, **options)
                found = module.asnumpy(found) if name == "cupy" else found.cpu().numpy()
                wanted = reconstruct.solve(given, onto=given, channel_axis=axis, **options)
                assert np.abs(found - wanted).max() <= (0 if "iterations" in options else 0.02), (name, axis)


def test_a_solver_is_used_again():
    with reconstruct.Poisson((30, 40, 2), threads=1) as solver:
        solver.mask(hole((30, 40)))
        for keep in (4, 0):  # that of the last gradients alone
            picture = RANDOM.random((2, 30, 40)).astype(np.float32)
            solver.load(solver.guide(picture, picture, keep=keep), picture)
            solver.solve()
            assert np.abs(solver.read() - picture).max() < 1e-4
        solver.mask(None)
        solver.load(solver.laplacian(picture))
        solver.solve()
        assert np.abs(solver.read() - picture).max() < 1e-4
        solver.load(solver.laplacian(picture), picture)
        solver.iterate(10)
        assert np.abs(solver.read() - picture).max() < 1e-4


if __name__ == "__main__":
    tests = {name[5:]: test for name, test in globals().items() if name.startswith("test_")}
    if len(sys.argv) < 2:
        print("\n".join(tests))
    else:
        tests[sys.argv[1]]()
