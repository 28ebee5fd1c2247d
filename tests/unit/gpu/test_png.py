"""PNG files: every kind that is written is read back, and damaged ones are errors."""

from __future__ import annotations

import struct
import zlib

import numpy as np
import pytest

from hlsl_tool.gpu.files.png import SIGNATURE, PngError, read_png, write_png


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize("shape", [(5, 7), (5, 7, 2), (1, 3, 3), (4, 4, 4)])
def test_pixels_are_read_back(shape: tuple[int, ...], dtype: type) -> None:
    pixels = np.random.default_rng(1).integers(0, np.iinfo(dtype).max, shape).astype(dtype)
    np.testing.assert_array_equal(read_png(write_png(pixels)).reshape(shape), pixels)


def chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + bytes(4)


def grey(rows: bytes, width: int, height: int) -> bytes:
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return SIGNATURE + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows))


def test_every_filter_is_undone() -> None:
    rows = b"\0\1\2\3" + b"\1\1\1\1" + b"\2\1\1\1" + b"\3\4\4\4" + b"\4\1\1\1"
    expected = [[1, 2, 3], [1, 2, 3], [2, 3, 4], [5, 8, 10], [6, 9, 11]]
    assert read_png(grey(rows, 3, 5))[..., 0].tolist() == expected


def test_a_palette_is_resolved() -> None:
    header = struct.pack(">IIBBBBB", 2, 1, 8, 3, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"PLTE", bytes(range(6))), (b"IDAT", zlib.compress(b"\0\1\0"))]
    data = SIGNATURE + b"".join(chunk(kind, content) for kind, content in chunks)
    assert read_png(data).tolist() == [[[3, 4, 5], [0, 1, 2]]]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"GIF89a", "is no PNG"),
        (SIGNATURE, "has no header"),
        (grey(b"\0\1", 3, 5), "is damaged"),
        (SIGNATURE + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 4, 0, 0, 0, 0)), "has 4 bits"),
    ],
)
def test_damaged_files(data: bytes, message: str) -> None:
    with pytest.raises(PngError, match=message):
        read_png(data)


def test_an_array_that_is_no_picture() -> None:
    with pytest.raises(PngError, match="cannot hold an array of float32"):
        write_png(np.zeros((2, 2), np.float32))
