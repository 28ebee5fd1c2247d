"""Intrinsic functions and methods of built-in objects: which overloads there are, and which one a call means."""
