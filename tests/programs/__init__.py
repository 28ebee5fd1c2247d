"""Random HLSL programs whose results are defined to the last bit, and what runs and compares them."""
