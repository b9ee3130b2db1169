"""Spectra, orders, maps, modes, basins and equilibria are saved as numbers for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
import xarray
from models import DUFFING, one_mass, slider
from scipy.io import loadmat

import slipstick as ss


def belt() -> ss.Model:
    m = ss.Model("belt")
    x, belt = m.coordinate("x", inertia=1.0), m.coordinate("belt", motion=ss.Ramp(0.5))
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.1), name="spring")
    m.connect(x - belt, ss.DryFriction(limit=0.5, static_limit=0.8, stribeck_velocity=0.3), name="pad")
    return m


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    m = slider(ss.Cosine(1.0, order=1))
    run = m.simulate(until=60.0, speed=ss.Ramp(0.02) + ss.Constant(0.3))
    curve = one_mass({"spring": DUFFING}, ss.Cosine(0.5, order=1)).frequency_response(
        between=(1.0, 2.5), method="harmonic-balance"
    )
    fold = next(special for special in curve.special if special["kind"] == "fold")
    return {
        "orders": run.orders([1.0]),
        "spectrogram": run.spectrogram(),
        "psd": run.psd(),
        "modes": m.modes(),
        "campbell": m.campbell(between=(0.1, 2.0), orders=[1.0, 2.0]),
        "equilibria": belt().equilibria("belt.speed", between=(0.1, 1.5)),
        "track": curve.track(fold, "forcing.amplitude", between=(0.4, 0.6)),
        "basins": belt().basins(over={"x": (-1.0, 1.0)}, count=12, workers=1),
    }


NAMES = ("orders", "spectrogram", "psd", "modes", "campbell", "equilibria", "track", "basins")


@pytest.mark.parametrize("name", NAMES)
def test_every_format_holds_the_same_numbers(name: str, results: dict[str, Any], tmp_path: Path) -> None:
    result = results[name]
    table = result.to_pandas()
    assert len(table) > 0
    for suffix in (".csv", ".parquet", ".xlsx", ".mat", ".nc"):
        result.save(tmp_path / f"{name}{suffix}")
    readers = {".csv": pandas.read_csv, ".parquet": pandas.read_parquet, ".xlsx": pandas.read_excel}
    for suffix, read in readers.items():
        again = read(tmp_path / f"{name}{suffix}")
        assert list(again.columns) == list(table.columns)
        numbers = table.select_dtypes("number")
        np.testing.assert_allclose(again[numbers.columns], numbers, rtol=1e-14)
    opened = ss.open(tmp_path / f"{name}.nc")
    assert isinstance(opened, xarray.Dataset)
    arrays = loadmat(tmp_path / f"{name}.mat")
    for key, own in result.table_data().data_vars.items():
        if own.dtype.kind == "f":
            np.testing.assert_array_equal(opened[key].values, own.values)
            np.testing.assert_array_equal(np.ravel(arrays[str(key).replace(".", "_")]), np.ravel(own.values))


def test_modes_as_a_table_are_the_modes(results: dict[str, Any]) -> None:
    modes = results["modes"]
    table = modes.to_pandas()
    assert table["damping_ratio"].tolist() == modes.damping_ratio.tolist()
    assert table["x.shape"].tolist() == [1.0]


def test_a_start_of_basins_is_a_row(results: dict[str, Any]) -> None:
    table = results["basins"].to_pandas()
    assert list(table.columns) == ["x", "ends_on", "settled_after"]
    assert len(table) == 12


def test_another_suffix_is_one_line(results: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(ss.FileError, match=r"is saved as \.nc, \.csv, \.parquet, \.xlsx, \.mat, got \.png"):
        results["modes"].save(tmp_path / "modes.png")
