"""The fibre paper's figures: energies and stresses computed apart, memory, identification, the mount's limits."""

from __future__ import annotations

import math

import numpy as np
import pytest

import slipstick as ss
from slipstick.papers.fibre import fits, loops, mount
from slipstick.papers.fibre.parts import TABLE


def test_loops_have_the_energy_and_the_tips_computed_apart():
    data = ss.paper("fibre", 5).data
    for strain, tip, energy in ((1e-3, 7166.742433, 1.660708249), (5e-3, 32170.72906, 19.29178945)):
        assert float(data["stress"].sel(amplitude=strain).max()) == pytest.approx(tip, rel=1e-9)
        assert loops._area(data, strain) == pytest.approx(energy, rel=2e-6)


def test_the_backbone_goes_through_the_tips():
    data = ss.paper("fibre", 6).data
    tips = data["stress"].max("sample").values
    assert loops.backbone(data["amplitude"].values) == pytest.approx(tips, rel=1e-12)


def test_the_dynamic_model_closes_the_inner_loop_and_the_solid_one_does_not():
    data = ss.paper("fibre", 10).data
    turns = data["stress"].values[:, 199::200]
    assert turns[1] == pytest.approx(TABLE, abs=1e-7)
    assert abs(turns[0, 4] - turns[0, 0]) > 10.0


def test_the_difference_of_two_exponentials_is_the_law():
    stress = ss.paper("fibre", 11).data["stress"]
    apart = stress.sel(part="tau_1") - stress.sel(part="tau_2") - stress.sel(part="difference")
    assert float(np.abs(apart).max()) <= 1e-9


def test_the_backbone_rule_gives_the_numbers_the_set_was_made_with():
    rows = {row.quantity: float(row.here.split()[0]) for row in ss.paper("fibre", 13).rows}
    assert rows["sigma"] == pytest.approx(1.49e6, rel=0.02)
    assert rows["tau_C"] == pytest.approx(1070.0, rel=0.02)
    assert rows["G1"] == pytest.approx(6.16e6, rel=0.002)


@pytest.mark.long
def test_the_full_law_is_within_its_noise():
    data = ss.paper("fibre", 14).data
    left = (data["measured"] - data["fitted"]).values
    assert math.sqrt(np.mean(left**2)) == pytest.approx(20.0, rel=0.05)
    assert fits.loops_of("fibre-set-1")


def test_a_small_force_finds_the_stuck_resonance_of_the_mount():
    m = ss.systems.fibre(amplitude=1e-4, mass=mount.MASS)
    stuck = mount._natural(6.16e6 + 2 * 1.49e6)
    curve = m.frequency_response(between=(640.0, 680.0), method="harmonic-balance", harmonics=3)
    assert curve.peak().frequency == pytest.approx(stuck, rel=2e-3)
