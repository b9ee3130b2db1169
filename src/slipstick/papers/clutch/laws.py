"""Figs 2 to 5: contact laws rounded by square roots and by tanh, beside the exact ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from slipstick.laws.elastic import Freeplay, TwoStage
from slipstick.laws.friction import DryFriction
from slipstick.papers.entry import Content, Work
from slipstick.papers.reproduction import Row
from slipstick.plot import style

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from slipstick.laws.base import Law

    Array = NDArray[np.float64]

SPRINGS = TwoStage(stiffness=1.0, inner_ratio=0.167, half_gap=0.125)
SPLINE = Freeplay(stiffness=1.0, half_gap=0.2)
TORQUE = DryFriction(limit=350.0)  # N m
TANGENTIAL = DryFriction(limit=0.75 * 0.3 * 5e5)  # N


@dataclass(frozen=True)
class Case:
    """A law, the sharpnesses and roundings to show, and the ones of section 6.1; width : of friction laws alone.

    corner : (2,) where to look closer.
    """

    law: TwoStage | Freeplay | DryFriction
    sharpness: tuple[float, ...]
    rounding: tuple[float, ...]
    width: float | None
    over: Array
    corner: tuple[float, float]
    words: tuple[str, str]

    def rounded(self, eta: float) -> Law:
        given = {"rounding": eta} if self.width is None else {"rounding": eta, "width": self.width}
        return self.law.regularised("sqrt", **given)

    def smooth(self, sigma: float) -> Law:
        return self.law.regularised("tanh", sharpness=sigma)

    @property
    def follows_rate(self) -> bool:
        return self.width is not None


DEFLECTION = ("deflection [rad]", "force / stiffness [rad]")
CASES = {
    "2": Case(SPRINGS, (20.0, 50.0, 100.0), (1e-1, 1e-2, 1e-4), None, np.linspace(-0.3, 0.3, 3001), (0.09, 0.16),
              DEFLECTION),
    "3": Case(SPLINE, (20.0, 50.0, 100.0), (1e-1, 1e-2, 1e-4), None, np.linspace(-0.4, 0.4, 4001), (0.16, 0.24),
              DEFLECTION),
    "4": Case(TORQUE, (10.0, 25.0, 50.0), (1e-1, 1e-2, 1e-3), 0.08, np.linspace(-0.4, 0.4, 4000), (-0.15, 0.15),
              ("rate [rad/s]", "torque [N m]")),
    "5": Case(TANGENTIAL, (0.5, 5.0, 50.0), (1e-1, 1e-2, 1e-3), 8.0, np.linspace(-20.0, 20.0, 4000), (-12.0, 12.0),
              ("rate [m/s]", "force [N]")),
}  # fmt: skip


def figure(label: str) -> tuple[Callable[[Work], Content], Callable[[xarray.Dataset], Figure]]:
    """How one of these figures is computed, and how it is drawn."""
    case = CASES[label]
    return (lambda _: _computed(label, case)), (lambda data: _drawn(case, data))


def _values(case: Case, law: Law) -> Array:
    """The force over deflection, or over rate."""
    x = case.over
    if isinstance(law, DryFriction):
        return law.limit * np.sign(x)
    pairs = ((0.0, v) for v in x) if case.follows_rate else ((u, 0.0) for u in x)
    return np.array([law.update(float(u), float(v), law.start())[0] for u, v in pairs])


def _computed(label: str, case: Case) -> Content:
    import xarray

    exact = _values(case, case.law)
    by_root = np.array([_values(case, case.rounded(eta)) for eta in case.rounding])
    by_tanh = np.array([_values(case, case.smooth(sigma)) for sigma in case.sharpness])
    data = xarray.Dataset(
        {
            "exact": ("x", exact),
            "square_root": (("rounding", "x"), by_root),
            "tanh": (("sharpness", "x"), by_tanh),
        },
        coords={"x": case.over, "rounding": list(case.rounding), "sharpness": list(case.sharpness)},
    )
    data["x"].attrs["units"] = case.words[0]
    root, smooth = np.abs(by_root[-1] - exact), np.abs(by_tanh[-1] - exact)
    rows = [
        Row(
            f"eta = {case.rounding[-1]:g} against sigma = {case.sharpness[-1]:g}",
            "the square root is better",
            *_verdict(case, root, smooth),
        )
    ]
    if label == "3":
        slope = np.gradient(by_tanh[-1], case.over)
        rows.append(
            Row(
                "tanh clearance",
                "smooth",
                f"slope {slope.min():.4f} at {abs(case.over[slope.argmin()]):.3f} rad",
                "it is not monotone: a spring that pushes back less the more it is pressed",
            )
        )
    return Content(data, tuple(rows), "the laws themselves, with the parameters of section 6.1 last", "exact")


def _verdict(case: Case, root: Array, smooth: Array) -> tuple[str, str]:
    if not case.follows_rate:
        return f"largest error {root.max():.4g} against {smooth.max():.4g} rad", "the same"
    area = [float(np.trapezoid(error, case.over)) for error in (root, smooth)]
    better = area[0] < area[1]
    why = "the same" if better else f"its width is {case.width:g}: the ramp is farther from sgn than tanh is"
    return f"area between law and sgn {area[0]:.4g} against {area[1]:.4g}", why


def _drawn(case: Case, data: xarray.Dataset) -> Figure:
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(10.0, 4.4))
    inside = (case.over >= case.corner[0]) & (case.over <= case.corner[1])
    for ax, name, over, symbol, title in (
        (axes[0], "tanh", "sharpness", "σ", "Hyperbolic tangent"),
        (axes[1], "square_root", "rounding", "η", "Square root"),
    ):
        for value, colour in zip(data[over].values, style.PALETTE, strict=False):
            line = data[name].sel({over: value})
            ax.plot(data["x"][inside], line[inside], color=colour, lw=1.4, label=f"{symbol} = {value:g}")
        ax.plot(data["x"][inside], data["exact"][inside], ":", color=style.INK, lw=1.6, label="exact")
        ax.set(xlabel=case.words[0], ylabel=case.words[1], title=title)
        ax.legend()
    return figure
