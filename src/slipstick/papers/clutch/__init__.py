"""Figures of the clutch paper: contact laws rounded, smoothed and exact; Newton against Taylor series."""

from __future__ import annotations

from slipstick.papers.clutch import laws, motions, solvers
from slipstick.papers.entry import Entry, scheme
from slipstick.systems.clutch import clutch

NAME = "clutch"

ENTRIES: tuple[Entry, ...] = (
    scheme(NAME, "1", "the clutch as a discrete system", clutch),
    Entry(NAME, "2", "springs of two stages, smoothed", *laws.figure("2")),
    Entry(NAME, "3", "clearance of the spline, smoothed", *laws.figure("3")),
    Entry(NAME, "4", "friction torque, smoothed", *laws.figure("4")),
    Entry(NAME, "5", "tangential friction, smoothed", *laws.figure("5")),
    Entry(NAME, "6", "relative angles as the paper reads", motions.displacements("paper"), motions.draw_displacements),
    Entry(
        NAME,
        "6-consistent",
        "relative angles, absolute coordinates",
        motions.displacements("consistent"),
        motions.draw_displacements,
    ),
    Entry(NAME, "7", "contact actions along the motion", motions.actions, motions.draw_actions),
    Entry(NAME, "8", "residuals of Taylor and Newton, and delta_1", solvers.residuals, solvers.draw_residuals),
    Entry(NAME, "table 2", "steps over the order of the series", solvers.orders, solvers.draw_orders, kind="table"),
)
