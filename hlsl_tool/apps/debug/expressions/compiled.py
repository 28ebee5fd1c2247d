"""Expressions that the compiler translates: a function behind the shader, which the interpreter runs in a stopped run.

The function has the variables of the frame that the expression mentions as parameters.  Global variables are those of
the stopped run, found by their names; static variables are copied, and writes to memory are dropped, so that an
expression changes nothing.
"""

from __future__ import annotations

import gc
import re
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

import numpy as np

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.base.source import SourceFile
from hlsl_tool.base.system.dataclass import dataclass, replace
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.compiler.result import Memory
from hlsl_tool.gpu.loading import INTERPRETED
from hlsl_tool.interpreter import InterpreterError, Program, Resources
from hlsl_tool.interpreter.program.resources import initial_registers
from hlsl_tool.interpreter.runtime.cells import CellPointer, new_cells
from hlsl_tool.interpreter.runtime.control import call
from hlsl_tool.interpreter.runtime.state import Registers, State
from hlsl_tool.spirv import op
from hlsl_tool.spirv.decode import decode
from hlsl_tool.spirv.enums import ExecutionModel, StorageClass
from hlsl_tool.spirv.ir import Instruction

from ..symbols.debug_info import DebugInfo
from ..symbols.types import HlslType, TypeNames
from ..values.nodes import HandleNode, Node, ValueNode
from ..values.scopes import View, is_bound
from ..values.stack import Level

FUNCTION = "__hlsl_tool_expression"
RESULT = "__hlsl_tool_result"
RENEWAL = 64
"""The number of expressions after which the caches of the compiler are emptied: each adds 200 KB to them."""
MOST = 256
"""The number of compiled expressions that are stored."""
LIMIT = 100_000
"""The number of blocks after which an expression is ended."""
THIS = "__hlsl_tool_this"
"""The parameter that stands for `this` in methods."""
_THIS = re.compile(r"\bthis\b")
_NAMESPACE = re.compile(r"\bnamespace\s+(\w+)")
_WORD = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
_ASSIGNS = re.compile(r"(?<![=!<>])=(?!=)|\+\+|--|[-+*/%&|^]=|<<=|>>=")
_BINDS = (
    StorageClass.Uniform, StorageClass.StorageBuffer, StorageClass.UniformConstant, StorageClass.PushConstant,
    StorageClass.Workgroup,
)  # fmt: skip
_COUNTER = "counter.var."
"""The start of the names of counters, of which buffers that are copied need one."""


class ExpressionError(ValueError):
    """Raised for an expression that cannot be evaluated; the message is for the user."""


@dataclass(slots=True)
class Compiled:
    """A compiled expression."""

    program: Program
    function: int
    parameters: list[tuple[str, int]]
    """(name of a variable, id of the parameter)"""
    result: int
    """The id of the variable with the result."""
    of: HlslType


class ExpressionCompiler:
    """Compiles expressions of one shader, and evaluates them."""

    def __init__(self, source: SourceFile | None, options: CompileOptions) -> None:
        self.source = source
        minor = options.profile.rpartition("_")[2] or "0"
        chosen = replace(options, optimize="none", debug=("vulkan",), exports=())
        self.options = replace(chosen, codegen_only=True, target_env=INTERPRETED)
        self.profile = f"lib_6_{minor}" if minor.isdecimal() and int(minor) >= 3 else "lib_6_3"
        self.memory = Memory(finished=None)
        self._compiled_count = 0
        self._cache: OrderedDict[tuple[str, ...], Compiled | str] = OrderedDict()

    def evaluate(self, text: str, view: View, level: Level | None) -> Node:
        """Return the value of an expression for all lanes of the mask; raise ``ExpressionError``."""
        if self.source is None:
            raise ExpressionError("for a module, only names, members and constant indices can be evaluated")
        if _ASSIGNS.search(text):
            raise ExpressionError("expressions that change variables are not evaluated")
        text = _THIS.sub(THIS, text)
        given = _given(set(_WORD.findall(text)), view, level)
        compiled = self._compiled(text, {name: of for name, (of, _) in given.items()})
        value = self._run(compiled, view, {name: value for name, (_, value) in given.items()})
        if compiled.of.kind == "other":  # a texture, a buffer
            return HandleNode(text.strip(), compiled.of.name, value)
        return ValueNode(text.strip().replace(THIS, "this"), compiled.of, value)

    # ---- compiling

    def _compiled(self, text: str, types: Mapping[str, HlslType]) -> Compiled:
        names = [f"{self._qualified(of.base)} {name}{of.declared_suffix}" for name, of in types.items()]
        key = (text, *names)
        found = self._cache.get(key)
        if found is None:
            try:
                found = self._compile(text, names)
            except ExpressionError as error:
                found = str(error)
            self._cache[key] = found
            if len(self._cache) > MOST:
                self._cache.popitem(last=False)
        if isinstance(found, str):
            raise ExpressionError(found)
        return found

    def _qualified(self, name: str) -> str:
        """Return the name of a type with its namespace, which debug information leaves out."""
        text = self.source.text if self.source is not None else ""
        for namespace in _NAMESPACE.finditer(text):
            if re.search(rf"\bstruct\s+{name}\b", text[namespace.end() :].partition("namespace")[0]):
                return f"{namespace[1]}::{name}"
        return name

    def _compile(self, text: str, parameters: list[str]) -> Compiled:
        assert self.source is not None
        self._compiled_count += 1
        if self._compiled_count % RENEWAL == 0:
            self.memory.release()
            self.memory = Memory(finished=None)
            gc.collect()  # programs are full of cycles, and the collector rarely looks at old objects
        function = f"export void {FUNCTION}({', '.join(parameters)}) {{\n__decltype({text}) {RESULT} = ({text});\n}}\n"
        name = self.source.name
        whole = f'{self.source.text}\n#line 1 "expression"\n{function}'
        file = SourceFile(name, self.source.path, whole)
        result = compile_shader(file, entry="main", profile=self.profile, options=self.options, memory=self.memory)
        if not result.ok:
            errors = [item.message for item in result.diagnostics if item.severity == "error"]
            raise ExpressionError(errors[0].replace(THIS, "this") if errors else "it does not compile")
        return _program(result.spirv, len(parameters))

    # ---- running

    def _run(self, compiled: Compiled, view: View, given: Mapping[str, Any]) -> Any:
        program, outer = compiled.program, view.state
        if program.uses_waves and not view.program.uses_waves:
            raise ExpressionError("the shader has no wave intrinsics, so that its lanes form no waves")
        state = State(outer.shape, outer.mask, outer.memory)
        state.limit = LIMIT
        state.dead = outer.dead
        state.extra.update(outer.extra)
        state.helpers = np.ones(outer.shape.lanes, np.bool_)  # nothing is written
        with np.errstate(all="ignore"):
            try:
                registers = initial_registers(program, Resources(space=outer.memory), state)
                self._bind(program, registers, view)
                for name, number in compiled.parameters:
                    of = program.context.type_of(number).element
                    assert of is not None
                    registers[number] = CellPointer(new_cells(of, state.mask.count, given[name]))
                call(program.context.functions[compiled.function], registers, state)
                return registers[compiled.result].load()
            except InterpreterError as error:
                raise ExpressionError(error.message) from None

    def _bind(self, program: Program, registers: Registers, view: View) -> None:
        """Give the global variables of an expression the values of those of the stopped run."""
        originals = {variable.name: variable for variable in view.program.variables}
        for variable in program.variables:
            original = originals.get(variable.name)
            is_memory = variable.storage in (StorageClass.Uniform, StorageClass.StorageBuffer)
            if original is not None and is_memory and not is_bound(view.registers[original.id]):
                original = None
            if original is None:
                is_empty = variable.storage == StorageClass.Private and not variable.initial
                if (is_empty or variable.storage in _BINDS) and not variable.name.startswith(_COUNTER):
                    raise ExpressionError(f"the entry point does not use `{variable.name}`, so that it has no value")
                continue
            value = view.registers[original.id]
            if isinstance(value, CellPointer):
                value = CellPointer(new_cells(variable.type, view.state.mask.count, value.load()))
            registers[variable.id] = value


def _given(words: set[str], view: View, level: Level | None) -> dict[str, tuple[HlslType, Any]]:
    """Return the variables that an expression mentions, with their types and values.

    They are those of the function, members of `this`, and system values of the stage, in this order.
    """
    variables, arguments = view.locals(level) if level is not None else ([], [])
    nodes = [*variables, *arguments]
    for this in [node for node in nodes if node.name == "this"]:
        nodes += map(this.child, range(this.count()))
        this.name = THIS
    nodes += [node for node in view.stage_variables() if node.name.startswith("SV_")]
    given: dict[str, tuple[HlslType, Any]] = {}
    for node in nodes:
        if node.name in words and node.name not in given:
            value = node.hlsl()
            if value is None:
                raise ExpressionError(f"`{node.name}` ({node.text(0)}) cannot be part of an expression")
            given[node.name] = value
    return given


def _program(data: bytes, count: int) -> Compiled:
    """Return the program whose entry point is the function of an expression with this many parameters."""
    module = decode(data)
    names = {inst.id(0): inst.text(1) for inst in module.names if inst.op == op.OpName}
    function = next(f for f in module.functions if names.get(f.id) == FUNCTION)
    module.entry_points.append(Instruction(op.OpEntryPoint, 0, 0, [ExecutionModel.GLCompute, function.id, FUNCTION]))
    try:
        program = Program(module, FUNCTION)
    except InterpreterError as error:
        raise ExpressionError(error.message) from None
    variables = [inst for inst in function.blocks[0].instructions if inst.op == op.OpVariable]
    result = next(inst.result_id for inst in variables if names.get(inst.result_id) == RESULT)
    parameters = [(names.get(inst.result_id, ""), inst.result_id) for inst in function.parameters]
    assert len(parameters) == count
    info = DebugInfo(program)
    debug = 0
    for part in info.assignments(function.id):
        if part.value == result:
            debug = info.operand(part.variable, 1)
    of = program.context.type_of(result).element
    assert of is not None
    return Compiled(program, function.id, parameters, result, TypeNames(info).of(of, debug))
