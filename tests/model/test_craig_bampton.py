"""Craig and Bampton's condensation of large linear parts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from scipy.io import mmread, mmwrite

import slipstick as ss


def beam(elements: int, damping: float = 1e-5, free: bool = False) -> ss.Model:
    """A clamped steel beam of 1 m by Euler and Bernoulli's elements: w1, t1 ... (deflection, slope), sparse; or one
    that nothing holds, from w0, t0 on."""
    length, ei, mass = 1.0 / elements, 2.1e11 * 1e-8, 7800.0 * 1e-4
    k = ei / length**3 * np.array([[12, 6, -12, 6], [6, 4, -6, 2], [-12, -6, 12, -6], [6, 2, -6, 4]], dtype=float)
    m = mass * length / 420 * np.array([[156, 22, 54, -13], [22, 4, 13, -3], [54, 13, 156, -22], [-13, -3, -22, 4]])
    scale = np.array([1.0, length, 1.0, length])
    k, m = k * np.outer(scale, scale), m * np.outer(scale, scale)
    n, held = 2 * elements + 2, 0 if free else 2
    rows = np.concatenate([np.repeat(np.arange(2 * e, 2 * e + 4), 4) for e in range(elements)])
    columns = np.concatenate([np.tile(np.arange(2 * e, 2 * e + 4), 4) for e in range(elements)])
    stiffness, masses = (
        sparse.csr_array((np.tile(block.ravel(), elements), (rows, columns)), shape=(n, n))[held:, held:]
        for block in (k, m)
    )
    names = [f"{letter}{i}" for i in range(held // 2, elements + 1) for letter in ("w", "t")]
    return ss.Model.from_matrices(masses, damping * stiffness, stiffness, names)


def test_static_deflections_are_exact() -> None:
    m = beam(20)
    m.load(m["w20"], 7.0)
    m.load(m["w10"], -3.0)
    condensed = m.condense(keep=["w20", "w10"], modes=0)
    whole, small = m.equilibrium().displacement, condensed.equilibrium().displacement
    for name in ("w20", "w10"):
        assert small[name] == pytest.approx(whole[name], rel=1e-10)
    assert small["w20"] == pytest.approx(7.0 / (3 * 2100.0) - 3.0 * 0.5**2 * (3 - 0.5) / (6 * 2100.0), rel=1e-8)


def test_lowest_frequencies_come_close_with_few_modes() -> None:
    m = beam(40)
    m.connect(m["w40"], ss.Freeplay(stiffness=1e4, half_gap=1e-3), name="stop")
    exact = m.modes(count=5).magnitude
    off = [np.abs(m.condense(modes=n).modes(count=5).magnitude / exact - 1.0).max() for n in (6, 12, 24)]
    assert off[0] < 1e-2
    assert off[1] < 0.1 * off[0]
    assert off[2] < 0.1 * off[1]


def test_all_modes_are_the_whole_model() -> None:
    m = beam(6)
    m.connect(m["w6"], ss.Freeplay(stiffness=1e4, half_gap=1e-4), name="stop")
    m.load(m["w3"], ss.Cosine(50.0, frequency=300.0))
    condensed = m.condense(keep=["w3"], modes=100)
    assert len(condensed.coordinates) == 12
    times = np.linspace(0.0, 0.05, 101)
    whole = m.simulate(0.05, samples=times).data["displacement"].sel(coordinate=["w3", "w6"]).values
    run = condensed.simulate(0.05, samples=times)
    assert (
        np.abs(run.data["displacement"].sel(coordinate=["w3", "w6"]).values - whole).max() < 1e-9 * np.abs(whole).max()
    )
    inside = condensed.condensation.inner(run.data["displacement"].values)
    other = m.simulate(0.05, samples=times).data["displacement"].sel(coordinate=list(condensed.condensation.inside))
    assert np.abs(inside - other.values).max() < 1e-9 * np.abs(whole).max()
    assert any("nothing was left out" in note for note in run.certificate.notes)


def test_the_certificate_holds_what_was_left_out() -> None:
    m = beam(30)
    m.connect(m["w30"], ss.Freeplay(stiffness=1e5, half_gap=1e-4), name="stop")
    m.load(m["w11"], ss.Cosine(80.0, frequency=500.0))
    times = np.linspace(0.0, 0.02, 201)
    whole = m.simulate(0.02, samples=times).data["displacement"].sel(coordinate="w30").values
    stated = []
    for modes in (1, 3, 6):
        run = m.condense(modes=modes).simulate(0.02, samples=times)
        true = np.abs(run.data["displacement"].sel(coordinate="w30").values - whole).max()
        stated.append(run.certificate.errors["w30"])
        assert 0.5 * true <= stated[-1] <= 20.0 * true
        assert any("truncation" in note for note in run.certificate.notes)
    assert stated[2] < 0.2 * stated[0]


@pytest.mark.parametrize(
    ("keep", "modes", "words"),
    [
        (["w99"], 3, "no coordinate"),
        (2.5, 3, "list of coordinates"),
        (["w1"], -1, "whole number >= 0"),
        (["w1"], 2.5, "whole number >= 0"),
        ([f"{a}{i}" for i in range(1, 5) for a in "wt"], 3, "nothing is left to condense"),
    ],
)
def test_what_cannot_be_condensed_is_reported(keep: object, modes: object, words: str) -> None:
    with pytest.raises(ss.InvalidInput, match=words):
        beam(4).condense(keep=keep, modes=modes)  # type: ignore[arg-type]


def test_modes_do_not_take_a_name_that_is_there() -> None:
    m = ss.Model.from_matrices(np.eye(4), None, np.diag([1.0, 2.0, 3.0, 4.0]), ["a", "mode2", "b", "c"])
    assert [c.name for c in m.condense(keep=["mode2"], modes=3).coordinates] == [
        "mode2", "inner_mode1", "inner_mode2", "inner_mode3",
    ]  # fmt: skip


@pytest.mark.parametrize("rank", ["lumped", "as one"])
def test_few_masses_on_a_large_structure_have_as_many_modes(rank: str) -> None:
    """Massless coordinates of a string, or masses that move as one: w^2 = k/m from the flexibility at the masses."""
    n, at = 400, np.arange(4) if rank == "lumped" else np.arange(100, 320)
    stiffness = 1e4 * (2.0 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1))
    mass = np.zeros((n, n))
    mass[np.ix_(at, at)] = 0.01 * np.eye(at.size) if rank == "lumped" else 1e-4 * np.ones((at.size, at.size))
    m = ss.Model.from_matrices(sparse.csr_array(mass), None, sparse.csr_array(stiffness))
    found = m.condense(keep=[n - 1], modes=10).condensation
    flexibility = np.linalg.inv(stiffness[:-1, :-1])[np.ix_(at, at)]
    squares = np.sort(np.linalg.eigvals(flexibility @ mass[np.ix_(at, at)]).real)[::-1]
    expected = 1.0 / np.sqrt(squares[: 4 if rank == "lumped" else 1])
    assert found.modes == expected.size
    assert found.frequencies[: found.modes] == pytest.approx(expected, rel=1e-9)


def test_a_load_that_moves_nothing_is_refused_and_taken_with_more() -> None:
    m = ss.Model.from_matrices(np.eye(3), None, np.diag([1.0, 2.0, 3.0]))
    m.load(m["q3"], 1.0)
    with pytest.raises(ss.InvalidInput, match="the load on q3 acts on no kept coordinate and on none of the 1 modes"):
        m.condense(keep=["q1"], modes=1)
    assert m.condense(keep=["q1", "q3"], modes=1).equilibrium().displacement["q3"] == pytest.approx(1.0 / 3.0)
    assert len(m.condense(keep=["q1"], modes=2).loads) == 1


def test_a_model_without_matrices_and_a_loose_inside_are_reported() -> None:
    m = ss.Model("plain")
    m.coordinate("x", inertia=1.0)
    with pytest.raises(ss.InvalidInput, match="from matrices"):
        m.condense()
    loose = ss.Model.from_matrices(np.eye(3), stiffness=np.diag([1.0, 0.0, 2.0]), names=["a", "b", "c"])
    with pytest.raises(ss.InvalidInput, match="keep one more"):
        loose.condense(keep=["a"])


def test_ten_gaps_on_a_long_beam_simulate_and_are_shot_at_in_a_bounded_number_of_steps() -> None:
    """Fast modes must not be walked through in Taylor steps, by the motion or by its derivative."""
    m = beam(1000, damping=1e-4)
    for i in range(1, 11):
        m.connect(m[f"w{100 * i}"], ss.Freeplay(stiffness=1e4, half_gap=5e-4), name=f"stop{i}")
    m.load(m["w770"], ss.Cosine(10.0, order=1))
    small = m.condense(keep=["w770"], modes=20)
    assert len(small.coordinates) == 31
    run = small.simulate(0.2, frequency=250.0, samples=50)
    assert run.stats.events > 20
    assert run.stats.steps < 100 * run.stats.events
    orbit = small.periodic(330.0, method="shooting")
    assert orbit.certificate.passed
    assert orbit.certificate.errors["w1000"] < 1e-6 * orbit.amplitude["w1000"] + 1e-8
    balanced = small.periodic(330.0, method="harmonic-balance", start=orbit)
    assert abs(balanced.amplitude["w1000"] - orbit.amplitude["w1000"]) <= balanced.point.error + 1e-9


FREE = np.array([4.730040744862704, 7.853204624095838]) ** 2 * np.sqrt(
    2100.0 / 0.78
)  # of a free beam, w L^2 in closed form


@pytest.mark.parametrize("elements", [40, 260])
def test_a_structure_that_nothing_holds_keeps_its_rigid_motions(elements: int) -> None:
    m = beam(elements, damping=1e-6, free=True)
    found = m.condense(keep=["w0", f"w{elements}"], modes=12).modes(count=4).magnitude
    rounding = np.sqrt(10.0 * np.finfo(float).eps * 24.0 * 2100.0 * elements**3 / 0.78)  # of the largest stiffness
    assert found[:2] == pytest.approx(0.0, abs=rounding)
    assert found[2:] == pytest.approx(FREE, rel=1e-4)
    assert m.modes(count=4).magnitude[:2] == pytest.approx(0.0, abs=1e-6)
    assert m.modes(count=4).magnitude[2:] == pytest.approx(FREE, rel=1e-5)


@pytest.mark.parametrize("elements", [20, 150])
def test_rotations_without_inertia_are_condensed_exactly(elements: int) -> None:
    given = beam(elements).matrices
    assert given is not None
    lumped = np.zeros(2 * elements)
    lumped[::2] = 0.78 / elements
    m = ss.Model.from_matrices(sparse.diags_array(lumped), 1e-6 * given.stiffness, given.stiffness, list(given.names))
    tip = f"w{elements}"
    small = m.condense(keep=[tip], modes=8)
    assert small.modes(count=3).magnitude == pytest.approx(m.modes(count=3).magnitude, rel=1e-3)
    everything = m.condense(keep=[tip], modes=10**6)
    assert len(everything.coordinates) == (elements if elements <= 100 else len(everything.coordinates))
    assert everything.modes(count=3).magnitude == pytest.approx(m.modes(count=3).magnitude, rel=1e-6)


def test_frequencies_that_are_there_twice_are_both_found() -> None:
    arm = beam(150).matrices
    assert arm is not None
    twice = [sparse.block_diag([matrix, matrix], format="csr") for matrix in (arm.mass, arm.stiffness)]
    found = ss.Model.from_matrices(twice[0], None, twice[1]).condense(keep=["q299"], modes=6)
    own = beam(150).modes(count=3).magnitude
    held = beam(150).condense(keep=["w150"], modes=3).condensation.frequencies[:3]
    assert found.condensation.frequencies[:6] == pytest.approx(np.sort(np.concatenate([own, held])), rel=1e-5)
    triple = np.diag(np.arange(1.0, 301.0))
    triple[10:13, 10:13] = np.diag([0.5, 0.5, 0.5])
    squares = ss.Model.from_matrices(sparse.eye_array(300), None, sparse.csr_array(triple)).condense([0], 4)
    assert squares.condensation.frequencies[:4] ** 2 == pytest.approx([0.5, 0.5, 0.5, 2.0], rel=1e-9)


def test_matrices_as_finite_element_programs_write_them(tmp_path: Path) -> None:
    given = beam(10).matrices
    assert given is not None
    for name, matrix in (("M", given.mass), ("K", given.stiffness)):
        mmwrite(tmp_path / f"{name}.mtx", sparse.coo_array(matrix), symmetry="symmetric")
    mass, stiffness = (mmread(tmp_path / f"{name}.mtx") for name in "MK")
    first = 1.87510406871196**2 * np.sqrt(2100.0 / 0.78)
    files = ss.Model.from_matrices(tmp_path / "M.mtx", None, tmp_path / "K.mtx").condense(keep=["q19"], modes=5)
    assert files.modes(count=1).magnitude == pytest.approx([first], rel=1e-4)
    modal = ss.Model.from_matrices(mass, None, stiffness, modal_damping=0.01).condense(keep=[18], modes=8)
    assert modal.modes(count=2).damping_ratio == pytest.approx(0.01, rel=1e-3)
    rayleigh = ss.Model.from_matrices(mass, 2.0 * mass + 1e-5 * stiffness, stiffness).condense(keep=[18], modes=8)
    assert rayleigh.modes(count=1).damping_ratio == pytest.approx(0.5 * (2.0 / first + 1e-5 * first), rel=1e-3)
    names = list(given.names)
    named = ss.Model.from_matrices(mass, None, stiffness, names).condense(keep=["w10"], modes=5)
    assert [c.name for c in named.coordinates] == ["w10", *(f"mode{i}" for i in range(1, 6))]


@pytest.mark.parametrize("keep", ["q2", 1, -2, ["q2"], [1], np.array([1]), range(1, 2)])
def test_what_is_kept_may_be_named_or_numbered(keep: object) -> None:
    m = ss.Model.from_matrices(np.eye(3), None, np.diag([1.0, 2.0, 3.0]))
    assert [c.name for c in m.condense(keep=keep, modes=1).coordinates] == ["q2", "mode1"]
    assert [c.name for c in m.condense(keep=[m["q2"]], modes=0).coordinates] == ["q2"]


CHAIN = np.diag([2.0, 2.0, 2.0]) - np.diag([1.0, 1.0], 1) - np.diag([1.0, 1.0], -1)


@pytest.mark.parametrize(
    ("mass", "stiffness", "words"),
    [
        (
            np.eye(3),
            CHAIN + np.diag([0.1, 0.0], 1),
            "stiffness must be symmetric; it differs from its transpose by 0.1",
        ),
        (np.eye(3), np.diag([1.0, -1.0, 2.0]), 'the stiffness of "q2" must be >= 0, got -1'),
        (np.eye(3), np.array([[2.0, 0, 0], [0, 1, 3], [0, 3, 1]]), "is pushed away; keep more coordinates"),
        (
            np.eye(3),
            np.array([[2.0, 0, 0], [0, 1, -1], [0, -1, 1]]),
            "can move freely while all kept coordinates are held",
        ),
        (np.array([[1, 0.9, 0.9], [0.9, 1, -0.9], [0.9, -0.9, 1]]), CHAIN, "a negative kinetic energy is possible"),
    ],
)
def test_matrices_that_cannot_be_condensed_are_refused_in_one_line(mass: object, stiffness: object, words: str) -> None:
    with pytest.raises(ss.InvalidInput, match=words) as refusal:
        ss.Model.from_matrices(sparse.csr_array(mass), None, sparse.csr_array(stiffness)).condense(keep=[0])
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("keep", [[7], [-4], [True], None, ["q9"], [2.0]])
def test_what_is_not_there_cannot_be_kept(keep: object) -> None:
    with pytest.raises(ss.InvalidInput, match="condense: keep"):
        ss.Model.from_matrices(np.eye(3), None, CHAIN).condense(keep=keep)


def test_of_many_names_only_a_few_are_reported() -> None:
    with pytest.raises(ss.InvalidInput) as told:
        beam(200).condense(keep=["a place"], modes=2)
    assert len(str(told.value)) < 120
    assert "there are" in str(told.value)


def test_a_condensation_is_reported_in_one_short_line() -> None:
    small = beam(20).condense(keep=["w19"], modes=2)
    words = repr(small.condensation)
    assert words.startswith("Condensation(kept w19")
    assert "as 2 modes; the next is at" in words
    assert f"{small.condensation.next_frequency / 6.283185307179586:.4g} Hz" in words
    assert len(words) < 120
