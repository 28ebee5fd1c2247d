"""Collects the codes of all catalogue modules."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from types import ModuleType

from hlsl_tool.base.diagnostics import catalogue
from hlsl_tool.base.diagnostics.diagnostic import Code
from hlsl_tool.base.diagnostics.errors import InternalError


def modules() -> list[ModuleType]:
    """Return the catalogue's data modules, sorted by name."""
    names = sorted(info.name for info in pkgutil.iter_modules(catalogue.__path__) if info.name != "registry")
    return [importlib.import_module(f"{catalogue.__name__}.{name}") for name in names]


@cache
def all_codes() -> dict[str, Code]:
    """Return id → code, sorted by id.  Two codes with the same id are a bug."""
    codes: dict[str, Code] = {}
    owners: dict[str, str] = {}
    for module in modules():
        for attribute, value in vars(module).items():
            if not isinstance(value, Code) or codes.get(value.id) is value:
                continue
            if value.id in codes:
                raise InternalError(f"{value.id} is used twice: {owners[value.id]} and {module.__name__}.{attribute}")
            codes[value.id] = value
            owners[value.id] = f"{module.__name__}.{attribute}"
    return dict(sorted(codes.items()))


def by_id(code_id: str) -> Code | None:
    """Return the code with this id; ``None`` if there is none."""
    return all_codes().get(code_id)


def by_name(name: str) -> list[Code]:
    """Return all codes with this name or group, as for ``-W``."""
    return [code for code in all_codes().values() if name in (code.name, code.group)]
