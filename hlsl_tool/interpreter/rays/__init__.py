"""Acceleration structures and ray queries."""
