"""Where shooting begins when it is given an orbit that another method has found."""

from __future__ import annotations

from typing import Any

from slipstick.arrays import Array
from slipstick.periodic.shooting.adaptive_map import AdaptiveMap
from slipstick.periodic.shooting.exact_map import ExactMap
from slipstick.results.orbit import Orbit
from slipstick.results.trajectory import Samples
from slipstick.transient.problem import Problem
from slipstick.transient.series_joints import unfold_samples

SETTLING_CYCLES = 2  # after the first, sliders have met both extremes of their deflection


def state_of_orbit(period_map: ExactMap | AdaptiveMap, start: Orbit) -> Array:
    """(size,) the state at the start of the period of an orbit."""
    problem = period_map.problem
    samples = unfold_samples(start.samples, problem.system)
    free = problem.assembly.free
    return period_map.state_of(
        samples.displacement[0, free], samples.velocity[0, free], memories_after_motion(problem, samples)
    )


def memories_after_motion(problem: Problem, samples: Samples) -> list[Any]:
    """What the law of each element remembers at the end of a motion (one period) that was gone through before.

    Sliders that never slip in it have forgotten nothing of what was before: the force of their connection tells it.
    """
    found, forces, still = [], [], set()
    free = problem.assembly.free
    u = problem.deflections_at(samples.time, samples.displacement[:, free])
    rates = problem.rates_at(samples.time, samples.velocity[:, free])
    for e, element in enumerate(problem.elements):
        first = memory = element.law.start(float(u[0, e]))
        force = 0.0
        if element.law.remembers or element.law.has_stack:
            for own, rate in SETTLING_CYCLES * list(zip(u[:, e].tolist(), rates[:, e].tolist(), strict=True)):
                force, memory = element.law.update(own, rate, memory)
            if element.law.elastic_slider and memory == first:
                still.add(e)
        else:
            force, _ = element.law.update(float(u[-1, e]), float(rates[-1, e]), memory)
        found.append(memory)
        forces.append(element.force * force)
    for connection in {problem.elements[e].connection for e in still}:
        _shift_sliders(problem, connection, still, float(samples.force[-1, connection]), forces, found)
    return found


def _shift_sliders(
    problem: Problem, connection: int, still: set[int], told: float, forces: list[float], found: list[Any]
) -> None:
    """Shift the sliders of a connection that never slip, all alike, until its force is what is told of it."""
    own = [e for e, element in enumerate(problem.elements) if element.connection == connection]
    movable = [e for e in own if e in still]
    if any(problem.elements[e].modulation or problem.elements[e].law.rigid_friction for e in own):
        return  # a factor that varies, or a reaction, which is not known
    laws: list[Any] = [problem.elements[e].law for e in movable]
    slopes = [
        problem.elements[e].force * law.stiffness * problem.elements[e].scale
        for e, law in zip(movable, laws, strict=True)
    ]
    shift = (sum(forces[e] for e in own) - told) / sum(slopes)
    for e in movable:
        found[e] = (found[e][0] + problem.elements[e].scale * shift,)
