"""Functions, calls, and statements."""
