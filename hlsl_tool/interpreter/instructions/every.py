"""Imports all modules that register instructions."""

from . import (
    arithmetic,
    atomics,
    composites,
    control_flow,
    conversions,
    emission,
    extended,
    image_operations,
    memory,
    packed,
    ray_queries,
    ray_tracing,
    waves,
)

MODULES = (
    arithmetic,
    atomics,
    composites,
    control_flow,
    conversions,
    emission,
    extended,
    image_operations,
    memory,
    packed,
    ray_queries,
    ray_tracing,
    waves,
)
