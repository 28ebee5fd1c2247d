"""Load configurations from disk into a `Project`.

Precedence, from weak to strong: built-in defaults, `defaults.yaml` of the outer folders, `defaults.yaml` of the file's
folder, the top level of the file, the chosen variant, the caller, the shader, the entry, overrides.  A stronger level
replaces scalars and lists, and merges `defines`, `bindings` and `files` key by key.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Collection, Iterable
from functools import partial
from pathlib import Path, PurePosixPath

from hlsl_tool.base.diagnostics.catalogue import config as codes
from hlsl_tool.base.diagnostics.diagnostic import Diagnostic, Location
from hlsl_tool.base.diagnostics.sink import Sink
from hlsl_tool.base.similar import did_you_mean
from hlsl_tool.base.system.file_names import DEFAULT_OUTPUT_DIR
from hlsl_tool.base.system.paths import absolute, folded, folders_left
from hlsl_tool.base.system.regular_files import MAX_SIZE, read_regular
from hlsl_tool.project.config import keys
from hlsl_tool.project.config.confinement import check_confinement, check_executor, check_output_dir
from hlsl_tool.project.config.discovery import DEFAULTS_NAME, configurations, file_name
from hlsl_tool.project.config.expansion.collisions import check_outputs
from hlsl_tool.project.config.expansion.environment_variables import Variables
from hlsl_tool.project.config.expansion.libraries import resolve_libraries
from hlsl_tool.project.config.expansion.overrides import check_used
from hlsl_tool.project.config.expansion.permutations import expand
from hlsl_tool.project.config.expansion.selection import Selector
from hlsl_tool.project.config.layers import Layer, Macro, Override, Setting, merge_layers, read_layer
from hlsl_tool.project.config.packs import check_packs, read_packs
from hlsl_tool.project.config.parameters import CALLER, DEFAULT_PARAMETERS, VARIANT, Parameters
from hlsl_tool.project.config.permutation import Project
from hlsl_tool.project.config.pipelines import check_pipelines, read_pipelines
from hlsl_tool.project.config.yaml.nodes import Node, Scalar, Sequence, describe, parse


def load(
    root: str,
    paths: Iterable[str],
    sink: Sink,
    generated: Collection[str] | None = None,
    read: Callable[[str], bytes | None] | None = None,
    given: Parameters = DEFAULT_PARAMETERS,
) -> Project:
    """Load the configurations at these paths (files, folders or patterns, from the root) and return the project.

    ``generated`` are the files that other builders make, from the root.  If it is given, a missing source is not an
    error yet but added to `Project.unmade`, since a builder that is declared later may make it.  ``read`` returns the
    unsaved text of a configuration, whose path is from the root, or ``None`` to read the file on disk.  ``given``:
    values that the caller passes to configurations.
    """
    project = Project(absolute(root), variant=given.variant)
    loader = _Loader(project, sink, generated, read, given)
    for path in paths:
        for name in loader.find(path):
            loader.file(name)
    loader.check_parameters()
    resolve_libraries(project, generated, sink)
    check_outputs(project.permutations, sink)
    check_pipelines(project, sink)
    check_packs(project, sink)
    check_confinement(project, sink)
    _check_include_dirs(project, generated or (), sink)
    if sink.error_count:  # nothing will be built, so report missing sources now
        for name, at, hint in project.unmade:
            sink.error(codes.MISSING_SOURCE, at, hint=hint, path=name)
    sink.diagnostics.sort(key=_place)
    return project


def _check_include_dirs(project: Project, generated: Collection[str], sink: Sink) -> None:
    """Warn about include folders that do not exist, and that neither a build nor another builder makes."""
    reported: set[tuple[str, str, int]] = set()
    for name, at in project.include_dirs:
        folder = posixpath.normpath(name)
        mark = folder, at.file, at.line
        below = f"{folder}/"
        is_made = below.startswith(f"{project.output_dir}/") or any(made.startswith(below) for made in generated)
        if mark not in reported and not is_made and not os.path.isdir(os.path.join(project.root, folder)):
            reported.add(mark)
            project.looked_for.append(folder)
            sink.warning(codes.NO_INCLUDE_DIR, at, path=folder)
    project.include_dirs.clear()


def _place(diagnostic: Diagnostic) -> tuple[str, int, int]:
    at = diagnostic.location
    return (at.file, at.line, at.col) if at else ("", 0, 0)


Value = str | tuple[str, ...]

_SHARED: dict[str, Value] = {
    "output_dir": DEFAULT_OUTPUT_DIR,
    "store": (),
    "store_size": "",
    "store_texts": "",
    "scons_nodes": "auto",
    "executor": "",
}
"""Settings that all files of a build share → their defaults."""


def _shared(key: str, setting: Setting | None) -> Value:
    if setting is None:
        return _SHARED[key]
    if key == "store":
        return setting.value if isinstance(setting.value, tuple) else (_text(setting.value),)
    return _folder(setting.value) if key == "output_dir" else _text(setting.value)


def _text(value: object) -> str:
    """Convert a value to text; text is returned unchanged, as `str` would remove the password from an address."""
    return value if isinstance(value, str) else str(value)


def _folder(value: object) -> str:
    return str(value).replace("\\", "/").rstrip("/") or "."


def _written(value: Value) -> str:
    """Return a value in the format of diagnostics."""
    return (value if isinstance(value, str) else ", ".join(value)) or "the default"


class _Loader:
    def __init__(
        self,
        project: Project,
        sink: Sink,
        generated: Collection[str] | None,
        read: Callable[[str], bytes | None] | None,
        given: Parameters,
    ) -> None:
        self.read = read
        self.given = given
        self.variables = Variables(given.values())
        self.project = project
        self.sink = sink
        self.selector = Selector(project, sink, generated, read)
        self.layers: dict[str, Layer | None] = {}
        self.groups: dict[str, int] = {}
        self.shared: dict[str, tuple[Value, Location, bool]] = {}
        """Key → (value in the first file, its place, whether the file gives it)."""
        self.contradicted: set[str] = set()
        self.overrides: list[Override] = []
        """Overrides in the current file."""

    def find(self, path: str) -> list[str]:
        """Return the configurations below a path, sorted, without `defaults.yaml`; report a path without any."""
        names = configurations(self.project.root, path)
        self.project.looked_for += folders_left(path, partial(folded, folder=self.project.root))
        if names is None:
            return [file_name(self.project.root, path)]
        if not names:
            self.sink.error(codes.NO_SOURCES, Location(path), pattern="*.yaml", folder=path)
        return names

    def tree(self, name: str) -> Node | None:
        """Parse a YAML file and return its root node; ``None`` after an error."""
        try:
            unsaved = self.read(name) if self.read is not None else None
            data = read_regular(Path(self.project.root) / name, MAX_SIZE) if unsaved is None else unsaved
            text = data.decode("utf-8-sig")
        except OSError as error:
            self.sink.error(codes.UNREADABLE, Location(name), name=name, reason=error.strerror or str(error))
            return None
        except UnicodeDecodeError as error:
            reason = f"byte {error.start} is not UTF-8"
            self.sink.error(codes.UNREADABLE, Location(name), name=name, reason=reason)
            return None
        self.project.files.append(name)
        before = self.sink.error_count
        node = parse(text, name, self.sink, self.variables)
        if node is None and self.sink.error_count == before:
            node = Scalar("", True, Location(name, 1, 1))
        return node

    def defaults(self, name: str) -> Layer:
        """Return the merged settings of each `defaults.yaml` in the folder of a configuration and in outer folders."""
        result = Layer()
        folder = PurePosixPath(name).parent
        for parent in reversed([folder, *folder.parents]):
            path = (parent / DEFAULTS_NAME).as_posix()
            if path not in self.layers:
                self.layers[path] = self.read_defaults(path)
            layer = self.layers[path]
            if layer is not None:
                result = merge_layers(result, layer)
        return result

    def read_defaults(self, path: str) -> Layer | None:
        if not (Path(self.project.root) / path).exists():
            self.project.looked_for.append(path)
            return None
        node = self.tree(path)
        if node is None or (isinstance(node, Scalar) and not node.text):
            return None
        return read_layer(node, "d", self.sink)

    def file(self, name: str) -> None:
        node = self.tree(name)
        if node is None:
            return
        if isinstance(node, Scalar) and not node.text:
            self.sink.error(codes.NO_SHADERS, node.at)
            return
        top = self.chosen(merge_layers(self.defaults(name), read_layer(node, "f", self.sink)))
        self.folders(name, top)
        if "pipelines" in top.parts:
            self.project.pipelines += read_pipelines(top.parts["pipelines"], self.sink)
        if "packs" in top.parts:
            self.project.packs += read_packs(top.parts["packs"], self.sink)
        shaders = top.parts.get("shaders")
        if shaders is None:
            self.sink.error(codes.NO_SHADERS, node.at)
        elif not isinstance(shaders, Sequence):
            self.sink.error(
                codes.WRONG_TYPE, shaders.at, key="shaders", wanted="a list of shaders", got=describe(shaders)
            )
        else:
            before = self.sink.error_count
            for item in shaders.items:
                self.shader(top, item)
            if self.sink.error_count == before:
                check_used(self.overrides, self.sink)
            self.overrides.clear()

    def chosen(self, top: Layer) -> Layer:
        """Merge the settings of the selected variant, and then those of the caller, into the top level of a file."""
        self.project.variant_names = sorted({*self.project.variant_names, *top.variants})
        given = Layer(macros={name: Macro(name, (value,), False, CALLER) for name, value in self.given.defines})
        if self.given.output_dir:
            given.settings["output_dir"] = Setting(self.given.output_dir, CALLER)
        parts, at = top.parts, top.at
        for layer in (*top.variants.get(self.given.variant, ()), given):
            top = merge_layers(top, layer)
        top.parts, top.at = parts, at
        return top

    def check_parameters(self) -> None:
        """Report values from the caller that no configuration uses."""
        if self.sink.error_count:
            return
        self.variables.check_used(self.given.at, self.sink)
        for macro, _ in self.given.defines:
            if not any(permutation.layer.macros[macro].at is CALLER for permutation in self.project.permutations):
                self.sink.error(codes.UNUSED_DEFINE, self.given.at, name=macro)
        name = self.given.variant
        if name and name not in self.project.variant_names and VARIANT not in self.variables.used:
            hint = did_you_mean(name, self.project.variant_names)
            self.sink.error(codes.UNKNOWN_VARIANT, self.given.at, hint=hint, name=name)

    def folders(self, name: str, layer: Layer) -> None:
        """Apply the settings that a file has for all its shaders, such as its source and output folders.

        `source_dir` may differ between files. The settings in `_SHARED` must be equal in all of them; report one that
        is not.
        """
        source_dir = layer.settings.get("source_dir")
        self.project.source_dir = _folder(source_dir.value if source_dir else keys.DEFAULT_SOURCE_DIR)
        if self.project.source_dir not in self.project.source_dirs:
            self.project.source_dirs.append(self.project.source_dir)
        for key in _SHARED:
            setting = layer.settings.get(key)
            if setting is not None and key == "output_dir":
                check_output_dir(self.project.root, setting, self.sink)
            if setting is not None and key == "executor":
                check_executor(setting, self.sink)
            value = _shared(key, setting)
            place = (setting.at if setting else None) or Location(name, 1, 1)
            first = self.shared.setdefault(key, (value, place, setting is not None))
            if first[0] == value:
                setattr(self.project, key, value)
            elif key not in self.contradicted:
                self.contradicted.add(key)
                self.contradiction(key, first, (value, place, setting is not None))

    def contradiction(self, key: str, *sides: tuple[Value, Location, bool]) -> None:
        """Report that two files have different values of a setting that must be equal in all files.

        Each of the two ``sides`` is (value, location, whether the file sets it). The error is at a file that sets it.
        """
        (other, before, _), (value, at, is_given) = sides
        if not is_given:
            (value, at), (other, before) = (other, before), (value, at)
        note = self.sink.note(codes.OTHER_SETTING_NOTE, before, key=key, value=_written(other))
        hint = "put it into `defaults.yaml`, or build the files apart: by two calls of `HlslShaders`"
        self.sink.error(
            codes.OTHER_SETTING,
            at,
            notes=[note],
            hint=hint,
            key=key,
            value=_written(value),
            other=_written(other),
            file=before.file,
        )

    def shader(self, top: Layer, node: Node) -> None:
        shader = merge_layers(top, read_layer(node, "s", self.sink))
        if shader.at is None or "source" not in shader.parts:
            if not isinstance(node, (Scalar, Sequence)):
                self.sink.error(codes.MISSING_KEY, node.at, where="the shader", key="source")
            return
        linked = shader.settings.get("link")
        sources = self.selector.sources(shader.parts["source"], shader.parts.get("except"))
        layers = self.entries(shader)
        for layer in layers:
            self.overrides += [override for override in layer.overrides if override not in self.overrides]
        for source in sources:
            group = self.group(source)
            for layer in layers:
                for entry in self.selector.entries(source, layer):
                    permutations = expand(source, entry, self.project, self.sink)
                    for permutation in permutations:
                        permutation.group, permutation.linked = group, linked is None or linked.value is True
                    self.project.permutations += permutations

    def entries(self, shader: Layer) -> list[Layer]:
        """Return the settings of each item of `entries`; without that key, [the settings of the shader]."""
        entries = shader.parts.get("entries")
        if entries is None:
            shader.parts.pop("except", None)  # it is for sources
            return [shader]
        if isinstance(entries, Sequence) and entries.items:
            return [merge_layers(shader, read_layer(item, "e", self.sink)) for item in entries.items]
        expected = "a list such as [{ entry: main, profile: ps_6_0 }]"
        self.sink.error(codes.WRONG_TYPE, entries.at, key="entries", wanted=expected, got=describe(entries))
        return []

    def group(self, source: str) -> str:
        """Return a unique name for a shader of the configuration: its source without suffix.

        The second and further shaders with the same source get a number.
        """
        prefix = "" if self.project.source_dir == "." else self.project.source_dir + "/"
        stem = os.path.splitext(source.removeprefix(prefix))[0]
        count = self.groups[stem] = self.groups.get(stem, 0) + 1
        return stem if count == 1 else f"{stem}~{count}"
