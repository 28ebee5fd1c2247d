import pytest

from hlsl_tool.compiler import reuse


@pytest.fixture(autouse=True)
def every_shape_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use shape keys for shaders of any size, so that these keys are tested like the others."""
    monkeypatch.setattr(reuse, "WORTH_A_SHAPE", -1)
