"""Time limits of tests: long enough for any machine, because a test only waits until its event happens."""

PATIENCE = 300.0
"""Seconds after which a test gives up what it waits for."""
