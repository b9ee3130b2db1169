"""Dry friction: its limits, its pieces, its resolvent, and a limit that varies in time."""

from __future__ import annotations

import math
import warnings
from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

import slipstick as ss
from slipstick import signals
from slipstick.laws import friction
from slipstick.laws.base import Law, Leaf
from slipstick.laws.elastic import Linear
from slipstick.laws.faces import Face, Linearised
from slipstick.laws.friction import DryFriction
from slipstick.maps import sgn_interval
from slipstick.signals import Constant, Cosine, Fourier, Ramp, Signal, Sine

EPS = float(np.finfo(float).eps)
VARYING = Fourier(0.5, cos=(0.3,), order=1)


# ---- the force while it slides


def test_the_force_has_the_direction_of_the_motion_and_the_size_of_the_limit() -> None:
    law = DryFriction(limit=2.0)
    memory = law.start()
    f, memory = law.update(1.0, 0.0, memory)
    assert f == 2.0
    f, memory = law.update(0.5, 0.0, memory)
    assert f == -2.0
    f, memory = law.update(-3.0, 0.0, memory)
    assert f == -2.0


def test_while_it_rests_the_last_direction_is_kept() -> None:
    law = DryFriction(limit=2.0)
    memory = law.update(1.0, 0.0, law.start())[1]
    for _ in range(3):
        f, memory = law.update(1.0, 0.0, memory)
        assert f == 2.0


def test_before_it_has_moved_there_is_no_force() -> None:
    law = DryFriction(limit=2.0)
    assert law.update(0.0, 0.0, law.start())[0] == 0.0


def test_led_to_its_start_it_remembers_the_way_it_came() -> None:
    law = DryFriction(limit=2.0)
    assert law.update(3.0, 0.0, law.start(3.0))[0] == 2.0
    assert law.update(-3.0, 0.0, law.start(-3.0))[0] == -2.0


@given(st.lists(st.floats(-5.0, 5.0), min_size=1, max_size=20), st.floats(0.0, 10.0))
def test_the_force_never_exceeds_the_limit_and_never_gives_energy(path: list[float], limit: float) -> None:
    law = DryFriction(limit=limit)
    memory, last = law.start(), 0.0
    for u in path:
        f, memory = law.update(u, 0.0, memory)
        assert abs(f) <= limit
        assert f * (u - last) >= 0.0
        last = u


def test_the_update_leaves_the_law_alone() -> None:
    law = DryFriction(limit=2.0, damping=0.5)
    memory = law.start(1.0)
    first = law.update(2.0, 3.0, memory)
    law.update(-7.0, -1.0, memory)
    assert law.update(2.0, 3.0, memory) == first


def test_viscous_friction_adds_to_the_limit() -> None:
    law = DryFriction(limit=2.0, damping=0.5)
    assert law.needs_rate
    assert not DryFriction(limit=2.0).needs_rate
    assert law.update(1.0, 4.0, law.start())[0] == 4.0
    assert law.update(-1.0, -4.0, law.start())[0] == -4.0


# ---- pieces, resolvent, terms, linearised


def test_in_each_sliding_piece_the_force_is_that_of_the_update() -> None:
    law, rng = DryFriction(limit=2.0, damping=0.5), np.random.default_rng(1)
    pieces = {piece.name: piece for piece in law.pieces()}
    seen = {"slip+": 0, "slip-": 0}
    for u, step, speed in rng.uniform(-1.0, 1.0, (10_000, 3)).tolist():
        v = math.copysign(speed, step)
        f, _ = law.update(u + step, v, (u, 0.0))
        for name in seen:
            if all(guard.value.at(u, v, 0.0, 2.0) > 0.0 for guard in pieces[name].guards):
                seen[name] += 1
                assert pieces[name].force.at(u, v, 0.0, 2.0) == f
    assert min(seen.values()) > 1_000
    assert sum(seen.values()) == 10_000  # one of the two holds wherever there is a rate


def test_the_sliding_pieces_meet_at_rest_where_the_contact_sticks() -> None:
    pieces = {piece.name: piece for piece in DryFriction(limit=2.0, damping=0.5).pieces()}
    assert set(pieces) == {"slip-", "stick", "slip+"}
    assert pieces["stick"].sticks
    for name, v in (("slip+", 1.0), ("slip-", -1.0)):
        (guard,) = pieces[name].guards
        assert guard.to == "stick"
        assert not pieces[name].sticks
        assert guard.value.at(0.3, 0.0, 0.0, 2.0) == 0.0
        assert guard.value.at(0.3, v, 0.0, 2.0) > 0.0
        assert guard.value.at(0.3, -v, 0.0, 2.0) < 0.0


def test_the_resolvent_solves_its_inclusion() -> None:
    """x is in y + h (limit Sgn(y) + c y), and y = 0 exactly where the limit holds."""
    rng = np.random.default_rng(2)
    for _ in range(2_000):
        limit, c, h = rng.uniform(0.0, 3.0, 3).tolist()
        x = rng.normal() * 3.0
        y = DryFriction(limit=limit, damping=c).resolvent(x, h)
        low, high = sgn_interval(y)
        # luz, 1 + h c, its product and the quotient; then four products and two sums: all of at most |x| + h limit
        slack = 6 * EPS * (abs(x) + h * limit)
        assert y + h * (limit * low + c * y) - slack <= x <= y + h * (limit * high + c * y) + slack
        assert (y == 0.0) == (abs(x) <= h * limit)


def test_the_term_of_dry_friction_is_the_pair_of_drag_and_limit() -> None:
    (term,) = DryFriction(limit=2.0, damping=0.5).luz_tar_terms()
    assert term == ("friction", 0.5, 2.0)


def test_linearised_it_holds_the_contact_or_leaves_its_drag() -> None:
    law = DryFriction(limit=2.0, damping=0.5)
    assert law.linearised() == law.linearised("stick") == Linearised(0.0, 0.0, sticks=True)
    assert law.linearised("slip") == Linearised(0.0, 0.5)


def test_a_state_it_does_not_have_is_refused(refused: Any) -> None:
    with refused("DryFriction: state must be", '"stick" or "slip"', "contact"):
        DryFriction(limit=2.0).linearised("contact")


def test_it_has_the_faces_of_a_set_valued_law() -> None:
    assert DryFriction(limit=2.0).faces == {Face.PIECES, Face.RESOLVENT, Face.TERMS}
    assert DryFriction(limit=VARYING).faces == {Face.PIECES, Face.RESOLVENT}


# ---- static limit


def test_without_a_static_limit_the_ratio_is_one() -> None:
    assert DryFriction(limit=2.0).static_ratio == 1.0
    assert DryFriction(limit=2.0, static_limit=2.0).static_ratio == 1.0
    assert DryFriction(limit=0.0, static_limit=0.0).static_ratio == 1.0


def test_the_static_limit_is_a_multiple_of_the_limit() -> None:
    assert DryFriction(limit=2.0, static_limit=3.0).static_ratio == 1.5
    assert DryFriction(limit=0.0, static_limit=3.0).static_ratio == math.inf


def test_the_static_limit_does_not_change_the_sliding_force() -> None:
    law = DryFriction(limit=2.0, static_limit=3.0)
    assert law.update(1.0, 0.0, law.start())[0] == 2.0


def test_a_static_limit_below_the_limit_is_refused(refused: Any) -> None:
    with refused("static_limit must be >= limit (2.0), got 1.5", "leave it out"):
        DryFriction(limit=2.0, static_limit=1.5)


def test_a_varying_limit_takes_a_proportional_static_limit() -> None:
    law = DryFriction(limit=VARYING, static_limit=Fourier(0.75, cos=(0.45,), order=1))
    assert law.static_ratio == pytest.approx(1.5, rel=2 * EPS)


@pytest.mark.parametrize(
    "static",
    [
        1.0,
        Fourier(0.75, cos=(0.3,), order=1),
        Fourier(0.75, cos=(0.45,), order=2),
        Fourier(0.75, cos=(0.45,), frequency=1),
        Fourier(0.75, sin=(0.45,), order=1),
        Fourier(0.75, cos=(0.45, 0.1), order=1),
    ],
    ids=repr,
)
def test_a_static_limit_that_does_not_follow_the_varying_limit_is_refused(static: Any, refused: Any) -> None:
    with refused("static_limit must be limit times a constant", "varies in time"):
        DryFriction(limit=VARYING, static_limit=static)


def test_a_static_limit_proportional_but_smaller_is_refused(refused: Any) -> None:
    with refused("static_limit must be >= limit"):
        DryFriction(limit=VARYING, static_limit=Fourier(0.25, cos=(0.15,), order=1))


# ---- a limit that varies in time


def test_a_varying_limit_follows_its_function() -> None:
    law = DryFriction(limit=VARYING, damping=0.25)
    w = 3.0
    assert law.varies
    for t in np.linspace(0.0, 5.0, 57).tolist():
        f, _ = law.update(1.0, 2.0, law.start(), t, w)
        assert f == pytest.approx(0.5 + 0.3 * math.cos(w * t) + 0.5, rel=100 * EPS)
        f, _ = law.update(-1.0, -2.0, law.start(), t, w)
        assert f == pytest.approx(-(0.5 + 0.3 * math.cos(w * t)) - 0.5, rel=100 * EPS)


def test_its_leaves_are_a_unit_friction_times_the_limit_and_the_drag_beside_it() -> None:
    unit, drag = DryFriction(limit=VARYING, damping=0.25).leaves()
    assert unit == Leaf(DryFriction(limit=1.0), modulation=((VARYING, True),))
    assert drag == Leaf(Linear(damping=0.25))
    (alone,) = DryFriction(limit=VARYING, static_limit=Fourier(1.0, cos=(0.6,))).leaves()
    assert alone.law == DryFriction(limit=1.0, static_limit=2.0)


def test_a_constant_limit_is_its_own_leaf() -> None:
    law = DryFriction(limit=2.0, damping=0.25, static_limit=3.0)
    assert law.leaves() == (Leaf(law),)


def test_a_negative_limit_is_cut_off_at_zero_with_a_warning_that_says_how_long() -> None:
    """0.5 + cos: negative for arccos(0.5)/pi = 1/3 of the period."""
    with pytest.warns(UserWarning, match=r"negative for 33\.3 % of its period and is cut off at zero") as caught:
        law = DryFriction(limit=Constant(0.5) + Cosine(1.0, order=1, phase=0.3))
    assert len(caught) == 1
    assert caught[0].filename == __file__  # it points at the line that made the law
    t = math.pi - 0.3  # the minimum, -0.5
    assert law.update(1.0, 0.0, law.start(), t, 1.0)[0] == 0.0
    assert law.update(1.0, 0.0, law.start(), -0.3, 1.0)[0] == pytest.approx(1.5, rel=4 * EPS)


def test_the_normal_load_of_the_torsional_paper_is_cut_off_with_a_warning() -> None:
    """d = [0.6 0.2 0.1 0.3 -0.5] in the order mean, sin, cos, sin 2, cos 2 of (7): down to -0.036."""
    limit = Fourier(0.6, cos=(0.1, -0.5), sin=(0.2, 0.3))
    x = (np.arange(100_000) + 0.5) * 2.0 * math.pi / 100_000
    sampled = limit.at(x, 1.0)
    assert np.min(sampled) == pytest.approx(-0.036, abs=5e-4)
    percent = 100.0 * np.count_nonzero(sampled < 0.0) / 100_000
    with pytest.warns(UserWarning, match="cut off at zero") as caught:
        DryFriction(limit=limit)
    assert f"for {percent:.3g} % of its period" in str(caught[0].message)


def test_a_limit_that_stays_positive_or_touches_zero_gives_no_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        DryFriction(limit=VARYING)
        for phase in np.linspace(0.0, 6.0, 50).tolist():
            DryFriction(limit=Constant(0.5) + Cosine(0.5, frequency=30.0, phase=phase))


def test_a_varying_limit_has_no_terms_and_no_resolvent_of_its_own(refused: Any) -> None:
    law = DryFriction(limit=VARYING)
    with refused("DryFriction has no luz/tar terms", error=TypeError):
        law.luz_tar_terms()
    with refused("varying limit", "leaf"):
        law.resolvent(1.0, 0.1)


@pytest.mark.parametrize("limit", [Ramp(1.0), Signal((0.0, 1.0), (1.0, 2.0)), Constant(1.0) + Ramp(0.1)], ids=repr)
def test_a_limit_may_be_any_function_of_time(limit: Any) -> None:
    law = DryFriction(limit=limit, static_limit=limit)
    t = np.linspace(0.0, 2.0, 21)
    np.testing.assert_allclose(law.trace(t, t)[1:], limit.at(t)[1:], rtol=1e-15)
    assert law.static_ratio == 1.0


def test_a_static_limit_must_follow_the_limit(refused: Any) -> None:
    with refused("must be limit times a constant"):
        DryFriction(limit=Ramp(1.0), static_limit=Constant(2.0) + Ramp(1.0))


# ---- parameters


@pytest.mark.parametrize("name", ["limit", "damping", "static_limit"])
def test_a_parameter_below_zero_is_refused(name: str, refused: Any) -> None:
    with refused(f"DryFriction: {name} must be >= 0, got -0.5"):
        DryFriction(**{"limit": 0.0} | {name: -0.5})


@pytest.mark.parametrize("wrong", [math.nan, math.inf, "1", True, 1j, [1.0, 2.0]], ids=repr)
@pytest.mark.parametrize("name", ["limit", "damping", "static_limit"])
def test_what_is_no_finite_number_is_refused(name: str, wrong: Any, refused: Any) -> None:
    with refused(f"DryFriction: {name} must be "):
        DryFriction(**{"limit": 0.0} | {name: wrong})


def test_a_limit_must_be_given(refused: Any) -> None:
    with refused("DryFriction: limit must be a number, got None"):
        DryFriction(limit=None)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        DryFriction()  # type: ignore[call-arg]


def test_parameters_go_by_name_and_the_law_is_frozen() -> None:
    with pytest.raises(TypeError):
        DryFriction(2.0)  # type: ignore[call-arg]
    law = DryFriction(limit=2.0)
    with pytest.raises(FrozenInstanceError):
        law.limit = 3.0  # type: ignore[misc]
    assert law == DryFriction(limit=2)
    assert hash(law) == hash(DryFriction(limit=2))


@pytest.mark.parametrize(
    "law",
    [
        DryFriction(limit=2.0),
        DryFriction(limit=2.0, damping=0.5, static_limit=3.0),
        DryFriction(limit=VARYING, damping=0.5),
        DryFriction(limit=Constant(2.0) + Sine(0.5, frequency=3.0)),
    ],
    ids=repr,
)
def test_a_law_can_be_read_back_from_how_it_is_shown(law: DryFriction) -> None:
    assert eval(repr(law), vars(friction) | vars(signals)) == law


def test_units_are_spelt_out() -> None:
    law = ss.DryFriction(limit=2.0)
    fall = {"stribeck_velocity": "m/s", "stribeck_exponent": "1"}
    assert law.units() == {"limit": "N", "damping": "N s/m", "static_limit": "N"} | fall
    fall["stribeck_velocity"] = "rad/s"
    assert law.units("rotation") == {"limit": "N m", "damping": "N m s/rad", "static_limit": "N m"} | fall


# ---- Stribeck

STRIBECK = DryFriction(limit=2.0, static_limit=3.0, damping=0.1, stribeck_velocity=0.4, stribeck_exponent=1.5)


def test_the_sliding_force_falls_from_the_static_limit_over_the_rate() -> None:
    v = np.array([1e-9, 0.1, 0.4, 1.0, 8.0])
    want = 2.0 + np.exp(-((v / 0.4) ** 1.5)) + 0.1 * v
    u = np.cumsum(v)
    np.testing.assert_allclose(STRIBECK.trace(u, rate=v, memory=(0.0, 0.0)), want, rtol=1e-14)
    np.testing.assert_allclose(STRIBECK.trace(-u, rate=-v, memory=(0.0, 0.0)), -want, rtol=1e-14)


def test_the_smooth_forms_have_the_same_force_away_from_rest() -> None:
    sharp, round_ = STRIBECK.regularised("tanh", sharpness=1e4), STRIBECK.regularised("sqrt", rounding=1e-6, width=1e-4)
    for v in (0.01, 0.3, 2.0, -0.5):
        want = math.copysign(2.0 + math.exp(-((abs(v) / 0.4) ** 1.5)), v) + 0.1 * v
        assert sharp.update(0.0, v, ())[0] == pytest.approx(want, rel=1e-9)
        assert round_.update(0.0, v, ())[0] == pytest.approx(want, rel=1e-6)
    assert sharp.linearised().damping == pytest.approx(3.0 * 1e4 + 0.1)


def test_a_varying_limit_scales_the_whole_fall() -> None:
    law = DryFriction(
        limit=VARYING, static_limit=Fourier(0.75, cos=(0.45,), order=1), stribeck_velocity=0.4, stribeck_exponent=2.0
    )
    leaf = law.leaves()[0].law
    assert leaf == DryFriction(limit=1.0, static_limit=leaf.static_limit, stribeck_velocity=0.4)


def test_a_stribeck_velocity_needs_a_static_limit(refused: Any) -> None:
    with refused("DryFriction: stribeck_velocity needs a static_limit"):
        DryFriction(limit=2.0, stribeck_velocity=0.1)


def test_methods_that_cannot_take_a_falling_limit_say_so_in_one_line(refused: Any) -> None:
    m = ss.Model("belt")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, STRIBECK, name="brake")
    with refused('connection "brake" (DryFriction) has no pieces, which method "exact" needs', error=ss.MissingFace):
        m.simulate(until=1.0, method="exact")
    with refused('"brake"', "model: events", "regularised", error=ss.MissingFace):
        m.simulate(until=1.0, method="newmark")
    assert m.simulate(until=1.0).stats.method == "events"


def test_a_mass_on_a_belt_squeals_with_the_smooth_form_as_an_ode_solver_says() -> None:
    """The falling force drives a limit cycle at a slow belt."""
    law = DryFriction(limit=0.5, static_limit=1.0, stribeck_velocity=0.3).regularised("tanh", sharpness=50.0)
    m = ss.Model("belt")
    x = m.coordinate("x", inertia=1.0, displacement=0.9)
    belt = m.coordinate("belt", motion=ss.Ramp(0.2))
    m.connect(x, ss.Linear(stiffness=1.0), name="spring")
    m.connect(x - belt, law, name="brake")
    t = np.linspace(0.0, 20.0, 41)
    run = m.simulate(until=20.0, samples=t, method="events")

    def rhs(_t: float, y: np.ndarray) -> list[float]:
        w = y[1] - 0.2
        return [y[1], -y[0] - (0.5 + 0.5 * np.exp(-((w / 0.3) ** 2))) * np.tanh(50.0 * w)]

    want = solve_ivp(rhs, (0.0, 20.0), [0.9, 0.0], t_eval=t, rtol=1e-10, atol=1e-11, method="LSODA").y[0]
    np.testing.assert_allclose(run.data["displacement"].sel(coordinate="x"), want, atol=2e-4)
    assert np.ptp(want[20:]) > 0.3


def test_chords_of_the_fall_over_the_rate_stay_within_their_stated_error() -> None:
    v = np.concatenate([np.linspace(-9.0, -1e-6, 5001), np.linspace(1e-6, 9.0, 5001)])
    want = np.sign(v) * (2.0 + np.exp(-((np.abs(v) / 0.4) ** 1.5))) + 0.1 * v
    errors = []
    for points in (5, 10, 20):
        law = STRIBECK.discretised(points)
        friction, table = (term.law for term in law.as_terms())
        found = np.array([friction.limit * np.sign(x) + friction.damping * x + table.update(0.0, x, ())[0] for x in v])
        errors.append(np.abs(found - want).max())
        assert errors[-1] == pytest.approx(STRIBECK.discretisation_error(points), rel=0.02)
    assert errors[2] < errors[1] < errors[0]
    assert errors[2] < 0.02  # of a fall of one


def test_a_discretised_contact_sticks_and_slips_in_exact_runs() -> None:
    """A mass on a belt: it sticks up to the static limit, and slips as the smooth law of a sharp rise does."""

    def run(law: Law, **options: Any) -> Any:
        m = ss.Model("belt")
        x, belt = m.coordinate("x", inertia=1.0), m.coordinate("belt", motion=ss.Ramp(0.1))
        m.connect(x, ss.Linear(stiffness=10.0), name="spring")
        m.connect(x - belt, law, name="pad")
        return m.simulate(until=6.0, **options)

    law = DryFriction(limit=1.0, static_limit=1.5, stribeck_velocity=0.1)
    exact = run(law.discretised(20))
    smooth = run(law.regularised("tanh", sharpness=2e3), samples=exact.data["time"].values)
    assert exact.stats.method == "exact"
    assert exact.certificate.passed
    assert np.abs(exact.data["force"].sel(connection="pad")).max() <= 1.5 + 1e-9
    events = zip(*(exact.events[name] for name in ("time", "before", "after")), strict=True)
    released = next(t for t, before, after in events if before.startswith("stick") and after.startswith("slip"))
    x = np.interp(released, exact.data["time"], exact.data["displacement"].values[:, 0])
    assert x == pytest.approx(0.15, abs=1e-3)  # the spring pulls with the static limit
    np.testing.assert_allclose(
        exact.data["displacement"].values[:, 0], smooth.data["displacement"].values[:, 0], atol=5e-3
    )


def test_methods_name_the_form_that_they_take() -> None:
    m = ss.Model("block")
    m.connect(m.coordinate("x", inertia=1.0), STRIBECK, name="pad")
    with pytest.raises(ss.MissingFace, match=r'replace the friction of "pad" by law.discretised\(\) for exact'):
        m.simulate(until=1.0, method="newmark")
