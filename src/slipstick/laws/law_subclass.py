"""What a new subclass of `Law` inherits, and the checks of its arguments.

A class that defines a force of its own does not inherit answers about the force of its base class.
"""

from __future__ import annotations

import dis
import inspect
from collections.abc import Callable
from dataclasses import MISSING, fields
from functools import wraps
from typing import TYPE_CHECKING, Any

from slipstick.errors import InvalidInput, WrongArguments
from slipstick.laws.faces import Face
from slipstick.name_hints import did_you_mean

if TYPE_CHECKING:
    from slipstick.laws.base import Law

OPTIONAL_FACES = {
    Face.RATE: "inner_rate",
    Face.RESOLVENT: "resolvent",
    Face.PIECES: "pieces",
    Face.TAYLOR: "taylor",
    Face.TERMS: "luz_tar_terms",
}
# attributes that describe one force
_FORCE_METHODS = (
    *OPTIONAL_FACES.values(), "faces", "inner_state", "turned", "inner_force", "settled", "corner", "edge",
    "linearised", "stored", "equation", "regularised", "asymmetric", "is_passive", "is_odd", "has_local_memory",
    "contact_jumps", "never_settles", "linear_force", "rigid_friction", "rigid_stop", "rigid_contact", "elastic_slider",
    "joint_parts",
    "diagram_symbol", "state_names", "for_directions", "direction_stored", "direction_stiffness", "direction_passive",
    "states", "state_at_rest", "direction_pieces", "memory_at", "elastic_contact", "direction_coupling",
)  # fmt: skip
# identification traits, not inherited by a class with another force or other parts
_TRAITS = (
    "identification", "start_values", "motion_start_values", "spring_start_values", "series_start_values",
    "spring_power_count", "with_spring_powers", "identified_forms", "free_force_offset", "words",
)  # fmt: skip


def drop_inherited_traits(law: type[Law], base: type[Law]) -> None:
    """Reset the identification traits of a class that defines a new force to those of ``base``, which is `Law`."""
    own = law.__dict__
    if {"update", "parts", law.compiled} & own.keys():
        for name in _TRAITS:
            if name not in own and inspect.getattr_static(law, name) is not base.__dict__[name]:
                setattr(law, name, base.__dict__[name])


def drop_inherited_faces(law: type[Law], base: type[Law]) -> bool:
    """True if a class defines a new force. Resets its inherited answers to those of ``base``, which is `Law`."""
    own, force = law.__dict__, law.compiled
    before = next(c for c in law.__mro__[1:] if "update" in c.__dict__)
    if before is base or not ("update" in own or force in own):
        return False
    if "update" in own and force != "update" and force not in own:
        way = f"override {force}()" if force else "override parts()"
        raise InvalidInput(
            f"{law.__name__}.update: the force of {before.__name__} is not made by its update(); {way}, or subclass Law"
        )
    for name in _FORCE_METHODS:
        if name not in own:
            setattr(law, name, base.__dict__[name])
    return True


def check_arguments(law: type[Law]) -> None:
    """Give the constructor of a law messages of its own for wrong arguments."""
    plain = law.__init__

    @wraps(plain)
    def checked(self: Law, *positional: Any, **named: Any) -> None:
        owner, every = type(self).__name__, fields(self)
        known = [f.name for f in every]
        if positional:
            example = f"{owner}({known[0]}=...)" if known else f"{owner}()"
            raise WrongArguments(f"{owner} takes named parameters, {example}; they are {', '.join(known) or 'none'}")
        for name in named:
            if name not in known:
                raise WrongArguments(f'{owner} has no parameter "{name}"{did_you_mean(name, known)}')
        missing = [f.name for f in every if f.default is MISSING and f.name not in named]
        if missing:
            raise WrongArguments(f"{owner} needs {', '.join(missing)}; got {', '.join(named) or 'nothing'}")
        plain(self, **named)

    law.__init__ = checked  # type: ignore[method-assign, assignment]


def takes_arguments(function: Callable[..., Any], count: int) -> bool:
    """True if a function can be called with this number of arguments; also if it has no signature."""
    try:
        inspect.signature(function).bind(*range(count))
    except TypeError:
        return False
    except ValueError:  # some functions written in C have no signature
        return True
    return True


def reads_rate(law: type[Law]) -> bool:
    """True if update reads its rate. A law that needs only the sign states needs_rate = False."""
    code = getattr(law.update, "__code__", None)
    if code is None or code.co_argcount < 4:
        return False
    rate = code.co_varnames[2]
    loads = (i.argval for i in dis.get_instructions(code) if i.opname.startswith("LOAD"))
    return any(rate == name or (isinstance(name, tuple) and rate in name) for name in loads)
