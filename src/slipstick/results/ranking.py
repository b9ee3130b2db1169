"""Laws in the order in which they fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from slipstick.results.fit import Fit
from slipstick.results.notes import Note

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Ranked(NamedTuple):
    """One law of a ranking.

    fit : on all loops, None where there is none.   criterion : Bayes' information criterion, smaller is better.
    validation : rms force on amplitudes that were left out, each in turn; not a number with fewer than three.
    trouble : why it has no fit, in words.
    """

    name: str
    fit: Fit | None
    criterion: float
    validation: float
    trouble: Note = Note("")


@dataclass(frozen=True, repr=False)
class Ranking:
    """What `rank` gives.   table : best first.   verdict : why, in one sentence.   noise : of the force."""

    table: tuple[Ranked, ...]
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

    def plot(self) -> Figure:
        """A figure: the largest loop with the best three laws, what they leave, and the residuals of all."""
        from slipstick.plot.ranking import plot_ranking

        return plot_ranking(self)

    def __repr__(self) -> str:
        width = max(len(row.name) for row in self.table)
        lines = [self.verdict, f"  {'law':<{width}}  numbers   residual  left out  criterion"]
        for row in self.table:
            if row.fit is None:
                lines.append(f"  {row.name:<{width}}  no fit: {row.trouble}")
                continue
            lead = row.criterion - self.table[0].criterion
            lines.append(
                f"  {row.name:<{width}}  {len(row.fit.free):>7}  {row.fit.residual:>9.4g}  {row.validation:>8.4g}  "
                f"{lead:>+9.4g}"
            )
        return "\n".join(lines)
