"""The rules: what each syntax means, and its warnings."""
