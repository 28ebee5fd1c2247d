"""Compare and exchange floats by their bits: `retyping` gives the memory integers."""

from .retyping import NotTraceable, compare_floats_as_integers

__all__ = ["NotTraceable", "compare_floats_as_integers"]
