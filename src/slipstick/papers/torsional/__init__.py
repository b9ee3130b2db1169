"""Figures of the torsional paper (Duan and Singh): dry friction under a periodic normal load."""

from __future__ import annotations

from slipstick.papers.entry import Entry, scheme
from slipstick.papers.torsional import beyond, families, methods
from slipstick.systems.torsional import torsional

NAME = "torsional"
RMS, LAG = ("rms", "runs", "harmonic"), ("psi",)  # how rows about Fig. 4a and 4b begin

ENTRIES: tuple[Entry, ...] = (
    scheme(NAME, "1", "the oscillator with a dry friction element", torsional),
    Entry(NAME, "2", "a normal load of two orders, by three methods", methods.compute, methods.draw),
    Entry(NAME, "3", "effect of the normal load's order n", families.orders, families.draw_orders),
    Entry(NAME, "4a", "effect of the normal load's phase: rms", families.phases, families.draw_rms, about=RMS),
    Entry(NAME, "4b", "effect of the normal load's phase: pseudo lag", families.phases, families.draw_lag, about=LAG),
    Entry(
        NAME, "den-hartog", "motions with and without stops", beyond.den_hartog, beyond.draw_den_hartog, kind="beyond"
    ),
    Entry(NAME, "zeta", "effect of viscous damping", beyond.zeta, beyond.draw_zeta, kind="beyond"),
)
