"""The real DXC of the PyPI package compushady: a shared library, used as the command `dxc`.

    python tests/oracle/dxc.py -T ps_6_0 -E main -spirv shader.hlsl -Fo shader.spv
    python tests/oracle/dxc.py --fetch FOLDER

The second form downloads the package's sources with pip and unpacks the library into FOLDER; nothing is built or
installed. The tests find the compiler through `DXC`.
"""

from __future__ import annotations

import ctypes
import os
import platform
import shlex
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
FETCHED = ROOT / ".venv" / "dxc"
"""Where `bootstrap pytest` puts the library."""
PACKAGE = "compushady==0.17.5"
MACHINES = {"x86_64": "libdxcompiler_x86_64.so.3.7", "aarch64": "libdxcompiler_aarch64.so.3.7"}
"""`platform.machine()` → file of the package."""
MISSING = "no dxc: neither in the environment variable DXC, nor on PATH, nor fetched by bootstrap"


def library() -> Path | None:
    """Return the path of DXC's shared library: $DXC_LIBRARY, or what `--fetch` has unpacked; `None` without one."""
    fetched = FETCHED / MACHINES.get(platform.machine(), "none")
    path = Path(os.environ.get("DXC_LIBRARY") or fetched)
    return path if path.is_file() else None


def command() -> list[str]:
    """Return the command line that starts DXC; `[]` without one.

    It is $DXC, `dxc` on PATH, or this file with the library.
    """
    if os.environ.get("DXC"):
        return shlex.split(os.environ["DXC"])
    program = shutil.which("dxc")
    if program:
        return [program]
    return [sys.executable, "-I", "-S", __file__] if library() else []


DXC = command()


# ---------------------------------------------------------------- the library

OBJECT, ERRORS, TEXT = 1, 2, 6
"""Kinds of `IDxcResult`'s outputs (DXC_OUT_KIND)."""


def _guid(text: str) -> Any:
    first, second, third, *rest = text.split("-")
    head = struct.pack("<IHH", int(first, 16), int(second, 16), int(third, 16))
    return (ctypes.c_byte * 16).from_buffer_copy(head + bytes.fromhex("".join(rest)))


class _Buffer(ctypes.Structure):
    _fields_ = (("text", ctypes.c_char_p), ("size", ctypes.c_size_t), ("encoding", ctypes.c_uint32))


class Library:
    """The interface IDxcCompiler3 of a library, called through its virtual function table."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.library = ctypes.CDLL(os.fspath(path))
        self.compiler = self._new("73e22d93-e6ce-47f3-b5bf-f0664f39c1b0", "228B4687-5A6A-4730-900C-9702B2203F54")
        self.utils = self._new("6245d6af-66e0-48fd-80b4-4d271796748c", "4605C4CB-2019-492A-ADA4-65F20BB7D67F")
        self.includes = ctypes.c_void_p()
        self._call(self.utils, 9, ctypes.byref(self.includes))  # CreateDefaultIncludeHandler

    def _new(self, kind: str, interface: str) -> ctypes.c_void_p:
        instance = ctypes.c_void_p()
        status = self.library.DxcCreateInstance(_guid(kind), _guid(interface), ctypes.byref(instance))
        if status:
            raise RuntimeError(f"DxcCreateInstance: {status & 0xFFFFFFFF:#x}")
        return instance

    @staticmethod
    def _call(item: ctypes.c_void_p, slot: int, *arguments: Any, result: Any = ctypes.c_int32) -> Any:
        # Outside Windows, older libraries have two slots for a destructor behind the three of IUnknown.
        table = ctypes.cast(item, ctypes.POINTER(ctypes.POINTER(ctypes.c_void_p)))[0]
        address = table[slot + 2 if slot > 2 else slot]
        return ctypes.CFUNCTYPE(result, ctypes.c_void_p)(address)(item, *arguments)

    def _release(self, item: ctypes.c_void_p) -> None:
        self._call(item, 2)

    def _output(self, result: ctypes.c_void_p, kind: int) -> bytes:
        blob = ctypes.c_void_p()
        interface = _guid("8BA5FB08-5195-40e2-AC58-0D989C3A0102")  # IDxcBlob
        name = ctypes.c_void_p()  # of a file; none is wanted
        failed = self._call(result, 7, ctypes.c_uint32(kind), interface, ctypes.byref(blob), ctypes.byref(name))
        if failed or not blob:
            return b""
        address = self._call(blob, 3, result=ctypes.c_void_p)
        size = self._call(blob, 4, result=ctypes.c_size_t)
        data = ctypes.string_at(address, size) if size else b""
        self._release(blob)
        return data

    def compile(self, source: bytes, arguments: Sequence[str]) -> tuple[int, bytes, str]:
        """Compile a text; return (status, module or preprocessed text, diagnostics), where status 0 is success."""
        words = (ctypes.c_wchar_p * len(arguments))(*arguments)
        result, status = ctypes.c_void_p(), ctypes.c_int32(1)
        failed: int = self._call(
            self.compiler,
            3,
            ctypes.byref(_Buffer(source, len(source), 65001)),
            words,
            ctypes.c_uint32(len(arguments)),
            self.includes,
            _guid("58346CDA-DDE7-4497-9461-6F87AF5E0659"),  # IDxcResult
            ctypes.byref(result),
        )
        if failed:
            return failed, b"", f"IDxcCompiler3::Compile: {failed & 0xFFFFFFFF:#x}\n"
        self._call(result, 3, ctypes.byref(status))
        output = self._output(result, OBJECT) or self._output(result, TEXT).rstrip(b"\0")
        errors = self._output(result, ERRORS).rstrip(b"\0").decode(errors="replace")
        self._release(result)
        return status.value, output, errors


# ---------------------------------------------------------------- the command line


def run(arguments: Sequence[str]) -> int:
    """Compile like `dxc`: the source is the argument that ends in `.hlsl`, `-Fo` or `-P` gives the output."""
    path = library()
    if path is None:
        print(f"dxc.py: {MISSING}", file=sys.stderr)
        return 2
    words: list[str] = []
    source = output = None
    rest = iter(arguments)
    for word in rest:
        if word in ("-Fo", "-P"):
            output = next(rest, None)
            words += [word, output] if word == "-P" and output is not None else []
        elif word.endswith(".hlsl") and source is None:
            source = word
        else:
            words.append(word)
    if source is None or output is None:
        print("dxc.py: give a source that ends in .hlsl, and -Fo or -P with the output", file=sys.stderr)
        return 2
    status, data, errors = Library(path).compile(Path(source).read_bytes(), [source, *words])
    sys.stderr.write(errors)
    if status == 0:
        Path(output).write_bytes(data)
    return int(status != 0)


# ---------------------------------------------------------------- the download


def fetch(folder: Path) -> None:
    """Download and unpack the library into `folder`; print the reason if that fails, since tests can run without it."""
    folder.mkdir(parents=True, exist_ok=True)
    name = MACHINES.get(platform.machine(), "")
    with tempfile.TemporaryDirectory() as temporary:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        pip += ["--no-binary", ":all:", "--dest", temporary, PACKAGE]
        done = subprocess.run(pip, capture_output=True, text=True, check=False)
        archive = next(Path(temporary).glob("*.tar.gz"), None)
        library = None
        if archive is not None and name:
            with tarfile.open(archive) as package:
                member = next((each for each in package if each.name.endswith(f"/{name}")), None)
                library = package.extractfile(member) if member is not None else None
                if library is not None:
                    (folder / name).write_bytes(library.read())
        if library is None:
            lines = done.stderr.strip().splitlines() or [f"{PACKAGE} has none for {platform.machine()}"]
            print(f"bootstrap: no DXC ({lines[-1]}); tests that compare with it will be skipped")
    (folder / "tried").touch()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--fetch"]:
        fetch(Path(sys.argv[2]))
    else:
        sys.exit(run(sys.argv[1:]))
