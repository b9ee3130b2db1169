"""The processes that do long work, so that the page never waits; each does one task at a time.

A task is a function of a module with a first argument ``tell(words, share)`` and plain arguments, which can all be
pickled. Whoever awaits `Staff.do` and is cancelled has the process killed: nothing goes on computing for nobody, and
another process takes its place. A task that can end with what it has, as everything that takes Ctrl-C can, is asked to
by `Staff.finish`; what it does afterwards it does `at_most` for some seconds, or `undisturbed` if it takes none.

What a task warns of (``warnings.warn``) is heard here and handed over beside what it found, a line each:

    with hearing() as lines:
        found = await self.desk.staff.do(tasks.quick, None, ...)
    ...keep ``tuple(lines)`` with what was found, and show it there: parts.remarks(lines)

Who does not listen loses nothing: `parts.handled` does, and shows the lines in a corner of the page. That will do for a
button; where the same is computed again and again, as for a slider, they belong beside the result.
"""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import os
import signal
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from multiprocessing.connection import Connection
from time import monotonic
from typing import Any, Concatenate, ParamSpec, TypeVar

from slipstick.errors import NotConverged, SlipstickError
from slipstick.sweeps.worker import ONE_THREAD, processors

Tell = Callable[[str, float], None]
Given = ParamSpec("Given")
Found = TypeVar("Found")

log = logging.getLogger("slipstick.app")
PAUSE = 0.1  # [s] between two words on how far a task is
FEWEST, MOST = 2, 4  # processes: one user seldom waits for more at a time, and each takes 140 MB
BEGUN = "computing"  # the first word on every task, when a process begins with it
ENDED = "the server is ending; start it again"
TOLD, DONE, REFUSED, HALTED, FAULT = "told", "done", "refused", "halted", "fault"
STOPPED = "stopped before there was anything to keep"
FINISH = getattr(signal, "SIGUSR1", None)  # to a process: end with what you have; not known to every system


class TaskFailed(Exception):
    """A task that did not end well, in one line.   details : where, for the log; empty where the user knows enough."""

    def __init__(self, line: str, details: str = "") -> None:
        super().__init__(line)
        self.details = details


class TooLong(TaskFailed):
    """A task that was stopped because it took longer than it may."""


class Halted(TaskFailed):
    """A task that was asked to end with what it has, and had nothing."""


_heard: ContextVar[list[str] | None] = ContextVar("heard", default=None)


@contextmanager
def hearing() -> Iterator[list[str]]:
    """What tasks that are awaited in here warn of, a line each, none twice; nobody further out hears it."""
    lines: list[str] = []
    before = _heard.set(lines)
    try:
        yield lines
    finally:
        _heard.reset(before)


_done: ContextVar[list[str] | None] = ContextVar("done", default=None)


@contextmanager
def counting() -> Iterator[list[str]]:
    """The names of tasks that are awaited in here and come to their end, for whoever asks whether there were any."""
    names: list[str] = []
    before = _done.set(names)
    try:
        yield names
    finally:
        _done.reset(before)


class Hand:
    """One process and the link to it.

    at_work : it has begun with what it was asked.
    """

    at_work = False
    _asked = _stopped = False  # a thread uses the link; the process is to be no more

    def __init__(self) -> None:
        self._lock = threading.Lock()
        context = multiprocessing.get_context("spawn")
        self.link, theirs = context.Pipe()
        self.process = context.Process(target=_work, args=(theirs,), daemon=True, name="slipstick-app")
        self.process.start()
        theirs.close()

    def ask(self, order: tuple[Any, ...], tell: Tell) -> Any:
        """What comes of an order, and what it warned of; words on the way are passed on. Runs in a thread."""
        with self._lock:
            if self._stopped:
                raise EOFError("it was stopped before it was asked")
            self._asked = True
        try:
            self.link.send(order)
            while True:
                kind, *what = self.link.recv()
                if kind == TOLD:
                    self.at_work = True
                    tell(*what)
                elif kind == DONE:
                    return what
                else:
                    raise Halted(*what) if kind == HALTED else TaskFailed(*what)
        finally:
            with self._lock:
                self.at_work = self._asked = False
                if self._stopped:
                    self.link.close()

    def finish(self) -> bool:
        """Ask it to end with what it has; False where it cannot be asked."""
        if FINISH is None or not self.at_work or self.process.pid is None:
            return False
        os.kill(self.process.pid, FINISH)
        return True

    def stop(self) -> None:
        """End it. Its link is closed by who uses it last: the number of a closed one is soon that of another."""
        with self._lock:
            if self._stopped:
                return
            self._stopped, used = True, self._asked
        self.process.kill()
        self.process.join()
        if not used:
            self.link.close()


class Staff:
    """All processes of a server.   count : of them; left out, as many as there are processors, within bounds."""

    def __init__(self, count: int | None = None) -> None:
        self.count = count or min(max(processors(), FEWEST), MOST)
        self._free: asyncio.Queue[Hand] = asyncio.Queue()
        self._hands: set[Hand] = set()
        self._jobs: dict[asyncio.Task[Any] | None, Hand] = {}
        self._closed = False

    def start(self) -> None:
        """Begin the processes; they are ready a second or two later, and what is asked before waits for them."""
        for _ in range(self.count):
            self._hire()

    def close(self) -> None:
        """End all of them, whatever they do; none is begun afterwards."""
        self._closed = True
        for hand in list(self._hands):
            hand.stop()
        self._hands.clear()

    async def do(
        self,
        task: Callable[Concatenate[Tell, Given], Found],
        tell: Tell | None,
        *given: Given.args,
        **named: Given.kwargs,
    ) -> Found:
        """What a task finds.   tell : called in the server's own thread with words and the share that is done.

        Raises `TaskFailed` with one line where it cannot be done. What it warns of is for `hearing`.
        """
        if self._closed:
            raise TaskFailed(ENDED)
        hand = await self._free.get()
        while not hand.process.is_alive():  # it was ended while it had nothing to do
            self._replace(hand)
            hand = await self._free.get()
        loop = asyncio.get_running_loop()

        def pass_on(words: str, share: float) -> None:
            if tell is not None:
                loop.call_soon_threadsafe(tell, words, share)

        pass_on("at work", 0.0)  # until it says more itself
        job = asyncio.current_task()
        self._jobs[job] = hand
        waiting = loop.run_in_executor(None, hand.ask, (task, given, named), pass_on)
        try:
            found, lines = await asyncio.shield(waiting)
        except TaskFailed:
            self._free.put_nowait(hand)
            raise
        except asyncio.CancelledError:
            waiting.add_done_callback(lambda done: done.exception())  # that its link ends is known
            self._replace(hand)
            raise
        except Exception as error:  # the process died, or what it found cannot travel
            self._replace(hand)
            words = "the process that computed this ended; try again, or with fewer points"
            raise TaskFailed(ENDED if self._closed else words, repr(error)) from None
        finally:
            del self._jobs[job]
        self._free.put_nowait(hand)
        done = _done.get()
        if done is not None:
            done.append(task.__name__)
        _pass_on(lines)
        result: Found = found
        return result

    def finish(self, job: asyncio.Task[Any]) -> bool:
        """Ask what runs `do` to end with what it has reached, as Ctrl-C would; False where that cannot be asked."""
        hand = self._jobs.get(job)
        return hand is not None and hand.finish()

    def _hire(self) -> None:
        if self._closed:
            return
        hand = Hand()
        self._hands.add(hand)
        self._free.put_nowait(hand)

    def _replace(self, hand: Hand) -> None:
        self._hands.discard(hand)
        hand.stop()
        self._hire()


class Latest:
    """Of many wishes in a row, such as those of a slider, the one that counts is the last.

    act : an asynchronous function. While it is at work wishes are not queued: the newest is taken when it is done, also
    where it failed. What went wrong with a wish that another has followed is for the log alone.
    """

    def __init__(self, act: Callable[..., Any]) -> None:
        self._act = act
        self._wish: tuple[Any, ...] | None = None
        self._busy = False

    async def ask(self, *wish: Any) -> None:
        """Do it with these arguments, now or soon; or not at all, if others come before."""
        self._wish = wish
        if self._busy:
            return
        self._busy = True
        try:
            while self._wish is not None:
                given, self._wish = self._wish, None
                try:
                    await self._act(*given)
                except Exception as error:
                    if self._wish is None:
                        raise
                    log.info("%s, which nobody waits for any more\n%s", error, getattr(error, "details", ""))
        finally:
            self._busy = False


async def within(
    staff: Staff,
    seconds: float,
    task: Callable[Concatenate[Tell, Given], Found],
    *given: Given.args,
    **named: Given.kwargs,
) -> Found:
    """What a task finds (see `Staff.do`), if that takes no longer than ``seconds``; waiting for a process is free.

    Raises `TooLong` where it takes longer; the process is stopped.
    """
    loop = asyncio.get_running_loop()
    alarm: list[asyncio.TimerHandle] = []
    late = False

    def stop() -> None:
        nonlocal late
        late = True
        job.cancel()

    def begun(words: str, _share: float) -> None:
        if words == BEGUN and not alarm:
            alarm.append(loop.call_later(seconds, stop))

    job = asyncio.ensure_future(staff.do(task, begun, *given, **named))
    try:
        return await job
    except asyncio.CancelledError:
        if not late:
            raise
        words = f"this takes longer than {seconds:g} s; make the model smaller, or use Python, where nobody waits"
        raise TooLong(words) from None
    finally:
        for own in alarm:
            own.cancel()


def _pass_on(lines: tuple[str, ...]) -> None:
    heard = _heard.get()
    if heard is not None:
        heard += [line for line in lines if line not in heard]
    for line in lines if heard is None else ():
        log.warning(line)


def _work(link: Connection[Any, Any]) -> None:
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


def undisturbed() -> AbstractContextManager[None]:
    """For the last that a task does, which takes no time and must not be lost: it is not asked to end any more."""
    return _that_may(end=False)


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """What a task does in here ends after some seconds, as if it were asked to: by KeyboardInterrupt."""
    if not hasattr(signal, "setitimer"):  # not known to every system
        yield
        return
    before = signal.signal(signal.SIGALRM, _finish)
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
            if _Turn.asked and _Turn.may_end:
                _Turn.asked = False
                raise KeyboardInterrupt

    return tell


def _answer(task: Callable[..., Any], given: Any, named: Any, tell: Tell) -> tuple[Any, ...]:
    _Turn.asked = False
    try:
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always", UserWarning)
            with _that_may(end=True):
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
