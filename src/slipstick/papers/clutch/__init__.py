"""Figures of the clutch paper."""

from __future__ import annotations

from slipstick.papers.entry import Entry, scheme
from slipstick.systems.clutch import clutch

NAME = "clutch"

ENTRIES: tuple[Entry, ...] = (scheme(NAME, "1", "the system", clutch),)
