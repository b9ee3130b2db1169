"""Completions and hover texts for a model text, from the schema of model files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

ITEM = "[]"  # in a path: an entry of a list
FORM_KEYS = ("deflection", "along", "on")  # their values are sums of coordinates
MAX_DESCRIPTION_LENGTH = 160  # letters
_KEY = re.compile(r"^(?P<space>\s*)(?P<dashes>(?:-\s+)*)(?P<key>[\w.+-]+)\s*:(?P<rest>.*)$")
_FLOW_KEY = re.compile(r"([\w.+-]+)\s*:\s*$")
_WORD = re.compile(r"[\w.+-]*$")


class Completion(NamedTuple):
    """label : the key or value.   detail : what it means.   apply : the text to insert."""

    label: str
    detail: str
    apply: str


class CursorContext(NamedTuple):
    """A place in a text.   path : keys that enclose it.   key : the one whose value it is in, if any.

    word : the letters before the cursor.   law : of the enclosing connection, if it is written there.
    """

    path: tuple[str, ...]
    key: str
    word: str
    law: str


def completions_at(text: str, line: int, column: int) -> list[Completion]:
    """What can be written at a place.   line : from 0.   column : of the cursor, in characters."""
    lines = text.split("\n")
    place = _place(lines, line, column)
    parts = _parts_at(place.path, place.law)
    if not place.key:
        return [_key_completion(key, own) for key, own in _properties(parts).items()]
    if place.key in FORM_KEYS:
        return [Completion(name, "a coordinate", name) for name in _coordinate_names(lines)]
    own = [part for part in parts if place.key in part.get("properties", {})]
    return list(_values(place.key, own))


def description_at(text: str, line: int, column: int) -> str:
    """What the key at a place means; empty for anything else."""
    lines = text.split("\n")
    here = lines[line] if line < len(lines) else ""
    end = column + len(re.match(r"[\w.+-]*", here[column:]).group())  # type: ignore[union-attr]
    if not re.match(r"\s*:", here[end:]):
        return ""
    place = _place(lines, line, end)
    if place.key:
        return ""
    found = _properties(_parts_at(place.path, place.law)).get(place.word)
    if found is None:
        return ""
    if place.word == "law":
        return _described(_law_parts().get(place.law, {}))
    return _described(found)


# ---- places in a text


def _place(lines: Sequence[str], line: int, column: int) -> CursorContext:
    here = lines[line][:column] if line < len(lines) else ""
    outer, inner, rest = _flow_path(here)
    matched = _KEY.match(outer)
    word = _WORD.search(rest).group()  # type: ignore[union-attr]
    if inner is not None:
        path = [*_block_path(lines, line, outer), *([matched["key"]] if matched else []), *inner]
        key = _FLOW_KEY.search(rest[: len(rest) - len(word)])
        return CursorContext(tuple(path), key[1] if key else "", word, _law_in(lines[line]))
    path = _block_path(lines, line, here)
    law = _sibling_law(lines, line, here)
    return CursorContext(tuple(path), matched["key"] if matched else "", word, law)


def _flow_path(here: str) -> tuple[str, list[str] | None, str]:
    """The part of a line before its first open bracket, the keys of open brackets, and the rest behind the last one.

    The keys are None outside of brackets.
    """
    stack: list[tuple[int, list[str]]] = []
    for k, letter in enumerate(here):
        if letter in "{[":
            key = _FLOW_KEY.search(here[(stack[-1][0] + 1 if stack else 0) : k])
            inside = [key[1]] if key and stack else []
            stack.append((k, [*inside, ITEM] if letter == "[" else inside))
        elif letter in "}]" and stack:
            stack.pop()
    if not stack:
        return here, None, here
    return here[: stack[0][0]], [key for _, own in stack for key in own], here[stack[-1][0] + 1 :]


def _indent(line: str) -> int:
    """The column of the content of a line, behind the dashes of a list."""
    return len(line) - len(line.lstrip(" -"))


def _block_path(lines: Sequence[str], line: int, here: str) -> list[str]:
    """The keys that enclose a line, by indentation."""
    path: list[str] = []
    indent = _indent(here) if here.strip() else len(here)
    if here.lstrip().startswith("-"):
        path, indent = [ITEM], len(here) - len(here.lstrip()) + 1
    for above in reversed(lines[:line]):
        matched = _KEY.match(above)
        if matched is None or above.lstrip().startswith("#"):
            continue
        own = _indent(above)
        dash = bool(matched["dashes"])
        if own < indent:
            path.insert(0, matched["key"])
            indent = own
        if dash and own <= indent and len(matched["space"]) < indent:
            path.insert(0, ITEM)
            indent = len(matched["space"]) + 1
    return path


def _sibling_law(lines: Sequence[str], line: int, here: str) -> str:
    """The law that is written beside a line, with the same indentation."""
    indent = _indent(here) if here.strip(" -") else len(here)
    for step in (-1, 1):
        k = line
        while 0 <= k < len(lines):
            own = lines[k]
            if own.strip() and not own.lstrip().startswith("#") and k != line and _indent(own) < indent:
                break
            if _indent(own) == indent and (law := _law_in(own)):
                return law
            if step < 0 and own.lstrip().startswith("-") and _indent(own) == indent:
                break
            k += step
    return ""


def _law_in(line: str) -> str:
    found = re.search(r"(?:^|[\s{,-])law\s*:\s*([\w+-]+)", line.partition("#")[0])
    return found[1] if found else ""


def _coordinate_names(lines: Sequence[str]) -> list[str]:
    """The names below ``coordinates:``."""
    names: list[str] = []
    inside, indent = False, 0
    for own in lines:
        matched = _KEY.match(own)
        if matched is None or own.lstrip().startswith("#"):
            continue
        depth = _indent(own)
        if depth == 0:
            inside, indent = matched["key"] == "coordinates", 0
        elif inside and depth <= (indent or depth):
            indent = depth
            names.append(matched["key"])
    return names


# ---- the schema


@lru_cache(maxsize=1)
def _schema() -> dict[str, Any]:
    from slipstick.model.files.json_schema import json_schema

    return json_schema()


@lru_cache(maxsize=1)
def _law_parts() -> dict[str, dict[str, Any]]:
    """The parts of the schema for connections, by the name of their law."""
    either = _schema()["properties"]["connections"]["additionalProperties"]["oneOf"]
    parts = [_resolved(own) for own in either]
    return {part["properties"]["law"]["const"]: part for part in parts if "law" in part["properties"]}


def _resolved(part: dict[str, Any]) -> dict[str, Any]:
    if "$ref" not in part:
        return part
    target: dict[str, Any] = _schema()["$defs"][part["$ref"].rpartition("/")[2]]
    return target


def _parts_at(path: Sequence[str], law: str) -> list[dict[str, Any]]:
    """The parts of the schema at a path; several where the law is not known yet."""
    parts = [_schema()]
    for key in path:
        parts = [own for part in parts for own in _children(part, key)]
    found = [own for part in parts for own in _options(part)]
    known = [own for own in found if own.get("properties", {}).get("law", {}).get("const") == law]
    return known or found


def _children(part: dict[str, Any], key: str) -> Iterator[dict[str, Any]]:
    for own in _options(part):
        if key == ITEM:
            if "items" in own:
                yield own["items"]
        elif key in own.get("properties", {}):
            yield own["properties"][key]
        elif isinstance(own.get("additionalProperties"), dict):
            yield own["additionalProperties"]


def _options(part: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A part with its alternatives."""
    own = _resolved(part)
    yield own
    for key in ("oneOf", "anyOf"):
        for option in own.get(key, ()):
            yield from _options(option)


def _properties(parts: Sequence[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The keys of one part; those that all have in common, of several."""
    several = [part["properties"] for part in parts if part.get("properties")]
    if not several:
        return {}
    laws = [own for own in several if "law" in own]
    shared = [key for key in several[0] if len(laws) < 2 or all(key in own for own in laws)]
    known: dict[str, dict[str, Any]] = {key: several[0][key] for key in shared}
    if len(laws) > 1:
        known["law"] = {"description": "what the connection does"}
    return known


def _key_completion(key: str, part: dict[str, Any]) -> Completion:
    nested = any("properties" in own or "additionalProperties" in own for own in _options(part))
    return Completion(key, _described(part), f"{key}:" if nested else f"{key}: ")


def _values(key: str, parts: Sequence[dict[str, Any]]) -> Iterator[Completion]:
    for part in parts:
        own = _resolved(part["properties"][key])
        if "const" in own:
            words = _described(part) if key == "law" else _described(own)
            yield Completion(str(own["const"]), words, str(own["const"]))
        for word in own.get("enum", ()):
            yield Completion(str(word), _described(own), str(word))


def _described(part: dict[str, Any]) -> str:
    words = str(part.get("description") or _resolved(part).get("description", "")).strip()
    first = " ".join(words.split())
    return first if len(first) <= MAX_DESCRIPTION_LENGTH else f"{first[:MAX_DESCRIPTION_LENGTH]}..."
