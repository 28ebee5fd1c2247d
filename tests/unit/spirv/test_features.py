"""Target environments and extensions, and the error messages about them."""

from __future__ import annotations

import pytest

from hlsl_tool.base.diagnostics.sink import Sink
from hlsl_tool.spirv.features import EXTENSIONS, Features


@pytest.mark.parametrize(
    ("env", "version", "flags"),
    [
        # Vulkan 1.1, SPIR-V 1.4, Vulkan 1.2, Vulkan 1.3
        ("vulkan1.0", (1, 0), (False, False, False, False)),
        ("vulkan1.1", (1, 3), (True, False, False, False)),
        ("vulkan1.1spirv1.4", (1, 4), (True, True, False, False)),
        ("vulkan1.2", (1, 5), (True, True, True, False)),
        ("vulkan1.3", (1, 6), (True, True, True, True)),
        ("universal1.5", (1, 5), (True, True, False, False)),
    ],
)
def test_environments(env: str, version: tuple[int, int], flags: tuple[bool, ...]) -> None:
    features = Features(env, sink=Sink())
    assert features.env.version == version
    assert (features.vulkan_1_1, features.spirv_1_4, features.vulkan_1_2, features.vulkan_1_3) == flags
    assert features.env.is_vulkan == env.startswith("vulkan")


def test_unknown_environment() -> None:
    sink = Sink()
    Features("vulkan9", sink=sink)
    (error,) = sink.diagnostics
    assert error.message == "unknown SPIR-V target environment 'vulkan9'"
    assert error.notes[0].message.startswith("allowed options are:\n vulkan1.0\n vulkan1.1\n vulkan1.1spirv1.4\n")


def test_unknown_extension() -> None:
    sink = Sink()
    Features(allowed=("MyExtension",), sink=sink)
    (error,) = sink.diagnostics
    assert error.message == "unknown SPIR-V extension 'MyExtension'"
    assert error.notes[0].message.startswith("known extensions are\n* KHR\n* SPV_KHR_16bit_storage\n")


def test_defaults_and_groups() -> None:
    default = Features(sink=Sink())
    assert default.is_enabled("SPV_KHR_ray_query")
    assert not default.is_enabled("SPV_NV_ray_tracing")
    assert not default.is_enabled("SPV_EXT_mesh_shader")
    assert Features("vulkan1.2", sink=Sink()).is_enabled("SPV_EXT_mesh_shader")
    khr = Features(allowed=("KHR",), sink=Sink())
    by_name_only = {"SPV_KHR_fma"}
    assert {name for name in EXTENSIONS if khr.is_enabled(name)} == {
        name for name in EXTENSIONS if name.startswith("SPV_KHR_") and name not in by_name_only
    }


def test_requests() -> None:
    sink = Sink()
    features = Features("vulkan1.0", ("SPV_KHR_multiview",), sink=sink)
    assert features.request_extension("SPV_KHR_multiview", "SV_ViewID")
    assert not sink.diagnostics
    assert not features.request_extension("SPV_KHR_device_group", "DeviceIndex Builtin")
    assert not features.request_env("vulkan1.1", "Wave Operation")
    assert [d.message for d in sink.diagnostics] == [
        "SPIR-V extension 'SPV_KHR_device_group' required for DeviceIndex Builtin but not permitted to use",
        "Vulkan 1.1 is required for Wave Operation but not permitted to use",
    ]
    assert sink.diagnostics[1].notes[0].message == (
        "please specify your target environment via command line option -fspv-target-env="
    )
    core = Features("vulkan1.1", (), sink=sink)
    assert not core.request_extension("SPV_KHR_multiview", "SV_ViewID"), "core: nothing to declare"
    assert len(sink.diagnostics) == 2
