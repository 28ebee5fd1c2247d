"""Intrinsic functions and methods of built-in objects: overload tables and overload resolution."""
