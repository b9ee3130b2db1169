"""The processes that do long work, so that the page never waits; each does one task at a time.

A task is a function of a module with a first argument ``tell(words, share)`` and plain arguments, which can all be
pickled. Whoever awaits `Staff.do` and is cancelled has the process killed: nothing goes on computing for nobody, and
another process takes its place. A task that can end with what it has, as everything that takes Ctrl-C can, is asked to
by `Staff.finish`; what it does afterwards it does `at_most` for some seconds, or `undisturbed` if it takes none.

What runs in a process stands in `slipstick.app.at_work`, and how it is known what tasks warn of in
`slipstick.app.hearing`; pages and tasks have all of it from here.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import threading
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeVar

from slipstick.app.at_work import BEGUN, DONE, FINISH, HALTED, TOLD, work
from slipstick.app.at_work import Tell as Tell
from slipstick.app.at_work import at_most as at_most
from slipstick.app.at_work import undisturbed as undisturbed
from slipstick.app.hearing import counting as counting
from slipstick.app.hearing import hearing as hearing
from slipstick.app.hearing import pass_on
from slipstick.app.latest import Latest as Latest
from slipstick.sweeps.worker import processors

Given = ParamSpec("Given")
Found = TypeVar("Found")

FEWEST, MOST = 2, 4  # processes: one user seldom waits for more at a time, and each takes 140 MB
ENDED = "the server is ending; start it again"


class TaskFailed(Exception):
    """A task that did not end well, in one line.   details : where, for the log; empty where the user knows enough."""

    def __init__(self, line: str, details: str = "") -> None:
        super().__init__(line)
        self.details = details


class TooLong(TaskFailed):
    """A task that was stopped because it took longer than it may."""


class Halted(TaskFailed):
    """A task that was asked to end with what it has, and had nothing."""


class Hand:
    """One process and the link to it.   life : what it does.   at_work : it has begun with what it was asked."""

    life = staticmethod(work)
    at_work = False
    _asked = _stopped = False  # a thread uses the link; the process is to be no more

    def __init__(self) -> None:
        self._lock = threading.Lock()
        context = multiprocessing.get_context("spawn")
        self.link, theirs = context.Pipe()
        self.process = context.Process(target=self.life, args=(theirs,), daemon=True, name="slipstick-app")
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

        def say(words: str, share: float) -> None:
            if tell is not None:
                loop.call_soon_threadsafe(tell, words, share)

        say("at work", 0.0)  # until it says more itself
        job = asyncio.current_task()
        self._jobs[job] = hand
        waiting = loop.run_in_executor(None, hand.ask, (task, given, named), say)
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
        pass_on(task.__name__, lines)
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
