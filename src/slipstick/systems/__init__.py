"""The published systems, as models: their numbers are the defaults, every one a keyword."""

from __future__ import annotations

from importlib import import_module
from typing import Any

_BUILDERS = ("tensioner",)

__all__ = list(_BUILDERS)


def __getattr__(name: str) -> Any:
    if name not in _BUILDERS:
        raise AttributeError(f"module 'slipstick.systems' has no attribute '{name}'")
    found = getattr(import_module(f"slipstick.systems.{name}"), name)
    globals()[name] = found  # the builder, not the module of the same name
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
