"""``slipstick sweep``: the runs of a study, resumed after an interruption; or their progress."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from slipstick.cli.console import EXIT_BAD_INPUT, EXIT_FAILED, print_error, print_line
from slipstick.cli.option_types import argument, optional
from slipstick.errors import FileError, InvalidInput

if TYPE_CHECKING:
    from slipstick.results.sweep import Sweep
    from slipstick.study import Study


def sweep(
    file: Annotated[str | None, argument(metavar="STUDY.yaml", help="A study with a sweep: section.")] = None,
    workers: Annotated[int | None, optional(help="Processes here; default one for each core.")] = None,
    cluster: Annotated[
        str | None, optional(metavar="ADDRESS", help="A Dask scheduler instead, such as tcp://10.0.0.1:8786.")
    ] = None,
    limit: Annotated[
        float | None,
        optional(metavar="SECONDS", help="That a point may take; one that hangs is tried anew, then left out."),
    ] = None,
    new: Annotated[
        bool, typer.Option("--new", help="Beside the ledger of another study, under the next free name.")
    ] = False,
    retry: Annotated[bool, typer.Option("--retry", help="Compute points that have failed once more.")] = False,
    recover: Annotated[
        bool, typer.Option("--recover", help="Build a damaged ledger anew from the finished points beside it.")
    ] = False,
    status: Annotated[
        str | None,
        optional(metavar="FILE", help="Only say how far the sweep of a ledger, a saved sweep or a study is."),
    ] = None,
) -> None:
    """Run a study at many points, on all cores or on a cluster, and survive crashes.

    Started again, it continues: finished points are never computed twice. At the end it writes data and a picture
    beside the study. The exit code is 1 if points failed, 2 if the study is wrong or has changed.
    """
    if status is not None:
        _show_status(status)
        return
    if file is None:
        raise typer.BadParameter("name a study, such as limits.yaml", param_hint="STUDY.yaml")
    options = {"workers": workers, "cluster": cluster, "limit": limit, "new": new, "retry": retry, "recover": recover}
    _run_study(_read(file), options)


def _run_study(study: Study, options: dict[str, Any]) -> None:
    """Compute all points with a progress bar, then show and write the result."""
    from slipstick.cli.sweep_screen import show_sweep, sweep_progress

    began = perf_counter()
    study.refuse_unwritable()
    assert study.sweep is not None
    with _without_missing_point_warnings(), sweep_progress(study.name, study.sweep.build.shown) as watch:
        found = study.run_many(**options, progress=watch)
    show_sweep(study, found, watch, perf_counter() - began)
    _write(study, found)
    if found.left_out:
        print_error(f"slipstick: {found.left_out}; --retry computes them once more")
        raise typer.Exit(EXIT_FAILED)


@contextmanager
def _without_missing_point_warnings() -> Iterator[None]:
    """Without the warning of points that are left out."""
    from slipstick.sweeps.sweep_run import PointsLeftOut

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PointsLeftOut)
        yield


def _write(study: Study, found: Sweep) -> None:
    """Data and the picture, where there are figures at all."""
    from slipstick.cli.result_output import draw_figure
    from slipstick.study.command_messages import COMMAND

    data, picture = _output_path(study.data, study, found), _output_path(study.figure, study, found)
    if found.figures and data is not None:
        found.save(data)
        print_line(f"written: {data}")
    if found.figures and picture is not None:
        try:
            draw_figure(study, found, picture)
        except FileError:
            raise
        except InvalidInput as refusal:  # three axes, an array: the data are there all the same
            print_line(f"no picture: {COMMAND.message(refusal.message)}")
        else:
            print_line(f"written: {picture}")


def _output_path(target: Path | None, study: Study, found: Sweep) -> Path | None:
    """The path of an output file; a sweep in map-2.sqlite does not overwrite files of the one in map.sqlite."""
    assert study.sweep is not None
    more = Path(found.attrs["store"]).stem.removeprefix(study.sweep.store.stem)
    return None if target is None else target.with_name(f"{target.stem}{more}{target.suffix}")


def _read(file: str) -> Study:
    """The study in a file, which has a sweep."""
    from slipstick.study import examine_study

    report = examine_study(file)
    for line in report.warnings:
        print_error(f"warning: {line}")
    for problem in report.problems:
        print_error(str(problem))
    if report.study is None:
        raise typer.Exit(EXIT_BAD_INPUT)
    if report.study.sweep is None:
        words = "has no sweep: section; slipstick run does it once, or add sweep: {over: ..., measure: [...]}"
        print_error(f"{file}: {words}")
        raise typer.Exit(EXIT_BAD_INPUT)
    return report.study


def _show_status(name: str) -> None:
    from slipstick.cli.sweep_screen import show_saved, show_status
    from slipstick.results.sweep import read_sweep
    from slipstick.sweeps.ledger import Ledger

    path = Path(name)
    if path.suffix.lower() in (".yaml", ".yml"):
        request = _read(name).sweep
        assert request is not None
        path = request.store
        if not path.exists():
            raise InvalidInput(f"{path} does not exist yet; slipstick sweep {name} starts it")
    if path.suffix.lower() == ".nc":
        show_saved(path, read_sweep(path))
        return
    ledger = Ledger.read_only(path)
    try:
        show_status(ledger)
    finally:
        ledger.close()
