"""Study files: a model, a task such as ``transient:`` or ``frequency_response:``, and the output.

    read_study(path)      a `Study`, or `FileError`
    examine_study(path)   a study or all problems, and warnings
    is_study(path)        whether a file looks like a study rather than a model

Names are imported on first use: the command line needs the names of kinds alone.

    study, study_reader, study_schema  a study, its reader and the shape of its file
    study_kind, kind_names, kind_registry
                                       one kind of study, and the list of kinds
    transient, periodic, limit_cycle, frequency_response, follow, nonlinear_mode
                                       the kinds
    model_source                       the model of a study
    orbit_options, plot_options        options of orbits and of figures
    frequency_values, parameter_values, value_ranges
                                       frequencies, parameters and ranges of values
    saved_results                      results from earlier studies
    sweep_section, sweep_point         the ``sweep:`` section, and one point of it
    command_messages                   messages in terms of options of commands
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from slipstick.study.model_source import is_study
    from slipstick.study.study import Study
    from slipstick.study.study_reader import StudyReport, examine_study, read_study

_HOME = {
    "StudyReport": "study_reader", "examine_study": "study_reader", "read_study": "study_reader",
    "is_study": "model_source", "Study": "study",
}  # fmt: skip
__all__ = ["Study", "StudyReport", "examine_study", "is_study", "read_study"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'slipstick.study' has no attribute '{name}'")
    return getattr(import_module(f"slipstick.study.{_HOME[name]}"), name)
