"""`WorkerPool`: worker processes for long tasks, so that the page stays responsive.

A task is a module-level function. Its first argument is ``report_progress(text, share)``; the others are plain data
that can be pickled. If a caller of `WorkerPool.run` is cancelled, the process is killed and replaced.
`WorkerPool.finish` asks a task to end with its present result, as Ctrl-C does.

`slipstick.app.task_worker` has the loop of a worker process; `slipstick.app.task_warnings` collects warnings.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any, Concatenate, ParamSpec, TypeVar

from slipstick.app.task_warnings import publish_task_end
from slipstick.app.task_worker import DONE, FINISH_SIGNAL, FIRST_PROGRESS_TEXT, HALTED, PROGRESS, ReportProgress
from slipstick.workers.process import WorkerListener, WorkerProcess, usable_processors

TaskParams = ParamSpec("TaskParams")
TaskResult = TypeVar("TaskResult")

MIN_PROCESSES, MAX_PROCESSES = 2, 4  # one user seldom waits for more at a time, and each takes 140 MB
ASSIGNED_TEXT = "at work"  # progress until the process reports its own
SERVER_ENDING_TEXT = "the server is ending; start it again"


class TaskFailed(Exception):
    """A task that failed, in one line.   details : for the log; empty if the line says enough."""

    def __init__(self, line: str, details: str = "") -> None:
        super().__init__(line)
        self.details = details


class TaskTimeout(TaskFailed):
    """A task that was stopped at its time limit."""


class TaskInterrupted(TaskFailed):
    """A task that was asked to end and had no result yet."""


class TaskProcess(WorkerProcess):
    """A worker process of the page.   is_ready : it has started.   running : it has begun with its task."""

    function = "slipstick.app.task_worker:run_worker"
    is_ready = running = False
    _in_use = _stopped = False  # a thread uses the link; the process has been stopped

    def __init__(self, listener: WorkerListener) -> None:
        super().__init__(listener, self.function)
        self._lock = threading.Lock()

    def start(self) -> None:
        """Wait in the caller's thread until the process has imported what it needs; EOFError if it dies."""
        with self._using_link() as link:
            link.recv()
            self.is_ready = True

    def run(self, request: tuple[Any, ...], report_progress: ReportProgress) -> Any:
        """The result of a task and its warnings; waits for them in the caller's thread."""
        if not self.is_ready:
            raise EOFError("the worker process died while it started")
        with self._using_link() as link:
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

    @contextmanager
    def _using_link(self) -> Iterator[Connection[Any, Any]]:
        """The link, for the caller's thread, which closes it if the process is stopped meanwhile."""
        with self._lock:
            if self._stopped:
                raise EOFError("the worker process was stopped before it had a task")
            self._in_use = True
        try:
            yield self.wait_for_link()
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
    """All worker processes of a server.   count : of them; by default one a processor, within bounds.

    A task runs in a process that has started, while others still start: on a busy machine that takes a minute.
    """

    def __init__(self, count: int | None = None) -> None:
        self.count = count or min(max(usable_processors(), MIN_PROCESSES), MAX_PROCESSES)
        self._free: asyncio.Queue[TaskProcess] = asyncio.Queue()
        self._processes: set[TaskProcess] = set()
        self._running: dict[asyncio.Task[Any] | None, TaskProcess] = {}
        self._closed = False
        self._listener: WorkerListener | None = None

    def start(self) -> None:
        """Start the processes. They need a second or two; earlier requests wait for the first of them."""
        self._listener = WorkerListener()
        for _ in range(self.count):
            self._start_worker()

    def close(self) -> None:
        """End all processes at once; none is started afterwards."""
        self._closed = True
        for worker in list(self._processes):
            worker.stop()
        self._processes.clear()
        if self._listener is not None:
            self._listener.close()
            self._listener = None

    async def run(
        self,
        task: Callable[Concatenate[ReportProgress, TaskParams], TaskResult],
        report_progress: ReportProgress | None,
        *arguments: TaskParams.args,
        **keywords: TaskParams.kwargs,
    ) -> TaskResult:
        """The result of a task.   report_progress : called in the server's own thread.

        Raises `TaskFailed` with one line. Warnings go to `collect_warnings`.
        """
        if self._closed:
            raise TaskFailed(SERVER_ENDING_TEXT)
        worker = await self._free.get()
        while worker.is_ready and not worker.is_alive:  # it was killed while idle
            self._replace(worker)
            worker = await self._free.get()
        loop = asyncio.get_running_loop()

        def report(text: str, share: float) -> None:
            if report_progress is not None:
                loop.call_soon_threadsafe(report_progress, text, share)

        report(ASSIGNED_TEXT, 0.0)
        caller = asyncio.current_task()
        self._running[caller] = worker
        end = loop.run_in_executor(None, worker.run, (task, arguments, keywords), report)
        try:
            result, lines = await asyncio.shield(end)
        except TaskFailed:
            self._free.put_nowait(worker)
            raise
        except asyncio.CancelledError:
            end.add_done_callback(lambda done: done.exception())  # the link closes, which is no news
            self._replace(worker)
            raise
        except Exception as error:  # the process died, or its result cannot be pickled
            self._replace(worker)
            text = "the worker process ended unexpectedly; try again, or with fewer points"
            raise TaskFailed(SERVER_ENDING_TEXT if self._closed else text, repr(error)) from None
        finally:
            del self._running[caller]
        self._free.put_nowait(worker)
        publish_task_end(task.__name__, lines)
        value: TaskResult = result
        return value

    def finish(self, caller: asyncio.Task[Any]) -> bool:
        """Ask the task that ``caller`` runs to end with its present result; False if it has not begun or has ended."""
        worker = self._running.get(caller)
        return worker is not None and worker.finish()

    def _start_worker(self) -> None:
        if self._closed or self._listener is None:
            return
        worker = TaskProcess(self._listener)
        self._processes.add(worker)

        def hand_over(started: asyncio.Future[None]) -> None:
            started.exception()  # of a process that died: the task that gets it fails
            self._free.put_nowait(worker)

        asyncio.get_running_loop().run_in_executor(None, worker.start).add_done_callback(hand_over)

    def _replace(self, worker: TaskProcess) -> None:
        self._processes.discard(worker)
        worker.stop()
        self._start_worker()


async def run_within(
    worker_pool: WorkerPool,
    seconds: float,
    task: Callable[Concatenate[ReportProgress, TaskParams], TaskResult],
    *arguments: TaskParams.args,
    **keywords: TaskParams.kwargs,
) -> TaskResult:
    """The result of a task (see `WorkerPool.run`) that may take ``seconds``, without the wait for a free process.

    Raises `TaskTimeout` if it takes longer; the process is stopped.
    """
    loop = asyncio.get_running_loop()
    timers: list[asyncio.TimerHandle] = []
    timed_out = False

    def stop() -> None:
        nonlocal timed_out
        timed_out = True
        job.cancel()

    def start_timer(text: str, _share: float) -> None:
        if text == FIRST_PROGRESS_TEXT and not timers:
            timers.append(loop.call_later(seconds, stop))

    job = asyncio.ensure_future(worker_pool.run(task, start_timer, *arguments, **keywords))
    try:
        return await job
    except asyncio.CancelledError:
        if not timed_out:
            raise
        text = f"this takes longer than {seconds:g} s; make the model smaller, or use Python, which has no time limit"
        raise TaskTimeout(text) from None
    finally:
        for timer in timers:
            timer.cancel()
