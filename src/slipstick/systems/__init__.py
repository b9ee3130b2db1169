"""The published systems as models; every parameter is a keyword with the printed value as default.

clutch                            the clutch of the clutch paper
fibre                             a mass on two fibre samples
gear                              the four-body gear train
tensioner                         belt, tensioner and mass
torsional                         torsional oscillator with dry friction
keyword_checks, keyword_defaults  checks and defaults of keywords
system_units                      SI units for axes and files
"""

from __future__ import annotations

# at once, not on demand: the builder must hide the module of the same name however that is imported first
from slipstick.systems.clutch import clutch
from slipstick.systems.fibre import fibre
from slipstick.systems.gear import gear
from slipstick.systems.tensioner import tensioner
from slipstick.systems.torsional import TorsionalSystem, torsional

__all__ = ["TorsionalSystem", "clutch", "fibre", "gear", "tensioner", "torsional"]
