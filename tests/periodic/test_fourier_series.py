"""Samples of a series and back: fast transforms against sums of cosines and sines."""

import tracemalloc

import numpy as np
import pytest

import slipstick as ss
from slipstick.periodic.balance.fourier_series import FourierGrid

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
