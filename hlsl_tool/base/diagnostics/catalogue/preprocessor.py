"""HLSL01xx: messages of the preprocessor.  Where DXC has the message, its words are kept: people search for them."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.diagnostic import Code

# ---------------------------------------------------------------------------------------------- files and includes
MISSING_INCLUDE = Code("HLSL0101", "missing-include", "fatal", "'{name}' file not found", doc="Check the name, and name the folder with `-I` or `include_dirs`.")
UNREADABLE_INCLUDE = Code(
    "HLSL1160", "unreadable-include", "fatal", "'{name}' cannot be read: {reason}",
    doc="The compiler reads regular files up to 64 MiB only: a pipe or a device may never end.",
)
INCLUDE_NAME_TOO_LONG = Code(
    "HLSL1161", "include-name-too-long", "fatal", "the name of the included file has {size} characters; at most {limit} are allowed",
    doc="`#include __FILE__` doubles the name at each level.",
)
INCLUDE_NEEDS_QUOTES = Code(
    "HLSL0102",
    "include-needs-quotes",
    "error",
    "'{name}' file not found with <angled> include; use \"quotes\" instead",
    doc="Write the name in quotes, or name the file's folder with `-I`.",
)
INCLUDE_CASE = Code(
    "HLSL0103", "include-case", "fatal", "'{name}' file not found; a file `{found}` differs only in case",
    doc="Write the name as the file spells it; other systems distinguish upper and lower case.",
)
INCLUDE_CASE_ACCEPTED = Code(
    "HLSL0104", "nonportable-include-path", "warning", "`{name}` names the file `{found}` only without case",
    doc="Write the name as the file spells it; other systems distinguish upper and lower case.",
)
INCLUDE_TOO_DEEP = Code("HLSL0105", "include-depth", "fatal", "#include nested too deeply: {cycle}", doc="Give the header an include guard or `#pragma once`, and break the cycle.")
INCLUDE_EXPECTS_NAME = Code("HLSL0106", "include-name", "error", 'expected "FILENAME" or <FILENAME>', doc="Write `#include \"file\"` or `#include <file>`.")
INCLUDE_EMPTY_NAME = Code("HLSL0107", "include-empty-name", "error", "empty filename", doc="Write `#include \"file\"` or `#include <file>`.")
DIRECTIVE_IN_ARGUMENTS = Code(
    "HLSL0108",
    "directive-in-macro-arguments",
    "error",
    "embedding a #{directive} directive within macro arguments is not supported",
    doc="End the macro call before the directive, or put both calls into the branches of the condition.",
)
TOO_MANY_INCLUDES = Code("HLSL0109", "include-count", "fatal", "more than {limit} files included", doc="Give headers include guards: some header includes itself over and over.")
BINARY_FILE = Code("HLSL0110", "binary-file", "fatal", "`{name}` is not a text file", doc="Name a text file; the file holds bytes that no text has.")
NOT_UTF8 = Code(
    "HLSL0111",
    "invalid-source-encoding",
    "warning",
    "source file is not valid UTF-8; read as Latin-1 from here on",
    default_on=False,
    doc="Off by default: most such bytes stand in comments. In code they are an error, in strings another warning.  Save the file as UTF-8.",
)
NON_ASCII = Code(
    "HLSL0112",
    "non-ascii",
    "error",
    "non-ASCII characters are not allowed outside of literals and identifiers",
    doc="Use ASCII letters outside of comments and strings; the character often comes from a word processor.",
)
UNICODE_SPACE = Code("HLSL0113", "unicode-whitespace", "warning", "treating Unicode character as whitespace", doc="Replace the character by an ordinary space.")
STRING_ENCODING = Code("HLSL1090", "string-encoding", "warning", "illegal character encoding in string literal", doc="Save the file as UTF-8.")
EXTRA_TOKENS = Code("HLSL0114", "extra-tokens", "warning", "extra tokens at end of #{directive} directive", doc="Remove the words behind the directive, or put them into a comment.")
PRAGMA_ONCE_IN_MAIN = Code("HLSL0115", "pragma-once-outside-header", "warning", "#pragma once in main file", doc="Remove the line, or compile the shader that includes the file.")

# ------------------------------------------------------------------------------------------------ text and literals
UNTERMINATED_COMMENT = Code("HLSL0120", "unterminated-comment", "error", "unterminated /* comment", doc="Close the comment with `*/`.")
UNTERMINATED_STRING = Code("HLSL0121", "unterminated-string", "error", "missing terminating '\"' character", doc="Close the literal on its line.")
UNTERMINATED_CHARACTER = Code("HLSL0122", "unterminated-character", "error", "missing terminating ' character", doc="Close the literal on its line.")

# ------------------------------------------------------------------------------------------------------- directives
INVALID_DIRECTIVE = Code("HLSL0130", "invalid-directive", "error", "invalid preprocessing directive", doc="Check the spelling; directives are those of C.")
USER_ERROR = Code("HLSL0131", "user-error", "error", "{text}", doc="The shader itself reports this with `#error` or `#warning`; the text states what it needs.")
USER_WARNING = Code("HLSL0132", "#warnings", "warning", "{text}", doc="The shader itself reports this with `#error` or `#warning`; the text states what it needs.")
UNTERMINATED_CONDITIONAL = Code(
    "HLSL0133", "unterminated-conditional", "error", "unterminated conditional directive",
    doc="Close the condition with `#endif`.",
)
ELSE_WITHOUT_IF = Code("HLSL0134", "else-without-if", "error", "#{directive} without #if", doc="Remove the directive, or open the condition with `#if` above it.")
ELSE_AFTER_ELSE = Code("HLSL0135", "else-after-else", "error", "#{directive} after #else", doc="A condition has one `#else`, which comes last; use `#elif` above it.")
MACRO_NAME_MISSING = Code("HLSL0136", "macro-name-missing", "error", "macro name missing", doc="Write the name of the macro behind the directive: letters, digits and underscores, no digit first.")
MACRO_NAME_NOT_IDENTIFIER = Code("HLSL0137", "macro-name", "error", "macro name must be an identifier", doc="Write the name of the macro behind the directive: letters, digits and underscores, no digit first.")
DEFINED_AS_MACRO_NAME = Code("HLSL0138", "defined-macro-name", "error", "'defined' cannot be used as a macro name", doc="Choose another name.")
LINE_NUMBER = Code("HLSL0139", "line-number", "error", "#line directive requires a positive integer argument", doc="Write `#line NUMBER \"file\"` with a positive decimal number.")
LINE_DIGITS = Code("HLSL0140", "line-digits", "error", "#line directive requires a simple digit sequence", doc="Write `#line NUMBER \"file\"` with a positive decimal number.")
LINE_FILE_NAME = Code("HLSL0141", "line-file-name", "error", "invalid filename for #line directive", doc="Write `#line NUMBER \"file\"` with a positive decimal number.")

# --------------------------------------------------------------------------------------------------- #if expressions
EXPECTED_VALUE = Code("HLSL0150", "expected-value", "error", "expected value in expression", doc="Write a number, a macro or `defined(NAME)` there.")
EXPECTED_RPAREN = Code("HLSL0151", "expected-rparen", "error", "expected ')' in preprocessor expression", doc="Close the parenthesis.")
EXPECTED_END = Code("HLSL0152", "expected-end", "error", "expected end of line in preprocessor expression", doc="Remove the rest of the line, or join it with an operator such as `&&`.")
MISSING_AFTER = Code("HLSL0153", "missing-after", "error", "missing '{missing}' after {after}", doc="Close the parenthesis.")
COLON_WITHOUT_QUESTION = Code("HLSL0154", "colon-without-question", "error", "':' without preceding '?'", doc="Write `condition ? a : b`.")
DIVISION_BY_ZERO = Code(
    "HLSL0155", "preprocessor-division-by-zero", "error", "division by zero in preprocessor expression",
    doc="Divide by a number that is not zero, or test for zero first.",
)
REMAINDER_BY_ZERO = Code(
    "HLSL0156", "preprocessor-remainder-by-zero", "error", "remainder by zero in preprocessor expression",
    doc="Divide by a number that is not zero, or test for zero first.",
)
BAD_BINARY_OPERATOR = Code(
    "HLSL0157",
    "preprocessor-operator",
    "error",
    "token is not a valid binary operator in a preprocessor subexpression",
    doc="Remove the rest of the line, or join it with an operator such as `&&`.",
)
BAD_EXPRESSION_START = Code(
    "HLSL0158", "preprocessor-expression", "error", "invalid token at start of a preprocessor expression",
    doc="Write a number, a macro or `defined(NAME)` there.",
)
FLOAT_IN_EXPRESSION = Code(
    "HLSL0159", "preprocessor-float", "error", "floating point literal in preprocessor expression",
    doc="Conditions compute with integers; scale the value.",
)
INVALID_SUFFIX = Code(
    "HLSL0160", "preprocessor-integer-suffix", "error", "invalid suffix '{suffix}' on integer constant",
    doc="The suffixes of integers are `u`, `l` and `ll`.",
)
INVALID_DIGIT = Code("HLSL0161", "preprocessor-digit", "error", "invalid digit '{digit}' in {base} constant", doc="Use digits of the constant's base: 0 to 7 after a leading 0, 0 to 9, or 0 to f after `0x`.")
INTEGER_OVERFLOW = Code(
    "HLSL0162", "integer-overflow", "warning", "integer overflow in preprocessor expression",
    doc="Choose numbers whose result fits 64 bits.",
)
INTEGER_TOO_LARGE = Code(
    "HLSL0163",
    "preprocessor-integer-size",
    "error",
    "integer literal is too large to be represented in any integer type",
    doc="Write a smaller number; integers have at most 64 bits.",
)
EXPRESSION_TOO_DEEP = Code(
    "HLSL0164", "expression-depth", "error", "preprocessor expression nested deeper than {limit} levels",
    doc="Split the condition into several macros.",
)
CONVERTED_TO_POSITIVE = Code(
    "HLSL0167",
    "preprocessor-sign",
    "warning",
    "{side} side of operator converted from negative value to unsigned: {value} to {positive}",
    doc="Write both sides signed, or both unsigned.",
)
UNDEFINED_IDENTIFIER = Code(
    "HLSL0165", "undef", "warning", "`{name}` is not defined, evaluates to 0", default_on=False,
    doc="Define the macro, also as 0, or test it with `defined(NAME)`.",
)

# ------------------------------------------------------------------------------------------------------------ macros
MACRO_DEFINED_HERE = Code("HLSL0170", "macro-defined-here", "note", "macro '{name}' defined here", doc="The note shows the declaration that the message above it refers to; nothing is wrong there.")
PREVIOUS_DEFINITION = Code("HLSL0171", "previous-definition", "note", "previous definition is here", doc="The note shows the declaration that the message above it refers to; nothing is wrong there.")
MACRO_REDEFINED = Code("HLSL0172", "macro-redefined", "warning", "'{name}' macro redefined", doc="Remove one definition, make both equal, or `#undef` the macro first.")
BUILTIN_REDEFINED = Code("HLSL0173", "builtin-macro-redefined", "warning", "{what} builtin macro", doc="Choose another name: the compiler sets this macro.")
MISSING_RPAREN_IN_MACRO = Code(
    "HLSL0174", "macro-parameters-rparen", "error", "missing ')' in macro parameter list",
    doc="Close the parameters with `)` on the line of the `#define`.",
)
INVALID_PARAMETER_TOKEN = Code("HLSL0175", "macro-parameter-token", "error", "invalid token in macro parameter list", doc="Parameters are identifiers with commas between them.")
EXPECTED_IDENTIFIER_IN_PARAMETERS = Code(
    "HLSL0176", "macro-parameter-name", "error", "expected identifier in macro parameter list",
    doc="Parameters are identifiers with commas between them.",
)
EXPECTED_COMMA_IN_PARAMETERS = Code(
    "HLSL0177", "macro-parameter-comma", "error", "expected comma in macro parameter list",
    doc="Parameters are identifiers with commas between them.",
)
DUPLICATE_PARAMETER = Code("HLSL0178", "duplicate-parameter", "error", "duplicate macro parameter name '{name}'", doc="Give each parameter a name of its own.")
STRINGISE_NOT_PARAMETER = Code(
    "HLSL0179", "stringise", "error", "'#' is not followed by a macro parameter",
    doc="`#` stands in front of a parameter of the macro.",
)
PASTE_AT_START = Code("HLSL0180", "paste-at-start", "error", "'##' cannot appear at start of macro expansion", doc="`##` joins two tokens: write one on either side.")
PASTE_AT_END = Code("HLSL0181", "paste-at-end", "error", "'##' cannot appear at end of macro expansion", doc="`##` joins two tokens: write one on either side.")
BAD_PASTE = Code(
    "HLSL0182", "invalid-token-paste", "error", "pasting formed '{token}', an invalid preprocessing token",
    doc="Join tokens that make one: `a##1` is an identifier, `+##1` is none.",
)
UNTERMINATED_INVOCATION = Code(
    "HLSL0183", "unterminated-invocation", "error", "unterminated function-like macro invocation",
    doc="Close the call of the macro with `)`.",
)
TOO_MANY_ARGUMENTS = Code(
    "HLSL0184", "too-many-arguments", "error", "too many arguments provided to function-like macro invocation",
    doc="Give as many arguments as the macro has parameters; put an argument with commas in parentheses.",
)
TOO_FEW_ARGUMENTS = Code(
    "HLSL0185", "too-few-arguments", "error", "too few arguments provided to function-like macro invocation",
    doc="Give as many arguments as the macro has parameters; put an argument with commas in parentheses.",
)
EXPANSION_TOO_LARGE = Code(
    "HLSL0186", "macro-bomb", "fatal", "macro expansion makes more than {limit} tokens",
    doc="Some macro grows with each expansion; write its result as code.",
)
TOKEN_TOO_LONG = Code(
    "HLSL0187", "token-length", "fatal", "macro expansion makes a token of more than {limit} characters",
    doc="Some macro grows with each expansion; write its result as code.",
)
ARGUMENTS_TOO_DEEP = Code(
    "HLSL0188", "macro-argument-depth", "fatal", "macro invocations nested deeper than {limit} levels in arguments",
    doc="Some macro grows with each expansion; write its result as code.",
)
TOO_MANY_TOKENS = Code("HLSL0189", "token-count", "fatal", "more than {limit} tokens after preprocessing", doc="Some macro grows with each expansion; write its result as code.")
DATE_TIME = Code(
    "HLSL0190",
    "date-time",
    "warning",
    "expansion of date or time macro is not reproducible; a fixed date is used",
    doc="Pass the date with `-D` if you need it.",
)

# ----------------------------------------------------------------------------------------------------------- pragmas
UNKNOWN_PRAGMA = Code("HLSL0191", "unknown-pragmas", "warning", "unknown pragma ignored", default_on=False, doc="Check the spelling, or switch the warning off with `-Wno-unknown-pragmas`.")
PRAGMA_MESSAGE = Code("HLSL0192", "#pragma-messages", "warning", "{text}", doc="The shader itself reports this with `#pragma message`.")
PRAGMA_MESSAGE_MALFORMED = Code(
    "HLSL0193", "pragma-message", "error", "pragma message requires parenthesized string",
    doc="Write `#pragma message(\"text\")`.",
)
PRAGMA_OPERATOR_MALFORMED = Code(
    "HLSL0194", "pragma-operator", "error", "_Pragma takes a parenthesized string literal",
    doc="Write `_Pragma(\"text\")`.",
)
PRAGMA_DIAGNOSTIC_INVALID = Code(
    "HLSL0195",
    "pragma-diagnostic",
    "warning",
    "pragma diagnostic expected 'error', 'warning', 'ignored', 'fatal', 'push', or 'pop'",
    group="unknown-pragmas",
    doc="Write `#pragma dxc diagnostic ignored \"-Wname\"`, or `push` and `pop` without a name.",
)
PRAGMA_DIAGNOSTIC_POP = Code(
    "HLSL0196",
    "pragma-diagnostic-pop",
    "warning",
    "pragma diagnostic pop could not pop, no matching push",
    group="unknown-pragmas",
    doc="Put `#pragma dxc diagnostic push` in front.",
)
PRAGMA_DIAGNOSTIC_OPTION = Code(
    "HLSL0197",
    "pragma-diagnostic-option",
    "warning",
    'pragma diagnostic expected option name (e.g. "-Wundef")',
    group="unknown-pragmas",
    doc="Write `#pragma dxc diagnostic ignored \"-Wname\"`, or `push` and `pop` without a name.",
)
PRAGMA_DIAGNOSTIC_GROUP = Code(
    "HLSL0198",
    "pragma-diagnostic-group",
    "warning",
    "unknown warning group '{name}', ignored",
    group="unknown-pragmas",
    doc="Check the name: this page has the names of all warnings.",
)
PRAGMA_PACK_MATRIX = Code(
    "HLSL0199",
    "pragma-pack-matrix",
    "error",
    "expected `row_major` or `column_major` in parentheses after #pragma pack_matrix",
    doc="Write `#pragma pack_matrix(row_major)` or `(column_major)`.",
)
