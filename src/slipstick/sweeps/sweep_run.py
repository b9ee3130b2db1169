"""Runs a sweep: checks arguments, opens or creates the ledger, and resumes where it ended."""

from __future__ import annotations

import os
import warnings
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from slipstick.errors import Advice, FileError, InvalidInput, NotConverged, arguments_in_words, short_repr
from slipstick.results.figures import UnknownFigure
from slipstick.results.sweep import Sweep
from slipstick.sweeps import SUFFIXES, fingerprint
from slipstick.sweeps.backend import Backend
from slipstick.sweeps.driver import Driver
from slipstick.sweeps.journal import Journal, is_new, journal_path, read_finished_points
from slipstick.sweeps.ledger import RECOVER_ADVICE, DamagedLedger, Ledger, is_ledger
from slipstick.sweeps.ledger_dataset import dataset_of
from slipstick.sweeps.ledger_repair import repair_ledger
from slipstick.sweeps.plan import Plan, plan_of
from slipstick.sweeps.point_outcome import DONE, FAILED, WAITING, PointOutcome
from slipstick.sweeps.point_task import PointTask, make_task
from slipstick.sweeps.status import Status
from slipstick.sweeps.time_limit import checked_limit
from slipstick.workers.packing import packed
from slipstick.workers.process import usable_processors

MAX_LISTED_CHANGES = 5  # changes of a study in a message


class SweepRequest(NamedTuple):
    """A checked sweep.   parts : digests of the study by name.   chain : successive points that start from each
    other's orbits; 1 without chains."""

    plan: Plan
    task: PointTask
    store: Path
    parts: dict[str, str]
    chain: int


class ChangedStudy(InvalidInput):
    """A ledger that holds the points of another study."""


class PointsLeftOut(UserWarning):
    """A sweep has finished, but some points failed."""


class WorkerOptions(NamedTuple):
    """The backend by the arguments of `sweep`.   limit : checked."""

    workers: int | None
    cluster: Any
    limit: float | None


@arguments_in_words
def sweep(
    build: Callable[..., Any],
    over: Any,
    measure: Any = None,
    store: str | os.PathLike[str] = "sweep.sqlite",
    workers: int | None = None,
    cluster: Any = None,
    progress: Callable[[Status], Any] | None = None,
    *,
    limit: float | None = None,
    along: str | None = None,
    new: bool = False,
    retry: bool = False,
    recover: bool = False,
) -> Sweep:
    """Compute many points in parallel, each once. A sweep that is started again resumes.

    build : from the values of a point, by name, to a model, a result, or figures.
    over : axes by name, which are crossed; a list of points; or a plan of `slipstick.plans`.
    measure : a function of what build returns (and of values of the point, by argument name); or names of
        figures, such as ["x.amplitude", "guide.dissipated"]: of a model, those of its periodic response.
        None: build returns the figures.
    store : the ledger, an SQLite file.
    workers : processes; default one for each core.
    cluster : the address of a Dask scheduler, or a `distributed.Client`, instead of processes here.
    progress : called now and then with a `Status`: done, failed, total, rate, left, best, longest.
    limit : time limit of a point [s]; a worker that takes longer is killed, and the point counts as one that killed
        its worker. None: no limit.
    along : an axis along which each point begins from the orbit of the one before it; build takes it as ``start=``.
    new : write a new ledger under the next free name, beside one of another study.
    retry : compute failed points once more.
    recover : build a damaged ledger anew from the finished points beside it.

    A changed study is refused with a list of the changes. A failed point keeps its message and the others continue; a
    warning says how many failed.
    """
    request = _checked_request(build, over, measure, store, along)
    hired = WorkerOptions(workers, cluster, checked_limit(limit))
    if new:
        request = request._replace(store=_free_store(request))
    return _run_request(request, hired, progress, retry=retry, recover=recover)


def _run_request(request: SweepRequest, hired: WorkerOptions, progress: Any, *, retry: bool, recover: bool) -> Sweep:
    """Compute the waiting points of a sweep and read all results from its ledger."""
    journal = Journal(journal_path(request.store), request.store)
    try:
        fresh = not request.store.exists()
        ledger = _open_ledger(request, recover)
        try:
            journal.begin(fingerprint.combined_digest(request.parts))
            for words in repair_ledger(ledger, request.plan, request.chain):
                warnings.warn(words, stacklevel=4)  # where sweep is called
            _rebuild_journal(journal, ledger)
            ledger.requeue_interrupted(failed=retry)
            if ledger.counts()[WAITING]:
                _run_points(request, ledger, journal, hired, progress)
            found = dataset_of(ledger)
            if found.left_out:
                words = f"{ledger.path}: {found.left_out}; .failed lists them, retry=True computes them once more"
                warnings.warn(words, PointsLeftOut, stacklevel=4)
            return found
        except UnknownFigure:
            if fresh:  # a corrected name is then not another study
                ledger.close()
                request.store.unlink()
                journal.drop()
            raise
        finally:
            ledger.close()
    finally:
        journal.close()


def _rebuild_journal(journal: Journal, ledger: Ledger) -> None:
    """Write a lost journal again from the ledger."""
    if not is_new(journal.path):
        return
    for row in ledger.rows():
        if row.state in (DONE, FAILED):
            words: Any = (row.state, row.figures, {}, row.certificate, row.message, row.seconds or 0.0)
            journal.add([(row.number, PointOutcome(*words), row.arrays)])


def _run_points(request: SweepRequest, ledger: Ledger, journal: Journal, hired: WorkerOptions, progress: Any) -> None:
    waiting = ledger.counts()[WAITING]
    at_once = waiting if request.chain == 1 else len({number // request.chain for number in ledger.waiting()})
    backend = _backend(request.task, at_once, hired)
    try:
        Driver(request.plan, ledger, journal, backend, request.chain, progress).run()
    except KeyboardInterrupt:
        ledger.requeue_interrupted()
        counts = ledger.counts()
        words = f"interrupted: {counts[DONE]} of {ledger.total} points are done and kept in {ledger.path}"
        raise NotConverged(f"{words}; start it again to continue", dataset_of(ledger), interrupted=True) from None
    finally:
        backend.close()


def _checked_request(build: Any, over: Any, measure: Any, store: Any, along: str | None) -> SweepRequest:
    plan = plan_of(over)
    chain = 1
    if along is not None:
        plan = plan.along(along)
        chain = plan.shape[-1]
    taken = [*plan.names, *(d.name for d in plan.dimensions)]
    task = make_task(build, measure, plan.handed, along is not None, taken)
    if not isinstance(store, (str, bytes, os.PathLike)):
        raise InvalidInput(
            f"store must be the name of an SQLite file, such as map.sqlite, got {short_repr(store)}"
        ).about("store")
    path = Path(os.fsdecode(store))
    if path.suffix.lower() not in SUFFIXES:
        words = f"the ledger is an SQLite file, such as map.sqlite, got {short_repr(str(path))}; give it that suffix"
        raise InvalidInput(words).about("store")
    if not path.parent.is_dir():
        raise InvalidInput(f"the folder {path.parent} of the ledger does not exist; make it first").about("store")
    return SweepRequest(plan, task, path, _study_digests(plan, task, along), chain)


def _study_digests(plan: Plan, task: PointTask, along: str | None) -> dict[str, str]:
    """Digests of the study by name."""
    from slipstick import __version__

    parts = {
        "slipstick": __version__,
        **fingerprint.plan_digests(plan),
        **fingerprint.function_digests(task.build, "build"),
    }
    if callable(task.measures):
        parts |= fingerprint.function_digests(task.measures, "measure")
    for name, measure in ({} if callable(task.measures) else task.measures or {}).items():
        role = f"measure {name}"
        parts |= {role: measure} if isinstance(measure, str) else fingerprint.function_digests(measure, role)
    return parts | {"along": str(along)}


def _open_ledger(request: SweepRequest, recover: bool) -> Ledger:
    """The ledger of a sweep: an existing one of the same study, or a new one."""
    from slipstick import __version__

    path, beside = request.store, journal_path(request.store)
    study = fingerprint.combined_digest(request.parts)
    about = {
        "version": __version__,
        "study": study,
        "parts": request.parts,
        "shown": getattr(request.task.build, "shown", {}),
        "units": getattr(request.task.build, "units", {}),
        "dimensions": [[d.name, len(d), list(d.columns)] for d in request.plan.dimensions],
    }
    if not path.exists() or (path.is_file() and path.stat().st_size == 0):
        if recover:
            return _recover_ledger(request, about)
        if next(read_finished_points(beside)[1], None) is not None:
            words = f"is gone or empty, but {beside.name} beside it has its finished points"
            raise FileError(
                str(path), None, "", words, advice=[Advice("{recover} takes them", recover=True), "or remove that file"]
            )
        return Ledger.made(path, request.plan, about)
    try:
        if not is_ledger(path):
            _refuse_no_ledger(path, own=read_finished_points(beside)[0] == study)
        ledger = Ledger.opened(path)
        _refuse_changed(request, ledger, study)
        _refuse_forged(ledger, about["dimensions"], every_row=recover)
    except DamagedLedger:
        if recover:
            return _recover_ledger(request, about)
        raise
    return ledger


def _refuse_forged(ledger: Ledger, dimensions: Any, *, every_row: bool) -> None:
    """Refuse a ledger of this study whose contents cannot be those of its sweep.   every_row : reads all points."""
    try:
        if ledger.about["dimensions"] != dimensions:  # the digest of the study covers them
            words = "is damaged (its dimensions are changed)"
            raise DamagedLedger(str(ledger.path), None, "", words, advice=[RECOVER_ADVICE])
        if every_row:
            deque(ledger.rows(), maxlen=0)
    except DamagedLedger:
        ledger.close()
        raise


def _refuse_no_ledger(path: Path, own: bool) -> None:
    """Refuse a file that is no ledger.   own : the journal beside it is of this study."""
    if own and path.is_file():
        raise DamagedLedger(str(path), None, "", "is damaged (its beginning is lost)", advice=[RECOVER_ADVICE])
    raise FileError(str(path), None, "", "exists and is not a sweep of slipstick; give another name")


def _refuse_changed(request: SweepRequest, ledger: Ledger, study: str) -> None:
    if ledger.about["study"] == study:
        return
    changes = fingerprint.describe_changes(ledger.about["parts"], request.parts)
    ledger.close()
    more = f", and {len(changes) - MAX_LISTED_CHANGES} more" if len(changes) > MAX_LISTED_CHANGES else ""
    words = f"{request.store} has another study: {'; '.join(changes[:MAX_LISTED_CHANGES])}{more}"
    way = Advice("go back, name another file, or start beside it with {new}", new=True)
    raise ChangedStudy(words, argument="store", advice=[way])


def _recover_ledger(request: SweepRequest, about: dict[str, Any]) -> Ledger:
    """Rebuild a damaged ledger from its journal; the damaged file is renamed."""
    path, beside = request.store, journal_path(request.store)
    own, points = read_finished_points(beside)
    if own != about["study"]:
        words = "are of another study" if own else "are not there"
        raise InvalidInput(f"the finished points {beside} {words}, so nothing can be recovered").about("recover")
    damaged = _free_name(path.with_name(f"{path.name}.damaged"))
    for suffix in ("", "-wal", "-shm"):  # they belong together
        part = path.with_name(path.name + suffix)
        if part.exists():
            os.replace(part, damaged.with_name(damaged.name + suffix))
    ledger = Ledger.made(path, request.plan, about)
    with ledger.writing():
        for number, found, arrays in points:
            ledger.put_outcome(number, found, arrays)
    return ledger


def _backend(task: PointTask, points: int, hired: WorkerOptions) -> Backend:
    workers, cluster, limit = hired
    packed = pack_task(task)
    if cluster is not None:
        if workers is not None:
            raise InvalidInput("workers= is for this machine, cluster= has its own; leave one out").about("workers")
        from slipstick.sweeps.dask_cluster import DaskBackend

        return DaskBackend(packed, cluster, limit)
    from slipstick.sweeps.process_pool import ProcessPool

    return ProcessPool(packed, min(_worker_count(workers), max(points, 1)), limit)


def _worker_count(workers: int | None) -> int:
    if workers is None:
        return usable_processors()
    if isinstance(workers, bool) or not isinstance(workers, int) or workers < 1:
        raise InvalidInput(f"workers must be a whole number of processes, at least 1, got {short_repr(workers)}").about(
            "workers"
        )
    return workers


def _free_store(request: SweepRequest) -> Path:
    """The first of map.sqlite, map-2.sqlite, ... with this study, or free."""
    study = fingerprint.combined_digest(request.parts)
    path, k = request.store, 2
    while path.exists():
        ledger = Ledger.read_only(path)
        own = ledger.about["study"]
        ledger.close()
        if own == study:
            return path
        path, k = request.store.with_name(f"{request.store.stem}-{k}{request.store.suffix}"), k + 1
    return path


def _free_name(path: Path) -> Path:
    """The next name that is free: map-2.sqlite."""
    k = 2
    while (found := path.with_name(f"{path.stem}-{k}{path.suffix}")).exists():
        k += 1
    return found


def pack_task(task: PointTask) -> bytes:
    """The pickled task, with the functions of the user."""
    measures = task.measures
    return packed(task, [task.build, *([measures] if callable(measures) else (measures or {}).values())])
