"""Random projects of tiny shaders as data (files, links and a configuration), and random edits of them."""

from __future__ import annotations

import copy
import os
import pathlib
import random
import re
import shutil
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from hlsl_tool.base.options.environments import TARGET_ENVS

INCLUDE_DIRS = ("shaders/near", "shaders/inc")
YAML = "config/shaders/all.yaml"


class Setting(NamedTuple):
    """An option in three spellings: in a configuration, on the command line, and as a field of `CompileOptions`."""

    yaml: str
    arguments: tuple[str, ...]
    fields: dict[str, object]


SETTINGS = {
    "rows": Setting("matrix_layout: row_major", ("-Zpr",), {"matrix_layout": "row_major"}),
    "scalar": Setting("layout: scalar", ("-fvk-use-scalar-layout",), {"layout": "scalar"}),
    "dx": Setting("layout: dx", ("-fvk-use-dx-layout",), {"layout": "dx"}),
    "2018": Setting("hlsl_version: 2018", ("-HV", "2018"), {"hlsl_version": 2018}),
    "entry": Setting("entry_point_name: other", ("-fspv-entrypoint-name=other",), {"entry_point_name": "other"}),
    "reflect": Setting("reflect_decorations: true", ("-fspv-reflect",), {"reflect_decorations": True}),
    "line": Setting("debug: [line]", ("-fspv-debug=line",), {"debug": ("line",)}),
    "source": Setting("debug: [source]", ("-fspv-debug=source",), {"debug": ("source",)}),
    "size": Setting("optimize: size", ("-Os",), {"optimize": "size"}),
}
"""Options by name; those that replace each other have the same key in configurations."""
PLAIN = Setting("optimize: none", ("-O0",), {"optimize": "none"})
ALWAYS = Setting("validate: false", ("-Vd",), {"validate": "no"})


class Job(NamedTuple):
    """A permutation: the name of its output below the output folder (without suffix), and how to compile it."""

    name: str
    source: str
    entry: str
    profile: str
    macros: tuple[tuple[str, str], ...]
    settings: tuple[Setting, ...]
    target_env: str

    @property
    def output(self) -> str:
        return f"build/shaders/{self.name}.spv"

    def arguments(self) -> list[str]:
        """Return the command line of `hlsl2spirv`."""
        macros = [f"-D{name}={value}" for name, value in self.macros]
        folders = [f"-I{folder}" for folder in INCLUDE_DIRS]
        options = [argument for setting in self.settings for argument in setting.arguments]
        entry = ["-T", self.profile, "-E", self.entry, f"-fspv-target-env={self.target_env}"]
        return [*entry, *macros, *folders, *options, self.source, "-Fo", self.output]

    def fields(self) -> dict[str, object]:
        """Return the fields of `CompileOptions`."""
        found: dict[str, object] = {"target_env": self.target_env, "defines": self.macros, "include_dirs": INCLUDE_DIRS}
        for setting in self.settings:
            found |= setting.fields
        return found


@dataclass
class Shader:
    source: str
    """The path below `shaders/`, without its suffix."""
    entry: str
    profile: str
    modes: list[int]
    settings: list[str] = field(default_factory=list)
    target_env: str = ""
    """The shader's own target environment; empty for that of the tree."""

    def yaml(self) -> str:
        parts = [f"source: {self.source}.hlsl", f"entry: {self.entry}", f"profile: {self.profile}"]
        parts += [f"target_env: {self.target_env}"] if self.target_env else []
        parts += [SETTINGS[name].yaml for name in self.settings]
        return f"  - {{ {', '.join(parts)}, defines: {{ MODE: {self.modes} }} }}\n"


@dataclass
class Tree:
    """A project; two projects are equal if their files are."""

    files: dict[str, str]
    links: dict[str, str]
    shaders: list[Shader]
    target_env: str
    note: str = ""
    """A comment at the end of the configuration."""
    yaml_error: str = ""
    """Lines at the end of the configuration that are an error of it; empty for none."""

    def entries(self) -> dict[str, tuple[str, bool]]:
        """Return path → (content or target of a link, whether it is a link)."""
        head = f"include_dirs: [near, inc]\ntarget_env: {self.target_env}\n{PLAIN.yaml}\n{ALWAYS.yaml}\n"
        head += "outputs: [spv, reflection, header, dep]\npacks: [{ name: every }]\nlink: false\nshaders:\n"
        files = {**self.files, YAML: head + "".join(shader.yaml() for shader in self.shaders) + self.note}
        files[YAML] += self.yaml_error
        found = {path: (text, False) for path, text in files.items()}
        return found | {path: (target, True) for path, target in self.links.items()}

    def jobs(self) -> list[Job]:
        found = []
        for shader in self.shaders:
            for mode in shader.modes:
                settings = (PLAIN, ALWAYS, *(SETTINGS[name] for name in shader.settings))
                if "size" in shader.settings:
                    settings = settings[1:]
                name = f"{shader.source}.{shader.entry}.MODE={mode}"
                macros = (("MODE", str(mode)),)
                source = f"shaders/{shader.source}.hlsl"
                env = shader.target_env or self.target_env
                found.append(Job(name, source, shader.entry, shader.profile, macros, settings, env))
        return found


def write(root: pathlib.Path, before: Tree | None, after: Tree) -> None:
    """Change the files below `root` from those of `before` to those of `after`; leave all others as they are."""
    old, new = before.entries() if before else {}, after.entries()
    for path in old:
        if path not in new or old[path][1] != new[path][1]:
            (root / path).unlink()
    for path, (text, is_link) in sorted(new.items()):
        if old.get(path) == (text, is_link):
            continue
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        if is_link:
            if place.is_dir() and not place.is_symlink():
                shutil.rmtree(place)
            place.unlink(missing_ok=True)
            place.symlink_to(text)
        elif zlib.crc32(text.encode()) % 2:  # as some editors do it
            other = place.with_name(f"{place.name}~")
            other.write_text(text)
            os.replace(other, place)
        else:
            place.write_text(text)


def touch_behind_links(root: pathlib.Path, before: Tree, after: Tree) -> None:
    """Set the times of a file to now if a new link makes an old path lead to it.

    Old paths are those of files in ``before`` that are not in ``after``. Without new times, the file may be older than
    the outputs, and build systems would not notice the change.
    """
    for path in before.files.keys() - after.files.keys():
        if (root / path).exists():
            os.utime(root / path)


# ---- random trees

FRAGMENT = "float4 PSMain(float4 p : SV_Position, float x : X) : SV_Target {{ return {value}; }}\n"
VERTEX = "float4 VSMain(float4 p : POSITION) : SV_Position {{ float x = p.x; return {value}; }}\n"


def random_tree(chance: random.Random) -> Tree:
    files = {
        "lib/v1/core/core.hlsli": '#include "../shared/types.hlsli"\n',
        "lib/v1/shared/types.hlsli": "#define SHARED 1.5\n",
        "lib/v2/core/core.hlsli": '#include "../shared/types.hlsli"\n',
        "lib/v2/shared/types.hlsli": "#define SHARED 2.5\n",
        "shaders/shared/types.hlsli": "#define SHARED 9.5\n",
        "lib/one.hlsli": "float linked(float x) { return x - 1.25; }\n",
        "lib/two.hlsli": "float linked(float x) { return x + 2.25; }\n",
    }
    for number in range(3):
        nested = f'#include "h{number + 1}.hlsli"\n' if number < 2 and chance.random() < 0.5 else ""
        guard = "#pragma once\n" if chance.random() < 0.5 or number else ""
        function = f"float f{number}(float x) {{ return x * {chance.randint(1, 9)}.5; }}\n"
        files[f"shaders/inc/h{number}.hlsli"] = f"{guard}{nested}{function}"
    shaders = []
    for number, folder in enumerate(("", "", "sub/")):
        source = f"{folder}s{number}"
        is_vertex = chance.random() < 0.4
        files[f"shaders/{source}.hlsl"] = _source(chance, number, folder, VERTEX if is_vertex else FRAGMENT)
        entry, profile = ("VSMain", "vs_6_0") if is_vertex else ("PSMain", "ps_6_0")
        shaders.append(Shader(source, entry, profile, list(range(chance.randint(1, 2)))))
    links = {"shaders/linked": "../lib/v1/core", "shaders/inc/link.hlsli": "../../lib/one.hlsli"}
    return Tree(files, links, shaders, chance.choice(list(TARGET_ENVS)))


def _source(chance: random.Random, number: int, folder: str, entry: str) -> str:
    lines = [f'#include "h{number}.hlsli"'] if chance.random() < 0.8 else [f"float f{number}(float x) {{ return x; }}"]
    value = f"f{number}(x) * {chance.randint(1, 9)}.25 + MODE + c{number}"
    if number == 0 or chance.random() < 0.4:
        up = "../" if folder else ""
        lines.append(f'#include "{up}linked/core.hlsli"')
        value += " + SHARED"
    if number == 1 or chance.random() < 0.4:
        lines.append("#include <link.hlsli>")
        value += " + linked(x)"
    lines.append(f"cbuffer C{number} {{ row_major float2x3 m{number}; float4 c{number}; }};")
    return "\n".join(lines) + "\n" + entry.format(value=value)


# ---- random edits of trees


def _change(tree: Tree, path: str, edit: Callable[[str], str]) -> str:
    tree.files[path] = edit(tree.files[path])
    return path


def number(chance: random.Random) -> Callable[[str], str]:
    value = f"{chance.randint(1, 99)}.{chance.randint(1, 99)}"
    return lambda text: (
        re.sub(r"\d+\.\d+", value, text, count=1) if re.search(r"\d\.\d", text) else f"// {value}\n{text}"
    )


def _paths(tree: Tree, pattern: str) -> list[str]:
    return sorted(path for path in tree.files if re.search(pattern, path))


def text(tree: Tree, chance: random.Random) -> str:
    """Change a number, a comment or a line of a source."""
    path = chance.choice(_paths(tree, r"\.hlsl$"))
    added = chance.choice(
        [
            "// a comment\n",
            "\n",
            "static const float unused = 1;\n",
            "#line 7\n",
            "float4 PSMain(;\n",
            "#define f0 f0\n",
        ]
    )
    edits = [number(chance), number(chance), lambda text: added + text, lambda text: text + added.strip()]
    return _change(tree, path, chance.choice(edits))


ERRORS = (
    "float4 PSMain(;\n",
    "#error broken\n",
    "#include <nowhere.hlsli>\n",
    "static const float broken = unknown;\n",
    "float broken() { return float3(1, 2, 3).wx; }\n",
    "#if 1\n",
    "/* never closed\n",
    '#include "../../lib"\n',
    "Texture2D<Unknown> broken;\n",
    "}\n",
)
"""Lines that are an error of each source, also of one that does not use what they declare."""
YAML_ERRORS = (
    "  - { source: nowhere.hlsl, profile: ps_6_0 }\n",
    "  - { source: s0.hlsl, profile: ps_6_0, entri: main }\n",
    "  - [\n",
    "optimize: none\n",
)


def error(tree: Tree, chance: random.Random) -> str:
    """Break a source, a header or the configuration."""
    if chance.random() < 0.15:
        tree.yaml_error = chance.choice(YAML_ERRORS)
        return f"{YAML}: {tree.yaml_error.strip()}"
    path = chance.choice(_paths(tree, r"shaders/.*\.hlsli?$"))
    line = chance.choice(ERRORS)
    edits = [lambda text: line + text, lambda text: text + line]
    return f"{_change(tree, path, chance.choice(edits))}: {line.strip()}"


def header(tree: Tree, chance: random.Random) -> str:
    """Change a number or comment in a header, make it include another header, or delete it."""
    path = chance.choice(_paths(tree, "shaders/inc/"))
    if chance.random() < 0.1:
        del tree.files[path]
        return f"no {path}"
    edits = [number(chance), number(chance), lambda text: f"// {chance.random()}\n{text}"]
    edits.append(lambda text: f"#pragma once\n{text}float extra(float x) {{ return x; }}\n")
    return _change(tree, path, chance.choice(edits))


def shadow(tree: Tree, chance: random.Random) -> str:
    """Add a header that is found before another one of the same name, or delete it again."""
    shadows = _paths(tree, r"shaders/(near/|sub/|)[a-z0-9]+\.hlsli$")
    if shadows and chance.random() < 0.5:
        path = chance.choice(shadows)
        del tree.files[path]
        return f"no {path}"
    original = chance.choice(_paths(tree, "shaders/inc/h"))
    path = f"shaders/{chance.choice(['near/', 'sub/', ''])}{os.path.basename(original)}"
    tree.files[path] = number(chance)(tree.files[original])
    return path


def link(tree: Tree, chance: random.Random) -> str:
    """Change the target of a link, or replace the link by files."""
    path = chance.choice(["shaders/linked", "shaders/inc/link.hlsli"])
    choices = {"shaders/linked": ["../lib/v1/core", "../lib/v2/core", "../lib/v1/../v2/core", ""]}
    target = chance.choice(choices.get(path, ["../../lib/one.hlsli", "../../lib/two.hlsli", ""]))
    file = f"{path}/core.hlsli" if path == "shaders/linked" else path
    tree.links.pop(path, None)
    tree.files.pop(file, None)
    if target:
        tree.links[path] = target
    else:
        tree.files[file] = tree.files["lib/two.hlsli" if file == path else "lib/v1/core/core.hlsli"]
    return f"{path} to {target or 'a file'}"


def behind_links(tree: Tree, chance: random.Random) -> str:
    """Change a file that is accessed through links, directly or by `..` after them."""
    return _change(tree, chance.choice(_paths(tree, "lib/|shaders/shared")), number(chance))


def yaml(tree: Tree, chance: random.Random) -> str:
    """Add or remove a permutation or a shader, or add a comment."""
    shader = chance.choice(tree.shaders)
    kind = chance.choice(["modes", "modes", "shader", "order", "comment"])
    if kind == "modes":
        shader.modes = sorted(chance.sample(range(4), chance.randint(1, 3)))
    elif kind == "comment":
        tree.note = f"# {chance.random()}\n"
    elif kind == "order":
        chance.shuffle(tree.shaders)
    elif len(tree.shaders) > 3:
        tree.shaders.remove(shader)
    else:
        other = copy.deepcopy(shader)
        other.source += "_copy"
        if all(each.source != other.source for each in tree.shaders):
            tree.files[f"shaders/{other.source}.hlsl"] = tree.files[f"shaders/{shader.source}.hlsl"]
            tree.shaders.append(other)
    return kind


def option(tree: Tree, chance: random.Random) -> str:
    """Set or remove one option of one shader, or a target environment."""
    shader = chance.choice(tree.shaders)
    if chance.random() < 0.3:
        shader.target_env = chance.choice(["", *TARGET_ENVS])
        return f"target_env of {shader.source}"
    name = chance.choice(sorted(SETTINGS))
    key = SETTINGS[name].yaml.partition(":")[0]
    others = [each for each in shader.settings if SETTINGS[each].yaml.partition(":")[0] != key]
    shader.settings = others if name in shader.settings else [*others, name]
    return f"{name} of {shader.source}"


EDITS: dict[str, Callable[[Tree, random.Random], str]] = {
    "text": text,
    "header": header,
    "shadow": shadow,
    "link": link,
    "behind links": behind_links,
    "yaml": yaml,
    "option": option,
    "error": error,
}
