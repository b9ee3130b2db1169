"""Runs of condensed models: what the modes that were left out would have changed is part of the error.

The certificate runs the model once more with all modes that are known, about twice as many, and adds the largest
difference of each coordinate to the error of the run itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from slipstick.results.certificate import Certificate
from slipstick.results.trajectory import Event, Samples, Stats, Trajectory


class Truncated:
    """A trajectory of a condensed model.   finer : gives that of the model with more modes, or None."""

    def __init__(
        self, own: Trajectory, names: tuple[str, ...], finer: Callable[[], tuple[Trajectory, list[str]] | None]
    ):
        self.own, self.names, self.finer = own, names, finer

    def __getattr__(self, name: str) -> Any:
        return getattr(self.own, name)

    @property
    def stats(self) -> Stats:
        return self.own.stats

    @property
    def reached(self) -> float:
        return self.own.reached

    def samples(self) -> Samples:
        return self.own.samples()

    def events(self) -> list[Event]:
        return self.own.events()

    def certificate(self) -> Certificate:
        own = self.own.certificate()
        again = self.finer()
        if again is None:
            return replace(own, notes=(*own.notes, "condensed with all modes: nothing was left out"))
        trajectory, names = again
        ours, theirs = self.samples(), trajectory.samples()
        common, at, there = np.intersect1d(ours.time, theirs.time, return_indices=True)
        errors = dict(own.errors)
        for i, name in enumerate(self.names if common.size else ()):
            apart = ours.displacement[at, i] - theirs.displacement[there, names.index(name)]
            errors[name] += float(np.abs(apart).max())
        worst = max(errors.values(), default=own.error)
        words = f"truncation: {len(names) - len(self.names)} more modes of the condensed part are in the error"
        return replace(own, error=worst, errors=errors, notes=(*own.notes, words))
