"""Springs against their closed forms, and their pieces against their `update`."""

from __future__ import annotations

import math
from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slipstick.laws.base import Law
from slipstick.laws.elastic import Linear, Polynomial, parallel_linear
from slipstick.laws.faces import Face, Linearised
from slipstick.laws.piecewise_linear import Contact, Freeplay, PiecewiseLinear, TwoStage
from slipstick.maps import luz, sat

EPS = float(np.finfo(float).eps)

LAWS: list[Law] = [
    Linear(stiffness=1e3, damping=5.0, preload=-2.0),
    Polynomial(coefficients=(1.0, -2.0, 0.5, 3.0), damping=0.1),
    Freeplay(stiffness=1e3, half_gap=0.01),
    Freeplay(stiffness=1e3, half_gap=0.01, damping=4.0),
    TwoStage(stiffness=12.0, inner_ratio=0.25, half_gap=0.2, damping=0.3),
    PiecewiseLinear(breaks=(-1.0, 0.5, 2.0), slopes=(3.0, 1.0, -0.5, 10.0), value_at=(0.25, 7.0), damping=0.2),
    Contact(stiffness=50.0, gap=0.1),
    Contact(stiffness=50.0, gap=-0.1, damping=0.7),
]


def force(law: Law, u: float, v: float = 0.0) -> float:
    """The force of a law that remembers nothing."""
    f, memory = law.update(u, v, ())
    assert memory == ()
    return f


# ---- closed forms


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
def test_linear_is_spring_damper_and_preload(u: float, v: float) -> None:
    assert force(Linear(stiffness=3.0, damping=0.5, preload=-7.0), u, v) == 3.0 * u + 0.5 * v - 7.0
    assert force(Linear(), u, v) == 0.0


@given(st.lists(st.floats(-10.0, 10.0), min_size=1, max_size=6), st.floats(-3.0, 3.0), st.floats(-3.0, 3.0))
def test_a_polynomial_starts_with_its_constant(coefficients: list[float], u: float, v: float) -> None:
    law = Polynomial(coefficients=tuple(coefficients), damping=0.5)
    terms = [a * u**i for i, a in enumerate(coefficients)]
    # Horner: two roundings a coefficient, each of at most the sum of sizes
    bound = (2 * len(terms) + 2) * EPS * (math.fsum(abs(term) for term in terms) + abs(v)) + 1e-300
    assert abs(force(law, u, v) - math.fsum([*terms, 0.5 * v])) <= bound


def test_freeplay_is_stiffness_times_luz() -> None:
    law, rng = Freeplay(stiffness=250.0, half_gap=0.3), np.random.default_rng(1)
    for u in [*rng.uniform(-1.0, 1.0, 1_000).tolist(), 0.3, -0.3, 0.0]:
        assert force(law, u, 5.0) == 250.0 * luz(u, 0.3)


def test_freeplay_without_damping_does_not_need_the_rate() -> None:
    assert not Freeplay(stiffness=1.0, half_gap=0.1).needs_rate
    assert Freeplay(stiffness=1.0, half_gap=0.1, damping=0.1).needs_rate


@given(st.floats(-2.0, 2.0), st.floats(-100.0, 100.0))
def test_damped_freeplay_never_pulls_and_damps_only_while_touching(u: float, v: float) -> None:
    law = Freeplay(stiffness=10.0, half_gap=0.5, damping=2.0)
    f = force(law, u, v)
    if abs(u) <= 0.5:
        assert f == 0.0
    else:
        assert f * math.copysign(1.0, u) >= 0.0
        together = 10.0 * luz(u, 0.5) + 2.0 * v
        assert f == (together if together * u > 0.0 else 0.0)


def test_damped_freeplay_is_odd() -> None:
    law, rng = Freeplay(stiffness=10.0, half_gap=0.5, damping=2.0), np.random.default_rng(2)
    for u, v in rng.normal(size=(500, 2)).tolist():
        assert force(law, -u, -v) == -force(law, u, v)


@given(st.floats(-3.0, 3.0), st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_two_stage_is_equation_11_of_the_clutch_paper(delta: float, alpha: float, b: float) -> None:
    if delta > b:
        paper = delta - (1.0 - alpha) * b
    elif delta < -b:
        paper = delta + (1.0 - alpha) * b
    else:
        paper = alpha * delta
    law = TwoStage(stiffness=2.0, inner_ratio=alpha, half_gap=b)
    # luz, its remainder, product, sum here; difference, product, difference there; all of at most 3, doubled
    assert abs(force(law, delta) - 2.0 * paper) <= 7 * EPS * 3.0


def test_two_stage_is_luz_beyond_and_sat_within_plus_its_damping() -> None:
    law, rng = TwoStage(stiffness=8.0, inner_ratio=0.25, half_gap=0.5, damping=0.5), np.random.default_rng(3)
    for u, v in rng.uniform(-2.0, 2.0, (500, 2)).tolist():
        expected = 8.0 * (luz(u, 0.5) + 0.25 * sat(u, 0.5)) + 0.5 * v
        assert abs(force(law, u, v) - expected) <= 8 * EPS * 20.0


def test_two_stage_with_ratio_one_is_linear_and_with_ratio_zero_is_freeplay() -> None:
    for u in np.random.default_rng(4).uniform(-2.0, 2.0, 200).tolist():
        assert force(TwoStage(stiffness=3.0, inner_ratio=0.0, half_gap=0.5), u) == 3.0 * luz(u, 0.5)
        linear = force(TwoStage(stiffness=3.0, inner_ratio=1.0, half_gap=0.5), u)
        assert abs(linear - 3.0 * u) <= 4 * EPS * 6.0


def broken_line(law: PiecewiseLinear, u: Any) -> Any:
    """The force by interpolation between the corners, prolonged by the outer slopes."""
    corners = np.array(law.breaks)
    heights = np.concatenate(([0.0], np.cumsum(np.array(law.slopes[1:-1]) * np.diff(corners))))

    def line(x: Any) -> Any:
        inner = np.interp(x, corners, heights)
        return inner + law.slopes[0] * np.minimum(x - corners[0], 0) + law.slopes[-1] * np.maximum(x - corners[-1], 0)

    return law.value_at[1] + line(u) - line(law.value_at[0])


def test_piecewise_linear_agrees_with_interpolation_for_random_corners() -> None:
    rng = np.random.default_rng(5)
    for _ in range(300):
        n = int(rng.integers(1, 7))
        breaks, slopes = np.cumsum(rng.uniform(0.01, 2.0, n)) - 3.0, rng.normal(scale=10.0, size=n + 1)
        law = PiecewiseLinear(breaks=tuple(breaks), slopes=tuple(slopes), value_at=tuple(rng.normal(scale=4.0, size=2)))
        u = np.concatenate((rng.uniform(-10.0, 15.0, 30), breaks, [law.value_at[0]]))
        # at most n + 1 steps of a difference, a product and a sum, on each side of the comparison
        size = abs(law.value_at[1]) + np.max(np.abs(slopes)) * (15.0 + 3.0 + np.max(np.abs(breaks)))
        bound = 6 * (n + 1) * 0.5 * EPS * size * 2
        found = np.array([force(law, x) for x in u.tolist()])
        assert np.max(np.abs(found - broken_line(law, u))) <= bound
        assert force(law, law.value_at[0]) == law.value_at[1]


def test_piecewise_linear_may_pass_through_a_corner() -> None:
    law = PiecewiseLinear(breaks=(0.0, 1.0), slopes=(1.0, 2.0, 4.0), value_at=(1.0, 10.0))
    assert [force(law, u) for u in (-1.0, 0.0, 0.5, 1.0, 2.0)] == [7.0, 8.0, 9.0, 10.0, 14.0]


def test_contact_pushes_on_one_side_only() -> None:
    law = Contact(stiffness=50.0, gap=0.25)
    assert [force(law, u, -9.0) for u in (-1.0, 0.0, 0.25, 0.5, 1.25)] == [0.0, 0.0, 0.0, 12.5, 50.0]
    preloaded = Contact(stiffness=50.0, gap=-0.25)
    assert force(preloaded, 0.0) == 12.5


@given(st.floats(-2.0, 2.0), st.floats(-100.0, 100.0))
def test_damped_contact_never_pulls(u: float, v: float) -> None:
    f = force(Contact(stiffness=10.0, gap=0.5, damping=2.0), u, v)
    assert f == (max(10.0 * (u - 0.5) + 2.0 * v, 0.0) if u > 0.5 else 0.0)


def test_freeplay_is_two_contacts_back_to_back() -> None:
    both = Freeplay(stiffness=10.0, half_gap=0.5, damping=2.0)
    one = Contact(stiffness=10.0, gap=0.5, damping=2.0)
    for u, v in np.random.default_rng(6).normal(size=(500, 2)).tolist():
        assert force(both, u, v) == force(one, u, v) - force(one, -u, -v)


def test_beside_leaves_out_what_does_nothing() -> None:
    assert parallel_linear(0.0) == ()
    (leaf,) = parallel_linear(2.0, 0.5, 1.0)
    assert leaf.law == Linear(stiffness=2.0, damping=0.5, preload=1.0)


# ---- pieces

WITH_PIECES = [law for law in LAWS if Face.PIECES in law.faces]


def damped_contact(law: Law) -> bool:
    return isinstance(law, (Freeplay, Contact)) and law.damping > 0.0


def samples(law: Law) -> list[tuple[float, float]]:
    """Random (u, v) of the size of the law's corners, and the corners themselves."""
    rng = np.random.default_rng(7)
    scale = 0.03 if isinstance(law, Freeplay) else 0.6 if isinstance(law, (TwoStage, Contact)) else 4.0
    points = rng.uniform(-scale, scale, (10_000, 2))
    if isinstance(law, (Freeplay, TwoStage)):
        points[:200, 0] = rng.choice([-1.0, 1.0], 200) * law.half_gap
    if isinstance(law, Contact):
        points[:200, 0] = law.gap
    if isinstance(law, PiecewiseLinear):
        points[:200, 0] = rng.choice(law.breaks, 200)
    if damped_contact(law):
        points[:, 1] *= 300.0  # fast enough for spring and damper to pull
    points[200:400, 1] = 0.0
    return [(u, v) for u, v in points.tolist()]


def sizes(law: Law) -> float:
    """A bound for any force or guard term that occurs at the samples."""
    largest = max(sum(abs(number) for number in piece.force) for piece in law.pieces())
    return 10.0 * largest + 10.0


@pytest.mark.parametrize("law", WITH_PIECES, ids=repr)
def test_where_the_guards_of_a_piece_hold_its_force_is_the_force_of_the_law(law: Law) -> None:
    bound, seen = 12 * EPS * sizes(law), dict.fromkeys((piece.name for piece in law.pieces()), 0)
    for u, v in samples(law):
        for piece in law.pieces():
            margin = min((guard.value.at(u, v, 0.0) for guard in piece.guards), default=math.inf)
            # on the very edge a damper that begins to act makes the force jump; elsewhere it is continuous
            if margin > 0.0 or (margin == 0.0 and not damped_contact(law)):
                seen[piece.name] += 1
                assert abs(piece.force.at(u, v, 0.0) - force(law, u, v)) <= bound, (piece.name, u, v)
    assert min(seen.values()) > 100  # every piece was met


@pytest.mark.parametrize("law", WITH_PIECES, ids=repr)
def test_the_pieces_cover_the_plane(law: Law) -> None:
    for u, v in samples(law):
        assert any(all(guard.value.at(u, v, 0.0) >= 0.0 for guard in piece.guards) for piece in law.pieces()), (u, v)


@pytest.mark.parametrize("law", WITH_PIECES, ids=repr)
def test_pieces_have_distinct_names_and_lead_to_pieces_that_exist(law: Law) -> None:
    names = [piece.name for piece in law.pieces()]
    assert len(set(names)) == len(names)
    for piece in law.pieces():
        assert not piece.sticks
        assert not piece.moves
        assert all(guard.to in names and guard.to != piece.name for guard in piece.guards)


@pytest.mark.parametrize("law", [law for law in WITH_PIECES if not damped_contact(law)], ids=repr)
def test_where_a_guard_ends_the_piece_it_leads_to_has_the_same_force(law: Law) -> None:
    """Springs are continuous: at u on a guard both pieces agree, whatever the rate."""
    pieces = {piece.name: piece for piece in law.pieces()}
    for piece in pieces.values():
        for guard in piece.guards:
            u = -guard.value.constant / guard.value.u
            for v in (-1.0, 0.0, 2.0):
                here, there = piece.force.at(u, v, 0.0), pieces[guard.to].force.at(u, v, 0.0)
                assert abs(here - there) <= 8 * EPS * sizes(law)


def test_the_free_piece_of_freeplay_has_exactly_no_force() -> None:
    free = {piece.name: piece for piece in Freeplay(stiffness=3.0, half_gap=0.1, damping=1.0).pieces()}["free"]
    assert not any(free.force)


def test_a_damped_contact_leaves_before_it_would_pull() -> None:
    contact = {piece.name: piece for piece in Contact(stiffness=10.0, gap=0.5, damping=2.0).pieces()}["contact"]
    assert all(guard.value.at(1.0, -2.4, 0.0) > 0.0 for guard in contact.guards)
    assert any(guard.value.at(1.0, -2.6, 0.0) < 0.0 for guard in contact.guards)


def test_a_polynomial_has_no_pieces(refused: Any) -> None:
    with refused("Polynomial has no pieces", "its faces", error=TypeError):
        LAWS[1].pieces()


# ---- luz and tar terms, Taylor coefficients


@pytest.mark.parametrize(
    "law",
    [
        Linear(stiffness=3.0, damping=0.25),
        Freeplay(stiffness=3.0, half_gap=0.5),
        TwoStage(stiffness=3.0, inner_ratio=0.25, half_gap=0.5, damping=0.125),
    ],
    ids=repr,
)
def test_the_terms_of_a_spring_add_to_its_force(law: Law) -> None:
    for u, v in np.random.default_rng(8).normal(size=(300, 2)).tolist():
        total = 0.0
        for term in law.luz_tar_terms():
            if term.kind == "spring":
                total += term.factor * luz(u, term.width)
            else:
                assert term.width == 0.0  # a damper: friction without a limit
                total += term.factor * v
        assert abs(total - force(law, u, v)) <= 10 * EPS * (3.0 * abs(u) + abs(v) + 1.0)


def test_what_luz_cannot_say_is_refused(refused: Any) -> None:
    with refused("Linear", "preload", "Constant load"):
        Linear(stiffness=1.0, preload=2.0).luz_tar_terms()
    with refused("Freeplay", "damping", "damping=0"):
        Freeplay(stiffness=1.0, half_gap=0.1, damping=0.5).luz_tar_terms()


def test_taylor_coefficients_of_a_polynomial_are_those_of_the_composition() -> None:
    law, x = Polynomial(coefficients=(1.0, -2.0, 0.5, 3.0)), np.array([0.3, -1.0, 0.7, 0.2, -0.1])
    series = np.polynomial.Polynomial(x)
    composed = 1.0 - 2.0 * series + 0.5 * series**2 + 3.0 * series**3
    assert np.max(np.abs(law.taylor(x, np.zeros_like(x)) - np.asarray(composed.coef[:5], dtype=float))) <= 100 * EPS


def test_taylor_coefficients_of_a_linear_spring_carry_its_preload_once() -> None:
    assert Linear(stiffness=2.0, preload=5.0).taylor(np.array([1.0, 2.0, 3.0]), np.zeros(3)).tolist() == [7.0, 4.0, 6.0]


# ---- linearised


def test_a_linear_spring_is_its_own_linearisation() -> None:
    assert LAWS[0].linearised() == Linearised(1e3, 5.0)


@pytest.mark.parametrize("law", [LAWS[3], LAWS[4], LAWS[5], LAWS[7]], ids=repr)
def test_the_linearised_law_is_the_slope_of_the_force_at_rest(law: Law) -> None:
    for u, _ in samples(law)[1_000:1_300]:
        h = 1e-7
        k = (force(law, u + h) - force(law, u - h)) / (2.0 * h)
        if abs(k - (force(law, u + 2 * h) - force(law, u - 2 * h)) / (4.0 * h)) > 1e-6 * (1.0 + abs(k)):
            continue  # a corner between
        found = law.linearised(u=u)
        assert found.stiffness == pytest.approx(k, rel=1e-6, abs=1e-6)
        assert not found.sticks


@pytest.mark.parametrize("law", [LAWS[3], LAWS[7]], ids=repr)
def test_contact_and_free_can_be_chosen(law: Any) -> None:
    assert law.linearised("contact") == Linearised(law.stiffness, law.damping)
    assert law.linearised("free") == Linearised(0.0, 0.0)


def test_the_stages_of_a_two_stage_spring_can_be_chosen() -> None:
    assert LAWS[4].linearised("contact") == Linearised(12.0, 0.3)
    assert LAWS[4].linearised("free") == Linearised(3.0, 0.3)


def test_the_stages_of_a_broken_line_can_be_chosen() -> None:
    assert [LAWS[5].linearised(f"stage{i}").stiffness for i in range(4)] == [3.0, 1.0, -0.5, 10.0]
    assert [LAWS[5].linearised(u=u).stiffness for u in (-2.0, 0.0, 1.0, 3.0)] == [3.0, 1.0, -0.5, 10.0]


def test_a_freeplay_without_a_gap_is_linearised_as_a_spring() -> None:
    assert Freeplay(stiffness=3.0, half_gap=0.0).linearised() == Linearised(3.0, 0.0)
    assert TwoStage(stiffness=3.0, inner_ratio=0.5, half_gap=0.0).linearised() == Linearised(3.0, 0.0)


@pytest.mark.parametrize(
    ("law", "state", "known"),
    [
        (LAWS[0], "stick", "none: it has no states"),
        (LAWS[2], "stick", '"contact" or "free"'),
        (LAWS[4], "slip", '"contact" or "free"'),
        (LAWS[5], "stage4", '"stage3"'),
        (LAWS[6], "closed", '"contact" or "free"'),
    ],
)
def test_a_state_that_a_spring_does_not_have_is_refused(law: Law, state: str, known: str, refused: Any) -> None:
    with refused(type(law).__name__, "state must be", known, state):
        law.linearised(state)


# ---- parameters

GOOD: dict[type[Law], dict[str, Any]] = {
    Linear: {"stiffness": 1.0, "damping": 0.1, "preload": 0.5},
    Polynomial: {"coefficients": (1.0, 2.0), "damping": 0.1},
    Freeplay: {"stiffness": 1.0, "half_gap": 0.1, "damping": 0.1},
    TwoStage: {"stiffness": 1.0, "inner_ratio": 0.5, "half_gap": 0.1, "damping": 0.1},
    PiecewiseLinear: {"breaks": (0.0, 1.0), "slopes": (1.0, 2.0, 3.0), "value_at": (0.0, 0.0), "damping": 0.1},
    Contact: {"stiffness": 1.0, "gap": 0.1, "damping": 0.1},
}
SCALARS = [(cls, name) for cls, good in GOOD.items() for name, value in good.items() if isinstance(value, float)]
AT_LEAST_ZERO = [
    (cls, name)
    for cls, name in SCALARS
    if (cls, name) not in {(Linear, "stiffness"), (Linear, "damping"), (Linear, "preload"), (Polynomial, "damping")}
    and name != "gap"
]


@pytest.mark.parametrize(("cls", "name"), AT_LEAST_ZERO)
def test_a_parameter_below_its_bound_is_refused(cls: Any, name: str, refused: Any) -> None:
    for wrong in (-1e-300, -2.5):
        with refused(f"{cls.__name__}: {name} must be >= 0, got {wrong:g}"):
            cls(**GOOD[cls] | {name: wrong})
    cls(**GOOD[cls] | {name: 0.0})


def test_an_inner_ratio_above_one_is_refused(refused: Any) -> None:
    with refused("TwoStage: inner_ratio must be <= 1, got 1.5"):
        TwoStage(stiffness=1.0, inner_ratio=1.5, half_gap=0.1)


@pytest.mark.parametrize("wrong", [math.nan, math.inf, -math.inf, None, "1", True, 1j, [1.0, 2.0]], ids=repr)
@pytest.mark.parametrize(("cls", "name"), SCALARS)
def test_what_is_no_finite_number_is_refused(cls: Any, name: str, wrong: Any, refused: Any) -> None:
    with refused(f"{cls.__name__}: {name} must be "):
        cls(**GOOD[cls] | {name: wrong})


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"slopes": (1.0, 2.0)}, ["slopes must be one more than breaks", "2 and 2"]),
        ({"breaks": (1.0, 1.0)}, ["breaks must increase"]),
        ({"breaks": (1.0, 0.0)}, ["breaks must increase"]),
        ({"breaks": ()}, ["breaks must have at least one number"]),
        ({"breaks": (0.0, math.nan)}, ["breaks[1] must be finite"]),
        ({"slopes": (1.0, "2", 3.0)}, ["slopes[1] must be a number"]),
        ({"slopes": 3.0}, ["slopes must be a list of numbers"]),
        ({"value_at": (1.0,)}, ["value_at must be a pair"]),
        ({"value_at": (1.0, math.inf)}, ["value_at[1] must be finite"]),
    ],
)
def test_a_broken_line_refuses_lists_that_do_not_fit(change: dict[str, Any], words: list[str], refused: Any) -> None:
    with refused("PiecewiseLinear", *words):
        PiecewiseLinear(**GOOD[PiecewiseLinear] | change)


def test_a_polynomial_refuses_lists_that_are_none(refused: Any) -> None:
    for wrong, words in [((), "at least one"), ("12", "list of numbers"), ((1.0, math.nan), "coefficients[1]")]:
        with refused("Polynomial", words):
            Polynomial(coefficients=wrong)  # type: ignore[arg-type]


def test_parameters_become_plain_floats_and_tuples() -> None:
    law = PiecewiseLinear(breaks=np.array([0, 1]), slopes=[1, 2, 3], value_at=[0, np.float32(2)])  # type: ignore[arg-type]
    assert law.parameters() == {"breaks": (0.0, 1.0), "slopes": (1.0, 2.0, 3.0), "value_at": (0.0, 2.0), "damping": 0.0}
    assert all(type(x) is float for x in (*law.breaks, *law.slopes, *law.value_at, law.damping))


@pytest.mark.parametrize("cls", GOOD)
def test_parameters_go_by_name_and_unknown_names_are_refused(cls: Any) -> None:
    with pytest.raises(TypeError):
        cls(*GOOD[cls].values())
    with pytest.raises(TypeError):
        cls(**GOOD[cls], stifness=1.0)


@pytest.mark.parametrize("law", LAWS, ids=repr)
def test_laws_are_frozen_equal_by_value_and_can_be_keys(law: Any) -> None:
    with pytest.raises(FrozenInstanceError):
        law.damping = 1.0
    twin = type(law)(**law.parameters())
    assert twin == law
    assert hash(twin) == hash(law)
    assert type(law)(**law.parameters() | {"damping": law.damping + 1.0}) != law


@pytest.mark.parametrize("law", LAWS, ids=repr)
def test_a_law_can_be_read_back_from_how_it_is_shown(law: Law) -> None:
    assert eval(repr(law), {type(law).__name__: type(law)}) == law


def test_defaults_are_not_shown() -> None:
    assert repr(Freeplay(stiffness=1e3, half_gap=0.01)) == "Freeplay(stiffness=1000, half_gap=0.01)"
    assert repr(Polynomial(coefficients=[1])) == "Polynomial(coefficients=(1,))"  # type: ignore[arg-type]


def test_units_are_spelt_out_for_lengths_angles_and_strains() -> None:
    law = Freeplay(stiffness=1.0, half_gap=0.1)
    assert law.units() == {"stiffness": "N/m", "half_gap": "m", "damping": "N s/m"}
    assert law.units("rotation") == {"stiffness": "N m/rad", "half_gap": "rad", "damping": "N m s/rad"}
    assert law.units("stress") == {"stiffness": "Pa", "half_gap": "1", "damping": "Pa s"}
    assert LAWS[1].units() == {"coefficients": "N, N/m, N/m^2, N/m^3", "damping": "N s/m"}
    assert LAWS[4].units()["inner_ratio"] == "1"
    broken = LAWS[5].units()
    assert broken["breaks"] == "m, m, m"
    assert broken["slopes"] == "N/m, N/m, N/m, N/m"
    assert broken["value_at"] == "m, N"
    assert LAWS[0].units()["preload"] == "N"
    assert LAWS[6].units() == {"stiffness": "N/m", "gap": "m", "damping": "N s/m"}
