"""Convert a module to other languages, with options of the table `CROSS`."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from typing import Any

from hlsl_tool.base.options.cross import CROSS
from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.cross.library import advice, locate
from hlsl_tool.spirv.decode import DecodeError, decode, module_bytes
from hlsl_tool.spirv.enums import Capability
from hlsl_tool.spirv.tools.bound import run_bound

TIMEOUT = 120.0
"""Limit in seconds for all conversions of a module."""

FORMAT = 1
"""Version of the JSON of `slots_json`."""

_GLSL, _HLSL, _MSL = 1, 2, 3
_BACKENDS = {"msl": _MSL, "glsl": _GLSL, "essl": _GLSL, "hlsl": _HLSL}

_WITH_LOCATIONS = {"glsl": 410, "essl": 310}
"""The first versions in which varyings have locations; in earlier ones they are linked by name."""

_OFTEN_UNKNOWN = {
    Capability.DescriptorHeapEXT: "-fspv-use-descriptor-heap",
    Capability.UntypedPointersKHR: "-fspv-extension=SPV_KHR_untyped_pointers",
}
"""Capability that versions of SPIRV-Cross do not know → the option that introduces it."""

_COMMON_BIT, _GLSL_BIT, _HLSL_BIT, _MSL_BIT = 0x1000000, 0x2000000, 0x4000000, 0x8000000
_ES = 9 | _GLSL_BIT


def _metal_version(text: str) -> int:
    major, minor = text.split(".")
    return int(major) * 10000 + int(minor) * 100


def _is(value: str) -> Any:
    """Return a function that returns whether a choice has this value."""
    return lambda text: text == value


_SETTINGS: dict[str, tuple[int, Any]] = {
    "msl_version": (17 | _MSL_BIT, _metal_version),
    "msl_platform": (31 | _MSL_BIT, ("ios", "macos").index),
    "msl_bindings": (49 | _MSL_BIT, _is("spirv")),
    "msl_argument_buffers": (32 | _MSL_BIT, bool),
    "msl_texel_buffers": (34 | _MSL_BIT, _is("native")),
    "msl_pad_targets": (29 | _MSL_BIT, bool),
    "msl_framebuffer_fetch": (46 | _MSL_BIT, bool),
    "msl_native_arrays": (51 | _MSL_BIT, bool),
    "msl_invariant_math": (47 | _MSL_BIT, bool),
    "msl_flip_y": (4 | _COMMON_BIT, bool),
    "glsl_version": (8 | _GLSL_BIT, int),
    "glsl_vulkan": (10 | _GLSL_BIT, bool),
    "glsl_separate_shader_objects": (6 | _GLSL_BIT, bool),
    "glsl_depth": (3 | _COMMON_BIT, _is("opengl")),
    "glsl_flip_y": (4 | _COMMON_BIT, bool),
    "glsl_plain_uniforms": (35 | _GLSL_BIT, bool),
    "glsl_push_constants": (33 | _GLSL_BIT, _is("block")),
    "essl_version": (8 | _GLSL_BIT, int),
    "essl_float_precision": (11 | _GLSL_BIT, _is("highp")),
    "essl_int_precision": (12 | _GLSL_BIT, _is("highp")),
    "essl_depth": (3 | _COMMON_BIT, _is("opengl")),
    "essl_flip_y": (4 | _COMMON_BIT, bool),
    "essl_plain_uniforms": (35 | _GLSL_BIT, bool),
    "essl_push_constants": (33 | _GLSL_BIT, _is("block")),
    "hlsl_shader_model": (13 | _HLSL_BIT, lambda text: int(text.replace(".", ""))),
    "hlsl_storage_buffers": (53 | _HLSL_BIT, _is("uav")),
    "hlsl_enable_16bit_types": (60 | _HLSL_BIT, bool),
    "hlsl_nonzero_base": (16 | _HLSL_BIT, bool),
    "hlsl_flip_y": (4 | _COMMON_BIT, bool),
}
"""Field of `CompileOptions` → number of SPIRV-Cross's option, and the conversion of the value to an integer or bool.

`glsl.sampler_bindings` and `essl.sampler_bindings` have none: bindings of combined samplers are set one by one.
"""


class CrossError(Exception):
    """Raised for a module that SPIRV-Cross cannot convert to a language."""

    def __init__(self, reason: str, language: str = "") -> None:
        super().__init__(f"{language}: {reason}" if language else reason)
        self.reason = reason
        self.language = language


class CrossMissing(CrossError):
    """Raised if the library of SPIRV-Cross is not installed."""

    def __init__(self) -> None:
        super().__init__(f"SPIRV-Cross was not found; {advice()}")


@dataclass(slots=True)
class Converted:
    """A module in another language."""

    language: str
    text: str
    entry_point: str
    """The name of the entry point in the text, such as `main0` in MSL."""
    resources: list[dict[str, Any]] = field(default_factory=list)
    """Resources: `id` and `name` of the variable, `set`, `binding`, and in MSL the indices `buffer`, `texture` and
    `sampler`."""
    samplers: list[dict[str, Any]] = field(default_factory=list)
    """Combined samplers in GLSL: `name`, and the names of the `texture` and the `sampler` that they combine."""

    def slots(self) -> dict[int, dict[str, int]]:
        """Return id of a variable → its indices in MSL."""
        names = ("buffer", "texture", "sampler")
        return {row["id"]: slots for row in self.resources if (slots := {n: row[n] for n in names if n in row})}


def convert(spirv: bytes, language: str, options: Mapping[str, Any] | None = None) -> str:
    """Return a module as text in ``language`` (`msl`, `glsl`, `essl` or `hlsl`), with options of the table `CROSS`.

    Raises ``CrossError`` if SPIRV-Cross cannot convert the module, ``CrossMissing`` if it is not installed, and
    ``ValueError`` for unknown options.
    """
    return convert_all(spirv, {language: options or {}})[language].text


def convert_all(spirv: bytes, wanted: Mapping[str, Mapping[str, Any]]) -> dict[str, Converted]:
    """Convert a module to several languages (language → options), in one run of SPIRV-Cross.

    Raises as ``convert`` does.
    """
    spirv = module_bytes(spirv)
    requests = [_request(language, options) for language, options in wanted.items()]
    library = locate()
    if library is None:
        raise CrossMissing
    converted = {}
    answers = _run(library, requests, spirv, ", ".join(wanted))
    for language, answer in zip(wanted, answers, strict=True):
        if "error" in answer:
            raise CrossError(_reason(answer["error"], spirv), language)
        entry, resources, samplers = answer["entry"], answer["resources"], answer["samplers"]
        converted[language] = Converted(language, answer["text"], entry, resources, samplers)
    return converted


def _reason(error: str, spirv: bytes) -> str:
    """Return an error of SPIRV-Cross, with the option to leave out if the module has a feature of newer versions."""
    try:
        declared = {inst.id(0) for inst in decode(spirv).capabilities}
    except DecodeError:
        return error
    for capability, option in _OFTEN_UNKNOWN.items():
        if capability in declared:
            return f"{error.rstrip('.')}: the installed SPIRV-Cross may be too old for {option}: leave it out"
    return error


def _request(language: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the request for one language; raise `ValueError` for unknown languages, options and values."""
    table = CROSS.get(language)
    if table is None:
        raise ValueError(f"`{language}` is none of {', '.join(CROSS)}")
    for name, value in options.items():
        if name not in table:
            raise ValueError(f"there is no option `{name}` for {language}")
        if not table[name].is_value(value):
            raise ValueError(f"the option `{name}` is {table[name].describe_values()}")
    values = {name: options.get(name, option.default) for name, option in table.items()}
    settings: list[tuple[int, int | bool]] = [(_ES, language == "essl")] if _BACKENDS[language] == _GLSL else []
    for name, value in values.items():
        if f"{language}_{name}" in _SETTINGS:
            number, convert_value = _SETTINGS[f"{language}_{name}"]
            settings.append((number, convert_value(value)))
    combines = _BACKENDS[language] == _GLSL and not values.get("vulkan", False)
    return {
        "backend": _BACKENDS[language],
        "options": settings,
        "combines": combines or values.get("shader_model") == "3.0",
        "inherits": values.get("sampler_bindings") == "textures",
        "renames": _BACKENDS[language] == _GLSL and int(values["version"]) < _WITH_LOCATIONS[language],
    }


def _run(library: str, requests: list[dict[str, Any]], spirv: bytes, languages: str) -> list[dict[str, Any]]:
    """Return the answers of a process that runs the library; ``languages`` are those of errors."""
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "child.py")
    command = [sys.executable, "-I", "-S", program, library]
    data = json.dumps(requests).encode() + b"\n" + spirv
    try:
        done = run_bound(command, data, TIMEOUT)
    except TimeoutError:
        raise CrossError(f"SPIRV-Cross did not finish in {TIMEOUT:g} seconds", languages) from None
    except OSError as error:
        raise CrossError(f"cannot run SPIRV-Cross: {error.strerror or error}", languages) from None
    if done.returncode:
        lines = ["", *done.stderr.decode("utf-8", "replace").strip().splitlines()]
        reason = f"SPIRV-Cross ended with status {done.returncode}" + (f": {lines[-1]}" if lines[-1] else "")
        raise CrossError(reason, languages)
    answers: list[dict[str, Any]] = json.loads(done.stdout)
    return answers


def slots_json(converted: Converted) -> str:
    """Return the entry point and the places of all resources as JSON."""
    rows = [{name: value for name, value in row.items() if name != "id"} for row in converted.resources]
    content: dict[str, Any] = {"format": FORMAT, "language": converted.language, "entry_point": converted.entry_point}
    content["resources"] = rows
    if converted.samplers:
        content["combined_samplers"] = converted.samplers
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"
