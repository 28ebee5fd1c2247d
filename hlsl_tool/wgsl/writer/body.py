"""Write a function as text: its signature, statements and returns."""

from __future__ import annotations

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.spirv import op
from hlsl_tool.spirv.analysis.uses import used_ids
from hlsl_tool.spirv.ir import Block, Function, Instruction
from hlsl_tool.wgsl.control_flow.regions import Code, children
from hlsl_tool.wgsl.errors import Unsupported
from hlsl_tool.wgsl.module.uses import SKIPPED, Uses, has_effect
from hlsl_tool.wgsl.module.view import HANDLES
from hlsl_tool.wgsl.writer.context import Context, Root
from hlsl_tool.wgsl.writer.expr import Expr
from hlsl_tool.wgsl.writer.flow import write_region
from hlsl_tool.wgsl.writer.function import FunctionWriter
from hlsl_tool.wgsl.writer.local_names import reuse_names
from hlsl_tool.wgsl.writer.printer import INDENT, print_scope
from hlsl_tool.wgsl.writer.statements import IfStatement, Line, Scope, SwitchStatement
from hlsl_tool.wgsl.writer.unique_names import Names

JUMPS = ("return", "break;", "continue;")


@dataclass(slots=True)
class Entry:
    """The parts of an entry point's text that other functions do not have."""

    names: Names
    """The function's names, which include those of its inputs and outputs."""
    attributes: str
    parameters: list[str]
    result: str
    """The type after ``->``, with its attributes; empty without a result."""
    direct: set[str] = field(default_factory=set)
    """Parameters that are inputs without a variable."""
    prologue: list[str] = field(default_factory=list)
    roots: dict[int, Root] = field(default_factory=dict)
    """Inputs and outputs that are variables or parameters of this function."""
    locals: dict[int, tuple[str, int, str]] = field(default_factory=dict)
    """Key of an input or output that is a local variable → (name, type, initial value)."""
    pieces: list[tuple[int, str, str]] = field(default_factory=list)
    """The result's parts: (key of the variable or 0, expression, format of an expression in place of the variable)."""
    constructor: str = ""


class BodyWriter(FunctionWriter):
    """Writes the text of one function."""

    def __init__(self, context: Context, function: Function, entry: Entry | None = None) -> None:
        super().__init__(context, function)
        self.entry = entry
        if entry is not None:
            self.names = entry.names
        self.returns_void = self.view.type(function.definition.type_id).op == op.OpTypeVoid

    def write(self) -> str:
        """Return the text of the function."""
        structure = self.context.structure(self.function)
        self.copied_headers = structure.copied_headers
        self.uses = Uses(self.view, self.function, structure.predecessors)
        pending = [structure.root]
        while pending:
            region = pending.pop()
            for item in region.items:
                if isinstance(item, Code):
                    self.region_of[item.block] = region
                pending += children(item)
        self.final = self._final_stores()
        head = self._entry_head() if self.entry is not None else self._head()
        write_region(self, structure.root)
        self._finish()
        self.declare()
        out: list[str] = []
        print_scope(self.top, out, INDENT)
        text = f"{head} {{\n{''.join(out)}}}\n"
        return reuse_names(text, self.names.numbered_names, self.context.names.used)

    def _finish(self) -> None:
        """Remove a trailing `return;`, or add the return that WGSL requires at the end."""
        statements = self.top.statements
        last = statements[-1] if statements else None
        if isinstance(last, Line) and last.text == "return;":
            statements.pop()
        elif not self.returns_void or (self.entry is not None and self.entry.pieces):
            self._close(self.top)

    def _close(self, scope: Scope) -> None:
        """Add a return wherever a scope may end, for WGSL: the module does not get there.

        So it is after endless loops, not all of which every WGSL compiler recognises, and after the last stage of a
        switch with fallthrough.
        """
        last = scope.statements[-1] if scope.statements else None
        if isinstance(last, IfStatement) and last.otherwise.statements:
            self._close(last.then)
            self._close(last.otherwise)
        elif isinstance(last, SwitchStatement):
            for _, case in last.cases:
                self._close(case)
        elif not (isinstance(last, Line) and last.text.startswith(JUMPS)):
            with self.inside(scope):
                self.leave()

    def _final_stores(self) -> set[int]:
        """Return the outputs that are only stored, once as a whole before each return."""
        entry, blocks = self.entry, self.function.blocks
        returns = [block for block in blocks if block.instructions[-1].op == op.OpReturn]
        if entry is None or not returns:
            return set()
        final = {key for key, _, form in entry.pieces if form and key in entry.locals}
        own: set[int] = set()
        for block in returns:
            stores = self._last_stores(block, final)
            own |= {id(store) for store in stores.values()}
            final &= stores.keys()
        if final:
            for inst in self.function.instructions():
                final.difference_update(used_ids(inst)[1 if id(inst) in own else 0 :])
        return final

    def _last_stores(self, block: Block, outputs: set[int]) -> dict[int, Instruction]:
        """Return output → its store at the end of a block, behind which nothing else is written."""
        stores: dict[int, Instruction] = {}
        for inst in reversed(block.instructions[:-1]):
            if inst.op == op.OpStore and inst.id(0) in outputs and inst.id(0) not in stores:
                stores[inst.id(0)] = inst
            elif inst.op not in SKIPPED and has_effect(self.view, inst):
                break
        return stores

    def _head(self) -> str:
        parameters: list[str] = []
        for inst in self.function.parameters:
            hint = self.view.names.get(inst.result_id, "")
            suffix = "_in" if inst.result_id in self._copied_parameters() else ""
            name = self.names.unique(f"{hint}{suffix}", "p")
            if self.view.type(inst.type_id).op in HANDLES:
                parameters.append(f"{name}: {self.context.handles.parameter(inst.result_id, name)}")
                continue
            spelled = self.types.spell(inst.type_id)
            if self.view.is_pointer(inst.type_id):
                self.roots[inst.result_id] = Root(name, self.view.pointee(inst.type_id), "function")
            self.values[inst.result_id] = Expr(name, named=True)
            parameters.append(f"{name}: {spelled}")
        arrow = "" if self.returns_void else f" -> {self.types.spell(self.function.definition.type_id)}"
        return f"fn {self.context.functions[self.function.id]}({', '.join(parameters)}){arrow}"

    def _copied_parameters(self) -> set[int]:
        """Return the parameters that are stored in a variable of the same name, because the function changes them."""
        names, parameters = self.view.names, {inst.result_id for inst in self.function.parameters}
        return {
            inst.id(1)
            for inst in self.function.blocks[0].instructions
            if inst.op == op.OpStore and inst.id(1) in parameters and names.get(inst.id(0)) == names.get(inst.id(1))
        }

    def _entry_head(self) -> str:
        entry = self.entry
        assert entry is not None
        self.roots.update(entry.roots)
        self.parameters = entry.direct
        for key, (name, kind, initial) in entry.locals.items():
            if key not in self.final:
                self.local(key, name, kind, initial)
        for text in entry.prologue:
            self.line(text)
        arrow = f" -> {entry.result}" if entry.result else ""
        name = self.context.functions[self.function.id]
        return f"{entry.attributes}\nfn {name}({', '.join(entry.parameters)}){arrow}"

    # -------------------------------------------------------------------------------------------------------- returns

    def end(self, inst: Instruction) -> None:
        """Write a terminator that ends the function or the invocation."""
        self.current = inst
        if inst.op == op.OpReturnValue:
            value = self.expr(inst.id(0))
            self.line(f"return {value.text};")
            return
        if inst.op in (op.OpKill, op.OpTerminateInvocation):
            self.line("discard;")
        elif inst.op not in (op.OpReturn, op.OpUnreachable):
            raise Unsupported("the instruction has no equivalent in WGSL")
        self.leave(returns=inst.op == op.OpReturn)

    def leave(self, *, returns: bool = False) -> None:
        """Write a return statement.

        ``returns``: the module also returns here, so that the results are written. Otherwise, as after a discard, WGSL
        requires a return that the module does not have, and zeros are returned.
        """
        entry = self.entry
        if entry is not None and entry.pieces:
            parts: list[str] = []
            for key, text, form in entry.pieces:
                if key in self.final:
                    result = self.results[key] if returns else self.constants.zero(entry.locals[key][1])
                    text = form.format(result.text)
                elif key:
                    variable = self.variables.get(key)
                    if variable is not None:
                        variable.mention(self.scope)
                parts.append(text)
            value = f"{entry.constructor}({', '.join(parts)})" if entry.constructor else parts[0]
            self.line(f"return {value};")
        elif self.returns_void:
            self.line("return;")
        else:
            self.line(f"return {self.constants.zero(self.function.definition.type_id).text};")
