"""Tables of fits and rankings, the same for screen and report."""

from __future__ import annotations

import math
from typing import NamedTuple

from slipstick.errors import Message
from slipstick.report.number_format import format_number, interval_text, unit_column
from slipstick.results.fit import WITHIN_NOISE_RATIO, Estimate, Fit, LoopFit
from slipstick.results.ranking import Ranking
from slipstick.units.scales import Scale

SAMPLES_HEAD = "samples"  # the head of a column; their sum stands in the headline, too
DERIVED_NOTE = "* follows from the numbers above it"


class Table(NamedTuple):
    """heads : of columns.   rows : as words.   numbers : how many of the last columns stand flush right."""

    heads: tuple[str, ...]
    rows: list[tuple[str, ...]]
    numbers: int


def parameter_table(fit: Fit) -> Table:
    """The numbers of a law, then those that follow from them, each with its interval and where it began.

    In the units of the file that the loops were read from.
    """
    ruled = bool(fit.rules)
    heads = ("number", "unit", "value", "95 % interval", "start", *(["by rule"] if ruled else []))
    rows = []
    for name, found in fit.parameters.items():
        own = found.shown_in(fit.units)
        rule = [_rule_value(fit, name, found)] if ruled else []
        rows.append((name, unit_column(own), format_number(own.value), interval_text(own), _start(own), *rule))
    for name, found in fit.derived.items():
        own = found.shown_in(fit.units)
        rows.append(
            (f"{name} *", unit_column(own), format_number(own.value), interval_text(own), "", *([""] if ruled else []))
        )
    return Table(heads, rows, len(heads) - 2)


def loop_table(fit: Fit) -> Table:
    """How each loop is fitted."""
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
    alone = len(fit.loops) > 1 and len({loop.file for loop in fit.loops}) == 1  # nobody needs one file in every row
    return Table(heads, [_loop(fit, loop, loop.label if alone else loop.name) for loop in fit.loops], 7)


def fit_notes(fit: Fit) -> list[Message]:
    """What was done to the data, each note on several loops once; then why rules do not apply."""
    loops: dict[Message, list[str]] = {}
    for note in fit.notes:
        loops.setdefault(note.with_owner(""), []).append(note.parts.owner)
    notes = []
    for note, of in loops.items():
        which = "all loops" if len(of) == len(fit.loops) > 1 else of[0] if len(of) == 1 else f"{len(of)} loops"
        notes.append(note.with_owner(which))
    return notes + [note.wrapped("rule: ") for note in fit.rules.refusals]


def ranking_table(ranking: Ranking) -> Table:
    """Laws, best first."""
    validated = any(not math.isnan(row.validation) for row in ranking.table)
    force = ranking.best.units.force
    left_out = [_head_with_unit("left out", force)] if validated else []
    heads = ("law", "numbers", _head_with_unit("residual", force), *left_out, "criterion", "in the noise")
    rows = []
    for row in ranking.table:
        if row.fit is None:
            rows.append((row.name, "", "no fit", *([""] if validated else []), "", ""))
            continue
        left = [_plain(force.factor * row.validation)] if validated else []
        lead = row.criterion - ranking.table[0].criterion
        cells = (str(len(row.fit.free)), f"{force.factor * row.fit.residual:.4g}", *left, f"{lead:+.4g}")
        rows.append((row.name, *cells, ranking.in_noise(row)))
    return Table(heads, rows, len(heads) - 1)


def fit_verdict(fit: Fit) -> str:
    """How well a law fits, in one line."""
    force = fit.units.force
    whole = all(loop.samples == loop.given for loop in fit.loops)
    of = "" if whole else f" of {fit.samples_words}"
    words = f"residual {force.words(fit.residual, 4)} rms{of}, noise {force.words(fit.noise, 4)}"
    if fit.within_noise:
        return f"fits within the noise: {words}"
    worst = max(fit.loops, key=lambda loop: loop.rms / loop.noise)  # the loop that warnings and verdicts speak of
    share = f"{100.0 * worst.rms / worst.range:.2g} % of its range of force"
    off = sum(loop.rms > WITHIN_NOISE_RATIO * loop.noise for loop in fit.loops)
    several = len(fit.loops) > 1
    which, where = (f" of {off} of {len(fit.loops)} loops", f" ({worst.name})") if several else ("", "")
    return f"does not fit within the noise{which}: {words}; {'at worst ' * several}off by {share}{where}"


def _start(own: Estimate) -> str:
    return "" if math.isnan(own.start) else format_number(own.start, 4)


def _plain(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.4g}"


def _head_with_unit(what: str, scale: Scale) -> str:
    """The head of a column, with its unit below it."""
    return f"{what} [{scale.unit}]" if scale.unit else what


def _rule_value(fit: Fit, name: str, own: Estimate) -> str:
    """What a rule of the papers gives, in the unit of the number that was found."""
    if name not in fit.rules:
        return ""
    return format_number(own._replace(value=fit.rules[name].value).shown_in(fit.units).value, 4)


def _loop(fit: Fit, loop: LoopFit, name: str) -> tuple[str, ...]:
    u, f = fit.units.deflection.factor, fit.units.force.factor
    frequency = "-" if math.isnan(loop.frequency) else f"{loop.frequency:.4g}"
    error = "-" if not math.isfinite(loop.energy_error) else f"{100.0 * loop.energy_error:+.2g} %"
    energy = _plain(u * f * loop.measured_energy)
    figures = (
        format_number(u * loop.amplitude, 4),
        frequency,
        f"{f * loop.rms:.4g}",
        f"{f * loop.noise:.4g}",
        energy,
        error,
    )
    count = str(loop.given) if loop.samples == loop.given else f"{loop.samples} of {loop.given}"
    return (name, loop.beginning, count, *figures)
