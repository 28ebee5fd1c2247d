"""Built-in headers: found without a file, omitted from dependencies, named in messages."""

from __future__ import annotations

import pathlib

from hlsl_tool.cli import dxc
from hlsl_tool.frontend.headers import NAMES, builtin_headers

SOURCE = "#include <{}>\n[numthreads(1, 1, 1)] void main() {{}}\n"


def run(tmp_path: pathlib.Path, source: str, *flags: str) -> tuple[int, str, str]:
    (tmp_path / "s.hlsl").write_text(source)
    return dxc.run(["-T", "cs_6_0", "-spirv", "-fspv-target-env=vulkan1.3", *flags, "s.hlsl"], str(tmp_path))


def test_each_compiles_alone(tmp_path: pathlib.Path) -> None:
    for name in NAMES:
        assert run(tmp_path, SOURCE.format(name), "-T", "cs_6_9")[::2] == (0, ""), name


def test_included_twice(tmp_path: pathlib.Path) -> None:
    assert run(tmp_path, "#include <vk/spirv.h>\n" + SOURCE.format("vk/khr/cooperative_matrix.h"))[0] == 0


def test_an_own_file_goes_first(tmp_path: pathlib.Path) -> None:
    (tmp_path / "vk").mkdir()
    (tmp_path / "vk" / "spirv.h").write_text("static const int own = 1;\n")
    source = "#include <vk/spirv.h>\n[numthreads(own, 1, 1)] void main() {}\n"
    assert run(tmp_path, source, "-I", ".")[0] == 0
    assert run(tmp_path, source)[0] != 0


def test_place_of_an_error(tmp_path: pathlib.Path) -> None:
    source = "#include <vk/spirv.h>\nstatic vk::WorkgroupSpirvPointer<nothing> p;\n" + SOURCE.format("vk/spirv.h")
    status, _, errors = run(tmp_path, source)
    assert status != 0
    assert "s.hlsl:2:" in errors
    status, _, errors = run(tmp_path, SOURCE.format("vk/khr/cooperative_matrix.h"), "-fspv-target-env=vulkan1.1")
    assert status != 0
    assert "<built-in:hlsl>/vk/khr/cooperative_matrix.h:" in errors
    assert "In file included from s.hlsl:1" in errors


def test_dependencies(tmp_path: pathlib.Path) -> None:
    _, out, _ = run(tmp_path, SOURCE.format("vk/khr/cooperative_matrix.h"), "-M")
    assert "s.hlsl" in out
    assert "built-in" not in out


def test_texts() -> None:
    assert [name for name, _ in builtin_headers()] == list(NAMES)
    assert all(text.startswith("//") for _, text in builtin_headers())


def test_the_toolchain_counts_every_header() -> None:
    import hlsl_tool
    from hlsl_tool.project.build.currency.toolchain import _files

    root = pathlib.Path(hlsl_tool.__file__).parent
    assert {f"frontend/headers/{name}" for name in NAMES} <= set(_files(str(root), "frontend"))
