"""Figs 2 to 5: contact laws rounded by square roots and by tanh, beside the exact ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.laws.friction import DryFriction
from slipstick.laws.piecewise_linear import Freeplay, TwoStage
from slipstick.laws.regularisation import SqrtFriction, TanhFriction, TanhStage, bump_area
from slipstick.papers.comparison_rows import statement_row
from slipstick.papers.entry import EntryContent, EntryRequest
from slipstick.papers.knob import Knob
from slipstick.plot import style
from slipstick.systems.clutch import SMOOTHING, Smoothing, clutch

if TYPE_CHECKING:
    import xarray
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from slipstick.arrays import Array
    from slipstick.laws.base import Law
    from slipstick.papers.reproduction import Row


@dataclass(frozen=True)
class ContactCase:
    """Contacts of the clutch with one law, and the sharpnesses and roundings to show, those of section 6.1 among them.

    contacts : which differ in their width at most, the first is drawn in full.   corner : (2,) where to look closer.
    """

    contacts: tuple[str, ...]
    sharpness: tuple[float, ...]
    rounding: tuple[float, ...]
    over: Array
    corner: tuple[float, float]
    words: tuple[str, str]

    @property
    def law(self) -> Law:
        """The exact one; springs of stiffness 1."""
        m = clutch(laws="exact")
        (law,) = {
            one.law for one in m.connections if one.name.split()[0] in self.contacts and one.name in SMOOTHED_CONTACTS
        }
        return replace(law, stiffness=1.0) if isinstance(law, TwoStage | Freeplay) else law

    @property
    def unit(self) -> str:
        """Unit of the abscissa: "rate [m/s]" is in m/s."""
        return self.words[0].partition("[")[2].rstrip("]")

    @property
    def knobs(self) -> tuple[Knob, ...]:
        """Its numbers of section 6.1; contacts that share a law have them in common, but for their widths."""
        own, words = SMOOTHING[self.contacts[0]], " and ".join(self.contacts)
        found = [
            Knob("sharpness", own.sharpness, 0.1, 1e4, f"sigma of the tanh law, {words}"),
            Knob("rounding", own.rounding, 1e-6, 1.0, f"eta of the square-root law, {words}"),
        ]
        if own.width is not None:
            found.append(
                Knob("width", own.width, 1e-3, 100.0, f"eps of the square-root law, {self.contacts[0]}", self.unit)
            )
        return tuple(found)

    def turned(self, changed: Mapping[str, float]) -> tuple[ContactCase, dict[str, Smoothing]]:
        """With other numbers of section 6.1: what to show then, and how each contact is smoothed."""
        first = self.contacts[0]
        smoothing = {name: replace(SMOOTHING[name], **_of_contact(name == first, changed)) for name in self.contacts}
        own = SMOOTHING[first]
        sharpness = _in_place(self.sharpness, own.sharpness, smoothing[first].sharpness)
        rounding = _in_place(self.rounding, own.rounding, smoothing[first].rounding)
        return replace(self, sharpness=sharpness, rounding=rounding), smoothing

    @property
    def follows_rate(self) -> bool:
        return isinstance(self.law, DryFriction)


def _of_contact(is_first: bool, changed: Mapping[str, float]) -> dict[str, Any]:
    return {name: value for name, value in changed.items() if is_first or name != "width"}


def _in_place(values: tuple[float, ...], before: float, after: float) -> tuple[float, ...]:
    """One of several values replaced; in their order, each once."""
    down = values[0] > values[-1]
    return tuple(sorted({after if value == before else value for value in values}, reverse=down))


SMOOTHED_CONTACTS = ("springs", "spline", "plate", "flywheel", "tangential x")
DEFLECTION = ("deflection [rad]", "force / stiffness [rad]")
# an even number of each: none at rest; close together where the sharpest tanh rises
RATES = np.union1d(np.linspace(-20.0, 20.0, 2000), np.linspace(-0.2, 0.2, 2000))
CASES = {
    "2": ContactCase(("springs",), (20.0, 50.0, 100.0), (1e-1, 1e-2, 1e-4), np.linspace(-0.3, 0.3, 3001), (0.09, 0.16),
              DEFLECTION),
    "3": ContactCase(("spline",), (20.0, 50.0, 100.0), (1e-1, 1e-2, 1e-4), np.linspace(-0.4, 0.4, 4001), (0.16, 0.24),
              DEFLECTION),
    "4": ContactCase(("plate", "flywheel"), (10.0, 25.0, 50.0), (1e-1, 1e-2, 1e-3), np.linspace(-0.4, 0.4, 4000),
              (-0.15, 0.15), ("rate [rad/s]", "torque [N m]")),
    "5": ContactCase(("tangential",), (0.5, 5.0, 50.0), (1e-1, 1e-2, 1e-3), RATES, (-12.0, 12.0),
              ("rate [m/s]", "force [N]")),
}  # fmt: skip


def contact_figure(label: str) -> tuple[Callable[[EntryRequest], EntryContent], Callable[[xarray.Dataset], Figure]]:
    """How one of these figures is computed, and how it is drawn."""
    case = CASES[label]
    return (lambda request: _computed(label, case, request.changed)), (lambda data: _drawn(case, data))


def _values(case: ContactCase, law: Law, over: Array | None = None) -> Array:
    """The force over deflection, or over rate: where it is drawn, or over others."""
    x = case.over if over is None else over
    if isinstance(law, DryFriction):
        assert isinstance(law.limit, float)
        return law.limit * np.sign(x)
    pairs = ((0.0, v) for v in x) if case.follows_rate else ((u, 0.0) for u in x)
    return np.array([law.update(float(u), float(v), law.start())[0] for u, v in pairs])


def _computed(label: str, printed: ContactCase, changed: Mapping[str, float]) -> EntryContent:
    import xarray

    case, smoothing = printed.turned(changed)
    law = case.law
    rounded = [[replace(one, rounding=eta).of(law, "sqrt") for eta in case.rounding] for one in smoothing.values()]
    smooth = [replace(smoothing[case.contacts[0]], sharpness=sigma).of(law, "tanh") for sigma in case.sharpness]
    data = xarray.Dataset(
        {
            "exact": ("x", _values(case, law)),
            "square_root": (("contact", "rounding", "x"), [[_values(case, one) for one in row] for row in rounded]),
            "tanh": (("sharpness", "x"), [_values(case, one) for one in smooth]),
        },
        coords={
            "x": case.over,
            "contact": list(case.contacts),
            "rounding": list(case.rounding),
            "sharpness": list(case.sharpness),
        },
        attrs=dict(changed),
    )
    data["x"].attrs["units"] = case.words[0]
    # of the print over the rates that are drawn; with other numbers a law may not have come to its limit there
    reach = math.inf if changed else float(case.over[-1])
    rows = [_better(case, name, one, reach) for name, one in smoothing.items()]
    rows += [_monotone(case, smoothing["spline"])] if label == "3" else []
    return EntryContent(
        data,
        tuple(rows),
        "the laws themselves, with sharpness and rounding of section 6.1 among them",
        "closed forms, to rounding; largest errors at points that are drawn, and others close to the corners",
    )


def _better(case: ContactCase, contact: str, given: Smoothing, reach: float) -> Row:
    """Whether the square root is closer to the exact law than tanh, both with the numbers of section 6.1."""
    laws = [given.of(case.law, kind) for kind in ("sqrt", "tanh")]
    width = "" if given.width is None else f", eps = {given.width:g}"
    quantity = f"{contact}: eta = {given.rounding:g}{width} against sigma = {given.sharpness:g}"
    if case.follows_rate:
        off = [smoothing_area(law, reach) for law in laws]
        text = f"area between law and sgn {off[0]:.4g} against {off[1]:.4g}"
    else:
        off = [_largest_error(case, law) for law in laws]
        text = f"largest error {off[0]:.4g} against {off[1]:.4g} rad"
    why = f"its width is {given.width:g}: the ramp is farther from sgn than tanh is" if given.width else ""
    return statement_row(quantity, "the square root is better", text, same=off[0] < off[1], why=why)


def _largest_error(case: ContactCase, law: Law) -> float:
    u = refined_deflections(law, case.over)
    return float(np.abs(_values(case, law, u) - _values(case, case.law, u)).max())


def _monotone(case: ContactCase, given: Smoothing) -> Row:
    slope, place = minimum_slope(given.of(case.law, "tanh"), case.over)
    why = "it is not monotone: a spring that pushes back less the more it is pressed"
    return statement_row(
        "tanh clearance", "smooth", f"slope {slope:.4f} at {abs(place):.3f} rad", same=slope >= 0.0, why=why
    )


def _drawn(case: ContactCase, data: xarray.Dataset) -> Figure:
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(10.0, 4.4))
    width = data.attrs.get("width", SMOOTHING[case.contacts[0]].width)
    inside = (case.over >= case.corner[0]) & (case.over <= case.corner[1])
    for ax, name, over, symbol, title in (
        (axes[0], "tanh", "sharpness", "σ", "Hyperbolic tangent"),
        (axes[1], "square_root", "rounding", "η", f"Square root, ε = {width:g}" if width else "Square root"),
    ):
        family = data[name].sel(contact=case.contacts[0]) if "contact" in data[name].dims else data[name]
        for value, colour in zip(data[over].values, style.PALETTE, strict=False):
            line = family.sel({over: value})
            ax.plot(data["x"][inside], line[inside], color=colour, lw=1.4, label=f"{symbol} = {value:g}")
        if name == "square_root":
            _draw_other_contacts(ax, case, data, inside)
        ax.plot(data["x"][inside], data["exact"][inside], ":", color=style.INK, lw=1.6, label="exact")
        ax.set(xlabel=case.words[0], ylabel=case.words[1], title=title)
        ax.legend()
    return figure


def _draw_other_contacts(ax: Axes, case: ContactCase, data: xarray.Dataset, inside: NDArray[np.bool_]) -> None:
    """Contacts of the same law with another width."""
    for contact in case.contacts[1:]:
        given = SMOOTHING[contact]
        rounding = data.attrs.get("rounding", given.rounding)
        line = data["square_root"].sel(contact=contact, rounding=rounding)
        label = f"ε = {given.width:g}"
        ax.plot(data["x"][inside], line[inside], color=style.PALETTE[3], lw=1.4, ls="--", label=label)


CORNER_GRID = np.linspace(-10.0, 10.0, 4001)  # over the sharpness: beyond, tanh is 1


def smoothing_area(law: Law, reach: float) -> float:
    """Between a rounded friction and sgn times its limit, for rates from -reach to reach, which may be infinite.

    By tanh: the integral of 1 - tanh(sigma v) is ln 2 - ln(1 + e^(-2 sigma v)), over sigma.
    """
    if isinstance(law, TanhFriction):
        return 2.0 * law.limit * (math.log(2.0) - math.log1p(math.exp(-2.0 * law.sharpness * reach))) / law.sharpness
    assert isinstance(law, SqrtFriction)
    width, shape = law.width, (1.0 / law.width, 2.0 * law.rounding)
    beyond = 0.0
    if math.isfinite(reach):
        beyond = 0.5 * (bump_area(reach + width, *shape) - bump_area(reach - width, *shape)) - reach
    return 2.0 * law.limit * (bump_area(width, *shape) - beyond)


def refined_deflections(law: Any, drawn: Array) -> Array:
    """Deflections that are drawn, and others close to the corners of a rounded spring."""
    round_it = CORNER_GRID / law.sharpness if isinstance(law, TanhStage) else np.zeros(1)
    return np.union1d(drawn, np.concatenate((law.half_gap + round_it, -law.half_gap + round_it)))


def minimum_slope(law: Law, drawn: Array) -> tuple[float, float]:
    """The smallest slope of a rounded spring, and the deflection where it has it."""
    u = refined_deflections(law, drawn)
    slope = [law.tangent(float(one), 0.0, law.start())[1] for one in u]
    least = int(np.argmin(slope))
    return float(slope[least]), float(u[least])
