"""`Trend`: parameters of a law over frequency, with a straight line through each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from slipstick.errors import InvalidInput, short_repr
from slipstick.name_hints import did_you_mean
from slipstick.results import tolerances as tol
from slipstick.results.fit import Estimate, Fit
from slipstick.results.run import Names, SavedResult

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure


class TrendLine(NamedTuple):
    """Straight line through one parameter over the logarithm of frequency.

    value : at the frequency `middle` [Hz]; deviation : its standard deviation.   unit : of the value.
    per_decade : slope, the change over a decade; low, high : its 95 % interval.
    The slope is NaN, and its interval infinite, with fewer than two determined values.
    scatter : rms distance of the values from the line, in their standard deviations; about 1 if a line fits.
    """

    name: str
    unit: str
    middle: float
    value: float
    deviation: float
    per_decade: float
    low: float
    high: float
    scatter: float

    @property
    def depends(self) -> bool:
        """True if the interval of the slope excludes zero."""
        return self.low > 0.0 or self.high < 0.0

    def at(self, frequency: float) -> float:
        """The value on the line at a frequency [Hz]."""
        return self.value + self.per_decade * float(np.log10(frequency / self.middle))

    @property
    def words(self) -> str:
        """One sentence: whether it depends on frequency."""
        if not np.isfinite(self.per_decade):
            return f"{self.name} is determined at fewer than two frequencies: its dependence on frequency is unknown"
        if (
            abs(self.value) <= tol.ZERO_DEVIATIONS * self.deviation and not self.depends
        ):  # a share of that would be any number
            return f"{self.name} does not depend on frequency within its uncertainty: it is about zero"
        share = 100.0 / abs(self.value) if self.value != 0.0 else float("nan")
        grown = f"{share * self.per_decade:+.3g} % a decade [{share * self.low:+.3g}, {share * self.high:+.3g}]"
        if not self.depends:
            return f"{self.name} does not depend on frequency within its uncertainty: {grown}"
        way = "grows" if self.per_decade > 0.0 else "falls"
        return f"{self.name} {way} with frequency: {grown}"


@dataclass(frozen=True, repr=False)
class Trend(SavedResult):
    """Result of `trend`.

    fits : for each set of samples, by name ("" for a single one), the fit at each frequency [Hz].
    lines : for each set, the line of each parameter and derived quantity, by name.
    """

    law: str
    fits: Mapping[str, Mapping[float, Fit]]
    lines: Mapping[str, Mapping[str, TrendLine]]

    @property
    def sets(self) -> tuple[str, ...]:
        return tuple(self.fits)

    @property
    def names(self) -> Names:
        """Names in the small models of the laws."""
        return Names(self.law, ("u",), ("identified",))

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names with a line: free parameters, then derived quantities."""
        return tuple(self.lines[self.sets[0]])

    def line(self, parameter: str, of: str | None = None) -> TrendLine:
        """The line of a parameter; of : its set, if there are several."""
        chosen = self.sets[0] if of is None and len(self.sets) == 1 else of
        if chosen is None or chosen not in self.fits:
            words = f"must be one of {', '.join(self.sets)}"
            raise InvalidInput(words, owner="say which set", subject="of", value=of, got=short_repr(of))
        if parameter not in self.lines[chosen]:
            hint = did_you_mean(parameter, self.parameters) if isinstance(parameter, str) else ""
            raise InvalidInput(f"the trend has no {short_repr(parameter)}{hint}").about("parameter")
        return self.lines[chosen][parameter]

    def estimate(self, parameter: str, frequency: float, of: str) -> Estimate:
        """Estimate of a parameter at a frequency."""
        if of not in self.fits:
            raise InvalidInput(
                f"of must be one of {', '.join(map(short_repr, self.sets))}, got {short_repr(of)}"
            ).about("of")
        if frequency not in self.fits[of]:
            known = ", ".join(f"{f:g}" for f in self.fits[of])
            raise InvalidInput(f"frequency must be one of {known} Hz, got {short_repr(frequency)}").about("frequency")
        fit = self.fits[of][frequency]
        return fit.parameters[parameter] if parameter in fit.parameters else fit.derived[parameter]

    @property
    def sentences(self) -> tuple[str, ...]:
        """For each set and parameter: whether it depends on frequency."""
        sentences = []
        for name, lines in self.lines.items():
            sentences += [f"{name}: {line.words}" if name else line.words for line in lines.values()]
            off = [f"{hertz:g} Hz" for hertz, fit in self.fits[name].items() if not fit.within_noise]
            if off:
                own = f"{name}: " if name else ""
                sentences.append(
                    f"{own}the law does not fit within the noise at {', '.join(off)}: its lines are not reliable there"
                )
        return tuple(sentences)

    @property
    def data(self) -> xarray.Dataset:
        """(set, frequency, parameter): value, low, high, deviation; (set, parameter): the lines."""
        import xarray

        hertz = sorted({f for own in self.fits.values() for f in own})
        shape = (len(self.sets), len(hertz), len(self.parameters))
        table = {key: np.full(shape, np.nan) for key in ("value", "low", "high", "deviation")}
        for i, name in enumerate(self.sets):
            for j, f in enumerate(hertz):
                for k, parameter in enumerate(self.parameters if f in self.fits[name] else ()):
                    own = self.estimate(parameter, f, name)
                    for key, array in table.items():
                        array[i, j, k] = getattr(own, key)
        lines = {
            f"line_{key}": (
                ("set", "parameter"),
                [[getattr(self.lines[s][p], key) for p in self.parameters] for s in self.sets],
            )
            for key in ("middle", "value", "per_decade", "low", "high", "scatter")
        }
        return xarray.Dataset(
            {key: (("set", "frequency", "parameter"), array) for key, array in table.items()} | lines,
            coords={
                "set": list(self.sets),
                "frequency": ("frequency", hertz, {"units": "Hz"}),
                "parameter": list(self.parameters),
                "unit": ("parameter", [self.lines[self.sets[0]][p].unit for p in self.parameters]),
            },
            attrs={"law": self.law, "level": tol.CONFIDENCE_LEVEL},
        )

    def plot(self) -> Figure:
        """Figure of each parameter over frequency, with intervals and lines of all sets."""
        from slipstick.plot.trend_plot import plot_trend

        return plot_trend(self)

    def __repr__(self) -> str:
        width = max(len(name) for name in self.parameters)
        lines = [f"Trend of {self.law} over {len(self.data['frequency'])} frequencies"]
        for name in self.sets:
            hertz = list(self.fits[name])
            if name:
                lines.append(f"{name}")
            lines.append(f"  {'Hz':<{width}}" + "".join(f"{f:>12g}" for f in hertz))
            for parameter in self.parameters:
                own = [self.estimate(parameter, f, name).shown_in(self.fits[name][f].units) for f in hertz]
                unit = "" if own[0].unit == "1" else f"  {own[0].unit}"
                lines.append(f"  {parameter:<{width}}" + "".join(f"{e.value:>12.5g}" for e in own) + unit)
        return "\n".join([*lines, *self.sentences])
