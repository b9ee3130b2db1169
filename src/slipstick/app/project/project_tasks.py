"""Tasks of projects, run in worker processes: write and read the file, with results as netCDF."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from slipstick.app.model_choice import ModelChoice
from slipstick.app.project.project_file import Project, RespondPart, read_project, write_project
from slipstick.app.respond.kept_settings import KeptSetting
from slipstick.app.respond.response_results import CurveResult, RunResult
from slipstick.app.respond.tasks import is_first_look, result_data, result_file_bytes
from slipstick.app.task_worker import ReportProgress
from slipstick.errors import FileError, SlipstickError

ResultT = TypeVar("ResultT", CurveResult, RunResult)
Convert = Callable[[Any], bytes | None]


def project_bytes(report_progress: ReportProgress, project: Project) -> bytes:
    """The file of a project.   project : its results have pickled data, as on a page."""
    return write_project(_converted(project, lambda result: _netcdf(report_progress, result)))


def open_project(_: ReportProgress, content: bytes, name: str) -> Project:
    """The project in a file, with results as on a page."""
    project = read_project(content, name)
    try:
        return _converted(_with_own_code(project), _pickled)
    except SlipstickError as problem:
        raise FileError(name, None, "", f"has a result that cannot be read: {problem}") from None


def _with_own_code(project: Project) -> Project:
    """A project whose script and command follow from its files and options: the user may run them."""
    from slipstick.app.identify.equivalent_code import identification_code
    from slipstick.app.identify.uploaded_loops import loops_of
    from slipstick.identification.constraints import constraints_in_si, parse_constraints
    from slipstick.identification.law_names import DEFAULT_LAWS

    part = project.identify
    if part.result is None:
        return project
    typed = parse_constraints({key: part.request.typed(key) for key in ("fixed", "bounds", "prior")})
    known = constraints_in_si(typed, part.request.laws or DEFAULT_LAWS, loops_of(part.files, part.reading))._asdict()
    code = identification_code(part.files, part.reading, part.request, known)
    return replace(project, identify=replace(part, result=replace(part.result, code=code)))


def _converted(project: Project, convert: Convert) -> Project:
    """A project with the data of its results in another form; results without data are left out."""
    respond = project.respond
    if respond is None:
        return project
    kept = tuple(_converted_setting(setting, convert) for setting in respond.kept)
    results: dict[str, Any] = {"curve": _with_data(respond.curve, convert), "run": _with_data(respond.run, convert)}
    changed: RespondPart = replace(respond, kept=kept, **results)
    return replace(project, respond=changed)


def _converted_setting(setting: KeptSetting, convert: Convert) -> KeptSetting:
    curve, run, orbit = setting.curve, setting.run, setting.orbit
    return replace(
        setting, curve=_with_data(curve, convert), run=_with_data(run, convert), orbit=_with_data(orbit, convert)
    )


def _with_data(result: ResultT | None, convert: Convert) -> ResultT | None:
    data = None if result is None else convert(result)
    return None if result is None or data is None else replace(result, data=data)


def _netcdf(report_progress: ReportProgress, result: CurveResult | RunResult) -> bytes | None:
    """The data of a result as netCDF; None for a first look, which is computed anew."""
    if isinstance(result, CurveResult) and is_first_look(result.data):
        return None
    return result_file_bytes(report_progress, result.data, "nc")


def _pickled(result: CurveResult | RunResult) -> bytes:
    """The data of a result as tasks of the page take them, from netCDF."""
    from slipstick.results.result_files import read_result

    with tempfile.TemporaryDirectory(prefix="slipstick-") as folder:
        path = Path(folder) / "result.nc"
        path.write_bytes(result.data)
        loaded, _ = read_result(path)  # the model comes from the choice
    return result_data(result.choice or ModelChoice(), loaded, getattr(result, "frequency", None))
