"""Plain data as YAML text for people: sections in blocks, short mappings on one line, exact numbers."""

from __future__ import annotations

import json
import re
from typing import Any

from slipstick.units.number_format import format_exact

LINE_WIDTH = 100

# text that needs no quotes, also between commas
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:[ ./*+()-]*[A-Za-z0-9_)])*")
_QUANTITY = re.compile(r"-?[0-9][0-9.]*(?:e[-+]?[0-9]+)? [A-Za-z][A-Za-z0-9 /^()]*")  # 8 N m/deg
_YAML_KEYWORDS = {"null", "true", "false"}


def emit_document(document: dict[str, Any]) -> str:
    """The text of a document; blank lines between its sections."""
    blocks = []
    for key, value in document.items():
        has_block = isinstance(value, (dict, list)) and value
        blocks.append(("\n" if has_block else "") + "\n".join(_entry(key, value, 0, forced=True)))
    return "\n".join(blocks) + "\n"


def _scalar(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return format_exact(value)
    return format_text(value)


def format_text(value: str) -> str:
    """Text, in quotes where YAML would read another type."""
    plain = (_PLAIN.fullmatch(value) and value.lower() not in _YAML_KEYWORDS) or _QUANTITY.fullmatch(value)
    return value if plain else json.dumps(value, ensure_ascii=False)


def format_flow(value: Any) -> str:
    """A value on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{format_text(key)}: {format_flow(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(format_flow(inner) for inner in value) + "]"
    return _scalar(value)


def _entry(key: str, value: Any, indent: int, forced: bool = False) -> list[str]:
    """``key: value`` on one line if it fits, else as a block; ``forced``: a section, whose items get a line each."""
    head = f"{' ' * indent}{format_text(key)}:"
    if not (forced and isinstance(value, (dict, list)) and value):
        line = f"{head} {format_flow(value)}"
        if len(line) <= LINE_WIDTH or not isinstance(value, (dict, list, tuple)) or not value:
            return [line]
    return [head, *_block(value, indent + 2, inner=key == "connections" and indent == 0)]


def _block(value: Any, indent: int, inner: bool = False) -> list[str]:
    """The items of a mapping or list, a line or more each."""
    if isinstance(value, dict):
        return [line for key, item in value.items() for line in _entry(key, item, indent, forced=inner)]
    if all(not isinstance(item, (dict, list, tuple)) for item in value):
        return _wrapped(value, indent)
    lines = []
    for item in value:
        line = f"{' ' * indent}- {format_flow(item)}"
        if len(line) <= LINE_WIDTH or not isinstance(item, (dict, list, tuple)):
            lines.append(line)
        else:
            first, *rest = _block(item, indent + 2)
            lines += [f"{' ' * indent}- {first.lstrip()}", *rest]
    return lines


def _wrapped(values: list[Any], indent: int) -> list[str]:
    """A long list of scalars, several to a line."""
    lines, line = [], " " * indent + "["
    for i, value in enumerate(values):
        piece = _scalar(value) + ("," if i < len(values) - 1 else "]")
        if len(line) + 1 + len(piece) > LINE_WIDTH and line.strip() != "[":
            lines.append(line)
            line = " " * (indent + 1) + piece
        else:
            line += piece if line.endswith("[") else " " + piece
    return [*lines, line]
