"""Figures of the torsional paper (Duan and Singh): dry friction under a periodic normal load.

four_harmonic_load  Fig. 2: a load of four harmonics
load_responses      Figs 3 and 4: order and phase of the load
additional_figures  beyond the paper: Den Hartog's boundary, damping
method_comparison   harmonic balance and runs beside exact shooting
full_stick          frequencies at which friction holds for the whole period
figure_parameters   adjustable parameters
"""

from __future__ import annotations

from slipstick.papers.entry import Entry, diagram_entry
from slipstick.papers.torsional import additional_figures, four_harmonic_load, load_responses
from slipstick.papers.torsional.figure_parameters import ZETA
from slipstick.papers.torsional.full_stick import REST
from slipstick.systems.torsional import torsional

NAME = "torsional"
RMS, LAG = ("rms", "runs", "harmonic", REST), ("psi", REST)  # how rows about Fig. 4a and 4b begin

ENTRIES: tuple[Entry, ...] = (
    diagram_entry(NAME, "1", "the oscillator with a dry friction element", torsional, system={}),
    Entry(NAME, "2", "a normal load of two orders, by three methods", four_harmonic_load.compute,
          four_harmonic_load.draw, knobs=four_harmonic_load.KNOBS),
    Entry(NAME, "3", "effect of the normal load's order n", load_responses.orders, load_responses.draw_orders,
          knobs=load_responses.ORDER_PARAMETERS, system={}, case="with n = 1"),
    Entry(NAME, "4a", "effect of the normal load's phase: rms", load_responses.phases, load_responses.draw_rms,
          about=RMS, knobs=load_responses.PHASE_PARAMETERS, system={}, case="with phi = 0"),
    Entry(NAME, "4b", "effect of the normal load's phase: pseudo lag", load_responses.phases, load_responses.draw_lag,
          about=LAG, knobs=load_responses.PHASE_PARAMETERS, system={}, case="with phi = 0"),
    Entry(NAME, "den-hartog", "motions with and without stops", additional_figures.den_hartog,
          additional_figures.draw_den_hartog, kind="beyond", knobs=(ZETA,), system={"swing": 0.0},
          case="with a constant friction of 0.5 T_p"),
    Entry(NAME, "zeta", "effect of viscous damping", additional_figures.damping_ratio_effect,
          additional_figures.draw_damping_ratio_effect, kind="beyond", knobs=additional_figures.ZETA_PARAMETERS,
          system={}, case="with zeta = 0.05"),
)  # fmt: skip
