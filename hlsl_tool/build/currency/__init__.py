"""Which outputs are up to date, and why the others are not."""
