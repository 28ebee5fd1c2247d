"""The instructions: tables of numpy functions, and short functions for the others."""

from . import (  # noqa: F401  # each registers its instructions
    arithmetic,
    atomics,
    composites,
    control_flow,
    conversions,
    cooperative_matrices,
    emission,
    glsl_functions,
    image_operations,
    memory,
    rays,
    waves,
)
