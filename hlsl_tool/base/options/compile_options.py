"""The options of a compilation, as plain data.

`CompileOptions` has every choice that can change the output of a compilation and nothing else: equal options and equal
sources give equal modules.  So it can be hashed, sent to another process and written into a build signature.  `table`
defines the spelling of each field on DXC's command line and in YAML.
"""

from __future__ import annotations

from typing import Any

from hlsl_tool.base.options.cross import CROSS
from hlsl_tool.base.options.wgsl import WGSL
from hlsl_tool.base.system.dataclass import dataclass, fields

ALL_SPACES = -1
"""The space of a register shift that applies to every space."""

HLSL_202X = 2029
"""The value of `__HLSL_VERSION` with `-HV 202x`."""

HLSL_202Y = 2030
"""The value of `__HLSL_VERSION` with `-HV 202y`, as in clang."""

PLACEHOLDER_VERSIONS = {HLSL_202X: "202x", HLSL_202Y: "202y"}
"""Versions that are not named after a year yet → their spelling."""

MAX_ID = 0x3FFFFF
"""The largest id bound that every Vulkan driver has to accept (SPIR-V specification, universal limits)."""

DEBUG_SOURCE_WORDS = 0xFFFD
"""The longest string that fits into one OpString, in words: 0xFFFF less the opcode word and the result id."""

DEBUG_EVERYTHING = ("file", "source", "line", "tool")
"""The categories of `-Zi` without `-fspv-debug=`."""


def space_text(space: int) -> str:
    """Return the space of a register shift in the command line's spelling: a number or ``all``."""
    return "all" if space == ALL_SPACES else str(space)


def version_text(version: int) -> str:
    """Return an HLSL version in the command line's spelling: a number, ``202x`` or ``202y``."""
    return PLACEHOLDER_VERSIONS.get(version, str(version))


def version_number(text: str) -> int:
    """Return the number of an HLSL version in the command line's spelling."""
    return next((number for number, name in PLACEHOLDER_VERSIONS.items() if name == text), 0) or int(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class CompileOptions:
    """One value for each option; the defaults are DXC's."""

    profile: str = ""
    entry: str = "main"

    # the language
    hlsl_version: int = 2021
    enable_16bit_types: bool = False
    enable_8bit_types: bool = False
    """`int8_t` and `uint8_t`, which DXC lacks."""
    matrix_layout: str = "column_major"
    strict: bool = False
    ieee_strict: bool = False
    exact_remainder: bool = False
    """Signed `%` by division, because Vulkan leaves OpSRem of negative numbers undefined."""
    payload_qualifiers: bool | None = None
    legacy_macro_expansion: bool = False
    legacy_resource_reservation: bool = False
    flow_control: str = "default"
    all_resources_bound: bool = False
    resources_may_alias: bool = False

    # the preprocessor
    include_dirs: tuple[str, ...] = ()
    defines: tuple[tuple[str, str | None], ...] = ()
    undefines: tuple[str, ...] = ()
    ignore_line_directives: bool = False
    case_insensitive_includes: bool = False

    # libraries
    exports: tuple[str, ...] = ()
    export_shaders_only: bool = False
    default_linkage: str = "default"
    libraries: tuple[str, ...] = ()
    """Files whose functions the shader calls: HLSL, compiled with these options, or SPIR-V."""

    # diagnostics
    warnings: tuple[str, ...] = ()
    no_warnings: bool = False
    warnings_as_errors: bool = False
    no_warn_ignored_features: bool = False
    no_warn_emulated_features: bool = False
    error_limit: int = 100

    # the target
    target_env: str = "vulkan1.0"
    extensions: tuple[str, ...] = ()
    entry_point_name: str = ""
    max_id: int = MAX_ID
    vulkan_memory_model: bool = False
    maximal_reconvergence: bool = False
    descriptor_heap: bool = False
    resource_heap_stride: int = 0
    sampler_heap_stride: int = 0
    unknown_image_format: bool = False
    denorm: str = "any"
    finite_math_only: bool = False
    signature_packing: str = "default"

    # memory layout and stage interface
    layout: str = "vulkan"
    legacy_buffer_matrix_order: bool = False
    stage_io_order: str = "decl"
    invert_y: bool = False
    use_dx_position_w: bool = False
    support_nonzero_base_instance: bool = False
    support_nonzero_base_vertex: bool = False

    # bindings: (shift, space) where the space may be ALL_SPACES; the others are (binding, set)
    shift_b: tuple[tuple[int, int], ...] = ()
    shift_t: tuple[tuple[int, int], ...] = ()
    shift_s: tuple[tuple[int, int], ...] = ()
    shift_u: tuple[tuple[int, int], ...] = ()
    shift_buffer: tuple[tuple[int, int], ...] = ()
    auto_shift_bindings: bool = False
    binding_scheme: str = "dxc"
    auto_bindings: bool = False
    """Free bindings for resources without a register, in the schemes of glslang."""
    auto_binding_space: int | None = None
    bind_registers: tuple[tuple[str, int, int, int], ...] = ()
    """(register such as `t3`, space, binding, set); in the schemes of glslang the space may be ALL_SPACES."""
    bind_globals: tuple[int, int] | None = None
    bind_resource_heap: tuple[int, int] | None = None
    bind_sampler_heap: tuple[int, int] | None = None
    bind_counter_heap: tuple[int, int] | None = None
    flatten_resource_arrays: bool = False

    # information besides code
    debug: tuple[str, ...] = ()
    """The categories of `-fspv-debug=`, in order; DEBUG_EVERYTHING for `-Zi` alone."""
    command_line: str = ""
    """The options as given, which `-fspv-debug=tool` records in the module; else empty."""
    reflect_decorations: bool = False
    preserve_bindings: bool = False
    variable_offsets: bool = False
    """Offsets of Sample and Load that are not constant, which VK_KHR_maintenance8 allows."""
    preserve_interface: bool = False

    # after code generation
    codegen_only: bool = False
    """`-fcgl`: neither legalise nor optimise."""
    optimize: str | tuple[str, ...] = "performance"
    """`none`, `size`, `performance`, or spirv-opt's passes in order."""
    validate: str = "yes"
    """`yes`, `required` (fail if spirv-val is missing) or `no`."""
    reduce_load_size: bool = False
    fix_func_call_arguments: bool = False
    print_all: bool = False
    print_steps: bool = False
    wgsl_optimized: bool = False
    """Whether WGSL is written from the optimised module, not from the one with the source's functions and names."""
    wgsl_immediates: str = WGSL["immediates"].default
    wgsl_bindings: str = WGSL["bindings"].default
    wgsl_unbounded_arrays: int = WGSL["unbounded_arrays"].default
    wgsl_arrays: str = WGSL["arrays"].default
    wgsl_texel_buffers: str = WGSL["texel_buffers"].default
    wgsl_point_size: str = WGSL["point_size"].default
    wgsl_storage_formats: str = WGSL["storage_formats"].default
    wgsl_texture_formats: str = WGSL["texture_formats"].default
    wgsl_early_fragment_tests: str = WGSL["early_fragment_tests"].default
    wgsl_subpass_inputs: str = WGSL["subpass_inputs"].default
    wgsl_draw_parameters: str = WGSL["draw_parameters"].default
    wgsl_atomic_textures: str = WGSL["atomic_textures"].default
    wgsl_depth_textures: str = WGSL["depth_textures"].default
    wgsl_pad_targets: bool = WGSL["pad_targets"].default
    wgsl_naga: bool = WGSL["naga"].default
    msl_version: str = CROSS["msl"]["version"].default
    msl_platform: str = CROSS["msl"]["platform"].default
    msl_bindings: str = CROSS["msl"]["bindings"].default
    msl_argument_buffers: bool = CROSS["msl"]["argument_buffers"].default
    msl_texel_buffers: str = CROSS["msl"]["texel_buffers"].default
    msl_pad_targets: bool = CROSS["msl"]["pad_targets"].default
    msl_framebuffer_fetch: bool = CROSS["msl"]["framebuffer_fetch"].default
    msl_native_arrays: bool = CROSS["msl"]["native_arrays"].default
    msl_invariant_math: bool = CROSS["msl"]["invariant_math"].default
    msl_flip_y: bool = CROSS["msl"]["flip_y"].default
    glsl_version: str = CROSS["glsl"]["version"].default
    glsl_vulkan: bool = CROSS["glsl"]["vulkan"].default
    glsl_separate_shader_objects: bool = CROSS["glsl"]["separate_shader_objects"].default
    glsl_depth: str = CROSS["glsl"]["depth"].default
    glsl_flip_y: bool = CROSS["glsl"]["flip_y"].default
    glsl_plain_uniforms: bool = CROSS["glsl"]["plain_uniforms"].default
    glsl_push_constants: str = CROSS["glsl"]["push_constants"].default
    glsl_sampler_bindings: str = CROSS["glsl"]["sampler_bindings"].default
    essl_version: str = CROSS["essl"]["version"].default
    essl_float_precision: str = CROSS["essl"]["float_precision"].default
    essl_int_precision: str = CROSS["essl"]["int_precision"].default
    essl_depth: str = CROSS["essl"]["depth"].default
    essl_flip_y: bool = CROSS["essl"]["flip_y"].default
    essl_plain_uniforms: bool = CROSS["essl"]["plain_uniforms"].default
    essl_push_constants: str = CROSS["essl"]["push_constants"].default
    essl_sampler_bindings: str = CROSS["essl"]["sampler_bindings"].default
    hlsl_shader_model: str = CROSS["hlsl"]["shader_model"].default
    hlsl_storage_buffers: str = CROSS["hlsl"]["storage_buffers"].default
    hlsl_enable_16bit_types: bool = CROSS["hlsl"]["enable_16bit_types"].default
    hlsl_nonzero_base: bool = CROSS["hlsl"]["nonzero_base"].default
    hlsl_flip_y: bool = CROSS["hlsl"]["flip_y"].default
    spirv_tools: str = ""
    """The folder of spirv-opt and spirv-val; empty for PATH."""

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle only the fields that differ from their defaults: a plan contains thousands of options."""
        return _restored, (dict(changed(self)),)

    @property
    def row_major(self) -> bool:
        """Whether matrices are row-major by default."""
        return self.matrix_layout == "row_major"

    @property
    def debug_file(self) -> bool:
        """Whether the module names the source files."""
        return any(category != "tool" for category in self.debug)

    @property
    def debug_source(self) -> bool:
        """Whether the module contains the source texts."""
        # In DXC's loop over the options a later `rich` or `vulkan` cancels an earlier `source`.
        return _last_word_on_source(self.debug)

    @property
    def debug_line(self) -> bool:
        """Whether instructions have lines."""
        return any(category not in ("file", "source", "tool") for category in self.debug)

    @property
    def debug_tool(self) -> bool:
        """Whether the module records the compiler and its options."""
        return "tool" in self.debug

    @property
    def debug_rich(self) -> bool:
        """Whether types, variables and scopes are described, too."""
        return any(category.startswith(("rich", "vulkan")) for category in self.debug)

    @property
    def debug_vulkan(self) -> bool:
        """Whether debug information is NonSemantic.Shader.DebugInfo.100 instead of OpenCL.DebugInfo.100."""
        return any(category.startswith("vulkan") for category in self.debug)

    @property
    def debug_source_words(self) -> int:
        """The longest text of one DebugSource instruction, in words.

        DXC's suite uses a tiny one to test continuations.
        """
        return 13 if "vulkan-with-source-test" in self.debug else DEBUG_SOURCE_WORDS


def _last_word_on_source(debug: tuple[str, ...]) -> bool:
    state = False
    for category in debug:
        if category in ("source", "line") or "with-source" in category:
            state = True
        elif category in ("rich", "vulkan"):
            state = False
    return state


def _restored(values: dict[str, Any]) -> CompileOptions:
    return CompileOptions(**values)


DEFAULTS = CompileOptions()

PLACES = frozenset({"spirv_tools"})
"""Fields with the place of a tool, which do not affect the output."""

PREPROCESSING = frozenset(
    {
        "include_dirs",
        "defines",
        "undefines",
        "ignore_line_directives",
        "case_insensitive_includes",
        "legacy_macro_expansion",
    }
)
"""Fields that act only on the tokens, so that the keys of results need not cover them."""


_VALUES = tuple((field.name, getattr(DEFAULTS, field.name)) for field in fields(CompileOptions))


def changed(options: CompileOptions) -> list[tuple[str, object]]:
    """Return (field, value) of all fields that differ from their defaults, in order of declaration."""
    return [(name, value) for name, default in _VALUES if (value := getattr(options, name)) != default]


def canonical_json(options: CompileOptions) -> str:
    """Return the options as text for signatures: sorted, compact, without fields at their defaults.

    So a new option does not change existing signatures; the toolchain's fingerprint covers a changed default.  Paths of
    tools are omitted, because the fingerprint includes the tools' versions.
    """
    content = {name: value for name, value in changed(options) if name not in PLACES}
    import json  # start-up time

    return json.dumps(content, sort_keys=True, separators=(",", ":"))
