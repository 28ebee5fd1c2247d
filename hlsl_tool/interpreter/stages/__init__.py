"""Dispatches and draws: lanes with their built-in inputs."""
