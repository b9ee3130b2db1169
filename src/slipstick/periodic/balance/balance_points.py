"""Orbits of harmonic balance as a curve stores them, many at once."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from slipstick.arrays import Array, Complex
from slipstick.errors import Advice, Message, NotConverged
from slipstick.periodic.balance.accuracy import Accuracy, error_estimates
from slipstick.periodic.balance.extremes import range_of_samples, range_of_series
from slipstick.periodic.balance.fourier_series import as_series
from slipstick.periodic.balance.load_harmonics import harmonic_pairs_of
from slipstick.periodic.balance.motion_recovery import ConnectionForces, all_pairs
from slipstick.periodic.balance.multipliers import FloquetStability, floquet_stabilities
from slipstick.periodic.balance.nonlinear_connections import ForceTerm
from slipstick.periodic.balance.orbit_batch import OrbitBatch, evaluate_batch
from slipstick.periodic.measures.stick_share import stick_shares
from slipstick.periodic.methods import alternative_to_balance
from slipstick.results.orbit import FREE_BODIES_NOTE, OrbitPoint
from slipstick.transient.series_joints import fold_point

if TYPE_CHECKING:
    from slipstick.periodic.balance.fourier_series import FourierGrid
    from slipstick.periodic.balance.harmonic_balance import HarmonicBalance


DRIFTS = 1e-6  # of the friction's harmonics: below it a mean force on a free motion is rounding
NO_ERROR = Accuracy(float("nan"), float("nan"), [])
NO_STABILITY = FloquetStability(np.zeros(0, dtype=np.complex128), None, [])
MAX_CLOSURE_GAP_REL = 1e-9  # of its force: what may be left open by a memory before it is noted


def balance_measures(family: HarmonicBalance, x: Array, p: float, forces: bool = True) -> OrbitPoint:
    """The orbit x (size,) at a frequency, without errors and multipliers.   forces : with measures of forces."""
    return balance_points(family, x[None], np.array([p]), judged=False, forces=forces)[0]


def balance_points(
    family: HarmonicBalance, x: Array, p: Array, judged: bool = True, forces: bool = True
) -> list[OrbitPoint]:
    """The orbits x (P, size) at frequencies p (P,) [rad/s].

    judged : with errors and multipliers.   forces : with measures of forces; else these are not numbers.
    """
    known = evaluate_batch(family, x, p)
    refuse_drift(known)
    free = free_pairs_of(known)
    pairs = all_pairs(family, free)
    series = as_series(pairs)
    harmonics = np.concatenate([pairs[:, :, -1:], pairs[:, :, :-1]], axis=2).conj()
    amplitude = 0.5 * range_of_series(pairs, family.fine_grid)
    squares = np.append(np.arange(1.0, pairs.shape[2]), 0.0) ** 2 * (p[:, None, None] / family.order) ** 2
    accelerated = 0.5 * range_of_series(-squares * pairs, family.fine_grid)
    rms = np.sqrt(series[:, :, -1] ** 2 + 0.5 * (series[:, :, :-1] ** 2).sum(axis=2))
    phase = np.angle(harmonics[:, :, family.order])
    ranges, dissipated = _forces(known, free) if forces else _no_forces(known)
    share, lag = _sticks(known)
    left, notes = np.abs(known.residual).max(axis=1, initial=0.0), _notes(known)
    errors = error_estimates(known, free) if judged else [NO_ERROR] * p.size
    stable = floquet_stabilities(family, known.series, p) if judged else [NO_STABILITY] * p.size
    found = [
        OrbitPoint(
            p=float(p[k]),
            x=x[k].copy(),
            frequency=float(p[k]),
            period=2.0 * np.pi * family.order / float(p[k]),
            multipliers=stable[k].multipliers,
            stable=stable[k].stable,
            amplitude=amplitude[k],
            rms=rms[k],
            mean=series[k, :, -1].copy(),
            harmonics=harmonics[k].T,
            phase=phase[k],
            force_range=ranges[k],
            dissipated=dissipated[k],
            stick_share=share[k],
            lag=lag[k],
            acceleration_amplitude=accelerated[k],
            error=errors[k].error,
            residual=float(left[k]),
            notes=(*notes[k], *errors[k].notes, *stable[k].notes),
        )
        for k in range(p.size)
    ]
    system = family.problem.system
    if not forces:
        return [fold_point(point, system, lambda _: float("nan")) for point in found]
    return [
        fold_point(point, system, partial(summed_force_range, family, point.x, free[k], point.p))
        for k, point in enumerate(found)
    ]


def _no_forces(known: OrbitBatch) -> tuple[Array, Array]:
    """(P, c), (P, c) not a number."""
    blank = np.full((known.p.size, len(known.family.problem.system.connections)), np.nan)
    return blank, blank


def summed_force_range(family: HarmonicBalance, x: Array, free: Complex, p: float, own: tuple[int, ...]) -> float:
    """Largest less smallest sum of the forces of some connections along an orbit x."""
    family.follow(x, p)
    return float(ConnectionForces(family, free, p).summed_range(own))


def refuse_drift(known: OrbitBatch) -> None:
    """Raise `NotConverged` where a mean force is left on a motion that nothing but friction holds."""
    family = known.family
    held = family.moved_mean != family.moved_stiffness
    left = np.abs(family.moved_stiffness * known.series[:, :, -1].real)[:, held]
    bearable = DRIFTS * np.abs(known.forces[:, held]).max(axis=2, initial=0.0)
    if (left > bearable).any():
        k, line = np.argwhere(left > bearable)[0]
        name = family.problem.system.connections[family.lines.connections[np.flatnonzero(held)[line]]].name
        raise NotConverged(
            f'a mean force of {left[k, line]:.2g} N (or N m) drives "{name}", which only friction holds, so '
            "it drifts and has no periodic response",
            advice=[
                Advice(
                    "balance the mean loads, hold it by a spring, or use {method}",
                    method=alternative_to_balance(family.problem),
                )
            ],
        )


def free_pairs_of(known: OrbitBatch) -> Complex:
    """(P, n, H+1) pairs of the free coordinates."""
    family, loads = known.family, known.family.loads.powers
    count, n = known.p.size, family.problem.n
    shift = family.moved_at(known.s)
    rest = known.forces - shift * known.series
    omega = known.p[:, None, None]
    right = loads[0] + omega * (loads[1] + omega * loads[2]) - (family.lines.along @ rest).transpose(0, 2, 1)
    found = family.compliance.values(known.s.ravel(), right.reshape(-1, n, 1)).reshape(count, -1, n)
    found[:, -1] = found[:, -1].real
    return np.ascontiguousarray(found.transpose(0, 2, 1))


def _forces(known: OrbitBatch, free: Complex) -> tuple[Array, Array]:
    """(P, c), (P, c) of the connections: largest less smallest force, and energy dissipated in one period."""
    family, problem, lines = known.family, known.family.problem, known.family.lines
    count, connections = known.p.size, len(problem.system.connections)
    offsets = harmonic_pairs_of(problem.offsets, family.base / family.order, family.index)
    linear: dict[int, Complex] = {}
    rates: dict[int, Complex] = {}
    for e, element in enumerate(problem.elements):
        u = element.deflection @ free + offsets[:, e]
        conjugate = problem.system.connections[element.connection].is_conjugate
        rate = known.s * (u / element.scale if conjugate else element.along @ free)
        rate[:, -1] += (element.deflection / element.scale if conjugate else element.along) @ family.drift
        rates[element.connection] = rate
        if e in family.folded:
            own = element.law.linear_force
            assert own is not None
            force = element.force * (own.stiffness + own.damping * known.s) * u
            force[:, -1] += element.force * (own.preload + own.damping * (element.deflection @ family.drift))
            linear[element.connection] = linear.get(element.connection, 0.0) + force
    ranges, dissipated = np.zeros((count, connections)), np.zeros((count, connections))
    closely, waves = _closely(known)
    for line, connection in enumerate(lines.connections):
        samples, force = closely[:, line], known.forces[:, line]
        if connection in linear:
            samples = samples + waves.values_of(as_series(linear[connection]))
            force = force + linear[connection]
        ranges[:, connection] = range_of_samples(samples, is_smooth=not lines.has_corners)
        linear[connection] = force
    others = [c for c in linear if c not in lines.connections]
    if others:
        table = np.stack([linear[c] for c in others], axis=1)
        ranges[:, others] = range_of_series(table, family.fine_grid)
    for connection, force in linear.items():
        power = (force * rates[connection].conj()).real
        dissipated[:, connection] = power[:, -1] + 0.5 * power[:, :-1].sum(axis=1)
    return ranges, dissipated * (2.0 * np.pi * family.order / known.p)[:, None]


def _closely(known: OrbitBatch) -> tuple[Array, FourierGrid]:
    """(P, lines, k) forces at samples by which extremes are found, and the samples.

    The few samples of smooth laws serve to balance harmonics, not to see what a force does between them.
    """
    family, close = known.family, known.family.stability_family
    if family.lines.has_corners or close is family:
        return known.force, family.waves
    motion = close.waves.motion_of(as_series(known.series) + family.offsets)
    return close.follower.forces_along(motion, known.p / family.order)[0], close.waves


def _sticks(known: OrbitBatch) -> tuple[Array, Array]:
    """(P, c), (P, c) part of the period in stick, and [rad] of the base frequency where the first stick begins."""
    family = known.family
    count, connections = known.p.size, len(family.problem.system.connections)
    share, lag = np.full((count, connections), np.nan), np.full((count, connections), np.nan)
    for connection, stuck in known.sticks.items():
        members = [family.lines.members[number] for number in family.sticking_terms[connection]]
        if all(member.law.elastic_slider is not None for member in members):
            share[:, connection], begin = _of_sliders(known, members)
            lag[:, connection] = family.order * begin
            continue
        share[:, connection] = stuck.mean(axis=1)  # of friction that is rounded samples tell as much as there is
        begins = stuck & ~np.roll(stuck, 1, axis=1)
        first = 2.0 * np.pi * family.order / stuck.shape[1] * np.argmax(begins, axis=1)
        lag[:, connection] = np.where(begins.any(axis=1), first, np.nan)
    return share, lag


def _of_sliders(known: OrbitBatch, members: list[ForceTerm]) -> tuple[Array, Array]:
    """(P,), (P,) part of the period in which all sliders of a line stick, and [rad] of it where that begins first."""
    family, line = known.family, members[0].line
    n, sliders = family.waves.samples, [member.law.elastic_slider for member in members]
    motion = family.waves.motion_of(as_series(known.series[:, line]) + family.offsets[line])
    scales = np.array([[member.scale] for member in members])
    u, v = (scales * np.concatenate([own, own[:, :1]], axis=1)[:, None] for own in (motion[:, :n], motion[:, n:]))
    widths = np.array([slider.width for slider in sliders if slider is not None])
    return stick_shares(2.0 * np.pi * np.arange(n + 1) / n, widths, u, v)


def open_memory_note(name: str, gap: float) -> str:
    """What is said of a connection whose memory leaves a part of its force open."""
    return f'"{name}": the cycle does not close ({gap:.1e} of its force is left after it)'


def _notes(known: OrbitBatch) -> list[list[str]]:
    """What a reader should know of how the laws were followed, for each orbit."""
    family = known.family
    connections = family.problem.system.connections
    names = [connections[c].name for c in family.lines.connections]
    notes: list[list[str]] = [[] for _ in known.p]
    for k, leaf in np.argwhere(~(known.open <= MAX_CLOSURE_GAP_REL)):
        words = open_memory_note(names[family.lines.members[leaf].line], known.open[k, leaf])
        notes[k].append(f"{words}; the law drifts from cycle to cycle, so this is not a periodic response")
    for connection, rests in known.rests.items():
        for k in np.flatnonzero(rests):
            notes[k].append(
                f'"{connections[connection].name}" never slips: where it rests depends on how the motion began'
            )
    if family.is_loose:
        for own in notes:
            own.append(FREE_BODIES_NOTE)
    if family.drift.any():
        speeds = zip(np.array(family.problem.assembly.names)[family.problem.assembly.free], family.drift, strict=True)
        each = ", ".join(f'"{name}" at {speed:.6g}' for name, speed in speeds if speed)
        for own in notes:
            own.append(f"free bodies drift ({each} per second): amplitude, mean and harmonics leave the drift out")
    rounded = [names[m.line] for m in family.lines.members if m.rounds]
    if rounded:
        width = family.width * family.length
        words = Message(
            f"dry friction of {', '.join(rounded)} is smoothed over rates up to {width:.2g} times the "
            "frequency, and the error falls only like 1/harmonics",
            advice=[Advice("{method} does not round it", method=alternative_to_balance(family.problem))],
        )
        for own in notes:
            own.append(words)
    return notes
