"""Form for columns, units and preprocessing on the page Identify.

The fields are made once, so that other files do not clear what a user is typing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from nicegui import ui

from slipstick.app import widgets
from slipstick.app.identify.page_state import ROLES, Column, FilePreview, ReadOptions
from slipstick.app.number_input import parse_number
from slipstick.errors import InvalidInput

UNIT_OPTIONS = {
    "deflection": ["mm", "um", "m", "deg", "rad", "mrad", "%"],
    "force": ["N", "kN", "N m", "kN m", "Pa", "kPa", "MPa"],
    "time": ["s", "ms"],
}
FROM_HEADER = ""  # the choice: as in the header
DECIMAL_OPTIONS = {FROM_HEADER: "from the file", ".": "point: 1.5", ",": "comma: 1,5"}
DEBOUNCE_PROP = "debounce=500"  # [ms] after the last key
PREPROCESSING_OPTIONS = {
    "drift": "remove drift from cycle to cycle",
    "offset": "remove the offset: centre the loops about zero",
    "skip_incomplete": "skip rows with holes",
    "turn_sign": "flip the sign of a force that delivers energy",
    "remove_lag": "remove the delay of the force",
}


class ColumnForm:
    """Fields that each change one read option.   reading : the present options.   change : sets others."""

    def __init__(self, reading: Callable[[], ReadOptions], change: Callable[[ReadOptions], Any]) -> None:
        self._reading, self._change = reading, change
        self._updating_fields = False  # the page sets the fields, not the user
        with ui.element("div").classes("stack") as self._place:
            widgets.title("Columns and units")
            self._columns, self._units = {}, {}
            for role in ROLES:
                with ui.element("div").classes("ask"):
                    self._columns[role], self._units[role] = self._column(role), self._unit(role)
            self._by = ui.select({}, label="separate loops by", value=[], multiple=True)
            self._by.props("dense outlined options-dense clearable").classes("full-width")
            self._on_change(self._by, lambda value: {"by": tuple(value or ())})
            self._decimal = ui.select(DECIMAL_OPTIONS, label="decimal sign", value=FROM_HEADER)
            self._decimal.props("dense outlined options-dense").classes("full-width")
            self._on_change(self._decimal, lambda value: {"decimal": value or FROM_HEADER})
            with ui.expansion("signs, drift, offset, holes").props("dense").classes("full-width small") as self._more:
                with ui.element("div").classes("fields"):
                    self._factors = {role: self._times(role) for role in ("deflection", "force")}
                    self._rate = self._samples_per_second()
                self._flags = {what: self._flag(what, words) for what, words in PREPROCESSING_OPTIONS.items()}
        self._place.set_visibility(False)

    def show(self, preview: FilePreview | None) -> None:
        """Show the columns of the first file, if any; fields that are up to date stay untouched."""
        self._place.set_visibility(preview is not None)
        names, now = dict(preview.columns) if preview else {}, self._reading()
        self._updating_fields = True
        for role, field in self._columns.items():
            own = now.columns.get(role, FROM_HEADER)
            _set_options(field, _with_missing_columns({FROM_HEADER: "from the file"} | names, own), own)
        _set_options(self._decimal, DECIMAL_OPTIONS, now.decimal)
        _set_options(self._by, _with_missing_columns(names, *now.by), list(now.by))
        for role, text in self._units.items():
            if (text.value or "").strip() != now.units.get(role, ""):
                text.set_value(now.units.get(role, ""))
        for role, text in self._factors.items():
            factor = now.factors.get(role, 1.0)
            if not _factor_problem("", text.value) and _factor("", text.value) != factor:
                text.set_value(f"{factor:.15g}")
        if (self._rate.value or "").strip() != now.rate:
            self._rate.set_value(now.rate)
        for what, box in self._flags.items():
            box.set_value(getattr(now, what))
        self._updating_fields = False
        changes_data = now.factors or now.rate or any(getattr(now, what) for what in PREPROCESSING_OPTIONS)
        if changes_data:  # such options are always visible
            self._more.open()

    def focus(self, name: str) -> None:
        """Go to a field: "rate", "units", or a role for its column."""
        if name == "rate":
            self._more.open()
        field = {"rate": self._rate, "units": self._units["deflection"], **self._columns}.get(name)
        if field is not None:
            field.run_method("focus")

    def _on_change(self, field: Any, changes: Callable[[Any], dict[str, Any] | None]) -> None:
        """Change the read options when the user changes a field.   changes : from its value; None for no change."""

        async def put(value: Any) -> None:
            new = changes(value)  # now, not at the event: another field may have changed the options since
            if new is not None:
                await self._change(replace(self._reading(), **new))

        def changed(event: Any) -> Any:
            return None if self._updating_fields else widgets.with_error_notification(put)(event.value)

        field.on_value_change(changed)

    def _column(self, role: str) -> ui.select:
        field = ui.select({FROM_HEADER: ""}, label=f"{role}: column", value=FROM_HEADER).props(
            "dense outlined options-dense"
        )
        self._on_change(
            field, lambda value: {"columns": _with_entry(self._reading().columns, role, value, FROM_HEADER)}
        )
        return field

    def _unit(self, role: str) -> ui.input:
        field = ui.input("unit", autocomplete=UNIT_OPTIONS[role])
        field.props(
            f'dense outlined stack-label {DEBOUNCE_PROP} aria-label="unit of {role}" placeholder="of its header"'
        )
        self._on_change(
            field, lambda value: {"units": _with_entry(self._reading().units, role, (value or "").strip(), "")}
        )
        return field

    def _times(self, role: str) -> ui.input:
        label = f"{role} times"
        field = ui.input(label, value="1", validation=lambda text: _factor_problem(label, text))
        field.props(f'dense outlined {DEBOUNCE_PROP} inputmode="decimal"')

        def changes(text: str | None) -> dict[str, Any] | None:
            if _factor_problem(label, text):
                return None
            return {"factors": _with_entry(self._reading().factors, role, _factor(label, text), 1.0)}

        self._on_change(field, changes)
        return field

    def _samples_per_second(self) -> ui.input:
        field = ui.input("samples per second").props(f'dense outlined {DEBOUNCE_PROP} placeholder="of its times"')
        self._on_change(field, lambda value: {"rate": (value or "").strip()})
        return field

    def _flag(self, what: str, words: str) -> ui.checkbox:
        box = ui.checkbox(words).props("dense").classes("small")
        self._on_change(box, lambda value: {what: bool(value)})
        return box


def _set_options(field: ui.select, options: Mapping[Any, str], value: Any) -> None:
    if (field.options, field.value) != (options, value):
        field.set_options(dict(options), value=value)


def _with_missing_columns(options: Mapping[Any, str], *chosen: Column) -> dict[Any, str]:
    """Options with the chosen columns that this file lacks: another file may have them."""
    lacking = [own for own in chosen if own not in options]
    words = {own: own if isinstance(own, str) else f"column {own}" for own in lacking}
    return {**options, **{own: f"{words[own]} (not in this file)" for own in lacking}}


def _factor(label: str, typed: str | None) -> float:
    """The typed factor, 1 if empty; the reader refuses zero."""
    return parse_number(label, typed) if typed and typed.strip() else 1.0


def _factor_problem(label: str, typed: str | None) -> str | None:
    try:
        _factor(label, typed)
    except InvalidInput as problem:
        return str(problem)
    return None


def _with_entry(old: Mapping[str, Any], key: str, value: Any, usual: Any) -> dict[str, Any]:
    """A copy with one entry changed; the usual value is left out."""
    rest = {name: own for name, own in old.items() if name != key}
    return rest if value == usual else rest | {key: value}
