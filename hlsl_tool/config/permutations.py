"""Expand an entry with its settings into permutations with their options and names."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import math
import re
from pathlib import PurePosixPath
from typing import Any

from hlsl_tool.config import keys
from hlsl_tool.config.layers import Layer, Macro
from hlsl_tool.config.model import Project, Variant
from hlsl_tool.config.values import did_you_mean
from hlsl_tool.diagnostics.catalogue import config as codes
from hlsl_tool.diagnostics.model import Location
from hlsl_tool.diagnostics.sink import Sink
from hlsl_tool.options.checks import OptionError, check_profile, split_profile
from hlsl_tool.options.model import CompileOptions
from hlsl_tool.system import dataclass as dataclasses

NAME_LIMIT = 180
"""The longest file name that is not shortened: file systems allow 255, and temporary names add to it."""


def expand(source: str, layer: Layer, project: Project, sink: Sink) -> list[Variant]:
    """Return the permutations of an entry without the excluded ones, in the order of the configuration."""
    at = layer.at or Location(source)
    options = _options(layer, project, at, sink)
    if options is None:
        return []
    stem = _stem(source, options, layer, project)
    axes = [macro for macro in layer.macros.values() if macro.axis]
    limit = int(str(_value(layer, "max_permutations", keys.PERMUTATION_LIMIT)))
    count = math.prod(len(axis.values) for axis in axes)
    if count > limit:
        sink.error(codes.TOO_MANY, at, name=stem, count=count, limit=limit)
        return []
    if not _check_exclusions(layer, axes, sink):
        return []
    variants = []
    for choice in itertools.product(*(axis.values for axis in axes)):
        chosen = {axis.name: value for axis, value in zip(axes, choice, strict=True)}
        if _excluded(layer, chosen):
            continue
        variants.append(_variant(source, stem, layer, options, chosen, at))
    if not variants:
        sink.error(codes.ALL_EXCLUDED, at, name=stem)
    return variants


def _value(layer: Layer, key: str, default: object) -> object:
    setting = layer.settings.get(key)
    return default if setting is None else setting.value


def _options(layer: Layer, project: Project, at: Location, sink: Sink) -> CompileOptions | None:
    """Return the options without macros; ``None`` after an error."""
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
        sink.error(codes.BAD_PROFILE, place, profile=profile.value)
        return None
    flags = {flag for key in layer.settings if key in keys.OPTION_ROWS for flag in _flags(key, fields)}
    try:
        check_profile(str(profile.value), fields, flags, False)
    except OptionError as error:
        sink.error(codes.BAD_OPTION, place, message=str(error))
        return None
    if version[0] == "lib":
        fields["entry"] = ""
    fields["include_dirs"] = tuple(_folder(name, project) for name in fields.get("include_dirs", ()))
    fields["warnings"] = (*_BUILD_WARNINGS, *fields.get("warnings", ()))
    return CompileOptions(**fields)


_BUILD_WARNINGS = ("binding-collision", "lint")
"""Warnings that DXC lacks: off on the command line, on in a configuration."""


def _flags(key: str, fields: dict[str, Any]) -> list[str]:
    row = keys.OPTION_ROWS[key]
    default = getattr(CompileOptions(), row.field)
    return [flag.name for flag in row.flags] if fields[row.field] != default else []


def _folder(name: str, project: Project) -> str:
    """Return an include folder, which is given relative to the source folder, relative to the root."""
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
                    hint = f"its values are {', '.join(allowed)}"
                    sink.error(codes.UNKNOWN_VALUE, place, hint=hint, macro=name, value=value)
    return sink.error_count == before


def _excluded(layer: Layer, chosen: dict[str, str | None]) -> bool:
    return any(
        all((chosen.get(name) or "") in [value for value, _ in values] for name, _, values in exclusion.macros)
        for exclusion in layer.exclusions
    )


# ---------------------------------------------------------------- names


def _stem(source: str, options: CompileOptions, layer: Layer, project: Project) -> str:
    """Return the output without permutation, `lit/pbr.PSMain`: path below the source folder, and entry point."""
    path = PurePosixPath(source)
    with contextlib.suppress(ValueError):  # a source outside of the folder
        path = path.relative_to(project.source_dir)
    path = PurePosixPath(*(part for part in path.parts if part not in ("..", "/")))
    folder = "" if str(path.parent) == "." else f"{path.parent.as_posix()}/"
    own = _value(layer, "name", None)
    if own is not None:
        return f"{folder}{own}"
    return f"{folder}{path.stem}.{options.entry or 'lib'}"


def _variant(
    source: str, stem: str, layer: Layer, options: CompileOptions, chosen: dict[str, str | None], at: Location
) -> Variant:
    defines = tuple(
        (macro.name, chosen[macro.name] if macro.axis else macro.values[0]) for macro in layer.macros.values()
    )
    permutation = tuple((name, value or "") for name, value in chosen.items())
    name = stem + "".join("." + _part(macro, value) for macro, value in chosen.items())
    outputs = tuple(dict.fromkeys(_value(layer, "outputs", keys.DEFAULT_OUTPUTS)))  # type: ignore[call-overload]
    return Variant(
        name=_shorten(name),
        source=source,
        options=dataclasses.replace(options, defines=defines),
        outputs=outputs,
        permutation=permutation,
        layer=layer,
        at=at,
        stem=stem,
    )


def _part(name: str, value: str | None) -> str:
    """Return the part of the name for a macro, `SHADOWS=1`; a hash replaces characters that file names cannot have."""
    if value is None:
        return name
    clean = re.sub(r"[^A-Za-z0-9_+-]+", "_", value)
    if clean == value:
        return f"{name}={value}"
    return f"{name}={clean[:40]}~{hashlib.blake2b(value.encode(), digest_size=4).hexdigest()}"


def _shorten(name: str) -> str:
    folder, slash, base = name.rpartition("/")
    if len(base) <= NAME_LIMIT:
        return name
    digest = hashlib.blake2b(base.encode(), digest_size=8).hexdigest()
    return f"{folder}{slash}{base[: NAME_LIMIT - 17]}~{digest}"
