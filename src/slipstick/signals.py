"""Functions of time for loads, prescribed motions, and limits or stiffnesses that vary.

Functions of time can be added. A frequency is in rad/s, or an order: a multiple of the base frequency, which the model
or the frequency of a response curve supplies later. Time is absolute.

    Constant(3.5) + Cosine(122.1, order=1, phase=0.4)

Every function reduces to the same `Parts` (a constant, a ramp, harmonics, sampled signals), which the solvers read.
In a run the base frequency may vary: then orders follow the `Angle` of the shaft.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from slipstick.angle import Angle
from slipstick.arrays import Array
from slipstick.errors import Advice, InvalidInput, fields_in_words, finite_float, number_error, short_repr
from slipstick.periodicity import common_period, negative_share

NUMBER_TYPES = (int, float, np.integer, np.floating)


def hz(value: float) -> float:
    """Cycles per second to rad/s."""
    return 2.0 * math.pi * float(value)


def rpm(value: float) -> float:
    """Revolutions per minute to rad/s."""
    return hz(float(value) / 60.0)  # in this order rpm(1800) is hz(30) to the bit


class Harmonic(NamedTuple):
    """cos * cos(x) + sin * sin(x), x = omega t + rate t^2/2; omega in rad/s, or a multiple of the base frequency.

    rate : [rad/s^2] of a chirp, else 0.
    """

    omega: float
    cos: float
    sin: float
    is_order: bool
    rate: float = 0.0


Base = float | Angle | None  # orders are multiples of a base frequency [rad/s], or in a run-up of an angle


class Parts(NamedTuple):
    """Parts of a function of time: constant + ramp * t + harmonics + sampled signals."""

    constant: float
    ramp: float
    harmonics: tuple[Harmonic, ...]
    signals: tuple[Signal, ...]


class TimeFunction:
    """Base of all functions of time. They can be added, subtracted, and multiplied by a number."""

    __array_ufunc__ = None  # NumPy numbers on the left use `__radd__`

    def parts(self) -> Parts:
        raise AttributeError(f"{type(self).__name__} must define parts()")

    def __add__(self, other: object) -> TimeFunction:
        if isinstance(other, NUMBER_TYPES):
            other = Constant(other)  # type: ignore[arg-type]
        if not isinstance(other, TimeFunction):
            return NotImplemented
        return Sum((*_terms(self), *_terms(other)))

    def __radd__(self, other: object) -> TimeFunction:
        if not isinstance(other, NUMBER_TYPES):
            return NotImplemented
        return self if other == 0 else Constant(other) + self  # type: ignore[arg-type]

    def __neg__(self) -> TimeFunction:
        return self * -1.0

    def __sub__(self, other: object) -> TimeFunction:
        if isinstance(other, NUMBER_TYPES):
            return self + -other
        return self + -other if isinstance(other, TimeFunction) else NotImplemented

    def __rsub__(self, other: object) -> TimeFunction:
        return -self + other if isinstance(other, NUMBER_TYPES) else NotImplemented

    def __mul__(self, factor: object) -> TimeFunction:
        """The function times a number."""
        if not isinstance(factor, NUMBER_TYPES):
            return NotImplemented
        return self._times(float(factor))

    __rmul__ = __mul__

    def _times(self, factor: float) -> TimeFunction:
        raise AttributeError(f"{type(self).__name__} cannot be multiplied by a number")

    @property
    def has_order(self) -> bool:
        """True if a base frequency is needed to know this function."""
        return any(h.is_order for h in self.parts().harmonics)

    @property
    def is_periodic(self) -> bool:
        """True if it repeats (a constant does): no ramp, no chirp, no sampled signal."""
        parts = self.parts()
        return parts.ramp == 0.0 and not parts.signals and all(h.rate == 0.0 for h in parts.harmonics)

    def at(self, t: ArrayLike, frequency: Base = None, derivative: int = 0) -> Any:
        """The value at times t, or its first or second derivative; ``frequency`` is the base frequency or angle."""
        if derivative not in (0, 1, 2):
            raise InvalidInput(f"derivative must be 0, 1 or 2, got {short_repr(derivative)}")
        time = np.asarray(t, dtype=float)
        constant, ramp, _, signals = self.parts()
        out = np.zeros_like(time)
        if derivative == 0:
            out += constant + ramp * time
        elif derivative == 1:
            out += ramp
        for omega, c, s in self.harmonics_at(frequency):
            # each derivative multiplies by omega and turns the phase by a quarter
            turn = 0.5 * math.pi * derivative
            out += omega**derivative * (c * np.cos(omega * time + turn) + s * np.sin(omega * time + turn))
        for angle, c, s in self.sweeps_at(frequency):
            out += angle.wave(c, s, time, derivative)
        for signal in signals:
            out += signal.sampled(time, derivative)
        return float(out) if out.ndim == 0 else out

    def sweeps_at(self, frequency: Base) -> list[tuple[Angle, float, float]]:
        """(angle, cos, sin) of every harmonic whose frequency varies: chirps, and orders along an angle."""
        found = []
        for h in self.parts().harmonics:
            if h.rate != 0.0:
                found.append((Angle((0.0,), (0.0,), (h.omega,), (h.rate,)), h.cos, h.sin))
            elif h.is_order and isinstance(frequency, Angle):
                found.append((frequency.scaled(h.omega), h.cos, h.sin))
        return found

    def harmonics_at(self, frequency: Base) -> list[tuple[float, float, float]]:
        """(omega, cos, sin) of each harmonic of constant frequency; an order is multiplied by the base frequency."""
        resolved = []
        for h in self.parts().harmonics:
            if h.rate != 0.0 or (h.is_order and isinstance(frequency, Angle)):
                continue  # one of `sweeps_at`
            if h.is_order and frequency is None:
                way = Advice("pass {frequency} or give the model one")
                raise InvalidInput(f"{self!r} has an order and needs a base frequency", advice=[way])
            omega = h.omega
            if h.is_order and frequency is not None and not isinstance(frequency, Angle):
                if not 0.0 < frequency < math.inf:
                    raise InvalidInput(f"the base frequency must be finite and > 0, got {short_repr(frequency)} rad/s")
                omega *= frequency
            resolved.append((omega, h.cos, h.sin))
        return resolved

    def period(self, frequency: float | None = None) -> float:
        """The smallest common period [s] of a periodic function; 0 for a constant."""
        return common_period(omega for omega, _, _ in self.oscillation(frequency))

    def oscillation(self, frequency: float | None) -> list[tuple[float, float, float]]:
        """(omega, cos, sin) of the nonzero harmonics of a periodic function. Refuses any other function."""
        if not self.is_periodic:
            raise InvalidInput(f"{self!r} is not periodic: it has a ramp, a chirp or a sampled signal")
        return [h for h in self.harmonics_at(frequency) if h[1] != 0.0 or h[2] != 0.0]


def _number(owner: str, name: str, value: Any) -> float:
    if not isinstance(value, NUMBER_TYPES):
        raise number_error(owner, name, value)
    return finite_float(name, value, owner)


def _numbers(owner: str, name: str, values: Any) -> tuple[float, ...]:
    if hasattr(values, "__array__"):  # arrays, and objects that convert to one, such as a table column
        values = np.asarray(values)
        if values.ndim == 1 and values.dtype.kind in "fiu" and np.all(np.isfinite(values)):
            return tuple(values.astype(float).tolist())
    flat = values.ndim == 1 if isinstance(values, np.ndarray) else isinstance(values, Sequence)
    if isinstance(values, (str, bytes)) or not flat:
        raise InvalidInput("must be a list of numbers", owner=owner, subject=name, value=values, got=short_repr(values))
    return tuple(_number(owner, f"{name}[{i}]", v) for i, v in enumerate(values))


class _Function(TimeFunction):
    """Base of the shapes below: checks their numbers, converts them to floats and tuples, and has a short repr."""

    def __post_init__(self) -> None:
        owner = type(self).__name__
        for f in fields(self):  # type: ignore[arg-type]
            value = getattr(self, f.name)
            if f.metadata.get("list"):
                clean: Any = _numbers(owner, f.name, value)
            elif value is None and f.default is None:
                clean = None
            else:
                clean = _number(owner, f.name, value)
            object.__setattr__(self, f.name, clean)
        self._check()

    sizes: ClassVar[tuple[str, ...]] = ("amplitude",)  # the fields that a factor multiplies

    def _check(self) -> None:
        """Bounds beyond finiteness."""

    def _times(self, factor: float) -> TimeFunction:
        def times(value: Any) -> Any:
            return tuple(factor * x for x in value) if isinstance(value, tuple) else factor * value

        return replace(self, **{name: times(getattr(self, name)) for name in self.sizes})  # type: ignore[type-var]

    def __repr__(self) -> str:
        shown_fields = []
        for i, f in enumerate(fields(self)):  # type: ignore[arg-type]
            value = getattr(self, f.name)
            if i == 0 and not f.kw_only:
                shown_fields.append(_short(value))
            elif value != f.default:
                shown_fields.append(f"{f.name}={_short(value)}")
        return f"{type(self).__name__}({', '.join(shown_fields)})"


def _short(value: Any) -> str:
    if isinstance(value, tuple):
        inner = ", ".join(f"{v:.12g}" for v in value[:6])
        return f"({inner}{', ...' if len(value) > 6 else ',' if len(value) == 1 else ''})"
    return f"{value:.12g}"


# names of arguments in other packages, and the hint to give
ALIASES = {
    **dict.fromkeys(("freq", "f", "f0", "omega", "w", "angular_frequency"), "frequency= in rad/s, ss.hz(3) for 3 Hz"),
    **dict.fromkeys(("hz", "Hz"), "frequency=ss.hz(...)"),
    "rpm": "frequency=ss.rpm(...)",
    **dict.fromkeys(("amp", "ampl", "a"), "amplitude="),
    **dict.fromkeys(("phi", "phase_angle"), "phase= in rad"),
    **dict.fromkeys(("t", "time"), "times="),
}


@fields_in_words(ALIASES)
@dataclass(frozen=True, repr=False)
class Constant(_Function):
    """The same value at all times."""

    sizes = ("value",)
    value: float

    def parts(self) -> Parts:
        return Parts(self.value, 0.0, (), ())


@fields_in_words(ALIASES)
@dataclass(frozen=True, repr=False)
class Ramp(_Function):
    """rate * t."""

    sizes = ("rate",)
    rate: float

    def parts(self) -> Parts:
        return Parts(0.0, self.rate, (), ())


def _one_frequency(owner: str, frequency: float | None, order: float | None) -> tuple[float, bool]:
    """(multiple or rad/s, is_order) from the pair frequency=, order=, of which one must be given."""
    if (frequency is None) == (order is None):
        way = Advice("give {frequency} or {order}, a multiple of the base frequency")
        raise InvalidInput("needs either a frequency or an order", owner=owner, advice=[way])
    name, value = ("frequency", frequency) if frequency is not None else ("order", order)
    if not value or value <= 0:
        way = Advice("use {constant} for a constant")
        raise InvalidInput(
            "must be > 0", owner=owner, subject=name, value=value, got=str(value), bound="> 0", advice=[way]
        )
    return value, frequency is None


@fields_in_words(ALIASES)
@dataclass(frozen=True, repr=False)
class Cosine(_Function):
    """amplitude * cos(omega t + phase), omega = frequency [rad/s] or order times the base frequency."""

    amplitude: float
    frequency: float | None = field(default=None, kw_only=True)
    order: float | None = field(default=None, kw_only=True)
    phase: float = field(default=0.0, kw_only=True)

    def _check(self) -> None:
        _one_frequency(type(self).__name__, self.frequency, self.order)

    def parts(self) -> Parts:
        omega, is_order = _one_frequency(type(self).__name__, self.frequency, self.order)
        c, s = self.amplitude * math.cos(self.phase), -self.amplitude * math.sin(self.phase)
        return Parts(0.0, 0.0, (Harmonic(omega, c, s, is_order),), ())


@fields_in_words(ALIASES)
@dataclass(frozen=True, repr=False)
class Sine(Cosine):
    """amplitude * sin(omega t + phase), omega = frequency [rad/s] or order times the base frequency."""

    def parts(self) -> Parts:
        omega, is_order = _one_frequency(type(self).__name__, self.frequency, self.order)
        c, s = self.amplitude * math.sin(self.phase), self.amplitude * math.cos(self.phase)
        return Parts(0.0, 0.0, (Harmonic(omega, c, s, is_order),), ())


@fields_in_words(ALIASES)
@dataclass(frozen=True, repr=False)
class Chirp(_Function):
    """amplitude * cos(frequency t + rate t^2/2 + phase): a cosine whose frequency [rad/s] grows by rate [rad/s^2]."""

    amplitude: float
    frequency: float
    rate: float
    phase: float = 0.0

    def parts(self) -> Parts:
        c, s = self.amplitude * math.cos(self.phase), -self.amplitude * math.sin(self.phase)
        if self.rate != 0.0:
            return Parts(0.0, 0.0, (Harmonic(self.frequency, c, s, False, self.rate),), ())
        if self.frequency == 0.0:
            return Parts(c, 0.0, (), ())
        return Parts(0.0, 0.0, (Harmonic(abs(self.frequency), c, math.copysign(s, s * self.frequency), False),), ())


@fields_in_words(ALIASES)
@dataclass(frozen=True, repr=False)
class Fourier(_Function):
    """mean + sum over n of cos[n-1] cos(n omega t) + sin[n-1] sin(n omega t).

    omega = frequency [rad/s], or order (default 1) times the base frequency.
    """

    sizes = ("mean", "cos", "sin")
    mean: float = 0.0
    cos: tuple[float, ...] = field(default=(), kw_only=True, metadata={"list": True})
    sin: tuple[float, ...] = field(default=(), kw_only=True, metadata={"list": True})
    frequency: float | None = field(default=None, kw_only=True)
    order: float | None = field(default=None, kw_only=True)

    def _check(self) -> None:
        if self.frequency is None and self.order is None:
            object.__setattr__(self, "order", 1.0)
        _one_frequency("Fourier", self.frequency, self.order)

    def parts(self) -> Parts:
        omega, is_order = _one_frequency("Fourier", self.frequency, self.order)
        count = max(len(self.cos), len(self.sin))
        cos = self.cos + (0.0,) * (count - len(self.cos))
        sin = self.sin + (0.0,) * (count - len(self.sin))
        harmonics = tuple(Harmonic((n + 1) * omega, cos[n], sin[n], is_order) for n in range(count))
        return Parts(self.mean, 0.0, harmonics, ())


@fields_in_words(ALIASES)
@dataclass(frozen=True, repr=False)
class Signal(_Function):
    """Samples, linear between them; a repeated time is a jump; the end values hold outside.

    times : (n,) [s], not decreasing.   values : (n,).
    """

    sizes = ("values",)
    times: tuple[float, ...] = field(metadata={"list": True})
    values: tuple[float, ...] = field(metadata={"list": True})

    def _check(self) -> None:
        if len(self.times) != len(self.values):
            raise InvalidInput(
                f"{len(self.times)} times but {len(self.values)} values; give one value for each time", owner="Signal"
            )
        if not self.times:
            raise InvalidInput("at least one sample is needed", owner="Signal")
        for i in range(1, len(self.times)):
            if self.times[i] < self.times[i - 1]:
                raise InvalidInput(
                    f"times must not decrease, got {self.times[i]:g} after {self.times[i - 1]:g}", owner="Signal"
                )
            if i > 1 and self.times[i] == self.times[i - 2]:
                raise InvalidInput(
                    f"time {self.times[i]:g} appears more than twice; a jump is two samples at one time", owner="Signal"
                )

    def parts(self) -> Parts:
        return Parts(0.0, 0.0, (), (self,))

    @cached_property
    def arrays(self) -> tuple[Array, Array]:
        """Times and values, (n,) each."""
        return np.asarray(self.times, dtype=float), np.asarray(self.values, dtype=float)

    def sampled(self, t: Array, derivative: int = 0) -> Array:
        """The value (the later one at a jump), its slope, or zero for the second derivative."""
        times, values = self.arrays
        if derivative > 1 or (derivative == 1 and times.size == 1):
            return np.zeros_like(t)
        right = np.searchsorted(times, t, side="right")
        left = np.clip(right - 1, 0, times.size - 1)
        right = np.clip(right, 0, times.size - 1)
        span = times[right] - times[left]
        slope = np.divide(values[right] - values[left], span, out=np.zeros_like(span), where=span > 0)
        return np.asarray(slope if derivative == 1 else values[left] + slope * (t - times[left]), dtype=float)


@dataclass(frozen=True)
class Sum(TimeFunction):
    """Several functions of time, added."""

    terms: tuple[TimeFunction, ...]

    def parts(self) -> Parts:
        each = [term.parts() for term in self.terms]
        return Parts(
            math.fsum(p.constant for p in each),
            math.fsum(p.ramp for p in each),
            tuple(h for p in each for h in p.harmonics),
            tuple(s for p in each for s in p.signals),
        )

    def _times(self, factor: float) -> TimeFunction:
        return Sum(tuple(term * factor for term in self.terms))

    def __repr__(self) -> str:
        return " + ".join(repr(term) for term in self.terms)


def _terms(function: TimeFunction) -> tuple[TimeFunction, ...]:
    return function.terms if isinstance(function, Sum) else (function,)


def share_below_zero(function: TimeFunction, frequency: float | None = None) -> float:
    """The share of a period in which a periodic function is negative, to rounding."""
    return negative_share(function.parts().constant, function.oscillation(frequency))
