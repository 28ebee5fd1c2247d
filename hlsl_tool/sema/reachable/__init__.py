"""Checks of a program without errors: what each entry point and exported function reaches."""
