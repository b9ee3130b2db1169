"""The published systems, as models: their numbers are the defaults, every one a keyword."""

from __future__ import annotations

# at once, not on demand: the builder must hide the module of the same name however that is imported first
from slipstick.systems.fibre import fibre
from slipstick.systems.tensioner import tensioner

__all__ = ["fibre", "tensioner"]
