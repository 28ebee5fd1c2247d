"""Verbs that make projects."""
