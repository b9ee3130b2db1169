"""Corners of forces between two samples; compiled.

Harmonics are sums over samples. Of a force that bends by D a sample, and jumps by J, at a part theta of the way from
one sample to the next, such a sum lacks what Euler and Maclaurin's formula says: J (1/2 - theta) + D B2(theta) / 2, at
the place of the corner; B2(theta) = theta^2 - theta + 1/6. Without the sixth it is what a motion along straight lines
between the samples has, which is coarser, but as convex as the law. Either way the harmonics are smooth as a switch
goes past a sample, and Newton's method sees a jump of the force before a sample does.
"""

from __future__ import annotations

from typing import Any

from slipstick.native import view
from slipstick.periodic.balance.derivative_rows_loop import add, add_to_row, clear, rate_of
from slipstick.periodic.balance.fourier_loop import add_projection
from slipstick.periodic.balance.records import ONLY_HARMONICS, RATE_BY_TIME, LawCorner, LawPlan, SampledLeaf

# of a corner: part of the way, bend, jump; then the derivatives of each by both deflections and both rates; then those
# of the force at one sample by part, bend and jump
PART, BEND, JUMP, BY_ENDS = range(4)
FORCE_BY = 15
CORNER_LENGTH = 18


def add_leaf_corners(plan: LawPlan, leaf: SampledLeaf) -> None:
    """Add the corners of a leaf without memory, whose forces stand in its room."""
    samples = plan.sample_count
    scale = leaf.scale
    u = view(plan.deflection, 2 * leaf.line * samples)
    corners = leaf.corners
    for i in range(leaf.corner_count):
        own = corners[i]
        x = scale * u[samples - 1]
        for k in range(samples):
            y = scale * u[k]
            before = k - 1 if k > 0 else samples - 1
            if own.side == 0.0:
                if (x > own.deflection) != (y > own.deflection):
                    add_bend(plan, leaf, own, before, k, x, y)
            elif (x - own.deflection) * own.side > 0.0 or (y - own.deflection) * own.side > 0.0:
                add_touch(plan, leaf, own, before, k, x, y)
            x = y


def add_bend(plan: LawPlan, leaf: SampledLeaf, own: LawCorner, k: int, after: int, x: float, y: float) -> None:
    """A deflection at which the stiffness changes is passed."""
    found = view(leaf.room, plan.sample_count)
    clear(found, CORNER_LENGTH)
    way = y - x
    found[PART] = (own.deflection - x) / way
    found[BEND] = own.stiffness_change * abs(way)
    found[BY_ENDS] = (found[PART] - 1.0) / way
    found[BY_ENDS + 1] = -found[PART] / way
    found[BY_ENDS + 4] = -own.stiffness_change if way > 0.0 else own.stiffness_change
    found[BY_ENDS + 5] = -found[BY_ENDS + 4]
    add_corner(plan, leaf, k, after, found)


def add_touch(plan: LawPlan, leaf: SampledLeaf, own: LawCorner, k: int, after: int, x: float, y: float) -> None:
    """A damped side is met, with a jump of its force, or left where it would begin to pull."""
    samples = plan.sample_count
    force = leaf.room
    found = view(force, samples)
    turn = view(plan.deflection, (2 * leaf.line + 1) * samples)
    v = leaf.scale * rate_of(plan, leaf) * turn[k]
    w = leaf.scale * rate_of(plan, leaf) * turn[after]
    side = own.side
    was = force[k] != 0.0 and (x - own.deflection) * side > 0.0
    comes = force[after] != 0.0 and (y - own.deflection) * side > 0.0
    if was == comes:
        return
    clear(found, CORNER_LENGTH)
    if comes and (x - own.deflection) * side <= 0.0:
        touching_corner(found, own, x, y, v, w)
    else:
        release_corner(found, own, x, y, v, w, 1.0 if comes else -1.0)
    if found[PART] >= 0.0 and found[PART] <= 1.0:
        add_corner(plan, leaf, k, after, found)


def touching_corner(found: Any, own: LawCorner, x: float, y: float, v: float, w: float) -> None:
    """The corner where a side begins to push; its damper does so at once."""
    way = y - x
    part = (own.deflection - x) / way
    rate = v + part * (w - v)
    found[PART] = part
    found[BEND] = own.stiffness_change * way + own.damping_change * (w - v)
    found[BY_ENDS] = (part - 1.0) / way
    found[BY_ENDS + 1] = -part / way
    side_derivatives(view(found, BY_ENDS + 4), own, 1.0)
    if rate * own.side > 0.0:
        found[JUMP] = own.damping_change * rate
        by_jump = view(found, BY_ENDS + 8)
        by_jump[0] = own.damping_change * (w - v) * found[BY_ENDS]
        by_jump[1] = own.damping_change * (w - v) * found[BY_ENDS + 1]
        by_jump[2] = own.damping_change * (1.0 - part)
        by_jump[3] = own.damping_change * part


def release_corner(found: Any, own: LawCorner, x: float, y: float, v: float, w: float, sign: float) -> None:
    """The corner where spring and damper of a side balance; beyond the samples where they do not between them.

    sign : 1 where it begins to push, -1 where it ends.
    """
    change = own.stiffness_change * (y - x) + own.damping_change * (w - v)
    found[PART] = 2.0
    if change != 0.0:
        part = -(own.stiffness_change * (x - own.deflection) + own.damping_change * v) / change
        found[PART] = part
        found[BEND] = sign * change
        found[BY_ENDS] = -own.stiffness_change * (1.0 - part) / change
        found[BY_ENDS + 1] = -own.stiffness_change * part / change
        found[BY_ENDS + 2] = -own.damping_change * (1.0 - part) / change
        found[BY_ENDS + 3] = -own.damping_change * part / change
        side_derivatives(view(found, BY_ENDS + 4), own, sign)


def side_derivatives(out: Any, own: LawCorner, sign: float) -> None:
    """Derivatives of what the force of a side changes by, from one sample to the next."""
    out[0] = -sign * own.stiffness_change
    out[1] = sign * own.stiffness_change
    out[2] = -sign * own.damping_change
    out[3] = sign * own.damping_change


def add_corner(plan: LawPlan, leaf: SampledLeaf, k: int, after: int, corner: Any) -> None:
    """Add what a corner between two samples brings to the harmonics, as forces at both, and its derivatives."""
    factor = leaf.factor
    width = plan.width
    out = view(plan.corner_harmonics, leaf.line * (width + 1))
    part = corner[PART]
    bend = corner[BEND]
    jump = corner[JUMP]
    sixth = plan.sixth
    rest = 1.0 - part
    bernoulli = 0.5 * (sixth - part * rest)
    slope = part - 0.5
    first = bend * bernoulli * rest + 0.5 * jump * (rest * rest - sixth)
    second = bend * bernoulli * part - 0.5 * jump * (part * part - sixth)
    add_projection(plan, k, factor[k] * first, width, out)
    add_projection(plan, after, factor[after] * second, width, out)
    if plan.wanted == ONLY_HARMONICS:
        by = view(corner, FORCE_BY)
        by[PART] = bend * (slope * rest - bernoulli) - jump * rest
        by[BEND] = bernoulli * rest
        by[JUMP] = 0.5 * (rest * rest - sixth)
        add_corner_derivatives(plan, leaf, k, after, k, factor[k], corner)
        by[PART] = bend * (slope * part + bernoulli) - jump * part
        by[BEND] = bernoulli * part
        by[JUMP] = -0.5 * (part * part - sixth)
        add_corner_derivatives(plan, leaf, k, after, after, factor[after], corner)


def add_corner_derivatives(
    plan: LawPlan, leaf: SampledLeaf, k: int, after: int, at: int, factor: float, corner: Any
) -> None:
    """Add the derivatives of a force at one sample by what the corner has of both."""
    columns = plan.tangent_width + 1
    row = view(corner, CORNER_LENGTH)
    shape = view(row, columns)
    by = view(corner, BY_ENDS)
    force_by = view(corner, FORCE_BY)
    clear(row, columns)
    for end in range(2):
        sample = after if end else k
        of_u = force_by[PART] * by[end] + force_by[BEND] * by[4 + end] + force_by[JUMP] * by[8 + end]
        of_v = force_by[PART] * by[2 + end] + force_by[BEND] * by[6 + end] + force_by[JUMP] * by[10 + end]
        add_to_row(
            plan, leaf, sample, leaf.scale * of_u, leaf.scale * of_v if leaf.rate_kind == RATE_BY_TIME else 0.0, row
        )
    out = view(plan.tangent_harmonics, leaf.line * columns * columns)
    clear(shape, columns)
    add_projection(plan, at, factor, columns - 1, shape)
    for c in range(columns):
        add(view(out, c * columns), row[c], shape, columns)
