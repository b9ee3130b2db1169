"""Data that come with the package: the script makes what is shipped, and everything says that it is synthetic."""

from __future__ import annotations

import gzip
from types import SimpleNamespace

import numpy as np
import pytest

import slipstick as ss
from slipstick.datasets import NAMES
from slipstick.identification.preparing.signal_conditioning import estimate_drift


@pytest.mark.parametrize("name", NAMES)
def test_the_script_makes_the_files_to_the_last_printed_digit(name: str, made: SimpleNamespace) -> None:
    table = made.made(name)
    shipped = gzip.decompress(ss.dataset_path(name).read_bytes()).decode().splitlines()
    fresh = list(made.lines_of(table))
    head = len(table.words) + 2
    assert shipped[:head] == fresh[:head]
    there = np.loadtxt(shipped[head:], delimiter=",")
    here = np.loadtxt(fresh[head:], delimiter=",")
    assert there.shape == here.shape
    unit = 10.0 ** -np.array(table.digits, dtype=float)
    assert np.all(np.abs(there - here) <= 1.01 * unit)  # another libm may round the last digit the other way
    assert np.mean(there != here) < 1e-3


def test_every_set_of_the_script_is_announced_and_the_other_way_round(made: SimpleNamespace) -> None:
    assert set(made.MAKERS) == set(NAMES)
    files = list(ss.dataset_path("worn-rig").parent.glob("*.csv.gz"))
    assert {file.name for file in files} == {f"{name}-synthetic.csv.gz" for name in NAMES}
    assert sum(file.stat().st_size for file in files) < 3e6


@pytest.mark.parametrize("name", NAMES)
def test_everything_says_that_it_is_synthetic(name: str) -> None:
    with gzip.open(ss.dataset_path(name), "rt") as file:
        assert file.readline().startswith("# SYNTHETIC DATA")
    for loop in ss.dataset(name):
        assert loop.name.startswith("synthetic ")
        assert any("never measured" in note for note in loop.notes)


def test_loops_are_what_their_names_say(made: SimpleNamespace) -> None:
    for name in ("fibre-set-1", "fibre-set-2"):
        loops = ss.dataset(name)
        assert len(loops) == len(made.FIBRE_FREQUENCIES) * len(made.FIBRE_AMPLITUDES) == 50
        for k, loop in enumerate(loops):
            frequency, amplitude = made.FIBRE_FREQUENCIES[k // 10], made.FIBRE_AMPLITUDES[k % 10]
            assert loop.name.endswith(f"{frequency:g} Hz, strain {amplitude:g}")
            assert loop.amplitude == pytest.approx(amplitude, rel=1e-4)
            assert loop.frequency == frequency
            assert loop.figures[-1].frequency == pytest.approx(frequency, rel=0.01)
    for k, loop in enumerate(ss.dataset("joint-lag")):
        assert loop.amplitude == pytest.approx(made.JOINT_AMPLITUDES[k % 3], rel=1e-3)
        assert loop.frequency == made.JOINT_FREQUENCIES[k // 3]
    for loop, amplitude in zip(ss.dataset("series-gap"), made.GAP_AMPLITUDES, strict=True):
        assert loop.amplitude == pytest.approx(amplitude, rel=1e-3)


def test_the_rig_drifts_as_its_head_says() -> None:
    for name in ("tensioner-masing", "tensioner-dahl"):
        (loop,) = ss.dataset(name)
        period = 2.0 * np.pi / 9.4
        assert estimate_drift(loop).force == pytest.approx(2.0 * period, rel=0.2)
        assert abs(estimate_drift(loop.without_drift()).force) < 0.05 * 2.0 * period


def test_a_gap_in_series_has_no_force_within_it(made: SimpleNamespace) -> None:
    u = np.array([0.0, 5e-5, 1e-4, 3e-4, 0.0])
    f = made.in_series(u, ss.Jenkins(stiffness=4e5, limit=1e9))  # a spring: in series with the sides of the gap
    stiffness = 1.0 / (1.0 / 4e5 + 1.0 / made.CONTACT)
    assert f == pytest.approx([0.0, 0.0, 0.0, stiffness * 2e-4, 0.0], abs=1e-6)


def test_a_late_sensor_shows_a_ramp_late_and_a_constant_as_it_is(made: SimpleNamespace) -> None:
    t = np.arange(0.0, 1.0, 1e-3)
    assert made.lagged(np.full(t.size, 3.0), 1e-3, 0.05) == pytest.approx(3.0)
    seen = made.lagged(2.0 * t, 1e-3, 0.05)
    assert seen == pytest.approx(2.0 * (t - 0.05 * (1.0 - np.exp(-t / 0.05))), abs=1e-12)


@pytest.mark.parametrize("ask", [ss.dataset, ss.dataset_path])
def test_an_unknown_name_is_refused_in_one_line_with_what_was_meant(ask: object) -> None:
    with pytest.raises(ss.InvalidInput, match='did you mean "series-gap"') as refusal:
        ask("serie-gap")  # type: ignore[operator]
    assert "\n" not in str(refusal.value)
    with pytest.raises(ss.InvalidInput, match="tensioner-masing"):
        ask(3)  # type: ignore[operator]
