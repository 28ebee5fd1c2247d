"""Compilation on other machines: jobs that carry their sources, and the scheduler that distributes them."""
