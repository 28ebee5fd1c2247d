"""YAML: nodes with locations, the values of options read from nodes and written again."""
