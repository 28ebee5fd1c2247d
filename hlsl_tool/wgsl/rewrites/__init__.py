"""Rewrite what WGSL lacks as SPIR-V that it has, before the conversion."""
