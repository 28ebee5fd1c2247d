"""Syntax error messages from the parser's state and the unexpected token, in clang's wording."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.catalogue import syntax as codes
from hlsl_tool.base.diagnostics.diagnostic import Code, Edit
from hlsl_tool.frontend.syntax import kinds as K
from hlsl_tool.frontend.syntax.classified import Classified
from hlsl_tool.frontend.syntax.driver import Run
from hlsl_tool.frontend.syntax.errors import words
from hlsl_tool.frontend.syntax.errors.problems import Problem
from hlsl_tool.frontend.syntax.tables import Row

_SPELLINGS = K.TABLES.spellings
_STATEMENT = K.TABLES.symbols["statement"]
_ITEM = K.TABLES.symbols["item"]
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_CLOSED = frozenset(_CLOSING.values())

_BEFORE_IDENTIFIER = frozenset(
    ("enum", "struct", "class", "namespace", "cbuffer", "tbuffer", "using", "(", "[", "<", "typename")
)

_AFTER_RULE = {
    "expression_statement": "after expression",
    "return_": "after return statement",
    "return_nothing": "after return statement",
    "break_": "after break statement",
    "continue_": "after continue statement",
    "discard": "after discard statement",
    "do": "after do/while statement",
    "static_assert": "after static_assert",
    "static_assert_message": "after static_assert",
    "using_alias": "after alias declaration",
    "using_alias_attributed": "after alias declaration",
    "using_namespace": "after namespace name",
    "using_name": "after using declaration",
}
"""Rule that a missing ``;`` would complete → clang's message."""


class Parsed:
    """Queries about a parser that stopped at an unexpected token."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.tables = run.tables

    def accepts(self, *kinds: int) -> bool:
        """Return whether the parser would accept these tokens in sequence."""
        return self.try_tokens(*kinds) is not None

    def accepts_text(self, *texts: str) -> bool:
        return self.accepts(*(_SPELLINGS[text] for text in texts))

    def try_tokens(self, *kinds: int) -> int | None:
        """Return the parser state after shifting tokens of these kinds from the position of the error.

        The result is ``None`` if one of them is not accepted. The parser itself is not changed.
        """
        states = [gotos.state for gotos in self.run.stack]
        row: Row = self.run.row
        code: int | None = None
        for kind in kinds:
            while True:
                state, code = self.tables.settle(row, kind)
                if code is None:
                    return state if kind == K.END and state == self.tables.final else None
                if code >= 0:
                    states.append(state)
                    row = self.tables.row(code, state)
                    break
                symbol, length, _ = self.tables.rules[-1 - code]
                if length > 1:
                    del states[1 - length :]
                row = self.tables.gotos(states[-1])[symbol]
        return code

    def rule_after(self, text: str) -> str:
        """Return the grammar rule that would end with the token ``text`` if it were at the position of the error.

        The result is the name of the rule's parser action. It is ``""`` if the token is not accepted there, or if no
        rule, or no single one, ends with it.
        """
        state = self.try_tokens(_SPELLINGS[text])
        if state is None:
            return ""
        rule = self.tables.only_rule(state)
        action = self.tables.rules[rule][2] if rule >= 0 else None
        return action.__name__ if action is not None else ""

    def in_enum(self) -> bool:
        brace = self.innermost()
        return brace >= 0 and "enum" in self.run.tokens[max(0, brace - 5) : brace]

    def in_struct(self, name: str) -> bool:
        """Return whether the parser is directly inside the braces of the struct ``name``."""
        brace = self.innermost()
        words = self.run.tokens[max(0, brace - 2) : brace]
        return words in (("struct", name), ("class", name))

    def in_block(self) -> bool:
        """Return whether the parser is directly inside a list of statements, not of declarations."""
        for gotos in reversed(self.run.stack):
            goto = self.tables.goto(gotos.state)
            if _STATEMENT in goto:
                return True
            if _ITEM in goto:
                return False
        return False

    def open_brace(self) -> bool:
        return any(type(value) is int and self.run.tokens[value] == "{" for value in self.run.values)

    def innermost(self) -> int:
        """Return the index of the innermost open bracket; -1 if there is none."""
        closed = 0
        for value in self.run.values[::-1]:
            text = self.run.tokens[value] if type(value) is int else ""
            if text in _CLOSED:
                closed += 1
            elif text in _CLOSING:
                if not closed:
                    return int(value)
                closed -= 1
        return -1

    def keyword(self) -> str:
        """Return ``case``, ``default`` or ``?``, whichever a ``:`` would belong to; ``""`` without one."""
        for value in self.run.values[::-1]:
            text = self.run.tokens[value] if type(value) is int else ""
            if text in ("case", "default", "?"):
                return text
        return ""


def explain(run: Run, classified: Classified, position: int) -> Problem:
    """Return the syntax error at the classified token ``position``, which the parser did not accept.

    A position after the last token is the end of the file.
    """
    tokens, indices, kinds = run.tokens, classified.indices, classified.kinds
    at_end = position >= len(kinds)
    at = len(tokens) if at_end else indices[position]
    token = "" if at_end else tokens[at]
    kind = K.END if at_end else kinds[position]
    before = indices[position - 1] if 0 < position <= len(indices) else -1
    previous = tokens[before] if before >= 0 else ""
    previous_kind = kinds[position - 1] if position > 0 else K.END
    parsed = Parsed(run)

    if kind == K.RESERVED:
        return Problem(codes.RESERVED, at, {"name": token}, hint=words.for_reserved(token))
    if token == "[" and previous_kind in (K.TYPE, K.TGT) and parsed.accepts(K.IDENT):
        return Problem(codes.BRACKETS_BEFORE_NAME, at)
    if token == "(" and previous_kind == K.TYPE and parsed.in_struct(previous):
        return Problem(codes.NEEDS_TYPE, before, hint=words.CONSTRUCTOR)
    if token == "}" and parsed.innermost() < 0:
        return Problem(codes.EXTRANEOUS_BRACE, at)
    if kind == K.IDENT and parsed.in_enum() and parsed.accepts_text(","):
        return Problem(codes.MISSING_COMMA, at, edits=(Edit(",", before, "after"),))
    problem = _unknown_type(parsed, classified, position, at)
    if problem is not None:
        return problem
    if at_end:
        at = max(0, before)
    if parsed.accepts_text("!") and not (at_end and previous in (";", "{", "}")):  # an operand is expected
        return Problem(codes.EXPECTED_EXPRESSION, at)
    problem = _expected_punctuation(parsed, token, previous, previous_kind, before, at) or _closing(parsed, before, at)
    if problem is not None:
        return problem
    if parsed.accepts_text("(") and previous_kind in (K.TYPE, K.TGT) and not parsed.accepts(K.IDENT):
        return Problem(codes.EXPECTED_CONSTRUCTION, at)
    return _expected_name(parsed, previous, at, token)


def _expected_punctuation(
    parsed: Parsed, token: str, previous: str, previous_kind: int, before: int, at: int
) -> Problem | None:
    """Return the error if the preceding tokens require a ``(``, ``>`` or ``:``; ``None`` if not.

    ``token`` is the unexpected token and ``at`` its index, ``previous`` the one before and ``before`` its index.
    """
    if previous in ("if", "while", "for", "switch") and parsed.accepts_text("("):
        return Problem(codes.EXPECTED_AFTER, at, {"what": "'('", "after": previous})
    if token == "<" and previous_kind == K.TYPE:
        return Problem(codes.EXPECTED_CLOSING, at, {"what": ">"})
    if token and parsed.accepts_text(":") and parsed.keyword() and not parsed.accepts_text(";"):
        arguments = {"what": "':'", "after": parsed.keyword()}
        return Problem(codes.EXPECTED_AFTER, at, arguments, edits=(Edit(":", before, "after"),))
    return None


def _unknown_type(parsed: Parsed, classified: Classified, position: int, at: int) -> Problem | None:
    kinds, indices, tokens = classified.kinds, classified.indices, classified.tokens
    if position >= len(kinds):
        return None
    kind = kinds[position]

    def name_at(offset: int) -> str:
        return tokens[indices[position + offset]]

    following = kinds[position + 1] if position + 1 < len(kinds) else K.END
    if kind == K.IDENT and parsed.accepts(K.TYPE):
        if following in (K.IDENT, K.TYPE, K.SCOPE) or tokens[at + 1 : at + 2] in (("<",), ("&",), ("*",)):
            return Problem(codes.UNKNOWN_TYPE, at, {"name": name_at(0)})
        if tokens[at + 1 : at + 2] in ((")",), (",",), (">",)):
            return Problem(codes.UNKNOWN_TYPE, at, {"name": name_at(0)})
        return Problem(codes.NEEDS_TYPE, at, hint=words.for_declaration(name_at(0)))
    if kind == K.IDENT and position > 0 and kinds[position - 1] == K.IDENT:
        start = kinds[position - 2] if position > 1 else K.END
        if start in _STARTS or start == K.QUAL or tokens[indices[position - 2]] == "::":
            return Problem(codes.UNKNOWN_TYPE, indices[position - 1], {"name": name_at(-1)})
    if position > 2 and kinds[position - 1] == K.TYPE and kinds[position - 3] == K.IDENT and name_at(-2) == "<":
        return Problem(codes.UNKNOWN_TYPE, indices[position - 3], {"name": name_at(-3)})
    return None


_STARTS = frozenset((K.END, *(K.TABLES.spellings[text] for text in ("{", "}", ";", ")", "(", ":", "else"))))


def _closing(parsed: Parsed, before: int, at: int) -> Problem | None:
    """Return the error if a closing bracket or a ``;`` is missing before the unexpected token; ``None`` if not.

    ``at`` is the index of that token, ``before`` the index of the token before it.
    """
    innermost = parsed.innermost()
    tokens = parsed.run.tokens
    opening = tokens[innermost] if innermost >= 0 else ""
    if opening in ("(", "[") and parsed.accepts_text(_CLOSING[opening]):
        notes = [Problem(codes.TO_MATCH, innermost, {"what": opening})]
        ends = tokens[at] in (";", "{", "}", ")") and at > before
        edits = (Edit(_CLOSING[opening], before, "after"),) if ends else ()
        return Problem(codes.EXPECTED_CLOSING, at, {"what": _CLOSING[opening]}, notes, edits=edits)
    if opening == "(" and parsed.accepts_text(";"):
        return Problem(codes.EXPECTED_SEMICOLON, max(0, before), {"where": "in 'for' statement specifier"}, after=True)
    if parsed.accepts_text(";") and before >= 0:
        rule = parsed.rule_after(";")
        if rule != "empty_statement" and rule != "empty_declaration":
            return _semicolon(parsed, rule, before, at)
    if parsed.accepts_text("}") and innermost >= 0:
        notes = [Problem(codes.TO_MATCH, innermost, {"what": "{"})]
        return Problem(codes.EXPECTED_CLOSING, at, {"what": "}"}, notes)
    return None


def _semicolon(parsed: Parsed, rule: str, before: int, at: int) -> Problem:
    if rule in ("bare_type", "qualified_bare_type"):
        return Problem(codes.EXPECTED_NAME, at)
    if rule == "prototype":
        return Problem(codes.EXPECTED_BODY, at)
    where = _AFTER_RULE.get(rule, "")
    if rule in ("aggregate_declaration", "struct_forward", "qualified_aggregate_declaration"):
        value = parsed.run.values[-1]
        where = f"after {getattr(value, 'keyword', 'enum')}"
    elif not where:
        if parsed.in_block():
            where = "at end of declaration"
        elif parsed.innermost() >= 0:
            where = "at end of declaration list"
        else:
            where = "after top level declarator"
    edits = (Edit(";", before, "after"),)
    return Problem(codes.EXPECTED_SEMICOLON, before, {"where": where}, after=True, edits=edits)


def _expected_name(parsed: Parsed, previous: str, at: int, token: str) -> Problem:
    if previous == ":" and parsed.accepts(K.IDENT):
        return Problem(codes.EXPECTED_SEMANTIC, at)
    if token.isdigit() and parsed.run.tokens[max(0, at - 4) : at - 2] == ("register", "("):
        return Problem(codes.EXPECTED_IDENTIFIER, at, hint=f"write 'space{token}'", edits=(Edit(f"space{token}"),))
    if parsed.accepts(K.IDENT):
        code: Code = codes.EXPECTED_NAME
        if previous in _BEFORE_IDENTIFIER:
            code = codes.EXPECTED_IDENTIFIER
        return Problem(code, at)
    if previous in ("(", ",") and parsed.accepts(K.TYPE):
        return Problem(codes.EXPECTED_PARAMETER, at)
    if previous in ("struct", "class", "interface", "enum") and parsed.accepts(K.TYPE):
        return Problem(codes.EXPECTED_TOKEN, at, {"what": "identifier or '{'"})
    if parsed.accepts_text("typedef"):  # the start of a declaration
        return Problem(codes.EXPECTED_NAME, at)
    if parsed.accepts(K.TYPE):
        return Problem(codes.EXPECTED_TYPE, at)
    for text in ("(", "{", ")", "]", "}", ";", "while", "::", "=", ",", ":"):
        if parsed.accepts_text(text):
            if text == "while":
                return Problem(codes.EXPECTED_TOKEN, at, {"what": "'while' in do/while loop"})
            return Problem(codes.EXPECTED_TOKEN, at, {"what": f"'{text}'"})
    return Problem(codes.UNEXPECTED, at, {"found": token or "end of file"})
