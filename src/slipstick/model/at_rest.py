"""What dry friction does at rest, and the equations of motion with all cases written out (gear 3.1).

A contact with rate v = b' q' and limit F carries F s*, s* in [-1, 1], while v = 0. Of all such forces the one that acts
makes the change of v as small as it can be (Gauss). With P the force that would hold the contact still,

    P = b' M^-1 f / b' M^-1 b,    F s* = P - luz(P, F),

f what acts otherwise. On one body M^-1 cancels and P = f. This holds for each contact by itself as long as no reaction
of one changes the rate of another, b_i' M^-1 b_j = 0; contacts that do are solved together, and the rule says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import sympy as sp

from slipstick.laws.symbols import Sgn, equation, luz, t


@dataclass(frozen=True)
class AtRest:
    """The rule of one friction contact at rest.

    contact : the name of its connection.   when : v = 0.   balance : P = ...   rule : F s* = P - luz(P, F).
    together : contacts whose stick forces depend on each other; empty where the rule stands alone.
    """

    contact: str
    when: Any
    balance: Any
    rule: Any
    together: tuple[str, ...] = ()


@dataclass(frozen=True)
class Contact:
    """A dry friction term: its rate, factors by coordinate, and limit.   word : index of its symbols."""

    name: str
    word: str
    rate: Any
    factors: dict[str, Any]
    limit: Any


class Balance(NamedTuple):
    """contacts; coordinates q as functions of time; inertias by name; acting: loads less all forces but inertia."""

    contacts: list[Contact]
    q: dict[str, Any]
    inertias: dict[str, Any]
    acting: dict[str, Any]


def rules_at_rest(
    contacts: list[Contact], q: dict[str, Any], inertias: dict[str, Any], acting: dict[str, Any]
) -> tuple[AtRest, ...]:
    """One rule for each contact.

    inertias : by coordinate; those without are missing.   acting : by coordinate, loads less all forces but inertia.
    """
    return tuple(
        _rule(c, _others(c, contacts, inertias), q, inertias, acting)
        for c in contacts
        if all(name in inertias for name in c.factors)
    )


def _others(contact: Contact, contacts: list[Contact], inertias: dict[str, Any]) -> tuple[str, ...]:
    """Contacts whose reaction changes the rate of this one."""
    return tuple(
        c.name
        for c in contacts
        if c is not contact and any(name in inertias for name in set(c.factors) & set(contact.factors))
    )


def _rule(
    c: Contact, others: tuple[str, ...], q: dict[str, Any], inertias: dict[str, Any], acting: dict[str, Any]
) -> AtRest:
    still = {Sgn(c.rate): 0}
    if len(c.factors) == 1:
        (name, factor), v = next(iter(c.factors.items())), q[next(iter(c.factors))].diff(t)
        held = acting[name].subs(still).subs(v, 0) / factor
    else:
        over = sum(b * acting[name].subs(still) / inertias[name] for name, b in c.factors.items())
        held = over / sum(b**2 / inertias[name] for name, b in c.factors.items())
    p, s = sp.Symbol(f"P_{c.word}", real=True), sp.Symbol(f"s_{c.word}", real=True)
    return AtRest(
        c.name, equation(c.rate, sp.S.Zero), equation(p, held), equation(c.limit * s, p - luz(p, c.limit)), others
    )


def structures(
    contacts: list[Contact], q: dict[str, Any], inertias: dict[str, Any], acting: dict[str, Any]
) -> tuple[Any, ...]:
    """Equations of motion with cases: m x'' = what acts while it slides, luz of it at rest.

    Without inertia C x' = luz(...).

    Only of coordinates with one contact of their own and none beside others; the rest keep Sgn.
    """
    found = []
    for name, force in acting.items():
        own = [c for c in contacts if name in c.factors]
        v = q[name].diff(t)
        left = inertias[name] * q[name].diff(t, 2) if name in inertias else sp.S.Zero
        if len(own) != 1 or len(own[0].factors) != 1:
            found.append(equation(left, force))
            continue
        c, limit = own[0], own[0].limit * abs(next(iter(own[0].factors.values())))
        sgn = Sgn(c.rate)
        free = force.subs(sgn, 0).subs(v, 0)
        if name not in inertias:
            found.append(_first_order(force, free, v, limit, sgn))
            continue
        up, down = force.subs(sgn, 1), force.subs(sgn, -1)
        if c.factors[name] < 0:
            up, down = down, up
        cases = sp.Piecewise((up, v > 0), (down, v < 0), (luz(free, limit), True), evaluate=False)
        found.append(equation(left, cases))
    return tuple(found)


def _first_order(force: Any, free: Any, v: Any, limit: Any, sgn: Any) -> Any:
    """C v = luz(F, F0) from 0 = F - C v - F0 Sgn(v); |F| <= F0 where nothing is viscous."""
    viscous = sp.expand(force.subs(sgn, 0) - free).coeff(v)
    if viscous == 0:
        return sp.LessThan(sp.Abs(free), limit, evaluate=False)
    return equation(-viscous * v, luz(free, limit))
