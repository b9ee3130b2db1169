"""The published systems, as models: their numbers are the defaults, every one a keyword."""

from __future__ import annotations

# at once, not on demand: the builder must hide the module of the same name however that is imported first
from slipstick.systems.clutch import clutch
from slipstick.systems.fibre import fibre
from slipstick.systems.gear import gear
from slipstick.systems.tensioner import tensioner
from slipstick.systems.torsional import TorsionalSystem, torsional

__all__ = ["TorsionalSystem", "clutch", "fibre", "gear", "tensioner", "torsional"]
