"""Names of a package that are imported at their first use, so that the command line and SCons start fast."""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` takes as long to import as all else that a client of the server does
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


def lazy_names(package: str, homes: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a package.

    ``homes``: name → the module below the package that has it; empty for a name that is such a module itself.
    """

    def find(name: str) -> Any:
        from importlib import import_module

        if name not in homes:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        from hlsl_tool.base.system.collection import paused_collection

        with paused_collection():  # modules are no garbage
            module = import_module(f"{package}.{homes[name] or name}")
        return getattr(module, name) if homes[name] else module

    return find, lambda: sorted(homes)
