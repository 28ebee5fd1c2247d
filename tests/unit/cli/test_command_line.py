"""Parsing of DXC's command line: each kind of option, response files, and the messages for invalid options."""

from __future__ import annotations

import pytest

from hlsl_tool.base.options.checks import OptionError, modern_profile, split_profile, valid_profile
from hlsl_tool.base.options.command_line import Command, parse
from hlsl_tool.base.options.compile_options import CompileOptions, canonical_json
from hlsl_tool.base.options.response_files import split_words


def read(line: str, **more) -> Command:
    return parse(["-T", "ps_6_2", "x.hlsl", *line.split()], **more)


def refused(line: str) -> str:
    with pytest.raises(OptionError) as problem:
        parse(line.split())
    return str(problem.value)


@pytest.mark.parametrize(
    ("line", "field", "value"),
    [
        ("", "entry", "main"),
        ("-E PS", "entry", "PS"),
        ("-EPS", "entry", "PS"),
        ("/E PS", "entry", "PS"),
        ("/EPS", "entry", "PS"),
        ("-DA -D B=1 /DC=x=y -DD=", "defines", (("A", None), ("B", "1"), ("C", "x=y"), ("D", ""))),
        ("-I a -Ib /I c", "include_dirs", ("a", "b", "c")),
        ("-HV 2018", "hlsl_version", 2018),
        ("-HV 202x", "hlsl_version", 2029),
        ("-HV 202y", "hlsl_version", 2030),
        ("/Zpr", "matrix_layout", "row_major"),
        ("-Zpc", "matrix_layout", "column_major"),
        ("-matrix-layout-row-major", "matrix_layout", "row_major"),
        ("-matrix-layout-column-major", "matrix_layout", "column_major"),
        ("-fvk-use-dx-layout", "layout", "dx"),
        ("-fvk-use-scalar-layout", "layout", "scalar"),
        ("-O0", "optimize", "none"),
        ("-Od", "optimize", "none"),
        ("-O3", "optimize", "performance"),
        ("-O0 -O2", "optimize", "performance"),
        ("-Os", "optimize", "size"),
        ("-Oconfig=-O,--loop-unroll", "optimize", ("-O", "--loop-unroll")),
        ("-Od -Oconfig=-O", "optimize", ("-O",)),
        ("-Oconfig=-O -Od", "optimize", ("-O",)),
        ("-fcgl", "codegen_only", True),
        ("-Vd", "validate", "no"),
        ("-Zi", "debug", ("file", "source", "line", "tool")),
        ("-Zi -fspv-debug=line -fspv-debug=tool", "debug", ("line", "tool")),
        ("-fvk-b-shift 10 all", "shift_b", ((10, -1),)),
        ("-fvk-t-shift 10 0 -fvk-t-shift 20 1", "shift_t", ((10, 0), (20, 1))),
        ("-fvk-bind-register t5 0 1 2 -vkbr s3 1 3 4", "bind_registers", (("t5", 0, 1, 2), ("s3", 1, 3, 4))),
        ("-fvk-bind-globals 7 8", "bind_globals", (7, 8)),
        ("-fvk-bind-resource-heap 3 4", "bind_resource_heap", (3, 4)),
        ("-fvk-resource-heap-stride 64", "resource_heap_stride", 64),
        ("-fvk-sampler-heap-stride 32", "sampler_heap_stride", 32),
        ("-auto-binding-space 77", "auto_binding_space", 77),
        ("-fspv-max-id FF", "max_id", 255),
        ("-denorm FTZ", "denorm", "ftz"),
        ("-ffinite-math-only -fno-finite-math-only", "finite_math_only", False),
        ("--all-warnings", "warnings", ("all",)),
        ("-Wno-conversion --all-warnings", "warnings", ("no-conversion", "all")),
        ("-Wno-conversion -Wall", "warnings", ("no-conversion", "all")),
        ("-Wno-vk-ignored-features", "no_warn_ignored_features", True),
        ("-WX -no-warnings", "warnings_as_errors", True),
        ("-fspv-extension=KHR -fspv-extension=SPV_EXT_mesh_shader", "extensions", ("KHR", "SPV_EXT_mesh_shader")),
        ("-enable-16bit-types", "enable_16bit_types", True),
        ("-enable-8bit-types", "enable_8bit_types", True),
        ("-fvk-variable-offsets", "variable_offsets", True),
        ("-pack_optimized", "signature_packing", "optimized"),
        ("-spirv -Zsb -Qembed_debug -nologo -opt-select a b", "profile", "ps_6_2"),
    ],
)
def test_options(line: str, field: str, value: object) -> None:
    assert getattr(read(line).options, field) == value


def test_outputs() -> None:
    command = read("-Fo a -Fcb -Fh c -Vn v -Fe d -MF e -H")
    found = (command.object, command.assembly, command.header, command.variable, command.errors_file)
    assert found == ("a", "b", "c", "v", "d")
    assert command.dependencies_file == "e" and command.show_includes
    assert command.source == "x.hlsl"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("-T ps_6_0 x -fno-such", "Unknown argument: '-fno-such'"),
        ("-T ps_6_0 x -fvk-invert-Y", "Unknown argument: '-fvk-invert-Y' (did you mean '-fvk-invert-y'?)"),
        ("-T ps_6_0 x -E", "Argument to '-E' is missing."),
        ("-T ps_6_0 x -fvk-b-shift 1", "Argument to '-fvk-b-shift' is missing."),
        ("-T ps_6_0", "Required input file argument is missing. use -help to get more information."),
        ("x", "Target profile argument is missing"),
        ("-T ps x", "unable to parse shader model."),
        ("-T ps_6_99 x", "invalid profile ps_6_99"),
        ("-T ps_6_0 x -HV 2020", "Unknown HLSL version: 2020. Valid versions: 2015, 2016, 2017, 2018, and 2021"),
        ("-T ps_6_0 x -HV 2015", "HLSL Version 2015 is only supported for language services"),
        (
            "-T ps_6_0 x -fvk-use-gl-layout -fvk-use-dx-layout",
            "cannot specify both -fvk-use-dx-layout and -fvk-use-gl-layout",
        ),
        ("-T ps_6_0 x -Zpr -Zpc", "Cannot specify /Zpr and /Zpc together, use /? to get usage information"),
        ("-T ps_6_0 x -Fre y", "-Fre is not supported with -spirv"),
        ("-T ps_6_0 x -Gec", "-Gec is not supported with -spirv"),
        ("-T ps_6_0 x -Qstrip_reflect", "-Qstrip_reflect is not supported with -spirv"),
        ("-T ps_6_0 x -exports f", "library profile required when using -exports option"),
        ("-T ps_6_0 x -fvk-invert-y", "-fvk-invert-y can only be used in VS/DS/GS/MS/Lib"),
        ("-T ps_6_1 x -denorm ftz", "denorm option is only allowed for shader model 6.2 and above."),
        ("-T ps_6_2 x -denorm off", "Unsupported value 'off' for denorm option."),
        (
            "-T ps_6_1 x -enable-16bit-types",
            "enable-16bit-types is only allowed for shader model >= 6.2 and HLSL Language >= 2018.",
        ),
        ("-T ps_6_0 x -fspv-debug=x", "unknown SPIR-V debug info control parameter: x"),
        ("-T ps_6_0 x -O1 -Oconfig=-O", "-Oconfig should not be used together with -O"),
        ("-T ps_6_0 x -O0 -Oconfig=-O", "-Oconfig should not be used together with -O"),
        ("-T ps_6_0 x -Oconfig=-O -O1", "-Oconfig should not be used together with -O"),
        ("-T ps_6_0 x -Oconfig=-O -Oconfig=-O", "-Oconfig should not be specified more than once"),
        ("-T ps_6_0 x -fvk-b-shift -1 0", "negative -fvk-b-shift argument: -1"),
        ("-T ps_6_0 x -fvk-b-shift a 0", "invalid -fvk-b-shift argument: a"),
        (
            "-T ps_6_0 x -fvk-b-shift 1 all -fvk-b-shift 1 0",
            "setting all sets via -fvk-b-shift argument should be used alone",
        ),
        ("-T ps_6_0 x -fvk-b-shift 1 0 -vkbr b0 0 0 0", "-fvk-b-shift cannot be used together with -fvk-bind-register"),
        ("-T ps_6_0 x -vkbr s10 0 -10 0", "invalid -fvk-bind-register binding number: -10"),
        ("-T ps_6_0 x -fvk-bind-globals 0 x", "invalid -fvk-bind-globals set number: x"),
        ("-T ps_6_0 x -fvk-bind-sampler-heap a 2", "invalid -fvk-bind-sampler-heap argument: 'a'"),
        ("-T ps_6_0 x -fvk-bind-sampler-heap 1 -1", "expected positive integer for -fvk-bind-sampler-heap, got: -1"),
        ("-T ps_6_0 x -fvk-stage-io-order=x", "unknown Vulkan stage I/O location assignment order: x"),
        ("-T ps_6_0 x -Fh x.h -Vn v;", "-Vn: 'v;' is not the name of a C array"),
        ("-T ps_6_0 x -Vn v", "Cannot specify a header variable name when not writing a header."),
        ("-T lib_6_1 x", "Must disable validation for unsupported lib_6_1 or lib_6_2 targets."),
        ("-T ps_6_0 x -fspv-max-id xyz", "-fspv-max-id must be an integer in hexadecimal format"),
        ("-T ps_6_0 x -auto-binding-space y", "Unsupported value 'y' for auto binding space."),
    ],
)
def test_refusals(line: str, message: str) -> None:
    assert refused(line) == message


def test_errors_that_dxc_finds_while_compiling_are_plain() -> None:
    with pytest.raises(OptionError) as problem:
        read("-fspv-target-env=vulkan9")
    assert problem.value.plain
    start = "unknown SPIR-V target environment 'vulkan9'\nnote: allowed options are:\n vulkan1.0\n vulkan1.1\n"
    assert str(problem.value).startswith(start)


def test_unused_arguments_may_be_passed_over() -> None:
    assert read("-fno-such -Qunused-arguments").source == "x.hlsl"


def test_a_path_that_starts_with_a_slash() -> None:
    command = parse(["-T", "ps_6_0", "/Tests/x.hlsl"], is_file=lambda name: name == "/Tests/x.hlsl")
    assert (command.source, command.options.profile) == ("/Tests/x.hlsl", "ps_6_0")
    assert parse(["-T", "ps_6_0", "/home/x.hlsl"]).source == "/home/x.hlsl"


def test_response_files() -> None:
    files = {"a": "-T ps_6_0\n@b", "b": '-D "A=1 2" -I "C:\\x y" \'x.hlsl\'', "loop": "@loop"}
    command = parse(["@a"], read=files.get)
    assert command.options.defines == (("A", "1 2"),)
    assert command.options.include_dirs == ("C:\\x y",)
    assert command.source == "x.hlsl"
    for name, words in (("@nope", "cannot read"), ("@loop", "nested too deeply")):
        with pytest.raises(OptionError, match=words):
            parse([name], read=files.get)


def test_words() -> None:
    assert split_words('a  "b c" d"e f"g \'h"i\' "j\\"k" C:\\l') == ["a", "b c", "de fg", 'h"i', 'j"k', "C:\\l"]


def test_the_options_of_a_module_are_recorded_when_asked_for() -> None:
    line = "-E main -T ps_6_1 -fspv-target-env=vulkan1.1 -Zi -fcgl x.hlsl -spirv -Fo y"
    command = parse(line.split())
    assert command.options.command_line == "-E main -T ps_6_1 -fspv-target-env=vulkan1.1 -Zi -fcgl -spirv"
    assert read("-fspv-debug=line").options.command_line == ""


def test_debug_categories() -> None:
    def flags(*debug: str) -> str:
        options = CompileOptions(debug=debug)
        names = ("file", "source", "line", "tool", "rich", "vulkan")
        return " ".join(name for name in names if getattr(options, f"debug_{name}"))

    assert flags() == ""
    assert flags("file") == "file"
    assert flags("source") == "file source"
    assert flags("line") == "file source line"
    assert flags("tool") == "tool"
    assert flags("rich") == "file line rich"
    assert flags("source", "rich") == "file line rich"
    assert flags("rich-with-source") == "file source line rich"
    assert flags("vulkan") == "file line rich vulkan"
    assert flags("vulkan-with-source") == "file source line rich vulkan"
    assert CompileOptions(debug=("vulkan-with-source-test",)).debug_source_words == 13


def test_profiles() -> None:
    assert split_profile("ps_6_2") == ("ps", 6, 2)
    assert split_profile("lib_6_x") == ("lib", 6, 15)
    assert split_profile("xs_6_0") is None
    assert [valid_profile(name) for name in ("ms_6_5", "ms_6_4", "cs_5_0", "lib_6_x", "ps_7_0", "hs_6_10")] == [
        True,
        False,
        True,
        True,
        False,
        True,
    ]
    assert modern_profile("vs_5_1") == "vs_6_0"
    assert modern_profile("vs_6_3") == "vs_6_3"


def test_canonical_json_distinguishes_options_and_leaves_out_defaults() -> None:
    assert canonical_json(CompileOptions()) == "{}"
    assert canonical_json(CompileOptions(spirv_tools="/opt")) == "{}"
    assert canonical_json(CompileOptions(layout="dx", profile="ps_6_0")) == '{"layout":"dx","profile":"ps_6_0"}'
    assert hash(CompileOptions(layout="dx")) == hash(CompileOptions(layout="dx"))
