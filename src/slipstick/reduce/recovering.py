"""Coordinates that were eliminated, and the forces of their springs, from a run of the reduced model.

The force f of a merged spring is that of the springs it was made of, up to their ratios. Where it is not zero, the
deflection of each is known, u = e f + a sgn f, and with it the node. Where it is zero, all that is known is that no
spring at the node touches: the node is somewhere in an interval. Its ends are given, and one place that all nodes can
have at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import InvalidInput, shown
from slipstick.model.forms import Form
from slipstick.reduce import rules
from slipstick.reduce.network import Spring, network_of
from slipstick.reduce.steps import Bound, InSeries, InStar, Loose, Record, SideBySide

if TYPE_CHECKING:
    import xarray as xr

    from slipstick.reduce.reduction import Reduction

Array = NDArray[np.float64]


class _State:
    """What is known so far: displacements with the ends of their intervals, and forces of springs."""

    def __init__(self) -> None:
        self.q: dict[str, Array] = {}
        self.low: dict[str, Array] = {}
        self.high: dict[str, Array] = {}
        self.force: dict[Spring, Array] = {}

    def put(self, name: str, value: Array, low: Array | None = None, high: Array | None = None) -> None:
        self.q[name] = value
        self.low[name] = value if low is None else low
        self.high[name] = value if high is None else high

    def of(self, form: Form) -> Array:
        total: Array = sum((factor * self.q[name] for name, factor in form.terms.items()), start=np.zeros(1))
        return total + np.zeros_like(next(iter(self.q.values())))

    def range_of(self, form: Form) -> tuple[Array, Array]:
        """The least and the largest that a form may be."""
        least = most = np.zeros_like(next(iter(self.q.values())))
        for name, factor in form.terms.items():
            ends = np.stack([factor * self.low[name], factor * self.high[name]])
            least, most = least + ends.min(axis=0), most + ends.max(axis=0)
        return least, most


def recover(reduction: Reduction, run: Any) -> xr.Dataset:
    """A dataset of the primary model: displacement, low, high (time, coordinate); force (time, spring)."""
    data = getattr(run, "data", run)
    known = [c.name for c in reduction.model.coordinates]
    if "displacement" not in data or list(data["coordinate"].values) != known:
        raise InvalidInput(
            f"recover needs a run of the reduced model, with the coordinates {', '.join(known)}, got {shown(run)}"
        )
    state = _State()
    for name in known:
        state.put(name, data["displacement"].sel(coordinate=name).values.astype(float))
    for spring in reduction.taken.network.springs:
        u = state.of(spring.form)
        state.force[spring] = (u - np.clip(u, -spring.half_gap, spring.half_gap)) / spring.compliance
    for record in reversed(reduction.taken.records):
        _undo(record, state)
    return _dataset(reduction, state, data["time"].values)


def _undo(record: Record, state: _State) -> None:
    match record:
        case InSeries():
            _undo_series(record, state)
        case Loose():
            nothing = np.zeros_like(next(iter(state.q.values())))
            state.force[record.spring] = nothing
            _place(record.node, [record.spring], state)
        case InStar():
            _undo_star(record, state)
        case SideBySide():
            u = state.of(record.springs[0].form)
            for spring, scale in zip(record.springs, record.scales, strict=True):
                here = scale * u
                state.force[spring] = (here - np.clip(here, -spring.half_gap, spring.half_gap)) / spring.compliance
        case Bound():
            state.put(record.node, state.of(record.by))


def _undo_series(record: InSeries, state: _State) -> None:
    r = rules.factor(record.first.form, record.node) / rules.factor(record.second.form, record.node)
    f = state.force[record.merged] / record.scale
    state.force[record.first], state.force[record.second] = f, -r * f
    _place(record.node, [record.first, record.second], state)


def _place(node: str, springs: list[Spring], state: _State) -> None:
    """A node from the springs on it: where one pushes it is known, elsewhere between the ends of their gaps."""
    whole = [state.range_of(rules.without(s.form, node)) for s in springs]
    there = [(y, y) for y in (state.of(rules.without(s.form, node)) for s in springs)]
    low, high = _between(node, springs, whole, state)
    ends = _between(node, springs, there, state)
    middle = 0.5 * (ends[0] + ends[1])
    state.put(node, middle, np.minimum(low, middle), np.maximum(high, middle))  # rounding may cross them


def _between(node: str, springs: list[Spring], rest: list[tuple[Array, Array]], state: _State) -> tuple[Array, Array]:
    """The ends of where a node may be, with the rest of each spring's form between two bounds."""
    low, high = np.full(rest[0][0].shape, -np.inf), np.full(rest[0][0].shape, np.inf)
    for s, (least_y, most_y) in zip(springs, rest, strict=True):
        c, own = rules.factor(s.form, node), state.force[s]
        # where it pushes its deflection is e f + a sgn f; where not it is anywhere in [-a, a]
        least = np.where(own == 0.0, -s.half_gap, s.compliance * own + s.half_gap * np.sign(own))
        most = np.where(own == 0.0, s.half_gap, least)
        ends = np.sort(np.stack([(least - most_y) / c, (most - least_y) / c]), axis=0)
        low, high = np.maximum(low, ends[0]), np.minimum(high, ends[1])
    return low, high


def _undo_star(record: InStar, state: _State) -> None:
    pull = total = 0.0
    for s in record.springs:
        c, y = rules.factor(s.form, record.node), state.of(rules.without(s.form, record.node))
        pull = pull + c * y / s.compliance
        total = total + c**2 / s.compliance
    state.put(record.node, np.asarray(-pull / total))
    for s in record.springs:
        state.force[s] = state.of(s.form) / s.compliance


def _dataset(reduction: Reduction, state: _State, times: Array) -> xr.Dataset:
    import xarray as xr

    names = [c.name for c in reduction.primary.coordinates]
    springs: dict[str, Array] = {}
    for spring in network_of(reduction.primary).springs:
        for own, force in state.force.items():
            if own.name == spring.name:
                springs[spring.name] = force

    def stacked(part: dict[str, Array]) -> tuple[tuple[str, str], Array]:
        return ("time", "coordinate"), np.stack([part[name] for name in names], axis=1)

    return xr.Dataset(
        {
            "displacement": stacked(state.q),
            "low": stacked(state.low),
            "high": stacked(state.high),
            "force": (("time", "spring"), np.stack(list(springs.values()), axis=1)),
        },
        coords={"time": times, "coordinate": names, "spring": list(springs)},
        attrs={
            "note": "inside a gap a massless node is only known to be between low and high; displacement is one place"
        },
    )
