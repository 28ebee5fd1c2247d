"""JSON and SARIF documents of real diagnostics against their schemas."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from hlsl_tool.base.diagnostics import Diagnostic, Location, Occurrence
from hlsl_tool.base.diagnostics.catalogue import sema
from hlsl_tool.base.diagnostics.render import render
from hlsl_tool.base.diagnostics.render.schema import schema
from hlsl_tool.base.system.dataclass import replace
from hlsl_tool.compiler.compile import compile_shader
from tests.diagnostics.sections import compiled, read

FOLDER = Path(__file__).resolve().parents[2] / "diagnostics"


def _object(required: dict[str, Any], optional: dict[str, Any] | None = None) -> dict[str, Any]:
    properties = {**required, **(optional or {})}
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


def _list(item: dict[str, Any], least: int = 0) -> dict[str, Any]:
    return {"type": "array", "items": item, "minItems": least}


TEXT = {"type": "string", "minLength": 1}
MESSAGE = _object({"text": TEXT})
POSITIVE = {"type": "integer", "minimum": 1}
REGION = _object({"startLine": POSITIVE, "startColumn": POSITIVE}, {"endLine": POSITIVE, "endColumn": POSITIVE})
ARTIFACT = _object({"uri": {**TEXT, "pattern": r"^[!#-;=?-\[\]_a-z~%]+$"}})
LOCATION = _object(
    {"physicalLocation": _object({"artifactLocation": ARTIFACT}, {"region": REGION})}, {"message": MESSAGE}
)
REPLACEMENT = _object({"deletedRegion": REGION}, {"insertedContent": _object({"text": {"type": "string"}})})
CHANGE = _object({"artifactLocation": ARTIFACT, "replacements": _list(REPLACEMENT, 1)})
RESULT = _object(
    {
        "ruleId": TEXT,
        "ruleIndex": {"type": "integer", "minimum": 0},
        "level": {"enum": ["none", "note", "warning", "error"]},
        "message": MESSAGE,
    },
    {
        "locations": _list(LOCATION, 1),
        "relatedLocations": _list(LOCATION, 1),
        "fixes": _list(_object({"artifactChanges": _list(CHANGE, 1)}), 1),
        "properties": {"type": "object"},
    },
)
RULE = _object({"id": TEXT, "name": TEXT, "shortDescription": MESSAGE, "fullDescription": MESSAGE})
DRIVER = _object({"name": TEXT, "rules": _list(RULE)})
RUN = _object(
    {
        "tool": _object({"driver": DRIVER}),
        "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
        "results": _list(RESULT),
    }
)
SARIF = _object({"$schema": TEXT, "version": {"const": "2.1.0"}, "runs": _list(RUN, 1)})
"""The rules of SARIF 2.1.0 for the properties that we write; another property has to be added here first."""


@pytest.mark.parametrize("name", ["expressions", "syntax", "preprocessor", "statements", "entries"])
def test_documents_of_compilations(name: str) -> None:
    diagnostics = [d for section in read(FOLDER / f"{name}.hlsl")[:60] for d in compiled(section).diagnostics]
    assert len(diagnostics) >= 10
    jsonschema.validate(json.loads(render(diagnostics, "json")), schema())
    document = json.loads(render(diagnostics, "sarif"))
    jsonschema.validate(document, SARIF)
    (run,) = document["runs"]
    ids = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert len(set(ids)) == len(ids)
    assert all(ids[result["ruleIndex"]] == result["ruleId"] for result in run["results"])


def test_documents_name_shader_permutation_and_pipeline() -> None:
    diagnostic = Diagnostic(sema.UNDECLARED, "error", "m", Location("a.hlsl", 1, 1))
    occurrences = (Occurrence("lit.PSMain", (("SHADOWS", "1"),)), Occurrence("lit.VSMain", (), "forward"))
    diagnostic = replace(diagnostic, occurrences=occurrences)
    expected = [
        {"shader": "lit.PSMain", "permutation": {"SHADOWS": "1"}},
        {"shader": "lit.VSMain", "permutation": {}, "pipeline": "forward"},
    ]
    document = json.loads(render([diagnostic], "json"))
    jsonschema.validate(document, schema())
    assert document["diagnostics"][0]["occurrences"] == expected
    sarif = json.loads(render([diagnostic], "sarif"))
    jsonschema.validate(sarif, SARIF)
    assert sarif["runs"][0]["results"][0]["properties"] == {"occurrences": expected}


def test_unknown_keys_are_no_part_of_the_schema() -> None:
    document = json.loads(render([], "json"))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**document, "more": 1}, schema())


def test_fatal_errors_count_as_errors() -> None:
    """A missing include ends the compilation, and is also counted as an error."""
    result = compile_shader(
        '#include "none.h"\nfloat4 main() : SV_Target { int unused; return missing; }', profile="ps_6_0"
    )
    assert [d.severity for d in result.diagnostics][:1] == ["fatal"]
    document = json.loads(render(result.diagnostics, "json"))
    severities = [entry["severity"] for entry in document["diagnostics"]]
    assert document["errors"] == sum(severity in ("error", "fatal") for severity in severities)
    assert document["warnings"] == severities.count("warning")
