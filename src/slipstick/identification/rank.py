"""`rank`: several laws fitted to the same loops, best first, and why; or that none fits within the noise.

Laws are put in order by Bayes' information criterion (`information_criterion`) and nothing else. Where there are
several amplitudes each is left out in turn and predicted from the others, which no number of parameters can flatter.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from slipstick.errors import InvalidInput, SlipstickError, arguments_in_words, short_repr
from slipstick.identification.identify import Progress, identify, no_progress
from slipstick.identification.law_names import default_laws_for, has_parameter, law_classes_of
from slipstick.identification.loop import Loop
from slipstick.identification.preparing.prepared_loop import PreparedLoop, prepare_loops
from slipstick.identification.ranking.cross_validation import held_out_error
from slipstick.identification.ranking.information_criterion import bayes_criterion, effective_samples_of
from slipstick.identification.ranking.verdict import describe_noise, ranking_verdict
from slipstick.identification.search.unknowns import Unknowns
from slipstick.laws.base import Law
from slipstick.laws.generalised_dahl import WithEnvelope
from slipstick.results.ranking import RankedLaw, Ranking

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
    """Fit each law and put them in order.

    loops : a `Loop` or a list of them.
    laws : classes, names as in files, or laws as templates; default six that are usual, and iwan and fibre-shear where
        the loops can tell them.
    fixed, bounds, priors : as `identify` has them; each counts for the laws that have a number of that name.
    deflection_noise [m], evaluations : as `identify` has them.
    progress : called with what is being done and the share of all that is done.
    """
    given = [loops] if isinstance(loops, Loop) else loops
    found = prepare_loops(given)
    laws = default_laws_for(found) if laws is None else laws
    if not isinstance(laws, Sequence) or isinstance(laws, str) or not laws:
        raise InvalidInput(f"rank needs a list of laws, got {short_repr(laws)}").about("laws")
    wishes = (fixed or {}, bounds or {}, priors or {})
    _refuse_unknown(laws, wishes)
    options = {"deflection_noise": deflection_noise, "evaluations": evaluations}
    table = []
    say = progress or no_progress
    for k, law in enumerate(laws):
        name = _law_label(law)
        say(name, k / len(laws))

        def within(words: str, share: float, name: str = name, k: int = k) -> None:
            say(f"{name}: {words}", (k + share) / len(laws))

        table.append(_rank_one(name, given, found, law, wishes, options, within))
    fits = [row.fit for row in table if row.fit is not None]
    if not fits:
        words = table[0].trouble.with_owner("").wrapped("no law could be fitted; the first said: ")
        raise InvalidInput(words, owner="rank")
    worth = effective_samples_of(min(fits, key=lambda fit: fit.residual))
    rows = [row._replace(criterion=bayes_criterion(row.fit, worth)) if row.fit else row for row in table]
    order = sort_by_criterion(rows)
    say("done", 1.0)
    fitted = [row for row in order if row.fit is not None]
    return Ranking(tuple(order), ranking_verdict(fitted, found), describe_noise(found)[0])


def _law_label(law: Any) -> str:
    if isinstance(law, (type, WithEnvelope)):
        return law.__name__
    return law if isinstance(law, str) else short_repr(law)


def _refuse_unknown(laws: Sequence[Any], wishes: ConstraintArguments) -> None:
    for argument, own in zip(("fixed", "bounds", "priors"), wishes, strict=True):
        for name in own:
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
    name: str, loops: Sequence[Loop], found: Sequence[PreparedLoop], law: Any, wishes: ConstraintArguments,
    options: Mapping[str, Any],
    say: Progress,
) -> RankedLaw:  # fmt: skip
    own = [{key: value for key, value in of.items() if _has_parameter(law, key)} for of in wishes]
    try:
        fit = identify(loops, law, *own, progress=lambda words, share: say(words, 0.7 * share), **options)
    except SlipstickError as problem:
        return RankedLaw(name, None, math.inf, math.nan, problem.message)
    say("left out in turn", 0.7)
    return RankedLaw(name, fit, math.nan, held_out_error(found, fit, own[1]))


def sort_by_criterion(rows: Sequence[RankedLaw]) -> list[RankedLaw]:
    """Best first, by the criterion alone; laws without a fit come last."""
    return sorted(rows, key=lambda row: (row.fit is None, row.criterion))
