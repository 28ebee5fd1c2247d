"""The target environments: versions of Vulkan, and SPIR-V without Vulkan."""

from __future__ import annotations

from typing import NamedTuple


class TargetEnv(NamedTuple):
    """A target environment; ``rank`` orders them as SPIRV-Tools does (universal 1.5 is below Vulkan 1.2)."""

    name: str
    """The value of `-fspv-target-env=` and of the key `target_env`."""
    pretty: str
    """The name in messages."""
    version: tuple[int, int]
    """The version of SPIR-V of the modules: the highest that it accepts (Vulkan specification, appendix A)."""
    rank: int
    tools: str
    """The name for SPIRV-Tools."""

    @property
    def is_vulkan(self) -> bool:
        """Return whether Vulkan's rules apply in addition to the universal ones."""
        return self.name.startswith("vulkan")


TARGET_ENVS: dict[str, TargetEnv] = {
    env.name: env
    for env in (
        TargetEnv("vulkan1.0", "Vulkan 1.0", (1, 0), 0, "vulkan1.0"),
        TargetEnv("vulkan1.1", "Vulkan 1.1", (1, 3), 1, "vulkan1.1"),
        TargetEnv("vulkan1.1spirv1.4", "Vulkan 1.1 with SPIR-V 1.4", (1, 4), 3, "vulkan1.1spv1.4"),
        TargetEnv("vulkan1.2", "Vulkan 1.2", (1, 5), 5, "vulkan1.2"),
        TargetEnv("vulkan1.3", "Vulkan 1.3", (1, 6), 6, "vulkan1.3"),
        TargetEnv("vulkan1.4", "Vulkan 1.4", (1, 6), 7, "vulkan1.4"),
        TargetEnv("universal1.5", "SPIR-V 1.5", (1, 5), 4, "spv1.5"),
    )
}
"""The target environments, in the order in which diagnostics list them."""


def is_at_least(env: str, other: str) -> bool:
    """Return whether the target environment ``env`` equals ``other`` or is newer."""
    return TARGET_ENVS[env].rank >= TARGET_ENVS[other].rank
