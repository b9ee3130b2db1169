"""State of the page Respond in a tab."""

from __future__ import annotations

from dataclasses import dataclass, replace

from slipstick.app.model_choice import ModelChoice
from slipstick.app.respond.model_parameters import ModelParameter
from slipstick.app.respond.tasks import CurveResult, ModelDescription, RunResult

SLOW_SYSTEMS = (
    "gear",
    "clutch",
)  # play in series with friction in every bearing; bearings a million times stiffer than shafts
SIMILAR_SETTING_REL = 0.25  # of a number: a setting that differs by more is tried again


@dataclass(frozen=True)
class StoredSetting:
    """What was found with one setting of the knobs, to be compared with another."""

    knobs: list[ModelParameter]
    curve: CurveResult | None
    run: RunResult | None
    orbit: RunResult | None


@dataclass
class RespondState:
    """choice : the model that the rest belongs to.   described : of it, with its knobs.

    begin, end : [rad/s] of the curve.   panel : of it, that is shown ("amplitude of u1").
    late : the knobs of a setting whose curve did not come in time; near it one is made only when it is asked for.
    stale : the run is of another setting.   point : of the curve, by its number, whose orbit is shown.
    seen : the first look, before the curve was followed.
    frequency : [rad/s], until : [s] and samples : of a run.   first : the setting that is kept as A.
    """

    choice: ModelChoice | None = None
    described: ModelDescription | None = None
    begin: float = 0.0
    end: float = 0.0
    panel: str = ""
    log: bool = False
    curve: CurveResult | None = None
    orbit: RunResult | None = None
    point: int = 0
    seen: CurveResult | None = None
    frequency: float | None = None
    until: float = 0.0
    samples: int = 2000
    run: RunResult | None = None
    stale: bool = False
    first: StoredSetting | None = None
    over_time: bool = False
    late: list[ModelParameter] | None = None

    def take(self, choice: ModelChoice, described: ModelDescription) -> None:
        """Begin with a model; one that differs in its numbers alone keeps range, view and the setting A."""
        if self.choice is None or not _is_same_model(self.choice, choice):
            fresh = RespondState()
            self.__dict__.update(fresh.__dict__)
            self.begin, self.end = described.begin, described.end
            self.frequency, self.until = described.frequency, described.until
        elif self.choice != choice:
            self.curve = self.orbit = None
            self.stale = self.run is not None
        self.choice, self.described = choice, described

    @property
    def is_answered(self) -> bool:
        """The curve is of the knobs and the range as they are, and not of others that it is still drawn for."""
        return self.curve is not None and self.wants(self.curve.choice, self.curve.ends)

    def wants(self, choice: ModelChoice, ends: tuple[float, float]) -> bool:
        """What was asked with this setting and range is of the knobs and the range as they are by now."""
        return self.choice == choice and (self.begin, self.end) == ends

    @property
    def whole(self) -> bool:
        """The curve of the knobs and the range as they are was followed."""
        return self.is_answered and self.curve is not None and self.curve.whole

    @property
    def long(self) -> bool:
        """A curve takes so long that it is made only when it is asked for."""
        assert self.choice is not None
        assert self.described is not None
        return self.choice.system in SLOW_SYSTEMS or (
            self.late is not None and _is_similar_setting(self.late, self.described.knobs)
        )

    def turn(self, choice: ModelChoice) -> None:
        """Another number of the same model: what was found before is of another setting."""
        self.choice = choice
        self.stale = self.run is not None and self.run.choice != choice

    def setting(self) -> StoredSetting:
        """What belongs to the knobs as they are; a curve that is still drawn for others does not."""
        assert self.described is not None
        own = self.curve is not None and self.curve.choice == self.choice
        curve, orbit = (self.curve, self.orbit) if own else (None, None)
        return StoredSetting(self.described.knobs, curve, None if self.stale else self.run, orbit)


def _is_same_model(one: ModelChoice, other: ModelChoice) -> bool:
    """The same model but for its numbers."""
    words = [{key: each for key, each in own.values.items() if isinstance(each, str)} for own in (one, other)]
    return words[0] == words[1] and replace(one, values={}, numbers={}) == replace(other, values={}, numbers={})


def _is_similar_setting(some: list[ModelParameter], others: list[ModelParameter]) -> bool:
    """Settings that differ so little that what takes long with one does so with the other."""
    if [(knob.name, knob.word) for knob in some] != [(knob.name, knob.word) for knob in others]:
        return False
    pairs = [(one.value or 0.0, other.value or 0.0) for one, other in zip(some, others, strict=True)]
    return all(abs(a - b) <= SIMILAR_SETTING_REL * max(abs(a), abs(b)) for a, b in pairs)
