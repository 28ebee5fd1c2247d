"""Analysis of expressions: names, members, calls, operators, conversions and initialisers."""
