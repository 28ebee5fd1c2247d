"""Arguments of kernels from files and short texts, random arguments, and results as files."""

from __future__ import annotations

import io
import json
import math
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hlsl_tool.base.system.regular_files import read_regular
from hlsl_tool.gpu.encodings import Array, channels_of, element_shape, natural_type
from hlsl_tool.gpu.errors import wrong_argument
from hlsl_tool.gpu.kernel import Kernel
from hlsl_tool.gpu.signature import Parameter
from hlsl_tool.reflection.host import unpack

from .png import PngError, read_png, write_png

SUFFIXES = (".npy", ".png", ".bin")
MOST_BYTES = 1 << 36
"""The size of generated arrays above which there is no use in asking for memory."""
DEFAULT_SIDE = 64
"""The width and height of random textures."""


def argument(kernel: Kernel, name: str, text: str) -> Any:
    """Return the argument that a text describes.

    It is a file (``.npy``, ``.png``, or ``.bin`` with plain bytes), ``random:SHAPE`` or ``zeros:SHAPE`` such as
    ``zeros:256x4``, or numbers in JSON.  Raises ``ArgumentError``.
    """
    parameter = parameter_of(kernel, name)
    kind, colon, shape = text.partition(":")
    if colon and kind in ("random", "zeros") and parameter is not None:
        sides = shape.split("x")
        if not all(side.isdecimal() for side in sides):
            raise wrong_argument(name, f"has no shape: `{text}`", f"{kind}:64, or {kind}:64x4")
        random = np.random.default_rng(0) if kind == "random" else None
        return filled(kernel, parameter, tuple(int(side) for side in sides), random)
    if text.endswith(SUFFIXES):
        return _read(name, text, parameter)
    try:
        value = json.loads(text)
    except ValueError:
        hint = f"A file ({', '.join(SUFFIXES)}), random:64x4, zeros:64, or numbers such as 1.5 or [1, 2, 3]"
        raise wrong_argument(name, f"cannot be read from `{text}`", hint) from None
    if parameter is None or not parameter.is_positional:
        return value
    number = natural_type(parameter)
    try:
        return np.array(value, number)
    except (ValueError, TypeError, OverflowError):
        what = f"array of {number}" if number else "array"
        raise wrong_argument(
            name, f"`{text}` is no {what}", "[1, 2, 3], or rows of one length: [[1, 2], [3, 4]]"
        ) from None


def parameter_of(kernel: Kernel, name: str) -> Parameter | None:
    """Return the parameter with this name; ``None`` for members of blocks and specialisation constants."""
    return next((parameter for parameter in kernel.parameters if parameter.name == name), None)


def _read(name: str, path: str, parameter: Parameter | None) -> Array:
    try:
        data = read_regular(path)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise wrong_argument(name, f"cannot be read from `{path}`: {reason}") from None
    if path.endswith(".png"):
        try:
            pixels = read_png(data)
        except PngError as error:
            raise wrong_argument(name, f"`{path}` {error}") from None
        return _texture(pixels, parameter)
    if path.endswith(".bin"):
        number = (natural_type(parameter) if parameter is not None else None) or "uint32"
        size = np.dtype(number).itemsize
        if len(data) % size:
            raise wrong_argument(name, f"needs a multiple of {size} bytes, and `{path}` has {len(data)}")
        return np.frombuffer(data, number).copy()
    try:
        array: Array = np.load(io.BytesIO(data), allow_pickle=False)
    except (ValueError, EOFError) as error:
        reason = "it is no array of numbers" if "pickle" in str(error) else str(error)
        raise wrong_argument(name, f"cannot be read from `{path}`: {reason}") from None
    return array


def _texture(pixels: Array, parameter: Parameter | None) -> Array:
    """Return pixels with the channels of a texture; missing ones are 0, alpha is opaque."""
    if parameter is None:
        return pixels
    count = max(channels_of(parameter), 1)
    wanted = count if count != 3 else 4
    if pixels.shape[2] == 1:
        pixels = np.repeat(pixels, min(wanted, 3), axis=2)
    if pixels.shape[2] < wanted:
        alpha = np.full((*pixels.shape[:2], wanted - pixels.shape[2]), np.iinfo(pixels.dtype).max, pixels.dtype)
        pixels = np.concatenate([pixels, alpha], axis=2)
    return np.ascontiguousarray(pixels[..., :wanted])


def numbers_of(value: Any, folder: str = "") -> Array:
    """Return an array of numbers: a file (``.npy``), or lists.  Raises ``ValueError`` with the problem."""
    try:
        if isinstance(value, str):
            array = np.load(io.BytesIO(read_regular(os.path.join(folder, value))), allow_pickle=False)
        else:
            array = np.array(value)
    except OSError as error:
        raise ValueError(f"cannot read `{value}`: {error.strerror or error}") from None
    except (ValueError, EOFError):
        problem = f"`{value}` is no array of numbers (.npy)" if isinstance(value, str) else "the rows differ in length"
        raise ValueError(problem) from None
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "iuf":
        raise ValueError("the elements are no numbers")
    return array


def rows(value: Any, count: int, folder: str = "") -> Array:
    """Return an array of numbers with a row for each of some vertices.  Raises ``ValueError`` with the problem."""
    array = numbers_of(value, folder)
    if not array.ndim or array.shape[0] != count or not array.size:
        raise ValueError(f"has to have a row of numbers for each of {count} vertices")
    return array


def indices_of(value: Any, count: int, folder: str = "") -> Array:
    """Return the numbers of some of ``count`` vertices.  Raises ``ValueError`` with the problem."""
    array = numbers_of(value, folder)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise ValueError("has to be a list of whole numbers")
    if array.size and not 0 <= int(array.min()) <= int(array.max()) < count:
        raise ValueError(f"an index is outside of the {count} vertices")
    return array.astype(np.int64)


def arguments_of(
    kernels: Sequence[Kernel], given: Mapping[str, Any], elements: int, seed: int | None
) -> dict[str, Any]:
    """Return the arguments of kernels that run together: the given ones, whose texts are read, and missing ones.

    Raises ``ArgumentError``.
    """
    out: dict[str, Any] = {}
    for name, value in given.items():
        kernel = next((kernel for kernel in kernels if parameter_of(kernel, name) is not None), kernels[-1])
        out[name] = argument(kernel, name, value) if isinstance(value, str) else value
    for kernel in reversed(kernels):
        out.update(missing(kernel, out, elements, seed))
    return out


# ----------------------------------------------------------------------------------------------- generated arguments


def missing(kernel: Kernel, given: Mapping[str, Any], elements: int, seed: int | None) -> dict[str, Any]:
    """Return arguments for the parameters that have none.

    Arrays that the kernel writes or does not use are zeros; the others, and constants, are random numbers if there is a
    seed, else they are left out.  Buffers have ``elements`` elements, textures 64 texels in each direction.
    """
    out: dict[str, Any] = {}
    used = {(use.set, use.binding) for use in kernel.code.reflection.entry_points[0].resources}
    for parameter in kernel.parameters:
        if parameter.is_constant and seed is not None and not parameter.is_array:
            out.update(_constants(kernel, parameter, given, seed))
        if parameter.name in given or not parameter.is_positional or parameter.is_array:
            continue
        is_used = parameter.place in used
        if parameter.written or seed is not None or not is_used:
            random = None
            if not parameter.written and is_used:
                random = np.random.default_rng([seed or 0, *parameter.name.encode()])
            out[parameter.name] = filled(kernel, parameter, _shape(parameter, elements), random)
    return out


def _constants(kernel: Kernel, parameter: Parameter, given: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """Return random numbers for a constant buffer, or for those of its members that are not given."""
    if parameter.name in given:
        return {}
    block = np.zeros(1, kernel.dtype(parameter.name))
    _fill(block, np.random.default_rng([seed, *parameter.name.encode()]))
    if not parameter.members:
        return {parameter.name: block}
    assert parameter.block is not None
    values = unpack(parameter.block, block.tobytes())
    assert isinstance(values, dict)
    return {name: value for name, value in values.items() if name not in given}


def _shape(parameter: Parameter, elements: int) -> tuple[int, ...]:
    dim = parameter.resource.type.dim
    if parameter.kind in ("sampled_image", "storage_image"):
        axes = {"1D": 1, "2D": 2, "3D": 3, "Cube": 2}.get(dim, 2)
        layers = (6,) if dim == "Cube" else (2,) if parameter.resource.type.arrayed else ()
        return layers + (DEFAULT_SIDE,) * axes
    return (elements,)


def filled(kernel: Kernel, parameter: Parameter, shape: tuple[int, ...], random: np.random.Generator | None) -> Array:
    """Return an array of elements of a parameter: zeros, or random numbers (floats from 0 to 1, integers below 256)."""
    number = natural_type(parameter)
    size = (np.dtype(number) if number is not None else kernel.dtype(parameter.name)).itemsize
    if math.prod(shape) * size > MOST_BYTES:
        raise MemoryError
    if number is None:
        array = np.zeros(shape or (1,), kernel.dtype(parameter.name))
        _fill(array, random)
        return array
    element, whole = element_shape(parameter), shape or (1,)
    is_whole = len(whole) > len(element) and whole[-len(element) :] == element
    array = np.zeros(whole if not element or is_whole else whole + element, number)
    _fill(array, random)
    return array


def _fill(array: Array, random: np.random.Generator | None) -> None:
    if random is None:
        return
    if array.dtype.names is not None:
        for field in array.dtype.names:
            _fill(array[field], random)
    elif array.dtype.kind == "f":
        array[...] = random.random(array.shape)
    elif array.dtype.kind in "iub":
        array[...] = random.integers(0, 2 if array.dtype.kind == "b" else 256, array.shape)


def archive(path: str) -> dict[str, Array]:
    """Return the arrays of an archive of numpy by name."""
    with np.load(path, allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


# ----------------------------------------------------------------------------------------------------------- results


def shown(array: Any) -> str:
    """Return type, shape and some numbers of an array as text; empty for other objects."""
    if not isinstance(array, np.ndarray):
        return ""
    with np.printoptions(threshold=64, edgeitems=4, linewidth=110, suppress=True):
        return f"{array.dtype} {array.shape}\n{array}"


def file_bytes(path: str, array: Array) -> bytes:
    """Return the content of a file for an array, by the ending of its name.

    It is a picture for ``.png`` (floats from 0 to 1, or bytes), plain bytes for ``.bin``, and else numpy's format.
    """
    if path.endswith(".png"):
        try:
            return write_png(as_pixels(array))
        except PngError as error:
            raise wrong_argument(os.path.basename(path), str(error)) from None
    if path.endswith(".bin"):
        return np.ascontiguousarray(array).tobytes()
    content = io.BytesIO()
    np.save(content, array)
    return content.getvalue()


def as_pixels(array: Array) -> Array:
    """Return an array as one of bytes: floats are clamped to the range from 0 to 1 and scaled."""
    if array.dtype.kind == "f":
        return np.rint(np.clip(np.nan_to_num(array.astype(np.float64), nan=0.0), 0, 1) * 255).astype(np.uint8)
    if array.dtype in (np.uint8, np.uint16):
        return array
    return np.clip(array, 0, 255).astype(np.uint8)
