"""Partial and explicit specialisations: which of them matches the arguments."""

from __future__ import annotations

from collections.abc import Sequence

from hlsl_tool.sema.context import Context
from hlsl_tool.sema.scope import Specialization, StructTemplate, VariableTemplate
from hlsl_tool.sema.source_chunk import SourceChunk
from hlsl_tool.sema.templates.arguments import Bindings, Declared, within
from hlsl_tool.sema.templates.deduction import Deduction
from hlsl_tool.syntax import ast


def match_specialization(
    ctx: Context,
    special: Specialization,
    params: Sequence[ast.TemplateParam] | None,
    patterns: Sequence[ast.TemplateArg] | None,
    pos: int,
    key: tuple[object, ...],
) -> Bindings | None:
    """Return the bindings under which the patterns of a specialisation match ``key``; ``None`` if they do not."""
    params = params or ()
    deduction = Deduction(within(ctx, special, {}, pos), {p.name for p in params})
    for pattern, value in zip(patterns or (), key, strict=False):
        if not deduction.unify(pattern, value):
            return None
    return deduction.bindings if all(p.name in deduction.bindings for p in params) else None


def keeps_instance(t: StructTemplate | VariableTemplate, place: Declared) -> bool:
    """Return whether an instance of ``place`` is the same as before the last specialisation was declared.

    Then declarations in front of the specialisation and behind it have one type.  A definition that uses other
    instances of its own template, as recursive ones do, may depend on the specialisation.
    """
    if t.earlier is None or (isinstance(t, StructTemplate) and t.members) or place is t.specializations[-1]:
        return False
    return not _uses_own_template(place.chunk, place.decl.pos, t.name)


def _uses_own_template(chunk: SourceChunk, start: int, name: str) -> bool:
    """Return whether the definition at a token contains ``name<`` behind its own name."""
    depth, is_own = 0, True
    for at in range(start, len(chunk.tokens) - 1):
        token = chunk.tokens[at]
        if token == name:
            if chunk.tokens[at + 1] == "<" and not is_own:
                return True
            is_own = False
        depth += (token == "{") - (token == "}")
        if depth == 0 and token in ("}", ";"):
            break
    return False
