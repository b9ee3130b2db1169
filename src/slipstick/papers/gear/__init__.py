"""Figures of the gear paper."""

from __future__ import annotations

from slipstick.papers.entry import Entry, scheme
from slipstick.systems.gear import gear

NAME = "gear"

ENTRIES: tuple[Entry, ...] = (scheme(NAME, "1", "the system", gear),)
