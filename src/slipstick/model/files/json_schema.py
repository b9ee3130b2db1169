"""The JSON Schema of model files, for editors: completion, hover texts, and a first check while typing."""

from __future__ import annotations

from typing import Any

from pydantic.json_schema import models_json_schema

from slipstick.laws import LAWS
from slipstick.model.files import schema

_REF = "#/$defs/"


def json_schema() -> dict[str, Any]:
    """A JSON Schema (2020-12) of a model file."""
    laws = [name for name in LAWS if not schema.has_function(name)]
    connections = [schema.law_part(name, schema.ConnectionSection) for name in laws]
    terms = [schema.law_part(name, schema.TermSection) for name in laws]
    parts: list[Any] = [
        schema.Document,
        schema.CoordinateSection,
        schema.LoadSection,
        schema.Modulation,
        schema.FunctionSection,
        schema.FollowedSection,
    ]
    parts.append(schema.ContactDeflections)
    parts += [schema.sum_part(schema.ConnectionSection), *connections, *terms]
    _, whole = models_json_schema([(part, "validation") for part in parts])
    definitions = {name.removesuffix("Section"): _with_references(part) for name, part in whole["$defs"].items()}
    for name, connection, term in zip(laws, connections, terms, strict=True):
        for shape in (connection, term):
            definitions[shape.__name__]["properties"]["law"] |= {"const": name}
    either = [{"$ref": _REF + shape.__name__} for shape in (*connections, schema.sum_part(schema.ConnectionSection))]
    one_law = {"oneOf": [{"$ref": _REF + shape.__name__} for shape in terms]}
    definitions["Sum"]["properties"]["sum"]["items"] = one_law
    one_part = {"oneOf": [*one_law["oneOf"], {"type": "object", "required": ["sum"], "not": {"required": ["law"]}}]}
    for name in ("Series", "TermSeries"):
        definitions[name]["properties"]["of"] |= {"items": one_part, "minItems": 2}
    document = definitions.pop("Document")
    properties = document["properties"]
    properties["slipstick"] = {"const": schema.FORMAT_VERSION, "description": "version of the format"}
    properties["coordinates"] |= {"additionalProperties": {"$ref": _REF + "Coordinate"}}
    properties["connections"] |= {"additionalProperties": {"oneOf": either}}
    properties["loads"] |= {"items": {"$ref": _REF + "Load"}}
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "slipstick model"}
    return {**head, **{key: value for key, value in document.items() if key != "title"}, "$defs": definitions}


def _with_references(node: Any) -> Any:
    """Placeholders become references; ``anyOf: [X, null]`` becomes X, because an empty value is refused."""
    if isinstance(node, list):
        return [_with_references(item) for item in node]
    if not isinstance(node, dict):
        return node
    if "x-ref" in node:
        return _referred(node)
    if "$ref" in node:
        node = {**node, "$ref": node["$ref"].removesuffix("Section")}
    found = {key: _with_references(value) for key, value in node.items() if (key, value) != ("default", None)}
    options = found.get("anyOf")
    if isinstance(options, list) and {"type": "null"} in options:
        left = [option for option in options if option != {"type": "null"}]
        del found["anyOf"]
        found |= left[0] if len(left) == 1 else {"anyOf": left}
    return found


def _referred(node: dict[str, Any]) -> dict[str, Any]:
    target = {"$ref": _REF + node["x-ref"]}
    others = {key: value for key, value in node.items() if key not in ("x-ref", "default")}
    if node["x-ref"] == "Modulation":  # one, or a list of them
        return {**others, "anyOf": [target, {"type": "array", "items": target}]}
    return {**others, **target}
