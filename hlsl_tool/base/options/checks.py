"""DXC's checks of option values, with DXC's messages; the command line and YAML use them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from hlsl_tool.base.digits import number_of
from hlsl_tool.base.options.compile_options import ALL_SPACES

STAGES = ("vs", "hs", "ds", "gs", "ps", "cs", "lib", "ms", "as")
GRAPHICS = {
    "vs": "vertex",
    "hs": "hull",
    "ds": "domain",
    "gs": "geometry",
    "as": "amplification",
    "ms": "mesh",
    "ps": "pixel",
}
"""Profile prefix → name, for the stages that pass values to each other."""
FIRST_MINOR = {"lib": 1, "ms": 5, "as": 5}
LAST_MINOR = 10


class OptionError(Exception):
    """Raised for an invalid command line; the message is for the user.

    DXC reports some of these errors only while compiling, with `error:` instead of `dxc failed :`; those are ``plain``.
    """

    def __init__(self, message: str, *, plain: bool = False, hint: str | None = None) -> None:
        super().__init__(message)
        self.plain = plain
        self.hint = hint

    @property
    def text(self) -> str:
        """The message, with the hint in parentheses."""
        return f"{self}" if self.hint is None else f"{self} ({self.hint})"


class NotForSpirv(OptionError):
    """Raised for an option of DXC that has no counterpart in SPIR-V."""

    def __init__(self, flag: str) -> None:
        super().__init__(f"{flag} is not supported with -spirv")
        self.flag = flag


def check_debug(value: str) -> str:
    """Return a category of debug information unchanged; raise ``OptionError`` if it is unknown."""
    from hlsl_tool.base.options.table import DEBUG_CATEGORIES  # start-up time

    if value not in DEBUG_CATEGORIES:
        raise OptionError(f"unknown SPIR-V debug info control parameter: {value}")
    return value


def check_shifts(letter: str, values: Sequence[str], with_registers: bool) -> tuple[tuple[int, int], ...]:
    """Return (shift, space) pairs from the values of all -fvk-X-shift options; raise ``OptionError``.

    ``with_registers``: -fvk-bind-register is given, too, which excludes shifts.
    """
    if with_registers:
        raise OptionError(f"-fvk-{letter}-shift cannot be used together with -fvk-bind-register")
    numbers = []
    for at, value in enumerate(values):
        if value == "all" and at % 2:
            numbers.append(ALL_SPACES)
        elif re.fullmatch(r"-[0-9]+", value):
            raise OptionError(f"negative -fvk-{letter}-shift argument: {value}")
        elif not re.fullmatch(r"[0-9]+", value) or number_of(value) > 0x7FFFFFFF:
            raise OptionError(f"invalid -fvk-{letter}-shift argument: {value}")
        else:
            numbers.append(number_of(value))
    if ALL_SPACES in numbers and len(numbers) > 2:
        raise OptionError(f"setting all sets via -fvk-{letter}-shift argument should be used alone")
    return tuple(zip(numbers[::2], numbers[1::2], strict=True))


def check_place(name: str, values: Sequence[str]) -> tuple[int, int]:
    """Return (binding, set) from the two values of an option; raise ``OptionError`` if they are no numbers."""
    for value in values:
        if re.fullmatch(r"-[0-9]+", value):
            raise OptionError(f"expected positive integer for {name}, got: {value}")
        if not re.fullmatch(r"[0-9]+", value) or number_of(value) > 0x7FFFFFFF:
            raise OptionError(f"invalid {name} argument: '{value}'")
    return number_of(values[0]), number_of(values[1])


def check_globals(values: Sequence[str]) -> tuple[int, int]:
    """Return (binding, set) from the values of -fvk-bind-globals; raise ``OptionError`` if they are no numbers."""
    for part, value in zip(("binding", "set"), values, strict=True):
        if not re.fullmatch(r"[0-9]+", value):
            raise OptionError(f"invalid -fvk-bind-globals {part} number: {value}", plain=True)
    return number_of(values[0]), number_of(values[1])


def split_profile(profile: str) -> tuple[str, int, int] | None:
    """Return (stage, major, minor) of a profile; ``None`` for other text.

    As in DXC, `lib_6_x` has the minor version 15.
    """
    match = re.fullmatch(r"([a-z]+)_([0-9]+)_([0-9]+|x)", profile)
    if not match or match[1] not in STAGES:
        return None
    return match[1], number_of(match[2]), 15 if match[3] == "x" else number_of(match[3])


def check_profile(profile: str, fields: Mapping[str, object], names: set[str], preprocess: bool) -> None:
    """Raise ``OptionError`` for an invalid profile, or for options that cannot be combined with it.

    ``names`` are the flags on the command line, ``fields`` the values of options.
    """
    version = split_profile(profile)
    stage, major, minor = version or ("", 0, 0)
    if stage != "lib":
        for flag in ("-exports", "-export-shaders-only", "-default-linkage"):
            if flag in names:
                raise OptionError(f"library profile required when using {flag} option")
    if profile and version is None:
        raise OptionError("unable to parse shader model.", hint=profile_hint(profile))
    at_least = (major, minor)
    if fields.get("denorm") is not None and "-denorm" in names and at_least < (6, 2):
        raise OptionError("denorm option is only allowed for shader model 6.2 and above.")
    language = fields.get("hlsl_version", 2021)
    for field, flag in (("enable_16bit_types", "enable-16bit-types"), ("enable_8bit_types", "enable-8bit-types")):
        if fields.get(field) and (at_least < (6, 2) or int(str(language)) < 2018):
            raise OptionError(f"{flag} is only allowed for shader model >= 6.2 and HLSL Language >= 2018.")
    if fields.get("payload_qualifiers") and at_least < (6, 6):
        raise OptionError("Invalid target for payload access qualifiers. Only lib_6_6 and beyond are supported.")
    if profile and not preprocess and not valid_profile(profile):
        raise OptionError(f"invalid profile {profile}", hint=profile_hint(profile))
    if stage == "lib" and at_least < (6, 3) and fields.get("validate", "yes") != "no":
        raise OptionError("Must disable validation for unsupported lib_6_1 or lib_6_2 targets.")


def check_inverted(profile: str, names: set[str]) -> None:
    """Raise ``OptionError`` if ``-fvk-invert-y`` is given for a stage that does not write a position.

    In YAML the option may be a default for many shaders, so it is ignored for such stages there.
    """
    if "-fvk-invert-y" in names and not may_write_position(profile):
        raise OptionError("-fvk-invert-y can only be used in VS/DS/GS/MS/Lib", plain=True)


def may_write_position(profile: str) -> bool:
    """Return whether shaders of a profile may write ``SV_Position``."""
    return profile[:2] not in ("ps", "hs", "cs", "as")


def profile_hint(profile: str) -> str:
    """Return the hint for text that is no valid profile: the shader models of its stage, else all stages."""
    meant = profile.lower().replace(".", "_")
    if valid_profile(meant):
        return f"did you mean `{meant}`?"
    stage = meant.partition("_")[0]
    if stage in STAGES:
        return f"`{stage}_6_{FIRST_MINOR.get(stage, 0)}` to `{stage}_6_{LAST_MINOR}` are valid"
    stages = ", ".join(f"`{stage}`" for stage in STAGES)
    return f"a profile is a stage and a shader model, such as `ps_6_0`; the stages are {stages}"


def valid_profile(profile: str) -> bool:
    """Return whether a profile exists; 4.x and 5.x count as 6.0, as in DXC."""
    version = split_profile(profile)
    if version is None:
        return False
    stage, major, minor = version
    if major in (4, 5):
        return stage in ("vs", "ps", "gs", "hs", "ds", "cs") and minor in (0, 1)
    if stage == "lib" and minor == 15:
        return major == 6
    return major == 6 and FIRST_MINOR.get(stage, 0) <= minor <= LAST_MINOR


def modern_profile(profile: str) -> str:
    """Return the profile that is compiled: `ps_6_0` for `ps_5_1`."""
    version = split_profile(profile)
    return f"{version[0]}_6_0" if version and version[1] in (4, 5) else profile


def shader_model(profile: str) -> int:
    """Return the shader model of a profile as a number: 610 for ``ps_6_1``."""
    parts = profile.split("_")
    minor = parts[2] if len(parts) > 2 else "0"
    return int(parts[1]) * 100 + (int(minor) * 10 if minor.isdigit() else 0)
