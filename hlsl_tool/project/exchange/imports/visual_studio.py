"""Parse projects of Visual Studio: the `FxCompile` items of a `.vcxproj` file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from xml.parsers import expat

from hlsl_tool.base.diagnostics.catalogue import build as codes
from hlsl_tool.base.diagnostics.diagnostic import Location
from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.project.exchange.imports.shaders import Importer, Shader, left_out, words_of
from hlsl_tool.project.exchange.imports.variables import with_values

STAGES = {
    "vertex": "vs", "pixel": "ps", "geometry": "gs", "hull": "hs", "domain": "ds", "compute": "cs", "library": "lib",
    "mesh": "ms", "amplification": "as",
}  # fmt: skip
"""`ShaderType` in lower case → stage."""

USUAL_CONFIGURATION = "Release|x64"
"""The configuration whose settings are read, if the project has it; else its first one."""

FIRST_MODEL = {"lib": "6_3", "ms": "6_5", "as": "6_5"}
"""Stage → its first shader model, where that is not 6.0; earlier models are raised to it."""

SWITCHES = {
    "TreatWarningAsError": "-WX",
    "AllResourcesBound": "-all-resources-bound",
    "DisableOptimizations": "-Od",
}
"""Setting whose value is `true` → option of DXC."""

_CONDITION = re.compile(r"\s*'([^']*)'\s*(==|!=)\s*'([^']*)'\s*")
_PROPERTY = re.compile(r"\$\((\w+)\)")
_METADATA = re.compile(r"%\((\w+)\)")
MAX_DEPTH = 64
"""Limit on nested elements."""


@dataclass(slots=True)
class _Element:
    """An element of XML, without namespaces."""

    name: str
    attributes: dict[str, str]
    line: int
    text: str = ""
    children: list[_Element] = field(default_factory=list)


class _Refused(Exception):
    """Raised for XML that no project has: entities, or elements that are nested too deeply."""


def visual_studio(text: str, name: str, importer: Importer) -> list[Shader]:
    """Return the shaders of a project; items without a `ShaderType`, and wrong ones, are left out with a warning."""
    importer.is_of_project = True
    try:
        root = _parse(text)
    except expat.ExpatError as error:
        problem = f"not XML: {expat.ErrorString(error.code)}"
        importer.sink.error(codes.LIST_SYNTAX, Location(name, error.lineno, error.offset + 1), problem=problem)
        return []
    except _Refused as error:
        importer.sink.error(codes.LIST_SYNTAX, Location(name), problem=str(error))
        return []
    project = _Project(root, importer.folder)
    shaders = []
    for item in project.items():
        if item.settings.get("ExcludedFromBuild", "").lower() != "true":
            shaders.append(_shader(item, Location(name, item.line, 1), importer))
    return [shader for shader in shaders if shader is not None]


def _parse(text: str) -> _Element:
    """Parse XML; raise `ExpatError` or `_Refused`."""
    stack = [_Element("", {}, 0)]
    parser = expat.ParserCreate("utf-8", " ")  # the text is encoded again, whatever it declares

    def start(name: str, attributes: dict[str, str]) -> None:
        if len(stack) > MAX_DEPTH:
            raise _Refused("the elements are nested too deeply")
        element = _Element(name.rpartition(" ")[2], attributes, parser.CurrentLineNumber)
        stack[-1].children.append(element)
        stack.append(element)

    def end(name: str) -> None:
        stack.pop()

    def data(part: str) -> None:
        stack[-1].text += part

    def entity(*_: object) -> None:
        raise _Refused("projects have no entities")

    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, data
    parser.EntityDeclHandler = entity
    parser.Parse(text.encode(), True)
    return stack[0].children[0]


@dataclass(frozen=True, slots=True)
class _Item:
    """A source, with the settings for it."""

    source: str
    settings: dict[str, str]
    line: int


class _Project:
    """The settings of a project for one of its configurations."""

    def __init__(self, root: _Element, folder: str) -> None:
        self.root = root
        names = [item.attributes.get("Include", "") for item in _all(root, "ItemGroup", "ProjectConfiguration")]
        chosen = USUAL_CONFIGURATION if USUAL_CONFIGURATION in names else next(iter(names), USUAL_CONFIGURATION)
        configuration, _, platform = chosen.partition("|")
        here = folder.rstrip("/\\") + "/"
        self.properties = {
            "Configuration": configuration,
            "Platform": platform,
            **dict.fromkeys(("ProjectDir", "MSBuildProjectDirectory", "MSBuildThisFileDirectory"), here),
        }
        for group in root.children:
            if group.name == "PropertyGroup" and self._holds(group):
                for item in filter(self._holds, group.children):
                    self.properties[item.name] = self._expanded(item.text.strip())

    def items(self) -> Iterator[_Item]:
        """Yield the sources, with the definitions for all of them merged."""
        shared: dict[str, str] = {}
        for definition in _all(self.root, "ItemDefinitionGroup", "FxCompile", self._holds):
            self._read(definition, shared)
        for item in _all(self.root, "ItemGroup", "FxCompile", self._holds):
            settings = dict(shared)
            self._read(item, settings)
            if "Include" in item.attributes:
                yield _Item(self._expanded(item.attributes["Include"]), settings, item.line)

    def _read(self, element: _Element, settings: dict[str, str]) -> None:
        """Add the settings of an element; `%(NAME)` is the earlier value."""
        for setting in filter(self._holds, element.children):
            text = with_values(setting.text.strip(), _METADATA, {setting.name: settings.get(setting.name, "")})
            settings[setting.name] = self._expanded(text)

    def _holds(self, element: _Element) -> bool:
        """Return whether the condition of an element holds; one that is no comparison of texts counts as true."""
        match = _CONDITION.fullmatch(element.attributes.get("Condition", ""))
        if match is None:
            return True
        is_equal = self._expanded(match[1]).lower() == self._expanded(match[3]).lower()
        return is_equal == (match[2] == "==")

    def _expanded(self, text: str) -> str:
        return with_values(text, _PROPERTY, self.properties)


def _all(root: _Element, group: str, name: str, holds: Callable[[_Element], bool] | None = None) -> Iterator[_Element]:
    """Yield the elements ``name`` in the groups of a project."""
    for outer in root.children:
        if outer.name == group and (holds is None or holds(outer)):
            yield from (inner for inner in outer.children if inner.name == name)


def _shader(item: _Item, at: Location, importer: Importer) -> Shader | None:
    settings = item.settings
    kind = settings.get("ShaderType", "").strip()
    stage = STAGES.get(kind.lower(), "")
    if not stage or _is_open(item.source):
        reason = f"`{kind}` is no stage" if kind else "it has no ShaderType"
        left_out(importer.sink, at, item.source, reason if not stage else "its name has an unknown property")
        return None
    command = ["-T", f"{stage}_{model_of(stage, settings.get('ShaderModel', ''))}"]
    if stage != "lib":
        command += ["-E", settings.get("EntryPointName", "").strip() or "main"]
    for macro in _parts(settings.get("PreprocessorDefinitions", "")):
        command += ["-D", macro.replace('\\"', '"')]
    for folder in _parts(settings.get("AdditionalIncludeDirectories", "")):
        command += ["-I", folder.replace("\\", "/").rstrip("/") or "/"]
    for name, switch in SWITCHES.items():
        command += [switch] if settings.get(name, "").lower() == "true" else []
    command += _further(settings.get("AdditionalOptions", ""), at, item.source, importer)
    return importer.shader([*command, item.source.replace("\\", "/")], at)


def model_of(stage: str, text: str) -> str:
    """Return the shader model of an item as in a profile; at least the first that the stage has."""
    first = FIRST_MODEL.get(stage, "6_0")
    match = re.match(r"(\d+)\.(\d+)", text.strip())
    if match is None or (int(match[1]), int(match[2])) < tuple(map(int, first.split("_"))):
        return first
    return f"{match[1]}_{match[2]}"


def _parts(text: str) -> list[str]:
    """Return the parts of a list with semicolons, without those that name properties of other files."""
    parts = (part.strip() for part in text.split(";"))
    return [part for part in parts if part and not _is_open(part)]


def _is_open(text: str) -> bool:
    return bool(_PROPERTY.search(text) or _METADATA.search(text))


def _further(text: str, at: Location, source: str, importer: Importer) -> list[str]:
    """Return the words of `AdditionalOptions`, without those about other files of the build."""
    try:
        words = words_of(_METADATA.sub("", text))
    except ValueError as error:
        left_out(importer.sink, at, source, f"its AdditionalOptions have no words: {error}".lower())
        return []
    skipped = [word for word in words if _is_open(word) or re.match(r"[-/]F[cdeho]", word)]
    return [word for word in words if word not in skipped and word[1:] not in ("nologo", "bigobj")]
