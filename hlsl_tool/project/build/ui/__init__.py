"""Progress, summaries, and diagnostics on the terminal."""
