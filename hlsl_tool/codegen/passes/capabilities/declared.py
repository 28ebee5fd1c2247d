"""The capabilities and extensions declared so far; requests that depend on the target environment."""

from __future__ import annotations

from collections.abc import Callable

from hlsl_tool.base.diagnostics.sink import Place
from hlsl_tool.spirv.analysis.module_index import ModuleIndex
from hlsl_tool.spirv.enums import Capability
from hlsl_tool.spirv.features import Features
from hlsl_tool.spirv.ir import Module

_Cap = Capability

PlaceOf = Callable[[int], Place]


class Declared:
    """Collects capabilities and extensions in the order in which they are requested."""

    def __init__(self, module: Module, features: Features, place_of: PlaceOf) -> None:
        self.module = module
        self.features = features
        self.place_of = place_of
        self.index = ModuleIndex(module)
        self.capabilities: dict[int, None] = dict.fromkeys(inst.id(0) for inst in module.capabilities)
        self.extensions: dict[str, None] = dict.fromkeys(inst.text(0) for inst in module.extensions)
        self.model: int | None = None
        """The execution model of the last entry point."""

    def cap(self, *capabilities: int) -> None:
        for number in capabilities:
            self.capabilities[number] = None

    def ext(self, name: str, what: str, target: int = 0) -> None:
        """Declare an extension; if it may not be used, report that ``what`` (at ``target``'s position) needs it."""
        if name not in self.extensions and self.features.request_extension(
            name, what, self.place_of(target) if target else None
        ):
            self.extensions[name] = None

    def one_of(self, names: tuple[str, ...], what: str, target: int = 0) -> None:
        """Report that the feature ``what`` needs the extension ``names[0]``, unless any of ``names`` may be used.

        The error is reported at the position of the id ``target``.
        """
        if not any(name in self.extensions or self.features.is_enabled(name) for name in names):
            self.ext(names[0], what, target)

    def if_enabled(self, name: str, capabilities: tuple[int, ...]) -> bool:
        """Declare an extension and its capabilities if it may be used; return whether that is so."""
        if not self.features.is_enabled(name):
            return False
        self.ext(name, "")
        self.cap(*capabilities)
        return True

    def ray_tracing(self) -> None:
        """Declare ray tracing pipelines through whichever extension (KHR or NV) may be used."""
        if self.features.is_enabled("SPV_NV_ray_tracing"):
            self.cap(_Cap.RayTracingNV)
            self.ext("SPV_NV_ray_tracing", "SPV_NV_ray_tracing")
        else:
            self.features.request_env("vulkan1.1spirv1.4", "Raytracing")
            self.cap(_Cap.RayTracingKHR)
            self.ext("SPV_KHR_ray_tracing", "SPV_KHR_ray_tracing")

    def work_graph(self, target: int = 0) -> None:
        self.features.request_env("vulkan1.3", "WorkGraphs", self.place_of(target) if target else None)
        self.cap(_Cap.ShaderEnqueueAMDX)
        self.ext("SPV_AMDX_shader_enqueue", "Vulkan 1.3", target)
