"""The units in which a model's author thinks, for axes; data are in SI."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Units(NamedTuple):
    """Units of displacements by coordinate and of deflections by connection ("mm", "deg"), where they are known."""

    coordinates: Mapping[str, str]
    connections: Mapping[str, str]


UNKNOWN = Units({}, {})
