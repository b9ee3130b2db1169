"""A small model with an identified law: one mass, driven about the centre of the measured loops."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from slipstick.identification.loop import si_units
from slipstick.report.law_block import law_block
from slipstick.report.report_files import output_name
from slipstick.units.dimensions import INERTIA, STRESS, TRANSLATION, unit_name
from slipstick.units.scales import LoopUnits, Scale

if TYPE_CHECKING:
    from slipstick.arrays import Array
    from slipstick.results.fit import Fit


RESONANCE_HZ = 10.0  # resonance of the mass on the secant stiffness of the largest loop
LOAD_SHARE_OF_FORCE_RANGE = 0.25  # amplitude of the load over the range of force
ZERO_MEAN_REL = 1e-3  # of a range: a smaller mean counts as zero
PAD_GEOMETRY = (125.0, 12e-4)  # [1/m, m^2] 1/thickness and area of a pad: as in the block of a stress law


class LoopCentre(NamedTuple):
    """Centre (u, f) of a loop in SI.   secant : stiffness between its tips.   force : range of force."""

    u: float
    f: float
    secant: float
    force: float


def starter_model_text(fit: Fit, files: tuple[str, ...]) -> str:
    """The text of the model, in the units of the loops.   files : of the loops."""
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

    law : the block under connections.   at : centre of the motion.   loop : its source in words.   on : the coordinate.
    units : of displacements and forces; default SI.
    """
    u, f = (units or units_in_si(system))[:2]
    inertia = max(abs(at.secant), 1e-12) / (2.0 * math.pi * RESONANCE_HZ) ** 2
    if system == "stress":  # the block has the size of the pads as a comment
        law = law.replace("    # scaled:", "    scaled:  ")
    return f"""# {title}
slipstick: 1
name: "identified"
frequency: {RESONANCE_HZ:g} Hz  # of the load below

coordinates:
  {on}:
    # Put your own mass: with this one
    # {loop} resonates at {RESONANCE_HZ:g} Hz.
    inertia: {inertia:.3g} {unit_name(INERTIA, _motion_kind(system))}
    # The middle of {loop}.
    displacement: {u.words(at.u, 4)}

connections:
{law}
loads:
{_mean_load(at, f, loop, on)}  # Put your own load.
  - {{on: {on}, cosine: {{amplitude: {f.words(LOAD_SHARE_OF_FORCE_RANGE * at.force, 3)}, order: 1}}}}
"""


def _mean_load(at: LoopCentre, force: Scale, loop: str, on: str) -> str:
    """The load that holds the motion about the centre of a loop; empty if none is needed."""
    if at.f == 0.0:
        return ""
    return f"""  # The mean force of {loop}.
  # Without it the motion would leave the middle
  # of that loop for another place.
  - {{on: {on}, constant: {force.words(at.f, 4)}}}
"""


def units_in_si(system: str) -> LoopUnits:
    """SI units of a model with a law of this system."""
    return si_units(_motion_kind(system))


def _motion_kind(system: str) -> str:
    """The kind of the mass: a law of stress acts on a pad that moves."""
    return TRANSLATION if system == STRESS else system


def _largest_loop_centre(fit: Fit) -> LoopCentre:
    loop = max(fit.loops, key=lambda own: own.amplitude)
    stretch, area = PAD_GEOMETRY if fit.system == "stress" else (1.0, 1.0)
    return loop_centre(loop.u / stretch, loop.fitted * area)


def loop_centre(u: Array, f: Array) -> LoopCentre:
    """The centre of a loop.   u, f : (n,) its points [m or rad, N or N m]."""
    high, low = int(u.argmax()), int(u.argmin())
    width, force = float(u[high] - u[low]), float(f.max() - f.min())
    middles = (0.5 * float(u[high] + u[low]), width), (0.5 * float(f.max() + f.min()), force)
    at, load = (
        0.0 if abs(middle) < ZERO_MEAN_REL * size else middle for middle, size in middles
    )  # not a rounding error
    return LoopCentre(at, load, float(f[high] - f[low]) / width, force)
