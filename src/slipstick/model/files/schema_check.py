"""Checks the shape of a document, part by part, and reports problems in plain words."""

from __future__ import annotations

import difflib
import re
import typing
from dataclasses import fields
from typing import Any, NamedTuple, TypeVar

from pydantic import BaseModel, ValidationError

from slipstick.errors import InvalidInput, short_repr
from slipstick.laws import LAWS, law_class, law_name
from slipstick.laws.parameters import spec_of
from slipstick.model.files import schema
from slipstick.model.files.file_problems import FileFindings, Path, describe_value
from slipstick.name_hints import did_you_mean, name_hint

REGULARISED_PREFIXES = ("sqrt-", "tanh-")  # of laws that stand in for others, which a list leaves out

PartT = TypeVar("PartT", bound=BaseModel)


class CheckedParts(NamedTuple):
    """The parts of a document that have the right shape; the findings list the others."""

    head: schema.Document | None
    coordinates: dict[str, schema.CoordinateSection]
    connections: dict[str, LawNode]
    loads: dict[int, schema.LoadSection]


class LawNode(NamedTuple):
    """A connection or a term of one: its keys, the name of its law, or the terms of its sum; the parts of a series."""

    keys: Any  # a law_shape or sum_shape
    law: str | None
    terms: tuple[tuple[int, LawNode], ...] = ()


def check_document(data: Any, findings: FileFindings) -> CheckedParts:
    """The well-shaped parts of a document; problems go to ``findings``."""
    nothing = CheckedParts(None, {}, {}, {})
    if data is None:
        findings.problem((), "is empty; `slipstick new NAME` writes a model to start from", 1)
        return nothing
    if not isinstance(data, dict):
        findings.problem((), f"a model file is a mapping that starts with slipstick: 1, got {describe_value(data)}")
        return nothing
    if not version_is_known(data, findings):
        return nothing
    data = {key: value for key, value in data.items() if value is not None or key not in ("connections", "loads")}
    refuse_empty(data, (), findings)
    return CheckedParts(
        check_part(schema.Document, data, (), findings),
        _coordinates(data.get("coordinates"), findings),
        _connections(data.get("connections"), findings),
        _loads(data.get("loads"), findings),
    )


def check_part(
    model: type[PartT], data: Any, path: Path, findings: FileFindings, law: str | None = None
) -> PartT | None:
    """``data`` as this model, or None and the problems."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        errors = error.errors(include_url=False)
        extra = {tuple(e["loc"]) for e in errors if e["type"] == "extra_forbidden"}
        for e in errors:
            where = tuple(e["loc"])
            if e["type"] == "missing" and _is_misspelt(where, extra):
                continue  # the line with the misspelt key says it better
            findings.problem((*path, *where), _explain_error(e, model, law))
    return None


def _is_misspelt(missing: Path, extra: set[Path]) -> bool:
    siblings = [str(path[-1]) for path in extra if path[:-1] == missing[:-1]]
    return any("did you mean" in did_you_mean(sibling, [str(missing[-1])]) for sibling in siblings)


def _explain_error(error: Any, model: type[BaseModel], law: str | None) -> str:
    """A pydantic error in our words."""
    loc, got = error["loc"], describe_value(error["input"])
    match error["type"]:
        case "value_error":
            return str(error["ctx"]["error"])
        case "extra_forbidden":
            owner = f" of {law}" if law and len(loc) == 1 else ""
            return f"unknown key{owner}{name_hint(str(loc[-1]), _keys(model, loc))}"
        case "missing":
            return f"is missing: {_expected_value(model, loc, law)}"
        case "model_type" | "dict_type":
            return f"must be a mapping (keys and values), got {got}"
        case "list_type":
            return f"must be a list such as [1, 2] or lines that start with -, got {got}"
    return f"cannot be used here, got {got}; see the file format in the documentation"


def _expected_value(model: type[BaseModel], loc: Path, law: str | None) -> str:
    name = str(loc[-1])
    if law and len(loc) == 1 and name not in schema.ConnectionSection.model_fields:
        return schema.missing_parameter_message(law, name)
    owner = _model_at(model, loc[:-1])
    field = owner.model_fields.get(name) if owner else None
    doc = f" ({field.description})" if field and field.description else ""
    return f"add {name}:{doc}"


def _keys(model: type[BaseModel], loc: Path) -> list[str]:
    owner = _model_at(model, loc[:-1])
    return [field.alias or name for name, field in owner.model_fields.items()] if owner else []


def _model_at(model: type[BaseModel] | None, loc: Path) -> type[BaseModel] | None:
    """The pydantic model of the value at ``loc`` below ``model``."""
    for step in loc:
        if isinstance(step, int) or model is None:
            continue  # an item of a list is described by the same model
        if step == "modulated":
            model = schema.Modulation
            continue
        field = model.model_fields.get(step)
        found = _models_in(field.annotation) if field else []
        # a parameter that may vary in time, or follow a force
        model = found[0] if found else schema.FollowedSection if _only_follows(field) else schema.FunctionSection
    return model


def _only_follows(field: Any) -> bool:
    """True for a number that may follow a force, and is no function of time."""
    known = (getattr(part, "json_schema", None) or {} for part in getattr(field, "metadata", ()))
    shapes = [own.get("anyOf", []) for own in known]
    return any(schema.FOLLOWED_REFERENCE in own and schema.FUNCTION_REFERENCE not in own for own in shapes)


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [m for part in typing.get_args(annotation) for m in _models_in(part)]


# ---- the sections


def version_is_known(data: dict[str, Any], findings: FileFindings, what: str = "model file") -> bool:
    """True if the file has the version that this slipstick reads; a problem if not."""
    version = data.get("slipstick")
    if version == str(schema.FORMAT_VERSION):
        return True
    if "slipstick" not in data:
        text = f"is missing: a {what} starts with the version of its format, slipstick: {schema.FORMAT_VERSION}"
    else:
        text = (
            f"must be {schema.FORMAT_VERSION}, the version of the format this slipstick reads, got "
            f"{describe_value(version)}"
        )
    findings.problem(("slipstick",), text)
    return False


def refuse_empty(value: Any, path: Path, findings: FileFindings) -> None:
    """A key without a value is never meant."""
    if value is None and path and re.match(r"\d", str(path[-1])):  # {stiffness: 200,5 N/mm}
        words = "a comma ends a value within brackets, and this is left of a number; write it with a point, such as 0.5"
        findings.problem(path, words)
    elif value is None and path and " " in str(path[-1]).strip():
        word = str(path[-1]).split()[0]
        findings.problem(path, f'is empty; is a ":" missing after {word}? else give a value, or remove it')
    elif value is None:
        findings.problem(path, "is empty; give a value, {} if there is nothing to say, or remove the line")
    elif isinstance(value, dict):
        for key, inner in value.items():
            refuse_empty(inner, (*path, key), findings)
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            refuse_empty(inner, (*path, i), findings)


def _coordinates(section: Any, findings: FileFindings) -> dict[str, schema.CoordinateSection]:
    found = {}
    for name, data in section.items() if isinstance(section, dict) else ():
        part = check_part(schema.CoordinateSection, data, ("coordinates", name), findings)
        if part is not None:
            found[name] = part
    return found


def _loads(section: Any, findings: FileFindings) -> dict[int, schema.LoadSection]:
    found = {}
    for i, data in enumerate(section) if isinstance(section, list) else ():
        part = check_part(schema.LoadSection, data, ("loads", i), findings)
        if part is not None:
            found[i] = part
    return found


def _connections(section: Any, findings: FileFindings) -> dict[str, LawNode]:
    found = {}
    for name, data in section.items() if isinstance(section, dict) else ():
        part = _node(data, ("connections", name), findings, schema.ConnectionSection)
        if part is not None:
            found[name] = part
    return found


def _node(data: Any, path: Path, findings: FileFindings, base: type[schema.TermSection]) -> LawNode | None:
    """A connection or a term with its law found."""
    if not isinstance(data, dict):
        findings.problem(path, f"must be a mapping with law: and its parameters, got {describe_value(data)}")
        return None
    if "sum" in data and "law" in data:
        findings.problem((*path, "sum"), "law: and sum: are both given; put the law into the list of the sum")
    elif "sum" in data:
        return _sum(data, path, findings, base)
    elif "law" not in data:
        close = difflib.get_close_matches("law", data, n=1)
        found = f" (did you mean it by {short_repr(close[0])}?)" if close else ""
        findings.problem((*path, "law"), f"is missing: add law: and its name, or sum: and a list of laws{found}")
    else:
        name = _law(data["law"], (*path, "law"), findings)
        keys: Any = check_part(schema.law_part(name, base), data, path, findings, name) if name else None
        if keys is None or "laws" not in {spec_of(f).kind for f in fields(law_class(str(name)))}:
            return LawNode(keys, name) if keys is not None else None
        parts = _nodes(keys.of, (*path, "of"), findings, schema.SeriesPart)
        return LawNode(keys, name, parts) if len(parts) == len(keys.of) else None
    return None


def _law(value: Any, path: Path, findings: FileFindings) -> str | None:
    """The name of a law as `LAWS` has it; "ModifiedDahl" is modified-dahl."""
    if not isinstance(value, str):
        findings.problem(path, f"must be the name of a law, got {describe_value(value)}")
        return None
    try:
        name = law_name(law_class(value))
    except InvalidInput:
        listed = [name for name in LAWS if not name.startswith(REGULARISED_PREFIXES)]
        hint = did_you_mean(value[:60], LAWS, lists=False) or f" (known: {', '.join(sorted(listed))})"
        findings.problem(path, f"unknown law {short_repr(value)}{hint}")
        return None
    if name is None or schema.has_function(name):
        findings.problem(path, f"{name} has a Python function in it, which no file can hold; build it in Python")
        return None
    return name


def _sum(data: dict[str, Any], path: Path, findings: FileFindings, base: type[schema.TermSection]) -> LawNode | None:
    if base is schema.TermSection:
        findings.problem((*path, "sum"), "a sum within a sum; write all its laws in one list")
        return None
    keys: Any = check_part(schema.sum_part(base), data, path, findings)
    if keys is None:
        return None
    if not keys.sum:
        findings.problem((*path, "sum"), "is an empty list; give at least one law")
        return None
    terms = _nodes(keys.sum, (*path, "sum"), findings, schema.TermSection)
    return LawNode(keys, None, terms) if len(terms) == len(keys.sum) else None


def _nodes(
    items: list[Any], path: Path, findings: FileFindings, base: type[schema.TermSection]
) -> tuple[tuple[int, LawNode], ...]:
    """The well-shaped laws of a list, with their places in it."""
    each = ((i, _node(item, (*path, i), findings, base)) for i, item in enumerate(items))
    return tuple((i, node) for i, node in each if node is not None)
