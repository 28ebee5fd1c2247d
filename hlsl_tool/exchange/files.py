"""Write generated files, and leave those alone that have the same contents."""

from __future__ import annotations

import contextlib
import os

from hlsl_tool.exchange.rules import Rules
from hlsl_tool.exchange.step import DEPFILE, STAMP, SUFFIX
from hlsl_tool.system.atomic_write import WriteError, read_bytes, write_own


def write_rules(rules: Rules, steps: dict[str, bytes], further: dict[str, bytes]) -> None:
    """Write the files of all steps, remove those of steps that are no more, and write further files.

    May raise WriteError.
    """
    for folder, _, names in os.walk(rules.folder):
        paths = [os.path.join(folder, name) for name in names if name.endswith(SUFFIX)]
        for path in paths:
            if path.replace(os.sep, "/") not in steps:
                for suffix in (SUFFIX, DEPFILE, STAMP):
                    with contextlib.suppress(OSError):
                        os.remove(path.removesuffix(SUFFIX) + suffix)
    write_files(steps, mode=0o600)  # the address of a store may hold a password
    write_files(further)


def write_files(files: dict[str, bytes], *, mode: int = 0o666) -> None:
    """Write files that have other contents on disk; the others keep their times.  May raise WriteError.

    ``mode``: their permissions before the umask.
    """
    for path, data in files.items():
        if read_bytes(path) != data:
            try:
                os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
            except OSError as error:
                raise WriteError(path, error.strerror or str(error)) from None
            write_own(path, data, mode=mode)
