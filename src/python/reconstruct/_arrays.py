"""What callers pass: words and numbers, arrays in memory and on a device, and which of their axes are a picture's."""
from __future__ import annotations

import importlib
import operator
from typing import TYPE_CHECKING, Any, Optional, Sequence, Tuple, Union

import numpy as np

from ._library import _Array, _Pixels

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

Axis = Union[int, str]
Axes = Tuple[Axis, Axis]

# ---- arguments in the caller's terms ----


def _word(value: Any, name: str) -> bytes:
    if not isinstance(value, str):
        raise ValueError(f"{name} is {value!r}; it must be a word such as {'source' if name == 'gradient' else 'mirror'!r}")
    return value.encode()


def _number(value: Any, name: str, what: str, least: int = 0) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        number = least - 1
    if number < least:
        raise ValueError(f"{name} is {value!r}; it must be {what}")
    return number


def _device(device: Optional[int]) -> Optional[int]:
    return None if device is None else _number(device, "device", "the number of a CUDA device, or None: the processor")


def _threads(threads: Optional[int]) -> int:
    return 0 if threads is None else _number(threads, "threads", "at least 1, or None", 1)


def _pair(value: Any, name: str) -> Tuple[int, int]:
    try:
        x, y = map(operator.index, value)
    except (TypeError, ValueError):
        raise ValueError(f"{name} is {value!r}; it must be two whole numbers, to the right and down") from None
    return x, y


# ---- arrays ----


def _on_device(array: Any) -> bool:
    if getattr(array, "requires_grad", False) is True:
        raise ValueError("no gradients pass through here: give tensor.detach()")
    return hasattr(array, "__cuda_array_interface__")


def _on_host(array: Any) -> Any:
    if not _on_device(array):
        return array
    return array.get() if hasattr(array, "get") else array.cpu()


def _stream_of(array: Any) -> Optional[int]:
    stream = array.__cuda_array_interface__.get("stream")
    if stream is None and type(array).__module__.split(".")[0] == "torch":
        stream = importlib.import_module("torch").cuda.current_stream(array.device).cuda_stream
    return None if stream is None else int(stream)


def _view(array: Any) -> _Array:
    """An array of planes x height x width, float32: in the process's memory, or on a device."""
    if not _on_device(array):
        plane, down, across = (stride // 4 for stride in array.strides)
        return _Array(array.ctypes.data, across, down, plane)
    about = array.__cuda_array_interface__
    shape, strides = about["shape"], about.get("strides")
    if about["typestr"] not in ("<f4", "=f4"):
        raise ValueError(f"arrays on a device must be float32, and this has {about['typestr']}: convert it")
    plane, down, across = (s // 4 for s in strides) if strides else (shape[1] * shape[2], shape[2], 1)
    return _Array(about["data"][0], across, down, plane, _stream_of(array))


def _address(array: Any) -> int:
    return int(array.__cuda_array_interface__["data"][0])


def _device_of(array: Any) -> int:
    """The number of the array's device, as PyTorch and CuPy have it."""
    numbers = (getattr(getattr(array, "device", None), name, None) for name in ("index", "id"))
    return next((number for number in numbers if isinstance(number, int)), 0)


def _in_rows(planes: Any) -> Any:
    """An array, or a copy of one on a device in which the samples of a row follow each other."""
    if not _on_device(planes) or _view(planes).across == 1:
        return planes
    return planes.contiguous() if hasattr(planes, "contiguous") else planes.copy()


def _is_labelled(values: Any) -> bool:
    return hasattr(values, "dims") and hasattr(values, "coords") and hasattr(values, "data")


def _turned(array: Any, order: Sequence[int]) -> Any:
    return array.permute(*order) if hasattr(array, "permute") else array.transpose(order)


class _Picture:
    """An array of the caller's, and which of its axes are height and width.

    colours: of three axes the last one has the channels if it has 3 or 4. planes: the samples, without a copy if that
    can be, as planes x height x width.
    """

    def __init__(self, values: Any, axes: Optional[Axes], channel_axis: Optional[Axis], what: str = "the picture",
                 colours: bool = False) -> None:
        self.values, self.what = values, what
        data = values.data if _is_labelled(values) else values
        self.on_device = _on_device(data)
        self.array: Any = data if self.on_device else np.asarray(data)
        count = self.array.ndim
        if not self.on_device and (self.array.dtype.kind not in "uif" or self.array.dtype.itemsize > 8):
            raise ValueError(f"{what} has samples of type {self.array.dtype}; they must be integers or floats")
        if colours and channel_axis is None and count == 3 and self.array.shape[-1] in (3, 4):
            channel_axis = -1
        if count < 2 or (count > 2 and axes is None and (channel_axis is None or count > 3)):
            axes_too = "" if colours else "axes= which two are height and width (others count pictures), or "
            raise ValueError(f"{what} has {count} dimensions: say by {axes_too}channel_axis= which of three has the "
                             "channels" if count > 2 else f"{what} has {count} dimensions, not height and width")
        if axes is not None and (isinstance(axes, str) or not hasattr(axes, "__len__") or len(axes) != 2):
            raise ValueError(f"axes is {axes!r}; it must be two axes, height and width")
        at = [self._axis(axis) for axis in axes] if axes is not None else \
            [i for i in range(count) if count == 2 or channel_axis is None or i != self._axis(channel_axis)]
        if at[0] == at[1]:
            raise ValueError(f"axes is {axes!r}: height and width are two axes")
        self.order = [*(i for i in range(count) if i not in at), *at]
        if 0 in self.array.shape:
            raise ValueError(f"{what} has no samples")
        self.planes = self.flat(self.array)

    def _axis(self, axis: Axis) -> int:
        names, count = tuple(getattr(self.values, "dims", ())), self.array.ndim
        if isinstance(axis, str) and axis in names:
            return int(names.index(axis))
        if isinstance(axis, str) or not -count <= operator.index(axis) < count:
            raise ValueError(f"{self.what} has no axis {axis!r}: it has {names or count}")
        return int(operator.index(axis) % count)

    def flat(self, array: Any) -> Any:
        turned = _turned(array, self.order)
        return turned.reshape(-1, *turned.shape[-2:])

    def mask(self, mask: ArrayLike) -> NDArray[np.uint8]:
        """Of one plane, or of as many as the picture."""
        array = np.asarray(_on_host(mask.data if _is_labelled(mask) else mask))  # type: ignore[union-attr]
        if array.shape == tuple(self.array.shape) and array.ndim > 2:
            planes = self.flat(array)
            return _mask(planes, planes.shape)
        return _mask(array, self.planes.shape[1:])[None]

    def copy(self) -> Any:
        """One that the library may write, and its planes."""
        if not self.on_device:
            return np.array(self.array)
        turned = _turned(self.array, self.order)
        copied = turned.contiguous().clone() if hasattr(turned, "clone") else turned.copy()
        return _turned(copied, [self.order.index(i) for i in range(self.array.ndim)])

    def wrapped(self, found: Any, left: Optional[NDArray[Any]] = None) -> Any:
        """In what the values came in; left: what is masked still."""
        if _is_labelled(self.values):
            return self.values.copy(data=found)
        if np.ma.isMaskedArray(self.values):
            return np.ma.array(found, mask=np.ma.nomask if left is None else left, fill_value=self.values.fill_value)
        return found


def _cast(array: Any, kind: Any) -> Any:
    with np.errstate(all="ignore"):
        return array.astype(kind)


def _floats(planes: Any) -> Any:
    # To the library a stride of 0 means that samples follow each other.
    usable = all(stride % 4 == 0 and (stride or count == 1) for stride, count in zip(planes.strides, planes.shape))
    return planes if planes.dtype == np.float32 and usable else _cast(planes, np.float32)


def _mask(mask: ArrayLike, shape: Tuple[int, ...]) -> NDArray[np.uint8]:
    array = np.asarray(mask)
    if array.shape != tuple(shape):
        raise ValueError(f"the mask is {' x '.join(map(str, array.shape))}, and must be {' x '.join(map(str, shape))}")
    unknown: NDArray[np.uint8] = np.not_equal(array, 0).view(np.uint8)
    return unknown


def _host_only(values: Any) -> Any:
    if _on_device(values.data if _is_labelled(values) else values):
        raise ValueError("this function takes arrays in ordinary memory")
    return values


def _empty(of: _Picture, kind: Any) -> Tuple[Any, Any]:
    """A new array as the picture is, and its planes."""
    made = np.empty(of.array.shape, kind)
    return made, of.flat(made)


def _settled(of: _Picture, array: Any, planes: Any) -> Any:
    """The array with the samples of its planes, which may be a copy."""
    if not (_address(array) == _address(planes) if of.on_device else np.shares_memory(array, planes)):
        turned = _turned(array, of.order)
        turned[...] = planes.reshape(turned.shape)
    return array


_TYPES = ("u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f4", "f8")


def _pixels(planes: Any) -> _Pixels:
    """Planes x height x width of any type, in the process's memory or on a device."""
    if _on_device(planes):
        view = _view(planes)
        return _Pixels(view.data, _TYPES.index("f4"), 0, *tuple(planes.shape)[::-1], 4 * view.across, 4 * view.down,
                       4 * view.plane, view.stream)
    plane, down, across = planes.strides
    return _Pixels(planes.ctypes.data, _TYPES.index(planes.dtype.str[1:]), not planes.dtype.isnative,
                   *planes.shape[::-1], across, down, plane)


def _as_library_has_it(planes: Any) -> Any:
    """Samples of a type that the library has, with strides that it takes for what they are."""
    if _on_device(planes):
        return _in_rows(planes)
    known = planes.dtype.str[1:] in _TYPES
    usual = all(stride or count == 1 for stride, count in zip(planes.strides, planes.shape))
    kind = planes.dtype if known else np.float32 if planes.dtype.itemsize < 4 else np.float64
    return planes if known and usual else _cast(planes, kind)
