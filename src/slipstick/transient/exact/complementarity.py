"""All contacts at rest, solved together as a complementarity problem; compiled.

The reactions l of contacts at rest solve a box-constrained complementarity problem: relative accelerations are a =
a_free - G l, and each contact either holds (a_i = 0, l_i within its box) or yields at a bound with an acceleration of
the matching sign. Principal pivoting solves it; where G is singular (contacts that hold each other) the dependent
ones carry nothing.
"""

from __future__ import annotations

from slipstick.native import Array, view
from slipstick.transient.exact import records as at
from slipstick.transient.exact.immobile_coordinates import find_immobile, prescribe_immobile
from slipstick.transient.exact.pair_columns import set_pair_columns
from slipstick.transient.exact.records import FlowModel, State
from slipstick.transient.exact.taylor_series import (
    along_unit,
    load_size,
    load_terms_size,
    offset_coefficient,
    size_along,
)

SOFTENING_REL = 1e-7  # of a contact's own compliance, added if pivoting cycles among contacts that hold each other
DEPENDENT_PIVOT_REL = (
    1e-10  # of a contact's own compliance: a smaller pivot is rounding, and the contact depends on others
)
# status of a contact: held, at its upper or lower bound, not in the problem, or temporarily left out
HOLDS, YIELDS_UP, YIELDS_DOWN, EXCLUDED, SET_ASIDE = 0.0, 1.0, -1.0, 2.0, 3.0


def factor_delassus(model: FlowModel, state: State) -> int:
    """Eliminate held contacts, largest pivot first, into ``factor``; return how many are independent (``basis``)."""
    c = model.contact_count
    gram = state.delassus
    status = state.status
    basis = state.basis
    lu = state.factor
    count = 0
    for i in range(c):
        if status[i] == HOLDS:
            basis[count] = float(i)
            count += 1
    for a in range(count):
        for b in range(count):
            lu[a * c + b] = gram[int(basis[a]) * c + int(basis[b])]
        lu[a * c + a] *= 1.0 + state.softening
    for step in range(count):
        best = step
        size = -1.0
        for a in range(step, count):
            i = int(basis[a])
            part = lu[a * c + a] / gram[i * c + i]
            if part > size * (1.0 + 1e-9):
                size = part
                best = a
        if size <= DEPENDENT_PIVOT_REL:
            return step
        if best != step:
            swap_entries(basis, step, best, 1, 0)
            for b in range(count):
                swap_entries(lu, step, best, c, b)
            for a in range(count):
                keep = lu[a * c + step]
                lu[a * c + step] = lu[a * c + best]
                lu[a * c + best] = keep
        for a in range(step + 1, count):
            part = lu[a * c + step] / lu[step * c + step]
            lu[a * c + step] = part
            for b in range(step + 1, count):
                lu[a * c + b] -= part * lu[step * c + b]
    return count


def swap_entries(values: Array, a: int, b: int, stride: int, shift: int) -> None:
    keep = values[a * stride + shift]
    values[a * stride + shift] = values[b * stride + shift]
    values[b * stride + shift] = keep


def solve_reactions(model: FlowModel, state: State, independent: int) -> None:
    """Reactions of the contacts that hold, from the rates that they must stop (``rates``); others keep theirs."""
    c = model.contact_count
    gram = state.delassus
    status = state.status
    basis = state.basis
    lu = state.factor
    rates = state.rates
    reaction = state.reaction
    for i in range(c):
        if status[i] == HOLDS:
            reaction[i] = 0.0
    for a in range(independent):
        i = int(basis[a])
        value = rates[i]
        for j in range(c):
            if status[j] == YIELDS_UP or status[j] == YIELDS_DOWN:
                value -= gram[i * c + j] * reaction[j]
        for b in range(a):
            value -= lu[a * c + b] * reaction[int(basis[b])]
        reaction[i] = value
    for a in range(independent - 1, -1, -1):
        i = int(basis[a])
        value = reaction[i]
        for b in range(a + 1, independent):
            value -= lu[a * c + b] * reaction[int(basis[b])]
        reaction[i] = value / lu[a * c + a]


def relative_rates(model: FlowModel, state: State, k: int) -> None:
    """Coefficient k of the relative acceleration of each contact under the present forces."""
    c = model.contact_count
    unit_of = model.unit_of
    rates = state.rates
    force = state.force
    for i in range(c):
        e = int(unit_of[i])
        rates[i] = along_unit(model, e, force) + float((k + 1) * (k + 2)) * offset_coefficient(model, state, k + 2, e)


def apply_reactions(model: FlowModel, state: State) -> None:
    """Subtract the effect of reactions from the accelerations."""
    n = model.coordinate_count
    c = model.contact_count
    minv_a = state.inverse_mass_along
    status = state.status
    reaction = state.reaction
    force = state.force
    size = state.force_size
    for i in range(c):
        if status[i] != EXCLUDED and reaction[i] != 0.0:
            for j in range(n):
                force[j] -= minv_a[j * c + i] * reaction[i]
                size[j] += abs(minv_a[j * c + i] * reaction[i])


def hold_contacts(model: FlowModel, state: State, k: int, independent: int) -> None:
    """Coefficient k of the accelerations with the contacts held that stick; `factor_delassus` has been called for
    them."""
    if independent > 0:
        relative_rates(model, state, k)
        solve_reactions(model, state, independent)
        apply_reactions(model, state)
        prescribe_immobile(model, state, k + 2, state.force, float((k + 1) * (k + 2)))


def stop_rates(model: FlowModel, state: State, independent: int, velocity: Array) -> None:
    """Remove the rates (``rates``) of held contacts from velocities (n,), with the least change of kinetic energy."""
    n = model.coordinate_count
    c = model.contact_count
    minv_a = state.inverse_mass_along
    status = state.status
    reaction = state.reaction
    for i in range(c):
        reaction[i] = 0.0
    solve_reactions(model, state, independent)
    for i in range(c):
        if status[i] == HOLDS:
            for j in range(n):
                velocity[j] -= minv_a[j * c + i] * reaction[i]


def stop_contacts(model: FlowModel, state: State, independent: int) -> None:
    """Set the relative velocities of the contacts that hold to zero; `find_immobile` has been called for them."""
    n = model.coordinate_count
    m = model.unit_count
    unit_of = model.unit_of
    rate = view(state.deflection_series, m)
    velocity = view(state.motion, n)
    for i in range(model.contact_count):
        state.rates[i] = rate[int(unit_of[i])]
    stop_rates(model, state, independent, velocity)
    prescribe_immobile(model, state, 1, velocity, 1.0)


def mark_sticking(model: FlowModel, state: State) -> int:
    """Set up the problem with the sticking contacts alone; return how many are independent."""
    set_pair_columns(model, state)
    c = model.contact_count
    unit_of = model.unit_of
    status = state.status
    piece = state.piece
    for i in range(c):
        status[i] = HOLDS if piece[int(unit_of[i])] == at.STICK else EXCLUDED
    independent = factor_delassus(model, state)
    find_immobile(model, state, independent)
    return independent


def yielding_rate(model: FlowModel, state: State, i: int) -> float:
    """The relative acceleration of contact i with all reactions in place."""
    c = model.contact_count
    gram = state.delassus
    status = state.status
    reaction = state.reaction
    value = 0.0
    value += state.rates[i] - state.softening * gram[i * c + i] * reaction[i]
    for j in range(c):
        if status[j] != EXCLUDED:
            value -= gram[i * c + j] * reaction[j]
    return float(value)


def rate_size(model: FlowModel, state: State, k: int, i: int) -> float:
    """The size that rounding of coefficient k of contact i's relative acceleration refers to: forces, reactions and the
    parts of its limit, which cancel where its normal load vanishes."""
    c = model.contact_count
    gram = state.delassus
    status = state.status
    reaction = state.reaction
    unit = int(model.unit_of[i])
    value = size_along(model, unit, state.force_size)
    if model.limit_varies[i] != 0.0:
        value += abs(gram[i * c + i] * model.static_ratio[i]) * load_size(model, state, k, i)
    if model.stop[i] != 0.0:  # its reaction vanishes where the loads cancel
        value += load_terms_size(model, state, k, unit)
    for j in range(c):
        if status[j] != EXCLUDED:
            value += abs(gram[i * c + j] * reaction[j])
    return value


def solve_complementarity(model: FlowModel, state: State, k: int, tolerance: float) -> int:
    """Sort the contacts of the problem: held within their bounds, or at a bound and yielding in its direction.

    ``rates`` : coefficient k of accelerations without reactions.   ``force_size`` : the sizes that rounding refers to.
    Returns how many of those held are independent; -1 if that failed.
    """
    c = model.contact_count
    status = state.status
    independent = principal_pivoting(model, state, k, tolerance, 10, 20 + 4 * c)
    if independent >= 0:
        return independent
    for i in range(c):
        if status[i] != EXCLUDED:
            status[i] = HOLDS
    state.softening = SOFTENING_REL
    settled = principal_pivoting(model, state, k, tolerance, 0, 200 + 50 * c) >= 0
    state.softening = 0.0
    if not settled:
        return -1
    make_reactions_independent(model, state)
    independent = factor_delassus(model, state)
    solve_reactions(model, state, independent)
    return independent


def principal_pivoting(model: FlowModel, state: State, k: int, tolerance: float, together: int, most: int) -> int:
    """Principal pivoting; returns how many of the held contacts are independent, or -1 if it did not end.

    Several contacts change sides at once in the first rounds (``together``), later one at a time, by the least index:
    this ends if G is positive definite.
    """
    c = model.contact_count
    status = state.status
    reaction = state.reaction
    low = state.lower_bound
    high = state.upper_bound
    gram = state.delassus
    for turn in range(most):
        for i in range(c):
            if status[i] == YIELDS_UP:
                reaction[i] = high[i]
            elif status[i] == YIELDS_DOWN:
                reaction[i] = low[i]
        independent = factor_delassus(model, state)
        solve_reactions(model, state, independent)
        changed = False
        for i in range(c):
            if status[i] == EXCLUDED or (changed and turn >= together) or is_of_pair(model, i):
                continue
            size = rate_size(model, state, k, i)
            slack = tolerance * size / gram[i * c + i]
            if status[i] == HOLDS:
                # a reaction at the bound is decided by the next order
                if reaction[i] > high[i] + slack:
                    status[i] = YIELDS_UP
                    changed = True
                elif reaction[i] < low[i] - slack:
                    status[i] = YIELDS_DOWN
                    changed = True
                elif reaction[i] == 0.0:
                    # it may depend on others that hold, while prescribed motions move it
                    rate = yielding_rate(model, state, i)
                    if abs(rate) > tolerance * size:
                        status[i] = YIELDS_UP if rate > 0.0 else YIELDS_DOWN
                        changed = True
            else:
                rate = yielding_rate(model, state, i)
                if status[i] * rate < -tolerance * size:
                    status[i] = HOLDS
                    changed = True
        if not changed:
            return independent
    return -1


def is_of_pair(model: FlowModel, i: int) -> bool:
    """True for a contact of a pair: its state is decided around this problem, see `pair_search`."""
    return model.has_pairs and (model.normal_of[i] >= 0.0 or model.tangential_of[i] >= 0.0)


def make_reactions_independent(model: FlowModel, state: State) -> None:
    """Shift reactions among contacts that hold each other until those within their bounds are independent."""
    c = model.contact_count
    status = state.status
    reaction = state.reaction
    basis = state.basis
    low = state.lower_bound
    high = state.upper_bound
    lu = state.factor
    shift = state.work
    for _ in range(c):
        count = 0
        for i in range(c):
            if status[i] == HOLDS:
                count += 1
        independent = factor_delassus(model, state)
        if independent == count:
            return
        # a unit of reaction in contact d and this much less in the others has no effect
        d = int(basis[independent])
        for a in range(independent - 1, -1, -1):
            value = lu[a * c + independent]
            for b in range(a + 1, independent):
                value -= lu[a * c + b] * shift[b]
            shift[a] = value / lu[a * c + a]
        step = high[d] - reaction[d]
        end = d
        for a in range(independent):
            i = int(basis[a])
            if shift[a] > 0.0 and (reaction[i] - low[i]) / shift[a] < step:
                step = (reaction[i] - low[i]) / shift[a]
                end = i
            elif shift[a] < 0.0 and (reaction[i] - high[i]) / shift[a] < step:
                step = (reaction[i] - high[i]) / shift[a]
                end = i
        reaction[d] += step
        for a in range(independent):
            reaction[int(basis[a])] -= step * shift[a]
        status[end] = YIELDS_UP if high[end] - reaction[end] < reaction[end] - low[end] else YIELDS_DOWN
        reaction[end] = high[end] if status[end] == YIELDS_UP else low[end]
