"""Overload resolution: choose among functions, methods and templates, and build the call."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NoReturn

import hlsl_tool.frontend.sema.rules.expressions.check as ex
from hlsl_tool.base.diagnostics.catalogue import modifiers as modifier_codes
from hlsl_tool.base.diagnostics.catalogue import sema as codes
from hlsl_tool.base.options.compile_options import HLSL_202X, HLSL_202Y
from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.frontend.sema.model import hir
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.constants import evaluate
from hlsl_tool.frontend.sema.model.instances import Raw
from hlsl_tool.frontend.sema.model.types import Struct, Type
from hlsl_tool.frontend.sema.rules.expressions import coherence, conversions, interpolation, ranking
from hlsl_tool.frontend.sema.rules.expressions.default_arguments import default_argument
from hlsl_tool.frontend.sema.rules.expressions.lvalues import can_be_written, is_const_object, modifiable
from hlsl_tool.frontend.sema.rules.templates.functions import arity_mismatch, deduce
from hlsl_tool.frontend.sema.rules.warnings import implicit_conversions as losses
from hlsl_tool.frontend.sema.rules.warnings import unused
from hlsl_tool.frontend.sema.scope import watched
from hlsl_tool.frontend.sema.scope.context import Context, Poisoned
from hlsl_tool.frontend.sema.scope.handlers import REFERENCES, construct
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
    f = choose(ctx, for_object(ctx, base, overloads), name, args, targs, pos)
    if f.is_static:
        return finish(ctx, f, None, args, pos)
    check_const(ctx, f, base, pos)
    assert f.owner is not None
    if base.type is not f.owner and isinstance(base.type, Struct):
        base = hir.Cast("derived_to_base", base, f.owner, pos, is_lvalue=base.is_lvalue)
    return finish(ctx, f, base, args, pos, is_operator=is_operator)


def check_const(ctx: Context, f: hir.Function, base: hir.Expr, pos: int) -> None:
    """Report the call of a method that is not ``const`` on a ``const`` object, from HLSL 202y on."""
    if not f.is_const and ctx.language.hlsl_version >= HLSL_202Y and is_const_object(ctx, base):
        ctx.fail(modifier_codes.NOT_CONST, pos, name=f.name, type=ty.display(base.type))


def for_object(ctx: Context, base: hir.Expr, overloads: Overloads) -> Overloads:
    """Return the overloads without those that one with the same parameters hides, which fits the object better.

    Only HLSL 202x has methods that differ by ``const`` alone.
    """
    methods = [m for m in overloads if isinstance(m, hir.Function)]
    if len(methods) < 2 or ctx.language.hlsl_version < HLSL_202X or not any(m.is_const for m in methods):
        return overloads
    is_const = is_const_object(ctx, base)
    params = {m: [(p.type, p.direction) for p in m.params] for m in methods}
    hidden = {
        m
        for m in methods
        if m.is_const != is_const and any(n.is_const == is_const and params[n] == params[m] for n in methods)
    }
    return tuple(m for m in overloads if m not in hidden)


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
        converted = set() if name == ast.CONSTRUCTOR else _constructed(ctx, f, args)
        if (is_2021 and _takes_other_structs(f, args, converted)) or _not_viable(ctx, f, args, converted):
            rejected.append(f)
            continue
        viable.append(_Candidate(f, score(f, args, converted), is_template))
    if not viable:
        _fail_unmatched(ctx, overloads, name, args, rejected, pos)
    best = min(c.score for c in viable)
    winners = [c for c in viable if c.score == best]
    if len(winners) > 1:
        winners = [c for c in winners if not c.is_template] or winners
    if len(winners) > 1:
        winners = _nearest(winners)
    if len(winners) > 1:
        winners = [c for c in winners if _takes_references(c.function)] or winners
    if len(winners) > 1:
        notes = [
            ctx.note(codes.CANDIDATE, c.function.pos, c.function.chunk, why="", signature=signature(c.function))
            for c in winners
        ]
        owner = winners[0].function.name if name == ast.CONSTRUCTOR else name
        ctx.fail(codes.AMBIGUOUS_CALL, pos, name=owner, notes=notes)
    return _usable(ctx, winners[0].function, name, pos)


def _constructed(ctx: Context, f: hir.Function, args: Sequence[hir.Expr]) -> set[int]:
    """Return the numbers of the arguments that a constructor converts to the type of their parameter.

    The arguments of that constructor are not converted so.
    """
    if ctx.language.hlsl_version < HLSL_202X:
        return set()
    return {
        n
        for n, (p, a) in enumerate(zip(f.params, args, strict=False))
        if (constructors := _constructors(p, a)) and attempt(ctx, constructors, ast.CONSTRUCTOR, [a], a.pos) is not None
    }


def _constructors(p: hir.Param, a: hir.Expr) -> tuple[hir.Function, ...]:
    """Return the constructors that may convert an argument to the type of its parameter; none if it needs none."""
    t = p.type
    if not isinstance(t, Struct) or p.direction != "in" or a.type is t:
        return ()
    return () if isinstance(a.type, Struct) and a.type.derives_from(t) else tuple(t.constructors)


def attempt(ctx: Context, overloads: Overloads, name: str, args: list[hir.Expr], pos: int) -> hir.Function | None:
    """Return the best overload; ``None``, without a diagnostic, if there is none."""
    mark = ctx.mark()
    try:
        return choose(ctx, overloads, name, args, None, pos)
    except Poisoned:
        ctx.forget(mark)
        return None


def _usable(ctx: Context, f: hir.Function, name: str, pos: int) -> hir.Function:
    """Return the chosen overload; report one that is deleted."""
    if f.is_deleted:
        what = "constructor of" if name == ast.CONSTRUCTOR else "function"
        ctx.fail(modifier_codes.DELETED, pos, what=what, name=f.name)
    return f


def _fail_unmatched(
    ctx: Context,
    overloads: Overloads,
    name: str,
    args: Sequence[hir.Expr],
    rejected: list[hir.Function | list[Raw]],
    pos: int,
) -> NoReturn:
    """Report that no overload takes the arguments."""
    notes = _rejections(ctx, rejected, args)
    if any(isinstance(c, hir.Function) and any(p.type is ty.INVALID for p in c.params) for c in overloads):
        raise Poisoned
    operator = name.startswith("operator") and len(args) == 1
    owner = overloads[0].owner if overloads else None
    if operator and name not in ("operator[]", "operator()") and owner is not None:
        ctx.fail(codes.BAD_OPERANDS, pos, left=ty.display(owner), right=ty.display(args[0].type), notes=notes)
    if name == ast.CONSTRUCTOR and owner is not None:
        ctx.fail(modifier_codes.NO_CONSTRUCTOR, pos, name=ty.display(owner), notes=notes)
    ctx.fail(
        codes.NO_MATCHING_METHOD if owner is not None else codes.NO_MATCHING_FUNCTION,
        pos,
        name=name,
        notes=notes,
    )


def _takes_other_structs(f: hir.Function, args: Sequence[hir.Expr], converted: Collection[int]) -> bool:
    """Return whether an argument is a struct without bases and its ``in`` parameter another struct.

    HLSL 2021 rejects such a conversion.
    """
    for n, (p, a) in enumerate(zip(f.params, args, strict=False)):
        t, own = a.type, p.type
        if n in converted or t is own or own.__class__ is not Struct or t.__class__ is not Struct:
            continue
        if not (t.bases or own.is_anonymous):
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


def _generality(c: _Candidate) -> tuple[int, bool]:
    """Return the number of template parameters that a candidate binds, and whether it has a parameter pack."""
    source = c.function.source
    return len(c.function.template_args or ()), source is not None and source.decl.is_variadic


def _nearest(winners: list[_Candidate]) -> list[_Candidate]:
    """Prefer the template that binds the fewest template parameters: the most specialised one."""
    fewest = min(map(_generality, winners))
    best = [c for c in winners if _generality(c) == fewest]
    return best if any(c.is_template for c in winners) else winners


def _takes_references(f: hir.Function) -> bool:
    """Return whether a function has references that are not ``const`` as parameters: l-values prefer them."""
    return any("&" in p.quals and p.direction == "inout" for p in f.params)


def _not_viable(ctx: Context, f: hir.Function, args: Sequence[hir.Expr], converted: Collection[int] = ()) -> str:
    why = arity_mismatch(f.params, args)
    if why:
        return why
    for i, (p, a) in enumerate(zip(f.params, args, strict=False), 1):
        if i - 1 in converted:
            continue
        forward = conversions.classify(a.type, p.type, explicit=False, hlsl_version=ctx.language.hlsl_version)
        back = True
        if "groupshared" in p.quals:
            if not _is_groupshared(a):
                return f"argument {i} is no groupshared variable"
            if a.type is not p.type:
                return f"argument {i} is a groupshared '{ty.display(a.type)}', not a '{ty.display(p.type)}'"
        if "&" in p.quals and "const" not in p.quals and a.type is not p.type:
            return f"no known conversion from '{ty.display(a.type)}' to '{ty.display(p.type)} &' for argument {i}"
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


def score(f: hir.Function, args: Sequence[hir.Expr], converted: Collection[int] = ()) -> int:
    """Return the cost of the conversions in a call; ``converted`` has the numbers of those by a constructor."""
    total = 0
    for n, (p, a) in enumerate(zip(f.params, args, strict=False)):
        if n in converted:
            total += ranking.CONSTRUCTION
        elif p.direction != "out":
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
    if f.scope == watched.MATRIX:
        from hlsl_tool.frontend.sema.rules.intrinsics import linear_algebra  # start-up time

        linear_algebra.check_place(ctx, f, args)
    out: list[hir.Expr] = []
    for i, p in enumerate(f.params):
        if i >= len(args):
            out.append(default_argument(ctx, p))
        elif p.direction == "in":
            unused.check_comma(ctx, args[i])
            if _constructors(p, args[i]):
                out.append(construct(ctx, p.type, [args[i]], args[i].pos))  # type: ignore[arg-type]  # a struct
                continue
            out.append(ex.convert(ctx, args[i], p.type, codes.CANNOT_INIT_PARAM))
            coherence.check(ctx, args[i], p.quals, p.type)
            if "nointerpolation" in p.quals:
                interpolation.check(ctx, args[i], f.name, i)
        else:
            modifiable(ctx, args[i], args[i].pos)
            argument = args[i]
            is_copied = p.direction == "inout" and "&" not in p.quals
            if is_copied and isinstance(argument, hir.VarRef) and argument.var.storage == "groupshared":
                ctx.warn(modifier_codes.GROUPSHARED_INOUT, args[i].pos)
            _check_reference(ctx, args[i], p.type)
            out.append(args[i])
    chunks = tuple(p.default_chunk for p in f.params[len(args) :])
    call = hir.Call(f, out, f.return_type, pos, this, is_operator, default_chunks=chunks)
    value = evaluate(call) if "constexpr" in f.quals else None
    if isinstance(value, (bool, int, float)):
        return hir.Literal_(value, f.return_type, pos)
    ctx.uses(f)
    if f.referred is not None:
        return REFERENCES[hir.Call](ctx, call)  # type: ignore[no-any-return]  # registered with this result
    return call


def _check_reference(ctx: Context, a: hir.Expr, t: Type) -> None:
    """Report an ``out`` argument that cannot be converted to its parameter, or that has more components."""
    if not ty.is_numeric(a.type) or not ty.is_numeric(t):
        return
    if ty.component_count(a.type) > ty.component_count(t):
        ctx.fail(codes.TRUNCATED_LVALUE, a.pos)
    if conversions.classify(a.type, t, explicit=False) is None:
        ctx.fail(codes.CANNOT_INIT_REFERENCE, a.pos, src=ty.display(a.type), dst=ty.display(t))
    losses.check_reference(ctx, a, t)
