"""Partial and explicit specialisations: which one matches the template arguments."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hlsl_tool.base.diagnostics.catalogue import language
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.hir import Function
from hlsl_tool.frontend.sema.model.instances import Instance, Raw
from hlsl_tool.frontend.sema.model.source_chunk import SourceChunk
from hlsl_tool.frontend.sema.model.types import Struct
from hlsl_tool.frontend.sema.rules import type_names
from hlsl_tool.frontend.sema.rules.templates.arguments import TYPES, Bindings, Declared, within
from hlsl_tool.frontend.sema.rules.templates.deduction import Deduction
from hlsl_tool.frontend.sema.scope.context import Context, Poisoned
from hlsl_tool.frontend.sema.scope.scopes import (
    Binding,
    FunctionTemplate,
    Specialization,
    StructTemplate,
    VariableTemplate,
)
from hlsl_tool.frontend.syntax import ast


def match_specialization(
    ctx: Context,
    special: Specialization,
    params: Sequence[ast.TemplateParam] | None,
    patterns: Sequence[ast.TemplateArg] | None,
    pos: int,
    key: tuple[object, ...],
) -> Bindings | None:
    """Return the bindings with which the patterns of a specialisation match the arguments ``key``.

    ``None`` if they do not.
    """
    params = params or ()
    deduction = Deduction(within(ctx, special, {}, pos), {p.name for p in params})
    for pattern, value in zip(patterns or (), key, strict=False):
        if not deduction.unify(pattern, value):
            return None
    return deduction.bindings if all(p.name in deduction.bindings for p in params) else None


def explicit_key(
    ctx: Context, params: Sequence[ast.TemplateParam] | None, args: Sequence[ast.TemplateArg] | None
) -> tuple[object, ...] | None:
    """Return the arguments of an explicit specialisation; ``None`` for a partial one or invalid arguments."""
    if params:
        return None
    before = ctx.mark()
    try:
        return tuple(type_names.template_argument(ctx, a)[0] for a in args or ())
    except Poisoned:  # reported where the arguments are matched
        ctx.forget(before)
        return None


def used_too_early(templates: Iterable[Binding], instances: Iterable[Instance]) -> list[Raw]:
    """Return an error for each explicit specialisation that is declared after its arguments were used.

    In that case an instance of another definition exists for the same arguments.
    """
    results: dict[tuple[str, tuple[object, ...]], list[Struct | Function]] = {}
    for made in (instance.result for instance in instances):
        if isinstance(made, (Struct, Function)):
            results.setdefault((made.name, made.template_args or ()), []).append(made)
    errors: dict[tuple[SourceChunk, int], Raw] = {}
    for t in (t for template in templates for t in (template if isinstance(template, tuple) else (template,))):
        if isinstance(t, StructTemplate):
            for special in t.specializations:
                own = special.chunk, special.decl.pos
                structs = (s for s in results.get((t.name, special.key or ()), ()) if isinstance(s, Struct))
                if any((s.chunk, s.pos) != own and s.scope == t.scope.namespace for s in structs):
                    errors[own] = _too_late(t.name, special.key or (), *own)
        elif isinstance(t, FunctionTemplate):
            for key, f in t.specializations:
                functions = (g for g in results.get((t.name, key), ()) if isinstance(g, Function))
                if f.chunk is not None and any((g.chunk, g.pos) == (t.chunk, t.decl.pos) for g in functions):
                    errors[f.chunk, f.pos] = _too_late(t.name, key, f.chunk, f.pos)
    return list(errors.values())


def _too_late(name: str, key: tuple[object, ...], chunk: SourceChunk, pos: int) -> Raw:
    arguments = (ty.display(x) if isinstance(x, TYPES) else str(x) for x in key)
    return Raw(language.SPECIALIZED_TOO_LATE, pos, {"name": f"{name}<{', '.join(arguments)}>"}, chunk)


def keeps_instance(t: StructTemplate | VariableTemplate, place: Declared) -> bool:
    """Return whether a template's newest specialisation leaves an instance of the definition ``place`` unchanged.

    If so, declarations before and after the specialisation use the same type.  A definition that uses other instances
    of its own template, as recursive ones do, may be affected.
    """
    if t.earlier is None or (isinstance(t, StructTemplate) and t.members) or place is t.specializations[-1]:
        return False
    return not _uses_own_template(place.chunk, place.decl.pos, t.name)


def _uses_own_template(chunk: SourceChunk, start: int, name: str) -> bool:
    """Return whether the definition at token ``start`` contains ``name<`` after its own name."""
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
