"""Coordinates and connections by their names: as an argument gives them, and counted in words."""

from __future__ import annotations

from collections.abc import Iterable, Sized
from typing import TYPE_CHECKING, Any

from slipstick.errors import InvalidInput, did_you_mean, short_repr
from slipstick.model.linear_forms import Form

if TYPE_CHECKING:
    from slipstick.model.system import System


def names_of(system: System, given: Any, kind: str, where: str) -> tuple[str, ...]:
    """Names of coordinates or connections, from names or from themselves; each once, in the model's order.

    kind : "coordinate" or "connection".   where : the verb and the argument, as in "reduce: massless".
    """
    argument = where.rpartition(": ")[2]
    things = system.coordinates if kind == "coordinate" else system.connections
    known = [thing.name for thing in things]
    if given is None:
        return ()
    if isinstance(given, (str, Form)) or hasattr(given, "name"):
        given = [given]
    if not isinstance(given, Iterable):
        raise InvalidInput(f"{where} is a list of names, got {short_repr(given)}").about(argument)
    found = set()
    for one in given:
        name = getattr(one, "name", one)
        if not isinstance(name, str) or name not in known:
            hint = did_you_mean(name, known) if isinstance(name, str) else ""
            raise InvalidInput(f"no {kind} {short_repr(name)}{hint}", owner=where).about(argument)
        found.add(name)
    return tuple(name for name in known if name in found)


def count_phrase(things: Sized, word: str) -> str:
    """``2 coordinates``, ``1 coordinate``."""
    return f"{len(things)} {word}{'s' * (len(things) != 1)}"
