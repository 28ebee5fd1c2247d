"""How long tests wait: long enough for any machine, since a test that waits for what happens does not wait longer."""

PATIENCE = 300.0
"""Seconds after which a test gives up what it waits for."""
