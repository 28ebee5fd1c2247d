"""Macro expansion, as DXC (Clang) does it, token for token.

While the tokens of a macro are being read, the macro is switched off; a name of a switched-off macro that is read is
*painted* and never expands again, wherever it goes.  A macro is switched on again when something is asked for behind
its last token.  That is finer than the words of the C standard, which leave a few cases open, and it decides them.

``Expander`` works over bare strings.  What it cannot do with them (``#`` wants to know the white space, ``__LINE__``
the place) ends in ``NeedsTrace``, and the caller takes ``trace.TracingExpander``, which is the same algorithm over
``Traced`` tokens.
"""

from __future__ import annotations

from typing import Any

from hlsl_tool.diagnostics import Code
from hlsl_tool.diagnostics.catalogue import preprocessor as codes
from hlsl_tool.preprocessor import limits
from hlsl_tool.preprocessor.lexing import lexer
from hlsl_tool.preprocessor.lexing.tokens import Painted
from hlsl_tool.preprocessor.macros.definitions import (
    ELIDED,
    EXPANDED,
    PASTE,
    PASTE_OP,
    PLACEMARKER,
    RAW,
    TOKEN,
    VA_RAW,
    Macro,
)

Context = tuple[list[str], int, Macro | None]


class NeedsTrace(Exception):
    """These tokens cannot be expanded without their spacing or their places."""


class ExpansionProblem(Exception):
    """A limit was passed; expansion stops here."""

    def __init__(self, code: Code, token: str, **fields: Any) -> None:
        super().__init__(code.id)
        self.code = code
        self.token = token
        self.fields = fields


class Expander:
    """Expands token lists against one macro table.  Use one for each list: it carries the results beside the tokens."""

    __slots__ = ("_disabled", "_fuel", "_level", "_painted", "begun", "legacy", "macros", "made", "problems")

    def __init__(self, macros: dict[str, Macro]) -> None:
        self.macros = macros
        self.made: set[str] = set()
        """Identifiers that ``##`` made: they were looked up in the macro table, though no text mentions them."""
        self.problems: list[tuple[Code, str, dict[str, Any]]] = []
        """(code, token at fault, fields); without places here, those need a trace."""
        self.begun = -1
        """Index of the token whose expansion was begun last."""
        self.legacy = False
        """Expand the operands of ``##`` too, as FXC does."""
        self._disabled: set[Macro] = set()
        self._fuel = limits.MAX_EXPANSION_TOKENS
        self._level = 0
        self._painted = False

    def expand(self, tokens: list[str]) -> list[str]:
        """Expand a run of text."""
        macros = self.macros
        out: list[str] = []
        done = 0
        # Most of a run names no macro: copy what lies between those that do.
        for at in [index for index, token in enumerate(tokens) if token in macros]:
            if at >= done:
                out += tokens[done:at]
                result, done = self._scan(tokens, at)
                out += result
        out += tokens[done:]
        return [str(token) if token.__class__ is Painted else token for token in out] if self._painted else out

    # ------------------------------------------------------------------------------------------ scanning

    def _scan(self, base: list[str], start: int = -1) -> tuple[list[str], int]:
        """Expand a list; with a ``start`` only the macro there.  Gives the tokens, and the index behind them."""
        get = self.macros.get
        disabled = self._disabled
        out: list[str] = []
        stack: list[Context] = []
        tokens, i, n, current = base, max(start, 0), len(base), None
        single = start >= 0
        while True:
            if single and i > start and not stack:
                return out, i
            if i >= n:
                if current is not None:
                    disabled.discard(current)
                if not stack:
                    return out, i
                tokens, i, current = stack.pop()
                n = len(tokens)
                continue
            token = tokens[i]
            i += 1
            macro = get(token)
            if macro is None:
                out.append(token)
                continue
            if token.__class__ is not str and token.painted:  # type: ignore[attr-defined]
                out.append(token)
                continue
            if not stack:
                if not self._level:
                    self.begun = i - 1
                self._start(token)
            if macro in disabled:
                out.append(self._paint(token))
                continue
            if macro.builtin is not None:
                handled = self._builtin(macro, token, tokens, i)
                if handled is None:
                    out.append(token)
                else:
                    out.extend(handled[0])
                    i = handled[1]
                continue
            if macro.params is None:
                body = self._object_body(macro, token)
            else:
                if not _called(tokens, i, n, stack):
                    out.append(token)
                    continue
                arguments: list[list[str]] = []
                argument: list[str] = []
                excess = token
                depth = 0
                parameters = len(macro.params)
                variadic = macro.variadic
                while True:
                    if i >= n:
                        if current is not None:
                            disabled.discard(current)
                            current = None
                        if not stack:
                            following = None if self._level else self._more()
                            if following is None:
                                self.problems.append((codes.UNTERMINATED_INVOCATION, token, {"macro": macro.name}))
                                return out, n
                            tokens, i, n = following, 0, len(following)
                            continue
                        tokens, i, current = stack.pop()
                        n = len(tokens)
                        continue
                    part = tokens[i]
                    i += 1
                    if part == "(":
                        depth += 1
                        if depth == 1:
                            excess = part
                            continue
                    elif part == ")":
                        depth -= 1
                        if depth == 0:
                            break
                    elif part == "," and depth == 1:
                        if not variadic or len(arguments) < parameters - 1:
                            arguments.append(argument)
                            argument = []
                            if len(arguments) == parameters:
                                excess = part
                            continue
                    elif disabled and get(part) in disabled:
                        part = self._paint(part)
                    argument.append(part)
                arguments.append(argument)
                if not stack:
                    self._close(tokens[i - 1])
                if not self._fit(macro, arguments, excess, part):
                    out.append(token)
                    continue
                body = self._function_body(macro, token, arguments)
            size = len(body)
            self._fuel -= size + 1
            if self._fuel < 0:
                raise ExpansionProblem(codes.EXPANSION_TOO_LARGE, token, limit=limits.MAX_EXPANSION_TOKENS)
            if size:
                stack.append((tokens, i, current))
                tokens, i, n, current = body, 0, size, macro
                disabled.add(macro)
            else:
                self._vanished(token, tokens, i, stack)

    def _fit(self, macro: Macro, arguments: list[list[str]], excess: str, close: str) -> bool:
        """Bring the arguments to the number of parameters (C11 6.10.3p4); says whether they fit.

        ``excess`` is what stands before the first argument that has no parameter, ``close`` the closing parenthesis.
        """
        params = macro.params or []
        given, wanted = len(arguments), len(params)
        if wanted == 0 and given == 1 and not arguments[0]:
            arguments.clear()
            return True
        if given == wanted:
            if macro.variadic and given == 1 and not arguments[0]:
                arguments[0] = ELIDED
            return True
        if given > wanted:
            at = arguments[wanted][0] if arguments[wanted] else excess
            self.problems.append((codes.TOO_MANY_ARGUMENTS, at, {"macro": macro.name}))
            return False
        if macro.variadic and given + 1 == wanted:
            arguments.append(ELIDED)
            return True
        self.problems.append((codes.TOO_FEW_ARGUMENTS, close, {"macro": macro.name}))
        return False

    # ------------------------------------------------------------------------------------------ replacement lists

    def _object_body(self, macro: Macro, name: str) -> list[str]:
        if not macro.pastes:
            return macro.body
        return self._paste([PASTE if token == "##" else token for token in macro.body], name)

    def _function_body(self, macro: Macro, name: str, arguments: list[list[str]]) -> list[str]:
        if macro.stringises:
            raise NeedsTrace
        out: list[str] = []
        expanded: list[list[str] | None] = [None] * len(arguments)
        for operation, token, number, _ in macro.program:
            if operation == TOKEN:
                out.append(token)
            elif operation == EXPANDED:
                done = expanded[number]
                if done is None:
                    done = expanded[number] = self._expand_argument(arguments[number], name)
                out += done
            elif operation == RAW:
                out += arguments[number] or [PLACEMARKER]
            elif operation == PASTE_OP:
                out.append(PASTE)
            elif operation == VA_RAW:
                append_variadic(out, arguments[number], elided=arguments[number] is ELIDED)
        return self._paste(out, name) if macro.pastes else out

    def _expand_argument(self, argument: list[str], name: str) -> list[str]:
        """An argument is expanded as if it were all there is (C11 6.10.3.1)."""
        if self.macros.keys().isdisjoint(argument):
            return argument
        if self._level >= limits.MAX_ARGUMENT_DEPTH:
            raise ExpansionProblem(codes.ARGUMENTS_TOO_DEEP, name, limit=limits.MAX_ARGUMENT_DEPTH)
        self._level += 1
        result = self._scan(argument)[0]
        self._level -= 1
        return result

    def _paste(self, tokens: list[str], name: str) -> list[str]:
        out: list[str] = []
        i, n = 0, len(tokens)
        while i < n:
            token = tokens[i]
            i += 1
            if token != PASTE or not out or i >= n:
                out.append(token)
                continue
            left, right = out[-1], tokens[i]
            i += 1
            if right == PLACEMARKER:
                continue
            if left == PLACEMARKER:
                out[-1] = right
                continue
            joined = str(left) + str(right)
            if len(joined) > limits.MAX_TOKEN_LENGTH:
                raise ExpansionProblem(codes.TOKEN_TOO_LONG, name, limit=limits.MAX_TOKEN_LENGTH)
            if not lexer.is_token(joined):
                self.problems.append((codes.BAD_PASTE, token, {"token": joined}))
                out.append(right)
                continue
            out[-1] = self._join(left, joined)
            if lexer.IDENTIFIER.match(joined):
                self.made.add(joined)
        return [token for token in out if token != PLACEMARKER]

    # ------------------------------------------------------------------------------------------ what a trace does more

    def _builtin(self, macro: Macro, token: str, tokens: list[str], i: int) -> tuple[list[str], int] | None:
        """What a builtin macro stands for, and the index behind it; ``None`` leaves the name as it is."""
        raise NeedsTrace

    def _more(self) -> list[str] | None:
        """More text, when an invocation is still open at the end; ``None`` if there is none."""
        raise NeedsTrace

    def _paint(self, token: str) -> str:
        self._painted = True
        return Painted(token)

    def _join(self, left: str, joined: str) -> str:
        return joined

    def _start(self, token: str) -> None:
        """A macro name was read that no macro made."""

    def _vanished(self, name: str, tokens: list[str], i: int, stack: list[Context]) -> None:
        """An expansion came out empty; its white space goes to the next token."""

    def _close(self, token: str) -> None:
        """The closing parenthesis of an outermost invocation was read."""


def _called(tokens: list[str], i: int, n: int, stack: list[Context]) -> bool:
    """Is the next token, wherever it comes from, an opening parenthesis?"""
    if i < n:
        return tokens[i] == "("
    for below, at, _ in reversed(stack):
        if at < len(below):
            return below[at] == "("
    return False


def append_variadic(out: list[str], argument: list[str], *, elided: bool) -> None:
    """``, ## __VA_ARGS__``: the comma stays if there is an argument, be it empty, and goes if there is none."""
    if len(out) < 2 or out[-1] != PASTE or out[-2] != ",":
        out += argument or [PLACEMARKER]
    elif argument:
        out[-1:] = argument
    elif not elided:
        del out[-1]
    else:
        del out[-2:]
        if out and out[-1] == PASTE:
            out.append(PLACEMARKER)  # X ## , ## __VA_ARGS__ leaves X
