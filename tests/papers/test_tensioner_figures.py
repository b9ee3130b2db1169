"""The tensioner paper's figures: loops and (58) computed apart, points of Fig. 21, its linear limits."""

from __future__ import annotations

import numpy as np
import pytest

import slipstick as ss
from slipstick.papers.tensioner import families, rig, system


def test_loops_have_the_areas_computed_apart():
    found = rig.areas(rig.last_cycle(40_001))
    assert list(found.values()) == pytest.approx([0.2453725, 0.27357536, 0.11946149], rel=3e-6)


def test_branches_have_the_forces_computed_apart():
    for row in ss.paper("tensioner", 12).rows:
        here = [float(value) for value in row.here.removesuffix(" N").split(", ")]
        apart = [float(value) for value in row.why.removeprefix("computed apart: ").split(", ")]
        assert here == pytest.approx(apart, abs=1.01e-4)


def test_corners_of_the_parallelogram_lie_on_the_loop():
    data = rig.last_cycle(4001)
    for _, u, f in rig._corners():
        near = np.hypot((data["deflection"] - u) / 1e-3, (data["dry"] - f) / 600.0)
        assert float(near.min()) <= 2e-3


def test_tension_and_force_differ_as_computed_apart():
    rows = {row.quantity: [float(v) for v in row.here.split(", ")] for row in ss.paper("tensioner", 17).rows[:3]}
    assert rows["(58), modified Dahl"] == pytest.approx([4.4054e-3, 4.3861e-3], abs=1e-7)
    assert rows["(58), Masing"] == pytest.approx([4.40797e-3, 4.38863e-3], abs=1e-7)
    assert rows["(58), Masing, by the scheme (A.7)"] == pytest.approx([4.42006e-3, 4.40061e-3], abs=1e-7)


def test_time_is_moved_until_both_displacements_go_together():
    data = ss.paper("tensioner", 19).data
    shift = system._aligned(data)[1]
    moved = system.WINDOW + shift
    u2 = (data["value"] - data["value"].mean("time")).sel(quantity="u2")
    wave = [np.angle(np.sum(u2.sel(law=law).values * np.exp(-1j * system.OMEGA * t)))
            for law, t in (("masing", moved), ("modified-dahl", system.WINDOW))]  # fmt: skip
    assert abs(np.angle(np.exp(1j * (wave[0] - wave[1])))) <= 1e-9


@pytest.mark.parametrize(("law", "force", "omega", "range_of_tension"), [
    ("masing", 54, 65.0, 579.04913),
    ("masing", 160, 50.0, 684.65332),
    ("modified-dahl", 120, 73.0, 637.11540),
])  # fmt: skip
def test_points_of_figure_21(monkeypatch, law, force, omega, range_of_tension):
    monkeypatch.setattr(families, "FREQUENCIES", np.array([omega]))
    assert families.curve(law, force)[0][0] == pytest.approx(range_of_tension, abs=1e-4)


def test_a_force_too_small_to_slip_finds_the_stuck_limit(monkeypatch):
    monkeypatch.setattr(families, "FREQUENCIES", np.array([40.0, 64.0, 90.0]))
    found = families.curve("masing", 1.0)[0]
    assert found == pytest.approx(families._limits("masing")["stick"], rel=1e-9)


def test_at_a_third_of_the_resonance_the_third_harmonic_has_a_peak(monkeypatch):
    monkeypatch.setattr(families, "FREQUENCIES", np.array([14.0, 18.0, 25.0]))
    _, first, third, _ = families.curve("modified-dahl", 300.0)
    assert third[1] > 5.0 * third[0]
    assert third[1] > 1.5 * third[2]
    assert np.all(np.diff(first) > 0.0)
