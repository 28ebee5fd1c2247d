"""SPIR-V's structured control flow as nested regions with WGSL's `break` and `continue`."""
