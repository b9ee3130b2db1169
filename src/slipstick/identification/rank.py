"""`rank`: fits several laws to the same loops and orders them, with a verdict.

The order is that of the Bayesian information criterion (`information_criterion`); of laws that tie, the simplest leads.
Amplitudes, or parts of the record, are held out in turn and predicted from the others (`cross_validation`). All laws
are compared on the same samples.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from slipstick.errors import InvalidInput, arguments_in_words, short_repr
from slipstick.identification.identify import no_progress
from slipstick.identification.intervals.deflection_noise import with_deflection_noise
from slipstick.identification.law_names import default_laws_for
from slipstick.identification.preparing.prepared_loop import prepare_loops
from slipstick.identification.ranking.further_laws import better_predictors, composed_laws_for, further_laws_for
from slipstick.identification.ranking.information_criterion import bayes_criterion, effective_samples_of
from slipstick.identification.ranking.law_fit import ConstraintArguments, RankingTask, law_has
from slipstick.identification.ranking.law_workers import fit_laws
from slipstick.identification.ranking.verdict import describe_noise, ranking_verdict
from slipstick.identification.search.start_selection import Progress
from slipstick.laws.base import Law
from slipstick.laws.generalised_dahl import WithEnvelope
from slipstick.results.ranking import RankedLaw, Ranking
from slipstick.results.tolerances import DECISIVE_BIC_DIFFERENCE

DEFAULT_LAWS_SHARE = 0.6  # of all work, if further laws follow
COMPOSED_LAWS_SHARE = 0.9  # ... and if sums with parts that the residual asks for follow, at most
PREDICTS_WORSE = "left out, as it predicts held-out parts worse"  # of such a sum


@arguments_in_words
def rank(
    loops: Any,
    laws: Sequence[type[Law] | Law | WithEnvelope | str] | None = None,
    fixed: Mapping[str, float] | None = None,
    bounds: Mapping[str, Sequence[float]] | None = None,
    priors: Mapping[str, Sequence[float]] | None = None,
    *,
    deflection_noise: float | Sequence[float] | None = None,
    evaluations: int | None = None,
    progress: Callable[[str, float], None] | None = None,
) -> Ranking:
    """Fit each law and rank them.

    loops : a `Loop` or a list of them.
    laws : classes, names as in files, or laws as templates. By default six common laws, and iwan and fibre-shear if the
        loops can determine them; if all of them miss the loops by a visible share, further laws, and sums with parts
        that the residual of the best law asks for (`further_laws`).
    fixed, bounds, priors : as in `identify`; each applies to the laws that have a parameter of that name.
    deflection_noise [m], evaluations : as in `identify`.
    progress : called with the current step, in words, and the share of all work that is done.
    """
    prepared = with_deflection_noise(prepare_loops(loops), deflection_noise)
    by_default = laws is None
    laws = default_laws_for(prepared) if laws is None else laws
    if not isinstance(laws, Sequence) or isinstance(laws, str) or not laws:
        raise InvalidInput(f"rank needs a list of laws, such as [ss.Masing, ss.Jenkins], got {short_repr(laws)}").about(
            "laws"
        )
    constraints = (fixed or {}, bounds or {}, priors or {})
    _refuse_unknown(laws, constraints)
    report = progress or no_progress
    task = RankingTask(prepared, constraints, evaluations)
    first_part = _part_of(report, 0.0, DEFAULT_LAWS_SHARE if by_default else 1.0)
    table = fit_laws(task, list(zip(_law_labels(laws), laws, strict=True)), first_part)
    fits = [row.fit for row in table if row.fit is not None]
    reasons: tuple[tuple[str, str], ...] = ()
    if by_default and fits:
        added = further_laws_for(prepared, fits)
        further_part = _part_of(report, DEFAULT_LAWS_SHARE, COMPOSED_LAWS_SHARE)
        table += fit_laws(task, [(name, name) for name in added], further_part)
        composed = composed_laws_for(prepared, table)
        tried = fit_laws(task, [(name, name) for name, _ in composed], _part_of(report, COMPOSED_LAWS_SHARE, 1.0))
        kept = better_predictors(table, tried)
        names = {row.name for row in kept}
        reasons = tuple((name, why if name in names else f"{why}; {PREDICTS_WORSE}") for name, why in composed)
        table += kept
    fits = [row.fit for row in table if row.fit is not None]
    if not fits:
        words = table[0].trouble.with_owner("").wrapped("no law could be fitted; the first error: ")
        raise InvalidInput(words, owner="rank")
    samples = effective_samples_of(min(fits, key=lambda fit: fit.residual))
    rows = [row._replace(criterion=bayes_criterion(row.fit, samples)) if row.fit else row for row in table]
    order = sort_by_criterion(rows)
    report("done", 1.0)
    fitted = [row for row in order if row.fit is not None]
    return Ranking(tuple(order), ranking_verdict(fitted, prepared), describe_noise(prepared)[0], reasons)


def _law_labels(laws: Sequence[Any]) -> list[str]:
    """Names of all laws; templates of one kind differ by their values."""
    labels = [_law_label(law) for law in laws]
    return [
        short_repr(law) if isinstance(law, Law) and labels.count(label) > 1 else label
        for law, label in zip(laws, labels, strict=True)
    ]


def _part_of(report: Progress, begin: float, end: float) -> Progress:
    """Progress of a part of the work, from one share of all work to another."""
    return lambda step, share: report(step, begin + (end - begin) * share)


def _law_label(law: Any) -> str:
    if isinstance(law, (type, WithEnvelope)):
        return law.__name__
    if isinstance(law, str):
        return law
    return " + ".join(type(leaf.law).__name__ for leaf in law.leaves()) if isinstance(law, Law) else short_repr(law)


def _refuse_unknown(laws: Sequence[Any], constraints: ConstraintArguments) -> None:
    for argument, given in zip(("fixed", "bounds", "priors"), constraints, strict=True):
        for name in given:
            if not any(law_has(law, name) for law in laws):
                raise InvalidInput(f'names "{name}", which none of the laws has', owner="rank", subject=argument)


def sort_by_criterion(rows: Sequence[RankedLaw]) -> list[RankedLaw]:
    """Rows by ascending criterion; laws without a fit come last.

    Laws whose criterion is within `DECISIVE_BIC_DIFFERENCE` of the smallest tie: the one with fewest parameters leads.
    Among equally many, one without parameters at bounds does.
    """
    order = sorted(rows, key=lambda row: (row.fit is None, row.criterion))
    least = order[0].criterion
    tied = [row for row in order if row.fit is not None and row.criterion - least < DECISIVE_BIC_DIFFERENCE]
    return sorted(tied, key=_simplicity) + order[len(tied) :]


def _simplicity(row: RankedLaw) -> tuple[int, int, float]:
    return (row.fit.searched, len(row.fit.held), row.criterion) if row.fit else (0, 0, row.criterion)
