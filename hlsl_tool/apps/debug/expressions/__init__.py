"""Expressions of HLSL that are evaluated in a stopped run."""
