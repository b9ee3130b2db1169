"""Figures of the clutch paper: contact laws rounded, smoothed and exact; Newton against Taylor series."""

from __future__ import annotations

from slipstick.papers.clutch import laws, motions, parameters, solvers
from slipstick.papers.entry import Entry, scheme
from slipstick.systems.clutch import clutch

NAME = "clutch"
PAPER, CONSISTENT = motions.of_reading("paper"), motions.of_reading("consistent")
ANGLES, ACTIONS = motions.draw_displacements, motions.draw_actions

ENTRIES: tuple[Entry, ...] = (
    scheme(NAME, "1", "the clutch as a discrete system", clutch),
    Entry(NAME, "2", "springs of two stages, smoothed", *laws.figure("2")),
    Entry(NAME, "3", "clearance of the spline, smoothed", *laws.figure("3")),
    Entry(NAME, "4", "friction torque, smoothed", *laws.figure("4")),
    Entry(NAME, "5", "tangential friction, smoothed", *laws.figure("5")),
    Entry(NAME, "6", "relative angles, reading paper", PAPER, ANGLES, about=motions.ANGLES),
    Entry(NAME, "7", "contact actions, reading paper", PAPER, ACTIONS, about=motions.CONTACTS),
    Entry(NAME, "8", "residuals of Taylor and Newton, and delta_1", solvers.residuals, solvers.draw_residuals),
    Entry(NAME, "table 1", "numbers, and their keywords", parameters.compute, parameters.draw, kind="table"),
    Entry(NAME, "table 2", "steps over the order of the series", solvers.orders, solvers.draw_orders, kind="table"),
    Entry(
        NAME, "6-consistent", "Fig. 6 in absolute coordinates", CONSISTENT, ANGLES, kind="beyond", about=motions.ANGLES
    ),
    Entry(
        NAME, "7-consistent", "Fig. 7 in absolute coordinates", CONSISTENT, ACTIONS, kind="beyond",
        about=motions.CONTACTS,
    ),
)  # fmt: skip
