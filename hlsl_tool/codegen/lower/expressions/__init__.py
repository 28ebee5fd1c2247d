"""Operators, initialiser lists, conversions, and conditional evaluation."""
