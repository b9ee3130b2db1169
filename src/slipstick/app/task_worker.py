"""The loop of a worker process of the page: runs tasks one after the other, and interrupts them on request.

A signal asks a task to end with its present result. The task sees a KeyboardInterrupt, as after Ctrl-C. A signal that
arrives while a message is sent takes effect after it.
"""

from __future__ import annotations

import os
import signal
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from multiprocessing.connection import Connection
from time import monotonic
from typing import Any

from slipstick.errors import NotConverged, SlipstickError

ReportProgress = Callable[[str, float], None]  # text, and the share that is done

PROGRESS_INTERVAL = 0.1  # [s] between two progress messages of a task
FIRST_PROGRESS_TEXT = "computing"  # the first message of every task, when a process begins with it
READY = "ready"  # the only message before the first task
PROGRESS, DONE, REFUSED, HALTED, FAULT = "progress", "done", "refused", "halted", "fault"
NOTHING_TO_KEEP_TEXT = "stopped before there was anything to keep"
FINISH_SIGNAL = getattr(signal, "SIGUSR1", None)  # asks a task to end with its present result; not on every system


def run_worker(link: Connection[Any, Any]) -> None:
    """Run tasks one after the other, until the link closes."""
    if FINISH_SIGNAL is not None:
        signal.signal(FINISH_SIGNAL, _on_finish_signal)
    _warm_up()
    if hasattr(os, "nice"):
        os.nice(5)  # the page and the browser go first, but a page may wait for a process that starts
    link.send((READY,))
    while True:
        try:
            task, arguments, keywords = link.recv()
        except (EOFError, OSError):
            return
        _Interruption.pending = False  # an earlier request was for the task before
        link.send((PROGRESS, FIRST_PROGRESS_TEXT, 0.0))
        link.send(_run_task(task, arguments, keywords, _progress_reporter(link)))


class _Interruption:
    """interruptible : a task runs, and sends no message.   pending : a request came at another time."""

    interruptible = pending = False


def _on_finish_signal(*_: object) -> None:
    if _Interruption.interruptible:
        raise KeyboardInterrupt
    _Interruption.pending = True


@contextmanager
def _interruptible(allowed: bool) -> Iterator[None]:
    before, _Interruption.interruptible = _Interruption.interruptible, allowed
    try:
        yield
    finally:
        _Interruption.interruptible = before


def _raise_pending_interrupt() -> None:
    if _Interruption.pending and _Interruption.interruptible:
        _Interruption.pending = False
        raise KeyboardInterrupt


def uninterrupted() -> AbstractContextManager[None]:
    """Protects the last, short step of a task: no interrupt comes from here until its result is sent."""
    _Interruption.interruptible = False
    return nullcontext()


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise KeyboardInterrupt in the block after some seconds."""
    if not hasattr(signal, "setitimer"):  # not on every system
        yield
        return

    def on_alarm(*_: object) -> None:
        if _Interruption.interruptible:
            raise KeyboardInterrupt
        signal.setitimer(signal.ITIMER_REAL, PROGRESS_INTERVAL)  # a message is being sent; try again after it

    before = signal.signal(signal.SIGALRM, on_alarm)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def _warm_up() -> None:
    """Import and compile what almost every task needs."""
    from slipstick.plot.style import use_headless_backend

    use_headless_backend()
    import slipstick.systems as systems

    systems.torsional().frequency_response(at=[0.8, 1.0], method="shooting")


def _progress_reporter(link: Connection[Any, Any]) -> ReportProgress:
    last = -PROGRESS_INTERVAL

    def report_progress(text: str, share: float) -> None:
        nonlocal last
        if share == 1.0 or monotonic() - last >= PROGRESS_INTERVAL:  # the step after share 1.0 may take long
            last = monotonic()
            with _interruptible(False):  # half a message would break the link
                link.send((PROGRESS, text, float(share)))
            _raise_pending_interrupt()

    return report_progress


def _run_task(
    task: Callable[..., Any], arguments: Any, keywords: Any, report_progress: ReportProgress
) -> tuple[Any, ...]:
    """The message about the end of a task: its kind, then result and warnings, or error line and details."""
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            with _interruptible(True):
                _raise_pending_interrupt()
                result = task(report_progress, *arguments, **keywords)
        return DONE, result, _warning_lines(caught)
    except SlipstickError as refusal:
        if isinstance(refusal, NotConverged) and refusal.interrupted:
            return HALTED, NOTHING_TO_KEEP_TEXT, ""
        return REFUSED, refusal.message, ""
    except KeyboardInterrupt:
        return HALTED, NOTHING_TO_KEEP_TEXT, ""
    except MemoryError:
        return FAULT, "not enough memory; ask for fewer points", traceback.format_exc()
    except Exception as error:
        line = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        return FAULT, f"{line}: a fault in slipstick, please report; the log has the details", traceback.format_exc()


def _warning_lines(caught: list[warnings.WarningMessage]) -> tuple[str, ...]:
    """The warnings for users, each once, without those of other libraries."""
    return tuple(dict.fromkeys(" ".join(str(one.message).split()) for one in caught if one.category is UserWarning))
