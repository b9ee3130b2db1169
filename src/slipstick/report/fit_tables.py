"""Tables of fits and rankings, for screens and reports."""

from __future__ import annotations

import math

from slipstick.errors import Message
from slipstick.report.estimate_text import interval_text, unit_column, value_text
from slipstick.report.table import Table
from slipstick.results.fit import Estimate, Fit, LoopFit
from slipstick.results.ranking import Ranking
from slipstick.units.number_format import format_cell, format_number, format_percent
from slipstick.units.scales import Scale

SAMPLES_HEAD = "samples"  # head of a column; the headline has their sum
DERIVED_NOTE = "* derived from the parameters above"
BIC_NOTE = "BIC difference: under 10 is a tie; it depends on the laws compared, so it holds within this table only"


def parameter_table(fit: Fit) -> Table:
    """Parameters of a law, then derived quantities, with intervals and start values, in the units of the file."""
    ruled = bool(fit.rules)
    heads = ("parameter", "unit", "value", "95 % interval", "start", *(["by rule"] if ruled else []))
    rows = []
    for name, estimate in fit.parameters.items():
        rule = [_rule_value(fit, name, estimate)] if ruled else []
        shown = estimate.shown_in(fit.units)
        rows.append((name, *_estimate_cells(shown), _start(shown), *rule))
    for name, estimate in fit.derived.items():
        rows.append((f"{name} *", *_estimate_cells(estimate.shown_in(fit.units)), "", *([""] if ruled else [])))
    return Table(heads, rows, len(heads) - 2)


def _estimate_cells(shown: Estimate) -> tuple[str, str, str]:
    return unit_column(shown), value_text(shown), interval_text(shown)


def loop_table(fit: Fit) -> Table:
    """Fit of each loop."""
    u, f = fit.units.deflection, fit.units.force
    heads: tuple[str, ...] = (
        "loop",
        "begins",
        "samples",
        _head_with_unit("amplitude", u),
        "Hz",
        _head_with_unit("residual", f),
        _head_with_unit("noise", f),
    )
    heads += (_head_with_unit("energy", fit.units.energy), "error")
    alone = (
        len(fit.loops) > 1 and len({loop.file for loop in fit.loops}) == 1
    )  # without the file name, if it is the same in all rows
    return Table(heads, [_loop(fit, loop, loop.label if alone else loop.name) for loop in fit.loops], 7)


def fit_notes(fit: Fit) -> list[Message]:
    """Notes on the data, with those of several loops merged, then why rules do not apply."""
    loops_of_note: dict[Message, list[str]] = {}
    for note in fit.notes:
        loops_of_note.setdefault(note.with_owner(""), []).append(note.parts.owner)
    rows = []
    for note, loops in loops_of_note.items():
        is_common = len(loops) == len(fit.loops) > 1
        rows.append(
            note.with_owner("all loops" if is_common else loops[0] if len(loops) == 1 else f"{len(loops)} loops")
        )
    return rows + [note.wrapped("rule: ") for note in fit.rules.refusals]


def ranking_table(ranking: Ranking) -> Table:
    """Laws, best first."""
    validated = any(not math.isnan(row.validation) for row in ranking.table)
    force = ranking.best.units.force
    held_out = [_head_with_unit("held-out error", force)] if validated else []
    heads = (
        "law",
        "parameters",
        _head_with_unit("residual", force),
        *held_out,
        "BIC difference",
        "within noise",
        "energy error",
    )
    rows = []
    for row in ranking.table:
        if row.fit is None:
            rows.append((row.name, "", "no fit", *([""] if validated else []), "", "", ""))
            continue
        error = [format_cell(force.factor * row.validation)] if validated else []
        difference = row.criterion - ranking.smallest_criterion
        cells = (str(len(row.fit.free)), f"{force.factor * row.fit.residual:.4g}", *error, f"{difference:+.4g}")
        energy = row.fit.grade.energy
        shown = format_percent(energy, sign="+") if math.isfinite(energy) else "-"
        rows.append((row.name, *cells, ranking.in_noise(row), shown))
    return Table(heads, rows, len(heads) - 1)


def fit_verdict(fit: Fit) -> str:
    """Goodness of fit, in one line."""
    force = fit.units.force
    whole = all(loop.samples == loop.given for loop in fit.loops)
    of = "" if whole else f" of {fit.samples_words}"
    words = f"residual {force.words(fit.residual, 4)} rms{of}, noise {force.words(fit.noise, 4)}"
    if fit.within_noise:
        outliers = sum(loop.outliers for loop in fit.loops if loop.has_few_outliers)
        but = f" but for {outliers} outlier{'s' * (outliers > 1)}" if outliers else ""
        return f"fits within the noise{but}: {words}"
    worst = max(fit.loops, key=lambda loop: loop.rms / loop.range)
    share = f"{format_percent(worst.rms / worst.range)} of its range of force"
    off = sum(not loop.within_noise for loop in fit.loops)
    several = len(fit.loops) > 1
    which, where = (f" of {off} of {len(fit.loops)} loops", f" ({worst.name})") if several else ("", "")
    return f"does not fit within the noise{which}: {words}; {'at worst ' * several}off by {share}{where}"


def _start(own: Estimate) -> str:
    return "" if math.isnan(own.start) else format_number(own.start, 4)


def _head_with_unit(what: str, scale: Scale) -> str:
    """Head of a column with its unit."""
    return f"{what} [{scale.unit}]" if scale.unit else what


def _rule_value(fit: Fit, name: str, own: Estimate) -> str:
    """Value of a rule of the papers, in the unit of the parameter."""
    if name not in fit.rules:
        return ""
    return format_number(own._replace(value=fit.rules[name].value).shown_in(fit.units).value, 4)


def _loop(fit: Fit, loop: LoopFit, name: str) -> tuple[str, ...]:
    u, f = fit.units.deflection.factor, fit.units.force.factor
    error = "-" if not math.isfinite(loop.energy_error) else format_percent(loop.energy_error, sign="+")
    energy = format_cell(u * f * loop.measured_energy)
    figures = (
        format_number(u * loop.amplitude, 4),
        format_cell(loop.frequency),
        f"{f * loop.rms:.4g}",
        f"{f * loop.noise:.4g}",
        energy,
        error,
    )
    count = str(loop.given) if loop.samples == loop.given else f"{loop.samples} of {loop.given}"
    return (name, loop.beginning, count, *figures)
