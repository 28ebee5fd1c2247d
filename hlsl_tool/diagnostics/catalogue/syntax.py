"""HLSL02xx: syntax errors.  Where clang and DXC have the message, their words are kept: people search for them."""

from __future__ import annotations

from hlsl_tool.diagnostics.model import Code

# ------------------------------------------------------------------------------------------------- something missing
EXPECTED_SEMICOLON = Code("HLSL0201", "expected-semicolon", "error", "expected ';' {where}")
EXPECTED_TOKEN = Code("HLSL0202", "expected-token", "error", "expected {what}")
EXPECTED_EXPRESSION = Code("HLSL0203", "expected-expression", "error", "expected expression")
EXPECTED_NAME = Code("HLSL0204", "expected-unqualified-id", "error", "expected unqualified-id")
EXPECTED_IDENTIFIER = Code("HLSL0205", "expected-identifier", "error", "expected identifier")
EXPECTED_PARAMETER = Code("HLSL0206", "expected-parameter", "error", "expected parameter declarator")
EXPECTED_AFTER = Code("HLSL0207", "expected-after", "error", "expected {what} after '{after}'")
EXPECTED_BODY = Code("HLSL0208", "expected-function-body", "error", "expected function body after function declarator")
EXPECTED_TYPE = Code("HLSL0209", "expected-type", "error", "expected a type")
EXPECTED_CONSTRUCTION = Code(
    "HLSL0210", "expected-construction", "error", "expected '(' for function-style cast or type construction"
)
EXPECTED_CLOSING = Code("HLSL0211", "expected-closing", "error", "expected '{what}'")
TO_MATCH = Code("HLSL0213", "to-match-this", "note", "to match this '{what}'")
BRACKETS_BEFORE_NAME = Code(
    "HLSL1640",
    "brackets-before-name",
    "error",
    "brackets are not allowed here; to declare an array, place the brackets after the name",
    doc="An array is `float a[4]`: `float[4] a` is how other languages write it.",
)
EXPECTED_SEMANTIC = Code("HLSL0214", "expected-semantic", "error", "expected HLSL semantic identifier")
MISSING_COMMA = Code("HLSL0215", "missing-comma", "error", "missing ',' between enumerators")

# ---------------------------------------------------------------------------------------------- something out of place
UNKNOWN_TYPE = Code("HLSL0220", "unknown-type-name", "error", "unknown type name '{name}'")
NEEDS_TYPE = Code("HLSL0221", "missing-type-specifier", "error", "HLSL requires a type specifier for all declarations")
EXTRANEOUS_BRACE = Code("HLSL0222", "extraneous-closing-brace", "error", "extraneous closing brace ('}}')")
RESERVED = Code("HLSL0223", "reserved-keyword", "error", "'{name}' is a reserved keyword in HLSL")
UNEXPECTED = Code("HLSL0224", "unexpected-token", "error", "unexpected '{found}'")

# --------------------------------------------------------------------------------------------------------------- limits
NESTING = Code("HLSL0230", "bracket-depth", "fatal", "bracket nesting level exceeded maximum of {limit}")
EXPRESSION_NESTING = Code(
    "HLSL0231", "expression-depth", "fatal", "nesting too deep: expressions or statements exceed {limit} levels"
)
