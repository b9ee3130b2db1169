"""What goes on in a process of the staff: tasks, one after the other, and how one is asked to end.

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
from slipstick.sweeps.worker import ONE_THREAD

Tell = Callable[[str, float], None]

PAUSE = 0.1  # [s] between two words on how far a task is
BEGUN = "computing"  # the first word on every task, when a process begins with it
TOLD, DONE, REFUSED, HALTED, FAULT = "told", "done", "refused", "halted", "fault"
STOPPED = "stopped before there was anything to keep"
FINISH = getattr(signal, "SIGUSR1", None)  # to a process: end with what you have; not known to every system


def work(link: Connection[Any, Any]) -> None:
    """The life of a process: tasks one after the other, until the server goes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all; the server decides
    if FINISH is not None:
        signal.signal(FINISH, _finish)
    threading.Thread(target=_go_with_the_parent, daemon=True).start()
    os.environ.update(dict.fromkeys(ONE_THREAD, "1"))
    if hasattr(os, "nice"):
        os.nice(5)  # the page and the browser go first
    _warm_up()
    while True:
        try:
            task, given, named = link.recv()
        except (EOFError, OSError):
            return
        _Turn.asked = False  # that was for the task before; from the first word on it is for this one
        link.send((TOLD, BEGUN, 0.0))
        link.send(_answer(task, given, named, _speaker(link)))


class _Turn:
    """may_end : a task is at work, and not just saying something.   asked : to end, while it could not."""

    may_end = asked = False


def _finish(*_: object) -> None:
    if _Turn.may_end:
        raise KeyboardInterrupt
    _Turn.asked = True


@contextmanager
def _that_may(end: bool) -> Iterator[None]:
    before, _Turn.may_end = _Turn.may_end, end
    try:
        yield
    finally:
        _Turn.may_end = before


def _heed() -> None:
    """End, if that was asked for while it could not be."""
    if _Turn.asked and _Turn.may_end:
        _Turn.asked = False
        raise KeyboardInterrupt


def undisturbed() -> AbstractContextManager[None]:
    """For the last that a task does, which takes no time and must not be lost: it is not asked to end any more.

    Nor is it on the way from there to whoever waits for it: what was found could be lost there as well.
    """
    _Turn.may_end = False
    return nullcontext()


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """What a task does in here ends after some seconds, as if it were asked to: by KeyboardInterrupt."""
    if not hasattr(signal, "setitimer"):  # not known to every system
        yield
        return

    def late(*_: object) -> None:
        if _Turn.may_end:
            raise KeyboardInterrupt
        signal.setitimer(signal.ITIMER_REAL, PAUSE)  # it is just saying something

    before = signal.signal(signal.SIGALRM, late)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def _warm_up() -> None:
    """What almost every task needs is read before the first one comes."""
    from slipstick.plot.style import without_screen

    without_screen()
    import slipstick.systems as systems

    systems.torsional().frequency_response(at=[0.8, 1.0], method="shooting")


def _speaker(link: Connection[Any, Any]) -> Tell:
    last = -PAUSE

    def tell(words: str, share: float) -> None:
        nonlocal last
        if share == 1.0 or monotonic() - last >= PAUSE:  # what comes at the very end may take long
            last = monotonic()
            with _that_may(end=False):  # half a word would be the end of the link
                link.send((TOLD, words, float(share)))
            _heed()

    return tell


def _answer(task: Callable[..., Any], given: Any, named: Any, tell: Tell) -> tuple[Any, ...]:
    try:
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always", UserWarning)
            with _that_may(end=True):
                _heed()
                found = task(tell, *given, **named)
        return DONE, found, _lines(heard)
    except SlipstickError as refusal:
        if isinstance(refusal, NotConverged) and refusal.interrupted:
            return HALTED, STOPPED, ""
        return REFUSED, str(refusal), ""
    except KeyboardInterrupt:
        return HALTED, STOPPED, ""
    except MemoryError:
        return FAULT, "there is not enough memory for this; ask for fewer points", traceback.format_exc()
    except Exception as error:
        words = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        return FAULT, f"{words}: a fault in slipstick, please report; the log has the details", traceback.format_exc()


def _lines(heard: list[warnings.WarningMessage]) -> tuple[str, ...]:
    """For the user, each once; what numpy and others say of their own work is not for him."""
    return tuple(dict.fromkeys(" ".join(str(one.message).split()) for one in heard if one.category is UserWarning))


def _go_with_the_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
