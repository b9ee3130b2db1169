"""Undo and redo on the page Respond, and the present settings as an address."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, NamedTuple
from urllib.parse import urlencode

from slipstick.app.model_choice import SYSTEM_DESCRIPTIONS, ModelChoice

MAX_STEPS = 100  # the oldest is dropped
PENDING_TIME = 2.0  # [s] after a change, within which its address may not have reached the browser
ONE_STEP_TIME = 1.0  # [s] between changes of one quantity that are undone together, as those of a dragged slider
MAX_WORD, MAX_LIST = 40, 40  # letters of a word and numbers of a list in an address
PATH = "/respond"


class Settings(NamedTuple):
    """What can be undone.   begin, end : range of the curve [rad/s]."""

    choice: ModelChoice
    begin: float
    end: float


@dataclass
class SettingHistory:
    """past, future : settings before and after the present ones, the nearest last.   clock : [s]"""

    past: list[Settings] = field(default_factory=list)
    future: list[Settings] = field(default_factory=list)
    clock: Callable[[], float] = monotonic
    _last: tuple[str, float] = ("", -math.inf)  # quantity and time of the last change

    def record(self, before: Settings, quantity: str) -> bool:
        """Record a change; False if it continues the last one.   before : the settings until now."""
        (last, time), now = self._last, self.clock()
        self._last, self.future = (quantity, now), []
        if quantity == last and now - time < ONE_STEP_TIME:
            return False
        self.past = [*self.past, before][-MAX_STEPS:]
        return True

    def is_address_pending(self) -> bool:
        """True right after a change: a page that is loaded now may still have the address before it."""
        return self.clock() - self._last[1] < PENDING_TIME

    def undo(self, present: Settings) -> Settings | None:
        """The settings before the last change; None if there are none."""
        return self._step(self.past, self.future, present)

    def redo(self, present: Settings) -> Settings | None:
        """The settings that were undone last; None if there are none."""
        return self._step(self.future, self.past, present)

    def follow(self, before: Settings, present: Settings) -> None:
        """Follow the browser's buttons back and forward, whose addresses are the settings of earlier changes."""
        if before == present:
            return
        if self.past and self.past[-1] == present:
            self.undo(before)
        elif self.future and self.future[-1] == present:
            self.redo(before)

    def _step(self, origin: list[Settings], target: list[Settings], present: Settings) -> Settings | None:
        if not origin:
            return None
        self._last = ("", -math.inf)
        target.append(present)
        return origin.pop()


def settings_address(settings: Settings, view: str) -> str:
    """The address of these settings. A text is not part of it: the tab has that."""
    choice = settings.choice
    values = {key: json.dumps(value) for key, value in choice.values.items()}
    model = {"system": choice.system, **values} if choice.system else {}
    ends = {"from": repr(float(settings.begin)), "to": repr(float(settings.end))}
    return f"{PATH}?{urlencode({**model, **ends, 'view': view})}"


class AddressSettings(NamedTuple):
    """Settings in an address; None for what it does not have."""

    choice: ModelChoice | None
    ends: tuple[float, float] | None
    view: str


def read_address(query: Mapping[str, str]) -> AddressSettings:
    """The settings in the query of an address; what cannot be read is left out."""
    system = query.get("system", "")
    values = {key: _value(text) for key, text in query.items() if key not in ("system", "from", "to", "view")}
    known = {key: value for key, value in values.items() if value is not None}
    choice = ModelChoice(system, known) if system in SYSTEM_DESCRIPTIONS else None
    begin, end = (_value(query.get(key, "")) for key in ("from", "to"))
    is_range = isinstance(begin, float) and isinstance(end, float) and 0.0 < begin < end
    return AddressSettings(choice, (begin, end) if is_range else None, query.get("view", ""))


def _value(text: str) -> Any:
    """A number, a word or numbers from an address; None for anything else."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, str):
        return value if len(value) <= MAX_WORD else None
    if isinstance(value, list):
        numbers = [_finite(each) for each in value[: MAX_LIST + 1]]
        return tuple(numbers) if len(numbers) <= MAX_LIST and None not in numbers else None
    return _finite(value)


def _finite(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and abs(value) < 1e300 else None
