"""The exact flow of piecewise-linear systems."""

from slipstick.transient.exact.run import run

__all__ = ["run"]
