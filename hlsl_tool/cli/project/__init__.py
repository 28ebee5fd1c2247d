"""Verbs that create projects."""
