"""The figure that the page Papers shows, as its address."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

from slipstick.app.model_address import read_value
from slipstick.app.papers.page_state import FigureItem, FigureRequest

PATH = "/papers"
OWN_SCHEME_KEY = "scheme"


def figure_address(request: FigureRequest) -> str:
    """The address of a figure with its numbers."""
    numbers = {name: repr(value) for name, value in request.changed.items()}
    scheme = {OWN_SCHEME_KEY: "own"} if request.own_scheme else {}
    return f"{PATH}?{urlencode({'paper': request.paper, 'figure': request.label, **numbers, **scheme})}"


def read_figure(query: Mapping[str, str], items: Sequence[FigureItem]) -> FigureRequest | None:
    """The figure in the query of an address, or None; numbers that it does not have are left out."""
    place = query.get("paper"), query.get("figure")
    item = next((own for own in items if (own.paper, own.label) == place), None)
    if item is None:
        return None
    values = {knob.name: read_value(query.get(knob.name, "")) for knob in item.knobs}
    changed = {
        knob.name: value
        for knob in item.knobs
        if isinstance(value := values[knob.name], float) and knob.low <= value <= knob.high and value != knob.value
    }
    return FigureRequest(item.paper, item.label, changed, item.has_own_scheme and OWN_SCHEME_KEY in query)
