"""State of the page Respond in a tab."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from slipstick.app.model_choice import ModelChoice
from slipstick.app.respond.jump_map import MapRequest, MapResult
from slipstick.app.respond.kept_settings import Kept, KeptSetting
from slipstick.app.respond.model_parameters import ModelParameter
from slipstick.app.respond.response_results import CurveResult, RunResult
from slipstick.app.respond.run_up import RunBase, RunUp
from slipstick.app.respond.self_excited import CycleRequest, CycleResult
from slipstick.app.respond.setting_address import Settings
from slipstick.app.respond.tasks import ModelDescription
from slipstick.app.setting_history import SettingHistory

SLOW_SYSTEMS = (
    "gear",
    "clutch",
)  # play in series with friction in every bearing; bearings a million times stiffer than shafts
FREQUENCY_VIEW = "over frequency"  # the panel that a new model begins with
SIMILAR_SETTING_REL = 0.25  # relative change of a parameter beyond which a slow curve is tried again


@dataclass
class RespondState:
    """choice : the model that the rest belongs to.   described : its description, with its parameters.

    begin, end : range of the curve [rad/s].   panel : quantity that is shown ("amplitude of u1").
    slow_knobs : parameters of a setting whose curve took too long; near it curves are computed only on request.
    stale : the run is of another setting.   point : index on the curve of the orbit that is shown.
    preview : the first look, before the curve was traced.   thorough : other branches are searched, too.
    frequency : [rad/s], until : [s] and samples : of a run.   run_up : instead of the frequency.
    map_request, map : of the jump map; it may be of other settings.   cycle_request, cycle : of self-excited motion.
    kept : settings for comparison, in the order they were kept.   view : label of the panel in sight.
    """

    choice: ModelChoice | None = None
    described: ModelDescription | None = None
    begin: float = 0.0
    end: float = 0.0
    panel: str = ""
    log: bool = False
    thorough: bool = False
    curve: CurveResult | None = None
    orbit: RunResult | None = None
    point: int = 0
    preview: CurveResult | None = None
    frequency: float | None = None
    run_up: RunUp | None = None
    until: float = 0.0
    samples: int = 2000
    run: RunResult | None = None
    stale: bool = False
    map_request: MapRequest | None = None
    map: MapResult | None = None
    cycle_request: CycleRequest | None = None
    cycle: CycleResult | None = None
    kept: Kept = ()
    view: str = FREQUENCY_VIEW
    slow_knobs: list[ModelParameter] | None = None
    history: SettingHistory[Settings] = field(default_factory=SettingHistory)

    def set_model(self, choice: ModelChoice, described: ModelDescription) -> None:
        """Set a model; one that differs only in its numbers keeps range, view and kept settings."""
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
    def settings(self) -> Settings:
        """The present model and range."""
        assert self.choice is not None
        return Settings(self.choice, self.begin, self.end)

    @property
    def is_current(self) -> bool:
        """True if the curve belongs to the present parameters and range."""
        return self.curve is not None and self.matches(self.curve.choice, self.curve.ends)

    def matches(self, choice: ModelChoice, ends: tuple[float, float]) -> bool:
        """True if these are the present choice and range."""
        return self.choice == choice and (self.begin, self.end) == ends

    @property
    def base(self) -> RunBase:
        """The speed of a run, or its frequency."""
        return self.run_up or self.frequency

    @base.setter
    def base(self, value: RunBase) -> None:
        self.run_up = value if isinstance(value, RunUp) else None
        if not isinstance(value, RunUp):
            self.frequency = value

    @property
    def traced(self) -> bool:
        """True if the present curve was traced through folds."""
        return self.is_current and self.curve is not None and self.curve.traced

    @property
    def is_slow(self) -> bool:
        """True if curves take so long that they are computed only on request."""
        assert self.choice is not None
        assert self.described is not None
        return self.choice.system in SLOW_SYSTEMS or (
            self.slow_knobs is not None and _is_similar_setting(self.slow_knobs, self.described.knobs)
        )

    def set_choice(self, choice: ModelChoice) -> None:
        """Set another number of the same model; earlier results are then outdated."""
        self.choice = choice
        self.stale = self.run is not None and self.run.choice != choice

    def setting(self) -> KeptSetting:
        """The present setting with the results that belong to it."""
        assert self.described is not None
        own = self.curve is not None and self.curve.choice == self.choice
        curve, orbit = (self.curve, self.orbit) if own else (None, None)
        run = None if self.stale else self.run
        return KeptSetting(self.described.knobs, curve, run, orbit, settings=self.settings)


def _is_same_model(one: ModelChoice, other: ModelChoice) -> bool:
    """True if two models differ only in their numbers."""
    words = [{key: each for key, each in own.values.items() if isinstance(each, str)} for own in (one, other)]
    return words[0] == words[1] and replace(one, values={}, numbers={}) == replace(other, values={}, numbers={})


def _is_similar_setting(some: list[ModelParameter], others: list[ModelParameter]) -> bool:
    """True if settings differ so little that both take equally long."""
    if [(knob.name, knob.word) for knob in some] != [(knob.name, knob.word) for knob in others]:
        return False
    pairs = [(one.value or 0.0, other.value or 0.0) for one, other in zip(some, others, strict=True)]
    return all(abs(a - b) <= SIMILAR_SETTING_REL * max(abs(a), abs(b)) for a, b in pairs)
