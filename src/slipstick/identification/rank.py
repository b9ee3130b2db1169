"""`rank`: fits several laws to the same loops and orders them, with a verdict.

The order is that of the Bayesian information criterion (`information_criterion`); of laws that tie, the simplest leads.
Amplitudes, or parts of the record, are held out in turn and predicted from the others (`cross_validation`). All laws
are compared on the same samples.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from slipstick.errors import InvalidInput, SlipstickError, arguments_in_words, short_repr
from slipstick.identification.constraints import Constraints
from slipstick.identification.identify import identify_prepared, no_progress
from slipstick.identification.intervals.deflection_noise import with_deflection_noise
from slipstick.identification.law_names import default_laws_for, has_parameter, law_classes_of
from slipstick.identification.preparing.prepared_loop import PreparedLoop, prepare_loops
from slipstick.identification.ranking.cross_validation import held_out_error
from slipstick.identification.ranking.information_criterion import bayes_criterion, effective_samples_of
from slipstick.identification.ranking.verdict import describe_noise, ranking_verdict
from slipstick.identification.search.start_selection import Progress
from slipstick.identification.search.unknowns import Unknowns
from slipstick.laws.base import Law
from slipstick.laws.generalised_dahl import WithEnvelope
from slipstick.results.ranking import RankedLaw, Ranking
from slipstick.results.tolerances import DECISIVE_BIC_DIFFERENCE

ConstraintArguments = tuple[Mapping[str, Any], Mapping[str, Any], Mapping[str, Any]]  # fixed, bounds, priors


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
        loops can determine them.
    fixed, bounds, priors : as in `identify`; each applies to the laws that have a parameter of that name.
    deflection_noise [m], evaluations : as in `identify`.
    progress : called with the current step, in words, and the share of all work that is done.
    """
    prepared = with_deflection_noise(prepare_loops(loops), deflection_noise)
    laws = default_laws_for(prepared) if laws is None else laws
    if not isinstance(laws, Sequence) or isinstance(laws, str) or not laws:
        raise InvalidInput(f"rank needs a list of laws, such as [ss.Masing, ss.Jenkins], got {short_repr(laws)}").about(
            "laws"
        )
    constraints = (fixed or {}, bounds or {}, priors or {})
    _refuse_unknown(laws, constraints)
    table = []
    report = progress or no_progress
    for k, law in enumerate(laws):
        name = _law_label(law)
        report(name, k / len(laws))

        def report_part(step: str, share: float, name: str = name, k: int = k) -> None:
            report(f"{name}: {step}", (k + share) / len(laws))

        table.append(_rank_one(name, prepared, law, constraints, evaluations, report_part))
    fits = [row.fit for row in table if row.fit is not None]
    if not fits:
        words = table[0].trouble.with_owner("").wrapped("no law could be fitted; the first error: ")
        raise InvalidInput(words, owner="rank")
    samples = effective_samples_of(min(fits, key=lambda fit: fit.residual))
    rows = [row._replace(criterion=bayes_criterion(row.fit, samples)) if row.fit else row for row in table]
    order = sort_by_criterion(rows)
    report("done", 1.0)
    fitted = [row for row in order if row.fit is not None]
    return Ranking(tuple(order), ranking_verdict(fitted, prepared), describe_noise(prepared)[0])


def _law_label(law: Any) -> str:
    if isinstance(law, (type, WithEnvelope)):
        return law.__name__
    return law if isinstance(law, str) else short_repr(law)


def _refuse_unknown(laws: Sequence[Any], constraints: ConstraintArguments) -> None:
    for argument, given in zip(("fixed", "bounds", "priors"), constraints, strict=True):
        for name in given:
            if not any(_has_parameter(law, name) for law in laws):
                raise InvalidInput(f'names "{name}", which none of the laws has', owner="rank", subject=argument)


def _has_parameter(law: Any, name: str) -> bool:
    if isinstance(law, Law):
        unknowns = Unknowns.of(law)
        return name in unknowns.names or name in {f"{own.term}.{own.name}" for own in unknowns.each}
    if isinstance(law, WithEnvelope):
        return has_parameter((law.kind,), name) or name.partition(".")[0] in law.shape.numbers
    return has_parameter(law_classes_of(law) if isinstance(law, str) else (law,), name)


def _rank_one(
    name: str, prepared: list[PreparedLoop], law: Any, constraints: ConstraintArguments, evaluations: int | None,
    report: Progress,
) -> RankedLaw:  # fmt: skip
    applicable = Constraints(
        *({key: value for key, value in each.items() if _has_parameter(law, key)} for each in constraints)
    )
    try:
        fit = identify_prepared(prepared, law, applicable, evaluations, lambda step, share: report(step, 0.7 * share))
    except SlipstickError as problem:
        return RankedLaw(name, None, math.inf, math.nan, problem.message)
    report("cross-validation", 0.7)
    return RankedLaw(name, fit, math.nan, held_out_error(prepared, fit, applicable.bounds))


def sort_by_criterion(rows: Sequence[RankedLaw]) -> list[RankedLaw]:
    """Rows by ascending criterion; laws without a fit come last.

    Laws whose criterion is within `DECISIVE_BIC_DIFFERENCE` of the smallest tie: the one with fewest parameters leads.
    """
    order = sorted(rows, key=lambda row: (row.fit is None, row.criterion))
    least = order[0].criterion
    tied = [row for row in order if row.fit is not None and row.criterion - least < DECISIVE_BIC_DIFFERENCE]
    return sorted(tied, key=lambda row: (len(row.fit.free) if row.fit else 0, row.criterion)) + order[len(tied) :]
