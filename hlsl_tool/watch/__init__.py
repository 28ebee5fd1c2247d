"""Rebuilds what a saved file affects."""
