"""The SPIR-V module: lookups, checks, and the rewrites that precede the conversion."""
