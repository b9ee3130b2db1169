"""Where nothing moves: friction holds the torque over the whole period, at any of many places.

A method returns one of these places, and the rms of its mean; figures show rest, without rms and without a lag.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from slipstick.papers.comparison_rows import NOT_PRINTED_TEXT
from slipstick.papers.reproduction import Row

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from slipstick.arrays import Array
    from slipstick.results.curve import Curve
    from slipstick.results.orbit import Orbit


FRICTION = "friction"
REST = "rest"  # how rows about it begin


def is_full_stick(orbit: Orbit) -> bool:
    """Whether the contact sticks for the whole period."""
    return bool(orbit.stick_share[FRICTION] >= 1.0)


def full_stick_along(curve: Curve) -> NDArray[np.bool_]:
    """(k,) the same along a curve."""
    return np.asarray(curve.data["stick_share"].sel(connection=FRICTION).values >= 1.0)


def rms_without_rest(curve: Curve) -> Array:
    """(k,) [T_p/K] of the motion along a curve; none at rest."""
    return np.where(full_stick_along(curve), 0.0, curve.data["rms"].values[:, 0])


def full_stick_rows(curves: Mapping[str, Curve]) -> list[Row]:
    """Frequencies at which nothing moves, by name of the curve."""
    rows = []
    for name, curve in curves.items():
        still = full_stick_along(curve)
        if still.any():
            here = f"nothing moves at {_ranges_text(curve.data['frequency'].values, still)}: friction holds the torque"
            rows.append(Row(f"{REST}, {name}", NOT_PRINTED_TEXT, here, "drawn as rms 0, without a lag"))
    return rows


def _ranges_text(frequencies: Array, still: NDArray[np.bool_]) -> str:
    """Frequencies in words, neighbours as an interval."""
    if still.all():
        return "any frequency"
    edges = np.flatnonzero(np.diff(np.concatenate(([False], still, [False])).astype(int)))
    pairs = zip(edges[::2], edges[1::2] - 1, strict=True)
    return "Omega = " + ", ".join(
        f"{frequencies[a]:.3g} to {frequencies[b]:.3g}" if b > a else f"{frequencies[a]:.3g}" for a, b in pairs
    )
