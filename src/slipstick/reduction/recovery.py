"""Coordinates that were eliminated, and the forces of their springs, from a run of the reduced model.

The force f of a merged spring is that of the springs it was made of, up to their ratios. Where it is not zero, the
deflection of each is known, u = e f + a sgn f, and with it the node. Where it is zero, all that is known is that no
spring at the node touches: the node is somewhere in an interval. Its ends are given, and one place that all nodes can
have at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import InvalidInput, short_repr
from slipstick.model.linear_forms import Form, quotient
from slipstick.model.symbol_values import symbols_of
from slipstick.reduction.network import Spring
from slipstick.reduction.reduction_steps import (
    LooseEndRecord,
    ParallelRecord,
    RigidRecord,
    SeriesRecord,
    StarRecord,
    StepRecord,
)

if TYPE_CHECKING:
    import xarray as xr

    from slipstick.reduction.reduce import Reduction


INSIDE_GAP_NOTE = "inside a gap a massless node is only known to be between low and high; displacement is one place"
UNKNOWN_FORCE_NOTE = (
    "the force of a rigid spring is known only where it holds a node without inertia, friction and load; elsewhere it "
    "is NaN"
)


class _RecoveredState:
    """Known quantities so far: displacements with the ends of their intervals, and forces of springs."""

    def __init__(self, samples: int) -> None:
        self.nothing = np.zeros(samples)
        self.q: dict[str, Array] = {}
        self.low: dict[str, Array] = {}
        self.high: dict[str, Array] = {}
        self._force: dict[tuple[str, int], Array] = {}

    def put(self, name: str, value: Array, low: Array | None = None, high: Array | None = None) -> None:
        self.q[name] = value
        self.low[name] = value if low is None else low
        self.high[name] = value if high is None else high

    def pull(self, spring: Spring, force: Array) -> None:
        self._force[spring.key] = force

    def force(self, spring: Spring) -> Array:
        return self._force[spring.key]

    def of(self, form: Form) -> Array:
        return sum((form.factor(name) * self.q[name] for name in form.names), start=self.nothing)

    def range_of(self, form: Form) -> tuple[Array, Array]:
        """The least and the largest that a form may be."""
        least = most = self.nothing
        for name in form.names:
            ends = np.stack([form.factor(name) * self.low[name], form.factor(name) * self.high[name]])
            least, most = least + ends.min(axis=0), most + ends.max(axis=0)
        return least, most


def recover_primary(reduction: Reduction, run: Any) -> xr.Dataset:
    """A dataset of the primary model: displacement, low, high (time, coordinate); force (time, spring)."""
    _refuse_family(reduction)
    data = getattr(run, "data", run)
    known = [c.name for c in reduction.model.coordinates]
    if not _is_run(data, known):
        raise InvalidInput(
            f"recover needs a run of the reduced model, with the coordinates {', '.join(known)}, got "
            f"{_describe_wrong_run(run)}"
        )
    state = _RecoveredState(data["time"].size)
    for name in known:
        state.put(name, data["displacement"].sel(coordinate=name).values.astype(float))
    for spring in reduction.taken.network.springs:
        u, a = state.of(spring.form), spring.half_gap.value
        state.pull(spring, (u - np.clip(u, -a, a)) / spring.compliance.value)
    for record in reversed(reduction.taken.records):
        _undo_step(record, state)
    return _dataset(reduction, state, data["time"].values)


def _refuse_family(reduction: Reduction) -> None:
    for name in symbols_of(reduction.primary):
        raise InvalidInput(
            f"{name} has no value yet in the model that was reduced; give values first: "
            "family.with_values(values).reduce(...).recover(...)",
            owner="recover",
        )


def _describe_wrong_run(run: Any) -> str:
    """Error for an argument that is no run, with the way to get one."""
    if hasattr(run, "orbit"):
        return f"a {type(run).__name__.lower()}; give one of its orbits: recover(curve.orbit(i))"
    return f"{short_repr(run)}; give red.model.simulate(...), red.model.periodic(...) or curve.orbit(i)"


def _is_run(data: Any, coordinates: list[str]) -> bool:
    try:
        return "displacement" in data and list(data["coordinate"].values) == coordinates
    except (TypeError, KeyError, AttributeError):
        return False


def _undo_step(record: StepRecord, state: _RecoveredState) -> None:
    match record:
        case SeriesRecord():
            r = quotient(record.first.form.factor(record.node), record.second.form.factor(record.node))
            f = state.force(record.merged) / record.scale
            state.pull(record.first, f)
            state.pull(record.second, -r * f)
            _place_node(record.node, (record.first, record.second), state)
        case LooseEndRecord():
            for spring in record.springs:
                state.pull(spring, state.nothing)
            _place_node(record.node, record.springs, state)
        case StarRecord():
            _undo_star(record, state)
        case ParallelRecord():
            f = state.force(record.merged) * record.merged.compliance.value
            for spring, scale in zip(record.springs, record.scales, strict=True):
                state.pull(spring, scale * f / spring.compliance.value)
        case RigidRecord():
            _undo_rigid(record, state)


def _place_node(node: str, springs: tuple[Spring, ...], state: _RecoveredState) -> None:
    """A node from the springs on it: where one pushes it is known, elsewhere between the ends of their gaps."""
    whole = [state.range_of(s.form.without(node)) for s in springs]
    there = [(y, y) for y in (state.of(s.form.without(node)) for s in springs)]
    low, high = _node_interval(node, springs, whole, state)
    ends = _node_interval(node, springs, there, state)
    middle = 0.5 * (ends[0] + ends[1])
    state.put(node, middle, np.minimum(low, middle), np.maximum(high, middle))  # rounding may cross them


def _node_interval(
    node: str, springs: tuple[Spring, ...], rest: list[tuple[Array, Array]], state: _RecoveredState
) -> tuple[Array, Array]:
    """The ends of where a node may be, with the rest of each spring's form between two bounds."""
    low, high = np.full(state.nothing.shape, -np.inf), np.full(state.nothing.shape, np.inf)
    for s, (least_y, most_y) in zip(springs, rest, strict=True):
        c, own, e, a = s.form.factor(node), state.force(s), s.compliance.value, s.half_gap.value
        # where it pushes its deflection is e f + a sgn f; where not it is anywhere in [-a, a]
        least = np.where(own == 0.0, -a, e * own + a * np.sign(own))
        most = np.where(own == 0.0, a, least)
        ends = np.sort(np.stack([(least - most_y) / c, (most - least_y) / c]), axis=0)
        low, high = np.maximum(low, ends[0]), np.minimum(high, ends[1])
    return low, high


def _undo_star(record: StarRecord, state: _RecoveredState) -> None:
    """Each spring carries the forces of the star springs between its neighbour and the others."""
    forces = [state.nothing for _ in record.springs]
    c = [s.form.factor(record.node) for s in record.springs]
    for i, j, merged, scale in record.pairs:
        share = state.force(merged) / scale
        forces[i] = forces[i] + share
        forces[j] = forces[j] - quotient(c[i], c[j]) * share
    for spring, force in zip(record.springs, forces, strict=True):
        state.pull(spring, force)
    _place_node(record.node, record.springs, state)


def _undo_rigid(record: RigidRecord, state: _RecoveredState) -> None:
    state.put(record.node, state.of(record.by), *state.range_of(record.by))
    for spring in record.idle:  # a second rigid spring may carry anything
        held = spring.is_rigid and not spring.has_gap
        state.pull(spring, np.full_like(state.nothing, np.nan) if held else state.nothing)
    if record.balance is None:
        state.pull(record.spring, np.full_like(state.nothing, np.nan))
        return
    others = sum((s.form.factor(record.node) * state.force(s) for s in record.balance), start=state.nothing)
    state.pull(record.spring, -others / record.spring.form.factor(record.node))


def _dataset(reduction: Reduction, state: _RecoveredState, times: Array) -> xr.Dataset:
    import xarray as xr

    names = [c.name for c in reduction.primary.coordinates]
    forces: dict[str, Array] = {}
    for spring in reduction.taken.primary.springs:
        forces[spring.name] = forces.get(spring.name, state.nothing) + state.force(spring)
    table = np.array(list(forces.values())).reshape(len(forces), times.size).T
    note = f"{INSIDE_GAP_NOTE}; {UNKNOWN_FORCE_NOTE}" if np.isnan(table).any() else INSIDE_GAP_NOTE

    def stacked(part: dict[str, Array]) -> tuple[tuple[str, str], Array]:
        return ("time", "coordinate"), np.stack([part[name] for name in names], axis=1)

    return xr.Dataset(
        {
            "displacement": stacked(state.q),
            "low": stacked(state.low),
            "high": stacked(state.high),
            "force": (("time", "spring"), table),
        },
        coords={"time": times, "coordinate": names, "spring": list(forces)},
        attrs={"note": note},
    )
