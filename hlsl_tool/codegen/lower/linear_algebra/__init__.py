"""Linear algebra: intrinsics on matrices that threads hold alone or together."""
