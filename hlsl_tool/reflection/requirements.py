"""The requirements of a module on its device.

The tables are Vulkan's own (Vulkan specification, appendix *Vulkan Environment for SPIR-V*).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from hlsl_tool.reflection.reflection import Feature, Requirements
from hlsl_tool.spirv.enums import Capability
from hlsl_tool.spirv.grammar import tables

from .vulkan_tables import CAPABILITIES, EXTENSIONS, Needs

_VERSIONS = ((0, "1.0"), (1, "1.1"), (4, "1.1"), (5, "1.2"), (6, "1.3"))
"""(first minor version of SPIR-V, version of Vulkan that takes it)"""
_SPIRV_1_4 = Feature("SPIR-V 1.4", ["VK_VERSION_1_2", "VK_KHR_spirv_1_4"])


def requirements(version: tuple[int, int], capabilities: Sequence[str], extensions: Sequence[str]) -> Requirements:
    """Return the requirements of a module; features that every device has (``Shader``) are omitted."""
    out = Requirements(next(vulkan for least, vulkan in reversed(_VERSIONS) if version[1] >= least))
    if version[1] == 4:
        out.extensions.append(Feature(_SPIRV_1_4.name, list(_SPIRV_1_4.needs_one_of)))
    for name in capabilities:
        _add(out, out.features, name, _look_up(CAPABILITIES, _spellings(name)))
    for name in extensions:
        _add(out, out.extensions, name, EXTENSIONS.get(name))
    return out


def _add(out: Requirements, features: list[Feature], name: str, needs: Needs | None) -> None:
    if needs is None:
        out.unknown.append(name)
    elif "VK_VERSION_1_0" not in needs[0]:
        features.append(Feature(name, list(needs[0]), list(needs[1])))


def _look_up(table: Mapping[str, Needs], names: Iterable[str]) -> Needs | None:
    return next((table[name] for name in names if name in table), None)


def _spellings(name: str) -> list[str]:
    """Return all names of a capability, because Vulkan's tables contain only one of them."""
    numbers = [n for n, row in tables.ENUMERANTS["Capability"].items() if row[0] == name]
    return [name, *(alias for number in numbers for alias in _ALIASES.get(number, ()))]


def _aliases() -> dict[int, list[str]]:
    aliases: dict[int, list[str]] = {}
    for name, number in vars(Capability).items():
        if isinstance(number, int):
            aliases.setdefault(number, []).append(name)
    return aliases


_ALIASES = _aliases()
