"""The figures of an orbit from the steps that it was integrated by: what a curve stores of it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from slipstick.laws.elastic import Linear
from slipstick.periodic.measures import Action, Motion, action, harmonics_in, phase_in
from slipstick.periodic.period import Period
from slipstick.periodic.shooting.cubics import Cubics, hermite, through
from slipstick.transient.adaptive.passage import Tape
from slipstick.transient.energy import Instants, powers
from slipstick.transient.folded import is_plain
from slipstick.transient.problem import Problem
from slipstick.transient.recording import has_states, record

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]

NODES, WEIGHTS = (
    0.5 * (own + shift) for own, shift in zip(np.polynomial.legendre.leggauss(3), (1.0, 0.0), strict=True)
)


def figures(problem: Problem, tape: Tape, period: Period) -> tuple[Motion, Action]:
    """Of the coordinates, and of the connections, over one period."""
    n = problem.n
    moved, _ = problem.all_coordinates(tape.time, tape.y[:, :n], tape.y[:, n : 2 * n])
    cubics = _motion(problem, tape, moved)
    mean, square, harmonics = _averages(cubics, tape, period)
    phase = phase_in(harmonics, period.turns)
    forces = element_forces(problem, tape)
    spread = through(tape.time, tape.event, _by_connection(problem, forces)).spread()
    work = _dissipated(problem, tape, forces)
    return (
        Motion(0.5 * cubics.spread(), np.sqrt(square), mean, harmonics, phase),
        Action(spread, work, *_sticking(problem, tape, forces, period)),
    )


def element_forces(problem: Problem, tape: Tape) -> Array:
    """(r + 1, elements) with all factors; the first row is the last: an orbit comes back."""
    n = problem.n
    forces = np.vstack([tape.forces[-1:], tape.forces])
    u = problem.deflections_at(tape.time, tape.y[:, :n])
    rates = problem.rates_at(tape.time, tape.y[:, n : 2 * n])
    for e, element in enumerate(problem.elements):
        if is_plain(element):
            law = element.law
            assert isinstance(law, Linear)
            forces[:, e] = element.force * (law.stiffness * u[:, e] + law.damping * rates[:, e] + law.preload)
    return forces


def _motion(problem: Problem, tape: Tape, moved: Array) -> Cubics:
    """The displacements of all coordinates."""
    n, free, h = problem.n, problem.assembly.free, np.diff(tape.time)
    if not problem.assembly.prescribed.size:
        return hermite(h, moved, tape.leaving[:, :n], tape.coming[:, :n])
    _, rates = problem.all_coordinates(tape.time, tape.y[:, :n], tape.y[:, n : 2 * n])
    leaving, coming = rates[:-1].copy(), rates[1:].copy()
    leaving[:, free], coming[:, free] = tape.leaving[:, :n], tape.coming[:, :n]
    return hermite(h, moved, leaving, coming)


def _averages(cubics: Cubics, tape: Tape, period: Period) -> tuple[Array, Array, Complex]:
    """Means (n,), mean squares (n,) and harmonics (H + 1, n)."""
    nodes = [float(x) for x in NODES]
    values = np.concatenate([cubics.at(x) for x in nodes])
    weights = np.concatenate([weight * cubics.h for weight in WEIGHTS]) / period.time
    times = np.concatenate([tape.time[:-1] + x * cubics.h for x in nodes]) - tape.time[0]
    mean = weights @ values
    turn = np.exp(-2j * np.pi / period.time * times)
    turns = np.multiply.accumulate(np.broadcast_to(turn, (harmonics_in(period.turns), turn.size)), axis=0)
    table = 2.0 * (turns * weights) @ values
    return mean, weights @ values**2, np.vstack([mean[None, :].astype(complex), table])


def _by_connection(problem: Problem, values: Array) -> Array:
    """(k, connections) sums over the elements of each."""
    found = np.zeros((values.shape[0], len(problem.system.connections)))
    for e, element in enumerate(problem.elements):
        found[:, element.connection] += values[:, e]
    return found


def _dissipated(problem: Problem, tape: Tape, forces: Array) -> Array:
    """(connections,) [J] the work that each takes in a period."""
    n = problem.n
    _, taken, _ = powers(problem, Instants(tape.time, tape.y[:, :n], tape.y[:, n : 2 * n]), forces)
    return through(tape.time, tape.event, _by_connection(problem, taken)).integral()


def _sticking(problem: Problem, tape: Tape, forces: Array, period: Period) -> tuple[Array, Array]:
    """(connections,) the part of the period each sticks, and where the first stick begins [rad]."""
    if not any(has_states(element.law) for element in problem.elements):
        none = np.full(len(problem.system.connections), np.nan)
        return none, none.copy()
    n = problem.n
    own = np.array([e.force for e in problem.elements])
    samples = record(problem, tape.time, tape.y[:, :n], tape.y[:, n : 2 * n], forces / own)
    found = action(samples, period.base)
    return found.stick_share, found.lag
