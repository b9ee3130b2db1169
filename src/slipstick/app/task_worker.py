"""The loop of a worker process: runs tasks one after the other, and interrupts them on request.

A task that may end with what it has is asked by a signal, which comes as Ctrl-C does: by KeyboardInterrupt. It does not
come while a word is on its way to the page, but after it.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from multiprocessing.connection import Connection
from time import monotonic
from typing import Any

from slipstick.errors import NotConverged, SlipstickError
from slipstick.sweeps.worker_process import THREAD_COUNT_VARIABLES

ReportProgress = Callable[[str, float], None]

PROGRESS_INTERVAL = 0.1  # [s] between two words on how far a task is
FIRST_PROGRESS_TEXT = "computing"  # the first word on every task, when a process begins with it
PROGRESS, DONE, REFUSED, HALTED, FAULT = "told", "done", "refused", "halted", "fault"
NOTHING_TO_KEEP_TEXT = "stopped before there was anything to keep"
FINISH_SIGNAL = getattr(signal, "SIGUSR1", None)  # to a process: end with what you have; not known to every system


def run_worker(link: Connection[Any, Any]) -> None:
    """The life of a process: tasks one after the other, until the server goes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all; the server decides
    if FINISH_SIGNAL is not None:
        signal.signal(FINISH_SIGNAL, _on_finish_signal)
    threading.Thread(target=_exit_with_parent, daemon=True).start()
    os.environ.update(dict.fromkeys(THREAD_COUNT_VARIABLES, "1"))
    if hasattr(os, "nice"):
        os.nice(5)  # the page and the browser go first
    _warm_up()
    while True:
        try:
            task, given, named = link.recv()
        except (EOFError, OSError):
            return
        _Interruption.asked = False  # that was for the task before; from the first word on it is for this one
        link.send((PROGRESS, FIRST_PROGRESS_TEXT, 0.0))
        link.send(_run_task(task, given, named, _progress_reporter(link)))


class _Interruption:
    """interruptible : a task is running, and not sending a message.   asked : to end while it could not."""

    interruptible = asked = False


def _on_finish_signal(*_: object) -> None:
    if _Interruption.interruptible:
        raise KeyboardInterrupt
    _Interruption.asked = True


@contextmanager
def _interruptible(end: bool) -> Iterator[None]:
    before, _Interruption.interruptible = _Interruption.interruptible, end
    try:
        yield
    finally:
        _Interruption.interruptible = before


def _raise_pending_interrupt() -> None:
    """End, if that was asked for while it could not be."""
    if _Interruption.asked and _Interruption.interruptible:
        _Interruption.asked = False
        raise KeyboardInterrupt


def uninterrupted() -> AbstractContextManager[None]:
    """For the last that a task does, which takes no time and must not be lost: it is not asked to end any more.

    Nor is it on the way from there to whoever waits for it: what was found could be lost there as well.
    """
    _Interruption.interruptible = False
    return nullcontext()


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """What a task does in here ends after some seconds, as if it were asked to: by KeyboardInterrupt."""
    if not hasattr(signal, "setitimer"):  # not known to every system
        yield
        return

    def late(*_: object) -> None:
        if _Interruption.interruptible:
            raise KeyboardInterrupt
        signal.setitimer(signal.ITIMER_REAL, PROGRESS_INTERVAL)  # it is just saying something

    before = signal.signal(signal.SIGALRM, late)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def _warm_up() -> None:
    """What almost every task needs is read before the first one comes."""
    from slipstick.plot.style import use_headless_backend

    use_headless_backend()
    import slipstick.systems as systems

    systems.torsional().frequency_response(at=[0.8, 1.0], method="shooting")


def _progress_reporter(link: Connection[Any, Any]) -> ReportProgress:
    last = -PROGRESS_INTERVAL

    def tell(words: str, share: float) -> None:
        nonlocal last
        if share == 1.0 or monotonic() - last >= PROGRESS_INTERVAL:  # what comes at the very end may take long
            last = monotonic()
            with _interruptible(end=False):  # half a word would be the end of the link
                link.send((PROGRESS, words, float(share)))
            _raise_pending_interrupt()

    return tell


def _run_task(task: Callable[..., Any], given: Any, named: Any, tell: ReportProgress) -> tuple[Any, ...]:
    try:
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always", UserWarning)
            with _interruptible(end=True):
                _raise_pending_interrupt()
                found = task(tell, *given, **named)
        return DONE, found, _warning_lines(heard)
    except SlipstickError as refusal:
        if isinstance(refusal, NotConverged) and refusal.interrupted:
            return HALTED, NOTHING_TO_KEEP_TEXT, ""
        return REFUSED, refusal.message, ""
    except KeyboardInterrupt:
        return HALTED, NOTHING_TO_KEEP_TEXT, ""
    except MemoryError:
        return FAULT, "there is not enough memory for this; ask for fewer points", traceback.format_exc()
    except Exception as error:
        words = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        return FAULT, f"{words}: a fault in slipstick, please report; the log has the details", traceback.format_exc()


def _warning_lines(heard: list[warnings.WarningMessage]) -> tuple[str, ...]:
    """For the user, each once; what numpy and others say of their own work is not for him."""
    return tuple(dict.fromkeys(" ".join(str(one.message).split()) for one in heard if one.category is UserWarning))


def _exit_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
