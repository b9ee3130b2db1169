"""The length of a step from the errors of the last ones, and to an event just behind its end; compiled."""

from __future__ import annotations

import math

from slipstick.transient.events.elastic_contacts import PRESSING
from slipstick.transient.events.equations import deflect, offsets_at
from slipstick.transient.events.guards import (
    distance_to_event,
    elastic_distance,
    event_approach_rate,
    find_reactions,
    zero_distance,
)
from slipstick.transient.events.records import (
    RELEASE,
    Integration,
)


def reject(run: Integration) -> None:
    """Shorten a step whose error is too large; the event it aimed at may not lie in the shorter one."""
    run.rejected += 1
    run.max_growth = 1.0
    run.target = -1


def short_of(run: Integration, h: float) -> float:
    """Distance of the intended event behind the end of the step, by Newton's method; 0 if the step ends at it."""
    if run.target < 0.0:
        return 0.0
    e = run.target
    kind = run.target_kind
    offsets_at(run, run.step_end)
    far = 0.0
    if kind >= PRESSING:
        far = elastic_distance(run, run.elements[e].elastic, kind, run.step_end, run.y_end)
    else:
        deflect(run, e, run.y_end)
        if kind == RELEASE:
            find_reactions(run, run.step_end, run.y_end)
        far = distance_to_event(run, e, kind)
    if far <= zero_distance(kind):
        return 0.0
    more = -far / event_approach_rate(run, h, e, kind)
    if 0.0 < more < 0.1 * h:
        return more
    run.missed = True
    return 0.0


def set_step(run: Integration, h: float, error: float) -> None:
    """The length of the next step, from the errors of this one and the one before."""
    logarithm = math.log(max(error, 1e-4))
    factor = 0.9 * math.exp(0.04 * run.last_log_error - 0.17 * logarithm)
    factor = min(max(factor, 0.2), run.max_growth)
    # the error of a step cut short by an event or an end says little about the right step length; a false event of a
    # long step shows that it was too long
    cut = h < 0.99 * run.full_step and not run.missed
    run.step = max(h * factor, run.full_step) if cut else h * factor
    run.last_log_error = logarithm
