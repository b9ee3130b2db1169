"""The JSON Schema for editors agrees with the reader and with the laws."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from importlib.resources import files
from typing import Any

import pytest
from file_strategies import PRESENT, SAVED
from invalid_files import BAD, GOOD
from ruamel.yaml import YAML
from test_files_mutations import RICH

from slipstick.laws import LAWS, law_class
from slipstick.laws.parameters import spec_of
from slipstick.model.files import json_schema

pytestmark = pytest.mark.skipif(set(PRESENT) != set(LAWS), reason="some families of laws are not there yet")

STARTER = (files("slipstick.cli") / "starter.yaml").read_text()


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    return json_schema()


def fits(value: Any, rule: Any, whole: dict[str, Any]) -> bool:
    """True if a value fits a JSON Schema; only the words that our schema uses."""
    if "$ref" in rule and not fits(value, whole["$defs"][rule["$ref"].removeprefix("#/$defs/")], whole):
        return False
    kinds = rule.get("type", [])
    if kinds and not any(is_a(value, kind) for kind in ([kinds] if isinstance(kinds, str) else kinds)):
        return False
    checks = [
        value == rule.get("const", value),
        value in rule.get("enum", [value]),
        "anyOf" not in rule or any(fits(value, r, whole) for r in rule["anyOf"]),
        "oneOf" not in rule or sum(fits(value, r, whole) for r in rule["oneOf"]) == 1,
        not isinstance(value, str) or re.search(rule.get("pattern", ""), value) is not None,
    ]
    if is_a(value, "number"):
        checks += [value >= rule.get("minimum", value), value <= rule.get("maximum", value)]
        checks += [value > rule.get("exclusiveMinimum", value - 1), value < rule.get("exclusiveMaximum", value + 1)]
    if isinstance(value, dict):
        checks += [key in value for key in rule.get("required", [])]
        known, other = rule.get("properties", {}), rule.get("additionalProperties", True)
        for key, inner in value.items():
            checks.append(
                fits(inner, known[key], whole)
                if key in known
                else other is True or (bool(other) and fits(inner, other, whole))
            )
    if isinstance(value, list):
        checks += [fits(inner, rule.get("items", {}), whole) for inner in value]
    return all(checks)


def is_a(value: Any, kind: str) -> bool:
    types = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
    if kind == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, types[kind])


def loaded(text: str) -> Any:
    return YAML(typ="safe", pure=True).load(text)


@pytest.mark.parametrize("text", [GOOD, RICH, STARTER], ids=["good", "rich", "starter"])
def test_the_schema_accepts_good_files(text: str, schema: dict[str, Any]) -> None:
    assert fits(loaded(text), schema, schema)


@pytest.mark.parametrize(
    "name",
    ["misspelt section", "misspelt parameter", "misspelt key of a function", "unknown law", "missing parameter",
     "no law", "list instead of coordinates", "text instead of number", "true instead of number",
     "number instead of flag", "newer version", "no version", "load on nothing", "decimal comma"],
)  # fmt: skip
def test_the_schema_refuses_what_the_reader_refuses(name: str, schema: dict[str, Any]) -> None:
    text = next(bad.content for bad in BAD if bad.name == name)
    assert isinstance(text, str)
    assert not fits(loaded(text), schema, schema)


def test_the_schema_knows_every_law_and_every_parameter_with_its_meaning(schema: dict[str, Any]) -> None:
    for name in SAVED:
        law = law_class(name)
        keys = schema["$defs"][law.__name__]["properties"]
        assert keys["law"]["const"] == name
        for f in fields(law):
            assert spec_of(f).doc in keys[f.name]["description"]
    assert "GeneralisedDahl" not in schema["$defs"]


def test_bounds_of_plain_numbers_are_in_the_schema(schema: dict[str, Any]) -> None:
    keys = schema["$defs"]["Freeplay"]["properties"]
    assert {"type": "number", "minimum": 0.0} in keys["half_gap"]["anyOf"]
    assert not fits(loaded(GOOD.replace("0.2 mm", "-0.2")), schema, schema)


def test_every_reference_in_the_schema_leads_somewhere(schema: dict[str, Any]) -> None:
    text = json.dumps(schema)
    references = set(re.findall(r'"\$ref": "#/\$defs/(\w+)"', text))
    assert references <= set(schema["$defs"])
    assert "x-ref" not in text
    assert "null" not in text
