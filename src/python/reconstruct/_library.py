"""libreconstruct by ctypes: its structures and functions as reconstruct.h has them, and how they are called."""
from __future__ import annotations

import ctypes
import importlib.util
import os
import sys
import threading
import warnings
from typing import Any, Callable, Dict, List, Optional

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
_FUNCTIONS: Dict[str, List[Any]] = {
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
    "rec_poisson_watch": [_SOLVER, _WATCH, ctypes.c_void_p],
    "rec_poisson_threads": [_SOLVER, ctypes.c_size_t],
    "rec_poisson_normals": [_SOLVER, ctypes.POINTER(_Pixels), ctypes.c_char_p, _ARRAY],
    "rec_edit_fill": [ctypes.POINTER(_Edit), ctypes.c_void_p],
    "rec_device_count": [],
}


def _load() -> ctypes.CDLL:
    """That which RECONSTRUCT_LIBRARY names, reconstruct_fftw's, the one beside this file, or the system's."""
    name = "libreconstruct.so.0"
    extra = importlib.util.find_spec("reconstruct_fftw")
    folders = [*(extra.submodule_search_locations or () if extra else ()), os.path.dirname(__file__)]
    found = (path for path in (os.path.join(folder, name) for folder in folders) if os.path.exists(path))
    library = ctypes.CDLL(os.environ.get("RECONSTRUCT_LIBRARY") or next(found, name))
    for function, arguments in _FUNCTIONS.items():
        getattr(library, function).argtypes = arguments
    library.rec_poisson_destroy.restype = None
    library.rec_error_text.restype = library.rec_version_text.restype = ctypes.c_char_p
    return library


_library = _load()


def _call(name: str, *arguments: Any) -> int:
    code = int(getattr(_library, name)(*arguments))
    if code in (0, _STOPPED):
        return code
    text = _library.rec_error_text().decode()
    if code == _MISSED:
        level = 2
        while sys._getframe(level - 1).f_globals.get("__name__", "").partition(".")[0] == "reconstruct":
            level += 1
        warnings.warn(text, RuntimeWarning, stacklevel=level)
        return code
    raise {64: ValueError, 65: ValueError, _MEMORY: MemoryError}.get(code, RuntimeError)(text)


def _watched(kind: Any, call: Callable[[Any], int], progress: Optional[Callable[[float], Any]], most: float = 1) -> None:
    """Calls with a function of `kind` that tells `progress` the share of `most`, and raises what that raised.

    Also what the handler of a signal raised there, if need be before the first line of `watch`.
    """
    raised: List[BaseException] = []

    def watch(_user: Any, done: float) -> int:
        try:
            if progress and not raised:
                progress(done / most)
        except BaseException as error:  # pylint: disable=broad-except
            raised.append(error)
        return bool(raised)

    def unraisable(about: Any) -> None:
        if "ctypes callback" in (about.err_msg or "") and about.exc_value is not None:
            raised.append(about.exc_value)
        else:
            usual(about)

    usual = sys.unraisablehook
    if threading.current_thread() is threading.main_thread():  # which gets the signals
        sys.unraisablehook = unraisable
    try:
        code = call(kind(watch))
    finally:
        sys.unraisablehook = usual
    if code == _STOPPED or raised:
        try:
            raise raised[0] if raised else KeyboardInterrupt
        finally:
            raised.clear()  # else it would refer to itself
    if progress:
        progress(1.0)
