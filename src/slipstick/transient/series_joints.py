"""Joints: coordinates without inertia between laws in series.

`with_joints` replaces each series of a problem by its parts, with a joint between two of them: the equation of motion
of a joint says that both forces agree. Laws of straight pieces stay so, and dampers get the rates of their own
deflections. Users see neither joints nor parts: `fold_trajectory` and `fold_point` give results of the model as it was
written.

    u --- part 1 --- y_1 --- part 2 --- y_2 --- part 3          x_1 = u - y_1, x_2 = y_1 - y_2, x_3 = y_2

Joints are the last coordinates. The first connections are those of the model, in its order, each with one of its parts
or with its terms beside the series; further parts are behind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from slipstick.laws.base import Law, Leaf
from slipstick.laws.composite import Combination
from slipstick.model.system import Connection, Coordinate
from slipstick.results.certificate import Certificate
from slipstick.results.connection_states import join_state_columns, join_states
from slipstick.results.orbit import OrbitPoint
from slipstick.results.run_end import RunEnd
from slipstick.results.trajectory import Event, ReadableTrajectory, Samples, Stats, Trajectory
from slipstick.transient.problem import Problem, pose

if TYPE_CHECKING:
    from slipstick.model.linear_forms import Form
    from slipstick.model.system import System
    from slipstick.signals import Base

Array = NDArray[np.float64]

KEPT = "joints"  # the name under which a problem keeps the one with joints


@dataclass(frozen=True, eq=False)
class SeriesJoints:
    """How a system with joints came from one with laws in series.

    system : as the user has it.   members : of each of its connections, the connections that stand for it.
    carriers : of each, those of its members whose forces add up to its force.
    """

    system: System
    members: tuple[tuple[int, ...], ...]
    carriers: tuple[tuple[int, ...], ...]


def connection_name(system: System, number: int) -> str:
    """The name of a connection; that of the whole series for a part of one."""
    if system.joints is None:
        return system.connections[number].name
    owners = {k: j for j, own in enumerate(system.joints.members) for k in own}
    return str(system.joints.system.connections[owners[number]].name)


def has_series(problem: Problem) -> bool:
    """True if a law of the problem is a series."""
    return any(element.law.series_parts for element in problem.elements)


def with_joints(problem: Problem) -> Problem:
    """The problem with joints in place of laws in series; the same where there is no series."""
    if not has_series(problem):
        return problem
    if KEPT not in problem.kept:
        system = add_joints(problem.system, problem.start, problem.base)
        problem.kept[KEPT] = pose(system, problem.start, problem.base)
    found: Problem = problem.kept[KEPT]
    return found


def with_rate_joints(problem: Problem) -> Problem:
    """The problem with joints if a series has dampers, whose force needs the rates of its parts; else the same."""
    rates = any(element.law.series_parts and element.law.needs_rate for element in problem.elements)
    return with_joints(problem) if rates else problem


def add_joints(system: System, start: float = 0.0, frequency: Base = None) -> System:
    """The system with the parts of each series as connections, and joints between them."""
    new = system.snapshot()
    new.ready = None
    q = {
        c.name: c.displacement if c.motion is None else c.motion.at(start, frequency or system.frequency)
        for c in system.coordinates
    }
    first, further = [], list[Connection]()
    members, carriers = [], []
    for j, connection in enumerate(system.connections):
        parts = _Expansion(connection.name)
        u = sum(factor * q[name] for name, factor in connection.deflection.terms.items())
        acting = parts.expand(connection.deflection, connection.along, connection.law, float(u))
        new.coordinates += parts.joints
        behind = len(system.connections) + len(further) - 1
        places = [j, *(behind + k for k in range(1, len(parts.found)))]
        names = [connection.name, *(f"{connection.name}.{k}" for k in range(1, len(parts.found)))]
        made = [Connection(name, form, law, along) for name, (form, along, law) in zip(names, parts.found, strict=True)]
        members.append(tuple(places))
        carriers.append(tuple(places[k] for k in acting))
        first.append(made[0])
        further += made[1:]
    new.connections = [*first, *further]
    new.joints = SeriesJoints(system, tuple(members), tuple(carriers))
    return new


class _Expansion:
    """A connection taken apart.   found : deflection, along and law of each part.   joints : between parts."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.found: list[tuple[Form, Form, Law]] = []
        self.joints: list[Coordinate] = []

    def expand(self, form: Form, along: Form, law: Law, u: float) -> list[int]:
        """Add a law that acts on a form, at deflection u; the numbers of the parts that carry its force."""
        beside = tuple(term for term in law.as_terms() if not term.law.series_parts)
        series = [term for term in law.as_terms() if term.law.series_parts]
        acting = []
        if beside:
            acting.append(len(self.found))
            self.found.append((form, along, Combination(terms=beside) if series else law))
        for term in series:
            acting += self._chain(form, along, term, u)
        return acting

    def _chain(self, form: Form, along: Form, term: Leaf, u: float) -> list[int]:
        """The parts of a series from the deflection on to the last one."""
        scale, acting, damped = term.deflection, list[int](), False
        at_rest: Any = term.law.at_rest
        own = at_rest.part_deflections(at_rest.start(scale * u))
        for i, (law, x) in enumerate(zip(_scaled_parts(term), own, strict=True)):
            before, acts = form, along
            if i < len(own) - 1:
                u -= x / scale
                joint = Coordinate(f"{self.name}.joint{len(self.joints) + 1}", 0.0, u, 0.0, None)
                self.joints.append(joint)
                before, acts, form, along = form - joint, along - joint, joint, joint
            carried = self.expand(before, acts, law, x / scale)
            if not acting or (damped and not law.needs_rate):  # the rate of a joint is less accurate than its place
                acting, damped = carried, law.needs_rate
        return acting


def _scaled_parts(term: Leaf) -> list[Law]:
    """The parts of a series with the factors of the whole."""
    d, f = term.deflection, term.force
    return [law if (d, f) == (1.0, 1.0) else law.scaled(deflection=d, force=f) for law in term.law.series_parts]


# ---- results of the model as it was written


def fold_trajectory(trajectory: Any, system: System) -> tuple[Any, System]:
    """A trajectory and the system of its results, without joints."""
    joints: SeriesJoints | None = system.joints
    if joints is None:
        return trajectory, system
    kind = ReadableFoldedTrajectory if isinstance(trajectory, ReadableTrajectory) else FoldedTrajectory
    return kind(trajectory, system, joints), joints.system


class FoldedTrajectory:
    """A trajectory of a system with joints, as one of the system with laws in series."""

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
    """The same of one that can be read at any time."""

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
    """Samples of a system with joints, as those of the system with laws in series."""
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


def fold_point(point: OrbitPoint, system: System, forces: Callable[[], Array]) -> OrbitPoint:
    """An orbit of a system with joints, as one of the system with laws in series.

    forces : samples (k, connections) of the forces, for the range of a force that several connections add up to.
    """
    joints: SeriesJoints | None = system.joints
    if joints is None:
        return point
    n = len(joints.system.coordinates)
    ranges = [point.force_range[own[0]] for own in joints.carriers]
    if any(len(own) > 1 for own in joints.carriers):
        sampled = forces()
        ranges = [float(np.ptp(sampled[:, list(own)].sum(axis=1))) for own in joints.carriers]
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
    )


def _least_sticking(shares: Array, members: tuple[int, ...]) -> int:
    """The part that sticks for the least share of a period; the first one where none can stick."""
    able = [k for k in members if not np.isnan(shares[k])]
    return min(able, key=lambda k: float(shares[k])) if able else members[0]


# ---- and back, for a start


def unfold_samples(samples: Samples, system: System) -> Samples:
    """Samples of one period of the system with laws in series, with the joints of ``system`` added.

    Each series is followed through the period twice, without dampers; the force of a part is that of the whole.
    """
    joints: SeriesJoints | None = system.joints
    if joints is None:
        return samples
    deflections = samples.deflection.T
    added = [y for c, u in zip(joints.system.connections, deflections, strict=True) for y in _joint_motion(c.law, u)]
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


def _joint_motion(law: Law, u: Array) -> list[Array]:
    """(k,) the places of the joints in a law along a period of its deflection u (k,), in the order of `_Expansion`."""
    found: list[Array] = []
    for term in law.as_terms():
        if not term.law.series_parts:
            continue
        at_rest, place = term.law.at_rest, u
        memory, parts = at_rest.start(term.deflection * float(u[0])), list[Any]()
        for x in 2 * u.tolist():
            memory = at_rest.update(term.deflection * x, 0.0, memory)[1]
            parts.append(at_rest.part_deflections(memory))  # type: ignore[attr-defined]
        own = np.array(parts[u.size :]).T / term.deflection
        for i, part in enumerate(_scaled_parts(term)):
            if i < len(own) - 1:
                place = place - own[i]
                found.append(place)
            found += _joint_motion(part, own[i])
    return found
