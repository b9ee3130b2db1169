"""``slipstick run``: do what a study file asks for, show the certificate, write data and figure."""

from __future__ import annotations

import math
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from slipstick.cli.console import complain, console, say, table
from slipstick.cli.errors import BAD_INPUT, FAILED, INTERRUPTED
from slipstick.errors import NotConverged, SlipstickError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from rich.console import Console

    from slipstick.results.certificate import Certificate
    from slipstick.results.run import Run
    from slipstick.study import Study


def run(
    file: Annotated[str, typer.Argument(metavar="STUDY.yaml", help="The study file.", show_default=False)],
) -> None:
    """Run a study: a model, what to do with it, and where the results go.

    Data go to a netCDF file, the figure to a picture, both beside the study. The exit code is 2 if the study is wrong
    or its files cannot be written, 1 if the run could not be finished or its certificate failed; what was reached is
    kept.
    """
    from slipstick.study import examine_study

    report = examine_study(file)
    for line in report.warnings:
        complain(f"warning: {line}")
    if report.study is None:
        for problem in report.problems:
            complain(str(problem))
        raise typer.Exit(BAD_INPUT)
    study = report.study
    study.refuse_unwritable()
    try:
        with _progress_bar(study.name) as (progress, say_now):
            found = study.run(progress)
            say_now("certificate")  # it may take another run; nobody should stare at a bar that is full
            _certify(found)
    except NotConverged as failure:
        raise _kept(study, failure) from failure
    _show(study, found)
    files = _write(study, found)
    for i, place in enumerate(files.written):
        say(f"{'' if i else chr(10)}written: {place}")
    for trouble in files.troubles:
        complain(f"slipstick: {trouble}")
    if files.interrupted:
        raise typer.Exit(INTERRUPTED)
    if not found.certificate.passed:
        complain(f"slipstick: certificate {found.certificate.verdict}")
    if files.troubles or not found.certificate.passed:
        raise typer.Exit(FAILED)


def _certify(found: Run) -> None:
    """Compute the certificate; Ctrl-C meanwhile leaves a run without one, which is kept."""
    try:
        found.certificate  # noqa: B018
    except KeyboardInterrupt as stop:
        found.leave_uncertified("interrupted before the certificate was computed")
        words = "interrupted while the certificate was computed"
        raise NotConverged(words, partial=found, interrupted=True) from stop


@contextmanager
def _progress_bar(name: str) -> Iterator[tuple[Callable[[float], Any], Callable[[str], Any]]]:
    """A bar that goes away when the run is done, and words to change beside it; nothing where nobody watches."""
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    screen = console()
    columns = (TextColumn("{task.description}"), BarColumn(bar_width=32), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal) as bar:
        task = bar.add_task(name, total=1.0)
        yield lambda part: bar.update(task, completed=part), lambda words: bar.update(task, description=words)


def _kept(study: Study, failure: NotConverged) -> NotConverged:
    """The failure with what became of the part that was reached."""
    if failure.partial is None:
        return NotConverged(f"{failure}; nothing was kept", interrupted=failure.interrupted)
    if study.data is None and study.figure is None:
        told = f"{failure}; the study asks for no files, nothing is kept"
        return NotConverged(told, interrupted=failure.interrupted)
    if failure.interrupted:
        complain("slipstick: interrupted; saving what was reached")
        # who presses Ctrl-C does not wait for another ten runs
        failure.partial.leave_uncertified("the run was interrupted, and its certificate not computed")
    files = _write(study, failure.partial, aloud=failure.interrupted)
    what = "PARTIAL: what was reached" if failure.partial.partial else "the run, without a certificate,"
    words = [f"{what} is in {' and '.join(files.written)}"] if files.written else []
    words += [f"what was reached could not be saved: {trouble}" for trouble in files.troubles]
    return NotConverged(f"{failure}; {'; '.join(words)}", interrupted=failure.interrupted or files.interrupted)


class Files(NamedTuple):
    """The files that were written, and in words what became of those that were not."""

    written: list[str]
    troubles: list[str]
    interrupted: bool = False


def _write(study: Study, found: Run, aloud: bool = False) -> Files:
    """Data, then the figure; one that fails does not take the other with it, and Ctrl-C leaves out what is to come."""
    files = Files([], [])
    for target, write in ((study.data, found.save), (study.figure, lambda target: _draw(study, found, target))):
        if target is None:
            continue
        if aloud:
            complain(f"slipstick: writing {target}; Ctrl-C leaves it out")
        try:
            write(target)
        except SlipstickError as error:
            files.troubles.append(str(error))
        except KeyboardInterrupt:
            left = [str(place) for place in (study.data, study.figure) if place and str(place) not in files.written]
            files.troubles.append(f"interrupted{' again' if aloud else ''}: {' and '.join(left)} left out")
            return files._replace(interrupted=True)
        else:
            files.written.append(str(target))
    return files


def _draw(study: Study, found: Run, target: Path) -> None:
    """The figure, without a window: on a machine without a screen too."""
    import matplotlib as mpl

    from slipstick.results.aside import written_aside

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure = found.plot(**study.drawing)
    try:
        with written_aside(target) as aside:
            figure.savefig(aside)
    finally:
        plt.close(figure)


# ---- the summary


def _show(study: Study, found: Run) -> None:
    screen = console()
    what, counts = found.summary
    _line(screen, f"{study.name}: ", f"{study.kind.name} of {what}")
    screen.print(counts, soft_wrap=True)
    _certificate(screen, found)


def _certificate(screen: Console, found: Run) -> None:
    from slipstick.plot.units import error_words

    c = found.certificate
    screen.print()
    _line(screen, f"certificate {c.outcome}", "", "bold green" if c.passed else "bold red")
    lines = [*c.reasons]
    if math.isfinite(c.error):
        lines.append(f"error <= {error_words(c, found.names)}, the largest of a displacement, estimated")
    if not c.is_none:
        lines.append(f"energy residual {c.energy_residual:.2g} of the work done, at most {c.tolerance:.2g}")
    for line in (*lines, *(f"note: {note}" for note in c.notes)):
        screen.print(f"  {line}", soft_wrap=True)
    if c.is_none:
        return
    screen.print()
    screen.print(table(("energy [J]", "work in", "dissipated", "stored"), _energies(c), numbers=3))
    if not c.dissipated.keys() <= c.stored.keys():
        screen.print("* absorbed: the law does not tell what of it is stored", soft_wrap=True)


def _energies(c: Certificate) -> list[tuple[str, ...]]:
    """Where the work went, and the sum of each column."""
    rows: list[tuple[str, ...]] = [
        ("loads and motions", f"{c.work_in:.6g}", "", ""),
        ("kinetic", "", "", f"{c.kinetic:+.6g}"),
    ]
    for name in dict.fromkeys([*c.dissipated, *c.stored]):
        lost = f"{c.dissipated.get(name, 0.0):.6g}"
        rows.append((name, "", lost, f"{c.stored[name]:+.6g}") if name in c.stored else (name, "", f"{lost} *", ""))
    kept = c.kinetic + sum(c.stored.values())
    rows.append(("sum", f"{c.work_in:.6g}", f"{sum(c.dissipated.values()):.6g}", f"{kept:+.6g}"))
    return rows


def _line(screen: Console, strong: str, plain: str, style: str = "bold") -> None:
    from rich.text import Text

    screen.print(Text.assemble((strong, style), plain), soft_wrap=True)
