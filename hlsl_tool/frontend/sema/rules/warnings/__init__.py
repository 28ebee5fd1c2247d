"""Warnings about programs that are valid but probably wrong, as clang and DXC report them."""
