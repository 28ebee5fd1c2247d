"""Rich debug information: scopes, functions and variables (``-fspv-debug=rich``, ``vulkan`` and similar options).

OpenCL.DebugInfo.100 allows scopes before blocks, and declarations among the parameters.
NonSemantic.Shader.DebugInfo.100 requires all debug instructions of a function inside its blocks, after the variables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hlsl_tool.codegen.lower.core.function_names import spirv_name
from hlsl_tool.codegen.lower.debug_info.debug_types import DebugTypes, Where
from hlsl_tool.codegen.lower.debug_info.graph import FunctionTypeOf, Graph, Node, TypeOf
from hlsl_tool.codegen.lower.debug_info.instruction_lines import Line, LineLowering
from hlsl_tool.codegen.lower.debug_info.ref import Ref
from hlsl_tool.codegen.lower.debug_info.sources import source_pieces
from hlsl_tool.codegen.lower.debug_info.token_locations import Places
from hlsl_tool.codegen.lower.types.kinds import holds_resources
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model.annotations import vk_attribute
from hlsl_tool.frontend.sema.model.hir import CBuffer, Function, Program, Variable
from hlsl_tool.frontend.sema.model.source_chunk import SourceChunk
from hlsl_tool.frontend.sema.model.types import Struct, Type, innermost
from hlsl_tool.spirv import op, shader_debug
from hlsl_tool.spirv import opencl_debug as debug
from hlsl_tool.spirv.builder.debugging import DebugModuleBuilder
from hlsl_tool.spirv.builder.declarations import chop
from hlsl_tool.spirv.builder.limits import MAX_STRING
from hlsl_tool.spirv.enums import SourceLanguage
from hlsl_tool.spirv.ir import Block, Instruction, Operand

if TYPE_CHECKING:
    from hlsl_tool.base.options.compile_options import CompileOptions

_Flags = debug.DebugInfoFlags
_VERSION = 1
_DWARF = 4
_SETUP = "__dxc_setup"
"""The name by which debuggers recognise the wrapper of an entry point."""


class RichLowering(LineLowering):
    """Lowering that also records scopes and variables for debug information."""

    def __init__(
        self, program: Program, options: CompileOptions, builder: DebugModuleBuilder, stage: str, places: Places
    ) -> None:
        super().__init__(program, options, builder, stage, places)
        self.is_vulkan = options.debug_vulkan
        self.graph = Graph(builder, is_vulkan=self.is_vulkan)
        self._sources: dict[str, Node] = {}
        main = self.source_of(places.sources.files[0].name)
        self.unit = self.graph.add(debug.DebugCompilationUnit, _VERSION, _DWARF, main, SourceLanguage.HLSL)
        self._functions: dict[Function, Node] = {}
        self._struct_chunks: dict[Struct, SourceChunk | None] = {}
        self.types_of = DebugTypes(self, self.graph, self.unit, self._declared, self._functions)
        self.scopes: list[Node] = [self.unit]
        """The open scopes, from the compilation unit to the innermost block."""
        self._outer: list[list[Node]] = []
        self._definition: Node | None = None
        """The function with a pending DebugFunctionDefinition."""
        self._expression: Node | None = None
        self._heads: dict[int, list[Instruction]] = {}
        """Function → scope and declarations of parameters, which are written into its first block."""

    # ---- places

    def source_of(self, file: str) -> Node:
        """Return the DebugSource of a file, with its text if the options request it."""
        cached = self._sources.get(file)
        if cached is not None:
            return cached
        node = self._sources[file] = self.graph.add(debug.DebugSource, file)
        text = next((f.text for f in self.places.sources.files if f.name == file), "")
        if self.options.debug_source and text:
            pieces = source_pieces(text, self.options)
            if self.is_vulkan or len(pieces) == 1:  # OpenCL.DebugInfo.100 has no continuation, OpSource has one
                node.operands.append(pieces[0])
                node.rest = [[piece] for piece in pieces[1:]]
                node.rest_number = shader_debug.DebugSourceContinued
        return node

    def _where(self, chunk: SourceChunk | None, token: int) -> Where:
        if chunk is None:
            return Where(self._sources[self.places.sources.files[0].name])
        file, line, column = self.places.named(chunk, token)
        return Where(self.source_of(file), line, column)

    def _declared(self, declaration: object, token: int) -> Where:
        if isinstance(declaration, CBuffer):
            return self._where(declaration.chunk, token)
        if isinstance(declaration, Struct):
            return self._where(self._chunk_of(declaration), token)
        return self._where(None, 0)

    def _chunk_of(self, s: Struct) -> SourceChunk | None:
        """Return the top-level declaration that defines a struct; ``None`` if it is not found.

        It has the struct's keyword and name at the struct's position.
        """
        if s.is_anonymous:
            return s.chunk
        if s not in self._struct_chunks:
            name = s.template_name or s.name
            self._struct_chunks[s] = next(
                (
                    chunk
                    for chunk in self.places.sources.chunks
                    if s.pos < len(chunk.tokens)
                    and name == chunk.tokens[s.pos]
                    and s.pos
                    and chunk.tokens[s.pos - 1] == s.keyword
                ),
                None,
            )
        return self._struct_chunks[s]

    # ---- globals

    def globals_declared(self) -> None:
        members = self.block_members
        for g in dict.fromkeys(self.program.globals):  # a static member may be listed twice
            if isinstance(g, CBuffer):
                if g.members and g.members[0] in members:
                    self._global(g, g, members[g.members[0]][0], self.unit)
            elif g in self.globals and g not in members and not self._is_flattened(g) and not _is_block(g):
                self._global(g, g.type, self.globals[g].id, self.unit)

    def _is_flattened(self, g: Variable) -> bool:
        """Return whether a global is a struct with resources, which legalisation replaces by its members."""
        return self.flatten_resources and isinstance(innermost(g.type), Struct) and holds_resources(g.type)

    def _global(self, g: Variable | CBuffer, t: Type | CBuffer, variable: int, scope: Node) -> None:
        if g.chunk is None or not any(inst.result_id == variable for inst in self.b.variables):
            return
        where = self._where(g.chunk, g.pos)
        self.graph.add(
            debug.DebugGlobalVariable,
            g.name,
            where.source,
            where.line,
            where.column,
            scope,
            g.name,
            Ref(variable),
            _Flags.FlagIsDefinition,
            needs=[scope, where.source],
        ).type_of = TypeOf(self.b.type_id_of(variable), t)

    # ---- functions

    def wrapper_begun(self, f: Function) -> None:
        super().wrapper_begun(f)
        function = self._function(f, _SETUP, [])
        if self.is_vulkan:
            signature = "hlsl_tool"
            command = chop(f" {self.options.command_line}", MAX_STRING)[0]  # SPIR-V cannot continue it
            self.graph.add(shader_debug.DebugEntryPoint, function, self.unit, signature, command)
        self._begin_scope(function, [])
        self.noted.block_scopes[self.b.current_block] = function.id
        self._put_definition()

    def parameters_written(self, f: Function) -> None:
        super().parameters_written(f)
        function = self.b.function
        assert function is not None
        types: list[tuple[int, Type]] = []
        has_this = f.owner is not None and not f.is_static
        if has_this:
            assert f.owner is not None
            types.append((function.parameters[0].type_id, f.owner))
        own = function.parameters[has_this:]
        types += [(inst.type_id, p.type) for p, inst in zip(f.params, own, strict=True)]
        node = self._function(f, spirv_name(f), types)
        self._functions.setdefault(f, node)
        self._outer.append(self.scopes)
        declares: list[Instruction] = []
        if has_this:
            first = function.parameters[0]
            flags = _Flags.FlagArtificial | _Flags.FlagObjectPointer
            begin = self.spans.declaration(f.pos)
            line = self.line_at(begin)
            declares.append(self._declare_parameter("this", types[0], first.result_id, node, begin, flags, 1, line))
        for number, (p, inst) in enumerate(zip(f.params, own, strict=True), 1 + has_this):
            flags = _Flags.FlagIsLocal
            line = self.line_at(p.pos, (self.spans.declaration(p.pos), p.pos))
            declares.append(
                self._declare_parameter(
                    p.name, (inst.type_id, p.type), inst.result_id, node, p.pos, flags, number, line
                )
            )
        self._begin_scope(node, declares)

    def _function(self, f: Function, name: str, params: list[tuple[int, Type]]) -> Node:
        assert self.b.function is not None and self.chunk is not None and f.body is not None
        where = self._where(self.chunk, self.spans.declaration(f.pos))
        scope_line = self._where(self.chunk, f.body.pos).line
        own: list[Node | str | int] = [] if self.is_vulkan else [Ref(self.b.function.id)]
        node = self.graph.add(
            debug.DebugFunction,
            name,
            where.source,
            where.line,
            where.column,
            self.unit,
            "",
            _Flags.FlagIsPublic,
            scope_line,
            *own,
            needs=[self.unit, where.source],
        )
        result = self.b.function.definition.type_id
        node.type_of = FunctionTypeOf(TypeOf(result, f.return_type), tuple(TypeOf(*p) for p in params))
        return node

    def _declare_parameter(
        self,
        name: str,
        t: tuple[int, Type],
        variable: int,
        function: Node,
        token: int,
        flags: int,
        number: int,
        line: Line,
    ) -> Instruction:
        local = self._local(name, t, token, function, flags, [number])
        return self._instruction(debug.DebugDeclare, local.id, variable, self._no_expression().id, line=line)

    def _begin_scope(self, function: Node, declares: list[Instruction]) -> None:
        b = self.noted
        assert b.function is not None
        scope = self._instruction(debug.DebugScope, function.id)
        self.scopes = [self.unit, function]
        b.scope = function.id
        if self.is_vulkan:
            self._heads[b.function.id] = [scope, *declares]
        else:
            b.function.header.append((0, scope))
            b.function.header += [(len(b.function.parameters), inst) for inst in declares]
        self._definition = function

    def _put_definition(self) -> None:
        """Write the pending DebugFunctionDefinition of NonSemantic.Shader.DebugInfo.100."""
        assert self.b.function is not None and self._definition is not None
        if self.is_vulkan:
            self._emit(shader_debug.DebugFunctionDefinition, self._definition.id, self.b.function.id)
        self._definition = None

    # ---- blocks and variables

    def stmt(self, s: hir.Stmt) -> None:
        if isinstance(s, hir.DeclStmt):
            super().stmt(s)
            self._local_declared(s.var)
            return
        if not isinstance(s, hir.Block) or self.chunk is None or self.chunk.tokens[s.pos] != "{":
            super().stmt(s)
            return
        is_body = self.function is not None and s is self.function.body
        if is_body:
            self._put_definition()
        self.block_begun(s)
        super().stmt(s)
        self.block_ended(s)
        if is_body:
            self.scopes = self._outer.pop()

    def block_begun(self, s: hir.Stmt) -> None:
        if not isinstance(s, hir.Block):
            return
        where = self._where(self.chunk, s.pos)
        parent = self.scopes[-1]
        block = self.graph.add(
            debug.DebugLexicalBlock, where.source, where.line, where.column, parent, needs=[parent, where.source]
        )
        self.scopes.append(block)
        self._enter_scope(block)

    def block_ended(self, s: hir.Stmt) -> None:
        if not isinstance(s, hir.Block):
            return
        self.scopes.pop()
        self.noted.scope = self.scopes[-1].id
        if not self.b.is_terminated:
            self._emit(debug.DebugScope, self.scopes[-1].id)

    def _enter_scope(self, scope: Node) -> None:
        b = self.noted
        assert b.block is not None
        b.scope = scope.id
        if not b.block.instructions:
            b.block_scopes[b.block.label] = scope.id
        elif not b.is_terminated:
            self._emit(debug.DebugScope, scope.id)

    def _local_declared(self, v: Variable) -> None:
        if v.storage == "static_local" and v in self.globals:
            self._global(v, v.type, self.globals[v].id, self.scopes[-1])
        if v.storage == "static_local" or v not in self.locals:
            return
        variable = self.locals[v].id
        local = self._local(
            v.name, (self.b.type_id_of(variable), v.type), v.pos, self.scopes[-1], _Flags.FlagIsLocal, []
        )
        self._emit(debug.DebugDeclare, local.id, variable, self._no_expression().id)

    def _local(self, name: str, t: tuple[int, Type], token: int, scope: Node, flags: int, number: list[int]) -> Node:
        where = self._where(self.chunk, token)
        node = self.graph.add(
            debug.DebugLocalVariable,
            name,
            where.source,
            where.line,
            where.column,
            scope,
            flags,
            *number,
            needs=[scope, where.source],
        )
        node.type_of = TypeOf(*t)
        return node

    def _no_expression(self) -> Node:
        if self._expression is None:
            self._expression = self.graph.add(debug.DebugExpression)
        return self._expression

    # ---- instructions of functions

    def _instruction(self, number: int, *operands: int, line: Line | None = None) -> Instruction:
        words: list[Operand] = [self.graph.set, number, *operands]
        return Instruction(op.OpExtInst, self.b.void_type(), self.b.new_id(), words, line)

    def _emit(self, number: int, *operands: int) -> None:
        """Write a debug instruction into the current block; only declarations of variables have a position."""
        line = self.b.line if number == debug.DebugDeclare else None
        self.noted.append_instruction(self._instruction(number, *operands, line=line))

    # ---- the end

    def finished(self) -> None:
        """Write scopes at the beginnings of blocks, and the debug instructions outside of functions."""
        for function in self.b.functions:
            for index, block in enumerate(function.blocks):
                scope = self.noted.block_scopes.get(block.label)
                head = self._heads.get(function.id, []) if index == 0 else []
                self._place(block, head, scope)
        if self.is_vulkan:
            for file in self.places.sources.files:
                self.source_of(file.name)
            for name in self.places.files_used():
                self.source_of(name)
        self.types_of.finish()
        self.graph.write()
        super().finished()
        for name, node in self._sources.items():
            self.b.debug_sources[self.places.file(name)] = node.id

    def _place(self, block: Block, head: list[Instruction], scope: int | None) -> None:
        of_function = head[0].operands[2] if head else None
        if scope is not None and scope != of_function:
            head = [*head, self._instruction(debug.DebugScope, scope)]
        if self.is_vulkan:
            block.instructions[:0] = head
        elif head:
            self.b.block_heads[block.label] = head


def _is_block(g: Variable) -> bool:
    """Return whether a variable is a block of push constants or a shader record, which DXC does not describe."""
    return any(vk_attribute(g.attributes, name) for name in ("push_constant", "shader_record_ext", "shader_record_nv"))
