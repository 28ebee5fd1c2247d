"""Macro expansion with exactly DXC's (Clang's) results.

A macro is disabled while its tokens are read; a name of a disabled macro is *painted* and never expands again.  A macro
is enabled again when a token after its last one is requested.  This decides the cases that the C standard leaves
unspecified.

``Expander`` works on plain strings.  It raises ``NeedsTrace`` for operations that need more (``#`` needs white space,
``__LINE__`` the location); the caller then uses ``trace.TracingExpander``, the same algorithm over ``Traced`` tokens.
"""

from __future__ import annotations

import sys
from typing import Any

from hlsl_tool.base.diagnostics import Code
from hlsl_tool.base.diagnostics.catalogue import preprocessor as codes
from hlsl_tool.frontend.preprocessor import limits
from hlsl_tool.frontend.preprocessor.lexing import lexer
from hlsl_tool.frontend.preprocessor.lexing.tokens import Painted
from hlsl_tool.frontend.preprocessor.macros.definitions import (
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
    """Raised if an expansion depends on the spacing or locations of its tokens."""


class ExpansionProblem(Exception):
    """Raised if an expansion exceeds a limit."""

    def __init__(self, code: Code, token: str, **fields: Any) -> None:
        super().__init__(code.id)
        self.code = code
        self.token = token
        self.fields = fields


class Expander:
    """Expands a list of tokens with a macro table, and collects side results such as errors."""

    __slots__ = ("_disabled", "_fuel", "_level", "_painted", "begun", "legacy", "macros", "pasted", "problems")

    def __init__(self, macros: dict[str, Macro]) -> None:
        self.macros = macros
        self.pasted: set[str] = set()
        """Identifiers made by ``##``: looked up in the macro table although no text mentions them."""
        self.problems: list[tuple[Code, str, dict[str, Any]]] = []
        """(code, token at fault, fields); the locations require a trace."""
        self.begun = -1
        """Index of the token whose expansion started last."""
        self.legacy = False
        """Whether to expand the operands of ``##``, as FXC does."""
        self._disabled: set[Macro | None] = set()
        self._fuel = limits.MAX_EXPANSION_TOKENS
        self._level = 0
        self._painted = False

    def expand(self, tokens: list[str]) -> list[str]:
        """Expand all macros in a run of text."""
        macros = self.macros
        out: list[str] = []
        done = 0
        # Most tokens name no macro: copy the ranges between those that do.
        for at in [index for index, token in enumerate(tokens) if token in macros]:
            if at >= done:
                out += tokens[done:at]
                result, done = self._scan(tokens, at)
                out += result
        out += tokens[done:]
        return [str(token) if token.__class__ is Painted else token for token in out] if self._painted else out

    # ------------------------------------------------------------------------------------------ scanning

    def _scan(self, base: list[str], start: int = -1) -> tuple[list[str], int]:
        """Expand a list of tokens, or only the macro at ``start``; return the tokens and the index after them."""
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
                disabled.discard(current)
                if not stack:
                    return out, i
                tokens, i, current = stack.pop()
                n = len(tokens)
                continue
            token = tokens[i]
            i += 1
            macro = get(token)
            if macro is None or (token.__class__ is not str and token.painted):  # type: ignore[attr-defined]
                out.append(token)
                continue
            self._begin(token, i - 1, stack)
            if macro in disabled:
                out.append(self._paint(token))
                continue
            if macro.builtin is not None:
                i = self._expand_builtin(macro, token, tokens, i, out)
                continue
            if macro.params is None:
                body: list[str] | None = self._object_body(macro, token)
            else:
                invocation = self._invoke(macro, token, (tokens, i, current), stack)
                if invocation is None:
                    return out, len(base)
                body, (tokens, i, current) = invocation
                n = len(tokens)
            if body is None:
                out.append(token)
            elif body:
                self._spend(len(body) + 1, token)
                stack.append((tokens, i, current))
                tokens, i, n, current = body, 0, len(body), macro
                disabled.add(macro)
            else:
                self._spend(1, token)
                self._vanished(token, tokens, i, stack)

    def _begin(self, token: str, at: int, stack: list[Context]) -> None:
        """Record that the expansion of the macro name ``token`` begins; ``at`` is its index in the text.

        Do nothing if the name is not part of the text, but results from another expansion.
        """
        if stack:
            return
        if not self._level:
            self.begun = at
        self._start(token)

    def _spend(self, tokens: int, name: str) -> None:
        """Count the tokens of an expansion; raise `ExpansionProblem` if the limit is exceeded."""
        self._fuel -= tokens
        if self._fuel < 0:
            raise ExpansionProblem(codes.EXPANSION_TOO_LARGE, name, limit=limits.MAX_EXPANSION_TOKENS)

    def _expand_builtin(self, macro: Macro, token: str, tokens: list[str], i: int, out: list[str]) -> int:
        """Append the expansion of a built-in macro, or its name if it is not expanded; return the index after it."""
        handled = self._builtin(macro, token, tokens, i)
        if handled is None:
            out.append(token)
            return i
        out.extend(handled[0])
        return handled[1]

    def _invoke(
        self, macro: Macro, token: str, context: Context, stack: list[Context]
    ) -> tuple[list[str] | None, Context] | None:
        """Expand the function-like ``macro`` if a parenthesis follows its name.

        Return its body (``None`` if the name is not expanded) and the context after the invocation.  Return only
        ``None`` if the text ends before the invocation does.
        """
        tokens, i, _ = context
        if not _called(tokens, i, len(tokens), stack):
            return None, context
        arguments, excess, context = self._read_arguments(macro, token, context, stack)
        if arguments is None:
            return None
        tokens, i, _ = context
        if not stack:
            self._close(tokens[i - 1])
        if not self._fit(macro, arguments, excess, tokens[i - 1]):
            return None, context
        return self._function_body(macro, token, arguments), context

    def _read_arguments(
        self, macro: Macro, token: str, context: Context, stack: list[Context]
    ) -> tuple[list[list[str]] | None, str, Context]:
        """Read the arguments of an invocation, from the opening parenthesis to the closing one.

        Return the arguments, the token before the first excess argument, and the context after the parenthesis;
        expansions that end before that are removed from ``stack``.  If the text ends first, an error is reported and
        the arguments are ``None``.
        """
        tokens, i, current = context
        n = len(tokens)
        get, disabled = self.macros.get, self._disabled
        arguments: list[list[str]] = []
        argument: list[str] = []
        excess = token
        depth = 0
        parameters = len(macro.params or ())
        separating = parameters - 1 if macro.variadic else sys.maxsize  # commas after these belong to the last argument
        while True:
            if i >= n:
                following = self._following(current, stack)
                if following is None:
                    self.problems.append((codes.UNTERMINATED_INVOCATION, token, {"macro": macro.name}))
                    return None, excess, (tokens, n, None)
                tokens, i, current = following
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
                if len(arguments) < separating:
                    arguments.append(argument)
                    argument = []
                    if len(arguments) == parameters:
                        excess = part
                    continue
            elif disabled and get(part) in disabled:
                part = self._paint(part)
            argument.append(part)
        arguments.append(argument)
        return arguments, excess, (tokens, i, current)

    def _following(self, current: Macro | None, stack: list[Context]) -> Context | None:
        """End the expansion of ``current``, and return the context from which the next tokens are read.

        That is the surrounding expansion or, at the end of the text, further text. The result is ``None`` without
        either.
        """
        self._disabled.discard(current)
        if stack:
            return stack.pop()
        following = None if self._level else self._more()
        return None if following is None else (following, 0, None)

    def _fit(self, macro: Macro, arguments: list[list[str]], excess: str, close: str) -> bool:
        """Adapt the number of arguments to that of the parameters (C11 6.10.3p4); return whether that was possible.

        ``excess`` is the token before the first excess argument, ``close`` the closing parenthesis.
        """
        params = macro.params or []
        given, expected = len(arguments), len(params)
        if expected == 0 and given == 1 and not arguments[0]:
            arguments.clear()
            return True
        if given == expected:
            if macro.variadic and given == 1 and not arguments[0]:
                arguments[0] = ELIDED
            return True
        if given > expected:
            at = arguments[expected][0] if arguments[expected] else excess
            self.problems.append((codes.TOO_MANY_ARGUMENTS, at, {"macro": macro.name}))
            return False
        if macro.variadic and given + 1 == expected:
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
        """Expand an argument in isolation (C11 6.10.3.1)."""
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
                self.pasted.add(joined)
        return [token for token in out if token != PLACEMARKER]

    # ------------------------------------------------------------------------------------------ what a trace does more

    def _builtin(self, macro: Macro, token: str, tokens: list[str], i: int) -> tuple[list[str], int] | None:
        """Return (expansion of a built-in macro, index after it); ``None`` if its name is not expanded."""
        raise NeedsTrace

    def _more(self) -> list[str] | None:
        """Return further tokens for an invocation that is open at the end of the text; ``None`` if there are none."""
        raise NeedsTrace

    def _paint(self, token: str) -> str:
        self._painted = True
        return Painted(token)

    def _join(self, left: str, joined: str) -> str:
        return joined

    def _start(self, token: str) -> None:
        """Hook: called for a macro name that is part of the text, not of an expansion."""

    def _vanished(self, name: str, tokens: list[str], i: int, stack: list[Context]) -> None:
        """Hook: called for an empty expansion, whose white space moves to the next token."""

    def _close(self, token: str) -> None:
        """Hook: called at the closing parenthesis of an outermost invocation."""


def _called(tokens: list[str], i: int, n: int, stack: list[Context]) -> bool:
    """Return whether an opening parenthesis follows, possibly after the end of open expansions."""
    if i < n:
        return tokens[i] == "("
    for below, at, _ in reversed(stack):
        if at < len(below):
            return below[at] == "("
    return False


def append_variadic(out: list[str], argument: list[str], *, elided: bool) -> None:
    """Append ``, ## __VA_ARGS__``; omit the comma if the argument is absent, but not if it is empty."""
    if len(out) < 2 or out[-1] != PASTE or out[-2] != ",":
        out += argument or [PLACEMARKER]
    elif argument:
        out[-1:] = argument
    elif not elided:
        del out[-1]
    else:
        del out[-2:]
        if out and out[-1] == PASTE:
            out.append(PLACEMARKER)  # X ## , ## __VA_ARGS__ yields X
