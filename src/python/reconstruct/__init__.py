"""Poisson's equation on pictures: exact, fast, on the processor or on an NVIDIA GPU.

A picture M has the edges E = M(up) + M(down) + M(left) + M(right) - 4 M. These functions make edges of pictures and
pictures of edges, fill what is unknown, remove, clone, and turn normal maps into heights. Arrays are height x width or
height x width x channels, of uint8, uint16, float32 or float64; results have the type of what was given. Integers are
rounded, and clipped to their range. Computing is in float32, sums in double; samples that are known come from the
caller's array as they are.

Wrong arguments raise ValueError; a missing device RuntimeError; too little memory MemoryError. Ctrl+C ends a call.
"""
from __future__ import annotations

import ctypes
import importlib
import os
import sys
import threading
import warnings
from typing import Any, Callable, Optional, Sequence, Tuple, Union

import numpy as np

try:
    from numpy.typing import ArrayLike, NDArray
except ImportError:  # before NumPy 1.21
    ArrayLike = NDArray = Any

__all__ = ["laplacian", "solve", "fill", "heal", "clone", "heights", "Poisson", "device_count", "__version__"]

Progress = Callable[[float], Any]


class _Array(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("across", ctypes.c_ssize_t), ("down", ctypes.c_ssize_t),
                ("plane", ctypes.c_ssize_t), ("stream", ctypes.c_void_p)]


class _Gradients(ctypes.Structure):
    _fields_ = [("source", _Array), ("width", ctypes.c_size_t), ("height", ctypes.c_size_t),
                ("x", ctypes.c_ssize_t), ("y", ctypes.c_ssize_t), ("rule", ctypes.c_char_p),
                ("white", ctypes.c_double), ("keep", ctypes.c_double)]


class _Pixels(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("type", ctypes.c_int), ("swapped", ctypes.c_int),
                *[(name, ctypes.c_size_t) for name in ("width", "height", "planes")],
                *[(name, ctypes.c_ssize_t) for name in ("across", "down", "plane")], ("stream", ctypes.c_void_p)]


_SHARE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_double)


class _Edit(ctypes.Structure):
    _fields_ = [*[(name, _Pixels) for name in ("picture", "mask", "source")],
                *[(name, ctypes.c_ssize_t) for name in ("x", "y")],
                *[(name, ctypes.c_char_p) for name in ("from_", "rule", "boundary")], ("value", ctypes.c_float),
                *[(name, ctypes.c_double) for name in ("keep", "white", "tolerance")],
                *[(name, ctypes.c_size_t) for name in ("grow", "threads")],
                *[(name, ctypes.c_int) for name in ("on_device", "device")], ("watch", _SHARE),
                ("user", ctypes.c_void_p)]


_WATCH = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_uint64)
_MISSED, _MEMORY, _STOPPED = 1, 71, 75
_SOLVER, _ARRAY = ctypes.c_void_p, ctypes.POINTER(_Array)
_FUNCTIONS = {
    "rec_poisson_create": [ctypes.POINTER(_SOLVER), *[ctypes.c_size_t] * 3, ctypes.c_char_p, ctypes.c_float,
                           ctypes.c_int],
    "rec_poisson_destroy": [_SOLVER],
    "rec_poisson_load": [_SOLVER, _ARRAY, _ARRAY],
    "rec_poisson_mask_at": [_SOLVER, ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_ssize_t],
    "rec_poisson_iterate": [_SOLVER, ctypes.c_uint64, ctypes.POINTER(ctypes.c_double)],
    "rec_poisson_solve": [_SOLVER, ctypes.c_double, ctypes.POINTER(ctypes.c_double)],
    "rec_poisson_read": [_SOLVER, _ARRAY],
    "rec_poisson_edges": [_SOLVER, _ARRAY, _ARRAY],
    "rec_poisson_guide": [_SOLVER, ctypes.POINTER(_Gradients), _ARRAY, _ARRAY],
    "rec_poisson_slopes": [_SOLVER, _ARRAY, _ARRAY],
    "rec_poisson_watch": [_SOLVER, _WATCH, ctypes.c_void_p],
    "rec_poisson_threads": [_SOLVER, ctypes.c_size_t],
    "rec_poisson_normals": [_SOLVER, ctypes.POINTER(_Pixels), ctypes.c_char_p, _ARRAY],
    "rec_edit_fill": [ctypes.POINTER(_Edit), ctypes.c_void_p],
    "rec_device_count": [],
}


def _load() -> ctypes.CDLL:
    """The library beside this file (of a wheel), the one that RECONSTRUCT_LIBRARY names, or the system's."""
    name = "libreconstruct.so.0"
    beside = os.path.join(os.path.dirname(__file__), name)
    library = ctypes.CDLL(os.environ.get("RECONSTRUCT_LIBRARY") or (beside if os.path.exists(beside) else name))
    for function, arguments in _FUNCTIONS.items():
        getattr(library, function).argtypes = arguments
    library.rec_poisson_destroy.restype = None
    library.rec_error_text.restype = library.rec_version_text.restype = ctypes.c_char_p
    return library


_library = _load()
__version__ = _library.rec_version_text().decode()


def device_count() -> int:
    """How many CUDA devices there are: 0 without a driver, and in a build without CUDA."""
    return _library.rec_device_count()


def _call(name: str, *arguments: Any) -> int:
    code = getattr(_library, name)(*arguments)
    if code in (0, _STOPPED):
        return code
    text = _library.rec_error_text().decode()
    if code == _MISSED:
        warnings.warn(text, RuntimeWarning, stacklevel=4)
        return code
    raise {64: ValueError, 65: ValueError, _MEMORY: MemoryError}.get(code, RuntimeError)(text)


# ---- arrays ----


def _on_device(array: Any) -> bool:
    return hasattr(array, "__cuda_array_interface__")


def _stream_of(array: Any) -> Optional[int]:
    stream = array.__cuda_array_interface__.get("stream")
    if stream is None and type(array).__module__.split(".")[0] == "torch":
        stream = importlib.import_module("torch").cuda.current_stream(array.device).cuda_stream
    return stream


def _view(array: Any) -> _Array:
    """An array of planes x height x width, float32: in the process's memory, or on a device."""
    if not _on_device(array):
        plane, down, across = (stride // 4 for stride in array.strides)
        return _Array(array.ctypes.data, across, down, plane)
    about = array.__cuda_array_interface__
    shape, strides = about["shape"], about.get("strides")
    if about["typestr"] not in ("<f4", "=f4"):
        raise ValueError("arrays on a device must be float32")
    plane, down, across = (s // 4 for s in strides) if strides else (shape[1] * shape[2], shape[2], 1)
    return _Array(about["data"][0], across, down, plane, _stream_of(array))


def _device_of(array: Any) -> int:
    """The number of the array's device, as PyTorch and CuPy have it."""
    numbers = (getattr(getattr(array, "device", None), name, None) for name in ("index", "id"))
    return next((number for number in numbers if isinstance(number, int)), 0)


def _in_rows(planes: Any) -> Any:
    """An array on a device, or a copy of it in which the samples of a row follow each other."""
    if _view(planes).across == 1:
        return planes
    return planes.contiguous() if hasattr(planes, "contiguous") else planes.copy()


def _planes(array: Any, channel_axis: int) -> Any:
    """The same samples as planes x height x width, without a copy."""
    if array.ndim == 2:
        return array[None]
    if array.ndim != 3:
        raise ValueError(f"an array of {array.ndim} dimensions: a picture is height x width, or height x width x channels")
    return array.permute(*_first(channel_axis)) if hasattr(array, "permute") else array.transpose(_first(channel_axis))


def _first(axis: int) -> Tuple[int, ...]:
    axis %= 3
    return (axis, *(i for i in range(3) if i != axis))


def _picture(values: ArrayLike, channel_axis: int, what: str = "the picture") -> NDArray:
    array = np.asarray(values)
    if array.dtype.kind not in "uif" or array.dtype.itemsize > 8:
        raise ValueError(f"{what} has samples of type {array.dtype}; they must be integers or floats")
    planes = _planes(array, channel_axis)
    if not planes.size:
        raise ValueError(f"{what} has no samples")
    return planes


def _floats(planes: NDArray) -> NDArray[np.float32]:
    # To the library a stride of 0 means that samples follow each other.
    usable = all(stride % 4 == 0 and (stride or count == 1) for stride, count in zip(planes.strides, planes.shape))
    return planes if planes.dtype == np.float32 and usable else planes.astype(np.float32)


def _as_given(found: NDArray, given: ArrayLike, channel_axis: int) -> NDArray:
    """Planes of numbers in the type and the order of axes of what was given."""
    about = np.asarray(given)
    if about.dtype.kind in "ui":
        limits = np.iinfo(about.dtype)
        found = np.clip(np.rint(found), limits.min, limits.max)
    found = found.astype(about.dtype, copy=False)
    return found[0] if about.ndim == 2 else np.moveaxis(found, 0, channel_axis)


def _mask(mask: ArrayLike, shape: Tuple[int, ...], what: str = "the mask") -> NDArray[np.uint8]:
    array = np.asarray(mask)
    if array.shape != tuple(shape):
        raise ValueError(f"{what} is {' x '.join(map(str, array.shape))}, and must be {' x '.join(map(str, shape))}")
    return (array != 0).view(np.uint8)


# ---- the solver ----


class Poisson:
    """A solver that keeps its memory and its plans from problem to problem.

    Parameters
    ----------
    shape : (height, width) or (height, width, channels)
    boundary : "halo" (`value` is around the picture), "mirror", "wrap" or "sawtooth"
    value : the halo; with "mirror" and "wrap", which leave the mean free, the mean of the exact picture
    device : the number of a CUDA device; None: the processor
    threads : of the processor; None: as many as there are processors

    Edges and pictures that its methods take and return are channels x height x width, or height x width.
    """

    _solvers: list = []  # of one that could not be made

    def __init__(self, shape: Sequence[int], boundary: str = "halo", value: float = 0,
                 device: Optional[int] = None, threads: Optional[int] = None) -> None:
        if len(shape) not in (2, 3) or min(shape) < 1:
            raise ValueError(f"a shape of {tuple(shape)}: it must be (height, width) or (height, width, channels)")
        height, width, channels = (*shape, 1)[:3]
        self.shape = (channels, height, width)
        self._solvers = []
        self._device = device
        self._raised: Optional[BaseException] = None
        self._progress: Optional[Progress] = None
        self._watch = _WATCH(self._watched)
        self._at_once = 3 if channels == 3 else 1
        for _ in range(0, channels, self._at_once):
            solver = _SOLVER()
            _call("rec_poisson_create", ctypes.byref(solver), width, height, self._at_once, boundary.encode(), value,
                  -1 if device is None else device)
            self._solvers.append(solver)
            _call("rec_poisson_watch", solver, self._watch, None)
            _call("rec_poisson_threads", solver, threads or 0)

    def close(self) -> None:
        """Frees the memory; the solver cannot be used any more."""
        while self._solvers:
            _library.rec_poisson_destroy(self._solvers.pop())

    def __enter__(self) -> "Poisson":
        return self

    def __exit__(self, *about: Any) -> None:
        self.close()

    __del__ = close

    def _watched(self, _user: Any, done: int) -> int:
        try:
            if self._progress:
                self._progress(done)
        except BaseException as raised:  # pylint: disable=broad-except
            self._raised = raised
        return self._raised is not None

    def _unraisable(self, about: Any, usual: Callable) -> None:
        """Ctrl+C may come when `_watched` has not begun its `try`."""
        if isinstance(about.exc_value, KeyboardInterrupt):
            self._raised = about.exc_value
        else:
            usual(about)

    def _each(self, name: str, *arguments: Any, progress: Optional[Progress] = None) -> None:
        """Calls a function for each group of planes; an array among the arguments is cut into them."""
        self._progress, self._raised = progress, None
        if not self._solvers:
            raise ValueError("the solver is closed")
        if self._device is None and any(map(_on_device, arguments)):
            raise ValueError("arrays on a device need a solver on that device: device=")
        for i, solver in enumerate(self._solvers):
            part = slice(i * self._at_once, (i + 1) * self._at_once)
            own = [ctypes.byref(_view(a[part])) if hasattr(a, "ndim") else a for a in arguments]
            usual = sys.unraisablehook
            if threading.current_thread() is threading.main_thread():  # which gets the signals
                sys.unraisablehook = lambda about: self._unraisable(about, usual)
            try:
                code = _call(name, solver, *own)
            finally:
                sys.unraisablehook = usual
            if code == _STOPPED or self._raised:
                raise self._raised or KeyboardInterrupt

    def _shaped(self, array: Any, what: str) -> Any:
        planes = array if array.ndim == 3 else array[None]
        if tuple(planes.shape) != self.shape:
            raise ValueError(f"{what} are {' x '.join(map(str, planes.shape))}, and must be "
                             f"{' x '.join(map(str, self.shape))}")
        return planes

    def _checked(self, array: Any, what: str) -> Any:
        planes = self._shaped(array, what)
        return planes if _on_device(planes) else _floats(planes)

    def mask(self, mask: Optional[ArrayLike]) -> None:
        """Sets the unknown pixels: those that are not 0; None: all. Call `load` after it."""
        unknown = None if mask is None else _mask(mask, self.shape[1:])
        self._each("rec_poisson_mask_at", unknown.ctypes.data if unknown is not None else None,
                   *(unknown.strides[::-1] if unknown is not None else (0, 0)))

    def load(self, edges: Any, start: Any = None) -> None:
        """Copies the edges, and the picture to start from, which has the known pixels; None: the edges."""
        edges = self._checked(edges, "the edges")
        start = None if start is None else self._checked(start, "the samples to start from")
        self._each("rec_poisson_load", edges, start)
        self._loaded = edges, start  # memory of a device is read later

    def iterate(self, n: int, progress: Optional[Progress] = None) -> None:
        """Iterates n times more; `progress` is called with the iterations done, and may raise."""
        if n != int(n) or not 0 <= n < 2 ** 63:
            raise ValueError(f"{n} iterations: a whole number of at least 0")
        self._each("rec_poisson_iterate", int(n), None, progress=progress)

    def solve(self, tolerance: float = 0, progress: Optional[Progress] = None) -> None:
        """Computes the exact picture; with a mask until each pixel is that near, by estimate (0: usual)."""
        self._each("rec_poisson_solve", tolerance, None, progress=progress)

    def read(self, out: Any = None) -> Any:
        """The picture of the last `iterate` or `solve`, in `out` or a new array, float32."""
        out = np.empty(self.shape, np.float32) if out is None else out
        planes = self._shaped(out, "the result's samples")
        if not _on_device(planes) and not (planes.flags.writeable and _floats(planes) is planes):
            raise ValueError("the result needs an array of float32 that can be written")
        self._each("rec_poisson_read", planes)
        return out

    def laplacian(self, picture: Any) -> NDArray[np.float32]:
        """Computes the edges of a picture."""
        edges = np.empty(self.shape, np.float32)
        self._each("rec_poisson_edges", self._checked(np.asarray(picture), "the picture's samples"), edges)
        return edges

    def guide(self, source: Optional[NDArray[np.float32]], target: NDArray[np.float32], at: Tuple[int, int] = (0, 0),
              gradient: str = "source", keep: float = 0, white: float = 0) -> NDArray[np.float32]:
        """Computes the edges of a picture with the source's gradients, whose top left pixel is at (x, y).

        Without a source: those of the places of the target that fit best around the parts of the mask. keep, white:
        as in rec_gradients_of in reconstruct.h.
        """
        if not self._solvers:
            raise ValueError("the solver is closed")
        target = self._checked(target, "the target's samples")
        source = None if source is None else _floats(source if source.ndim == 3 else source[None])
        if source is not None and source.shape[0] != self.shape[0]:
            raise ValueError(f"the source has {source.shape[0]} channels, the target {self.shape[0]}")
        if source is None and len(self._solvers) > 1:
            raise ValueError("a search for a source takes pictures of 1 or 3 channels")
        edges = np.empty(self.shape, np.float32)
        for i, solver in enumerate(self._solvers):
            part = slice(i * self._at_once, (i + 1) * self._at_once)
            from_ = _Gradients(_Array() if source is None else _view(source[part]),
                               *(0, 0) if source is None else source.shape[:0:-1], *at, gradient.encode(), white, keep)
            _call("rec_poisson_guide", solver, ctypes.byref(from_), ctypes.byref(_view(target[part])),
                  ctypes.byref(_view(edges[part])))
        return edges


# ---- functions of arrays ----


def laplacian(picture: ArrayLike, boundary: str = "halo", value: float = 0, *, channel_axis: int = -1) -> NDArray:
    """Computes the edges of a picture.

    Parameters
    ----------
    picture : height x width, or with channels
    boundary : "halo", "mirror", "wrap" or "sawtooth": what is around the picture
    value : the halo, in units of the samples
    channel_axis : which axis of three has the channels

    Returns
    -------
    float32 array of the picture's shape; `solve` with the same boundary turns it back into the picture.
    """
    planes = _picture(picture, channel_axis)
    with Poisson((*planes.shape[1:], planes.shape[0]), boundary, value) as solver:
        return _as_given(solver.laplacian(_floats(planes)), np.empty(np.shape(picture), np.float32), channel_axis)


def solve(edges: Any, boundary: str = "halo", value: float = 0, iterations: Optional[int] = None,
          mask: Optional[ArrayLike] = None, onto: Optional[ArrayLike] = None, device: Optional[int] = None, *,
          out: Any = None, channel_axis: int = -1, progress: Optional[Progress] = None) -> Any:
    """Computes the picture that has these edges.

    Parameters
    ----------
    edges : height x width, or with channels; float32 on a device too (CuPy, PyTorch), on its stream
    boundary, value : as for `laplacian`. "mirror" and "wrap" leave the mean free: it becomes `value`
    iterations : so many of Jacobi's iterations, with the same bits on every machine; None: exactly
    mask : height x width, in ordinary memory; only pixels that are not 0 are unknown, all others are those of `onto`
    onto : the picture around the mask; iterations begin with it
    device : the number of a CUDA device; None: the processor, or the device of `edges`
    out : where the result goes, for arrays on a device; None: a new array of the same kind
    progress : called with the number of iterations done; what it raises ends the call

    Returns
    -------
    The picture, of the type of the edges if they are floats, else float32.
    """
    if mask is not None and onto is None:
        raise ValueError("a mask needs the picture around it: onto=")
    if _on_device(edges):
        planes = _in_rows(_planes(edges, channel_axis))
        start = None if onto is None else _in_rows(_planes(onto, channel_axis)) if _on_device(onto) \
            else _picture(onto, channel_axis)
        with Poisson((*planes.shape[1:], planes.shape[0]), boundary, value,
                     _device_of(edges) if device is None else device) as solver:
            if mask is not None:
                solver.mask(mask)
            solver.load(planes, start)
            solver.solve(progress=progress) if iterations is None else solver.iterate(iterations, progress)
            if out is None:
                out = importlib.import_module(type(edges).__module__.split(".")[0]).empty_like(edges)
            into = _planes(out, channel_axis)
            rows = solver.read(_in_rows(into))
            if rows is not into:
                into[...] = rows
        return out
    planes = _picture(edges, channel_axis, "the edges")
    start = None if onto is None else _picture(onto, channel_axis, "the picture around the mask")
    if start is not None and start.shape != planes.shape:
        raise ValueError(f"onto is {start.shape[2]} x {start.shape[1]}, the edges are {planes.shape[2]} x {planes.shape[1]}")
    with Poisson((*planes.shape[1:], planes.shape[0]), boundary, value, device) as solver:
        if mask is not None:
            solver.mask(mask)
        solver.load(_floats(planes), None if start is None else _floats(start))
        solver.solve(progress=progress) if iterations is None else solver.iterate(iterations, progress)
        found = solver.read()
    if mask is not None:
        found = np.where(_mask(mask, planes.shape[1:]), found, start)
    kind = planes.dtype if planes.dtype.kind == "f" else np.float32
    return _as_given(found, np.empty(np.shape(edges), kind), channel_axis)


_TYPES = ("u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f4", "f8")


def _pixels(planes: Any) -> _Pixels:
    """Planes x height x width of any type, in the process's memory or on a device."""
    if _on_device(planes):
        view = _view(planes)
        return _Pixels(view.data, _TYPES.index("f4"), 0, *planes.shape[::-1], 4 * view.across, 4 * view.down,
                       4 * view.plane, view.stream)
    plane, down, across = planes.strides
    return _Pixels(planes.ctypes.data, _TYPES.index(planes.dtype.str[1:]), not planes.dtype.isnative,
                   *planes.shape[::-1], across, down, plane)


def _as_library_has_it(planes: NDArray) -> NDArray:
    """Samples of a type that the library has, with strides that it takes for what they are."""
    known = planes.dtype.str[1:] in _TYPES and all(stride or count == 1
                                                   for stride, count in zip(planes.strides, planes.shape))
    kind = planes.dtype if planes.dtype.str[1:] in _TYPES else np.float32 if planes.dtype.itemsize < 4 else np.float64
    return planes if known else planes.astype(kind)


def _edited(picture: ArrayLike, mask: Optional[NDArray], source: Optional[NDArray], device: Optional[int],
            channel_axis: int, progress: Optional[Progress], **options: Any) -> NDArray:
    """A copy of the picture, filled by the library; known samples keep their bits."""
    result = np.array(picture)
    planes = _picture(result, channel_axis)
    into = _as_library_has_it(planes)
    others = [array if array is None else _as_library_has_it(array) for array in (mask, source)]
    if not (into is planes or np.shares_memory(into, planes)):
        into = into.copy()
    raised: list = []

    def watched(_user: Any, share: float) -> int:
        try:
            if progress:
                progress(share)
        except BaseException as error:  # pylint: disable=broad-except
            raised.append(error)
        return bool(raised)

    edit = _Edit(picture=_pixels(into), on_device=device is not None, device=device or 0, watch=_SHARE(watched),
                 **{name: _pixels(array) for name, array in zip(("mask", "source"), others) if array is not None},
                 **{name: value.encode() if isinstance(value, str) else value for name, value in options.items()})
    code = _call("rec_edit_fill", ctypes.byref(edit), None)
    if code == _STOPPED or raised:
        raise raised[0] if raised else KeyboardInterrupt
    if into is not planes and not np.shares_memory(into, planes):
        planes[...] = into
    return result


def fill(picture: ArrayLike, mask: Optional[ArrayLike] = None, *, boundary: str = "mirror",
         device: Optional[int] = None, channel_axis: int = -1, progress: Optional[Progress] = None) -> NDArray:
    """The smoothest picture through the known pixels: Laplace's equation where pixels are unknown.

    Parameters
    ----------
    picture : height x width, or with channels
    mask : height x width, not 0 where pixels are unknown; None: where a sample is not finite, or masked (numpy.ma)

    Returns
    -------
    A copy in which the unknown pixels alone differ.
    """
    return heal(picture, mask, boundary=boundary, device=device, channel_axis=channel_axis, progress=progress)


def heal(picture: ArrayLike, mask: Optional[ArrayLike], source: Union[None, str, Tuple[int, int]] = None, *,
         keep: float = 0, boundary: str = "mirror", device: Optional[int] = None, channel_axis: int = -1,
         progress: Optional[Progress] = None) -> NDArray:
    """Removes what the mask covers.

    Parameters
    ----------
    picture : height x width, or with channels
    mask : height x width, not 0 where pixels are removed
    source : None: the smoothest fill; (dx, dy): the texture that lies so many pixels to the right and below; "auto":
        for each part of the mask the place that fits best, or none where it is smooth there
    keep : the picture's difference from the source decays over so many pixels; 0: it does not

    Returns
    -------
    A copy in which only the pixels of the mask differ.
    """
    planes = _picture(picture, channel_axis)
    if isinstance(source, str) and source != "auto":
        raise ValueError(f"source is '{source}'; it is None, (dx, dy) or \"auto\"")
    if mask is None and np.ma.isMaskedArray(picture):
        mask = (~np.isfinite(planes) | _planes(np.ma.getmaskarray(picture), channel_axis)).any(axis=0)
    unknown = None if mask is None else _mask(mask, planes.shape[1:])
    from_, place = ("none", (0, 0)) if source is None else ("auto", (0, 0)) if source == "auto" else ("place", source)
    if from_ == "place" and unknown is not None:
        for moved, covered in zip(place, (unknown.any(0), unknown.any(1))):
            places = np.flatnonzero(covered) + moved
            if places.size and (places[0] >= covered.size or places[-1] < 0):
                raise ValueError(f"source {place[0], place[1]} puts the whole source outside the picture")
    return _edited(picture, None if unknown is None else unknown[None], None, device, channel_axis, progress,
                   from_=from_, x=place[0], y=place[1], keep=keep if source is not None else 0, boundary=boundary)


def clone(source: ArrayLike, target: ArrayLike, mask: Optional[ArrayLike] = None, at: Tuple[int, int] = (0, 0),
          gradient: str = "source", keep: float = 0, *, boundary: str = "mirror", device: Optional[int] = None,
          channel_axis: int = -1, progress: Optional[Progress] = None) -> NDArray:
    """Pastes the source into the target without a seam.

    Parameters
    ----------
    source, target : height x width, or with channels, as many in both
    mask : of the source's shape, not 0 where it is pasted; None: all of it
    at : (x, y) of the source's top left pixel in the target, also beyond its sides
    gradient : "source"; "mixed": the larger of both; "average"; "monochrome": of the source's luminance
    keep : the picture's difference from the source decays over so many pixels: colours stay; 0: it does not

    Returns
    -------
    A copy of the target in which only the pixels of the mask differ.
    """
    planes = _picture(source, channel_axis, "the source")
    into = _picture(target, channel_axis, "the target")
    if planes.shape[0] != into.shape[0]:
        raise ValueError(f"the source has {planes.shape[0]} channels, the target {into.shape[0]}")
    pasted = None if mask is None else _mask(mask, planes.shape[1:])[None]
    return _edited(target, pasted, planes, device, channel_axis, progress, x=at[0], y=at[1], rule=gradient, keep=keep,
                   boundary=boundary)


def heights(normals: ArrayLike, *, green: str = "auto", boundary: str = "mirror", device: Optional[int] = None,
            progress: Optional[Progress] = None) -> NDArray[np.float32]:
    """Computes the height field that has these normals.

    Parameters
    ----------
    normals : height x width x 3: x to the right, y, z towards the viewer. Floats are numbers of -1 to 1, integers
        a normal map's; where z is never above 0 it is computed from the others
    green : "up" (OpenGL) or "down" (DirectX): where positive y points; "auto": the one whose slopes are more nearly
        those of a surface

    Returns
    -------
    float32, height x width, in pixels, with mean 0.
    """
    given = np.asarray(normals)
    if given.ndim != 3 or given.shape[2] < 3:
        raise ValueError("normals are an array of height x width x 3")
    planes = _as_library_has_it(_picture(given[..., :3], -1, "the normal map"))
    with Poisson(given.shape[:2], boundary, 0, device) as solver:
        edges = np.empty((1, *given.shape[:2]), np.float32)
        _call("rec_poisson_normals", solver._solvers[0], ctypes.byref(_pixels(planes)), green.encode(),
              ctypes.byref(_view(edges)))
        solver.load(edges)
        solver.solve(progress=progress)
        return solver.read()[0]
