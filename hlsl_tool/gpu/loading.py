"""``load`` and ``compile``: make kernels from files and from text."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hlsl_tool.base.diagnostics.render import render
from hlsl_tool.base.options.compile_options import ALL_SPACES, CompileOptions
from hlsl_tool.base.source import SourceFile
from hlsl_tool.base.system.dataclass import replace
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.compiler.result import Memory

from .backend import Code
from .choice import backend
from .errors import CompileError, FileError, wrong_argument
from .kernel import Kernel
from .signature import parameters

PROFILE = "cs_6_5"
"""The profile of kernels: later ones require derivatives in compute shaders, which some drivers lack."""
TARGET = "vulkan1.1"
INTERPRETED = "vulkan1.3"
"""The target environment of the interpreter, which has no limits to which a lower version would help."""
"""The lowest version of Vulkan with wave operations."""
SHIFTS = {"shift_b": 0, "shift_t": 200, "shift_s": 400, "shift_u": 600}
"""Registers of different kinds get bindings of their own; WebGPU allows bindings below 1000."""
_BINDING_OPTIONS = (
    *SHIFTS, "shift_buffer", "auto_shift_bindings", "binding_scheme", "bind_registers", "bind_globals",
)  # fmt: skip

_memory = Memory()


def load(
    path: str | os.PathLike[str],
    entry: str = "main",
    *,
    defines: Mapping[str, object] | None = None,
    include_dirs: Sequence[str | os.PathLike[str]] = (),
    options: CompileOptions | None = None,
    device: str | None = None,
    scenes: bool = False,
) -> Kernel:
    """Compile the entry point of a file, and return the kernel.

    Without ``options`` the profile is ``cs_6_5`` and the target Vulkan 1.1.  ``device`` is ``"vulkan"``, ``"wgpu"`` or
    ``"cpu"`` (the interpreter), with ``:NAME`` for a part of the device's name; by default ``HLSL_TOOL_GPU``, then the
    first that works.  With ``scenes`` acceleration structures are no parameters, as the device has them.  Raises
    ``CompileError``, ``NoDeviceError``, ``UnsupportedError``, and ``FileError`` for a file that cannot be read.
    """
    name = os.fspath(path)
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise FileError(error) from None
    source = SourceFile.from_bytes(name, name, data)
    return _kernel(source, entry, defines, include_dirs, options, device, scenes=scenes)


def compile(
    text: str | bytes,
    entry: str = "main",
    *,
    defines: Mapping[str, object] | None = None,
    include_dirs: Sequence[str | os.PathLike[str]] = (),
    options: CompileOptions | None = None,
    device: str | None = None,
    name: str = "kernel.hlsl",
) -> Kernel:
    """Compile the entry point of a text and return the kernel; see ``load`` for the parameters."""
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    source = SourceFile.from_bytes(name, name, data)
    return _kernel(source, entry, defines, include_dirs, options, device)


def _kernel(
    source: SourceFile,
    entry: str,
    defines: Mapping[str, object] | None,
    include_dirs: Sequence[str | os.PathLike[str]],
    options: CompileOptions | None,
    device: str | None,
    *,
    scenes: bool = False,
) -> Kernel:
    chosen = options or CompileOptions(target_env=TARGET)
    macros = tuple((_macro_name(name), _macro(value)) for name, value in (defines or {}).items())
    chosen = replace(
        chosen,
        defines=chosen.defines + macros,
        include_dirs=chosen.include_dirs + tuple(os.fspath(folder) for folder in include_dirs),
    )
    if all(getattr(chosen, name) == getattr(CompileOptions(), name) for name in _BINDING_OPTIONS):
        changes: dict[str, Any] = {name: ((shift, ALL_SPACES),) for name, shift in SHIFTS.items()}
        chosen = replace(chosen, **changes)
    target = backend(device)
    result = compile_shader(source, entry=entry, profile=chosen.profile or PROFILE, options=chosen, memory=_memory)
    if not result.ok:
        raise CompileError(source.name, render(result.diagnostics).rstrip("\n"), result.diagnostics)
    reflection = result.reflect()
    reflection.entry_points.sort(key=lambda point: point.name != entry)  # a library has others
    if scenes:
        reflection.resources = [r for r in reflection.resources if r.kind != "acceleration_structure"]
    point = reflection.entry_points[0]
    code = Code(source.name, point.name, result.spirv, reflection)
    points = reflection.entry_points if scenes else reflection.entry_points[:1]  # rays call the others
    used = {(use.set, use.binding) for point in points for use in point.resources}
    declared = parameters(source.name, reflection, result.interface)
    # without optimisation the module has what other entry points use, too
    return Kernel(code, [p for p in declared if p.place in used or p.place == (None, None)], result.interface, target)


def _macro_name(name: str) -> str:
    """Return the name of a macro, which may have parameters; raise ``ArgumentError`` for an invalid name."""
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z_]\w*(\([^()]*\))?", name):
        raise wrong_argument(str(name), "is no name of a macro")
    return name


def _macro(value: object) -> str:
    """Return the replacement text of a macro; True and False become 1 and 0."""
    return str(int(value)) if isinstance(value, bool) else str(value)
