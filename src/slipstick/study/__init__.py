"""Study files: a model, what to do with it, and where the results go.

read_study(path)      a `Study`, or `FileError`
examine_study(path)   a study or all problems, and warnings
is_study(path)        does this file look like a study, not like a model?
"""

from __future__ import annotations

from slipstick.study.read import StudyReport, examine_study, read_study
from slipstick.study.source import is_study
from slipstick.study.study import Study

__all__ = ["Study", "StudyReport", "examine_study", "is_study", "read_study"]
