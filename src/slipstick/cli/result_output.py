"""Results to files: data, then the figure; also of results that ended early."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from slipstick.cli.console import print_error
from slipstick.errors import NotConverged, SlipstickError

if TYPE_CHECKING:
    from pathlib import Path

    from slipstick.results.calibration import Calibration
    from slipstick.results.curve import Curve
    from slipstick.results.nonlinear_mode import NonlinearMode
    from slipstick.results.run import Run
    from slipstick.results.sweep import Sweep
    from slipstick.study import Study

    Result = Run | Curve | NonlinearMode


class WrittenFiles(NamedTuple):
    """The written files, and messages about failed ones."""

    written: list[str]
    troubles: list[str]
    interrupted: bool = False


def write_results(study: Study, found: Result | Calibration, aloud: bool = False) -> WrittenFiles:
    """Write data, then the figure; each may fail alone, and Ctrl-C skips the rest."""
    from slipstick.study.command_messages import COMMAND

    files = WrittenFiles([], [])
    for target, write in ((study.data, found.save), (study.figure, lambda target: draw_figure(study, found, target))):
        if target is None:
            continue
        if aloud:
            print_error(f"slipstick: writing {target}; Ctrl-C leaves it out")
        try:
            write(target)
        except SlipstickError as error:
            files.troubles.append(COMMAND.message(error.message))
        except KeyboardInterrupt:
            left = [str(place) for place in (study.data, study.figure) if place and str(place) not in files.written]
            files.troubles.append(f"interrupted{' again' if aloud else ''}: {' and '.join(left)} left out")
            return files._replace(interrupted=True)
        else:
            files.written.append(str(target))
    return files


def save_partial_result(study: Study, failure: NotConverged) -> NotConverged:
    """The failure, with a note on the files of the part that was reached."""
    if failure.partial is None:
        return _ended(failure, "nothing was kept", failure.interrupted)
    if study.data is None and study.figure is None:
        return _ended(failure, "the study names no output files, nothing is kept", failure.interrupted)
    if failure.interrupted:
        print_error("slipstick: interrupted; saving what was reached")
    found = _quickly_saved_part(failure.partial, failure.interrupted)
    if found is None:
        return _ended(failure, "interrupted again, nothing was kept", True)
    files = write_results(study, found, aloud=failure.interrupted)
    what = "PARTIAL: what was reached" if found.partial else "the run, without a certificate,"
    words = [f"{what} is in {' and '.join(files.written)}"] if files.written else []
    words += [f"what was reached could not be saved: {trouble}" for trouble in files.troubles]
    return _ended(failure, "; ".join(words), failure.interrupted or files.interrupted)


def _ended(failure: NotConverged, kept: str, interrupted: bool) -> NotConverged:
    return NotConverged(failure.message, interrupted=interrupted, advice=[kept])


def _quickly_saved_part(found: Result, interrupted: bool) -> Result | None:
    """The part of an interrupted result to save; None without any."""
    from slipstick.results.run import Run

    if isinstance(found, Run):
        if interrupted:  # after Ctrl-C there is no time for another ten runs
            found.leave_uncertified("the run was interrupted, and its certificate not computed")
        return found
    try:
        return found if found.points else None
    except NotConverged as again:  # Ctrl-C again: keep the points checked so far
        return again.partial if again.partial is not None and again.partial.points else None


def draw_figure(study: Study, found: Result | Sweep | Calibration, target: Path) -> None:
    """The figure, without a window: on a machine without a screen too."""
    from slipstick.plot.style import use_headless_backend
    from slipstick.results.atomic_write import replacing_file

    use_headless_backend()
    import matplotlib.pyplot as plt

    figure = found.plot(**study.drawing)
    try:
        with replacing_file(target) as aside:
            figure.savefig(aside)
    finally:
        plt.close(figure)
