"""SPIR-V → WGSL, stage by stage."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hlsl_tool.spirv.decode import DecodeError, decode

from .checking import check
from .context import Context, Options
from .errors import Unsupported, WgslError
from .globals import declare_globals
from .places import Places
from .specialise import Specialiser
from .text import module_text
from .usage import Usage
from .view import View


def convert(spirv: bytes, options: Mapping[str, Any] | None = None) -> str:
    """The WGSL of a SPIR-V module; `WgslError` where it cannot be expressed.

    Options: ``validate`` (True): run spirv-val first.
    """
    chosen = Options.read(options)
    try:
        module = decode(spirv)
    except DecodeError as error:
        raise WgslError(f"this is no SPIR-V module: {error}") from error
    if chosen.validate:
        check(spirv, module, chosen.spirv_val)
    view = View(module)
    context = Context(view, chosen)
    places = Places(view)
    try:
        functions = Specialiser(view).run()
        usage = Usage(view, functions)
        context.handles.collect(functions)
        declare_globals(context, usage)
        return module_text(context, usage, functions, places)
    except Unsupported as problem:
        raise places.error(problem, view.defs.get(problem.result)) from problem
