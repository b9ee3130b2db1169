"""A model as part of an address: a published system with its numbers, or the key of a text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from slipstick.app.linked_states import LinkedStates, content_key
from slipstick.app.model_choice import SYSTEM_DESCRIPTIONS, ModelChoice

TEXT_KEY = "text"
MAX_WORD, MAX_LIST = 40, 40  # letters of a word and numbers of a list in an address


def model_query(choice: ModelChoice, links: LinkedStates) -> dict[str, str]:
    """The query of a model."""
    if choice.system:
        return {"system": choice.system, **{key: json.dumps(value) for key, value in choice.values.items()}}
    if not choice.text.strip():
        return {}
    parts = choice.text, choice.name, sorted(choice.numbers.items())
    return {TEXT_KEY: links.keep(content_key("model", *parts), choice)}


def read_model(query: Mapping[str, str], links: LinkedStates, others: tuple[str, ...] = ()) -> ModelChoice | None:
    """The model in a query, or None.   others : keys of the query that are no numbers of the model."""
    system = query.get("system", "")
    if system not in SYSTEM_DESCRIPTIONS:
        return links.find(query.get(TEXT_KEY, ""), ModelChoice)
    values = {key: read_value(text) for key, text in query.items() if key not in ("system", TEXT_KEY, *others)}
    return ModelChoice(system, {key: value for key, value in values.items() if value is not None})


def read_value(text: str) -> Any:
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
