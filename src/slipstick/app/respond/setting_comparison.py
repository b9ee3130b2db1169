"""Differences between setting A and the present one, as rows of a table."""

from __future__ import annotations

from slipstick.app.respond.display_data import RunDisplay
from slipstick.app.respond.model_parameters import ModelParameter
from slipstick.app.respond.page_state import StoredSetting
from slipstick.app.respond.tasks import CurveResult, RunResult

ComparisonRow = tuple[str, str, str, str]


def setting_differences(first: StoredSetting, now: StoredSetting) -> list[ComparisonRow]:
    """Rows (name, unit, A, now): changed numbers, peaks, largest rms, ranges of runs, certificates."""
    return [
        *_parameter_rows(first, now),
        *_peak_rows(first, now),
        *_certificate_rows("curve", first.curve, now.curve),
        *_range_rows(first, now),
        *_certificate_rows("run", first.run, now.run),
    ]


def _parameter_rows(first: StoredSetting, now: StoredSetting) -> list[ComparisonRow]:
    known = {knob.name: knob for knob in first.knobs}
    rows = []
    for knob in now.knobs:
        before = known.get(knob.name)
        if before is None or (before.value, before.word) != (knob.value, knob.word):
            rows.append((knob.words, knob.unit, _value_text(before), _value_text(knob)))
    return rows


def _value_text(knob: ModelParameter | None) -> str:
    if knob is None or (knob.value is None and not knob.word):
        return "-"
    return knob.word or f"{knob.value:.6g}"


def _peak_rows(first: StoredSetting, now: StoredSetting) -> list[ComparisonRow]:
    if first.curve is None or now.curve is None:
        return []
    known = {peak.name: peak for peak in first.curve.display.peaks}
    rows = []
    for peak in now.curve.display.peaks:
        if peak.name not in known:
            continue
        before, unit = known[peak.name], now.curve.display.unit
        rows.append((f"peak of {peak.name}", peak.unit, before.size_text, peak.size_text))
        rows.append((f"peak of {peak.name} at", unit, before.at_text, peak.at_text))
        rows.append((f"largest rms of {peak.name}", peak.unit, f"{before.rms:.6g}", f"{peak.rms:.6g}"))
    return rows


def _range_rows(first: StoredSetting, now: StoredSetting) -> list[ComparisonRow]:
    """Half ranges of the histories of a run."""
    if first.run is None or now.run is None:
        return []
    before, after = _history_amplitudes(first.run.display), _history_amplitudes(now.run.display)
    return [
        (f"largest swing of {name} in the run", unit, f"{before[name, unit]:.6g}", f"{size:.6g}")
        for (name, unit), size in after.items()
        if (name, unit) in before
    ]


def _certificate_rows(
    what: str, first: CurveResult | RunResult | None, now: CurveResult | RunResult | None
) -> list[ComparisonRow]:
    """A row for two results that are not both certified."""
    if first is None or now is None:
        return []
    kinds = first.display.certificate.kind, now.display.certificate.kind
    return [] if kinds == ("passed", "passed") else [(f"certificate of the {what}", "", *kinds)]


def _history_amplitudes(display: RunDisplay) -> dict[tuple[str, str], float]:
    return {(line.name, line.unit): 0.5 * (max(line.y) - min(line.y)) for line in display.histories if line.y}
