"""Convert GLSL.std.450 to WGSL's built-in functions.

A table gives the function's name and the type of its operands: ``f`` unchanged, ``s`` and ``u`` as signed and unsigned
integers. Instructions that need more than a call have a handler.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from hlsl_tool.spirv import glsl, op
from hlsl_tool.spirv.analysis.uses import is_non_semantic
from hlsl_tool.spirv.ir import Instruction
from hlsl_tool.wgsl.errors import Unsupported
from hlsl_tool.wgsl.instructions.arithmetic import as_integer, cast, component_of, result
from hlsl_tool.wgsl.instructions.evaluation import WITHOUT_ERRORS
from hlsl_tool.wgsl.instructions.memory import place_of, store
from hlsl_tool.wgsl.module.uses import has_effect
from hlsl_tool.wgsl.writer.expr import Expr, call, postfix
from hlsl_tool.wgsl.writer.helpers import inverse_helper
from hlsl_tool.wgsl.writer.registry import statement

if TYPE_CHECKING:
    from hlsl_tool.wgsl.writer.function import FunctionWriter

SIMPLE: dict[int, tuple[str, str]] = {
    glsl.Round: ("round", "f"), glsl.RoundEven: ("round", "f"), glsl.Trunc: ("trunc", "f"), glsl.FAbs: ("abs", "f"),
    glsl.SAbs: ("abs", "s"), glsl.FSign: ("sign", "f"), glsl.SSign: ("sign", "s"), glsl.Floor: ("floor", "f"),
    glsl.Ceil: ("ceil", "f"), glsl.Fract: ("fract", "f"), glsl.Radians: ("radians", "f"),
    glsl.Degrees: ("degrees", "f"), glsl.Sin: ("sin", "f"), glsl.Cos: ("cos", "f"), glsl.Tan: ("tan", "f"),
    glsl.Asin: ("asin", "f"), glsl.Acos: ("acos", "f"), glsl.Atan: ("atan", "f"), glsl.Sinh: ("sinh", "f"),
    glsl.Cosh: ("cosh", "f"), glsl.Tanh: ("tanh", "f"), glsl.Asinh: ("asinh", "f"), glsl.Acosh: ("acosh", "f"),
    glsl.Atanh: ("atanh", "f"), glsl.Atan2: ("atan2", "ff"), glsl.Pow: ("pow", "ff"), glsl.Exp: ("exp", "f"),
    glsl.Log: ("log", "f"), glsl.Exp2: ("exp2", "f"), glsl.Log2: ("log2", "f"), glsl.Sqrt: ("sqrt", "f"),
    glsl.InverseSqrt: ("inverseSqrt", "f"), glsl.Determinant: ("determinant", "f"), glsl.FMin: ("min", "ff"),
    glsl.UMin: ("min", "uu"), glsl.SMin: ("min", "ss"), glsl.FMax: ("max", "ff"), glsl.UMax: ("max", "uu"),
    glsl.SMax: ("max", "ss"), glsl.FClamp: ("clamp", "fff"), glsl.UClamp: ("clamp", "uuu"),
    glsl.SClamp: ("clamp", "sss"), glsl.FMix: ("mix", "fff"), glsl.Step: ("step", "ff"),
    glsl.SmoothStep: ("smoothstep", "fff"), glsl.Fma: ("fma", "fff"), glsl.PackSnorm4x8: ("pack4x8snorm", "f"),
    glsl.PackUnorm4x8: ("pack4x8unorm", "f"), glsl.PackSnorm2x16: ("pack2x16snorm", "f"),
    glsl.PackUnorm2x16: ("pack2x16unorm", "f"), glsl.PackHalf2x16: ("pack2x16float", "f"),
    glsl.UnpackSnorm2x16: ("unpack2x16snorm", "u"), glsl.UnpackUnorm2x16: ("unpack2x16unorm", "u"),
    glsl.UnpackHalf2x16: ("unpack2x16float", "u"), glsl.UnpackSnorm4x8: ("unpack4x8snorm", "u"),
    glsl.UnpackUnorm4x8: ("unpack4x8unorm", "u"), glsl.Length: ("length", "f"), glsl.Distance: ("distance", "ff"),
    glsl.Cross: ("cross", "ff"), glsl.FindILsb: ("firstTrailingBit", "s"), glsl.FindSMsb: ("firstLeadingBit", "s"),
    glsl.FindUMsb: ("firstLeadingBit", "u"), glsl.NMin: ("min", "ff"), glsl.NMax: ("max", "ff"),
    glsl.NClamp: ("clamp", "fff"),
}  # fmt: skip

INTEGER_RESULTS = frozenset(
    (
        glsl.SAbs, glsl.SSign, glsl.UMin, glsl.SMin, glsl.UMax, glsl.SMax, glsl.UClamp, glsl.SClamp, glsl.FindILsb,
        glsl.FindSMsb, glsl.FindUMsb, glsl.PackSnorm4x8, glsl.PackUnorm4x8, glsl.PackSnorm2x16, glsl.PackUnorm2x16,
        glsl.PackHalf2x16,
    )
)  # fmt: skip
"""Functions whose results have the signedness of the operands, which may differ from the result type's."""


def operand(w: FunctionWriter, number: int, view: str) -> Expr:
    """Return an operand converted to float (``f``), signed (``s``) or unsigned (``u``) values, as ``view`` selects."""
    return w.expr(number) if view == "f" else as_integer(w, number, view == "s")


def _simple(w: FunctionWriter, inst: Instruction, row: tuple[str, str]) -> Expr:
    name, views = row
    if name == "clamp" and views == "fff" and _is_unit(w, inst):
        return call("saturate", w.expr(inst.id(2)))
    arguments = [operand(w, number, view) for number, view in zip(inst.ints()[2:], views, strict=True)]
    if name == "mix" and not all(argument.constant for argument in arguments):
        arguments[2] = component_of(w, arguments[2], inst.id(4)) or arguments[2]
    bounds = {"clamp": (1, 2), "smoothstep": (0, 1)}.get(name)
    if bounds is not None and all(arguments[bound].constant for bound in bounds) and _unordered(w, inst):
        arguments[bounds[0]] = w.hidden(arguments[bounds[0]])
    elif all(argument.constant for argument in arguments) and name not in WITHOUT_ERRORS:
        arguments[0] = w.hidden(arguments[0])
    value = call(name, *arguments)
    if inst.id(1) in INTEGER_RESULTS:
        return result(w, inst, value, views[0] == "s")
    return value


def _unordered(w: FunctionWriter, inst: Instruction) -> bool:
    """Return whether the bounds of clamp or smoothstep may be constants in the wrong order, which WGSL rejects."""
    first, last = inst.ints()[2:4] if inst.id(1) == glsl.SmoothStep else inst.ints()[3:5]
    low, high = _numbers(w, first), _numbers(w, last)
    return not low or not high or not all(a < b for a, b in zip(low, high, strict=True))


def _is_unit(w: FunctionWriter, inst: Instruction) -> bool:
    """Return whether the bounds of clamp are 0 and 1, as for saturate."""
    low, high = (_numbers(w, bound) for bound in inst.ints()[3:5])
    return set(low) == {0.0} and set(high) == {1.0}


def _numbers(w: FunctionWriter, value: int) -> list[float]:
    """Return the components of a constant; an empty list for other values."""
    inst = w.view.defs[value]
    if inst.op == op.OpConstantComposite:
        parts = [_numbers(w, part) for part in inst.ints()]
        return [part[0] for part in parts] if all(parts) else []
    if inst.op == op.OpConstantNull:
        return [0.0] * w.view.components(inst.type_id)
    integer = w.view.constant(value)
    number = float(integer) if integer is not None else w.view.float_constant(value)
    return [] if number is None else [number]


# ------------------------------------------------------------------------------------------------------------ handlers

Handler = Callable[["FunctionWriter", Instruction], Expr]


def _ldexp(w: FunctionWriter, inst: Instruction) -> Expr:
    value = w.expr(inst.id(2))
    exponent = as_integer(w, inst.id(3), True)
    return call("ldexp", value, w.hidden(exponent))


def _is_scalar(w: FunctionWriter, inst: Instruction) -> bool:
    return w.view.components(inst.type_id) == 1


def _normalize(w: FunctionWriter, inst: Instruction) -> Expr:
    value = w.hidden(w.expr(inst.id(2)))
    return call("sign" if _is_scalar(w, inst) else "normalize", value)


def _scalar_or(name: str, formula: Callable[..., str]) -> Handler:
    """Return the handler for a function that WGSL has for vectors only; ``formula`` writes it for scalars."""

    def handler(w: FunctionWriter, inst: Instruction) -> Expr:
        arguments = w.exprs(inst.ints()[2:])
        arguments[0] = w.hidden(arguments[0])
        if not _is_scalar(w, inst):
            return call(name, *arguments)
        texts = [w.repeatable(argument).primary for argument in arguments]
        return Expr(formula(*texts), depth=4)

    return handler


def _refract(incident: str, normal: str, ratio: str) -> str:
    """Return the formula of refract for scalars, from the specification."""
    cosine = f"({normal} * {incident})"
    rest = f"(1.0f - {ratio} * {ratio} * (1.0f - {cosine} * {cosine}))"
    bent = f"{ratio} * {incident} - ({ratio} * {cosine} + sqrt(max({rest}, 0.0f))) * {normal}"
    return f"select({bent}, 0.0f, {rest} < 0.0f)"


def _inverse(w: FunctionWriter, inst: Instruction) -> Expr:
    size = w.view.type(inst.type_id).id(1)
    return call(inverse_helper(w.context, size, w.types.spell(inst.type_id)), w.hidden(w.expr(inst.id(2))))


def _parts(w: FunctionWriter, inst: Instruction) -> tuple[Expr, str, str]:
    """Write a call of modf or frexp; return (its result's name, the names of the result's two members)."""
    modf = inst.id(1) in (glsl.Modf, glsl.ModfStruct)
    both = call("modf" if modf else "frexp", w.hidden(w.expr(inst.id(2))))
    return w.temporary(both), "fract", "whole" if modf else "exp"


def _parts_struct(w: FunctionWriter, inst: Instruction) -> Expr:
    both, first, second = _parts(w, inst)
    other = postfix(both, f".{second}")
    member = w.view.element(inst.type_id, 1)
    if w.view.scalar(member).op == op.OpTypeInt and not w.view.is_signed(member):
        other = cast(w, other, member, False)
    return call(w.types.spell(inst.type_id), postfix(both, f".{first}"), other)


def _interpolate(w: FunctionWriter, inst: Instruction) -> Expr:
    raise Unsupported("WGSL cannot interpolate an input elsewhere")


HANDLERS: dict[int, Handler] = {
    glsl.Ldexp: _ldexp,
    glsl.Normalize: _normalize,
    glsl.FaceForward: _scalar_or("faceForward", lambda n, i, r: f"select(-({n}), {n}, {i} * {r} < 0.0f)"),
    glsl.Reflect: _scalar_or("reflect", lambda i, n: f"{i} - 2.0f * {n} * {i} * {n}"),
    glsl.Refract: _scalar_or("refract", _refract),
    glsl.MatrixInverse: _inverse,
    glsl.ModfStruct: _parts_struct,
    glsl.FrexpStruct: _parts_struct,
    glsl.InterpolateAtCentroid: _interpolate,
    glsl.InterpolateAtSample: _interpolate,
    glsl.InterpolateAtOffset: _interpolate,
}


@statement(op.OpExtInst)
def _ext_inst(w: FunctionWriter, inst: Instruction) -> None:
    set_name = w.view.sets.get(inst.id(0), "")
    if is_non_semantic(set_name):
        return
    if set_name != "GLSL.std.450":
        raise Unsupported(f"the instruction set {set_name} has no equivalent in WGSL")
    number = inst.id(1)
    if number in (glsl.Modf, glsl.Frexp) and has_effect(w.view, inst):
        _parts_and_store(w, inst)
        return
    row = SIMPLE.get(number)
    if row is not None:
        w.define(inst, _simple(w, inst, row))
        return
    handler = HANDLERS.get(number)
    if handler is None:
        raise Unsupported("the function has no equivalent in WGSL")
    w.define(inst, handler(w, inst))


def _parts_and_store(w: FunctionWriter, inst: Instruction) -> None:
    """Write modf or frexp, and store the second result to the pointer operand."""
    both, first, second = _parts(w, inst)
    place = place_of(w, inst.id(3))
    other = postfix(both, f".{second}")
    if w.view.scalar(place.type_id).op == op.OpTypeInt and not w.view.is_signed(place.type_id):
        other = cast(w, other, place.type_id, False)
    store(w, place, other)
    if w.uses.count.get(inst.result_id, 0):
        w.define(inst, postfix(both, f".{first}"))
