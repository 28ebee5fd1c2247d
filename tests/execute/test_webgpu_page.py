"""The example in examples/webgpu draws its picture in headless Chromium."""

from __future__ import annotations

import shutil
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("chromium"), reason="Chromium is not installed")
def test_the_sky_is_drawn(tmp_path: Path) -> None:
    output = tmp_path / "sky.png"
    subprocess.run(
        [sys.executable, str(ROOT / "examples/webgpu/draw.py"), "--picture", str(output)], check=True, cwd=ROOT
    )
    data = output.read_bytes()
    width, height = struct.unpack(">II", data[16:24])
    pixels, at = b"", 8
    while at < len(data):
        (size,) = struct.unpack(">I", data[at : at + 4])
        if data[at + 4 : at + 8] == b"IDAT":
            pixels += data[at + 8 : at + 8 + size]
        at += 12 + size
    assert (width, height) == (768, 432)
    assert len(set(zlib.decompress(pixels))) > 100  # neither empty nor of one colour
