"""A small model that has an identified law: one mass on it, driven about the place where the loops were measured."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from slipstick.report.block import block_of
from slipstick.report.files import name_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from slipstick.results.fit import Fit

    Array = NDArray[np.float64]

HERTZ = 10.0  # where the mass and the secant stiffness of the largest loop resonate
SHARE = 0.25  # of the range of force: the amplitude of the load
SMALL = 1e-3  # of a range: a middle nearer to zero is there
PAD = (125.0, 12e-4)  # [1/m, m^2] 1/thickness and area of a pad: what the block of a stress law puts there
_UNITS = {"translation": ("kg", "m", "N"), "rotation": ("kg m^2", "rad", "N m"), "stress": ("kg", "m", "N")}


class Place(NamedTuple):
    """Of the largest loop, in SI.   u, f : its middle.   secant : stiffness between its tips.   force : its range."""

    u: float
    f: float
    secant: float
    force: float


def starter(fit: Fit, files: tuple[str, ...]) -> str:
    """The text of the model.   files : that the loops came from."""
    title = f"One mass on a law that was identified: {name_of(files, fit.kind)}"
    return around(block_of(fit), _place(fit), fit.system, title)


def around(law: str, at: Place, system: str, title: str, loop: str = "the largest loop", on: str = "u") -> str:
    """The text of a model of one mass.

    law : its block, under connections.   at : where it moves.   loop : what that was taken from.   on : its coordinate.
    """
    mass, length, force = _UNITS[system]
    inertia = max(abs(at.secant), 1e-12) / (2.0 * math.pi * HERTZ) ** 2
    if system == "stress":  # a model has no strain: its pads have a size, which stands in the block as a hint
        law = law.replace("    # scaled:", "    scaled:  ")
    return f"""# {title}
slipstick: 1
name: "identified"
frequency: {HERTZ:g} Hz  # of the load below

coordinates:
  {on}:
    inertia: {inertia:.3g} {mass}  # put yours: with this one {loop} resonates at {HERTZ:g} Hz
    displacement: {at.u:.4g} {length}  # the middle of {loop}

connections:
{law}
loads:
  - {{on: {on}, constant: {at.f:.4g} {force}}}  # holds it there, once it has slipped to both sides
  - {{on: {on}, cosine: {{amplitude: {SHARE * at.force:.3g} {force}, order: 1}}}}  # put yours
"""


def _place(fit: Fit) -> Place:
    loop = max(fit.loops, key=lambda own: own.amplitude)
    stretch, area = PAD if fit.system == "stress" else (1.0, 1.0)
    return place_of(loop.u / stretch, loop.fitted * area)


def place_of(u: Array, f: Array) -> Place:
    """Where a loop lies.   u, f : (n,) its points [m or rad, N or N m]."""
    high, low = int(u.argmax()), int(u.argmin())
    width, force = float(u[high] - u[low]), float(f.max() - f.min())
    middles = (0.5 * float(u[high] + u[low]), width), (0.5 * float(f.max() + f.min()), force)
    at, load = (0.0 if abs(middle) < SMALL * size else middle for middle, size in middles)  # rounding is no load
    return Place(at, load, float(f[high] - f[low]) / width, force)
