"""State that the writers of one module share."""

from __future__ import annotations

from collections.abc import Callable

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.spirv.ir import Function, Instruction
from hlsl_tool.wgsl.control_flow.exits import resolve_exits
from hlsl_tool.wgsl.control_flow.shells import remove_shells
from hlsl_tool.wgsl.control_flow.structure import Structure
from hlsl_tool.wgsl.interface.handles import Handles
from hlsl_tool.wgsl.interface.layout import Form, Layout
from hlsl_tool.wgsl.module.constant_folding import Folder
from hlsl_tool.wgsl.module.view import View
from hlsl_tool.wgsl.writer.constant_expressions import Constants
from hlsl_tool.wgsl.writer.expr import Expr
from hlsl_tool.wgsl.writer.unique_names import Names
from hlsl_tool.wgsl.writer.wgsl_types import Requirements, WgslTypes

HELPERS = {
    "float_from_bits": "fn {name}(bits: u32) -> f32 {{\n  return bitcast<f32>(bits);\n}}\n",
    "half_from_bits": "fn {name}(bits: u32) -> f16 {{\n  return bitcast<vec2<f16>>(bits).x;\n}}\n",
}
"""Helper functions that are written if they are used.  The result of a function is not constant for WGSL."""


@dataclass(slots=True)
class Root:
    """A SPIR-V variable as WGSL declares it: its name, and the representation of its contents."""

    name: str
    type_id: int
    space: str
    form: Form | None = None
    """The representation in memory; ``None`` if it is that of values."""
    raw: bool = False
    """Whether it is an array of words (see `raw_layout`)."""
    constant: bool = False
    """Whether it is never written."""
    parts: list[Root] | None = None
    """The variables for the members of an interface block."""
    ignored: bool = False
    """Whether WGSL lacks the output, so that stores are dropped."""
    atomic: bool = False
    count: int = 0
    """The number of buffers, if it is a `binding_array`."""
    unwrapped: bool = False
    """Whether it is declared with the type of its only member."""


@dataclass(slots=True)
class Context:
    """The data that the writers of one module share: options, names, types, layouts and helper functions."""

    view: View
    options: CompileOptions
    constant_operation: Callable[[Context, Instruction], Expr]
    """Returns the expression of an OpSpecConstantOp."""
    comments: bool = False
    """Whether the text begins with a table of the names in HLSL."""
    names: Names = field(default_factory=Names)
    needs: Requirements = field(default_factory=Requirements)
    types: WgslTypes = field(init=False)
    layout: Layout = field(init=False)
    constants: Constants = field(init=False)
    handles: Handles = field(init=False)
    roots: dict[int, Root] = field(default_factory=dict)
    functions: dict[int, str] = field(default_factory=dict)
    """Function id → name."""
    helpers: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Key → (name, text)."""

    fragment: set[int] = field(default_factory=set)
    """Functions that only fragment shaders call, in which derivatives are allowed."""
    uniform_loads: set[int] = field(default_factory=set)
    """Loads from workgroup memory on which barriers depend."""
    structures: dict[int, Structure] = field(default_factory=dict)

    folder: Folder = field(init=False)
    """Finds values that are constants."""

    def __post_init__(self) -> None:
        self.folder = Folder(self.view)
        self.types = WgslTypes(self.view, self.names, self.needs)
        self.layout = Layout(self.types)
        self.constants = Constants(self.view, self.names, self.types, self.helper, self.operation)
        self.handles = Handles(self.view, self.names, self.types, self.needs, self.options)

    def operation(self, inst: Instruction) -> Expr:
        return self.constant_operation(self, inst)

    def structure(self, function: Function) -> Structure:
        """Return a function's structured control flow with its exits resolved; computed once per function."""
        cached = self.structures.get(function.id)
        if cached is None:
            cached = self.structures[function.id] = Structure(function)
            resolve_exits(cached.root)
            remove_shells(cached.root)
        return cached

    def helper(self, key: str, **arguments: str) -> str:
        """Return the name of a helper function; add the function to the text at the first request."""
        full = key + "".join(f" {value}" for value in arguments.values())
        if full not in self.helpers:
            name = self.names.unique(full.replace(" ", "_"), key)
            self.helpers[full] = name, HELPERS[key].format(name=name, **arguments)
        return self.helpers[full][0]
