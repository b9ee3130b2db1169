"""From laws to the band of responses: one curve each, then quantiles over them at each frequency."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from slipstick.errors import InvalidInput, NotConverged, shown
from slipstick.laws.base import Law
from slipstick.model.system import System
from slipstick.periodic.families import difference
from slipstick.periodic.response import frequency_response
from slipstick.results.curve import Curve
from slipstick.results.fit import Fit
from slipstick.results.response_band import (
    NOMINAL,
    Part,
    ResponseBand,
    frequencies_of,
    lines_of,
    quantiles_of,
)  # fmt: skip
from slipstick.results.run import Names

FEWEST = 3  # laws that have quantiles


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
        raise InvalidInput(f"build must be a function from a law to a model, got {shown(build)}").about("build")
    if not isinstance(coverage, (int, float)) or not 0.0 < coverage < 1.0:
        raise InvalidInput(f"coverage must be between 0 and 1, got {shown(coverage)}").about("coverage")
    drawn, nominal = _laws(laws, samples, seed, nominal)
    models = [_model(build, law) for law in ([] if nominal is None else [nominal]) + drawn]
    _same_parts(models)
    followed = _followed(models, nominal is not None, between, at, progress or _silent, how)
    if followed.reached < FEWEST:
        words = f"only {followed.reached} of {len(drawn)} curves were followed to their end"
        raise NotConverged(f"{words}; the first: {followed.lost[0]}")
    frequency = frequencies_of(followed.parts)
    lost = followed.lost
    notes = [f"{len(lost)} of {len(models)} curves are left out; the first: {lost[0]}"] if lost else []
    return ResponseBand(
        frequency=frequency,
        **quantiles_of(followed.parts, frequency, followed.reached, float(coverage)),
        parts=tuple(followed.parts),
        count=followed.reached,
        coverage=float(coverage),
        names=Names.of(models[0]),
        model=models[0].snapshot(),
        notes=tuple(notes),
    )


class _Followed(NamedTuple):
    """Curves as lines.   lost : why others were not followed to their end.   reached : laws whose curves were."""

    parts: list[Part]
    lost: list[str]
    reached: int


def _followed(
    models: Sequence[System], has_nominal: bool, between: Any, at: Any, say: Callable[[int, int], Any],
    how: dict[str, Any],
) -> _Followed:  # fmt: skip
    """The curve of each model; the first is the nominal one where there is one."""
    parts, lost, reached = list[Part](), list[str](), 0
    for k, model in enumerate(models):
        say(k, len(models))
        number = NOMINAL if has_nominal and k == 0 else reached
        try:
            curve: Curve = frequency_response(model, between, at, **how)
            if curve.partial:
                raise NotConverged(curve.partial)
            parts += lines_of(curve, number)
        except NotConverged as failure:
            if failure.interrupted:
                raise
            lost.append(str(failure))
            continue
        reached += number != NOMINAL
    say(len(models), len(models))
    return _Followed(parts, lost, reached)


def _silent(done: int, of: int) -> None:
    """Tell nobody."""
    del done, of


def _laws(given: Any, samples: int, seed: int, nominal: Law | None) -> tuple[list[Law], Law | None]:
    """The laws of the band, and the one in the middle of them, where there is one."""
    if isinstance(given, Fit):
        if isinstance(samples, (int, np.integer)) and samples < FEWEST:  # anything else sample() refuses
            raise InvalidInput(f"samples must be at least {FEWEST}, for quantiles, got {shown(samples)}").about(
                "samples"
            )
        return given.sample(samples, seed), given.law if nominal is None else nominal
    if not isinstance(given, Sequence) or not all(isinstance(law, Law) for law in given) or len(given) < FEWEST:
        words = f"laws must be a fit, or a list of at least {FEWEST} laws such as fit.sample(50), got {shown(given)}"
        raise InvalidInput(words).about("laws")
    return list(given), nominal


def _model(build: Callable[[Law], System], law: Law) -> System:
    model = build(law)
    if not isinstance(model, System):
        raise InvalidInput(f"build must return a model, got {shown(model)} for {shown(law)}").about("build")
    return model


def _same_parts(models: Sequence[System]) -> None:
    wanted = Names.of(models[0])
    for model in models[1:]:
        apart = difference(Names.of(model), wanted, "those of the first are")
        if apart:
            raise InvalidInput(f"build must give models with the same parts: {apart}").about("build")
