"""Shares of the motions that random starts end on, from batches of starts in worker processes."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.basins.clusters import Cluster, clusters_of, names_of, state_groups
from slipstick.basins.settling import MAX_REPEATS, NONE, REST, Settled, settle
from slipstick.basins.study import BATCH, BasinStudy
from slipstick.errors import InvalidInput, NotConverged
from slipstick.periodic.shooting.start_flow import StartFlow
from slipstick.results.basins import Basins, Motion
from slipstick.sweeps.point_outcome import DONE
from slipstick.sweeps.sweep_run import ChangedStudy, sweep
from slipstick.transient.simulate import cached_problem

WORTH_WORKERS = 4.0  # [s] of computation, above which worker processes are started
NORMAL_QUANTILE = 1.959963984540054  # of a coverage of 95 %
FIGURES = ("kind", "repeats", "time", "points", "sizes")


class WorkerChoice(NamedTuple):
    """workers : processes, None: one for each core where it is worth it.   store : an SQLite file, or None.

    progress : called with the part that is done.
    """

    workers: int | None
    store: Any
    progress: Callable[[float], Any] | None


def find_basins(study: BasinStudy, how: WorkerChoice) -> Basins:
    """See `slipstick.api.Model.basins`."""
    flow = StartFlow(cached_problem(study.system, 0.0, study.frequency).problem)  # refuses what cannot be followed
    packed = _outcomes(study, how)
    ends = [_unpacked(own, i) for own in packed for i in range(BATCH)][: len(study.starts)]
    clusters = clusters_of(ends, state_groups(flow), _has_bands(flow))
    motions = [_motion(name, own, ends, flow) for name, own in zip(names_of(clusters), clusters, strict=True)]
    labels = np.zeros(len(ends), dtype=int)
    for k, cluster in enumerate(clusters):
        labels[cluster.members] = k
    times = np.array([end.time for end in ends])
    ranges = tuple((own.name, own.low, own.high) for own in study.ranges)
    return Basins(study.system, ranges, study.starts, labels, times, tuple(motions))


# ---- batches


def settle_batch(batch: int, study: BasinStudy) -> dict[str, Array]:
    """What the starts of one batch end on, as arrays with `BATCH` rows: a task of a worker process."""
    flow = StartFlow(cached_problem(study.system, 0.0, study.frequency).problem)
    size = flow.map(flow.time).size if flow.is_forced else 4 * flow.problem.n
    kinds, repeats, times = np.full(BATCH, float(NONE)), np.zeros(BATCH), np.full(BATCH, np.nan)
    points, sizes = np.full((BATCH, MAX_REPEATS, size), np.nan), np.zeros((BATCH, 2))
    for i, start in enumerate(study.batch(batch)):
        end = settle(flow, _state(flow, study, start), study.longest)
        kinds[i], repeats[i], times[i], sizes[i] = end.kind, end.repeats, end.time, end.sizes
        points[i, : len(end.points)] = end.points if end.points.size else np.nan
    return {"kind": kinds, "repeats": repeats, "time": times, "points": points, "sizes": sizes}


def _state(flow: StartFlow, study: BasinStudy, start: Array) -> Array:
    problem = flow.problem
    q, v = problem.displacement.copy(), problem.velocity.copy()
    place = {int(i): k for k, i in enumerate(problem.assembly.free)}
    for own, value in zip(study.ranges, start.tolist(), strict=True):
        (v if own.is_velocity else q)[place[own.coordinate]] = value
    return flow.first(q, v)


def _unpacked(arrays: dict[str, Array], i: int) -> Settled:
    rows = arrays["points"][i]
    kept = rows[~np.isnan(rows).all(axis=1)]
    sizes = float(arrays["sizes"][i, 0]), float(arrays["sizes"][i, 1])
    return Settled(int(arrays["kind"][i]), int(arrays["repeats"][i]), float(arrays["time"][i]), kept, sizes)


def _outcomes(study: BasinStudy, how: WorkerChoice) -> list[dict[str, Array]]:
    """The arrays of all batches; short studies run in this process."""
    if how.store is not None:
        return list(_swept(study, range(study.batches), how))
    began = perf_counter()
    found = [settle_batch(0, study)]
    left = (study.batches - 1) * (perf_counter() - began)
    if how.workers == 1 or left < WORTH_WORKERS:
        for number in range(1, study.batches):
            if how.progress is not None:
                how.progress(number / study.batches)
            found.append(settle_batch(number, study))
        if how.progress is not None:
            how.progress(1.0)
        return found
    with tempfile.TemporaryDirectory() as folder:
        own = how._replace(store=Path(folder) / "basins.sqlite")
        return found + list(_swept(study, range(1, study.batches), own))


def _swept(study: BasinStudy, numbers: range, how: WorkerChoice) -> Iterator[dict[str, Array]]:
    """The arrays of batches from worker processes, which a ledger keeps."""
    progress = how.progress
    hear = None if progress is None else lambda status: progress(status.done / max(status.total, 1))
    task = partial(settle_batch, study=study)
    try:
        table = sweep(task, {"batch": list(numbers)}, store=how.store, workers=how.workers, progress=hear)
    except ChangedStudy:
        words = f"{how.store} has the basins of another model, frequency, over, count, seed or longest"
        raise InvalidInput(words, argument="store", advice=["name another file, or ask for the same again"]) from None
    if (table["state"].values != DONE).any():
        message = next(str(own) for own in table["message"].values if own)
        raise NotConverged(f"a batch of starts failed: {message}", owner="basins")
    for k in range(len(numbers)):
        yield {name: np.asarray(table[name].values[k], dtype=float) for name in FIGURES}


# ---- motions


def _has_bands(flow: StartFlow) -> bool:
    laws = [element.law for element in flow.problem.elements]
    return any(law.rigid_friction is not None or bool(law.remembers) for law in laws)


def _motion(name: str, cluster: Cluster, ends: list[Settled], flow: StartFlow) -> Motion:
    low, high = wilson_interval(len(cluster.members), len(ends))
    share = len(cluster.members) / len(ends)
    nothing = np.full((3, flow.problem.n), np.nan)
    shown = [ends[i] for i in cluster.members if ends[i].points.size]
    figures = nothing if not shown else np.array(_figures(shown, cluster, flow))
    return Motion(
        name, share, low, high, cluster.repeats, cluster.is_band,
        amplitude=figures[0], lowest=figures[1], highest=figures[2], example=cluster.members[0],
    )  # fmt: skip


def _figures(ends: list[Settled], cluster: Cluster, flow: StartFlow) -> tuple[Array, Array, Array]:
    """(n,) amplitude, lowest and highest displacement; of a rest or a band over all its motions."""
    n = flow.problem.n
    if not flow.is_forced:
        rows = np.array([end.points[0] for end in ends])
        low, high = rows[:, :n], rows[:, 2 * n : 3 * n]
        middle = 0.5 * (low + high)
        if cluster.kind == REST:
            return np.zeros(n), middle.min(axis=0), middle.max(axis=0)
        return np.median(0.5 * (high - low), axis=0), np.median(low, axis=0), np.median(high, axis=0)
    shown = ends if cluster.is_band else ends[:1]
    each = [_forced_extremes(flow, end) for end in shown[:: max(1, len(shown) // 20)]]
    amplitude = np.median([own[0] for own in each], axis=0)
    return amplitude, np.min([own[1] for own in each], axis=0), np.max([own[2] for own in each], axis=0)


def _forced_extremes(flow: StartFlow, end: Settled) -> tuple[Array, Array, Array]:
    """(n,) amplitude, lowest and highest displacement of one forced motion."""
    low, high = flow.extremes_over(end.points[0], flow.time * max(end.repeats, 1))
    return 0.5 * (high - low), low, high


def wilson_interval(hits: int, count: int) -> tuple[float, float]:
    """The 95 % interval of a binomial share after Wilson (1927)."""
    z2, share = NORMAL_QUANTILE**2 / count, hits / count
    middle = (share + 0.5 * z2) / (1.0 + z2)
    half = math.sqrt(z2 * (share * (1.0 - share) + 0.25 * z2)) / (1.0 + z2)
    return max(middle - half, 0.0), min(middle + half, 1.0)
