"""Many runs of a study: ``sweep:`` beside the section for each point.

periodic: {frequency: 12 Hz}
sweep:
  over:
    guide.limit: {from: 1 N, to: 10 N, count: 10}
    frequency: [10 Hz, 12 Hz, 14 Hz]
  measure: [x.amplitude, guide.dissipated]
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import Field as Described

from slipstick.api import Model
from slipstick.errors import InvalidInput, short_repr
from slipstick.model.files.file_problems import FileFindings, LocatedProblem, describe_value
from slipstick.model.files.quantities import read_quantity
from slipstick.model.files.schema import FilePart, MaybeText
from slipstick.model.named_parameter_unit import parameter_unit
from slipstick.name_hints import did_you_mean, name_hint
from slipstick.results.figures import CURVE_FIGURES, ORBIT_FIGURES, RUN_FIGURES, FigureTable, figure_reader
from slipstick.study.frequency_values import FREQUENCIES
from slipstick.study.parameter_values import parameter_values_spec
from slipstick.study.study_kind import Settings, StudyKind, read_integer
from slipstick.study.sweep_point import FREQUENCY, PointBuilder, figure_scale, si_unit
from slipstick.study.value_ranges import read_between, read_list, written_scale
from slipstick.sweeps import SUFFIXES
from slipstick.sweeps.plan import Plan, grid, latin_hypercube, random, samples
from slipstick.units.scales import Scale, frequency_scale

RANDOM_PLANS = {"random": random, "latin-hypercube": latin_hypercube}
PLAN_NAMES = ("grid", *RANDOM_PLANS)
RESULT_BY_KIND = {
    "transient": RUN_FIGURES,
    "periodic": ORBIT_FIGURES,
    "frequency_response": CURVE_FIGURES,
    "follow": CURVE_FIGURES,
}
ERROR_COLUMN = "certificate_error"  # a column of every table that has a unit
KINDS_WITH_FREQUENCY = ("transient", "periodic", "follow")  # kinds that have one as a setting


class SampledLawsShape(FilePart):
    """Laws drawn from a fit, for one connection."""

    connection: MaybeText = Described(None, description="whose law they take the place of")
    fit: MaybeText = Described(None, description="a file of `slipstick identify`, beside the study")
    count: Any = Described(None, description="how many")
    seed: Any = Described(None, description="of the draw; default 0")


class SweepShape(FilePart):
    """Many runs: axes, and figures of each point."""

    over: Any = Described(None, description="numbers of the model by name, or frequency: a list or {from, to, count}")
    measure: Any = Described(None, description="figures to keep, such as [x.amplitude, guide.dissipated]")
    plan: MaybeText = Described(None, description="grid (default), random or latin-hypercube")
    count: Any = Described(None, description="points of a random plan")
    seed: Any = Described(None, description="of a random plan; default 0")
    laws: SampledLawsShape | None = Described(None, description="laws drawn from a fit, beside or instead of over")
    along: MaybeText = Described(None, description="the axis along which points begin from each other's orbits")
    store: MaybeText = Described(None, description="the ledger, an SQLite file beside the study; default NAME.sqlite")


@dataclass(frozen=True)
class StudySweep:
    """The request of a sweep.   build, over, measure, along, store : arguments of `slipstick.sweep`."""

    build: PointBuilder
    over: Plan
    measure: list[str]
    along: str | None
    store: Path

    def check(self) -> None:
        """Raise the errors that the first point would raise before it starts."""
        self.build.check(**self.over.arguments(0))

    @property
    def words(self) -> str:
        """``30 points over guide.limit (3) and frequency (10)``."""
        axes = [f"{d.name} ({len(d)})" for d in self.over.dimensions]
        return f"{len(self.over)} points over {', '.join(axes)}, of each {', '.join(self.measure)}"


def read_sweep(
    part: SweepShape, kind: StudyKind, settings: Settings, model: Model, findings: FileFindings
) -> StudySweep | None:
    """The sweep of a study; problems go to the findings."""
    reader = _SweepReader(kind, settings, model, findings)
    with findings.catch(("sweep", "over")):
        reader.read_over(part)
    with findings.catch(("sweep", "laws")):
        reader.read_laws(part.laws)
    measure: list[str] = []
    with findings.catch(("sweep", "measure")):
        measure = reader.read_measure(part.measure)
    store = Path(findings.file).with_suffix(SUFFIXES[0])
    with findings.catch(("sweep", "store")):
        store = _store(part.store, store)
    with findings.catch(("sweep", "along")):
        reader.check_along(part.along)
    if reader.plan is None:
        return None
    figures = {name: figure_scale(model, settings, name) for name in measure}
    figures |= {ERROR_COLUMN: figure_scale(model, settings, "error")}
    units = reader.units | {name: si_unit(scale) for name, scale in figures.items()}
    build = PointBuilder(model, kind.name, settings, reader.shown | figures, units)
    return StudySweep(build, reader.plan, measure, part.along, store)


class _SweepReader:
    def __init__(self, kind: StudyKind, settings: Settings, model: Model, findings: FileFindings) -> None:
        self.kind, self.settings, self.model, self.findings = kind, settings, model, findings
        self.shown: dict[str, Scale] = {}
        self.units: dict[str, str] = {}  # the same in SI
        self.plan: Plan | None = None
        if kind.name not in RESULT_BY_KIND:
            words = f"a {kind.title} cannot be swept; take {', '.join(RESULT_BY_KIND)}"
            findings.problem(("sweep",), words)

    def read_over(self, part: SweepShape) -> None:
        plan = part.plan or PLAN_NAMES[0]
        if plan not in PLAN_NAMES:
            raise LocatedProblem(
                ("sweep", "plan"),
                f"must be {', '.join(PLAN_NAMES)}, got {short_repr(plan)}{name_hint(plan, PLAN_NAMES)}",
            )
        if part.over is None:
            if part.laws is None:
                raise InvalidInput("is missing: name numbers of the model, such as {guide.limit: [1 N, 2 N]}")
            return
        if not isinstance(part.over, dict) or not part.over:
            raise InvalidInput(
                f"must be numbers of the model by name, {{guide.limit: [1 N, 2 N]}}, got {describe_value(part.over)}"
            )
        axes = {}
        for name, given in part.over.items():
            with self.findings.catch(("sweep", "over", name)):
                axes[name] = self._axis(name, given, plan)
        if len(axes) < len(part.over):
            return
        if plan == PLAN_NAMES[0]:
            self.plan = grid(**axes)
        else:
            count = self._whole(part.count, "count", None)
            self.plan = RANDOM_PLANS[plan](count, seed=self._whole(part.seed, "seed", 0), **axes)

    def read_laws(self, part: SampledLawsShape | None) -> None:
        if part is None:
            return
        names = [each.name for each in self.model.connections]
        if part.connection is None or part.fit is None:
            raise InvalidInput("needs connection: and fit:, such as {connection: guide, fit: guide.nc, count: 100}")
        if part.connection not in names:
            words = f"no connection {short_repr(part.connection)}{name_hint(part.connection, names)}"
            raise LocatedProblem(("sweep", "laws", "connection"), words)
        from slipstick.api import open as opened
        from slipstick.results.fit import Fit

        fit = opened(Path(self.findings.file).parent / part.fit)
        if not isinstance(fit, Fit):
            raise LocatedProblem(
                ("sweep", "laws", "fit"), f"{part.fit} is not a fit; name a file that slipstick identify wrote"
            )
        count, seed = self._whole(part.count, "laws", None), self._whole(part.seed, "laws", 0)
        drawn = samples(fit, count, seed=seed, argument=part.connection, name=f"{part.connection}_law")
        self.plan = drawn if self.plan is None else drawn * self.plan

    def read_measure(self, given: Any) -> list[str]:
        table = RESULT_BY_KIND.get(self.kind.name)
        if table is None:
            return []
        names = given if isinstance(given, list) else [given]
        if given is None or not names:
            raise InvalidInput(f"is missing: name figures to keep, such as [{self._example(table)}]")
        axes = [] if self.plan is None else self.plan.names
        parts = [[each.name for each in some] for some in (self.model.coordinates, self.model.connections)]
        for name in names:
            figure_reader(str(name), table, f"{self.kind.name}:", *parts)
            if name in axes:
                raise InvalidInput(f"{name} is an axis, not a figure; leave it out here")
        return [str(name) for name in names]

    def check_along(self, along: str | None) -> None:
        if along is None:
            return
        if self.kind.name != "periodic":
            raise InvalidInput("is for periodic: alone, whose points may begin from each other's orbits; leave it out")
        known = [] if self.plan is None else [d.name for d in self.plan.dimensions]
        if along not in known:
            raise InvalidInput(f"no axis {short_repr(along)}{did_you_mean(along, known)}")

    def _axis(self, name: str, given: Any, plan: str) -> Any:
        """The values of an axis in SI; of a random plan the two ends."""
        place = ("sweep", "over", name)
        if name == FREQUENCY:
            if self.kind.name not in KINDS_WITH_FREQUENCY:
                raise InvalidInput(f"{self.kind.name}: covers frequency already; leave it out here")
            values, otherwise = FREQUENCIES, frequency_scale(self.model.units.frequency)
            self.units[name] = "rad/s"
        else:
            if name == self.settings.get("parameter"):
                raise InvalidInput("is the parameter that the study follows; leave it out here")
            self.units[name] = parameter_unit(self.model, name)
            values, otherwise = parameter_values_spec(self.model, name), Scale(self.units[name], 1.0)
        self.shown[name] = written_scale(given, otherwise)
        return read_list(given, place, values) if plan == PLAN_NAMES[0] else read_between(given, place, values)

    def _whole(self, given: Any, place: str, otherwise: int | None) -> int:
        if given is None:
            if otherwise is None:
                raise LocatedProblem(("sweep", place), "count is missing: how many points, such as count: 100")
            return otherwise
        return read_integer(read_quantity(given))

    def _example(self, table: FigureTable) -> str:
        quantity = next(iter(table.coordinate))
        return f"{self.model.coordinates[0].name}.{quantity}" if self.model.coordinates else next(iter(table.whole))


def _store(given: str | None, otherwise: Path) -> Path:
    found = otherwise if given is None else otherwise.parent / given
    if found.suffix.lower() not in SUFFIXES:
        raise InvalidInput(f"must end in {' or '.join(SUFFIXES)}, got {short_repr(given)}")
    return found
