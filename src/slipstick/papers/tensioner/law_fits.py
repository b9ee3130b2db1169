"""Figs 8 to 10 and 13: both laws identified from a loop of the rig, by the paper's rules and by least squares."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.errors import InvalidInput
from slipstick.identification.identify import identify
from slipstick.identification.preparing.prepared_loop import prepare_loops
from slipstick.identification.preparing.signal_conditioning import estimate_drift
from slipstick.identification.rules.envelope_lines import envelopes
from slipstick.identification.rules.masing_corners import masing_geometry
from slipstick.laws.dahl import ModifiedDahl
from slipstick.laws.masing import Masing
from slipstick.papers.certificate_summary import fits_certificate_line
from slipstick.papers.comparison_rows import SAME_TEXT, UNEXPLAINED_TEXT, interpretation_row, number_row
from slipstick.papers.entry import EntryContent, EntryRequest
from slipstick.papers.reproduction import Row
from slipstick.papers.tensioner import figure_parameters
from slipstick.papers.tensioner.rig import AXES, Rig, draw_lines, rig_laws, single_axes
from slipstick.papers.tensioner.synthetic_loops import FORCE_NOISE, loops
from slipstick.plot import style

if TYPE_CHECKING:
    from collections.abc import Callable

    import xarray
    from matplotlib.figure import Figure

    from slipstick.identification.loop import Loop
    from slipstick.laws.base import Law
    from slipstick.results.fit import Estimate, Fit

LOOP_PARAMETERS = (*figure_parameters.RIG[:2], *figure_parameters.DAHL, figure_parameters.NOISE)
# a loop determines a law if it is large enough and reaches the envelopes
SWING_PARAMETER, EXPONENT_PARAMETER = (
    replace(figure_parameters.RIG[0], low=3e-4),
    replace(figure_parameters.DAHL[1], low=0.3),
)
DAHL_PARAMETERS = (
    SWING_PARAMETER,
    figure_parameters.RIG[1],
    figure_parameters.DAHL[0],
    EXPONENT_PARAMETER,
    figure_parameters.NOISE,
)
MASING_PARAMETERS = (SWING_PARAMETER, *figure_parameters.RIG[1:], *figure_parameters.MASING, figure_parameters.NOISE)
ALL_PARAMETERS = (*MASING_PARAMETERS[:-1], *DAHL_PARAMETERS[2:])
KINDS: dict[str, type[Law]] = {"masing": Masing, "dahl": ModifiedDahl}
SYNTHETIC = "synthetic loops stand in: the measured ones are not published"
OFFSET_PARAMETERS = ("preload", "upper.0", "lower.0")  # parameters that a drift shifts
SYMBOLS = {"upper.0": "b of h_u", "upper.1": "a of h_u", "lower.0": "e of h_l", "lower.1": "d of h_l"}  # as printed
RATE_UNIT = "N^0.63/m"  # of the rate, with the printed exponent
LINE_END_NOISE = 1.0  # N, what 5 N of noise leaves of a line at its end


def measured_loop(request: EntryRequest) -> EntryContent:
    """Fig. 8: a loop of the rig, without its drift, as laws are fitted to it."""
    import xarray

    raw = loops(request.changed)["dahl"]
    (own,) = prepare_loops(raw.without_drift())
    columns = ("u_dahl", own.path.u, "m"), ("f_dahl", own.loop.f, "N")
    found = {name: ("sample_dahl", column, {"units": unit}) for name, column, unit in columns}
    noise = request.changed.get("noise", FORCE_NOISE)
    trust = f"none: data with {noise:g} N of noise"
    return EntryContent(xarray.Dataset(found, attrs=dict(request.changed)), (_of_loop(raw),), SYNTHETIC, trust)


def _of_loop(loop: Loop) -> Row:
    return interpretation_row(
        "loop", "measured, not published", f"made from the printed law: {loop.name}", "a stand-in"
    )


def law_fits_entry(*names: str) -> Callable[[EntryRequest], EntryContent]:
    """Figs 9, 10 and 13: laws from loops of the rig, by the paper's rules and by least squares.

    names : of the laws, as in `KINDS`.
    """

    def compute(request: EntryRequest) -> EntryContent:
        import xarray

        raw, made_with = loops(request.changed), rig_laws(request.changed)
        attributes: dict[str, Any] = dict(request.changed)
        rows: list[Row] = []
        if "dahl" in names:  # first: a loop that does not reach its envelopes is refused before long work
            lines = envelopes(raw["dahl"].without_drift())
            attributes |= {"upper": np.array(lines.upper), "lower": np.array(lines.lower)}
            for name, side, u in _tips(made_with):
                ends = getattr(lines, side), getattr(made_with.dahl, side)
                rows.append(_end(name, *ends, u, drift_offset(raw["dahl"]), bool(request.changed)))
        found: dict[str, Any] = {}
        fits = {}
        for i, name in enumerate(names):
            request.progress(name, i / len(names))
            fit = identify(raw[name].without_drift(), KINDS[name])
            fits[fit.kind] = fit
            for column, unit in (("u", "m"), ("f", "N"), ("fitted", "N")):
                found[f"{column}_{name}"] = (f"sample_{name}", getattr(fit.loops[0], column), {"units": unit})
            law = made_with.wet if name == "masing" else made_with.dahl
            by_rule = _by_rule(raw[name]) if name == "masing" else {}
            rows += _rows(fit, law, drift_offset(raw[name]), by_rule, bool(request.changed))
        method = f"the paper's rules, then least squares; {SYNTHETIC}"
        return EntryContent(
            xarray.Dataset(found, attrs=attributes), tuple(rows), method, fits_certificate_line(fits, "N")
        )

    return compute


def _by_rule(loop: Loop) -> dict[str, float]:
    """The Masing law by the paper's rule; empty for a loop that does not allow it."""
    try:
        corner = masing_geometry(loop.without_drift())
    except InvalidInput:
        return {}
    return {"stiffness": corner.stiffness, "limit": corner.limit}


def drift_offset(loop: Loop) -> float:
    """[N] by which forces stay too high after a drift was taken off: the middle one of the full cycles stays."""
    assert loop.t is not None
    count = sum(len(cycle) for cycle in loop.cycles)
    begin = loop.cycle_starts[0]
    middle = float(loop.t[begin + count // 2] - loop.t[0])
    period = float(loop.t[begin + count - 1] - loop.t[begin]) / len(loop.cycles)
    return float(estimate_drift(loop).force * middle / period)


def _tips(own: Rig) -> tuple[tuple[str, str, float], ...]:
    """Each envelope, and the deflection [m] where the loop comes closest to it."""
    return ("h_u", "upper", own.middle + own.swing), ("h_l", "lower", own.middle - own.swing)


def _end(name: str, line: Any, printed: Any, u: float, lift: float, changed: bool) -> Row:
    """An envelope of the rule and of (33) at one of the `_tips`; (33) may be ``changed``."""
    here, theirs = (float(b + a * u) for b, a in (line, printed))
    name, why = f"{name} by the rule, at {1e3 * u:.2f} mm", f"a drift, taken off, had lifted it by {lift:.1f} N"
    largest = lift + LINE_END_NOISE
    row = number_row(name, here, form=".2f", unit="N", printed=f"{theirs:.2f}", explains=largest, why=why)
    if not changed:
        return row
    reason = SAME_TEXT if row.why.startswith(UNEXPLAINED_TEXT) else row.why  # only a print can be unexplained
    return row._replace(here=f"{row.here}; {_made_with(row.paper, reason)}")


def _rows(fit: Fit, law: Any, lift: float, by_rule: dict[str, float], changed: bool) -> list[Row]:
    """Identified parameters against those of the loop: the printed ones, if they were not ``changed``."""
    rows = []
    for name, found in fit.parameters.items():
        key, _, place = name.partition(".")
        own = getattr(law, key)
        value = float(own[int(place)] if place else own)
        rule = f"; the rule says {by_rule[key]:.4g}" if key in by_rule else ""
        unit = found.unit if found.unit != "1" else ""
        theirs = f"{value:.5g} {unit if name != 'rate' else RATE_UNIT}".rstrip()
        here = f"{found.value:.5g} ({found.low:.5g} to {found.high:.5g}) {unit}".rstrip()
        why = _why(found, value, lift if name in OFFSET_PARAMETERS else 0.0)
        here += f"; {_made_with(f'{value:.5g}', why)}{rule}" if changed else ""
        rows.append(Row(f"{fit.kind}: {SYMBOLS.get(name, name)}", theirs, here, f"{why}{rule}"))
    return rows


def _made_with(value: str, why: str) -> str:
    """Rows with the parameters of a loop that has no print, and the reason of a difference."""
    return f"made with {value}" + ("" if why.startswith(SAME_TEXT) else f", {why}")


def _why(found: Estimate, printed: float, lift: float) -> str:
    if found.low <= printed <= found.high:
        return "the same: within its interval"
    if found.low <= printed + lift <= found.high:
        return f"a drift, taken off, had lifted it by {lift:.1f} {found.unit}"
    return f"{UNEXPLAINED_TEXT}: outside its interval"


def draw_measured(data: xarray.Dataset) -> Figure:
    figure, ax = single_axes()
    noise = data.attrs.get("noise", FORCE_NOISE)
    ax.plot(1e3 * data["u_dahl"], data["f_dahl"], color=style.GREY, lw=0.6)
    ax.set(**AXES, title=f"A loop of the rig (synthetic, {noise:g} N of noise)")
    return figure


def draw_envelopes(data: xarray.Dataset) -> Figure:
    figure, ax = single_axes()
    ax.plot(1e3 * data["u_dahl"], data["f_dahl"], color=style.GREY, lw=0.6, label="synthetic")
    draw_lines(ax, data.attrs["upper"], data.attrs["lower"], rig_laws(data.attrs))
    ax.set(**AXES, title="Envelopes by least squares")
    ax.legend()
    return figure


def draw_fit(data: xarray.Dataset) -> Figure:
    figure, ax = single_axes()
    ax.plot(1e3 * data["u_masing"], data["f_masing"], color=style.GREY, lw=0.6, label="synthetic")
    ax.plot(1e3 * data["u_masing"], data["fitted_masing"], "--", color=style.ACCENT, lw=1.2, label="Masing, identified")
    ax.set(**AXES, title="Masing law identified")
    ax.legend()
    return figure


def draw_both_fits(data: xarray.Dataset) -> Figure:
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(10.0, 4.4), sharey=True)
    for ax, name, title in zip(axes, ("dahl", "masing"), ("modified Dahl", "Masing"), strict=True):
        ax.plot(1e3 * data[f"u_{name}"], data[f"f_{name}"], color=style.GREY, lw=0.6, label="synthetic")
        ax.plot(1e3 * data[f"u_{name}"], data[f"fitted_{name}"], "--", color=style.ACCENT, lw=1.2, label="identified")
        ax.set(**AXES, title=title)
        ax.legend()
    return figure
