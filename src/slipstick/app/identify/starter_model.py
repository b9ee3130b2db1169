"""A small model that has an identified law: one mass on it, driven about the place where the loops were measured."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from slipstick.report.law_block import law_block
from slipstick.report.report_files import output_name
from slipstick.units.scales import LoopUnits, Scale

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from slipstick.results.fit import Fit

    Array = NDArray[np.float64]

RESONANCE_HZ = 10.0  # where the mass and the secant stiffness of the largest loop resonate
LOAD_SHARE_OF_FORCE_RANGE = 0.25  # of the range of force: the amplitude of the load
ZERO_MEAN_REL = 1e-3  # of a range: a middle nearer to zero is there
PAD_GEOMETRY = (125.0, 12e-4)  # [1/m, m^2] 1/thickness and area of a pad: what the block of a stress law puts there
_MASS_UNITS = {"translation": "kg", "rotation": "kg m^2", "stress": "kg"}
_SI_UNITS = {"translation": ("m", "N"), "rotation": ("rad", "N m"), "stress": ("m", "N")}


class LoopCentre(NamedTuple):
    """Of the largest loop, in SI.   u, f : its middle.   secant : stiffness between its tips.   force : its range."""

    u: float
    f: float
    secant: float
    force: float


def starter_model_text(fit: Fit, files: tuple[str, ...]) -> str:
    """The text of the model, in the units of the loops.   files : that the loops came from."""
    title = f"One mass on a law that was identified: {output_name(files, fit.kind)}"
    units = fit.units if fit.units.written and fit.system != "stress" else None
    return one_mass_model_text(law_block(fit), _largest_loop_centre(fit), fit.system, title, units=units)


def one_mass_model_text(
    law: str,
    at: LoopCentre,
    system: str,
    title: str,
    loop: str = "the largest loop",
    on: str = "u",
    units: LoopUnits | None = None,
) -> str:
    """The text of a model of one mass.

    law : its block, under connections.   at : where it moves.   loop : what that was taken from.   on : its coordinate.
    units : of displacements and forces; SI if left out.
    """
    u, f = (units or units_in_si(system))[:2]
    inertia = max(abs(at.secant), 1e-12) / (2.0 * math.pi * RESONANCE_HZ) ** 2
    if system == "stress":  # a model has no strain: its pads have a size, which stands in the block as a hint
        law = law.replace("    # scaled:", "    scaled:  ")
    return f"""# {title}
slipstick: 1
name: "identified"
frequency: {RESONANCE_HZ:g} Hz  # of the load below

coordinates:
  {on}:
    # Put your own mass: with this one
    # {loop} resonates at {RESONANCE_HZ:g} Hz.
    inertia: {inertia:.3g} {_MASS_UNITS[system]}
    # The middle of {loop}.
    displacement: {u.words(at.u, 4)}

connections:
{law}
loads:
{_mean_load(at, f, loop, on)}  # Put your own load.
  - {{on: {on}, cosine: {{amplitude: {f.words(LOAD_SHARE_OF_FORCE_RANGE * at.force, 3)}, order: 1}}}}
"""


def _mean_load(at: LoopCentre, force: Scale, loop: str, on: str) -> str:
    """What holds the motion about the middle of a loop, where the law does not by itself."""
    if at.f == 0.0:
        return ""
    return f"""  # The mean force of {loop}.
  # Without it the motion would leave the middle
  # of that loop for another place.
  - {{on: {on}, constant: {force.words(at.f, 4)}}}
"""


def units_in_si(system: str) -> LoopUnits:
    """Of a model that a law of these units is in."""
    deflection, force = (Scale(unit, 1.0) for unit in _SI_UNITS[system])
    return LoopUnits(deflection, force)


def _largest_loop_centre(fit: Fit) -> LoopCentre:
    loop = max(fit.loops, key=lambda own: own.amplitude)
    stretch, area = PAD_GEOMETRY if fit.system == "stress" else (1.0, 1.0)
    return loop_centre(loop.u / stretch, loop.fitted * area)


def loop_centre(u: Array, f: Array) -> LoopCentre:
    """Where a loop lies.   u, f : (n,) its points [m or rad, N or N m]."""
    high, low = int(u.argmax()), int(u.argmin())
    width, force = float(u[high] - u[low]), float(f.max() - f.min())
    middles = (0.5 * float(u[high] + u[low]), width), (0.5 * float(f.max() + f.min()), force)
    at, load = (
        0.0 if abs(middle) < ZERO_MEAN_REL * size else middle for middle, size in middles
    )  # rounding is no load
    return LoopCentre(at, load, float(f[high] - f[low]) / width, force)
