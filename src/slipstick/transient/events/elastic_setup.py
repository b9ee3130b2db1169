"""Elastic contacts at the start of a run, and their memories where it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import MissingFace
from slipstick.laws.base import Law
from slipstick.laws.faces import ElasticContact
from slipstick.native import Rows
from slipstick.transient.events.elastic_contacts import APART, SLIP, STICK
from slipstick.transient.events.records import ElasticContactRecord

if TYPE_CHECKING:
    from slipstick.transient.events.setup import PreparedProblem


def force_count(law: Law) -> int:
    """Sliding forces among the inner states: those of a contact with two tangential directions."""
    return 2 if len(law.kernel_law.directions) > 2 else 0


def _pressure(own: ElasticContact, n: float, rate: float) -> float:
    """The normal force in contact; below zero it would pull."""
    return own.normal_stiffness * (n - own.touches_at) + own.normal_damping * rate


def elastic_records(ready: PreparedProblem, q: Array, v: Array, memories: list[Any]) -> Rows[ElasticContactRecord]:
    """The contacts at displacements and velocities (n,), with the memories of their laws."""
    p = ready.problem
    rows, inner = Rows(ElasticContactRecord, len(ready.elastic)), len(ready.inner)
    u, rates = p.deflections_at(p.start, q), p.rates_at(p.start, v)
    for k, e in enumerate(ready.elastic):
        row = rows[k]
        law = p.elements[e].law.kernel_law
        own, count = law.elastic_contact, len(law.directions) - 1
        if own is None:  # `methods.element_obstacle` refuses it before a run
            name = p.system.connections[p.elements[e].connection].name.rpartition(".")[0]
            words = f'"{name}" is a rigid contact, which integration with events does not take'
            raise MissingFace(words, advice=["use FrictionContact, which has stiffnesses"])
        row.element, row.tangential, row.inner_index = e, count, inner
        inner += force_count(law)
        row.normal_stiffness, row.normal_damping, row.touches_at = own[:3]
        row.tangential_stiffness, row.friction = own[3:]
        depth = float(u[e + count]) - own.touches_at
        pressure = _pressure(own, float(u[e + count]), float(rates[e + count]))
        row.state, row.sign = APART, 1.0
        sliders = np.array(memories[e][:count])
        if min(depth, pressure) > 0.0:
            row.state = STICK if own.friction > 0.0 else SLIP
            stretch = u[e : e + count] - sliders
            widest = own.friction * pressure / own.tangential_stiffness
            size = float(np.linalg.norm(stretch))
            if size > widest:
                sliders = u[e : e + count] - stretch * (widest / size)
        row.first_state = row.state
        row.slider, row.second_slider = sliders[0], sliders[-1]
        row.pressing_scale = own.normal_stiffness * (abs(own.touches_at) + abs(float(u[e + count]))) + 1e-290
        row.rate_scale = 1e-290
    return rows


def elastic_memory(contact: ElasticContactRecord, law: Law, u: Array, v: Array, force: Array) -> tuple[float, ...]:
    """The memory of the law in a contact: sliders, then deflections.

    u, v : (d,) deflections and rates of all directions.   force : (2,) inner force of two tangential directions.
    """
    own, count = law.elastic_contact, contact.tangential
    assert own is not None
    sliders = np.array([contact.slider, contact.second_slider])[:count]
    if contact.state == APART:
        sliders = u[:count]
    elif contact.state == SLIP:
        way = np.array([contact.sign]) if count == 1 else force / max(float(np.linalg.norm(force)), 1e-290)
        pressure = max(_pressure(own, float(u[-1]), float(v[-1])), 0.0)
        sliders = u[:count] - own.friction * pressure / own.tangential_stiffness * way
    return (*sliders.tolist(), *u.tolist())
