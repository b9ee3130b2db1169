"""Long records on the page Identify: the mean cycle, and the band that holds most of the cycles."""

import numpy as np
import pytest

import slipstick as ss
from slipstick.app.identify.loop_figures import amplitude_groups, drawing_note, measured_figures
from slipstick.app.identify.mean_cycle import MIN_CYCLES, mean_cycles

LAW = ss.Masing(stiffness=4e5, limit=120.0, parallel_stiffness=1e5)
AMPLITUDE = 8e-4


def record(cycles, noise=0.0, amplitude=AMPLITUDE, samples=200):
    """A record from a tip: no virgin curve."""
    t = np.linspace(0.0, cycles, samples * cycles + 1)
    u = np.broadcast_to(amplitude, t.shape) * np.cos(2.0 * np.pi * t)
    rng = np.random.default_rng(3)
    return ss.Loop(u, LAW.trace(u, t) + noise * rng.standard_normal(t.size), t)


def test_the_mean_of_equal_cycles_is_the_closed_loop_of_the_law():
    (mean,) = mean_cycles(record(MIN_CYCLES + 8))
    assert mean.count >= MIN_CYCLES
    # Masing's closed loop between tips +-A: down from the tip k falls by 2 limit, then it slips
    span = np.abs(mean.u - mean.u[:, :1])
    start, sign = mean.f[:, :1], np.sign(mean.u[:, -1:] - mean.u[:, :1])
    expected = start + sign * (1e5 * span + np.minimum(4e5 * span, 240.0))
    np.testing.assert_allclose(mean.f, expected, atol=2.0)  # of 400 N: corners lie between samples
    np.testing.assert_allclose([mean.u.min(), mean.u.max()], [-AMPLITUDE, AMPLITUDE], rtol=1e-6)


def test_the_band_holds_95_per_cent_of_normal_noise():
    (mean,) = mean_cycles(record(300, noise=5.0))
    width = np.median(mean.high - mean.low)
    # of interpolated samples the deviation lies between 1/sqrt(2) and 1 of that of the samples
    assert 2 * 1.96 * 5.0 / np.sqrt(2.0) < width < 2 * 1.96 * 5.0
    assert np.all((mean.low <= mean.f) & (mean.f <= mean.high))


def test_each_amplitude_has_a_mean_cycle_of_its_own():
    amplitude = np.where(np.arange(200 * 24 + 1) < 200 * 12, 0.5 * AMPLITUDE, AMPLITUDE)
    small, large = mean_cycles(record(24, amplitude=amplitude))
    assert np.ptp(large.u) == pytest.approx(2.0 * np.ptp(small.u), rel=0.01)


@pytest.mark.parametrize("cycles", [MIN_CYCLES - 2, 20])
def test_a_short_or_growing_record_is_drawn_as_it_is(cycles):
    growing = np.linspace(0.2, 1.0, 200 * cycles + 1) * AMPLITUDE if cycles > MIN_CYCLES else AMPLITUDE
    loop = record(cycles, amplitude=growing)
    assert mean_cycles(loop) == []
    names = [trace["name"] for trace in measured_figures([loop])[0]["data"]]
    assert "reversals" in names


def test_the_picture_of_a_long_record_has_its_mean_and_its_band():
    loop = record(40, noise=5.0)
    band, mean = measured_figures([loop])[0]["data"]
    count = mean_cycles(loop)[0].count
    assert (band["name"], mean["name"]) == ("95 % of the cycles", f"mean of {count} cycles")
    assert band["fill"] == "toself"
    np.testing.assert_allclose(max(mean["x"]), loop.units.deflection.factor * AMPLITUDE, rtol=1e-3)
    assert len(mean["x"]) < 1000 < len(loop)
    assert f"{count} cycles: the picture shows their mean" in drawing_note([loop])


def test_many_loops_are_coloured_by_amplitude_with_a_legend():
    loops = [record(2, amplitude=size * 1e-4) for size in (1, 4, 4, 2, 2, 2, 8)]
    figure = measured_figures(loops)[0]
    named = {trace["name"]: trace for trace in figure["data"]}
    unit = loops[0].units.deflection
    spans = [f"{unit.factor * size * 1e-4:.3g} {unit.unit}".strip() for size in (8, 4, 2, 1)]
    assert list(named) == [f"{spans[0]}: 1 loop", f"{spans[1]}: 2 loops", f"{spans[2]}: 3 loops", f"{spans[3]}: 1 loop"]
    assert len({trace["line"]["color"] for trace in named.values()}) == 4
    assert figure["layout"]["showlegend"]
    largest = [max(abs(x) for x in trace["x"] if x is not None) for trace in named.values()]
    np.testing.assert_allclose(largest, [unit.factor * size * 1e-4 for size in (8, 4, 2, 1)])


def test_many_amplitudes_share_a_few_spans():
    sizes = [1.1**k for k in range(40)]
    groups = amplitude_groups(sizes)
    assert len(groups) <= 5
    assert [k for group in groups for k in group] == list(range(40))
