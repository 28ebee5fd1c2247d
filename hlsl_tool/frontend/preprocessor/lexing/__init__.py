"""Split text into preprocessing tokens, and files into directives and runs of text."""
