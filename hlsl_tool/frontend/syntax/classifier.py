"""The token classifier maps spellings to terminals of the grammar.

Most tokens are determined by their spelling and looked up in one pass.  The rest (braces, ``<``, ``::``, and words
that declare or qualify) are visited in order: types are recorded as they are declared, template brackets are paired,
contextual keywords are distinguished from names.  Legacy effects syntax is removed.

The driver corrects a name that hides a type: ``Classified.rename``.
"""

from __future__ import annotations

from collections.abc import Sequence

from hlsl_tool.base.system.dataclass import dataclass, field
from hlsl_tool.frontend.syntax import kinds as K
from hlsl_tool.frontend.syntax.brackets import Brackets
from hlsl_tool.frontend.syntax.builtin_types import EFFECT_OBJECTS, SCOPED
from hlsl_tool.frontend.syntax.classified import Classified
from hlsl_tool.frontend.syntax.environment import Effect, Environment
from hlsl_tool.frontend.syntax.kinds import (
    IDENT,
    QUAL,
    SCOPE,
    SPECIAL,
    STATE_BLOCK,
    TGT,
    TYPE,
)
from hlsl_tool.frontend.syntax.modern import Braces, Modern


@dataclass(slots=True)
class Classifier(Modern):
    """Determines the grammar's terminal for each token of one top-level declaration."""

    effects: list[Effect] = field(init=False, default_factory=list)
    pinned: set[int] = field(init=False, default_factory=set)
    """Tokens that are always names: those that a ``typedef``, ``using`` or template parameter declares."""
    expected: Braces | None = field(init=False, default=None)
    """The scope that the next brace opens, if it is not a block."""

    def classify(self) -> Classified:
        tokens = self.tokens
        self.kinds = codes = list(map(self.env.codes.__getitem__, tokens))
        specials = [at for at, code in enumerate(codes) if code >= SPECIAL]
        self.brackets = Brackets(tokens, codes, specials)
        self.scopes.append(Braces("global", len(tokens)))
        for name in sorted(self.assumed):
            self.mark(name, 0, len(tokens))
        handlers = _HANDLERS
        skip_to = 0
        for at in specials:
            code = codes[at]
            if code < SPECIAL or at < skip_to:
                continue
            codes[at] = code - SPECIAL
            handler = handlers.get(code)
            if handler is not None:
                handler(self, at)
                if self.drops:
                    skip_to = self.drops[-1][1]
        if "compile" in self.identifiers:
            self._drop_compilations()
        if self.splits or self.drops:
            return self._rewritten()
        return Classified(tokens, codes, range(len(tokens)), self.effects, self._members())

    def _rewritten(self) -> Classified:
        """Return the classified tokens, except dropped ones; a ``>>`` that closes two brackets occurs twice."""
        keep = [1] * len(self.tokens)
        for first, end in self.drops:
            keep[first:end] = [0] * (end - first)
        for at in self.splits:
            keep[at] = 2
        indices = [at for at, count in enumerate(keep) for _ in range(count)]
        kinds = [self.kinds[at] for at in indices]
        return Classified(self.tokens, kinds, indices, self.effects, self._members(), tuple(self.splits))

    def _members(self) -> frozenset[str]:
        return self.identifiers & (self.env.members | self.members) if self.env.members or self.members else frozenset()

    # ------------------------------------------------------------------------------------------------------- helpers

    def mark(self, name: str, start: int, end: int) -> None:
        kinds = self.kinds
        for at in self.brackets.positions(name, start, end):
            if kinds[at] == IDENT and at not in self.pinned:
                kinds[at] = TYPE

    def pin(self, at: int) -> None:
        self.kinds[at] = IDENT
        self.pinned.add(at)

    def declare(self, name: str, start: int) -> None:
        """Record a type in the innermost scope, visible from the token ``start`` on."""
        scope = self.scopes[-1]
        self.mark(name, start, scope.end)
        if scope.kind == "global":
            self.effects.append(Effect("type", name))
        elif scope.kind == "namespace":
            self.members.add(name)
            self.effects.append(Effect("type", name, scope.path))
        elif scope.kind == "struct":
            self.members.add(name)
            if all(outer.kind != "block" for outer in self.scopes):
                self.effects.append(Effect("member", name))

    # ------------------------------------------------------------------------------------------------ braces, scopes

    def on_lbrace(self, at: int) -> None:
        if self._is_state_block(at):
            if not self.env.is_modern or self._has_semicolon(at):
                self.drop_block(at)
                return
            if self.token(at - 1) != "=":
                self.kinds[at] = K.BRACED
        scope = self.expected or Braces("block", 0)
        self.expected = None
        scope.end = self.brackets.close(at)
        self.scopes.append(scope)

    def on_rbrace(self, at: int) -> None:
        if len(self.scopes) > 1:
            self.scopes.pop()

    def _is_state_block(self, at: int) -> bool:
        """Return whether a brace opens an effects state block: ``SamplerState s { ... }``, ``= { Filter = ...; }``."""
        before = self.token(at - 1)
        if before == "=":
            return self.is_name(at + 1) and self.token(at + 2) in ("=", "[") and self._has_semicolon(at)
        return self.expected is None and before not in _BEFORE_BLOCKS and self._ends_declarator(at)

    def _ends_declarator(self, end: int) -> bool:
        """Return whether a variable's declarator, with its annotations, ends immediately before token ``end``."""
        at = end - 1
        if self.token(at) == ")" and _BINDINGS.isdisjoint(self.identifiers):
            return False
        while at > 0:
            text = self.token(at)
            if text == ">" and self.drops and self.drops[-1][1] == at + 1:
                at = self.drops[-1][0] - 1
            elif text == "]" or text == ")":
                opened = self.brackets.opening(at)
                if text == ")" and self.token(opened - 1) not in _BINDINGS:
                    return False  # a function or a statement
                at = opened - 1 if text == "]" else opened - 3
            elif self.kinds[at] != IDENT:
                return False
            elif self.token(at - 1) == ":":
                at -= 2
            else:
                return self.kind(at - 1) in (TYPE, TGT, IDENT) or self.token(at - 1) == ","
        return False

    def _has_semicolon(self, at: int) -> bool:
        return ";" in self.tokens[at : self.brackets.close(at)]

    def drop_block(self, at: int) -> None:
        """Replace the state block whose brace opens at ``at`` by one terminal."""
        self.kinds[at] = STATE_BLOCK
        self.drops.append((at + 1, min(self.brackets.close(at) + 1, len(self.tokens))))

    def on_sampler_state(self, at: int) -> None:
        if self.token(at + 1) != "{":
            self.kinds[at] = IDENT
            return
        self.kinds[at + 1] = STATE_BLOCK
        self.drops.append((at + 2, min(self.brackets.close(at + 1) + 1, len(self.tokens))))

    def on_technique(self, at: int) -> None:
        brace = at + 1
        if self.is_name(brace):
            brace += 1
        if self.token(brace) == "<":
            end = self.brackets.annotation_end(brace)
            if end >= 0:
                self.drops.append((brace, end + 1))
                brace = end + 1
        if self.token(brace) != "{" or self.scopes[-1].kind == "block":
            self.kinds[at] = IDENT
            return
        if self.is_name(at + 1):
            self.pin(at + 1)
        self.kinds[brace] = STATE_BLOCK
        self.drops.append((brace + 1, min(self.brackets.close(brace) + 1, len(self.tokens))))

    def _drop_compilations(self) -> None:
        """Drop ``compile ps_2_0`` in front of calls in the initialisers of effect objects, which are ignored."""
        is_behind_object = False
        for at, token in enumerate(self.tokens):
            is_behind_object = is_behind_object or token in EFFECT_OBJECTS
            is_compilation = token == "compile" and self.is_name(at + 1) and self.is_name(at + 2)
            if is_compilation and is_behind_object and self.token(at + 3) == "(":
                self.drops.append((at, at + 2))

    # ---------------------------------------------------------------------------------------------------- qualifiers

    def on_contextual(self, at: int) -> None:
        """Classify a contextual keyword: a qualifier if (further qualifiers and) a type follow, else a name."""
        end = at + 1
        while self.kind(end) in (QUAL, K.CONTEXTUAL, K.RESERVED):  # reserved words such as `volatile` are reported
            end += 1
        kind = self.kind(end)
        if kind == IDENT:  # an unknown type, or one behind `::`
            is_behind_type = self.kind(at - 1) in (TYPE, TGT, QUAL)  # only reported: modifiers come before types
            qualifies = is_behind_type or self.token(end + 1) == "::" or self.kind(end + 1) == IDENT
        else:
            qualifies = kind in (TYPE, K.INTWORD, K.STRUCT, K.CLASS, K.TYPENAME, K.ENUM) or (
                end > at + 1 and self.kind(end - 1) == QUAL
            )
        self.kinds[at] = QUAL if qualifies else IDENT

    def on_matrix_handle(self, at: int) -> None:
        """Make the arguments of ``__LinAlgMatrix_Attributes`` behind a matrix handle its template arguments."""
        if self.token(at + 1) != "[" or self.token(at + 2) != "[":
            return
        end = self.brackets.skip_square(at + 1) + 1
        if self.token(at + 4) != "(" or self.token(end - 3) != ")" or end - 3 <= at + 5:
            self.drops.append((at + 1, end))
            return
        self.kinds[at], self.kinds[at + 4], self.kinds[end - 3] = K.TTYPE, K.TLT, TGT
        self.drops += [(end - 2, end), (at + 1, at + 4)]  # classification continues after the last one

    def on_packoffset(self, at: int) -> None:
        if self.token(at - 1) != ":" or self.token(at + 1) != "(":
            self.kinds[at] = IDENT

    # -------------------------------------------------------------------------------------------------- declarations

    def on_struct(self, at: int) -> None:
        if self.token(at - 1) == "enum":
            return
        name = self._behind_attributes(at + 1)
        if not self.is_name(name):
            if self.token(name) == "{":
                self.expected = Braces("struct", 0)
            return
        self.kinds[name] = TYPE
        self.declare(self.tokens[name], name + 1)
        behind = name + 1
        if self.token(behind) == "<":
            behind = self.match_angle(behind, forced=True) + 1
        if self.token(behind) in ("{", ":"):
            self.expected = Braces("struct", 0, name=self.tokens[name])

    def _behind_attributes(self, at: int) -> int:
        while self.token(at) == "[":
            at = self.brackets.skip_square(at) + 1
        return at

    def on_enum(self, at: int) -> None:
        name = at + 1
        if self.kind(name) in (K.CLASS, K.STRUCT):
            self.kinds[name] -= SPECIAL
            name += 1
        name = self._behind_attributes(name)
        if self.is_name(name):
            self.kinds[name] = TYPE
            self.declare(self.tokens[name], name + 1)
            self.enums.add(self.tokens[name])
            self.effects.append(Effect("enum", self.tokens[name]))

    def on_cbuffer(self, at: int) -> None:
        if self.is_name(at + 1):
            self.pin(at + 1)
        outer = self.scopes[-1]
        self.expected = Braces(outer.kind, 0, outer.path)  # its members are visible in the enclosing scope

    def on_namespace(self, at: int) -> None:
        path = self.scopes[-1].path
        name = at + 1
        while self.is_name(name):
            path = f"{path}::{self.tokens[name]}" if path else self.tokens[name]
            self._reopen(path, name)
            if self.token(name + 1) != "::":
                self.pin(name)
                break
            self.kinds[name] = SCOPE
            self.kinds[name + 1] = K.COLONS - SPECIAL
            name += 2
        self.expected = Braces("namespace", 0, path)

    def _reopen(self, path: str, at: int) -> None:
        """Mark the types that a namespace has from earlier declarations, or from earlier in this one."""
        own = {effect.name for effect in self.effects if effect.kind == "type" and effect.path == path}
        namespace_types = own | (self.env.namespaces.get(path, set()) & self.identifiers)
        if namespace_types:
            brace = self.brackets.next_brace(at)
            for name in sorted(namespace_types):
                self.mark(name, brace, self.brackets.close(brace))

    def on_using(self, at: int) -> None:
        if self.token(at + 1) == "namespace":
            self.kinds[at + 1] = K.NAMESPACE - SPECIAL
            self._using_namespace(at + 2)
        elif self.token(at - 1) == "[":  # `[[using vk: binding(1)]]` declares nothing
            if self.is_name(at + 1):
                self.pin(at + 1)
        elif self.is_name(at + 1) and self.token(at + 2) in ("=", "["):
            self.pin(at + 1)
            self.declare(self.tokens[at + 1], at + 3)
        else:
            last = at + 1
            while self.token(last) not in (";", ""):
                last += 1
            name = self.token(last - 1)
            is_built_in = last == at + 4 and name in SCOPED.get(self.token(at + 1), ())
            if is_built_in or name in self.env.members or name in self.members:
                self.kinds[last - 1] = TYPE
                self.declare(name, last)

    def _using_namespace(self, name: int) -> None:
        path = ""
        if self.token(name) == "::":
            name += 1
        while self.is_name(name):
            path = f"{path}::{self.tokens[name]}" if path else self.tokens[name]
            if self.token(name + 1) != "::":
                self.pin(name)
                break
            self.kinds[name] = SCOPE
            self.kinds[name + 1] = K.COLONS - SPECIAL
            name += 2
        scope = self.scopes[-1]
        for type_name in sorted(self.identifiers & self.env.namespaces.get(path, set())):
            self.mark(type_name, name, scope.end)
        if path in SCOPED:
            for type_name in sorted(self.identifiers.intersection(SCOPED[path])):
                self.mark(type_name, name, scope.end)
        if scope.kind == "global":
            self.effects.append(Effect("open", "", path))
            self.effects.extend(Effect("type", type_name) for type_name in sorted(SCOPED.get(path, ())))

    def on_typedef(self, at: int) -> None:
        for name in self.brackets.typedef_names(at):
            if self.is_name(name) and self.tokens[name - 1] != "typedef" and self.kind(name - 1) != QUAL:
                self.pin(name)
                self.declare(self.tokens[name], name + 1)

    def on_template(self, at: int) -> None:
        if self.token(at + 1) != "<":
            return
        right = self.match_angle(at + 1, forced=True)
        if right < 0:
            return
        end = self.brackets.declaration_end(right + 1)
        for word in range(at + 2, right):
            if self.tokens[word] in ("typename", "class") and self.tokens[word - 1] in ("<", ","):
                self.kinds[word] = K.BASE_CODES[self.tokens[word]] - SPECIAL
                if self.is_name(word + 1) and self.token(word + 2) in (",", ">", ">>", "=", ">="):
                    self.pin(word + 1)
                    self.mark(self.tokens[word + 1], word + 2, end)
                elif self.token(word + 1) == "..." and self.is_name(word + 2):
                    self.pin(word + 2)
                    self.mark(self.tokens[word + 2], word + 3, end)
                elif self.token(word + 1) not in (",", ">", "="):
                    self.kinds[word] += SPECIAL  # `typename T::type N`
        name = self._templated_name(right + 1)
        if name:
            self.templates.add(name)
            self.effects.append(Effect("template", name))

    def _templated_name(self, at: int) -> str:
        """Return the name of the function or variable template whose declaration starts at ``at``."""
        at = self._behind_attributes(at)
        if self.token(at) in ("struct", "class", "interface", "using", "template"):
            return ""
        while self.token(at) not in ("(", ";", "{", "=", "", "operator"):
            at += 1
        return self.tokens[at - 1] if self.token(at) in ("(", "=", ";") and self.is_name(at - 1) else ""


_BEFORE_BLOCKS = frozenset((";", "{", "}", "else", "do", ":"))
"""Tokens before the brace of a block, of an initialiser or of a type."""

_BINDINGS = frozenset(("register", "packoffset"))

_HANDLERS = {
    K.LESS: Classifier.on_less,
    K.COLONS: Classifier.on_colons,
    K.STRUCT: Classifier.on_struct,
    K.CLASS: Classifier.on_struct,
    K.ENUM: Classifier.on_enum,
    K.TEMPLATE: Classifier.on_template,
    K.TYPENAME: Classifier.on_typename,
    K.TYPEDEF: Classifier.on_typedef,
    K.USING: Classifier.on_using,
    K.NAMESPACE: Classifier.on_namespace,
    K.CBUFFER: Classifier.on_cbuffer,
    K.LBRACE: Classifier.on_lbrace,
    K.RBRACE: Classifier.on_rbrace,
    K.TECHNIQUE: Classifier.on_technique,
    K.SAMPLER_STATE: Classifier.on_sampler_state,
    K.PACKOFFSET: Classifier.on_packoffset,
    K.CONTEXTUAL: Classifier.on_contextual,
    K.MATRIX_HANDLE: Classifier.on_matrix_handle,
    K.MODERN_CODES["("]: Classifier.on_paren,
    K.MODERN_CODES["["]: Classifier.on_bracket,
    K.MODERN_CODES[":"]: Classifier.on_colon,
    K.MODERN_CODES["="]: Classifier.on_equal,
    K.MODERN_CODES["->"]: Classifier.on_arrow,
    K.MODERN_CODES["for"]: Classifier.on_for,
}


def classify(
    tokens: Sequence[str], env: Environment, identifiers: frozenset[str], assumed: frozenset[str] = frozenset()
) -> Classified:
    """Determine the grammar's terminals for the tokens of a top-level declaration; see `Classifier`."""
    return Classifier(tokens, env, identifiers, assumed).classify()
