"""Target environments and extensions that a module may use.

The tables are data; ``Features`` answers queries, and reports errors in DXC's wording, which users search for.
"""

from __future__ import annotations

from collections.abc import Iterable

from hlsl_tool.base.diagnostics.catalogue import tools as codes
from hlsl_tool.base.diagnostics.sink import Place, Sink
from hlsl_tool.base.options.environments import TARGET_ENVS, TargetEnv

_UNIVERSAL_1_4 = TargetEnv("universal1.4", "unknown", (1, 4), 2, "spv1.4")
"""SPIR-V 1.4 as such, which mesh shaders need; DXC has no name for it in diagnostics."""

KHR = "KHR"
"""In -fspv-extension=: all extensions whose name begins with SPV_KHR_."""

EXTENSIONS: tuple[str, ...] = (
    "KHR",
    "SPV_KHR_16bit_storage",
    "SPV_KHR_device_group",
    "SPV_KHR_fragment_shading_rate",
    "SPV_KHR_non_semantic_info",
    "SPV_KHR_multiview",
    "SPV_KHR_shader_draw_parameters",
    "SPV_KHR_post_depth_coverage",
    "SPV_KHR_ray_tracing",
    "SPV_KHR_shader_clock",
    "SPV_EXT_demote_to_helper_invocation",
    "SPV_EXT_descriptor_indexing",
    "SPV_EXT_fragment_fully_covered",
    "SPV_EXT_fragment_invocation_density",
    "SPV_EXT_fragment_shader_interlock",
    "SPV_EXT_mesh_shader",
    "SPV_EXT_shader_stencil_export",
    "SPV_EXT_shader_viewport_index_layer",
    "SPV_AMD_shader_early_and_late_fragment_tests",
    "SPV_GOOGLE_hlsl_functionality1",
    "SPV_GOOGLE_user_type",
    "SPV_NV_ray_tracing",
    "SPV_NV_mesh_shader",
    "SPV_KHR_ray_query",
    "SPV_EXT_shader_image_int64",
    "SPV_KHR_physical_storage_buffer",
    "SPV_AMDX_shader_enqueue",
    "SPV_KHR_vulkan_memory_model",
    "SPV_NV_compute_shader_derivatives",
    "SPV_KHR_compute_shader_derivatives",
    "SPV_KHR_fragment_shader_barycentric",
    "SPV_KHR_maximal_reconvergence",
    "SPV_KHR_float_controls",
    "SPV_EXT_shader_subgroup_partitioned",
    "SPV_NV_shader_subgroup_partitioned",
    "SPV_KHR_quad_control",
    "SPV_EXT_descriptor_heap",
    "SPV_KHR_untyped_pointers",
    "SPV_EXT_shader_atomic_float_add",
    "SPV_EXT_shader_atomic_float16_add",
    "SPV_EXT_shader_atomic_float_min_max",
    "SPV_NV_shader_atomic_fp16_vector",
    "SPV_EXT_shader_invocation_reorder",
    "SPV_NV_shader_invocation_reorder",
    "SPV_EXT_opacity_micromap",
    "SPV_KHR_opacity_micromap",
    "SPV_KHR_ray_tracing_position_fetch",
    "SPV_NV_cluster_acceleration_structure",
    "SPV_KHR_8bit_storage",
    "SPV_EXT_long_vector",
    "SPV_KHR_bfloat16",
    "SPV_EXT_float8",
    "SPV_NV_cooperative_vector",
    "SPV_KHR_cooperative_matrix",
    "SPV_NV_cooperative_matrix2",
    "SPV_KHR_fma",
    "SPV_KHR_abort",
    "SPV_VALVE_mixed_float_dot_product",
)
"""The values of -fspv-extension=, in the order in which diagnostics list them."""

OFF_BY_DEFAULT = frozenset(
    (
        # Each excludes its KHR or EXT equivalent, which is preferred.
        "SPV_NV_ray_tracing",
        "SPV_NV_compute_shader_derivatives",
        "SPV_NV_shader_invocation_reorder",
        # Excludes its EXT equivalent, which more drivers have.
        "SPV_KHR_opacity_micromap",
        # Replaces its NV equivalent, which older validators and drivers know.
        "SPV_EXT_shader_subgroup_partitioned",
        # Changes the translation of `mad` and `fma`.
        "SPV_KHR_fma",
        # Changes the translation of `dot2add`.
        "SPV_VALVE_mixed_float_dot_product",
        # Changes the translation of `discard`.
        "SPV_EXT_demote_to_helper_invocation",
        # Changes the translation of vectors of more than four components, which need no extension without it.
        "SPV_EXT_long_vector",
        # Only newer drivers of one vendor have it.
        "SPV_NV_cooperative_matrix2",
    )
)

_BY_NAME_ONLY = frozenset(("SPV_KHR_fma",))
"""Extensions that ``KHR`` does not allow: fewer drivers have them than the others."""
UNTYPED_POINTERS = "SPV_KHR_untyped_pointers"
"""Allowed for descriptor heaps by default; changes accesses of byte-address buffers if -fspv-extension= names it."""

_CORE_SINCE = {
    # extension: the first environment in which it is core and not declared
    "SPV_KHR_16bit_storage": "vulkan1.1",
    "SPV_KHR_device_group": "vulkan1.1",
    "SPV_KHR_multiview": "vulkan1.1",
    "SPV_KHR_shader_draw_parameters": "vulkan1.1",
    "SPV_KHR_non_semantic_info": "vulkan1.3",
    "SPV_KHR_8bit_storage": "universal1.5",
}


class Features:
    """The target environment of one compilation, and the extensions allowed in it.

    ``allowed`` are the values of -fspv-extension=; without any, all extensions that are on by default are allowed.
    """

    def __init__(
        self,
        target_env: str = "vulkan1.0",
        allowed: Iterable[str] = (),
        *,
        sink: Sink,
        vulkan_memory_model: bool = False,
    ) -> None:
        self.sink = sink
        env = TARGET_ENVS.get(target_env)
        if env is None:
            note = sink.note(codes.ALLOWED_TARGET_ENVS, None, names="\n".join(f" {name}" for name in TARGET_ENVS))
            sink.error(codes.UNKNOWN_TARGET_ENV, None, name=target_env, notes=[note])
            env = TARGET_ENVS["vulkan1.0"]
        self.env: TargetEnv = env
        self.allowed: set[str] = set()
        names = list(allowed)
        if not names:
            self.allowed.update(name for name in EXTENSIONS if self._on_by_default(name))
        for name in names:
            self._allow(name)
        if names and vulkan_memory_model:
            self._allow("SPV_KHR_vulkan_memory_model")
        self.declared: dict[str, None] = {}
        self._refused: set[tuple[str, str]] = set()
        """(extension, what needs it) of the errors that were reported."""

    def _on_by_default(self, name: str) -> bool:
        if name == "SPV_EXT_mesh_shader":
            return self.spirv_1_4
        return name not in OFF_BY_DEFAULT

    def _allow(self, name: str) -> None:
        if name == KHR:
            own = (extension for extension in EXTENSIONS if extension.lower().startswith("spv_khr_"))
            self.allowed.update(extension for extension in own if extension not in _BY_NAME_ONLY)
        elif name in EXTENSIONS:
            self.allowed.add(name)
        else:
            note = self.sink.note(
                codes.KNOWN_EXTENSIONS, None, names="\n".join(f"* {extension}" for extension in EXTENSIONS)
            )
            self.sink.error(codes.UNKNOWN_EXTENSION, None, name=name, notes=[note])

    # ---- environments

    def at_least(self, env: str) -> bool:
        """Return whether the target environment is ``env`` or a later one."""
        required = _UNIVERSAL_1_4 if env == _UNIVERSAL_1_4.name else TARGET_ENVS[env]
        return self.env.rank >= required.rank

    @property
    def vulkan_1_1(self) -> bool:
        """Return whether the target is Vulkan 1.1 or above."""
        return self.at_least("vulkan1.1")

    @property
    def spirv_1_4(self) -> bool:
        """Return whether the target is SPIR-V 1.4 or above, where storage buffers have their own storage class."""
        return self.at_least("universal1.4")

    @property
    def vulkan_1_2(self) -> bool:
        """Return whether the target is Vulkan 1.2 or above; universal1.5 does not count."""
        return self.at_least("vulkan1.2")

    @property
    def vulkan_1_3(self) -> bool:
        """Return whether the target is Vulkan 1.3 or above."""
        return self.at_least("vulkan1.3")

    def request_env(self, env: str, what: str, place: Place = None) -> bool:
        """Return whether the target environment is ``env`` or a later one; if not, report that ``what`` needs it."""
        if self.at_least(env):
            return True
        required = _UNIVERSAL_1_4 if env == _UNIVERSAL_1_4.name else TARGET_ENVS[env]
        note = self.sink.note(codes.TARGET_ENV_HINT, None)
        needed = next(name for name, known in TARGET_ENVS.items() if known.rank >= required.rank)
        self.sink.error(codes.TARGET_ENV_REQUIRED, place, env=required.pretty, what=what, needed=needed, notes=[note])
        return False

    # ---- extensions

    def is_enabled(self, extension: str) -> bool:
        """Return whether an extension may be used."""
        return extension in self.allowed

    def is_core(self, extension: str) -> bool:
        """Return whether an extension is part of the target environment's core, so that it need not be declared."""
        since = _CORE_SINCE.get(extension)
        return since is not None and self.at_least(since)

    def request_extension(self, extension: str, what: str, place: Place = None) -> bool:
        """Return whether to declare an extension that ``what`` needs; report an error if it is not allowed."""
        if self.is_core(extension):
            return False
        if extension in self.allowed:
            return True
        if place is not None or (extension, what) not in self._refused:
            self._refused.add((extension, what))
            self.sink.error(codes.EXTENSION_NOT_PERMITTED, place, name=extension, what=what)
        return False
