"""Resource limits of the preprocessor for each shader.

They far exceed the needs of real shaders, and turn inputs that would exhaust memory or stack (a macro bomb, a header
that includes itself) into errors.
"""

from __future__ import annotations

from typing import Final

MAX_INCLUDE_DEPTH: Final = 200
"""Files open at once; DXC's limit."""

MAX_INCLUDE_NAME: Final = 4096
"""Characters of the file name in an ``#include``: the limit of Linux for paths."""

MAX_INCLUDES: Final = 100_000
"""``#include`` directives executed."""

MAX_TOKENS: Final = 4_000_000
"""Output tokens: the largest engine shaders have a quarter of a million, and each takes 700 bytes."""

MAX_EXPANSION_TOKENS: Final = 1_000_000
"""Tokens read while the macros of one run of text expand."""

MAX_TOKEN_LENGTH: Final = 1 << 14
"""Characters of a token made by ``#`` or ``##``."""

MAX_ARGUMENT_DEPTH: Final = 100
"""Nesting of macro invocations in arguments (each level uses stack)."""

MAX_EXPRESSION_DEPTH: Final = 100
"""Nesting of parentheses and unary operators in an ``#if`` (each level uses stack)."""

MAX_CYCLE_SHOWN: Final = 8
"""Files listed in the error about an include cycle."""
