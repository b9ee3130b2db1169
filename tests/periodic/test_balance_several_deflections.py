"""Harmonic balance with laws of several deflections: matrices, Jenkins, differences, and long runs with lift-off."""

from __future__ import annotations

import numpy as np
import pytest

import slipstick as ss
from slipstick.model.named_parameter import parameter_of
from slipstick.periodic.balance.harmonic_balance import HarmonicBalance
from slipstick.periodic.balance.multipliers import SAMPLED_SWITCH_ERROR

OPTIONS = {"normal_stiffness": 300.0, "tangential_stiffness": 150.0, "friction": 0.4}


class CoupledMaxwell(ss.Law):
    """Two springs that couple two deflections, each with a memory that follows slowly: no plain cycle closes it."""

    directions = ("along", "across")
    remembers = ("first", "second")
    stiffness: float
    coupling: float
    share: float

    def update(self, u, v, memory):
        a, b = u
        c, d = memory
        c = c + self.share * (a - c)
        d = d + self.share * (b - d)
        along = self.stiffness * a + self.coupling * (b - d)
        return (along, self.stiffness * b + self.coupling * (a - c)), (c, d)


class CoupledSpring(ss.Law):
    """f_t = k u_t + c u_n + d v_n, f_n = c u_t + k u_n."""

    directions = ("along", "across")
    stiffness: float
    coupling: float
    damping: float

    def update(self, u, v, memory):
        a, b = u
        across = self.coupling * a + self.stiffness * b
        return (self.stiffness * a + self.coupling * b + self.damping * v[1], across), memory


def oscillator(*, size=6.0, preload=1.5, damping=1.0, third=False):
    """Masses on springs, held on each other by a contact that opens."""
    m = ss.Model("oblique", frequency=8.0)
    names = "xyz" if third else "xz"
    q = [m.coordinate(name, inertia=1.0) for name in names]
    loads = ((3.0, 0.0), (2.5, 0.9), (size, 1.0)) if third else ((3.0, 0.0), (size, 1.0))
    for own, k, (force, phase) in zip(q, (100.0, 140.0, 200.0), loads, strict=False):
        m.connect(own, ss.Linear(stiffness=k, damping=damping))
        m.load(own, ss.Sine(force, order=1, phase=phase))
    m.connect((*q[:-1], q[-1] + 0.3 * q[0]), ss.FrictionContact(**OPTIONS, preload=preload), name="pad")
    return m


@pytest.mark.parametrize("law", ["contact", "contact in space", "damped contact", "slow memory"])
@pytest.mark.parametrize("samples", [128, 1024])
def test_derivatives_of_the_equations_are_those_of_differences(law, samples):
    m = oscillator(third=law == "contact in space")
    if law != "contact in space":
        x, z = m["x"], m["z"]
        own = {
            "contact": ss.FrictionContact(**OPTIONS, gap=0.01),
            "damped contact": ss.FrictionContact(**OPTIONS, preload=2.0, normal_damping=3.0),
            "slow memory": CoupledMaxwell(stiffness=30.0, coupling=20.0, share=0.02),
        }[law]
        m.connect((x - z, z + 0.5 * x), own, name="more")
    family = HarmonicBalance(m, frequency=8.0, harmonics=5, samples=samples)
    x = family.start(8.0) + 0.01 * np.random.default_rng(1).normal(size=family.size)
    found = family.linearise(x, 8.0)
    by_x, by_p = found.by_x.copy(), found.by_p.copy()
    h, size = 1e-7, np.abs(by_x).max()
    for i in range(0, family.size, 5):
        step = h * np.eye(family.size)[i]
        change = (family.residual(x + step, 8.0) - family.residual(x - step, 8.0)) / (2.0 * h)
        assert change == pytest.approx(by_x[:, i], abs=1e-6 * size)
    change = (family.residual(x, 8.0 + 1e-6) - family.residual(x, 8.0 - 1e-6)) / 2e-6
    assert change == pytest.approx(by_p, abs=1e-6 * size)


def test_a_coupled_linear_law_is_that_of_matrices():
    amplitudes = []
    for several in (True, False):
        m = ss.Model("coupled", frequency=7.0)
        x, y, z = (m.coordinate(name, inertia=1.0) for name in "xyz")
        for q in (x, y, z):
            m.connect(q, ss.Linear(stiffness=100.0, damping=1.0))
        if several:
            m.connect((x - y, z), CoupledSpring(stiffness=40.0, coupling=25.0, damping=2.0), name="own")
        else:
            for q in (x - y, z):
                m.connect(q, ss.Linear(stiffness=40.0))
            m.connect(z, ss.Linear(stiffness=25.0, damping=2.0), along=x - y)
            m.connect(x - y, ss.Linear(stiffness=25.0), along=z)
        m.load(x, ss.Cosine(3.0, order=1) + ss.Cosine(1.0, order=3))
        curve = m.frequency_response(at=[5.0, 7.0, 11.0], method="harmonic-balance")
        amplitudes.append(curve.data["amplitude"].values)
    assert amplitudes[0] == pytest.approx(amplitudes[1], rel=1e-9)


def test_a_constant_normal_load_responds_like_jenkins():
    found = []
    for is_contact in (True, False):
        m = ss.Model("pressed", frequency=8.0)
        x = m.coordinate("x", inertia=1.0)
        n = m.coordinate("n", motion=ss.Constant(0.0))
        m.connect(x, ss.Linear(stiffness=100.0, damping=0.5))
        if is_contact:
            m.connect((x, n), ss.FrictionContact(**OPTIONS, preload=2.0), name="pad")
        else:
            m.connect(x, ss.Jenkins(stiffness=150.0, limit=0.8))
        m.load(x, ss.Sine(3.0, order=1))
        curve = m.frequency_response(at=[6.0, 8.0, 12.0, 15.0], method="harmonic-balance", harmonics=9)
        found.append(curve.data["harmonics"].sel(coordinate="x").values)
    assert found[0] == pytest.approx(found[1], abs=1e-10)


@pytest.mark.parametrize("harmonics", [5, 11, 21, 41])
def test_orbits_with_lift_off_agree_with_a_long_run_within_their_estimates(harmonics):
    orbit = oscillator().periodic(method="harmonic-balance", harmonics=harmonics)
    assert {"stick", "slip", "separated"} == set(np.unique(orbit.data["state"].sel(connection="pad.normal")))
    period, cycles = 2.0 * np.pi / 8.0, 20  # free motions decay by exp(-0.5 t)
    times = cycles * period + orbit.data["time"].values[::64]
    start = {name: orbit.data["displacement"].sel(coordinate=name).values[0] for name in "xz"}
    m = oscillator()
    for name in "xz":
        m[name].displacement = start[name]
        m[name].velocity = orbit.data["velocity"].sel(coordinate=name).values[0]
    run = m.simulate(until=times[-1], method="newmark", step=period / 8000, samples=times)
    apart = np.abs(run.data["displacement"].values - orbit.data["displacement"].values[::64]).max()
    assert apart <= orbit.certificate.error + run.certificate.error
    assert run.certificate.error < 1e-6
    assert orbit.certificate.passed


def test_a_curve_through_lift_off_has_dissipation_and_errors():
    curve = oscillator().frequency_response(between=(6.0, 14.0), method="harmonic-balance")
    lost = curve.data["dissipated"].sel(connection="pad.tangential").values
    assert (lost > 0.0).all()
    assert (curve.data["error"].values < 0.05 * curve.data["amplitude"].max(dim="coordinate").values).all()
    assert np.isfinite(curve.data["multipliers"].values[:, 0]).all()


def test_a_parameter_of_the_whole_law_can_be_followed():
    curve = oscillator().follow("pad.friction", between=(0.2, 0.6), method="harmonic-balance")
    ends = curve.data.isel(point=[0, -1])["amplitude"].values
    for friction, own in zip((0.2, 0.6), ends, strict=True):
        orbit = parameter_of(oscillator(), "pad.friction").at(friction).periodic(method="harmonic-balance")
        half = 0.5 * np.ptp(orbit.data["displacement"].values, axis=0)
        assert own == pytest.approx(half, rel=1e-3)


def test_shooting_refuses_laws_without_pieces_with_the_way_out():
    m = oscillator()
    m.connect((m["x"], m["z"]), CoupledMaxwell(stiffness=30.0, coupling=20.0, share=0.02))
    with pytest.raises(ss.MissingFace, match="several deflections"):
        m.periodic(method="shooting")


# ---- stability


def characteristic(multipliers, count):
    """Coefficients of the polynomial of the largest multipliers: double ones move by the roots of errors."""
    return np.real(np.poly(multipliers[:count]))


@pytest.mark.parametrize(("size", "preload"), [(6.0, 1.5), (4.0, 1.0), (0.5, 3.0), (4.0, -0.5)])
def test_multipliers_are_those_of_the_exact_flow(size, preload):
    exact = oscillator(size=size, preload=preload, damping=0.5).periodic(method="shooting")
    for harmonics in (11, 41):
        own = oscillator(size=size, preload=preload, damping=0.5).periodic(
            method="harmonic-balance", harmonics=harmonics
        )
        apart = np.abs(own.multipliers[:4, None] - exact.multipliers[None, :4]).min(axis=1)
        assert apart.max() < SAMPLED_SWITCH_ERROR  # as stability takes it to be
        assert own.stable == exact.stable
        assert np.abs(own.multipliers[4:]).max() < 1e-9  # of the slider, and of deflections in its memory


def test_multipliers_of_a_coupled_linear_law_are_those_of_its_matrices():
    m = ss.Model("coupled", frequency=7.0)
    x, y, z = (m.coordinate(name, inertia=1.0) for name in "xyz")
    for q in (x, y, z):
        m.connect(q, ss.Linear(stiffness=100.0, damping=1.0))
    m.connect((x - y, z), CoupledSpring(stiffness=40.0, coupling=25.0, damping=2.0), name="own")
    m.load(x, ss.Cosine(3.0, order=1))
    own = m.periodic(method="harmonic-balance").multipliers
    d = np.array([[1.0, -1.0, 0.0], [0.0, 0.0, 1.0]])
    stiffness = 100.0 * np.eye(3) + d.T @ np.array([[40.0, 25.0], [25.0, 40.0]]) @ d
    damping = np.eye(3) + d.T @ np.array([[0.0, 2.0], [0.0, 0.0]]) @ d
    flow = np.block([[np.zeros((3, 3)), np.eye(3)], [-stiffness, -damping]])
    expected = np.exp(np.linalg.eigvals(flow) * 2.0 * np.pi / 7.0)
    assert characteristic(own, 6) == pytest.approx(np.real(np.poly(expected)), abs=1e-7)


def test_multipliers_in_a_plane_are_those_of_one_direction():
    """The plane of two tangential directions turned by an angle, loaded along the first: the other has its springs."""
    found = []
    for c, s in ((1.0, 0.0), (0.6, 0.8)):
        m = ss.Model("plane", frequency=8.0)
        x, y, z = (m.coordinate(name, inertia=1.0) for name in "xyz")
        for q in (x, y, z):
            m.connect(q, ss.Linear(stiffness=100.0, damping=1.0))
        m.connect((c * x + s * y, c * y - s * x, z), ss.FrictionContact(**OPTIONS, preload=1.0), name="pad")
        for q, share in ((x, c), (y, s)):
            m.load(q, ss.Sine(3.0 * share, order=1))
        m.load(z, ss.Sine(4.0, order=1, phase=1.0))
        found.append(characteristic(m.periodic(method="harmonic-balance", harmonics=21).multipliers, 6))
    assert found[0] == pytest.approx(found[1], abs=1e-8)


@pytest.mark.parametrize("harmonics", [5, 11, 21, 41])
def test_orbits_with_lift_off_agree_with_shooting_within_their_estimates(harmonics):
    orbit = oscillator().periodic(method="harmonic-balance", harmonics=harmonics)
    exact = oscillator().periodic(method="shooting")
    for name in "xz":
        apart = abs(orbit.amplitude[name] - exact.amplitude[name])
        assert apart <= orbit.certificate.error + exact.certificate.error
    assert abs(orbit.dissipated["pad.tangential"] / exact.dissipated["pad.tangential"] - 1.0) < 30.0 * max(
        orbit.certificate.error / orbit.amplitude["x"], 1e-7
    )
