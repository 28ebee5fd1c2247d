"""Checks that depend on the entry point or exported function from which a function is reached."""
