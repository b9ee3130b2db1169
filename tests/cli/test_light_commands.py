"""What commands do not import: libraries that take longer than their work."""

import sys
from pathlib import Path

import numpy as np

import slipstick as ss
from slipstick.cli import GARBAGE_THRESHOLD
from slipstick.model.files.headers import titles_of


def drive():
    m = ss.Model("mass between stops")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.1))
    m.connect(x, ss.Freeplay(stiffness=4.0, half_gap=1.0))
    m.load(x, ss.Cosine(0.5, order=1))
    return m


def test_a_curve_with_peak_and_special_points_is_drawn_and_saved_without_these_parts_of_scipy(tmp_path, monkeypatch):
    for name in ("scipy.optimize", "scipy.interpolate", "xarray"):
        monkeypatch.setitem(sys.modules, name, None)  # importing it raises ImportError
    curve = drive().frequency_response(between=(0.5, 2.5), method="shooting")
    assert {point["kind"] for point in curve.special} >= {"grazing", "fold"}
    curve.plot().savefig(tmp_path / "curve.png")
    curve.save(tmp_path / "curve.nc")
    assert {each.name for each in Path(tmp_path).iterdir()} == {"curve.png", "curve.nc"}


def test_a_fit_is_saved_without_xarray(tmp_path, monkeypatch):
    u = 1e-3 * np.sin(np.linspace(0.0, 4.0 * np.pi, 400))
    fit = ss.identify(ss.Loop(u, ss.Jenkins(stiffness=5e5, limit=160.0).trace(u)), law="jenkins")
    monkeypatch.setitem(sys.modules, "xarray", None)
    fit.save(tmp_path / "fit.nc")
    monkeypatch.undo()
    assert ss.open(tmp_path / "fit.nc").parameters["limit"].value == fit.parameters["limit"].value


def test_plain_names_in_a_header_do_not_load_the_library_of_units(monkeypatch):
    def refuse():
        raise AssertionError("pint is loaded")

    monkeypatch.setattr("slipstick.units.parser._registry", refuse)
    assert titles_of([["moment", "shift", "pull"]]).names == ("moment", "shift", "pull")


def test_garbage_is_collected_at_last():
    assert 10_000 <= GARBAGE_THRESHOLD <= 100_000
