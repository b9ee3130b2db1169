"""Files by our own writer are to xarray what its own are."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
import xarray

import slipstick as ss
from slipstick.results.netcdf_encoding import encode_curve
from slipstick.results.netcdf_writer import TableSet, write_tables


def read(path):
    with xarray.open_dataset(path, engine="scipy", decode_times=False) as opened:
        return opened.load()


def both_ways(dataset, folder):
    dataset.to_netcdf(folder / "theirs.nc", engine="scipy", format="NETCDF3_64BIT")
    write_tables(TableSet.of(dataset), folder / "ours.nc")
    return read(folder / "ours.nc"), read(folder / "theirs.nc")


def test_all_types_of_values_are_read_as_from_a_file_of_xarray(tmp_path):
    dataset = xarray.Dataset(
        {
            "number": ("point", np.array([1.0, np.nan, 3.0]), {"units": "m"}),
            "count": ("point", np.arange(3)),
            "flag": ("point", np.array([True, False, True])),
            "letter": (("point", "name"), np.array([["a", "µm"], ["", "bcd"], ["x", "y"]])),
            "content": ("bytes", np.array([1, -2], dtype=np.int8), {"file": "model.yaml"}),
            "single": ((), np.float64(2.5)),
        },
        coords={"frequency": ("point", np.array([1.0, 2.0, 4.0]), {"units": "rad/s"}), "name": ["p", "qr"]},
        attrs={"text": "grüße", "empty": "", "whole": 3, "share": 0.5, "many": np.array([1.0, 2.0])},
    )
    ours, theirs = both_ways(dataset, tmp_path)
    xarray.testing.assert_identical(ours, theirs)
    assert ours.flag.dtype == bool
    assert "frequency" in ours.number.coords


def test_the_tables_of_a_curve_are_read_as_from_a_file_of_xarray(tmp_path):
    m = ss.Model("oscillator")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.1), name="spring")
    m.connect(x, ss.Jenkins(stiffness=1.0, limit=0.5), name="slider")
    m.load(x, ss.Cosine(1.0, order=1))
    curve = m.frequency_response(at=[0.8, 1.0], method="harmonic-balance", harmonics=3)
    ours, theirs = both_ways(encode_curve(curve).dataset(), tmp_path)
    xarray.testing.assert_identical(ours, theirs)
    curve.save(tmp_path / "curve.nc")
    xarray.testing.assert_identical(ss.open(tmp_path / "curve.nc").data, curve.data)


def test_whole_numbers_beyond_32_bits_are_refused(tmp_path):
    with pytest.raises(ValueError, match="count has whole numbers beyond the 32 bits"):
        write_tables(TableSet.of(xarray.Dataset({"count": ("point", [2**40])})), tmp_path / "large.nc")


def test_saving_a_curve_does_not_import_xarray(tmp_path):
    code = (
        "import sys, slipstick as ss\n"
        "m = ss.Model('m'); x = m.coordinate('x', inertia=1.0); m.connect(x, ss.Linear(stiffness=1.0, damping=0.1))\n"
        "m.load(x, ss.Cosine(1.0, order=1))\n"
        f"m.frequency_response(at=[0.5]).save({str(tmp_path / 'c.nc')!r})\n"
        "print('xarray' in sys.modules)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"
