"""`Fit`: an identified law, with parameter intervals, goodness of fit and warnings."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array
from slipstick.errors import Advice, InvalidInput, Message, short_repr
from slipstick.name_hints import did_you_mean
from slipstick.results import tolerances as tol
from slipstick.results.fit_grade import Grade, grade_of
from slipstick.results.netcdf_writer import NetcdfVariable, TableSet
from slipstick.results.run import Names, SavedResult
from slipstick.units.scales import UNITLESS_LOOP, LoopUnits

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

    from slipstick.results.posterior import Posterior


SAMPLE_VARIABLES = {
    "u": "deflection",
    "f": "force",
    "fitted": "fitted_force",
    "counts": "compared",
}  # arrays of a loop, and their names in a dataset

MISFIT_WARNING = "the law does not fit within the noise"  # begins the warning of a misfit
NO_CONSTANT_FORCE = "has no constant force"  # marks the warning of a misfit by an offset
REMOVE_OFFSET_ADVICE = Advice(  # advice of this warning
    "{remove_offset}, or take a law with a free preload, such as masing or linear+dahl"
)


class Estimate(NamedTuple):
    """Estimate of one parameter.

    value : best fit.   low, high : 95 % interval, infinite at an open end; both the value if it is fixed.
    unit : of all three.
    deviation : standard deviation.   start : start value of the search.
    fixed : the value was given.
    dimension : powers of force, deflection and time in its unit, if known.
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
        """The estimate in other units."""
        if self.dimension is None:
            return self
        unit, factor = units.of(self.dimension)
        numbers = {key: factor * getattr(self, key) for key in ("value", "low", "high", "deviation", "start")}
        return self._replace(unit=unit, **numbers)

    def interval(self, shown: Callable[[float], str] = "{:.6g}".format, between: str = " to ") -> str:
        """The interval in words, such as "200, open above".   shown : formats a value."""
        low = shown(self.low) if math.isfinite(self.low) else "open below"
        high = shown(self.high) if math.isfinite(self.high) else "open above"
        return f"{low}{between if math.isfinite(self.high - self.low) else ', '}{high}"

    def __str__(self) -> str:
        unit = "" if self.unit == "1" else f" {self.unit}"
        if self.fixed:
            return f"{self.value:.6g}{unit} (fixed)"
        return f"{self.value:.6g}{unit} [{self.interval(between=', ')}]"


class Estimates(dict[str, Estimate]):
    """Estimates by name; an unknown name is an error with a suggestion."""

    def __missing__(self, name: object) -> Estimate:
        hint = did_you_mean(name, self) if isinstance(name, str) else ""
        raise InvalidInput(f"the fit has no {short_repr(name)}{hint}")


class RuleValue(NamedTuple):
    """A parameter by a rule of the papers.   value : in its unit.   rule : its name in `ss.rules`."""

    value: float
    rule: str


class RuleValues(dict[str, RuleValue]):
    """Parameters by the papers' rules, for comparison.   refusals : why other rules do not apply, a line each."""

    def __init__(self, values: Mapping[str, RuleValue] | None = None, refusals: tuple[Message, ...] = ()) -> None:
        super().__init__(values or {})
        self.refusals = refusals


class LoopFit(NamedTuple):
    """Fit of a law to one loop.

    name : of the loop.   u, f, fitted : (n,) deflection, measured and fitted force.
    counts : (n,) mask of the compared samples.   noise : standard deviation of the force, from the data alone.
    energy, measured_energy : of a cycle, the median of settled cycles of full amplitude; NaN without any.
    amplitude : half the range of deflection.   beginning : initial state, "virgin", "settled" or "unknown".
    frequency : [Hz] or NaN.   file : of the loop, if there is one; `name` begins with it.
    units : of the file, for display; all arrays are in SI.
    before : deflection of the reversal before the first sample, for an unknown initial state; else NaN.
    outliers : number of samples far from their neighbours.   rest_rms : rms residual of the others; NaN without any.
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
    outliers: int = 0
    rest_rms: float = float("nan")

    @property
    def label(self) -> str:
        """Its name without the file."""
        return self.name.removeprefix(f"{self.file} ") if self.file else self.name

    @property
    def samples(self) -> int:
        """Number of compared samples."""
        return int(np.count_nonzero(self.counts))

    @property
    def given(self) -> int:
        """Number of all samples."""
        return int(self.counts.size)

    @property
    def rms(self) -> float:
        """The rms residual of the force."""
        residuals = (self.fitted - self.f)[self.counts]
        return float(np.sqrt(np.mean(residuals**2)))

    @property
    def has_few_outliers(self) -> bool:
        """True if there are outliers, so few that they do not speak against a law."""
        return 0 < self.outliers <= tol.MAX_OUTLIER_SHARE * self.samples

    @property
    def within_noise(self) -> bool:
        """True if the residual is within the noise, a few outliers left aside."""
        rms = self.rest_rms if self.has_few_outliers else self.rms
        return rms <= tol.WITHIN_NOISE_RATIO * self.noise

    @property
    def range(self) -> float:
        """Range of the measured force."""
        return float(np.ptp(self.f))

    @property
    def energy_error(self) -> float:
        """Relative error of the energy of a cycle; NaN if the measured energy is within noise."""
        if self.measured_energy <= self.noise * self.amplitude:
            return float("nan")
        return (self.energy - self.measured_energy) / self.measured_energy


class Spread(NamedTuple):
    """Normal distribution of the free parameters, in the scale of the search.

    x : (k,) mean: the logarithm of a positive parameter, else its ratio to `size`.
    covariance : (k, k).   low, high : (k,) bounds.   size : (k,).   positive : (k,) mask of logarithms.
    misfit : factor of deviations that includes the misfit of the law as model error; 1 if it fits within the noise.
    """

    x: Array
    covariance: Array
    low: Array
    high: Array
    size: Array
    positive: NDArray[np.bool_]
    misfit: float = 1.0


class FittedResult(SavedResult):
    """Parameters from measurements, with draws from their posterior."""

    posterior_of: Callable[..., Posterior] | None  # behind `posterior`; None for a result from a file
    called: str
    remake: str  # how to get a result that is not from a file

    def posterior(
        self,
        draws: int = 1000,
        seed: int = 0,
        *,
        evaluations: int | None = None,
        progress: Callable[[int, int], Any] | None = None,
    ) -> Posterior:
        """Draws from the posterior of the free parameters, for intervals that are not symmetric, or open on one side.

        The prior of each parameter is flat between its bounds, unless the fit has one in ``priors``.
        draws : number of independent ones.   evaluations : budget, 60,000 by default; each predicts all data once.
        progress : called with the evaluations so far and the budget.   Needs the extra ``posterior``.
        """
        if self.posterior_of is None:
            raise InvalidInput(f"{self.called} from a file has no posterior; {self.remake}")
        return self.posterior_of(draws, seed, evaluations, progress)

    def _check_count(self, n: int, things: str) -> None:
        if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
            raise InvalidInput(f"sample needs a whole number of {things}, at least 1, got {short_repr(n)}").about("n")


@dataclass(frozen=True, repr=False)
class Fit(FittedResult):
    """Result of `identify`.

    law : with fitted values.   parameters, derived : estimates by name.
    free : names of the fitted parameters.   correlation : (k, k) between them.
    held : names of parameters that the search held at a bound.
    residual : rms residual of the force over all compared samples; `samples_words` counts them.
    noise : of the force, from the data alone.
    loops : fit of each loop.   warnings, notes : remarks in words, the most serious first.
    converged : the search ended at its tolerance, not at its budget.   spread : distribution for `sample`.
    system : of units: "translation", "rotation" or "stress".
    model : a model with the law as its connection "identified" along the coordinate u, for files.
    rules : parameters by the papers' rules, for comparison.   seconds : duration.
    evaluations : of the last search, without those for derivatives.
    draw, profile_of, posterior_of : functions behind `sample`, `profile` and `posterior`; None for a fit from a file
        without them.
    """

    called = "a fit"
    remake = "identify the law again"

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
    draw: Callable[..., list[Any]] | None = None
    profile_of: Callable[[str], Estimate] | None = None
    posterior_of: Callable[..., Posterior] | None = None
    rules: RuleValues = field(default_factory=RuleValues)
    held: tuple[str, ...] = ()

    @property
    def searched(self) -> int:
        """Number of parameters that the search had: a value at a bound was found, too."""
        return len(self.free) + len(self.held)

    @property
    def further_warnings(self) -> list[str]:
        """The warnings without that of a misfit, which the verdict states."""
        return [words for words in self.warnings if not words.startswith(MISFIT_WARNING)]

    @property
    def within_noise(self) -> bool:
        """True if the residuals of all loops are within the noise, a few outliers left aside."""
        return all(loop.within_noise for loop in self.loops)

    @cached_property
    def grade(self) -> Grade:
        """Errors of peak force, energy and stiffness, and what the fit is good for."""
        return grade_of(self.loops)

    @property
    def samples_words(self) -> str:
        """Number of compared samples: "all 627 samples", or "600 of 627 samples"."""
        used, given = (sum(getattr(loop, key) for loop in self.loops) for key in ("samples", "given"))
        return f"all {given} samples" if used == given else f"{used} of {given} samples"

    @property
    def units(self) -> LoopUnits:
        """Units of display: those of the file of the first loop. All values are in SI."""
        return self.loops[0].units

    def sample(self, n: int, seed: int = 0) -> list[Any]:
        """Laws drawn from the distribution of the parameters, within their bounds."""
        self._check_count(n, "laws")
        if self.draw is None:  # the code of a user's own law is in no file
            raise InvalidInput("the law of this fit is not in its file, so no laws can be drawn; identify it again")
        return self.draw(int(n), seed)

    def advise(self, candidates: Mapping[str, Any] | None = None, *, against: Fit | None = None) -> Any:
        """Which of several loops would narrow the widest interval most, or separate the law from another one.

        candidates : by name, deflections (n,), or (times, deflections), along which the force would be measured with
            the noise of this fit; by default cycles of a quarter to four times the largest amplitude.
        against : the fit of another law to the same loops.   Returns a `Recommendation`, or a `Separation`.
        """
        from slipstick.sensitivity.advise import advise_fit
        from slipstick.sensitivity.next_test import separate_fits, usual_cycles

        if against is not None:
            return separate_fits(self, against, candidates)
        return advise_fit(self, usual_cycles(self) if candidates is None else candidates)

    def with_misfit(self) -> Fit:
        """A copy whose drawn laws are spread until their forces scatter as much as the residual beyond the noise."""
        if self.spread is None or self.draw is None:
            raise InvalidInput("the covariance of this fit is not in its file; identify the law again")
        return replace(self, draw=partial(self.draw, misfit=True))

    def profile(self, name: str) -> Estimate:
        """Estimate with the interval of its profile likelihood: all others are refitted at each value."""
        if self.profile_of is None:
            raise InvalidInput("a fit from a file has no profiles; identify the law again")
        if self.parameters[name].fixed:
            raise InvalidInput(f'"{name}" was fixed; only fitted parameters have a profile').about("name")
        return self.profile_of(name)

    @property
    def names(self) -> Names:
        """Names in the small model of the law."""
        return Names(self.kind, ("u",), ("identified",))

    @property
    def kind(self) -> str:
        """Name of the law: "Masing", "Polynomial + DynamicHysteresis"."""
        if self.law is None:  # from a file: the class of a user's own law is not in it
            return "a law that is not in the file (fit.law is None; make it again from fit.parameters)"
        terms = getattr(self.law, "terms", ())
        return " + ".join(type(leaf.law).__name__ for leaf in terms) or type(self.law).__name__

    @cached_property
    def data(self) -> xarray.Dataset:
        """Samples of all loops, estimates of the parameters, and their correlation."""
        return fit_tables(self).dataset()

    def table_data(self) -> xarray.Dataset:
        """Estimates along "parameter", derived ones too: value, low, high, deviation, unit, fixed."""
        import xarray

        rows = {**self.parameters, **self.derived}
        columns = ("value", "low", "high", "deviation", "unit", "fixed")
        held = {key: ("parameter", [getattr(own, key) for own in rows.values()]) for key in columns}
        return xarray.Dataset(held, coords={"parameter": list(rows)})

    def plot(self, *, width: float | None = None) -> Figure:
        """Figure of measured and fitted loops, residuals, and the backbone of several amplitudes.

        width : [cm] of the figure: 8.5 for a column of a paper, 25 for a slide; by default for a screen.
        """
        from slipstick.plot.loop_plot import plot_fit

        return plot_fit(self, width)

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
        lines.append(f"  {self.grade.words}")
        lines += [f"  warning: {words}" for words in self.warnings]
        lines += [f"  note: {words}" for words in self.notes]
        lines += [f"  rule: {words}" for words in self.rules.refusals]
        return "\n".join(lines)

    def _by_rule(self, name: str) -> str:
        """The value of a rule, as text after an estimate."""
        own = self.rules.get(name)
        if not own:
            return ""
        value = self.parameters[name]._replace(value=own.value).shown_in(self.units).value
        return f"  by the paper's rule {value:.4g} ({own.rule})"


def fit_tables(fit: Fit) -> TableSet:
    """Tables of a fit: all loops along "sample", estimates along "parameter", and the correlation of free ones."""
    numbers = np.repeat(np.arange(len(fit.loops), dtype=np.int32), [loop.u.size for loop in fit.loops])
    tables = {"loop": NetcdfVariable(("sample",), numbers, {"long_name": "number of the loop"})}
    for key, name in SAMPLE_VARIABLES.items():
        values = np.concatenate([np.asarray(getattr(loop, key)) for loop in fit.loops])
        tables[name] = NetcdfVariable(("sample",), values, {})
    each = list(fit.parameters.values())
    columns: dict[str, list[Any]] = {
        key: [getattr(own, key) for own in each] for key in ("value", "low", "high", "deviation", "start")
    }
    columns["interval"] = ["fixed" if own.fixed else own.interval() for own in each]
    columns |= {"unit": [own.unit for own in each], "fixed": [own.fixed for own in each]}
    tables |= {key: NetcdfVariable(("parameter",), np.array(values), {}) for key, values in columns.items()}
    tables["correlation"] = NetcdfVariable(("sought", "sought_too"), fit.correlation, {})
    coordinates = {"parameter": list(fit.parameters), "sought": list(fit.free), "sought_too": list(fit.free)}
    tables |= {key: NetcdfVariable((key,), np.array(names, dtype=np.str_), {}) for key, names in coordinates.items()}
    attrs = {"law": repr(fit.law), "residual": fit.residual, "noise": fit.noise, "level": tol.CONFIDENCE_LEVEL}
    return TableSet(tables, tuple(coordinates), attrs)
