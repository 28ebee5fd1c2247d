"""Random sources for the preprocessor: directives and macro calls, mostly well-formed."""

from __future__ import annotations

from hypothesis import strategies as st

_OBJECTS = ("A", "B", "C")
_FUNCTIONS = ("F", "G", "H")
_ATOMS = st.sampled_from(
    (*_OBJECTS, *_FUNCTIONS, "x", "y", "1", "2.5f", "+", "-", "=", ";", '"s"', "a.x", "<", "__LINE__", "F1", "AB")
)
_BODY_ATOMS = st.sampled_from(
    (*_OBJECTS, *_FUNCTIONS, "p", "q", "p ## q", "x ## p", "q ## 1", "x", "1", "+", "(", ")", ",", "F(p)", "G(q, A)")
)
_BODIES = st.lists(_BODY_ATOMS, max_size=5).map(" ".join)
_STRING_BODIES = st.sampled_from(("#p", "#q x", "F(#p)", "p #p"))


@st.composite
def texts(draw: st.DrawFn, depth: int = 2) -> str:
    parts: list[str] = []
    for _ in range(draw(st.integers(0, 4))):
        if depth and draw(st.booleans()):
            name = draw(st.sampled_from(_FUNCTIONS))
            blank = draw(st.sampled_from(("", " ", "\n")))
            arguments = [draw(texts(depth - 1)) for _ in range(draw(st.integers(1, 2)))]
            parts.append(f"{name}{blank}({draw(st.sampled_from((',', ' , '))).join(arguments)})")
        else:
            parts.append(draw(_ATOMS))
    return draw(st.sampled_from((" ", " ", "  ", " /* c */ "))).join(parts)


_DEFINES = st.one_of(
    st.builds("#define {} {}".format, st.sampled_from(_OBJECTS), _BODIES.map(lambda body: body.replace("##", ""))),
    st.builds("#define {}(p) {}".format, st.sampled_from(_FUNCTIONS), _BODIES),
    st.builds("#define {}(p, q) {}".format, st.sampled_from(_FUNCTIONS), st.one_of(_BODIES, _STRING_BODIES)),
    st.builds("#define {}(p, ...) p(q, ##__VA_ARGS__) {}".format, st.sampled_from(_FUNCTIONS), _BODIES),
    st.builds("#undef {}".format, st.sampled_from((*_OBJECTS, *_FUNCTIONS))),
)
_CONDITIONS = st.sampled_from(
    ("#ifdef A", "#ifndef F", "#if defined(B) && !defined C", "#if A", "#if 1", "#if F(1) > 0", "#if 0", "#ifdef AB")
)


@st.composite
def sources(draw: st.DrawFn, headers: tuple[str, ...] = (), depth: int = 2) -> str:
    """Return the lines of a file that may include the given headers."""
    lines: list[str] = []
    for _ in range(draw(st.integers(0, 6))):
        kind = draw(st.integers(0, 9))
        if kind < 4:
            lines.append(draw(texts()))
        elif kind < 7:
            lines.append(draw(_DEFINES))
        elif kind == 7 and headers:
            lines.append(f'#include "{draw(st.sampled_from(headers))}"')
        elif depth:
            lines += [draw(_CONDITIONS), draw(sources(headers, depth - 1)), "#else", draw(sources(headers, depth - 1))]
            lines.append("#endif")
    return "\n".join(lines)


@st.composite
def projects(draw: st.DrawFn) -> dict[str, str]:
    """Return headers, which include only later ones, and two shaders that share them."""
    files = {"c.h": draw(sources()), "b.h": draw(sources(("c.h",)))}
    files["a.h"] = draw(st.sampled_from(("", "#pragma once\n"))) + draw(sources(("b.h", "c.h")))
    files["one.hlsl"] = draw(sources(("a.h", "b.h", "c.h")))
    files["two.hlsl"] = draw(sources(("a.h", "b.h", "c.h")))
    return files
