"""hlsl_tool: an HLSL to SPIR-V compiler and shader build tool.

``compile_shader`` compiles one shader; ``CompileOptions`` has its options; ``check_stages`` checks whether the modules
of a pipeline fit together.  They are imported when first asked for, so that the command line and SCons start fast.
"""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` takes as long to import as all else that a client of the server does
if TYPE_CHECKING:
    from typing import Any

    from hlsl_tool.compiler.compile import compile_shader
    from hlsl_tool.compiler.result import CompileResult, Memory
    from hlsl_tool.linking.pipeline import check_stages
    from hlsl_tool.options.model import CompileOptions

__version__ = "0.1.0"

__all__ = ["CompileOptions", "CompileResult", "Memory", "check_stages", "compile_shader"]

_HOMES = {
    "CompileOptions": "options.model",
    "CompileResult": "compiler.result",
    "Memory": "compiler.result",
    "check_stages": "linking.pipeline",
    "compile_shader": "compiler.compile",
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"module 'hlsl_tool' has no attribute '{name}'")
    from hlsl_tool.system.collection import paused_collection

    with paused_collection():  # modules are no garbage
        module = import_module(f"hlsl_tool.{_HOMES[name]}")
    return getattr(module, name)
