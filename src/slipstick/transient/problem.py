"""`Problem`: a system ready for integration, with its matrices, elements, forcing and initial state.

    M q'' + C q' + K q + sum over elements e of along_e force_e q_e(t) law_e(u_e, u_e') = forcing(t)
    u_e = deflection_e . q + offset_e(t)

All methods start from it. q are the free coordinates only: prescribed ones are part of forcing and offsets. An element
is one leaf of a connection's law; a connection's force is the sum of its elements' (see `Element`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from slipstick.angle import Angle
from slipstick.arrays import Array
from slipstick.errors import InvalidInput
from slipstick.forcing import Forcing, sum_functions
from slipstick.laws.base import Law, Leaf
from slipstick.laws.composite import split_memory
from slipstick.model.assembly import Assembly, assemble
from slipstick.model.system import dense

if TYPE_CHECKING:
    from slipstick.model.system import System
    from slipstick.results.run_end import RunEnd
    from slipstick.signals import Base, Harmonic, TimeFunction


MAX_CACHED_BYTES = 256_000_000  # bytes of one method's tables that stay with a problem between runs


@dataclass(frozen=True, eq=False)
class Element:
    """One leaf of a connection.

    connection : its index among the system's connections.
    law : a function of the element's deflection u.
    deflection : (n,) u = deflection . q + offset(t); the leaf's ``scale`` is in it already.
    along : (n,) where its force, force * q(t) * law(u, v), acts on the free coordinates.
    scale : u over the connection's deflection.
    modulation : functions of time whose product is q(t); those with True are cut off below zero.
    """

    connection: int
    law: Law
    deflection: Array
    along: Array
    scale: float
    force: float
    modulation: tuple[tuple[TimeFunction, bool], ...]

    @property
    def leaf(self) -> Leaf:
        return Leaf(self.law, self.scale, self.force, self.modulation)


@dataclass(frozen=True, eq=False)
class Problem:
    """n free coordinates, m elements.

    mass, damping, stiffness : (n, n) of the linear part, dense.
    forcing : n rows, loads and forces of prescribed motions on the free coordinates.
    offsets : m rows, shares of prescribed motions in the deflections of the elements.
    displacement, velocity : (n,) at the time ``start``.
    self_excited : nothing varies in time by itself; the frequency is that of the motion, an unknown.
    """

    assembly: Assembly
    frequency: float | None
    start: float
    mass: Array
    damping: Array
    stiffness: Array
    elements: tuple[Element, ...]
    forcing: Forcing
    offsets: Forcing
    displacement: Array
    velocity: Array
    angle: Angle | None = None  # of the shaft in a run-up, in place of the base frequency
    resumed: RunEnd | None = None  # end of the run that this one continues
    self_excited: bool = False

    @property
    def base(self) -> Base:
        """The angle of a run-up, or else the base frequency: orders are multiples of it."""
        return self.frequency if self.angle is None else self.angle

    @cached_property
    def system(self) -> System:
        return self.assembly.system

    def retuned(self, frequency: float) -> Problem:
        """The same problem at another base frequency [rad/s], which loads, motions and limits with an order follow."""
        offsets = self.offsets
        if self.scales_with_frequency:
            forcing = replace(self.forcing, omega=self.load_orders * frequency)
        else:
            forcing, moves = _forcing_and_motions(self.assembly, frequency)
        if self.assembly.prescribed.size:
            held = dense(self.assembly.deflections)[self.assembly.prescribed]
            moved = np.array([e.scale * held[:, e.connection] for e in self.elements]).reshape(-1, held.shape[0])
            offsets = sum_functions(len(self.elements), [], frequency).plus(moved, moves)
        new = object.__new__(Problem)  # keeps cached properties of the matrices, which stay
        new.__dict__.update(self.__dict__)
        new.__dict__.update(frequency=frequency, forcing=forcing, offsets=offsets, massless=self.massless)
        new.__dict__.pop("kept", None)
        return new

    def renewed(self, system: System, frequency: float) -> Problem | None:
        """The problem of a system that differs from this one only in parameters of laws, at a base frequency.

        None if it differs in anything else, or if not all functions of time scale with the frequency.
        """
        if self.system.joints is not None:
            from slipstick.model.series_joints import add_joints

            system = add_joints(system, self.start, frequency)
        if not self.scales_with_frequency or not _is_same_layout(self.system, system):
            return None
        elements: list[Element] = []
        for j, connection in enumerate(system.connections):
            for leaf in connection.law.leaves():
                old = self.elements[len(elements)] if len(elements) < len(self.elements) else None
                if old is None or old.connection != j or not _is_same_leaf(old, leaf):
                    return None
                elements.append(Element(j, leaf.law, old.deflection, old.along, old.scale, old.force, old.modulation))
        if len(elements) != len(self.elements):
            return None
        assembly = object.__new__(Assembly)
        assembly.__dict__.update(self.assembly.__dict__, system=system.snapshot())
        new = self.retuned(frequency)
        new.__dict__.update(assembly=assembly, system=assembly.system, elements=tuple(elements))
        return new

    def is_renewed(self, other: Problem) -> bool:
        """True if the other differs from this one at most in parameters of laws and in the base frequency."""
        return self.mass is other.mass and self.start == other.start

    def is_retuned(self, other: Problem) -> bool:
        """True if the other differs from this one at most in the base frequency."""
        return self.assembly is other.assembly and self.start == other.start

    @cached_property
    def scales_with_frequency(self) -> bool:
        """True if all functions of time have an order and no motion is prescribed: only phases vary with frequency."""
        given = self.frequency is not None and self.angle is None and not self.assembly.prescribed.size
        return given and all(h.is_order for h in self._harmonics())

    @cached_property
    def load_orders(self) -> Array:
        """(h,) orders of the loads, if all have one."""
        return self.orders_of(self.forcing.omega)

    def orders_of(self, omega: Array) -> Array:
        """(h,) orders of frequencies [rad/s] of loads and limits, if all have one."""
        orders = {h.omega * (self.frequency or 1.0): h.omega for h in self._harmonics()}
        return np.array([orders[w] for w in omega.tolist()])

    def _harmonics(self) -> list[Harmonic]:
        """Harmonics of loads and limits."""
        functions = [load.function for load in self.system.loads]
        functions += [function for e in self.elements for function, _ in e.modulation]
        return [h for f in functions for h in f.parts().harmonics]

    @cached_property
    def n(self) -> int:
        return int(self.displacement.size)

    @cached_property
    def kept(self) -> dict[str, Any]:
        """Caches of methods between runs, by name; see `tidy`."""
        return {}

    def tidy(self) -> None:
        """Drop caches whose ``nbytes`` exceed `MAX_CACHED_BYTES`; the next run rebuilds them."""
        for name in [name for name, thing in self.kept.items() if getattr(thing, "nbytes", 0) > MAX_CACHED_BYTES]:
            del self.kept[name]

    @cached_property
    def deflections(self) -> Array:
        """(m, n) the elements' deflections as rows."""
        return np.array([e.deflection for e in self.elements]).reshape(len(self.elements), self.n)

    @cached_property
    def massless(self) -> bool:
        """True if the mass matrix is singular: a coordinate, or a combination of them, has no inertia."""
        own = np.diag(self.mass)
        if (own > 0.0).all() and np.count_nonzero(self.mass) == own.size:
            return False
        return bool(self.null_space.size)

    @cached_property
    def null_space(self) -> Array:
        """(n, k) the motions without inertia, as orthonormal columns."""
        scale, values, vectors = self._inertia
        basis, _ = np.linalg.qr(vectors[:, ~_is_inertia(values)] / scale[:, None])
        return np.asarray(basis)

    @cached_property
    def inertial_space(self) -> Array:
        """(n, n - k) the motions with inertia, as columns t that have t' M t = 1."""
        scale, values, vectors = self._inertia
        kept = _is_inertia(values)
        return np.asarray(vectors[:, kept] / np.sqrt(values[kept]) / scale[:, None])

    @cached_property
    def _inertia(self) -> tuple[Array, Array, Array]:
        """Scales (n,) that make all inertias one; eigenvalues and eigenvectors of the scaled mass matrix."""
        root = np.sqrt(np.maximum(np.diag(self.mass), 0.0))
        scale = np.where(root > 0.0, root, 1.0)
        values, vectors = np.linalg.eigh(self.mass / np.outer(scale, scale))
        return scale, values, vectors

    def deflections_at(self, time: float | Array, q: Array) -> Array:
        """(m,) deflections at a time from displacements (n,); (k, m) at times (k,) from (k, n)."""
        return self._moved(time, q, 0)

    def rates_at(self, time: float | Array, v: Array) -> Array:
        """The rates of the deflections, from velocities; shapes as in `deflections_at`."""
        return self._moved(time, v, 1)

    def _moved(self, time: float | Array, motion: Array, derivative: int) -> Array:
        own = motion @ self.deflections.T
        if isinstance(time, np.ndarray):
            return np.asarray(own + self.offsets.over(time, derivative))
        return np.asarray(own + self.offsets.at(time, derivative))

    def start_memories(self, displacement: Array | None = None) -> list[Any]:
        """The memory of each element after a monotone motion from the virgin state to the start of the run.

        displacement : (n,) at the start; default that of the model.
        """
        if self.resumed is not None:
            pairs = zip(self.resumed.memory, self.slider_origins.tolist(), strict=False)
            return [tuple(x + origin for x in own) for own, origin in pairs]
        u = self.deflections_at(self.start, self.displacement if displacement is None else displacement)
        found: list[Any] = []
        for connection in self.system.connections:  # a sum begins as a whole: its parts may begin otherwise alone
            element = self.elements[len(found)]
            law = connection.law
            found += split_memory(law, law.start_within((u[len(found) :] / element.scale).tolist()))
        own = len(found)  # elements beyond those of the connections: copies that a method has added
        found += [e.law.start(float(v)) for e, v in zip(self.elements[own:], u[own:], strict=True)]
        for e, element in enumerate(self.elements):
            if element.law.is_at_limit:
                found[e] = element.law.start(float(u[e]))
        return found

    @cached_property
    def direction_groups(self) -> tuple[tuple[int, ...], ...]:
        """Elements of each law with several deflections, see `slipstick.laws.directions`; the first has its memory."""
        firsts = [
            e for e, own in enumerate(self.elements) if own.law.kernel_law.directions and own.law.direction_rank == 0
        ]
        return tuple(tuple(range(e, e + len(self.elements[e].law.kernel_law.directions))) for e in firsts)

    @property
    def slider_origins(self) -> Array:
        """(m,) what each slider remembers without a force at zero deflection; not zero where its limits differ.

        The end of a run counts sliders from there, so that another run may have other limits or stiffnesses.
        """
        virgin = [own for c in self.system.connections for own in split_memory(c.law, c.law.start(0.0))]
        found = np.zeros(len(self.elements))
        for e, (element, own) in enumerate(zip(self.elements, virgin, strict=False)):  # a method may add elements
            if element.law.elastic_slider is not None:
                found[e] = own[0]
        return found

    def breaks(self, until: float) -> Array:
        """The times up to ``until`` at which loads, motions or factors of laws have a corner or a jump."""
        every = [self.forcing, self.offsets, *self._all_factors()]
        if not any(f.signals or f.sweeps for f in every):
            return np.zeros(0)
        return np.unique(np.concatenate([f.breaks(self.start, until) for f in every]))

    def factors(self, e: int) -> list[tuple[Forcing, bool]]:
        """The functions of time that multiply the force of element e, one row each; True if cut off below zero."""
        return [(sum_functions(1, [(f, np.ones(1))], self.base), cut) for f, cut in self.elements[e].modulation]

    def _all_factors(self) -> list[Forcing]:
        return [f for e in range(len(self.elements)) for f, _ in self.factors(e)]

    @cached_property
    def is_swept(self) -> bool:
        """True if a frequency varies in time, or if a factor of a law is not periodic."""
        factors = self._all_factors()
        lines = any(f.ramp.any() or f.signals for f in factors)
        return lines or any(f.sweeps for f in (self.forcing, self.offsets, *factors))

    def all_coordinates(self, times: Array, displacement: Array, velocity: Array) -> tuple[Array, Array]:
        """(k, coordinates) displacements and velocities of all coordinates from those of the free ones (k, n)."""
        count, free, held = len(self.assembly.names), self.assembly.free, self.assembly.prescribed
        if not held.size:
            return displacement, velocity
        q, v = np.empty((times.size, count)), np.empty((times.size, count))
        q[:, free], v[:, free] = displacement, velocity
        for i in held:
            motion = self.system.coordinates[i].motion
            assert motion is not None
            q[:, i] = motion.at(times, self.base)
            v[:, i] = motion.at(times, self.base, 1)
        return q, v

    def accelerations(self, times: Array, q: Array, v: Array, force: Array) -> Array:
        """(k, coordinates) accelerations from the equation of motion; NaN for coordinates without inertia.

        q, v : (k, n) of the free coordinates at times (k,).   force : (k, connections).
        """
        free, held = self.assembly.free, self.assembly.prescribed
        push = self.forcing.over(times) - v @ self.damping.T - q @ self.stiffness.T
        push -= force @ dense(self.assembly.along)[free].T
        found = np.empty((times.size, len(self.assembly.names)))
        if self.massless:
            t = self.inertial_space
            own = push @ t @ t.T
            own[:, np.abs(self.null_space).any(axis=1)] = np.nan
        else:
            own = np.asarray(np.linalg.solve(self.mass, push.T).T, dtype=np.float64)
        found[:, free] = own
        for i in held:
            motion = self.system.coordinates[i].motion
            assert motion is not None
            found[:, i] = motion.at(times, self.base, 2)
        return found


def _is_same_layout(one: System, other: System) -> bool:
    """True if two systems have the same coordinates, forms, loads and matrices; their laws may differ."""
    return (
        one.matrices is other.matrices
        and one.loads == other.loads
        and [c.data for c in one.coordinates] == [c.data for c in other.coordinates]
        and [(c.name, c.deflection, c.along) for c in one.connections]
        == [(c.name, c.deflection, c.along) for c in other.connections]
    )


def _is_same_leaf(element: Element, leaf: Leaf) -> bool:
    """True if a leaf differs from that of an element at most in the parameters of its law."""
    return type(element.law) is type(leaf.law) and (element.scale, element.force, element.modulation) == leaf[1:]


def _is_inertia(values: Array) -> NDArray[np.bool_]:
    """True for eigenvalues of a mass matrix with a unit diagonal that exceed rounding."""
    return np.asarray(values > values.size * np.finfo(float).eps * values.max(initial=0.0))


def pose(system: System, start: float = 0.0, frequency: Base = None) -> Problem:
    """The problem of a system that starts at time ``start`` from its initial state.

    The problem holds a copy of the system, so later changes of the model do not affect a run.
    """
    a = assemble(system.snapshot())
    system = a.system
    f, p = a.free, a.prescribed
    base = system.frequency if frequency is None else frequency
    mass, damping, stiffness = (dense(m) for m in (a.mass, a.damping, a.stiffness))
    deflections, along = dense(a.deflections), dense(a.along)
    for i in p:
        coordinate, inertia = system.coordinates[i], mass[np.ix_(f, [i])]
        _check_motion(coordinate.name, coordinate.motion, inertia)
        if isinstance(base, Angle) and inertia.any():
            _check_speed(coordinate.name, coordinate.motion, base.jumps_after(start))
    forcing, moves = _forcing_and_motions(a, base)
    elements, offsets = [], []
    for j, connection in enumerate(system.connections):
        for leaf in connection.law.leaves():
            column = leaf.deflection * deflections[:, j]
            elements.append(
                Element(j, leaf.law, column[f], along[f, j].copy(), leaf.deflection, leaf.force, leaf.modulation)
            )
            offsets.append(column[p])
    still = sum_functions(len(elements), [], base)
    return Problem(
        assembly=a,
        frequency=None if isinstance(base, Angle) else base,
        angle=base if isinstance(base, Angle) else None,
        start=start,
        mass=mass[np.ix_(f, f)],
        damping=damping[np.ix_(f, f)],
        stiffness=stiffness[np.ix_(f, f)],
        elements=tuple(elements),
        forcing=forcing,
        offsets=still.plus(np.array(offsets).reshape(len(elements), p.size), moves) if p.size else still,
        displacement=a.start[f].copy(),
        velocity=a.start_rate[f].copy(),
    )


def resume(problem: Problem, end: RunEnd) -> Problem:
    """The problem with the end of another run as its initial state."""
    names = [problem.assembly.names[i] for i in problem.assembly.free]
    if [*end.displacement] != names or [*end.velocity] != names or len(end.memory) != len(problem.elements):
        raise InvalidInput(
            f"start is the end of a run of another model, or by another kind of method: its coordinates are "
            f"{', '.join(end.displacement)}, those here {', '.join(names)}; its laws {len(end.memory)}, those here "
            f"{len(problem.elements)}"
        ).about("start")
    for element, own in zip(problem.elements, end.memory, strict=True):
        element.law.pack_memory(own, 0)  # refuses the memory of another law
    q, v = (np.array([part[name] for name in names]) for part in (end.displacement, end.velocity))
    return replace(problem, start=end.time, displacement=q, velocity=v, resumed=end)


def _forcing_and_motions(a: Assembly, frequency: Base) -> tuple[Forcing, Forcing]:
    """Forces on the free coordinates, including those of prescribed motions; and the motions themselves."""
    f, p, system = a.free, a.prescribed, a.system
    loads = [(load.function, a.load_columns[f, k]) for k, load in enumerate(system.loads)]
    forcing = sum_functions(f.size, loads, frequency)
    motions = [(system.coordinates[i].motion, row) for i, row in zip(p, np.eye(p.size), strict=True)]
    moves = sum_functions(p.size, [(m, row) for m, row in motions if m is not None], frequency)
    if p.size:
        for matrix, part in ((a.stiffness, moves), (a.damping, moves.rate()), (a.mass, moves.rate().rate())):
            forcing = forcing.plus(-dense(matrix)[np.ix_(f, p)], part)
    return forcing, moves


def _check_speed(name: str, motion: Any, jumps: list[float]) -> None:
    """A motion by an order that a mass matrix couples to free coordinates needs a speed without jumps."""
    if jumps and motion.has_order:
        raise InvalidInput(
            f"the speed jumps at t = {jumps[0]:g} s, and the mass matrix couples this motion to other coordinates: "
            "their velocities would jump; spread the jump over a short time",
            owner=f'coordinate "{name}"',
        ).about("speed")


def _check_motion(name: str, motion: Any, inertia: Array) -> None:
    """Refuse a sampled motion that jumps, or that has corners and is coupled to free coordinates by inertia."""
    for signal in motion.parts().signals:
        for i in range(1, len(signal.times)):
            if signal.times[i] == signal.times[i - 1] and signal.values[i] != signal.values[i - 1]:
                raise InvalidInput(
                    f"its motion jumps at t = {signal.times[i]:g} s; a prescribed motion must be "
                    "continuous (spread the jump over a short time)",
                    owner=f'coordinate "{name}"',
                )
        if inertia.any() and len(set(signal.values)) > 1:
            raise InvalidInput(
                "a sampled motion has corners, and the mass matrix couples it to other "
                "coordinates: their velocities would jump; use a smooth motion (Sine, Fourier) here",
                owner=f'coordinate "{name}"',
            )
