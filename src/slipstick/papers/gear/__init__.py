"""Figures of the gear paper (Zardecki): luz and tar, a gear train and its formal reductions.

characteristics    Figs 1, 3, 7 and 8: luz, tar, freeplay and friction
simplifications    the four-body train and its simplifications
rattle             beyond the paper: frequency response of the rattling train
figure_parameters  adjustable parameters
"""

from __future__ import annotations

from slipstick.papers import setup_diagrams
from slipstick.papers.entry import Entry, diagram_entry
from slipstick.papers.gear import characteristics, figure_parameters, rattle, simplifications
from slipstick.systems.gear import gear

NAME = "gear"

ENTRIES: tuple[Entry, ...] = (
    Entry(NAME, "1", "the projections luz and tar", characteristics.projections, characteristics.draw_projections,
          knobs=figure_parameters.HALF_WIDTH),
    diagram_entry(NAME, "2", "toothed elements with freeplay", setup_diagrams.toothed_elements),
    Entry(NAME, "3", "force of a spring with freeplay", characteristics.spring, characteristics.draw_spring,
          knobs=figure_parameters.SPRING),
    diagram_entry(NAME, "4", "a gear pair with play between its teeth", setup_diagrams.gear_teeth),
    diagram_entry(NAME, "5", "an elastic shaft with play in its mounting", setup_diagrams.shaft_mounting),
    diagram_entry(NAME, "6", "a block on a fixed base", setup_diagrams.block_on_base),
    Entry(NAME, "7", "friction over rate", characteristics.friction, characteristics.draw_friction,
          knobs=figure_parameters.BLOCK),
    Entry(NAME, "8", "friction at rest", characteristics.friction_at_rest, characteristics.draw_at_rest,
          knobs=(figure_parameters.LIMIT,)),
    diagram_entry(NAME, "9", "a body in a bearing", setup_diagrams.body_in_bearing),
    diagram_entry(NAME, "10", "the four-body gear train", gear, system={}),
    Entry(NAME, "levels", "the train and its simplifications", simplifications.level_motions,
          simplifications.draw_motions, kind="beyond", knobs=figure_parameters.TRAIN, system=simplifications.FRICTION,
          case="as the whole train"),
    Entry(NAME, "convergence", "how the simplifications come about", simplifications.convergence,
          simplifications.draw_convergence, kind="beyond", knobs=figure_parameters.TRAIN),
    Entry(NAME, "rattle", "the loaded train over frequency", rattle.rattle_response, rattle.draw_rattle, kind="beyond",
          knobs=figure_parameters.LOADED, keywords=rattle.keywords, system={"amplitude": rattle.AMPLITUDES[1]},
          case=f"as the whole train, not yet simplified, under {rattle.AMPLITUDES[1]:g} N m"),
)  # fmt: skip
