"""Executors: in-process, worker processes, and a cluster."""
