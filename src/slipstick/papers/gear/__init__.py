"""Figures of the gear paper (Zardecki): luz and tar, a gear train and its formal reductions."""

from __future__ import annotations

from slipstick.papers.entry import Entry, scheme
from slipstick.papers.gear import characteristics, knobs, levels, rattle, schemes
from slipstick.systems.gear import gear

NAME = "gear"

ENTRIES: tuple[Entry, ...] = (
    Entry(
        NAME,
        "1",
        "the projections luz and tar",
        characteristics.projections,
        characteristics.draw_projections,
        knobs=knobs.HALF_WIDTH,
    ),
    scheme(NAME, "2", "toothed elements with freeplay", schemes.toothed),
    Entry(
        NAME,
        "3",
        "force of a spring with freeplay",
        characteristics.spring,
        characteristics.draw_spring,
        knobs=knobs.SPRING,
    ),
    scheme(NAME, "4", "a gear pair with play between its teeth", schemes.teeth),
    scheme(NAME, "5", "an elastic shaft with play in its mounting", schemes.mounting),
    scheme(NAME, "6", "a block on a fixed base", schemes.block),
    Entry(NAME, "7", "friction over rate", characteristics.friction, characteristics.draw_friction, knobs=knobs.BLOCK),
    Entry(NAME, "8", "friction at rest", characteristics.at_rest, characteristics.draw_at_rest, knobs=(knobs.LIMIT,)),
    scheme(NAME, "9", "a body in a bearing", schemes.in_bearing),
    scheme(NAME, "10", "the four-body gear train", gear, system={}),
    Entry(
        NAME,
        "levels",
        "the train and its simplifications",
        levels.motions,
        levels.draw_motions,
        kind="beyond",
        knobs=knobs.TRAIN,
        system=levels.FRICTION,
        case="as the whole train",
    ),
    Entry(
        NAME,
        "convergence",
        "how the simplifications come about",
        levels.convergence,
        levels.draw_convergence,
        kind="beyond",
        knobs=knobs.TRAIN,
    ),
    Entry(
        NAME,
        "rattle",
        "the loaded train over frequency",
        rattle.compute,
        rattle.draw,
        kind="beyond",
        knobs=knobs.LOADED,
        keywords=rattle.keywords,
        system={"amplitude": rattle.AMPLITUDES[1]},
        case=f"as the whole train, not yet simplified, under {rattle.AMPLITUDES[1]:g} N m",
    ),
)
