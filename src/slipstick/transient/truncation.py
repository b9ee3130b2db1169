"""Runs of condensed models: what the modes that were left out would have changed is part of the error.

The certificate runs the model once more with about twice as many modes, and adds the largest difference of each
coordinate to the error of the run itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import NotConverged
from slipstick.results.certificate import Certificate
from slipstick.results.trajectory import Event, Readable, Samples, Stats, Trajectory

Array = NDArray[np.float64]
Finer = Callable[[int], tuple[Trajectory, list[str]]]

WHOLE = "condensed with all modes: nothing was left out"


class Truncated:
    """A trajectory of a condensed model.   own : as it was found.   told : its certificate, to one that tells more."""

    def __init__(self, own: Trajectory, told: Callable[[Certificate], Certificate]) -> None:
        self.own, self.told = own, told
        self.stats: Stats = own.stats

    @property
    def reached(self) -> float:
        return self.own.reached

    def samples(self) -> Samples:
        return self.own.samples()

    def events(self) -> list[Event]:
        return self.own.events()

    def certificate(self) -> Certificate:
        return self.told(self.own.certificate())


class TruncatedReadable(Truncated):
    """The same of one that can be read anywhere."""

    def read(self, times: Array) -> Samples:
        """Samples at increasing times within the run; at an event, right after it."""
        assert isinstance(self.own, Readable)
        return self.own.read(times)


def truncated(own: Any, told: Callable[[Certificate], Certificate]) -> Truncated:
    """A trajectory with a certificate that tells more."""
    return (TruncatedReadable if isinstance(own, Readable) else Truncated)(own, told)


def with_more_modes(own: Trajectory, names: tuple[str, ...], more: Sequence[int], finer: Finer) -> Truncated:
    """A run of a condensed model.

    more : how many more modes tell what was left out, the best first; 0: there are none.
    finer : gives the run of the model with so many more modes, and its names.
    """

    def told(certificate: Certificate) -> Certificate:
        trouble = ""
        for count in more:
            if not count:
                return replace(certificate, notes=(*certificate.notes, WHOLE))
            try:
                trajectory, theirs = finer(count)
            except NotConverged as problem:  # faster modes are harder to follow: fewer of them tell the most part
                trouble = trouble or str(problem)
                continue
            words = f"truncation: {count} more mode{'s' * (count > 1)} of the condensed part are in the error"
            return added(certificate, _apart(own.samples(), trajectory.samples(), names, theirs), words)
        words = f"truncation: what more modes of the condensed part change is not known: {trouble}"
        errors = dict.fromkeys(certificate.errors, math.nan)
        return replace(certificate, error=math.nan, errors=errors, notes=(*certificate.notes, words))

    return truncated(own, told)


def _apart(here: Samples, there: Samples, names: tuple[str, ...], theirs: list[str]) -> dict[str, float]:
    """The largest difference of each coordinate."""
    common, at, then = np.intersect1d(here.time, there.time, return_indices=True)
    return {
        name: float(np.abs(here.displacement[at, i] - there.displacement[then, theirs.index(name)]).max())
        for i, name in enumerate(names if common.size else ())
    }


def added(certificate: Certificate, figures: Mapping[str, float], *words: str) -> Certificate:
    """A certificate with more in the error of each coordinate."""
    errors = {name: error + figures.get(name, 0.0) for name, error in certificate.errors.items()}
    worst = max(errors.values(), default=certificate.error)
    return replace(certificate, error=worst, errors=errors, notes=(*certificate.notes, *words))
