"""Render the HTML report with Jinja2 templates; all text is escaped."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from hlsl_tool import __version__
from hlsl_tool.apps.report.html.charts import line_chart, sparkline
from hlsl_tool.apps.report.html.page_data import Report
from hlsl_tool.reflection.linking.binding_table import rule_words

SECTIONS = (
    ("summary", "Summary"),
    ("changes", "Changes"),
    ("shaders", "Shaders"),
    ("time", "Compile time"),
    ("history", "History"),
    ("headers", "Headers"),
    ("permutations", "Permutations"),
    ("coverage", "Lines by permutations"),
    ("bindings", "Bindings"),
    ("blocks", "Memory layouts"),
)
"""Templates in the order of the page, with their headings."""
SLOWEST = 10


class Letters:
    """Assigns short names to the distinct modules of one entry point: A, B, …, Z, AA."""

    def __init__(self) -> None:
        self.by_digest: dict[str, str] = {}

    def of(self, digest: str) -> str:
        """Return the short name for a digest; equal digests have the same name."""
        if digest not in self.by_digest:
            letters, number = "", len(self.by_digest) + 1
            while number:
                number, rest = divmod(number - 1, 26)
                letters = chr(ord("A") + rest) + letters
            self.by_digest[digest] = letters
        return self.by_digest[digest]


def render(report: Report) -> str:
    """Return the report as HTML text; equal reports give equal text."""
    from hlsl_tool.apps.report.comparison import verdict
    from hlsl_tool.apps.report.layout_svg import HATCH

    environment = Environment(
        loader=PackageLoader("hlsl_tool.apps.report.html"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        anchor=anchor,
        drawn=Markup,  # `layout_svg` escapes names
        line_chart=line_chart,
        number=_number,
        rule_words=rule_words,
        sparkline=sparkline,
        thousands=_thousands,
        time=_time,
    )
    css, script = _resource("page.css"), _resource("page.js")
    slowest = sorted((row for row in report.shaders if row.ms), key=lambda row: (-row.ms, row.name))[:SLOWEST]
    return environment.get_template("page.html").render(
        report=report,
        sections=[one for one in SECTIONS if _has(report, one[0])],
        policy=f"default-src 'none'; style-src '{_hash(css)}'; script-src '{_hash(script)}'; base-uri 'none';"
        " form-action 'none'",
        css=Markup(css),
        script=Markup(script),
        hatch=Markup(HATCH),
        version=__version__,
        clashes=sum(len(table.problems) for table in report.bindings),
        verdict=verdict(report.comparison) if report.comparison is not None else "",
        slowest=slowest,
        widest_stage=max(report.statistics.stages.values(), default=0) or 1,
        has_reuse=any(row.reused for row in report.shaders),
        has_equals=any(row.same_as for row in report.shaders),
        has_trends=any(row.trend for row in report.shaders),
        linked={table.name for table in report.bindings if not table.is_pipeline},
        weights={row.digest: row.weight for row in report.shaders},
        new_letters=Letters,
    )


def _has(report: Report, section: str) -> bool:
    if section == "changes":
        return report.comparison is not None
    if section in ("time", "history"):
        return report.has_times
    data = {
        "shaders": report.shaders,
        "headers": report.headers,
        "permutations": report.trees,
        "bindings": report.bindings,
        "blocks": report.blocks,
    }
    return bool(data.get(section, True))


def _resource(name: str) -> str:
    return (files("hlsl_tool.apps.report.html") / "templates" / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def anchor(name: str, kind: str) -> str:
    """Return the id of an HTML element: `shader-lit.PSMain`; different names have different ids."""
    plain = "".join(c if c.isascii() and (c.isalnum() or c in "/.=_-") else f"~{ord(c):x}~" for c in name)
    return f"{kind}-{plain}"


def _number(value: int | None) -> str:
    return "" if value is None else str(value)


def _thousands(value: int) -> str:
    return f"{value:,}"


def _time(ms: float) -> str:
    return f"{ms:.1f} ms" if ms < 1000 else f"{ms / 1000:.2f} s"
