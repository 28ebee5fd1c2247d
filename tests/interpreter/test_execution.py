"""Tests of execution on devices, run on the interpreter in every run of the tests."""

from __future__ import annotations

from tests.execute.test_buffers import *  # noqa: F403  the tests are collected here, too
from tests.execute.test_control_flow import *  # noqa: F403
from tests.execute.test_groups import *  # noqa: F403
from tests.execute.test_linear_algebra import *  # noqa: F403
from tests.execute.test_matrices import *  # noqa: F403
from tests.execute.test_pictures import *  # noqa: F403
from tests.execute.test_scalars import *  # noqa: F403
from tests.execute.test_stages import *  # noqa: F403
from tests.execute.test_tessellation_factors import *  # noqa: F403
from tests.execute.test_textures import *  # noqa: F403
from tests.execute.test_untyped_pointers import *  # noqa: F403
