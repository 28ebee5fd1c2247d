"""Warnings about programs that are valid and probably mistaken, as clang and DXC have them."""
