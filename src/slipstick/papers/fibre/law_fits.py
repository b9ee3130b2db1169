"""Figs 13 to 16: the law identified from synthetic sets in place of the two sets of samples."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from slipstick.datasets import FIBRE_AMPLITUDES
from slipstick.identification.identify import identify
from slipstick.identification.rules.backbone import backbone
from slipstick.identification.trend import trend
from slipstick.laws.nonlocal_memory import FibreShear
from slipstick.papers.certificate_summary import fits_certificate_line
from slipstick.papers.comparison_rows import UNEXPLAINED_TEXT, number_row, statement_row
from slipstick.papers.entry import EntryContent, EntryRequest
from slipstick.papers.fibre import synthetic_loops
from slipstick.papers.fibre.hysteresis_loops import MAX_STRAIN, STRAIN, loop_at
from slipstick.papers.reproduction import Row
from slipstick.plot import style
from slipstick.systems.fibre import SAMPLE_PARAMETERS
from slipstick.units.number_format import format_percent

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import xarray
    from matplotlib.figure import Figure

    from slipstick.identification.loop import Loop
    from slipstick.results.fit import Estimate, Fit
    from slipstick.results.trend import TrendLine

HERTZ = 20.0
SYMBOLS = {"stiffness": "sigma", "limit": "tau_C", "linear": "G1", "cubic": "G3", "overshoot": "alpha", "ratio": "xi"}
PRINTED = {"set 1": {**SAMPLE_PARAMETERS, "stiffness": 1.49e9}, "set 2": {"linear": 5.91e6}}
MISPRINT_REASON = "1e9 is a slip of the pen: G_i needs 1e6"
SYNTHETIC_VALUE_REASON = "the set is synthetic, with a value of ours"
RULE_TOLERANCE_REL = 0.02  # of a number, what noise and an ignored overshoot do to the backbone rule
INTERVAL_MARGIN_REL = 0.01  # of a number, how far one may lie beside an interval that misses one in twenty
# Fig. 16, in the order of the print: symbol, statement on its trend over frequency, drawn value
PANELS = {
    "linear": ("G1", "very low dependency", r"(a) $G_1$ [Pa]"),
    "initial_modulus": ("G_i", "very low dependency", r"(b) $G_i$ [Pa]"),
    "limit": ("tau_C", "low dependency", r"(c) $\tau_C$ [Pa]"),
    "cubic": ("G3", "increases", r"(d) $G_3$ [Pa]"),
    "overshoot": ("alpha", "varies more, by noise", r"(e) $\alpha$ [1]"),
    "ratio": ("xi", "varies more, by noise", r"(f) $\xi$ [1]"),
}
LOW_DEPENDENCY_REL = 0.02  # of a number a decade of frequency, up to which its dependency is low


def loops_of(name: str, changed: Mapping[str, float], hertz: float = HERTZ) -> list[Loop]:
    return [loop for loop in synthetic_loops.loops(name, changed) if loop.frequency == hertz]


def full_law_fit(name: str, which: str) -> Callable[[EntryRequest], EntryContent]:
    """Figs 14, 15: all six numbers of the full law from ten loops at once."""

    def compute(request: EntryRequest) -> EntryContent:
        request.progress("all ten loops at once", 0.2)
        fit = identify(loops_of(name, request.changed), FibreShear)
        data = _fit_dataset(fit).assign_attrs(
            **request.changed, title=f"Loops of {which} and the full law identified from them"
        )
        rows = tuple(_row(which, key, fit.parameters[key]) for key in SYMBOLS)
        if request.changed:
            rows = _made_with(name, request, dict(zip(SYMBOLS, rows, strict=True)))
        method = f"global least squares over ten loops of {name} at {HERTZ:g} Hz (synthetic)"
        return EntryContent(data, rows, method, fits_certificate_line({which: fit}, "Pa"))

    return compute


def _made_with(name: str, request: EntryRequest, rows: Mapping[str, Row]) -> tuple[Row, ...]:
    """Of a set that was made anew: the numbers that are to be found, beside those that were."""
    own = {**synthetic_loops.SETS[name], **request.changed}
    return tuple(row._replace(here=f"{row.here}; made with {own[key]:.4g}") for key, row in rows.items())


def friction_and_stiffening(request: EntryRequest) -> EntryContent:
    """Fig. 13: parts (a) and (b) from the backbone, (35)-(37), and the loops they make without an overshoot."""
    import xarray

    loops = loops_of("fibre-set-1", request.changed)
    rule = backbone(loops)
    found = {key: getattr(rule, key) for key in ("stiffness", "limit", "linear", "cubic")}
    # where there is no stiffening, noise may leave a cubic below zero, which no law has
    law = FibreShear(**{**found, "cubic": max(rule.cubic, 0.0)}, overshoot=0.0, ratio=0.0)
    count = min(loop.u.size for loop in loops)
    u, f = (np.array([getattr(loop, name)[:count] for loop in loops]) for name in ("u", "f"))
    made = [loop_at(strain, law) for strain in FIBRE_AMPLITUDES]
    at, stress = (np.array(part) for part in zip(*made, strict=True))
    slope, pascal = rule.linear, {"units": "Pa"}
    tips = np.linspace(0.0, MAX_STRAIN, 201)
    data = xarray.Dataset(
        {
            "strain": (("amplitude", "sample"), u),
            "measured": (("amplitude", "sample"), f - slope * u, pascal),
            "law_strain": (("amplitude", "place"), at),
            "fitted": (("amplitude", "place"), stress - slope * at, pascal),
            "backbone": ("tip", rule.at(tips) - slope * tips, pascal),
        },
        coords={"amplitude": list(FIBRE_AMPLITUDES), "tip": tips},
        attrs={**request.changed, "title": "Loops, and parts (a) and (b) of the law identified from them"},
    )
    rows = tuple(_by_rule(key, value) for key, value in found.items())
    if request.changed:
        rows = _made_with("fibre-set-1", request, dict(zip(found, rows, strict=True)))
    return EntryContent(
        data, rows, "the backbone rule on ten synthetic loops", f"rms of its ten tips {rule.rms:.2g} Pa"
    )


def _by_rule(key: str, value: float) -> Row:
    """A number of the backbone rule beside the print, which the synthetic set was made from."""
    printed, largest = f"{PRINTED['set 1'][key]:.4g}", RULE_TOLERANCE_REL * SAMPLE_PARAMETERS[key]
    if key == "stiffness":
        return number_row(SYMBOLS[key], value, form=".4g", unit="Pa", printed=printed,
        independent=f"{SAMPLE_PARAMETERS[key]:.4g}",
                        within=largest, known_as="the set was made with", why=MISPRINT_REASON)  # fmt: skip
    return number_row(SYMBOLS[key], value, form=".4g", unit="Pa", printed=printed, explains=largest,
                    why="noise, and (36) ignores the overshoot")  # fmt: skip


def _row(which: str, key: str, found: Estimate) -> Row:
    printed = PRINTED[which].get(key)
    here = f"{found.value:.4g} ({found.low:.4g} to {found.high:.4g}) {found.unit}".removesuffix(" 1")
    if printed is None:
        return Row(SYMBOLS[key], "not printed", here, SYNTHETIC_VALUE_REASON)
    wrong = f"{UNEXPLAINED_TEXT}: {format_percent(abs(found.value / printed - 1.0))} from the print"
    text = f"{printed:.4g} {found.unit}".removesuffix(" 1")
    if _interval_text(found, printed):
        return Row(SYMBOLS[key], text, here, "the same, within its interval")
    pen = key == "stiffness" and _interval_text(found, SAMPLE_PARAMETERS[key])
    beside = abs(found.value / printed - 1.0) <= INTERVAL_MARGIN_REL
    return Row(
        SYMBOLS[key], text, here, MISPRINT_REASON if pen else ("noise: beside its interval" if beside else wrong)
    )


def _interval_text(found: Estimate, value: float) -> bool:
    return found.low <= value <= found.high


def _fit_dataset(fit: Fit) -> xarray.Dataset:
    """Measured and fitted stress without the line, loops cut to equal length."""
    import xarray

    slope = fit.parameters["linear"].value
    count = min(loop.u.size for loop in fit.loops)
    u, measured, fitted = (
        np.array([getattr(loop, name)[:count] for loop in fit.loops]) for name in ("u", "f", "fitted")
    )
    dims, pascal = ("amplitude", "sample"), {"units": "Pa"}
    return xarray.Dataset(
        {
            "strain": (dims, u),
            "measured": (dims, measured - slope * u, pascal),
            "fitted": (dims, fitted - slope * u, pascal),
        },
        coords={"amplitude": list(FIBRE_AMPLITUDES)},
    )


def parameters_over_frequency(request: EntryRequest) -> EntryContent:
    """Fig. 16: the numbers over frequency, for both sets."""
    sets = {f"set {i}": synthetic_loops.loops(f"fibre-set-{i}", _of_set(i, request.changed)) for i in (1, 2)}
    found = trend(sets, FibreShear, progress=request.progress)
    data = found.data
    rows = tuple(_over_frequency(key, which, found.line(key, which)) for key in PANELS for which in ("set 1", "set 2"))
    keep = [name for name in data.data_vars if data[name].dtype.kind in "fi"]
    fits = {f"{which}, {hertz:g} Hz": fit for which, each in found.fits.items() for hertz, fit in each.items()}
    return EntryContent(
        data[keep], rows, "a fit at every frequency, a line through each number", fits_certificate_line(fits, "Pa")
    )


def _of_set(number: int, changed: Mapping[str, float]) -> dict[str, float]:
    """The changed parameters of one of the two sets."""
    if number == 1:
        return {name: value for name, value in changed.items() if name != "growth_2"}
    own = {"noise": "noise", "growth_2": "growth"}
    return {own[name]: value for name, value in changed.items() if name in own}


def _over_frequency(key: str, which: str, line: TrendLine) -> Row:
    symbol, printed, _ = PANELS[key]
    if not (line.value and np.isfinite([line.value, line.per_decade]).all()):
        return statement_row(f"{symbol}, {which}", printed, "not identifiable at every frequency", same=False)
    share, low, high = (value / line.value for value in (line.per_decade, line.low, line.high))
    if key == "cubic":
        same, why = line.depends and share > LOW_DEPENDENCY_REL, ""
    elif key in ("overshoot", "ratio"):
        same, why = line.depends, "the set was made without: noise alone does not move it"
    else:
        same, why = abs(share) <= LOW_DEPENDENCY_REL, ""
    text = f"{format_percent(share, sign='+')} a decade ({100.0 * low:+.2g} to {100.0 * high:+.2g})"
    return statement_row(f"{symbol}, {which}", printed, text, same=same, why=why)


def draw_loops(data: xarray.Dataset) -> Figure:
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(7.5, 5.2))
    noise = data.attrs.get("noise", synthetic_loops.STRESS_NOISE)
    for i, strain in enumerate(data["amplitude"].values):
        loop = data.sel(amplitude=strain)
        named = i == 0
        ax.plot(1e3 * loop["strain"], 1e-3 * loop["measured"], color=style.GREY, lw=2.4, alpha=0.6,
                label=f"synthetic, {noise:g} Pa of noise" if named else None)  # fmt: skip
        at = loop["law_strain" if "law_strain" in loop else "strain"]
        ax.plot(1e3 * at, 1e-3 * loop["fitted"], color=style.BLUE, lw=1.0, label="fitted" if named else None)
    if "backbone" in data:
        for side in (1.0, -1.0):
            ax.plot(side * 1e3 * data["tip"], side * 1e-3 * data["backbone"], "--", color=style.INK, lw=1.4,
                    label="backbone" if side > 0 else None)  # fmt: skip
    ax.set(xlabel=STRAIN, ylabel="stress τ − G₁γ [kPa]", title=data.attrs["title"])
    ax.legend()
    return figure


def _top(one: xarray.Dataset) -> float:
    """Where an axis ends: above the intervals, as far as they are finite, and never at zero."""
    ends = np.array([one["value"].values, one["high"].values])
    top = float(ends[np.isfinite(ends)].max(initial=0.0))
    return 1.25 * top or 1.0


def draw_trend(data: xarray.Dataset) -> Figure:
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(2, 3, figsize=(11.0, 6.4), sharex=True)
    for ax, (key, (_, _, words)) in zip(axes.flat, PANELS.items(), strict=True):
        for which, colour in zip(data["set"].values, (style.BLUE, style.ACCENT), strict=True):
            one = data.sel(set=which, parameter=key)
            spread = np.abs(np.array([one["value"] - one["low"], one["high"] - one["value"]]))
            spread = np.where(np.isfinite(spread), spread, 0.0)  # no bar for undetermined parameters
            ax.errorbar(
                one["frequency"], one["value"], yerr=spread, fmt="o-", ms=4, capsize=2, color=colour, label=which
            )
        ax.set(ylabel=words)
        ax.set_ylim(0.0, _top(data.sel(parameter=key)))
    for ax in axes[1]:
        ax.set_xlabel("frequency [Hz]")
    axes[0, 0].legend()
    figure.suptitle("Numbers of the law over frequency, two synthetic sets", x=0.01, ha="left", weight="bold")
    return figure
