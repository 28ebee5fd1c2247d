"""The `hlsl_tool generate` command line that generated rules repeat, and how the rules write paths."""

from __future__ import annotations

import os
import sys

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.base.system.paths import prefixed, relative, without_links

PYTHON = [sys.executable, "-P", "-m"]
"""Python without the working folder on its path: a `struct.py` there would be imported in place of Python's."""


@dataclass(frozen=True, slots=True)
class Call:
    """The command line of `hlsl_tool generate`, as far as the generated rules repeat it."""

    kind: str
    file: str
    """The file to write, from the working folder, or absolute."""
    root: str
    """The absolute path of the project's root."""
    configs: tuple[str, ...]
    """The configurations, from the root."""
    options: tuple[str, ...] = ()
    """Further words: values for the configurations, and trust."""

    @property
    def is_absolute(self) -> bool:
        """Whether the rules name all files by absolute paths."""
        return os.path.isabs(self.file)

    def path(self, name: str) -> str:
        """Return a path as the rules write it; ``name`` is relative to the root, or absolute."""
        return path_in_rules(self.base, name, os.curdir)

    @property
    def base(self) -> str:
        """The project's root, as the rules write it."""
        return self.root.replace(os.sep, "/") if self.is_absolute else relative(self.root, os.curdir)

    def words(self, verb: str) -> list[str]:
        """Return the words of the command `hlsl_tool VERB` with the root and the configurations of this call."""
        configs = [word for name in self.configs for word in ("--config", name)]
        return [*PYTHON, "hlsl_tool", *verb.split(), "--root", self.base, *configs]


def path_in_rules(base: str, name: str, folder: str) -> str:
    """Return the path of the file ``name`` as rules that run in ``folder`` must write it.

    ``name`` is relative to the project's root ``base``, and ``base`` is relative to ``folder``. If either is absolute,
    the result is absolute. Symbolic links are resolved if `..` remains, because ninja normalises paths as text.
    """
    path = prefixed(base, name)
    if "/.." not in path:
        return path
    real = without_links(os.path.join(folder, path)).replace(os.sep, "/")
    return real if os.path.isabs(path) else relative(real, folder)
