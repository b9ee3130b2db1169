"""Many runs of a study: ``sweep:`` beside the section that says what is done at each point.

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
from slipstick.errors import InvalidInput, did_you_mean, shown
from slipstick.model.files.problems import Findings, Located, hint, kind_of
from slipstick.model.files.quantities import read_quantity
from slipstick.model.files.schema import MaybeText, Shape
from slipstick.results.units import Scale, frequency_scale
from slipstick.study.frequencies import FREQUENCIES
from slipstick.study.kind import Kind, Settings, whole
from slipstick.study.parameter import unit_of, values_of
from slipstick.study.point import FREQUENCY, Build, figure_scale, si_unit
from slipstick.study.ranges import read_between, read_list, scale_of
from slipstick.sweeps import SUFFIXES
from slipstick.sweeps.measures import CURVE, ORBIT, RUN, Table, reader_of
from slipstick.sweeps.plan import Plan, grid, latin_hypercube, random, samples

DRAWN_PLANS = {"random": random, "latin-hypercube": latin_hypercube}
PLANS = ("grid", *DRAWN_PLANS)
OF_KIND = {"transient": RUN, "periodic": ORBIT, "frequency_response": CURVE, "follow": CURVE}
ERROR = "certificate_error"  # what a table has of its own, and has a unit
WITH_FREQUENCY = ("transient", "periodic", "follow")  # kinds that have one as a setting


class Laws(Shape):
    """Laws drawn from a fit, for one connection."""

    connection: MaybeText = Described(None, description="whose law they take the place of")
    fit: MaybeText = Described(None, description="a file of `slipstick identify`, beside the study")
    count: Any = Described(None, description="how many")
    seed: Any = Described(None, description="of the draw; default 0")


class SweepPart(Shape):
    """Many runs: what they go over, what is kept of each."""

    over: Any = Described(None, description="numbers of the model by name, or frequency: a list or {from, to, count}")
    measure: Any = Described(None, description="figures to keep, such as [x.amplitude, guide.dissipated]")
    plan: MaybeText = Described(None, description="grid (default), random or latin-hypercube")
    count: Any = Described(None, description="points of a random plan")
    seed: Any = Described(None, description="of a random plan; default 0")
    laws: Laws | None = Described(None, description="laws drawn from a fit, beside or instead of over")
    along: MaybeText = Described(None, description="the axis along which points begin from each other's orbits")
    store: MaybeText = Described(None, description="the ledger, an SQLite file beside the study; default NAME.sqlite")


@dataclass(frozen=True)
class SweepOf:
    """What the sweep of a study asks for.   build, over, measure, along, store : arguments of `slipstick.sweep`."""

    build: Build
    over: Plan
    measure: list[str]
    along: str | None
    store: Path

    def check(self) -> None:
        """Refuse what the first point would refuse before it starts."""
        self.build.check(**self.over.arguments(0))

    @property
    def words(self) -> str:
        """``30 points over guide.limit (3) and frequency (10)``."""
        axes = [f"{d.name} ({len(d)})" for d in self.over.dimensions]
        return f"{len(self.over)} points over {', '.join(axes)}, of each {', '.join(self.measure)}"


def read_sweep(part: SweepPart, kind: Kind, settings: Settings, model: Model, findings: Findings) -> SweepOf | None:
    """The sweep of a study; what is wrong with it goes to the findings."""
    reader = _Reader(kind, settings, model, findings)
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
    figures |= {ERROR: figure_scale(model, settings, "error")}
    units = reader.units | {name: si_unit(scale) for name, scale in figures.items()}
    build = Build(model, kind.name, settings, reader.shown | figures, units)
    return SweepOf(build, reader.plan, measure, part.along, store)


class _Reader:
    def __init__(self, kind: Kind, settings: Settings, model: Model, findings: Findings) -> None:
        self.kind, self.settings, self.model, self.findings = kind, settings, model, findings
        self.shown: dict[str, Scale] = {}
        self.units: dict[str, str] = {}  # the same in SI
        self.plan: Plan | None = None
        if kind.name not in OF_KIND:
            words = f"a {kind.title} cannot be swept; take {', '.join(OF_KIND)}"
            findings.problem(("sweep",), words)

    def read_over(self, part: SweepPart) -> None:
        plan = part.plan or PLANS[0]
        if plan not in PLANS:
            raise Located(("sweep", "plan"), f"must be {', '.join(PLANS)}, got {shown(plan)}{hint(plan, PLANS)}")
        if part.over is None:
            if part.laws is None:
                raise InvalidInput("is missing: name numbers of the model, such as {guide.limit: [1 N, 2 N]}")
            return
        if not isinstance(part.over, dict) or not part.over:
            raise InvalidInput(
                f"must be numbers of the model by name, {{guide.limit: [1 N, 2 N]}}, got {kind_of(part.over)}"
            )
        axes = {}
        for name, given in part.over.items():
            with self.findings.catch(("sweep", "over", name)):
                axes[name] = self._axis(name, given, plan)
        if len(axes) < len(part.over):
            return
        if plan == PLANS[0]:
            self.plan = grid(**axes)
        else:
            count = self._whole(part.count, "count", None)
            self.plan = DRAWN_PLANS[plan](count, seed=self._whole(part.seed, "seed", 0), **axes)

    def read_laws(self, part: Laws | None) -> None:
        if part is None:
            return
        names = [each.name for each in self.model.connections]
        if part.connection is None or part.fit is None:
            raise InvalidInput("needs connection: and fit:, such as {connection: guide, fit: guide.nc, count: 100}")
        if part.connection not in names:
            words = f"no connection {shown(part.connection)}{hint(part.connection, names)}"
            raise Located(("sweep", "laws", "connection"), words)
        from slipstick.api import open as opened
        from slipstick.results.fit import Fit

        fit = opened(Path(self.findings.file).parent / part.fit)
        if not isinstance(fit, Fit):
            raise Located(("sweep", "laws", "fit"), f"{part.fit} is no fit of slipstick identify")
        count, seed = self._whole(part.count, "laws", None), self._whole(part.seed, "laws", 0)
        drawn = samples(fit, count, seed=seed, argument=part.connection, name=f"{part.connection}_law")
        self.plan = drawn if self.plan is None else drawn * self.plan

    def read_measure(self, given: Any) -> list[str]:
        table = OF_KIND.get(self.kind.name)
        if table is None:
            return []
        names = given if isinstance(given, list) else [given]
        if given is None or not names:
            raise InvalidInput(f"is missing: name figures to keep, such as [{self._example(table)}]")
        axes = [] if self.plan is None else self.plan.names
        parts = [[each.name for each in some] for some in (self.model.coordinates, self.model.connections)]
        for name in names:
            reader_of(str(name), table, f"{self.kind.name}:", *parts)
            if name in axes:
                raise InvalidInput(f"{name} is an axis, and no figure; leave it out here")
        return [str(name) for name in names]

    def check_along(self, along: str | None) -> None:
        if along is None:
            return
        if self.kind.name != "periodic":
            raise InvalidInput("is for periodic: alone, whose points may begin from each other's orbits; leave it out")
        known = [] if self.plan is None else [d.name for d in self.plan.dimensions]
        if along not in known:
            raise InvalidInput(f"no axis {shown(along)}{did_you_mean(along, known)}")

    def _axis(self, name: str, given: Any, plan: str) -> Any:
        """The values of an axis in SI; of a random plan the two ends."""
        place = ("sweep", "over", name)
        if name == FREQUENCY:
            if self.kind.name not in WITH_FREQUENCY:
                raise InvalidInput(f"{self.kind.name}: goes over frequency itself; leave it out here")
            values, otherwise = FREQUENCIES, frequency_scale(self.model.units.frequency)
            self.units[name] = "rad/s"
        else:
            if name == self.settings.get("parameter"):
                raise InvalidInput("is what the study follows; leave it out here")
            self.units[name] = unit_of(self.model, name)
            values, otherwise = values_of(self.model, name), Scale(self.units[name], 1.0)
        self.shown[name] = scale_of(given, otherwise)
        return read_list(given, place, values) if plan == PLANS[0] else read_between(given, place, values)

    def _whole(self, given: Any, place: str, otherwise: int | None) -> int:
        if given is None:
            if otherwise is None:
                raise Located(("sweep", place), "count is missing: how many points, such as count: 100")
            return otherwise
        return whole(read_quantity(given))

    def _example(self, table: Table) -> str:
        quantity = next(iter(table.coordinate))
        return f"{self.model.coordinates[0].name}.{quantity}" if self.model.coordinates else next(iter(table.whole))


def _store(given: str | None, otherwise: Path) -> Path:
    found = otherwise if given is None else otherwise.parent / given
    if found.suffix.lower() not in SUFFIXES:
        raise InvalidInput(f"must end in {' or '.join(SUFFIXES)}, got {shown(given)}")
    return found
