"""Where a search for a generalised Dahl law begins: its rate and exponent, and the numbers of its envelope.

Branches with an envelope of the fibre paper are closed forms, linear in everything but one or two numbers: these are
scanned and then polished, and the others follow by linear least squares (31), (17), (11). For an envelope of somebody's
own there is `envelope_search`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import InvalidInput
from slipstick.identification.preparing.loop_geometry import LoopGeometry
from slipstick.identification.search.envelope_search import RatedStart, search_envelope_starts
from slipstick.laws import envelopes
from slipstick.laws.base import Law
from slipstick.laws.generalised_dahl import GeneralisedDahl, WithEnvelope

SCANNED_RATES = np.geomspace(0.3, 300.0, 25)  # times the amplitude: from a bend that is hardly seen to a corner
SCANNED_RATIOS = (0.02, 0.05, 0.1, 0.2, 0.35, 0.55, 0.8)
SCANNED_EXPONENTS = (0.35, 0.5, 0.7, 1.0, 1.4, 2.0)
ENVELOPE_POLYNOMIAL_DEGREE = 3  # of a polynomial, as in (24)
POLISHED_CANDIDATES = 3  # of what is scanned
MAX_OFFERED_STARTS = 6


def envelope_start_laws(sought: WithEnvelope, loops: Sequence[LoopGeometry]) -> list[Law]:
    """Laws to begin with, the best first; loops : sorted by amplitude."""
    form = next((_FORMS[own] for own, shape in envelopes.PROVIDED_SHAPES.items() if shape == sought.shape), None)
    found = _scan_grid(form, _PooledBranches(loops)) if form else search_envelope_starts(sought, loops)
    if not found:
        raise InvalidInput(
            f"identify: no start values were found for {sought.__name__}: the loops do not bend in this way; "
            "give a law with values, GeneralisedDahl(rate=..., envelope=...)"
        ).about("law")
    best = sorted(found, key=lambda start: start.residual)[:MAX_OFFERED_STARTS]
    return [sought.kind(**start.law.parameters()) for start in best]


def provided_envelope_laws(law: object) -> list[WithEnvelope]:
    """The forms that a class of laws may mean, one for each envelope of the package; none for any other law."""
    return list(law.identified_forms()) if isinstance(law, type) and issubclass(law, Law) else []


# ---- closed forms


class _PooledBranches:
    """All branches of all loops: how far each sample is behind its reversal, the way it goes, and its force.

    x : (n,) behind the reversal.   s : (n,) 1 or -1.   apart : (n, m) which branch a sample is of.
    """

    def __init__(self, loops: Sequence[LoopGeometry]) -> None:
        u, f, x, s = [], [], [], []
        of: list[Array] = []
        for own in loops:
            for force, way in ((own.up, 1.0), (own.down, -1.0)):
                u.append(own.u)
                f.append(force)
                x.append(own.u - own.u[0] if way > 0.0 else own.u[-1] - own.u)
                s.append(np.full(own.u.size, way))
                of.append(np.full(own.u.size, float(len(of))))
        self.u, self.f, self.x, self.s = (np.concatenate(part) for part in (u, f, x, s))
        self.apart = (np.concatenate(of)[:, None] == np.arange(len(of))).astype(float)
        self.amplitude = loops[-1].amplitude

    def solved(self, columns: Sequence[Array]) -> tuple[Array, Array]:
        """The factor of each column and the (n,) residuals; the force at each reversal is free."""
        basis = np.column_stack((*columns, self.apart))
        size = np.linalg.norm(basis, axis=0)
        found = np.linalg.lstsq(basis / size, self.f, rcond=None)[0] / size
        return found, np.asarray(basis @ found - self.f)

    def gained(self, rate: float) -> Array:
        """(31) for twice the limit 1."""
        return 2.0 * self.s * -np.expm1(-rate * self.x)

    @property
    def powers(self) -> list[Array]:
        return [self.u**k for k in range(1, ENVELOPE_POLYNOMIAL_DEGREE + 1)]


class EnvelopeForm(NamedTuple):
    """Of branches with one envelope.

    grid : values of each number that they are not linear in; the first is the rate, times the amplitude.
    columns : what the force is a sum of, for such numbers.   law : with them, and with what each column has.
    """

    grid: tuple[Sequence[float] | Array, ...]
    columns: Callable[..., list[Array]]
    law: Callable[..., Law]


def _scan_grid(form: EnvelopeForm, own: _PooledBranches) -> list[RatedStart]:
    """The best of a grid, and where the nearest least squares from there are."""
    from scipy.optimize import least_squares

    def left(y: Array) -> Array:
        return own.solved(form.columns(own, *np.exp(y)))[1]

    scale = np.array([1.0 / own.amplitude] + [1.0] * (len(form.grid) - 1))
    tried = [np.log(scale * numbers) for numbers in product(*form.grid)]
    best = sorted(tried, key=lambda y: float(np.sum(left(y) ** 2)))[:MAX_OFFERED_STARTS]
    low, high = (np.log(scale * [end(axis) for axis in form.grid]) - 1e-9 * sign for end, sign in ((min, 1), (max, -1)))
    ends = [least_squares(left, y, bounds=(low, high), max_nfev=40).x for y in best[:POLISHED_CANDIDATES]]
    found = []
    for y in (*ends, *best):
        numbers = np.exp(y)
        linear, off = own.solved(form.columns(own, *numbers))
        if linear[0] > 0.0:
            found.append(RatedStart(float(np.sqrt(np.mean(off**2))), form.law(*numbers, *linear)))
    return found


def _decay_column(own: _PooledBranches, rate: float, i: float) -> list[Array]:
    """(8): the distance to the envelope, 1 at the reversal, falls as dy/dx = -rate y^i."""
    if abs(i - 1.0) < 1e-6:
        return [own.gained(rate)]
    return [2.0 * own.s * (1.0 - np.maximum(1.0 - (1.0 - i) * rate * own.x, 0.0) ** (1.0 / (1.0 - i)))]


def _hysteresis_law(rate: float, i: float, limit: float, *_: float) -> Law:
    envelope = envelopes.dynamic_hysteresis(limit)
    return GeneralisedDahl(rate=rate * (2.0 * limit) ** (1.0 - i), envelope=envelope, exponent=i)


def _polynomial_law(rate: float, limit: float, *rest: float) -> Law:
    p = (0.0, *rest[:ENVELOPE_POLYNOMIAL_DEGREE])
    return GeneralisedDahl(rate=rate, envelope=envelopes.with_polynomial(rate * limit, limit, p))


def _overshoot_law(rate: float, ratio: float, limit: float, over: float, *_: float) -> Law:
    envelope = envelopes.bliman_sorine(rate * limit, limit, max(over, 0.0), ratio)
    return GeneralisedDahl(rate=rate, envelope=envelope)


def _full_law(rate: float, ratio: float, limit: float, over: float, *rest: float) -> Law:
    p = (0.0, *rest[:ENVELOPE_POLYNOMIAL_DEGREE])
    return GeneralisedDahl(rate=rate, envelope=envelopes.full(rate * limit, limit, max(over, 0.0), ratio, p))


def _polynomial_columns(own: _PooledBranches, rate: float) -> list[Array]:
    return [own.gained(rate), *own.powers]


def _overshoot_columns(own: _PooledBranches, rate: float, ratio: float) -> list[Array]:
    return [own.gained(rate), -own.gained(ratio * rate)]


def _full_columns(own: _PooledBranches, rate: float, ratio: float) -> list[Array]:
    return [*_overshoot_columns(own, rate, ratio), *own.powers]


_FORMS = {
    envelopes.dynamic_hysteresis: EnvelopeForm(
        (SCANNED_RATES, SCANNED_EXPONENTS), _decay_column, _hysteresis_law
    ),  # (9)
    envelopes.with_polynomial: EnvelopeForm((SCANNED_RATES,), _polynomial_columns, _polynomial_law),  # (14)
    envelopes.bliman_sorine: EnvelopeForm((SCANNED_RATES, SCANNED_RATIOS), _overshoot_columns, _overshoot_law),  # (21)
    envelopes.full: EnvelopeForm((SCANNED_RATES, SCANNED_RATIOS), _full_columns, _full_law),  # (23)
}
