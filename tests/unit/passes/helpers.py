"""Print modules as text, for tests of passes."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.sink import Sink
from hlsl_tool.codegen.passes.capabilities.declare import derive_capabilities
from hlsl_tool.spirv import enums as e
from hlsl_tool.spirv.builder import ModuleBuilder
from hlsl_tool.spirv.features import Features
from hlsl_tool.spirv.ir import Module
from hlsl_tool.spirv.text import disassemble


def body(module: Module) -> list[str]:
    """Return the assembly of a module without header and indentation, as lines."""
    return [line.strip() for line in disassemble(module).splitlines() if not line.startswith(";")]


def decorations(module: Module) -> list[str]:
    """Return the lines with decorations in the assembly of a module."""
    return [line for line in body(module) if line.startswith(("OpDecorate", "OpMemberDecorate"))]


def code(module: Module) -> list[str]:
    """Return the lines of functions in the assembly of a module."""
    text = body(module)
    first = next(index for index, line in enumerate(text) if " = OpFunction " in line)
    return text[first:]


def begin_main(b: ModuleBuilder) -> int:
    """Start ``void main()`` and its first block."""
    main, _ = b.begin_function("main", b.void_type())
    b.set_insert_point(b.new_block("entry"))
    return main


def end_main(
    b: ModuleBuilder, main: int, model: int = e.ExecutionModel.Fragment, interface: tuple[int, ...] = ()
) -> None:
    """Return from the function, and declare it as an entry point."""
    if not b.is_terminated:
        b.ret()
    b.end_function()
    b.entry_point(model, main, "main", list(interface))


def declared(b: ModuleBuilder, env: str = "vulkan1.0", allowed: tuple[str, ...] = ()) -> tuple[list[str], Sink]:
    """Return (capabilities and extensions derived for a module, the sink)."""
    sink = Sink()
    module = b.finalize()
    derive_capabilities(module, Features(env, allowed, sink=sink))
    text = [line for line in body(module) if line.startswith(("OpCapability", "OpExtension"))]
    return [line.removeprefix("OpCapability ").removeprefix("OpExtension ").strip('"') for line in text], sink
