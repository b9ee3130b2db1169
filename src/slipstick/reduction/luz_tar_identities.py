"""The identities of the luz/tar algebra, one function each.

Two springs in series (gear, Simplification 2). At a massless node x without friction, with springs on the forms
y1 + c1 x and y2 + c2 x, c1 f1 + c2 f2 = 0. With r = c1/c2 the form y1 - r y2 does not hold x, and

    y1 - r y2 = (e1 + r^2 e2) f1 + (a1 + |r| a2) sgn f1,    that is    f1 = luz(y1 - r y2, a1 + |r| a2)/(e1 + r^2 e2):

compliances add with the square of the ratio, half gaps with its size.

Springs without gaps at one node (a star). Minimising sum k_j (y_j + c_j x)^2/2 over x leaves a spring for each pair,
k_i k_j/S on the form c_j y_i - c_i y_j with S = sum k_j c_j^2.

One form seen at another scale (`Spring.seen`, `Friction.seen`). With u = s w, luz(u, a)/e along u is
luz(w, a/|s|)/(e/s^2) along w, and the pair (C, F) is (s^2 C, |s| F). So springs of equal gap on proportional forms
add, and friction pairs on proportional forms always do.
"""

from __future__ import annotations

from dataclasses import replace

from slipstick.model.linear_forms import quotient
from slipstick.reduction.formula_numbers import ZERO_NUMBER, FormulaNumber, sum_numbers
from slipstick.reduction.network import Friction, Spring


def combine_series(first: Spring, second: Spring, node: str) -> Spring:
    """One spring for two that meet at a node on which nothing else acts; its force is that of the first."""
    r = quotient(first.form.factor(node), second.form.factor(node))
    one_to_one = r in (1, -1)
    e, a = (second.compliance, second.half_gap) if one_to_one else (second.compliance * r**2, second.half_gap * abs(r))
    return replace(
        first,
        form=first.form.without(node) - second.form.without(node) * r,
        compliance=first.compliance + e,
        half_gap=first.half_gap + a,
        gaps=first.gaps + second.gaps,
    )


def node_stiffness(springs: list[Spring], node: str) -> FormulaNumber:
    """S: what holds a node while all others rest; of springs without gap."""
    return sum_numbers([s.compliance.inverse * s.form.factor(node) ** 2 for s in springs])


def combine_star(springs: list[Spring], node: str, stiffness: FormulaNumber) -> list[tuple[int, int, Spring]]:
    """A spring for each pair of those that meet at a node; all without gap.   stiffness : S.

    Each with the places i and j of its pair; its force is the share of spring i that is passed to spring j.
    """
    c = [s.form.factor(node) for s in springs]
    y = [s.form.without(node) for s in springs]
    e = [s.compliance for s in springs]
    found = []
    for i in range(len(springs)):
        for j in range(i + 1, len(springs)):
            # as c_j y_i - c_i y_j, seen at the scale of y_i
            form = y[i] - y[j] * quotient(c[i], c[j])
            if form.names:
                own = e[i] * e[j] * stiffness / c[j] ** 2
                found.append((i, j, replace(springs[i], form=form, compliance=own, half_gap=ZERO_NUMBER, gaps=())))
    return found


def combine_parallel(springs: list[Spring]) -> Spring:
    """One spring for several of the same form and half gap."""
    stiffness = sum_numbers([s.compliance.inverse for s in springs])
    return replace(springs[0], compliance=stiffness.inverse, gaps=tuple(name for s in springs for name in s.gaps))


def combine_frictions(one: Friction, other: Friction, name: str) -> Friction:
    """One friction pair for two on the same form."""
    return Friction(name, one.form, one.viscous + other.viscous, one.limit + other.limit)
