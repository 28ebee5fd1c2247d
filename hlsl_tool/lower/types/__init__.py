"""HLSL types as SPIR-V types, one for each layout rule."""
