"""Periodic responses of condensed models: what the modes that were left out would change, to first order.

An orbit q of the condensed model leaves a residual in the equations of what was left out of the inside, e:

    r_e = p_e - Z_ec q,     Z = M s^2 + C s + K at each harmonic.

The response of the orbit follows from the equations of harmonic balance of the whole model, linearised about the
orbit, whatever method found it; for a linear model that is exact. e are all modes that are known and shapes for what
those lack (`slipstick.model.craig_bampton.Condensation.whole`), so that nothing is cut off.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from slipstick.arrays import Array, Complex
from slipstick.errors import SlipstickError
from slipstick.periodic.balance.fourier_series import as_series
from slipstick.periodic.balance.harmonic_balance import HarmonicBalance
from slipstick.periodic.balance.load_harmonics import highest_order
from slipstick.periodic.balance.orbit_batch import evaluate_batch
from slipstick.periodic.common_period import MAX_SUBHARMONIC
from slipstick.periodic.continuation.corrector import solve_scaled as solve_matrix
from slipstick.results.curve import CurveFindings
from slipstick.transient.truncation import NOTHING_TRUNCATED

if TYPE_CHECKING:
    from slipstick.model.system import System
    from slipstick.results.orbit import OrbitPoint


TRUNCATION_SAFETY = 2.0  # the figure is of first order: of 84 random models a change was 1.5 times it, others nearer
MAX_FIRST_ORDER_REL = 0.1  # of the motion: so large a change is more than one of first order


class TruncatedModes:
    """What a condensed model has left out, about its orbits.

    system : the condensed model.   how : frequency [rad/s], harmonics and base periods of the orbits.
    names : of its free coordinates.   displaced : (n,) which of them are no modes.
    """

    def __init__(self, system: System, **how: Any) -> None:
        self.small = HarmonicBalance(system, **how)
        self.balance = balance = HarmonicBalance(system.condensation.whole(system), **how)
        if balance.lines.rounds:  # over the same width
            self.balance = balance = balance.changed(width=self.small.width * self.small.length / balance.length)
        here, there = (b.problem.assembly for b in (self.small, balance))
        self.names = [here.names[i] for i in here.free]
        self.displaced = np.array([name not in system.condensation.mode_names for name in self.names])
        place = {there.names[j]: i for i, j in enumerate(there.free)}
        self.at = np.array([place[name] for name in self.names], dtype=np.intp)
        self.rest = np.setdiff1d(np.arange(balance.problem.n), self.at)
        self.across = np.array([matrix[np.ix_(self.rest, self.at)] for matrix in balance.plain_part])

    def moved(self, point: OrbitPoint) -> Array:
        """(n,) [m or rad] by how much each free coordinate of an orbit would change at the most, over its period."""
        balance, p = self.balance, point.frequency
        x, s = self.small.unknowns_of(point), balance.s_at(p)
        known, left = evaluate_batch(balance, x[None], np.array([p])), self._residual(point, s, p)
        found = _linear_response(balance, s, left)
        if balance.size:
            right = as_series(np.ascontiguousarray((found @ balance.seen.T).T)).ravel() / balance.length
            step = balance.deflections_of(solve_matrix(known.by_x[0], right, balance.scales(x, p)))
            change = np.einsum("lc,lch->hl", step, known.tangents[0])
            for (force, other), tangent in zip(balance.follower.pairs, known.pair_tangents[0], strict=True):
                change[:, force] += step[other] @ tangent
            found = _linear_response(balance, s, left - change @ balance.lines.along.T)
        series = as_series(np.ascontiguousarray(found[:, self.at].T))
        return np.asarray(np.abs(balance.fine_grid.values_of(series)).max(axis=1, initial=0.0))

    def _residual(self, point: OrbitPoint, s: Complex, p: float) -> Complex:
        """(H+1, whole n) what the orbit leaves of the equations of what was left out."""
        m, c, k = self.across
        t = s[:, None, None]
        left = np.zeros((s.size, self.balance.problem.n), dtype=complex)
        q = self.small.pairs_of(point).T
        left[:, self.rest] = self.balance.loads.at(p)[:, self.rest] - ((m * t * t + c * t + k) @ q[:, :, None])[:, :, 0]
        return left


def _linear_response(balance: HarmonicBalance, s: Complex, right: Complex) -> Complex:
    """(H+1, n) displacements of the linear part under forces (H+1, n)."""
    return balance.compliance.values(s, right[:, :, None])[:, :, 0]


class TruncationEstimate(NamedTuple):
    """What was left out changes of an orbit, with caution.

    value : [m or rad] the largest change of a displacement; not a number where it is not known.
    by_name : of each free coordinate.   why : it is not known, in words.
    """

    value: float
    by_name: dict[str, float]
    why: str = ""


class Truncation:
    """Puts into the errors of orbits what the condensation of their model has left out.

    model : at a value of the parameter.
    """

    def __init__(self, model: Callable[[float], System]) -> None:
        self.model = model
        self._last: tuple[System, tuple[int, int], TruncatedModes] | None = None

    def of(self, point: OrbitPoint) -> tuple[OrbitPoint, TruncationEstimate | None]:
        """An orbit with it, and the figure; None where the model was not condensed."""
        how = self.model(point.p).condensation
        if how is None:
            return point, None
        figure = self._figure(point)
        return replace(
            _added(point, figure), notes=(*point.notes, *_notes_on_truncation(how, [point], [figure]))
        ), figure

    def along(self, found: CurveFindings) -> CurveFindings:
        """The points of a curve with it, and a note for all of them."""
        how = self.model(found.points[0].p).condensation if found.points else None
        if how is None:
            return found
        figures = [self._figure(point) for point in found.points]
        for special in found.special:
            if special["kind"] == "fold":
                _as_neighbours(figures, special["point"])
        points = tuple(_added(point, figure) for point, figure in zip(found.points, figures, strict=True))
        return found._replace(points=points, notes=(*found.notes, *_notes_on_truncation(how, found.points, figures)))

    def _figure(self, point: OrbitPoint) -> TruncationEstimate:
        system = self.model(point.p)
        if system.condensation.is_whole:
            return TruncationEstimate(0.0, {})
        try:
            left = self._truncated_modes(system, point)
            moved = TRUNCATION_SAFETY * left.moved(point)
        except (SlipstickError, np.linalg.LinAlgError) as problem:
            return TruncationEstimate(np.nan, {}, getattr(problem, "message", str(problem)))
        by_name = dict(zip(left.names, moved.tolist(), strict=True))
        return TruncationEstimate(float(moved[left.displaced].max(initial=0.0)), by_name)

    def _truncated_modes(self, system: System, point: OrbitPoint) -> TruncatedModes:
        """Computed once for a model and as many harmonics as its orbits store."""
        turns = Fraction(point.period * point.frequency / (2.0 * np.pi)).limit_denominator(MAX_SUBHARMONIC)
        order = turns.numerator
        harmonics = max((point.harmonics.shape[0] - 1) // order, highest_order(system, point.frequency), 1)
        if self._last is None or self._last[0] is not system or self._last[1] != (order, harmonics):
            left = TruncatedModes(system, frequency=point.frequency, harmonics=harmonics, subharmonic=order)
            self._last = system, (order, harmonics), left
        return self._last[2]


def _added(point: OrbitPoint, figure: TruncationEstimate) -> OrbitPoint:
    return point if np.isnan(figure.value) else replace(point, error=point.error + figure.value)


def _notes_on_truncation(how: Any, points: Sequence[OrbitPoint], figures: Sequence[TruncationEstimate]) -> list[str]:
    """What a reader should know of it."""
    if how.is_whole:
        return [*how.notes, NOTHING_TRUNCATED]
    known = [figure.value for figure in figures if not np.isnan(figure.value)]
    why = next((figure.why for figure in figures if figure.why), "")
    left = f"truncation: modes of the condensed part from {how.next_frequency:.4g} rad/s on are left out"
    notes: list[str] = [*how.notes]
    if known:
        notes.append(f"{left}, which changes displacements by up to {max(known):.1e}; that is in the error")
    if why:
        of = "" if len(figures) == 1 else f" of {len(figures) - len(known)} orbits"
        notes.append(f"{left}, and their effect is not in the error{of}: {why}")
    sizes = [float(point.amplitude.max(initial=0.0)) for point in points]
    if any(figure.value > MAX_FIRST_ORDER_REL * size for figure, size in zip(figures, sizes, strict=True)):
        notes.append(
            f"truncation: it is more than {MAX_FIRST_ORDER_REL:g} of the motion somewhere; condense with more modes"
        )
    return notes


def _as_neighbours(figures: list[TruncationEstimate], k: int) -> None:
    """A fold moves along the curve, where nothing holds it; across, it changes as its neighbours do."""
    beside = [figures[j].value for j in (k - 1, k + 1) if 0 <= j < len(figures)]
    figures[k] = figures[k]._replace(value=min(figures[k].value, max(beside, default=np.inf)))
