"""Other methods beside exact shooting: harmonic balance, as the paper has it, and runs until they repeat."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from slipstick.papers.certificate_summary import ErrorEvidence
from slipstick.papers.comparison_rows import NOT_PRINTED_TEXT, statement_row
from slipstick.papers.torsional.full_stick import is_full_stick
from slipstick.plot import style

if TYPE_CHECKING:
    import xarray
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from slipstick.api import Model
    from slipstick.papers.reproduction import Row
    from slipstick.results.orbit import Orbit

HARMONICS = 21
COMPARISON_FREQUENCIES = np.linspace(
    0.6, 2.0, 8
)  # below, motions stop many times a period, and balance needs minutes for some points
METHODS = {"runs": "integration", "balance": "harmonic-balance"}
NAMES = {"runs": "runs", "balance": f"harmonic balance, {HARMONICS} harmonics"}
MATCH_REL = 0.01  # of the peak: less than a line of the picture
SLOW_CONVERGENCE_REASON = "friction jumps, so that balance converges like 1/H only"


class MethodResults(NamedTuple):
    """rms [T_p/K] and lag [rad] at the coarse frequencies, and certificates of the orbits; all by method."""

    rms: dict[str, list[float]]
    lag: dict[str, list[float]]
    evidence: dict[str, ErrorEvidence]


def method_results(model: Model, still: NDArray[np.bool_]) -> MethodResults:
    """The response of a model by both.

    still : (k,) where it is at rest by shooting; there balance creeps, and runs may end too early.
    """
    found = MethodResults({}, {}, {})
    for name, method in METHODS.items():
        given: dict[str, Any] = {"harmonics": HARMONICS} if name == "balance" else {}
        orbits = [model.periodic(frequency=w, method=method, **given) for w in COMPARISON_FREQUENCIES]
        found.rms[name] = [0.0 if rests else one.rms["theta"] for one, rests in zip(orbits, still, strict=True)]
        found.lag[name] = [math.nan if rests else phase_lag(one) for one, rests in zip(orbits, still, strict=True)]
        found.evidence[name] = ErrorEvidence.joint(map(ErrorEvidence.of, orbits))
    return found


def phase_lag(orbit: Orbit) -> float:
    """[rad] of the largest angle behind the largest torque, -pi to pi; of a plateau its beginning counts; nan at rest.

    Where the angle turns the friction does: the instant is an event, and so among the times of an exact orbit.
    """
    if is_full_stick(orbit):
        return math.nan
    angle, times = orbit.data["displacement"].values[:, 0], orbit.data["time"].values
    top = angle.max()
    first = int(np.flatnonzero(angle >= top - 1e-11 * abs(top))[0])
    turn = orbit.frequency * (times[first] - times[0]) - 0.5 * math.pi
    return math.remainder(turn, 2.0 * math.pi)


def agreement(
    exact: NDArray[np.float64], others: dict[str, NDArray[np.float64]], paper: str = NOT_PRINTED_TEXT
) -> list[Row]:
    """How far both are from shooting, at the coarse frequencies [T_p/K]; within a hundredth of the peak is a match."""
    rows = []
    for name, values in others.items():
        off = float(np.abs(values - exact).max())
        match = off <= MATCH_REL * float(exact.max())
        why = SLOW_CONVERGENCE_REASON if name == "balance" else ""
        text = f"agrees within {MATCH_REL:.0%} of the peak"
        here = f"{off:.1e} T_p/K"
        rows.append(statement_row(f"{NAMES[name]} against shooting", paper, here, same=match, why=why, holds=text))
    return rows


def draw_method_marks(ax: Axes, data: xarray.Dataset, quantity: str, scale: float = 1.0) -> None:
    """Marks of both, on lines by shooting; one entry each in the legend."""
    looks: dict[str, dict[str, Any]] = {
        "balance": {"marker": "o", "ms": 3.5, "mfc": style.INK},
        "runs": {"marker": "s", "ms": 6.5, "mfc": "none"},
    }
    for name, look in looks.items():
        values = data[f"{quantity}_{name}"]
        over = next(one for one in values.dims if one != "coarse")
        for k in range(values.sizes[over]):
            label = NAMES[name] if k == 0 else None
            ax.plot(
                data["coarse"], scale * values.isel({over: k}), ls="none", mec=style.INK, mew=0.8, label=label, **look
            )
