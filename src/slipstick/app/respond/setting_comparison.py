"""What differs between the setting A and the one of now, as rows of a table."""

from __future__ import annotations

from slipstick.app.respond.display_data import RunDisplay
from slipstick.app.respond.model_parameters import ModelParameter
from slipstick.app.respond.page_state import StoredSetting

ComparisonRow = tuple[str, str, str, str]


def setting_differences(first: StoredSetting, now: StoredSetting) -> list[ComparisonRow]:
    """What, its unit, with A, now: numbers that were changed, peaks, largest rms, swings of runs."""
    return [*_parameter_rows(first, now), *_peak_rows(first, now), *_range_rows(first, now)]


def _parameter_rows(first: StoredSetting, now: StoredSetting) -> list[ComparisonRow]:
    known = {knob.name: knob for knob in first.knobs}
    found = []
    for knob in now.knobs:
        before = known.get(knob.name)
        if before is None or (before.value, before.word) != (knob.value, knob.word):
            found.append((knob.words, knob.unit, _value_text(before), _value_text(knob)))
    return found


def _value_text(knob: ModelParameter | None) -> str:
    if knob is None or (knob.value is None and not knob.word):
        return "-"
    return knob.word or f"{knob.value:.6g}"


def _peak_rows(first: StoredSetting, now: StoredSetting) -> list[ComparisonRow]:
    if first.curve is None or now.curve is None:
        return []
    known = {peak.name: peak for peak in first.curve.shown.peaks}
    found = []
    for peak in now.curve.shown.peaks:
        if peak.name not in known:
            continue
        before, unit = known[peak.name], now.curve.shown.unit
        found.append((f"peak of {peak.name}", peak.unit, f"{before.size:.6g}", f"{peak.size:.6g}"))
        found.append((f"peak of {peak.name} at", unit, f"{before.at:.6g}", f"{peak.at:.6g}"))
        found.append((f"largest rms of {peak.name}", peak.unit, f"{before.rms:.6g}", f"{peak.rms:.6g}"))
    return found


def _range_rows(first: StoredSetting, now: StoredSetting) -> list[ComparisonRow]:
    """Half of what histories span over a run."""
    if first.run is None or now.run is None:
        return []
    before, after = _history_amplitudes(first.run.shown), _history_amplitudes(now.run.shown)
    return [
        (f"largest swing of {name} in the run", unit, f"{before[name, unit]:.6g}", f"{size:.6g}")
        for (name, unit), size in after.items()
        if (name, unit) in before
    ]


def _history_amplitudes(shown: RunDisplay) -> dict[tuple[str, str], float]:
    return {(line.name, line.unit): 0.5 * (max(line.y) - min(line.y)) for line in shown.histories if line.y}
