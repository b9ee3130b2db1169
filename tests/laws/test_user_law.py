"""Laws that users write: a class with an update, and everything else for free; mistakes in words."""

from __future__ import annotations

import math
import math as m
from math import exp as e_to_the
from typing import Any

import numpy as np
import pytest
from laws.reference_solutions import EPS
from laws.user_laws import Hardening, U, V, by_update, rounded

import slipstick as ss
from slipstick.laws.base import Law
from slipstick.laws.faces import Face
from slipstick.laws.parameters import parameter
from slipstick.scalar import play, sgn
from slipstick.units.dimensions import STIFFNESS

HALF = 0.5


# ---- four laws of at most twenty lines


class Slider(Law):
    """Jenkins again, by a user."""

    stiffness: float = parameter(STIFFNESS, above=0.0)
    limit: float
    remembers = ("slider",)

    def update(self, u, v, memory):
        s = play(memory[0], u, self.limit / self.stiffness)
        return self.stiffness * (u - s), (s,)


class Helped(Law):
    """Helper functions, numbers of the module, functions of math under three names, a method."""

    stiffness: float
    width: float = 0.2
    sharpness = 3.0

    def update(self, u, v, memory):
        curve = self.stiffness * rounded(u, self.width) * sgn(u) + self.wave(u)
        return curve + math.tanh(self.sharpness * v) - m.cos(u) + e_to_the(-u * u), memory

    def wave(self, x):
        return HALF * math.sin(self.sharpness * x)


class Looped(Law):
    """Loops over parameters, and a memory that decays."""

    coefficients: tuple[float, ...] = parameter(kind="numbers")
    rate: float = 0.3
    remembers = ("last", "state")

    def update(self, u, v, memory):
        last, state = memory
        total = 0.0
        for i in range(len(self.coefficients) - 1, -1, -1):
            total = total * u + self.coefficients[i]
        steps = 0
        while steps < 3:
            state += self.rate * (u - last - state) / 3.0
            steps += 1
        return total + state, (u, state)


LAWS: list[Law] = [
    Hardening(stiffness=2.0),
    Slider(stiffness=2.0, limit=0.6),
    Helped(stiffness=1.5),
    Looped(coefficients=(0.1, 1.0, -0.2)),
]
IDS = [type(law).__name__ for law in LAWS]


@pytest.mark.parametrize("law", LAWS, ids=IDS)
def test_a_users_law_is_compiled_and_is_what_its_python_is(law: Law, caplog: pytest.LogCaptureFixture) -> None:
    found = law.trace(U, rate=V)
    np.testing.assert_allclose(found, by_update(law), rtol=0, atol=4 * EPS * np.abs(found).max())
    assert caplog.messages == []  # not in Python, slowly


@pytest.mark.parametrize("law", LAWS, ids=IDS)
def test_its_tangent_is_the_derivative_of_its_update(law: Law) -> None:
    memory = law.start(0.1)
    for u, v in ((0.35, 0.8), (-0.55, -0.4), (1.3, 0.1)):
        f, k, c = law.tangent(u, v, memory)
        assert f == pytest.approx(law.update(u, v, memory)[0], rel=1e-14)
        h = 1e-6
        du = (law.update(u + h, v, memory)[0] - law.update(u - h, v, memory)[0]) / (2 * h)
        dv = (law.update(u, v + h, memory)[0] - law.update(u, v - h, memory)[0]) / (2 * h)
        assert (k, c) == (pytest.approx(du, abs=1e-7), pytest.approx(dv, abs=1e-7))


@pytest.mark.parametrize("law", LAWS, ids=IDS)
def test_it_goes_into_sums_scales_and_modulations(law: Law) -> None:
    spring = ss.Linear(stiffness=0.5)
    q, t = ss.Cosine(2.0, frequency=1.0), np.arange(9.0)
    plain = law.trace(U, rate=V)
    np.testing.assert_allclose((law + spring).trace(U, rate=V), plain + 0.5 * U, rtol=0, atol=1e-14)
    scaled = law.scaled(deflection=2.0, force=3.0).trace(U, rate=V)
    np.testing.assert_allclose(scaled, 3.0 * law.trace(2.0 * U, rate=2.0 * V), rtol=0, atol=1e-13)
    np.testing.assert_allclose(law.modulated(q).trace(U, t, rate=V), 2.0 * np.cos(t) * plain, rtol=0, atol=1e-14)


def test_a_users_slider_is_the_packages() -> None:
    u = np.cumsum(np.random.default_rng(1).normal(size=500))
    found = Slider(stiffness=2.0, limit=0.6).trace(u)
    np.testing.assert_allclose(found, ss.Jenkins(stiffness=2.0, limit=0.6).trace(u), rtol=0, atol=1e-13)


@pytest.mark.parametrize("law", LAWS, ids=IDS)
def test_it_has_the_face_of_an_update_and_no_other(law: Law, refused: Any) -> None:
    assert law.faces == {Face.VALUE}
    for ask in (law.pieces, lambda: law.resolvent(0.0, 1.0), lambda: law.taylor(U, V), law.luz_tar_terms):
        with refused(f"{type(law).__name__} has no", "its faces: value and tangent", error=ss.MissingFace):
            ask()


def test_it_is_frozen_keyword_only_equal_by_value_and_shown() -> None:
    law = Hardening(stiffness=2)
    assert law == Hardening(stiffness=2.0, cubic=0.25)
    assert hash(law) == hash(Hardening(stiffness=2.0))
    assert repr(law) == "Hardening(stiffness=2)"
    assert repr(Looped(coefficients=[1, 2])) == "Looped(coefficients=(1, 2))"
    with pytest.raises(AttributeError):
        law.stiffness = 3.0  # type: ignore[misc]
    assert law.units() == {"stiffness": "1", "cubic": "1"}
    assert Slider(stiffness=1.0, limit=1.0).units()["stiffness"] == "N/m"
    assert "Hardening" in str(law.equation())


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Hardening(), "Hardening needs stiffness"),
        (lambda: Hardening(stiffness="a"), "Hardening: stiffness must be a number, got 'a'"),
        (lambda: Hardening(stiffness=math.nan), "Hardening: stiffness must be finite, got nan"),
        (lambda: Hardening(stifness=1.0), 'Hardening has no parameter "stifness" (did you mean "stiffness"?)'),
        (lambda: Hardening(2.0), "Hardening takes named parameters"),
        (lambda: Slider(stiffness=0.0, limit=1.0), "Slider: stiffness must be > 0, got 0"),
        (lambda: Looped(coefficients=3.0), "Looped: coefficients must be a list of numbers, got 3.0"),
    ],
)
def test_its_parameters_are_checked(make: Any, words: str, refused: Any) -> None:
    with refused(words):
        make()


def test_a_law_without_update_says_so(refused: Any) -> None:
    class Empty(Law):
        stiffness: float

    assert Empty(stiffness=1.0).faces == frozenset()
    with refused("Empty has no update(u, v, memory): write one", error=ss.MissingFace):
        Empty(stiffness=1.0).update(0.0, 0.0, ())


def test_a_law_may_be_made_inside_a_function_and_use_what_is_there(caplog: pytest.LogCaptureFixture) -> None:
    factor = 3.0

    def doubled(x: float) -> float:
        return 2.0 * x

    class Inner(Law):
        stiffness: float

        def update(self, u, v, memory):
            return factor * doubled(self.stiffness * u), memory

    np.testing.assert_allclose(Inner(stiffness=0.5).trace([0.0, 1.0, -2.0]), [0.0, 3.0, -6.0])
    assert caplog.messages == []


def test_laws_of_one_name_do_not_get_into_each_others_way() -> None:
    def make(factor: float) -> Law:
        class Same(Law):
            stiffness: float

            def update(self, u, v, memory):
                return factor * self.stiffness * u, memory

        return Same(stiffness=1.0)

    one, two = make(1.0), make(2.0)
    assert one.trace([1.0])[0] == 1.0
    assert two.trace([1.0])[0] == 2.0
    assert (one + two).trace([1.0])[0] == 3.0


def test_a_law_may_extend_another() -> None:
    class Stiffer(Hardening):
        more: float = 1.0

        def update(self, u, v, memory):
            return (self.stiffness + self.more) * u + self.cubic * u**3, memory

    law = Stiffer(stiffness=2.0, more=3.0)
    np.testing.assert_allclose(law.trace([1.0, 2.0]), [5.25, 12.0])


def test_a_property_that_is_named_may_be_used() -> None:
    class Derived(Law):
        stiffness: float
        limit: float
        derived = ("width",)

        @property
        def width(self):
            return self.limit / self.stiffness

        def update(self, u, v, memory):
            return min(max(u, -self.width), self.width) * self.stiffness, memory

    np.testing.assert_array_equal(Derived(stiffness=2.0, limit=1.0).trace([0.25, 4.0]), [0.5, 1.0])


# ---- mistakes


def test_an_update_that_returns_only_a_force_is_refused(refused: Any) -> None:
    class OnlyForce(Law):
        k: float = 2.0

        def update(self, u, v, memory):
            return self.k * u

    with refused("OnlyForce.update must return the force and the memory, got 0.0"):
        OnlyForce().trace(U)


def test_a_memory_of_the_wrong_size_is_refused(refused: Any) -> None:
    class Short(Law):
        remembers = ("a", "b")

        def update(self, u, v, memory):
            return u, (u,)

    with refused("memory of Short must be a tuple of 2 finite numbers (a, b)", "got (0.0,)"):
        Short().trace(U)


def test_a_memory_that_is_no_tuple_is_refused(refused: Any) -> None:
    class Bare(Law):
        remembers = ("a",)

        def update(self, u, v, memory):
            return u, u

    with refused("memory of Bare must be a tuple of 1 finite numbers (a)", "got 0.0"):
        Bare().trace(U)


def test_a_force_that_is_no_number_is_refused(refused: Any) -> None:
    class Words(Law):
        def update(self, u, v, memory):
            return str(u), memory

    with refused("Words.update must return the force and the memory, got ('0.0', ())"):
        Words().trace(U)


def test_an_update_with_other_arguments_is_refused_where_it_is_written(refused: Any) -> None:
    with refused("Few.update must take (self, u, v, memory)"):

        class Few(Law):
            def update(self, u, v):
                return u


def test_a_law_that_reads_the_rate_asks_for_it(refused: Any) -> None:
    class Damper(Law):
        c: float = 2.0

        def update(self, u, v, memory):
            return self.c * v, memory

    assert Damper().needs_rate
    assert not Hardening(stiffness=1.0).needs_rate
    with refused("Damper() depends on the rate"):
        Damper().trace(U)
    np.testing.assert_array_equal(Damper().trace(U, rate=V), 2.0 * V)


class Root(Law):
    """Has no force below zero."""

    def update(self, u, v, memory):
        return math.sqrt(u), memory


class Inverse(Law):
    def update(self, u, v, memory):
        return 1.0 / u, memory


class Beyond(Law):
    values: tuple[float, ...] = parameter(kind="numbers", default=(1.0, 2.0))

    def update(self, u, v, memory):
        return self.values[int(u)], memory


class Unfinished(Law):
    def update(self, u, v, memory):  # noqa: RET503
        if u < 1.0:
            return u, memory


class RootInPython(Law):
    def update(self, u, v, memory):
        values = [u]
        return math.sqrt(values[0]), memory


@pytest.mark.parametrize(
    ("law", "bad", "words"),
    [
        (Root(), -1.0, "the force of Root() is nan at sample 2 (u = -1)"),
        (Inverse(), 0.0, "the force of Inverse() is inf at sample 2 (u = 0)"),
        (Beyond(), 2.0, "the force of Beyond() is nan at sample 2 (u = 2)"),
        (Beyond(), -3.0, "the force of Beyond() is nan at sample 2 (u = -3)"),
        (Unfinished(), 1.0, "the force of Unfinished() is nan at sample 2 (u = 1)"),
        (RootInPython(), -1.0, "RootInPython() fails at sample 2 (u = -1): math domain error"),
    ],
)
def test_where_a_law_has_no_force_trace_says_so(law: Law, bad: float, words: str, refused: Any) -> None:
    with refused(words, error=ss.NotConverged):
        law.trace([0.25, 0.5, bad, 0.75])


def test_indices_count_from_the_end_as_in_python() -> None:
    np.testing.assert_array_equal(Beyond().trace([0.0, 1.0, -1.0, -2.0]), [1.0, 2.0, 2.0, 1.0])
