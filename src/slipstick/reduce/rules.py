"""The identities of the luz/tar algebra, one function each.

Two springs in series (gear, Simplification 2). At a massless node x without friction, with springs on the forms
y1 + c1 x and y2 + c2 x, c1 f1 + c2 f2 = 0. With r = c1/c2 the form y1 - r y2 does not hold x, and

    y1 - r y2 = (e1 + r^2 e2) f1 + (a1 + |r| a2) sgn f1,    that is    f1 = luz(y1 - r y2, a1 + |r| a2)/(e1 + r^2 e2):

compliances add with the square of the ratio, half gaps with its size.

Springs without gaps at one node (a star). Minimising sum k_j (y_j + c_j x)^2/2 over x leaves a spring for each pair,
k_i k_j/S on the form c_j y_i - c_i y_j with S = sum k_j c_j^2.

One form seen at another scale. With u = s w, luz(u, a)/e along u is luz(w, a/|s|)/(e/s^2) along w, and the pair
(C, F) is (s^2 C, |s| F). So springs of equal gap on proportional forms add, and friction pairs on
proportional forms always do.
"""

from __future__ import annotations

from typing import Any

from slipstick.model.forms import Form
from slipstick.reduce.network import Friction, Spring
from slipstick.symbolic import is_symbolic, is_zero


def factor(form: Form, name: str) -> Any:
    """The factor of a coordinate; whole ones as integers, so that formulas read 4/k and not 4.0/k."""
    found = form.terms.get(name, 0)
    return int(found) if isinstance(found, float) and found.is_integer() and abs(found) < 1e9 else found


def quotient(a: Any, b: Any) -> Any:
    """a/b, an integer where it is one."""
    if isinstance(a, int) and isinstance(b, int) and a % b == 0:
        return a // b
    return a / b


def without(form: Form, name: str) -> Form:
    """The form without one of its coordinates."""
    return Form({other: own for other, own in form.terms.items() if other != name})


def substituted(form: Form, name: str, by: Form) -> Form:
    """The form with a coordinate replaced by a form of others."""
    own = factor(form, name)
    return form if is_zero(own) else without(form, name) + by * own


def seen(spring: Spring, scale: Any) -> Spring:
    """The same spring on a form that is ``scale`` times smaller."""
    return Spring(
        spring.name,
        spring.form * (1 / scale),
        spring.compliance if scale in (1, -1) else spring.compliance / scale**2,
        spring.half_gap if scale in (1, -1) else spring.half_gap / abs(scale),
    )


def seen_friction(pair: Friction, scale: Any) -> Friction:
    """The same friction on a form that is ``scale`` times smaller."""
    return Friction(pair.name, pair.form * (1 / scale), pair.viscous * scale**2, pair.limit * abs(scale))


def series(first: Spring, second: Spring, node: str, name: str) -> Spring:
    """One spring for two that meet at a node on which nothing else acts; its force is that of the first."""
    r = quotient(factor(first.form, node), factor(second.form, node))
    form = without(first.form, node) - without(second.form, node) * r
    return Spring(name, form, first.compliance + r**2 * second.compliance, first.half_gap + abs(r) * second.half_gap)


def star(springs: list[Spring], node: str, names: dict[tuple[str, str], str]) -> list[Spring]:
    """A spring for each pair of those that meet at a node; all without gap."""
    c = [factor(s.form, node) for s in springs]
    y = [without(s.form, node) for s in springs]
    e = [s.compliance for s in springs]
    found = []
    total = sum(c[j] ** 2 / e[j] for j in range(len(springs)))
    for i in range(len(springs)):
        for j in range(i + 1, len(springs)):
            # as c_j y_i - c_i y_j, seen at the scale of y_i
            r = quotient(c[i], c[j])
            form = y[i] - y[j] * r
            if form.terms:
                own = e[i] * e[j] * total / c[j] ** 2
                found.append(Spring(names[springs[i].name, springs[j].name], form, own, 0.0 * own))
    return found


def parallel(springs: list[Spring], name: str) -> Spring:
    """One spring for several of the same form and half gap."""
    return Spring(name, springs[0].form, 1 / sum(1 / s.compliance for s in springs), springs[0].half_gap)


def together(pairs: list[Friction], name: str) -> Friction:
    """One friction pair for several on the same form."""
    return Friction(name, pairs[0].form, sum(p.viscous for p in pairs), sum(p.limit for p in pairs))


def ratio(a: Form, b: Form) -> Any:
    """s with a = s b, or None where the forms are not proportional."""
    if set(a.terms) != set(b.terms):
        return None
    s = None
    for name in a.terms:
        here = quotient(factor(a, name), factor(b, name))
        if s is None:
            s = here
        elif not same(here, s):
            return None
    return s


def same(a: Any, b: Any) -> bool:
    """True if two numbers are equal up to rounding; two expressions, if their difference expands to nothing."""
    if is_symbolic(a) or is_symbolic(b):
        return is_zero((a - b).expand())
    return bool(abs(a - b) <= 1e-12 * max(abs(a), abs(b)))
