"""Variables, functions, blocks and records, and the statements of function bodies."""
