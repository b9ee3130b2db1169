"""From laws to the band of responses: one curve each, then quantiles over them at each frequency."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

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
    parts, lost, reached = list[Part](), list[str](), 0
    for k, model in enumerate(models):
        if progress is not None:
            progress(k, len(models))
        number = NOMINAL if nominal is not None and k == 0 else reached
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
    if reached < FEWEST:
        raise NotConverged(f"only {reached} of {len(drawn)} curves were followed to their end; the first: {lost[0]}")
    if progress is not None:
        progress(len(models), len(models))
    frequency = frequencies_of(parts)
    table = quantiles_of(parts, frequency, reached, float(coverage))
    names = Names.of(models[0])
    notes = [f"{len(lost)} of {len(models)} curves are left out; the first: {lost[0]}"] if lost else []
    return ResponseBand(
        frequency=frequency,
        **table,
        parts=tuple(parts),
        count=reached,
        coverage=float(coverage),
        names=names,
        model=models[0].snapshot(),
        notes=tuple(notes),
    )


def _laws(given: Any, samples: int, seed: int, nominal: Law | None) -> tuple[list[Law], Law | None]:
    """The laws of the band, and the one in the middle of them, where there is one."""
    if isinstance(given, Fit):
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
