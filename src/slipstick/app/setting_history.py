"""Undo and redo of the settings of a page."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic
from typing import Generic, TypeVar

SettingsT = TypeVar("SettingsT")

MAX_STEPS = 100  # unless said otherwise; the oldest is dropped
PENDING_TIME = 2.0  # [s] after a change, within which its address may not have reached the browser
ONE_STEP_TIME = 1.0  # [s] between changes of one quantity that are undone together, as those of a dragged slider


@dataclass
class SettingHistory(Generic[SettingsT]):
    """past, future : settings before and after the present ones, the nearest last; ``most`` of them.   clock : [s]"""

    past: list[SettingsT] = field(default_factory=list)
    future: list[SettingsT] = field(default_factory=list)
    clock: Callable[[], float] = monotonic
    most: int = MAX_STEPS
    _last: tuple[str, float] = ("", -math.inf)  # quantity and time of the last change

    def record(self, before: SettingsT, quantity: str) -> bool:
        """Record a change; False if it continues the last one.   before : the settings until now."""
        (last, time), now = self._last, self.clock()
        self._last, self.future = (quantity, now), []
        if quantity == last and now - time < ONE_STEP_TIME:
            return False
        self.past = [*self.past, before][-self.most :]
        return True

    def is_address_pending(self) -> bool:
        """True right after a change: a page that is loaded now may still have the address before it."""
        return self.clock() - self._last[1] < PENDING_TIME

    def undo(self, present: SettingsT) -> SettingsT | None:
        """The settings before the last change; None if there are none."""
        return self._step(self.past, self.future, present)

    def redo(self, present: SettingsT) -> SettingsT | None:
        """The settings that were undone last; None if there are none."""
        return self._step(self.future, self.past, present)

    def follow(self, before: SettingsT, present: SettingsT) -> None:
        """Follow the browser's buttons back and forward, whose addresses are the settings of earlier changes."""
        if before == present:
            return
        if self.past and self.past[-1] == present:
            self.undo(before)
        elif self.future and self.future[-1] == present:
            self.redo(before)

    def _step(self, origin: list[SettingsT], target: list[SettingsT], present: SettingsT) -> SettingsT | None:
        if not origin:
            return None
        self._last = ("", -math.inf)
        target.append(present)
        return origin.pop()
