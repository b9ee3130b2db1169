"""Samples of a series and back: fast transforms against sums of cosines and sines."""

import tracemalloc

import numpy as np
import pytest

import slipstick as ss
from slipstick.laws.law_kernels import pointer
from slipstick.native import compile_functions
from slipstick.periodic.balance import fourier_series
from slipstick.periodic.balance.fourier_loop import samples_of_series, spectrum_of_samples, wave_at
from slipstick.periodic.balance.fourier_series import FourierGrid, fourier_grid
from slipstick.periodic.balance.harmonic_balance import HarmonicBalance

SIZES = [(0, 5), (3, 7), (7, 64), (31, 500)]


@pytest.mark.parametrize(("harmonics", "samples"), SIZES)
def test_transforms_sum_the_cosines_and_sines_of_a_series(harmonics: int, samples: int) -> None:
    waves, series = (
        FourierGrid(harmonics, samples),
        np.random.default_rng(harmonics).normal(size=(2, 3, 2 * harmonics + 1)),
    )
    tau = 2.0 * np.pi * np.arange(samples) / samples
    values, slopes = series[..., -1:] + 0.0 * tau, np.zeros((2, 3, samples))
    for h in range(1, harmonics + 1):
        cos, sin = series[..., 2 * h - 2, None], series[..., 2 * h - 1, None]
        values = values + cos * np.cos(h * tau) + sin * np.sin(h * tau)
        slopes = slopes + h * (sin * np.cos(h * tau) - cos * np.sin(h * tau))
    rounding = 1e-13 * (1.0 + harmonics) ** 2
    np.testing.assert_allclose(waves.values_of(series), values, atol=rounding)
    np.testing.assert_allclose(waves.motion_of(series), np.concatenate([values, slopes], axis=-1), atol=rounding)
    np.testing.assert_allclose(waves.slopes_of(series), slopes, atol=rounding)
    np.testing.assert_allclose(waves.coefficients(values), series, atol=rounding)


@pytest.mark.parametrize(("harmonics", "samples"), SIZES)
def test_tables_of_the_compiled_loops_are_the_same_transforms(harmonics: int, samples: int) -> None:
    waves, series = (
        FourierGrid(harmonics, samples),
        np.random.default_rng(harmonics).normal(size=(4, 2 * harmonics + 1)),
    )
    values, rounding = waves.values_of(series), 1e-13 * (1.0 + harmonics) ** 2
    np.testing.assert_allclose(series @ waves.across, waves.motion_of(series), atol=rounding)
    np.testing.assert_allclose(values @ waves.projection[:, :-1], series, atol=rounding)
    spectrum = (values @ waves.double).view(complex)
    expected = np.fft.fft(values)[:, : 2 * harmonics + 1].conj() / samples
    np.testing.assert_allclose(spectrum, expected, atol=rounding)


@pytest.mark.parametrize(("harmonics", "samples"), [(1, 4), (3, 8), (7, 16), (7, 64), (200, 512), (60, 2048)])
def test_compiled_transforms_are_those_of_numpy(harmonics: int, samples: int) -> None:
    """All powers of two take other passes; spectra beyond half of the samples mirror those before it."""
    waves, random = FourierGrid(harmonics, samples), np.random.default_rng(samples)
    series, values, width = random.normal(size=waves.width), random.normal(size=samples), waves.width
    room, out, spectrum = np.zeros(2 * samples + 4), np.zeros(samples), np.zeros(2 * width)
    compiled = compile_functions(samples_of_series, spectrum_of_samples)
    for slopes, expected in ((0, waves.values_of(series)), (1, waves.slopes_of(series))):
        compiled["samples_of_series"].call(
            pointer(series), width, slopes, pointer(waves.circle), samples, pointer(room), pointer(out)
        )
        assert out == pytest.approx(expected, abs=1e-15 * samples * np.abs(expected).max())
    compiled["spectrum_of_samples"].call(
        pointer(values), pointer(waves.circle), samples, pointer(room), width, pointer(spectrum)
    )
    expected = np.fft.fft(values).conj()[np.arange(width) % samples]
    assert spectrum.view(complex) == pytest.approx(expected, abs=1e-14 * np.sqrt(samples))


@pytest.mark.parametrize(("harmonics", "samples"), SIZES)
def test_single_waves_are_those_of_the_table(harmonics: int, samples: int) -> None:
    waves = FourierGrid(harmonics, samples)
    found = [[wave_at(waves.circle.ravel(), samples, k, waves.width, c) for c in range(waves.width)] for k in range(5)]
    np.testing.assert_array_equal(found, waves.values[:5])


LAWS = {
    "freeplay": ss.Freeplay(stiffness=1.0, half_gap=0.5),
    "damped contact": ss.Contact(stiffness=5.0, damping=0.3, gap=0.2),
    "cubic": ss.Polynomial(coefficients=(0.0, 0.0, 0.0, 1.0)),
    "slider": ss.Jenkins(stiffness=1.0, limit=0.5),
    "rate": ss.LuGre(
        bristle_stiffness=5.0, bristle_damping=0.1, viscous=0.05, coulomb=0.5, static=0.6, stribeck_velocity=0.1
    ),
    "memory that changes at all samples": ss.BoucWen(
        stiffness=1.0, A=1.0, beta=1.0, gamma=0.5, exponent=1.5, ratio=0.2
    ),
    "reversals": ss.Iwan(stiffnesses=(0.5, 0.3, 0.2), limits=(0.1, 0.2, 0.3)),
    "stack": ss.DynamicHysteresis(stiffness=1.0, limit=0.5, exponent=1.5),
}


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS.keys())
def test_equations_by_fast_transforms_are_those_by_tables(law: ss.Law, monkeypatch: pytest.MonkeyPatch) -> None:
    m = ss.Model("two masses")
    q = [m.coordinate(name, inertia=1.0) for name in ("a", "b")]
    for u in (q[0], q[1] - q[0]):
        m.connect(u, ss.Linear(stiffness=1.0, damping=0.05))
        m.connect(u, law)
    m.load(q[1], ss.Cosine(1.0, order=1))
    found = []
    for least in (0, 10**12):
        monkeypatch.setattr(fourier_series, "MIN_TRANSFORM_NUMBERS", least)
        fourier_grid.cache_clear()
        family = HarmonicBalance(m, frequency=0.9, harmonics=15)
        assert family.waves.transforms == (least == 0)
        decay = np.append(np.repeat(np.arange(1.0, 16.0), 2), 1.0) ** -2
        x = (2.0 * decay * np.random.default_rng(1).normal(size=(2, 31))).ravel()
        found.append(family.linearise(x, 0.9))
        assert np.abs(family.follower.force).max() > 0.1
    fourier_grid.cache_clear()
    for fast, table in zip(*found, strict=True):
        assert fast == pytest.approx(table, abs=2e-13 * np.abs(table).max())


def test_errors_and_multipliers_of_many_harmonics_need_less_room_than_the_equations() -> None:
    """A Jenkins oscillator with 100 harmonics on 2048 samples: tables of its own harmonics take 7 numbers for each
    sample and coefficient; amplitudes, errors (5 times the harmonics) and multipliers make no tables of their own."""
    m = ss.Model("slider")
    q = m.coordinate("q", inertia=1.0)
    m.connect(q, ss.Linear(stiffness=1.0, damping=0.05))
    m.connect(q, ss.Jenkins(stiffness=0.5, limit=0.5))
    m.load(q, ss.Cosine(1.5, order=1))
    harmonics, samples = 100, 2048
    tables = 7 * samples * (2 * harmonics + 1) * 8
    tracemalloc.start()
    try:
        found = m.frequency_response(at=[0.8], method="harmonic-balance", harmonics=harmonics).points[0]
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert found.stable
    assert most < 2 * tables
