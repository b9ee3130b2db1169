"""`WorkerPool`: worker processes for long tasks, so that the page stays responsive.

A task is a module-level function. Its first argument is ``tell(words, share)``, which reports progress; its other
arguments are plain data, and all of them can be pickled. Cancelling a caller of `WorkerPool.do` kills the process, and
another one replaces it. `WorkerPool.finish` asks a task to end with what it has, as Ctrl-C does. After that the task
may run `time_limit` for some seconds, or `uninterrupted` if it needs no time.

`slipstick.app.task_worker` has the loop of a worker process; `slipstick.app.task_warnings` collects warnings. Pages and
tasks import both from here.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import threading
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeVar

from slipstick.app.debounce import Debouncer as Debouncer
from slipstick.app.task_warnings import collect_finished_tasks as collect_finished_tasks
from slipstick.app.task_warnings import collect_warnings as collect_warnings
from slipstick.app.task_warnings import publish_task_end
from slipstick.app.task_worker import DONE, FINISH_SIGNAL, FIRST_PROGRESS_TEXT, HALTED, PROGRESS, run_worker
from slipstick.app.task_worker import ReportProgress as ReportProgress
from slipstick.app.task_worker import time_limit as time_limit
from slipstick.app.task_worker import uninterrupted as uninterrupted
from slipstick.sweeps.worker_process import usable_processors

TaskParams = ParamSpec("TaskParams")
TaskResult = TypeVar("TaskResult")

MIN_PROCESSES, MAX_PROCESSES = 2, 4  # processes: one user seldom waits for more at a time, and each takes 140 MB
SERVER_ENDING_TEXT = "the server is ending; start it again"


class TaskFailed(Exception):
    """A task that did not end well, in one line.   details : where, for the log; empty where the user knows enough."""

    def __init__(self, line: str, details: str = "") -> None:
        super().__init__(line)
        self.details = details


class TaskTimeout(TaskFailed):
    """A task that was stopped because it took longer than it may."""


class TaskInterrupted(TaskFailed):
    """A task that was asked to end with what it has, and had nothing."""


class WorkerProcess:
    """One process and the link to it.   life : what it does.   at_work : it has begun with what it was asked."""

    life = staticmethod(run_worker)
    at_work = False
    _asked = _stopped = False  # a thread uses the link; the process is to be no more

    def __init__(self) -> None:
        self._lock = threading.Lock()
        context = multiprocessing.get_context("spawn")
        self.link, theirs = context.Pipe()
        self.process = context.Process(target=self.life, args=(theirs,), daemon=True, name="slipstick-app")
        self.process.start()
        theirs.close()

    def ask(self, order: tuple[Any, ...], tell: ReportProgress) -> Any:
        """What comes of an order, and what it warned of; words on the way are passed on. Runs in a thread."""
        with self._lock:
            if self._stopped:
                raise EOFError("it was stopped before it was asked")
            self._asked = True
        try:
            self.link.send(order)
            while True:
                kind, *what = self.link.recv()
                if kind == PROGRESS:
                    self.at_work = True
                    tell(*what)
                elif kind == DONE:
                    return what
                else:
                    raise TaskInterrupted(*what) if kind == HALTED else TaskFailed(*what)
        finally:
            with self._lock:
                self.at_work = self._asked = False
                if self._stopped:
                    self.link.close()

    def finish(self) -> bool:
        """Ask it to end with what it has; False where it cannot be asked."""
        if FINISH_SIGNAL is None or not self.at_work or self.process.pid is None:
            return False
        os.kill(self.process.pid, FINISH_SIGNAL)
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


class WorkerPool:
    """All processes of a server.   count : of them; left out, as many as there are processors, within bounds."""

    def __init__(self, count: int | None = None) -> None:
        self.count = count or min(max(usable_processors(), MIN_PROCESSES), MAX_PROCESSES)
        self._free: asyncio.Queue[WorkerProcess] = asyncio.Queue()
        self._processes: set[WorkerProcess] = set()
        self._jobs: dict[asyncio.Task[Any] | None, WorkerProcess] = {}
        self._closed = False

    def start(self) -> None:
        """Begin the processes; they are ready a second or two later, and what is asked before waits for them."""
        for _ in range(self.count):
            self._hire()

    def close(self) -> None:
        """End all of them, whatever they do; none is begun afterwards."""
        self._closed = True
        for hand in list(self._processes):
            hand.stop()
        self._processes.clear()

    async def do(
        self,
        task: Callable[Concatenate[ReportProgress, TaskParams], TaskResult],
        tell: ReportProgress | None,
        *given: TaskParams.args,
        **named: TaskParams.kwargs,
    ) -> TaskResult:
        """What a task finds.   tell : called in the server's own thread with words and the share that is done.

        Raises `TaskFailed` with one line where it cannot be done. What it warns of is for `collect_warnings`.
        """
        if self._closed:
            raise TaskFailed(SERVER_ENDING_TEXT)
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
            raise TaskFailed(SERVER_ENDING_TEXT if self._closed else words, repr(error)) from None
        finally:
            del self._jobs[job]
        self._free.put_nowait(hand)
        publish_task_end(task.__name__, lines)
        result: TaskResult = found
        return result

    def finish(self, job: asyncio.Task[Any]) -> bool:
        """Ask what runs `do` to end with what it has reached, as Ctrl-C would; False where that cannot be asked."""
        hand = self._jobs.get(job)
        return hand is not None and hand.finish()

    def _hire(self) -> None:
        if self._closed:
            return
        hand = WorkerProcess()
        self._processes.add(hand)
        self._free.put_nowait(hand)

    def _replace(self, hand: WorkerProcess) -> None:
        self._processes.discard(hand)
        hand.stop()
        self._hire()


async def run_within(
    worker_pool: WorkerPool,
    seconds: float,
    task: Callable[Concatenate[ReportProgress, TaskParams], TaskResult],
    *given: TaskParams.args,
    **named: TaskParams.kwargs,
) -> TaskResult:
    """What a task finds (see `WorkerPool.do`), if that takes no longer than ``seconds``; waiting for a process is free.

    Raises `TaskTimeout` where it takes longer; the process is stopped.
    """
    loop = asyncio.get_running_loop()
    alarm: list[asyncio.TimerHandle] = []
    late = False

    def stop() -> None:
        nonlocal late
        late = True
        job.cancel()

    def begun(words: str, _share: float) -> None:
        if words == FIRST_PROGRESS_TEXT and not alarm:
            alarm.append(loop.call_later(seconds, stop))

    job = asyncio.ensure_future(worker_pool.do(task, begun, *given, **named))
    try:
        return await job
    except asyncio.CancelledError:
        if not late:
            raise
        words = f"this takes longer than {seconds:g} s; make the model smaller, or use Python, where nobody waits"
        raise TaskTimeout(words) from None
    finally:
        for own in alarm:
            own.cancel()
