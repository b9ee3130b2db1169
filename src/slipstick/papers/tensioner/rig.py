"""Figs 1, 2, 4 to 6, 11 and 12: the rig with an imposed deflection, and both laws along it; loops are closed ones."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.optimize import brentq

from slipstick.errors import InvalidInput
from slipstick.laws.dahl import ModifiedDahl, line
from slipstick.laws.masing import Masing
from slipstick.papers.comparison_rows import interpretation_row, number_row
from slipstick.papers.entry import EntryContent, EntryRequest
from slipstick.papers.knob import printed_values
from slipstick.papers.tensioner import figure_parameters
from slipstick.plot import style
from slipstick.systems.tensioner import IDENTIFIED_AT, MASING_PARAMETERS, MODIFIED_DAHL_PARAMETERS

if TYPE_CHECKING:
    import xarray
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

KNOBS = (*figure_parameters.RIG, *figure_parameters.MASING, *figure_parameters.DAHL)
PHASE, MEAN, SWING = 4.8, 5.4e-4, 5.2e-4  # rad, m, m: (29), (32)
PRELOAD = 573.0  # N, -F0 of (36b)
RIG_DAHL = ModifiedDahl(**MODIFIED_DAHL_PARAMETERS)  # type: ignore[arg-type]
DAMPED_MASING = Masing(**MASING_PARAMETERS, preload=PRELOAD)
UNDAMPED_MASING = Masing(**{**MASING_PARAMETERS, "damping": 0.0}, preload=PRELOAD)
SAMPLES, FINE_SAMPLES = 4001, 40_001
PHASE_ROUNDING = 0.05  # rad, of the phase as it is printed
CLOSED = "closed forms along the branches: no step, no tolerance"
LAWS_ONLY = "laws along the rig's deflection (29), (32)"
AXES = {"xlabel": "deflection u [mm]", "ylabel": "force F [N]"}
# by another program: areas [J]; forces [N] of modified Dahl and Masing at a deflection [m], rising (1) or falling (-1)
AREAS = {"modified Dahl": "0.2453725", "Masing": "0.27357536", "its dry part": "0.11946149"}
BRANCHES = {
    (3e-4, 1): ("702.444783", "699.409500"),
    (3e-4, -1): ("419.940115", "396.510500"),
    (8e-4, 1): ("1011.961155", "1004.899451"),
    (8e-4, -1): ("746.483628", "715.660549"),
}


class Rig(NamedTuple):
    """The laws, with and without a damper, and mean and amplitude [m] of the deflection."""

    dahl: ModifiedDahl
    wet: Masing
    dry: Masing
    middle: float
    swing: float


def rig_laws(changed: Mapping[str, float] | None = None) -> Rig:
    """The rig as printed, with changed values of `KNOBS`; other names are ignored.

    The modified Dahl law begins on its closed cycle where three cycles, as printed, would not come to it.
    """
    given = {name: value for name, value in (changed or {}).items() if name in printed_values(KNOBS)}
    middle, swing = given.pop("middle", MEAN), given.pop("swing", SWING)
    own: dict[str, Any] = {name: given.pop(name) for name in printed_values(figure_parameters.DAHL) if name in given}
    dry = {name: value for name, value in given.items() if name != "damping"}
    dahl = on_closed_cycle(replace(RIG_DAHL, **own), middle + swing * math.sin(PHASE), (middle + swing, middle - swing))
    return Rig(dahl, replace(DAMPED_MASING, **given), replace(UNDAMPED_MASING, **dry), middle, swing)


def imposed_motion(samples: int = SAMPLES, middle: float = MEAN, swing: float = SWING) -> tuple[Any, Any, Any]:
    """Times [s], deflections [m] and rates [m/s] of three cycles of the rig."""
    t = np.linspace(0.0, RIG_CYCLES * 2.0 * math.pi / IDENTIFIED_AT, RIG_CYCLES * (samples - 1) + 1)
    angle = IDENTIFIED_AT * t + PHASE
    return t, middle + swing * np.sin(angle), swing * IDENTIFIED_AT * np.cos(angle)


def last_cycle(samples: int = SAMPLES, changed: Mapping[str, float] | None = None) -> xarray.Dataset:
    """Deflection and the forces of both laws, and of the dry skeleton, along the third cycle."""
    import xarray

    own = rig_laws(changed)
    t, u, v = imposed_motion(samples, own.middle, own.swing)
    last = slice(-samples, None)
    newton = {"units": "N"}
    return xarray.Dataset(
        {
            "deflection": ("time", u[last], {"units": "m"}),
            "rate": ("time", v[last], {"units": "m/s"}),
            "dahl": ("time", np.asarray(own.dahl.trace(u))[last], newton),
            "masing": ("time", np.asarray(own.wet.trace(u, t, rate=v))[last], newton),
            "dry": ("time", np.asarray(own.dry.trace(u))[last], newton),
        },
        coords={"time": ("time", t[last] - t[-samples], {"units": "s"})},
        attrs=dict(changed or {}),  # for lines that are drawn beside the loops
    )


def areas(data: xarray.Dataset) -> dict[str, float]:
    """[J] of one cycle."""
    u = data["deflection"]
    pairs = zip(AREAS, ("dahl", "masing", "dry"), strict=True)
    return {name: float(np.trapezoid(data[key], u)) for name, key in pairs}


def loops(request: EntryRequest) -> EntryContent:
    """Both loops, with their dissipated energies."""
    data = last_cycle(FINE_SAMPLES, request.changed)
    found = areas(data)
    coarse = areas(data.isel(time=slice(None, None, 2)))
    sampled = max(abs(found[name] - coarse[name]) for name in found)
    below = rig_laws(request.changed).dahl.upper_rest
    rows = (
        *(number_row(f"loop area, {name}", value, form=".7g", unit="J", independent=AREAS[name], within=1e-7)
          for name, value in found.items()),
        number_row("loop below the upper envelope", below, form=".6f", unit="N", printed="0", paper="0: an asymptote",
                 independent="0.261658", within=5e-7, why="where lines rise it settles (a/L)^(1/mu) below"),
    )  # fmt: skip
    trust = f"{CLOSED}; areas are sums over samples, {sampled:.0e} J from those over every other one"
    return EntryContent(data.isel(time=slice(None, None, 20)), rows, LAWS_ONLY, trust)


def force_along(way: tuple[float, ...], law: Any) -> float:
    """[N] the force at the end of a way of deflections [m]; between its ends each is a reversal."""
    return float(np.asarray(law.trace(np.array(way)))[-1])


def slider_graphs(request: EntryRequest) -> EntryContent:
    """Fig. 4: sigma and its inverse beta, as lines."""
    import xarray

    height = request.numbers((figure_parameters.HEIGHT,))["height"]
    sigma = np.array([[-2.0, -height], [0.0, -height], [0.0, height], [2.0, height]])
    data = xarray.Dataset(
        {"sigma": (("corner", "axis"), sigma), "beta": (("corner", "axis"), sigma[:, ::-1])},
        attrs=dict(request.changed),
    )
    rows = (interpretation_row("beta (7)", "the inverse of sigma (6)", "sigma with its axes exchanged", "the same"),)
    return EntryContent(data, rows, "(6) and (7)", "none: nothing was computed")


def force_histories(request: EntryRequest) -> EntryContent:
    """Fig. 11: the force over time by both laws; and at the printed instants."""
    data, own = last_cycle(FINE_SAMPLES, request.changed), rig_laws(request.changed)
    period = 2.0 * math.pi / IDENTIFIED_AT
    at = float(np.interp(1.988e-1 % period, data["time"], data["dahl"]))
    spring = data["dry"] - own.dry.preload - own.dry.parallel_stiffness * data["deflection"]
    stretch = float(np.interp(1.55e-2, data["time"], spring)) / own.dry.stiffness
    rows = (
        number_row("F at 0.1988 s (34), modified Dahl", at, form=".1f", unit="N", printed="1009",
                 explains=30.0, why="theirs is a measured point"),
        number_row("w at 0.0155 s (37), Masing", 1e6 * stretch, form=".1f", unit="um", printed="-324",
                 explains=1e6 * SWING * PHASE_ROUNDING, why="the phase 4.8 has two digits"),
    )  # fmt: skip
    return EntryContent(data.isel(time=slice(None, None, 20)), rows, LAWS_ONLY, CLOSED)


def branch_forces(request: EntryRequest) -> EntryContent:
    """Fig. 12: forces on both branches at two deflections."""
    own = rig_laws(request.changed)
    low, high = own.middle - own.swing, own.middle + own.swing
    begin = own.middle + own.swing * math.sin(PHASE)  # rising
    rows = []
    for (u, way), expected in BRANCHES.items():
        if not low < u < high:  # a smaller loop does not come there
            continue
        turns = (begin, *(high, low) * RIG_CYCLES, *((u,) if way > 0 else (high, u)))
        rate = way * IDENTIFIED_AT * math.sqrt(own.swing**2 - (u - own.middle) ** 2)
        here = force_along(turns, own.dahl), force_along(turns, own.dry) + own.wet.damping * rate
        name = f"F at {1e3 * u:.1f} mm, {'rising' if way > 0 else 'falling'}; modified Dahl, Masing"
        rows.append(number_row(name, here, form=".6f", unit="N", independent=expected))
    return EntryContent(last_cycle(changed=request.changed), tuple(rows), LAWS_ONLY, CLOSED)


# ---- pictures


def _loop(ax: Axes, data: xarray.Dataset, key: str, **look: Any) -> None:
    ax.plot(1e3 * data["deflection"], data[key], **look)


def draw_lines(ax: Axes, upper: Any, lower: Any, own: Rig) -> None:
    u = np.array([own.middle - own.swing, own.middle + own.swing])
    for (b, a), name, dashes in ((upper, "$h_u$", "-."), (lower, "$h_l$", "--")):  # as printed
        ax.plot(1e3 * u, b + a * u, dashes, color=style.ACCENT, lw=1.2, label=name)


def single_axes() -> tuple[Figure, Axes]:
    from matplotlib import pyplot as plt

    return plt.subplots(figsize=(6.5, 4.6))


def draw_parts(data: xarray.Dataset) -> Figure:
    figure, ax = single_axes()
    rising = data["rate"] >= 0.0
    ax.plot(1e3 * data["deflection"].where(rising), data["dahl"].where(rising), color=style.ACCENT, label="Γ₊, rising")
    ax.plot(1e3 * data["deflection"].where(~rising), data["dahl"].where(~rising), color=style.BLUE, label="Γ₋, falling")
    ax.set(**AXES, title="A loop and its two parts")
    ax.legend()
    return figure


def draw_dahl(data: xarray.Dataset) -> Figure:
    figure, ax = single_axes()
    draw_lines(ax, RIG_DAHL.upper, RIG_DAHL.lower, rig_laws(data.attrs))
    _loop(ax, data, "dahl", color=style.BLUE, label="modified Dahl")
    ax.set(**AXES, title="Modified Dahl law")
    ax.legend()
    return figure


def draw_graphs(data: xarray.Dataset) -> Figure:
    from matplotlib import pyplot as plt

    height = data.attrs.get("height")
    names = ("σ(x)", "β(x)") if height is None else (f"{height:g} σ(x)", f"β(x/{height:g})")
    figure, axes = plt.subplots(1, 2, figsize=(8.0, 3.8))
    for ax, key, letter, words in zip(axes, ("sigma", "beta"), "ab", names, strict=True):
        ax.plot(*data[key].values.T, color=style.BLUE)
        ax.set(xlabel="x", ylabel=words, title=f"({letter}) {words.removesuffix('(x)')}", xlim=(-2, 2), ylim=(-2, 2))
    return figure


def draw_parallelogram(data: xarray.Dataset) -> Figure:
    figure, ax = single_axes()
    _loop(ax, data, "dry", color=style.BLUE)
    for letter, u, f in _corners(rig_laws(data.attrs)):
        ax.plot(1e3 * u, f, "o", color=style.ACCENT, ms=5)
        ax.annotate(letter, (1e3 * u, f), textcoords="offset points", xytext=(6, -10))
    ax.set(**AXES, title="Masing law without damper")
    return figure


def _corners(turned: Rig | None = None) -> list[tuple[str, float, float]]:
    own = turned or rig_laws()
    k, k0, limit = own.dry.stiffness, own.dry.parallel_stiffness, own.dry.limit
    low, high, way = own.middle - own.swing, own.middle + own.swing, 2.0 * limit / k
    if way >= high - low:  # it never slides: a line
        return []

    def force(u: float, w: float) -> float:
        return k * w + k0 * u + own.dry.preload

    eta = limit / k
    return [("A", low, force(low, -eta)), ("B", low + way, force(low + way, eta)), ("C", high, force(high, eta)),
            ("D", high - way, force(high - way, -eta))]  # fmt: skip


def draw_skeleton(data: xarray.Dataset) -> Figure:
    figure, ax = single_axes()
    _loop(ax, data, "masing", color=style.BLUE, label="Masing with damper")
    _loop(ax, data, "dry", color=style.GREY, ls="-.", label="dry skeleton")
    ax.set(**AXES, title="Masing law with a viscous damper")
    ax.legend()
    return figure


def draw_time(data: xarray.Dataset) -> Figure:
    figure, ax = single_axes()
    ax.plot(data["time"], data["dahl"], "--", color=style.BLUE, label="modified Dahl")
    ax.plot(data["time"], data["masing"], "-.", color=style.ACCENT, label="Masing")
    ax.set(xlabel="time [s]", ylabel="force F [N]", title="Force of the rig over one period")
    ax.legend()
    return figure


def draw_both(data: xarray.Dataset) -> Figure:
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(10.0, 4.4), sharey=True)
    for ax, key, title in zip(axes, ("dahl", "masing"), ("(a) modified Dahl", "(b) Masing"), strict=True):
        _loop(ax, data, key, color=style.BLUE)
        ax.set(**AXES, title=title)
    return figure


RIG_CYCLES = 3  # of the rig
CLOSURE_LIMIT_REL = 1e-13  # of the force: the largest gap of a closed loop
MAX_BRACKET_DOUBLINGS = 60  # times that the interval of forces is doubled at most


def on_closed_cycle(law: ModifiedDahl, begin: float, tips: tuple[float, float]) -> ModifiedDahl:
    """The law, started on its closed cycle if the cycles of the rig do not reach it.

    The force after a cycle is a contracting function of the force before it, so their difference has one zero. A small
    loop, or a law that relaxes slowly, would need many cycles.
    begin, tips : [m] start and ends of the cycle, the first tip first.
    """

    def after(force: float | None, cycles: int = 1) -> float:
        f = np.asarray(replace(law, start_force=force).trace(np.array([begin, *(cycles * tips), begin])))
        return float(f[-1])

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the caller warns once for the whole cycle
        last = after(law.start_force, RIG_CYCLES)
        if abs(last - after(law.start_force, RIG_CYCLES - 1)) <= CLOSURE_LIMIT_REL * abs(last):
            return law
        upper, lower = line(begin, law.upper), line(begin, law.lower)
        middle, reach = 0.5 * (upper + lower), abs(upper - lower)
        for _ in range(MAX_BRACKET_DOUBLINGS):
            low, high = middle - reach, middle + reach
            if low - after(low) < 0.0 < high - after(high):
                force = brentq(lambda f: f - after(f), low, high, xtol=1e-12)
                return replace(law, start_force=float(force))
            reach *= 2.0
    words = f"no closed loop was found with rate {law.rate:g} and exponent {law.exponent:g}"
    raise InvalidInput(f"tensioner, modified Dahl: {words}; raise the swing, the rate or the exponent").about("numbers")
