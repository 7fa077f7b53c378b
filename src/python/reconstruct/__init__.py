"""Poisson's equation on pictures: exact, fast, on the processor or on an NVIDIA GPU.

A picture M has the edges E = M(up) + M(down) + M(left) + M(right) - 4 M. These functions make edges of pictures and
pictures of edges, fill what is unknown, remove, clone, and turn normal maps into heights. Arrays are height x width, or
have more axes, of integers or floats; results have their type. Integers are rounded, and clipped to their range.
Computing is in float32, sums in double; samples that are known come from the caller's array as they are. An xarray
DataArray comes back as one, a masked array as one, and float32 arrays of CuPy and PyTorch on a device stay there.

Common arguments:

axes : the axes of height and width, as (-2, -1); every other axis counts pictures of their own
channel_axis : the axis of three that has the channels. Of a DataArray both may be names
boundary : around the picture is "halo" (`value`), "mirror" (the outermost pixels again), "wrap" (the opposite side),
    "sawtooth", or "cylinder", which wraps left and right and mirrors above and below, as a map of the globe
device : the number of a CUDA device; None: the processor, or where the array is
threads : of the processor; None: as many as there are processors
tolerance : of each pixel, by estimate, where a mask is solved; 0: 0.01, of floats or a millionth of what is around
progress : called several times a second with the share of the work that is done, 0 to 1; what it raises ends the call
return_info : also return {"distance": the estimated distance of the worst pixel from the exact picture}

Wrong arguments raise ValueError; a missing device RuntimeError; too little memory MemoryError. Ctrl+C ends a call.
"""
from __future__ import annotations

import contextlib
import ctypes
import importlib
import threading
import warnings
from typing import TYPE_CHECKING, Any, Callable, Iterator, List, Literal, Optional, Sequence, Tuple, Union

import numpy as np

from ._arrays import (Axes, Axis, _as_library_has_it, _device, _device_of, _empty, _floats, _host_only, _in_rows,
                      _mask, _on_device, _pair, _Picture, _pixels, _settled, _threads, _view, _word)
from ._library import _SHARE, _SOLVER, _WATCH, _Array, _call, _Edit, _Gradients, _library, _watched

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["laplacian", "solve", "fill", "heal", "clone", "heights", "Poisson", "device_count", "__version__"]

Progress = Callable[[float], Any]
Boundary = Literal["halo", "mirror", "wrap", "sawtooth", "cylinder"]
Gradient = Literal["source", "mixed", "average", "monochrome"]

__version__: str = _library.rec_version_text().decode()


def device_count() -> int:
    """How many CUDA devices there are: 0 without a driver, and in a build without CUDA."""
    return int(_library.rec_device_count())


# ---- the solver ----


class Poisson:
    """A solver that keeps its memory and its plans from problem to problem.

    Parameters
    ----------
    shape : (height, width) or (height, width, channels)
    boundary, value, device, threads : as in the module; with boundaries that leave the mean free, `value` is the mean of
        the exact picture

    Edges and pictures that its methods take and return are channels x height x width, or height x width. Threads may
    share a solver: one waits for the other, and is told if the other has loaded another problem.
    """

    _solvers: List[Any] = []  # of one that could not be made
    _lock = threading.RLock()
    _busy = False
    _serial = 0  # of what was loaded

    def __init__(self, shape: Sequence[int], boundary: Boundary = "halo", value: float = 0,
                 device: Optional[int] = None, threads: Optional[int] = None) -> None:
        if len(shape) not in (2, 3) or min(shape) < 1:
            raise ValueError(f"a shape of {tuple(shape)}: it must be (height, width) or (height, width, channels)")
        height, width, channels = (*shape, 1)[:3]
        self.shape = (channels, height, width)
        self._solvers, self._lock, self._mine = [], threading.RLock(), threading.local()
        self._device = _device(device)
        self._at_once = 3 if channels == 3 else 1
        for _ in range(0, channels, self._at_once):
            solver = _SOLVER()
            _call("rec_poisson_create", ctypes.byref(solver), width, height, self._at_once, _word(boundary, "boundary"),
                  value, -1 if self._device is None else self._device)
            self._solvers.append(solver)
            _call("rec_poisson_threads", solver, _threads(threads))

    @contextlib.contextmanager
    def _used(self, closes: bool = False, loads: bool = False, goes_on: bool = False) -> Iterator[None]:
        """goes_on: with what this thread has loaded."""
        with self._lock:
            if self._busy:
                raise ValueError("the solver is computing: what progress= or a signal calls cannot use it")
            if not self._solvers and not closes:
                raise ValueError("the solver is closed")
            if goes_on and getattr(self._mine, "serial", self._serial) != self._serial:
                raise ValueError("another thread has loaded another problem into this solver since")
            if loads:
                self._serial = self._mine.serial = self._serial + 1
            self._busy = True
            try:
                yield
            finally:
                self._busy = False

    def close(self) -> None:
        """Frees the memory; the solver cannot be used any more. Waits for a thread that computes."""
        with self._used(closes=True):
            while self._solvers:
                _library.rec_poisson_destroy(self._solvers.pop())

    def __enter__(self) -> "Poisson":
        return self

    def __exit__(self, *about: Any) -> None:
        self.close()

    __del__ = close

    def _each(self, name: str, *arguments: Any) -> None:
        """Calls a function for each group of planes: an array is cut into them, a function gets their slice."""
        if self._device is None and any(map(_on_device, arguments)):
            raise ValueError("arrays on a device need a solver on that device: device=")
        for i, solver in enumerate(self._solvers):
            part = slice(i * self._at_once, (i + 1) * self._at_once)
            _call(name, solver, *(ctypes.byref(_view(a[part])) if hasattr(a, "ndim") else a(part) if callable(a) else a
                                  for a in arguments))

    def _compute(self, name: str, argument: Any, progress: Optional[Progress], most: float,
                 wanted: bool) -> Optional[float]:
        distances = []
        with self._used(goes_on=True):
            count = len(self._solvers)
            for i, solver in enumerate(self._solvers):
                distance = ctypes.c_double() if wanted else None

                def call(watch: Any) -> int:
                    _call("rec_poisson_watch", solver, watch, None)
                    try:
                        return _call(name, solver, argument, None if distance is None else ctypes.byref(distance))
                    finally:
                        _call("rec_poisson_watch", solver, _WATCH(), None)

                _watched(_WATCH, call, progress and (lambda share: progress((i + share) / count)), most)
                distances.append(distance.value if distance is not None else 0)
        return max(distances) if wanted else None

    def _shaped(self, array: Any, what: str) -> Any:
        planes = array if array.ndim == 3 else array[None]
        if tuple(planes.shape) != self.shape:
            raise ValueError(f"{what} are {' x '.join(map(str, planes.shape))}, and must be "
                             f"{' x '.join(map(str, self.shape))}")
        return planes

    def _checked(self, array: Any, what: str) -> Any:
        planes = self._shaped(array if hasattr(array, "ndim") else np.asarray(array), what)
        return planes if _on_device(planes) else _floats(planes)

    def mask(self, mask: Optional[ArrayLike]) -> None:
        """Sets the unknown pixels: those that are not 0; None: all. Call `load` after it."""
        unknown = None if mask is None else _mask(mask, self.shape[1:])
        with self._used(loads=True):
            self._each("rec_poisson_mask_at",
                       *((None, 0, 0) if unknown is None else (unknown.ctypes.data, *unknown.strides[::-1])))

    def load(self, edges: Any, start: Any = None) -> None:
        """Copies the edges, and the picture to start from, which has the known pixels; None: the edges."""
        edges = self._checked(edges, "the edges")
        start = None if start is None else self._checked(start, "the samples to start from")
        with self._used(loads=True):
            self._each("rec_poisson_load", edges, start)
            self._loaded = edges, start  # memory of a device is read later

    def iterate(self, n: int, progress: Optional[Progress] = None, *, return_info: bool = False) -> Optional[float]:
        """Iterates n times more. return_info: returns the bound of the RMS distance from the exact picture."""
        if n != int(n) or not 0 <= n < 2 ** 63:
            raise ValueError(f"{n} iterations: a whole number of at least 0")
        return self._compute("rec_poisson_iterate", int(n), progress, max(n, 1), return_info)

    def solve(self, tolerance: float = 0, progress: Optional[Progress] = None, *,
              return_info: bool = False) -> Optional[float]:
        """Computes the exact picture; with a mask until each pixel is that near, by estimate (0: usual)."""
        return self._compute("rec_poisson_solve", tolerance, progress, 1, return_info)

    def read(self, out: Any = None) -> Any:
        """The picture of the last `iterate` or `solve`, in `out` or a new array, float32."""
        out = np.empty(self.shape, np.float32) if out is None else out
        planes = self._shaped(out, "the result's samples")
        if not _on_device(planes) and not (planes.flags.writeable and _floats(planes) is planes):
            raise ValueError("the result needs an array of float32 that can be written")
        with self._used(goes_on=True):
            self._each("rec_poisson_read", planes)
        return out

    def laplacian(self, picture: Any) -> NDArray[np.float32]:
        """Computes the edges of a picture."""
        edges = np.empty(self.shape, np.float32)
        with self._used():
            self._each("rec_poisson_edges", self._checked(np.asarray(picture), "the picture's samples"), edges)
        return edges

    def guide(self, source: Optional[NDArray[np.float32]], target: NDArray[np.float32], at: Tuple[int, int] = (0, 0),
              gradient: Gradient = "source", keep: float = 0, white: float = 0) -> NDArray[np.float32]:
        """Computes the edges of a picture with the source's gradients, whose top left pixel is at (x, y).

        Without a source: those of the places of the target that fit best around the parts of the mask. keep, white:
        as in rec_gradients_of in reconstruct.h.
        """
        edges = np.empty(self.shape, np.float32)
        with self._used():
            target = self._checked(target, "the target's samples")
            source = None if source is None else _floats(source if source.ndim == 3 else source[None])
            if source is not None and source.shape[0] != self.shape[0]:
                raise ValueError(f"the source has {source.shape[0]} channels, the target {self.shape[0]}")
            if source is None and len(self._solvers) > 1:
                raise ValueError("a search for a source takes pictures of 1 or 3 channels")
            others = (*_pair(at, "at"), _word(gradient, "gradient"), white, keep)
            self._each("rec_poisson_guide", lambda part: ctypes.byref(
                _Gradients(_Array(), 0, 0, *others) if source is None else
                _Gradients(_view(source[part]), *source.shape[:0:-1], *others)), target, edges)
        return edges


# ---- functions of arrays ----


def laplacian(picture: ArrayLike, boundary: Boundary = "halo", value: float = 0, *, axes: Optional[Axes] = None,
              channel_axis: Optional[Axis] = None) -> Any:
    """Returns the edges of a picture, float32: `solve` with the same boundary turns them back into the picture.

    Parameters
    ----------
    picture : height x width, or more axes, of which axes= or channel_axis= then tells height and width
    boundary, value, axes, channel_axis : as in the module; value in units of the samples
    """
    of = _Picture(_host_only(picture), axes, channel_axis)
    edges, made = _empty(of, np.float32)
    with Poisson(of.planes.shape[1:], boundary, value) as solver:
        for plane, into in zip(of.planes, made):
            into[...] = solver.laplacian(plane)[0]
    return of.wrapped(_settled(of, edges, made))


def solve(edges: Any, boundary: Boundary = "halo", value: float = 0, iterations: Optional[int] = None,
          mask: Optional[ArrayLike] = None, onto: Any = None, device: Optional[int] = None, *, out: Any = None,
          axes: Optional[Axes] = None, channel_axis: Optional[Axis] = None, threads: Optional[int] = None,
          tolerance: float = 0, progress: Optional[Progress] = None, return_info: bool = False) -> Any:
    """Returns the picture that has these edges, of their type if they are floats, else float32.

    Parameters
    ----------
    edges : height x width, or more axes, as for `laplacian`; float32 on a device too (CuPy, PyTorch), on its stream
    iterations : so many of Jacobi's iterations, with the same bits on every machine; None: exactly
    mask : height x width, or as the edges; only pixels that are not 0 are unknown, all others are those of `onto`
    onto : the picture around the mask; iterations begin with it
    out : where the result goes; None: a new array
    boundary, value, device, axes, channel_axis, threads, tolerance, progress, return_info : as in the module. Boundaries
        that leave the mean free have the mean `value`
    """
    if mask is not None and onto is None:
        raise ValueError("a mask needs the picture around it: onto=")
    of = _Picture(edges, axes, channel_axis, "edges")
    start = None if onto is None else _Picture(onto, axes, channel_axis, "onto")
    if start is not None and start.array.shape != of.array.shape:
        raise ValueError(f"onto is {tuple(start.array.shape)}, the edges are {tuple(of.array.shape)}")
    unknown = None if mask is None else of.mask(mask)
    planes, around = _in_rows(of.planes), None if start is None else _in_rows(start.planes)
    if out is not None and tuple(out.shape) != tuple(of.array.shape):
        raise ValueError(f"out is {tuple(out.shape)}, and must be {tuple(of.array.shape)}")
    if of.on_device:
        array = out
        if out is None:
            array = importlib.import_module(type(of.array).__module__.split(".")[0]).empty_like(of.array)
        made = _in_rows(of.flat(array))
    else:
        array, made = _empty(of, planes.dtype if planes.dtype.kind == "f" else np.float32)
    count, distance = len(planes), 0.0
    group = 3 if count == 3 and (unknown is None or len(unknown) == 1) else 1
    with Poisson((*planes.shape[1:], group), boundary, value,
                 _device_of(of.array) if device is None and of.on_device else device, threads) as solver:
        for first in range(0, count, group):
            part = slice(first, first + group)
            if unknown is not None and (not first or len(unknown) > 1):
                solver.mask(unknown[first])
            solver.load(planes[part], None if around is None else around[part])
            tell = progress and (lambda share: progress((first + share * group) / count))
            came = solver.solve(tolerance, tell, return_info=return_info) if iterations is None else \
                solver.iterate(iterations, tell, return_info=return_info)
            distance = max(distance, came or 0)
            if of.on_device:
                solver.read(made[part])
                continue
            found = solver.read()
            if unknown is not None and around is not None:
                found = np.where(unknown[first % len(unknown)], found, around[part])
            with np.errstate(all="ignore"):
                made[part] = found
    _settled(of, array, made)
    if out is not None and not of.on_device:
        np.copyto(out, array, casting="same_kind")
    found = of.wrapped(array) if out is None else out
    return (found, {"distance": distance}) if return_info else found


def _edited(of: _Picture, unknown: Optional[NDArray[np.uint8]], source: Any, device: Optional[int],
            threads: Optional[int], tolerance: float, boundary: Any, progress: Optional[Progress], return_info: bool,
            **options: Any) -> Any:
    """A copy of the picture, filled by the library; known samples keep their bits."""
    result = of.copy()
    planes = of.flat(result)
    into = _as_library_has_it(planes)
    kept: Any = slice(None)
    if source is None and len(into) > 1 and not of.on_device and boundary not in ("halo", "sawtooth"):
        has = np.array([(np.isfinite(into[i]) if unknown is None else unknown[i % len(unknown)] == 0).any()
                        for i in range(len(into))])
        if not has.all() and has.any():
            warnings.warn(f"{np.sum(~has)} of {len(has)} pictures have no known sample, and stay as they are",
                          RuntimeWarning, stacklevel=3)
            kept = has
            unknown = unknown if unknown is None or len(unknown) == 1 else unknown[has]
    part = into if len(into) == 1 or of.on_device else into[kept]
    others = {"mask": unknown, "source": None if source is None else _as_library_has_it(source)}
    number = _device(_device_of(of.array) if device is None and of.on_device else device)
    distance = ctypes.c_double()
    edit = _Edit(picture=_pixels(part), on_device=number is not None, device=number or 0, threads=_threads(threads),
                 tolerance=tolerance, boundary=_word(boundary, "boundary"), **options,
                 **{name: _pixels(array) for name, array in others.items() if array is not None})

    def call(watch: Any) -> int:
        edit.watch = watch
        return _call("rec_edit_fill", ctypes.byref(edit), ctypes.byref(distance))

    _watched(_SHARE, call, progress)
    if not of.on_device:
        into[kept] = part
        planes[...] = into
        _settled(of, result, planes)
    found = of.wrapped(result, None if source is None else np.ma.getmask(of.values))
    return (found, {"distance": distance.value}) if return_info else found


def _unknown(of: _Picture, mask: Optional[ArrayLike]) -> Optional[NDArray[np.uint8]]:
    """Of a mask and of what is masked; None: the library looks for what is not finite."""
    unknown = None if mask is None else of.mask(mask)
    if not np.ma.isMaskedArray(of.values):
        return unknown
    masked = of.flat(np.ma.getmaskarray(of.values))
    both = masked | (~np.isfinite(of.planes) if unknown is None else unknown != 0)
    return _mask(both, both.shape)


def fill(picture: Any, mask: Optional[ArrayLike] = None, *, boundary: Boundary = "mirror",
         device: Optional[int] = None, axes: Optional[Axes] = None, channel_axis: Optional[Axis] = None,
         threads: Optional[int] = None, tolerance: float = 0, progress: Optional[Progress] = None,
         return_info: bool = False) -> Any:
    """Returns a copy in which the unknown samples alone differ: the smoothest picture, by Laplace's equation there.

    Parameters
    ----------
    picture : height x width, or more axes, of which axes= or channel_axis= then tells height and width
    mask : height x width, or as the picture, not 0 where samples are unknown; None: where they are not finite. What a
        masked array (numpy.ma) masks is unknown, too
    axes, channel_axis, boundary, device, threads, tolerance, progress, return_info : as in the module. Each of several
        pictures, and each channel, has holes of its own
    """
    of = _Picture(picture, axes, channel_axis)
    return _edited(of, _unknown(of, mask), None, device, threads, tolerance, boundary, progress, return_info)


def heal(picture: Any, mask: Optional[ArrayLike], source: Union[None, Literal["auto"], Tuple[int, int]] = None, *,
         keep: float = 0, boundary: Boundary = "mirror", device: Optional[int] = None,
         channel_axis: Optional[Axis] = None, threads: Optional[int] = None, tolerance: float = 0,
         progress: Optional[Progress] = None, return_info: bool = False) -> Any:
    """Removes what the mask covers: returns a copy in which only the pixels of the mask differ.

    Parameters
    ----------
    picture : height x width, or with channels: of three axes the last one if it has 3 or 4, or channel_axis=
    mask : as for `fill`
    source : None: the smoothest fill; (dx, dy): the texture that lies so many pixels to the right and below; "auto":
        for each part of the mask the place that fits best, or none where it is smooth there
    keep : the picture's difference from the source decays over so many pixels; 0: it does not
    boundary, device, threads, tolerance, progress, return_info : as in the module
    """
    of = _Picture(picture, None, channel_axis, colours=True)
    if isinstance(source, str) and source != "auto":
        raise ValueError(f"source is '{source}'; it is None, (dx, dy) or \"auto\"")
    unknown = _unknown(of, mask)
    from_ = "none" if source is None else "auto" if source == "auto" else "place"
    place = _pair(source, "source") if from_ == "place" else (0, 0)
    if from_ == "place" and unknown is not None:
        for moved, covered in zip(place, (unknown.any((0, 1)), unknown.any((0, 2)))):
            places = np.flatnonzero(covered) + moved
            if places.size and (places[0] >= covered.size or places[-1] < 0):
                raise ValueError(f"source {place} puts the whole source outside the picture")
    if not keep >= 0:
        raise ValueError(f"keep is {keep}; it must be at least 0")
    return _edited(of, unknown, None, device, threads, tolerance, boundary, progress, return_info,
                   from_=from_.encode(), x=place[0], y=place[1], keep=keep if source is not None else 0)


def clone(source: Any, target: Any, mask: Optional[ArrayLike] = None, at: Tuple[int, int] = (0, 0),
          gradient: Gradient = "source", keep: float = 0, *, boundary: Boundary = "mirror",
          device: Optional[int] = None, channel_axis: Optional[Axis] = None, threads: Optional[int] = None,
          tolerance: float = 0, progress: Optional[Progress] = None, return_info: bool = False) -> Any:
    """Pastes the source without a seam: returns a copy of the target in which only the pixels of the mask differ.

    Parameters
    ----------
    source, target : as the picture of `heal`, with as many channels in both
    mask : height x width of the source, or as the source, not 0 where it is pasted; None: all of it
    at : (x, y) of the source's top left pixel in the target, also beyond its sides
    gradient : "source"; "mixed": the larger of both; "average"; "monochrome": of the source's luminance
    keep : the picture's difference from the source decays over so many pixels: colours stay; 0: it does not
    boundary, device, threads, tolerance, progress, return_info : as in the module
    """
    from_ = _Picture(source, None, channel_axis, "the source", colours=True)
    of = _Picture(target, None, channel_axis, "the target", colours=True)
    if len(from_.planes) != len(of.planes):
        raise ValueError(f"the source has {len(from_.planes)} channels, the target {len(of.planes)}")
    x, y = _pair(at, "at")
    return _edited(of, None if mask is None else from_.mask(mask), from_.planes, device, threads, tolerance, boundary,
                   progress, return_info, x=x, y=y, rule=_word(gradient, "gradient"), keep=keep)


def heights(normals: ArrayLike, *, green: Literal["auto", "up", "down"] = "auto", boundary: Boundary = "mirror",
            device: Optional[int] = None, channel_axis: Optional[Axis] = None, threads: Optional[int] = None,
            progress: Optional[Progress] = None, return_info: bool = False) -> Any:
    """Returns the height field that has these normals: float32, height x width, in pixels, with mean 0.

    Parameters
    ----------
    normals : height x width x 3: x to the right, y, z towards the viewer. Floats are numbers of -1 to 1, integers
        a normal map's; where z is never above 0 it is computed from the others. A fourth channel is ignored
    green : "up" (OpenGL) or "down" (DirectX): where positive y points; "auto": the one whose slopes are more nearly
        those of a surface
    boundary, device, channel_axis, threads, progress, return_info : as in the module
    """
    of = _Picture(_host_only(normals), None, channel_axis, "the normal map", colours=True)
    if of.array.ndim != 3 or len(of.planes) < 3:
        raise ValueError("normals are an array of height x width x 3")
    planes = _as_library_has_it(of.planes[:3])
    with Poisson(planes.shape[1:], boundary, 0, device, threads) as solver:
        edges = np.empty((1, *planes.shape[1:]), np.float32)
        _call("rec_poisson_normals", solver._solvers[0], ctypes.byref(_pixels(planes)), _word(green, "green"),
              ctypes.byref(_view(edges)))
        solver.load(edges)
        distance = solver.solve(progress=progress, return_info=return_info)
        return (solver.read()[0], {"distance": distance}) if return_info else solver.read()[0]
