"""Table of the methods with the face of a law that each needs, and the choice of one for a model."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from slipstick.errors import Advice, InvalidInput, Message, MissingFace, quote_braces, short_repr
from slipstick.laws.base import Law
from slipstick.laws.composite import is_varying_limit
from slipstick.laws.faces import Face
from slipstick.name_hints import did_you_mean
from slipstick.transient.problem import Element, Problem


class Method(NamedTuple):
    """Requirements of a method on laws and coordinates, and the common arguments that it takes."""

    face: Face
    step: bool
    tolerance: bool
    massless: bool  # coordinates without inertia


# in the order in which "auto" prefers them
METHODS = {
    "exact": Method(Face.PIECES, step=False, tolerance=False, massless=True),
    "events": Method(Face.VALUE, step=True, tolerance=True, massless=False),
    "inclusion": Method(Face.RESOLVENT, step=True, tolerance=False, massless=False),
    "newmark": Method(Face.VALUE, step=True, tolerance=True, massless=True),
    "taylor": Method(Face.TAYLOR, step=True, tolerance=True, massless=True),
}


ALIASES = {"adaptive": "events"}  # names that are still accepted

# these place joints between laws in series with dampers; exact does so for every series
JOINT_METHODS = ("newmark", "taylor")
# these solve for the forces of rigid contacts with friction
CONTACT_METHODS = ("exact", "inclusion")


def methods_with(argument: str) -> str:
    """The names of the methods that take ``argument``."""
    return ", ".join(name for name, method in METHODS.items() if getattr(method, argument))


def choose(problem: Problem, method: str) -> tuple[str, str]:
    """The method to use, and the reason in words; no reason if the caller named the method."""
    if not isinstance(method, str) or method not in ("auto", *METHODS, *ALIASES):
        meant = did_you_mean(method, ("auto", *METHODS), lists=False) if isinstance(method, str) else ""
        words = f"unknown method {short_repr(method)}{meant}; methods: auto, {', '.join(METHODS)}"
        raise InvalidInput(words).about("method")
    if method == "auto":
        return _choose_best(problem)
    method = ALIASES.get(method, method)
    obstacle = reason_against(problem, method)
    if obstacle is not None:
        able = [name for name in METHODS if reason_against(problem, name) is None]
        if not able:
            none = _no_method(problem)
            raise MissingFace(none if obstacle in f"{none}" else Message.joined([obstacle, none]))
        ways: list[Advice | str] = [f"methods that take this model: {', '.join(able)}"]
        rigid = any(e.law.rigid_friction is not None for e in problem.elements)
        if rigid and METHODS[method].face is Face.VALUE:
            ways.append(_way_out(problem, "or "))
        raise MissingFace(obstacle, advice=ways)
    return method, ""


def reason_against(problem: Problem, method: str, called: str = "") -> str | None:
    """Why a method does not take a problem, in words; None if it does.

    called : name for the message, of another method with the same requirements.
    """
    if method == "exact" and problem.is_swept:
        words = _sweep_obstacle(problem)
        if words is not None:
            return words
    for element in problem.elements:
        words = element_obstacle(method, element, called) or _stick_obstacle(problem, method, element, called)
        words = words or _stop_obstacle(problem, method, element)
        if words is not None:
            return f"{_place(problem, element)} {words}"
    if problem.massless and not METHODS[method].massless:
        return f'{_massless_names(problem)}: no inertia, which method "{called or method}" needs'
    return None


def _massless_names(problem: Problem) -> str:
    names = [problem.assembly.names[i] for i in problem.assembly.free[np.abs(problem.null_space).max(axis=1) > 0.0]]
    return "coordinate " + ", ".join(f'"{name}"' for name in names)


def _sweep_obstacle(problem: Problem) -> str | None:
    """Why the exact method cannot take speeds or limits that vary in time, in words; None if it can."""
    if problem.massless:
        return "a coordinate has no inertia, and a speed or limit varies in time"
    for element in problem.elements:
        if element.law.joint_parts:
            return f"{_place(problem, element)} has a joint without inertia, and a speed or limit varies in time"
        if element.law.rigid_friction is not None and not element.deflection.any() and problem.offsets.sweeps:
            return f"{_place(problem, element)} is friction of prescribed motions alone, at a speed that varies"
    return None


def _stick_obstacle(problem: Problem, method: str, element: Element, called: str = "") -> str | None:
    """Why a method cannot decide stick and slip of an element, in words; None if it can."""
    if method not in ("exact", "events", "inclusion") or element.law.rigid_friction is None or problem.massless:
        return None  # without inertia, accelerations do not decide
    named = f'method "{called or method}"'
    if not element.deflection.any():  # a prescribed deflection: the force is known
        return f"is friction of prescribed motions alone, which {named} does not take" if method != "exact" else None
    if problem.system.connections[element.connection].is_conjugate:
        return None
    if element.force * element.deflection @ np.linalg.solve(problem.mass, element.along) > 0.0:
        return None
    return f"is friction along a form that does not oppose its sliding, which {named} cannot solve"


def _stop_obstacle(problem: Problem, method: str, element: Element) -> str | None:
    """Why a method cannot take a rigid stop or contact in its place, in words; None if it can."""
    if element.law.rigid_contact is not None:
        return _contact_place_obstacle(problem, method, element)
    if method != "exact" or element.law.rigid_stop is None:
        return None
    if problem.massless:
        return "is a rigid stop, and a coordinate has no inertia: impacts need inertia everywhere"
    if not element.deflection.any():
        return "is a rigid stop between prescribed motions, which nothing can keep apart"
    if not problem.system.connections[element.connection].is_conjugate:
        return "is a rigid stop whose force acts along another form than its deflection"
    if element.force * element.scale <= 0.0:
        return "is a rigid stop with a negative factor, which would pull"
    return None


def _contact_place_obstacle(problem: Problem, method: str, element: Element) -> str | None:
    """The same for one direction of a rigid contact with friction."""
    if method not in CONTACT_METHODS:
        return None
    if problem.massless:
        return "is a rigid contact, and a coordinate has no inertia: impacts need inertia everywhere"
    if not element.deflection.any():
        return "is a direction of a rigid contact between prescribed motions, whose force nothing determines"
    return None


def element_obstacle(method: str, element: Element, called: str = "") -> str | None:
    """Why a method cannot take an element, in words; None if it can.   called : see `reason_against`."""
    law, face = element.law, METHODS[method].face
    if law.rigid_contact is not None:
        return _contact_obstacle(method, called, law.rigid_contact.normal_stiffness > 0.0)
    if law.kernel_law.directions and not _takes_directions(method, law):
        return f'has several deflections, which method "{called or method}" does not take'
    if law.joint_parts and (method == "exact" or (method in JOINT_METHODS and law.needs_rate)):
        return _series_obstacle(method, element)
    needs = f'which method "{called or method}" needs'
    if method == "inclusion" and face not in law.faces:
        if law.rigid_friction is not None:
            return f'has a static limit, and method "{method}" no static friction; leave static_limit out'
        # laws without memory are part of the smooth forces
        forgets = not law.remembers and not law.has_stack
        return None if Face.VALUE in law.faces and forgets else f"has no {face.value}, {needs}"
    decides = method == "events" and law.rigid_friction is not None
    if face not in law.faces and not decides:
        return f"has no {face.value}, {needs}"
    friction = law.rigid_friction is not None
    varying_limit = friction and is_varying_limit(element.leaf)
    if friction and not varying_limit:
        return "is friction times a function that may be negative; as the limit of the law it is cut off at zero"
    if element.modulation and method not in ("newmark", "events") and not varying_limit:
        return f"has no constant {face.value} (it is modulated in time), {needs}"
    if method in ("exact", "events") and friction:
        if element.force * element.scale < 0.0:
            return f'is friction with a negative factor, which drives the motion; method "{method}" needs factors > 0'
        if method == "exact" and len(element.modulation) > 1:
            return f"has a limit that is a product of several functions of time, so no {face.value}, {needs}"
    return None


def _contact_obstacle(method: str, called: str, followed: bool) -> str | None:
    """Why a method cannot take a rigid contact with friction, in words; None if it can."""
    if followed and method != "inclusion":
        words = f'is dry friction that follows a force, which method "{called or method}" does not take'
        return f"{words}; use Jenkins(stiffness=..., limit=...), which sticks by a spring"
    if method in CONTACT_METHODS:
        return None
    words = f'is a rigid contact, whose forces follow from the motion, which method "{called or method}" does not take'
    return f"{words}; use FrictionContact, which has stiffnesses"


def _takes_directions(method: str, law: Law) -> bool:
    """True if a method takes a law with several deflections."""
    if method == "events":
        return law.kernel_law.elastic_contact is not None
    return method == "newmark" or (method == "exact" and Face.PIECES in law.faces)


def _series_obstacle(method: str, element: Element) -> str | None:
    """Why a method cannot solve for the joints of a series, in words; None if it can."""
    face = METHODS[method].face
    if element.modulation:
        return f'has no constant {face.value} (it is modulated in time), which method "{method}" needs'
    for part in element.law.joint_parts:
        for leaf in part.leaves():
            inner = replace(element, law=leaf.law, modulation=())
            if leaf.law.joint_parts and _series_obstacle(method, inner) is not None:
                return _series_obstacle(method, inner)
            if not leaf.law.joint_parts and face not in leaf.law.faces:
                return f'has a part ({type(leaf.law).__name__}) without {face.value}, which method "{method}" needs'
    return None


def _choose_best(problem: Problem) -> tuple[str, str]:
    best = next((name for name in METHODS if reason_against(problem, name) is None), None)
    if best is None:
        raise MissingFace(_no_method(problem))
    if best == "exact":
        return "exact", "every law is piecewise linear"
    ways = {
        "events": "so the error is controlled step by step",
        "inclusion": "and there is dry friction, so the step is fixed and the method of first order",
    }
    return best, f"{reason_against(problem, 'exact')}, {ways.get(best, 'and nothing better takes this model')}"


def _no_method(problem: Problem) -> Message:
    """Why no method takes the model, and the change that makes one work."""
    groups: dict[tuple[str, ...], Element] = {}
    swept = _sweep_obstacle(problem) if problem.is_swept else None
    names = [name for name in METHODS if name != "exact" or swept is None]
    light = [name for name in names if problem.massless and not METHODS[name].massless]
    names = [name for name in names if name not in light]
    for e in problem.elements:
        words = _stop_obstacle(problem, "exact", e)
        if words is not None:
            advice = ["use Contact or Freeplay with damping, which have a spring"]
            if e.law.rigid_contact is not None:
                advice = ["use FrictionContact, which has stiffnesses"]
            return Message(f"no method takes this model: {_place(problem, e)} {words}", advice=advice)
    for e in problem.elements:
        groups.setdefault(
            tuple(name for name in names if not (element_obstacle(name, e) or _stick_obstacle(problem, name, e))), e
        )
    narrow = sorted(groups, key=len)[:2]
    parts = [f"{_place(problem, groups[g])} works with {' and '.join(g) or 'none'}" for g in narrow]
    if light:
        parts.insert(0, f"{_massless_names(problem)} has no inertia, which {' and '.join(light)} need")
    if swept is not None:
        parts.insert(0, f'{swept}, which method "exact" does not take')
    return Message(f"no method takes this model: {', '.join(parts)}", advice=[_way_out(problem)])


def _way_out(problem: Problem, before: str = "") -> Advice | str:
    rigid = [e for e in problem.elements if e.law.rigid_friction is not None]
    names = _names(problem, rigid)
    stops = [e for e in problem.elements if e.law.rigid_stop is not None]
    if stops:
        return f"{before}replace the rigid stop of {_names(problem, stops)} by Contact with damping"
    if not rigid:
        return "give every law an update(u, v, memory)"
    signed = [e for e in rigid if e.modulation and not is_varying_limit(e.leaf)]
    if signed:
        return f"{before}give {_names(problem, signed)} the function as its limit: DryFriction(limit=...)"
    if any(not e.law.faces for e in rigid):
        return f"{before}replace the friction of {names} by law.discretised() for exact, or law.regularised(...)"
    first = "leave its static_limit out and replace" if any(e.law.faces == {Face.PIECES} for e in rigid) else "replace"
    return Advice(f"{before}{first} the friction of {quote_braces(names)} by {{regularised}}", regularised="sqrt")


def _names(problem: Problem, elements: Iterable[Element]) -> str:
    found = dict.fromkeys(problem.system.connections[e.connection].name for e in elements)
    return ", ".join(f'"{name}"' for name in found)


def _place(problem: Problem, element: Element) -> str:
    connection = problem.system.connections[element.connection]
    own, whole = type(element.law.kernel_law).__name__, type(connection.law.kernel_law).__name__
    part = own if whole in (own, "Combination") else f"{own}, in {whole}"
    return f'connection "{connection.name}" ({part})'
