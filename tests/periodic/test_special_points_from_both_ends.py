"""Special points do not depend on the end that a curve begins at, and every change of stability has one."""

from __future__ import annotations

from itertools import pairwise

import pytest

import slipstick as ss


def freeplay_and_quadratic_spring():
    m = ss.Model("freeplay and quadratic spring")
    a, b = m.coordinate("a", inertia=1.0), m.coordinate("b", inertia=0.5)
    m.connect(a, ss.Linear(stiffness=1.0, damping=0.05))
    m.connect(b - a, ss.Linear(stiffness=1.0, damping=0.05))
    m.connect(a, ss.Freeplay(stiffness=3.0, half_gap=0.3))
    m.connect(b - a, ss.Polynomial(coefficients=(0.0, 0.0, 0.2, 0.3)))
    m.load(b, ss.Cosine(0.2, order=1))
    return m


def contact_and_two_stages():
    m = ss.Model("contact and two stages")
    a, b = m.coordinate("a", inertia=1.0), m.coordinate("b", inertia=0.34786)
    m.connect(a, ss.Linear(stiffness=1.0, damping=0.03041))
    m.connect(b - a, ss.Linear(stiffness=1.2375, damping=0.03041))
    m.connect(a, ss.Contact(stiffness=2.5439, gap=0.1487, damping=0.1))
    m.connect(b - a, ss.TwoStage(stiffness=3.6149, inner_ratio=0.2, half_gap=0.21375))
    m.load(b, ss.Cosine(0.19346, order=1))
    return m


def one_sided_contact():
    """Its pair of multipliers meets at -0.75, and one of the two is beyond -1 by 6e-4 from 0.8721 to 0.8763 rad/s."""
    m = ss.Model("one-sided contact")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.08))
    m.connect(x, ss.Contact(stiffness=6.0, gap=0.2))
    m.load(x, ss.Cosine(0.4, order=1))
    return m


# of each: a range with a pair of period doublings, and one orbit between the two that was looked at by itself
CASES = [
    (freeplay_and_quadratic_spring, (1.7, 1.86), 1.784, "shooting"),
    (freeplay_and_quadratic_spring, (1.5, 2.0), 1.784, "harmonic-balance"),
    (contact_and_two_stages, (0.9, 1.05), 0.9815, "shooting"),
    (one_sided_contact, (0.6, 3.2), 0.874, "shooting"),
]


@pytest.mark.parametrize(("model", "ends", "between", "method"), CASES)
def test_a_pair_of_doublings_is_found_from_both_ends(model, ends, between, method):
    m, harmonics = model(), 40 if method == "harmonic-balance" else None
    up, down = (m.frequency_response(between=w, method=method, harmonics=harmonics) for w in (ends, ends[::-1]))
    places = [sorted(s["frequency"] for s in c.special if s["kind"] == "period-doubling") for c in (up, down)]
    assert len(places[0]) == 2
    assert places[0] == pytest.approx(places[1], rel=1e-5)
    assert places[0][0] < between < places[0][1]
    near = min(up.points, key=lambda p: abs(p.frequency - between))
    assert not m.periodic(frequency=between, start=up.orbit(up.points.index(near))).stable
    for curve in (up, down):
        marked = {s["point"] for s in curve.special if s["kind"] != "grazing"}
        for k, (a, b) in enumerate(pairwise(curve.points)):
            assert a.stable == b.stable or marked & {k, k + 1}


@pytest.mark.parametrize("ends", [(2.6, 0.3), (0.3, 0.4)])
def test_two_branch_points_while_a_pair_of_multipliers_is_real_are_found_from_both_ends(ends):
    """A complex pair of modulus 0.78 meets on the real axis, one passes 1 by 0.0035, and they leave it again."""
    m = ss.Model("freeplay")
    x = m.coordinate("x", inertia=1.095502670796523)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.0294324445568))
    m.connect(x, ss.Freeplay(stiffness=1.82059889735, half_gap=0.130334204605))
    m.connect(x, ss.Contact(stiffness=15.3412444931, gap=0.536280190407))
    m.load(x, ss.Cosine(0.204442200217, order=1))
    up, down = (m.frequency_response(between=w, method="shooting") for w in (ends, ends[::-1]))
    places = [sorted(s["frequency"] for s in c.special if s["kind"] == "branch-point") for c in (up, down)]
    assert places[0] == pytest.approx(places[1], rel=1e-6)
    low, high = places[0][:2]
    for frequency, stable in ((0.999 * low, True), (0.5 * (low + high), False), (1.001 * high, True)):
        near = min(up.points, key=lambda p: abs(p.frequency - frequency))
        assert m.periodic(frequency=frequency, start=up.orbit(up.points.index(near))).stable is stable


def freeplay_and_slider(second_inertia, springs, freeplay, jenkins, slider_at_base, load, freeplay_at_base=False):
    m = ss.Model("freeplay and slider")
    a, b = m.coordinate("a", inertia=1.0), m.coordinate("b", inertia=second_inertia)
    for form, (stiffness, damping) in zip((a, b - a), springs, strict=True):
        m.connect(form, ss.Linear(stiffness=stiffness, damping=damping))
    m.connect(a if freeplay_at_base else b - a, ss.Freeplay(stiffness=freeplay[0], half_gap=freeplay[1]))
    m.connect(a if slider_at_base else b - a, ss.Jenkins(stiffness=jenkins[0], limit=jenkins[1]))
    m.load(b, ss.Cosine(load, order=1))
    return m


# a slider beside the gap: its switches are at samples, so that multipliers and derivatives of a balance waver
SLIDER_BESIDE_GAP = (0.489, ((1.0, 0.012), (0.525, 0.051)), (4.033, 0.392), (1.768, 0.188), False, 0.426)
# two branch points at 0.4952 and 0.5005 rad/s, 0.07 of a step apart
TWO_BRANCH_POINTS = (0.445, ((1.0, 0.051), (0.724, 0.036)), (4.445, 0.437), (1.449, 0.192), True, 0.43)


def assert_same_special_points(one, other):
    """Each point of a list has one of the same kind in the other, within the errors that both state."""
    kinds = [
        [(s["kind"], s["frequency"], s["error"]) for s in c.special if s["kind"] != "grazing"] for c in (one, other)
    ]
    first, last = (sorted(kind) for kind in kinds)
    assert [kind for kind, *_ in first] == [kind for kind, *_ in last]
    for (_, a, error), (_, b, other_error) in zip(first, last, strict=True):
        assert abs(a - b) <= error + other_error + 1e-9


@pytest.mark.parametrize(
    ("numbers", "ends", "kinds"),
    [
        (SLIDER_BESIDE_GAP, (0.805, 0.9), ["branch-point"] * 2 + ["neimark-sacker"] * 2),
        (TWO_BRANCH_POINTS, (0.45, 0.6), ["branch-point"] * 2 + ["fold"] * 2),
    ],
)
def test_both_methods_list_the_same_points_from_both_ends(numbers, ends, kinds):
    m = freeplay_and_slider(*numbers)
    up, down = (m.frequency_response(between=w, method="shooting") for w in (ends, ends[::-1]))
    assert sorted(s["kind"] for s in up.special if s["kind"] != "grazing") == kinds
    assert_same_special_points(up, down)
    for w in (ends, ends[::-1]):
        assert_same_special_points(up, m.frequency_response(between=w, method="harmonic-balance", harmonics=31))


# a branch point at 0.77938 rad/s, 6e-5 rad/s from a graze
BRANCH_POINT_BESIDE_GRAZE = (
    0.89871,
    ((1.0, 0.050551), (0.89217, 0.01386)),
    (4.069, 0.10105),
    (2.7581, 0.19726),
    False,
    0.21452,
)
# branch points at 0.36303 and 0.52247 rad/s, within a step of a fold
BRANCH_POINTS_BESIDE_FOLDS = (
    0.4640796667635415,
    ((1.0, 0.013380387909616306), (1.5692873058231707, 0.050655760068472014)),
    (4.171544021393291, 0.16767996630418108),
    (1.7966957259693705, 0.05164615404135932),
    True,
    0.30262740663246346,
    True,
)


@pytest.mark.long
@pytest.mark.parametrize("numbers", [BRANCH_POINT_BESIDE_GRAZE, BRANCH_POINTS_BESIDE_FOLDS])
def test_a_branch_point_beside_a_graze_or_a_fold_is_found_from_both_ends(numbers):
    m = freeplay_and_slider(*numbers)
    up, down = (m.frequency_response(between=w, method="shooting") for w in ((0.3, 2.2), (2.2, 0.3)))
    assert_same_special_points(up, down)
    assert sum(s["kind"] == "fold" for s in up.special) % 2 == 0, "the curve leads from one end to the other"


def free_train(inertias, shafts, stop, load, *, mean=0.0, across_both=False):
    m = ss.Model("free train")
    x, y, z = (m.coordinate(name, inertia=inertia) for name, inertia in zip("xyz", inertias, strict=True))
    for form, (stiffness, damping) in zip((x - y, y - z), shafts, strict=True):
        m.connect(form, ss.Linear(stiffness=stiffness, damping=damping))
    m.connect(x - z if across_both else x - y, stop)
    m.load(x, ss.Constant(mean) + ss.Cosine(load, order=1))
    m.load(z, -mean)
    return m


# its stiffness has a Cholesky factor by rounding alone, from which modes are none
STIFFNESS_BY_ROUNDING = free_train(
    (1.0, 1.4, 1.5), ((1.3, 0.04), (1.8, 0.07)), ss.Contact(stiffness=5.0, gap=0.4), 0.5, mean=0.3
)
# unstable from 0.89 to 0.98 rad/s, within one step of harmonic balance
UNSTABLE_WITHIN_A_STEP = free_train(
    (0.692, 0.36, 0.638),
    ((1.739, 0.069), (1.343, 0.06)),
    ss.Freeplay(stiffness=2.066, half_gap=0.473),
    0.5024,
    across_both=True,
)


@pytest.mark.parametrize(
    ("train", "ends", "kinds"),
    [
        (STIFFNESS_BY_ROUNDING, (0.7, 1.2), ["fold"] * 4),
        (UNSTABLE_WITHIN_A_STEP, (0.6, 1.4), ["branch-point"] * 2),
    ],
)
def test_both_methods_list_the_same_points_of_a_free_train(train, ends, kinds):
    up, down = (train.frequency_response(between=w, method="shooting") for w in (ends, ends[::-1]))
    assert sorted(s["kind"] for s in up.special if s["kind"] != "grazing") == kinds
    assert_same_special_points(up, down)
    for w in (ends, ends[::-1]):
        assert_same_special_points(up, train.frequency_response(between=w, method="harmonic-balance", harmonics=31))


@pytest.mark.long
def test_two_folds_beyond_a_graze_within_one_step_are_found_from_both_ends():
    """Downwards one step leads over the graze at 0.5161 and both folds, to where a multiplier is 0.96."""
    m = ss.Model("freeplay and contact")
    a, b = m.coordinate("a", inertia=1.0), m.coordinate("b", inertia=0.7849203575756065)
    m.connect(a, ss.Linear(stiffness=1.0, damping=0.0526326844534423))
    m.connect(b - a, ss.Linear(stiffness=0.9755254062342853, damping=0.0526326844534423))
    m.connect(a, ss.Freeplay(stiffness=3.857986285168655, half_gap=0.14387362801707926))
    m.connect(b - a, ss.Contact(stiffness=6.031399638128298, gap=0.20360695122275194, damping=0.1))
    m.load(b, ss.Cosine(0.29518757747803503, order=1))
    for ends in ((0.4, 2.5), (2.5, 0.4)):
        curve = m.frequency_response(between=ends, method="shooting")
        folds = sorted(s["frequency"] for s in curve.special if s["kind"] == "fold" and 0.5 < s["frequency"] < 0.6)
        assert folds == pytest.approx([0.514592, 0.514983], abs=2e-6)  # by harmonic balance with 60 harmonics


def two_freeplays(damping, second_inertia, stiffness, at_base, second, load):
    m = ss.Model("two freeplays")
    a, b = m.coordinate("a", inertia=1.0), m.coordinate("b", inertia=second_inertia)
    m.connect(a, ss.Linear(stiffness=1.0, damping=damping))
    m.connect(b - a, ss.Linear(stiffness=stiffness, damping=damping))
    m.connect(a, ss.Freeplay(stiffness=at_base[0], half_gap=at_base[1]))
    m.connect(b, ss.Freeplay(stiffness=second[0], half_gap=second[1]))
    m.load(b, ss.Cosine(load, order=1))
    return m


# a fold at 1.142623 rad/s, 0.016 of a step from a branch point at 1.142757 rad/s
FOLD_BESIDE_BRANCH_POINT = (
    0.0224055463120606, 0.7785822363602074, 1.6712380191408012,
    (3.44407192444, 0.112027462551), (2.25553854722, 0.181685488024), 0.13769006582369564,
)  # fmt: skip
# a real multiplier of 0.95 at both ends of a step; it passes one by 0.005 from 1.3505 to 1.3683 rad/s
ONE_MULTIPLIER_PASSES_ONE = (
    0.055616414808589656, 0.4418755504129631, 1.4417312683502574,
    (3.52895369021, 0.289649961008), (1.55882502491, 0.18291960826), 0.11485702187078473,
)  # fmt: skip


@pytest.mark.parametrize(
    ("numbers", "near", "kinds"),
    [
        (FOLD_BESIDE_BRANCH_POINT, (1.142, 1.143), ["branch-point", "branch-point", "fold"]),
        (ONE_MULTIPLIER_PASSES_ONE, (1.35, 1.37), ["branch-point", "branch-point"]),
    ],
    ids=["a fold beside a branch point", "one real multiplier"],
)
def test_points_within_one_step_are_found_from_both_ends(numbers, near, kinds):
    lists = []
    for ends in ((0.5, 2.2), (2.2, 0.5)):
        curve = two_freeplays(*numbers).frequency_response(between=ends, method="shooting")
        own = [(s["kind"], s["frequency"]) for s in curve.special if s["kind"] != "grazing"]
        lists.append(sorted(each for each in own if near[0] < each[1] < near[1]))
    assert [kind for kind, _ in lists[0]] == kinds
    assert [kind for kind, _ in lists[1]] == kinds
    assert [at for _, at in lists[0]] == pytest.approx([at for _, at in lists[1]], rel=1e-8)


def beside_a_graze(damping, second_inertia, stiffness, laws, load):
    """laws : two, with the deflection of each: "a", "b" or "b - a"."""
    m = ss.Model("beside a graze")
    a, b = m.coordinate("a", inertia=1.0), m.coordinate("b", inertia=second_inertia)
    deflections = {"a": a, "b": b, "b - a": b - a}
    m.connect(a, ss.Linear(stiffness=1.0, damping=damping))
    m.connect(b - a, ss.Linear(stiffness=stiffness, damping=damping))
    for deflection, law in laws:
        m.connect(deflections[deflection], law)
    m.load(b, ss.Cosine(load, order=1))
    return m


# a real multiplier is beyond one at both ends of the step; a pair beside it meets at one and parts again
SECOND_BEYOND_ONE = (
    0.0338380356334, 0.9100597214271184, 1.55870490381,
    (("b", ss.Freeplay(stiffness=3.70594980539, half_gap=0.165647571615)),
     ("b - a", ss.Freeplay(stiffness=3.39698091043, half_gap=0.243887295714))), 0.295347735663,
)  # fmt: skip
# a pair of modulus 0.98 at both ends swells past one by 0.01 in between
PAIR_SWELLS = (
    0.0227111778476, 0.810196222957106, 0.50679045095,
    (("a", ss.Contact(stiffness=5.31653400764, gap=0.182514364053)),
     ("a", ss.TwoStage(stiffness=1.79660659476, inner_ratio=0.2, half_gap=0.127171479053))), 0.295935397937,
)  # fmt: skip
# a pair at 0.68 and 0.67 +- 0.5i at both ends is real in between, and one of it 1.79
PAIR_BECOMES_REAL = (
    0.0195939782159, 0.632413174162825, 1.52689895746,
    (("b - a", ss.Freeplay(stiffness=4.55690496623, half_gap=0.189395485455)),
     ("b - a", ss.Freeplay(stiffness=2.56417510399, half_gap=0.0510979524874))), 0.333710790549,
)  # fmt: skip


@pytest.mark.parametrize(
    ("numbers", "ends", "kind", "places"),
    [
        (SECOND_BEYOND_ONE, (0.35, 2.3), "branch-point", (1.276165, 1.291738)),
        (PAIR_SWELLS, (0.85, 1.0), "neimark-sacker", (0.925113, 0.92625, 0.928599)),
        (PAIR_SWELLS, (1.1, 0.7), "neimark-sacker", (0.925113, 0.92625, 0.928599)),
        pytest.param(PAIR_BECOMES_REAL, (0.35, 2.3), "branch-point", (1.095552, 1.108212), marks=pytest.mark.long),
    ],
    ids=["a second one", "a pair swells", "a pair swells, downwards", "a pair becomes real"],
)
def test_multipliers_that_pass_the_circle_and_return_beside_a_graze_are_found(numbers, ends, kind, places):
    """The places are those of the same curves in steps a sixth as long."""
    curve = beside_a_graze(*numbers).frequency_response(between=ends, method="shooting")
    near = places[0] - 1e-4, places[-1] + 1e-4
    own = sorted(s["frequency"] for s in curve.special if s["kind"] == kind and near[0] < s["frequency"] < near[1])
    assert own == pytest.approx(places, abs=2e-6)


def test_harmonic_balance_lists_two_folds_between_which_its_points_do_not_turn_back():
    """0.1 % apart and 0.03 long: a point lies on the unstable part between, and frequencies of points only rise."""
    m = ss.Model("short unstable part")
    a, b = m.coordinate("a", inertia=1.0), m.coordinate("b", inertia=0.33489602345123876)
    m.connect(a, ss.Linear(stiffness=1.0, damping=0.0276919482083))
    m.connect(b - a, ss.Linear(stiffness=0.865724343954, damping=0.0276919482083))
    m.connect(b, ss.Freeplay(stiffness=3.43590993212, half_gap=0.274929516466))
    m.connect(b, ss.Jenkins(stiffness=1.74491554232, limit=0.0570396776031))
    m.load(b, ss.Cosine(0.14567860297, order=1))
    narrow = m.frequency_response(between=(0.48, 0.51), method="shooting")
    wide = m.frequency_response(between=(0.35, 2.3), method="harmonic-balance", harmonics=41)
    folds = [
        sorted((s["frequency"], s["error"]) for s in c.special if s["kind"] == "fold" and 0.48 < s["frequency"] < 0.51)
        for c in (narrow, wide)
    ]
    assert len(folds[0]) == len(folds[1]) == 2
    for (exact, _), (place, error) in zip(*folds, strict=True):
        assert abs(place - exact) <= error
    assert not any("without a fold" in note for note in wide.notes)
