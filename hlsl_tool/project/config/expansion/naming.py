"""The names of a permutation: its output, its files, its C array and namespace."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from hlsl_tool.base.diagnostics.diagnostic import Location
from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.project.config.expansion.name_templates import clean, fill, mentioned, part, shorten
from hlsl_tool.project.config.layers import UNDEFINED, Layer

NAME_LIMIT = 180
"""The longest file name that is not shortened: file systems allow 255, and temporary names add to it."""

_DEFAULT = "{stem}.{entry}"
_SEPARATORS = "._-"
_ENTRY_WORDS = frozenset(("source", "dir", "stem", "entry", "profile", "stage"))
"""Placeholders that all permutations of an entry share."""


class BadTemplate(Exception):
    """Raised for a template with an unknown placeholder."""

    def __init__(self, name: str, key: str, at: Location | None) -> None:
        super().__init__(name)
        self.name = name
        self.key = key
        self.at = at


class Naming:
    """Fills the name templates of one permutation.

    ``path`` is the source relative to the source folder; ``chosen`` maps the macros that vary to their values.  Methods
    raise `BadTemplate` for a template with an unknown placeholder.
    """

    def __init__(self, path: str, layer: Layer, options: CompileOptions, chosen: Mapping[str, str | None]) -> None:
        self.layer = layer
        self.chosen = chosen
        self.folder = "" if "/" not in path else path.rpartition("/")[0] + "/"
        source = path.rpartition(".")[0] if "." in path[len(self.folder) + 1 :] else path
        self.words = {
            "source": source,
            "dir": self.folder.rstrip("/"),
            "stem": source[len(self.folder) :],
            "entry": options.entry or "lib",
            "profile": options.profile,
            "stage": options.profile.partition("_")[0],
        }

    def name(self) -> str:
        """Return the name of the permutation's outputs, from the template of the key `name`.

        The values of macros that vary are appended unless the template contains them.
        """
        template = self._template("name") or _DEFAULT
        words = mentioned(template)
        rest = [part(name, value) for name, value in self.chosen.items() if name not in words and value != UNDEFINED]
        name = self._placed(template, ".".join(rest))
        if "permutation" not in words:
            name = ".".join([name, *rest])
        return shorten(name, NAME_LIMIT)

    def stem(self) -> str:
        """Return the name of the outputs without the values of macros: all permutations of an entry point share it."""
        return self._placed(self._template("name") or _DEFAULT, "")

    def files(self, kinds: Collection[str], shader: str) -> dict[str, str]:
        """Return kind of output → file (from the output folder), for the kinds that have a template of their own."""
        templates = {kind: f"files.{kind}" for kind in kinds if f"files.{kind}" in self.layer.settings}
        return {kind: _normalized(self.text(key, shader)) for kind, key in templates.items()}

    def text(self, key: str, shader: str) -> str:
        """Return the text that the template of a key such as `array` gives; empty if the configuration has no template.

        ``shader`` is the name of the outputs without the values of macros.
        """
        template = self._template(key)
        if not template:
            return ""
        rest = [part(name, value) for name, value in self.chosen.items() if value != UNDEFINED]
        named = {"name": self.name(), "shader": shader, "permutation": ".".join(rest)}
        return self._fill(key, template, named)

    def _template(self, key: str) -> str:
        setting = self.layer.settings.get(key)
        return "" if setting is None else str(setting.value)

    def _placed(self, template: str, permutation: str) -> str:
        """Fill a name template; return the result as a path from the output folder.

        ``permutation`` is the text that replaces the placeholder `{permutation}`, such as `FOG=1`.
        """
        name = self._fill("name", template, {"permutation": permutation})
        if not mentioned(template).issubset(_ENTRY_WORDS):  # what stands for a permutation may be empty
            name = name.rstrip(_SEPARATORS) or name
        return _normalized(name) if "/" in name else self.folder + name

    def _fill(self, key: str, template: str, words: Mapping[str, str]) -> str:
        """Return a template with its placeholders for words and macros replaced."""
        values = {**self.words, **words}
        for name in mentioned(template).difference(values):
            macro = self.layer.macros.get(name)
            if macro is None:
                setting = self.layer.settings.get(key)
                raise BadTemplate(name, key, setting.at if setting else None)
            value = self.chosen.get(name) if macro.axis else macro.values[0]
            values[name] = "" if value is None or value == UNDEFINED else clean(value)
        return fill(template, values)


def _normalized(path: str) -> str:
    return "/".join(part for part in path.split("/") if part not in ("", "."))
