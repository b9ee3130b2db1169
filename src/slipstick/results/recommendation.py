"""`Recommendation`, `Separation`: which of several tests would narrow intervals most, or separate two laws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from slipstick.units.number_format import format_number, format_percent

MIN_SEPARATION = 0.2  # of their larger residual: laws whose rms forces differ by less look alike in a loop


class CandidateTest(NamedTuple):
    """A test that may be done.   deviations : relative standard deviations after it, by parameter."""

    name: str
    deviations: dict[str, float]


@dataclass(frozen=True, repr=False)
class Recommendation:
    """Result of ``advise`` of a fit or a calibration.

    parameter : the one with the widest relative interval.   now : relative standard deviations by parameter.
    tests : candidates, the one that narrows that interval most first.
    """

    parameter: str
    now: dict[str, float]
    tests: tuple[CandidateTest, ...]

    @property
    def best(self) -> str:
        """Name of the best test."""
        return self.tests[0].name

    @property
    def sentence(self) -> str:
        """What to measure next, in one sentence."""
        before, after = self.now[self.parameter], self.tests[0].deviations[self.parameter]
        if not after < 0.99 * before:
            return f"None of these tests narrows the interval of {self.parameter} ({_percent(before)})."
        change = f"from {_percent(before)} to {_percent(after)}"
        return f'Measure "{self.best}" next: it narrows the interval of {self.parameter} {change}.'

    def __repr__(self) -> str:
        width = max(len(test.name) for test in self.tests)
        rows = [f"  {test.name:<{width}}  {_percent(test.deviations[self.parameter])}" for test in self.tests]
        return "\n".join([self.sentence, *rows])


class SeparationTest(NamedTuple):
    """A test that may be done.

    ratio : rms difference of two laws over their larger residual.   difference : [N, N m or Pa].
    """

    name: str
    ratio: float
    difference: float


@dataclass(frozen=True, repr=False)
class Separation:
    """Result of ``advise`` of a fit against another law.

    laws : their names.   unit, factor : of forces in files, and what SI values are multiplied by.
    tests : candidates, the largest difference first, less what the parameters of the second law absorb.
    """

    laws: tuple[str, str]
    unit: str
    factor: float
    tests: tuple[SeparationTest, ...]

    @property
    def best(self) -> str:
        """Name of the best test."""
        return self.tests[0].name

    @property
    def sentence(self) -> str:
        """What to measure next, in one sentence."""
        first, (one, other) = self.tests[0], self.laws
        if first.ratio < MIN_SEPARATION:
            small = f"they differ by {first.ratio:.2g} of their residual"
            return f"None of these tests separates {one} from {other}: {small}."
        size = f"{format_number(first.difference * self.factor, 2)} {self.unit}".rstrip()
        words = f'Measure "{first.name}" next to separate {one} from {other}'
        times = f"{format_number(first.ratio, 2)} times their residual"
        return f"{words}: their forces differ there by {size} rms, {times}."

    def __repr__(self) -> str:
        width = max(len(test.name) for test in self.tests)
        rows = [f"  {test.name:<{width}}  {test.ratio:.2g} times their residual" for test in self.tests]
        return "\n".join([self.sentence, *rows])


def _percent(deviation: float) -> str:
    """A 95 % interval in words."""
    return f"+-{format_percent(1.96 * deviation)}" if deviation < 10.0 else "open"
