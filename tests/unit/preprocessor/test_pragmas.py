"""Pragmas and ``_Pragma``."""

from __future__ import annotations

from hlsl_tool.frontend.preprocessor import PreprocessorMemory

from .helper import run


def test_pack_matrix() -> None:
    source = (
        "a;\n#pragma pack_matrix(row_major)\nb;\n#define M column_major\n#pragma pack_matrix( M )\nc;"
        '_Pragma("pack_matrix(row_major)") d;'
    )
    result = run(source)
    assert result.names == []
    assert result.text == "a ; b ; c ; d ;"
    assert result.stream.pragmas == [
        (2, "pack_matrix", ("(", "row_major", ")")),
        (4, "pack_matrix", ("(", "column_major", ")")),
        (6, "pack_matrix", ("(", "row_major", ")")),
    ]


def test_pack_matrix_malformed() -> None:
    for rest in ("", "(x)", " row_major", "(row_major", "(row_major) x"):
        assert run(f"#pragma pack_matrix{rest}").names == ["pragma-pack-matrix"]


def test_operator_inside_macros() -> None:
    source = (
        "#define DO(x) _Pragma(#x)\n#define ID(x) x\n"
        'DO(pack_matrix(row_major)) a ID(_Pragma("pack_matrix(column_major)") b) c'
    )
    result = run(source)
    assert result.text == "a b c"
    assert [(use.token, use.arguments[1]) for use in result.stream.pragmas] == [(0, "row_major"), (1, "column_major")]
    assert [result.stream.locate(index).col for index in range(3)] == [28, 70, 73]


def test_operator_malformed() -> None:
    assert run("_Pragma x").names == ["pragma-operator"]


def test_unknown_on_demand() -> None:
    assert run("#pragma warning(disable: 3206)\n#pragma").names == []
    assert run("#pragma foo", warnings=("-Wunknown-pragmas",)).names == ["unknown-pragmas"]
    assert run("#pragma region x\n#pragma endregion\n#pragma mark", warnings=("-Wunknown-pragmas",)).names == []


def test_message() -> None:
    result = run('#define S "b"\n#pragma message("a" S)')
    assert [d.message for d in result.sink.diagnostics] == ["ab"]
    assert run("#pragma message(a)").names == ["pragma-message"]


def test_diagnostic_levels_hold_from_their_place_on() -> None:
    source = (
        "#warning one\n#pragma dxc diagnostic push\n"
        '#pragma dxc diagnostic ignored "-W#warnings"\n#warning two\n'
        '#pragma dxc diagnostic error "-W#warnings"\nx\n#warning three\n'
        "#pragma dxc diagnostic pop\n#warning four\n"
    )
    result = run(source)
    assert [(d.severity, d.message) for d in result.sink.diagnostics] == [
        ("warning", "one"),
        ("error", "three"),
        ("warning", "four"),
    ]


def test_diagnostic_malformed() -> None:
    assert run("#pragma dxc diagnostic").names == ["pragma-diagnostic"]
    assert run("#pragma dxc diagnostic pop").names == ["pragma-diagnostic-pop"]
    assert run("#pragma dxc diagnostic ignored x").names == ["pragma-diagnostic-option"]
    assert run('#pragma dxc diagnostic ignored "-Wnonsense"').names == ["pragma-diagnostic-group"]


def test_pragmas_and_warnings_from_memory() -> None:
    header = 'x\n#pragma pack_matrix(row_major)\n#warning w\n#pragma dxc diagnostic ignored "-W#warnings"\ny'
    headers: dict[str, str | bytes] = {"a.h": header}
    memory = PreprocessorMemory()
    first = run('1\n#include "a.h"\n#warning no', headers, memory=memory)
    second = run('1 2\n\n#include "a.h"\n#warning no', headers, memory=memory)
    assert memory.includes
    assert first.stream.pragmas[0].token == 2
    assert second.stream.pragmas[0].token == 3
    assert first.names == second.names == ["#warnings"]
    location = second.sink.diagnostics[0].location
    assert location is not None
    assert location.include_stack == (("main.hlsl", 3),)
