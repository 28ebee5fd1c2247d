"""Variables: types, storage, initialisers and redeclarations."""

from __future__ import annotations

from collections.abc import Sequence

import hlsl_tool.frontend.sema.rules.expressions.check as ex
from hlsl_tool.base.diagnostics.catalogue import language
from hlsl_tool.base.diagnostics.catalogue import modifiers as modifier_codes
from hlsl_tool.base.diagnostics.catalogue import sema as codes
from hlsl_tool.base.options.compile_options import HLSL_202X, HLSL_202Y
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.annotations import find_attribute
from hlsl_tool.frontend.sema.model.constants import evaluate
from hlsl_tool.frontend.sema.model.hir import Storage, Variable
from hlsl_tool.frontend.sema.model.types import Struct, Type
from hlsl_tool.frontend.sema.rules import object_elements, type_names
from hlsl_tool.frontend.sema.rules.annotations import attributes, hlsl_attributes
from hlsl_tool.frontend.sema.rules.annotations import registers as binding_annotations
from hlsl_tool.frontend.sema.rules.annotations.attribute_subjects import Kind, Subject
from hlsl_tool.frontend.sema.rules.declarations import effects, function_checks, modifiers, redeclaration
from hlsl_tool.frontend.sema.rules.expressions import coherence, initializers
from hlsl_tool.frontend.sema.rules.modern import unions
from hlsl_tool.frontend.sema.scope.context import Context, Poisoned
from hlsl_tool.frontend.sema.scope.handlers import REFERENCES
from hlsl_tool.frontend.syntax import ast


def variables(ctx: Context, d: ast.VarDecl, *, in_cbuffer: bool = False) -> list[Variable]:
    """Bind the variables of a declaration in the current scope and check their initialisers."""
    if effects.is_ignored(ctx, d):
        return []
    w = type_names.resolve_or_invalid(ctx, d.type, allow_auto=True)
    own = (*(d.type.quals if isinstance(d.type, ast.NamedType) else ()), *d.quals)
    quals = (*(q for q in w.quals if q not in own), *own)
    if "constexpr" in quals:
        quals = (*quals, "const", *(("static",) if ctx.function is None else ()))
    out: list[Variable] = []
    type_names.check_decltype(ctx, d.type)
    modifiers.check(ctx, _kind(ctx), d.type, w.quals, w.type)
    warn_nothing_declared(ctx, d)
    for x in d.declarators:
        if x.scope:
            define_static_member(ctx, x)
            continue
        try:
            if "&" in quals and ctx.language.hlsl_version >= HLSL_202X:
                out += _references(ctx, x, w.type, quals)
                continue
            out.append(_variable(ctx, x, w, quals, d.attributes, in_cbuffer=in_cbuffer))
        except Poisoned:
            is_auto = w.type is type_names.AUTO
            if x.name not in ctx.scope.names and ("&&" in quals or not is_auto):  # suppress follow-up errors
                t = ty.INVALID if x.dims or is_auto else w.type
                ctx.scope.names[x.name] = Variable(x.name, t, "local", x.pos, ctx.chunk)
            continue
    return out


def _references(ctx: Context, x: ast.Declarator, t: Type, quals: tuple[str, ...]) -> list[Variable]:
    """Declare a local reference; report one outside of functions."""
    if ctx.function is None or "static" in quals:
        ctx.fail(language.REFERENCE, x.pos)
    _check_redefined(ctx, x, t, quals)
    t = type_names.with_dims(ctx, t, x.dims, x.pos, x.name)
    hidden: list[Variable] = REFERENCES[ast.Declarator](ctx, x, t, quals)
    return hidden


def warn_nothing_declared(ctx: Context, d: ast.VarDecl) -> None:
    """Warn about a declaration without a name, such as ``float;``, unless it introduces its type."""
    if not d.declarators and isinstance(d.type, ast.NamedType):
        words = modifiers.before(ctx, d.type)
        ctx.warn(language.NOTHING_DECLARED, words[0][0] if words else d.type.pos)


def _kind(ctx: Context) -> modifiers.Kind:
    if ctx.function is not None:
        return "local variable"
    return "field" if ctx.scope.kind == "struct" else "global variable"


def _storage(ctx: Context, quals: tuple[str, ...]) -> Storage:
    if ctx.function is not None:
        return "static_local" if "static" in quals else "local"
    if "groupshared" in quals:
        return "groupshared"
    return "static" if "static" in quals else "global"


def _variable(
    ctx: Context,
    x: ast.Declarator,
    w: type_names.Written,
    quals: tuple[str, ...],
    written: Sequence[ast.Attribute],
    *,
    in_cbuffer: bool,
) -> Variable:
    effects.check_annotation(ctx, x)
    effects.check_state_block(ctx, x)
    init = None if isinstance(x.init, ast.SamplerState) else x.init
    t: Type = type_names.with_dims(ctx, w.type, x.dims, x.pos, x.name)
    _check_type(ctx, x, t)
    if ctx.function is None:
        _check_global(ctx, x, t, quals)
    _check_form(ctx, x, t, quals)
    storage = _storage(ctx, quals)
    _check_redefined(ctx, x, t, quals)
    majorness = w.majorness_at(ctx, quals, x.pos)
    known_type = None if t is type_names.AUTO else t
    kind: Kind = "block member" if in_cbuffer else "global" if ctx.function is None else "local"
    word = "local variable" if kind == "local" else ""
    own, annotations = hlsl_attributes.split(ctx, [*written, *x.attributes], known_type)
    place = binding_annotations.Subject(known_type, in_cbuffer, word)
    a = binding_annotations.resolve(ctx, [*x.annotations, *annotations], place)
    v = Variable(
        x.name,
        t,
        storage,
        x.pos,
        ctx.chunk,
        "const" in quals,
        quals,
        majorness,
        a.semantic,
        a.registers,
        a.packoffset,
        attributes.at(ctx, own, Subject(kind, known_type, quals)),
        None,
        ctx.scope.namespace,
        ctx.function,
    )
    if init is not None and t is type_names.AUTO:
        _initialize(ctx, v, x)
        ctx.scope.names[x.name] = v
    else:
        ctx.scope.names[x.name] = v
        if init is not None:
            _initialize(ctx, v, x)
        elif t is type_names.AUTO:
            ctx.fail(codes.AUTO_NEEDS_INITIALIZER, x.pos, name=x.name)
        elif isinstance(innermost := ty.innermost(t), Struct) and innermost.constructors:
            _construct(ctx, v, x.pos)
    innermost = ty.innermost(v.type)
    if ctx.source is not None and isinstance(innermost, Struct) and ast.DESTRUCTOR in innermost.methods:
        ctx.source.has_destroyed = True
    if ctx.function is None:
        ctx.globals.append(v)
    return v


def _check_type(ctx: Context, x: ast.Declarator, t: Type) -> None:
    """Report variables of type void or of an incomplete struct, arrays of strings, and local strings."""
    innermost = ty.innermost(t)
    if innermost is ty.VOID:
        ctx.fail(codes.VOID_VARIABLE, x.pos)
    if innermost is ty.STRING and t is not innermost:
        ctx.fail(language.STRING_TYPE, x.pos, what="array")
    if innermost is ty.STRING and (ctx.function is not None or ctx.scope.kind == "namespace"):
        ctx.fail(language.STRING_SCOPE, x.pos)
    innermost = function_checks.record_of(innermost)
    if isinstance(innermost, Struct) and not innermost.is_complete and innermost is not type_names.AUTO:
        ctx.fail(codes.INCOMPLETE_TYPE, x.pos, type=ty.display(innermost))


def _check_global(ctx: Context, x: ast.Declarator, t: Type, quals: tuple[str, ...]) -> None:
    """Report objects that a global variable may not have, and long vectors in one that the host sets."""
    is_constant = "static" not in quals and "groupshared" not in quals
    place = "cbuffers or tbuffers" if is_constant else object_elements.STATIC
    place = object_elements.SHARED if "groupshared" in quals else place
    if is_constant and unions.is_constant(t):
        ctx.fail(modifier_codes.UNION_PLACE, x.pos, place="placed in constant buffers")
    object_elements.check_place(ctx, x.pos, t, place, long_vectors=is_constant)


def _check_form(ctx: Context, x: ast.Declarator, t: Type, quals: tuple[str, ...]) -> None:
    """Report a bit-field outside of a struct, and an unsized array of numbers without an initialiser."""
    if x.bits is not None:
        ctx.error(language.BIT_FIELD_PLACE, x.bits.pos)
    if not isinstance(t, ty.Array) or t.size is not None or "extern" in quals:
        return
    if x.init is not None and not isinstance(x.init, ast.SamplerState):
        return
    if ctx.function is None and any(isinstance(each, ty.ObjectType) for each in ty.flatten(t.element)):
        return  # descriptors are bound without a number
    ctx.fail(language.UNSIZED_VARIABLE, x.pos)


def _check_redefined(ctx: Context, x: ast.Declarator, t: Type, quals: tuple[str, ...]) -> None:
    old = ctx.scope.names.get(x.name)
    if not isinstance(old, Variable):
        redeclaration.check(ctx, x.name, x.pos, "variable")
        return
    if ty.INVALID in (ty.innermost(t), ty.innermost(old.type)) or not modifiers.USAGES.isdisjoint(quals):
        return  # an error is reported already
    if "extern" in quals or "extern" in old.quals or (ctx.function is None and old.scope != ctx.scope.namespace):
        return
    if ctx.replaces_variables:
        change = "" if old.type is t else f" with a different type: '{ty.display(t)}' vs '{ty.display(old.type)}'"
        ctx.warn(language.FOR_REDEFINITION, x.pos, name=x.name, change=change)
        return
    note = [ctx.note(codes.PREVIOUS_DEFINITION, old.pos, old.chunk)] if old.chunk is not None else None
    if old.type is not t and not (isinstance(t, ty.Array) or t is type_names.AUTO):
        ctx.fail(codes.REDEFINITION_TYPE, x.pos, name=x.name, new=ty.display(t), old=ty.display(old.type), notes=note)
    ctx.fail(codes.REDEFINITION, x.pos, name=x.name, notes=note)


def _initialize(ctx: Context, v: Variable, x: ast.Declarator) -> None:
    assert x.init is not None
    if v.type is type_names.AUTO:
        e = ex.rvalue(ctx, x.init)
        if isinstance(e.type, ty.Scalar) and e.type.is_literal:
            e = ex.convert(ctx, e, ty.concrete(e.type))
        if e.type is ty.STRING and ctx.function is not None:
            ctx.fail(language.STRING_SCOPE, x.pos)
        v.type, v.init = e.type, e
        return
    if "extern" in v.quals and "groupshared" not in v.quals and ctx.function is None:
        ctx.warn(modifier_codes.EXTERN_INITIALIZER, x.pos)
    if ctx.language.hlsl_version >= HLSL_202Y and _is_shader_constant(v):
        ctx.fail(modifier_codes.CBUFFER_INITIALIZER, x.pos, name=x.name)
    v.init = initializers.initialize(ctx, x.init, v.type, codes.CANNOT_INITIALIZE)
    if "constexpr" in v.quals and isinstance(v.type, (ty.Scalar, ty.Vector, ty.Enum)) and evaluate(v.init) is None:
        ctx.error(modifier_codes.CONSTEXPR, x.pos, name=x.name)
    coherence.check(ctx, v.init, v.quals, v.type)
    if isinstance(v.type, ty.Array) and v.type.size is None:
        v.type = v.init.type


def _construct(ctx: Context, v: Variable, pos: int) -> None:
    """Initialise a variable without an initialiser by its default constructor, unless the application sets it."""
    from hlsl_tool.frontend.sema.rules.modern import construction  # start-up time

    if v.storage in ("local", "static", "static_local"):
        v.init = construction.default_value(ctx, v.type, pos)


def _is_shader_constant(v: Variable) -> bool:
    """Return whether the application sets a variable, in a block or in ``$Globals``."""
    innermost = ty.innermost(v.type)
    if v.storage != "global" or innermost is ty.INVALID or isinstance(innermost, ty.ObjectType):
        return False
    return find_attribute(v.attributes, "constant_id", "vk") is None


def define_static_member(ctx: Context, x: ast.Declarator) -> None:
    """Define a static member or ``extern`` variable that was declared before: ``T S::x = init;``."""
    binding = type_names.lookup_path(ctx, [*x.scope, ast.NamePart(x.name)], x.pos)
    if not isinstance(binding, Variable):
        ctx.fail(codes.NO_MEMBER, x.pos, name=x.name, type=type_names.spelled(x.scope))
    is_declared = isinstance(binding.owner, Struct) or "extern" in binding.quals
    if not is_declared or (binding.init is not None and x.init is not None):
        note = ctx.note(codes.PREVIOUS_DEFINITION, binding.pos, binding.chunk)
        ctx.fail(codes.REDEFINITION, x.pos, name=x.name, notes=[note])
    if x.init is not None:
        binding.init = initializers.initialize(ctx, x.init, binding.type, codes.CANNOT_INITIALIZE)
    binding.is_defined = True
    if binding not in ctx.globals:
        ctx.globals.append(binding)
