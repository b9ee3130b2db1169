"""Figures of the tensioner paper: the rig, both laws and their identification, the system, response families."""

from __future__ import annotations

from slipstick.papers.entry import Entry, scheme
from slipstick.papers.tensioner import families, rig, system
from slipstick.systems.tensioner import tensioner

NAME = "tensioner"

ENTRIES: tuple[Entry, ...] = (
    Entry(NAME, "1", "a loop and its two parts", rig.loops, rig.draw_parts),
    Entry(NAME, "2", "the loop of the modified Dahl law", rig.loops, rig.draw_dahl),
    scheme(NAME, "3", "springs, slider and damper of the Masing law", tensioner),
    Entry(NAME, "4", "two multi-valued graphs", rig.graphs, rig.draw_graphs),
    Entry(NAME, "5", "the parallelogram of the Masing law", rig.loops, rig.draw_parallelogram),
    Entry(NAME, "6", "the same with a damper", rig.loops, rig.draw_skeleton),
    scheme(NAME, "7", "the tensioner", tensioner),
    Entry(NAME, "8", "a loop of the rig", rig.identified, rig.draw_measured),
    Entry(NAME, "9", "envelopes from a loop", rig.identified, rig.draw_envelopes),
    Entry(NAME, "10", "the Masing law from a loop", rig.identified, rig.draw_fit),
    Entry(NAME, "11", "forces over time", rig.in_time, rig.draw_time),
    Entry(NAME, "12", "loops of both laws", rig.values, rig.draw_both),
    Entry(NAME, "13", "both laws from loops", rig.identified, rig.draw_both_fits),
    scheme(NAME, "14", "photographs of the system", tensioner),
    scheme(NAME, "15", "sketch and model of the system", tensioner),
    Entry(NAME, "16", "tension and displacements over time", system.histories, system.draw_all),
    Entry(NAME, "17", "force of the tensioner over time, and (58)", system.histories, system.draw_force),
    Entry(NAME, "18", "displacement of the mass", system.histories, system.draw_first),
    Entry(NAME, "19", "displacement of the pulley", system.histories, system.draw_second),
    Entry(NAME, "20", "loops within the system", system.histories, system.draw_loops),
    Entry(
        NAME, "21b", "responses, modified Dahl", families.family("modified-dahl"), families.draw, has_own_scheme=True
    ),
    Entry(NAME, "21c", "responses, Masing", families.family("masing"), families.draw, has_own_scheme=True),
)
