"""Faces of a law: the forms in which methods use it, and the data they consist of.

A law is written once, as an `update`. A method names the face that it needs, and refuses a law without it; the message
names the law and the methods that would work.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class Face(Enum):
    """A form in which methods use a law."""

    VALUE = "value and tangent"
    RATE = "memory rate"
    RESOLVENT = "resolvent"
    PIECES = "pieces"
    TAYLOR = "Taylor coefficients"
    TERMS = "luz/tar terms"


class Affine(NamedTuple):
    """constant + u * deflection + v * rate + w * stretch: the force of a piece, or a guard.

    ``limit`` multiplies the sliding limit, which may vary in time; elsewhere it is 0.
    ``partner`` and ``partner_rate`` multiply the deflection and rate of the next direction, in laws with several.
    """

    constant: float = 0.0
    u: float = 0.0
    v: float = 0.0
    w: float = 0.0
    limit: float = 0.0
    partner: float = 0.0
    partner_rate: float = 0.0

    def at(self, u: float, v: float, w: float, limit: float = 0.0) -> float:
        return self.constant + self.u * u + self.v * v + self.w * w + self.limit * limit


class Guard(NamedTuple):
    """A piece is valid while ``value`` >= 0; where it would become negative, the piece ``to`` follows."""

    value: Affine
    to: str


class Piece(NamedTuple):
    """One state of an element in which its force is affine.

    name   : the state: "stick", "slip+", "slip-", "contact+", "free", ...
    force  : the force in this state; unused where ``sticks`` is true.
    guards : the conditions under which it is valid.
    moves  : the stretch w follows the deflection (w' = v); otherwise it is constant.
    sticks : the rate is zero and the force is a reaction (set-valued friction).
    stretch : the stretch that the piece prescribes, constant + partner * deflection of the next direction; None: w is
        kept, or moves.
    """

    name: str
    force: Affine
    guards: tuple[Guard, ...] = ()
    moves: bool = False
    sticks: bool = False
    stretch: Affine | None = None


class Term(NamedTuple):
    """One luz/tar term of a law: factor * luz(u, width), or factor * u, or factor v + width Sgn(v).

    kind : "spring" (factor luz(u, width); width 0 is a plain spring) or "friction" (the pair C, F).
    """

    kind: str
    factor: float
    width: float


class LinearForce(NamedTuple):
    """A force stiffness * u + damping * v + preload at every deflection and rate."""

    stiffness: float
    damping: float
    preload: float


class RigidFriction(NamedTuple):
    """Set-valued friction: limit Sgn(v) + damping * v in slip, any force up to ``static_limit`` in stick.

    static_limit : None where it equals ``limit``.
    """

    limit: float
    damping: float
    static_limit: float | None


class RigidStop(NamedTuple):
    """A rigid stop: deflection <= gap, and rate after an impact = -restitution * rate before it."""

    gap: float
    restitution: float


class RigidContact(NamedTuple):
    """A rigid contact with friction: normal deflection <= gap, |tangential force| <= friction * normal force, and
    normal rate after an impact = -restitution * rate before it.

    normal_stiffness : where another connection presses, of its spring, which begins at the gap; 0: rigid.
    """

    friction: float
    gap: float
    restitution: float
    normal_stiffness: float = 0.0


class ElasticSlider(NamedTuple):
    """A spring in series with a slider. The memory of its law is one number, the position of the slider."""

    stiffness: float
    limit: float

    @property
    def width(self) -> float:
        """The stretch of the spring at which the slider yields."""
        return self.limit / self.stiffness


class ElasticContact(NamedTuple):
    """A normal spring and damper beyond a deflection, and friction with a tangential spring of this stiffness."""

    normal_stiffness: float
    normal_damping: float
    touches_at: float
    tangential_stiffness: float
    friction: float


class ContactJump(NamedTuple):
    """A side that touches at a deflection with its damper: the force jumps there.

    side : 1 if the sides touch above ``deflection``, -1 if below.
    """

    deflection: float
    stiffness: float
    damping: float
    side: float


class Linearised(NamedTuple):
    """A law in one of its states: force = stiffness * du + damping * v, or stick by friction."""

    stiffness: float
    damping: float
    sticks: bool = False
