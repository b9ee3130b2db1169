"""One progress bar for terminals and notebooks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console


@contextmanager
def progress_bar(title: str = "", console: Console | None = None) -> Iterator[Callable[..., None]]:
    """A progress bar in a terminal or a notebook; nothing elsewhere, such as in a log file.

    Yields the callback for ``progress=`` of any function of slipstick:

        with ss.progress_bar("run") as progress:
            run = m.simulate(until=100.0, progress=progress)

    title : stands before the bar.   console : of rich; default the one of the terminal or notebook.
    """
    from rich import get_console
    from rich import progress as show

    screen = console or get_console()
    columns = (show.TextColumn(title, markup=False), show.BarColumn(bar_width=32), show.TaskProgressColumn(),
               show.TimeElapsedColumn(), show.TextColumn("{task.description}", markup=False))  # fmt: skip
    visible = screen.is_terminal or screen.is_jupyter
    with show.Progress(*columns, console=screen, transient=True, disable=not visible) as bar:
        task = bar.add_task("", total=None)

        def report(*progress: Any) -> None:
            words, share = progress_state(*progress)
            bar.update(task, description=words, completed=share or 0.0, total=None if share is None else 1.0)

        yield report


def progress_state(*progress: Any) -> tuple[str, float | None]:
    """Words and the finished share of 1 (None if the end is unknown) from the arguments of any progress callback.

    progress : (share), (words, share), (done, total), (points so far, value of the last), or the status of a sweep.
    """
    match progress:
        case (float() as share,):
            return "", share
        case (str() as words, float() | int() as share):
            return words, float(share)
        case (int() as done, int() as total):
            return f"{done} of {total}", done / max(total, 1)
        case (int() as count, float() as value):
            return f"{count} points, the last at {value:.5g}", None
        case (status,):
            failed = f", {status.failed} failed" if status.failed else ""
            return f"{status.finished} of {status.total}{failed}", status.finished / max(status.total, 1)
    raise TypeError(f"progress {progress!r} is of no known form")
