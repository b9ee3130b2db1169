"""The exact flow of piecewise-linear systems."""

from slipstick.transient.exact.method import run

__all__ = ["run"]
