"""Numbers with units, as files write them: ``560 N/mm``, ``1e3``, ``-0.2 deg``. Plain numbers are SI.

A number is one of the core schema of YAML 1.2 (``1e3`` is, ``1_000`` and ``1:30`` are not), and
finite. The unit stays text here; `slipstick.units.parser` has its factor and dimension.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import Any, NamedTuple

from slipstick.errors import InvalidInput, short_repr
from slipstick.model.files.file_problems import describe_value

_NUMBER = re.compile(r"([-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?)(.*)", re.DOTALL)
_HEX = re.compile(r"0o[0-7]{1,20}|0x[0-9a-fA-F]{1,16}")
_NOT_FINITE = re.compile(r"[-+]?\.?(inf(inity)?|nan)", re.IGNORECASE)
_WORDS = {"true", "false", "yes", "no", "on", "off"}


class Quantity(NamedTuple):
    """A number with the unit written behind it ("" for none) and the text of the file."""

    number: Fraction
    unit: str
    text: str

    @property
    def value(self) -> float:
        """The number, without its unit."""
        return float(self.number)


def read_quantity(value: Any) -> Quantity:
    """A quantity from a value of the document; raises InvalidInput with the reason."""
    if value is None:
        raise InvalidInput("is empty; give a number, or remove the line")
    if not isinstance(value, str):
        raise InvalidInput(f"must be a number with or without a unit, got {describe_value(value)}")
    text = value.strip().replace("\N{MINUS SIGN}", "-")
    if _HEX.fullmatch(text):
        return Quantity(Fraction(int(text, 0)), "", text)
    found = _NUMBER.fullmatch(text)
    if not found:
        raise InvalidInput(_not_a_number(text))
    number, unit = found.group(1), found.group(2).strip()
    if unit[:1] in set(",._:0123456789") and not unit.startswith("1/"):  # 1,000 or 1 000 or 1.2.3 or 12:30
        raise InvalidInput(
            f"must be a number, got {short_repr(text)}; write it like 1234.5 or 1.2e3, without separators"
        )
    return Quantity(_exact(number), unit, text)


def read_flag(value: Any) -> bool:
    """true or false."""
    if isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower() == "true"
    raise InvalidInput(f"must be true or false, got {describe_value(value)}")


def _exact(text: str) -> Fraction:
    """The number without rounding, once it is known to be one that a float can hold."""
    rounded = float(text)
    if math.isinf(rounded):
        raise InvalidInput(f"must be finite, got {short_repr(text)}, which is beyond 1.8e308")
    if rounded == 0.0:
        if re.search("[1-9]", re.split("[eE]", text)[0]):
            raise InvalidInput(f"is too small for a number, got {short_repr(text)}; write 0 or at least 5e-324")
        return Fraction(0)
    return Fraction(text)


def _not_a_number(text: str) -> str:
    if _NOT_FINITE.fullmatch(text):
        return f"must be finite, got {text}; give a number"
    if text.lower() in _WORDS:
        return f"must be a number, got {text}; write 1 or 0 if that is meant"
    return f"must be a number with or without a unit, such as 1.5e3 or 560 N/mm, got {short_repr(text)}"
