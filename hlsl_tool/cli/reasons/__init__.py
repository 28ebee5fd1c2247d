"""Verbs that explain: a rebuild (`why`), or a diagnostic (`explain`)."""
