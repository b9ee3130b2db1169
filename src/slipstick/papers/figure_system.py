"""The system that a figure is of, with the figure's numbers, to be looked at otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from slipstick.papers.entry import Entry
from slipstick.papers.knob import printed_values


def figure_system_keywords(entry: Entry, changed: Mapping[str, float]) -> dict[str, Any] | None:
    """Keywords for ``ss.systems`` that differ from its own; None for a figure without a system."""
    if entry.system is None:
        return None
    from slipstick.systems.keyword_defaults import keyword_defaults

    law = entry.system.get("law")
    known = keyword_defaults(entry.paper, law)
    given = {**entry.keywords({**printed_values(entry.knobs), **changed}), **entry.system}
    values = {name: value for name, value in given.items() if name in known and value != known[name]}
    return values if law is None else {"law": law, **values}


def unsupported_parameters(entry: Entry) -> tuple[str, ...]:
    """Knobs whose numbers the system does not have, such as those of the figure's other law."""
    return tuple(
        knob.name
        for knob in entry.knobs
        if figure_system_keywords(entry, {knob.name: knob.low}) == figure_system_keywords(entry, {knob.name: knob.high})
    )
