"""Run shaders without a GPU: executes SPIR-V modules of any compiler on numpy (``docs/explanation/interpreter.md``).

Needs the extra ``numpy``.  A ``Program`` is an entry point, ``dispatch`` runs a compute shader, ``draw`` a vertex and a
pixel shader, and ``Resources`` are the buffers, images and samplers that they use.
"""

from __future__ import annotations

from hlsl_tool.base.lazy_names import lazy_names

TYPE_CHECKING = False  # numpy is an extra
if TYPE_CHECKING:
    from typing import Any

    from .errors import ExecutionError, InterpreterError, NotInterpretedError
    from .images.formats import FORMATS
    from .images.image import Image, SampledImage, Sampler, texel_buffer
    from .observers.findings import Finding
    from .observers.sanitizer import Sanitizer
    from .program.program import Program
    from .program.resources import Resources
    from .rays.scene import Geometry, Instance, Scene
    from .runtime.memory import Buffer
    from .stages.compute import Settings, dispatch
    from .stages.draw import Attribute, Draw, draw, draw_stages
    from .stages.fill import fill
    from .stages.launch import Stage
    from .stages.merging import Blend, Targets, resolved
    from .stages.rasterizer import Viewport
    from .stages.tracing import HitGroup, ShaderTables, trace_rays, tracing_program

__all__ = [
    "FORMATS",
    "Attribute",
    "Blend",
    "Buffer",
    "Draw",
    "ExecutionError",
    "Finding",
    "Geometry",
    "HitGroup",
    "Image",
    "Instance",
    "InterpreterError",
    "NotInterpretedError",
    "Program",
    "Resources",
    "SampledImage",
    "Sampler",
    "Sanitizer",
    "Scene",
    "Settings",
    "ShaderTables",
    "Stage",
    "Targets",
    "Viewport",
    "dispatch",
    "draw",
    "draw_stages",
    "fill",
    "resolved",
    "texel_buffer",
    "trace_rays",
    "tracing_program",
]

_HOMES = {
    **dict.fromkeys(("ExecutionError", "InterpreterError", "NotInterpretedError"), "errors"),
    "FORMATS": "images.formats",
    **dict.fromkeys(("Image", "SampledImage", "Sampler", "texel_buffer"), "images.image"),
    "Finding": "observers.findings",
    "Sanitizer": "observers.sanitizer",
    "Program": "program.program",
    "Resources": "program.resources",
    **dict.fromkeys(("Geometry", "Instance", "Scene"), "rays.scene"),
    "Buffer": "runtime.memory",
    **dict.fromkeys(("Settings", "dispatch"), "stages.compute"),
    **dict.fromkeys(("Attribute", "Draw", "draw", "draw_stages"), "stages.draw"),
    "fill": "stages.fill",
    "Stage": "stages.launch",
    **dict.fromkeys(("Blend", "Targets", "resolved"), "stages.merging"),
    "Viewport": "stages.rasterizer",
    **dict.fromkeys(("HitGroup", "ShaderTables", "trace_rays", "tracing_program"), "stages.tracing"),
}

_find, __dir__ = lazy_names(__name__, _HOMES)


def __getattr__(name: str) -> Any:
    try:
        return _find(name)
    except ModuleNotFoundError as error:
        if error.name != "numpy":
            raise
        raise ImportError("hlsl_tool.interpreter needs numpy: pip install hlsl_tool[numpy]") from error
