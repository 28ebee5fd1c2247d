"""Text to preprocessing tokens, and files split into directives and runs of text."""
