"""Figures of the clutch paper: rounded, smoothed and exact contact laws; Newton and Taylor series.

parameter_table      Table 1
contact_laws         Figs 2 to 5: contact laws
transient_responses  Figs 6 and 7: responses in time
solver_comparison    Fig. 8 and Table 2: solvers of a step
"""

from __future__ import annotations

from typing import Any

from slipstick.papers.clutch import contact_laws, parameter_table, solver_comparison, transient_responses
from slipstick.papers.entry import Entry, diagram_entry
from slipstick.systems.clutch import clutch

NAME = "clutch"
PAPER, CONSISTENT = transient_responses.runs_of_reading("paper"), transient_responses.runs_of_reading("consistent")
PAPER_READING_CASE: Any = {"system": {"reading": "paper"}, "case": "with laws rounded by square roots"}
SOLVER_CASE: Any = {**PAPER_READING_CASE, "knobs": solver_comparison.KNOBS, "keywords": transient_responses.keywords}
READING_CASE: Any = {**PAPER_READING_CASE, "knobs": transient_responses.KNOBS, "keywords": transient_responses.keywords}
CONSISTENT_CASE: Any = {**READING_CASE, "system": {}}
DRAW_ANGLES, DRAW_ACTIONS = transient_responses.draw_displacements, transient_responses.draw_actions

ENTRIES: tuple[Entry, ...] = (
    diagram_entry(NAME, "1", "the clutch as a discrete system", clutch, system={}),
    Entry(NAME, "2", "springs of two stages, smoothed", *contact_laws.contact_figure("2"),
          knobs=contact_laws.CASES["2"].knobs),
    Entry(NAME, "3", "clearance of the spline, smoothed", *contact_laws.contact_figure("3"),
          knobs=contact_laws.CASES["3"].knobs),
    Entry(NAME, "4", "friction torque, smoothed", *contact_laws.contact_figure("4"),
          knobs=contact_laws.CASES["4"].knobs),
    Entry(NAME, "5", "tangential friction, smoothed", *contact_laws.contact_figure("5"),
          knobs=contact_laws.CASES["5"].knobs),
    Entry(NAME, "6", "relative angles, reading paper", PAPER, DRAW_ANGLES, about=transient_responses.ANGLES,
          **READING_CASE),
    Entry(NAME, "7", "contact actions, reading paper", PAPER, DRAW_ACTIONS, about=transient_responses.CONTACTS,
          **READING_CASE),
    Entry(NAME, "8", "residuals of Taylor and Newton, and delta_1", solver_comparison.step_residuals,
          solver_comparison.draw_residuals, **SOLVER_CASE),
    Entry(NAME, "table 1", "numbers, and their keywords", parameter_table.compute, parameter_table.draw, kind="table",
          fixed=parameter_table.FIXED_TEXT, system={}),
    Entry(NAME, "table 2", "steps over the order of the series", solver_comparison.order_table,
          solver_comparison.draw_orders, kind="table", **SOLVER_CASE),
    Entry(NAME, "6-consistent", "Fig. 6 in absolute coordinates", CONSISTENT, DRAW_ANGLES, kind="beyond",
          about=transient_responses.ANGLES, **CONSISTENT_CASE),
    Entry(NAME, "7-consistent", "Fig. 7 in absolute coordinates", CONSISTENT, DRAW_ACTIONS, kind="beyond",
          about=transient_responses.CONTACTS, **CONSISTENT_CASE),
)  # fmt: skip
