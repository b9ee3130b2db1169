"""`Law`: the base class of force laws, and a guide to writing one.

A law gives the force of a connection from its deflection, its rate and its memory.
Positive force resists positive deflection. The law object itself keeps no memory:

    f, memory = law.update(u, v, memory)

How to write one
----------------
1. Subclass `Law` and annotate the parameters. A bare ``stiffness: float`` must be finite;
   ``stiffness: float = parameter(STIFFNESS, above=0)`` also has a bound and a unit.
2. Name the numbers of the memory, if any: ``remembers = ("slider",)``. They are zero at the start.
3. Write ``update(self, u, v, memory)``: plain arithmetic on floats, with functions of `math`,
   `slipstick.scalar` and your own module. Return the force and the new memory. Between
   two calls the deflection has moved monotonically from the old u to the new one.

The class is then frozen and keyword-only. `trace`, sums, `scaled`, `modulated`, the compiled kernel and its
derivatives follow from ``update`` (`slipstick.laws.law_kernels`).

4. Answer further questions where you can; each has a default here. Faces for some methods: ``inner_rate``,
   ``resolvent``, ``pieces``, ``taylor``, ``luz_tar_terms``. Facts: ``corner``, ``stored``, ``is_passive``, ``is_odd``,
   ``state_names`` and ``linearised``. Identification: ``identification`` and ``start_values``. For people: ``words``,
   ``equation``, ``diagram_symbol``. Other rooms ask these and never test the class of a law.

A subclass with an ``update`` of its own inherits none of these answers: they describe the force of its base class.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, dataclass_transform

import numpy as np
from numpy.typing import ArrayLike

from slipstick.arrays import Array
from slipstick.errors import InvalidInput, Message, MissingFace, short_repr
from slipstick.laws.diagram_symbols import HYSTERESIS, SPRING, DiagramSymbol
from slipstick.laws.direction_checks import check_answer, checked_count, refuse_several, trace_directions, virgin_memory
from slipstick.laws.faces import (
    ContactJump,
    ElasticContact,
    ElasticSlider,
    Face,
    LinearForce,
    Linearised,
    Piece,
    RigidContact,
    RigidFriction,
    RigidStop,
    Term,
)
from slipstick.laws.identification_traits import IdentificationTraits, LoopView, MotionStart, MotionView
from slipstick.laws.law_subclass import (
    OPTIONAL_FACES,
    check_arguments,
    drop_inherited_faces,
    drop_inherited_traits,
    reads_rate,
    takes_arguments,
)
from slipstick.laws.law_words import LawWords
from slipstick.laws.parameters import parameter, spec_of, validate
from slipstick.signals import TimeFunction
from slipstick.units.dimensions import unit_name

if TYPE_CHECKING:
    from slipstick.laws.composite import Combination
    from slipstick.native import Native

UNREACHABLE_DEFLECTION = 1e300  # beyond any deflection
Memory = tuple[float, ...]
needs_rate_if_damped: Any = property(lambda law: law.damping != 0.0)  # `Law.needs_rate` of a spring with a damper


class Leaf(NamedTuple):
    """An elementary law within a sum: force * q(t) * law(deflection * u).

    modulation : periodic functions whose product is q(t); those with True are cut off below zero.
    """

    law: Law
    deflection: float = 1.0
    force: float = 1.0
    modulation: tuple[tuple[TimeFunction, bool], ...] = ()


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(parameter,))
class Law:
    """Base of all laws; the docstring of the module says how to write one."""

    remembers: ClassVar[tuple[str, ...]] = ()  # names of the numbers in the memory
    derived: ClassVar[tuple[str, ...]] = ()  # properties that kernels may read: floats,
    derived_lists: ClassVar[tuple[str, ...]] = ()  # and lists of floats
    has_stack: ClassVar[bool] = False  # the memory grows with each reversal
    keeps_time: ClassVar[bool] = False  # the memory begins with the time, which `trace` sets before each update
    compiled: ClassVar[str] = "update"  # the method that is compiled into kernels
    _held: ClassVar[Mapping[int, float]] = MappingProxyType({})  # constant numbers in the memory of a twin, by place
    takes_symbols: ClassVar[bool] = False  # parameters may be SymPy expressions, for equations and reduction
    is_passive: ClassVar[bool] = False  # friction: work less stored energy never falls, and energy balances check it
    is_odd: ClassVar[bool] = False  # mirrored motion gives the mirrored force
    never_settles: ClassVar[bool] = False  # its force changes with every cycle, so that no motion repeats
    has_local_memory: ClassVar[bool] = False  # deflection, rate and inner state alone determine the future
    state_names: ClassVar[tuple[str, ...]] = ()  # states that `linearised` knows
    # names of several deflections, of which update takes tuples (`slipstick.laws.directions`); none: a single one
    directions: ClassVar[tuple[str, ...]] = ()
    direction_states: ClassVar[tuple[str, ...]] = ()  # the same as state_names, for such a law
    identification: ClassVar[IdentificationTraits] = IdentificationTraits()
    words: ClassVar[LawWords | None] = None  # title, documentation and example
    needs_rate: bool = False  # the size of the rate matters, not only its sign; default: whether update reads it
    if TYPE_CHECKING:  # every subclass is a dataclass
        __dataclass_fields__: ClassVar[dict[str, Any]]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        is_new = drop_inherited_faces(cls, Law)
        drop_inherited_traits(cls, Law)
        takes_positional = "__init__" in cls.__dict__
        dataclass(frozen=True, kw_only=True, repr=False)(cls)
        if not takes_positional:
            check_arguments(cls)
        if not takes_arguments(cls.update, 4):
            raise InvalidInput(f"{cls.__name__}.update must take (self, u, v, memory)")
        is_stated = any("needs_rate" in c.__dict__ for c in (cls.__mro__[:1] if is_new else cls.__mro__[:-2]))
        if not is_stated:
            cls.needs_rate = reads_rate(cls)

    def __post_init__(self) -> None:
        validate(self)
        self.check()

    def check(self) -> None:
        """Check parameters against each other; raise InvalidInput."""

    # ---- force and memory

    def update(self, u: float, v: float, memory: Any) -> tuple[float, Any]:
        """Force and new memory at deflection u and rate v, after a monotone motion from the last u."""
        raise MissingFace(f"{type(self).__name__} has no update(u, v, memory): write one (see slipstick.laws.base)")

    def start(self, u: float = 0.0) -> Any:
        """Memory of a virgin law after a monotone motion from deflection 0 to u."""
        if self.directions:
            return virgin_memory(self, u)
        return self.checked_update(float(u), 0.0, (0.0,) * len(self.remembers))[1] if self.remembers else ()

    def start_within(self, deflections: Sequence[float]) -> Any:
        """The same, from the deflections of this connection and all behind it in the model."""
        return self.start(float(deflections[0]))

    @property
    def is_at_limit(self) -> bool:
        """True for the limit of a law after long use, see `slipstick.laws.monotone_memory`."""
        return bool(self._held)

    def search_start(self, u: float = 0.0) -> Any:
        """Memory at u from which the search for a periodic motion begins; default: `start`."""
        return self.start(u)

    def at_time(self, memory: Any, t: float) -> Any:
        """The memory before an update at time t [s]; it differs only for laws that keep the time."""
        return (float(t), *memory[1:]) if self.keeps_time else memory

    def checked_update(self, u: float, v: float, memory: Any) -> tuple[float, Any]:
        """`update` with a check of its result, for laws of users."""
        answer: Any = self.update(u, v, memory)
        if self.directions:
            check_answer(self, answer)
            return answer  # type: ignore[no-any-return]
        if not isinstance(answer, tuple) or len(answer) != 2 or not isinstance(answer[0], (int, float, np.number)):
            raise InvalidInput(
                f"{type(self).__name__}.update must return the force and the memory, got {short_repr(answer)}"
            )
        if not self.has_stack and type(self).leaves is Law.leaves:
            self.pack_memory(answer[1], 0)
        return answer

    def stored(self, u: float, memory: Any) -> float | None:
        """Recoverable energy [J], up to a constant; None if it is unknown.

        Where it is unknown, a run reports the absorbed work without separating stored from dissipated energy.
        """
        return None

    def doubt_about(self, low: float, high: float) -> str:
        """Why the law is not valid at some deflection between ``low`` and ``high``; empty if it is valid.

        `trace` warns of it, and certificates have it as a note.
        """
        return ""

    def warn_about(self, low: float, high: float) -> None:
        """Warn if the law is not valid at some deflection between ``low`` and ``high``."""
        words = self.doubt_about(low, high)
        if words:
            warnings.warn(Message(words, owner=type(self).__name__), stacklevel=4)

    def leaves(self) -> tuple[Leaf, ...]:
        """The elementary laws, in parallel, of which this law consists: itself, unless it is a sum."""
        return (Leaf(self),)

    def pack_memory(self, memory: Any, spare: int) -> Array:
        """A memory as the array that compiled kernels update, with room for ``spare`` more reversals."""
        packed = memory_array(memory)
        if packed is None or packed.size != len(self.remembers):
            names = ", ".join(self.remembers)
            raise InvalidInput(
                f"memory of {type(self).__name__} must be a tuple of {len(self.remembers)} finite numbers ({names}), "
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

        u : (n,) deflection [m, rad or strain], monotone between samples; a tuple of them gives a tuple of forces.
        t : (n,) times [s], increasing; needed if the force depends on time or on the size of the rate.
        memory : from `update` or `start`. Default: virgin at u = 0, then a monotone motion to u[0].
        rate : (n,) the rate du/dt. Default: differences of u.
        frequency : the base frequency [rad/s], for modulations that have an order.
        """
        from slipstick.laws.law_trace import trace

        if self.directions:
            return trace_directions(self, u, t, memory, rate)  # type: ignore[return-value]
        return trace(self, u, t, memory, rate, frequency)

    # ---- composition

    def __add__(self, other: object) -> Combination:
        from slipstick.laws.composite import Combination

        if not isinstance(other, Law):
            return NotImplemented
        refuse_several(self, other)
        return Combination(terms=(*self.as_terms(), *other.as_terms()))

    def __radd__(self, other: object) -> Any:
        return self if isinstance(other, int) and other == 0 else NotImplemented  # so that sum() works

    def as_terms(self) -> tuple[Leaf, ...]:
        """The terms of a sum as users wrote them, not yet split into elementary laws; the law itself if it is none."""
        return (Leaf(self),)

    def with_terms(self, terms: tuple[Leaf, ...]) -> Law:
        """The sum with other terms; the law of the only term if this law is no sum."""
        return terms[0].law

    def apart(self) -> tuple[Law, ...]:
        """The parallel laws into which this one splits where a function of time multiplies it."""
        return (self,)

    def scaled(self, *, deflection: float = 1.0, force: float = 1.0) -> Combination:
        """force * law(deflection * u): a stress-strain law becomes the force-deflection law of a sample."""
        from slipstick.laws.composite import scaled

        refuse_several(self)
        return scaled(self, deflection, force)

    def modulated(self, periodic: TimeFunction) -> Combination:
        """The law times a periodic function of time."""
        from slipstick.laws.composite import modulated

        refuse_several(self)
        return modulated(self, periodic)

    def asymmetric(self, *, positive: float = 1.0, negative: float = 1.0) -> Law:
        """The law with its sliding force, or its damping force, times one factor in each direction of motion."""
        del positive, negative
        raise MissingFace(
            f"{type(self).__name__} has no asymmetric form; Jenkins, Masing, Iwan, Dahl, DryFriction and PowerDamper "
            "have one, and ModifiedDahl takes an envelope for each direction"
        )

    def regularised(self, method: str, **options: float) -> Law:
        """A smooth law close to this one, by ``"sqrt"`` or ``"tanh"``; for Freeplay, TwoStage and DryFriction."""
        raise MissingFace(f"{type(self).__name__} has no regularised form; Freeplay, TwoStage and DryFriction have one")

    # ---- several deflections

    @property
    def kernel_law(self) -> Law:
        """The law whose update is compiled: itself, or the whole of which this is the force in one direction."""
        return self

    @property
    def direction_rank(self) -> int:
        """Which direction of `kernel_law` this is the force of; 0 for a law with one deflection."""
        return 0

    def for_directions(self, count: int) -> Law:
        """The law for ``count`` deflections; default: itself, if it has as many."""
        return checked_count(self, count)

    def direction_stored(self, direction: int, u: float, memory: Any) -> float | None:
        """Share of one direction in the recoverable energy [J], up to a constant; None if it is unknown.

        u : of this direction.   memory : of the whole law.
        """
        return None

    def direction_stiffness(self, direction: int, state: str | None, u: float) -> tuple[float, float]:
        """Stiffness and damping of one direction by its own deflection; linear modes need a class that states them."""
        return 0.0, 0.0

    def direction_coupling(self, direction: int, other: int, state: str | None) -> tuple[float, float]:
        """Stiffness and damping of one direction by the deflection of another; none unless the class states them."""
        return 0.0, 0.0

    def direction_pieces(self, direction: int) -> tuple[Piece, ...]:
        """The pieces of one direction; none if the force is not piecewise linear.

        All directions have as many. Guards are those of the first, which may read the deflection of the second.
        """
        return ()

    def memory_at(self, u: Sequence[float], stretch: float) -> Memory:
        """Memory at several deflections and a stretch of the first direction, for laws with `direction_pieces`."""
        raise self.lacks(Face.PIECES)

    def state_at_rest(self, u: Sequence[float]) -> str | None:
        """The state at rest at several deflections; None if the law has no states."""
        return None

    def direction_passive(self, direction: int) -> bool:
        """True if the work less the stored energy of one direction never falls; False for one that only stores."""
        return False

    def states(self, force: Array) -> Any:
        """(k,) names of states from forces (directions, k); None if the law has none."""
        return None

    # ---- faces

    @property
    def faces(self) -> frozenset[Face]:
        """The faces that this law has."""
        own = type(self)
        found = {Face.VALUE} if own.update is not Law.update else set()
        for face, name in OPTIONAL_FACES.items():
            if getattr(own, name) is not getattr(Law, name):
                found.add(face)
        return frozenset(found)

    def tangent(self, u: float, v: float, memory: Any) -> tuple[float, float, float]:
        """(force, d force/du, d force/dv) after an update from ``memory``; derivatives of the branch taken."""
        from slipstick.laws.law_kernels import tangent

        refuse_several(self)
        return tangent(self, u, v, memory)

    def inner_state(self, memory: Any) -> float:
        """The inner state z in a memory, for laws with one differential equation dz/dt."""
        raise self.lacks(Face.RATE)

    def inner_rate(self, u: float, v: float, z: float, memory: Any) -> float:
        """dz/dt, smooth between reversals of v; ``memory`` is that at the last reversal, see `turned`."""
        raise self.lacks(Face.RATE)

    def turned(self, memory: Any) -> Any:
        """Memory at the start of a new branch, from the memory at the end of the last one."""
        return memory

    def inner_force(self, u: float, v: float, z: float) -> float:
        """The force from the inner state."""
        raise self.lacks(Face.RATE)

    def settled(self, u: float, v: float, z: float, memory: Any) -> Any:
        """Memory at deflection u, rate v and inner state z, on the branch of ``memory``."""
        raise self.lacks(Face.RATE)

    @property
    def by_rate(self) -> bool:
        """True if adaptive methods integrate `inner_rate` instead of calling `update`.

        Default: wherever the face is complete. A law whose update is exact for any step says False.
        """
        return Face.RATE in self.faces and type(self).settled is not Law.settled

    def corner(self, u: float, s: float, memory: Any) -> float:
        """The next deflection beyond u, in direction s = 1 or -1, where the force has a corner.

        `UNREACHABLE_DEFLECTION` times s if there is none. Reversals do not count: methods locate them themselves.
        """
        return UNREACHABLE_DEFLECTION * s

    def edge(self, u: float, v: float) -> float:
        """A function that changes sign where the force has a corner that depends on the rate; 1 without one."""
        return 1.0

    def contact_jumps(self) -> tuple[ContactJump, ...]:
        """Deflections at which the force jumps because a damper starts to act."""
        return ()

    @property
    def linear_force(self) -> LinearForce | None:
        """The coefficients of a law that is linear everywhere; its part of a model joins the matrices."""
        return None

    @property
    def rigid_friction(self) -> RigidFriction | None:
        """The limits of a law that is set-valued friction, which sticks without a spring."""
        return None

    @property
    def rigid_stop(self) -> RigidStop | None:
        """Gap and restitution of a law that is a rigid stop."""
        return None

    @property
    def rigid_contact(self) -> RigidContact | None:
        """Friction, gap and restitution of a law that is a rigid contact with friction."""
        return None

    @property
    def elastic_slider(self) -> ElasticSlider | None:
        """Stiffness and limit of a law that is one spring in series with one slider."""
        return None

    @property
    def elastic_contact(self) -> ElasticContact | None:
        """The numbers of a law with several deflections that is elastic friction under its own normal force.

        Its memory is its sliders, then all deflections.
        """
        return None

    @property
    def series_parts(self) -> tuple[Law, ...]:
        """The laws in series of which this law consists; none by default."""
        return ()

    @property
    def joint_parts(self) -> tuple[Law, ...]:
        """The laws between which a model may place joints, see `slipstick.model.series_joints`; none by default."""
        return ()

    def rest_deflections(self, u: float) -> tuple[float, ...]:
        """The deflections of `joint_parts` at rest at u."""
        del u
        return ()

    def part_motion(self, u: Array, t: Array) -> Array:
        """(parts, k) deflections of `joint_parts` along a period of u (k,) at times t (k,), followed twice."""
        del t
        return np.empty((0, u.size))

    @property
    def at_rest(self) -> Law:
        """The law without the dampers that would keep it from coming to rest at once."""
        return self

    def with_series_parts(self, parts: tuple[Law, ...]) -> Law:
        """The series with other parts."""
        return self

    @classmethod
    def own_kernel(cls, entry: str) -> Native | None:
        """The compiled "value" or "tangent" of a law that is not compiled from its source; None by default."""
        del entry
        return None

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
        """Stiffness and damping at deflection u in one of `state_names`; None: the state at rest at u."""
        self.refuse_state(state)
        _, k, c = self.tangent(u, 0.0, self.start(u))
        return Linearised(k, c)

    def lacks(self, face: Face) -> MissingFace:
        """The error for a face that this law lacks."""
        own = ", ".join(sorted(f.value for f in self.faces)) or "none"
        return MissingFace(f"{type(self).__name__} has no {face.value}; its faces: {own}")

    def lacks_time(self) -> MissingFace:
        """The error for the tangent of a law that is modulated in time."""
        return MissingFace(f"{type(self).__name__} is modulated in time here; take the tangent of the law itself")

    def refuse_state(self, state: str | None) -> None:
        """Raise unless ``state`` is None or one of `state_names`."""
        known = self.state_names
        if state is not None and state not in known:
            names = " or ".join(f'"{k}"' for k in known) if known else "none: it has no states"
            raise InvalidInput(f"state must be {names}, got {short_repr(state)}", owner=type(self).__name__)

    # ---- identification

    @staticmethod
    def start_values(loops: LoopView) -> Iterator[Law]:
        """Laws that a search may begin with, read off measured loops; none by default."""
        return iter(())

    @classmethod
    def has_start_values(cls) -> bool:
        """True if a search can begin without values from the user."""
        return cls.start_values is not Law.start_values

    @staticmethod
    def motion_start_values(motion: MotionView) -> list[MotionStart]:
        """Further laws to begin with, from the motion in time, best first; none by default."""
        return []

    @staticmethod
    def spring_start_values(loops: LoopView) -> Iterator[Law]:
        """Start values of a spring that another law acts beside; only for laws whose trait ``is_spring`` is set."""
        return iter(())

    @staticmethod
    def series_start_values(loops: LoopView) -> Iterator[Law]:
        """Start values of a spring or a gap in series with laws that dissipate; none by default."""
        return iter(())

    @property
    def spring_power_count(self) -> int:
        """Number of coefficients of a spring that is a polynomial in u, the constant included."""
        return 0

    def with_spring_powers(self, coefficients: Sequence[float]) -> Law:
        """The spring with these coefficients, lowest power first."""
        return self

    @classmethod
    def identified_forms(cls) -> tuple[Any, ...]:
        """Alternatives that `identify` compares where the class alone leaves a function open; none by default."""
        return ()

    def free_force_offset(self, low: float, high: float, force: float) -> bool:
        """True if a loop between two deflections stays at any force it starts with; ``force`` is a typical one."""
        return False

    # ---- words and drawings

    @property
    def diagram_symbol(self) -> DiagramSymbol:
        """The symbol of the law in the diagram of a model: a hysteresis loop if it has memory, else a spring."""
        return HYSTERESIS if any(leaf.law.remembers or leaf.law.has_stack for leaf in self.leaves()) else SPRING

    def equation(self) -> Any:
        """The law as SymPy equations."""
        from slipstick.laws.law_symbols import opaque_equation

        return opaque_equation(self)

    def units(self, system: str = "translation") -> dict[str, str]:
        """Units of the parameters by name; system "translation", "rotation" or "stress"."""
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


def _short(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.12g}"
    if isinstance(value, tuple):
        inner = ", ".join(_short(v) for v in value)
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if callable(value):
        return getattr(value, "__name__", "function")
    return repr(value)


def memory_array(memory: Any) -> Array | None:
    """A memory as an array of finite floats; None if it is not one."""
    try:
        packed = np.array(memory, dtype=float)
    except (TypeError, ValueError):
        return None
    return packed if packed.ndim == 1 and np.all(np.isfinite(packed)) else None
