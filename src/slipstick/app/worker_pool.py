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
import threading
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeVar

from slipstick.app.debounce import Debouncer as Debouncer
from slipstick.app.task_warnings import collect_finished_tasks as collect_finished_tasks
from slipstick.app.task_warnings import collect_warnings as collect_warnings
from slipstick.app.task_warnings import publish_task_end
from slipstick.app.task_worker import DONE, FINISH_SIGNAL, FIRST_PROGRESS_TEXT, HALTED, PROGRESS
from slipstick.app.task_worker import ReportProgress as ReportProgress
from slipstick.app.task_worker import time_limit as time_limit
from slipstick.app.task_worker import uninterrupted as uninterrupted
from slipstick.workers.process import WorkerListener, WorkerProcess, usable_processors

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


class TaskProcess(WorkerProcess):
    """A worker process of the page.   running : it has begun with its task."""

    function = "slipstick.app.task_worker:run_worker"
    running = False
    _in_use = _stopped = False  # a thread uses the link; the process has been stopped

    def __init__(self, listener: WorkerListener) -> None:
        super().__init__(listener, self.function)
        self._lock = threading.Lock()

    def run(self, request: tuple[Any, ...], report_progress: ReportProgress) -> Any:
        """The result of a task and its warnings; waits for them in the caller's thread."""
        with self._lock:
            if self._stopped:
                raise EOFError("the worker process was stopped before it had a task")
            self._in_use = True
        try:
            link = self.wait_for_link()
            link.send(request)
            while True:
                kind, *values = link.recv()
                if kind == PROGRESS:
                    self.running = True
                    report_progress(*values)
                elif kind == DONE:
                    return values
                else:
                    raise TaskInterrupted(*values) if kind == HALTED else TaskFailed(*values)
        finally:
            with self._lock:
                self.running = self._in_use = False
                if self._stopped:
                    self.close_link()

    def finish(self) -> bool:
        """Ask the task to end with its present result; False if no task runs."""
        if FINISH_SIGNAL is None or not self.running:
            return False
        self.process.send_signal(FINISH_SIGNAL)
        return True

    def stop(self) -> None:
        """End the process. A thread that uses the link closes it: a closed descriptor may soon belong to another."""
        with self._lock:
            if self._stopped:
                return
            self._stopped, in_use = True, self._in_use
        self.kill()
        if not in_use:
            self.close_link()


class WorkerPool:
    """All processes of a server.   count : of them; left out, as many as there are processors, within bounds."""

    def __init__(self, count: int | None = None) -> None:
        self.count = count or min(max(usable_processors(), MIN_PROCESSES), MAX_PROCESSES)
        self._free: asyncio.Queue[TaskProcess] = asyncio.Queue()
        self._processes: set[TaskProcess] = set()
        self._jobs: dict[asyncio.Task[Any] | None, TaskProcess] = {}
        self._closed = False
        self._listener: WorkerListener | None = None

    def start(self) -> None:
        """Start the processes. They need a second or two; earlier requests wait for them."""
        self._listener = WorkerListener()
        for _ in range(self.count):
            self._start_worker()

    def close(self) -> None:
        """End all of them, whatever they do; none is begun afterwards."""
        self._closed = True
        for worker in list(self._processes):
            worker.stop()
        self._processes.clear()
        if self._listener is not None:
            self._listener.close()
            self._listener = None

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
        worker = await self._free.get()
        while not worker.is_alive:  # it was killed while idle
            self._replace(worker)
            worker = await self._free.get()
        loop = asyncio.get_running_loop()

        def say(words: str, share: float) -> None:
            if tell is not None:
                loop.call_soon_threadsafe(tell, words, share)

        say("at work", 0.0)  # until it says more itself
        job = asyncio.current_task()
        self._jobs[job] = worker
        waiting = loop.run_in_executor(None, worker.run, (task, given, named), say)
        try:
            found, lines = await asyncio.shield(waiting)
        except TaskFailed:
            self._free.put_nowait(worker)
            raise
        except asyncio.CancelledError:
            waiting.add_done_callback(lambda done: done.exception())  # that its link ends is known
            self._replace(worker)
            raise
        except Exception as error:  # the process died, or what it found cannot travel
            self._replace(worker)
            words = "the process that computed this ended; try again, or with fewer points"
            raise TaskFailed(SERVER_ENDING_TEXT if self._closed else words, repr(error)) from None
        finally:
            del self._jobs[job]
        self._free.put_nowait(worker)
        publish_task_end(task.__name__, lines)
        result: TaskResult = found
        return result

    def finish(self, job: asyncio.Task[Any]) -> bool:
        """Ask what runs `do` to end with what it has reached, as Ctrl-C would; False where that cannot be asked."""
        worker = self._jobs.get(job)
        return worker is not None and worker.finish()

    def _start_worker(self) -> None:
        if self._closed or self._listener is None:
            return
        worker = TaskProcess(self._listener)
        self._processes.add(worker)
        self._free.put_nowait(worker)

    def _replace(self, worker: TaskProcess) -> None:
        self._processes.discard(worker)
        worker.stop()
        self._start_worker()


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
