"""Lints: warnings about code that is legal HLSL but slow or undefined on a GPU."""
