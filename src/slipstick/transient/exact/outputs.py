"""Coordinates and connections as outputs, and their measures over a run (see `output_measures`)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from slipstick.arrays import Array, Complex
from slipstick.model.system import dense
from slipstick.transient.exact.compiled import kernel
from slipstick.transient.exact.impact_losses import struck_coordinates
from slipstick.transient.exact.output_measures import END_POINTS, HIGH, LOW, RESULT_HEAD, SQUARE, TOTAL, WORK_DONE
from slipstick.transient.exact.packed_model import PackedModel
from slipstick.transient.exact.records import Measurement

if TYPE_CHECKING:
    from slipstick.transient.exact.flow_run import Flow


GAUSS_POINTS = 12  # of the Gauss rule on each panel
EXTREME_POINTS = 5  # the same for extremes alone, which are refined between points


class OutputMeasures(NamedTuple):
    """Readings of k meters over a run: first all coordinates, in the model's order, then the forces of connections.

    mean, square, high, low : (k,) of the values, the squares, the largest, the smallest.
    work : (k,) of the forces.
    harmonics : (H + 1, coordinates) of the length of the run: q = Re sum of c exp(2 pi i h t / length).
    """

    mean: Array
    square: Array
    high: Array
    low: Array
    work: Array
    harmonics: Complex


def acceleration_rows(packed: PackedModel) -> Array:
    """(coordinates, numbers) M^-1 (f - K q - C v - forces of units); NaN for coordinates without inertia."""
    p, n, h, units = packed.problem, packed.problem.n, packed.omega.size, len(packed.units)
    rows = np.zeros((len(p.assembly.names), 1 + 3 * n + units + 4 * h))
    along = np.array([unit.along for unit in packed.units]).reshape(units, n).T
    waves = np.stack([packed.force_waves.real, -packed.force_waves.imag], axis=-1).reshape(n, 2 * h)
    constant = packed.model.load_constant[:n, None]
    push = np.hstack([constant, -packed.stiffness, -packed.damping, -along, waves])
    if p.massless:
        own = p.inertial_space @ (p.inertial_space.T @ push)
        own[np.abs(p.null_space).any(axis=1)] = np.nan
    else:
        own = np.linalg.solve(packed.mass, push)
    rows[p.assembly.free, : push.shape[1]] = own
    index = {w: k for k, w in enumerate(packed.omega.tolist())}
    for i in p.assembly.prescribed:
        motion: Any = p.system.coordinates[i].motion
        for w, c, s in motion.harmonics_at(p.frequency):
            place = 1 + 2 * n + units + 2 * index[w]
            rows[i, place : place + 2] += -w * w * c, -w * w * s
    return rows


def output_rows(packed: PackedModel) -> Array:
    """(coordinates + connections, numbers) a meter for each coordinate and for the force of each connection."""
    p, n, h = packed.problem, packed.problem.n, packed.omega.size
    a = p.assembly
    count, units = len(a.names), len(packed.units)
    rows = np.zeros((count + len(p.system.connections), 1 + 3 * n + units + 4 * h))
    rows[a.free, 1 + np.arange(n)] = 1.0
    index = {w: k for k, w in enumerate(packed.omega.tolist())}
    waves, form = 1 + 2 * n + units, 1 + 2 * n + units + 2 * h
    for i in a.prescribed:
        motion: Any = p.system.coordinates[i].motion
        rows[i, 0] = motion.parts().constant
        for w, c, s in motion.harmonics_at(p.frequency):
            rows[i, waves + 2 * index[w] : waves + 2 * index[w] + 2] += c, s
    acting = rows[count:]
    conjugate = np.array([c.is_conjugate for c in p.system.connections], dtype=bool)
    # a force along another form does work along that form, as in `energy`
    acting[:, form : form + n] = np.where(conjugate, dense(a.deflections)[a.free], dense(a.along)[a.free]).T
    unit_of = {e: j for j, unit in enumerate(packed.units) for e in unit.elements}
    for e, element in enumerate(p.elements):
        row = acting[element.connection]
        if e in unit_of:
            unit = packed.units[unit_of[e]]
            share = unit.shares[unit.elements.index(e)] if unit.friction else 1.0
            row[1 + 2 * n + unit_of[e]] += (element.scale if unit.stop is not None else element.force) * share
        if e in packed.linear:
            _add_line(row, element, p.offsets.constant[e], n)
    if not p.offsets.is_zero:
        _add_offsets(acting, packed, index, waves, form + n)
    return rows


def _add_line(row: Array, element: Any, offset: float, n: int) -> None:
    """A spring and damper that is part of the matrices."""
    law = element.law
    stiffness, preload = getattr(law, "stiffness", 0.0), getattr(law, "preload", 0.0)
    row[0] += element.force * (preload + stiffness * offset)
    row[1 : 1 + n] += element.force * stiffness * element.deflection
    row[1 + n : 1 + 2 * n] += element.force * law.damping * element.deflection


def _add_offsets(acting: Array, packed: PackedModel, index: dict[float, int], waves: int, rates: int) -> None:
    """Parts of prescribed motions in the forces of springs and dampers, and in the rates of connections whose force
    acts along their deflection."""
    p, o = packed.problem, packed.problem.offsets
    seen = set()
    for e, element in enumerate(p.elements):
        row, law = acting[element.connection], element.law
        for k, w in enumerate(o.omega.tolist()):
            c, s = o.cos[e, k], o.sin[e, k]
            place = 2 * index[w]
            if e in packed.linear:
                stiffness, damping = getattr(law, "stiffness", 0.0), law.damping  # type: ignore[attr-defined]
                row[waves + place] += element.force * (stiffness * c + w * damping * s)
                row[waves + place + 1] += element.force * (stiffness * s - w * damping * c)
            if element.connection not in seen and p.system.connections[element.connection].is_conjugate:
                row[rates + place] += w * s / element.scale
                row[rates + place + 1] -= w * c / element.scale
        seen.add(element.connection)


@cache
def _rule(count: int) -> Array:
    points, weights = np.polynomial.legendre.leggauss(count)
    return np.concatenate([0.5 * (points + 1.0), 0.5 * weights])


def measure_run(flow: Flow, harmonics: int) -> OutputMeasures:
    """The readings of all meters over a run."""
    return measure_runs([flow], harmonics)[0]


def measure_runs(flows: Sequence[Flow], harmonics: int) -> list[OutputMeasures]:
    """The same over each of several runs of a model."""
    if not flows:
        return []
    heard = len(flows[0].engine.packed.problem.assembly.names)
    found = list[OutputMeasures]()
    results = _measured(flows, [flow.engine.meters for flow in flows], harmonics, heard, GAUSS_POINTS)
    for flow, out in zip(flows, results, strict=True):
        length = flow.until - flow.engine.packed.problem.start
        mean = out[:, TOTAL] / length
        waves = np.empty((harmonics + 1, heard), complex)
        waves[0] = mean[:heard]
        waves[1:] = (2.0 / length) * (out[:heard, RESULT_HEAD::2] - 1j * out[:heard, RESULT_HEAD + 1 :: 2]).T
        found.append(OutputMeasures(mean, out[:, SQUARE] / length, out[:, HIGH], out[:, LOW], out[:, WORK_DONE], waves))
    return found


def acceleration_amplitudes(flows: Sequence[Flow]) -> list[Array]:
    """(coordinates,) of each of several runs: half peak to peak of the accelerations; NaN without inertia and with
    impacts."""
    results = _measured(flows, [flow.engine.accelerometers for flow in flows], 0, 0, EXTREME_POINTS)
    found = [np.asarray(0.5 * (out[:, HIGH] - out[:, LOW])) for out in results]
    for flow, own, struck in zip(flows, found, [struck_coordinates(flow) for flow in flows], strict=True):
        own[np.asarray(flow.engine.packed.problem.assembly.free)[struck]] = np.nan
    return found


def deflection_extremes(flow: Flow, unit: int) -> tuple[float, float]:
    """The smallest and the largest deflection of a unit over a run."""
    packed = flow.engine.packed
    problem, n, waves = packed.problem, packed.problem.n, 1 + 2 * packed.problem.n + len(packed.units)
    e, row = packed.units[unit].elements[0], np.zeros((1, 1 + 3 * n + len(packed.units) + 4 * packed.omega.size))
    row[0, 0], row[0, 1 : 1 + n] = problem.offsets.constant[e], packed.units[unit].deflection
    index = {w: k for k, w in enumerate(packed.omega.tolist())}
    for k, w in enumerate(problem.offsets.omega.tolist()):
        row[0, waves + 2 * index[w] :][:2] += problem.offsets.cos[e, k], problem.offsets.sin[e, k]
    found = _measured([flow], [row], 0, 0, EXTREME_POINTS)[0][0]
    return float(found[LOW]), float(found[HIGH])


class LimitMargins(NamedTuple):
    """The least margins of k sticking units: (k,) to the upper and to the lower limit.   limit : sizes of the
    limits."""

    above: Array
    below: Array
    limit: Array


def limit_margins(flow: Flow, units: list[int]) -> LimitMargins:
    """How near the forces of sliders and contacts come to their limits over a run, as the connection counts them."""
    packed, n, m = flow.engine.packed, flow.engine.packed.problem.n, len(flow.engine.packed.units)
    contacts = [j for j, unit in enumerate(packed.units) if unit.is_contact]
    rows, limit = np.zeros((2, len(units), 1 + 3 * n + m + 4 * packed.omega.size)), np.empty(len(units))
    for k, j in enumerate(units):
        unit = packed.units[j]
        element = packed.problem.elements[unit.elements[0]]
        law: Any = element.law
        size = abs(element.force)
        if unit.friction:
            i = contacts.index(j)
            size *= float(packed.model.static_ratio[i])
            waves = size * packed.limit_waves[j]
            rows[:, k, 0] = size * packed.limits[i]
            rows[:, k, 1 + 2 * n + m :][:, : 2 * waves.size] = np.stack([waves.real, -waves.imag], axis=-1).ravel()
            limit[k] = abs(rows[0, k, 0]) + np.abs(waves).sum()
        elif unit.partner >= 0:
            pressed = np.zeros((1, rows.shape[2]))
            pressed[0, 1 + 2 * n + unit.partner] = size * _limit_over_pressure(packed, j)
            rows[:, k] = pressed
            limit[k] = _measured([flow], [pressed], 0, 0, EXTREME_POINTS)[0][0, HIGH]
        else:
            rows[:, k, 0] = limit[k] = size * law.limit
        rows[:, k, 1 + 2 * n + j] = -element.force, element.force
    least = _measured([flow], [rows.reshape(2 * len(units), -1)], 0, 0, EXTREME_POINTS)[0][:, LOW]
    return LimitMargins(least[: len(units)], least[len(units) :], limit)


def _limit_over_pressure(packed: PackedModel, j: int) -> float:
    """The limit of a slider over the force of its partner, from the guard that ends sticking."""
    stick = packed.units[j].pieces.index("stick")
    up = next(guard.value for guard in packed.pieces[j][stick].guards if guard.value.w < 0.0)
    return float(up.partner / packed.pieces[packed.units[j].partner][stick].force.u)


def _measured(flows: Sequence[Flow], meters: Sequence[Array], harmonics: int, heard: int, points: int) -> list[Array]:
    """(meters, results) of each flow by its own meters, as `output_measures.measure_outputs` gives them."""
    found, rows, job = list[Array](), np.zeros(0), None
    states = [(flow.state.copy().pointer, flow.recording.pointer) for flow in flows]
    for k, (flow, own) in enumerate(zip(flows, meters, strict=True)):
        engine, count = flow.engine, len(own)
        if job is None or own is not meters[k - 1]:
            packed = engine.packed
            n, rate = packed.problem.n, 1 + 2 * packed.problem.n + len(packed.units) + 2 * packed.omega.size
            rows = np.hstack([own, _span(own[:, 1 : 1 + 2 * n]), _span(own[:, rate : rate + n])])
            room = np.empty(2 * n + packed.model.contact_count + 1)
            samples = points + END_POINTS
            results = np.empty((count, RESULT_HEAD + 2 * harmonics))
            job = Measurement(
                meters=rows, count=count, rule=_rule(points), points=points, harmonics=harmonics, heard=heard,
                times=np.empty(samples), values=np.empty(count * samples), row=room, results=results,
            )  # fmt: skip
            pointer = job.pointer
        state, recording = states[k]
        with engine.lock:
            kernel("measure_outputs").call(engine.model, state, engine.tables.pointer, recording, flow.until, pointer)
        found.append(results.copy())
    return found


def _span(forms: Array) -> Array:
    """(k, 2) where the entries of each row that are not zero begin and end."""
    met = forms != 0.0
    last = forms.shape[1] - np.argmax(met[:, ::-1], axis=1)
    return np.stack([np.argmax(met, axis=1), np.where(met.any(axis=1), last, 0)], axis=1).astype(float)
