"""What the page Identify asks of files: which, their columns and units, what is done to them before a fit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from nicegui import events, ui

from slipstick.app import parts
from slipstick.app.guard import too_large
from slipstick.app.identify.kept import ROLES, Kept, Preview, Reading
from slipstick.app.numbers import number
from slipstick.datasets import NAMES
from slipstick.errors import InvalidInput

if TYPE_CHECKING:
    from slipstick.identification.bare import Bare

UNITS = {
    "deflection": ["mm", "um", "m", "deg", "rad", "mrad", "%"],
    "force": ["N", "kN", "N m", "kN m", "Pa", "kPa", "MPa"],
    "time": ["s", "ms"],
}
TOLD = ""  # the choice of who leaves it to the header
DROP = """
<label class="drop" tabindex="-1">
  <span>Drop CSV files here, or</span>
  <q-btn flat dense no-caps label="choose files" @click="props.pickFiles"><q-uploader-add-trigger /></q-btn>
</label>
"""


def files(
    shipped: Callable[[], str | None], largest: int, begin: Callable[[], Any],
    take: Callable[[events.UploadEventArguments], Any], end: Callable[[], Any], pick: Callable[[str], Any],
) -> ui.select:  # fmt: skip
    """Where files are dropped; the sets that come with slipstick, to choose from.

    shipped : the set that is there, or asked for.
    begin, end : called once for all that is dropped together.   take : for each file of it.
    """
    upload = ui.upload(
        multiple=True, auto_upload=True, max_file_size=largest, on_upload=take,
        on_rejected=lambda: parts.complain(too_large(largest)),
    )  # fmt: skip
    upload.on("added", begin, args=[])
    upload.on("finish", lambda: upload.reset(), args=[])  # else the same file could not be dropped again
    upload.on("finish", end, args=[])
    upload.props("flat").classes("full-width drop-files").add_slot("header", DROP)
    options = {name: f"{name}: {own.words}" for name, own in NAMES.items()}
    chooser = ui.select(options, label="or try a shipped set (synthetic)", value=shipped())
    chooser.props("dense outlined options-dense").classes("full-width").on_value_change(
        lambda e: pick(e.value) if e.value and e.value != shipped() else None
    )
    return chooser


def listed(kept: Kept, remove: Callable[[str], Any]) -> None:
    """The files that are there, and what was dropped and is not."""
    for k, file in enumerate(kept.files):
        with ui.element("div").classes("line"):
            ui.label(file.name).classes("small").style("flex: 1 1 8rem; overflow-wrap: anywhere")
            ui.label(f"{len(file.content) / 1e3:,.0f} kB").classes("quiet small")
            button = ui.button(icon="close", on_click=lambda _, name=file.name: remove(name))
            button.props(f'flat round dense size=sm aria-label="remove file {k + 1}"')
    for words in kept.refused:
        parts.note(words, "problem")


def columns(preview: Preview, reading: Callable[[], Reading], change: Callable[[Reading], Any]) -> None:
    """Which column is what, in which unit, and what is done to loops before a fit.   reading : as it is now."""
    asked = _Form(reading, change)
    names = dict(preview.columns)
    for role in ROLES:
        with ui.element("div").classes("ask"):
            asked.column(role, names)
            asked.unit(role)
    asked.by(names)
    now = reading()
    is_changed = bool(now.factors) or now.drift or now.offset  # what changes data is never out of sight
    with ui.expansion("signs, drift, offset", value=is_changed).props("dense").classes("full-width small"):
        with ui.element("div").classes("fields"):
            asked.factor("deflection")
            asked.factor("force")
        asked.flag("drift", "take out drift: what creeps from cycle to cycle")
        asked.flag("offset", "put about zero: the middle of the loops is taken off")


class _Form:
    """Fields that each change one thing of a reading."""

    def __init__(self, reading: Callable[[], Reading], change: Callable[[Reading], Any]) -> None:
        self._reading, self._change = reading, change

    @property
    def now(self) -> Reading:
        return self._reading()

    async def put(self, **new: Any) -> None:
        await self._change(replace(self.now, **new))

    def column(self, role: str, names: Mapping[Any, str]) -> None:
        options = {TOLD: "as told by the file"} | dict(names)
        value = self.now.columns.get(role, TOLD)
        field = ui.select(options, label=f"{role}: column", value=value if value in options else TOLD)
        field.props("dense outlined options-dense").on_value_change(
            parts.handled(lambda e: self.put(columns=_with(self.now.columns, role, e.value, TOLD)))
        )

    def unit(self, role: str) -> None:
        field = ui.input("unit", value=self.now.units.get(role, ""), autocomplete=UNITS[role])
        field.props(f'dense outlined stack-label debounce=500 aria-label="unit of {role}" placeholder="of its header"')
        field.on_value_change(
            parts.handled(lambda e: self.put(units=_with(self.now.units, role, (e.value or "").strip(), "")))
        )

    def by(self, names: Mapping[Any, str]) -> None:
        known = [own for own in self.now.by if own in names]
        field = ui.select(dict(names), label="loops are told apart by", value=known, multiple=True)
        field.props("dense outlined options-dense clearable").classes("full-width").on_value_change(
            parts.handled(lambda e: self.put(by=tuple(e.value or ())))
        )

    def factor(self, role: str) -> None:
        label = f"{role} times"
        value = f"{self.now.factors.get(role, 1.0):.15g}"
        field = ui.input(label, value=value, validation=lambda text: _trouble(label, text))
        field.props('dense outlined debounce=500 inputmode="decimal"')

        async def change(event: Any) -> None:
            if not _trouble(label, event.value):
                await self.put(factors=_with(self.now.factors, role, _factor(label, event.value), 1.0))

        field.on_value_change(parts.handled(change))

    def flag(self, what: str, words: str) -> None:
        ui.checkbox(words, value=getattr(self.now, what)).props("dense").classes("small").on_value_change(
            parts.handled(lambda e: self.put(**{what: bool(e.value)}))
        )


def bare(own: Bare, take: Callable[[dict[str, str]], Any]) -> None:
    """That a file says no units, and what it may be in, at a click.   take : units by what they are of."""
    guessed = own.taken | {"deflection": own.guess} if own.guess else own.taken
    much = f", which is much; it looks like {own.guess}" if own.guess else ""
    with ui.element("div").classes("problem small stack").props('role="status"'):
        if own.alone:
            parts.note(f"{own.words}{much}. Other files are in other units: write its own into its header.", "small")
            return
        parts.note(f"{own.words}{much}. What is it in?", "small")
        with ui.element("div").classes("line"):
            for k, units in enumerate((guessed, own.taken) if own.guess else (own.taken,)):
                button = ui.button(" and ".join(units.values()), on_click=parts.handled(lambda _, u=units: take(u)))
                button.props(f"no-caps dense {'flat' if k else 'unelevated'}")
            parts.note("or say so above")


def _factor(label: str, typed: str | None) -> float:
    """One where nothing is typed; zero is left to be refused."""
    return number(label, typed) if typed and typed.strip() else 1.0


def _trouble(label: str, typed: str | None) -> str | None:
    try:
        _factor(label, typed)
    except InvalidInput as problem:
        return str(problem)
    return None


def _with(old: Mapping[str, Any], key: str, value: Any, usual: Any) -> dict[str, Any]:
    """With one value changed; what is as usual is not kept."""
    rest = {name: own for name, own in old.items() if name != key}
    return rest if value == usual else rest | {key: value}
