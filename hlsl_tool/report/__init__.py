"""Reports for people: text and pictures."""
