"""Figures of the tensioner paper: rig, laws, identification, belt system and response families.

rig                Figs 1, 2, 4 to 6, 11 and 12: laws on the rig
law_fits           Figs 8 to 10 and 13: identification
belt_responses     Figs 16 to 20: belt, tensioner and mass
tension_responses  Fig. 21 by shooting
synthetic_loops    loops in place of the measured ones
figure_parameters  adjustable parameters
"""

from __future__ import annotations

from typing import Any

from slipstick.papers import setup_diagrams
from slipstick.papers.entry import NOT_PUBLISHED_TEXT, Entry, diagram_entry
from slipstick.papers.tensioner import belt_responses, figure_parameters, law_fits, rig, tension_responses
from slipstick.systems.tensioner import tensioner

NAME = "tensioner"
DRIVE_PARAMETERS = figure_parameters.RIG[:2]  # excitation of the rig, for all laws
DAHL_OPTIONS: Any = {"knobs": (*DRIVE_PARAMETERS, *figure_parameters.DAHL)}
MASING_OPTIONS: Any = {"knobs": (*figure_parameters.RIG, *figure_parameters.MASING)}
RIG_OPTIONS: Any = {"knobs": rig.KNOBS}
SYSTEM_OPTIONS: Any = {
    "knobs": belt_responses.KNOBS,
    "system": {"balanced_at": belt_responses.START_TIME},
    "case": "with the Masing law",
}
FAMILY_KEYWORDS = {"amplitude": float(tension_responses.LARGEST_MEASURED_FORCE)}  # one force of many

ENTRIES: tuple[Entry, ...] = (
    Entry(NAME, "1", "a loop and its two parts", rig.loops, rig.draw_parts, about=("loop area, modified Dahl",),
          **DAHL_OPTIONS),
    Entry(NAME, "2", "the loop of the modified Dahl law", rig.loops, rig.draw_dahl,
          about=("loop area, modified Dahl", "loop below"), **DAHL_OPTIONS),
    diagram_entry(NAME, "3", "springs, slider and damper of the Masing law", setup_diagrams.masing_diagram),
    Entry(NAME, "4", "two multi-valued graphs", rig.slider_graphs, rig.draw_graphs, knobs=(figure_parameters.HEIGHT,)),
    Entry(NAME, "5", "the parallelogram of the Masing law", rig.loops, rig.draw_parallelogram,
          about=("loop area, its dry part",), **MASING_OPTIONS),
    Entry(NAME, "6", "the same with a damper", rig.loops, rig.draw_skeleton,
          about=("loop area, Masing", "loop area, its dry part"), **MASING_OPTIONS),
    diagram_entry(NAME, "7", "the tensioner", setup_diagrams.tensioner_alone),
    Entry(NAME, "8", "a loop of the rig", law_fits.measured_loop, law_fits.draw_measured, about=("loop",),
          knobs=law_fits.LOOP_PARAMETERS),
    Entry(NAME, "9", "envelopes from a loop", law_fits.law_fits_entry("dahl"), law_fits.draw_envelopes,
          about=("h_", *(f"ModifiedDahl: {one}" for one in law_fits.SYMBOLS.values())), knobs=law_fits.DAHL_PARAMETERS),
    Entry(NAME, "10", "the Masing law from a loop", law_fits.law_fits_entry("masing"), law_fits.draw_fit,
          about=("Masing",), knobs=law_fits.MASING_PARAMETERS),
    Entry(NAME, "11", "forces over time", rig.force_histories, rig.draw_time, **RIG_OPTIONS),
    Entry(NAME, "12", "loops of both laws", rig.branch_forces, rig.draw_both, **RIG_OPTIONS),
    Entry(NAME, "13", "both laws from loops", law_fits.law_fits_entry("masing", "dahl"), law_fits.draw_both_fits,
          about=("Masing", "ModifiedDahl"), knobs=law_fits.ALL_PARAMETERS),
    diagram_entry(NAME, "14", "photographs of the system", tensioner, system={}),
    diagram_entry(NAME, "15", "sketch and model of the system", tensioner, system={}),
    Entry(NAME, "16", "tension and displacements over time", belt_responses.histories, belt_responses.draw_all,
          about=("T",), **SYSTEM_OPTIONS),
    Entry(NAME, "17", "force of the tensioner over time, and (58)", belt_responses.histories, belt_responses.draw_force,
          about=("(58)", "Delta t"), **SYSTEM_OPTIONS),
    Entry(NAME, "18", "displacement of the mass", belt_responses.histories, belt_responses.draw_first,
          about=("u1", "Delta t"), **SYSTEM_OPTIONS),
    Entry(NAME, "19", "displacement of the pulley", belt_responses.histories, belt_responses.draw_second,
          about=("u2", "Delta t"), **SYSTEM_OPTIONS),
    Entry(NAME, "20", "loops within the system", belt_responses.histories, belt_responses.draw_loops,
          about=("loop", "Delta t"), **SYSTEM_OPTIONS),
    diagram_entry(NAME, "21a", "responses, measured", tensioner, NOT_PUBLISHED_TEXT, system={}),
    Entry(NAME, "21b", "responses, modified Dahl", tension_responses.response_family("modified-dahl"),
          tension_responses.family_drawing("modified-dahl"), has_own_scheme=True,
          knobs=(*figure_parameters.DAHL, *figure_parameters.BELT), system={"law": "modified-dahl", **FAMILY_KEYWORDS},
          case=f"with a force of {tension_responses.LARGEST_MEASURED_FORCE} N"),
    Entry(NAME, "21c", "responses, Masing", tension_responses.response_family("masing"),
          tension_responses.family_drawing("masing"), has_own_scheme=True,
          knobs=(*figure_parameters.MASING, *figure_parameters.BELT), system=FAMILY_KEYWORDS,
          case=f"with a force of {tension_responses.LARGEST_MEASURED_FORCE} N"),
)  # fmt: skip
