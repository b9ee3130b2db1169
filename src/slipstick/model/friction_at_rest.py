"""What dry friction does at rest, and the equations of motion with all cases written out (gear 3.1).

A contact with rate v = b' q' and limit F carries F s*, s* in [-1, 1], while v = 0. Of all such forces the one that acts
makes the change of v as small as it can be (Gauss). With P the force that would hold the contact still,

    P = (b' M^-1 f + w')/(b' M^-1 b),    F s* = P - luz(P, F),

f what acts otherwise, w what prescribed motions have in v. On one body, with nothing prescribed, M^-1 cancels and
P = f. This holds for each contact alone as long as no reaction
of one changes the rate of another, b_i' M^-1 b_j = 0; contacts that do are solved together, and the rule says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import sympy as sp

from slipstick.laws.law_symbols import Sgn, equation, luz, t


@dataclass(frozen=True)
class RestRule:
    """The rule of one friction contact at rest.

    contact : the name of its connection.   when : v = 0.   balance : P = ...   rule : F s* = P - luz(P, F).
    together : contacts whose stick forces depend on each other; empty for an independent rule.
    """

    contact: str
    when: Any
    balance: Any
    rule: Any
    together: tuple[str, ...] = ()


@dataclass(frozen=True)
class FrictionTerm:
    """A dry friction term: its rate, factors by coordinate, and limit.   word : index of its symbols."""

    name: str
    word: str
    rate: Any
    factors: dict[str, Any]
    limit: Any


class ForceBalance(NamedTuple):
    """contacts; coordinates q as functions of time; inertias by name; acting: loads less all forces but inertia."""

    contacts: list[FrictionTerm]
    q: dict[str, Any]
    inertias: dict[str, Any]
    acting: dict[str, Any]


def rest_rules(balance: ForceBalance) -> tuple[RestRule, ...]:
    """One rule for each contact between bodies with inertia."""
    return tuple(
        _rest_rule(c, balance) for c in balance.contacts if all(name in balance.inertias for name in c.factors)
    )


def _coupling(one: FrictionTerm, other: FrictionTerm, inertias: dict[str, Any]) -> Any:
    """b_i' M^-1 b_j: how much a reaction of one contact changes the rate of the other."""
    shared = [name for name in one.factors if name in other.factors]
    return sum((one.factors[name] * other.factors[name] / inertias[name] for name in shared), sp.S.Zero)


def _cancels(coupling: Any) -> bool:
    """True if all terms cancel; simplify would take its time over each pair of a long chain."""
    return bool(sp.expand(sp.fraction(sp.together(coupling))[0]) == 0) if coupling.is_Add else bool(coupling == 0)


def _coupled_contacts(contact: FrictionTerm, balance: ForceBalance) -> tuple[str, ...]:
    """Contacts whose reaction changes the rate of this one."""
    return tuple(
        c.name
        for c in balance.contacts
        if c is not contact
        and any(name in contact.factors for name in c.factors)
        and (
            any(name not in balance.inertias for name in c.factors)  # moved by what has no inertia
            or not _cancels(_coupling(contact, c, balance.inertias))
        )
    )


def _rest_rule(c: FrictionTerm, balance: ForceBalance) -> RestRule:
    still = {name: _force_at_rest(c, balance, balance.acting[name]) for name in c.factors}
    pushed = _prescribed_acceleration(c, balance)
    if len(c.factors) == 1:  # its inertia cancels
        ((name, b),) = c.factors.items()
        held = still[name] / b + pushed * balance.inertias[name] / b**2
    else:
        over = sum(b * still[name] / balance.inertias[name] for name, b in c.factors.items())
        held = (over + pushed) / _coupling(c, c, balance.inertias)
    p, s = sp.Symbol(f"P_{c.word}", real=True), sp.Symbol(f"s_{c.word}", real=True)
    return RestRule(
        c.name,
        equation(c.rate, sp.S.Zero),
        equation(p, held),
        equation(c.limit * s, p - luz(p, c.limit)),
        _coupled_contacts(c, balance),
    )


def _prescribed_acceleration(c: FrictionTerm, balance: ForceBalance) -> Any:
    """The acceleration that prescribed motions give a contact."""
    return sp.expand(c.rate - sum(b * balance.q[name].diff(t) for name, b in c.factors.items())).diff(t)


def _force_at_rest(c: FrictionTerm, balance: ForceBalance, force: Any) -> Any:
    """A force while the contact is at rest, without the friction of the contact; others keep their sign."""
    name, b = list(c.factors.items())[-1]
    v = balance.q[name].diff(t)
    signs = {sgn: sp.Dummy() for sgn in force.atoms(Sgn) if sgn != Sgn(c.rate)}
    hidden = force.xreplace({Sgn(c.rate): sp.S.Zero, **signs})
    rest = hidden.subs(v, sp.expand(v - c.rate / b))  # the rate that keeps the contact at rest
    return rest.xreplace({dummy: sgn for sgn, dummy in signs.items()})


def equations_by_case(balance: ForceBalance) -> tuple[Any, ...]:
    """Equations of motion with cases: m x'' = acting force while sliding, its luz at rest.

    Without inertia C x' = luz(...).

    Only of coordinates with one contact of their own and none beside others; the rest keep Sgn.
    """
    return tuple(_equation_cases(name, force, balance) for name, force in balance.acting.items())


def _equation_cases(name: str, force: Any, balance: ForceBalance) -> Any:
    v = balance.q[name].diff(t)
    left = balance.inertias[name] * balance.q[name].diff(t, 2) if name in balance.inertias else sp.S.Zero
    own = [c for c in balance.contacts if name in c.factors]
    if len(own) != 1 or len(own[0].factors) != 1 or not own[0].factors[name].is_nonzero:
        return equation(left, force)
    (c,) = own
    b, limit, sgn = c.factors[name], c.limit * abs(c.factors[name]), Sgn(c.rate)
    free = _force_at_rest(c, balance, force)
    if name not in balance.inertias:
        rest = sp.expand(v - c.rate / b)  # what the other side of the contact does
        return _first_order(force.subs(sgn, 0), free, v - rest, v, limit)
    up, down = force.subs(sgn, 1), force.subs(sgn, -1)
    carried = (
        -balance.inertias[name] * _prescribed_acceleration(c, balance) / b
    )  # what it takes to follow a moving ground
    at_rest = carried + luz(free - carried, limit)
    cases = sp.Piecewise((up, c.rate > 0), (down, c.rate < 0), (at_rest, True), evaluate=False)
    return equation(left, cases)


def _first_order(force: Any, free: Any, rate: Any, v: Any, limit: Any) -> Any:
    """C v = luz(F, F0) from 0 = F - C v - F0 Sgn(v); |F| <= F0 where nothing is viscous."""
    viscous = sp.expand(force - free).coeff(v)
    if viscous == 0:
        return sp.LessThan(sp.Abs(free), limit, evaluate=False)
    return equation(-viscous * rate, luz(free, limit))
