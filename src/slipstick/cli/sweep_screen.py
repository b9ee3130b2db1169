"""Screen output of a sweep: a bar while it runs, its counts and figures, and its status from another process."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from time import time
from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.cli.console import console, headline, table
from slipstick.results.sweep_units import axis_label, sweep_scale
from slipstick.units.scales import NO_SCALE, Scale

if TYPE_CHECKING:
    from pathlib import Path

    from slipstick.results.sweep import Sweep
    from slipstick.study import Study
    from slipstick.sweeps.ledger import Ledger
    from slipstick.sweeps.status import Status

MAX_FAILED_SHOWN = 5  # failed points that are listed
# of the values of a point: enough to repeat it, and few enough to hide rounding of unit conversions
VALUE_DIGITS = 10
POINT_STATES = ("done", "failed", "running", "waiting")


class SweepWatcher:
    """Listens to the progress of a sweep.   show : called with each status."""

    def __init__(self, show: Callable[[Status], Any]) -> None:
        self._show = show
        self._last: Status | None = None

    def __call__(self, status: Status) -> None:
        self._last = status
        self._show(status)

    def before(self, done: int) -> int:
        """Of ``done`` points, those finished at the start: all, if no status came."""
        return done if self._last is None else self._last.before


@contextmanager
def sweep_progress(name: str, shown: Mapping[str, Scale]) -> Iterator[SweepWatcher]:
    """A progress bar with counts of done and failed points, the rate, the time left and the largest figure; only on a
    terminal.   shown : unit of each figure, by name.
    """
    from rich import progress as show
    from rich.text import Text

    class Bar(show.Progress):
        def get_renderables(self) -> Iterator[Any]:
            """The bar, and words that take as many lines as they need: beside it they would be cut off."""
            yield self.make_tasks_table(self.tasks)
            yield from (Text(task.description) for task in self.tasks)

    screen = console()
    columns = (show.TextColumn(name), show.BarColumn(bar_width=28), show.TaskProgressColumn())
    with Bar(*columns, console=screen, transient=True, disable=not screen.is_terminal) as bar:
        task = bar.add_task("starting", total=1.0)

        def report(status: Status) -> None:
            bar.update(task, completed=status.finished / status.total, description=_progress_text(status, shown))

        yield SweepWatcher(report)


def show_sweep(study: Study, found: Sweep, watch: SweepWatcher, seconds: float) -> None:
    """Counts, the range of every figure, and the first of the points that failed."""
    screen, counts = console(), found.counts
    total = int(found["state"].size)
    done = counts.get("done", 0)
    before = watch.before(done)
    known = f" ({'all' if before == done else before} before)" if before else ""
    words = f": {done} of {total} points done{known} in {_time(seconds)}, ledger {found.attrs['store']}"
    headline(screen, study.name, words)
    rows = [_figure_row(found, name) for name in found.figures if found[name].dtype.kind == "f"]
    if rows:
        screen.print(table(("figure", "smallest", "largest", "where"), rows))
    if "certificate_passed" in found:
        passed = int(np.nansum(found["certificate_passed"].values))
        screen.print(f"certificates: {passed} of {done} passed, largest error {_largest(found)}")
    _show_failed(screen, found, "the ledger")


def show_saved(path: Path, found: Sweep) -> None:
    """Counts of a saved sweep, finished or not."""
    screen, counts = console(), found.counts
    total = int(found["state"].size)
    ended = counts.get("done", 0) + counts.get("failed", 0) == total
    headline(screen, str(path), f": a saved sweep, {'finished' if ended else 'saved before it was finished'}")
    rows = [(word, str(counts.get(word, 0))) for word in POINT_STATES]
    screen.print(table(("points", ""), [*rows, ("total", str(total))], numbers=1))
    _show_failed(screen, found, "the file")


def _show_failed(screen: Any, found: Sweep, where: str) -> None:
    """The first failed points.   where : the list of all."""
    shown = {str(name): sweep_scale(found, str(name)) for name in found.coords}
    failed = found.failed
    for point in failed[:MAX_FAILED_SHOWN]:
        message = point.pop("message")
        screen.print(f"failed: {_values(point, shown)}: {message}", soft_wrap=True)
    if len(failed) > MAX_FAILED_SHOWN:
        screen.print(f"and {len(failed) - MAX_FAILED_SHOWN} more that failed, in {where}")


def show_status(ledger: Ledger) -> None:
    """Progress of the sweep of a ledger."""
    from slipstick.sweeps.journal import is_held, journal_path
    from slipstick.sweeps.ledger_repair import describe_damage
    from slipstick.sweeps.status import read_status

    status = read_status(ledger)
    screen = console()
    held = is_held(journal_path(ledger.path))
    ended = status.finished == status.total
    state = "finished" if ended else ("running" if held else "stopped; start it again to continue")
    headline(screen, str(ledger.path), f": {state}")
    rows = [(word, str(getattr(status, word))) for word in (*POINT_STATES, "total")]
    screen.print(table(("points", ""), rows, numbers=1))
    shown = {name: Scale(*own) for name, own in ledger.about.get("shown", {}).items()}
    if held and not ended:
        screen.print(_progress_text(status, shown))
        if status.longest is not None:
            values = _values(ledger.parameters_of(status.longest.point), shown)
            taken = max(time() - status.longest.since, 0.0)
            screen.print(f"longest under way: {values}: for {_time(taken)}", soft_wrap=True)
    damaged = ledger.damaged()
    if damaged:
        screen.print(f"{describe_damage(damaged)}; counted as waiting, start the sweep again", soft_wrap=True)
    for row in ledger.first_failed(MAX_FAILED_SHOWN):
        screen.print(f"failed: {_values(row.parameters, shown)}: {row.message}", soft_wrap=True)


def _values(parameters: dict[str, Any], shown: Mapping[str, Scale]) -> str:
    """``limit = 0.5 N, omega = 12 Hz``; as they are where nothing is known of their units."""
    words = {
        name: shown[name].words(value, VALUE_DIGITS) if name in shown else value for name, value in parameters.items()
    }
    return ", ".join(f"{name} = {value}" for name, value in words.items())


def _progress_text(status: Status, shown: Mapping[str, Scale]) -> str:
    """``412/2000, 3 failed, 18/s, 1 min 28 s left, x.amplitude up to 3.1 mm``."""
    words = [f"{status.finished}/{status.total}"]
    if status.failed:
        words.append(f"{status.failed} failed")
    if status.rate > 0.0:
        words.append(f"{status.rate:.3g}/s")
    if math.isfinite(status.left):
        words.append(f"{_time(status.left)} left")
    if status.best is not None:
        scale = shown.get(status.best.figure, NO_SCALE)
        words.append(f"{status.best.figure} up to {scale.words(status.best.value, 4)}")
    return ", ".join(words)


def _time(seconds: float) -> str:
    if seconds < 60.0:
        return f"{seconds:.3g} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def _figure_row(found: Sweep, name: str) -> tuple[str, str, str, str]:
    """A figure with its ends, and where the largest is."""
    values = found[name]
    factor, label = sweep_scale(found, name).factor, axis_label(found, name)
    if np.all(np.isnan(values.values)):
        return label, "-", "-", ""
    low, high = (float(each(values.values)) * factor for each in (np.nanmin, np.nanmax))
    at = np.unravel_index(int(np.nanargmax(values.values)), values.shape)
    point = values.isel(dict(zip(values.dims, at)))
    axes = [each for each in found["state"].coords if each in point.coords]
    where = ", ".join(f"{axis} {_value(found, str(axis), point)}" for axis in axes)
    return label, f"{low:.5g}", f"{high:.5g}", where


def _value(found: Sweep, axis: str, point: Any) -> str:
    value = point.coords[axis].item()
    if not isinstance(value, (int, float)):
        return str(value)
    return sweep_scale(found, axis).words(value, 5)


def _largest(found: Sweep) -> str:
    errors, scale = found["certificate_error"].values, sweep_scale(found, "certificate_error")
    return "not known" if np.all(np.isnan(errors)) else scale.words(float(np.nanmax(errors)), 2)
