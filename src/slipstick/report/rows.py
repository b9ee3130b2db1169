"""Tables of fits and rankings: the same rows on the screen and on the page."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from slipstick.model.files import law_block
from slipstick.results.fit import WITHIN, Estimate, Fit, LoopFit
from slipstick.results.ranking import Ranking

NAME = "identified"  # of the connection that is to be pasted
FOLLOWS = "* follows from the numbers above it"
LARGE, SMALL = 1e8, 1e-3  # numbers beyond are told with powers of ten


class Table(NamedTuple):
    """heads : of columns.   rows : as words.   numbers : how many of the last columns stand flush right."""

    heads: tuple[str, ...]
    rows: list[tuple[str, ...]]
    numbers: int


def numbers_of(fit: Fit) -> Table:
    """The numbers of a law, then those that follow from them, each with its interval and where it began."""
    ruled = bool(fit.rules)
    heads = ("number", "unit", "value", "95 % interval", "start", *(["by rule"] if ruled else []))
    rows = []
    for name, own in fit.parameters.items():
        rule = [figure(fit.rules[name].value, 4) if name in fit.rules else ""] if ruled else []
        rows.append((name, unit(own), figure(own.value), interval(own), _start(own), *rule))
    for name, own in fit.derived.items():
        rows.append((f"{name} *", unit(own), figure(own.value), interval(own), "", *([""] if ruled else [])))
    return Table(heads, rows, len(heads) - 2)


def loops_of(fit: Fit) -> Table:
    """How each loop is fitted."""
    heads = ("loop", "begins", "amplitude", "Hz", "residual", "noise", "energy")
    alone = len(fit.loops) > 1 and len({loop.file for loop in fit.loops}) == 1  # nobody needs one file in every row
    return Table(heads, [_loop(loop, loop.label if alone else loop.name) for loop in fit.loops], 5)


def notes_of(fit: Fit) -> list[str]:
    """What was done to the data, what is told of several loops once; then why rules do not apply.

    In the words of commands, which is where these rows are shown.
    """
    told: dict[str, list[str]] = {}
    for note in fit.notes:
        told.setdefault(note.command, []).append(note.loop)
    words = []
    for said, of in told.items():
        which = "all loops" if len(of) == len(fit.loops) > 1 else of[0] if len(of) == 1 else f"{len(of)} loops"
        words.append(f"{which}: {said}" if which else said)
    return words + [f"rule: {note.command}" for note in fit.rules.refusals]


def laws_of(ranking: Ranking) -> Table:
    """Laws, best first."""
    validated = any(not math.isnan(row.validation) for row in ranking.table)
    heads = ("law", "numbers", "residual", *(["left out"] if validated else []), "criterion", "in the noise")
    rows = []
    for row in ranking.table:
        if row.fit is None:
            rows.append((row.name, "", "no fit", *([""] if validated else []), "", ""))
            continue
        left = [_plain(row.validation)] if validated else []
        lead = row.criterion - ranking.table[0].criterion
        cells = (str(len(row.fit.free)), f"{row.fit.residual:.4g}", *left, f"{lead:+.4g}")
        rows.append((row.name, *cells, "yes" if row.fit.within_noise else "no"))
    return Table(heads, rows, len(heads) - 1)


def verdict_of(fit: Fit) -> str:
    """How well a law fits, in one line."""
    words = f"residual {fit.residual:.4g} rms, noise {fit.noise:.4g}"
    if fit.within_noise:
        return f"fits within the noise: {words}"
    worst = max(fit.loops, key=lambda loop: loop.rms / loop.range)
    share = f"{100.0 * worst.rms / worst.range:.2g} % of the range of force"
    off = sum(loop.rms > WITHIN * loop.noise for loop in fit.loops)
    which = f" of {off} of {len(fit.loops)} loops" if len(fit.loops) > 1 else ""
    return f"does not fit within the noise{which}: {words}; off by {share}"


def block_of(fit: Fit) -> str:
    """The law to paste under ``connections:`` of a model, with intervals as comments."""
    comments = {name: _comment(own) for name, own in fit.parameters.items()}
    return law_block(fit.law, NAME, comments | _listed(comments) | {"deflection": "put your coordinates here"})


def unit(own: Estimate) -> str:
    """As a column shows it."""
    return "-" if own.unit == "1" else own.unit


def interval(own: Estimate) -> str:
    """``"799187 to 801405"``."""
    if own.fixed:
        return "fixed"
    width, size = own.high - own.low, max(abs(own.low), abs(own.high))
    told = math.isfinite(width) and width > 0.0  # as many digits as tell its ends apart, and one more
    digits = min(max(math.ceil(math.log10(size / width)) + 2, 3), 8) if told else 5
    return f"{figure(own.low, digits)} to {figure(own.high, digits)}"


def figure(value: float, digits: int = 6) -> str:
    """A number with so many digits, as short as it can be told."""
    text = f"{value:.{digits}g}"
    if "e+" in text and abs(value) < LARGE:
        return f"{float(text):.0f}"
    if "e+" in text or 0.0 < abs(value) < SMALL:
        mantissa, _, power = f"{value:.{digits - 1}e}".partition("e")
        return f"{mantissa.rstrip('0').rstrip('.')}e{int(power)}"
    return text


def _comment(own: Estimate) -> str:
    words = "fixed" if own.fixed else f"95 %: {interval(own)}"
    return words if own.unit == "1" else f"{own.unit}, {words}"


def _listed(comments: Mapping[str, str]) -> dict[str, str]:
    """One comment for a list of numbers, of its first and last."""
    found: dict[str, str] = {}
    for name, words in comments.items():
        head, dot, _ = name.rpartition(".")
        if dot:
            found[head] = f"{found[head]}; {words}" if head in found else words
    return found


def _start(own: Estimate) -> str:
    return "" if math.isnan(own.start) else figure(own.start, 4)


def _plain(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.4g}"


def _loop(loop: LoopFit, name: str) -> tuple[str, ...]:
    frequency = "-" if math.isnan(loop.frequency) else f"{loop.frequency:.4g}"
    energy = "-" if not math.isfinite(loop.energy_error) else f"{100.0 * loop.energy_error:+.2g} %"
    figures = (figure(loop.amplitude, 4), frequency, f"{loop.rms:.4g}", f"{loop.noise:.4g}", energy)
    return (name, loop.beginning, *figures)
