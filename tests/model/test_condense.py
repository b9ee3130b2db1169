"""Craig and Bampton's condensation of large linear parts."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import slipstick as ss


def beam(elements: int, damping: float = 1e-5) -> ss.Model:
    """A clamped steel beam of 1 m by Euler and Bernoulli's elements: w1, t1 ... (deflection, slope), sparse."""
    length, ei, mass = 1.0 / elements, 2.1e11 * 1e-8, 7800.0 * 1e-4
    k = ei / length**3 * np.array([[12, 6, -12, 6], [6, 4, -6, 2], [-12, -6, 12, -6], [6, 2, -6, 4]], dtype=float)
    m = mass * length / 420 * np.array([[156, 22, 54, -13], [22, 4, 13, -3], [54, 13, 156, -22], [-13, -3, -22, 4]])
    scale = np.array([1.0, length, 1.0, length])
    k, m = k * np.outer(scale, scale), m * np.outer(scale, scale)
    n = 2 * elements + 2
    rows = np.concatenate([np.repeat(np.arange(2 * e, 2 * e + 4), 4) for e in range(elements)])
    columns = np.concatenate([np.tile(np.arange(2 * e, 2 * e + 4), 4) for e in range(elements)])
    stiffness, masses = (
        sparse.csr_array((np.tile(block.ravel(), elements), (rows, columns)), shape=(n, n))[2:, 2:] for block in (k, m)
    )
    names = [f"{letter}{i}" for i in range(1, elements + 1) for letter in ("w", "t")]
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
        ([f"{a}{i}" for i in range(1, 5) for a in "wt"], 3, "nothing to condense"),
    ],
)
def test_what_cannot_be_condensed_is_told(keep: object, modes: object, words: str) -> None:
    with pytest.raises(ss.InvalidInput, match=words):
        beam(4).condense(keep=keep, modes=modes)  # type: ignore[arg-type]


def test_a_model_without_matrices_and_a_loose_inside_are_told() -> None:
    m = ss.Model("plain")
    m.coordinate("x", inertia=1.0)
    with pytest.raises(ss.InvalidInput, match="from matrices"):
        m.condense()
    loose = ss.Model.from_matrices(np.eye(3), stiffness=np.diag([1.0, 0.0, 2.0]), names=["a", "b", "c"])
    with pytest.raises(ss.InvalidInput, match="keep one more"):
        loose.condense(keep=["a"])
