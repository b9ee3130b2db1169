"""A curve tells what it has: data by name, special points, whether it is whole; in words, in pictures, in files."""

from __future__ import annotations

import pickle
from dataclasses import replace

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from models import DUFFING, one_mass
from periodic.analytic_families import Duffing, Stubborn, cubic, logistic, plain_point

import slipstick as ss
from slipstick.errors import InvalidInput, NotConverged
from slipstick.periodic.continuation.curve_trace import solve_at_values, trace_curve
from slipstick.periodic.stability.special_points import special_points_of
from slipstick.results.curve import Curve, CurveFindings, CurveStats
from slipstick.results.orbit import Peak
from slipstick.results.run import Names
from slipstick.units.scales import ModelUnits

mpl.use("Agg")


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


def oscillator():
    return one_mass({"spring": DUFFING})


def duffing(**stats):
    model = oscillator()
    values = {"method": "harmonic-balance", "begin": 0.3, "end": 2.5, **stats}
    return Curve(special_points_of(trace_curve(Duffing(), (0.3, 2.5))), model, CurveStats(**values))


def made(points, coordinates=("x",), connections=("c",), **stats):
    names = Names("made by hand", coordinates, connections, ModelUnits({"x": "mm"}, {}))
    return Curve(CurveFindings(tuple(points), []), None, CurveStats(**{"method": "shooting", **stats}), names)


# ---- data


def test_data_are_along_points_with_names():
    curve = duffing()
    data = curve.data
    assert data.amplitude.dims == data.rms.dims == data["mean"].dims == data.phase.dims == ("point", "coordinate")
    assert data.harmonics.dims == ("point", "harmonic", "coordinate")
    for name in ("force_range", "dissipated", "stick_share", "lag"):
        assert data[name].dims == ("point", "connection")
    for name in ("frequency", "stable", "error", "residual", "iterations", "events", "period"):
        assert data[name].dims == ("point",)
    assert data.multipliers.dims == ("point", "multiplier")
    assert data.sizes["point"] == len(curve) == len(curve.points)
    assert data.amplitude.sel(coordinate="x").shape == (len(curve),)
    assert data.stable.dtype == bool
    assert float(data.peak_to_peak[3, 0]) == 2.0 * float(data.amplitude[3, 0])


def test_amplitudes_and_harmonics_are_those_of_the_points():
    curve = duffing()
    family = Duffing()
    for k in (0, 20, 60):
        amplitude, frequency = float(curve.data.amplitude[k, 0]), float(curve.data.frequency[k])
        assert min(abs(frequency - w) for w in family.frequencies(amplitude)) < 1e-7
        assert abs(complex(curve.data.harmonics[k, 1, 0])) == pytest.approx(amplitude)


def test_a_special_point_picks_its_row():
    curve = duffing()
    for s in curve.special:
        row = curve.data.isel(point=s["point"])
        assert float(row.frequency) == s["frequency"]
    assert [s["kind"] for s in curve.special] == ["fold", "fold"]


def test_points_with_fewer_harmonics_or_multipliers_are_filled_up():
    few = plain_point([1.0], 1.0, [0.5])
    more = plain_point([1.0], 2.0, [0.2, -0.9], harmonics=np.ones((4, 1), dtype=complex))
    data = made([few, more]).data
    assert data.harmonics.shape == (2, 4, 1)
    assert np.isnan(data.harmonics.values[0, 2:]).all()
    assert data.multipliers.values[1].tolist() == [-0.9, 0.2]
    assert np.isnan(data.multipliers.values[0, 1])


def test_stability_that_is_not_known_is_no_number():
    data = made([plain_point([1.0], 1.0), replace(plain_point([1.0], 2.0), stable=None)]).data
    assert data.stable.values[0] == 1.0
    assert np.isnan(data.stable.values[1])


def test_another_parameter_has_its_own_column():
    curve = made([replace(plain_point([1.0], 0.4), frequency=3.0)], parameter="forcing.amplitude", unit="N")
    assert float(curve.data.parameter[0]) == 0.4
    assert float(curve.data.frequency[0]) == 3.0
    assert "forcing.amplitude 0.4 to 0.4 N" in repr(curve)


def test_nothing_is_computed_before_it_is_looked_at():
    asked = []

    def find():
        asked.append(1)
        return special_points_of(trace_curve(Duffing(), (0.3, 0.5)))

    curve = Curve(find, oscillator(), CurveStats("shooting"))
    assert not asked
    assert len(curve) == len(curve.data.point) == len(curve.points)
    assert asked == [1]


# ---- words


@pytest.mark.parametrize(("unit", "factor"), [("", 1.0), ("Hz", 0.5 / np.pi), ("rpm", 30.0 / np.pi)])
def test_its_repr_is_in_the_unit_of_its_model(unit, factor):
    found = special_points_of(trace_curve(Duffing(), (0.3, 0.5)))
    model = oscillator()
    names = Names.of(model)
    curve = Curve(found, model, CurveStats("shooting"), names._replace(units=names.units._replace(frequency=unit)))
    low, high = (factor * p for p in (0.3, 0.5))
    assert f"frequency {low:.6g} to {high:.6g} {unit or 'rad/s'}; " in repr(curve)


def test_its_repr_tells_points_folds_stability_and_error():
    words = repr(duffing())
    for expected in ('Curve of "oscillator" by harmonic-balance', "points", "fold at 1.77424, 1.32364", "unstable"):
        assert expected in words
    assert "error <= 1e-12" in words
    assert "PARTIAL" not in words


def test_a_partial_curve_says_so_everywhere(tmp_path):
    family = Stubborn(cubic(), lambda x, _p: -0.7 < x[0] < -0.4)
    with pytest.raises(NotConverged) as caught:
        trace_curve(family, (-10.0, 10.0))
    traced = caught.value.partial
    curve = Curve(special_points_of(traced), oscillator(), CurveStats("shooting", ended=traced.ended))
    assert "PARTIAL: the curve could not be followed beyond 1.757" in repr(curve)
    assert "PARTIAL" in curve.data.attrs["partial"]
    assert "PARTIAL" in curve.plot().get_suptitle()
    curve.save(tmp_path / "part.nc")
    assert "PARTIAL" in repr(ss.open(tmp_path / "part.nc"))


def test_many_special_points_are_counted():
    curve = made([plain_point([1.0], 1.0 + k) for k in range(9)])
    curve.findings.special.extend({"kind": "grazing", "frequency": 1.0, "point": k, "parameter": 1.0} for k in range(9))
    assert "9 x grazing" in repr(curve)


def test_unknown_errors_and_stability_are_reported():
    points = [replace(plain_point([1.0], 1.0 + k), error=np.nan, stable=None) for k in range(3)]
    assert "stability not known; errors not known" in repr(made(points))
    assert "error <= 1e-12, of 3 not known" in repr(made([*points, plain_point([1.0], 9.0)]))


# ---- switching


def test_switch_takes_period_doublings_and_branch_points_only(refused):
    class Echo:
        def other_branch(self, special, points, number):
            assert points is curve.points
            assert number == special["point"]
            return special

    curve = Curve(
        special_points_of(trace_curve(logistic(), (1.5, 3.5))), oscillator(), CurveStats("shooting"), origin=Echo()
    )
    (doubling,) = curve.special
    assert curve.switch(doubling) is doubling
    assert curve.switch(0) is doubling
    with refused("has 1 points to switch at", "got number 2", error=InvalidInput):
        curve.switch(2)
    with refused("one of curve.special", error=InvalidInput):
        curve.switch("fold")
    with refused(f"the points of this curve are 0 to {len(curve) - 1}, got 4000", error=InvalidInput):
        curve.switch({**doubling, "point": 4000})
    with refused("point must be a whole number, got 'here'", error=InvalidInput):
        curve.switch({**doubling, "point": "here"})
    with refused("no other branch starts at a fold", error=InvalidInput):
        duffing().switch(0)


def test_a_curve_without_a_solver_cannot_be_switched(refused):
    curve = Curve(special_points_of(trace_curve(logistic(), (1.5, 3.5))), oscillator(), CurveStats("shooting"))
    with refused("cannot be switched", "compute it again", error=InvalidInput):
        curve.switch(0)


# ---- files


def test_a_curve_comes_back_from_its_file_with_its_model(tmp_path):
    curve = duffing(reason="because", seconds=0.25)
    curve.save(tmp_path / "curve.nc")
    again = ss.open(tmp_path / "curve.nc")
    assert isinstance(again, Curve)
    assert again.data.identical(curve.data)
    assert again.special == curve.special
    assert (again.notes, again.stats, again.names) == (curve.notes, curve.stats, curve.names)
    assert again.model == curve.model
    for old, new in zip(curve.points, again.points, strict=True):
        assert np.array_equal(old.x, new.x)
        assert (old.p, old.iterations, old.notes, old.stable) == (new.p, new.iterations, new.notes, new.stable)


def test_a_curve_without_connections_multipliers_or_unknowns_comes_back(tmp_path):
    none = np.zeros(0)
    bare = dict.fromkeys(("force_range", "dissipated", "stick_share", "lag"), none)
    points = [replace(plain_point([], 1.0 + k), stable=None, **bare) for k in range(2)]
    curve = made(points, connections=())
    curve.save(tmp_path / "bare.nc")
    again = ss.open(tmp_path / "bare.nc")
    assert again.data.identical(curve.data)
    assert again.points[0].multipliers.size == again.points[0].x.size == 0
    assert again.points[0].stable is None


def test_a_curve_without_points_comes_back(tmp_path):
    made([], ended="interrupted").save(tmp_path / "none.nc")
    again = ss.open(tmp_path / "none.nc")
    assert len(again) == 0
    assert "0 points" in repr(again)
    assert "interrupted" in repr(again)


def test_a_curve_goes_to_another_process():
    curve = duffing()
    again = pickle.loads(pickle.dumps(curve))
    assert again.data.identical(curve.data)
    assert again.special == curve.special


def test_an_unknown_suffix_is_refused_with_the_known_ones(tmp_path, refused):
    with refused("a curve is saved as .nc, .csv, .parquet, .xlsx, .mat, got .doc", error=ss.FileError):
        duffing().save(tmp_path / "curve.doc")


# ---- pictures


def lines(figure):
    return [line for line in figure.axes[0].get_lines() if line.get_xdata().size > 1]


def test_stable_parts_are_lines_and_the_part_between_folds_is_dashed():
    curve = duffing()
    figure = curve.plot()
    first, between, last = (line for line in lines(figure) if line.get_linestyle() != "None")
    assert [line.is_dashed() for line in (first, between, last)] == [False, True, False]
    folds = [s["frequency"] for s in curve.special]
    assert (between.get_xdata()[0], between.get_xdata()[-1]) == tuple(folds)
    marks = [line for line in figure.axes[0].get_lines() if line.get_marker() == "o"]
    assert marks[0].get_xdata().tolist() == folds
    assert [text.get_text() for text in figure.axes[0].get_legend().get_texts()] == ["stable", "unstable", "fold"]


def test_a_band_shows_errors_that_can_be_seen():
    points = [replace(plain_point([1.0 + k], 1.0 + k), error=0.3) for k in range(4)]
    (band,) = made(points).plot().axes[0].collections
    top = 1e3 * np.array([1.3, 2.3, 3.3, 4.3])  # in mm
    assert np.isin(np.round(top, 9), np.round(band.get_paths()[0].vertices[:, 1], 9)).all()
    assert not made([replace(point, error=1e-9) for point in points]).plot().axes[0].collections


def test_axes_have_the_units_of_the_model():
    axis = made([plain_point([1.0], 1.0), plain_point([2.0], 2.0)]).plot().axes[0]
    assert axis.get_ylabel() == "x\n[mm]"
    assert axis.get_lines()[0].get_ydata().tolist() == [1e3, 2e3]
    assert axis.get_xlabel() == "frequency [rad/s]"


def test_of_many_coordinates_the_largest_are_shown_or_those_asked_for():
    names = tuple(f"q{i}" for i in range(6))
    wide = {name: np.arange(6.0) for name in ("amplitude", "rms", "mean", "phase")}
    points = [replace(plain_point([1.0], 1.0 + k), harmonics=np.zeros((1, 6), complex), **wide) for k in range(3)]
    curve = made(points, coordinates=names)
    figure = curve.plot()
    assert [axis.get_ylabel().split("\n")[0] for axis in figure.axes] == ["q2", "q3", "q4", "q5"]
    assert "shown: 4 of 6 coordinates" in figure.get_suptitle()
    assert [axis.get_ylabel().split("\n")[0] for axis in curve.plot("q0").axes] == ["q0"]


def test_connections_have_pictures_of_their_own():
    curve = duffing()
    figure = curve.plot(quantity="dissipated", connections="spring")
    assert figure.axes[0].get_ylabel() == "spring\n[J]"
    assert figure.axes[0].get_title(loc="right") == "dissipated in a period"


def test_a_logarithmic_picture_has_a_logarithmic_scale():
    axis = duffing().plot(log=True).axes[0]
    assert axis.get_yscale() == "log"


def test_visited_points_are_dots_and_sweeps_up_and_down_are_distinguished():
    family = Duffing()
    up = [family.point(point.x, point.p) for point in solve_at_values(family, [0.5, 0.8, 1.1]).points]
    figure = made(up, joined=False).plot()
    assert {line.get_marker() for line in figure.axes[0].get_lines()} >= {"o"}
    both = made([*up, *up[::-1]], joined=False).plot()
    assert {">", "<"} <= {line.get_marker() for line in both.axes[0].get_lines()}
    assert [text.get_text() for text in both.axes[0].get_legend().get_texts()] == ["upwards", "downwards"]


def test_wrong_pictures_are_refused(refused):
    curve = duffing()
    with refused("no quantity 'amplitudes'", "amplitude", error=InvalidInput):
        curve.plot(quantity="amplitudes")
    with refused("no coordinate 'y'", error=InvalidInput):
        curve.plot("y")
    with refused("dissipated belongs to connections", "coordinates=", error=InvalidInput):
        curve.plot("x", quantity="dissipated")


def test_a_picture_of_no_points_says_so():
    assert "0 points" in made([], ended="interrupted").plot().get_suptitle()


def test_a_peak_prints_the_digits_that_its_errors_leave():
    point = ss.systems.torsional().periodic(frequency=1.0).point
    peak = Peak("x", 257.31161684, 7.6348988e-4, 257.31161684, True, False, True, point, 1.3e-8, 0.229)
    words = "0.00076349 at 257.3 rad/s, stable, at an end of the curve; error <= 1.3e-08, of its place <= 0.23"
    assert repr(peak) == f"<Peak of x: {words}>"
