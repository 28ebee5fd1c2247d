"""Random HLSL programs whose results are defined to the last bit, and tools that run and compare them."""
