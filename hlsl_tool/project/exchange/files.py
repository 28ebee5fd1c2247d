"""Write generated files, but leave files with the same content untouched."""

from __future__ import annotations

import contextlib
import os

from hlsl_tool.base.system.atomic_write import read_bytes, read_own, remove_own, write_own
from hlsl_tool.project.config.trust import fence
from hlsl_tool.project.exchange.rules import Rules
from hlsl_tool.project.exchange.step import DEPFILE, STAMP, SUFFIX


def write_rules(rules: Rules, steps: dict[str, bytes], further: dict[str, bytes]) -> None:
    """Write the files of all build commands, delete those of removed commands, and write ``further`` files.

    Only files that the last call listed are deleted, and no symbolic link is followed.  May raise WriteError.
    """
    top = fence(os.path.dirname(rules.file) or os.curdir, "")
    listed = (read_own(rules.plan) or b"").decode("utf-8", "replace").splitlines()[1:]
    names = [os.path.relpath(path, rules.folder).replace(os.sep, "/") for path in steps if path.endswith(SUFFIX)]
    steps = {**steps, rules.plan: steps[rules.plan] + "".join(f"{name}\n" for name in names).encode()}
    write_files(steps, mode=0o600, below=top)  # the address of a store may hold a password
    for name in set(listed) - set(names):
        for suffix in (SUFFIX, DEPFILE, STAMP):
            with contextlib.suppress(OSError):
                remove_own(os.path.join(rules.folder, name.removesuffix(SUFFIX) + suffix), below=rules.folder)
    write_files(further, below=top)


def write_files(files: dict[str, bytes], *, mode: int = 0o666, below: str = "") -> None:
    """Write the files whose content on disk differs; the others keep their times.  May raise WriteError.

    ``mode``: permissions of new files before the umask; ``below``: a folder that writes must not leave through a link.
    """
    for path, data in files.items():
        if read_bytes(path) != data:
            write_own(path, data, mode=mode, below=below)
