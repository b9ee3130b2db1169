"""Differences between kept settings and the present one, as a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from slipstick.app.respond.display_data import PeakRow, RunDisplay
from slipstick.app.respond.kept_settings import KeptSetting
from slipstick.app.respond.model_parameters import ModelParameter
from slipstick.app.respond.response_results import CurveResult, RunResult

MISSING_TEXT = "-"
NOW_NAME = "now"
ComparisonRow = tuple[str, ...]


def comparison_heads(kept: Sequence[KeptSetting]) -> ComparisonRow:
    """The heads of the table."""
    return ("quantity", "unit", *(own.name for own in kept), NOW_NAME)


def setting_differences(kept: Sequence[KeptSetting], now: KeptSetting) -> list[ComparisonRow]:
    """Rows (quantity, unit, a value for each kept setting, now).

    Changed numbers, peaks, largest rms, ranges of runs, certificates that are not all green.
    """
    settings = [*kept, now]
    curves, runs = [own.curve for own in settings], [own.run for own in settings]
    return [
        *_parameter_rows(settings),
        *_peak_rows(curves),
        *_certificate_rows("curve", curves),
        *_range_rows(runs),
        *_certificate_rows("run", runs),
    ]


def _parameter_rows(settings: Sequence[KeptSetting]) -> list[ComparisonRow]:
    known = [{knob.name: knob for knob in own.knobs} for own in settings]
    rows = []
    for knob in settings[-1].knobs:
        each = [own.get(knob.name) for own in known]
        if any(other is None or (other.value, other.word) != (knob.value, knob.word) for other in each):
            rows.append((knob.words, knob.unit, *map(_value_text, each)))
    return rows


def _value_text(knob: ModelParameter | None) -> str:
    if knob is None or (knob.value is None and not knob.word):
        return MISSING_TEXT
    return knob.word or f"{knob.value:.6g}"


def _peak_rows(curves: Sequence[CurveResult | None]) -> list[ComparisonRow]:
    now = curves[-1]
    if now is None:
        return []
    known = [{peak.name: peak for peak in own.display.peaks} if own is not None else {} for own in curves]
    rows: list[ComparisonRow] = []
    for peak in now.display.peaks:
        each = [own.get(peak.name) for own in known]
        if sum(own is not None for own in each) < 2:
            continue

        def row(words: str, unit: str, text: Callable[[PeakRow], str], each: list[PeakRow | None] = each) -> None:
            rows.append((words, unit, *(MISSING_TEXT if own is None else text(own) for own in each)))

        row(f"peak of {peak.name}", peak.unit, lambda own: own.size_text)
        row(f"peak of {peak.name} at", now.display.unit, lambda own: own.at_text)
        row(f"largest rms of {peak.name}", peak.unit, lambda own: f"{own.rms:.6g}")
    return rows


def _range_rows(runs: Sequence[RunResult | None]) -> list[ComparisonRow]:
    """Half ranges of the histories of runs."""
    if runs[-1] is None:
        return []
    known = [_history_amplitudes(run.display) if run is not None else {} for run in runs]
    rows = []
    for key in known[-1]:
        each = [own.get(key) for own in known]
        if sum(own is not None for own in each) > 1:
            texts = (MISSING_TEXT if own is None else f"{own:.6g}" for own in each)
            rows.append((f"largest swing of {key[0]} in the run", key[1], *texts))
    return rows


def _certificate_rows(what: str, results: Sequence[CurveResult | RunResult | None]) -> list[ComparisonRow]:
    """A row for results that are not all certified."""
    kinds = [MISSING_TEXT if own is None else own.display.certificate.kind for own in results]
    if results[-1] is None or len(results) - kinds.count(MISSING_TEXT) < 2 or set(kinds) <= {"passed", MISSING_TEXT}:
        return []
    return [(f"certificate of the {what}", "", *kinds)]


def _history_amplitudes(display: RunDisplay) -> dict[tuple[str, str], float]:
    return {(line.name, line.unit): 0.5 * (max(line.y) - min(line.y)) for line in display.histories if line.y}
