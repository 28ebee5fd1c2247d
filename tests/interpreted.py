"""A mark for tests that replace functions of the package: native code calls the functions themselves."""

from __future__ import annotations

import pytest

from hlsl_tool.version import is_compiled

replaces_functions = pytest.mark.skipif(is_compiled(), reason="native code calls the functions, not what replaces them")
