"""HLSL02xx: syntax errors.  Where clang and DXC have the message, their words are kept: people search for them."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.diagnostic import Code

# ------------------------------------------------------------------------------------------------- something missing
EXPECTED_SEMICOLON = Code("HLSL0201", "expected-semicolon", "error", "expected ';' {where}", doc="Complete the construct; the mistake is often at the end of the line before.")
EXPECTED_TOKEN = Code("HLSL0202", "expected-token", "error", "expected {what}", doc="Complete the construct; the mistake is often at the end of the line before.")
EXPECTED_EXPRESSION = Code("HLSL0203", "expected-expression", "error", "expected expression", doc="Complete the construct; the mistake is often at the end of the line before.")
EXPECTED_NAME = Code("HLSL0204", "expected-unqualified-id", "error", "expected unqualified-id", doc="Complete the construct; the mistake is often at the end of the line before.")
EXPECTED_IDENTIFIER = Code("HLSL0205", "expected-identifier", "error", "expected identifier", doc="Complete the construct; the mistake is often at the end of the line before.")
EXPECTED_PARAMETER = Code("HLSL0206", "expected-parameter", "error", "expected parameter declarator", doc="Write a type and a name for each parameter, without a comma behind the last.")
EXPECTED_AFTER = Code("HLSL0207", "expected-after", "error", "expected {what} after '{after}'", doc="Complete the construct; the mistake is often at the end of the line before.")
EXPECTED_BODY = Code("HLSL0208", "expected-function-body", "error", "expected function body after function declarator", doc="Write the body in braces, or a semicolon for a declaration.")
EXPECTED_TYPE = Code("HLSL0209", "expected-type", "error", "expected a type", doc="Name a type there.")
EXPECTED_CONSTRUCTION = Code(
    "HLSL0210", "expected-construction", "error", "expected '(' for function-style cast or type construction",
    doc="Write the values in parentheses: `float3(1, 2, 3)`.",
)
EXPECTED_CLOSING = Code("HLSL0211", "expected-closing", "error", "expected '{what}'", doc="Complete the construct; the mistake is often at the end of the line before.")
TO_MATCH = Code("HLSL0213", "to-match-this", "note", "to match this '{what}'", doc="The note shows the bracket that is still open; close it before the place of the message above.")
BRACKETS_BEFORE_NAME = Code(
    "HLSL1640",
    "brackets-before-name",
    "error",
    "brackets are not allowed here; to declare an array, place the brackets after the name",
    doc="An array is `float a[4]`: `float[4] a` is how other languages write it.",
)
EXPECTED_SEMANTIC = Code("HLSL0214", "expected-semantic", "error", "expected HLSL semantic identifier", doc="Name a semantic behind the colon, such as `TEXCOORD0` or `SV_Position`.")
MISSING_COMMA = Code("HLSL0215", "missing-comma", "error", "missing ',' between enumerators", doc="Put a comma between the names.")

# ---------------------------------------------------------------------------------------------- something out of place
UNKNOWN_TYPE = Code("HLSL0220", "unknown-type-name", "error", "unknown type name '{name}'", doc="Declare the type above this line, include its header, or correct the spelling.")
NEEDS_TYPE = Code("HLSL0221", "missing-type-specifier", "error", "HLSL requires a type specifier for all declarations", doc="Write the type in front of the name; `void` for a function without a result.")
EXTRANEOUS_BRACE = Code("HLSL0222", "extraneous-closing-brace", "error", "extraneous closing brace ('}}')", doc="Remove the brace, or look for a missing opening one above.")
RESERVED = Code("HLSL0223", "reserved-keyword", "error", "'{name}' is a reserved keyword in HLSL", doc="Choose another name.")
UNEXPECTED = Code("HLSL0224", "unexpected-token", "error", "unexpected '{found}'", doc="Remove the token.")

# --------------------------------------------------------------------------------------------------------------- limits
NESTING = Code("HLSL0230", "bracket-depth", "fatal", "bracket nesting level exceeded maximum of {limit}", doc="Move the inner part into a function or a variable of its own.")
EXPRESSION_NESTING = Code(
    "HLSL0231", "expression-depth", "fatal", "nesting too deep: expressions or statements exceed {limit} levels",
    doc="Move the inner part into a function or a variable of its own. Eight links of a chain of `?:` count as one level.",
)
