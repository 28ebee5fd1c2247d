"""Cached results of the preprocessor, and the edits that invalidate them."""

from __future__ import annotations

import pytest

from hlsl_tool.base.source import MemoryFileSystem
from hlsl_tool.frontend.preprocessor import PreprocessorMemory
from hlsl_tool.frontend.preprocessor.macros.predefined import predefined_macros

from .helper import Result, run

HEADER = "#ifdef FAST\nfast\n#else\nslow\n#endif\n#define RESULT COLOR(1)\nfloat shared_by_all;\n"


def both(memory: PreprocessorMemory, source: str, headers: dict[str, str | bytes]) -> Result:
    """Preprocess with the cache, and check that the result equals that without a cache."""
    warm, cold = run(source, headers, memory=memory), run(source, headers)
    assert warm.stream.tokens == cold.stream.tokens
    assert warm.places == cold.places
    assert [f.path for f in warm.stream.trace.files] == [f.path for f in cold.stream.trace.files]
    assert warm.stream.trace.missing == cold.stream.trace.missing
    return warm


def test_includes_are_shared_and_keyed_by_macros() -> None:
    memory = PreprocessorMemory()
    headers: dict[str, str | bytes] = {"a.h": HEADER}
    assert both(memory, '#include "a.h"\nRESULT', headers).text.startswith("slow")
    assert both(memory, '#define FAST\n#include "a.h"\nRESULT', headers).text.startswith("fast")
    assert both(memory, '#define COLOR(x) x\n#include "a.h"\nRESULT', headers).text.endswith("1")
    assert both(memory, '#define OTHER\n#include "a.h"\nRESULT', headers).text.startswith("slow")
    (groups,) = memory.includes.values()
    assert sum(len(group.results) for group in groups) == 3


def test_a_file_that_a_guard_left_out() -> None:
    """The cached result of an include is not used if other files had been read before it, or their guards differ."""
    memory = PreprocessorMemory()
    guarded = "#ifndef X_H\n#define X_H\nx\n#endif\n"
    headers: dict[str, str | bytes] = {"x.h": guarded, "y.h": '#include "x.h"\ny\n'}
    assert both(memory, '#include "x.h"\n#include "y.h"', headers).text == "x y"
    assert both(memory, '#include "y.h"', headers).text == "x y"
    edited = {**headers, "x.h": guarded.replace("\nx\n", "\nz\n")}
    assert both(memory, '#include "x.h"\n#include "y.h"', edited).text == "z y"
    assert both(memory, '#include "y.h"', edited).text == "z y"


def test_a_file_that_was_only_asked_for() -> None:
    memory = PreprocessorMemory()
    header = '#if __has_include("k.h")\nthere\n#else\ngone\n#endif\n'
    headers: dict[str, str | bytes] = {"a.h": header, "b.h": '#include "a.h"'}
    assert both(memory, '#include "b.h"', headers).text == "gone"
    found = both(memory, '#include "b.h"', {**headers, "k.h": ""})
    assert found.text == "there"
    assert [file.path for file in found.stream.trace.asked] == ["/k.h"]
    again = both(memory, '#include "b.h"', {**headers, "k.h": ""})
    assert (again.text, [file.path for file in again.stream.trace.asked]) == ("there", ["/k.h"])
    assert both(memory, '#include "b.h"', headers).text == "gone"


def test_one_of_several_names_that_differ_in_case() -> None:
    memory = PreprocessorMemory()
    headers: dict[str, str | bytes] = {"a.h": '#include "K.h"', "k.h": "small"}
    for large in (False, True, False):
        fs = MemoryFileSystem({**headers, **({"K.H": "large"} if large else {})})
        found = run('#include "a.h"', memory=memory, fs=fs, case_insensitive_includes=True)
        assert found.text == ("large" if large else "small")


def test_edited_header() -> None:
    memory = PreprocessorMemory()
    fs = MemoryFileSystem({"main.hlsl": "", "a.h": "old", "b.h": '#include "a.h"'})
    assert run('#include "b.h"', memory=memory, fs=fs).text == "old"
    fs.write("a.h", "new")
    assert run('#include "b.h"', memory=memory, fs=fs).text == "new"


def test_file_that_appears_earlier_in_the_search() -> None:
    memory = PreprocessorMemory()
    fs = MemoryFileSystem({"main.hlsl": "", "i/a.h": "far", "h.h": '#include "a.h"'})
    assert run('#include "h.h"', memory=memory, fs=fs, include_dirs=("i",)).text == "far"
    fs.write("a.h", "near")
    assert run('#include "h.h"', memory=memory, fs=fs, include_dirs=("i",)).text == "near"
    fs.remove("a.h")
    assert run('#include "h.h"', memory=memory, fs=fs, include_dirs=("i",)).text == "far"


def test_includers_directory_matters() -> None:
    memory = PreprocessorMemory()
    headers: dict[str, str | bytes] = {"inc/h.h": '#include "local.h"', "p/local.h": "P", "q/local.h": "Q"}
    for folder, expected in (("p", "P"), ("q", "Q"), ("p", "P")):
        result = run('#include "../inc/h.h"', headers, memory=memory, name=f"{folder}/main.hlsl")
        assert result.text == expected


def test_once_state_is_part_of_the_key() -> None:
    memory = PreprocessorMemory()
    headers: dict[str, str | bytes] = {"o.h": "#pragma once\no", "a.h": '#include "o.h"\na'}
    assert both(memory, '#include "a.h"', headers).text == "o a"
    assert both(memory, '#include "o.h"\n#include "a.h"', headers).text == "o a"
    assert both(memory, '#include "a.h"\n#include "o.h"', headers).text == "o a"
    assert both(memory, '#include "o.h"\nx\n#include "a.h"', headers).text == "o x a"


def test_names_made_by_pasting_are_part_of_the_key() -> None:
    memory = PreprocessorMemory()
    headers: dict[str, str | bytes] = {"a.h": "#define P(a, b) a##b\nP(QUA, LITY)"}
    assert both(memory, '#include "a.h"', headers).text == "QUALITY"
    assert both(memory, '#define QUALITY 3\n#include "a.h"', headers).text == "3"
    assert both(memory, '#include "a.h"', headers).text == "QUALITY"


def test_counter_goes_on() -> None:
    memory = PreprocessorMemory()
    headers: dict[str, str | bytes] = {"a.h": "__COUNTER__"}
    assert both(memory, '#include "a.h"\n#include "a.h"\n__COUNTER__', headers).text == "0 1 2"


def test_undefinitions_are_replayed() -> None:
    memory = PreprocessorMemory()
    headers: dict[str, str | bytes] = {"a.h": "#undef X\n#define Y 2"}
    for _ in range(2):
        assert both(memory, '#define X 1\n#include "a.h"\nX Y', headers).text == "X 2"


def test_errors_are_given_every_time() -> None:
    memory = PreprocessorMemory()
    headers: dict[str, str | bytes] = {"a.h": '#error no\n#include "b.h"', "b.h": "#warning w"}
    for _ in range(3):
        assert both(memory, '#include "a.h"', headers).names == ["user-error", "#warnings"]


def test_file_names_follow_the_include() -> None:
    memory = PreprocessorMemory()
    headers: dict[str, str | bytes] = {"s/a.h": "__FILE__"}
    source = '#include "s/a.h"\n#include "s/../s/a.h"'
    assert both(memory, source, headers).text == '"./s/a.h" "./s/../s/a.h"'


def test_unchanged_runs_are_kept_after_an_edit() -> None:
    memory = PreprocessorMemory()
    fs = MemoryFileSystem({"main.hlsl": "", "a.h": "one\n#define X 1\ntwo"})
    first = run('#include "a.h"', memory=memory, fs=fs).stream
    fs.write("a.h", "one\n#define X 1\nthree")
    second = run('#include "a.h"', memory=memory, fs=fs).stream
    assert first.runs[0] is second.runs[0]
    assert second.tokens == ["one", "three"]


def test_clear() -> None:
    memory = PreprocessorMemory()
    run('#include "a.h"', {"a.h": "x"}, memory=memory)
    memory.clear()
    assert not memory.includes and not memory.files


@pytest.mark.parametrize(("stage", "number"), [("ps", 0), ("cs", 5), ("lib", 6), ("ms", 13), ("as", 14)])
def test_predefined(stage: str, number: int) -> None:
    macros = predefined_macros(stage=stage, major=6, minor=6, spirv_version=(1, 5))
    source = "__SHADER_TARGET_STAGE __SHADER_TARGET_MAJOR __SHADER_TARGET_MINOR __SPIRV_MINOR_VERSION__ __spirv__"
    assert run(source, predefined=macros).text == f"{number} 6 6 5 1"
    source = "#if __SHADER_TARGET_STAGE == __SHADER_STAGE_PIXEL && __HLSL_VERSION >= 2021\npixel\n#endif"
    assert run(source, predefined=macros).text == ("pixel" if stage == "ps" else "")


def test_predefined_options() -> None:
    macros = dict(predefined_macros(stage="cs", major=6, minor=2, enable_16bit_types=True, spirv_version=None))
    assert macros["__HLSL_ENABLE_16_BIT"] == "1"
    assert "__spirv__" not in macros
    assert "__HLSL_ENABLE_16_BIT" not in dict(predefined_macros(stage="cs", major=6, minor=2))


WARNINGS = (
    (),
    ("-Wundef",),
    ("-Werror=undef",),
    ("-Weverything",),
    ("-Wno-everything",),
    ("-no-warnings",),
    ("-WX",),
    ("-Wno-macro-redefined",),
    ("-Wundef", "-WX"),
)
WARNING_SOURCES: tuple[tuple[str, dict[str, str | bytes]], ...] = (
    ('#include "a.h"\n#include "a.h"\n', {"a.h": "#if MISSING\n#endif\n"}),
    ('#include "a.h"\n', {"a.h": '#include "b.h"\n#if ONE\n#endif', "b.h": "#define ONE TWO\n#if ONE + 1\n#endif"}),
    ('#include "a.h"\n#if X\n#elif Y\n#endif', {"a.h": "#define M 1\n#define M 2\n#pragma foo\n#endif x"}),
    (
        '#include "a.h"\n#include "b.h"\n',
        {"a.h": '#pragma dxc diagnostic warning "-Wundef"\n#if A\n#endif', "b.h": "#if B\n#endif\n#if A\n#endif"},
    ),
    ("#if X\n#endif\n", {}),
)


@pytest.mark.parametrize(("source", "headers"), WARNING_SOURCES)
def test_memory_filled_under_other_warning_flags(source: str, headers: dict[str, str | bytes]) -> None:
    for before in WARNINGS:
        for after in WARNINGS:
            memory = PreprocessorMemory()
            defines = (("D", "1"), ("D", "2"))
            run(source, headers, memory=memory, warnings=before, defines=defines)
            warm = run(source, headers, memory=memory, warnings=after, defines=defines)
            cold = run(source, headers, warnings=after, defines=defines)
            assert warm.stream.tokens == cold.stream.tokens
            assert warm.sink.diagnostics == cold.sink.diagnostics, (before, after)


def test_undefined_identifier_of_a_header_seen_without_the_flag() -> None:
    memory = PreprocessorMemory()
    headers: dict[str, str | bytes] = {"a.h": "#if MISSING\n#endif\n"}
    assert run('#include "a.h"', headers, memory=memory).names == []
    for _ in range(2):
        assert run('#include "a.h"', headers, memory=memory, warnings=("-Wundef",)).names == ["undef"]
    assert run('#include "a.h"', headers, memory=memory).names == []


def test_header_that_pops_levels_of_its_includer() -> None:
    memory = PreprocessorMemory()
    headers: dict[str, str | bytes] = {"a.h": "#pragma dxc diagnostic pop\n"}
    source = '#include "a.h"\n'
    assert both(memory, "#pragma dxc diagnostic push\n" + source, headers).names == []
    first = both(memory, source, headers).names
    assert len(first) == 1
    assert both(memory, "#pragma dxc diagnostic push\n" + source, headers).names == []
