"""Find the C library of SPIRV-Cross.

It is taken from the first of: the variable `SPIRV_CROSS`, the Vulkan SDK, the search path of libraries, the folders of
the system.  A hash of it is part of the toolchain fingerprint of shaders with such outputs, because another version
writes other texts.  This file loads nothing: a build with nothing to do finds the library, and does not run it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from functools import cache

VARIABLE = "SPIRV_CROSS"
"""The environment variable that names the library, or its folder."""

INSTALL = (
    "install the library of SPIRV-Cross (Debian and Ubuntu: libspirv-cross-c-shared-dev; Homebrew: spirv-cross; or the"
    f" Vulkan SDK), or name it by {VARIABLE}"
)


def advice() -> str:
    """Return what to do if the library is not found."""
    chosen = os.environ.get(VARIABLE)
    return f"{VARIABLE} is `{chosen}`, which is neither the library nor its folder" if chosen else INSTALL


_STEM = "spirv-cross-c-shared"
_NAMES = {
    "win32": (f"{_STEM}.dll",),
    "darwin": (f"lib{_STEM}.dylib", f"lib{_STEM}.0.dylib"),
}.get(sys.platform, (f"lib{_STEM}.so", f"lib{_STEM}.so.0"))
_SEARCH_PATH = {"win32": "PATH", "darwin": "DYLD_LIBRARY_PATH"}.get(sys.platform, "LD_LIBRARY_PATH")
_FOLDERS = {
    "win32": (),
    "darwin": ("/opt/homebrew/lib", "/usr/local/lib"),
}.get(sys.platform, ("/usr/local/lib", "/usr/lib64", "/usr/lib"))


def locate(env: Mapping[str, str] | None = None) -> str | None:
    """Return the path of the library; `None` if it is not found."""
    env = os.environ if env is None else env
    chosen = env.get(VARIABLE)
    if chosen and os.path.isfile(chosen):
        return chosen
    folders = [chosen] if chosen else _folders(env)
    paths = (os.path.join(folder, name) for folder in folders for name in _NAMES)
    return next(filter(os.path.isfile, paths), None)


def _folders(env: Mapping[str, str]) -> Iterator[str]:
    sdk = env.get("VULKAN_SDK")
    if sdk:
        yield from (os.path.join(sdk, folder) for folder in ("lib", "bin"))
    yield from filter(None, env.get(_SEARCH_PATH, "").split(os.pathsep))
    for folder in _FOLDERS:
        if folder == "/usr/lib":
            yield from _multiarch()
        yield folder


def _multiarch() -> Iterator[str]:
    """Yield Debian's folder of libraries for this processor, such as `/usr/lib/x86_64-linux-gnu`."""
    implementation: str = getattr(sys.implementation, "_multiarch", "")
    if implementation:
        yield f"/usr/lib/{implementation}"
    import platform  # start-up time

    yield f"/usr/lib/{platform.machine()}-linux-gnu"


def signature(env: Mapping[str, str] | None = None) -> str:
    """Return `spirv-cross 5c0e…`, a part of the toolchain fingerprint; `spirv-cross none` if it is not installed."""
    path = locate(env)
    if path is None:
        return "spirv-cross none"
    try:
        status = os.stat(path)
    except OSError:
        return "spirv-cross unreadable"
    return f"spirv-cross {_content(path, status.st_mtime_ns, status.st_size, status.st_ino)}"


@cache
def _content(path: str, mtime: int, size: int, inode: int) -> str:
    """Return a hash of the library, which is read again when its properties change."""
    from hashlib import sha1  # start-up time

    try:
        with open(path, "rb") as stream:
            return sha1(stream.read(), usedforsecurity=False).hexdigest()[:16]
    except OSError:
        return "unreadable"
