"""Grammar to tables: ``python -m hlsl_tool.syntax.build_tables`` after every change of ``hlsl.lark``.

Lark compiles the grammar; what is written is only its result, the LALR table, in a numbering of our own that depends
on nothing but the grammar (lark's own follows the hash seed).  Only this module imports lark, and nothing that
compiles shaders imports this module, unless the grammar beside it is newer than the tables in the package.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterator
from typing import Any

from lark import Lark
from lark.lexer import Lexer, PatternStr, Token
from lark.parsers.lalr_analysis import Shift

from hlsl_tool.syntax.tables import FORMAT, GRAMMAR, TABLES, grammar_digest

OPERATORS = (
    "+", "-", "/", "%", "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "++", "--",
    "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=",
)  # fmt: skip
"""The spellings of the terminals that stand for several; those of one spelling say so themselves."""


class NoLexer(Lexer):
    """Tokens come from the classifier; lark is asked for its tables alone."""

    def __init__(self, conf: Any) -> None:
        pass

    def lex(self, lexer_state: Any, parser_state: Any) -> Iterator[Token]:
        return iter(())


def compile_grammar(grammar: str, lexer: type[Lexer] = NoLexer) -> Lark:
    """Lark's own parser of the grammar.  ``strict`` makes a conflict an error."""
    return Lark(grammar, parser="lalr", lexer=lexer, maybe_placeholders=False, strict=True)


def build(grammar: str) -> dict[str, Any]:
    """The tables as plain data; ``tables.py`` says what each part means."""
    lark = compile_grammar(grammar)
    table = lark.parser.parser._parse_table  # lark has no public way to its tables
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
        "format": FORMAT,
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
    """The name of the rule's function; ``""`` for one that only hands its value on."""
    if rule.alias:
        return str(rule.alias)
    if len(rule.expansion) != 1:
        raise ValueError(f"{rule.origin.name}: an alternative of {len(rule.expansion)} symbols needs an alias")
    return ""


def _number_states(table: Any) -> dict[Any, int]:
    """Breadth first from the start, along symbols in the order of their names."""
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
    found = {}
    for definition in sorted(lark.terminals, key=lambda item: str(item.name)):
        number = terminal[definition.name]
        if isinstance(definition.pattern, PatternStr):
            found[str(definition.pattern.value)] = number
        else:
            found.update((text, number) for text in OPERATORS if re.fullmatch(definition.pattern.to_regexp(), text))
    return found


def render(tables: dict[str, Any]) -> str:
    """A header, then one line a rule, a state's actions and a state's gotos: what `tables.py` reads, line by line."""
    header = {key: value for key, value in tables.items() if key not in ("rules", "actions", "gotos")}
    header["sizes"] = [len(tables["rules"]), len(tables["actions"])]
    lines = [json.dumps(header, separators=(",", ":"))]
    for key in ("rules", "actions", "gotos"):
        lines += (" ".join(map(str, row)).strip() for row in tables[key])
    return "\n".join(lines) + "\n"


def main() -> None:
    TABLES.write_text(render(build(GRAMMAR.read_text(encoding="utf-8"))), encoding="utf-8")


if __name__ == "__main__":
    main()
