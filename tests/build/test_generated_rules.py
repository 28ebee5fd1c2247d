"""Run the rules that `hlsl_tool generate` writes with the real ninja, make, CMake and Meson, and the fake compiler."""

from __future__ import annotations

import json
import pathlib
import shutil

import pytest

from hlsl_tool.apps.server import client
from tests.build import systems
from tests.build.conftest import ROOT, Project
from tests.build.systems import CMAKE, SYSTEMS, System, generate
from tests.unit.server import support

YAML = """\
include_dirs: [earlier, include]
outputs: [spv, reflection, header]
packs: [{ name: every }]
shaders:
  - source: my lit/a b.hlsl
    entries:
      - { entry: VSMain, profile: vs_6_0 }
      - { entry: PSMain, profile: ps_6_0, defines: { SHADOWS: [0, 1] } }
  - { source: post/*.hlsl, profile: cs_6_0 }
"""
LIT = ["shaders/my lit/a b.hlsl:PSMain SHADOWS=0", "shaders/my lit/a b.hlsl:PSMain SHADOWS=1"]
LIT += ["shaders/my lit/a b.hlsl:VSMain"]
POST = ["shaders/post/blur.hlsl:main"]
SPV = "build/shaders/my lit/a b.VSMain.spv"


class Rules(systems.Rules):
    """A project with spaces in its paths, and a build system with which it is built."""

    def __init__(self, folder: pathlib.Path, system: System, name: str = "my project") -> None:
        super().__init__(Project(folder / name), system)
        self.project.write("config/shaders/lit.yaml", YAML)
        self.project.write("shaders/include/tint.hlsli", "#define TINT 1\n")
        self.project.write("shaders/my lit/a b.hlsl", '#include "tint.hlsli"\nint x = TINT;\n')
        self.project.write("shaders/post/blur.hlsl", "int y;\n")
        system.prepare(self)


IDLE = {
    "ninja": "no work to do",
    "make": "Nothing to be done",
    "cmake-ninja": "no work to do",
    "meson": "no work to do",
}


NIGHTLY = frozenset(("cmake-make",))
"""CMake's second generator; the first one and make run in every run of the tests."""


@pytest.fixture(
    params=[
        pytest.param(system, id=system.name, marks=[pytest.mark.nightly] if system.name in NIGHTLY else [])
        for system in SYSTEMS
    ]
)
def rules(request: pytest.FixtureRequest, tmp_path: pathlib.Path) -> Rules:
    system = request.param
    if program := system.missing:
        pytest.skip(f"no {program} (Debian: {'ninja-build' if program == 'ninja' else program})")
    return Rules(tmp_path, system)


def test_all_is_built_then_what_changed(rules: Rules) -> None:
    """The first build compiles all shaders, and later builds compile those that an edit affects.

    One test makes all edits in one project, because setting up CMake's and Meson's projects takes long.
    """
    project = rules.project
    assert rules.build() == LIT + POST
    outputs = project.outputs()
    assert rules.build() == []
    assert IDLE.get(rules.system.name, "") in rules.said

    # the same bytes as `hlsl_tool build` writes, all of them
    shutil.rmtree(project.root / "build")
    assert project.tool("build").status == 0
    assert project.outputs() == outputs
    assert "build/shaders/every.hlslpack" in outputs
    rules.build()

    # a header that changes rebuilds its users
    project.write("shaders/include/tint.hlsli", "#define TINT 2\n")
    assert rules.build() == LIT
    assert rules.build() == []

    # a configuration that changes writes the rules again: another permutation is built
    project.write("config/shaders/lit.yaml", YAML.replace("[0, 1]", "[0, 1, 2]"))
    assert rules.build() == ["shaders/my lit/a b.hlsl:PSMain SHADOWS=2"]
    assert rules.build() == []

    # a new source that matches a pattern, and one that is gone
    project.write("shaders/post/bloom.hlsl", "int z;\n")
    assert rules.build() == ["shaders/post/bloom.hlsl:main"]
    (project.root / "shaders/post/bloom.hlsl").unlink()
    assert rules.build() == []

    # a permutation that is gone is in neither the manifest nor the pack
    project.write("config/shaders/lit.yaml", YAML.replace("[0, 1]", "[0]"))
    rules.build()
    manifest, pack = (project.root / f"build/shaders/{name}" for name in ("manifest.json", "every.hlslpack"))
    kept = manifest.read_bytes(), pack.read_bytes()
    assert len(json.loads(kept[0])["shaders"]) == 3
    assert project.tool("build").status == 0
    assert (manifest.read_bytes(), pack.read_bytes()) == kept
    project.write("config/shaders/lit.yaml", YAML)
    rules.build()

    # a header that appears earlier in the search path
    project.write("shaders/earlier/tint.hlsli", "#define TINT 5\n")
    assert rules.build() == LIT
    (project.root / "shaders/earlier/tint.hlsli").unlink()
    assert rules.build() == LIT
    rules.build()
    assert rules.build() == []
    assert IDLE.get(rules.system.name, "") in rules.said

    # a header that is gone because nothing includes it any more
    project.write("shaders/my lit/a b.hlsl", "int x = 3;\n")
    (project.root / "shaders/include/tint.hlsli").unlink()
    assert rules.build() == LIT
    assert rules.build() == []

    # an output that is gone
    (project.root / SPV).unlink()
    assert rules.build() == ["shaders/my lit/a b.hlsl:VSMain"]
    assert (project.root / SPV).exists()
    times = {name: (project.root / name).stat().st_mtime_ns for name in project.outputs()}
    assert rules.build() == []
    assert times == {name: (project.root / name).stat().st_mtime_ns for name in project.outputs()}
    assert IDLE.get(rules.system.name, "") in rules.said


@pytest.mark.parametrize("system", [SYSTEMS[0], SYSTEMS[4]], ids=["ninja", "meson"])
def test_a_folder_whose_name_ends_a_name_in_depfiles(tmp_path: pathlib.Path, system: System) -> None:
    if program := system.missing:
        pytest.skip(f"no {program}")
    rules = Rules(tmp_path, system, "O'Brien's R&D")
    project = rules.project
    assert rules.build() == LIT + POST
    rules.build()
    assert "no work to do" in rules.said
    project.write("shaders/post/bloom.hlsl", "int z;\n")
    assert rules.build() == ["shaders/post/bloom.hlsl:main"]
    project.write("config/shaders/sky.yaml", "shaders: [{ source: post/blur.hlsl, entry: Sky, profile: cs_6_0 }]\n")
    assert rules.build() == ["shaders/post/blur.hlsl:Sky"]
    (project.root / "config/shaders/sky.yaml").unlink()
    assert rules.build() == []
    rules.build()
    assert "no work to do" in rules.said


SPECIAL = {"ninja": " $#%:;=&'\"()<>{}!^~`@+,", "make": ' $#%:=&"<>{}!^~`@+,'}
UNWRITABLE = {"ninja": "|", "make": "|;'"}
"""Characters of file names: those that rules can name, and those that are refused."""
UNINCLUDED = ";\"'<>&^`"
"""Characters that the names of headers do not have."""


@pytest.mark.parametrize("kind", ["ninja", "make"])
def test_characters_of_names(tmp_path: pathlib.Path, kind: str) -> None:
    if shutil.which(kind) is None:
        pytest.skip(f"no {kind}")
    rules = Rules(tmp_path, System(kind, [], lambda rules: None, [kind, "-f", "out.file"]))
    project = rules.project
    groups = [SPECIAL[kind][0], *(SPECIAL[kind][at : at + 4] for at in range(1, len(SPECIAL[kind]), 4))]
    for number, letters in enumerate(groups):
        name = f"{number}{letters}x{letters.strip()}/~{letters}y"
        header = f"h{''.join(letter for letter in letters if letter not in UNINCLUDED)}{number}.h"
        project.write(f"shaders/{name}.hlsl", f'#include "{header}"\n')
        project.write(f"shaders/inc/{header}", "int a;\n")
    yaml = "include_dirs: [inc]\noutputs: [spv]\nshaders:\n"
    yaml += "  - { source: '*/*.hlsl', except: '0 x/*', profile: ps_6_0, defines: { N: '1 2' } }\n"
    yaml += "  - { source: '0 x/*.hlsl', profile: ps_6_0, defines: { N: ['1 2', '3|4'] } }\n"
    project.write("config/shaders/lit.yaml", yaml)
    shutil.rmtree(project.root / "shaders/my lit")
    shutil.rmtree(project.root / "shaders/post")
    rules.prepare("bin/hlsl_tool", "generate", kind, "-o", "out.file")
    assert len(rules.build()) == len(groups) + 1
    rules.build()
    assert rules.build() == []
    assert IDLE[kind] in rules.said
    for path in project.root.glob("shaders/inc/*.h"):
        path.write_text("int b;\n")
    assert len(rules.build()) == len(groups) + 1

    project.write("shaders/0 x/~ y.hlsl", '#include "a;b.h"\n')
    project.write("shaders/inc/a;b.h", "int a;\n")
    assert rules.run()[0] != 0
    assert "cannot read the name `shaders/inc/a;b.h`" in rules.said
    for letter in UNWRITABLE[kind]:
        path = project.write(f"shaders/bad/a{letter}b.hlsl", "int a;\n")
        assert rules.call("bin/hlsl_tool", "generate", kind, "-o", "other") == 2
        assert f"{kind} has no way to write the name" in rules.said
        path.unlink()


@pytest.mark.skipif("sys.platform == 'win32'")
@pytest.mark.parametrize("system", [SYSTEMS[0], SYSTEMS[1], SYSTEMS[4]], ids=["ninja", "make", "meson"])
def test_links_that_lead_elsewhere_and_files_behind_them(tmp_path: pathlib.Path, system: System) -> None:
    if program := system.missing:
        pytest.skip(f"no {program}")
    rules = Rules(tmp_path, system)
    project = rules.project
    for name in ("engine", "older"):
        project.write(f"{name}/core/core.h", '#include "../shared/types.h"\n')
        project.write(f"{name}/shared/types.h", "#define T 1\n")
    project.write("shaders/shared/types.h", "#define T 2\n")  # where the path leads as text
    project.write("shaders/post/blur.hlsl", '#include "../links/core/core.h"\n#include "../links/types.h"\n')
    links = project.root / "shaders/links"
    links.mkdir()
    (links / "core").symlink_to("../../engine/core")
    (links / "types.h").symlink_to("../../older/shared/types.h")
    rules.build()
    rules.build()
    assert rules.build() == []

    project.write("engine/shared/types.h", "#define T 3\n")
    assert rules.build() == POST
    for name, target in (("core", "../../older/core"), ("types.h", "../../engine/shared/types.h")):
        (links / name).unlink()
        (links / name).symlink_to(target)
        assert rules.build() == POST
        rules.build()
        assert rules.build() == []


USERS = {
    "ninja": (
        "include shaders.ninja\nrule copy\n  command = cp $in $out\n  description = USER\n"
        "build user: copy build/shaders/post/blur.main.h\ndefault user\n"
    ),
    "make": ("all: user shaders\nuser: build/shaders/post/blur.main.h\n\t@echo USER; cp $< $@\ninclude shaders.mk\n"),
}


@pytest.mark.parametrize("system", SYSTEMS[:2], ids=lambda system: system.name)
def test_outputs_that_stay_the_same_rebuild_nothing_that_depends_on_them(
    tmp_path: pathlib.Path, system: System
) -> None:
    if program := system.missing:
        pytest.skip(f"no {program}")
    rules = Rules(tmp_path, system)
    project = rules.project
    project.write("build.file", USERS[system.name])
    command = [system.name, "-f", "build.file"]
    project.write("shaders/post/blur.hlsl", '#include "near.hlsli"\n')
    project.write("shaders/include/near.hlsli", "int x;\n")

    def build() -> str:
        assert rules.call(*command) == 0, rules.said
        return rules.said

    build()
    build()
    assert IDLE[system.name] in build()
    project.write("shaders/post/other.txt", "a new file where a header was looked for\n")
    said = build()
    assert ("hlsl shaders/post/blur.hlsl" in said, "USER" in said) == (True, False)
    build()
    assert IDLE[system.name] in build()
    project.write("shaders/include/near.hlsli", "int x;\n// a comment\n")
    said = build()
    assert ("hlsl shaders/post/blur.hlsl" in said, "USER" in said) == (True, False)
    (project.root / "build/shaders/post/blur.main.h").unlink()
    assert "USER" in build()
    build()
    assert IDLE[system.name] in build()
    project.write("shaders/include/near.hlsli", "cbuffer C { float4 y; };\n")
    assert "USER" in build()


def test_errors_fail_the_build(rules: Rules) -> None:
    project = rules.project
    rules.build()
    project.write("shaders/post/blur.hlsl", "int y;\nint FAIL;\n")
    for _ in range(2):  # it is no less an error the second time
        status, _ = rules.run()
        assert status != 0
        assert "shaders/post/blur.hlsl:2:5: error: a failure was asked for [TEST001]" in rules.said
        assert "Traceback" not in rules.said
    project.write("shaders/post/blur.hlsl", "int y; // mended\n")
    assert rules.build() == POST

    project.write("config/shaders/lit.yaml", YAML.replace("profile: vs_6_0", "profil: vs_6_0"))
    status, compiled = rules.run()
    assert (status != 0, compiled) == (True, [])
    assert "config/shaders/lit.yaml:7:" in rules.said
    assert "Traceback" not in rules.said
    project.write("config/shaders/lit.yaml", YAML)
    rules.build()


def test_stages_that_do_not_fit_fail_the_build_until_they_fit(tmp_path: pathlib.Path) -> None:
    """A failed link check fails this build and the next one, until an edit makes the stages fit.

    The real compiler is used, because the fake one has no stage interfaces.
    """
    if shutil.which("ninja") is None:
        pytest.skip("no ninja (Debian: ninja-build)")
    rules = Rules(tmp_path, SYSTEMS[0])
    project = rules.project
    project.fake = False
    stages = "struct V { float4 p : SV_Position; %s };\nV VSMain() { V v = (V)0; return v; }\n"
    stages += "float4 PSMain(float4 p : SV_Position, float2 uv : UV) : SV_Target { return uv.xyxy; }\n"
    project.write("shaders/my lit/a b.hlsl", stages % "")
    project.write("shaders/post/blur.hlsl", "[numthreads(1, 1, 1)] void main() {}\n")
    for _ in range(2):
        status, _ = rules.run()
        assert status != 0
        assert "UV" in rules.said
    project.write("shaders/my lit/a b.hlsl", stages % "float2 uv : UV;")
    rules.build()
    shutil.rmtree(project.root / "build")
    outputs = project.outputs()
    assert not outputs
    rules.build()
    outputs = project.outputs()
    shutil.rmtree(project.root / "build")
    assert project.tool("build").status == 0
    assert project.outputs() == outputs


def test_cmake_attaches_shaders_to_a_target(tmp_path: pathlib.Path) -> None:
    """A program that includes generated headers is compiled after them, with their folder on the include path."""
    if shutil.which("cmake") is None or shutil.which("cc") is None:
        pytest.skip("no cmake or cc (Debian: cmake, gcc)")
    rules = Rules(tmp_path, System("cmake", [], lambda rules: None, ["cmake", "--build", "c b"]))
    text = CMAKE.replace("NONE", "C").replace("hlsl_shaders(shaders", "add_executable(app main.c)\nhlsl_shaders(app")
    place = 'DEFINES A=1 "B=c d" OUTPUT_DIR "${CMAKE_CURRENT_BINARY_DIR}/out"'
    text = text.replace("CONFIG config/shaders", f"CONFIG config/shaders {place}")
    rules.project.write("main.c", '#include "post/blur.main.h"\nint main(void) { return post_blur_main[0] == 0; }\n')
    program = rules.project.root / "bin" / "hlsl_tool"
    rules.project.write("CMakeLists.txt", text)
    rules.prepare("cmake", "-S", ".", "-B", "c b", f"-DHLSL_TOOL_EXECUTABLE={program}")
    assert rules.build() == [
        "shaders/my lit/a b.hlsl:PSMain A=1 B=c d SHADOWS=0",
        "shaders/my lit/a b.hlsl:PSMain A=1 B=c d SHADOWS=1",
        "shaders/my lit/a b.hlsl:VSMain A=1 B=c d",
        "shaders/post/blur.hlsl:main A=1 B=c d",
    ]
    assert (rules.project.root / "c b/out/every.hlslpack").exists()
    assert rules.call("c b/app") == 0
    assert rules.build() == []


def test_rules_have_the_values_of_their_command(tmp_path: pathlib.Path) -> None:
    """Regenerated rules keep the variables, variants, macros and output folder of the original command."""
    if shutil.which("ninja") is None:
        pytest.skip("no ninja (Debian: ninja-build)")
    rules = Rules(tmp_path, System("ninja", ["ninja"], lambda rules: None, ["ninja", "-f", "debug.ninja"]))
    text = YAML + "variants: { debug: { max_permutations: 3 } }\nsource_dir: ${DIR}\n"
    rules.project.write("config/shaders/lit.yaml", text)
    words = ["--variant", "debug", "--set", "DIR=shaders", "--define", "A=b c", "--output-dir", "other dir"]
    rules.prepare("bin/hlsl_tool", "generate", "ninja", *words, "-o", "debug.ninja")
    macros = [
        "shaders/my lit/a b.hlsl:PSMain A=b c SHADOWS=0",
        "shaders/my lit/a b.hlsl:PSMain A=b c SHADOWS=1",
        "shaders/my lit/a b.hlsl:VSMain A=b c",
        "shaders/post/blur.hlsl:main A=b c",
    ]
    assert rules.build() == macros
    assert (rules.project.root / "other dir/every.hlslpack").exists()
    rules.project.write("config/shaders/lit.yaml", text.replace("[0, 1]", "[0, 1, 2]"))
    assert rules.build() == ["shaders/my lit/a b.hlsl:PSMain A=b c SHADOWS=2"]
    assert rules.build() == []
    rules.project.write("config/shaders/lit.yaml", text.replace("[0, 1]", "[0, 1, 2, 3]"))
    assert rules.run()[0] != 0
    assert "config/shaders/lit.yaml:8:" in rules.said


def test_new_files_in_folders_of_folders_are_seen(tmp_path: pathlib.Path) -> None:
    if shutil.which("ninja") is None:
        pytest.skip("no ninja (Debian: ninja-build)")
    rules = Rules(tmp_path, System("ninja", ["ninja"], lambda rules: None, ["ninja", "-f", "shaders.ninja"]))
    rules.project.write("config/shaders/lit.yaml", "shaders: [{ source: '**/*.hlsl', profile: ps_6_0 }]\n")
    rules.project.write(
        "config/shaders/more/lit.yaml", "shaders: [{ source: '*/a b.hlsl', profile: vs_6_0, name: other }]\n"
    )
    rules.project.write("shaders/my lit/a b.hlsl", "int x;\n")
    (rules.project.root / "shaders/post/deep/er").mkdir(parents=True)
    rules.prepare("bin/hlsl_tool", "generate", "ninja")
    rules.build()
    rules.project.write("shaders/post/deep/er/new.hlsl", "int x;\n")
    assert rules.build() == ["shaders/post/deep/er/new.hlsl:main"]
    rules.project.write(
        "config/shaders/more/new.yaml", "shaders: [{ source: post/blur.hlsl, profile: cs_6_0, name: new }]\n"
    )
    assert rules.build() == ["shaders/post/blur.hlsl:main"]
    assert rules.build() == []


def test_a_server_runs_steps(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Build commands in the server use the store of the caller's environment, relative to the caller's folder."""
    with support.folder_with_shaders(monkeypatch):
        rules = Rules(tmp_path, System("ninja", [], generate("ninja"), []))
        project = rules.project
        project.fake = False
        project.write("shaders/my lit/a b.hlsl", "float4 VSMain() : SV_Position { return 0; }\n")
        project.write("config/shaders/lit.yaml", YAML.partition("      - { entry: PSMain")[0])
        rules.prepare("bin/hlsl_tool", "generate", "ninja")
        (step,) = project.root.glob("shaders.ninja.steps/**/*.json")
        with support.server():
            monkeypatch.chdir(project.root)
            monkeypatch.setenv("HLSL_TOOL_STORE", "my-store")
            assert client.ask(["--step", str(step)]) == (0, "", "", {})
        assert (project.root / SPV).exists()
        assert (project.root / "my-store").is_dir()
        log = [json.loads(line) for line in (project.root / "build/shaders/.hlsl_tool.log").read_text().splitlines()]
        assert log[-1]["name"] == "my lit/a b.VSMain"
        assert str(ROOT) not in step.read_text()
