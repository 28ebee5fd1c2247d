"""Decide which outputs are up to date (log, state file, digests, dependency traces), and explain each rebuild."""
