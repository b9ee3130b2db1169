"""Plain names of uploaded files."""

from __future__ import annotations

MAX_NAME_LENGTH = 80  # characters


def plain_name(name: str, otherwise: str = "model.yaml") -> str:
    """Without folders, printable, not too long.   otherwise : where nothing is left of it."""
    last = name.replace("\\", "/").rpartition("/")[2]
    shown = "".join(c for c in last if c.isprintable()).strip()
    short = shown if len(shown) <= MAX_NAME_LENGTH else f"{shown[:20]}...{shown[23 - MAX_NAME_LENGTH :]}"
    return short or otherwise
