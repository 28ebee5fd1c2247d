"""The device without a choice: the first that works, and the interpreter if there is no driver."""

from __future__ import annotations

import warnings
from typing import Any

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
def test_without_a_driver_the_interpreter_runs_with_one_warning(
    hints: tuple[str, str], hint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    reasons = dict(zip(choice.LIBRARIES, hints, strict=True))
    interpreter = choice.backend("cpu")

    def open_library(library: str) -> Any:
        if library == "cpu":
            return interpreter
        raise gpu.NoDeviceError(f"{library} has none", reasons[library])

    monkeypatch.delenv("HLSL_TOOL_GPU", raising=False)
    monkeypatch.setattr(choice, "_opened", open_library)
    choice._note_interpreter.cache_clear()
    with pytest.warns(gpu.NoDriverWarning) as warned:
        assert choice.backend(None) is interpreter
    assert [str(warning.message) for warning in warned] == [
        f"kernels run on the interpreter, which is slow: vulkan has none; wgpu has none\nhint: {hint}"
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert choice.backend(None) is interpreter


@pytest.mark.parametrize(
    ("device", "message"),
    [
        ("metal", "there is no library `metal`"),
        ("cpu:nvidia", "the library cpu has no device `nvidia` (there are: `interpreter`)"),
    ],
)
def test_an_unknown_device_is_an_error(device: str, message: str) -> None:
    with pytest.raises(gpu.NoDeviceError) as error:
        choice.backend(device)
    assert error.value.message == f"no device for kernels: {message}"
