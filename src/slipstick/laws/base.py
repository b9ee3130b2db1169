"""`Law`: the base class of force laws, and a guide to writing one.

A law gives the force of a connection from its deflection, its rate and its memory.
Positive force resists positive deflection. A law remembers nothing itself:

    f, memory = law.update(u, v, memory)

How to write one
----------------
1. Subclass `Law`; annotate the parameters. A bare ``stiffness: float`` must be finite;
   ``stiffness: float = parameter(STIFFNESS, above=0)`` also has a bound and a unit.
2. Name what is remembered, if anything: ``remembers = ("slider",)``. It is zero at the start.
3. Write ``update(self, u, v, memory)``: plain arithmetic on floats, functions of `math`,
   of `slipstick.scalar` and of your own module; return the force and the new memory. Between
   two calls the deflection has moved monotonically from the old u to the new one.

The class is then frozen and keyword-only; `trace`, sums, `scaled`, `modulated`,
the compiled kernel and its derivatives are made from ``update`` (`slipstick.laws.law_kernels`).
Further faces are optional methods: ``inner_rate``, ``resolvent``, ``pieces``, ``taylor``, ``luz_tar_terms``; so is
the stored energy, ``stored``. A subclass of a law that writes its own ``update`` inherits none of these,
because they describe the force of its base class.
"""

from __future__ import annotations

import dis
import inspect
import warnings
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from functools import wraps
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, dataclass_transform

import numpy as np
from numpy.typing import ArrayLike, NDArray

from slipstick.errors import InvalidInput, Message, MissingFace, WrongArguments, did_you_mean, short_repr
from slipstick.laws.faces import Face, Linearised, Piece, Term
from slipstick.laws.parameters import parameter, spec_of, unit_name, validate
from slipstick.signals import TimeFunction

if TYPE_CHECKING:
    from slipstick.laws.composite import Combination

UNREACHABLE_DEFLECTION = 1e300  # farther than any deflection
Array = NDArray[np.float64]
Memory = tuple[float, ...]


class Leaf(NamedTuple):
    """An elementary law as a sum sees it: force * q(t) * law(deflection * u).

    modulation : periodic functions that multiply the force; those with True are cut off below zero.
    """

    law: Law
    deflection: float = 1.0
    force: float = 1.0
    modulation: tuple[tuple[TimeFunction, bool], ...] = ()


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(parameter,))
class Law:
    """Base of all laws; the module's text says how to write one."""

    remembers: ClassVar[tuple[str, ...]] = ()  # names of what is remembered
    derived: ClassVar[tuple[str, ...]] = ()  # properties that kernels may read: floats,
    derived_lists: ClassVar[tuple[str, ...]] = ()  # and lists of floats
    has_stack: ClassVar[bool] = False  # the memory grows with each reversal
    compiled: ClassVar[str] = "update"  # the method that is compiled into kernels
    _held: ClassVar[Mapping[int, float]] = MappingProxyType({})  # memory that a twin of a law holds, by its place
    takes_symbols: ClassVar[bool] = False  # parameters may be SymPy expressions, for equations and reduction
    needs_rate: bool = False  # the size of the rate matters, not only its sign; found out where it is not said
    if TYPE_CHECKING:  # every subclass is a dataclass
        __dataclass_fields__: ClassVar[dict[str, Any]]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        is_new = _drop_inherited_faces(cls)
        dataclass(frozen=True, kw_only=True, repr=False)(cls)
        _check_arguments(cls)
        if not takes_arguments(cls.update, 4):
            raise InvalidInput(f"{cls.__name__}.update must take (self, u, v, memory)")
        said = any("needs_rate" in c.__dict__ for c in (cls.__mro__[:1] if is_new else cls.__mro__[:-2]))
        if not said:
            cls.needs_rate = _reads_rate(cls)

    def __post_init__(self) -> None:
        validate(self)
        self.check()

    def check(self) -> None:
        """Bounds that tie parameters to each other; raise InvalidInput."""

    # ---- what a law does

    def update(self, u: float, v: float, memory: Any) -> tuple[float, Any]:
        """Force and new memory at deflection u and rate v, coming monotonically from the last u."""
        raise MissingFace(f"{type(self).__name__} has no update(u, v, memory): write one (see slipstick.laws.base)")

    def start(self, u: float = 0.0) -> Any:
        """The memory of a virgin law that was led monotonically from deflection 0 to u."""
        return self.checked_update(float(u), 0.0, (0.0,) * len(self.remembers))[1] if self.remembers else ()

    @property
    def is_at_limit(self) -> bool:
        """True for a twin that holds memory which accumulates, see `slipstick.laws.monotone_memory`."""
        return bool(self._held)

    def search_start(self, u: float = 0.0) -> Any:
        """The memory at u with which the search for a periodic motion begins, where that is nearer than `start`."""
        return self.start(u)

    def checked_update(self, u: float, v: float, memory: Any) -> tuple[float, Any]:
        """`update`, and a look at what it returns: a law may be anybody's."""
        answer: Any = self.update(u, v, memory)
        if not isinstance(answer, tuple) or len(answer) != 2 or not isinstance(answer[0], (int, float, np.number)):
            raise InvalidInput(
                f"{type(self).__name__}.update must return the force and the memory, got {short_repr(answer)}"
            )
        if not self.has_stack and type(self).leaves is Law.leaves:
            self.pack_memory(answer[1], 0)
        return answer

    def stored(self, u: float, memory: Any) -> float | None:
        """The energy [J] that can be had back, counted from wherever suits; None if the law cannot tell.

        A run then reports the work such a law absorbed, without telling what is stored from what is lost.
        """
        return None

    def doubt_about(self, low: float, high: float) -> str:
        """Why the law has no meaning at some deflection between ``low`` and ``high``, in words; nothing if it has one.

        `trace` warns of it, and certificates tell it.
        """
        return ""

    def warn_about(self, low: float, high: float) -> None:
        """Warn if the law has no meaning at a deflection between ``low`` and ``high``."""
        words = self.doubt_about(low, high)
        if words:
            warnings.warn(Message(words, owner=type(self).__name__), stacklevel=4)

    def leaves(self) -> tuple[Leaf, ...]:
        """The elementary laws, in parallel, that this law consists of: itself, unless it is a sum."""
        return (Leaf(self),)

    def pack_memory(self, memory: Any, spare: int) -> Array:
        """A memory as the floats that the compiled kernel updates; ``spare``: room for so many more reversals."""
        packed = memory_array(memory)
        if packed is None or packed.size != len(self.remembers):
            raise InvalidInput(
                f"memory of {type(self).__name__} must be finite numbers ({', '.join(self.remembers)}), "
                f"as start() and update() give them, got {short_repr(memory)}"
            )
        return packed

    def trace(
        self,
        u: ArrayLike,
        t: ArrayLike | None = None,
        memory: Any = None,
        *,
        rate: ArrayLike | None = None,
        frequency: float | None = None,
    ) -> Array:
        """Forces along an imposed deflection.

        u : (n,) deflection [m, rad or strain], monotone between samples.
        t : (n,) times [s], increasing; needed if the force depends on time or on the size of the rate.
        memory : what `update` or `start` returned. Default: virgin at u = 0, led monotonically to u[0].
        rate : (n,) the rate du/dt, where it is known better than differences of u give it.
        frequency : the base frequency [rad/s], for modulations that have an order.
        """
        from slipstick.laws.law_trace import trace

        return trace(self, u, t, memory, rate, frequency)

    # ---- composition

    def __add__(self, other: object) -> Combination:
        from slipstick.laws.composite import Combination

        if not isinstance(other, Law):
            return NotImplemented
        return Combination(terms=(*self.as_terms(), *other.as_terms()))

    def __radd__(self, other: object) -> Any:
        return self if isinstance(other, int) and other == 0 else NotImplemented  # so that sum() works

    def as_terms(self) -> tuple[Leaf, ...]:
        """This law as terms of a sum, before it is taken apart into elementary laws."""
        return (Leaf(self),)

    def apart(self) -> tuple[Law, ...]:
        """The laws in parallel that this one is taken apart into where a function of time multiplies it."""
        return (self,)

    def scaled(self, *, deflection: float = 1.0, force: float = 1.0) -> Combination:
        """force * law(deflection * u): a stress-strain law becomes the force-deflection law of a sample."""
        from slipstick.laws.composite import scaled

        return scaled(self, deflection, force)

    def modulated(self, periodic: TimeFunction) -> Combination:
        """The law times a periodic function of time."""
        from slipstick.laws.composite import modulated

        return modulated(self, periodic)

    def regularised(self, method: str, **options: float) -> Law:
        """A smooth law close to this one: ``"sqrt"`` or ``"tanh"``. Freeplay, TwoStage and DryFriction have it."""
        raise MissingFace(f"{type(self).__name__} has no regularised form; Freeplay, TwoStage and DryFriction have one")

    # ---- faces

    @property
    def faces(self) -> frozenset[Face]:
        """What methods may ask of this law."""
        own = type(self)
        found = {Face.VALUE} if own.update is not Law.update else set()
        for face, name in _OPTIONAL_FACES.items():
            if getattr(own, name) is not getattr(Law, name):
                found.add(face)
        return frozenset(found)

    def tangent(self, u: float, v: float, memory: Any) -> tuple[float, float, float]:
        """(force, d force/du, d force/dv) after an update from ``memory``; derivatives of the branch taken."""
        from slipstick.laws.law_kernels import tangent

        return tangent(self, u, v, memory)

    def inner_state(self, memory: Any) -> float:
        """The inner state z within a memory, for laws that are a differential equation in one."""
        raise self.lacks(Face.RATE)

    def inner_rate(self, u: float, v: float, z: float, memory: Any) -> float:
        """dz/dt, smooth between reversals of v; ``memory`` is that of the last reversal, `turned`."""
        raise self.lacks(Face.RATE)

    def turned(self, memory: Any) -> Any:
        """The memory of a branch that starts where ``memory`` ends."""
        return memory

    def inner_force(self, u: float, v: float, z: float) -> float:
        """The force from the inner state."""
        raise self.lacks(Face.RATE)

    def settled(self, u: float, v: float, z: float, memory: Any) -> Any:
        """The memory at deflection u, rate v and inner state z, on the branch that ``memory`` is on."""
        raise self.lacks(Face.RATE)

    @property
    def by_rate(self) -> bool:
        """True if a method that controls its error integrates `inner_rate` rather than calling `update`.

        So it is where an update is not exact for a step of any size, or is an integration itself.
        """
        return Face.RATE in self.faces and type(self).settled is not Law.settled

    def corner(self, u: float, s: float, memory: Any) -> float:
        """The next deflection beyond u, in direction s = 1 or -1, at which the force has a corner; else far away.

        Reversals are not meant: methods look for those by themselves.
        """
        return UNREACHABLE_DEFLECTION * s

    def edge(self, u: float, v: float) -> float:
        """What changes its sign where the force has a corner that depends on the rate too; 1 where there is none."""
        return 1.0

    def resolvent(self, x: float, h: float) -> float:
        """The state after an implicit step h: the y with y + h A(y) containing x."""
        raise self.lacks(Face.RESOLVENT)

    def pieces(self) -> tuple[Piece, ...]:
        """The states in which the force is affine."""
        raise self.lacks(Face.PIECES)

    def taylor(self, u: Array, v: Array) -> Array:
        """Taylor coefficients of the force from those of deflection and rate."""
        raise self.lacks(Face.TAYLOR)

    def luz_tar_terms(self) -> tuple[Term, ...]:
        """The law as a sum of luz and tar terms."""
        raise self.lacks(Face.TERMS)

    def linearised(self, state: str | None = None, u: float = 0.0) -> Linearised:
        """The law near deflection u in a state ("stick", "slip", "contact", "free"); None: the one at rest at u."""
        self.refuse_state(state, ())
        _, k, c = self.tangent(u, 0.0, self.start(u))
        return Linearised(k, c)

    def lacks(self, face: Face) -> MissingFace:
        """The error for a face this law does not have."""
        own = ", ".join(sorted(f.value for f in self.faces)) or "none"
        return MissingFace(f"{type(self).__name__} has no {face.value}; its faces: {own}")

    def lacks_time(self) -> MissingFace:
        """The error for a tangent asked of a law that is modulated in time."""
        return MissingFace(f"{type(self).__name__} is modulated in time here; take the tangent of the law itself")

    def refuse_state(self, state: str | None, known: tuple[str, ...]) -> None:
        """Raise unless ``state`` is None or one of ``known``."""
        if state is not None and state not in known:
            names = " or ".join(f'"{k}"' for k in known) if known else "none: it has no states"
            raise InvalidInput(f"state must be {names}, got {short_repr(state)}", owner=type(self).__name__)

    # ---- words

    def equation(self) -> Any:
        """The law as SymPy equations."""
        from slipstick.laws.law_symbols import opaque_equation

        return opaque_equation(self)

    def units(self, system: str = "translation") -> dict[str, str]:
        """The unit of every parameter; system "translation", "rotation" or "stress"."""
        named = {}
        for f in fields(self):
            spec, value = spec_of(f), getattr(self, f.name)
            if spec.kind in ("numbers", "pair"):
                count = len(value or ())
                named[f.name] = ", ".join(unit_name(spec.dimension_of(self, i), system) for i in range(count))
            elif spec.kind in ("number", "number-or-periodic", "start"):
                named[f.name] = unit_name(spec.dimension_of(self), system)
        return named

    def parameters(self) -> dict[str, Any]:
        """The parameters by name."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def __repr__(self) -> str:
        words = []
        for f in fields(self):
            value = getattr(self, f.name)
            if f.default is MISSING or value != f.default:
                words.append(f"{f.name}={_short(value)}")
        return f"{type(self).__name__}({', '.join(words)})"


_OPTIONAL_FACES = {
    Face.RATE: "inner_rate",
    Face.RESOLVENT: "resolvent",
    Face.PIECES: "pieces",
    Face.TAYLOR: "taylor",
    Face.TERMS: "luz_tar_terms",
}
# what holds for one force only
_FORCE_METHODS = (
    *_OPTIONAL_FACES.values(), "faces", "inner_state", "turned", "inner_force", "settled", "corner", "edge",
    "linearised", "stored", "equation", "regularised",
)  # fmt: skip


def _drop_inherited_faces(law: type[Law]) -> bool:
    """Where a class gives the force anew, what it inherits of another one goes back to what `Law` says; True there."""
    own, force = law.__dict__, law.compiled
    before = next(c for c in law.__mro__[1:] if "update" in c.__dict__)
    if before is Law or not ("update" in own or force in own):
        return False
    if "update" in own and force != "update" and force not in own:
        way = f"override {force}()" if force else "override parts()"
        raise InvalidInput(
            f"{law.__name__}.update: the force of {before.__name__} is not made by its update(); {way}, or subclass Law"
        )
    for name in _FORCE_METHODS:
        if name not in own:
            setattr(law, name, Law.__dict__[name])
    return True


def is_kind(law: Law, kind: type[Law]) -> bool:
    """True if a law is of a kind, with the force of that kind: a subclass may have one of its own."""
    return isinstance(law, kind) and getattr(type(law), kind.compiled) is getattr(kind, kind.compiled)


def _short(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.12g}"
    if isinstance(value, tuple):
        inner = ", ".join(_short(v) for v in value)
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if callable(value):
        return getattr(value, "__name__", "function")
    return repr(value)


def _check_arguments(law: type[Law]) -> None:
    """Put words to the arguments that a dataclass would refuse in Python's own."""
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
    """True if a function can be called with so many arguments, as far as its signature tells."""
    try:
        inspect.signature(function).bind(*range(count))
    except TypeError:
        return False
    except ValueError:  # some of C have none
        return True
    return True


def _reads_rate(law: type[Law]) -> bool:
    """True if update looks at its rate. A law that needs no more than its sign says needs_rate = False."""
    code = getattr(law.update, "__code__", None)
    if code is None or code.co_argcount < 4:
        return False
    rate = code.co_varnames[2]
    loads = (i.argval for i in dis.get_instructions(code) if i.opname.startswith("LOAD"))
    return any(rate == name or (isinstance(name, tuple) and rate in name) for name in loads)


def memory_array(memory: Any) -> Array | None:
    """A memory as an array of finite floats; None if it is something else."""
    try:
        packed = np.array(memory, dtype=float)
    except (TypeError, ValueError):
        return None
    return packed if packed.ndim == 1 and np.all(np.isfinite(packed)) else None
