"""`rank`: several laws fitted to the same loops, best first, and why; or that none fits within the noise.

Laws are compared by Bayes' information criterion, n ln(s^2) + k ln(n): a better fit against more numbers. Neighbouring
residuals that are alike tell less than n samples do, so n is what those of the best fit are worth. Where there are
several amplitudes each is left out in turn and predicted from the others, which no number of parameters can flatter.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from slipstick.errors import InvalidInput, SlipstickError, arguments_in_words, shown
from slipstick.identification.fitting import identify
from slipstick.identification.judging import alike
from slipstick.identification.loop import Loop
from slipstick.identification.preparing import ready
from slipstick.laws.base import Law
from slipstick.results.fit import Fit
from slipstick.results.ranking import Ranked, Ranking

DECISIVE = 10.0  # of the criterion: a smaller lead decides nothing
MOST_LEFT_OUT = 6  # loops that are left out in turn


@arguments_in_words
def rank(
    loops: Any, laws: Sequence[type[Law] | Law], *, progress: Callable[[str, float], None] | None = None
) -> Ranking:
    """Fit each law and put them in order.

    loops : a `Loop` or a list of them.   laws : classes, or laws as templates.
    """
    given = [loops] if isinstance(loops, Loop) else loops
    found = ready(given)
    if not isinstance(laws, Sequence) or not laws:
        raise InvalidInput(f"rank needs a list of laws, got {shown(laws)}").about("laws")
    table = []
    for k, law in enumerate(laws):
        name = law.__name__ if isinstance(law, type) else shown(law)
        if progress is not None:
            progress(name, k / len(laws))
        table.append(_ranked(name, given, law))
    fits = [row.fit for row in table if row.fit is not None]
    if not fits:
        raise InvalidInput("rank: no law could be fitted; the first said: " + table[0].trouble)
    worth = worth_of(min(fits, key=lambda fit: fit.residual))
    rows = [row._replace(criterion=criterion_of(row.fit, worth)) if row.fit else row for row in table]
    order = sorted(rows, key=lambda row: row.criterion)
    if progress is not None:
        progress("done", 1.0)
    noise = float(np.median([r.loop.noise for r in found]))
    return Ranking(tuple(order), _verdict([row for row in order if row.fit is not None], noise), noise)


def _ranked(name: str, loops: Sequence[Loop], law: Any) -> Ranked:
    try:
        fit = identify(loops, law)
    except SlipstickError as problem:
        return Ranked(name, None, math.inf, math.nan, str(problem))
    return Ranked(name, fit, math.nan, _validation(loops, fit))


def worth_of(fit: Fit) -> list[float]:
    """How many independent samples each loop is worth, from the residuals of the law that fits best."""
    found = []
    for loop in fit.loops:
        left = (loop.fitted - loop.f)[loop.counts]
        r = min(max(alike(left), 0.0), 0.99)
        found.append(left.size * (1.0 - r) / (1.0 + r))
    return found


def criterion_of(fit: Fit, worth: Sequence[float]) -> float:
    """Bayes' criterion of a fit; smaller is better."""
    total = sum(worth)
    squares = sum(
        own * (loop.rms / max(loop.noise, 1e-9 * loop.range)) ** 2 for loop, own in zip(fit.loops, worth, strict=True)
    )
    return total * math.log(max(squares / total, 1e-300)) + (len(fit.free) + 1) * math.log(max(total, 2.0))


def _validation(loops: Sequence[Loop], fit: Fit) -> float:
    """The rms force error on loops that were left out, each in turn, from the values found with all."""
    if len(loops) < 3:
        return math.nan
    places = np.unique(np.linspace(0, len(loops) - 1, min(len(loops), MOST_LEFT_OUT)).astype(int))
    squares, count = 0.0, 0
    for i in places:
        rest = [loop for j, loop in enumerate(loops) if j != i]
        try:
            own = identify(rest, fit.law).law
            drive = ready([loops[i]])[0].drive
            left = (drive.force(own) - drive.f)[drive.counts]
        except SlipstickError:
            return math.inf
        squares += float(left @ left)
        count += left.size
    return math.sqrt(squares / count)


def _verdict(fitted: Sequence[Ranked], noise: float) -> str:
    """One sentence."""
    best = fitted[0]
    assert best.fit is not None
    share = 100.0 * best.fit.residual / max(loop.range for loop in best.fit.loops)
    if not best.fit.within_noise:
        return (
            f"none fits within the noise of {noise:.3g}: the best, {best.name}, is off by {best.fit.residual:.3g} rms, "
            f"{share:.2g} % of the range of force"
        )
    if len(fitted) == 1:
        return f"{best.name} fits within the noise of {noise:.3g}; it was the only one"
    second = fitted[1]
    assert second.fit is not None
    lead = second.criterion - best.criterion
    if lead < DECISIVE:
        return (
            f"the data cannot decide between {best.name} and {second.name} (a lead of {lead:.2g}): "
            f"both leave {best.fit.residual:.3g} rms, the noise is {noise:.3g}"
        )
    fewer = len(best.fit.free) < len(second.fit.free)
    reason = (
        f"with {len(best.fit.free)} numbers it leaves what {second.name} leaves with {len(second.fit.free)}"
        if fewer and second.fit.residual < 1.02 * best.fit.residual
        else f"it leaves {best.fit.residual:.3g} rms, {second.name} {second.fit.residual:.3g}"
    )
    return f"{best.name} fits best: {reason}; the noise is {noise:.3g}"
