"""Figures of the torsional paper (Duan and Singh): dry friction under a periodic normal load."""

from __future__ import annotations

from slipstick.papers.entry import Entry, scheme
from slipstick.papers.torsional import beyond, families, methods
from slipstick.papers.torsional.knobs import ZETA
from slipstick.papers.torsional.rest import REST
from slipstick.systems.torsional import torsional

NAME = "torsional"
RMS, LAG = ("rms", "runs", "harmonic", REST), ("psi", REST)  # how rows about Fig. 4a and 4b begin

ENTRIES: tuple[Entry, ...] = (
    scheme(NAME, "1", "the oscillator with a dry friction element", torsional, system={}),
    Entry(
        NAME, "2", "a normal load of two orders, by three methods", methods.compute, methods.draw, knobs=methods.KNOBS
    ),
    Entry(
        NAME,
        "3",
        "effect of the normal load's order n",
        families.orders,
        families.draw_orders,
        knobs=families.OF_ORDERS,
        system={},
        case="with n = 1",
    ),
    Entry(
        NAME,
        "4a",
        "effect of the normal load's phase: rms",
        families.phases,
        families.draw_rms,
        about=RMS,
        knobs=families.OF_PHASES,
        system={},
        case="with phi = 0",
    ),
    Entry(
        NAME,
        "4b",
        "effect of the normal load's phase: pseudo lag",
        families.phases,
        families.draw_lag,
        about=LAG,
        knobs=families.OF_PHASES,
        system={},
        case="with phi = 0",
    ),
    Entry(
        NAME,
        "den-hartog",
        "motions with and without stops",
        beyond.den_hartog,
        beyond.draw_den_hartog,
        kind="beyond",
        knobs=(ZETA,),
        system={"swing": 0.0},
        case="with a constant friction of 0.5 T_p",
    ),
    Entry(
        NAME,
        "zeta",
        "effect of viscous damping",
        beyond.zeta,
        beyond.draw_zeta,
        kind="beyond",
        knobs=beyond.OF_ZETA,
        system={},
        case="with zeta = 0.05",
    ),
)
