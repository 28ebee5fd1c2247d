"""The reflection of every sample shader: follows the schema, says the same again, names what entry points use."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import jsonschema
import pytest

from hlsl_tool.config.model import Variant
from hlsl_tool.reflect import reflection_json
from hlsl_tool.reflect.schema import schema, shipped, text
from tests.samples.test_samples import MEMORY, compiled, one_of_each_source, pytestmark

__all__ = ["pytestmark"]


@cache
def validator() -> Any:
    jsonschema.Draft202012Validator.check_schema(schema())
    return jsonschema.Draft202012Validator(schema())


def test_the_shipped_schema_is_current() -> None:
    assert shipped() == text(), "run `python -m hlsl_tool.reflect.schema` and `python -m hlsl_tool schema --write`"


@pytest.mark.parametrize("variant", one_of_each_source(), ids=lambda variant: variant.name)
def test_reflection(variant: Variant) -> None:
    result = compiled(variant, MEMORY)
    made = reflection_json(result.spirv, result.interface)
    assert reflection_json(result.spirv, result.interface) == made
    found = json.loads(made)
    validator().validate(found)
    validator().validate(json.loads(reflection_json(result.spirv)))
    entries = {entry["name"]: entry for entry in found["entry_points"]}
    for r in found["resources"]:
        for name in r["used_by"]:
            assert (r["set"], r["binding"]) in {(u["set"], u["binding"]) for u in entries[name]["resources"]}
    assert "unknown" not in found["requirements"]
    assert not [r["name"] for r in found["resources"] if r["kind"] == "other"]
