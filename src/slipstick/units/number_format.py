"""Numbers as text for people."""

from __future__ import annotations


def format_exact(value: float) -> str:
    """A float that reads back exactly, and as a float in every version of YAML: 1.0e-05."""
    text = repr(float(value))
    mantissa, mark, exponent = text.partition("e")
    return f"{mantissa if '.' in mantissa else mantissa + '.0'}{mark}{exponent}" if mark else text
