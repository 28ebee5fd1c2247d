"""Import shaders of CMake: the properties `VS_SHADER_…` of sources, and custom commands that run DXC."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from hlsl_tool.base.diagnostics.diagnostic import Location
from hlsl_tool.project.exchange.imports.cmake_scripts import Script, calls_of
from hlsl_tool.project.exchange.imports.shaders import Importer, Shader, left_out, words_of
from hlsl_tool.project.exchange.imports.visual_studio import STAGES, model_of

_PROGRAM = re.compile(r"(?:.*[/\\])?(?:dxc|hlsl2spirv)(?:\.exe)?|\$\{\w*DXC\w*\}|\$<TARGET_FILE:[\w:]*dxc[\w:]*>", re.I)


def cmake(text: str, name: str, importer: Importer, variables: Mapping[str, str] | None = None) -> list[Shader]:
    """Return the shaders of a script; those whose names depend on values of other scripts are left out.

    ``variables`` are values that other scripts set.
    """
    folder = importer.folder.replace(os.sep, "/")
    names = ("CMAKE_CURRENT_SOURCE_DIR", "CMAKE_CURRENT_LIST_DIR", "CMAKE_SOURCE_DIR", "PROJECT_SOURCE_DIR")
    script = Script(folder, {**dict.fromkeys(names, folder), **(variables or {})})
    script.run(calls_of(text))
    importer.is_of_project = True
    shaders = [_by_properties(source, script, name, importer) for source in script.properties]
    shaders += [_by_command(words, Location(name, line, 1), importer) for line, words in script.commands]
    return [shader for shader in shaders if shader is not None]


def _by_properties(source: str, script: Script, name: str, importer: Importer) -> Shader | None:
    properties = script.properties[source]
    kind = properties.get("VS_SHADER_TYPE", "")
    if not kind:
        return None
    at = Location(name, script.lines[source], 1)
    stage = STAGES.get(kind.lower(), "")
    if not stage or "$" in source:
        left_out(importer.sink, at, source, f"`{kind}` is no stage" if not stage else "its name is not known")
        return None
    command = ["-T", f"{stage}_{model_of(stage, properties.get('VS_SHADER_MODEL', ''))}"]
    if stage != "lib":
        command += ["-E", properties.get("VS_SHADER_ENTRYPOINT", "main")]
    try:
        flags = words_of(properties.get("VS_SHADER_FLAGS", "").replace(";", " "))
    except ValueError as error:
        left_out(importer.sink, at, source, f"its VS_SHADER_FLAGS have no words: {str(error).lower()}")
        return None
    return importer.shader([*command, *flags, source], at)


def _by_command(words: list[str], at: Location, importer: Importer) -> Shader | None:
    """Return the shader that a custom command compiles with DXC; `None` for another command."""
    start = next((number for number, word in enumerate(words) if _PROGRAM.fullmatch(word)), None)
    if start is None or not any(re.match(r"[-/]T", word) for word in words[start:]):
        return None
    words = [word for word in words[start + 1 :] if word not in ("-spirv", "-nologo", "/nologo")]
    words = _without_outputs(words)
    unknown = next((word for word in words if "$" in word), None)
    if unknown is not None:
        left_out(importer.sink, at, unknown, "its value is not known before CMake runs")
        return None
    return importer.shader(words, at)


def _without_outputs(words: list[str]) -> list[str]:
    """Return a command without the options that name output files: they are in the folder of the build."""
    kept: list[str] = []
    skips = False
    for word in words:
        if skips:
            skips = False
        elif re.match(r"[-/]F[odhce]", word):
            skips = len(word) == 3
        else:
            kept.append(word)
    return kept
