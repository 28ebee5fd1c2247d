"""Write decorations that only reflection reads (``-fspv-reflect``; manual: *HLSL Semantic*, *Counter buffers*).

They are the user types of resources (SPV_GOOGLE_user_type) and the counters of structured buffers
(SPV_GOOGLE_hlsl_functionality1); ``stage_io`` writes the semantics of stage variables.
"""

from __future__ import annotations

from hlsl_tool.codegen.lower.core.context import Lowering
from hlsl_tool.codegen.lower.global_variables.binding_choice import Resource
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.hir import CBuffer, Variable
from hlsl_tool.frontend.sema.model.types import ObjectType, innermost
from hlsl_tool.spirv.enums import Decoration


def write(ctx: Lowering, bound: list[Resource]) -> None:
    """Write the reflection decorations of resources that have bindings."""
    owners = {id(r.decl): r for r in bound if r.decl is not None and not r.is_counter}
    for r in bound:
        if r.is_counter:
            owner = owners.get(id(r.decl))
            if owner is not None:
                ctx.b.decorate_id(owner.variable, Decoration.CounterBuffer, r.variable)
            continue
        name = user_type(r)
        if name:
            ctx.b.decorate_string(r.variable, Decoration.UserTypeGOOGLE, name)


def user_type(r: Resource) -> str:
    """Return the operand of UserTypeGOOGLE: ``texture2d:<float4>``, in lower case, with arguments as written."""
    if isinstance(r.decl, CBuffer):
        return r.decl.keyword
    t = innermost(r.type) if r.type is not None else None
    if not isinstance(t, ObjectType):
        return ""
    name = t.name.lower()
    arguments = [a for a in t.args if not (isinstance(a, int) and a == 0)]  # no number of samples
    if not arguments or not _has_arguments(r.decl, t):
        return name
    spelled = [str(a) if isinstance(a, int) else ty.display(a) for a in arguments]  # type: ignore[arg-type]
    return f"{name}:<{','.join(spelled)}>"


def _has_arguments(v: Variable | None, t: ObjectType) -> bool:
    """Return whether a declaration gives template arguments, unlike ``Texture2D t;``."""
    if v is None or v.chunk is None:
        return True
    tokens = v.chunk.tokens
    for at in range(v.pos - 1, -1, -1):
        if tokens[at] == t.name:
            return tokens[at + 1] == "<"
    return True
