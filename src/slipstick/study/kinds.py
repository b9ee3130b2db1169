"""The kinds of studies, by the name of their section."""

from __future__ import annotations

from importlib import import_module

from slipstick.study.kind import Kind
from slipstick.study.names import NAMES

KINDS: dict[str, Kind] = {name: import_module(f"slipstick.study.{name}").KIND for name in NAMES}
