"""What decides how a shader is compiled, as plain data.

`CompileOptions` holds every choice that can change the output of a compilation and nothing else: two equal values give
equal words for equal sources.  So it can be hashed, sent to another process and written into a build signature.  How
each field is spelled on DXC's command line and in YAML is told once, in `option_table`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from typing import Any

ALL_SPACES = -1
"""In a register shift, in place of a space: the shift holds for every space."""

HLSL_202X = 2029
"""The number that `__HLSL_VERSION` has under `-HV 202x`."""

MAX_ID = 0x3FFFFF
"""The largest id bound that every Vulkan driver has to take (SPIR-V specification, universal limits)."""

DEBUG_SOURCE_WORDS = 0xFFFD
"""The longest string that fits into one OpString, in words: 0xFFFF less the opcode word and the result id."""

DEBUG_EVERYTHING = ("file", "source", "line", "tool")
"""What `-Zi` alone asks for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompileOptions:
    """One value for each option; the defaults are DXC's."""

    profile: str = ""
    entry: str = "main"

    # the language
    hlsl_version: int = 2021
    enable_16bit_types: bool = False
    matrix_layout: str = "column_major"
    strict: bool = False
    ieee_strict: bool = False
    exact_remainder: bool = False
    """Signed `%` by division: Vulkan leaves OpSRem of negative numbers open."""
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
    auto_shift_bindings: bool = False
    auto_binding_space: int | None = None
    bind_registers: tuple[tuple[str, int, int, int], ...] = ()
    """(register such as `t3`, space, binding, set)"""
    bind_globals: tuple[int, int] | None = None
    bind_resource_heap: tuple[int, int] | None = None
    bind_sampler_heap: tuple[int, int] | None = None
    bind_counter_heap: tuple[int, int] | None = None
    flatten_resource_arrays: bool = False

    # what is written besides code
    debug: tuple[str, ...] = ()
    """As after `-fspv-debug=`, in order; `-Zi` alone is DEBUG_EVERYTHING."""
    command_line: str = ""
    """The options as given, which `-fspv-debug=tool` records in the module; empty where it is not asked for."""
    reflect_decorations: bool = False
    preserve_bindings: bool = False
    preserve_interface: bool = False

    # after code generation
    codegen_only: bool = False
    """`-fcgl`: neither legalised nor optimised."""
    optimize: str | tuple[str, ...] = "performance"
    """`none`, `size`, `performance`, or spirv-opt's passes in order."""
    validate: str = "yes"
    """`yes`, `required` (fail where spirv-val is not to be found) or `no`."""
    reduce_load_size: bool = False
    fix_func_call_arguments: bool = False
    print_all: bool = False
    spirv_tools: str = ""
    """The folder that holds spirv-opt and spirv-val; empty for PATH."""

    def __reduce__(self) -> tuple[object, ...]:
        """Pickled as what is not at its default: a plan has thousands of these."""
        return _restored, (dict(changed(self)),)

    @property
    def row_major(self) -> bool:
        return self.matrix_layout == "row_major"

    @property
    def debug_file(self) -> bool:
        return any(category != "tool" for category in self.debug)

    @property
    def debug_source(self) -> bool:
        # DXC's loop over the options lets a later `rich` or `vulkan` take back an earlier `source`.
        return _last_word_on_source(self.debug)

    @property
    def debug_line(self) -> bool:
        return any(category not in ("file", "source", "tool") for category in self.debug)

    @property
    def debug_tool(self) -> bool:
        return "tool" in self.debug

    @property
    def debug_rich(self) -> bool:
        return any(category.startswith(("rich", "vulkan")) for category in self.debug)

    @property
    def debug_vulkan(self) -> bool:
        """NonSemantic.Shader.DebugInfo.100 in place of OpenCL.DebugInfo.100."""
        return any(category.startswith("vulkan") for category in self.debug)

    @property
    def debug_source_words(self) -> int:
        """How long the text of one DebugSource may get; DXC's suite asks for a tiny one to test continuations."""
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
"""Fields that say where something is found and decide nothing of the output."""


_VALUES = tuple((field.name, getattr(DEFAULTS, field.name)) for field in fields(CompileOptions))


def changed(options: CompileOptions) -> list[tuple[str, object]]:
    """(field, value) of everything that is not at its default, in the order of declaration."""
    return [(name, value) for name, default in _VALUES if (value := getattr(options, name)) != default]


def canonical_json(options: CompileOptions) -> str:
    """The text that stands for the options in signatures: sorted, compact, without what is at its default.

    An option added later, at its default, thus leaves earlier signatures as they were; the toolchain's fingerprint
    covers a default that changes.  Where the tools lie decides nothing; their versions stand in the fingerprint.
    """
    content = {name: value for name, value in changed(options) if name not in PLACES}
    return json.dumps(content, sort_keys=True, separators=(",", ":"))
