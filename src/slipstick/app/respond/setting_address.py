"""The settings of the page Respond as its address."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urlencode

from slipstick.app.linked_states import LinkedStates
from slipstick.app.model_address import model_query, read_model, read_value
from slipstick.app.model_choice import ModelChoice

PATH = "/respond"
OTHER_KEYS = ("from", "to", "view")


class Settings(NamedTuple):
    """What can be undone.   begin, end : range of the curve [rad/s]."""

    choice: ModelChoice
    begin: float
    end: float


def settings_address(settings: Settings, view: str, links: LinkedStates) -> str:
    """The address of these settings."""
    ends = {"from": repr(float(settings.begin)), "to": repr(float(settings.end))}
    return f"{PATH}?{urlencode({**model_query(settings.choice, links), **ends, 'view': view})}"


class AddressSettings(NamedTuple):
    """Settings in an address; None for what it does not have."""

    choice: ModelChoice | None
    ends: tuple[float, float] | None
    view: str


def read_address(query: Mapping[str, str], links: LinkedStates) -> AddressSettings:
    """The settings in the query of an address; what cannot be read is left out."""
    begin, end = (read_value(query.get(key, "")) for key in ("from", "to"))
    is_range = isinstance(begin, float) and isinstance(end, float) and 0.0 < begin < end
    choice = read_model(query, links, OTHER_KEYS)
    return AddressSettings(choice, (begin, end) if is_range else None, query.get("view", ""))
