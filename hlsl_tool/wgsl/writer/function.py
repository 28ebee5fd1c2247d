"""Write one function: values, names and statements."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from hlsl_tool.spirv import op
from hlsl_tool.spirv.ir import Block, Function, Instruction
from hlsl_tool.wgsl.control_flow import regions as r
from hlsl_tool.wgsl.errors import Unsupported
from hlsl_tool.wgsl.module.uses import SKIPPED, Uses, is_transparent
from hlsl_tool.wgsl.writer.context import Context, Root
from hlsl_tool.wgsl.writer.expr import MAX_DEPTH, Expr
from hlsl_tool.wgsl.writer.registry import STATEMENTS, VALUES
from hlsl_tool.wgsl.writer.statements import Let, Line, Scope, Statement, Variable
from hlsl_tool.wgsl.writer.unique_names import Names


class FunctionWriter:
    """Writes the statements of a function.

    A value whose only use is in the region that defines it is written at that use (``pending``); others get a name. A
    value that reads memory is written before the next write at the latest (``flush``). Names are declared when the
    function is complete, because only then the scopes of all their uses are known.
    """

    def __init__(self, context: Context, function: Function) -> None:
        self.context = context
        self.view = context.view
        self.types = context.types
        self.constants = context.constants
        self.names = Names(context.names)
        self.function = function
        self.top = self.scope = Scope()
        self.values: dict[int, Expr] = {}
        self.variables: dict[int, Variable] = {}
        self.phis: dict[int, Variable] = {}
        self.flags: dict[int, Variable] = {}
        self.parameters: set[str] = set()
        """Names of parameters, whose values need no other name."""
        self.ballots: dict[int, tuple[Expr, Scope]] = {}
        """Ballot → (condition of each lane, scope)."""
        self.texels: dict[int, Expr] = {}
        """Pointer into a texel buffer → index."""
        self.pending: dict[int, Expr] = {}
        self.reading: dict[int, Instruction] = {}
        self.roots: dict[int, Root] = {}
        """Variables of this function."""
        self.final: set[int] = set()
        """Outputs whose only store is in front of the only return."""
        self.results: dict[int, Expr] = {}
        """Their values, once they are stored."""
        self.blocks: dict[int, Block] = {block.label: block for block in function.blocks}
        self.region_of: dict[int, r.Region] = {}
        self.uses: Uses
        self.copied_headers: set[int] = set()
        self.block = 0
        self.fragment = function.id in context.fragment
        self.current: Instruction | None = None

    # ---------------------------------------------------------------------------------------------------- statements

    def emit(self, statement: Statement) -> None:
        self.scope.statements.append(statement)

    def line(self, text: str) -> None:
        self.scope.statements.append(Line(text))

    def assign(self, target: str, value: str) -> None:
        self.scope.statements.append(Let(target, value, ""))

    @contextmanager
    def inside(self, scope: Scope) -> Iterator[Scope]:
        """Make ``scope`` the current one inside the `with` block."""
        outer, self.scope = self.scope, scope
        yield scope
        self.scope = outer

    def temporary(self, value: Expr, hint: str = "", head: str = "let ") -> Expr:
        """Declare a new name for an expression in the current scope, and return the name.

        The name resembles ``hint``, if given; ``head`` is the keyword of the declaration.
        """
        name = self.names.unique(hint, "v") if hint else self.names.numbered("v")
        self.emit(Let(name, value.text, head))
        return Expr(name, named=True)

    def repeatable(self, value: Expr) -> Expr:
        """Return an expression that may be written twice: a name or a literal."""
        return value if value.named else self.temporary(value)

    def hidden(self, value: Expr) -> Expr:
        """Return an expression that WGSL does not evaluate at compile time: a constant gets a name."""
        return self.temporary(value) if value.constant else value

    def flush(self) -> None:
        """Assign pending expressions that read memory to names, because memory is about to change."""
        if self.reading:
            waiting, self.reading = self.reading, {}
            for number, inst in waiting.items():
                self._name(inst, self.pending.pop(number))

    # --------------------------------------------------------------------------------------------------------- values

    def expr(self, value: int) -> Expr:
        expression = self.pending.pop(value, None)
        if expression is not None:
            self.reading.pop(value, None)
            return expression
        variable = self.variables.get(value)
        if variable is not None:
            variable.mention(self.scope)
            return Expr(variable.name, named=True)
        expression = self.values.get(value)
        if expression is not None:
            return expression
        expression = self.constants.expr(value)
        if expression is not None:
            return expression
        inst = self.view.defs[value]
        if is_transparent(self.view, inst) and inst.op == op.OpCopyObject:
            return self.expr(inst.id(0))
        if inst.op in (op.OpVariable, op.OpFunctionParameter) or is_transparent(self.view, inst):
            raise Unsupported("a pointer or handle is used as a plain value", value)
        raise Unsupported("a value is used before it is defined", value)

    def exprs(self, values: list[int]) -> list[Expr]:
        return [self.expr(value) for value in values]

    def define(self, inst: Instruction, value: Expr) -> None:
        """Define an instruction's value: as an expression written at its use, or as a name."""
        number = inst.result_id
        if value.text in self.parameters:
            value.named = True
        if value.alias or (value.named and (value.constant or value.text in self.parameters)):
            self.values[number] = value
            return
        uses = self.uses
        where = uses.where.get(number, -1)
        if (
            uses.count.get(number, 0) == 1
            and where != -1
            and self.region_of.get(where) is self.region_of.get(self.block)
            and value.depth < MAX_DEPTH
        ):
            self.pending[number] = value
            if value.reads:
                self.reading[number] = inst
            return
        literal = self._folded(number) if value.constant else None
        if literal is not None:
            self.values[number] = literal
        else:
            self._name(inst, value)

    def _folded(self, number: int) -> Expr | None:
        """Return the literal for a value that is a constant; ``None`` for other values and for composites."""
        constant = self.context.folder.constant(number)
        literal = self.constants.expr(constant) if constant else None
        return literal if literal is not None and literal.named else None

    def define_now(self, inst: Instruction, value: Expr) -> None:
        """Write an instruction with a side effect: as a named value, or as a statement if the result is unused."""
        self.flush()
        if self.uses.count.get(inst.result_id, 0):
            self._name(inst, value)
        else:
            self.line(f"{value.text};")

    def _name(self, inst: Instruction, value: Expr) -> None:
        number = inst.result_id
        name = self.value_name(number)
        let = Let(name, value.text)
        self.variables[number] = Variable(
            name, inst.type_id, self.scope, len(self.scope.statements), let=let, defined=self.scope
        )
        self.emit(let)

    def value_name(self, number: int) -> str:
        hint = self.view.names.get(number, "")
        return self.names.unique(hint, "v") if hint else self.names.numbered("v")

    # ------------------------------------------------------------------------------------------------------ variables

    def root(self, variable: int) -> Root:
        """Return the name and representation of a variable or pointer parameter.

        Declare a local one at the first request.
        """
        root = self.roots.get(variable)
        if root is not None:
            owner = self.variables.get(variable)
            if owner is not None:
                owner.mention(self.scope)
            return root
        root = self.context.roots.get(variable)
        if root is not None:
            return root
        inst = self.view.defs[variable]
        if inst.op != op.OpVariable or variable not in self.uses.block_of:
            raise Unsupported("a variable of this storage class is not supported", variable)
        name = self.value_name(variable)
        root = self.roots[variable] = Root(name, self.view.pointee(inst.type_id), "function")
        initial = ""
        if inst.operands[1:]:
            initial = self.expr(inst.id(1)).text
        self.local(variable, name, root.type_id, initial)
        return root

    def local(self, key: int, name: str, kind: int | str, initial: str = "") -> Variable:
        declared = self.variables[key] = Variable(
            name, kind, self.scope, len(self.scope.statements), stays=True, initial=initial
        )
        return declared

    def phi(self, number: int) -> Variable:
        variable = self.phis.get(number)
        if variable is None:
            inst = self.view.defs[number]
            if self.view.type(inst.type_id).op == op.OpTypePointer:
                raise Unsupported("WGSL has no pointers that are chosen at run time", number)
            if self.uses.block_of[number] in self.copied_headers:
                name = self.names.unique(f"{self.view.names.get(number, '')}_next", "next")
            else:
                name = self.value_name(number)
            variable = self.phis[number] = Variable(name, inst.type_id, self.scope, len(self.scope.statements))
        else:
            variable.mention(self.scope)
        return variable

    def flag(self, flag: r.Flag) -> str:
        variable = self.flags.get(id(flag))
        if variable is None:
            name = self.names.unique(flag.hint, flag.hint)
            variable = Variable(name, "i32" if flag.numeric else "bool", self.scope, len(self.scope.statements))
            self.flags[id(flag)] = variable
        else:
            variable.mention(self.scope)
        return variable.name

    def end(self, inst: Instruction) -> None:
        """Write a terminator that ends the function or the invocation; implemented by `BodyWriter`."""
        raise NotImplementedError

    def declare(self) -> None:
        """Write the remaining declarations of names at the end of the function."""
        every = [*self.variables.values(), *self.phis.values(), *self.flags.values()]
        for variable in dict.fromkeys(every):
            variable.declare(self.types.spell)

    # --------------------------------------------------------------------------------------------------- instructions

    def instructions(self, label: int) -> None:
        """Write a block's instructions without phis, merge instruction and terminator."""
        self.block = label
        block = self.blocks[label]
        live = self.uses.live
        for inst in block.instructions[:-1]:
            opcode = inst.op
            if opcode == op.OpPhi:
                if inst.result_id in live:
                    self._phi(inst, label)
                continue
            if opcode in SKIPPED or (inst.result_id and inst.result_id not in live):
                continue
            self.current = inst
            if is_transparent(self.view, inst):
                continue
            handler = VALUES.get(opcode)
            if handler is not None:
                self.define(inst, handler(self, inst))
                continue
            statement = STATEMENTS.get(opcode)
            if statement is None:
                raise Unsupported("the instruction has no equivalent in WGSL")
            statement(self, inst)

    def _phi(self, inst: Instruction, label: int) -> None:
        variable = self.phi(inst.result_id)
        if label in self.copied_headers:
            self._name(inst, Expr(variable.name))
        else:
            self.variables[inst.result_id] = variable
