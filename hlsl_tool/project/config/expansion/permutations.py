"""Expand an entry point and its settings into permutations, with their options and names."""

from __future__ import annotations

import contextlib
import itertools
import math
import posixpath
import re
from collections.abc import Collection
from pathlib import PurePosixPath
from typing import Any

from hlsl_tool.base.diagnostics.catalogue import config as codes
from hlsl_tool.base.diagnostics.diagnostic import Location
from hlsl_tool.base.diagnostics.sink import Sink
from hlsl_tool.base.options.checks import OptionError, check_profile, profile_hint, split_profile
from hlsl_tool.base.options.compile_options import DEFAULTS, CompileOptions
from hlsl_tool.base.similar import did_you_mean
from hlsl_tool.base.system import dataclass as dataclasses
from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.project.config import keys
from hlsl_tool.project.config.expansion import name_templates as names
from hlsl_tool.project.config.expansion.naming import BadTemplate, Naming
from hlsl_tool.project.config.expansion.overrides import apply, for_entry, for_permutation
from hlsl_tool.project.config.layers import UNDEFINED, Layer, Macro, Override, shown
from hlsl_tool.project.config.output_kinds import JOINED
from hlsl_tool.project.config.permutation import Permutation, Project


def expand(source: str, layer: Layer, project: Project, sink: Sink) -> list[Permutation]:
    """Return the permutations of an entry point in the order of the configuration, without the excluded ones."""
    path = below(source, project)
    layer, conditional = for_entry(layer, path, str(_value(layer, "entry", DEFAULTS.entry)))
    at = layer.at or Location(source)
    options = _options(layer, project, at, sink)
    if options is None:
        return []
    entry = _Entry(source, path, layer, at, options)
    axes = [macro for macro in layer.macros.values() if macro.axis]
    before = sink.error_count
    try:
        if not (_check_count(entry, axes, sink) and _check_exclusions(layer, axes, sink)):
            return []
        permutations = _permutations(entry, axes, conditional, project, sink)
    except BadTemplate as problem:
        hint = did_you_mean(problem.name, {*layer.macros, *names.WORDS})
        sink.error(codes.UNKNOWN_PLACEHOLDER, problem.at or at, hint=hint, name=problem.name, key=problem.key)
        return []
    if not permutations and sink.error_count == before:
        sink.error(codes.ALL_EXCLUDED, at, name=entry.stem())
    return permutations


@dataclass(slots=True)
class _Entry:
    """An entry point of a source, before it is expanded into permutations."""

    source: str
    path: str
    """The source, from the source folder."""
    layer: Layer
    at: Location
    options: CompileOptions
    """Without macros."""

    def stem(self) -> str:
        """Return the name of the output without macros."""
        return Naming(self.path, self.layer, self.options, {}).stem()


def _permutations(
    entry: _Entry, axes: list[Macro], conditional: list[Override], project: Project, sink: Sink
) -> list[Permutation]:
    stem = entry.stem()
    by_overrides: dict[tuple[int, ...], tuple[Layer, CompileOptions | None]] = {(): (entry.layer, entry.options)}
    fixed = {macro.name: macro.values[0] for macro in entry.layer.macros.values() if not macro.axis}
    permutations = []
    for choice in itertools.product(*(axis.values for axis in axes)):
        chosen = {axis.name: value for axis, value in zip(axes, choice, strict=True)}
        if _excluded(entry.layer, chosen):
            continue
        values = {name: value or "" for name, value in (fixed | chosen).items()} if conditional else {}
        selected = for_permutation(conditional, values)
        key = tuple(map(id, selected))
        if key not in by_overrides:
            changed = apply(entry.layer, selected)
            by_overrides[key] = changed, _changed_options(changed, chosen, project, entry.at, sink)
        layer, options = by_overrides[key]
        if options is not None:
            permutations.append(_permutation(entry, stem, layer, options, chosen))
    return permutations


def _changed_options(
    layer: Layer, chosen: Collection[str], project: Project, at: Location, sink: Sink
) -> CompileOptions | None:
    """Return the compile options of permutations after overrides with `if`; ``None`` after an error.

    ``layer`` has the merged settings, and ``chosen`` the names of the macros that vary. It is an error if an override
    has given one of these macros a single value.
    """
    for name in chosen:
        if not layer.macros[name].axis:
            message = f"an override with `if` cannot give the permutation macro `{name}` another value"
            sink.error(codes.BAD_OPTION, layer.macros[name].at, message=message)
            return None
    return _options(layer, project, at, sink)


def _check_count(entry: _Entry, axes: list[Macro], sink: Sink) -> bool:
    limit = int(str(_value(entry.layer, "max_permutations", keys.PERMUTATION_LIMIT)))
    count = math.prod(len(axis.values) for axis in axes)
    if count > limit:
        sink.error(codes.TOO_MANY, entry.at, name=entry.stem(), count=count, limit=limit)
    return count <= limit


def below(source: str, project: Project) -> str:
    """Return a source (from the root) relative to the source folder.

    A source outside of it keeps its path, without `..` and drive.
    """
    path = PurePosixPath(source)
    with contextlib.suppress(ValueError):
        path = path.relative_to(project.source_dir)
    parts = path.parts  # none if the source is the folder itself
    if parts and re.match(r"[A-Za-z]:$|/", parts[0]):
        parts = parts[1:]
    return PurePosixPath(*(part for part in parts if part != "..")).as_posix()


def _value(layer: Layer, key: str, default: object) -> object:
    setting = layer.settings.get(key)
    return default if setting is None else setting.value


def _options(layer: Layer, project: Project, at: Location, sink: Sink) -> CompileOptions | None:
    """Return the compile options of a layer, without macros; ``None`` after an error."""
    fields: dict[str, Any] = {
        keys.OPTION_ROWS[key].field: setting.value for key, setting in layer.settings.items() if key in keys.OPTION_ROWS
    }
    profile = layer.settings.get("profile")
    if profile is None:
        if "profile" in layer.broken:
            return None
        sink.error(codes.MISSING_KEY, at, where="the entry", key="profile", hint="such as `profile: ps_6_0`")
        return None
    place = profile.at or at
    version = split_profile(str(profile.value))
    if version is None:
        sink.error(codes.BAD_PROFILE, place, hint=profile_hint(str(profile.value)), profile=profile.value)
        return None
    flags = {flag for key in layer.settings if key in keys.OPTION_ROWS for flag in _flags(key, fields)}
    try:
        check_profile(str(profile.value), fields, flags, False)
    except OptionError as error:
        sink.error(codes.BAD_OPTION, place, hint=error.hint, message=str(error))
        return None
    if version[0] == "lib":
        fields["entry"] = ""
    for field in ("include_dirs", "libraries"):
        fields[field] = tuple(_from_root(name, project) for name in fields.get(field, ()))
    if fields["include_dirs"]:
        include_dirs = layer.settings["include_dirs"]
        project.include_dirs += [(folder, include_dirs.at or at) for folder in fields["include_dirs"]]
    outputs = f"{project.output_dir}/"
    made = next((name for name in fields["libraries"] if posixpath.normpath(name).startswith(outputs)), None)
    if made is not None:
        message = f"the library `{made}` is in the output folder: name its source, which the shader then depends on"
        sink.error(codes.BAD_OPTION, layer.settings["libraries"].at or at, message=message)
        return None
    fields["warnings"] = (*keys.BUILD_WARNINGS, *fields.get("warnings", ()))
    return CompileOptions(**fields)


def _flags(key: str, fields: dict[str, Any]) -> list[str]:
    row = keys.OPTION_ROWS[key]
    default = getattr(CompileOptions(), row.field)
    return [flag.name for flag in row.flags] if fields[row.field] != default else []


def _from_root(name: str, project: Project) -> str:
    """Return an include folder or library relative to the root; it is given relative to the source folder."""
    name = name.replace("\\", "/")
    path = PurePosixPath(name)
    if path.is_absolute() or re.match(r"[A-Za-z]:", name):
        return path.as_posix()
    return (PurePosixPath(project.source_dir) / path).as_posix()


# ---------------------------------------------------------------- exclusions


def _check_exclusions(layer: Layer, axes: list[Macro], sink: Sink) -> bool:
    by_name = {axis.name: axis for axis in axes}
    before = sink.error_count
    for exclusion in layer.exclusions:
        for name, at, values in exclusion.macros:
            axis = by_name.get(name)
            if axis is None:
                sink.error(codes.UNKNOWN_AXIS, at, hint=did_you_mean(name, by_name), macro=name)
                continue
            allowed = [value or "" for value in axis.values]
            for value, place in values:
                if value not in allowed:
                    hint = f"its values are {', '.join(map(shown, allowed))}"
                    sink.error(codes.UNKNOWN_VALUE, place, hint=hint, macro=name, value=shown(value))
    return sink.error_count == before


def _excluded(layer: Layer, chosen: dict[str, str | None]) -> bool:
    return any(
        all((chosen.get(name) or "") in [value for value, _ in values] for name, _, values in exclusion.macros)
        for exclusion in layer.exclusions
    )


def _permutation(
    entry: _Entry, stem: str, layer: Layer, options: CompileOptions, chosen: dict[str, str | None]
) -> Permutation:
    values = {macro.name: chosen[macro.name] if macro.axis else macro.values[0] for macro in layer.macros.values()}
    naming = Naming(entry.path, layer, options, chosen)
    name = naming.name()
    outputs = tuple(dict.fromkeys(_value(layer, "outputs", keys.DEFAULT_OUTPUTS)))  # type: ignore[call-overload]
    outputs = tuple(dict.fromkeys((*outputs, *(JOINED[kind] for kind in outputs if kind in JOINED))))
    return Permutation(
        name=name,
        source=entry.source,
        options=dataclasses.replace(
            options, defines=tuple((name, value) for name, value in values.items() if value != UNDEFINED)
        ),
        outputs=outputs,
        chosen=tuple((name, value or "") for name, value in chosen.items()),
        layer=layer,
        at=entry.at,
        stem=stem,
        files=naming.files(outputs, stem),
        array=naming.text("array", stem),
        array_type=str(_value(layer, "array_type", "")),
        namespace=naming.text("namespace", stem),
    )
