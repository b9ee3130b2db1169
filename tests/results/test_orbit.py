"""An orbit is a run of one period that knows its multipliers; it is shown, saved and sent like one."""

from __future__ import annotations

import pickle
from dataclasses import replace

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from periodic.analytic_families import plain_point
from results.recorded_trajectories import trajectory

import slipstick as ss
from slipstick.results.orbit import Orbit

mpl.use("Agg")


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


def orbit(multipliers=(0.9j, -0.9j, 0.1), **changes):
    m = ss.Model("block")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Jenkins(stiffness=1.0, limit=1.0), name="joint")
    point = plain_point([0.3, 0.4, 0.5], 2.0, multipliers, period=np.pi, notes=("a note",))
    return Orbit(trajectory(m, np.linspace(0.0, np.pi, 50)), m, replace(point, **changes))


def test_an_orbit_tells_its_figures_by_name():
    found = orbit()
    assert found.amplitude == {"x": pytest.approx(np.sqrt(0.5))}
    assert found.force_range == {"joint": pytest.approx(2.0 * np.sqrt(0.5))}
    assert (found.frequency, found.period, found.stable, found.notes) == (2.0, np.pi, True, ("a note",))
    assert found.data.attrs["period"] == np.pi
    assert found.data.sizes["time"] == 50
    assert found.certificate.passed


def test_its_repr_tells_whether_it_is_stable():
    assert 'Orbit of "block" by exact at 2 rad/s, period 3.14159 s, stable (largest multiplier 0.9)' in repr(orbit())
    assert "UNSTABLE (largest multiplier 1.2)" in repr(orbit((1.2,)))
    assert "stability not known" in repr(orbit((), stable=None))


def test_an_orbit_comes_back_from_its_file(tmp_path):
    found = orbit()
    found.save(tmp_path / "orbit.nc")
    again = ss.open(tmp_path / "orbit.nc")
    assert type(again) is Orbit
    assert again.data.identical(found.data)
    assert again.events == found.events
    assert again.certificate == found.certificate
    assert np.array_equal(np.sort_complex(again.multipliers), np.sort_complex(found.multipliers))
    assert np.array_equal(again.point.x, found.point.x)
    assert (again.stable, again.notes, again.model) == (found.stable, found.notes, found.model)


def test_an_orbit_goes_to_another_process():
    again = pickle.loads(pickle.dumps(orbit()))
    assert type(again) is Orbit
    assert again.data.identical(orbit().data)
    assert again.period == np.pi


def test_its_picture_has_the_multipliers_beside_the_unit_circle():
    figure = orbit((1.2, 0.5j, -0.5j)).plot()
    panel = next(axis for axis in figure.axes if axis.get_title(loc="right") == "multipliers")
    inside, outside = panel.get_lines()[1:]
    assert sorted(inside.get_ydata()) == [-0.5, 0.5]
    assert outside.get_xdata().tolist() == [1.2]
    assert panel.get_xlabel().split() == ["unstable", "largest", "1.2"]


def test_without_multipliers_the_picture_is_that_of_the_run():
    figure = orbit((), stable=None).plot()
    assert all(axis.get_title(loc="right") != "multipliers" for axis in figure.axes)
