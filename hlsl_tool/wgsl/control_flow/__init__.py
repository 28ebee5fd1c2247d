"""SPIR-V's structured control flow as nested regions with WGSL's exits."""
