"""Declarations of variables, functions, blocks and structs, and the statements of function bodies."""
