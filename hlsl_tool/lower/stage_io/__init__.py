"""Inputs and outputs of entry points: their variables, semantics and locations."""
