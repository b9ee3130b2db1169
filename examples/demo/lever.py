"""A machine with that law in it: a lever on a leaf spring, held by the tensioner, between two stops."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from chapter import Chapter

import slipstick as ss
from slipstick.plot.model_diagram import draw_diagram
from slipstick.systems.tensioner import IDENTIFIED_AT

if TYPE_CHECKING:
    from slipstick.results.fit import Fit

TITLE = "A machine with that law in it"
LOADS = (25.0, 50.0, 100.0)  # N
RIG, HERE = IDENTIFIED_AT, 110.0  # rad/s, of the test and of this machine: between its modes that stick and slip
ARM = 0.2  # the tensioner holds the lever at a fifth of its length
STATES = (
    ("it sticks", {"tensioner": "stick", "stops": "free"}),
    ("it slips", {"tensioner": "slip", "stops": "free"}),
    ("it slips at a stop", {"tensioner": "slip", "stops": "contact"}),
)


def lever(law: ss.Masing, load: float = LOADS[-1], displacement: float = 0.0) -> ss.Model:
    """Displacement x of its tip; a harmonic load [N]; released from a displacement [m]."""
    m = ss.Model("lever")
    x = m.coordinate("x", inertia=5.0, displacement=displacement)
    m.connect(x, ss.Linear(stiffness=4e4, damping=5.0), name="leaf spring")
    m.connect(ARM * x, law, name="tensioner")
    m.connect(x, ss.Freeplay(stiffness=2e5, half_gap=5e-3), name="stops")
    m.load(x, ss.Cosine(load, order=1))
    return m


def make(fit: Fit, out: Path) -> ss.Masing:
    """The law as this machine has it, and the machine as a file."""
    law = fit.law
    # what a rig calls a damper at its frequency loses the same in each cycle at any frequency: tensioner paper (31).
    # The weight of the lever holds the preload.
    law = replace(law, damping=law.damping * RIG / HERE, preload=0.0)
    lever(law).save(out / "lever.yaml")
    return law


SHOWN = (lever, make)  # on the page


def chapter(law: ss.Masing, out: Path) -> Chapter:
    """The diagram, and how it vibrates in each state."""
    m = lever(law)
    modes = [(words, m.modes(state=state)) for words, state in STATES]
    rows = [
        (words, f"{found.magnitude[0] / ss.hz(1):.2f}", f"{100.0 * found.damping_ratio[0]:.1f}")
        for words, found in modes
    ]
    return Chapter(
        words="The tip of a lever, 5 kg, on a leaf spring, between stops 5 mm away on either side; the tensioner holds "
        "it at a fifth of its length. One law object serves everything that follows. lever.yaml holds the machine, to "
        "open with ss.open, change, and check with slipstick check.",
        headline=f"natural frequency {rows[0][1]} Hz while it sticks, {rows[1][1]} Hz while it slips",
        heading=("state", "natural frequency [Hz]", "damping [%]"),
        rows=rows,
        certificate="modes are those of the equations, linearised in each state",
        good=True,
        figure=draw_diagram(m),
        files=(out / "lever.yaml",),
    )
