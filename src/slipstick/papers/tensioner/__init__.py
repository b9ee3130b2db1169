"""Figures of the tensioner paper: the rig, both laws and their identification, the system, response families."""

from __future__ import annotations

from typing import Any

from slipstick.papers.entry import MEASURED, Entry, scheme
from slipstick.papers.tensioner import families, identified, knobs, rig, schemes, system
from slipstick.systems.tensioner import tensioner

NAME = "tensioner"
DRIVE = knobs.RIG[:2]  # what is done to the rig, whatever its law
OF_DAHL: Any = {"knobs": (*DRIVE, *knobs.DAHL)}
OF_MASING: Any = {"knobs": (*knobs.RIG, *knobs.MASING)}
RIG: Any = {"knobs": rig.KNOBS}
SYSTEM: Any = {"knobs": system.KNOBS, "system": {"balanced_at": system.BEGIN}, "case": "with the Masing law"}
OF_FAMILY = {"amplitude": float(families.MEASURED)}  # one force of many

ENTRIES: tuple[Entry, ...] = (
    Entry(
        NAME, "1", "a loop and its two parts", rig.loops, rig.draw_parts, about=("loop area, modified Dahl",), **OF_DAHL
    ),
    Entry(
        NAME,
        "2",
        "the loop of the modified Dahl law",
        rig.loops,
        rig.draw_dahl,
        about=("loop area, modified Dahl", "loop below"),
        **OF_DAHL,
    ),
    scheme(NAME, "3", "springs, slider and damper of the Masing law", schemes.masing),
    Entry(NAME, "4", "two multi-valued graphs", rig.graphs, rig.draw_graphs, knobs=(knobs.HEIGHT,)),
    Entry(
        NAME,
        "5",
        "the parallelogram of the Masing law",
        rig.loops,
        rig.draw_parallelogram,
        about=("loop area, its dry part",),
        **OF_MASING,
    ),
    Entry(
        NAME,
        "6",
        "the same with a damper",
        rig.loops,
        rig.draw_skeleton,
        about=("loop area, Masing", "loop area, its dry part"),
        **OF_MASING,
    ),
    scheme(NAME, "7", "the tensioner", schemes.alone),
    Entry(
        NAME,
        "8",
        "a loop of the rig",
        identified.measured,
        identified.draw_measured,
        about=("loop",),
        knobs=identified.LOOP,
    ),
    Entry(
        NAME,
        "9",
        "envelopes from a loop",
        identified.identified("dahl"),
        identified.draw_envelopes,
        about=("h_", *(f"ModifiedDahl: {one}" for one in identified.SYMBOLS.values())),
        knobs=identified.OF_DAHL,
    ),
    Entry(
        NAME,
        "10",
        "the Masing law from a loop",
        identified.identified("masing"),
        identified.draw_fit,
        about=("Masing",),
        knobs=identified.OF_MASING,
    ),
    Entry(NAME, "11", "forces over time", rig.in_time, rig.draw_time, **RIG),
    Entry(NAME, "12", "loops of both laws", rig.values, rig.draw_both, **RIG),
    Entry(
        NAME,
        "13",
        "both laws from loops",
        identified.identified("masing", "dahl"),
        identified.draw_both_fits,
        about=("Masing", "ModifiedDahl"),
        knobs=identified.OF_BOTH,
    ),
    scheme(NAME, "14", "photographs of the system", tensioner, system={}),
    scheme(NAME, "15", "sketch and model of the system", tensioner, system={}),
    Entry(NAME, "16", "tension and displacements over time", system.histories, system.draw_all, about=("T",), **SYSTEM),
    Entry(
        NAME,
        "17",
        "force of the tensioner over time, and (58)",
        system.histories,
        system.draw_force,
        about=("(58)", "Delta t"),
        **SYSTEM,
    ),
    Entry(
        NAME, "18", "displacement of the mass", system.histories, system.draw_first, about=("u1", "Delta t"), **SYSTEM
    ),
    Entry(
        NAME,
        "19",
        "displacement of the pulley",
        system.histories,
        system.draw_second,
        about=("u2", "Delta t"),
        **SYSTEM,
    ),
    Entry(
        NAME, "20", "loops within the system", system.histories, system.draw_loops, about=("loop", "Delta t"), **SYSTEM
    ),
    scheme(NAME, "21a", "responses, measured", tensioner, MEASURED, system={}),
    Entry(
        NAME,
        "21b",
        "responses, modified Dahl",
        families.family("modified-dahl"),
        families.drawn("modified-dahl"),
        has_own_scheme=True,
        knobs=(*knobs.DAHL, *knobs.BELT),
        system={"law": "modified-dahl", **OF_FAMILY},
        case=f"with a force of {families.MEASURED} N",
    ),
    Entry(
        NAME,
        "21c",
        "responses, Masing",
        families.family("masing"),
        families.drawn("masing"),
        has_own_scheme=True,
        knobs=(*knobs.MASING, *knobs.BELT),
        system=OF_FAMILY,
        case=f"with a force of {families.MEASURED} N",
    ),
)
