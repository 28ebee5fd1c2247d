"""The SPIR-V module: look-ups, checks, and the rewrites that precede the conversion."""
