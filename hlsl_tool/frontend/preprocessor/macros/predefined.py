"""Predefined macros of HLSL, as in DXC.

Shaders test them to distinguish compilers, languages and targets, so their values equal DXC's; the version is that of
the DXC release whose behaviour this compiler follows.
"""

from __future__ import annotations

from typing import Final

DXC_VERSION: Final = (1, 9, 2607, 0)
"""Major, minor, release, commits: the values of ``__DXC_VERSION_*``."""

STAGES: Final = {
    "ps": 0,
    "vs": 1,
    "gs": 2,
    "hs": 3,
    "ds": 4,
    "cs": 5,
    "lib": 6,
    "ms": 13,
    "as": 14,
}
"""The shader kinds by the prefix of their profiles; the numbers are those of ``__SHADER_TARGET_STAGE``."""

_STAGE_NAMES: Final = (
    ("VERTEX", "vs"),
    ("PIXEL", "ps"),
    ("GEOMETRY", "gs"),
    ("HULL", "hs"),
    ("DOMAIN", "ds"),
    ("COMPUTE", "cs"),
    ("AMPLIFICATION", "as"),
    ("MESH", "ms"),
    ("LIBRARY", "lib"),
)

# Macros inherited from Clang: its name and parameters of floating-point formats.
_HOST: Final = (
    ("__llvm__", "1"),
    ("__clang__", "1"),
    ("__clang_major__", "3"),
    ("__clang_minor__", "7"),
    ("__clang_patchlevel__", "0"),
    ("__clang_version__", '"3.7"'),
    ("__GNUC_MINOR__", "2"),
    ("__GNUC_PATCHLEVEL__", "1"),
    ("__GNUC__", "4"),
    ("__GXX_ABI_VERSION", "1002"),
    ("__VERSION__", '"4.2.1 Compatible"'),
    ("__ORDER_LITTLE_ENDIAN__", "1234"),
    ("__ORDER_BIG_ENDIAN__", "4321"),
    ("__ORDER_PDP_ENDIAN__", "3412"),
    ("__BYTE_ORDER__", "__ORDER_LITTLE_ENDIAN__"),
    ("__LITTLE_ENDIAN__", "1"),
    ("__FLT_RADIX__", "2"),
    ("__DECIMAL_DIG__", "__LDBL_DECIMAL_DIG__"),
)
_FLOAT_FORMATS: Final = (
    ("DENORM_MIN__", "1.40129846e-45F", "4.9406564584124654e-324"),
    ("HAS_DENORM__", "1", "1"),
    ("DIG__", "6", "15"),
    ("DECIMAL_DIG__", "9", "17"),
    ("EPSILON__", "1.19209290e-7F", "2.2204460492503131e-16"),
    ("HAS_INFINITY__", "1", "1"),
    ("HAS_QUIET_NAN__", "1", "1"),
    ("MANT_DIG__", "24", "53"),
    ("MAX_10_EXP__", "38", "308"),
    ("MAX_EXP__", "128", "1024"),
    ("MAX__", "3.40282347e+38F", "1.7976931348623157e+308"),
    ("MIN_10_EXP__", "(-37)", "(-307)"),
    ("MIN_EXP__", "(-125)", "(-1021)"),
    ("MIN__", "1.17549435e-38F", "2.2250738585072014e-308"),
)
# Feature tests, with DXC's values.
_CHECKS: Final = (
    ("__has_feature(x)", "__hlsl_answer(__hlsl_feature_##x, 0)"),
    ("__hlsl_answer(...)", "__hlsl_second(__VA_ARGS__, 0)"),
    ("__hlsl_second(a, b, ...)", "b"),
    ("__hlsl_feature_hlsl_vk_buffer_pointer", "yes, 1"),  # the extra argument moves the 1 to the second place
    ("__has_extension(x)", "0"),
    ("__has_attribute(x)", "0"),
    ("__has_cpp_attribute(x)", "0"),
    ("__has_builtin(x)", "0"),
    ("__has_warning(x)", "1"),
    ("__is_identifier(x)", "1"),
)


def predefined_macros(
    *,
    stage: str,
    major: int,
    minor: int,
    hlsl_version: int = 2021,
    enable_16bit_types: bool = False,
    enable_8bit_types: bool = False,
    spirv_version: tuple[int, int] | None = (1, 0),
) -> tuple[tuple[str, str], ...]:
    """Return the predefined macros of a compilation, in DXC's order.

    ``stage`` is the profile's prefix (``ps``, ``lib``, …); ``spirv_version`` is the SPIR-V version of the target
    environment, or ``None`` to omit the macros that only exist for SPIR-V.
    """
    own = [
        ("__hlsl_dx_compiler", "1"),
        *zip(
            ("__DXC_VERSION_MAJOR", "__DXC_VERSION_MINOR", "__DXC_VERSION_RELEASE", "__DXC_VERSION_COMMITS"),
            map(str, DXC_VERSION),
            strict=True,
        ),
        ("__HLSL_VERSION", str(hlsl_version)),
    ]
    if enable_16bit_types:
        own.append(("__HLSL_ENABLE_16_BIT", "1"))
    if enable_8bit_types:
        own.append(("__HLSL_ENABLE_8_BIT", "1"))
    own += [(f"__SHADER_STAGE_{name}", str(STAGES[prefix])) for name, prefix in _STAGE_NAMES]
    own += [
        ("__SHADER_TARGET_STAGE", str(STAGES[stage])),
        ("__SHADER_TARGET_MAJOR", str(major)),
        ("__SHADER_TARGET_MINOR", str(minor)),
    ]
    if spirv_version is not None:
        own += [
            ("__spirv__", "1"),
            ("__SPIRV_MAJOR_VERSION__", str(spirv_version[0])),
            ("__SPIRV_MINOR_VERSION__", str(spirv_version[1])),
        ]
    floats = [(f"__FLT_{name}", value) for name, value, _ in _FLOAT_FORMATS]
    doubles = [(f"__DBL_{name}", value) for name, _, value in _FLOAT_FORMATS]
    return (*own, *_HOST, *floats, *doubles, *_CHECKS)
