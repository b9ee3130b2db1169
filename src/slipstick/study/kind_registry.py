"""The kinds of studies, by the name of their section."""

from __future__ import annotations

from importlib import import_module

from slipstick.study.kind_names import NAMES
from slipstick.study.study_kind import StudyKind

KINDS: dict[str, StudyKind] = {name: import_module(f"slipstick.study.{name}").KIND for name in NAMES}
