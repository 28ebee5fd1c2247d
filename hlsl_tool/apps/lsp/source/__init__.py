"""The analysed shader from an editor's perspective: positions in files, declarations, the name under the cursor."""
