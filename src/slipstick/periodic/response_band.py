"""Computes a band of responses: one curve for each law, then quantiles at each frequency."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import InvalidInput, Message, NotConverged, short_repr
from slipstick.laws.base import Law
from slipstick.model.system import System
from slipstick.periodic.family_factory import name_difference
from slipstick.periodic.response import frequency_response
from slipstick.results.curve import Curve
from slipstick.results.fit import Fit
from slipstick.results.response_band import (
    NOMINAL_LAW,
    ResponseBand,
    StableSegment,
    band_frequencies,
    band_quantiles,
    curve_segments,
    laws_without_response,
    too_many_lost,
)  # fmt: skip
from slipstick.results.run import Names
from slipstick.units.scales import Scale, frequency_scale

MIN_QUANTILE_LAWS = 3  # laws that have quantiles
MAX_NAMED = 5  # laws, or ranges, by name


def response_band(
    build: Callable[[Law], System],
    laws: Any,
    between: Any,
    at: Any,
    samples: int,
    seed: int,
    coverage: float,
    nominal: Law | None,
    progress: Callable[[int, int], Any] | None,
    **how: Any,
) -> ResponseBand:
    """See `slipstick.api.response_band`."""
    if not callable(build):
        raise InvalidInput(f"build must be a function from a law to a model, got {short_repr(build)}").about("build")
    if not isinstance(coverage, (int, float)) or not 0.0 < coverage < 1.0:
        raise InvalidInput(f"coverage must be between 0 and 1, got {short_repr(coverage)}").about("coverage")
    drawn, nominal = _laws(laws, samples, seed, nominal)
    models = [_model(build, law) for law in ([] if nominal is None else [nominal]) + drawn]
    _same_parts(models)
    followed = _followed(models, nominal is not None, between, at, progress or _no_progress, how)
    if followed.reached < MIN_QUANTILE_LAWS:
        words = f"only {followed.reached} of {len(drawn)} curves were followed to their end"
        raise NotConverged(Message.of(next(iter(followed.lost.values()))).wrapped(f"{words}; the first: "))
    frequency = band_frequencies(followed.parts)
    scale = frequency_scale(models[0].stated_units.frequency)
    notes = _lost(followed, len(models))
    if not too_many_lost(followed.reached, len(drawn)):  # else there is no band anywhere
        notes += _silent_laws(followed, frequency, scale)
    return ResponseBand(
        frequency=frequency,
        **band_quantiles(followed.parts, frequency, followed.reached, float(coverage), len(drawn)),
        parts=tuple(followed.parts),
        count=followed.reached,
        drawn=len(drawn),
        nominal_lost=NOMINAL_LAW in followed.lost,
        coverage=float(coverage),
        names=Names.of(models[0]),
        model=models[0].snapshot(),
        notes=tuple(notes),
        warnings=tuple(laws.warnings) if isinstance(laws, Fit) else (),
    )


class _BandCurves(NamedTuple):
    """Curves as lines.   lost : why others were not followed to their end, by the number of their law.
    numbers : laws whose curves were, by the order in which they were drawn.
    """

    parts: list[StableSegment]
    lost: dict[int, str]
    numbers: list[int]

    @property
    def reached(self) -> int:
        return len(self.numbers)


def _lost(followed: _BandCurves, count: int) -> list[str]:
    """Which laws have no curve, and why the first of them has none."""
    if not followed.lost:
        return []
    first = next(iter(followed.lost.values()))
    which = _numbered([k for k in followed.lost if k != NOMINAL_LAW])
    which = " and ".join((["the nominal law"] if NOMINAL_LAW in followed.lost else []) + ([which] if which else []))
    return [f"{len(followed.lost)} of {count} curves are left out, {which}; the first: {first}"]


def _silent_laws(followed: _BandCurves, frequency: Array, scale: Scale) -> list[str]:
    """Frequencies without a band, and the laws without a response there, in words."""
    laws, ranges = laws_without_response(followed.parts, frequency, followed.reached)
    if not ranges:
        return []
    words = [
        f"at {scale.words(a, 4)}" if a == b else f"from {scale.factor * a:.4g} to {scale.words(b, 4)}"
        for a, b in ranges[:MAX_NAMED]
    ]
    more = f" and in {len(ranges) - MAX_NAMED} more ranges" if len(ranges) > MAX_NAMED else ""
    which = _numbered([followed.numbers[k] for k in laws])
    verb = "have" if len(laws) > 1 else "has"
    return [f"no band {', '.join(words)}{more}: {which} {verb} only unstable responses there, or none"]


def _numbered(numbers: Sequence[int]) -> str:
    """``law 7``, ``laws 3, 8 and 4 others``; numbers are those of the list that was drawn, from 0."""
    if not numbers:
        return ""
    few, rest = numbers[:MAX_NAMED], len(numbers) - MAX_NAMED
    said = ", ".join(map(str, few))
    return f"law{'s' * (len(numbers) > 1)} {said}" + (f" and {rest} other{'s' * (rest > 1)}" if rest > 0 else "")


def _followed(
    models: Sequence[System], has_nominal: bool, between: Any, at: Any, say: Callable[[int, int], Any],
    how: dict[str, Any],
) -> _BandCurves:  # fmt: skip
    """The curve of each model; the first is the nominal one where there is one."""
    parts, lost, numbers = list[StableSegment](), dict[int, str](), list[int]()
    for k, model in enumerate(models):
        say(k, len(models))
        drawn = k - has_nominal  # the nominal law is before the first
        try:
            curve: Curve = frequency_response(model, between, at, **how)
            if curve.partial or not curve.points:
                raise NotConverged(curve.partial or "no periodic response was found")
            parts += curve_segments(curve, NOMINAL_LAW if drawn == NOMINAL_LAW else len(numbers))
        except NotConverged as failure:
            if failure.interrupted:
                raise
            lost[drawn] = failure.message
            continue
        numbers += [] if drawn == NOMINAL_LAW else [drawn]
    say(len(models), len(models))
    return _BandCurves(parts, lost, numbers)


def _no_progress(done: int, of: int) -> None:
    """Tell nobody."""
    del done, of


def _laws(given: Any, samples: int, seed: int, nominal: Law | None) -> tuple[list[Law], Law | None]:
    """The laws of the band, and the one in the middle of them, where there is one."""
    if isinstance(given, Fit):
        if isinstance(samples, (int, np.integer)) and samples < MIN_QUANTILE_LAWS:  # anything else sample() refuses
            raise InvalidInput(
                f"samples must be at least {MIN_QUANTILE_LAWS}, for quantiles, got {short_repr(samples)}"
            ).about("samples")
        return given.sample(samples, seed), given.law if nominal is None else nominal
    if (
        not isinstance(given, Sequence)
        or not all(isinstance(law, Law) for law in given)
        or len(given) < MIN_QUANTILE_LAWS
    ):
        words = (
            f"laws must be a fit, or a list of at least {MIN_QUANTILE_LAWS} laws such as "
            f"fit.sample(50), got {short_repr(given)}"
        )
        raise InvalidInput(words).about("laws")
    return list(given), nominal


def _model(build: Callable[[Law], System], law: Law) -> System:
    model = build(law)
    if not isinstance(model, System):
        raise InvalidInput(f"build must return a model, got {short_repr(model)} for {short_repr(law)}").about("build")
    return model


def _same_parts(models: Sequence[System]) -> None:
    wanted = Names.of(models[0])
    for model in models[1:]:
        apart = name_difference(Names.of(model), wanted, "those of the first are")
        if apart:
            raise InvalidInput(f"build must give models with the same parts: {apart}").about("build")
