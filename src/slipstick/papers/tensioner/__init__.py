"""Figures of the tensioner paper."""

from __future__ import annotations

from slipstick.papers.entry import Entry, scheme
from slipstick.systems.tensioner import tensioner

NAME = "tensioner"

ENTRIES: tuple[Entry, ...] = (scheme(NAME, "1", "the system", tensioner),)
