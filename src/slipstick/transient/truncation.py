"""Error of runs of condensed models, from the modes that condensation left out.

The certificate runs the model again with about twice as many modes and with shapes that complete the static
deflections, so that fast modes that matter are included. The largest difference of each coordinate, times a safety
factor, is added to the error of the run itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import NotConverged
from slipstick.results.certificate import Certificate
from slipstick.results.trajectory import Event, ReadableTrajectory, Samples, Stats, Trajectory

if TYPE_CHECKING:
    from slipstick.model.condensation_record import Condensation

RunWithModes = Callable[[int, Array], tuple[Trajectory, list[str]]]

TRUNCATION_SAFETY = 1.25  # for further modes, and between instants
MIN_INSTANTS, MAX_INSTANTS = 2000, 20_000  # instants that are compared
INSTANTS_PER_PERIOD = 8  # instants in a period of the first mode that was left out
START_KINDS = ("a displacement", "a velocity")
NOTHING_TRUNCATED = "condensed with all modes: nothing was left out"


class TruncatedTrajectory:
    """A trajectory of a condensed model.   own : of the method.   extended : adds truncation to its certificate."""

    def __init__(self, own: Trajectory, extended: Callable[[Certificate], Certificate]) -> None:
        self.own, self.extended = own, extended
        self.stats: Stats = own.stats

    @property
    def reached(self) -> float:
        return self.own.reached

    def samples(self) -> Samples:
        return self.own.samples()

    def events(self) -> Iterable[Event]:
        return self.own.events()

    def end(self) -> None:
        """None: the modes that were left out have no state."""

    def certificate(self) -> Certificate:
        return self.extended(self.own.certificate())


class ReadableTruncatedTrajectory(TruncatedTrajectory):
    """The same for a trajectory that can be read at any time."""

    def read(self, times: Array) -> Samples:
        """Samples at increasing times within the run; at an event, right after it."""
        assert isinstance(self.own, ReadableTrajectory)
        return self.own.read(times)


def with_truncation(own: Any, extended: Callable[[Certificate], Certificate]) -> TruncatedTrajectory:
    """A trajectory whose certificate includes truncation."""
    return (ReadableTruncatedTrajectory if isinstance(own, ReadableTrajectory) else TruncatedTrajectory)(own, extended)


def with_more_modes(
    own: Trajectory, how: Condensation, span: tuple[float, float], again: RunWithModes
) -> TruncatedTrajectory:
    """A run of a condensed model.

    how : the condensation.   span : [s] begin and end of the run.
    again : runs the model with so many more shapes, sampled at given times; returns the run and its names.
    """

    def with_condensation_error(certificate: Certificate) -> Certificate:
        certificate = replace(certificate, notes=(*certificate.notes, *how.notes))
        if how.is_whole:
            return replace(certificate, notes=(*certificate.notes, NOTHING_TRUNCATED))
        left, trouble = f"truncation: modes of the condensed part from {how.next_frequency:.4g} rad/s on", ""
        for count in how.more:
            try:
                figures = _figures(own, how, span, again, count)
            except NotConverged as problem:  # fewer shapes are easier and give most of the error
                trouble = trouble or problem.message.statement
                continue
            words = f"{left} are left out; their effect, estimated with {count} more shapes, is in the error"
            beyond = [f"truncation: with {how.more[0]} more shapes there is no run: {trouble}"] if trouble else []
            return with_added_error(certificate, figures, words, *beyond, *_start_words(how))
        words = f"{left} are left out, and their effect is not known: {trouble}"
        errors = dict.fromkeys(certificate.errors, math.nan)
        return replace(certificate, error=math.nan, errors=errors, notes=(*certificate.notes, words))

    return with_truncation(own, with_condensation_error)


def _figures(
    own: Trajectory, how: Condensation, span: tuple[float, float], again: RunWithModes, more: int
) -> dict[str, float]:
    """The largest change of each coordinate anywhere in the run, independent of the requested samples."""
    begin, end = span
    turns = INSTANTS_PER_PERIOD * how.next_frequency * (end - begin) / (2.0 * np.pi)
    times = np.linspace(begin, end, int(min(max(turns, MIN_INSTANTS), MAX_INSTANTS)))
    there, theirs = again(more, times)
    here, names = (own, theirs[: len(theirs) - more]) if isinstance(own, ReadableTrajectory) else again(0, times)
    if isinstance(here, ReadableTrajectory) and isinstance(there, ReadableTrajectory):
        events = [event.time for run in (own, there) for event in run.events()]
        times = np.unique(np.concatenate([times, events]))
        both = here.read(times).displacement, there.read(times).displacement
    else:
        both = here.samples().displacement, there.samples().displacement
    apart = np.abs(both[0] - both[1][:, [theirs.index(name) for name in names]]).max(axis=0)
    return dict(zip(names, (TRUNCATION_SAFETY * apart).tolist(), strict=True))


def _start_words(how: Condensation) -> list[str]:
    """The part of the initial state that the modes cannot represent, in words."""
    sizes = [f"{what} of up to {size:.2g}" for what, size in zip(START_KINDS, how.dropped, strict=True) if size]
    words = (
        f"truncation: the start has {' and '.join(sizes)} inside that its modes cannot represent; further shapes can"
    )
    return [words] if sizes else []


def with_added_error(certificate: Certificate, figures: Mapping[str, float], *words: str) -> Certificate:
    """A certificate with an addition to the error of each coordinate."""
    errors = {name: error + figures.get(name, 0.0) for name, error in certificate.errors.items()}
    worst = max(errors.values(), default=certificate.error)
    return replace(certificate, error=worst, errors=errors, notes=(*certificate.notes, *words))
