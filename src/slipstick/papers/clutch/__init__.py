"""Figures of the clutch paper: contact laws rounded, smoothed and exact; Newton against Taylor series."""

from __future__ import annotations

from typing import Any

from slipstick.papers.clutch import laws, motions, parameters, solvers
from slipstick.papers.entry import Entry, scheme
from slipstick.systems.clutch import clutch

NAME = "clutch"
PAPER, CONSISTENT = motions.of_reading("paper"), motions.of_reading("consistent")
AS_PRINTED: Any = {"system": {"reading": "paper"}, "case": "with laws rounded by square roots"}
SOLVED: Any = {**AS_PRINTED, "knobs": solvers.KNOBS, "keywords": motions.keywords}
READ: Any = {**AS_PRINTED, "knobs": motions.KNOBS, "keywords": motions.keywords}
ABSOLUTE: Any = {**READ, "system": {}}
ANGLES, ACTIONS = motions.draw_displacements, motions.draw_actions

ENTRIES: tuple[Entry, ...] = (
    scheme(NAME, "1", "the clutch as a discrete system", clutch, system={}),
    Entry(NAME, "2", "springs of two stages, smoothed", *laws.figure("2"), knobs=laws.CASES["2"].knobs),
    Entry(NAME, "3", "clearance of the spline, smoothed", *laws.figure("3"), knobs=laws.CASES["3"].knobs),
    Entry(NAME, "4", "friction torque, smoothed", *laws.figure("4"), knobs=laws.CASES["4"].knobs),
    Entry(NAME, "5", "tangential friction, smoothed", *laws.figure("5"), knobs=laws.CASES["5"].knobs),
    Entry(NAME, "6", "relative angles, reading paper", PAPER, ANGLES, about=motions.ANGLES, **READ),
    Entry(NAME, "7", "contact actions, reading paper", PAPER, ACTIONS, about=motions.CONTACTS, **READ),
    Entry(
        NAME, "8", "residuals of Taylor and Newton, and delta_1", solvers.residuals, solvers.draw_residuals,
        **SOLVED,
    ),
    Entry(
        NAME, "table 1", "numbers, and their keywords", parameters.compute, parameters.draw, kind="table",
        fixed=parameters.FIXED, system={},
    ),
    Entry(
        NAME, "table 2", "steps over the order of the series", solvers.orders, solvers.draw_orders, kind="table",
        **SOLVED,
    ),
    Entry(
        NAME, "6-consistent", "Fig. 6 in absolute coordinates", CONSISTENT, ANGLES, kind="beyond", about=motions.ANGLES,
        **ABSOLUTE,
    ),
    Entry(
        NAME, "7-consistent", "Fig. 7 in absolute coordinates", CONSISTENT, ACTIONS, kind="beyond",
        about=motions.CONTACTS, **ABSOLUTE,
    ),
)  # fmt: skip
