"""``#include``: where files are found, recorded dependencies of the search, and errors."""

from __future__ import annotations

from hlsl_tool.base.diagnostics import Sink
from hlsl_tool.base.source import MemoryFileSystem, SourceFile
from hlsl_tool.frontend.preprocessor import PreprocessOptions, PreprocessorMemory, dependencies

from .helper import run


def test_beside_the_file_then_includers_then_directories() -> None:
    headers = {
        "shaders/a.h": '#include "b.h"\n#include "lib.h"',
        "inc/lib.h": "lib",
        "shaders/sub/c.h": '#include "b.h" // beside the includer',
        "shaders/b.h": "b",
    }
    source = '#include "a.h"\n#include "sub/c.h"'
    result = run(source, headers, name="shaders/main.hlsl", include_dirs=("inc",))
    assert result.text == "b lib b"
    assert result.names == []
    assert [file.name for file in result.stream.trace.files] == [
        "shaders/main.hlsl",
        "shaders/a.h",
        "shaders/b.h",
        "./inc/lib.h",
        "shaders/sub/c.h",
    ]
    assert result.stream.trace.missing == ["/shaders/lib.h", "/shaders/sub/b.h"]


def test_angled_only_in_directories_in_order() -> None:
    result = run("#include <a.h>", {"a.h": "0", "i/a.h": "1", "j/a.h": "2"}, include_dirs=("none", "j", "i"))
    assert result.text == "2"
    assert result.stream.trace.missing == ["/none/a.h"]


def test_angled_that_needs_quotes() -> None:
    result = run("#include <a.h>", {"a.h": "x"})
    assert result.names == ["include-needs-quotes"]


def test_backslashes_and_dots() -> None:
    result = run('#include "sub\\..\\sub\\a.h"\n__FILE__', {"sub/a.h": "__FILE__"})
    assert result.text == '"./sub/../sub/a.h" "main.hlsl"'
    assert [file.path for file in result.stream.trace.files] == ["/main.hlsl", "/sub/a.h"]


def test_by_macro() -> None:
    headers = {"a.h": "1", "dir/b-1.h": "2"}
    source = '#define A "a.h"\n#define B <dir/b-1.h>\n#define C(x) <x>\n#include A\n#include B\n#include C(dir/b-1.h)'
    assert run(source, headers, include_dirs=(".",)).text == "1 2 2"


def test_missing() -> None:
    result = run('\n#include "a/b.h"\nx')
    assert result.places == [("missing-include", "main.hlsl", 2, 10)]
    assert result.sink.diagnostics[0].message == "'a/b.h' file not found"
    assert result.sink.diagnostics[0].severity == "fatal"
    assert result.text == "x"


def test_wrong_case() -> None:
    headers = {"Inc/Common.hlsli": "x"}
    result = run('#include "inc/common.hlsli"', headers)
    assert result.names == ["include-case"]
    assert result.sink.diagnostics[0].hint == "write `Inc/Common.hlsli`"
    result = run('#include "inc/common.hlsli"', headers, case_insensitive_includes=True)
    assert result.names == ["nonportable-include-path"]
    assert result.text == "x"


def test_the_right_case_leaves_dots_as_they_are() -> None:
    headers = {"shaders/Inc/Common.hlsli": "x", "Other.hlsli": "x"}
    for name, right in (
        ("./inc/common.hlsli", "./Inc/Common.hlsli"),
        ("../shaders/inc/./common.hlsli", "../shaders/inc/./Common.hlsli"),
        ("../other.hlsli", "../Other.hlsli"),
    ):
        result = run(f'#include "{name}"', headers, name="shaders/main.hlsl")
        assert [d.hint for d in result.sink.diagnostics] == [f"write `{right}`"]


def test_malformed() -> None:
    assert run("#include").names == ["include-name"]
    assert run("#include a").names == ["include-name"]
    assert run('#include "a.h').names == ["include-name"]
    assert run('#include ""').names == ["include-empty-name"]
    assert run('#include "a.h" b', {"a.h": ""}).names == ["extra-tokens"]
    assert run('#define F(x) x\nF(\n#include "a.h"\n)', {"a.h": ""}).names == ["directive-in-macro-arguments"]


def test_once_and_guards() -> None:
    headers = {
        "once.h": "#pragma once\nonce",
        "guard.h": "// c\n#ifndef G\n#define G\nguard\n#endif\n",
        "if.h": "#if !defined(I)\n#define I\nif\n#endif\n",
    }
    source = "".join(f'#include "{name}"\n' for name in (*headers, *headers))
    result = run(source, headers)
    assert result.text == "once guard if"
    assert [file.name for file in result.stream.trace.files][1:] == ["./once.h", "./guard.h", "./if.h"]


def test_once_through_two_names() -> None:
    headers = {"a/x.h": "#pragma once\nx", "a/y.h": '#include "../a/x.h"'}
    assert run('#include "a/x.h"\n#include "a/y.h"', headers).text == "x"


def test_once_in_the_main_file() -> None:
    assert run("#pragma once").names == ["pragma-once-outside-header"]


def test_cycle() -> None:
    result = run('#include "a.h"', {"a.h": '#include "b.h"', "b.h": '#include "a.h"'})
    assert result.names == ["include-depth"]
    message = result.sink.diagnostics[0].message
    assert message == "#include nested too deeply: `./b.h` includes `./a.h` includes `./b.h` again"


def test_include_bomb() -> None:
    headers = {f"{i}.h": f'#include "{i + 1}.h"\n#include "{i + 1}.h"\n' for i in range(60)}
    assert run('#include "0.h"', {**headers, "60.h": "x"}).names == ["include-count"]


def test_include_stack_of_a_message() -> None:
    result = run('\n#include "a.h"', {"a.h": '\n\n#include "b.h"', "b.h": "#error x y"})
    (error,) = result.sink.diagnostics
    assert error.location is not None
    assert error.location.include_stack == (("main.hlsl", 2), ("./a.h", 3))
    assert error.message == "x y"


def test_builtin_headers() -> None:
    options = {"builtin_headers": (("vk/spirv.h", "built __FILE__"),)}
    assert run("#include <vk/spirv.h>", **options).text == 'built "<built-in:hlsl>/vk/spirv.h"'
    assert run("#include <vk\\spirv.h>", **options).names == []
    assert run('#include "vk/spirv.h"', **options).names == ["missing-include"]
    assert run("#include <vk/spirv.h>", {"vk/spirv.h": "own"}, include_dirs=(".",), **options).text == "own"


def test_dependencies() -> None:
    fs = MemoryFileSystem(
        {
            "main.hlsl": '#include "a.h"\n#ifdef OUT\n#endif\nUSED\n#define OWN 1\n#ifdef OWN\n#endif',
            "i/a.h": "#ifndef A_H\n#define A_H\n#if QUALITY > 1\n#endif\n#endif",
        }
    )
    options = PreprocessOptions(include_dirs=("h", "i"), defines=(("USED", "VIA"), ("VIA", "1"), ("UNUSED", None)))
    main = SourceFile.from_bytes("main.hlsl", "/main.hlsl", fs.read("main.hlsl") or b"")
    trace = dependencies(main, options, fs, PreprocessorMemory())
    assert [file.path for file in trace.files] == ["/main.hlsl", "/i/a.h"]
    assert trace.missing == ["/a.h", "/h/a.h"]
    assert trace.macros_read == ["OUT", "OWN", "QUALITY", "USED", "VIA"]


def test_errors_in_dependencies_do_not_raise() -> None:
    fs = MemoryFileSystem({})
    trace = dependencies(SourceFile("m", "/m", '#include "no.h"\n#if'), PreprocessOptions(), fs, PreprocessorMemory())
    assert trace.missing == ["/no.h"]
    assert Sink().ok


def test_name_that_doubles_at_each_level() -> None:
    result = run("#include __FILE__\n", name="x.hlsl")
    (diagnostic,) = result.sink.diagnostics
    assert diagnostic.code.name == "include-name-too-long"
    assert diagnostic.location is not None and (diagnostic.location.line, diagnostic.location.col) == (1, 10)


def test_long_names() -> None:
    name = "x" * 5000
    assert run(f'#include "{name}"\n').names == ["include-name-too-long"]
    assert run(f'#if __has_include("{name}")\n#error there\n#endif\n').names == []
    assert run(f'#include "{"y" * 300}"\n').names == ["missing-include"]
