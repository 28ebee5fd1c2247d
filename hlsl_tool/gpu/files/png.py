"""Read and write PNG files as numpy arrays of (height, width, channels)."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

Pixels = npt.NDArray[Any]

SIGNATURE = b"\x89PNG\r\n\x1a\n"
_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
"""Colour type → channels in the file."""
_COLOURS = {1: 0, 2: 4, 3: 2, 4: 6}
_PALETTE = 3


class PngError(ValueError):
    """Raised for bytes that are no PNG, or one of a kind that is not supported."""


def read_png(data: bytes) -> Pixels:
    """Return the pixels of a PNG with 8 or 16 bits a channel, as ``uint8`` or ``uint16``; palettes are resolved."""
    if not data.startswith(SIGNATURE):
        raise PngError("is no PNG")
    header, palette, compressed = b"", b"", []
    for kind, content in _chunks(data):
        if kind == b"IHDR":
            header = content
        elif kind == b"PLTE":
            palette = content
        elif kind == b"IDAT":
            compressed.append(content)
    if len(header) != 13:
        raise PngError("has no header")
    width, height, bits, colour, _, _, interlace = struct.unpack(">IIBBBBB", header)
    if bits not in (8, 16) or colour not in _CHANNELS or interlace:
        raise PngError(f"has {bits} bits, colour type {colour} or interlacing, which is not supported")
    size = _CHANNELS[colour] * bits // 8
    try:
        rows = _unfiltered(zlib.decompress(b"".join(compressed)), height, width * size, size)
    except (zlib.error, ValueError) as error:
        raise PngError(f"is damaged: {error}") from None
    pixels = rows.view(">u2").astype(np.uint16) if bits == 16 else rows
    pixels = pixels.reshape(height, width, -1)
    if colour == _PALETTE:
        pixels = np.frombuffer(palette, np.uint8).reshape(-1, 3)[pixels[..., 0]]
    return pixels


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the type and the content of each chunk."""
    at = len(SIGNATURE)
    while at + 8 <= len(data):
        length, kind = struct.unpack_from(">I4s", data, at)
        yield kind, data[at + 8 : at + 8 + length]
        at += length + 12


def _unfiltered(data: bytes, height: int, stride: int, size: int) -> npt.NDArray[np.uint8]:
    """Return the bytes of all rows after undoing their filters; ``size`` is that of a pixel in bytes."""
    lines = np.frombuffer(data, np.uint8).reshape(height, stride + 1)
    rows = np.zeros((height, stride), np.uint8)
    above = np.zeros(stride, np.uint8)
    for number in range(height):
        row = lines[number, 1:].copy()
        kind = int(lines[number, 0])
        if kind == 2:
            row += above
        elif kind == 1:
            row = np.cumsum(row.reshape(-1, size), axis=0, dtype=np.uint8).reshape(-1)
        elif kind:
            _undo(row, above, kind, size)
        rows[number] = above = row
    return rows


def _undo(row: npt.NDArray[np.uint8], above: npt.NDArray[np.uint8], kind: int, size: int) -> None:
    """Undo the filters 3 (average) and 4 (Paeth), whose results depend on the pixel before."""
    values, upper = row.tolist(), above.tolist()
    for at, value in enumerate(values):
        left = values[at - size] if at >= size else 0
        corner = upper[at - size] if at >= size else 0
        guess = (left + upper[at]) // 2 if kind == 3 else _paeth(left, upper[at], corner)
        values[at] = value + guess & 0xFF
    row[:] = values


def _paeth(left: int, up: int, corner: int) -> int:
    estimate = left + up - corner
    return min((left, up, corner), key=lambda value: abs(estimate - value))


def write_png(pixels: Pixels) -> bytes:
    """Return the PNG of an array (height, width) or (height, width, channels) of ``uint8`` or ``uint16``."""
    if pixels.ndim == 2:
        pixels = pixels[..., None]
    if pixels.ndim != 3 or pixels.shape[2] not in _COLOURS or pixels.dtype not in (np.uint8, np.uint16):
        raise PngError(f"cannot hold an array of {pixels.dtype} {pixels.shape}")
    height, width, channels = pixels.shape
    bits = pixels.dtype.itemsize * 8
    rows = np.ascontiguousarray(pixels.astype(pixels.dtype.newbyteorder(">"))).view(np.uint8).reshape(height, -1)
    lines = np.concatenate([np.zeros((height, 1), np.uint8), rows], axis=1)
    header = struct.pack(">IIBBBBB", width, height, bits, _COLOURS[channels], 0, 0, 0)
    chunks = [(b"IHDR", header), (b"IDAT", zlib.compress(lines.tobytes())), (b"IEND", b"")]
    return SIGNATURE + b"".join(_chunk(kind, content) for kind, content in chunks)


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
