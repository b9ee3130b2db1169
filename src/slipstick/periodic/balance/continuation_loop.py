"""Many steps along a curve of harmonic balance at once, as long as nothing is out of the ordinary; compiled.

The rules are those of `slipstick.periodic.continuation.path`, which looks at the last point of a walk as at any other:
what
it would refuse for a shorter step is tried by half here, and what asks for more than a look at two neighbours ends the
walk.
"""

from __future__ import annotations

import math
from typing import Any

from slipstick.native import Array, numbers_at, view
from slipstick.periodic.balance.assembly_loop import COEFFICIENTS, SERIES
from slipstick.periodic.balance.predictor_corrector_loop import (
    BEFORE,
    BENDS,
    CORRECTED,
    FACTORISED,
    LARGEST,
    LAST,
    LENGTH_OF_STEP,
    NEW,
    STEP_LENGTH,
    STEPS,
    TURNED,
    predict_and_correct,
)
from slipstick.periodic.continuation.path import DIVERGENCE_RANGE_REL, HARD_NEWTON_STEPS, MAX_TANGENT_OFFSET_REL
from slipstick.periodic.continuation.step_control import MAX_CORRECTION_OF_STEP

# addresses: points (2 + MOST, 3, size + 1), of which the first two are the one before the last and the last; of each
# new one, numbers (MOST, TOLD)
POINTS, NUMBERS = range(STEP_LENGTH, STEP_LENGTH + 2)
# numbers: points that there is room for; bounds of the frequency; where the curve began, or no number; 1 if laws with
# corners are followed along samples; of `StepControl`: largest and wanted turn, wanted steps of Newton, longest step
MOST, LOW, HIGH, BEGAN, SAMPLED = range(NUMBERS + 1, NUMBERS + 6)
LARGEST_TURN, WANTED_TURN, WANTED_NEWTON, LONGEST = range(SAMPLED + 1, SAMPLED + 5)
WALK_LENGTH = LONGEST + 1
# of a new point: steps of Newton, largest residual, turn [rad], how far it was corrected, matrices, length of the step
TOLD = 6


MIN_HALVED_STEP = 1e-3  # along the curve: a step that is worth a try with half of it


def trace_points(plan: Array) -> float:
    """How many points were found; 0 or -1, as of `predict_and_correct`, if there is none."""
    n = int(plan[SERIES]) * int(plan[COEFFICIENTS]) + 1
    row = 24.0 * float(n)  # bytes of a point
    count = 0
    while count < int(plan[MOST]):
        plan[BEFORE] = plan[POINTS] + float(count) * row
        plan[LAST] = plan[BEFORE] + row
        plan[NEW] = plan[LAST] + row
        found = predict_and_correct(plan)
        step = plan[LENGTH_OF_STEP]
        leads_away = found < 0.0
        if found > 0.0:
            leads_away = plan[TURNED] > plan[LARGEST_TURN] or plan[CORRECTED] > MAX_CORRECTION_OF_STEP * step
        if leads_away and step > MIN_HALVED_STEP:
            plan[LENGTH_OF_STEP] = 0.5 * step
            continue
        if found != 1.0:
            return float(count) if count > 0 else found
        told = view(numbers_at(int(plan[NUMBERS])), TOLD * count)
        told[0] = plan[STEPS]
        told[1] = plan[LARGEST]
        told[2] = plan[TURNED]
        told[3] = plan[CORRECTED]
        told[4] = plan[FACTORISED]
        told[5] = step
        count += 1
        if needs_general_check(plan, n):
            break
        choose_next_step(plan)
        if plan[LENGTH_OF_STEP] < MIN_HALVED_STEP:
            break
    return float(count)


def choose_next_step(plan: Any) -> None:
    """Choose the next step from what the last took, as `StepControl` does."""
    by_newton = math.pow(2.0, 0.5 * (plan[WANTED_NEWTON] - plan[FACTORISED] - 1.0))
    by_turn = plan[WANTED_TURN] / max(plan[TURNED], 1e-12)
    part = min(max(min(by_newton, by_turn), 0.4), 2.0)
    plan[LENGTH_OF_STEP] = min(plan[LENGTH_OF_STEP] * part, plan[LONGEST])
    plan[BENDS] = 1.0 if plan[TURNED] > 0.0 and plan[TURNED] < plan[WANTED_TURN] else 0.0


def needs_general_check(plan: Any, n: int) -> bool:
    """True for a new point that has to be looked at: on a bound or near it, behind a fold, where a curve may close, and
    of smooth laws one that may lie on another branch."""
    last = numbers_at(int(plan[LAST]))
    new = numbers_at(int(plan[NEW]))
    span = plan[HIGH] - plan[LOW]
    p = new[n - 1]
    if not (p > plan[LOW] + DIVERGENCE_RANGE_REL * span and p < plan[HIGH] - DIVERGENCE_RANGE_REL * span):
        return True
    if not (last[2 * n - 1] * new[2 * n - 1] > 0.0 and last[2 * n - 1] * (p - last[n - 1]) > 0.0):
        return True
    if abs(plan[BEGAN] - last[n - 1]) <= 2.0 * plan[LENGTH_OF_STEP] * span:
        return True
    return plan[SAMPLED] == 0.0 and not stayed_on_branch(plan, n)


def stayed_on_branch(plan: Any, n: int) -> bool:
    """True where the way to a new point lies in the middle of both tangents, and was soon found."""
    last = numbers_at(int(plan[LAST]))
    new = numbers_at(int(plan[NEW]))
    scale = view(last, 2 * n)
    way = 0.0
    after = 0.0
    for i in range(n):
        part = (new[i] - last[i]) / scale[i]
        way += part * part
        part = new[n + i] * new[2 * n + i] / scale[i]
        after += part * part
    if not (way > 0.0 and after > 0.0):
        return False
    way = 1.0 / math.sqrt(way)
    after = 1.0 / math.sqrt(after)
    aside = 0.0
    half = 0.0
    for i in range(n):
        along = after * new[n + i] * new[2 * n + i] / scale[i]
        part = way * (new[i] - last[i]) / scale[i] - 0.5 * (last[n + i] + along)
        aside += part * part
        part = 0.5 * (along - last[n + i])
        half += part * part
    hard = plan[STEPS] > HARD_NEWTON_STEPS and plan[TURNED] > 0.5 * plan[WANTED_TURN]
    return math.sqrt(aside) <= MAX_TANGENT_OFFSET_REL + 0.2 * math.sqrt(half) and not hard
