"""Actions for functions, operators and parameters."""

from __future__ import annotations

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.frontend.syntax import ast
from hlsl_tool.frontend.syntax.actions.common import Tokens, split_scopes
from hlsl_tool.frontend.syntax.actions.shared import EMPTY
from hlsl_tool.frontend.syntax.actions.types import Args, Dims, Quals, Scopes, add_quals

Attributes = list[ast.Attribute]


@dataclass(slots=True)
class FunctionId:
    """The name of a declared function, method or operator, with its scopes and template arguments."""

    name: str
    pos: int
    scope: Scopes
    args: Args | None = None


def operator_id(tokens: Tokens, at: int, spelling: str) -> FunctionId:
    return FunctionId("operator" + spelling, at, EMPTY)


def scoped_special_id(tokens: Tokens, scopes: Scopes, item: FunctionId) -> FunctionId:
    item.scope = split_scopes(scopes)[1]
    return item


def text(tokens: Tokens, at: int) -> str:
    return tokens[at]


def text_call(tokens: Tokens, left: int, right: int) -> str:
    return "()"


def text_subscript(tokens: Tokens, left: int, right: int) -> str:
    return "[]"


def _function(
    quals: Quals, target: ast.TypeRef, item: ast.Declarator | FunctionId, params: list[ast.Param]
) -> ast.FunctionDecl:
    if len(params) == 1 and _is_void(params[0]):
        params = []
    return ast.FunctionDecl(
        target, item.name, params, None, item.pos, item.scope, quals, EMPTY, EMPTY, None, item.args, False, EMPTY
    )


def _is_void(param: ast.Param) -> bool:
    """Return whether a parameter is the ``void`` of ``f(void)``, which means no parameters."""
    target = param.type
    return not param.name and isinstance(target, ast.NamedType) and target.parts[0].name == "void" and not param.dims


def signature(
    tokens: Tokens,
    target: ast.TypeRef,
    item: ast.Declarator | FunctionId,
    left: int,
    params: list[ast.Param],
    right: int,
) -> ast.FunctionDecl:
    return _function(EMPTY, target, item, params)


def signature_empty(
    tokens: Tokens, target: ast.TypeRef, item: ast.Declarator | FunctionId, left: int, right: int
) -> ast.FunctionDecl:
    return _function(EMPTY, target, item, [])


def qualified_signature(
    tokens: Tokens,
    quals: Quals,
    target: ast.TypeRef,
    item: ast.Declarator | FunctionId,
    left: int,
    params: list[ast.Param],
    right: int,
) -> ast.FunctionDecl:
    return _function(quals, target, item, params)


def qualified_signature_empty(
    tokens: Tokens,
    quals: Quals,
    target: ast.TypeRef,
    item: ast.Declarator | FunctionId,
    left: int,
    right: int,
) -> ast.FunctionDecl:
    return _function(quals, target, item, [])


Conversion = tuple[ast.TypeRef, FunctionId]


def conversion_id(tokens: Tokens, at: int, target: ast.TypeRef) -> Conversion:
    return target, FunctionId("operator", at, EMPTY)


def qualified_conversion_id(tokens: Tokens, at: int, quals: Quals, target: ast.TypeRef) -> Conversion:
    return add_quals(target, quals), FunctionId("operator", at, EMPTY)


def scoped_conversion_id(tokens: Tokens, scopes: Scopes, at: int, target: ast.TypeRef) -> Conversion:
    return target, FunctionId("operator", at, split_scopes(scopes)[1])


def conversion(tokens: Tokens, item: Conversion, left: int, right: int) -> ast.FunctionDecl:
    return _function(EMPTY, *item, [])


def qualified_conversion(tokens: Tokens, quals: Quals, item: Conversion, left: int, right: int) -> ast.FunctionDecl:
    return _function(quals, *item, [])


def function_unsized(tokens: Tokens, decl: ast.FunctionDecl, left: int, right: int) -> ast.FunctionDecl:
    decl.return_dims = [*decl.return_dims, None]
    return decl


def function_array(tokens: Tokens, decl: ast.FunctionDecl, left: int, bound: ast.Expr, right: int) -> ast.FunctionDecl:
    decl.return_dims = [*decl.return_dims, bound]
    return decl


def function_qualifier(tokens: Tokens, decl: ast.FunctionDecl, at: int) -> ast.FunctionDecl:
    """Record a qualifier after the parameters: ``const`` applies to ``this``, others are reported later."""
    if tokens[at] == "const":
        decl.is_const = True
    else:
        decl.trailing = at
    return decl


def function_annotation(
    tokens: Tokens, decl: ast.FunctionDecl, colon: int, annotation: ast.Annotation
) -> ast.FunctionDecl:
    decl.annotations = [*decl.annotations, annotation]
    return decl


def function_attribute(tokens: Tokens, decl: ast.FunctionDecl, attributes: Attributes) -> ast.FunctionDecl:
    decl.attributes = [*decl.attributes, *attributes]
    return decl


def prototype(tokens: Tokens, decl: ast.FunctionDecl, semicolon: int) -> ast.FunctionDecl:
    return decl


def function_definition(tokens: Tokens, decl: ast.FunctionDecl, body: ast.Block) -> ast.FunctionDecl:
    decl.body = body
    return decl


# --------------------------------------------------------------------------------------------------------- parameters


def _param(quals: Quals, target: ast.TypeRef, item: ast.Declarator) -> ast.Param:
    return ast.Param(target, item.name, item.pos, quals, item.dims, item.annotations, item.init, item.attributes)


def parameter(tokens: Tokens, target: ast.TypeRef, item: ast.Declarator) -> ast.Param:
    return _param(EMPTY, target, item)


def qualified_parameter(tokens: Tokens, quals: Quals, target: ast.TypeRef, item: ast.Declarator) -> ast.Param:
    return _param(quals, target, item)


def abstract_parameter(tokens: Tokens, target: ast.TypeRef) -> ast.Param:
    return ast.Param(target, "", target.pos, EMPTY, EMPTY, EMPTY, None, EMPTY)


def qualified_abstract_parameter(tokens: Tokens, quals: Quals, target: ast.TypeRef) -> ast.Param:
    return ast.Param(target, "", target.pos, quals, EMPTY, EMPTY, None, EMPTY)


def abstract_array_parameter(tokens: Tokens, target: ast.TypeRef, dims: Dims) -> ast.Param:
    return ast.Param(target, "", target.pos, EMPTY, dims, EMPTY, None, EMPTY)


def qualified_abstract_array_parameter(tokens: Tokens, quals: Quals, target: ast.TypeRef, dims: Dims) -> ast.Param:
    return ast.Param(target, "", target.pos, quals, dims, EMPTY, None, EMPTY)


def abstract_annotated_parameter(
    tokens: Tokens, target: ast.TypeRef, colon: int, annotation: ast.Annotation
) -> ast.Param:
    return ast.Param(target, "", target.pos, EMPTY, EMPTY, [annotation], None, EMPTY)


def qualified_abstract_annotated_parameter(
    tokens: Tokens, quals: Quals, target: ast.TypeRef, colon: int, annotation: ast.Annotation
) -> ast.Param:
    return ast.Param(target, "", target.pos, quals, EMPTY, [annotation], None, EMPTY)


def defaulted_parameter(tokens: Tokens, param: ast.Param, equal: int, default: ast.Expr) -> ast.Param:
    param.default = default
    return param


def attributed_parameter(tokens: Tokens, attributes: Attributes, param: ast.Param) -> ast.Param:
    param.attributes = [*attributes, *param.attributes]
    return param


def attributed_defaulted_parameter(
    tokens: Tokens, attributes: Attributes, param: ast.Param, equal: int, default: ast.Expr
) -> ast.Param:
    param.default = default
    return attributed_parameter(tokens, attributes, param)
