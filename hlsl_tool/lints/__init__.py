"""Lints: warnings about code that is legal HLSL and slow or undefined on a GPU."""
