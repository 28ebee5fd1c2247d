"""Token kinds: the grammar's terminals and the classifier's initial codes.

A token's spelling determines its *code*.  A code below ``SPECIAL`` is a terminal of the grammar and final.  From
``SPECIAL`` on, the classifier decides by context; ``code - SPECIAL`` is the default terminal.
"""

from __future__ import annotations

from hlsl_tool.frontend.syntax.actions import ACTIONS
from hlsl_tool.frontend.syntax.builtin_types import BUILTIN_TYPES, INTEGER_WORDS
from hlsl_tool.frontend.syntax.load_tables import load

TABLES = load(ACTIONS)
"""The tables of the grammar in this package; they cache computed rows."""

_kind = TABLES.kinds

END = _kind["$END"]
IDENT = _kind["IDENT"]
TYPE = _kind["TYPE"]
TNAME = _kind["TNAME"]
TTYPE = _kind["TTYPE"]
SCOPE = _kind["SCOPE"]
QUAL = _kind["QUAL"]
INTWORD = _kind["INTWORD"]
NUMBER = _kind["NUMBER"]
STRING = _kind["STRING"]
CHAR = _kind["CHAR"]
TLT = _kind["TLT"]
TGT = _kind["TGT"]
CAST = _kind["CAST"]
STATE_BLOCK = _kind["STATE_BLOCK"]
CTOR, DTOR, MEMBERS = _kind["CTOR"], _kind["DTOR"], _kind["MEMBERS"]
DIRECT, BRACED = _kind["DIRECT"], _kind["BRACED"]
DEFAULTED, DELETED = _kind["DEFAULTED"], _kind["DELETED"]
RANGE, LAMBDA, RESULT = _kind["RANGE"], _kind["LAMBDA"], _kind["RESULT"]
ANNOTATED, ACCESS, PACK = _kind["ANNOTATED"], _kind["ACCESS"], _kind["PACK"]
UNKNOWN = 127
"""Characters that begin no token (``#``, ``@``, a stray quote); accepted by no rule."""
RESERVED = 126
"""C++ keywords that HLSL reserves; accepted by no rule."""

SPECIAL = 128
LESS = SPECIAL + TABLES.spellings["<"]
COLONS = SPECIAL + TABLES.spellings["::"]
STRUCT = SPECIAL + TABLES.spellings["struct"]
CLASS = SPECIAL + TABLES.spellings["class"]
ENUM = SPECIAL + TABLES.spellings["enum"]
TEMPLATE = SPECIAL + TABLES.spellings["template"]
TYPENAME = SPECIAL + TABLES.spellings["typename"]
TYPEDEF = SPECIAL + TABLES.spellings["typedef"]
USING = SPECIAL + TABLES.spellings["using"]
NAMESPACE = SPECIAL + TABLES.spellings["namespace"]
CBUFFER = SPECIAL + TABLES.spellings["cbuffer"]
LBRACE = SPECIAL + TABLES.spellings["{"]
RBRACE = SPECIAL + TABLES.spellings["}"]
TECHNIQUE = SPECIAL + TABLES.spellings["technique"]
SAMPLER_STATE = SPECIAL + TABLES.spellings["sampler_state"]
PACKOFFSET = SPECIAL + TABLES.spellings["packoffset"]
MATRIX_HANDLE = SPECIAL + TYPE
"""The opaque matrix type, which attributes in ``[[...]]`` may follow."""
CONTEXTUAL = SPECIAL + QUAL
"""A qualifier before a type, otherwise a name: ``sample``, ``point``, ``indices``."""

QUALIFIERS = (
    "static", "const", "uniform", "groupshared", "extern", "in", "out", "inout", "inline", "export",
    "nointerpolation", "noperspective", "row_major", "column_major",
)  # fmt: skip

CONTEXTUAL_QUALIFIERS = (
    "precise", "sample", "center", "centroid", "linear", "point", "line", "triangle", "lineadj", "triangleadj",
    "shared", "vertices", "indices", "primitives", "payload", "globallycoherent", "reordercoherent", "noinline",
    "snorm", "unorm",
)  # fmt: skip

RESERVED_WORDS = (
    "catch", "delete", "explicit", "friend", "goto", "mutable", "new", "private", "protected", "public", "throw", "try",
    "union", "virtual", "volatile",
)  # fmt: skip

CASTS = ("static_cast", "reinterpret_cast", "const_cast", "dynamic_cast")

_LOOKED_AT = (
    "<", "::", "{", "}", "struct", "class", "enum", "template", "typename", "typedef", "using", "namespace", "cbuffer",
    "technique", "sampler_state", "packoffset",
)  # fmt: skip

_ALIASES = {
    "interface": "struct",
    "tbuffer": "cbuffer",
    "_Static_assert": "static_assert",
    "Technique": "technique",
    "technique10": "technique",
    "technique11": "technique",
    "fxgroup": "technique",
}
"""Keywords that share a terminal; nodes keep the spelling."""


def _base_codes() -> dict[str, int]:
    codes = dict.fromkeys(BUILTIN_TYPES, TYPE)
    codes.update(dict.fromkeys(INTEGER_WORDS, INTWORD))
    codes.update(dict.fromkeys(QUALIFIERS, QUAL))
    codes.update(dict.fromkeys(CASTS, CAST))
    codes.update(dict.fromkeys(RESERVED_WORDS, RESERVED))
    codes.update(TABLES.spellings)
    for word in _LOOKED_AT:
        codes[word] = SPECIAL + TABLES.spellings[word]
    for word, same in _ALIASES.items():
        codes[word] = codes[same]
    codes.update(dict.fromkeys(CONTEXTUAL_QUALIFIERS, CONTEXTUAL))
    codes["__builtin_LinAlgMatrix"] = MATRIX_HANDLE
    return codes


BASE_CODES: dict[str, int] = _base_codes()
"""Spelling → code of all keywords, built-in names and operators."""

MODERN_CODES: dict[str, int] = {
    "union": BASE_CODES["struct"],
    "constexpr": QUAL,
    "decltype": BASE_CODES["__decltype"],
    **dict.fromkeys(("public", "private", "protected"), ACCESS),
    "...": PACK,
    "numeric_limits": TYPE,
    **{text: SPECIAL + TABLES.spellings[text] for text in ("(", "[", ":", "=", "->", "for")},
    **dict.fromkeys(("interface", "sampler_state", "fxgroup"), IDENT),
    **dict.fromkeys(("technique", "Technique", "technique10", "technique11"), IDENT),
}
"""Codes of spellings that mean something else from HLSL 202x on."""

KEYWORDS: frozenset[str] = frozenset(
    word for word, code in BASE_CODES.items() if word.isidentifier() and code not in (TYPE, CONTEXTUAL, INTWORD)
)


class Codes(dict[str, int]):
    """A cache of spelling → code; an unknown spelling gets its code from its first character."""

    def __init__(self, is_modern: bool = False) -> None:
        super().__init__()
        self.is_modern = is_modern
        """Whether words and operators of HLSL 202x have their meaning there."""

    def __missing__(self, text: str) -> int:
        code = MODERN_CODES.get(text) if self.is_modern else None
        if code is None:
            code = BASE_CODES.get(text)
        if code is None:
            code = _code_by_shape(text)
        self[text] = code
        return code


def _code_by_shape(text: str) -> int:
    first = text[:1]
    if first.isidentifier():
        return IDENT
    if first.isdigit() or (first == "." and text[1:2].isdigit()):
        return NUMBER
    if first == '"':
        return STRING
    if first == "'" and len(text) > 1:
        return CHAR
    return UNKNOWN
