"""HLSL10xx: templates, overloads, conversions and constants; HLSL16xx: programs that are valid and probably mistaken.

The words are DXC's where DXC has the message.
"""

from __future__ import annotations

from hlsl_tool.base.diagnostics.diagnostic import Code


def _e(number: int, name: str, template: str, doc: str = "") -> Code:
    return Code(f"HLSL{number:04}", name, "error", template, doc=doc)


def _n(number: int, name: str, template: str, doc: str = "") -> Code:
    return Code(f"HLSL{number:04}", name, "note", template, doc=doc)


def _w(
    number: int,
    name: str,
    template: str,
    doc: str,
    *,
    group: str = "",
    on: bool = True,
    outside_macros: bool = False,
    of_valid: bool = False,
) -> Code:
    return Code(
        f"HLSL{number:04}",
        name,
        "warning",
        template,
        group=group,
        default_on=on,
        outside_macros=outside_macros,
        of_valid=of_valid,
        doc=doc,
    )


# templates
DEDUCTION_CONFLICT = _n(
    1000,
    "deduction-conflict",
    "candidate template ignored: deduced conflicting {kind} for parameter '{name}' ({first} vs. {second})",
    doc="Name the template arguments in the call, as in `f<float>(x)`.",
)
DEDUCTION_MISMATCH = _n(
    1001, "deduction-mismatch", "candidate template ignored: could not match {pattern} against {type}",
    doc="Compare the call with the template's parameters, and correct the arguments.",
)
TEMPLATE_ARITY = _n(1002, "template-arity", "candidate function template not viable: {why}", doc="Compare the call with the template's parameters, and correct the arguments.")
EXPLICIT_ARGUMENT = _n(
    1003,
    "explicit-argument",
    "candidate template ignored: invalid explicitly-specified argument for template parameter '{name}'",
    doc="Compare the call with the template's parameters, and correct the arguments.",
)
SPECIALIZED_TOO_LATE = _e(1185, "specialized-too-late", "explicit specialization of '{name}' after instantiation", doc="A declaration in front of the specialisation uses the template with these arguments, and gets the general definition. Move the specialisation in front of that use, right behind the template.")
SUBSTITUTION_FAILURE = _n(1004, "substitution-failure", "candidate template ignored: substitution failure: {why}", doc="Compare the call with the template's parameters, and correct the arguments.")
NO_TEMPLATE_MATCHES = _e(
    1005, "no-template-matches", "no function template matches function template specialization '{name}'",
    doc="Compare the arguments with the candidates in the notes: their number, types and order.",
)
MEMBER_TEMPLATE = _e(
    1010,
    "member-template-definition",
    "out-of-line definition of member template '{name}' is not supported",
    "Define the template inside the struct.",
)

# literals
HALF_SUFFIX = _e(
    1011, "half-suffix", "16-bit floating-point literal suffix '{suffix}' requires '-enable-16bit-types'",
    doc="Add `-enable-16bit-types`, or remove the suffix.",
)

# strings
STRING_TYPE = _e(
    1008,
    "string-type",
    "{what} of type string is not supported",
    "SPIR-V cannot store strings: they are arguments of `printf` only.",
)
STRING_SCOPE = _e(1009, "string-scope", "string declaration may only appear in global scope", doc="Move the string out of the function.")

# members and arrays
UNSIZED_MEMBER = _e(
    1406,
    "unsized-member",
    "array dimensions of struct/class members must be explicit",
    "Give the member a size; a resource of the binding's own may be an unsized array.",
)
UNSIZED_VARIABLE = _e(
    1681,
    "unsized-variable",
    "definition of variable with array type needs an explicit size or an initializer",
    "Give the array a size, or an initialiser that it is taken from; only arrays of resources may be unbounded.",
)
BIT_FIELD_PLACE = _e(
    1682,
    "bit-field-place",
    "bit-fields can only be members of a struct or class",
    "Put the variable into a struct, or remove its width.",
)
BIT_FIELD_ZERO = _e(
    1692,
    "bit-field-zero",
    "named bit-field '{name}' has zero width",
    "A width of zero begins a new word: leave the name out, or give the bit-field a width.",
)
NAMED_WIDTH = _w(
    1693,
    "named-width",
    "'{name}' is a constant: the member is a bit-field of that width, where DXC reads a semantic",
    "Put the width in parentheses, as in `uint a : (WIDTH);`, or choose another name for the semantic.",
    group="semantic-identifier-collision",
)
MEMBER_DEFAULT = _e(
    1683,
    "member-default",
    "struct/class members cannot have default values",
    "Initialise the variables of the type; a `static const` member may have a value.",
)
STORAGE_ARGUMENT = _e(
    1684,
    "storage-argument",
    "type name does not allow storage class to be specified",
    "Write `static`, `extern` or `groupshared` in front of the variable, not in a template argument.",
)
SCOPED_ATTRIBUTE = _e(
    1685,
    "scoped-attribute",
    "an attribute with a scope needs two brackets: '[[{name}]]'",
    "HLSL's own attributes have one bracket: `[numthreads(8, 8, 1)]`; those of a scope have two: `[[vk::binding(0)]]`.",
)
ATTRIBUTE_LIST = _e(
    1686,
    "attribute-list",
    "an attribute list cannot appear here",
    "Write the attribute of a struct behind the keyword: `struct [raypayload] Payload`.",
)
PAYLOAD_ACCESS_PLACE = _e(
    1687,
    "payload-access-place",
    "payload access qualifiers are only allowed for member variables of a payload structure",
    "Declare the struct `struct [raypayload] Payload` and qualify its members.",
)
TYPEDEF_INITIALIZER = _e(
    1688,
    "typedef-initializer",
    "illegal initializer (only variables can be initialized)",
    "A `typedef` names a type; remove the value, or the word `typedef`.",
)
NESTED_TYPEDEF = _e(
    1689,
    "nested-typedef",
    "nested typedefs are not supported in HLSL",
    "Declare the type in front of the struct.",
)
TRAILING_QUALIFIER = _e(
    1690,
    "trailing-qualifier",
    "'{name}' cannot stand behind the parameters of a function",
    "Only `const` of a method stands there; write other modifiers in front of the result type.",
)
STREAM_DIRECTION = _e(
    1691,
    "stream-direction",
    "stream-output object must be an inout parameter",
    "Declare the parameter as `inout TriangleStream<Vertex>`.",
)
BIT_FIELD_ANNOTATION = _e(
    1407,
    "bit-field-annotation",
    "bitfields are not allowed with HLSL annotations",
    "Declare a whole member for a semantic, a register or a payload access.",
)
FINAL_BASE = _e(1408, "final-base", "base '{name}' is marked 'final'", "Make it a member instead of a base class.")
INCOMPLETE_ELEMENT = _e(
    1409,
    "incomplete-element",
    "array has incomplete element type '{type}'",
    "Only the first dimension of an array may be without a size.",
)
NO_INTERPOLATION = _e(
    1515,
    "no-interpolation",
    "parameter {index} of {function} must have a 'nointerpolation' attribute",
    "Declare the input `nointerpolation`, and the parameters through which it goes.",
)
ANGLE_BRACKETS = _e(
    1516,
    "angle-brackets",
    "a space is required between consecutive right angle brackets (use '> >')",
    "HLSL 2021 reads `>>` as a shift; 202x ends two lists of template arguments with it.",
)
INCOMPLETE_RESULT = _e(
    1517, "incomplete-result", "incomplete result type '{type}' in function definition", "Define the struct before."
)
INCOMPLETE_CAST = _e(1518, "incomplete-cast", "'{type}' is an incomplete type", "Define the struct before.")
TYPE_ARGUMENT = _e(
    1519,
    "numeric-template-argument",
    "Explicit template arguments on intrinsic {name} must be a single numeric type",
    "Load structs and arrays of numbers; resources are bound, not loaded.",
)

LITERAL_CONVERSION = Code(
    "HLSL1520",
    "literal-conversion",
    "warning",
    "implicit conversion from '{src}' to '{dst}' changes value from {value} to {result}",
    group="conversion",
    doc="Write the value that is stored, or a cast.",
)
LEGACY_LITERAL = Code(
    "HLSL1522",
    "hlsl-legacy-literal",
    "warning",
    "literal value is treated as signed in HLSL 2021 and earlier, and unsigned in later language versions",
    default_on=False,
    doc="Write the suffix `u` or `ul`, which means the same in all versions.",
)
LITERAL_TOO_LARGE = Code(
    "HLSL1523",
    "literal-too-large",
    "warning",
    "integer literal is too large to be represented in a signed integer type, interpreting as unsigned",
    doc="Write the suffix `ul`.",
)
PROMOTION = Code(
    "HLSL2040",
    "double-promotion",
    "warning",
    "implicit conversion increases floating-point precision: '{src}' to '{dst}'",
    default_on=False,
    doc="Write the literal with the suffix of the narrower type, such as `1.0h`, or a cast.",
)
DEFAULT_REDEFINED = _e(
    1521, "default-redefined", "redefinition of default argument", "State the default in the first declaration only."
)

# functions
NESTED_FUNCTION = _e(
    1403,
    "nested-function",
    "function definition is not allowed here",
    "Functions are defined outside of functions; often the closing brace of the function before is missing.",
)

# variables
FOR_REDEFINITION = Code(
    "HLSL1404",
    "for-redefinition",
    "warning",
    "redefinition of '{name}'{change} shadows declaration in the outer scope; most recent declaration will be used",
    doc="Before HLSL 2021 the variables of a `for` are visible behind it. Name them differently, or use `-HV 2021`.",
)

# initialisers
GENERALIZED_LIST = _e(
    1402,
    "generalized-initializer-list",
    "generalized initializer lists are incompatible with HLSL",
    "Only the initialiser of a variable is a list in braces: return a constructor, or declare a variable.",
)

# references and pointers
REFERENCE = _e(
    1400,
    "reference",
    "references are unsupported in HLSL",
    "Pass a parameter `inout` or `out` where the function writes it.",
)
POINTER = _e(
    1401,
    "pointer",
    "pointers are unsupported in HLSL",
    "Pass a parameter `inout` or `out` where the function writes it; `vk::BufferPointer` is an address in a buffer.",
)

# operators
CONVERSION_OPERATOR = _e(
    1006,
    "conversion-operator",
    "conversion operator overloading is not allowed",
    "HLSL converts structs member by member: write a method that returns the value.",
)
OPERATOR_NOT_ALLOWED = _e(1007, "operator-overload", "overloading {kind}'{name}' is not allowed", doc="Overload functions; of operators only those of the language.")

# values
CONSTANT_CONVERSION = _w(
    1600,
    "constant-conversion",
    "implicit conversion from '{src}' to '{dst}' changes value from {value} to {result}",
    "The integer needs more bits than the type has: write the value that is stored, a wider type, or a cast.",
    group="conversion",
)
CONSTANT_OVERFLOW = _w(
    1634,
    "constant-overflow",
    "overflow in the expression when converting to '{dst}' type",
    "A number that is too large becomes infinity, or the nearest number that the type has: write a number in its range.",
    group="const-expr-overflow",
)

# results
UNUSED_COMPARISON = _w(
    1601,
    "unused-comparison",
    "{kind} comparison result unused",
    "The statement only compares: `=` assigns.",
    outside_macros=True,
)
UNUSED_CALL = _w(
    1602,
    "unused-call",
    "ignoring return value of function {why}",
    "The function has no effect but its result.  Use the result, or remove the call.",
    group="unused-value",
    outside_macros=True,
)
COMMA_IN_INIT = _w(
    1603,
    "comma-in-init",
    "comma expression used where a constructor list may have been intended",
    "`(1, 2)` is 2: write `float2(1, 2)` or, for a variable, `{1, 2}`.",
)

# precedence
ASSIGNMENT_AS_CONDITION = _w(
    1604,
    "assignment-as-condition",
    "using the result of an assignment as a condition without parentheses",
    "`==` compares.  An assignment that is meant gets parentheses of its own: `if ((a = b))`.",
    group="parentheses",
)
EXTRANEOUS_PARENTHESES = _w(
    1605,
    "parentheses-equality",
    "equality comparison with extraneous parentheses",
    "Double parentheses mark an assignment that is meant as a condition: remove them from a comparison.",
    outside_macros=True,
)
BITWISE_COMPARISON = _w(
    1606,
    "bitwise-comparison",
    "{op} has lower precedence than {comparison}; {comparison} will be evaluated first",
    "`a & b == c` means `a & (b == c)`: write the parentheses.",
    group="parentheses",
)
LOGICAL_OPERATORS = _w(
    1607,
    "logical-op-parentheses",
    "'&&' within '||'",
    "`a && b || c` means `(a && b) || c`: write the parentheses.",
    outside_macros=True,
)
BITWISE_OPERATORS = _w(
    1608,
    "bitwise-op-parentheses",
    "'&' within '|'",
    "`a & b | c` means `(a & b) | c`: write the parentheses.",
    outside_macros=True,
)
SHIFT_OPERATORS = _w(
    1609,
    "shift-op-parentheses",
    "operator '{op}' has lower precedence than '{inner}'; '{inner}' will be evaluated first",
    "`a << b + c` means `a << (b + c)`: write the parentheses.",
)

# statements
EMPTY_BODY = Code(
    "HLSL1610",
    "empty-body",
    "warning",
    "{statement} has empty body",
    of_spacing=True,
    doc="The `;` behind the condition is the whole body.  Remove it, or put it on a line of its own if it is meant.",
)
DANGLING_ELSE = _w(
    1611,
    "dangling-else",
    "add explicit braces to avoid dangling else",
    "The `else` belongs to the inner `if`: write the braces.",
)
SWITCH_BOOL = _w(
    1612,
    "switch-bool",
    "switch condition has boolean value",
    "An `if` chooses between two cases.",
)
SWITCH_ENUM = _w(
    1613,
    "switch",
    "{values}",
    "Write the missing cases, or `default: break;`.",
)
SWITCH_CONSTANT = _w(
    1614,
    "switch-constant",
    "no case matching constant switch condition '{value}'",
    "The condition is a constant for which the `switch` does nothing.",
)

# values that are missing
UNINITIALIZED_PARAMETER = _w(
    1615,
    "parameter-usage",
    "{what} '{name}' is uninitialized when used here",
    "The function returns without writing the `out` parameter: assign a value on every path.",
    of_valid=True,
)
SOMETIMES_UNINITIALIZED_PARAMETER = _w(
    1616,
    "parameter-usage-sometimes",
    "{what} '{name}' is used uninitialized whenever {when}",
    "On one path the function returns without writing the `out` parameter: assign a value there, too.",
    group="parameter-usage",
    of_valid=True,
)
UNINITIALIZED = _w(
    1617,
    "uninitialized",
    "{what} '{name}' is uninitialized when used here",
    "Assign a value first. On in a configuration, off on the command line, as in DXC: `-Wuninitialized` turns it on.",
    on=False,
    of_valid=True,
)
SOMETIMES_UNINITIALIZED = _w(
    1618,
    "sometimes-uninitialized",
    "{what} '{name}' is used uninitialized whenever {when}",
    "Assign a value on that path, too, or where the variable is declared.",
    on=False,
    of_valid=True,
)
VARIABLE_DECLARED = Code(
    "HLSL1619",
    "variable-declared",
    "note",
    "variable '{name}' is declared here",
    doc="The variable of the warning above.",
)

# names
UNUSED_VARIABLE = _w(
    1620,
    "unused-variable",
    "unused variable '{name}'",
    "Remove the variable, or mark it `[[maybe_unused]]`.",
    on=False,
)
UNUSED_PARAMETER = _w(
    1621,
    "unused-parameter",
    "unused parameter '{name}'",
    "Leave out the name of a parameter that the function has for its callers only, or mark it `[[maybe_unused]]`.",
    on=False,
)

UNUSED_CONST_VARIABLE = _w(
    1629,
    "unused-const-variable",
    "unused variable '{name}'",
    "Remove the constant, or mark it `[[maybe_unused]]`.",
    on=False,
)
UNUSED_FUNCTION = _w(
    1630,
    "unused-function",
    "unused function '{name}'",
    "Remove the static function, or mark it `[[maybe_unused]]`.",
    on=False,
)
SHADOW = _w(
    1631,
    "shadow",
    "declaration shadows {what}",
    "Choose another name: in this scope the name means the new variable.",
    on=False,
)
SHADOWED = _n(1632, "shadowed", "previous declaration is here", doc="The variable that the warning above is about.")

# declarations and numbers
DUPLICATE_SPECIFIER = _w(
    1622,
    "duplicate-decl-specifier",
    "duplicate '{name}' declaration specifier",
    "Remove one of them.",
)
NOTHING_DECLARED = _w(
    1623,
    "missing-declarations",
    "declaration does not declare anything",
    "Name the variable, or remove the type.",
)
LITERAL_RANGE = _w(
    1624,
    "literal-range",
    "magnitude of floating-point constant {limit}",
    "The constant becomes infinity or zero: write a number that the type holds, or `1.#INF`.",
)
UNSEQUENCED = _w(
    1625,
    "unsequenced",
    "{what} to '{name}'",
    "The order is not defined, and compilers differ: write separate statements.",
)

# functions without bodies
UNDEFINED_INTERNAL = _w(
    1626,
    "undefined-internal",
    "function '{name}' has internal linkage but is not defined",
    "A `static` function is known in its source only: write its body, or remove `static`.",
)
UNDEFINED_INLINE = _w(
    1627,
    "undefined-inline",
    "inline function '{name}' is not defined",
    "Write the body of the function, or remove `inline`.",
)
UNDEFINED_MEMBER = _e(
    1633,
    "undefined-static-member",
    "static member '{name}' is used but not defined",
    "A member that is declared `static` needs a definition: initialise it, or define it outside of the struct,"
    " `const float S::k = 1;`.",
)
USED_HERE = _n(1628, "used-here", "used here", doc="The first call of the function of the warning above.")
