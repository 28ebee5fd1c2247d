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
    waves,
)
