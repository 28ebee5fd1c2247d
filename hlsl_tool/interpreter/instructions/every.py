"""Imports all modules that register instructions."""

from . import (  # noqa: F401  # each registers its instructions
    arithmetic,
    atomics,
    composites,
    control_flow,
    conversions,
    cooperative_matrices,
    emission,
    extended,
    image_operations,
    memory,
    ray_queries,
    ray_tracing,
    waves,
)
