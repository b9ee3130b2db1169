"""`Ranking`: fitted laws, best first."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from slipstick.errors import Message
from slipstick.results.fit import NO_CONSTANT_FORCE, REMOVE_OFFSET_ADVICE, Fit
from slipstick.results.run import Names

if TYPE_CHECKING:
    import os

    import xarray
    from matplotlib.figure import Figure


DECISIVE_BIC_DIFFERENCE = 10.0  # of the criterion: a smaller lead decides nothing


class RankedLaw(NamedTuple):
    """One law of a ranking.

    fit : on all loops, None where there is none.   criterion : Bayes' information criterion, smaller is better.
    validation : rms force on amplitudes that were left out, each in turn; not a number with fewer than three.
    trouble : why it has no fit, in words.
    """

    name: str
    fit: Fit | None
    criterion: float
    validation: float
    trouble: Message = Message("")


@dataclass(frozen=True, repr=False)
class Ranking:
    """What `rank` gives.   table : best first.   verdict : why, in one sentence.   noise : of the force."""

    table: tuple[RankedLaw, ...]
    verdict: str
    noise: float

    @property
    def best(self) -> Fit:
        """The fit of the first law."""
        fit = self.table[0].fit
        assert fit is not None
        return fit

    @property
    def within_noise(self) -> bool:
        """True if the best law leaves no more than noise."""
        return self.best.within_noise

    @property
    def remarks(self) -> tuple[str, ...]:
        """What to know of the order beside the verdict: laws that are far behind for one reason alone."""
        fits = [(row.name, row.fit) for row in self.table if row.fit is not None]
        lifted = [name for name, fit in fits if any(NO_CONSTANT_FORCE in words for words in fit.warnings)]
        if not lifted:
            return ()
        have = "have" if len(lifted) > 1 else "has"
        words = (
            f"{', '.join(lifted)} {have} no constant force, and the loops are not about zero, which is most of what is "
            "left there"
        )
        return (Message(words, advice=[REMOVE_OFFSET_ADVICE]),)

    def in_noise(self, row: RankedLaw) -> str:
        """If a law fits within the noise: "yes", "no", or "nearly".

        Nearly where it leaves little more than noise, but so many samples tell that the first law leaves less.
        """
        if row.fit is None or not row.fit.within_noise:
            return "no"
        samples = sum(loop.samples for loop in row.fit.loops)
        fewer = len(self.best.free) - len(row.fit.free)
        excess = row.criterion - self.table[0].criterion + fewer * math.log(max(samples, 2))  # of what is left alone
        return "nearly" if self.within_noise and excess > DECISIVE_BIC_DIFFERENCE else "yes"

    @property
    def names(self) -> Names:
        """Of the small models that have the laws."""
        return Names("ranking", ("u",), ("identified",))

    @cached_property
    def data(self) -> xarray.Dataset:
        """Along "law", best first: numbers sought, residual, criterion, validation, and if it is within the noise.

        Not numbers for a law that could not be fitted.
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

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything to a netCDF file (.nc) that `slipstick.open` reads, all laws included."""
        from slipstick.results.result_files import write_result

        write_result(self, path)

    def plot(self) -> Figure:
        """A figure: the largest loop with the best three laws, what they leave, and the residuals of all."""
        from slipstick.plot.ranking_plot import plot_ranking

        return plot_ranking(self)

    def __repr__(self) -> str:
        width = max(len(row.name) for row in self.table)
        force = self.best.units.force
        heads = f"  {'law':<{width}}  numbers   residual  left out  criterion"
        lines = [self.verdict, f"{heads}   (residuals in {force.unit})" if force.unit else heads]
        for row in self.table:
            if row.fit is None:
                lines.append(f"  {row.name:<{width}}  no fit: {row.trouble}")
                continue
            lead = row.criterion - self.table[0].criterion
            lines.append(
                f"  {row.name:<{width}}  {len(row.fit.free):>7}  {force.factor * row.fit.residual:>9.4g}  "
                f"{force.factor * row.validation:>8.4g}  "
                f"{lead:>+9.4g}"
            )
        return "\n".join([*lines, *self.remarks])
