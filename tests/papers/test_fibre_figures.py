"""The fibre paper's figures: energies and stresses of the golden table, memory, identification, the mount's limits."""

from __future__ import annotations

import math
from dataclasses import replace

import golden
import numpy as np
import pytest

import slipstick as ss
from slipstick.papers.comparison_rows import UNEXPLAINED_TEXT
from slipstick.papers.fibre import hysteresis_loops, law_fits, law_parts, shear_mount

TABLE = golden.table("fibre")


def test_numbers_beside_the_figures_are_those_of_the_golden_table():
    assert tuple(TABLE[f"path_{i}"].printed for i in range(1, 7)) == law_parts.REFERENCE_STRESSES
    for strain, known in hysteresis_loops.ENERGIES.items():
        assert known == TABLE[f"energy_{strain:.0e}".replace("e-0", "e-")].printed


@pytest.mark.parametrize("strain", ["1e-3", "5e-3"])
def test_loops_have_the_energy_and_the_tips_of_the_golden_table(strain):
    data = ss.paper("fibre", 5).data
    TABLE[f"tip_{strain}"].assert_agrees(float(data["stress"].sel(amplitude=float(strain)).max()))
    TABLE[f"energy_{strain}"].assert_agrees(hysteresis_loops.cycle_energy(float(strain)))
    plain = ss.FibreShear(**{**ss.systems.fibre().connections[0].law.parts()[0].law.parameters(), "overshoot": 0.0})
    TABLE[f"plain_energy_{strain}"].assert_agrees(hysteresis_loops.cycle_energy(float(strain), plain))


def test_the_backbone_goes_through_the_tips():
    data = ss.paper("fibre", 6).data
    tips = data["stress"].max("sample").values
    assert hysteresis_loops.backbone(data["amplitude"].values) == pytest.approx(tips, rel=1e-12)


def test_the_dynamic_model_closes_the_inner_loop_and_the_solid_one_does_not():
    data = ss.paper("fibre", 10).data
    turns = data["stress"].values[:, 199::200]
    for i, stress in enumerate(turns[1], start=1):
        assert stress == pytest.approx(TABLE[f"path_{i}"].value, abs=1e-7)
    assert abs(turns[0, 4] - turns[0, 0]) > 10.0


def test_rows_have_no_doubt_and_another_law_has(monkeypatch):
    for label in (4, 5, 8, 10, 11, 12):
        assert not any(UNEXPLAINED_TEXT in row.why for row in ss.paper("fibre", label).rows)
    first, limit = law_parts.figure_parameters.FRICTION
    monkeypatch.setattr(law_parts.figure_parameters, "FRICTION", (first, replace(limit, value=1071.0)))
    assert UNEXPLAINED_TEXT in ss.paper("fibre", 10).rows[0].why
    monkeypatch.setattr(hysteresis_loops, "cycle_energy", lambda *_: 1.661)
    assert all(UNEXPLAINED_TEXT in row.why for row in ss.paper("fibre", 5).rows if "energy" in row.quantity)


def test_the_difference_of_two_exponentials_is_the_law():
    stress = ss.paper("fibre", 11).data["stress"]
    apart = stress.sel(part="tau_1") - stress.sel(part="tau_2") - stress.sel(part="difference")
    assert float(np.abs(apart).max()) <= 1e-9


def test_the_backbone_rule_gives_the_numbers_the_set_was_made_with():
    made = ss.paper("fibre", 13)
    rows = {row.quantity: float(row.here.split()[0]) for row in made.rows}
    assert rows["sigma"] == pytest.approx(1.49e6, rel=0.02)
    assert rows["tau_C"] == pytest.approx(1070.0, rel=0.02)
    assert rows["G1"] == pytest.approx(6.16e6, rel=0.002)
    assert not any(UNEXPLAINED_TEXT in row.why for row in made.rows)
    dashed = [line for line in made.plot().axes[0].lines if line.get_label() == "backbone"]
    assert dashed[0].get_linestyle() == "--"
    assert dashed[0].get_ydata() == pytest.approx(1e-3 * made.data["backbone"])


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("stiffness", 1.48e6, "slip of the pen"),
        ("stiffness", 1.40e6, UNEXPLAINED_TEXT),
        ("limit", 1075.0, "noise"),
        ("limit", 1170.0, UNEXPLAINED_TEXT),
        ("linear", 6.16e6, "the same"),
    ],
)
def test_a_number_of_the_rule_is_explained_only_near_the_print(key, value, words):
    assert words in law_fits._by_rule(key, value).why


class Found:
    def __init__(self, value, low, high, unit="Pa"):
        self.value, self.low, self.high, self.unit = value, low, high, unit


@pytest.mark.parametrize(
    ("which", "key", "found", "words"),
    [
        ("set 1", "limit", Found(1071.0, 1068.0, 1074.0), "the same"),
        ("set 1", "limit", Found(1075.0, 1072.0, 1078.0), "noise"),
        ("set 1", "limit", Found(1175.0, 1172.0, 1178.0), UNEXPLAINED_TEXT),
        ("set 1", "stiffness", Found(1.49e6, 1.48e6, 1.50e6), "slip of the pen"),
        ("set 1", "stiffness", Found(1.59e6, 1.58e6, 1.60e6), UNEXPLAINED_TEXT),
        ("set 2", "limit", Found(1600.0, 1590.0, 1610.0), "a value of ours"),
    ],
)
def test_a_fitted_number_is_judged_by_its_interval(which, key, found, words):
    assert words in law_fits._row(which, key, found).why


class Slope:
    def __init__(self, per_decade, depends):
        self.value, self.per_decade, self.low, self.high, self.depends = (
            1.0,
            per_decade,
            per_decade,
            per_decade,
            depends,
        )


@pytest.mark.parametrize(
    ("key", "line", "words"),
    [
        ("linear", Slope(0.001, depends=True), "the same"),
        ("initial_modulus", Slope(0.1, depends=True), UNEXPLAINED_TEXT),
        ("cubic", Slope(0.2, depends=True), "the same"),
        ("cubic", Slope(-0.2, depends=True), UNEXPLAINED_TEXT),
        ("ratio", Slope(0.001, depends=False), "made without"),
        ("ratio", Slope(0.2, depends=True), "the same"),
    ],
)
def test_what_is_said_of_a_number_over_frequency_is_looked_at(key, line, words):
    assert words in law_fits._over_frequency(key, "set 1", line).why


def test_figure_16_has_the_order_of_the_print():
    assert [words.split()[0] for _, _, words in law_fits.PANELS.values()] == ["(a)", "(b)", "(c)", "(d)", "(e)", "(f)"]
    assert list(law_fits.PANELS) == ["linear", "initial_modulus", "limit", "cubic", "overshoot", "ratio"]


@pytest.mark.long
def test_the_full_law_is_within_its_noise():
    made = ss.paper("fibre", 14)
    left = (made.data["measured"] - made.data["fitted"]).values
    assert math.sqrt(np.mean(left**2)) == pytest.approx(20.0, rel=0.05)
    assert not any(UNEXPLAINED_TEXT in row.why for row in made.rows)


def test_a_small_force_finds_the_stuck_resonance_of_the_mount():
    m = ss.systems.fibre(amplitude=1e-4, mass=shear_mount.MASS)
    stuck = shear_mount._natural(6.16e6 + 2 * 1.49e6)
    assert stuck == pytest.approx(math.sqrt(2 * 0.04 * 0.06 * 9.14e6 / 0.02 / 5.0), rel=1e-12)
    curve = m.frequency_response(between=(640.0, 680.0), method="harmonic-balance", harmonics=3)
    assert curve.peak().frequency == pytest.approx(stuck, rel=2e-3)


def test_a_peak_of_the_mount_is_the_same_by_a_run():
    m = ss.systems.fibre(amplitude=5.0, mass=shear_mount.MASS)
    balance = m.frequency_response(at=[556.0], method="harmonic-balance", harmonics=shear_mount.HARMONICS).data.isel(
        point=0
    )
    size, error = float(balance["amplitude"].sel(coordinate="x")), float(balance["error"])
    right = shear_mount.check_against_run(m, 5.0, 556.0, size, error)
    assert right.drift == 0.0
    assert shear_mount._of_runs([right])[0].why == "within what both say of their errors"
    wrong = shear_mount.check_against_run(m, 5.0, 556.0, 1.01 * size, error)
    assert wrong.apart == pytest.approx(0.01, rel=0.1)
    assert shear_mount._of_runs([wrong])[0].why == UNEXPLAINED_TEXT


def test_orbits_of_the_mount_are_the_same_by_shooting():
    m = ss.systems.fibre(amplitude=10.0, mass=shear_mount.MASS)
    curve = m.frequency_response(between=(540.0, 570.0), method="harmonic-balance", harmonics=shear_mount.HARMONICS)
    top = int(np.argmax(curve.data["amplitude"].sel(coordinate="x").values))
    shot, apart = shear_mount.check_against_shooting(m, curve, top)
    assert float(curve.data["frequency"][top]) in shot.data["frequency"].values
    assert 0.0 < apart.most < 1e-3
    assert apart.error < 1e-5
    assert shear_mount._of_shooting([apart]).why == "within what both say of their errors"
    few = m.frequency_response(between=(540.0, 570.0), method="harmonic-balance", harmonics=1)
    wrong = shear_mount.check_against_shooting(m, few, 0)[1]
    assert wrong.most > 3.0 * apart.most
    assert shear_mount._of_shooting([apart, wrong._replace(within=False)]).why == UNEXPLAINED_TEXT


def test_a_large_motion_of_the_mount_drifts_away_because_of_the_overshoot():
    """Inner loops of the law do not close (section 4.3): an offset grows. Without the overshoot it dies."""
    period = 2.0 * math.pi / 559.35
    means = {}
    for overshoot in (0.92, 0.0):
        m = ss.systems.fibre(amplitude=20.0, mass=shear_mount.MASS, frequency=559.35, overshoot=overshoot)
        run = m.simulate(until=200.0 * period, samples=np.linspace(199.0, 200.0, 201) * period)
        means[overshoot] = abs(float(run.data["displacement"].isel(time=slice(-201, -1)).mean()))
    assert means[0.92] > 1e-4
    assert means[0.0] < 1e-6
