"""The error if no library finds a device for kernels: it names the reason and a hint for each library."""

from __future__ import annotations

import pytest

from hlsl_tool import gpu
from hlsl_tool.gpu import choice


@pytest.mark.parametrize(
    ("hints", "hint"),
    [
        (("pip install hlsl_tool[gpu]", ""), "pip install hlsl_tool[gpu]"),
        (("", ""), "Install a Vulkan driver; Debian's mesa-vulkan-drivers has one for CPUs."),
    ],
)
def test_each_library_gives_its_reason(hints: tuple[str, str], hint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    reasons = dict(zip(choice.LIBRARIES, hints, strict=True))

    def refuse(library: str) -> None:
        raise gpu.NoDeviceError(f"{library} has none", reasons[library])

    monkeypatch.delenv("HLSL_TOOL_GPU", raising=False)
    monkeypatch.setattr(choice, "_opened", refuse)
    with pytest.raises(gpu.NoDeviceError) as error:
        choice.backend(None)
    assert error.value.message == "no device for kernels: vulkan has none; wgpu has none"
    assert error.value.hint == hint
