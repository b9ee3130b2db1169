"""`System`: a mechanical system as plain data: coordinates, connections, loads and given matrices.

M q'' + C q' + K q + sum over connections of along * force(deflection) = loads.
`slipstick.api.Model` adds the methods (simulate, periodic, modes ...).
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from slipstick.errors import InvalidInput, arguments_in_words, finite_float, short_repr
from slipstick.laws.base import Law
from slipstick.laws.directions import DirectionForce, in_directions
from slipstick.laws.faces import Face
from slipstick.laws.followed_force import FollowedForce, followed_force
from slipstick.model.kind_inference import inferred_units
from slipstick.model.linear_forms import Form
from slipstick.model.state_space_element import StateSpace, connect_state_space
from slipstick.name_hints import did_you_mean
from slipstick.signals import NUMBER_TYPES, Constant, TimeFunction
from slipstick.symbolic import is_symbolic, may_be
from slipstick.units.dimensions import COORDINATE_KINDS
from slipstick.units.scales import UNKNOWN_UNITS, ModelUnits

if TYPE_CHECKING:
    import os

NAME_PATTERN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class Coordinate(Form):
    """One displacement or angle: with an inertia (may be zero), or with a prescribed motion.

    kind : "translation" or "rotation", for units on axes; empty unless declared.
    """

    kind = ""

    def __init__(
        self,
        name: str,
        inertia: float,
        displacement: float,
        velocity: float,
        motion: TimeFunction | None,
        owners: frozenset[object] = frozenset(),
    ) -> None:
        super().__init__({name: 1.0}, owners)
        self.name, self.inertia = name, inertia
        self.displacement, self.velocity, self.motion = displacement, velocity, motion

    @property
    def data(self) -> tuple[Any, ...]:
        return (self.name, self.inertia, self.displacement, self.velocity, self.motion)


@dataclass(frozen=True)
class Connection:
    """A law acting along a deflection; its force acts along ``along`` (the deflection itself, if power-conjugate)."""

    name: str
    deflection: Form
    law: Law
    along: Form

    @property
    def force(self) -> FollowedForce:
        """Its force, for a limit that follows it: ``DryFriction(limit=0.3 * m["spring"].force)``."""
        return FollowedForce(self.name)

    @property
    def is_conjugate(self) -> bool:
        """True if force times deflection rate is the power the connection takes."""
        return self.along == self.deflection


@dataclass(frozen=True)
class Load:
    """A force on a coordinate (or along a form of coordinates); it may have a name."""

    form: Form
    function: TimeFunction
    name: str = ""


@dataclass(frozen=True, eq=False)
class Matrices:
    """Mass, damping and stiffness from elsewhere, for the coordinates in ``names``; dense or SciPy sparse."""

    names: tuple[str, ...]
    mass: Any
    damping: Any
    stiffness: Any

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Matrices) or self.names != other.names:
            return False
        pairs = ((self.mass, other.mass), (self.damping, other.damping), (self.stiffness, other.stiffness))
        return all(np.array_equal(dense(a), dense(b)) for a, b in pairs)


def dense(matrix: Any) -> NDArray[np.float64]:
    """A matrix as a NumPy array."""
    return np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix, dtype=float)


@dataclass(eq=False)
class System:
    """Coordinates, connections and loads, in the order they were added."""

    name: str = "model"
    frequency: float | None = None
    coordinates: list[Coordinate] = field(default_factory=list, kw_only=True)
    connections: list[Connection] = field(default_factory=list, kw_only=True)
    loads: list[Load] = field(default_factory=list, kw_only=True)
    matrices: Matrices | None = field(default=None, kw_only=True)
    stated_units: ModelUnits = field(default=UNKNOWN_UNITS, init=False, repr=False)  # of a file or a published system
    mark: object = field(default_factory=object, init=False, repr=False)  # identifies its coordinates
    condensation: Any = field(default=None, init=False, repr=False)  # from a larger system, if there is one
    joints: Any = field(default=None, init=False, repr=False)  # coordinates between laws in series, if it has them
    without: tuple[str, ...] = field(default=(), init=False, repr=False)  # symbols that a reduction removed
    ready: Any = field(default=None, init=False, repr=False)  # cache of the solvers

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise InvalidInput(f'the name of a model must be text, such as Model("belt"), got {short_repr(self.name)}')
        if self.frequency is not None:
            self.frequency = finite_float("frequency", self.frequency)
            if self.frequency <= 0:
                raise InvalidInput("must be > 0 rad/s", subject="frequency", value=self.frequency, bound="> 0")

    @arguments_in_words
    def coordinate(
        self,
        name: str,
        *,
        inertia: float = 0.0,
        displacement: float = 0.0,
        velocity: float = 0.0,
        motion: TimeFunction | None = None,
        kind: str | None = None,
    ) -> Coordinate:
        """Add a coordinate: inertia [kg or kg m^2] with a start, or a prescribed motion (a function of time).

        kind : "translation" or "rotation": plots then show m, N or rad, N m. Coordinates that deflections add to this
            one without a factor have the same kind.
        """
        if not isinstance(name, str) or not NAME_PATTERN.fullmatch(name):
            raise InvalidInput(
                f"a coordinate's name has letters, digits and _ only, such as x1, got {short_repr(name)}"
            )
        if any(c.name == name for c in self.coordinates):
            raise InvalidInput(f'there is a coordinate "{name}" already; choose another name, or use m["{name}"]')
        where = f'coordinate "{name}"'
        mass = inertia if is_symbolic(inertia) else finite_float("inertia", inertia, where)
        if not may_be(mass, ">=", 0.0):
            raise InvalidInput("must be >= 0", owner=where, subject="inertia", value=mass, bound=">= 0")
        start = (finite_float("displacement", displacement, where), finite_float("velocity", velocity, where))
        if motion is not None:
            if not isinstance(motion, TimeFunction):
                words = f"motion must be a function of time (Ramp, Sine, Signal ...), got {short_repr(motion)}"
                raise InvalidInput(words + _function_hint(motion), owner=where)
            if start != (0.0, 0.0):
                words = "a prescribed motion sets displacement and velocity; leave them out"
                raise InvalidInput(words, owner=where)
        if kind not in (None, "", *COORDINATE_KINDS):
            words = f'must be "translation" or "rotation", got {short_repr(kind)}'
            raise InvalidInput(f"{words}{did_you_mean(str(kind), COORDINATE_KINDS)}", owner=where, subject="kind")
        new = Coordinate(name, mass, *start, motion, frozenset([self.mark]))
        if kind:
            new.kind = kind
        self.coordinates.append(new)
        return new

    @arguments_in_words
    def connect(
        self,
        deflection: Form | Sequence[Form],
        law: Law | StateSpace,
        *,
        name: str | None = None,
        along: Form | None = None,
    ) -> Any:
        """Add a connection: ``law`` acts along ``deflection``; its force along ``along`` where that differs.

        A law with several deflections takes a tuple of them, tangential ones first, and makes a connection of each:
        ``m.connect((t, n), law, name="pad")`` returns "pad.tangential" and "pad.normal".
        A `StateSpace` instead of a law adds its states, as coordinates without inertia, and several connections.
        """
        if isinstance(deflection, (tuple, list)):
            return self._connect_directions(deflection, law, name, along)
        name = self._free_name("connection", name, [c.name for c in self.connections])
        where = f'connection "{name}": '
        if not isinstance(law, Law | StateSpace):
            raise InvalidInput(
                f"{where}the law must be one such as ss.Linear(stiffness=1e5), got {short_repr(law)}{_swapped(law)}"
            )
        if isinstance(law, Law):
            if law.directions:
                raise InvalidInput(
                    f"{where}{type(law).__name__} takes a tuple of deflections, "
                    f"m.connect(({', '.join(law.directions)}), law)"
                )
            for leaf in law.leaves():
                _refuse_half_a_law(where, leaf.law)
                inner = (*leaf.law.series_parts, *(() if leaf.law is law else (leaf.law,)))
                if any(followed_force(part) is not None for part in inner):
                    words = "a limit that follows a force is for a law on its own, not for sums, scaling or series"
                    raise InvalidInput(words, owner=where.removesuffix(": "), advice=["connect each law by itself"])
        copied = isinstance(law, DirectionForce)  # of a copy; its force may act along nothing
        for what, form in (("deflection", deflection), ("along", None if copied else along)):
            if form is not None:
                self._check_form(where + what, form)
        assert isinstance(deflection, Form)
        if isinstance(law, Law) and not copied and followed_force(law) is not None:
            return self._connect_follower(name, deflection, law, along)
        if isinstance(law, StateSpace):
            return connect_state_space(self, deflection, law, name, along)
        new = Connection(name, Form(deflection.terms), law, Form((along or deflection).terms))
        self.connections.append(new)
        return new

    def _connect_follower(self, name: str, deflection: Form, law: Law, along: Form | None) -> tuple[Connection, ...]:
        """Connections of a law whose limit follows another force, see `slipstick.model.followed_limit`."""
        from slipstick.model.followed_limit import followers

        where = f'connection "{name}"'
        if along is not None:
            words = "along is for laws with a limit of their own; leave it out"
            raise InvalidInput(words, owner=where, argument="along")
        try:
            added = followers(self, name, deflection, law)
        except InvalidInput as refusal:
            raise InvalidInput(**refusal.message.with_owner(where).parts._asdict()) from None
        self.connections.extend(added)
        return added

    def _connect_directions(
        self, deflections: Sequence[Form], law: Law | StateSpace, name: str | None, along: Form | None
    ) -> tuple[Connection, ...]:
        """Connections of a law with several deflections, see `slipstick.laws.directions`."""
        taken = {c.name for c in self.connections} | {c.name.rpartition(".")[0] for c in self.connections}
        own = self._free_name("connection", name, sorted(taken))
        where = f'connection "{own}"'
        if not isinstance(law, Law):
            raise InvalidInput(
                f"the law must be one such as ss.FrictionContact(...), got {short_repr(law)}", owner=where
            )
        if along is not None:
            raise InvalidInput("along is for laws with one deflection; leave it out", owner=where, argument="along")
        try:
            parts = in_directions(law, len(deflections))
        except InvalidInput as refusal:
            raise InvalidInput(f"{where}: {refusal}") from None
        whole = parts[0].whole
        if not whole.directions:
            words = f"{type(law).__name__} takes one deflection, not a tuple; write m.connect(x, law)"
            raise InvalidInput(words, owner=where)
        for direction, form in zip(whole.directions, deflections, strict=True):
            self._check_form(f"{where}: deflection ({direction})", form)
        _refuse_half_a_law(where, whole)
        added = tuple(
            Connection(f"{own}.{direction}", Form(form.terms), part, Form(form.terms))
            for direction, form, part in zip(whole.directions, deflections, parts, strict=True)
        )
        self.connections.extend(added)
        return added

    @arguments_in_words
    def load(self, form: Form, function: TimeFunction | float, *, name: str | None = None) -> None:
        """Add a force along a coordinate or a form of coordinates; loads on the same one add up.

        name : by which `follow` finds its numbers, as in "forcing.amplitude".
        """
        self._check_form("load", form)
        if isinstance(function, NUMBER_TYPES) and not isinstance(function, bool):
            function = Constant(function)
        if not isinstance(function, TimeFunction):
            words = f"a load is a function of time (Constant, Cosine, Signal ...), got {short_repr(function)}"
            raise InvalidInput(words + _function_hint(function))
        own = "" if name is None else self._free_name("load", name, [load.name for load in self.loads])
        self.loads.append(Load(Form(form.terms), function, own))

    def __getitem__(self, name: str) -> Any:
        """The coordinate of that name, or else the connection."""
        named: list[Any] = [*self.coordinates, *self.connections]
        found = next((each for each in named if each.name == name), None)
        if found is None:
            known = [each.name for each in named]
            raise InvalidInput(f'no coordinate "{name}", nor a connection{did_you_mean(name, known)}')
        return found

    def find_coordinate(self, name: str) -> Coordinate:
        """The coordinate of that name."""
        for c in self.coordinates:
            if c.name == name:
                return c
        raise InvalidInput(f'no coordinate "{name}"{did_you_mean(name, [c.name for c in self.coordinates])}')

    def connection(self, name: str) -> Connection:
        """The connection of that name."""
        for c in self.connections:
            if c.name == name:
                return c
        raise InvalidInput(f'no connection "{name}"{did_you_mean(name, [c.name for c in self.connections])}')

    @property
    def units(self) -> ModelUnits:
        """Display units by coordinate and connection: those of its file, and those that follow from known kinds."""
        return inferred_units(self, self.stated_units)

    @units.setter
    def units(self, units: ModelUnits) -> None:
        self.stated_units = units

    def __eq__(self, other: object) -> bool:
        return isinstance(other, System) and self._data() == other._data()

    __hash__ = None  # type: ignore[assignment]

    def _data(self) -> tuple[Any, ...]:
        coordinates = [c.data for c in self.coordinates]
        return (self.name, self.frequency, coordinates, self.connections, self.loads, self.matrices)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "ready": None}  # a copy, or another process, fills its own cache

    def snapshot(self) -> Self:
        """A copy; later changes of either do not affect the other."""
        new = copy(self)
        new.coordinates = [copy(c) for c in self.coordinates]
        new.connections, new.loads = list(self.connections), list(self.loads)
        return new

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a YAML file that `slipstick.open` reads."""
        from slipstick.model.files import write_model

        write_model(self, path)

    def _as_coordinate(self, name: Any) -> str:
        """A hint for a name given where a coordinate is needed: m["x"]."""
        names = [c.name for c in self.coordinates]
        if not isinstance(name, str) or not names:
            return ""
        if name in names:
            return f'; m["{name}"] is that coordinate'
        return f'; m["{names[0]}"] is a coordinate{did_you_mean(name, names)}'

    def _check_form(self, what: str, form: Any) -> None:
        if not isinstance(form, Form):
            raise InvalidInput(
                f"{what} must be made of coordinates, such as x - 2 * y, got "
                f"{short_repr(form)}{self._as_coordinate(form)}"
            )
        if not form.terms:
            raise InvalidInput(f"{what} is always 0, since its coordinates cancel; check the signs")
        if form.owners - {self.mark}:
            raise InvalidInput(
                f'{form} has coordinates of another model than "{self.name}"; take its own, such as '
                f'm["{next(iter(form.terms))}"]',
                owner=what,
            )
        known = [c.name for c in self.coordinates]
        for name in form.terms:
            if name not in known:
                raise InvalidInput(f'no coordinate "{name}"{did_you_mean(name, known)}', owner=what)

    def _free_name(self, what: str, name: str | None, taken: list[str]) -> str:
        if name is None:
            return next(f"{what}{i}" for i in range(1, len(taken) + 2) if f"{what}{i}" not in taken)
        if not isinstance(name, str) or not name.strip():
            raise InvalidInput(f"the name of a {what} must be text, got {short_repr(name)}")
        if name in taken:
            raise InvalidInput(f'there is a {what} "{name}" already; choose another name')
        return name


def _swapped(law: object) -> str:
    """A hint for a deflection where a law is needed."""
    return "; write the deflection first: m.connect(x, law)" if isinstance(law, Form) else ""


def _refuse_half_a_law(where: str, law: Law) -> None:
    """Refuse a user's law without a force, or whose update does not return the memory."""
    if type(law).__module__.split(".")[0] == "slipstick":
        return
    own = type(law).__name__
    if not law.faces:
        words = "has no update(u, v, memory), which returns the force and the new memory; give it one"
        raise InvalidInput(f"{where}{own} {words}")
    if Face.VALUE not in law.faces:
        return
    if law.directions:
        still = (0.0,) * len(law.directions)
        law.checked_update(still, still, law.start(0.0))  # type: ignore[arg-type]
        return
    try:
        found: object = law.update(0.0, 0.0, law.start(0.0))
    except Exception:  # reported where the law is used
        return
    if not isinstance(found, tuple) or len(found) != 2:
        raise InvalidInput(
            f"{where}{own}.update must return two things, the force and the memory, got {short_repr(found)}"
        )


def _function_hint(value: Any) -> str:
    """Hint for a value given in place of a function of time; empty if none fits."""
    named = {np.sin: "Sine", math.sin: "Sine", np.cos: "Cosine", math.cos: "Cosine"}
    if callable(value):
        name = named.get(value) if value.__hash__ else None
        if name:
            return f"; ss.{name}(1.0, frequency=1.0) is that function"
        return "; sample it: t = np.linspace(0, until, 2001), ss.Signal(t, [f(x) for x in t])"
    if isinstance(value, (list, tuple, np.ndarray)):
        return "; samples need their times: ss.Signal(times, values)"
    return "; ss.Cosine(2.0, frequency=3.0) is one"
