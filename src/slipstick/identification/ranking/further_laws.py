"""Further laws that `rank` tries if every law so far misses the loops by a visible share.

First the loops decide: records with times show direction-dependent dampers and relaxation, records of growing
amplitude show degradation. Then the residual of the best law decides which parts a sum of it should have.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from slipstick.identification import tolerances as tol
from slipstick.identification.intervals.residual_content import worst_content
from slipstick.identification.law_names import MAX_PARALLEL_TERMS
from slipstick.identification.preparing.prepared_loop import PreparedLoop
from slipstick.results.fit import Fit
from slipstick.results.ranking import RankedLaw
from slipstick.units.number_format import format_percent

RATE_LAWS = (
    "linear+jenkins+asymmetric(power-damper)",
    "polynomial+jenkins+asymmetric(power-damper)",
    "masing+maxwell",
)  # friction with a direction-dependent damper; the same with a curved spring; friction with relaxation
CURVED_SPRING_LAW = "polynomial+dynamic-hysteresis"  # hardens with amplitude, without times
GAP_LAW = "series(freeplay, masing)"  # backlash
DEGRADING_LAW = "bouc-wen-baber-noori"
FURTHER_LAWS = (*RATE_LAWS, CURVED_SPRING_LAW, GAP_LAW, DEGRADING_LAW)

MAX_SLOW_SAMPLES = 5_000  # of all loops: with more, laws without a closed form take too long
MAX_COMPOSED_SAMPLES = 100_000  # of all loops: with more, each further law takes a quarter of a minute
MIN_DEGRADING_BRANCHES = 6  # fewer do not show a loss from cycle to cycle


def further_laws_for(prepared: Sequence[PreparedLoop], fits: Sequence[Fit]) -> tuple[str, ...]:
    """Names of further laws to try; none if a law fits within the noise or misses the loops by little."""
    best = min(fits, key=lambda fit: fit.residual)
    if best.within_noise or misfit_share(best) < tol.FURTHER_LAWS_MISFIT_SHARE:
        return ()
    if not any(r.encloses_area for r in prepared):
        return ()
    return tuple(_suitable(prepared))


def misfit_share(fit: Fit) -> float:
    """The largest rms residual of a loop over its range of force."""
    return max(loop.rms / loop.range for loop in fit.loops)


def _suitable(prepared: Sequence[PreparedLoop]) -> Iterator[str]:
    few = sum(len(r.loop) for r in prepared) <= MAX_SLOW_SAMPLES
    if any(r.without_times for r in prepared):
        yield CURVED_SPRING_LAW
    else:
        yield from RATE_LAWS
    if few:
        yield GAP_LAW
    if few and all(_has_growing_amplitude(r) for r in prepared):
        yield DEGRADING_LAW


def _has_growing_amplitude(r: PreparedLoop) -> bool:
    """True if the largest branch of a record is much longer than its first whole one."""
    turns = r.loop.turning.turns
    lengths = np.abs(np.diff(r.path.u[turns]))
    enough = lengths.size >= MIN_DEGRADING_BRANCHES
    return bool(enough and lengths.max() > tol.GROWN_AMPLITUDE_RATIO * lengths[1])


# ---- sums that the residual of the best law asks for

SPRINGS = SPRING, CURVED_SPRING = "linear", "polynomial"
DAMPER, SECOND_SLIDER = "damper-table", "jenkins"
WHOLE_LAWS = (DEGRADING_LAW, "fibre-shear")  # describe a whole device, so nothing is added to them
DIRECTED_DAMPER = "asymmetric(power-damper)"
CORE_OF = {"masing": "jenkins", "modified-dahl": "dahl", "iwan": "jenkins"}  # friction of a law with its own spring


class ComposedLaw(NamedTuple):
    """A sum to try.   name : as `identify` takes it.   reason : what in the fit of the best law asks for it."""

    name: str
    reason: str


def composed_laws_for(prepared: Sequence[PreparedLoop], rows: Sequence[RankedLaw]) -> tuple[ComposedLaw, ...]:
    """Sums of the best law and the parts that its residual asks for: at most four; each of the first three adds to the
    one before.

    Empty if the best law fits, if it misses by little without a parameter at a bound, if most of its residual is too
    fast for any law, or for more samples than `MAX_COMPOSED_SAMPLES`.
    """
    fitted = [(row.fit, row.name) for row in rows if row.fit is not None]
    if not fitted:
        return ()
    best, name = min(fitted, key=lambda pair: pair[0].residual)
    if name in WHOLE_LAWS or prepared[0].loop.system == "stress":
        return ()
    if sum(len(r.loop) for r in prepared) > MAX_COMPOSED_SAMPLES:
        return ()
    missed = misfit_share(best) >= tol.COMPOSED_LAWS_MISFIT_SHARE
    if best.within_noise or not any(r.encloses_area for r in prepared) or not (missed or best.held):
        return ()
    content = worst_content(prepared, best.loops)
    if content.is_fast:
        return ()
    terms = [CORE_OF.get(term, term) for term in re.split(r"\+(?![^()]*\))", name)]
    found, reasons, of_best = [], list[str](), terms
    for share, quantity, change in (
        (content.deflection if missed else 0.0, "the deflection", _with_curved_spring),
        (content.rate if missed else 0.0, "the rate", _with_damper_table),
        (content.rate if missed else 0.0, "the rate", _with_line_for_curve),
    ):
        changed = change(terms) if share > tol.ADDED_PART_SHARE else terms
        if changed != terms:
            terms = changed
            reason = f"{format_percent(share)} of the squared residual of {name} follows {quantity}"
            reasons += [reason] * (reason not in reasons)
            found.append(ComposedLaw("+".join(terms), " and ".join(reasons)))
    if best.held:
        sum_of_terms = "+".join(_with_second_slider(of_best))
        found.append(ComposedLaw(sum_of_terms, f"{name} ended with parameters at bounds: {', '.join(best.held)}"))
    known = {own for _, own in fitted}
    return tuple(law for law in found if law.name not in known)


def better_predictors(rows: Sequence[RankedLaw], composed: Sequence[RankedLaw]) -> list[RankedLaw]:
    """The composed laws whose held-out error is at most `WORSE_HELD_OUT_RATIO` times that of the law they came from."""
    fitted = [row for row in rows if row.fit is not None]
    best = min(fitted, key=lambda row: row.fit.residual if row.fit else np.inf)
    return [row for row in composed if not row.validation > tol.WORSE_HELD_OUT_RATIO * best.validation]


def _with_curved_spring(terms: list[str]) -> list[str]:
    friction = [term for term in terms if term not in SPRINGS]
    return [CURVED_SPRING, *friction] if len(friction) <= MAX_PARALLEL_TERMS else terms


def _with_damper_table(terms: list[str]) -> list[str]:
    others = [term for term in terms if term not in (DIRECTED_DAMPER, DAMPER)]
    return [*others, DAMPER] if _has_room(others) else terms


def _with_line_for_curve(terms: list[str]) -> list[str]:
    """With a linear spring beside a table: in one harmonic motion both have the same even part."""
    return [SPRING if term == CURVED_SPRING else term for term in terms] if DAMPER in terms else terms


def _with_second_slider(terms: list[str]) -> list[str]:
    if not _has_room(terms):
        return terms
    friction = [term for term in terms if term not in SPRINGS]
    return [CURVED_SPRING if CURVED_SPRING in terms else SPRING, SECOND_SLIDER, *friction]


def _has_room(terms: list[str]) -> bool:
    return sum(term not in SPRINGS for term in terms) < MAX_PARALLEL_TERMS
