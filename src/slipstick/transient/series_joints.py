"""Problems with joints between laws in series (`slipstick.model.series_joints`), and their results without joints.

`with_joints` adds the joints to a problem; `fold_trajectory` and `fold_point` remove them from results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.arrays import Array
from slipstick.laws.base import Law
from slipstick.model.series_joints import SeriesJoints, add_joints, joint_terms, needs_rate_joints, scaled_parts
from slipstick.results.certificate import Certificate
from slipstick.results.connection_states import join_state_columns, join_states
from slipstick.results.orbit import OrbitPoint
from slipstick.results.run_end import RunEnd
from slipstick.results.trajectory import Event, ReadableTrajectory, Samples, Stats, Trajectory
from slipstick.transient.problem import Problem, pose

if TYPE_CHECKING:
    from slipstick.model.system import System


CACHE_NAME = "joints"  # of the problem with joints, in `Problem.kept`


def has_series(problem: Problem) -> bool:
    """True if a law of the problem is a series."""
    return any(element.law.joint_parts for element in problem.elements)


def with_joints(problem: Problem) -> Problem:
    """The problem with joints between the laws of each series; the same problem if it has no series."""
    if not has_series(problem):
        return problem
    if CACHE_NAME not in problem.kept:
        system = add_joints(problem.system, problem.start, problem.base)
        problem.kept[CACHE_NAME] = pose(system, problem.start, problem.base)
    found: Problem = problem.kept[CACHE_NAME]
    return found


def with_rate_joints(problem: Problem) -> Problem:
    """The problem with joints if a series has dampers, whose forces need the rates of its parts; else the same."""
    rates = any(needs_rate_joints(connection.law) for connection in problem.system.connections)
    return with_joints(problem) if rates else problem


# ---- results without joints


def fold_trajectory(trajectory: Any, system: System) -> tuple[Any, System]:
    """The trajectory and its system without joints."""
    joints: SeriesJoints | None = system.joints
    if joints is None:
        return trajectory, system
    kind = ReadableFoldedTrajectory if isinstance(trajectory, ReadableTrajectory) else FoldedTrajectory
    return kind(trajectory, system, joints), joints.system


class FoldedTrajectory:
    """Trajectory of a system with laws in series, from that of the system with joints."""

    def __init__(self, own: Trajectory, expanded: System, joints: SeriesJoints) -> None:
        self.own, self.expanded, self.joints = own, expanded, joints
        self.stats: Stats = own.stats

    @property
    def reached(self) -> float:
        return self.own.reached

    def samples(self) -> Samples:
        return fold_samples(self.own.samples(), self.joints)

    def events(self) -> Iterable[Event]:
        names = [c.name for c in self.expanded.connections]
        owner = {names[k]: j for j, own in enumerate(self.joints.members) for k in own}
        changes = list(self.own.events())
        now = dict(zip(names, map(str, self.own.samples().state[0]), strict=True))
        for event in reversed(changes):
            now[event.connection] = event.before
        found = []
        for event in changes:
            j = owner[event.connection]
            before = join_states([now[names[k]] for k in self.joints.members[j]])
            now[event.connection] = event.after
            after = join_states([now[names[k]] for k in self.joints.members[j]])
            found.append(Event(event.time, self.joints.system.connections[j].name, before, after))
        return found

    def end(self) -> RunEnd | None:
        return self.own.end()

    def certificate(self) -> Certificate:
        certificate, names = self.own.certificate(), [c.name for c in self.expanded.connections]
        owner = {names[k]: names[own[0]] for own in self.joints.members for k in own}
        errors = {c.name: certificate.errors[c.name] for c in self.joints.system.coordinates}
        return replace(
            certificate,
            errors=errors,
            error=float(np.max([*errors.values()], initial=0.0)),
            dissipated=_sums(certificate.dissipated, owner),
            stored=_sums(certificate.stored, owner),
        )


class ReadableFoldedTrajectory(FoldedTrajectory):
    """Folded trajectory that can be read at any time."""

    def read(self, times: Array) -> Samples:
        """Samples at increasing times within the run; at an event, right after it."""
        assert isinstance(self.own, ReadableTrajectory)
        return fold_samples(self.own.read(times), self.joints)


def _sums(energies: dict[str, float], owner: dict[str, str]) -> dict[str, float]:
    found: dict[str, float] = {}
    for name, energy in energies.items():
        whole = owner.get(name, name)
        found[whole] = found.get(whole, 0.0) + energy
    return found


def fold_samples(samples: Samples, joints: SeriesJoints) -> Samples:
    """Samples of a system with laws in series, from those of the system with joints."""
    names = [c.name for c in joints.system.coordinates]
    q = samples.displacement[:, : len(names)]
    deflection = [
        sum((factor * q[:, names.index(name)] for name, factor in c.deflection.terms.items()), np.zeros(len(q)))
        for c in joints.system.connections
    ]
    force = [samples.force[:, list(own)].sum(axis=1) for own in joints.carriers]
    state = [join_state_columns([samples.state[:, k] for k in own]) for own in joints.members]
    stack: Callable[[Any], Any] = lambda columns: np.column_stack(columns) if columns else samples.force[:, :0]  # noqa: E731
    v, a = (rows[:, : len(names)] for rows in (samples.velocity, samples.acceleration))
    return Samples(samples.time, q, v, stack(deflection), stack(force), stack(state), a)


def fold_point(point: OrbitPoint, system: System, summed_range: Callable[[tuple[int, ...]], float]) -> OrbitPoint:
    """Orbit of a system with laws in series, from that of the system with joints.

    summed_range : range of the summed force of several connections, from their indices.
    """
    joints: SeriesJoints | None = system.joints
    if joints is None:
        return point
    n = len(joints.system.coordinates)
    ranges = [point.force_range[own[0]] if len(own) == 1 else summed_range(own) for own in joints.carriers]
    sticking = [_least_sticking(point.stick_share, own) for own in joints.members]
    return replace(
        point,
        amplitude=point.amplitude[:n],
        rms=point.rms[:n],
        mean=point.mean[:n],
        harmonics=point.harmonics[:, :n],
        phase=point.phase[:n],
        force_range=np.array(ranges),
        dissipated=np.array([point.dissipated[list(own)].sum() for own in joints.members]),
        stick_share=point.stick_share[sticking],
        lag=point.lag[sticking],
        band=None if point.band is None else point.band[:n],
        acceleration_amplitude=None if point.acceleration_amplitude is None else point.acceleration_amplitude[:n],
    )


def _least_sticking(shares: Array, members: tuple[int, ...]) -> int:
    """Index of the part that sticks for the smallest share of a period; the first part if none can stick."""
    able = [k for k in members if not np.isnan(shares[k])]
    return min(able, key=lambda k: float(shares[k])) if able else members[0]


# ---- samples with joints, to start from


def unfold_samples(samples: Samples, system: System) -> Samples:
    """Samples of a system with joints over one period, from those of the system with laws in series.

    Each series is traced through the period twice; every part carries the force of the series.
    """
    joints: SeriesJoints | None = system.joints
    if joints is None:
        return samples
    each = zip(joints.system.connections, samples.deflection.T, strict=True)
    added = [y for c, u in each for y in _joint_motion(c.law, u, samples.time)]
    rates = [np.gradient(y, samples.time) for y in added]
    owner = {k: j for j, own in enumerate(joints.members) for k in own}
    every = [owner[k] for k in range(len(owner))]
    return Samples(
        samples.time,
        np.column_stack([samples.displacement, *added]),
        np.column_stack([samples.velocity, *rates]),
        samples.deflection[:, every],
        samples.force[:, every],
        samples.state[:, every],
        np.column_stack([samples.acceleration, *(np.gradient(v, samples.time) for v in rates)]),
    )


def _joint_motion(law: Law, u: Array, t: Array) -> list[Array]:
    """(k,) positions of each joint in a law along a period of its deflection u (k,) at times t (k,)."""
    found: list[Array] = []
    for term in joint_terms(law):
        if not term.law.joint_parts:
            continue
        own, place = term.law.part_motion(term.deflection * u, t) / term.deflection, u
        for i, part in enumerate(scaled_parts(term)):
            if i < len(own) - 1:
                place = place - own[i]
                found.append(place)
            found += _joint_motion(part, own[i], t)
    return found
