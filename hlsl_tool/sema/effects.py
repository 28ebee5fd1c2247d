"""Effects of Direct3D and subobjects of ray tracing pipelines: accepted, and ignored with a warning.

What they describe is state of the pipeline, which the application hands to Vulkan itself.
"""

from __future__ import annotations

from hlsl_tool.diagnostics.catalogue import declarations as codes
from hlsl_tool.diagnostics.catalogue import sema as sema_codes
from hlsl_tool.sema.context import Context
from hlsl_tool.syntax import ast

OBJECTS = frozenset((
    "pixelshader", "PixelShader", "vertexshader", "VertexShader", "pixelfragment", "vertexfragment", "ComputeShader",
    "DomainShader", "GeometryShader", "HullShader", "BlendState", "DepthStencilState", "DepthStencilView",
    "RasterizerState", "RenderTargetView",
))  # fmt: skip
"""Types of effects that declare nothing of a shader."""

SUBOBJECTS = frozenset((
    "StateObjectConfig", "GlobalRootSignature", "LocalRootSignature", "SubobjectToExportsAssociation",
    "RaytracingShaderConfig", "RaytracingPipelineConfig", "RaytracingPipelineConfig1", "TriangleHitGroup",
    "ProceduralPrimitiveHitGroup",
))  # fmt: skip
"""Types of subobjects in a library."""


def is_ignored(ctx: Context, d: ast.VarDecl) -> bool:
    """Whether a declaration is one of an effect or a subobject; it is reported then, and declares nothing."""
    name = _type_name(ctx, d)
    if name in OBJECTS:
        ctx.warn(codes.EFFECT_OBJECT, d.type.pos)
    elif name in SUBOBJECTS:
        ctx.warn(codes.SUBOBJECT, d.type.pos, type=name)
    else:
        return False
    for x in d.declarators:
        check_annotation(ctx, x)
        if isinstance(x.init, ast.SamplerState) and name in OBJECTS:
            ctx.warn(sema_codes.EFFECT_STATE, x.init.pos)
    return True


def _type_name(ctx: Context, d: ast.VarDecl) -> str:
    """The name of a declaration's type where nothing declares it; else empty."""
    if ctx.function is not None or not isinstance(d.type, ast.NamedType) or len(d.type.parts) != 1:
        return ""
    part = d.type.parts[0]
    return part.name if part.args is None and ctx.scope.lookup(part.name) is None else ""


def check_annotation(ctx: Context, x: ast.Declarator) -> None:
    """Report ``< string s = "x"; >`` behind a declarator's name; the parser passes over it."""
    tokens = ctx.chunk.tokens
    if x.args is None and x.pos + 1 < len(tokens) and tokens[x.pos + 1] == "<":
        ctx.warn(codes.EFFECT_ANNOTATION, x.pos + 1)
