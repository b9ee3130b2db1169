"""`Fit`: an identified law, with parameter intervals, goodness of fit and warnings."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import Advice, InvalidInput, Message, did_you_mean, short_repr
from slipstick.results.run import Names
from slipstick.units.scales import UNITLESS_LOOP, LoopUnits

if TYPE_CHECKING:
    import os

    import xarray
    from matplotlib.figure import Figure

Array = NDArray[np.float64]

CONFIDENCE_LEVEL = 0.95  # of all intervals
WITHIN_NOISE_RATIO = 1.25  # rms residual over noise up to which a loop is fitted within the noise
NO_CONSTANT_FORCE = "has no constant force"  # in the warning of a law that fits badly for that
REMOVE_OFFSET_ADVICE = Advice(  # what to do then
    "{remove_offset}, or take a law with a free preload, such as masing or linear+dahl"
)


class Estimate(NamedTuple):
    """One number of a law.

    value : best.   low, high : ends of its 95 % interval, infinite where it is open; both the value where it was fixed.
    unit : of all three.
    deviation : standard deviation of the value.   start : where the search began.
    fixed : it was given, not sought.
    dimension : powers of force, deflection and time in its unit, where they are known.
    """

    value: float
    low: float
    high: float
    unit: str
    deviation: float = 0.0
    start: float = float("nan")
    fixed: bool = False
    dimension: tuple[float, ...] | None = None

    def shown_in(self, units: LoopUnits) -> Estimate:
        """The same in other units."""
        if self.dimension is None:
            return self
        unit, factor = units.of(self.dimension)
        numbers = {key: factor * getattr(self, key) for key in ("value", "low", "high", "deviation", "start")}
        return self._replace(unit=unit, **numbers)

    def interval(self, shown: Callable[[float], str] = "{:.6g}".format, between: str = " to ") -> str:
        """Its interval in words; an end that the data do not tell is open: "200, open above".   shown : of a number."""
        low = shown(self.low) if math.isfinite(self.low) else "open below"
        high = shown(self.high) if math.isfinite(self.high) else "open above"
        return f"{low}{between if math.isfinite(self.high - self.low) else ', '}{high}"

    def __str__(self) -> str:
        unit = "" if self.unit == "1" else f" {self.unit}"
        if self.fixed:
            return f"{self.value:.6g}{unit} (fixed)"
        return f"{self.value:.6g}{unit} [{self.interval(between=', ')}]"


class Estimates(dict[str, Estimate]):
    """Estimates by name; a name that is not there is told with what was meant."""

    def __missing__(self, name: object) -> Estimate:
        hint = did_you_mean(name, self) if isinstance(name, str) else ""
        raise InvalidInput(f"the fit has no {short_repr(name)}{hint}")


class RuleValue(NamedTuple):
    """A number of a law by a rule of the papers.   value : in its unit.   rule : its name in `ss.rules`."""

    value: float
    rule: str


class RuleValues(dict[str, RuleValue]):
    """Numbers by the papers' rules, to stand beside a fit.   refusals : why others do not apply, a line each."""

    def __init__(self, values: Mapping[str, RuleValue] | None = None, refusals: tuple[Message, ...] = ()) -> None:
        super().__init__(values or {})
        self.refusals = refusals


class LoopFit(NamedTuple):
    """How a law fits one loop.

    name : of the loop.   u, f, fitted : (n,) deflection, measured force and that of the law.
    counts : (n,) the samples that were compared.   noise : standard deviation of the force, from the data alone.
    energy, measured_energy : of a cycle, the median of its settled ones of full amplitude; not a number without any.
    amplitude : half of the range of deflection.   beginning : "virgin", "settled" or "unknown".
    frequency : [Hz] or not a number.   file : that the loop was read from, if it was; its name begins with that.
    units : that its file is in; all arrays are in SI.
    before : deflection of the reversal before the first sample, for an unknown beginning; else not a number.
    """

    name: str
    u: Array
    f: Array
    fitted: Array
    counts: NDArray[np.bool_]
    noise: float
    energy: float
    measured_energy: float
    amplitude: float
    beginning: str
    frequency: float
    file: str = ""
    units: LoopUnits = UNITLESS_LOOP
    before: float = float("nan")

    @property
    def label(self) -> str:
        """What tells it from other loops of its file."""
        return self.name.removeprefix(f"{self.file} ") if self.file else self.name

    @property
    def samples(self) -> int:
        """Samples that were compared."""
        return int(np.count_nonzero(self.counts))

    @property
    def given(self) -> int:
        """All samples of the loop."""
        return int(self.counts.size)

    @property
    def rms(self) -> float:
        """Of the difference of the forces."""
        left = (self.fitted - self.f)[self.counts]
        return float(np.sqrt(np.mean(left**2)))

    @property
    def range(self) -> float:
        """Of the measured force."""
        return float(np.ptp(self.f))

    @property
    def energy_error(self) -> float:
        """Of the energy of a cycle, as a share of the measured one; not a number where that is no more than noise."""
        if self.measured_energy <= self.noise * self.amplitude:
            return float("nan")
        return (self.energy - self.measured_energy) / self.measured_energy


class Spread(NamedTuple):
    """The normal distribution of what was sought, in the scale of the search.

    x : (k,) what was found: the logarithm of a number that must be positive, else its ratio to a size.
    covariance : (k, k) of that.   low, high : (k,) bounds of it.   size : (k,).   positive : (k,) which are logarithms.
    """

    x: Array
    covariance: Array
    low: Array
    high: Array
    size: Array
    positive: NDArray[np.bool_]


@dataclass(frozen=True, repr=False)
class Fit:
    """What `identify` gives.

    law : with the values found.   parameters, derived : estimates by name.
    free : names of what was sought.   correlation : (k, k) between them.
    residual : rms difference of force over all samples that are compared; `samples_words` counts them.
    noise : of the force, from the data alone.
    loops : how the law fits each.   warnings, notes : what to know, in words; the gravest first.
    converged : the search ended where nothing gets better.   spread : from which `sample` draws.
    system : of units: "translation", "rotation" or "stress".
    model : the law as the connection "identified" along the coordinate u; a file holds it so.
    rules : numbers by the papers' rules beside those found.   seconds : that it took.
    evaluations : of the last search, without those for derivatives.
    draw, profile_of : what `sample` and `profile` ask; None where a file cannot hold it.
    """

    law: Any
    parameters: Estimates
    derived: Estimates
    free: tuple[str, ...]
    correlation: Array
    loops: tuple[LoopFit, ...]
    residual: float
    noise: float
    warnings: tuple[str, ...] = ()
    notes: tuple[Message, ...] = ()
    seconds: float = 0.0
    evaluations: int = 0
    converged: bool = True
    system: str = "translation"
    spread: Spread | None = None
    model: Any = None
    draw: Callable[[int, int], list[Any]] | None = None
    profile_of: Callable[[str], Estimate] | None = None
    rules: RuleValues = field(default_factory=RuleValues)

    @property
    def within_noise(self) -> bool:
        """True if what is left is not more than the noise of the data."""
        return all(loop.rms <= WITHIN_NOISE_RATIO * loop.noise for loop in self.loops)

    @property
    def samples_words(self) -> str:
        """How many samples the residual is of: "all 627 samples", or "600 of 627 samples"."""
        used, given = (sum(getattr(loop, key) for loop in self.loops) for key in ("samples", "given"))
        return f"all {given} samples" if used == given else f"{used} of {given} samples"

    @property
    def units(self) -> LoopUnits:
        """What screens, pages and its text show it in: units of the file of the first loop. All numbers are in SI."""
        return self.loops[0].units

    def sample(self, n: int, seed: int = 0) -> list[Any]:
        """Laws drawn from the fit: its numbers with their correlations, within their bounds."""
        if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 1:
            raise InvalidInput(f"sample needs a whole number of laws, at least 1, got {short_repr(n)}").about("n")
        if self.draw is None:  # a law of somebody's own, whose code is in no file
            raise InvalidInput("the file of this fit does not hold its law, and cannot be sampled; identify it again")
        return self.draw(int(n), seed)

    def profile(self, name: str) -> Estimate:
        """The interval of a number by its profile: all others are fitted anew at each value of it."""
        if self.profile_of is None:
            raise InvalidInput("a fit from a file has no profiles; identify the law again")
        if self.parameters[name].fixed:
            raise InvalidInput(f'"{name}" was fixed; only what was sought has a profile').about("name")
        return self.profile_of(name)

    @property
    def names(self) -> Names:
        """Of the small model that has the law."""
        return Names(self.kind, ("u",), ("identified",))

    @property
    def kind(self) -> str:
        """What the law is called: "Masing", "Polynomial + DynamicHysteresis"."""
        terms = getattr(self.law, "terms", ())
        return " + ".join(type(leaf.law).__name__ for leaf in terms) or type(self.law).__name__

    @cached_property
    def data(self) -> xarray.Dataset:
        """Samples of all loops one after the other, numbers of the law, and their correlation."""
        from slipstick.results.fit_encoding import fit_dataset

        return fit_dataset(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything to a netCDF file (.nc) that `slipstick.open` reads, the law included."""
        from slipstick.results.result_files import write_result

        write_result(self, path)

    def plot(self) -> Figure:
        """A figure: measured and fitted loops, residuals, and the backbone where there are several amplitudes."""
        from slipstick.plot.loop_plot import plot_fit

        return plot_fit(self)

    def __repr__(self) -> str:
        lines = [f"Fit of {self.kind} to {len(self.loops)} loop{'s' * (len(self.loops) != 1)}"]
        width = max(len(name) for name in (*self.parameters, *self.derived))
        if self.units.written:
            lines[0] += ", in the units of the file (fit.parameters are in SI)"
        shown_in = {name: own.shown_in(self.units) for name, own in {**self.parameters, **self.derived}.items()}
        lines += [f"  {name:<{width}}  {shown_in[name]}{self._by_rule(name)}" for name in self.parameters]
        lines += [f"  {name:<{width}}  {shown_in[name]}  (derived)" for name in self.derived]
        force = self.units.force
        of = f"rms of {self.samples_words}"
        lines.append(f"  residual {force.words(self.residual, 4)} {of}, noise {force.words(self.noise, 4)}")
        lines += [f"  warning: {words}" for words in self.warnings]
        lines += [f"  note: {words}" for words in self.notes]
        lines += [f"  rule: {words}" for words in self.rules.refusals]
        return "\n".join(lines)

    def _by_rule(self, name: str) -> str:
        """What stands beside a number in a table."""
        own = self.rules.get(name)
        if not own:
            return ""
        value = self.parameters[name]._replace(value=own.value).shown_in(self.units).value
        return f"  by the paper's rule {value:.4g} ({own.rule})"
