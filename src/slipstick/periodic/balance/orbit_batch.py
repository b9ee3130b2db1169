"""`OrbitBatch`: evaluated orbits of one family, as arrays over the orbits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array, Complex
from slipstick.periodic.balance.fourier_series import as_pairs
from slipstick.periodic.balance.motion_recovery import sticking_samples

if TYPE_CHECKING:
    from slipstick.periodic.balance.harmonic_balance import HarmonicBalance


MAX_BATCH_NUMBERS = 4_000_000  # numbers: of the largest arrays of orbits that are looked at together
MAX_BATCH_ORBITS = 64  # orbits


@dataclass(eq=False)
class OrbitBatch:
    """P orbits, m lines, N samples, H harmonics as pairs, r unknown series, c connections that can stick.

    x : (P, size)   p : (P,) [rad/s].   s : (P, H+1) exponents of the harmonics.
    force : (P, m, N)   forces : (P, m, H+1) its harmonics.   series : (P, m, H+1) deflections without motions.
    residual : (P, size)   by_x : (P, size, size)   tangents : (P, m, width, H+1) of forces less what is moved.
    pair_tangents : (P, pairs, width, H+1) of forces by the deflections of other lines, `SampledLaws.pairs`.
    compliances : (P, m, r, H+1)   open : (P, leaves) what memories lack from closing.
    sticks : connection -> (P, N) where all its sliders stick.   rests : -> (P,) whether one of them never slips.
    """

    family: HarmonicBalance
    x: Array
    p: Array
    s: Complex
    force: Array
    forces: Complex
    series: Complex
    residual: Array
    by_x: Array
    tangents: Complex
    pair_tangents: Complex
    compliances: Complex
    open: Array
    sticks: dict[int, NDArray[np.bool_]]
    rests: dict[int, NDArray[np.bool_]]


def batch_size(family: HarmonicBalance) -> int:
    """How many orbits are looked at together."""
    each = family.size**2 + family.waves.samples * (family.lines.count + 1) + family.problem.n * family.waves.width
    return max(1, min(MAX_BATCH_ORBITS, MAX_BATCH_NUMBERS // int(each)))


def evaluate_batch(family: HarmonicBalance, x: Array, p: Array) -> OrbitBatch:
    """Evaluate the equations at orbits x (P, size) and p (P,)."""
    count, size, lines, waves = p.size, family.size, family.lines.count, family.waves
    pairs, width = family.index + 1, waves.width
    force, residual = np.empty((count, lines, waves.samples)), np.empty((count, size))
    corners = np.empty((count, lines, width))
    by_x = np.empty((count, size, size)).swapaxes(1, 2)  # by columns, as the compiled matrix is
    tangents = np.empty((count, lines, width, 2 * pairs))
    across = np.empty((count, len(family.follower.pairs), width, 2 * pairs))
    compliances = np.empty((count, *family.compliances.shape), dtype=complex)
    unclosed = np.empty((count, len(family.lines.members)))
    sticks = {c: np.empty((count, waves.samples), dtype=bool) for c in family.sticking_terms}
    rests = {c: np.empty(count, dtype=bool) for c in family.sticking_terms}
    own_residual, own_matrix = family.equations.residual[:size], family.equations.matrix[:size, :size]
    for k in range(count):
        family.evaluate(x[k], float(p[k]))
        residual[k], by_x[k] = own_residual, own_matrix
        force[k], tangents[k] = family.follower.force, family.follower.harmonics[:, :-1]
        across[k] = family.follower.pair_harmonics[:, :-1]
        corners[k] = family.follower.corners[:, :-1]
        compliances[k], unclosed[k] = family.compliances, family.follower.open
        for connection, own in sticks.items():
            own[k], rests[connection][k] = sticking_samples(family, connection)
    unknown = x.reshape(count, -1, width)
    return OrbitBatch(
        family=family,
        x=x,
        p=p,
        s=-1j * p[:, None] / family.order * waves.orders,
        force=force,
        forces=as_pairs(waves.coefficients(force) + corners),
        series=as_pairs(unknown if family.direct else np.asarray(family.into @ unknown)),
        residual=residual,
        by_x=by_x,
        tangents=tangents.view(complex),
        pair_tangents=across.view(complex),
        compliances=compliances,
        open=unclosed,
        sticks=sticks,
        rests=rests,
    )
