"""HLSL1490 to HLSL1514: modifiers of declarations; HLSL2000 to HLSL2039: declarations of HLSL 202x and 202y.

Messages that users and test suites search for have DXC's wording.
"""

from __future__ import annotations

from hlsl_tool.base.diagnostics.diagnostic import Code


def _e(number: int, name: str, template: str, doc: str = "") -> Code:
    return Code(f"HLSL{number:04}", name, "error", template, doc=doc)


def _w(number: int, name: str, template: str, doc: str = "", *, group: str = "") -> Code:
    return Code(f"HLSL{number:04}", name, "warning", template, group=group, doc=doc)


TOGETHER = _e(1490, "modifiers-together", "'{first}' and '{second}' cannot be used together for a {kind}", "Keep one of the modifiers.")
STORAGE_COMBINED = _e(1491, "storage-combined", "cannot combine with previous '{name}' declaration specifier", "Keep one of the specifiers.")
STORAGE_PARAMETER = _e(1492, "storage-parameter", "invalid storage class specifier in function declarator", "Remove `static` or `extern` from the parameter.")
STORAGE_MEMBER = _e(1493, "storage-member", "storage class specified for a member declaration", "Remove `extern` from the member.")
USAGE = _e(1494, "usage-place", "HLSL usage '{name}' is only valid on a parameter", "Remove `in`, `out` or `inout`.")
USAGE_REPEATED = _e(1495, "usage-repeated", "duplicate HLSL parameter usages '{name}'", "State the direction once.")
BEHIND_TYPE = _e(1496, "modifier-behind-type", "modifiers must appear before type", "Write the modifier in front of the type.")
INCOMPATIBLE = _e(1497, "modifiers-incompatible", "'{first}' and '{second}' attributes are not compatible", "Keep one of the two; the other may come from a `typedef` or a template argument.")
MATRIX_ONLY = _e(1498, "matrix-order-type", "'{name}' can only be used with a matrix type", "Remove the modifier, or declare a matrix.")
FLOAT_ONLY = _e(1499, "norm-type", "snorm and unorm qualifier can only be used on floating-point types", "Remove the modifier, or use a type of floats.")
COHERENCE = _e(1500, "coherence-type", "'{name}' is not a valid modifier for a declaration of type '{type}'", "Only resources that shaders write are coherent: `RWTexture2D`, `RWStructuredBuffer` and so on.")
REPEATED = _w(1501, "modifier-repeated", "duplicate HLSL specifier '{name}'", "Remove one of them.", group="duplicate-decl-specifier")
OVERRIDDEN = _w(1502, "modifier-overridden", "'{weaker}' will be overridden by '{stronger}'", "Keep one of the two.", group="specifier-override")
APPLIED = _w(1503, "modifier-applied", "attribute '{name}' is already applied", "Remove one of them.", group="ignored-attributes")
SUBJECT = _w(1504, "modifier-subject", "'{name}' attribute only applies to {subjects}", "Remove the modifier.", group="ignored-attributes")
GROUPSHARED_PARAMETER = _w(1505, "groupshared-parameter", "Support for groupshared parameter annotation not added until HLSL 202x", "Compile with `-HV 202x`, or use the variable itself in the function.", group="hlsl-groupshared-202x")
INLINE = _e(1680, "inline-variable", "'inline' can only appear on functions", "Remove `inline`.")
COHERENCE_CHANGE = _w(1507, "coherence-change", "implicit conversion from '{src}' to '{dst}' {change} annotation", "Declare both with the same modifier.", group="conversion")
COHERENCE_IMPLIED = _w(1508, "coherence-implied", "attribute 'globallycoherent' implies 'reordercoherent'", "Remove `reordercoherent`.", group="ignored-attributes")
EXTERN_INITIALIZER = _w(1509, "extern-initializer", "'extern' variable has an initializer", "Remove `extern` or the initialiser; the application sets the variable.")
GROUPSHARED_INOUT = _w(1510, "groupshared-inout", "Passing groupshared variable to a parameter annotated with inout. See 'groupshared' parameter annotation added in 202x.", "The function works on a copy: other threads see it when the function returns. Declare the parameter `groupshared` with `-HV 202x`.", group="parameter-usage")
MIN_PRECISION = _w(1506, "min-precision", "'{name}' is promoted to '{wider}'", "No target has the narrow type: declare the wider one.", group="conversion")

# HLSL 202x and 202y, in clang's words where clang has a message
DELETED = _e(2000, "deleted-function", "call to deleted {what} '{name}'", "The function is declared `= delete`: use another one.")
NO_CONSTRUCTOR = _e(2001, "no-matching-constructor", "no matching constructor for initialization of '{name}'", "Declare a constructor with these parameters, or pass the arguments of one that exists.")
NOT_A_MEMBER = _e(2002, "member-initializer-name", "member initializer '{name}' does not name a non-static data member or base class", "An initialiser in front of a constructor's body names a member of the struct itself, or its base.")
MEMBER_TWICE = _e(2003, "member-initializer-repeated", "multiple initializations given for non-static member '{name}'", "Keep one of the initialisers.")
DELEGATING = _e(2004, "delegating-initializer", "an initializer for a delegating constructor must appear alone", "A constructor that calls another one leaves the members to it.")
PRIVATE = _e(2005, "private-member", "'{name}' is a {access} member of '{type}'", "Use a public member, or move the code into a method.")
HLSL_ATTRIBUTE = _e(2006, "hlsl-attribute", "invalid arguments of attribute 'hlsl::{name}'", "`user_value` takes a string and an index, `system_value` a name and an index, `binding` a number and a space, `packoffset` a row and a column below 4, `payload_access` `read` or `write` and stages, `math_mode` one of `strict`, `fast` and `default`.")
OPERATOR_CLASS = _e(2007, "operator-class", "overloaded '{name}' must have at least one parameter of class or enumeration type", "The operators of numbers, vectors and matrices are fixed: give one parameter a struct's type.")
OPERATOR_MEMBER = _e(2008, "operator-member", "overloaded '{name}' must be a non-static member function", "Declare the operator inside of the struct.")
OPERATOR_COUNT = _e(2009, "operator-parameters", "overloaded '{name}' must be a {arity} operator (has {count} parameter{s})", "A method has one parameter less than a function: its object is the first operand.")
OPERATOR_DEFAULT = _e(2010, "operator-default", "parameter of overloaded '{name}' cannot have a default argument", "Remove the default argument.")
OPERATOR_POSTFIX = _e(2011, "operator-postfix", "parameter of overloaded post-{what} operator must have type 'int' (not '{type}')", "The parameter only distinguishes `x++` from `++x`.")
ASSIGN_IN_CONST = _e(2012, "assign-in-const-method", "cannot assign to non-static data member within const member function '{name}'", "Remove `const` from the method, or work on a copy.")
NOT_CONST = _e(2013, "method-not-const", "'this' argument to member function '{name}' has type 'const {type}', but function is not marked const", "Declare the method `const`, or call it on a copy: members of constant buffers cannot change.")
CBUFFER_INITIALIZER = _e(2014, "cbuffer-initializer", "'{name}' is placed in a constant buffer and cannot have an initializer", "The application sets the value. Declare a constant of the shader as `static const`.")
CBUFFER_DECLARATION = _e(2015, "cbuffer-declaration", "a cbuffer declaration cannot contain a {what}", "Write the declaration around the block, or behind it.")
UNSIZED_PARAMETER = _e(2016, "unsized-parameter", "parameter '{name}' has an array type of unknown size", "State the size of the array, or use a global array of resources by its name.")
SHARED_LIMIT_POSITIVE = _e(2017, "group-shared-limit-positive", "GroupSharedLimit attribute requires a positive compile-time integer argument", "State the limit in bytes, `[GroupSharedLimit(65536)]`.")
SHARED_LIMIT_MULTIPLE = _e(2018, "group-shared-limit-multiple", "GroupSharedLimit attribute argument must be a multiple of 4", "State the limit in bytes, `[GroupSharedLimit(65536)]`.")
SHARED_LIMIT_TWICE = _e(2019, "group-shared-limit-repeated", "Duplicate GroupSharedLimit attribute on entry point", "Keep one of the attributes.")
SHARED_EXCEEDED = _e(2020, "group-shared-exceeded", "Total Thread Group Shared Memory used by '{name}' is {size}, exceeding {which}: {limit}.", "Use less groupshared memory. `[GroupSharedLimit(bytes)]` raises the limit, on devices that have as much.")
UNION_BASE = _e(2021, "union-base", "unions cannot {verb} base classes", "Make the union a member.")
UNION_MEMBER = _e(2022, "union-member", "union member '{name}' cannot have {what}", "Members of a union are numbers, vectors, matrices, and arrays and structs of these.")
UNION_INITIALIZERS = _e(2023, "union-initializers", "initializing multiple members of union", "At most one member of a union has a default value.")
UNION_PLACE = _e(2024, "union-place", "unions cannot be {place}", "Constant buffers and the inputs of stages have a struct of the members, or words that the shader reinterprets.")
EXCESS_ELEMENTS = _e(2025, "excess-elements", "excess elements in {what} initializer", "Remove initialisers, or group them by braces as the type groups its members.")
NARROWING = _e(2026, "narrowing", "type '{src}' cannot be narrowed to '{dst}' in initializer list", "Insert an explicit cast, or use `=` without braces.")
REFERENCE_UNBOUND = _e(2027, "reference-unbound", "declaration of reference variable '{name}' requires an initializer", "Bind the reference: `float &r = v[i];`.")
REFERENCE_TEMPORARY = _e(2028, "reference-temporary", "non-const lvalue reference to type '{type}' cannot bind to {what} '{src}'", "Bind the reference to a variable, a member or an element of exactly the type, or declare it `const`. A conditional expression is a value: choose with `if`, or by the index of an array.")
REFERENCE_CONST = _e(2029, "reference-to-const", "binding reference of type '{type}' to value of type 'const {type}' drops 'const' qualifier", "Declare the reference `const`.")
REFERENCE_LOCAL = _e(2030, "reference-to-local", "reference to stack memory associated with local variable '{name}' returned", "A function returns a reference to a part of its object, of a parameter that is a reference, or of a global variable.")
REFERENCE_RETURNS = _e(2031, "reference-returns", "a function that returns a reference has one 'return' only", "Choose the object by an index: there are no pointers at run time.")
REFERENCE_RESULT = _e(2032, "reference-result", "the reference that '{name}' returns is not known here", "Define the function in front of its calls, with a `return`; it cannot call itself.")
REFERENCE_GLOBAL = _e(2033, "reference-initializer", "a reference that a function returns cannot be used in the initializer of a global variable", "Assign the value in a function.")
LAMBDA_PLACE = _e(2034, "lambda-place", "a lambda expression is only possible inside of a function", "Write a function, or a struct with `operator()`.")
LAMBDA_THIS = _e(2035, "lambda-this", "'this' cannot be captured", "Copy the members that the expression needs to local variables, and capture those.")
LAMBDA_CAPTURE = _e(2036, "lambda-capture", "'{name}' in capture list does not name a variable", "Captures are local variables and parameters; others need no capture.")
LAMBDA_NOT_CAPTURED = _e(2037, "lambda-not-captured", "variable '{name}' cannot be implicitly captured in a lambda with no capture-default specified", "Capture the variable, `[name]` or `[&name]`, or all by `[=]` or `[&]`.")
LAMBDA_CALL = _e(2038, "lambda-call", "a lambda that captures by reference can be called in the function that contains it only", "Capture by value, or pass the variables as arguments.")
LAMBDA_CAPTURE_TWICE = _e(2046, "lambda-capture-twice", "'{name}' can appear only once in a capture list", "Remove one of the captures.")
LAMBDA_CAPTURE_DEFAULT = _e(2047, "lambda-capture-default", "'&' {rule} precede a capture when the capture default is '{default}'", "Captures of their own are those that differ from the default: `[=, &a]` or `[&, a]`.")
LAMBDA_DEFAULT_FIRST = _e(2048, "lambda-default-first", "capture default must be first", "Write `[=, &a]` or `[&, a]`.")
LAMBDA_SHADOW = _e(2049, "lambda-shadow", "a lambda parameter cannot shadow an explicitly captured entity", "Give the parameter another name, or do not capture the variable.")
CONSTEXPR = _e(2039, "constexpr-variable", "constexpr variable '{name}' must be initialized by a constant expression", "Use `const` for a value that is computed at run time.")
REFERENCE_INDEX = _e(2041, "reference-index", "the reference that a function returns depends on '{name}', which changes inside of the function", "Compute the index in the `return`, of parameters that the function does not assign to.")
RANGE = _e(2042, "range", "invalid range expression of type '{type}'", "The range of a loop is an array of constant size.")
MATH_MODES = _e(2044, "math-modes", "math modes '{first}' and '{second}' contradict each other", "Keep one of the attributes: `strict` computes as written, `fast` and `default` let the optimizer choose.")
DESTRUCTOR_PLACE = _e(2045, "destructor-place", "'{type}' has a destructor, which is never called for objects in {place}", "Destructors belong to local variables. Declare a struct without one for the data in memory.")
PACK = _e(2043, "pack", "pack expansion does not contain any unexpanded parameter packs", "Packs are parameters of function templates: `template <typename... T> void f(T... x)`.")
