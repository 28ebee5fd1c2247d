"""Compare-exchange of floats by their bits: `retyping` changes the type of the memory to integers."""

from .retyping import NotTraceable, compare_floats_as_integers

__all__ = ["NotTraceable", "compare_floats_as_integers"]
