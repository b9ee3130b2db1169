"""`Posterior`: draws of the parameters of a fit, with their intervals and a comparison with those from curvature."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import InvalidInput, Message, short_repr
from slipstick.results.fit import Estimate, Estimates
from slipstick.results.run import Names, SavedResult
from slipstick.results.tolerances import CONFIDENCE_LEVEL
from slipstick.units.number_format import format_percent

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure


SAME_END = 0.25  # of the half width; ends that differ by less are the same within the scatter of some hundred draws
MIN_COMPARED = 100  # draws: an end of the interval of fewer scatters by more than 14 % of the half width


class Posterior(SavedResult):
    """Result of ``fit.posterior``: draws from the posterior distribution of the free parameters.

    values : (n, k) draws, in SI.   parameters : median and 95 % interval by name.
    curvature : estimates of the fit, with intervals from curvature.
    effective : effective sample size.   evaluations : of the residuals.
    notes : remarks in words.
    """

    def __init__(
        self,
        values: Array,
        curvature: Estimates,
        *,
        effective: float,
        evaluations: int,
        notes: tuple[Message, ...] = (),
        build: Callable[[Mapping[str, float]], Any] | None = None,
        subject: str = "",
    ) -> None:
        self.values, self.curvature = values, curvature
        self.effective, self.evaluations, self.notes = effective, evaluations, notes
        self.subject, self._build = subject, build
        self.model = None  # files hold none

    @cached_property
    def parameters(self) -> Estimates:
        """Median and interval of each parameter."""
        tail = 0.5 * (1.0 - CONFIDENCE_LEVEL)
        found = Estimates()
        for (name, own), drawn in zip(self.curvature.items(), self.values.T, strict=True):
            low, middle, high = np.quantile(drawn, (tail, 0.5, 1.0 - tail)).tolist()
            found[name] = Estimate(
                middle, low, high, own.unit, float(np.std(drawn)), own.start, dimension=own.dimension
            )
        return found

    @property
    def names(self) -> Names:
        return Names(self.subject, (), ())

    @property
    def comparison(self) -> tuple[str, ...]:
        """The interval of each parameter beside that from curvature, in words."""
        count = min(len(self.values), int(self.effective))
        if count < MIN_COMPARED:
            words = f"{count} independent draws are too few to compare intervals with those from curvature"
            return (f"{words}; ask for {MIN_COMPARED} or more",)
        return tuple(_compared(name, own, self.curvature[name]) for name, own in self.parameters.items())

    def sample(self, n: int, seed: int = 0) -> list[Any]:
        """Laws, or models of a calibration, with parameters of ``n`` of the draws, for ``response_band``."""
        if isinstance(n, bool) or not isinstance(n, int | np.integer) or not 1 <= n <= len(self.values):
            words = f"sample needs a whole number from 1 to the {len(self.values)} draws, got {short_repr(n)}"
            raise InvalidInput(f"{words}; raise draws for more").about("n")
        if self._build is None:
            raise InvalidInput("the law of this fit is not in its file; identify it again")
        rows = np.random.default_rng(seed).choice(len(self.values), int(n), replace=False)
        return [self._build(dict(zip(self.curvature, self.values[row].tolist(), strict=True))) for row in rows]

    @cached_property
    def data(self) -> xarray.Dataset:
        """Draws of each parameter along "draw"."""
        import xarray

        columns = {
            name: ("draw", drawn, {"units": own.unit})
            for (name, own), drawn in zip(self.curvature.items(), self.values.T, strict=True)
        }
        attributes = {"effective": self.effective, "evaluations": self.evaluations}
        return xarray.Dataset(columns, coords={"draw": np.arange(len(self.values))}, attrs=attributes)

    def plot(self) -> Figure:
        """Figure of each parameter and each pair of parameters, beside the distribution from curvature."""
        from slipstick.plot.posterior_plot import plot_posterior

        return plot_posterior(self)

    def __repr__(self) -> str:
        width = max(len(name) for name in self.curvature)
        lines = [f"Posterior of {self.subject}: {len(self.values)} draws, effective sample size {self.effective:.0f}"]
        lines += [f"  {name:<{width}}  {own}" for name, own in self.parameters.items()]
        lines += [f"  {words}" for words in self.comparison]
        return "\n".join(lines + [f"  note: {words}" for words in self.notes])


def _compared(name: str, own: Estimate, curvature: Estimate) -> str:
    if not np.isfinite(curvature.high - curvature.low):
        return f"{name}: curvature gives an open interval; take this one"
    half = 0.5 * (curvature.high - curvature.low)
    moved = [(own.low - curvature.low) / half, (own.high - curvature.high) / half]
    if max(map(abs, moved)) < SAME_END:
        return f"{name}: the interval from curvature agrees within 25 % of its half width; use sample()"
    ends = [
        f"the {end} end {format_percent(abs(each))} of the half width {'higher' if each > 0.0 else 'lower'}"
        for end, each in zip(("low", "high"), moved, strict=True)
        if abs(each) >= SAME_END
    ]
    return f"{name}: {' and '.join(ends)} than from curvature; use these draws"


def encode_posterior(result: Posterior) -> xarray.Dataset:
    """Dataset for a file."""
    import xarray

    attributes = {
        "model": result.subject,
        "estimates_json": json.dumps({name: own._asdict() for name, own in result.curvature.items()}),
        "notes_json": json.dumps(list(result.notes)),
        "effective": result.effective,
        "evaluations": result.evaluations,
    }
    return xarray.Dataset({"values": (("draw", "parameter"), result.values)}, attrs=attributes)


def decode_posterior(dataset: xarray.Dataset) -> Posterior:
    """Inverse of `encode_posterior`; the result builds no laws."""
    attributes = dataset.attrs
    estimates = Estimates({name: _estimate(own) for name, own in json.loads(attributes["estimates_json"]).items()})
    notes = tuple(Message.of(words) for words in json.loads(attributes["notes_json"]))
    return Posterior(
        dataset["values"].values.astype(float), estimates, effective=float(attributes["effective"]),
        evaluations=int(attributes["evaluations"]), notes=notes, subject=str(attributes["model"]),
    )  # fmt: skip


def _estimate(held: dict[str, Any]) -> Estimate:
    return Estimate(**{**held, "dimension": None if held["dimension"] is None else tuple(held["dimension"])})
