"""Harmonic balance over any parameter of a model, or over a frequency that models depend on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from slipstick.arrays import Array
from slipstick.errors import InvalidInput, NotConverged
from slipstick.periodic.balance.harmonic_balance import HarmonicBalance
from slipstick.periodic.continuation.family import Family, Linearisation, SofterFamily

if TYPE_CHECKING:
    from slipstick.model.system import System
    from slipstick.results.orbit import OrbitPoint


PARAMETER_STEP_REL = 1e-6  # of the parameter, for the derivative by it
MAX_CACHED_MODELS = 8  # models, built lately


class ParametricBalance(Family):
    """Orbits of build(p).

    build : parameter -> model; every model has the same coordinates and connections.
    frequency : [rad/s] the base frequency; None where it is the parameter.
    begin : a value of the parameter about which it will be used.   options : of `HarmonicBalance`.
    """

    tolerance = HarmonicBalance.tolerance
    apart = True

    def __init__(
        self, build: Callable[[float], System], begin: float, *, frequency: float | None, **options: Any
    ) -> None:
        self.build, self.frequency, self.options = build, frequency, options
        self.begin, self.unit = begin, abs(begin) or 1.0
        self._kept: dict[float, HarmonicBalance] = {}
        self.size, self.sampled = self.at(begin).size, self.at(begin).sampled

    def at(self, p: float) -> HarmonicBalance:
        """The family over frequency of the model at p; `NotConverged` where it has no orbits to balance."""
        if p not in self._kept:
            while len(self._kept) >= MAX_CACHED_MODELS:
                del self._kept[next(iter(self._kept))]
            model = self.build(p)
            try:
                self._kept[p] = HarmonicBalance(model, frequency=self._base(p), **self.options)
            except InvalidInput as refusal:
                words = refusal.message.wrapped(f"the search led to {p:.9g}, where there is no orbit: ")
                raise NotConverged(words) from refusal
        return self._kept[p]

    def _base(self, p: float) -> float:
        return p if self.frequency is None else self.frequency

    def start(self, p: float) -> Array:
        return self.at(p).start(self._base(p))

    def starts(self, p: float) -> tuple[tuple[str, Callable[[], Array]], ...]:
        return self.at(p).starts(self._base(p))

    def softened(self) -> tuple[SofterFamily, ...]:
        return self._softened

    @cached_property
    def _softened(self) -> tuple[SofterFamily, ...]:
        """Those of the model at the start, each over the same parameter."""
        return tuple(
            soft._replace(family=self._changed(soft.family.options))
            for soft in self.at(self.begin).softened()
            if isinstance(soft.family, HarmonicBalance)
        )

    def refined(self) -> SofterFamily | None:
        return self._refined

    @cached_property
    def _refined(self) -> SofterFamily | None:
        """That of the model at the start, over the same parameter."""
        found = self.at(self.begin).refined()
        assert found is not None
        assert isinstance(found.family, HarmonicBalance)
        return found._replace(family=self._changed(found.family.options))

    def _changed(self, options: dict[str, Any]) -> ParametricBalance:
        kept = {name: value for name, value in options.items() if name != "frequency"}
        return ParametricBalance(self.build, self.begin, frequency=self.frequency, **kept)

    def linearise(self, x: Array, p: float) -> Linearisation:
        found = self.at(p).linearise(x, self._base(p))
        step = PARAMETER_STEP_REL * max(abs(p), 1e-3 * self.unit)
        beside = [(q, self._beside(x, q)) for q in (p - step, p + step)]
        (a, low), (b, high) = (pair if pair[1] is not None else (p, found.residual) for pair in beside)
        if a == b:
            raise NotConverged(
                f"the model exists on neither side of {p:.6g}, so there is no derivative by the parameter"
            )
        assert low is not None
        assert high is not None
        return Linearisation(found.residual, found.by_x, (high - low) / (b - a))

    def _beside(self, x: Array, p: float) -> Array | None:
        """(size,) the residual at a value of the parameter; None where there is no model: a bound of it."""
        try:
            return self.at(p).residual(x, self._base(p))
        except NotConverged:
            return None

    def half_period_later(self, x: Array, p: float) -> Array | None:
        return self.at(p).half_period_later(x, self._base(p))

    def scales(self, x: Array, p: float) -> Array:
        return self.at(p).scales(x, self._base(p))

    def check_measurable(self, x: Array, p: float) -> None:
        self.at(p).check_measurable(x, self._base(p))

    def point(self, x: Array, p: float) -> OrbitPoint:
        return replace(self.at(p).point(x, self._base(p)), p=p)
