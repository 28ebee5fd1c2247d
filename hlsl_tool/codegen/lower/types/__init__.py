"""Map HLSL types to SPIR-V types, which differ by layout rule."""
