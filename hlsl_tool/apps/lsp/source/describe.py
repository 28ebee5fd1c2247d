"""Format types and declarations as HLSL text."""

from __future__ import annotations

from hlsl_tool.apps.lsp.source.analysis import Analysis
from hlsl_tool.apps.lsp.source.references import Declaration
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.syntax import ast
from hlsl_tool.frontend.syntax.chunks import Chunk

LONGEST = 400
"""Longest text of a declaration, in characters."""


def function_signature(function: hir.Function) -> str:
    """Return the signature of a function: ``float3 shade(Surface s, inout float k)``."""
    scope = f"{function.owner.display_name}::" if function.owner is not None else ""
    scope = scope or (f"{function.scope}::" if function.scope else "")
    parameters = ", ".join(map(parameter, function.params))
    return f"{ty.display(function.return_type)} {scope}{function.name}({parameters})"


def parameter(p: hir.Param) -> str:
    """Return the declaration of a parameter: ``inout float3 name``."""
    direction = f"{p.direction} " if p.direction != "in" else ""
    return f"{direction}{declared(p.type, p.name)}"


def declared(t: ty.Type, name: str) -> str:
    """Return ``type name``, with array dimensions after the name."""
    shown = ty.display(t)
    if isinstance(t, ty.Array) and shown.endswith("]"):
        at = shown.index("[")
        return f"{shown[:at]} {name}{shown[at:]}"
    return f"{shown} {name}".rstrip()


def text_of(chunk: Chunk, first: int, last: int) -> str:
    """Return tokens as text with usual spacing."""
    out: list[str] = []
    for token in chunk.tokens[first : last + 1]:
        if out and not _joins(out[-1], token):
            out.append(" ")
        out.append(token)
    text = "".join(out)
    return text if len(text) <= LONGEST else text[:LONGEST] + " …"


_TIGHT_BEFORE = frozenset((",", ";", ")", "]", "[", "(", ".", "::", ">", "++", "--"))
_TIGHT_AFTER = frozenset(("(", "[", ".", "::", "<", "!", "~"))


def _joins(left: str, right: str) -> bool:
    if right == "(":
        return left.isidentifier()
    return right in _TIGHT_BEFORE or left in _TIGHT_AFTER or (right == "<" and left[:1].isupper())


def written(declaration: Declaration) -> str:
    """Return a declaration as in the source, without bodies and initialisers."""
    chunk = declaration.chunk
    assert isinstance(chunk, Chunk)
    node, last = declaration.node, declaration.last
    if isinstance(node, ast.FunctionDecl):
        last = node.body.pos - 1 if node.body is not None else last
    elif isinstance(node, (ast.StructDecl, ast.NamespaceDecl, ast.CBufferDecl, ast.EnumDecl)):
        return _header(declaration)
    elif isinstance(node, ast.Declarator) and node.init is not None and "=" in chunk.tokens[declaration.pos : last]:
        is_long = last - declaration.pos > _LONG_INITIALISER
        last = chunk.tokens.index("=", declaration.pos) - 1 if is_long else last
    elif isinstance(node, ast.TemplateParam):
        return f"typename {node.name}" if node.type is None else node.name
    first = (
        max(declaration.first, _behind(chunk, declaration.pos)) if isinstance(node, ast.Param) else declaration.first
    )
    return text_of(chunk, first, last).rstrip(";")


_LONG_INITIALISER = 24
"""Number of tokens from which an initialiser is left out."""


def _behind(chunk: Chunk, pos: int) -> int:
    """Return the index of the first token of the parameter whose name is the token ``pos``.

    This is the token after the nearest ``(`` or ``,`` before the name that is not nested in brackets.
    """
    depth = 0
    for at in range(pos - 1, -1, -1):
        token = chunk.tokens[at]
        depth += (token in (")", ">", "]")) - (token in ("(", "<", "["))
        if depth < 0 or (depth == 0 and token == ","):
            return at + 1
    return 0


def _header(declaration: Declaration) -> str:
    name = declaration.qualified
    if isinstance(declaration.node, ast.StructDecl):
        bases = ", ".join("::".join(p.name for p in base.parts) for base in declaration.node.bases)
        template = "template<…> " if declaration.node.template is not None else ""
        return f"{template}{declaration.kind} {name}" + (f" : {bases}" if bases else "")
    return f"{declaration.kind} {name}"


def type_of(analysis: Analysis, declaration: Declaration) -> ty.Type | None:
    """Return the type of a declared variable; ``None`` if the analysis has no type for it."""
    if declaration.kind == "field":
        f = field_of(analysis, declaration)
        return f.type if f is not None else None
    variable = analysis.typed.variable(declaration.chunk, declaration.pos)
    return variable.type if variable is not None else None


def struct_of(analysis: Analysis, declaration: Declaration) -> ty.Struct | None:
    """Return the struct that a declaration declares, for a template its first instance; ``None`` if there is none."""
    for struct in analysis.program.structs:
        if struct.chunk is declaration.chunk and struct.pos == declaration.pos:
            return struct
    return None


def field_of(analysis: Analysis, declaration: Declaration) -> ty.Field | None:
    """Return the field that a declaration in a struct declares; ``None`` if it declares no field."""
    struct = struct_of(analysis, declaration.owner) if declaration.owner is not None else None
    fields = struct.fields if struct is not None else ()
    return next((f for f in fields if f.pos == declaration.pos), None)
