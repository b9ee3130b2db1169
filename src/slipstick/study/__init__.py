"""Study files: a model, what to do with it, and where the results go.

read_study(path)      a `Study`, or `FileError`
examine_study(path)   a study or all problems, and warnings
is_study(path)        does this file look like a study, not like a model?

Names resolve on first use: the command line asks for the names of kinds alone.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from slipstick.study.read import StudyReport, examine_study, read_study
    from slipstick.study.source import is_study
    from slipstick.study.study import Study

_HOME = {"StudyReport": "read", "examine_study": "read", "read_study": "read", "is_study": "source", "Study": "study"}
__all__ = ["Study", "StudyReport", "examine_study", "is_study", "read_study"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'slipstick.study' has no attribute '{name}'")
    return getattr(import_module(f"slipstick.study.{_HOME[name]}"), name)
