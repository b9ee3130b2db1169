"""Figures of the fibre paper: loops of entangled fibres, the parts of their law, its identification, a mount."""

from __future__ import annotations

from slipstick.papers.entry import Entry, scheme
from slipstick.papers.fibre import fits, knobs, loops, mount, parts, schemes

NAME = "fibre"

ENTRIES: tuple[Entry, ...] = (
    scheme(NAME, "1", "photographs of the fibres", schemes.material),
    scheme(NAME, "2", "the double lap set-up", schemes.double_lap),
    scheme(NAME, "3", "shear of the samples", schemes.sample),
    Entry(NAME, "4", "the loop of the largest amplitude", loops.one, loops.draw_one, knobs=knobs.LAW),
    Entry(
        NAME,
        "5",
        "loops of ten amplitudes",
        loops.amplitudes,
        loops.draw_amplitudes,
        about=("energy", "(28)"),
        knobs=knobs.LAW,
    ),
    Entry(
        NAME,
        "6",
        "the same with their backbone",
        loops.amplitudes,
        loops.draw_backbone,
        about=("backbone", "energy"),
        knobs=knobs.LAW,
    ),
    Entry(
        NAME,
        "7",
        "loops at several frequencies",
        loops.frequencies,
        loops.draw_frequencies,
        knobs=(*knobs.FIRST, knobs.GROWTH),
    ),
    Entry(NAME, "8", "asymptotes of Dahl's models", parts.asymptotes, parts.draw_asymptotes, knobs=knobs.FRICTION),
    Entry(NAME, "9", "the three parts of the law", parts.three, parts.draw_three, knobs=knobs.LAW),
    Entry(NAME, "10", "a history with an inner loop", parts.memory, parts.draw_memory, knobs=knobs.FRICTION),
    Entry(
        NAME,
        "11",
        "Bliman and Sorine's difference",
        parts.difference,
        parts.draw_difference,
        knobs=knobs.DIFFERENCE,
    ),
    Entry(
        NAME,
        "12",
        "loops of the dynamic model and their backbone",
        loops.masing,
        loops.draw_backbone,
        knobs=knobs.FRICTION,
    ),
    Entry(NAME, "13", "fit of parts (a) and (b)", fits.friction_and_stiffening, fits.draw_loops, knobs=knobs.FIRST),
    Entry(
        NAME,
        "14",
        "fit of the full law, first set",
        fits.full("fibre-set-1", "set 1"),
        fits.draw_loops,
        knobs=knobs.FIRST,
    ),
    Entry(
        NAME,
        "15",
        "fit of the full law, second set",
        fits.full("fibre-set-2", "set 2"),
        fits.draw_loops,
        knobs=knobs.SECOND,
    ),
    Entry(NAME, "16", "numbers over frequency, both sets", fits.over_frequency, fits.draw_trend, knobs=knobs.BOTH),
    Entry(
        NAME,
        "mount",
        "a mass on two samples over frequency",
        mount.response,
        mount.draw_response,
        kind="beyond",
        knobs=knobs.MOUNT,
        system={"amplitude": mount.AMPLITUDES[-1]},
        case=f"with a force of {mount.AMPLITUDES[-1]:g} N",
    ),
    Entry(
        NAME,
        "mount-push",
        "the same after a push",
        mount.transient,
        mount.draw_transient,
        kind="beyond",
        knobs=knobs.PUSH,
    ),
)
