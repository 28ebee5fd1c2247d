"""Evaluate ``#if`` expressions: C's integer arithmetic with 64 bits, signed and unsigned."""

from __future__ import annotations

import re
from typing import Any, Final

from hlsl_tool.base.diagnostics import Code
from hlsl_tool.base.diagnostics.catalogue import preprocessor as codes
from hlsl_tool.base.digits import number_of
from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.frontend.preprocessor import limits
from hlsl_tool.frontend.preprocessor.lexing import lexer
from hlsl_tool.frontend.preprocessor.lexing.tokens import Traced

_MASK: Final = (1 << 64) - 1
_SIGN: Final = 1 << 63

_INTEGER: Final = re.compile(r"(0[xX][0-9a-fA-F]*|0[bB][01]*|[0-9]+)([uUlL]*)")
_SUFFIXES: Final = frozenset(("", "u", "l", "ul", "lu", "ll", "ull", "llu"))
_FLOAT: Final = re.compile(r"(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][+-]?\d+)?\w*|1\.#\w*|\d+[fFhH]")
_ESCAPES: Final = {"n": 10, "t": 9, "r": 13, "v": 11, "f": 12, "b": 8, "a": 7, "e": 27}

_PRECEDENCE: Final = {
    ",": 1,
    "?": 2,
    "||": 3,
    "&&": 4,
    "|": 5,
    "^": 6,
    "&": 7,
    "==": 8,
    "!=": 8,
    "<": 9,
    "<=": 9,
    ">": 9,
    ">=": 9,
    "<<": 10,
    ">>": 10,
    "+": 11,
    "-": 11,
    "*": 12,
    "/": 12,
    "%": 12,
}
_END_TOKENS: Final = frozenset((")", ":"))


@dataclass(slots=True)
class Value:
    """A signed or unsigned 64-bit integer."""

    number: int
    unsigned: bool = False


class ExpressionError(Exception):
    """Raised for an invalid expression, with the error and the offending token (``None``: the end of the line)."""

    def __init__(self, code: Code, token: Traced | None, **fields: Any) -> None:
        super().__init__(code.id)
        self.code = code
        self.token = token
        self.fields = fields


class Evaluator:
    """Evaluates macro-expanded tokens.  ``warnings`` collects (code, token, fields)."""

    __slots__ = ("_at", "_depth", "_tokens", "undefined", "warnings")

    def __init__(self, tokens: list[Traced]) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0
        self.warnings: list[tuple[Code, Traced, dict[str, Any]]] = []
        self.undefined: list[Traced] = []
        """Identifiers that were evaluated as 0."""

    def evaluate(self) -> Value:
        # A comma is an operator only inside parentheses.
        value = self._expression(_PRECEDENCE[","], live=True)
        token = self._peek()
        if token is not None:
            if token == ":":
                raise ExpressionError(codes.COLON_WITHOUT_QUESTION, token)
            raise ExpressionError(codes.EXPECTED_END, token)
        return value

    def _peek(self) -> Traced | None:
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def _expression(self, floor: int, *, live: bool) -> Value:
        """Evaluate a unary expression and the binary operators after it with a higher precedence than ``floor``.

        ``live`` is false for operands that a short circuit skips: they are parsed, but their errors do not count.
        """
        left = self._unary(live=live)
        while True:
            token = self._peek()
            if token is None or token in _END_TOKENS:
                return left
            precedence = _PRECEDENCE.get(token)
            if precedence is None:
                raise ExpressionError(codes.BAD_BINARY_OPERATOR, token)
            if precedence <= floor:
                return left
            self._at += 1
            if token == "?":
                left = self._conditional(token, left, live=live)
                continue
            right_live = live
            if token == "&&":
                right_live = live and left.number != 0
            elif token == "||":
                right_live = live and left.number == 0
            right = self._expression(precedence, live=right_live)
            left = self._binary(token, left, right, live=live)

    def _conditional(self, question: Traced, condition: Value, *, live: bool) -> Value:
        chosen = condition.number != 0
        first = self._nested(question, 0, live=live and chosen)
        colon = self._peek()
        if colon != ":":
            raise ExpressionError(codes.MISSING_AFTER, colon, missing=":", after="'?'")
        self._at += 1
        second = self._nested(question, _PRECEDENCE["?"] - 1, live=live and not chosen)
        unsigned = first.unsigned or second.unsigned
        return _wrap(first.number if chosen else second.number, unsigned)

    def _nested(self, token: Traced, floor: int, *, live: bool) -> Value:
        self._depth += 1
        if self._depth > limits.MAX_EXPRESSION_DEPTH:
            raise ExpressionError(codes.EXPRESSION_TOO_DEEP, token, limit=limits.MAX_EXPRESSION_DEPTH)
        value = self._expression(floor, live=live)
        self._depth -= 1
        return value

    def _unary(self, *, live: bool) -> Value:
        operators: list[Traced] = []
        while True:
            token = self._peek()
            if token is None:
                raise ExpressionError(codes.EXPECTED_VALUE, None)
            self._at += 1
            if token in ("+", "-", "!", "~"):
                operators.append(token)
                continue
            break
        value = self._primary(token, live=live)
        for operator in reversed(operators):
            if operator == "!":
                value = Value(int(value.number == 0))
            elif operator == "-":
                if live and not value.unsigned and value.number == -_SIGN:
                    self.warnings.append((codes.INTEGER_OVERFLOW, operator, {}))
                value = _wrap(-value.number, value.unsigned)
            elif operator == "~":
                value = _wrap(~value.number, value.unsigned)
        return value

    def _primary(self, token: Traced, *, live: bool) -> Value:
        if token == "(":
            value = self._nested(token, 0, live=live)
            if self._peek() != ")":
                raise ExpressionError(codes.EXPECTED_RPAREN, self._peek())
            self._at += 1
            return value
        if token == ")":
            raise ExpressionError(codes.EXPECTED_VALUE, token)
        first = token[0]
        if lexer.WHOLE_CHARACTER.fullmatch(token):
            return _character(token)
        if lexer.IDENTIFIER.fullmatch(token):
            if token == "true":
                return Value(1)
            if token != "false" and live:
                self.undefined.append(token)
            return Value(0)
        if first.isdigit() or (first == "." and len(token) > 1 and token[1].isdigit()):
            return _number(token)
        raise ExpressionError(codes.BAD_EXPRESSION_START, token)

    def _binary(self, operator: Traced, left: Value, right: Value, *, live: bool) -> Value:
        a, b = left.number, right.number
        if operator == "&&":
            return Value(int(a != 0 and b != 0))
        if operator == "||":
            return Value(int(a != 0 or b != 0))
        if operator == ",":
            return right
        if operator in ("<<", ">>"):
            return self._shift(operator, left, b, live=live)
        unsigned = left.unsigned or right.unsigned
        if unsigned:
            if live:
                self._warn_negative(operator, a, b)
            a, b = a & _MASK, b & _MASK
        if operator in _COMPARE:
            return Value(int(_COMPARE[operator](a, b)))
        if operator in ("/", "%"):
            return self._divide(operator, a, b, unsigned=unsigned, live=live)
        exact = _ARITHMETIC[operator](a, b)
        value = _wrap(exact, unsigned)
        if live and not unsigned and value.number != exact:
            self.warnings.append((codes.INTEGER_OVERFLOW, operator, {}))
        return value

    def _shift(self, operator: Traced, left: Value, count: int, *, live: bool) -> Value:
        """Shift a value; as in DXC, a count that is negative or too large counts as 63.

        Warn of an overflow, unless the operation is skipped by a short circuit (not ``live``).
        """
        value = left.number
        shift = count if 0 <= count <= 63 else 63
        if operator == ">>":
            return _wrap(value >> shift, left.unsigned)
        # A signed value overflows when a digit, or the sign, is shifted out.
        room = 64 if left.unsigned else 64 - (value if value >= 0 else ~value).bit_length()
        if live and (shift != count or (not left.unsigned and shift >= room)):
            self.warnings.append((codes.INTEGER_OVERFLOW, operator, {}))
        return _wrap(value << shift, left.unsigned)

    def _warn_negative(self, operator: Traced, left: int, right: int) -> None:
        for side, value in (("left", left), ("right", right)):
            if value < 0:
                fields = {"side": side, "value": value, "positive": value & _MASK}
                self.warnings.append((codes.CONVERTED_TO_POSITIVE, operator, fields))

    def _divide(self, operator: Traced, a: int, b: int, *, unsigned: bool, live: bool) -> Value:
        if b == 0:
            if live:
                raise ExpressionError(codes.DIVISION_BY_ZERO if operator == "/" else codes.REMAINDER_BY_ZERO, operator)
            return Value(0, unsigned)
        quotient = abs(a) // abs(b)  # C rounds toward zero
        if (a < 0) != (b < 0):
            quotient = -quotient
        return _wrap(quotient if operator == "/" else a - quotient * b, unsigned)


_COMPARE: Final = {
    "==": int.__eq__,
    "!=": int.__ne__,
    "<": int.__lt__,
    "<=": int.__le__,
    ">": int.__gt__,
    ">=": int.__ge__,
}
_ARITHMETIC: Final = {
    "+": int.__add__,
    "-": int.__sub__,
    "*": int.__mul__,
    "&": int.__and__,
    "|": int.__or__,
    "^": int.__xor__,
}


def _wrap(number: int, unsigned: bool) -> Value:
    number &= _MASK
    if not unsigned and number & _SIGN:
        number -= 1 << 64
    return Value(number, unsigned)


def _number(token: Traced) -> Value:
    match = _INTEGER.fullmatch(token)
    if match is None:
        if _FLOAT.fullmatch(token):
            raise ExpressionError(codes.FLOAT_IN_EXPRESSION, token)
        head = _INTEGER.match(token)
        digits = head.group(1) if head else ""
        raise ExpressionError(codes.INVALID_SUFFIX, token, suffix=token[len(digits) :])
    digits, suffix = match.groups()
    if suffix.lower() not in _SUFFIXES or "lL" in suffix or "Ll" in suffix:
        raise ExpressionError(codes.INVALID_SUFFIX, token, suffix=suffix)
    base = 16 if digits[:2] in ("0x", "0X") else 2 if digits[:2] in ("0b", "0B") else 8 if digits[0] == "0" else 10
    body = digits[2:] if base in (16, 2) else digits
    if not body:
        raise ExpressionError(codes.INVALID_SUFFIX, token, suffix=digits[1:])
    if (base == 8 and not body.isdigit()) or (base == 8 and set(body) & {"8", "9"}):
        bad = next(character for character in body if character in "89")
        raise ExpressionError(codes.INVALID_DIGIT, token, digit=bad, base="octal")
    number = number_of(body) if base == 10 else int(body, base)
    if number > _MASK:
        raise ExpressionError(codes.INTEGER_TOO_LARGE, token)
    return _wrap(number, "u" in suffix.lower() or number >= _SIGN)


def _character(token: Traced) -> Value:
    body = token[token.index("'") + 1 : -1]
    value = 0
    i = 0
    while i < len(body):
        character = body[i]
        i += 1
        if character == "\\" and i < len(body):
            escape = body[i]
            i += 1
            if escape == "x":
                digits = re.match(r"[0-9a-fA-F]*", body[i:])
                text = digits.group() if digits else ""
                i += len(text)
                code = int(text, 16) & 0xFF if text else 0
            elif escape in "01234567":
                digits = re.match(r"[0-7]{1,3}", body[i - 1 :])
                text = digits.group() if digits else escape
                i += len(text) - 1
                code = int(text, 8) & 0xFF
            else:
                code = _ESCAPES.get(escape, ord(escape))
        else:
            code = ord(character)
        value = (value << 8) | (code & 0xFF)
    if len(body) == 1 or body[:1] == "\\":
        value = value - 256 if 128 <= value < 256 else value  # char is signed
    return _wrap(value & 0xFFFFFFFF if value >= 0 else value, unsigned=False)
