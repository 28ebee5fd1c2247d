"""Options of the preprocessor."""

from __future__ import annotations

from hlsl_tool.base.system.dataclass import dataclass


@dataclass(slots=True, frozen=True)
class PreprocessOptions:
    """Options of the preprocessor: plain and hashable, because they are part of cache keys."""

    include_dirs: tuple[str, ...] = ()
    """``-I``, in order."""
    defines: tuple[tuple[str, str | None], ...] = ()
    """``-D`` as (name, value); ``None`` means 1.  A name may have parameters: ``("F(x)", "x+1")``."""
    undefines: tuple[str, ...] = ()
    """``-U``; applied after all ``-D``."""
    predefined: tuple[tuple[str, str], ...] = ()
    """Predefined macros from ``predefined.predefined_macros``."""
    case_insensitive_includes: bool = False
    legacy_macro_expansion: bool = False
    """``-flegacy-macro-expansion``: operands of ``##`` are expanded first, as FXC does."""
    ignore_line_directives: bool = False
    """``-ignore-line-directives``: ``#line`` is parsed but does not change locations."""
    builtin_headers: tuple[tuple[str, str], ...] = ()
    """(name, text) of the compiler's headers, which ``#include <name>`` finds if no file has that name."""
