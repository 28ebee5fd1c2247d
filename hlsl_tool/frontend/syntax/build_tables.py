"""Build the parser tables: run ``python -m hlsl_tool.frontend.syntax.build_tables`` after a change of ``hlsl.lark``.

Lark compiles the grammar; only the LALR table is stored, renumbered so that it depends on the grammar alone (lark's
numbering depends on the hash seed). Only this module imports lark, and the compiler imports this module only if the
stored tables do not match the grammar.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from typing import Any

from lark import Lark
from lark.lexer import Lexer, PatternStr, Token
from lark.parsers.lalr_analysis import Shift

from hlsl_tool.frontend.syntax.tables import GRAMMAR, TABLES, grammar_digest, read

OPERATORS = (
    "+", "-", "/", "%", "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "++", "--",
    "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=",
)  # fmt: skip
"""Spellings of terminals that have several; for others the grammar defines the spelling."""


class NoLexer(Lexer):
    """A stub for lark's lexer: tokens come from the classifier, and lark only builds tables."""

    def __init__(self, conf: Any) -> None:
        pass

    def lex(self, lexer_state: Any, parser_state: Any) -> Iterator[Token]:
        return iter(())


def compile_grammar(grammar: str, lexer: type[Lexer] = NoLexer) -> Lark:
    """Return lark's parser for the grammar; raise an error for any conflict."""
    return Lark(grammar, parser="lalr", lexer=lexer, maybe_placeholders=False, strict=True)


def build(grammar: str) -> dict[str, Any]:
    """Return the tables as plain data, in the format that ``tables.py`` documents."""
    lark = compile_grammar(grammar)
    table = lark.parser.parser._parse_table  # lark has no public access to its tables
    rules = sorted(lark.rules, key=_rule_key)
    rule_number = {rule: number for number, rule in enumerate(rules)}
    names = sorted({symbol.name for rule in rules for symbol in rule.expansion if symbol.is_term} | {"$END"})
    terminal = {name: number for number, name in enumerate(names)}
    nonterminals = sorted({str(rule.origin.name) for rule in rules})
    nonterminal = {name: number for number, name in enumerate(nonterminals)}
    states = _number_states(table)
    actions: list[list[int]] = [[] for _ in states]
    gotos: list[list[int]] = [[] for _ in states]
    for state, number in states.items():
        for name in sorted(table.states[state]):
            act, argument = table.states[state][name]
            if name in terminal:
                code = states[argument] if act is Shift else -1 - rule_number[argument]
                actions[number] += terminal[name], code
            elif name in nonterminal:
                gotos[number] += nonterminal[name], states[argument]
    return {
        "grammar": grammar_digest(grammar),
        "terminals": names,
        "spellings": _spellings(lark, terminal),
        "nonterminals": nonterminals,
        "rules": [[nonterminal[str(rule.origin.name)], len(rule.expansion), _action(rule)] for rule in rules],
        "actions": actions,
        "gotos": gotos,
    }


def _rule_key(rule: Any) -> tuple[str, list[str]]:
    return str(rule.origin.name), [symbol.name for symbol in rule.expansion]


def _action(rule: Any) -> str:
    """Return the name of a rule's action function; ``""`` for a rule that only forwards its value."""
    if rule.alias:
        return str(rule.alias)
    if len(rule.expansion) != 1:
        raise ValueError(f"{rule.origin.name}: an alternative of {len(rule.expansion)} symbols needs an alias")
    return ""


def _number_states(table: Any) -> dict[Any, int]:
    """Return new state numbers: breadth-first from the start, visiting symbols in order of their names."""
    start = table.start_states["start"]
    numbers = {start: 0}
    todo = deque([start])
    while todo:
        row = table.states[todo.popleft()]
        for name in sorted(row):
            act, target = row[name]
            if act is Shift and target not in numbers:
                numbers[target] = len(numbers)
                todo.append(target)
    return numbers


def _spellings(lark: Lark, terminal: dict[str, int]) -> dict[str, int]:
    spellings = {}
    for definition in sorted(lark.terminals, key=lambda item: str(item.name)):
        number = terminal[definition.name]
        if isinstance(definition.pattern, PatternStr):
            spellings[str(definition.pattern.value)] = number
        else:
            spellings.update((text, number) for text in OPERATORS if re.fullmatch(definition.pattern.to_regexp(), text))
    return spellings


def render(tables: dict[str, Any]) -> str:
    """Return the text that ``tables.py`` reads: a header, then lines of rules, actions and gotos."""
    lines = [tables["grammar"], f"{len(tables['rules'])} {len(tables['actions'])}"]
    lines += (" ".join(tables[key]) for key in ("terminals", "nonterminals"))
    lines.append(" ".join(f"{text} {number}" for text, number in tables["spellings"].items()))
    for key in ("rules", "actions", "gotos"):
        lines += (" ".join(map(str, row)).strip() for row in tables[key])
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write the parser tables of the grammar to the package."""
    text = render(build(read(GRAMMAR)))
    with open(TABLES, "w", encoding="utf-8") as stream:
        stream.write(text)


if __name__ == "__main__":
    main()
