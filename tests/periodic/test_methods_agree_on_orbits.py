"""Shooting, harmonic balance and long integration on the same random models: each within what it says of its error.

Where they do not agree one of them has to say so: not converged, a certificate that did not pass, or one of a band of
orbits. Several orbits may exist beside each other; then a method that begins at the orbit of another has to stay there.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from periodic.random_periodic_models import random_model

from slipstick.errors import MissingFace, NotConverged

OPTIONS = {"shooting": {}, "harmonic-balance": {"harmonics": 15}, "integration": {}}
ROUNDING = 1e-9  # of the motion
REFUSED = 0.03  # share of the models in which a method may say that it has no orbit, or does not know its error
BAND = ("band of orbits", "never slips")


class Found:
    """What the methods say about one model."""

    def __init__(self, seed):
        self.model, self.orbits, self.refused = random_model(seed), {}, {}
        for method in OPTIONS:
            try:
                orbit = self.solve(method)
            except MissingFace:
                continue
            except NotConverged as words:
                self.refused[method] = str(words)
                continue
            if orbit.certificate.passed or orbit.certificate.doubtful:  # an error that is large has to hold, too
                self.orbits[method] = orbit
            else:
                self.refused[method] = orbit.certificate.verdict

    def solve(self, method, start=None):
        return self.model.periodic(frequency=self.model.frequency, method=method, start=start, **OPTIONS[method])

    def disagreements(self):
        """Pairs of methods whose orbits differ: how far apart they are, over what the two errors allow.

        Left out are two orbits beside each other, and those of a band if all methods that can tell say so.
        """
        found = {}
        for pair in combinations(self.orbits, 2):
            one, other = (self.orbits[method] for method in pair)
            if same(one, other) or self.in_a_band(pair) or self.beside(*pair):
                continue
            found[pair] = apart(one, other) / allowed(one, other)
        return found

    def in_a_band(self, methods):
        """True if these methods (a run cannot know, then the others) say that the orbit is one of many."""
        tell = [m for m in methods if m != "integration"]
        return all(any(words in note for note in self.orbits[m].notes for words in BAND) for m in tell)

    def beside(self, one, other):
        """True if either method stays at the orbit that the other has found."""
        for method, start in ((one, self.orbits[other]), (other, self.orbits[one])):
            try:
                if same(self.solve(method, start), start):
                    return True
            except NotConverged:
                continue
        return False


def same(one, other):
    return apart(one, other) <= allowed(one, other)


def allowed(one, other):
    size = np.abs(one.samples.displacement).max()
    return one.certificate.error + other.certificate.error + ROUNDING * size


def apart(one, other):
    """The largest difference of a displacement at the instants that both have: at least sixteen a period."""
    period = max(one.period, other.period)
    (times, q), (others, p) = (repeated(orbit, period) for orbit in (one, other))
    near = np.abs(times[:, None] - others[None, :]) <= 1e-12 * period
    i, j = np.nonzero(near)
    assert i.size >= 16
    return np.abs(q[i] - p[j]).max()


def repeated(orbit, period):
    """Times and displacements, the orbit gone through as often as a longer period takes."""
    own, count = orbit.samples, round(period / orbit.period)
    times = own.time[:-1] - own.time[0]
    return np.concatenate([times + k * orbit.period for k in range(count)]), np.tile(own.displacement[:-1], (count, 1))


def check(seeds):
    refused = []
    for seed in seeds:
        found = Found(seed)
        if found.refused:
            refused.append(seed)
        for pair, ratio in found.disagreements().items():
            raise AssertionError(f"seed {seed}: {' and '.join(pair)} are {ratio:.2g} times too far apart")
    assert len(refused) <= REFUSED * len(seeds), refused


def test_methods_agree_on_fifty_models():
    check(range(50))


@pytest.mark.long
def test_methods_agree_on_two_hundred_models():
    check(range(200))
