"""WGSL as text: expressions, statements, functions, types and names."""
