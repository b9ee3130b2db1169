"""Laws of a ranking, fitted in parallel by worker processes.

A worker takes the next law as soon as it is free. Short rankings stay in this process: a worker needs about a second
to start.
"""

from __future__ import annotations

import math
import pickle
from collections.abc import Sequence
from multiprocessing.connection import Connection, wait
from time import monotonic
from typing import Any

from slipstick.errors import Message
from slipstick.identification.ranking.law_fit import RankingTask
from slipstick.identification.search.start_selection import Progress
from slipstick.results.ranking import RankedLaw
from slipstick.workers.packing import packed
from slipstick.workers.process import WorkerListener, WorkerProcess, usable_processors

RUN_WORKER = "slipstick.identification.ranking.law_workers:run_worker"
MIN_PARALLEL_SAMPLES = 30_000  # samples times laws, from which parallel fits are faster
REPORT_SECONDS = 0.1  # [s] between two reports of a worker
STEP, DONE = "step", "done"  # kinds of messages from a worker

NamedLaw = tuple[str, Any]  # label, and a class, a template or a name


def fit_laws(task: RankingTask, laws: Sequence[NamedLaw], report: Progress) -> list[RankedLaw]:
    """The fitted laws in the given order; computed in parallel if that is faster."""
    count = min(usable_processors(), len(laws))
    if count > 1 and task.sample_count * len(laws) >= MIN_PARALLEL_SAMPLES:
        try:
            data = packed((task, list(laws)), [law if isinstance(law, type) else type(law) for _, law in laws])
        except (pickle.PicklingError, TypeError, AttributeError):  # a law that cannot be pickled
            pass
        else:
            return _LawPool(data, [name for name, _ in laws], report).fit(count)
    return [_fit_here(task, k, laws, report) for k in range(len(laws))]


def _fit_here(task: RankingTask, k: int, laws: Sequence[NamedLaw], report: Progress) -> RankedLaw:
    name, law = laws[k]
    report(name, k / len(laws))
    return task.fit(name, law, lambda step, share: report(f"{name}: {step}", (k + share) / len(laws)))


class _LawPool:
    """Worker processes, and which law each of them fits."""

    def __init__(self, data: bytes, names: list[str], report: Progress) -> None:
        self.data, self.names, self.report = data, names, report
        self.shares = [0.0] * len(names)
        self.found: dict[int, RankedLaw] = {}
        self.waiting = list(range(len(names)))[::-1]
        self.workers: dict[Connection[Any, Any], tuple[WorkerProcess, int]] = {}

    def fit(self, count: int) -> list[RankedLaw]:
        listener = WorkerListener()
        started = list[WorkerProcess]()
        try:
            started += [WorkerProcess(listener, RUN_WORKER) for _ in range(count)]
            for worker in started:
                self._begin(worker)
            while len(self.found) < len(self.names) and self.workers:
                for link in wait(list(self.workers)):
                    self._receive(link)  # type: ignore[arg-type]
        finally:
            for worker in started:
                worker.stop()
            listener.close()
        lost = Message("not fitted: the worker processes ended")
        return [self.found.get(k, _without_fit(name, lost)) for k, name in enumerate(self.names)]

    def _begin(self, worker: WorkerProcess) -> None:
        try:
            link = worker.wait_for_link()
            link.send_bytes(self.data)
        except (EOFError, OSError):
            return
        self._give_next(link, worker)

    def _give_next(self, link: Connection[Any, Any], worker: WorkerProcess) -> None:
        self.workers.pop(link, None)
        if self.waiting:
            number = self.waiting.pop()
            self.workers[link] = worker, number
            self.report(self.names[number], sum(self.shares) / len(self.names))
            link.send(number)

    def _receive(self, link: Connection[Any, Any]) -> None:
        worker, number = self.workers[link]
        try:
            kind, content = pickle.loads(link.recv_bytes())
        except (EOFError, OSError):
            del self.workers[link]
            why = Message(f"not fitted: its process was {worker.describe_end()}")
            self.found[number] = _without_fit(self.names[number], why)
            return
        if kind == STEP:
            step, self.shares[number] = content
            self.report(f"{self.names[number]}: {step}", sum(self.shares) / len(self.names))
            return
        if isinstance(content, BaseException):
            raise content
        self.found[number], self.shares[number] = content, 1.0
        self.report(f"{self.names[number]}: fitted", sum(self.shares) / len(self.names))
        self._give_next(link, worker)


def _without_fit(name: str, why: Message) -> RankedLaw:
    return RankedLaw(name, None, math.inf, math.nan, why)


def run_worker(link: Connection[Any, Any]) -> None:
    """Fit laws by their numbers until the link closes."""
    task, laws = pickle.loads(link.recv_bytes())
    while True:
        name, law = laws[link.recv()]
        last = -math.inf

        def report(step: str, share: float) -> None:
            nonlocal last
            if monotonic() - last > REPORT_SECONDS:
                last = monotonic()
                link.send_bytes(pickle.dumps((STEP, (step, share))))

        try:
            found: RankedLaw | BaseException = task.fit(name, law, report)
        except Exception as problem:
            found = problem
        classes = [] if isinstance(found, BaseException) or found.fit is None else [type(found.fit.law)]
        link.send_bytes(packed((DONE, found), classes))
