"""Every overload of every resource method becomes the same instructions as with DXC.

The order of instructions is not compared (DXC has changed it); their number, types, constants and image operands are. A
method is compared if both compilers accept it: an old DXC lacks some and refuses others.
"""

from __future__ import annotations

import collections
import pathlib
import subprocess

import pytest

from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.compiler.compile import compile_shader
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import ObjectType, Type, display
from hlsl_tool.frontend.sema.rules.intrinsics.methods import ANY_VALUE, Method, methods
from hlsl_tool.spirv import op
from hlsl_tool.spirv.decode import decode
from hlsl_tool.spirv.grammar.tables import INSTRUCTIONS, id_flags
from hlsl_tool.spirv.ir import Module
from tests.oracle.dxc import DXC, MISSING
from tests.patience import PATIENCE

pytestmark = [pytest.mark.oracle, pytest.mark.nightly]

ELEMENTS: tuple[Type, ...] = (
    ty.vector(ty.FLOAT, 4),
    ty.FLOAT,
    ty.vector(ty.INT, 2),
    ty.vector(ty.UINT, 4),
    ty.UINT,
)
SHAPES = ("1D", "1DArray", "2D", "2DArray", "3D", "Cube", "CubeArray", "2DMS", "2DMSArray")
GENERIC = (
    *(f"Texture{shape}" for shape in SHAPES),
    *(f"RWTexture{shape}" for shape in SHAPES[:5]),
    "Buffer",
    "RWBuffer",
    "StructuredBuffer",
    "RWStructuredBuffer",
    "AppendStructuredBuffer",
    "ConsumeStructuredBuffer",
)
OBJECTS = [ty.object_type(name, (element,)) for element in ELEMENTS for name in GENERIC]
OBJECTS += [ty.object_type("ByteAddressBuffer"), ty.object_type("RWByteAddressBuffer")]
UNLIKE = {
    "CalculateLevelOfDetail": "DXC queries twice, and gives the unclamped level",
    "InterlockedMin64": "an old DXC has an operation of 32 bits",
    "InterlockedMax64": "an old DXC has an operation of 32 bits",
    "InterlockedMin": "DXC gives an unsigned operation a signed operand",
    "InterlockedMax": "DXC gives an unsigned operation a signed operand",
    "InterlockedCompareExchange": "DXC stores an unsigned result in a signed variable",
}
"""Method → the mistake of the old DXC, for methods that are not compared."""


def value(t: Type, number: int) -> str:
    if isinstance(t, ObjectType):
        return {"SamplerState": "s", "SamplerComparisonState": "c"}[t.name]
    components = t.size if isinstance(t, ty.Vector) else 1
    return f"({display(t)})in{number}.{'xyzw'[:components]}"


def body(this: ObjectType, method: Method) -> str:
    """Return the statements of a function that calls the method with constant offsets."""
    has_offset = method.name.startswith(("Sample", "Gather", "Load"))
    before, given, results = [], [], []
    for i, (wanted, direction) in enumerate(zip(method.params, method.directions, strict=True)):
        t = ty.UINT if wanted is ANY_VALUE else wanted
        sample_index = method.name == "Load" and i == 1 and "MS" in this.name
        if direction == "out":
            before.append(f"{display(t)} o{i};")
            given.append(f"o{i}")
            results.append(f"(float)o{i}")
        elif has_offset and i > 0 and not sample_index and ty.element_of(t) is ty.INT:
            given.append({1: "2", 2: "int2(1, -3)", 3: "int3(1, 2, -1)"}[t.size if isinstance(t, ty.Vector) else 1])
        else:
            given.append(value(t, i % 3))
    call = f"r.{method.name}({', '.join(given)});"
    if method.result is not ty.VOID:
        t = ty.UINT if method.result is ANY_VALUE else method.result
        call = f"{display(t)} v = {call}"
        results.append("(float)v.x" if isinstance(t, ty.Vector) else "(float)v")
    return f"{' '.join(before)} {call} return {' + '.join(results) or '0'};"


def shader(this: ObjectType, called: list[Method]) -> str:
    lines = [f"{display(this)} r; SamplerState s; SamplerComparisonState c;"]
    lines += [
        f"float f{i}(float4 in0, float4 in1, float4 in2) {{ {body(this, method)} }}" for i, method in enumerate(called)
    ]
    calls = " + ".join(f"f{i}(a, b, d)" for i in range(len(called)))
    lines.append(f"float4 main(float4 a : A, float4 b : B, float4 d : D) : SV_Target {{ return {calls}; }}")
    return "\n".join(lines)


def described(module: Module) -> dict[str, collections.Counter[str]]:
    """Return for each function the number of occurrences of each instruction, regardless of results and order."""
    definitions = module.definitions()
    names = {inst.id(0): inst.text(1) for inst in module.names if inst.op == op.OpName}

    def word(number: int) -> str:
        inst = definitions.get(number)
        if inst is None or inst.op == op.OpVariable:
            return names.get(number, "?") if inst is not None else "%"
        if inst.op == op.OpTypeStruct:
            return names.get(number, "struct")
        parts = [word(inst.type_id)] if inst.type_id else []
        parts += operands(inst.op, inst.operands)
        return f"{INSTRUCTIONS[inst.op][0]}({' '.join(parts)})"

    def operands(opcode: int, given: list[int | str]) -> list[str]:
        flags = id_flags(opcode, given)
        return [word(x) if flag and isinstance(x, int) else str(x) for x, flag in zip(given, flags, strict=True)]

    found = {}
    for function in module.functions:
        lines = [
            " ".join([INSTRUCTIONS[i.op][0], word(i.type_id) if i.type_id else "", *operands(i.op, i.operands)])
            for i in function.instructions()
        ]
        found[names.get(function.id, "")] = collections.Counter(lines)
    return found


def with_ours(source: str) -> dict[str, collections.Counter[str]] | None:
    options = CompileOptions(codegen_only=True, target_env="vulkan1.2")
    result = compile_shader(source, profile="ps_6_6", options=options)
    return described(result.module) if result.module is not None and result.ok else None


def with_dxc(source: str, folder: pathlib.Path) -> dict[str, collections.Counter[str]] | None:
    (folder / "x.hlsl").write_text(source)
    target = folder / "x.spv"
    arguments = ["-HV", "2021", "-spirv", "-fcgl", "-Vd", "-T", "ps_6_6", "-E", "main", "-fspv-target-env=vulkan1.2"]
    done = subprocess.run(
        [*DXC, *arguments, str(folder / "x.hlsl"), "-Fo", str(target)],
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    return described(decode(target.read_bytes())) if done.returncode == 0 else None


def differences(this: ObjectType, called: list[Method], folder: pathlib.Path) -> tuple[int, list[str]]:
    """Return (number of overloads that both accept, those that differ); bisect if one compiler refuses a group."""
    if not called:
        return 0, []
    source = shader(this, called)
    theirs = with_dxc(source, folder)
    ours = with_ours(source) if theirs is not None else None
    if theirs is None or ours is None:
        if len(called) == 1:
            return 0, []
        half = len(called) // 2
        first, second = differences(this, called[:half], folder), differences(this, called[half:], folder)
        return first[0] + second[0], first[1] + second[1]
    unlike = []
    for i, method in enumerate(called):
        dxc, made = theirs[f"f{i}"], ours[f"f{i}"]
        if set(dxc) != set(made) or made - dxc:  # the old DXC evaluates some arguments twice
            unlike.append(f"{body(this, method)}\n  only DXC: {dxc - made}\n  only ours: {made - dxc}")
    return len(called), unlike


@pytest.mark.skipif(not DXC, reason=MISSING)
@pytest.mark.parametrize("this", OBJECTS, ids=display)
def test_methods(this: ObjectType, tmp_path: pathlib.Path) -> None:
    called = [m for overloads in methods(this).values() for m in overloads if m.name not in UNLIKE]
    count, unlike = differences(this, called, tmp_path)
    assert count > 0
    assert not unlike, "\n".join(unlike)
