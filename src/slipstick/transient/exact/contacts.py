"""All contacts at rest, decided together; compiled.

The reactions l of contacts at rest solve a box-constrained complementarity problem: relative accelerations are a =
a_free - G l, and each contact either holds (a_i = 0, l_i within its box) or yields at a bound with an acceleration of
the matching sign. Principal pivoting solves it; where G is singular (contacts that hold each other) the dependent
ones carry nothing.
"""

from __future__ import annotations

from slipstick.laws.parsing import Buffer
from slipstick.native import view
from slipstick.transient.exact import places as at
from slipstick.transient.exact.series import along_unit, offset, size_along

DEPENDENT = 1e-10  # of a contact's own compliance: less is rounding, and the contact depends on others
HOLDS, UP, DOWN, OUT = 0.0, 1.0, -1.0, 2.0  # a contact within the problem: held, at its upper or lower bound, not in it


def factor(model: Buffer, state: Buffer) -> int:
    """Eliminate the contacts that hold, largest pivot first, into at.FACTOR; how many are independent (at.BASIS)."""
    c = int(model[at.CONTACTS])
    gram = view(model, int(model[at.GRAM]))
    status = view(state, int(model[at.STATUS]))
    basis = view(state, int(model[at.BASIS]))
    lu = view(state, int(model[at.FACTOR]))
    count = 0
    for i in range(c):
        if status[i] == HOLDS:
            basis[count] = float(i)
            count += 1
    for a in range(count):
        for b in range(count):
            lu[a * c + b] = gram[int(basis[a]) * c + int(basis[b])]
    for step in range(count):
        best = step
        size = -1.0
        for a in range(step, count):
            i = int(basis[a])
            part = lu[a * c + a] / gram[i * c + i]
            if part > size * (1.0 + 1e-9):
                size = part
                best = a
        if size <= DEPENDENT:
            return step
        if best != step:
            swap(basis, step, best, 1, 0)
            for b in range(count):
                swap(lu, step, best, c, b)
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


def swap(values: Buffer, a: int, b: int, stride: int, shift: int) -> None:
    keep = values[a * stride + shift]
    values[a * stride + shift] = values[b * stride + shift]
    values[b * stride + shift] = keep


def react(model: Buffer, state: Buffer, independent: int) -> None:
    """Reactions of the contacts that hold, from the rates that they must stop (at.RATES); others keep theirs."""
    c = int(model[at.CONTACTS])
    gram = view(model, int(model[at.GRAM]))
    status = view(state, int(model[at.STATUS]))
    basis = view(state, int(model[at.BASIS]))
    lu = view(state, int(model[at.FACTOR]))
    rates = view(state, int(model[at.RATES]))
    reaction = view(state, int(model[at.REACTION]))
    for i in range(c):
        if status[i] == HOLDS:
            reaction[i] = 0.0
    for a in range(independent):
        i = int(basis[a])
        value = rates[i]
        for j in range(c):
            if status[j] == UP or status[j] == DOWN:
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


def relative_rates(model: Buffer, state: Buffer, k: int) -> None:
    """Coefficient k of the relative accelerations that the forces at hand would give each contact."""
    c = int(model[at.CONTACTS])
    unit_of = view(model, int(model[at.UNIT_OF]))
    rates = view(state, int(model[at.RATES]))
    force = view(state, int(model[at.FORCE]))
    for i in range(c):
        e = int(unit_of[i])
        rates[i] = along_unit(model, e, force) + float((k + 1) * (k + 2)) * offset(model, state, k + 2, e)


def apply_reactions(model: Buffer, state: Buffer) -> None:
    """Take the reactions off the accelerations."""
    n = int(model[at.N])
    c = int(model[at.CONTACTS])
    minv_a = view(model, int(model[at.MINV_A]))
    status = view(state, int(model[at.STATUS]))
    reaction = view(state, int(model[at.REACTION]))
    force = view(state, int(model[at.FORCE]))
    size = view(state, int(model[at.FORCE_SIZE]))
    for i in range(c):
        if status[i] != OUT and reaction[i] != 0.0:
            for j in range(n):
                force[j] -= minv_a[j * c + i] * reaction[i]
                size[j] += abs(minv_a[j * c + i] * reaction[i])


def hold(model: Buffer, state: Buffer, k: int, independent: int) -> None:
    """Coefficient k of the accelerations with the contacts held that stick; `factor` has been called for them."""
    if independent > 0:
        relative_rates(model, state, k)
        react(model, state, independent)
        apply_reactions(model, state)


def mark_sticking(model: Buffer, state: Buffer) -> int:
    """Set up the problem with just the contacts that stick; how many are independent."""
    c = int(model[at.CONTACTS])
    unit_of = view(model, int(model[at.UNIT_OF]))
    status = view(state, int(model[at.STATUS]))
    piece = view(state, int(model[at.PIECE]))
    for i in range(c):
        status[i] = HOLDS if piece[int(unit_of[i])] == at.STICK else OUT
    return factor(model, state)


def yielding_rate(model: Buffer, state: Buffer, i: int) -> float:
    """The relative acceleration of contact i with all reactions in place."""
    c = int(model[at.CONTACTS])
    gram = view(model, int(model[at.GRAM]))
    status = view(state, int(model[at.STATUS]))
    reaction = view(state, int(model[at.REACTION]))
    value = state[int(model[at.RATES]) + i]
    for j in range(c):
        if status[j] != OUT:
            value -= gram[i * c + j] * reaction[j]
    return value


def settle(model: Buffer, state: Buffer, low: Buffer, high: Buffer, tolerance: float) -> int:
    """Pivot until every contact in the problem holds within [low, high] or yields the right way; the independent ones.

    at.RATES holds the accelerations without reactions; at.FORCE_SIZE what rounding is measured by. Several contacts
    change sides at once at first, later one at a time, which always ends where G is positive definite.
    """
    c = int(model[at.CONTACTS])
    status = view(state, int(model[at.STATUS]))
    reaction = view(state, int(model[at.REACTION]))
    gram = view(model, int(model[at.GRAM]))
    unit_of = view(model, int(model[at.UNIT_OF]))
    size = view(state, int(model[at.FORCE_SIZE]))
    independent = 0
    for turn in range(20 + 8 * c):
        for i in range(c):
            if status[i] == UP:
                reaction[i] = high[i]
            elif status[i] == DOWN:
                reaction[i] = low[i]
        independent = factor(model, state)
        react(model, state, independent)
        changed = False
        for i in range(c):
            if status[i] == OUT or (changed and turn > 10):
                continue
            rate_size = size_along(model, int(unit_of[i]), size)
            slack = tolerance * rate_size / gram[i * c + i]
            if status[i] == HOLDS:
                # the bound itself is left to the next level
                if reaction[i] > high[i] + slack:
                    status[i] = UP
                    changed = True
                elif reaction[i] < low[i] - slack:
                    status[i] = DOWN
                    changed = True
            else:
                rate = yielding_rate(model, state, i)
                if status[i] * rate < -tolerance * rate_size:
                    status[i] = HOLDS
                    changed = True
        if not changed:
            return independent
    return -1
