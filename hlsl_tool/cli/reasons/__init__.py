"""Verbs that print reasons: of a rebuild (`why`) and of a diagnostic (`explain`)."""
