"""Figures of the fibre paper: loops of entangled fibres, parts of their law, its identification, a mount.

hysteresis_loops   Figs 4 to 7 and 12: loops and backbone
law_parts          Figs 8 to 11: parts of the law
law_fits           Figs 13 to 16: identification
shear_mount        beyond the paper: a mass on two samples
synthetic_loops    loops in place of the measured ones
figure_parameters  adjustable parameters
"""

from __future__ import annotations

from slipstick.papers import setup_diagrams
from slipstick.papers.entry import Entry, diagram_entry
from slipstick.papers.fibre import figure_parameters, hysteresis_loops, law_fits, law_parts, shear_mount

NAME = "fibre"

ENTRIES: tuple[Entry, ...] = (
    diagram_entry(NAME, "1", "photographs of the fibres", setup_diagrams.fibre_contacts),
    diagram_entry(NAME, "2", "the double lap set-up", setup_diagrams.double_lap),
    diagram_entry(NAME, "3", "shear of the samples", setup_diagrams.shear_sample),
    Entry(NAME, "4", "the loop of the largest amplitude", hysteresis_loops.single_loop,
          hysteresis_loops.draw_single_loop, knobs=figure_parameters.LAW),
    Entry(NAME, "5", "loops of ten amplitudes", hysteresis_loops.amplitude_loops, hysteresis_loops.draw_amplitudes,
          about=("energy", "(28)"), knobs=figure_parameters.LAW),
    Entry(NAME, "6", "the same with their backbone", hysteresis_loops.amplitude_loops, hysteresis_loops.draw_backbone,
          about=("backbone", "energy"), knobs=figure_parameters.LAW),
    Entry(NAME, "7", "loops at several frequencies", hysteresis_loops.frequency_loops,
          hysteresis_loops.draw_frequencies, knobs=(*figure_parameters.FIRST_SET, figure_parameters.GROWTH)),
    Entry(NAME, "8", "asymptotes of Dahl's models", law_parts.asymptotes, law_parts.draw_asymptotes,
          knobs=figure_parameters.FRICTION),
    Entry(NAME, "9", "the three parts of the law", law_parts.three_parts, law_parts.draw_three_parts,
          knobs=figure_parameters.LAW),
    Entry(NAME, "10", "a history with an inner loop", law_parts.memory_comparison, law_parts.draw_memory,
          knobs=figure_parameters.FRICTION),
    Entry(NAME, "11", "Bliman and Sorine's difference", law_parts.bliman_sorine_difference, law_parts.draw_difference,
          knobs=figure_parameters.DIFFERENCE),
    Entry(NAME, "12", "loops of the dynamic model and their backbone", hysteresis_loops.masing_loops,
          hysteresis_loops.draw_backbone, knobs=figure_parameters.FRICTION),
    Entry(NAME, "13", "fit of parts (a) and (b)", law_fits.friction_and_stiffening, law_fits.draw_loops,
          knobs=figure_parameters.FIRST_SET),
    Entry(NAME, "14", "fit of the full law, first set", law_fits.full_law_fit("fibre-set-1", "set 1"),
          law_fits.draw_loops, knobs=figure_parameters.FIRST_SET),
    Entry(NAME, "15", "fit of the full law, second set", law_fits.full_law_fit("fibre-set-2", "set 2"),
          law_fits.draw_loops, knobs=figure_parameters.SECOND_SET),
    Entry(NAME, "16", "numbers over frequency, both sets", law_fits.parameters_over_frequency, law_fits.draw_trend,
          knobs=figure_parameters.BOTH_SETS),
    Entry(NAME, "mount", "a mass on two samples over frequency", shear_mount.mount_response, shear_mount.draw_response,
          kind="beyond", knobs=figure_parameters.MOUNT, system={"amplitude": shear_mount.AMPLITUDES[-1]},
          case=f"with a force of {shear_mount.AMPLITUDES[-1]:g} N"),
    Entry(NAME, "mount-push", "the same after a push", shear_mount.half_sine_response, shear_mount.draw_transient,
          kind="beyond", knobs=figure_parameters.PUSH),
)  # fmt: skip
