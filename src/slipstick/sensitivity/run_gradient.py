"""Derivatives of figures of exact runs: variational equations with saltation at events.

The parameter's own share within each segment, at its guard and in held stretches is a difference of closed forms of
models on both sides, extrapolated (`richardson`). What a change of the state becomes is exact.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array
from slipstick.errors import InvalidInput, NotConverged
from slipstick.laws.law_kernels import pointer
from slipstick.results.figures import RUN_FIGURES, figure_reader
from slipstick.results.gradient import Gradient
from slipstick.results.run import Run
from slipstick.sensitivity.orbit_gradient import naming
from slipstick.sensitivity.parameters import Parameter, parameters_of, shifted
from slipstick.sensitivity.richardson import derivative
from slipstick.transient.exact.compiled import kernel, sensitivity_kernel
from slipstick.transient.exact.engine import Engine, engine_of
from slipstick.transient.exact.flow_run import Flow
from slipstick.transient.exact.records import Recording, Segment, Variation
from slipstick.transient.exact.trajectory import ExactTrajectory
from slipstick.transient.problem import Problem, pose
from slipstick.transient.series_joints import FoldedTrajectory, with_joints

RUN_QUANTITIES = ("last", "last_velocity", "mean", "rms", "highest", "lowest", "amplitude", "peak_to_peak")
METHOD = "variational equations with saltation; shares of parameters by extrapolated differences of closed forms"
MAX_SHIFT_REL = 1e5  # of the run, by which an event moves for a change of order one: beyond it is a graze


class SampleChanges(NamedTuple):
    """Changes of samples by one parameter.   displacement, velocity : (k,) with the shift of their time.
    time : (k,) [s] of the samples.   error : relative."""

    displacement: Array
    velocity: Array
    time: Array
    error: float


def run_gradient(run: Run, figure: str, by: Any) -> Gradient:
    """Derivatives of a figure of a run."""
    part, quantity = _figure(run, figure)
    wanted = parameters_of(run.model, by)
    trajectory = _exact_trajectory(run)
    varied = _VariedRun(run, trajectory, part)
    values: dict[str, float] = {}
    errors: dict[str, float] = {}
    for each in wanted:
        with naming(each.name):
            changes = varied.by(each)
        value = varied.figure(quantity, changes)
        values[each.name], errors[each.name] = value, changes.error * abs(value)
    known = {each.name: each.value for each in wanted}
    here = figure_reader(figure, RUN_FIGURES, "a run", run.names.coordinates, run.names.connections)(run)
    return Gradient(figure, here, known, values, errors, METHOD)


def _figure(run: Run, figure: str) -> tuple[str, str]:
    """The coordinate and the quantity of a figure; others are refused."""
    figure_reader(figure, RUN_FIGURES, "a run", run.names.coordinates, run.names.connections)
    part, _, quantity = figure.rpartition(".")
    if quantity not in RUN_QUANTITIES:
        words = f"a run has no derivatives of {quantity}; it has those of {', '.join(RUN_QUANTITIES)}"
        raise InvalidInput(words).about("figure")
    part = part or run.names.coordinates[0]
    if run.model is not None and run.model[part].motion is not None:
        raise InvalidInput(f"{part} has a prescribed motion").about("figure")
    return part, quantity


def _exact_trajectory(run: Run) -> ExactTrajectory:
    """The exact trajectory of a run; refuses runs without known derivatives, with the reason."""
    own = run.trajectory.own if isinstance(run.trajectory, FoldedTrajectory) else run.trajectory
    if not isinstance(own, ExactTrajectory):
        if run.stats.method == "exact":
            raise InvalidInput("a run from a file or another process has no derivatives", advice=["simulate it again"])
        words = f"a run by {run.stats.method} has no derivatives"
        raise InvalidInput(words, advice=['compute it with method="exact"'])
    reasons = [
        (run.stats.ended, "the run ended early"),
        (own.problem.massless, "coordinates without inertia are passed over at events"),
        (
            any(unit.stop is not None for unit in own.packed.units),
            "derivatives at impacts of rigid stops are not known",
        ),
        (own.problem.resumed is not None, "the run continues another one, whose end depends on the parameters too"),
    ]
    for is_so, words in reasons:
        if is_so:
            raise InvalidInput(f"this run has no derivatives: {words}", advice=["use an orbit, or another model"])
    return own


class _VariedRun:
    """A recorded run that is cut at its samples as well, with the changes by parameters."""

    def __init__(self, run: Run, trajectory: ExactTrajectory, part: str) -> None:
        self.run, self.trajectory = run, trajectory
        self.flow: Flow = trajectory.flow
        self.engine: Engine = trajectory.flow.engine
        problem = trajectory.problem
        names = [problem.assembly.names[i] for i in problem.assembly.free]
        self.column = names.index(part)
        self.n, self.units = problem.n, len(self.engine.packed.units)
        self.sampled = trajectory.at(run.samples.time)
        self.rows, self.place = self._cut()
        self.recording = Recording(
            {"segments": self.rows.size, "events": 0}, segments=self.rows.ravel(), segment_count=len(self.rows),
            segment_size=self.rows.shape[1],
        )  # fmt: skip

    def _cut(self) -> tuple[Array, NDArray[np.intp]]:
        """(segments, numbers) with a segment at each sample too, and the segment each sample begins."""
        recording, motion = self.flow.recording, self.sampled
        size = recording.segment_size
        own = recording.segments[: recording.segment_count * size].reshape(-1, size)
        begins = self.flow.times
        rows, place = [], np.zeros(motion.time.size, dtype=np.intp)
        k = 0
        for j in range(len(own)):
            rows.append(own[j].copy())
            until = begins[j + 1] if j + 1 < len(own) else math.inf
            while k < motion.time.size and motion.time[k] < until:
                if motion.time[k] > begins[j]:
                    rows.append(self._sample_row(own[j], k))
                place[k] = len(rows) - 1
                k += 1
        return np.array(rows), place

    def _sample_row(self, like: Array, k: int) -> Array:
        """The row of a segment that begins at a sample within another one."""
        row = like.copy()
        segment = Segment.over(row)
        segment.time, segment.time_low = float(self.sampled.time[k]), 0.0
        segment.fired, segment.fired_guard = -1, -1
        row[len(Segment.fields) :][: self.n] = self.sampled.q[k]
        row[len(Segment.fields) + self.n :][: self.n] = self.sampled.v[k]
        return row

    # ---- changes

    def by(self, parameter: Parameter) -> SampleChanges:
        """Changes of all samples by a parameter."""
        n, m, count = self.n, self.units, len(self.rows)

        def shares(s: float) -> Array:
            return self._shares(self._engine(parameter, s)) / self._sizes

        found = derivative(shares, shares(0.0), parameter.scale)
        value = found.value * self._sizes
        first, rest = value[: 2 * n + m], value[2 * n + m :].reshape(count, 2 * n + 1 + m)
        out = np.zeros((count + 1, 2 * n + m + 1))
        with self.engine.lock:
            room = np.concatenate([first, np.zeros(m + 1)])
            injections = np.ascontiguousarray(rest)
            variation = Variation(
                model=self.engine.packed.model, tangent=self.engine.tangent, turned=self.engine.packed.model,
                state=self.flow.state.copy(), near=self.flow.state.copy(), tables=self.engine.tables,
                recording=self.recording, end=self.flow.time, changes=room,
            )  # fmt: skip
            sensitivity_kernel("vary_by_parameters").call(variation.pointer, 1, pointer(injections), pointer(out))
        self._refuse_grazes(out, parameter)
        # a sample at an event moves with it; row k + 1 is after segment k, so row k begins segment k
        here = out[self.place]
        shift = np.where(self._begins, here[:, -1], 0.0)
        q, v = here[:, self.column], here[:, n + self.column]
        return SampleChanges(q + shift * self.sampled.v[:, self.column], v, shift, found.error)

    @property
    def _begins(self) -> NDArray[np.bool_]:
        """(samples,) True at an event."""
        fired = [Segment.over(self.rows[k]).fired >= 0 for k in self.place]
        return np.array(fired, dtype=bool)

    def _engine(self, parameter: Parameter, change: float) -> Engine:
        """The engine of the model with another parameter; `NotConverged` if it has another layout."""
        if change == 0.0:
            return self.engine
        problem = self.trajectory.problem
        system = shifted(self.run.model, parameter, change)
        other = engine_of(with_joints(pose(system, problem.start, problem.base)))
        a, b = self.engine.packed, other.packed
        same = [[piece.name for piece in unit.described] for unit in a.units] == [
            [piece.name for piece in unit.described] for unit in b.units
        ]
        if not same or not np.array_equal(a.model.epoch_end, b.model.epoch_end):
            raise InvalidInput(f"{parameter.name} changes instants of loads or the parts of a law").about("by")
        if not _same_motions(a.problem, b.problem, self.sampled.time):
            raise InvalidInput(f"{parameter.name} changes a prescribed motion, which has no derivatives").about("by")
        return other

    def _shares(self, engine: Engine) -> Array:
        """Results of a model on the start and each segment of this run: motion at its end, guard, held stretches."""
        n, m, count = self.n, self.units, len(self.rows)
        flow = Flow(engine, self.flow.until)
        if not kernel("begin_run").call(engine.model, flow.state.pointer, flow.recording.pointer):
            raise NotConverged("the forces of contacts at the start could not be determined")
        if not np.array_equal(flow.pieces[0], self.flow.pieces[0]):
            raise NotConverged("the state of a connection at the start changes with it")
        out = np.zeros((count, 2 * n + 1 + m))
        ends = np.empty((count, 2 * n + 1))
        with engine.lock:
            sensitivity_kernel("segment_ends").call(
                engine.model, flow.state.copy().pointer, self.recording.pointer, self.flow.time, pointer(ends)
            )
        out[:, : 2 * n + 1] = ends
        for k, e, before, after in self._stops:
            pieces = engine.packed.pieces[e]
            if pieces[after].moves:  # it refers to the deflection less this stretch
                given, partner = pieces[before].stretch, self.engine.packed.units[e].partner
                out[k, 2 * n + 1 + e] = -given.constant - given.partner * self._deflection(k + 1, partner)
            else:
                out[k, 2 * n + 1 + e] = _held_stretch(pieces, before, after)
        first = np.concatenate([flow.motions[0], flow.memories[0]])
        return np.concatenate([first, out.ravel()])

    @property
    def _stops(self) -> list[tuple[int, int, int, int]]:
        """Segment, unit, piece before and after, where a stretch stops moving, or moves after a prescribed one."""
        begin = len(Segment.fields) + 2 * self.n
        pieces = self.rows[:, begin : begin + self.units].astype(int)
        found = []
        for k, e in np.argwhere(pieces[1:] != pieces[:-1]).tolist():
            before, after = int(pieces[k, e]), int(pieces[k + 1, e])
            own = self.engine.packed.pieces[e]
            if self.engine.packed.units[e].is_contact:
                continue
            begins = own[before].stretch is not None and own[after].moves
            if begins or (own[before].moves and not own[after].moves):
                found.append((k, e, before, after))
        return found

    def _deflection(self, k: int, unit: int) -> float:
        """The deflection of a unit where segment k begins."""
        head, problem = len(Segment.fields), self.trajectory.problem
        if unit < 0:
            return 0.0
        u = problem.deflections_at(Segment.over(self.rows[k]).time, self.rows[k, head : head + self.n])
        return float(u[self.engine.packed.units[unit].elements[0]])

    @cached_property
    def _sizes(self) -> Array:
        """Sizes of the numbers of `_shares`: the largest of each kind over the run."""
        n, m = self.n, self.units
        base = np.abs(self._shares(self.engine))
        rows = base[2 * n + m :].reshape(-1, 2 * n + 1 + m)
        largest = np.maximum(rows.max(axis=0), np.concatenate([base[: 2 * n], [0.0], base[2 * n : 2 * n + m]]))
        largest[largest == 0.0] = 1.0
        first = np.concatenate([largest[: 2 * n], largest[2 * n + 1 :]])
        return np.concatenate([first, np.tile(largest, len(rows))])

    def _refuse_grazes(self, out: Array, parameter: Parameter) -> None:
        """Refuse a run with an event whose instant has no derivative: its guard touches zero without a slope."""
        shifts = np.abs(out[:-1, -1]) * parameter.scale
        k = int(np.argmax(shifts))
        if not shifts[k] <= MAX_SHIFT_REL * (self.flow.time - self.trajectory.problem.start):
            instant = Segment.over(self.rows[k]).time
            raise NotConverged(f"the event at t = {instant:.6g} s is a graze, where the derivative is infinite")

    # ---- figures

    def figure(self, quantity: str, change: SampleChanges) -> float:
        """The derivative of a figure of the samples."""
        t, x, dx = self.sampled.time, self.sampled.q[:, self.column], change.displacement
        if quantity == "last":
            return float(dx[-1])
        if quantity == "last_velocity":
            return float(change.velocity[-1])
        high, low = float(dx[np.argmax(x)]), float(dx[np.argmin(x)])
        ranges = {"highest": high, "lowest": low, "peak_to_peak": high - low, "amplitude": 0.5 * (high - low)}
        if quantity in ranges:
            return ranges[quantity]
        if quantity == "mean":
            return _mean_change(t, x, dx, change.time)
        square = _mean_change(t, x * x, 2.0 * x * dx, change.time)
        rms = math.sqrt(_mean(t, x * x))
        return square / (2.0 * rms) if rms > 0.0 else 0.0


def _same_motions(one: Problem, other: Problem, times: Array) -> bool:
    """True if prescribed motions are the same at given times."""
    if one.offsets.is_zero and other.offsets.is_zero:
        return True
    return all(np.allclose(one.offsets.over(times, k), other.offsets.over(times, k), rtol=1e-12) for k in (0, 1))


def _held_stretch(pieces: Any, before: int, after: int) -> float:
    """The stretch at the guard from one piece to another; 0 if it does not depend on the law."""
    name = pieces[after].name
    for guard in pieces[before].guards:
        constant, u, v, w = guard.value[:4]
        if guard.to == name and w != 0.0 and u == 0.0 and v == 0.0:
            return float(-constant / w)
    return 0.0


def _mean(t: Array, y: Array) -> float:
    return float(np.sum((y[1:] + y[:-1]) * np.diff(t)) / (2.0 * (t[-1] - t[0])))


def _mean_change(t: Array, y: Array, dy: Array, dt: Array) -> float:
    """The change of a mean over time by changes of values and times."""
    total = np.sum((dy[1:] + dy[:-1]) * np.diff(t)) + np.sum((y[1:] + y[:-1]) * np.diff(dt))
    return float(total / (2.0 * (t[-1] - t[0])))
