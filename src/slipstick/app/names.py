"""Names of files as a browser tells them."""

from __future__ import annotations

LONGEST = 80  # characters


def plain_name(name: str, otherwise: str = "model.yaml") -> str:
    """Without folders, printable, not too long.   otherwise : where nothing is left of it."""
    last = name.replace("\\", "/").rpartition("/")[2]
    shown = "".join(c for c in last if c.isprintable()).strip()
    short = shown if len(shown) <= LONGEST else f"{shown[:20]}...{shown[23 - LONGEST :]}"
    return short or otherwise
