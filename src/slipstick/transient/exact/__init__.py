"""The exact flow of piecewise-linear systems."""

from slipstick.transient.exact.method import accepts, run

__all__ = ["accepts", "run"]
