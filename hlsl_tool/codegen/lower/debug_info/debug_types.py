"""Debug types, created from a SPIR-V type (its layout) and an HLSL type (its declaration).

Vectors and matrices have instructions of their own, except in OpenCL.DebugInfo.100, where a matrix is a two-dimensional
array. Textures, samplers and buffers are opaque: classes without a size, whose name begins with ``@``.
"""

from __future__ import annotations

from collections.abc import Callable

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.codegen.layout.rules import extent
from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.debug_info.graph import FunctionTypeOf, Graph, Node, TypeOf
from hlsl_tool.codegen.lower.debug_info.ref import Ref
from hlsl_tool.frontend.sema.model.hir import CBuffer, Function
from hlsl_tool.frontend.sema.model.types import (
    MAX_SHORT_VECTOR,
    Array,
    Matrix,
    ObjectType,
    Scalar,
    Struct,
    Type,
    Vector,
    innermost,
)
from hlsl_tool.spirv import opencl_debug as debug
from hlsl_tool.spirv import shader_debug
from hlsl_tool.spirv.builder import Member, TypeInfo

_Encoding = debug.DebugBaseTypeAttributeEncoding
_PUBLIC = debug.DebugInfoFlags.FlagIsPublic
_OF_STRUCTS = frozenset(("ConstantBuffer", "TextureBuffer", "PointStream", "LineStream", "TriangleStream"))
"""Object types that are described as the struct they hold."""


@dataclass(slots=True)
class Where:
    """The source location of a declaration: DebugSource, line, column."""

    source: Node
    line: int = 0
    column: int = 0


class DebugTypes:
    """The DebugType… instructions of a module; one for each SPIR-V type."""

    def __init__(
        self,
        ctx: Lowering,
        graph: Graph,
        unit: Node,
        place: Callable[[object, int], Where],
        functions: dict[Function, Node],
    ) -> None:
        self.ctx = ctx
        self.graph = graph
        self.unit = unit
        self.place = place
        """Returns the source location of a token, given its declaration."""
        self.functions = functions
        self._types: dict[int, Node] = {}
        self._objects: dict[int, ObjectType] = {}
        self._bits: dict[int, int] = {}
        self._arrays: dict[int, tuple[Node, list[int]]] = {}
        self._listed: list[tuple[Node, list[Node]]] = []
        self._templates: list[Node] = []
        self._parameters: dict[int, Node] = {}
        self._signatures: dict[tuple[int, ...], Node] = {}
        self._none: Node | None = None

    def finish(self) -> None:
        """Resolve the debug type of every variable and function, and write the types.

        They are written after all other debug instructions, and members after their structure.
        """
        for node in self.graph.nodes:
            if isinstance(node.type_of, TypeOf):
                self._declare(node.type_of)
        for node in list(self.graph.nodes):
            source = node.type_of
            if source is not None:
                resolved = self.of(source.id, source.declared) if isinstance(source, TypeOf) else self.function(source)
                node.operands.insert(1, resolved)
                node.needs.insert(0, resolved)
        for node, members in self._listed:
            self.graph.nodes += [node, *members]
        self.graph.nodes += [*self._templates, *self._parameters.values()]

    def _declare(self, source: TypeOf) -> None:
        """Record the type that a resource was declared with: the last one of those with one SPIR-V type counts."""
        t = innermost(source.declared) if isinstance(source.declared, Array) else source.declared
        if isinstance(t, ObjectType):
            info = self.ctx.b.type_info(source.id)
            while info.kind in ("pointer", "array", "runtime_array"):
                info = info.elem
            self._objects[info.id] = t

    @property
    def none(self) -> Node:
        if self._none is None:
            self._none = self.graph.add(debug.DebugInfoNone)
        return self._none

    def of(self, type_id: int, t: Type | CBuffer | None) -> Node:
        """Return the debug type of a declaration with HLSL type ``t`` and SPIR-V type ``type_id``."""
        info = self.ctx.b.type_info(type_id)
        while info.kind == "pointer":
            info = info.elem
        cached = self._types.get(info.id)
        return cached if cached is not None else self._make(info, t)

    def bits(self, node: Node) -> int:
        """Return the size in bits of a type without layout, given its debug instruction."""
        return self._bits.get(id(node), 0)

    def function(self, f: FunctionTypeOf) -> Node:
        returned = self.ctx.b.type_info(f.result.id)
        back: Node | Ref = Ref(f.result.id) if returned.kind == "void" else self.of(f.result.id, f.result.declared)
        key = (f.result.id, *(p.id for p in f.params))
        if key not in self._signatures:
            operands = [self.of(p.id, p.declared) for p in f.params]
            signature = self.graph.node(debug.DebugTypeFunction, _PUBLIC, back, *operands)
            self._signatures[key] = self._list(signature)
        return self._signatures[key]

    def _list(self, node: Node) -> Node:
        self._listed.append((node, []))
        return node

    def _make(self, info: TypeInfo, t: Type | CBuffer | None) -> Node:
        kind = info.kind
        if kind in ("bool", "int", "float"):
            node = self._basic(info)
        elif kind == "vector":
            node = self._vector(info)
        elif kind == "matrix":
            node = self._matrix(info)
        elif kind in ("array", "runtime_array", "node_payload_array"):
            node = self._array(info, t)
        elif kind == "struct" and not isinstance(t, ObjectType):
            return self._composite(info, t)
        elif kind == "struct" and isinstance(t, ObjectType) and t.name in _OF_STRUCTS:
            return self._composite(info, t.element)
        else:
            return self._opaque(info, self._objects.get(info.id, t if isinstance(t, ObjectType) else None))
        self._types[info.id] = node
        return node

    def _basic(self, info: TypeInfo) -> Node:
        if info.kind == "bool":
            name, encoding, width = "bool", _Encoding.Boolean, 32
        elif info.kind == "float":
            name, encoding, width = "float", _Encoding.Float, info.width
        elif info.signed:
            name, encoding, width = "int", _Encoding.Signed, info.width
        else:
            name, encoding, width = "uint", _Encoding.Unsigned, info.width
        spelled = name if width == 32 else f"{name}{width}_t"
        flags = [0] if self.graph.is_vulkan else []
        node = self.graph.node(debug.DebugTypeBasic, spelled, width, encoding, *flags, sizes=frozenset((1,)))
        self._bits[id(node)] = width
        return self._list(node)

    def _vector(self, info: TypeInfo) -> Node:
        element = self.of(info.elem.id, None)
        if info.count > MAX_SHORT_VECTOR:
            return self._array_of(element, [info.count])
        node = self._list(self.graph.node(debug.DebugTypeVector, element, info.count))
        self._bits[id(node)] = self.bits(element) * info.count
        return node

    def _matrix(self, info: TypeInfo) -> Node:
        column = info.elem
        if self.graph.is_vulkan:
            vector = self.of(column.id, None)
            node = self._list(self.graph.node(shader_debug.DebugTypeMatrix, vector, info.count, 1))
            self._bits[id(node)] = self.bits(vector) * info.count
            return node
        return self._array_of(self.of(column.elem.id, None), [column.count, info.count])

    def _array(self, info: TypeInfo, t: Type | CBuffer | None) -> Node:
        inner = t.element if isinstance(t, Array) else None
        if isinstance(t, ObjectType):  # a patch, or an array of descriptors whose element is the declared type
            inner = t.element if t.name in ("InputPatch", "OutputPatch") else t
        element = self.of(info.elem.id, inner)
        if info.kind != "array" and not self.graph.is_vulkan:
            return element  # an array must have a length there, so only its element is described
        counts: list[int] = []
        if info.kind == "array" and id(element) in self._arrays:
            element, counts = self._arrays[id(element)]
        return self._array_of(element, [*counts, info.count if info.kind == "array" else 0])

    def _array_of(self, element: Node, counts: list[int]) -> Node:
        """Return a debug array type.

        ``counts`` lists the dimensions from the innermost, the instruction from the outermost.
        """
        sizes = frozenset(range(1, len(counts) + 1))
        node = self._list(self.graph.node(debug.DebugTypeArray, element, *reversed(counts), sizes=sizes))
        self._arrays[id(node)] = element, counts
        bits = self.bits(element)
        for count in counts:
            bits *= count
        self._bits[id(node)] = bits
        return node

    # ---- structures

    def _composite(self, info: TypeInfo, t: Type | CBuffer | None) -> Node:
        tag = debug.DebugCompositeType.Structure
        if isinstance(t, Struct) and t.keyword == "class":
            tag = debug.DebugCompositeType.Class
        where = self.place(t, t.pos if isinstance(t, (Struct, CBuffer)) else 0)
        name = info.name or (t.name if isinstance(t, (Struct, CBuffer)) else "")
        if isinstance(t, Struct) and t.is_anonymous:
            name = ""
        node = self.graph.node(
            debug.DebugTypeComposite,
            name,
            tag,
            where.source,
            where.line,
            where.column,
            self.unit,
            name,
            0,
            _PUBLIC,
            needs=[self.unit, where.source],
            sizes=frozenset((7,)),
        )
        self._types[info.id] = node
        members: list[Node] = []
        self._listed.append((node, members))
        end = 0
        for member, declared, at in _members(info, t):
            inner = info.member_types[member]
            entry = info.members[member]
            debug_type = self.of(inner.id, declared)
            laid_out = entry.offset is not None
            offset = entry.offset * 8 if entry.offset is not None else end
            size = 8 * self._laid_out_size(inner, entry, declared) if laid_out else self.bits(debug_type)
            place = self.place(t, at)
            members.append(self._member(node, entry.name, debug_type, place, offset, size))
            end = offset + size
        if self.graph.is_vulkan and isinstance(t, Struct):
            self._adopt_methods(t, node)
        node.operands[7] = end
        node.operands += members
        if self.graph.is_vulkan:
            node.needs += members
        self._bits[id(node)] = end
        return node

    def _laid_out_size(self, info: TypeInfo, entry: Member, declared: Type | None) -> int:
        """Return the size in bytes of a member in a type with layout; that of a struct is padded to its alignment."""
        if info.kind == "struct" and isinstance(declared, Struct):
            rule = self.ctx.types.rule_of(declared, info.id)
            if rule is not None:
                default = self.ctx.types.default_row_major
                return extent(declared, rule, default, default).size
        return _size(info, entry.matrix_stride, entry.row_major)

    def _member(self, owner: Node, name: str, t: Node, where: Where, offset: int, size: int) -> Node:
        parent = [] if self.graph.is_vulkan else [owner]
        first = 5 + len(parent)
        return self.graph.node(
            debug.DebugTypeMember,
            name,
            t,
            where.source,
            where.line,
            where.column,
            *parent,
            offset,
            size,
            _PUBLIC,
            needs=[t, owner, where.source],
            sizes=frozenset((first, first + 1)),
        )

    def _adopt_methods(self, s: Struct, node: Node) -> None:
        """Set the parent scope of the debug functions of a struct's called methods to its composite type, ``node``.

        The composite does not list them, as it may: the two would refer to each other, and RenderDoc ends at members
        that follow their composite.
        """
        for overloads in s.methods.values():
            for f in overloads:
                if not isinstance(f, Function):  # a template: calls name its instances
                    continue
                function = self.functions.get(self.ctx.program.definitions.get(f, f))
                if function is not None:
                    function.operands = [node if o is self.unit else o for o in function.operands]
                    function.needs = [n if n is not self.unit else node for n in function.needs]

    # ---- objects

    def _opaque(self, info: TypeInfo, t: ObjectType | None) -> Node:
        """Return the class for a texture, sampler or buffer.

        Wrap it in a template instance if it has an element type.
        """
        source = self.place(None, 0).source
        name = info.name or f"type.{info.kind}"
        node = self.graph.node(
            debug.DebugTypeComposite,
            f"@{name}",
            debug.DebugCompositeType.Class,
            source,
            0,
            0,
            self.unit,
            name,
            self.none,
            _PUBLIC,
            needs=[self.unit, source, self.none],
        )
        argument = self._argument(info, t)
        if argument is None:
            self._types[info.id] = node
            return self._list(node)
        self.graph.nodes.append(node)
        parameter = self.graph.node(
            debug.DebugTypeTemplateParameter, "TemplateParam", argument, self.none, source, 0, 0
        )
        self._parameters[parameter.id] = parameter
        template = self.graph.node(debug.DebugTypeTemplate, node, parameter)
        self._templates.append(template)
        self._types[info.id] = template
        return template

    def _argument(self, info: TypeInfo, t: ObjectType | None) -> Node | None:
        if t is None or not t.args or not isinstance(t.args[0], (Scalar, Vector, Matrix, Array, Struct)):
            return None
        if info.kind == "struct":  # a buffer: the element of its array, with layout
            inner = info.member_types[0] if info.members else info
            return self.of(inner.elem.id, t.element) if inner.kind == "runtime_array" else None
        return self.of(self.ctx.type(t.element), t.element)


def _members(info: TypeInfo, t: Type | CBuffer | None) -> list[tuple[int, Type | None, int]]:
    """Return (index, declared type, token of the name) of a structure's members, without inherited ones."""
    if isinstance(t, CBuffer):
        return [(i, m.type, m.pos) for i, m in enumerate(t.members[: len(info.members)])]
    if not isinstance(t, Struct):
        return [(i, None, 0) for i in range(len(info.members))]
    members: list[tuple[int, Type | None, int]] = []
    names = {f.name: f for f in t.fields}
    for i in range(min(len(t.bases), len(info.members)), len(info.members)):
        f = names.get(info.members[i].name)
        members.append((i, f.type if f is not None else None, f.pos if f is not None else 0))
    return members


def _size(info: TypeInfo, matrix_stride: int | None, row_major: bool | None) -> int:
    """Return the size in bytes of a member in a type with layout."""
    if info.kind in ("bool", "int", "float"):
        return (info.width or 32) // 8
    if info.kind == "vector":
        return _size(info.elem, None, None) * info.count
    if info.kind == "matrix":
        vectors = info.elem.count if row_major else info.count
        return (matrix_stride or _size(info.elem, None, None)) * vectors
    if info.kind == "array":
        return (info.stride or _size(info.elem, matrix_stride, row_major)) * info.count
    if info.kind == "struct" and info.members:
        last = info.members[-1]
        return (last.offset or 0) + _size(info.member_types[-1], last.matrix_stride, last.row_major)
    return 8 if info.kind == "pointer" else 0
