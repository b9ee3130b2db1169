"""Derivatives of orbits, curves and modes against closed forms and central differences of the results themselves."""

from __future__ import annotations

import math

import numpy as np
import pytest
from gradient_models import FREQUENCY, build, central_difference, random_values
from models import one_mass, slider

import slipstick as ss
from slipstick.errors import InvalidInput, NotConverged

KINDS = ("jenkins", "masing", "freeplay", "friction")
ORBIT_FIGURES = ("x.amplitude", "y.rms", "y.peak_to_peak", "x.phase", "joint.force_range", "ground.dissipated")
RELATIVE = 1e-7


def linear(k: float = 2.0, c: float = 0.3, m: float = 1.5, force: float = 0.7) -> ss.Model:
    return one_mass({"spring": ss.Linear(stiffness=k, damping=c)}, ss.Cosine(force, order=1), inertia=m, frequency=1.0)


def receptance(k: float, c: float, m: float, w: float) -> complex:
    return 1.0 / complex(k - m * w * w, c * w)


@pytest.mark.parametrize("method", ["shooting", "harmonic-balance"])
def test_a_linear_oscillator_has_the_derivatives_of_its_receptance(method):
    k, c, m, force, w = 2.0, 0.3, 1.5, 0.7, 0.9
    g = (
        linear()
        .periodic(frequency=w, method=method)
        .gradient("x.amplitude", ["spring.stiffness", "spring.damping", "x.inertia", "forcing.amplitude", "frequency"])
    )
    h = receptance(k, c, m, w)
    size = force * abs(h)

    def by(change: complex) -> float:  # of the dynamic stiffness
        return -size * (h * change).real

    assert g.value == pytest.approx(size, rel=1e-11)
    assert g["spring.stiffness"] == pytest.approx(by(1.0), rel=1e-9)
    assert g["spring.damping"] == pytest.approx(by(1j * w), rel=1e-9)
    assert g["x.inertia"] == pytest.approx(by(-w * w), rel=1e-9)
    assert g["forcing.amplitude"] == pytest.approx(size / force, rel=1e-10)
    assert g["frequency"] == pytest.approx(by(complex(-2.0 * m * w, c)), rel=1e-9)
    assert g.relative["forcing.amplitude"] == pytest.approx(1.0, rel=1e-10)


def case(seed: int) -> tuple[str, str, str, dict[str, float]]:
    """Kind of joint, figure, parameter and all values."""
    rng = np.random.default_rng(seed)
    kind = KINDS[seed % 4]
    values = random_values(kind, rng)
    return kind, str(rng.choice(ORBIT_FIGURES)), str(rng.choice(list(values))), values


def check_orbit(seed: int) -> None:
    kind, figure, name, values = case(seed)

    def orbit_of(value: float) -> ss.results.orbit.Orbit:
        return build(kind, {**values, name: value}).periodic(method="shooting")

    def of(value: float) -> float:
        part, _, quantity = figure.partition(".")
        found = orbit_of(value)
        return 2.0 * found.amplitude[part] if quantity == "peak_to_peak" else getattr(found, quantity)[part]

    orbit = orbit_of(values[name])
    found = orbit.gradient(figure, [name])
    size = abs(found.value / values[name]) if abs(found[name]) < 1e-3 * abs(found.value) else 0.0
    expected = central_difference(of, values[name])
    assert found[name] == pytest.approx(expected, rel=RELATIVE, abs=RELATIVE * size), (kind, figure, name)


@pytest.mark.parametrize("seed", range(8))
def test_orbits_have_the_derivatives_of_central_differences(seed):
    check_orbit(seed)


@pytest.mark.long  # 200 orbits, each with seven more
@pytest.mark.parametrize("first", range(8, 208, 20))
def test_many_orbits_have_the_derivatives_of_central_differences(first):
    for seed in range(first, first + 20):
        check_orbit(seed)


def peak_model(limit: float = 0.5, damping: float = 0.1, **other: float) -> ss.Model:
    return slider(ss.Cosine(1.0, order=1), damping=damping, limit=limit, **other)


@pytest.mark.long  # seven curves
def test_peak_and_its_place_have_the_derivatives_of_central_differences():
    def of(limit: float) -> np.ndarray:
        peak = peak_model(limit).frequency_response(between=(0.8, 1.4), method="shooting").peak("x")
        return np.array([peak.amplitude, peak.frequency])

    curve = peak_model().frequency_response(between=(0.8, 1.4), method="shooting")
    names = ["slider.limit", "spring.damping"]
    height, place = curve.gradient("x.peak", names), curve.gradient("x.peak_frequency", names)
    expected = central_difference(of, 0.5, step=4e-3)
    assert height["slider.limit"] == pytest.approx(expected[0], rel=RELATIVE)
    assert place["slider.limit"] == pytest.approx(expected[1], rel=1e-5)  # a peak is flat: its place is less certain


def test_a_linear_peak_is_at_the_closed_form():
    k, c, m, force = 2.0, 0.3, 1.5, 0.7
    curve = linear().frequency_response(between=(0.6, 1.8), method="harmonic-balance")
    height, place = (
        curve.gradient(f"x.{name}", ["spring.damping", "spring.stiffness"]) for name in ("peak", "peak_frequency")
    )
    z = c / (2.0 * math.sqrt(k * m))
    # peak F / (c w_d) with w_d = sqrt(k/m - c^2/4m^2), at sqrt(k/m - c^2/2m^2)
    wd, top = math.sqrt(k / m - (c / (2.0 * m)) ** 2), math.sqrt(k / m - 0.5 * (c / m) ** 2)
    assert z < 0.5
    assert height.value == pytest.approx(force / (c * wd), rel=1e-10)
    assert height["spring.damping"] == pytest.approx(
        -force / (c * wd) * (1.0 / c - c / (4.0 * m * m * wd * wd)), rel=1e-8
    )
    assert place["spring.damping"] == pytest.approx(-0.5 * c / (m * m) / top, rel=1e-7)
    assert place["spring.stiffness"] == pytest.approx(0.5 / (m * top), rel=1e-7)


def duffing(cubic: float = 0.05, force: float = 0.2) -> ss.Model:
    law = ss.Polynomial(coefficients=(0.0, 1.0, 0.0, cubic), damping=0.1)
    return one_mass({"spring": law}, ss.Cosine(force, order=1), frequency=1.0)


def test_folds_of_a_balanced_harmonic_move_as_its_closed_form_says():
    g, c, force = 0.2, 0.1, 0.6
    curve = duffing(g, force).frequency_response(between=(0.7, 2.0), method="harmonic-balance", harmonics=1)
    folds = [each for each in curve.special if each["kind"] == "fold"]
    assert len(folds) == 2
    for k, fold in enumerate(folds):
        found = curve.gradient(f"folds.{k}.frequency", ["spring.coefficients.3", "spring.damping", "forcing.amplitude"])
        a, w = np.sqrt(np.sum(np.abs(curve.points[fold["point"]].harmonics[1]) ** 2)), found.value
        s = 1.0 - w * w + 0.75 * g * a * a  # (s a)^2 + (c w a)^2 = F^2
        by_w = 2.0 * a * a * (-2.0 * w * s + c * c * w)
        expected = {
            "spring.coefficients.3": -2.0 * a**2 * s * 0.75 * a**2 / by_w,
            "spring.damping": -2.0 * c * (w * a) ** 2 / by_w,
            "forcing.amplitude": 2.0 * force / by_w,
        }
        for name, value in expected.items():
            assert found[name] == pytest.approx(value, rel=1e-5)  # the amplitude is that of the point, near the fold


@pytest.mark.long  # twelve curves
def test_folds_move_as_central_differences_of_curves_do():
    def folds(cubic: float) -> np.ndarray:
        curve = duffing(cubic, 0.6).frequency_response(between=(0.7, 2.0), method="harmonic-balance")
        return np.array([curve.gradient(f"folds.{k}.frequency", ["spring.damping"]).value for k in (0, 1)])

    curve = duffing(0.2, 0.6).frequency_response(between=(0.7, 2.0), method="harmonic-balance")
    expected = central_difference(folds, 0.2)
    for k in (0, 1):
        found = curve.gradient(f"folds.{k}.frequency", ["spring.coefficients.3"])
        assert found["spring.coefficients.3"] == pytest.approx(expected[k], rel=RELATIVE)


def test_a_column_has_the_derivatives_of_its_points():
    curve = duffing(0.2, 0.3).frequency_response(at=[0.8, 1.0], method="harmonic-balance")
    column = curve.gradient("x.amplitude", ["spring.coefficients.3", "frequency"])
    assert column["frequency"].shape == (2,)
    single = curve.gradient("points.-1.x.amplitude", ["spring.coefficients.3"])
    assert single["spring.coefficients.3"] == pytest.approx(column["spring.coefficients.3"][1], rel=1e-9)


def test_a_nonlinear_mode_of_a_cubic_spring_has_the_derivatives_of_central_differences():
    amplitudes = [0.2, 1.0, 3.0]

    def frequency(cubic: float) -> np.ndarray:
        return duffing(cubic).nonlinear_mode(1, amplitudes=amplitudes).data["frequency"].values

    found = duffing(0.05).nonlinear_mode(1, amplitudes=amplitudes).gradient("frequency", ["spring.coefficients.3"])
    expected = central_difference(frequency, 0.05)
    np.testing.assert_allclose(found["spring.coefficients.3"], expected, rtol=RELATIVE)


def test_damping_of_a_slipping_mode_has_the_derivatives_of_central_differences():
    def damping(limit: float) -> np.ndarray:
        return slider(limit=limit).nonlinear_mode(1, amplitudes=[1.0, 3.0]).data["damping_ratio"].values

    mode = slider(limit=0.5).nonlinear_mode(1, amplitudes=[1.0, 3.0])
    found = mode.gradient("damping_ratio", "slider.limit")
    np.testing.assert_allclose(found["slider.limit"], central_difference(damping, 0.5), rtol=RELATIVE)
    single = mode.gradient("points.1.damping_ratio", "slider.limit")
    assert single["slider.limit"] == pytest.approx(found["slider.limit"][1], rel=1e-9)


def boucwen(beta: float = 0.6) -> ss.Model:
    laws = {
        "spring": ss.Linear(stiffness=1.0, damping=0.1),
        "joint": ss.BoucWen(stiffness=1.0, ratio=0.3, beta=beta, gamma=0.4),
    }
    return one_mass(laws, ss.Cosine(0.5, order=1), frequency=FREQUENCY)


def test_orbits_on_the_adaptive_flow_agree_within_their_stated_error():
    found = boucwen().periodic(method="shooting").gradient("x.amplitude", ["joint.beta"])
    expected = central_difference(lambda beta: boucwen(beta).periodic(method="shooting").amplitude["x"], 0.6)
    assert found.errors["joint.beta"] >= 1e-6 * abs(expected) * 0.99
    assert abs(found["joint.beta"] - expected) <= found.errors["joint.beta"]


def bouncing(gap: float) -> ss.Model:
    laws = {"spring": ss.Linear(stiffness=1.0, damping=0.3), "stop": ss.Impact(gap=gap, restitution=0.6)}
    return one_mass(laws, ss.Cosine(1.0, order=1), frequency=FREQUENCY)


def test_orbits_with_impacts_have_the_derivatives_of_central_differences():
    found = bouncing(0.3).periodic().gradient("x.rms", ["stop.gap"])
    expected = central_difference(lambda gap: bouncing(gap).periodic().rms["x"], 0.3)
    assert found["stop.gap"] == pytest.approx(expected, rel=RELATIVE)


def test_curves_over_a_parameter_have_derivatives_at_their_points():
    start = peak_model().periodic(frequency=FREQUENCY, method="shooting")
    curve = peak_model().follow("forcing.amplitude", between=(0.95, 1.05), start=start)
    found = curve.gradient("points.1.x.amplitude", ["slider.limit"])

    def amplitude(limit: float) -> float:
        model = slider(ss.Cosine(curve.points[1].p, order=1), limit=limit)
        return model.periodic(frequency=FREQUENCY, method="shooting").amplitude["x"]

    assert found["slider.limit"] == pytest.approx(central_difference(amplitude, 0.5), rel=RELATIVE)
    with pytest.raises(InvalidInput, match="own parameter"):
        curve.gradient("points.1.x.amplitude", ["forcing.amplitude"])


def test_a_contact_that_never_slips_is_refused():
    model = one_mass(
        {"spring": ss.Linear(stiffness=1.0, damping=0.1), "guide": ss.DryFriction(limit=5.0)}, ss.Cosine(1.0, order=1)
    )
    orbit = model.periodic(frequency=1.1)
    with pytest.raises(NotConverged, match="never slips"):
        orbit.gradient("x.amplitude", ["guide.limit"])


@pytest.mark.parametrize(
    ("figure", "by", "words"),
    [
        ("x.amplitud", ["slider.limit"], "did you mean"),
        ("x.amplitude", ["slider.limitt"], "limit"),
        ("x.amplitude", [], "by must be a list"),
        ("x.amplitude", ["x.displacement"], "does not depend"),
        ("slider.stick_share", ["slider.limit"], "no derivatives of stick_share"),
        (3, ["slider.limit"], "figure must be a name"),
    ],
)
def test_wrong_requests_say_what_is_wrong(figure, by, words):
    orbit = peak_model().periodic(frequency=FREQUENCY)
    with pytest.raises(InvalidInput, match=words):
        orbit.gradient(figure, by)


def test_limit_cycles_are_refused_in_one_line(refused):
    m = ss.Model("Rayleigh oscillator")
    x = m.coordinate("x", inertia=1.0, displacement=2.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=-1.0), name="spring")
    m.connect(x, ss.PowerDamper(coefficient=1.0 / 3.0, exponent=3), name="damper")
    cycle = m.limit_cycle(m.simulate(until=60.0, samples=2000))
    with refused("limit cycles have no gradient"):
        cycle.gradient("x.amplitude", by=["damper.coefficient"])
    with refused("limit cycles have no gradient"):
        m.follow("damper.coefficient", between=(0.3, 0.4), start=cycle).gradient("x.peak", by=["spring.stiffness"])


@pytest.mark.parametrize("figure", ["x.peak", "folds.0.frequency"])
def test_a_curve_from_a_file_has_the_same_gradient(tmp_path, figure):
    m = one_mass({"spring": ss.Polynomial(coefficients=(0.0, 1.0, 0.0, 0.4), damping=0.1)}, ss.Cosine(0.4, order=1))
    curve = m.frequency_response(between=(0.8, 2.2))
    curve.save(tmp_path / "curve.nc")
    by = ["spring.damping"]
    found, again = (each.gradient(figure, by)["spring.damping"] for each in (curve, ss.open(tmp_path / "curve.nc")))
    assert again == pytest.approx(found, rel=1e-8)
