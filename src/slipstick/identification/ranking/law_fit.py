"""`RankingTask`: fits one law of a ranking, with the constraints that apply to it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from slipstick.errors import SlipstickError
from slipstick.identification.constraints import Constraints
from slipstick.identification.identify import identify_prepared
from slipstick.identification.law_names import has_parameter, law_classes_of
from slipstick.identification.preparing.prepared_loop import PreparedLoop
from slipstick.identification.ranking.cross_validation import held_out_error
from slipstick.identification.search.start_selection import Progress
from slipstick.identification.search.unknowns import Unknowns
from slipstick.laws.base import Law
from slipstick.laws.generalised_dahl import WithEnvelope
from slipstick.results.ranking import RankedLaw

ConstraintArguments = tuple[Mapping[str, Any], Mapping[str, Any], Mapping[str, Any]]  # fixed, bounds, priors


class RankingTask(NamedTuple):
    """What all laws of a ranking share.   constraints, evaluations : as `rank` takes them."""

    prepared: list[PreparedLoop]
    constraints: ConstraintArguments
    evaluations: int | None

    @property
    def sample_count(self) -> int:
        return sum(each.path.u.size for each in self.prepared)

    def fit(self, name: str, law: Any, report: Progress) -> RankedLaw:
        """The fit of a law with its held-out error, or why there is none; its criterion is still unknown."""
        own = ({key: value for key, value in each.items() if law_has(law, key)} for each in self.constraints)
        applicable = Constraints(*own)
        try:
            fit = identify_prepared(
                self.prepared, law, applicable, self.evaluations, lambda step, share: report(step, 0.7 * share)
            )
        except SlipstickError as problem:
            return RankedLaw(name, None, math.inf, math.nan, problem.message)
        report("cross-validation", 0.7)
        return RankedLaw(name, fit, math.nan, held_out_error(self.prepared, fit, applicable.bounds))


def law_has(law: Any, name: str) -> bool:
    """True if a law, a class or a name of one has a parameter."""
    if isinstance(law, Law):
        unknowns = Unknowns.of(law)
        return name in unknowns.names or name in {f"{own.term}.{own.name}" for own in unknowns.each}
    if isinstance(law, WithEnvelope):
        return has_parameter((law.kind,), name) or name.partition(".")[0] in law.shape.numbers
    return has_parameter(law_classes_of(law) if isinstance(law, str) else (law,), name)
