"""The analysed shader as an editor sees it: positions in files, declarations, the thing under the cursor."""
