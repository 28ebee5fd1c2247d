"""What a compilation tells the preprocessor."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True, frozen=True)
class PreprocessOptions:
    """All of it is plain, comparable data: it is part of what remembered results hang on."""

    include_dirs: tuple[str, ...] = ()
    """``-I``, in order."""
    defines: tuple[tuple[str, str | None], ...] = ()
    """``-D`` as (name, value); ``None`` stands for 1.  A name may have parameters: ``("F(x)", "x+1")``."""
    undefines: tuple[str, ...] = ()
    """``-U``; after all ``-D``."""
    predefined: tuple[tuple[str, str], ...] = ()
    """The compiler's own macros, see ``predefined.predefined_macros``."""
    case_insensitive_includes: bool = False
    legacy_macro_expansion: bool = False
    """``-flegacy-macro-expansion``: operands of ``##`` are expanded first, as FXC does."""
    ignore_line_directives: bool = False
    """``-ignore-line-directives``: ``#line`` is read, and changes no place."""
    builtin_headers: tuple[tuple[str, str], ...] = ()
    """(name, text) of headers that come with the compiler; found by ``#include <name>`` where no file is."""
