import pytest

from hlsl_tool.compiler import reuse


@pytest.fixture(autouse=True)
def every_shape_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """However small the shader is, so that its key is tried as the others are."""
    monkeypatch.setattr(reuse, "WORTH_A_SHAPE", -1)
