"""Signatures of functions: the semantics of their inputs and results, by the syntax tree."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.frontend.syntax import ast

STREAMS = ("PointStream", "LineStream", "TriangleStream")
PATCHES = ("InputPatch", "OutputPatch")
PRIMITIVES = ("point", "line", "triangle", "lineadj", "triangleadj")
MAX_DEPTH = 16
"""Limit on nested structs."""

RESULTS = {
    "SV_TARGET": "ps", "SV_DEPTH": "ps", "SV_DEPTHGREATEREQUAL": "ps", "SV_DEPTHLESSEQUAL": "ps", "SV_COVERAGE": "ps",
    "SV_STENCILREF": "ps", "SV_POSITION": "vs",
}  # fmt: skip
"""System value of a result → stage, most telling first."""

INPUTS = {
    "SV_DISPATCHTHREADID": "cs", "SV_GROUPID": "cs", "SV_GROUPINDEX": "cs", "SV_GROUPTHREADID": "cs",
    "SV_VERTEXID": "vs", "SV_INSTANCEID": "vs", "SV_ISFRONTFACE": "ps", "SV_SAMPLEINDEX": "ps", "SV_BARYCENTRICS": "ps",
}  # fmt: skip
"""System value of an input → stage."""


@dataclass(slots=True)
class Signature:
    """The semantics of a function, in capitals without numbers."""

    inputs: list[str] = field(default_factory=list)
    results: list[str] = field(default_factory=list)
    is_complete: bool = True
    """Whether each parameter, and the result, has a semantic."""
    has_patch: bool = False
    has_stream: bool = False

    def system_value(self) -> tuple[str, str]:
        """Return (stage, semantic) of the system value that gives the stage; two empty texts if none does."""
        if self.has_stream:
            return "gs", "a stream of primitives"
        for table, semantics in ((RESULTS, self.results), (INPUTS, self.inputs)):
            for semantic, stage in table.items():
                if semantic in semantics:
                    return stage, semantic
        return "", ""


class Structs:
    """The structs and type names of a translation unit, by name."""

    def __init__(self, declarations: Iterable[ast.Decl]) -> None:
        self.structs: dict[str, ast.StructDecl] = {}
        self.aliases: dict[str, ast.TypeRef] = {}
        for declaration in declarations:
            if isinstance(declaration, ast.StructDecl):
                if declaration.members is not None:
                    self.structs[declaration.name] = declaration
            elif isinstance(declaration, ast.TypedefDecl):
                for declarator in declaration.declarators:
                    self.aliases[declarator.name] = declaration.type
            elif isinstance(declaration, ast.UsingDecl) and declaration.type is not None:
                self.aliases[declaration.name] = declaration.type

    def signature(self, function: ast.FunctionDecl) -> Signature:
        """Return the signature of a function."""
        signature = Signature()
        for parameter in function.params:
            if "uniform" not in parameter.quals:
                self._add_parameter(signature, parameter)
        if _name(function.return_type) != "void":
            self._add(signature, signature.results, function.return_type, function.annotations)
        return signature

    def _add_parameter(self, signature: Signature, parameter: ast.Param) -> None:
        name = _name(parameter.type)
        signature.has_patch = signature.has_patch or name in PATCHES
        if name in STREAMS or not set(parameter.quals).isdisjoint(PRIMITIVES):
            signature.has_stream = True
        if name in (*PATCHES, *STREAMS) or not {"primitive", "vertices", "indices", "payload"}.isdisjoint(
            parameter.quals
        ):
            return
        is_result = not {"out", "inout"}.isdisjoint(parameter.quals)
        semantics = signature.results if is_result else signature.inputs
        self._add(signature, semantics, parameter.type, parameter.annotations)

    def _add(
        self, signature: Signature, semantics: list[str], type_: ast.TypeRef, annotations: list[ast.Annotation]
    ) -> None:
        names = list(self._semantics(type_, annotations, MAX_DEPTH))
        semantics += [name for name in names if name]
        signature.is_complete = signature.is_complete and "" not in names

    def _semantics(self, type_: ast.TypeRef, annotations: list[ast.Annotation], depth: int) -> Iterator[str]:
        """Yield the semantics of a value; an empty text for each part without one."""
        own = next((note.name for note in annotations if isinstance(note, ast.Semantic)), "")
        struct = self._struct(type_)
        if own or struct is None or depth == 0:
            yield re.sub(r"\d+$", "", own.upper())
            return
        for base in struct.bases:
            yield from self._semantics(base, [], depth - 1)
        for member in struct.members or ():
            if isinstance(member, ast.VarDecl) and "static" not in member.quals:
                for declarator in member.declarators:
                    yield from self._semantics(member.type, declarator.annotations, depth - 1)

    def _struct(self, type_: ast.TypeRef) -> ast.StructDecl | None:
        for _ in range(MAX_DEPTH):
            if isinstance(type_, ast.InlineType):
                return type_.decl if isinstance(type_.decl, ast.StructDecl) else None
            name = _name(type_)
            if name in self.structs:
                return self.structs[name]
            if name not in self.aliases:
                return None
            type_ = self.aliases[name]
        return None


def _name(type_: ast.TypeRef) -> str:
    return type_.parts[-1].name if isinstance(type_, ast.NamedType) else ""
