"""Motions with two frequencies, against matrices, runs and the torus of a forced self-excited oscillator."""

from __future__ import annotations

import math

import numpy as np
import pytest
from models import one_mass

import slipstick as ss

W1, W2 = 0.6, 0.6 * math.sqrt(2.0)
TONES = ss.Cosine(0.4, order=1) + ss.Cosine(0.3, frequency=W2, phase=0.3) + ss.Constant(0.1)
SPRING = ss.Linear(stiffness=1.0, damping=0.2)


def oscillator(law: ss.Law, load=TONES) -> ss.Model:
    return one_mass({"spring": SPRING, "law": law}, load, name="two tones")


@pytest.fixture(scope="module")
def duffing():
    model = oscillator(ss.Polynomial(coefficients=(0.0, 0.0, 0.0, 0.5)))
    return model, model.quasi_periodic((W1, W2))


def line(motion, order_1: int, order_2: int) -> complex:
    """The series of x at orders, as c with Re(c exp(i w t))."""
    data = motion.data
    for sign in (1, -1):
        found = np.flatnonzero((data.order_1 == sign * order_1) & (data.order_2 == sign * order_2))
        if found.size:
            own = data.isel(line=found[0])
            return complex(own.amplitude[0] * np.exp(1j * own.phase[0]))
    raise AssertionError("no such line")


def test_lines_of_a_linear_model_are_its_transfer_function():
    m = ss.Model("chain")
    a, b = m.coordinate("a", inertia=1.0), m.coordinate("b", inertia=0.5)
    base = m.coordinate("base", motion=ss.Sine(0.2, frequency=W2))
    m.connect(a - base, ss.Linear(stiffness=1.0, damping=0.1), name="ground")
    m.connect(b - a, ss.Linear(stiffness=2.0, damping=0.05), name="link")
    m.load(b, ss.Cosine(0.4, order=1))
    motion = m.quasi_periodic((W1, W2), harmonics=(2, 3))
    for omega, right, orders in ((W1, [0.0, 0.4], (1, 0)), (W2, [-0.2j * (1.0 + 0.1j * W2), 0.0], (0, 1))):
        k, c = np.array([[3.0, -2.0], [-2.0, 2.0]]), np.array([[0.15, -0.05], [-0.05, 0.05]])
        exact = np.linalg.solve(k + 1j * omega * c - omega**2 * np.diag([1.0, 0.5]), right)
        own = motion.data.isel(line=int(np.argmin(np.abs(motion.data.frequency.values - omega))))
        assert (abs(own.order_1), abs(own.order_2)) == orders
        found = own.amplitude.values * np.exp(1j * own.phase.values)
        assert found[:2] == pytest.approx(exact, rel=1e-12)
        assert found[2] == pytest.approx(-0.2j if orders == (0, 1) else 0.0, abs=1e-15)
    assert motion.certificate.passed
    assert motion.certificate.error == 0.0
    whole = motion.data.amplitude.values.sum(axis=0)  # both tones are in phase some time
    assert [*motion.amplitude.values()] == pytest.approx(whole, rel=1e-12)


def test_a_slider_that_never_slips_is_a_spring():
    model = oscillator(ss.Jenkins(stiffness=0.5, limit=10.0))
    motion = model.quasi_periodic((W1, W2), harmonics=(2, 2))
    for omega, load, orders in ((W1, 0.4, (1, 0)), (W2, 0.3, (0, 1))):
        exact = load / abs(1.5 - omega**2 + 0.2j * omega)
        assert abs(line(motion, *orders)) == pytest.approx(exact, rel=1e-12)
    assert motion.mean["x"] == pytest.approx(0.1 / 1.5, rel=1e-12)


def test_one_harmonic_of_a_cubic_spring_is_that_of_the_averages():
    """With one harmonic of each tone k3 x^3 acts on tone 1 as k3 (3/4 a1^2 + 3/2 a2^2) x1, where no sums are."""
    k3 = 1e-4
    m = one_mass(
        {"spring": SPRING, "law": ss.Polynomial(coefficients=(0.0, 0.0, 0.0, k3))},
        ss.Cosine(0.4, order=1) + ss.Cosine(0.3, frequency=W2),
    )
    motion = m.quasi_periodic((W1, W2), harmonics=(1, 1))
    a1, a2 = abs(line(motion, 1, 0)), abs(line(motion, 0, 1))
    for omega, load, own, other in ((W1, 0.4, a1, a2), (W2, 0.3, a2, a1)):
        stiffness = 1.0 + k3 * (0.75 * own**2 + 1.5 * other**2)
        # the lines at sums and differences are of order k3, and act back by k3^2
        assert own == pytest.approx(load / abs(stiffness - omega**2 + 0.2j * omega), rel=30.0 * k3**2)


def test_the_motion_of_a_cubic_spring_is_that_of_a_long_run(duffing):
    model, motion = duffing
    run = model.simulate(until=200.0, frequency=W1, samples=1500)
    assert motion.certificate.passed
    apart = motion.distance_to(run, start=130.0)
    assert apart < motion.certificate.error < 4e-4
    assert apart > 1e-6  # the error is not made up
    assert motion.certificate.energy_residual < 1e-12
    taken = motion.certificate.dissipated
    assert taken["law"] == pytest.approx(0.0, abs=1e-12)
    assert taken["spring"] == pytest.approx(motion.certificate.work_in, rel=1e-12)


LAWS = {
    "gap": ss.Freeplay(stiffness=2.0, half_gap=0.3),
    "slider": ss.Jenkins(stiffness=1.0, limit=0.3),
    "Bouc-Wen": ss.BoucWen(stiffness=1.0, ratio=0.1, beta=0.5, gamma=0.5),
    "parametric": ss.Linear(stiffness=0.3).modulated(ss.Cosine(1.0, frequency=W2)),
    "sum": ss.Masing(stiffness=0.5, limit=0.2, damping=0.05) + ss.PowerDamper(coefficient=0.1, exponent=3),
}


@pytest.mark.parametrize("name", LAWS)
def test_motions_with_other_laws_are_those_of_long_runs(name):
    model = oscillator(LAWS[name])
    motion = model.quasi_periodic((W1, W2), harmonics=(5, 5))
    run = model.simulate(until=260.0, frequency=W1, samples=1500)
    apart = motion.distance_to(run, start=180.0)
    transient = 2.0 * math.exp(-0.1 * 180.0) * motion.amplitude["x"]
    assert apart < motion.certificate.error + transient
    assert motion.certificate.error < 0.3 * motion.amplitude["x"]
    assert motion.certificate.energy_residual < 1e-10


def test_the_order_of_the_frequencies_does_not_matter(duffing):
    model, motion = duffing
    swapped = one_mass(
        {c.name: c.law for c in model.connections},
        ss.Cosine(0.4, frequency=W1) + ss.Cosine(0.3, order=1, phase=0.3) + ss.Constant(0.1),
    ).quasi_periodic((W2, W1))
    assert swapped.frequencies == (W2, W1)
    assert line(swapped, 2, -1) == pytest.approx(line(motion, -1, 2), rel=1e-9)
    assert swapped.amplitude == motion.amplitude


def forced_cycle() -> ss.Model:
    """A Rayleigh oscillator whose own cycle a load of another frequency does not capture."""
    laws = {
        "spring": ss.Linear(stiffness=1.0, damping=-0.5),
        "damper": ss.PowerDamper(coefficient=0.5 / 3.0, exponent=3),
    }
    return one_mass(laws, ss.Cosine(0.6, order=1), name="forced cycle", displacement=0.5)


def test_the_second_frequency_of_a_torus_is_found_beside_its_run():
    model = forced_cycle()
    run = model.simulate(until=500.0, frequency=1.45, samples=8000)
    motion = model.quasi_periodic((1.45, None), harmonics=(5, 5), start=run)
    assert motion.lines.free == 1
    apart = motion.distance_to(run, start=400.0)
    assert apart < motion.certificate.error
    assert motion.certificate.error < 0.01 * motion.amplitude["x"]
    assert any("phase of frequency 2 is open" in note for note in motion.notes)
    near = model.quasi_periodic((1.45, None), harmonics=(3, 3), start=motion)
    assert near.frequencies[1] == pytest.approx(motion.frequencies[1], rel=1e-3)


def test_a_run_meets_the_section_once_in_each_period_of_the_first_tone(duffing):
    model, motion = duffing
    run = model.simulate(until=500.0, frequency=W1, samples=2000)
    met = run.section().isel(time=slice(20, None))
    assert np.allclose(met.time.values * W1 / (2.0 * math.pi), np.arange(20, 20 + met.time.size))
    cut = motion.section()
    curve, points = (
        np.column_stack([own[part].values[:, 0] for part in ("displacement", "velocity")]) for own in (cut, met)
    )
    step = np.linalg.norm(np.diff(curve, axis=0), axis=1).max()
    assert np.min(np.linalg.norm(points[:, None] - curve, axis=2), axis=1).max() < step
    assert np.allclose(curve[0], curve[-1])
    other = run.section(frequency=W2, phase=1.0).isel(time=slice(30, None))
    curve = motion.section(phase=1.0, tone=2)["displacement"].values[:, 0]
    assert other["displacement"].values.max() == pytest.approx(curve.max(), abs=0.01)


def test_a_section_without_a_frequency_is_refused(refused):
    run = one_mass({"spring": SPRING}, displacement=1.0).simulate(until=5.0)
    with refused("no constant base frequency", "frequency"):
        run.section()
    with refused("frequency must be positive"):
        run.section(frequency=-2.0)


def test_it_is_saved_opened_and_drawn(duffing, tmp_path):
    model, motion = duffing
    motion.save(tmp_path / "motion.nc")
    again = ss.open(tmp_path / "motion.nc")
    assert repr(again) == repr(motion)
    assert again.data.equals(motion.data)
    assert "orders" not in motion.data
    assert again.model.name == model.name
    motion.save(tmp_path / "motion.csv")
    assert (tmp_path / "motion.csv").read_text().startswith("frequency,order_1,order_2,x.amplitude")
    spectrum, section, history = motion.plot().axes
    assert spectrum.get_yscale() == "log"
    assert len(section.lines) == 2
    assert history.get_xlabel() == "time [s]"


def test_bad_requests_are_refused_in_one_line(refused, duffing):
    model, motion = duffing
    with refused("so the motion is periodic", "m.periodic"):
        model.quasi_periodic((W1, 1.5 * W1))
    with refused("must be two frequencies", "frequencies"):
        model.quasi_periodic((W1,))
    with refused("must be positive", "frequencies"):
        model.quasi_periodic((W1, -1.0))
    for harmonics in ((3, 0), True, np.array([2.0, 2.0])):
        with refused("two whole numbers", "harmonics"):
            model.quasi_periodic((W1, W2), harmonics=harmonics)
    with refused("no coordinate that is free to move"):
        ss.Model("empty").quasi_periodic(np.array([W1, W2]), np.int64(2))
    with refused("looked for near a start", "start"):
        forced_cycle().quasi_periodic((1.45, None))
    with refused("no sum of multiples"):
        model.quasi_periodic((W1, 0.77))
    with refused("so the second one is not unknown", "0.8485281374"):
        model.quasi_periodic((W1, None), start=motion)
    with refused("is of another model", "start"):
        other = ss.Model("other")
        y = other.coordinate("y", inertia=1.0)
        other.connect(y, SPRING)
        other.quasi_periodic((W1, W2), start=motion)
    with refused("no second frequency"):
        still = one_mass({"spring": SPRING})
        still.quasi_periodic((W1, None), start=still.simulate(until=200.0))
    with refused("no nonlinear connection moves with the second frequency"):
        free = one_mass({"spring": ss.Linear(stiffness=2.0)}, ss.Cosine(0.4, order=1), displacement=0.3)
        free.quasi_periodic((W1, None), start=free.simulate(until=400.0, frequency=W1))
    for stiffness in (1.0, 2.0):
        with refused("undamped mode", "unbounded"):
            free = one_mass({"spring": ss.Linear(stiffness=stiffness)}, ss.Cosine(0.4, order=1))
            free.quasi_periodic((math.sqrt(stiffness), W2 if stiffness == 1.0 else W1))
    with pytest.raises(ss.MissingFace, match="does not take Iwan4"):
        oscillator(ss.Iwan4(stiffness=1.0, limit=0.3, chi=-0.5, beta=1.0)).quasi_periodic((W1, W2))
    with pytest.raises(ss.MissingFace, match="does not take Impact"):
        oscillator(ss.Impact(gap=0.1, restitution=0.5)).quasi_periodic((W1, W2))
    pressed = oscillator(ss.Jenkins(stiffness=1.0, limit=0.1))
    pressed.connect(pressed["x"], ss.Linear(stiffness=1.0), name="push")
    pressed.connect(pressed["x"], ss.Jenkins(stiffness=1.0, limit=0.3 * pressed["push"].force))
    with pytest.raises(ss.MissingFace, match="does not take laws with several deflections"):
        pressed.quasi_periodic((W1, W2))
    with pytest.raises(ss.MissingFace, match="does not take DryFriction"):
        oscillator(ss.DryFriction(limit=0.1)).quasi_periodic((W1, W2))
