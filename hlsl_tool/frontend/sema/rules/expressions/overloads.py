"""Overload resolution: choose among functions, methods and templates, and build the call."""

from __future__ import annotations

from collections.abc import Sequence

import hlsl_tool.frontend.sema.rules.expressions.check as ex
from hlsl_tool.base.diagnostics.catalogue import modifiers as modifier_codes
from hlsl_tool.base.diagnostics.catalogue import sema as codes
from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.instances import Raw
from hlsl_tool.frontend.sema.model.types import Struct, Type
from hlsl_tool.frontend.sema.rules.expressions import coherence, conversions, interpolation, ranking
from hlsl_tool.frontend.sema.rules.expressions.default_arguments import default_argument
from hlsl_tool.frontend.sema.rules.expressions.lvalues import can_be_written, modifiable
from hlsl_tool.frontend.sema.rules.templates.functions import arity_mismatch, deduce
from hlsl_tool.frontend.sema.rules.warnings import implicit_conversions as losses
from hlsl_tool.frontend.sema.rules.warnings import unused
from hlsl_tool.frontend.sema.scope import watched
from hlsl_tool.frontend.sema.scope.context import Context, Poisoned
from hlsl_tool.frontend.sema.scope.scopes import (
    FunctionTemplate,
    Overloads,
)
from hlsl_tool.frontend.syntax import ast


def method(
    ctx: Context,
    base: hir.Expr,
    overloads: Overloads,
    name: str,
    args: list[hir.Expr],
    pos: int,
    *,
    is_operator: bool = False,
    targs: list[ast.TemplateArg] | None = None,
) -> hir.Expr:
    """Build a call of a method of a struct; a ``const`` object also accepts methods that are not ``const``."""
    f = choose(ctx, overloads, name, args, targs, pos)
    if f.is_static:
        return finish(ctx, f, None, args, pos)
    assert f.owner is not None
    if base.type is not f.owner and isinstance(base.type, Struct):
        base = hir.Cast("derived_to_base", base, f.owner, pos, is_lvalue=base.is_lvalue)
    return finish(ctx, f, base, args, pos, is_operator=is_operator)


@dataclass(slots=True)
class _Candidate:
    """A function that accepts the arguments, with the costs of their conversions."""

    function: hir.Function
    score: int
    is_template: bool


def choose(
    ctx: Context,
    overloads: Overloads,
    name: str,
    args: Sequence[hir.Expr],
    targs: list[ast.TemplateArg] | None,
    pos: int,
) -> hir.Function:
    """Return the best overload; report an error and raise `Poisoned` if there is none."""
    viable: list[_Candidate] = []
    rejected: list[hir.Function | list[Raw]] = []
    """Functions that do not take the arguments, and notes about templates."""
    is_2021 = ctx.language.hlsl_version >= 2021
    for candidate in overloads:
        is_template = isinstance(candidate, FunctionTemplate)
        if isinstance(candidate, FunctionTemplate):
            notes: list[Raw] = []
            f = deduce(ctx, candidate, args, targs, pos, notes)
            if f is None:
                rejected.append(notes)
                continue
        elif targs is not None:
            continue
        else:
            f = candidate
        if (is_2021 and _takes_other_structs(f, args)) or _not_viable(ctx, f, args):
            rejected.append(f)
            continue
        viable.append(_Candidate(f, _score(f, args), is_template))
    if not viable:
        notes = _rejections(ctx, rejected, args)
        if any(isinstance(c, hir.Function) and any(p.type is ty.INVALID for p in c.params) for c in overloads):
            raise Poisoned
        operator = name.startswith("operator") and len(args) == 1
        if operator and name not in ("operator[]", "operator()") and overloads and overloads[0].owner is not None:
            owner = overloads[0].owner
            ctx.fail(codes.BAD_OPERANDS, pos, left=ty.display(owner), right=ty.display(args[0].type), notes=notes)
        ctx.fail(
            codes.NO_MATCHING_METHOD if overloads and overloads[0].owner is not None else codes.NO_MATCHING_FUNCTION,
            pos,
            name=name,
            notes=notes,
        )
    best = min(c.score for c in viable)
    winners = [c for c in viable if c.score == best]
    if len(winners) > 1:
        winners = [c for c in winners if not c.is_template] or winners
    if len(winners) > 1:
        winners = _nearest(winners)
    if len(winners) > 1:
        notes = [
            ctx.note(codes.CANDIDATE, c.function.pos, c.function.chunk, why="", signature=signature(c.function))
            for c in winners
        ]
        ctx.fail(codes.AMBIGUOUS_CALL, pos, name=name, notes=notes)
    return winners[0].function


def _takes_other_structs(f: hir.Function, args: Sequence[hir.Expr]) -> bool:
    """Return whether an argument is a struct without bases and its ``in`` parameter another struct.

    HLSL 2021 rejects such a conversion.
    """
    for p, a in zip(f.params, args, strict=False):
        t, own = a.type, p.type
        if t is not own and own.__class__ is Struct and t.__class__ is Struct and not (t.bases or own.is_anonymous):
            return p.direction == "in"
    return False


def _rejections(ctx: Context, rejected: list[hir.Function | list[Raw]], args: Sequence[hir.Expr]) -> list[Raw]:
    """Return a note for each candidate, with the reason why it does not accept the arguments."""
    notes: list[Raw] = []
    for f in rejected:
        if isinstance(f, list):
            notes += f
            continue
        why = f" not viable: {_not_viable(ctx, f, args)}"
        notes.append(ctx.note(codes.CANDIDATE, f.pos, f.chunk, why=why, signature=signature(f)))
    return notes


def _nearest(winners: list[_Candidate]) -> list[_Candidate]:
    """Prefer the template that binds the fewest template parameters: the most specialised one."""
    fewest = min(len(c.function.template_args or ()) for c in winners)
    best = [c for c in winners if len(c.function.template_args or ()) == fewest]
    return best if any(c.is_template for c in winners) else winners


def _not_viable(ctx: Context, f: hir.Function, args: Sequence[hir.Expr]) -> str:
    why = arity_mismatch(f.params, args)
    if why:
        return why
    for i, (p, a) in enumerate(zip(f.params, args, strict=False), 1):
        forward = conversions.classify(a.type, p.type, explicit=False, hlsl_version=ctx.language.hlsl_version)
        back = True
        if "groupshared" in p.quals:
            if not _is_groupshared(a):
                return f"argument {i} is no groupshared variable"
            if a.type is not p.type:
                return f"argument {i} is a groupshared '{ty.display(a.type)}', not a '{ty.display(p.type)}'"
        if p.direction != "in":
            if not can_be_written(a):
                return f"expects an l-value for argument {i}"
            back = (
                conversions.classify(p.type, a.type, explicit=False, hlsl_version=ctx.language.hlsl_version) is not None
            )
        if (forward is None and p.direction != "out") or not back:
            return f"no known conversion from '{ty.display(a.type)}' to '{ty.display(p.type)}' for argument {i}"
    return ""


def _is_groupshared(a: hir.Expr) -> bool:
    """Return whether an argument is a groupshared variable, or an element or member of one."""
    while isinstance(a, (hir.Member, hir.Index)):
        a = a.base
    return isinstance(a, hir.VarRef) and (a.var.storage == "groupshared" or "groupshared" in a.var.quals)


def _score(f: hir.Function, args: Sequence[hir.Expr]) -> int:
    total = 0
    for p, a in zip(f.params, args, strict=False):
        if p.direction != "out":
            total += ranking.score(a.type, p.type)
        if p.direction != "in":
            total += ranking.score(p.type, a.type)
    return total


def signature(f: hir.Function) -> str:
    """Return the signature of a function as notes show it."""
    params = ", ".join(
        f"{p.direction} {ty.display(p.type)}" if p.direction != "in" else ty.display(p.type) for p in f.params
    )
    return f"{ty.display(f.return_type)} {f.qualified_name}({params})"


def finish(
    ctx: Context, f: hir.Function, this: hir.Expr | None, args: list[hir.Expr], pos: int, *, is_operator: bool = False
) -> hir.Expr:
    """Build the call of ``f``: convert the arguments and append default arguments."""
    ctx.uses(f)
    if f.scope == watched.MATRIX:
        from hlsl_tool.frontend.sema.rules.intrinsics import linear_algebra  # start-up time

        linear_algebra.check_place(ctx, f, args)
    out: list[hir.Expr] = []
    for i, p in enumerate(f.params):
        if i >= len(args):
            out.append(default_argument(ctx, p))
        elif p.direction == "in":
            unused.check_comma(ctx, args[i])
            out.append(ex.convert(ctx, args[i], p.type, codes.CANNOT_INIT_PARAM))
            coherence.check(ctx, args[i], p.quals, p.type)
            if "nointerpolation" in p.quals:
                interpolation.check(ctx, args[i], f.name, i)
        else:
            modifiable(ctx, args[i], args[i].pos)
            argument = args[i]
            if p.direction == "inout" and isinstance(argument, hir.VarRef) and argument.var.storage == "groupshared":
                ctx.warn(modifier_codes.GROUPSHARED_INOUT, args[i].pos)
            _check_reference(ctx, args[i], p.type)
            out.append(args[i])
    chunks = tuple(p.default_chunk for p in f.params[len(args) :])
    return hir.Call(f, out, f.return_type, pos, this, is_operator, default_chunks=chunks)


def _check_reference(ctx: Context, a: hir.Expr, t: Type) -> None:
    """Report an ``out`` argument that cannot be converted to its parameter, or that has more components."""
    if not ty.is_numeric(a.type) or not ty.is_numeric(t):
        return
    if ty.component_count(a.type) > ty.component_count(t):
        ctx.fail(codes.TRUNCATED_LVALUE, a.pos)
    if conversions.classify(a.type, t, explicit=False) is None:
        ctx.fail(codes.CANNOT_INIT_REFERENCE, a.pos, src=ty.display(a.type), dst=ty.display(t))
    losses.check_reference(ctx, a, t)
