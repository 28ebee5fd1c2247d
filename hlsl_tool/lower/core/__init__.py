"""Types, values, memory and constants, as every area of lowering needs them."""
