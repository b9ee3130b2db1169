"""`Ranking`: fitted laws, best first."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from slipstick.errors import Message
from slipstick.results import tolerances as tol
from slipstick.results.fit import NO_CONSTANT_FORCE, REMOVE_OFFSET_ADVICE, Fit
from slipstick.results.run import Names, SavedResult

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure


class RankedLaw(NamedTuple):
    """One law of a ranking.

    fit : on all loops, None if it failed.   criterion : Bayesian information criterion (BIC), smaller is better.
    validation : held-out error, rms of the force, over amplitudes or parts of the record held out in turn; NaN if the
        record is too short.
    trouble : why there is no fit, in words.
    """

    name: str
    fit: Fit | None
    criterion: float
    validation: float
    trouble: Message = Message("")


@dataclass(frozen=True, repr=False)
class Ranking(SavedResult):
    """Result of `rank`.   table : best first.   verdict : in one sentence.   noise : of the force.

    composed : (name, reason) of sums that were tried for what the residual of another law shows.
    """

    table: tuple[RankedLaw, ...]
    verdict: str
    noise: float
    composed: tuple[tuple[str, str], ...] = ()

    @property
    def best(self) -> Fit:
        """The fit of the first law."""
        fit = self.table[0].fit
        assert fit is not None
        return fit

    @property
    def smallest_criterion(self) -> float:
        """The smallest criterion; the first law may have a larger one if both tie and it is simpler."""
        return min(row.criterion for row in self.table)

    @property
    def within_noise(self) -> bool:
        """True if the best law fits within the noise."""
        return self.best.within_noise

    @property
    def remarks(self) -> tuple[str, ...]:
        """Remarks on the order: laws that are far behind only because of an offset."""
        fits = [(row.name, row.fit) for row in self.table if row.fit is not None]
        affected = [name for name, fit in fits if any(NO_CONSTANT_FORCE in words for words in fit.warnings)]
        if not affected:
            return ()
        have = "have" if len(affected) > 1 else "has"
        words = (
            f"{', '.join(affected)} {have} no constant force, and the loops are not centred at zero, which is most of "
            "the residual"
        )
        return (Message(words, advice=[REMOVE_OFFSET_ADVICE]),)

    def in_noise(self, row: RankedLaw) -> str:
        """Whether a law fits within the noise: "yes", "no", or "nearly".

        Nearly: its residual is within the noise, but the many samples show that the first law fits better.
        """
        if row.fit is None or not row.fit.within_noise:
            return "no"
        samples = sum(loop.samples for loop in row.fit.loops)
        fewer = self.best.searched - row.fit.searched
        excess = row.criterion - self.table[0].criterion + fewer * math.log(max(samples, 2))  # of the residuals alone
        return "nearly" if self.within_noise and excess > tol.DECISIVE_BIC_DIFFERENCE else "yes"

    @property
    def names(self) -> Names:
        """Names in the small models of the laws."""
        return Names("ranking", ("u",), ("identified",))

    @cached_property
    def data(self) -> xarray.Dataset:
        """Along "law", best first: free parameters, residual, criterion, held-out error, and whether it fits.

        NaN for a law that could not be fitted.
        """
        import xarray

        fits, nan = [row.fit for row in self.table], float("nan")
        return xarray.Dataset(
            {
                "sought": ("law", [0 if fit is None else len(fit.free) for fit in fits]),
                "residual": ("law", [nan if fit is None else fit.residual for fit in fits]),
                "criterion": ("law", [nan if row.fit is None else row.criterion for row in self.table]),
                "validation": ("law", [row.validation for row in self.table]),
                "within_noise": ("law", [fit is not None and fit.within_noise for fit in fits]),
            },
            coords={"law": [row.name for row in self.table]},
            attrs={"verdict": self.verdict, "noise": self.noise},
        )

    def plot(self) -> Figure:
        """Figure of the largest loop with the best three laws, their residuals, and the rms of all laws."""
        from slipstick.plot.ranking_plot import plot_ranking

        return plot_ranking(self)

    def __repr__(self) -> str:
        width = max(len(row.name) for row in self.table)
        force = self.best.units.force
        heads = f"  {'law':<{width}}  parameters   residual  held-out error  BIC difference"
        lines = [self.verdict, f"{heads}   (residuals in {force.unit})" if force.unit else heads]
        for row in self.table:
            if row.fit is None:
                lines.append(f"  {row.name:<{width}}  no fit: {row.trouble}")
                continue
            lead = row.criterion - self.smallest_criterion
            lines.append(
                f"  {row.name:<{width}}  {len(row.fit.free):>10}  {force.factor * row.fit.residual:>9.4g}  "
                f"{force.factor * row.validation:>14.4g}  "
                f"{lead:>+14.4g}"
            )
        lines.append(f"best law: {self.best.grade.words}")
        lines += [f"tried {name}: {reason}" for name, reason in self.composed]
        return "\n".join([*lines, *self.remarks])
