"""The options of the conversions by SPIRV-Cross, for configurations, the library and `hlsl_tool cross`."""

from __future__ import annotations

from hlsl_tool.base.options.conversion import ConversionOption
from hlsl_tool.base.options.kinds import Bool, Choice

_FLIP_Y = ConversionOption(Bool(), "negate the y coordinate of the position that a vertex shader writes", "--flip-y")
_DEPTH = ConversionOption(
    Choice(("vulkan", "opengl")),
    "opengl converts the depth that a vertex shader writes from 0 to w to OpenGL's range, -w to w",
    "--opengl-depth",
)
_PLAIN_UNIFORMS = ConversionOption(
    Bool(), "constant buffers are uniforms of a struct type, not uniform blocks", "--plain-uniforms"
)
_PUSH_CONSTANTS = ConversionOption(
    Choice(("uniforms", "block")),
    "push constants are a uniform of a struct type (uniforms) or a uniform block",
    "--push-constant-blocks",
)
_SAMPLER_BINDINGS = ConversionOption(
    Choice(("none", "textures")),
    "textures gives a combined sampler the binding of its texture",
    "--sampler-bindings",
)

CROSS: dict[str, dict[str, ConversionOption]] = {
    "msl": {
        "version": ConversionOption(
            Choice(("2.4", "1.0", "1.1", "1.2", "2.0", "2.1", "2.2", "2.3", "3.0", "3.1", "3.2")),
            "the version of the Metal Shading Language",
            "--version",
            "VERSION",
        ),
        "platform": ConversionOption(Choice(("macos", "ios")), "the system to write for", "--ios"),
        "bindings": ConversionOption(
            Choice(("automatic", "spirv")),
            "spirv takes the bindings of SPIR-V as Metal's indices; automatic counts buffers, textures and samplers",
            "--spirv-bindings",
        ),
        "argument_buffers": ConversionOption(
            Bool(), "each descriptor set is an argument buffer (needs version 2.0)", "--argument-buffers"
        ),
        "texel_buffers": ConversionOption(
            Choice(("textures", "native")),
            "native has `texture_buffer` for texel buffers, not textures of two dimensions (needs version 2.1)",
            "--native-texel-buffers",
        ),
        "pad_targets": ConversionOption(Bool(), "colours have four components", "--pad-targets"),
        "framebuffer_fetch": ConversionOption(
            Bool(), "subpass inputs are read from the targets, on Apple's GPUs", "--framebuffer-fetch"
        ),
        "native_arrays": ConversionOption(Bool(), "arrays are those of C, not a template", "--native-arrays"),
        "invariant_math": ConversionOption(
            Bool(), "forbid the compiler to contract and to reorder floating-point operations", "--invariant-math"
        ),
        "flip_y": _FLIP_Y,
    },
    "glsl": {
        "version": ConversionOption(
            Choice(("450", "140", "150", "330", "400", "410", "420", "430", "440", "460")),
            "the version of GLSL",
            "--version",
            "VERSION",
        ),
        "vulkan": ConversionOption(
            Bool(), "GLSL for Vulkan, with descriptor sets and separate samplers, not for OpenGL", "--vulkan"
        ),
        "separate_shader_objects": ConversionOption(
            Bool(), "declare gl_PerVertex, as OpenGL's separate shader objects need it", "--separate-shader-objects"
        ),
        "depth": _DEPTH,
        "flip_y": _FLIP_Y,
        "plain_uniforms": _PLAIN_UNIFORMS,
        "push_constants": _PUSH_CONSTANTS,
        "sampler_bindings": _SAMPLER_BINDINGS,
    },
    "essl": {
        "version": ConversionOption(
            Choice(("310", "100", "300", "320")), "the version of ESSL, for OpenGL ES and WebGL", "--version", "VERSION"
        ),
        "float_precision": ConversionOption(
            Choice(("mediump", "highp")), "the default precision of fragment shaders for floats", "--highp-floats"
        ),
        "int_precision": ConversionOption(
            Choice(("highp", "mediump")), "the default precision of fragment shaders for integers", "--mediump-ints"
        ),
        "depth": _DEPTH,
        "flip_y": _FLIP_Y,
        "plain_uniforms": _PLAIN_UNIFORMS,
        "push_constants": _PUSH_CONSTANTS,
        "sampler_bindings": _SAMPLER_BINDINGS,
    },
    "hlsl": {
        "shader_model": ConversionOption(
            Choice(("6.0", "3.0", "4.0", "4.1", "5.0", "5.1", "6.1", "6.2", "6.3", "6.4", "6.5", "6.6")),
            "the shader model to write for",
            "--shader-model",
            "MODEL",
        ),
        "storage_buffers": ConversionOption(
            Choice(("by_access", "uav")),
            "uav makes storage buffers that are only read read-write buffers, too",
            "--storage-buffers-as-uavs",
        ),
        "enable_16bit_types": ConversionOption(
            Bool(), "types of 16 bits are `half` and its like (needs shader model 6.2)", "--enable-16bit-types"
        ),
        "nonzero_base": ConversionOption(
            Bool(), "a constant buffer has the first vertex and the first instance of a draw", "--nonzero-base"
        ),
        "flip_y": _FLIP_Y,
    },
}
"""Language → name of an option → option, in the order of the documentation.  Each language is a kind of output."""

CROSS_FIELDS = {f"{language}_{name}": option for language, options in CROSS.items() for name, option in options.items()}
"""Field of `CompileOptions` → option."""
