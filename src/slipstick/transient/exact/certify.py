"""Error of an exact run, from rounding, growth of perturbations and the energy balance."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.laws.law_kernels import pointer
from slipstick.results.certificate import Certificate
from slipstick.transient.energy import RunSpan, WorkIntegrals, energy_certificate, powers
from slipstick.transient.exact import records as at
from slipstick.transient.exact.compiled import kernel
from slipstick.transient.exact.flow_run import Flow
from slipstick.transient.exact.flow_storage import part_of_recording
from slipstick.transient.exact.impact_losses import impact_energies, start_impact_notes
from slipstick.transient.exact.records import State, segment_at
from slipstick.transient.exact.work_integrals import works_of
from slipstick.transient.sensitivity import MAX_GROWTH, ErrorEstimate, inertia_weights

if TYPE_CHECKING:
    from slipstick.transient.exact.trajectory import ExactTrajectory, SampledMotion


ENERGY_TOLERANCE_REL = 1e-9  # of the energies involved
GAUSS_POINTS = 12  # of the Gauss rule on each panel
MAX_PANELS, PANELS_PER_SEGMENT = 200_000, 20  # panels in a run; a fast undamped mode would need any number
# coordinates; in larger models the cost of a panel grows with their square, and fewer are allowed
SMALL_MODEL_COORDINATES = 12
PANELS_PER_BATCH = 700  # panels: data at their points stay in the cache

EPS = float(np.finfo(float).eps)
PERTURBATION_REL = 1e-9  # of the size of the motion: the perturbation
GROWTH_WINDOWS = 12  # each continues with the final direction of the one before
SUSPICIOUS_GROWTH = 1e3  # growth in one window that is checked again
LAST_SEGMENTS = 7
ROUNDING_PER_SEGMENT = 4.0 * EPS  # of the size of a state's terms


def certify(trajectory: ExactTrajectory) -> Certificate:
    """The certificate of an exact run, or of the part of it that was reached."""
    problem, covered = trajectory.problem, trajectory.flow.time
    works = works_of(trajectory)
    if works is None:
        works, covered = by_quadrature(trajectory)
    ends = trajectory.at(np.array([problem.start, covered]))
    errors, notes = trajectory.accuracy()
    if covered < trajectory.flow.time:
        notes += (
            f"energies: of the first {covered - problem.start:.3g} s only; "
            "a fast undamped motion makes the rest too slow to check",
        )
    if trajectory.packed.model.has_stops:
        work_in, losses = impact_energies(trajectory.flow, covered)
        works = works.plus(work_in, losses, np.zeros(work_in.size)) if work_in.size else works
        notes += start_impact_notes(trajectory.flow) + settling_notes(trajectory) + pair_notes(trajectory)
    works = works._replace(exchanged=max(works.exchanged, _energy_rounding(trajectory)))
    span = RunSpan(trajectory.snapshot(ends, 0), trajectory.snapshot(ends, 1))
    return energy_certificate(problem, works, span, ErrorEstimate(errors, [*notes]), ENERGY_TOLERANCE_REL)


def settling_notes(trajectory: ExactTrajectory) -> tuple[str, ...]:
    """The errors of impacts that were summed in closed form, in words."""
    state = trajectory.flow.state
    if not state.settled_count:
        return ()
    return (
        f"impacts accumulated to rest {state.settled_count} times: rebounds slower than {state.settled_rate:.2g} were "
        f"summed in closed form, deflections below {state.settled_height:.2g} left out, the time of contact off by "
        f"at most {state.settled_delay:.2g} s",
    )


def pair_notes(trajectory: ExactTrajectory) -> tuple[str, ...]:
    """What is not unique about the rigid contacts of a run, in words."""
    state, packed = trajectory.flow.state, trajectory.packed
    notes = []
    if state.several_count:
        times = f"at t = {state.several_time:.6g} s"
        if state.several_count > 1:
            times = f"at {state.several_count} instants, the first {times},"
        notes.append(
            f"{times} several states of the rigid contacts satisfy Coulomb's law with different motions "
            "(Painleve's paradox); the run takes one that keeps contact"
        )
    if state.unchecked_count:
        notes.append(
            f"{state.unchecked_count} instants have so many rigid contacts in impact or at rest that other states, "
            "which might satisfy Coulomb's law too, were not looked for"
        )
    forms = np.array([unit.deflection for unit in packed.units if unit.pair is not None])
    if forms.size and np.linalg.matrix_rank(forms) < len(forms):
        notes.append(
            "rigid contacts hold each other: the motion and the sum of their forces are determined, the split is not"
        )
    return tuple(notes)


def by_quadrature(trajectory: ExactTrajectory) -> tuple[WorkIntegrals, float]:
    """Works up to a time: the end of the run, or where there were too many panels."""
    problem = trajectory.problem
    works, covered = WorkIntegrals.none(problem), problem.start
    for end, motion, weights in quadrature(trajectory):
        power_in, absorbed, matrices = powers(problem, motion, trajectory.forces(motion))
        works = works.plus(weights * power_in, weights[:, None] * absorbed, weights * matrices)
        covered = end
    return works, covered


def _energy_rounding(trajectory: ExactTrajectory) -> float:
    """[J] bound of the energy that rounding of the forces can put into free masses."""
    return float(np.sum(_forces(trajectory) * _force_rounding_motion(trajectory)))


def _force_rounding_motion(trajectory: ExactTrajectory) -> Array:
    """(n,) the displacement of each mass by rounding of its forces, while it moves and at most over a load period."""
    flow, n, omega = trajectory.flow, trajectory.problem.n, trajectory.packed.omega
    omega = omega[omega > 0.0]  # a shaft that never turns has none
    states = np.vstack([flow.motions, flow.state.motion])
    moves = (np.diff(states[:, :n], axis=0) != 0.0) | (states[:-1, n:] != 0.0) | (states[1:, n:] != 0.0)
    time = np.diff(flow.times, append=flow.time) @ moves
    if omega.size:
        time = np.minimum(time, 2.0 * math.pi / float(omega.min()))
    mass = np.diag(trajectory.problem.mass)
    inverse = np.divide(1.0, mass, out=np.zeros(mass.size), where=mass > 0.0)
    return np.asarray(EPS * time**2 * _forces(trajectory) * inverse)


def _forces(trajectory: ExactTrajectory) -> Array:
    """(n,) the sizes of loads, limits and the constant parts of laws on each coordinate."""
    packed, n = trajectory.packed, trajectory.problem.n
    time = trajectory.flow.time - trajectory.problem.start
    constants, slopes = (np.abs(part).reshape(-1, n) for part in (packed.model.load_constant, packed.model.load_slope))
    loads = constants + time * slopes
    force = loads.max(axis=0) + np.abs(packed.force_waves).sum(axis=1)
    limits = iter(packed.limits.tolist())
    for unit, pieces in zip(packed.units, packed.pieces, strict=True):
        own = next(limits) if unit.is_contact else max(abs(piece.force.constant) for piece in pieces)
        force = force + np.abs(unit.along) * own
    return np.asarray(force)


def quadrature(trajectory: ExactTrajectory) -> Iterator[tuple[float, SampledMotion, Array]]:
    """The motion at the points of a Gauss rule on panels that end at events, with weights, in batches of panels.

    The first item of each is the end time: of the run, or where there were too many panels.
    """
    points, weights = _rule()
    for edges in _panels(trajectory):
        left, half = edges[:-1, None], 0.5 * np.diff(edges)[:, None]
        motion = trajectory.at((left + half * (points + 1.0)).ravel())
        yield float(edges[-1]), motion, (half * weights).ravel()


@cache
def _rule() -> tuple[Array, Array]:
    return np.polynomial.legendre.leggauss(GAUSS_POINTS)


def _most_panels(trajectory: ExactTrajectory) -> int:
    share = min(1.0, (SMALL_MODEL_COORDINATES / max(trajectory.problem.n, 1)) ** 2)
    return int(share * MAX_PANELS + PANELS_PER_SEGMENT * trajectory.flow.recording.segment_count)


def _panels(trajectory: ExactTrajectory) -> Iterator[Array]:
    """Edges of panels, some hundreds at a time; each segment begins where the one before ends."""
    flow = trajectory.flow
    engine, begins = flow.engine, flow.times.tolist()
    room, state = np.empty(MAX_PANELS), flow.state.copy()
    here, found = state.pointer, pointer(room)
    call, tables = kernel("segment_panels").call, engine.tables.pointer
    left = _most_panels(trajectory)
    edges: list[Array] = []
    size = 0
    for k, (begin, end) in enumerate(zip(begins, [*begins[1:], flow.time], strict=True)):
        if end <= begin:
            continue
        with engine.lock:
            segment = segment_at(flow.recording, k).pointer
            count = int(call(engine.model, here, tables, segment, end, found, min(room.size, left + 1)))
        if count in (room.size, left + 1):
            whole = room[: min(count, left)]  # the last one only marks the end
            if edges:
                yield np.concatenate([*edges, [begin]])
            yield from (whole[i : i + PANELS_PER_BATCH + 1] for i in range(0, whole.size - 1, PANELS_PER_BATCH))
            return
        left -= count
        edges.append(room[:count].copy())
        size += count
        if size > PANELS_PER_BATCH:
            yield np.concatenate([*edges, [end]])
            edges, size = [], 0
    if edges:
        yield np.concatenate([*edges, [flow.time]])


def rounding_errors(trajectory: ExactTrajectory) -> tuple[Array, tuple[str, ...]]:
    """(n,) the error of each coordinate, infinite if the motion is sensitive; and notes on the estimate."""
    n = trajectory.problem.n
    flow = trajectory.flow
    scale = np.maximum(flow.state.scale, np.finfo(float).tiny)
    marks = np.unique(np.linspace(0, flow.recording.segment_count, GROWTH_WINDOWS + 1).astype(int))
    instants = [*flow.times[marks[:-1]].tolist(), flow.time]
    direction, size = scale * _signs(n), _change_norm(trajectory, scale)
    error = worst = ROUNDING_PER_SEGMENT
    growth = largest = total = 1.0
    carried = 1.0  # growth of the change at the start of a window, over the growth that counted
    shares: list[tuple[float, float]] = []
    for first, after, end in zip(marks[:-1].tolist(), marks[1:].tolist(), instants[1:], strict=True):
        if end <= flow.times[first]:
            continue
        whole, seen, direction = _followed(trajectory, GrowthWindow(first, after, end), direction, scale, size, carried)
        stretch, carried = float(seen), whole / max(seen, 1e-300)
        segments = after - first
        growth = float(np.maximum(growth * stretch, 1.0))
        error = error * stretch + ROUNDING_PER_SEGMENT * math.sqrt(max(segments, 1))  # floats: inf where it overflows
        worst, largest = max(worst, error), float(np.maximum(largest, growth))
        total *= stretch
        shares.append((end - float(flow.times[first]), total))
    if np.isnan(largest):
        return np.full(n, np.nan), ("no error estimate: the perturbed runs could not be finished",)
    if not largest < MAX_GROWTH:
        words = f"sensitive: a perturbation of the state grows by a factor of {largest:.1g}"
        return np.full(n, np.inf), (words,)
    wander = flow.state.phase_rounding  # of phases, over the run
    if trajectory.packed.omega.size:  # those of waves are computed from the absolute time
        wander = wander + abs(trajectory.problem.start) * scale[n:]
    errors = worst * flow.state.scale[:n] + EPS * _amplified(shares) * wander
    moved = np.ptp(flow.motions[:, :n], axis=0)
    errors = np.where((moved > 0.0) & (moved < _force_rounding_motion(trajectory)), np.maximum(moved, errors), errors)
    notes: tuple[str, ...] = (f"error: rounding; a perturbation of the state grows by at most {largest:.2g}",)
    released = flow.state.release_error
    totals = np.array([1.0, *(total for _, total in shares)])
    steepest = float(np.max(totals[1:] / np.maximum(totals[:-1], 1e-300), initial=1.0))  # the release itself is in it
    errors = errors + max(largest / steepest, 1.0) * (size(released) * scale[:n] + released[:n])
    uncertain = flow.state.turn_uncertainty
    if uncertain > 0.0:  # reversals of forces shift by half of that
        errors = errors + largest * uncertain * scale[n:]
        notes += (
            f"a prescribed motion reverses within {uncertain:.1g} s in which its rate is zero to rounding; the "
            "reversal is put in the middle, and the error includes this",
        )
    return errors, notes


def _amplified(shares: list[tuple[float, float]]) -> float:
    """The largest accumulated share of errors that enter in all windows, where earlier ones grow.

    shares : the length of each window, and the growth from the start of the run to its end.
    """
    times = np.array([time for time, _ in shares])
    grown = np.array([max(growth, 1e-300) for _, growth in shares])
    later = np.maximum(grown[:, None] / grown[None, :], 1.0)  # from the end of a window to that of a later one
    sums = np.tril(later) @ times / max(float(times.sum()), 1e-300)
    return float(sums.max(initial=1.0))


class GrowthWindow(NamedTuple):
    """Segments from ``first`` on, up to ``end`` [s]: where segment ``after`` begins, or where the run ends."""

    first: int
    after: int
    end: float


def _followed(
    trajectory: ExactTrajectory,
    window: GrowthWindow,
    direction: Array,
    scale: Array,
    size: Callable[[Array], float],
    carried: float,
) -> tuple[float, float, Array]:
    """The growth of a perturbation over a window, the part that counts, and the perturbation at its end.

    carried : earlier growth that has not counted yet. In a hard impact velocities differ for a moment by far more than
    before and after it: this growth is carried on, and counts only as far as it lasts.

    direction : (2n) the perturbation at the end of the last window, of any size. It is not rescaled by coordinate: its
    part in a coordinate at rest may be large beside that coordinate, and nothing beside the motion.

    The derivative of the flow gives the growth; where there is none, a run from a perturbed start does. That run may
    stop where a contact is undecided: then another perturbation is tried. If all fail, the growth is NaN.
    """
    n, pieces = trajectory.problem.n, trajectory.flow.pieces[window.first]
    nudge = _nudge(trajectory, pieces, direction, size)
    if size(nudge) < 0.01 * PERTURBATION_REL:  # the perturbation has decayed, or sticks: take another one
        nudge, carried = _nudge(trajectory, pieces, scale * _signs(n), size), 1.0
    if size(nudge) < 1e-4 * PERTURBATION_REL:
        return carried, carried, direction
    ways: list[Callable[[ExactTrajectory, GrowthWindow, Array], Array | None]] = [_carried]
    ways += [partial(_nearby_run_change, factor=factor) for factor in (1.0, -1.0, 0.1)]
    for way in ways:
        apart = way(trajectory, window, nudge)
        if apart is None:
            continue
        whole = seen = carried * size(apart) / size(nudge)
        if seen > SUSPICIOUS_GROWTH:
            earlier = way(trajectory, _calm_window(trajectory, window), nudge)
            seen = min(seen, np.inf if earlier is None else carried * size(earlier) / size(nudge))
        return whole, seen, apart
    return np.nan, np.nan, direction


def _carried(trajectory: ExactTrajectory, window: GrowthWindow, nudge: Array) -> Array | None:
    """(2n) a small change after the event that ends a window; None for models with massless coordinates."""
    flow, n = trajectory.flow, trajectory.problem.n
    if trajectory.problem.massless:
        return None
    change = np.concatenate([nudge, np.zeros(len(trajectory.packed.units))])
    flow.vary(part_of_recording(flow.recording, window.first, window.after + 1), window.end, change[None, :])
    return change[: 2 * n] if np.isfinite(change).all() else None


def _calm_window(trajectory: ExactTrajectory, window: GrowthWindow) -> GrowthWindow:
    """A window that ends in the middle of the longest of its last segments."""
    begins = trajectory.flow.times[window.first : window.after]
    edges = np.append(begins, window.end)[-LAST_SEGMENTS:]
    longest = int(np.argmax(np.diff(edges)))
    after = window.after - (edges.size - 1) + longest
    return GrowthWindow(window.first, after, float(0.5 * (edges[longest] + edges[longest + 1])))


def _nearby_run_change(trajectory: ExactTrajectory, window: GrowthWindow, nudge: Array, factor: float) -> Array | None:
    """(2n) the same by a run from a perturbed start, with so many perturbations; None if that fails."""
    end = window.end
    begin = segment_at(trajectory.flow.recording, window.first)
    state = trajectory.flow.state.copy()
    state.block[: len(State.fields)] = trajectory.flow.engine.first.block[: len(State.fields)]
    state.time, state.time_low, state.epoch = begin.time, begin.time_low, begin.epoch
    flow = trajectory.flow
    state.motion = flow.motions[window.first] + factor * nudge
    state.piece, state.memory = flow.pieces[window.first], flow.memories[window.first]
    near = Flow(trajectory.flow.engine, end, state)
    near.go()
    there = trajectory.at(np.array([end]))
    apart = near.state.motion - np.concatenate([there.q[0], there.v[0]])
    return None if near.trouble or not np.isfinite(apart).all() else apart / factor


def _signs(n: int) -> Array:
    return np.random.default_rng(1).choice([-1.0, 1.0], size=2 * n)


def _nudge(trajectory: ExactTrajectory, pieces: Array, direction: Array, size: Callable[[Array], float]) -> Array:
    """(2n) a small change of the state in that direction (2n); contacts that stick stay together."""
    n, units = trajectory.problem.n, trajectory.packed.units
    # coordinates without inertia follow the others
    moving = np.tile(~np.abs(trajectory.problem.null_space).any(axis=1), 2).astype(float)
    nudge = PERTURBATION_REL * moving * direction / max(size(moving * direction), 1e-300)
    stuck = [u.deflection for u, p in zip(units, pieces, strict=True) if _sticks(u, p)]
    if stuck:
        d = np.array(stuck)
        nudge[n:] -= np.linalg.pinv(d) @ (d @ nudge[n:])
    return np.asarray(nudge)


def _change_norm(trajectory: ExactTrajectory, scale: Array) -> Callable[[Array], float]:
    """The size of a change of the state (2n), against the motion of all coordinates together."""
    n = trajectory.problem.n
    weight = inertia_weights(trajectory.problem)
    parts = slice(None, n), slice(n, None)
    weights = [weight / max(float(np.linalg.norm(weight * scale[part])), 1e-300) for part in parts]

    def size(change: Array) -> float:
        with np.errstate(over="ignore"):  # growth without bound is infinite
            squares = [float(w @ w) for w in (own * change[part] for own, part in zip(weights, parts, strict=True))]
        return math.sqrt(max(squares))

    return size


def _sticks(unit: object, piece: float) -> bool:
    return bool(getattr(unit, "is_contact", False)) and int(piece) in (at.STICK, at.HELD_UP, at.HELD_DOWN)
