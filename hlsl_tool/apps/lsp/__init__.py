"""The language server: diagnostics, hover, completion and navigation for editors."""
