"""Bounds on what one shader may ask of the preprocessor.

Every one of them stands far above what real shaders need, and turns an input that would eat all memory or all stack
(a macro bomb, a header that includes itself) into a message.
"""

from __future__ import annotations

from typing import Final

MAX_INCLUDE_DEPTH: Final = 200
"""Files open at once; the same bound as DXC's."""

MAX_INCLUDE_NAME: Final = 4096
"""Characters of the file name in an ``#include``: what Linux allows a path."""

MAX_INCLUDES: Final = 100_000
"""``#include`` directives executed."""

MAX_TOKENS: Final = 4_000_000
"""Tokens that come out: the largest shaders of engines have a quarter of a million, and each takes 700 bytes."""

MAX_EXPANSION_TOKENS: Final = 1_000_000
"""Tokens read while the macros of one run of text expand."""

MAX_TOKEN_LENGTH: Final = 1 << 14
"""Characters of one token that ``#`` or ``##`` made."""

MAX_ARGUMENT_DEPTH: Final = 100
"""Macro invocations inside the arguments of macro invocations (each level costs stack)."""

MAX_EXPRESSION_DEPTH: Final = 100
"""Parentheses and unary operators inside one another in an ``#if`` (each level costs stack)."""

MAX_CYCLE_SHOWN: Final = 8
"""Files listed in the message about an include cycle."""
