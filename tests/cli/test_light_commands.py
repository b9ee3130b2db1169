"""What commands do not import: libraries that take longer than their work."""

import sys

import numpy as np

import slipstick as ss
from slipstick.model.files.headers import titles_of


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
