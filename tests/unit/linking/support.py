"""Functions that the tests of linking share."""

from __future__ import annotations

import shutil

import pytest

needs_optimizer = pytest.mark.skipif(not shutil.which("spirv-opt"), reason="spirv-opt is not on PATH")
