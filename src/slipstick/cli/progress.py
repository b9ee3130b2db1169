"""Progress bars on a terminal, removed when a study is done; none if the output is not a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from slipstick.cli.console import console

if TYPE_CHECKING:
    from slipstick.study import Study


class ProgressDisplay(NamedTuple):
    """report : the progress to hand to a study.   say : words to put in its place."""

    report: Callable[..., Any]
    say: Callable[[str], Any]


@contextmanager
def study_progress(study: Study) -> Iterator[ProgressDisplay]:
    """A bar if the finished fraction is known, else the progress in words; with the elapsed time."""
    from rich import progress as show

    screen = console()
    watched, begins = study.kind.watched, study.kind.begins
    columns: tuple[show.ProgressColumn, ...] = (show.TextColumn("{task.description}"),)
    if not begins:
        columns += (show.BarColumn(bar_width=32), show.TaskProgressColumn(), show.TimeRemainingColumn())
    else:
        columns = (show.SpinnerColumn(), *columns, show.TimeElapsedColumn())
    with show.Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal) as bar:
        name = f"{study.name}: {begins}" if begins else study.name
        task = bar.add_task(name, total=None if begins else 1.0)

        def report(*how_far: Any) -> None:
            if watched is None:
                bar.update(task, completed=how_far[0])
            else:
                bar.update(task, description=f"{study.name}: {watched(study.settings, *how_far)}")

        yield ProgressDisplay(report, lambda words: bar.update(task, description=words))
