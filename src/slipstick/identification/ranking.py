"""`rank`: several laws fitted to the same loops, best first, and why; or that none fits within the noise.

Laws are put in order by Bayes' information criterion (`criterion`) and nothing else. Where there are several amplitudes
each is left out in turn and predicted from the others, which no number of parameters can flatter.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from slipstick.errors import InvalidInput, SlipstickError, arguments_in_words, shown
from slipstick.identification.criterion import criterion_of, worth_of
from slipstick.identification.fitting import Progress, identify, silent
from slipstick.identification.loop import Loop
from slipstick.identification.naming import has_number, kinds_of, usual_for
from slipstick.identification.preparing import Ready, ready
from slipstick.identification.unknowns import OPTIONS, Unknowns
from slipstick.identification.validating import left_out
from slipstick.identification.verdict import noise_words, verdict_of
from slipstick.laws.base import Law
from slipstick.laws.generalised_dahl import WithEnvelope
from slipstick.results.notes import Note
from slipstick.results.ranking import Ranked, Ranking

Wishes = tuple[Mapping[str, Any], Mapping[str, Any], Mapping[str, Any]]  # fixed, bounds, priors


@arguments_in_words
def rank(
    loops: Any,
    laws: Sequence[type[Law] | Law | WithEnvelope | str] | None = None,
    fixed: Mapping[str, float] | None = None,
    bounds: Mapping[str, Sequence[float]] | None = None,
    priors: Mapping[str, Sequence[float]] | None = None,
    *,
    deflection_noise: float | Sequence[float] | None = None,
    progress: Callable[[str, float], None] | None = None,
) -> Ranking:
    """Fit each law and put them in order.

    loops : a `Loop` or a list of them.
    laws : classes, names as in files, or laws as templates; default six that are usual, and iwan and fibre-shear where
        the loops can tell them.
    fixed, bounds, priors : as `identify` has them; each counts for the laws that have a number of that name.
    deflection_noise : [m] as `identify` has it.
    progress : called with what is being done and the share of all that is done.
    """
    given = [loops] if isinstance(loops, Loop) else loops
    found = ready(given)
    laws = usual_for(found) if laws is None else laws
    if not isinstance(laws, Sequence) or isinstance(laws, str) or not laws:
        raise InvalidInput(f"rank needs a list of laws, got {shown(laws)}").about("laws")
    wishes = (fixed or {}, bounds or {}, priors or {})
    _refuse_unknown(laws, wishes)
    table = []
    say = progress or silent
    for k, law in enumerate(laws):
        name = _name(law)
        say(name, k / len(laws))

        def within(words: str, share: float, name: str = name, k: int = k) -> None:
            say(f"{name}: {words}", (k + share) / len(laws))

        table.append(_ranked(name, given, found, law, wishes, deflection_noise, within))
    fits = [row.fit for row in table if row.fit is not None]
    if not fits:
        words, trouble = "no law could be fitted; the first said: ", table[0].trouble
        raise InvalidInput(f"rank: {words}{trouble}").in_commands(f"{words}{trouble.command}")
    worth = worth_of(min(fits, key=lambda fit: fit.residual))
    rows = [row._replace(criterion=criterion_of(row.fit, worth)) if row.fit else row for row in table]
    order = ordered(rows)
    say("done", 1.0)
    fitted = [row for row in order if row.fit is not None]
    return Ranking(tuple(order), verdict_of(fitted, found), noise_words(found)[0])


def _name(law: Any) -> str:
    if isinstance(law, (type, WithEnvelope)):
        return law.__name__
    return law if isinstance(law, str) else shown(law)


def _refuse_unknown(laws: Sequence[Any], wishes: Wishes) -> None:
    for argument, own in zip(OPTIONS, wishes, strict=True):
        for name in own:
            if not any(_has(law, name) for law in laws):
                raise (
                    InvalidInput(f'rank: {argument} names "{name}", which none of the laws has')
                    .about(argument)
                    .in_commands(f'{OPTIONS[argument]} names "{name}", which none of the laws has')
                )


def _has(law: Any, name: str) -> bool:
    if isinstance(law, Law):
        unknowns = Unknowns.of(law)
        return name in unknowns.names or name in {f"{own.term}.{own.name}" for own in unknowns.each}
    if isinstance(law, WithEnvelope):
        return has_number((law.kind,), name) or name.partition(".")[0] in law.shape.numbers
    return has_number(kinds_of(law) if isinstance(law, str) else (law,), name)


def _ranked(
    name: str, loops: Sequence[Loop], found: Sequence[Ready], law: Any, wishes: Wishes, noise: Any, say: Progress
) -> Ranked:
    own = [{key: value for key, value in of.items() if _has(law, key)} for of in wishes]
    try:
        fit = identify(loops, law, *own, deflection_noise=noise, progress=lambda words, share: say(words, 0.7 * share))
    except SlipstickError as problem:
        trouble = Note(str(problem), command=getattr(problem, "command_words", ""))
        return Ranked(name, None, math.inf, math.nan, trouble)
    say("left out in turn", 0.7)
    return Ranked(name, fit, math.nan, left_out(found, fit, own[1]))


def ordered(rows: Sequence[Ranked]) -> list[Ranked]:
    """Best first, by the criterion alone; laws without a fit come last."""
    return sorted(rows, key=lambda row: (row.fit is None, row.criterion))
