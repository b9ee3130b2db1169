"""Runs of condensed models state an error that holds what was left out, whatever is asked for and wherever they are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import slipstick as ss

Array = NDArray[np.float64]


def chain(seed: int) -> tuple[ss.Model, float, list[str]]:
    """Masses between springs with one or two contacts, a load on one of them, its frequency [rad/s], the contacts."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(30, 70))
    k = 10 ** rng.uniform(3.0, 5.0, n + 1)
    stiffness = np.diag(k[:-1] + k[1:]) - np.diag(k[1:-1], 1) - np.diag(k[1:-1], -1)
    mass = np.diag(10 ** rng.uniform(-2.5, -1.5, n))
    first = np.sqrt(np.linalg.eigvals(np.linalg.solve(mass, stiffness)).real.min())
    damping = rng.choice([0.005, 0.02, 0.05]) / first * stiffness
    omega, loaded = first * rng.uniform(0.5, 3.0), int(rng.integers(n))
    size = np.abs(np.linalg.inv(stiffness - omega**2 * mass + 1j * omega * damping)[:, loaded]).max()
    m = ss.Model.from_matrices(mass, damping, stiffness)
    held = [f"q{i + 1}" for i in rng.choice(n, size=int(rng.integers(1, 3)), replace=False)]
    for name in held:
        own = stiffness[0, 0] * rng.uniform(0.02, 0.3)
        laws = (
            ss.Freeplay(stiffness=own, half_gap=0.3 * size),
            ss.Jenkins(stiffness=own, limit=0.3 * own * size),
            ss.Contact(stiffness=own, gap=0.3 * size),
        )
        m.connect(m[name], laws[int(rng.integers(3))], name=name)
    m.load(m[f"q{loaded + 1}"], ss.Cosine(1.0, order=1))
    return m, float(omega), held


def strip(elements: int = 30) -> ss.Model:
    """A clamped strip of steel: u (along it), w, t; its axial motion is far above its lowest bending modes."""
    h, e, area, inertia, rho = 1.0 / elements, 2.1e11, 1e-4, 2e-11, 7800.0
    bend = e * inertia / h**3 * np.array([[12, 6, -12, 6], [6, 4, -6, 2], [-12, -6, 12, -6], [6, 2, -6, 4]], float)
    moved = (
        rho * area * h / 420 * np.array([[156, 22, 54, -13], [22, 4, 13, -3], [54, 13, 156, -22], [-13, -3, -22, 4]])
    )
    scale = np.outer([1, h, 1, h], [1, h, 1, h])
    stiffness, mass = np.zeros((2, 3 * elements + 3, 3 * elements + 3))
    for i in range(elements):
        across, along = np.ix_(*2 * [[3 * i + j for j in (1, 2, 4, 5)]]), np.ix_(*2 * [[3 * i, 3 * i + 3]])
        stiffness[across] += bend * scale
        mass[across] += moved * scale
        stiffness[along] += e * area / h * np.array([[1, -1], [-1, 1]])
        mass[along] += rho * area * h / 6 * np.array([[2, 1], [1, 2]])
    names = [f"{letter}{i}" for i in range(1, elements + 1) for letter in "uwt"]
    return ss.Model.from_matrices(mass[3:, 3:], 1e-7 * stiffness[3:, 3:], stiffness[3:, 3:], names)


def moved(run: ss.Run, name: str) -> Array:
    return np.asarray(run.data["displacement"].sel(coordinate=name).values)


def true_error(whole: ss.Run, small: ss.Run, name: str) -> float:
    return float(np.abs(moved(whole, name) - moved(small, name)).max())


def test_the_error_of_random_chains_holds_and_is_near() -> None:
    shares = []
    for seed in range(30):
        m, omega, held = chain(seed)
        until, modes = 8.0 * np.pi / omega * (1 + seed % 3), seed % 9
        times = np.linspace(0.0, until, 3001)
        whole = m.simulate(until, frequency=omega, samples=times)
        small = m.condense(modes=modes).simulate(until, frequency=omega, samples=times)
        shares += [small.certificate.errors[name] / true_error(whole, small, name) for name in held]
    assert len(shares) > 35
    assert np.mean(np.array(shares) >= 1.0) >= 0.95
    assert np.median(shares) < 2.0
    assert np.mean(np.array(shares) < 5.0) >= 0.9


@pytest.mark.parametrize("modes", [4, 8, 16])
def test_motion_along_a_strip_whose_low_modes_all_bend_is_in_the_error(modes: int) -> None:
    m = strip()
    m.connect(m["u30"], ss.Contact(stiffness=1e7, gap=1e-6), name="stop")
    m.load(m["u15"], ss.Cosine(1000.0, frequency=2.3e4))
    whole = m.simulate(1e-3, samples=2000)
    run = m.condense(modes=modes).simulate(1e-3, samples=2000)
    true = true_error(whole, run, "u30")
    assert true > 0.5 * np.abs(moved(whole, "u30")).max()
    assert true <= run.certificate.errors["u30"] <= 3.0 * true


@pytest.mark.parametrize("method", ["exact", "newmark", "events"])
def test_the_error_does_not_depend_on_samples(method: str) -> None:
    m, omega, held = chain(3)
    small = m.condense(modes=2)
    until = 4.0 * np.pi / omega
    runs = [small.simulate(until, frequency=omega, method=method, samples=s) for s in (2, 7, 900)]
    stated = [run.certificate.errors[held[0]] for run in runs]
    assert stated[1:] == pytest.approx(stated[:1] * 2, rel=1e-3)
    assert true_error(m.simulate(until, frequency=omega, samples=900), runs[-1], held[0]) <= stated[0]


def test_a_file_keeps_what_was_left_out(tmp_path: Path) -> None:
    m, omega, held = chain(5)
    small = m.condense(modes=2)
    small.save(tmp_path / "small.yaml")
    again = ss.open(tmp_path / "small.yaml")
    assert again == small
    runs = [model.simulate(0.5, frequency=omega, samples=50) for model in (small, again)]
    assert runs[1].certificate.errors[held[0]] == pytest.approx(runs[0].certificate.errors[held[0]], rel=1e-9)
    assert runs[1].certificate.notes[-1] == runs[0].certificate.notes[-1]
    orbits = [model.periodic(omega, method="harmonic-balance") for model in (small, again)]
    assert orbits[1].point.error == pytest.approx(orbits[0].point.error, rel=1e-9)
    inside = [
        model.condensation.inner(run.data["displacement"]) for model, run in zip((small, again), runs, strict=True)
    ]
    np.testing.assert_allclose(inside[1], inside[0], atol=1e-12 * np.abs(inside[0]).max())


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("condensed_basis", None, "condensed_basis is missing"),
        ("condensed_modes", np.array([99.0]), "names differ from those of the matrices"),
        ("condensed_stiffness", np.eye(3), "condensed_stiffness must be finite numbers of shape"),
        ("condensed_starts", None, "condensed_starts is missing"),
        ("condensed_modes", np.zeros(0), "condensed_modes must be finite numbers"),
        ("condensed_loads", np.array(2.0), "condensed_loads must be finite numbers"),
    ],
)
def test_a_file_whose_condensation_is_damaged_is_reported(
    tmp_path: Path, key: str, value: Array | None, words: str
) -> None:
    chain(5)[0].condense(modes=2).save(tmp_path / "small.yaml")
    held = dict(np.load(tmp_path / "small-matrices.npz"))
    del held[key]
    np.savez(tmp_path / "small-matrices.npz", **held, **({} if value is None else {key: value}))
    with pytest.raises(ss.FileError, match=words):
        ss.open(tmp_path / "small.yaml")


@pytest.mark.parametrize(("first", "second"), [(2, 40), (20, 3), (6, 4)])
def test_a_model_that_is_condensed_twice_has_left_out_both(first: int, second: int) -> None:
    m, omega, held = chain(7)
    until = 12.0 * np.pi / omega
    times = np.linspace(0.0, until, 4001)
    twice = m.condense(keep=["q9", "q17"], modes=first).condense(modes=second)
    whole, run = (model.simulate(until, frequency=omega, samples=times) for model in (m, twice))
    for name in held:
        true = true_error(whole, run, name)
        assert true <= run.certificate.errors[name] <= 3.0 * true
    assert sorted(twice.condensation.inside) == sorted(c.name for c in m.coordinates if c.name not in held)


def test_condensed_twice_with_all_modes_is_the_whole_model() -> None:
    m, omega, _ = chain(9)
    twice = m.condense(keep=["q9", "q17"], modes=1000).condense(modes=1000)
    assert twice.condensation.is_whole
    times = np.linspace(0.0, 6.0 / omega, 50)
    whole, run = (model.simulate(times[-1], frequency=omega, samples=times) for model in (m, twice))
    inside = twice.condensation.inner(run.data["displacement"])
    there = whole.data["displacement"].sel(coordinate=list(twice.condensation.inside)).values
    assert np.abs(inside - there).max() < 1e-8 * np.abs(there).max()
    assert any("nothing was left out" in note for note in run.certificate.notes)


def test_what_the_modes_cannot_show_of_a_start_is_said_and_in_the_error() -> None:
    n = 40
    stiffness = 1e4 * (2.0 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1))
    m = ss.Model.from_matrices(0.01 * np.eye(n), 1e-5 * stiffness, stiffness)
    m.connect(m["q40"], ss.Freeplay(stiffness=1e3, half_gap=0.01), name="stop")
    m["q13"].displacement, m["q20"].velocity = 1.0, 100.0
    small = m.condense(modes=3)
    times = np.linspace(0.0, 0.2, 4001)
    whole, run = (model.simulate(0.2, samples=times) for model in (m, small))
    true = true_error(whole, run, "q40")
    assert true <= run.certificate.errors["q40"] <= 3.0 * true
    shown = small.condensation.inner(run.data["displacement"])[0]
    note = next(note for note in run.certificate.notes if "the start has" in note)
    start = np.where(np.arange(1, n) == 13, 1.0, 0.0)
    assert f"displacement of up to {np.abs(start - shown).max():.2g}" in note
    assert "velocity of up to" in note
    modes = np.sin(np.pi * np.outer(np.arange(1, 4), np.arange(1, n)) / n) * np.sqrt(2.0 / n)
    assert shown == pytest.approx(modes.T @ modes[:, 12], abs=1e-9)  # of a chain between walls, in closed form
    full = m.condense(modes=100).simulate(0.2, samples=5)
    assert not any("the start has" in note for note in full.certificate.notes)


def test_displacements_inside_are_found_beside_further_coordinates() -> None:
    m, omega, held = chain(11)
    z = m.coordinate("z", inertia=1.0)
    m.connect(m[held[0]] - z, ss.Linear(stiffness=100.0), name="link")
    small = m.condense(modes=1000)
    late = small.coordinate("late", inertia=1.0)
    small.connect(late, ss.Linear(stiffness=1.0), name="other")
    whole, run = (model.simulate(0.1, frequency=omega, samples=20) for model in (m, small))
    how = small.condensation
    there = whole.data["displacement"].sel(coordinate=list(how.inside)).values
    plain = run.data["displacement"]
    for given in (plain, plain.values, plain.sel(coordinate=list(how.names)).values):
        assert np.abs(how.inner(given) - there).max() < 1e-8 * np.abs(there).max()
    with pytest.raises(ss.InvalidInput, match=r'got 2; give run.data\["displacement"\]'):
        how.inner(np.zeros((5, 2)))


def test_what_is_kept_is_exact_at_rest_under_a_load_inside_and_the_inside_is_not() -> None:
    m, _, held = chain(13)
    m.loads.clear()
    m.load(m["q20"], 50.0)
    assert "q20" not in held
    small, whole = m.condense(modes=1), m.equilibrium().displacement
    rest = small.equilibrium().displacement
    for name in held:
        assert rest[name] == pytest.approx(whole[name], rel=1e-8)
    inside = small.condensation.inner(np.array([[rest[c.name] for c in small.coordinates]]))[0]
    at = small.condensation.inside.index("q20")
    assert abs(inside[at] - whole["q20"]) > 1e-3 * abs(whole["q20"])


@pytest.mark.parametrize("followed", ["half", "none"])
def test_where_the_finer_run_fails_fewer_shapes_tell_or_the_error_is_not_known(
    followed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    m, omega, held = chain(15)
    small = m.condense(modes=6)
    how, finer = small.condensation, type(small.condensation).finer
    most = how.more[0] - 1 if followed == "half" else -1

    def limited(self: object, system: ss.Model, more: int) -> object:
        if more > most:
            raise ss.NotConverged("events pile up")
        return finer(self, system, more)  # type: ignore[arg-type]

    monkeypatch.setattr(type(how), "finer", limited)
    certificate = small.simulate(8.0 / omega, frequency=omega, samples=20).certificate
    if followed == "half":
        assert certificate.errors[held[0]] > 0.0
        assert any(f"{how.more[1]} more shapes, is in the error" in note for note in certificate.notes)
        assert any(f"with {how.more[0]} more shapes there is no run: events pile up" in n for n in certificate.notes)
    else:
        assert np.isnan(certificate.error)
        assert not certificate.passed
        assert any("their effect is not known: events pile up" in note for note in certificate.notes)
