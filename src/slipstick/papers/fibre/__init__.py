"""Figures of the fibre paper."""

from __future__ import annotations

from slipstick.papers.entry import Entry, scheme
from slipstick.systems.fibre import fibre

NAME = "fibre"

ENTRIES: tuple[Entry, ...] = (scheme(NAME, "1", "the system", fibre),)
