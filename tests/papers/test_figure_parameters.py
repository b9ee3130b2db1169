"""Numbers of a figure turned away from the print: what is taken, what comes out, and that nothing is compared then."""

from __future__ import annotations

import re

import numpy as np
import pytest
import xarray
from matplotlib import pyplot as plt

import slipstick as ss
from slipstick.errors import SlipstickError
from slipstick.papers import NAMES, entries, entry
from slipstick.papers.knob import CHANGED_CASE_TEXT

QUICK = [("tensioner", "4"), ("tensioner", "5"), ("tensioner", "11"), ("gear", "3"), ("gear", "7"),
         ("fibre", "mount-push"), ("clutch", "4"), ("clutch", "5")]  # fmt: skip
AT_ENDS = [("tensioner", "4"), ("fibre", "mount-push")]
# what takes seconds with every number is turned by make test-long
SLOW = [("tensioner", "8"), ("tensioner", "9"), ("tensioner", "10"), ("tensioner", "13"), ("gear", "convergence"),
        ("fibre", "7"), ("fibre", "13"), ("fibre", "14"), ("fibre", "15"), ("fibre", "16"), ("fibre", "mount"),
        ("clutch", "8"), ("clutch", "table 2")]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_printed_numbers_lie_within_their_bounds_and_have_names_of_their_own(name):
    there = [one for one in entries(name) if one.knobs]
    assert there
    for one in there:
        assert len({knob.name for knob in one.knobs}) == len(one.knobs)
        for knob in one.knobs:
            assert knob.low <= knob.value <= knob.high
            assert knob.meaning


@pytest.mark.parametrize("name", ["tensioner", "gear", "clutch", "torsional"])
def test_knobs_of_a_system_begin_with_its_defaults(name):
    """What a knob and a keyword of the system have in common is one number; the print is in both."""
    import inspect

    keywords = inspect.signature(getattr(ss.systems, name)).parameters
    own = {("tensioner", "mean"), ("tensioner", "phase")}  # (53) is one case of several
    loaded = {"mean", "damping_psi", "damping_phi", "limit_psi", "limit_phi"}  # a train of its own
    for one in entries(name):
        for knob in one.knobs:
            default = keywords[knob.name].default if knob.name in keywords else None
            apart = (name, knob.name) in own or (one.label == "rattle" and knob.name in loaded)
            if isinstance(default, int | float) and not apart:
                assert knob.value == default, (one.label, knob.name)


@pytest.mark.parametrize(("name", "label"), QUICK)
def test_the_printed_number_is_no_change(name, label):
    one = entry(name, label)
    same = ss.paper(name, label, numbers={knob.name: knob.value for knob in one.knobs})
    plain = ss.paper(name, label)
    assert same.rows == plain.rows
    assert same.label == plain.label == label
    assert same.changed == ""
    xarray.testing.assert_identical(same.data, plain.data)


@pytest.mark.parametrize(("name", "label"), QUICK)
def test_with_another_number_nothing_is_compared_with_the_print(name, label, tmp_path):
    knob = entry(name, label).knobs[0]
    made = ss.paper(name, label, numbers={knob.name: 0.5 * (knob.value + knob.high)})
    assert made.label == f"{label}-changed"
    assert made.changed.startswith(f"{knob.name} ")
    assert all((row.paper, row.why) == ("-", CHANGED_CASE_TEXT) for row in made.rows)
    assert not any(row.reading for row in made.rows)
    files = made.save(tmp_path)
    again = ss.open(files[2])
    assert str(again) == str(made)
    assert [path.name for path in again.save(tmp_path)] == [path.name for path in files]


def ends_of(figures):
    """Each knob of these figures at both ends of its range."""
    return [(name, label, knob.name, value) for name, label in figures for knob in entry(name, label).knobs
            for value in (knob.low, knob.high)]  # fmt: skip


def is_made_or_refused(name, label, knob, value, folder):
    """A figure with one number at its end: all of it can be shown and opened again, or one line says why not."""
    refusal = None
    try:
        made = ss.paper(name, label, numbers={knob: value})
    except SlipstickError as error:
        refusal = str(error)
    if refusal is not None:
        assert "\n" not in refusal
        assert refusal.startswith(("synthetic tensioner-dahl: the upper envelope is not reached", f"{name}, {label}: "))
        return
    told = " ".join((*(row.here for row in made.rows), made.method, made.certificate))
    assert not re.search(r"\bnan\b", told)
    assert f"{knob} " in made.changed
    files = made.save(folder)
    assert ss.open(files[2]).rows == made.rows
    assert all(np.isfinite(one).any() for one in made.data.data_vars.values() if one.dtype.kind == "f")


@pytest.mark.parametrize(("name", "label", "knob", "value"), ends_of(AT_ENDS))
def test_a_number_at_the_end_of_its_range_makes_a_figure_or_one_line(name, label, knob, value, tmp_path):
    is_made_or_refused(name, label, knob, value, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize(("name", "label", "knob", "value"), ends_of(SLOW))
def test_so_it_does_where_it_takes_longer(name, label, knob, value, tmp_path):
    is_made_or_refused(name, label, knob, value, tmp_path)


@pytest.mark.parametrize("name", NAMES)
def test_a_figure_without_numbers_to_turn_says_why_in_one_sentence(name):
    for one in entries(name):
        assert bool(one.fixed) is not bool(one.knobs), one.label
        if one.fixed:
            assert one.fixed.startswith("No number can be changed: ")
            assert one.fixed.endswith(".")
            assert one.fixed.count(".") == 1


def test_another_limit_makes_the_parallelogram_of_that_limit():
    """Work of a Jenkins element, 4 f (X - f/k), with both changed."""
    made = ss.paper("tensioner", 5, numbers={"limit": 80.0, "swing": 4e-4})
    loop = made.data
    area = float(np.trapezoid(loop["dry"], loop["deflection"]))
    assert area == pytest.approx(4.0 * 80.0 * (4e-4 - 80.0 / 4.84e5), rel=1e-3)


def test_another_gap_moves_the_spring():
    made = ss.paper("gear", 3, numbers={"half_gap": 1.0, "stiffness": 5.0})
    assert made.data["force"].values == pytest.approx(5.0 * ss.luz(made.data["deflection"].values, 1.0), abs=1e-13)


def test_numbers_that_cannot_be_are_refused_in_one_line(refused):
    with refused("gear, Fig. 3: half_gap must be between 0 m and 2 m, got 3"):
        ss.paper("gear", 3, numbers={"half_gap": 3.0})
    with refused("half_gap must be a number", "nan"):
        ss.paper("gear", 3, numbers={"half_gap": float("nan")})
    with refused("no number 'halfgap' can be changed", "did you mean", "half_gap"):
        ss.paper("gear", 3, numbers={"halfgap": 1.0})
    with refused("clutch, Table 1", "it has none"):
        ss.paper("clutch", "table 1", numbers={"masses": 1.0})


def test_a_loop_is_made_anew_as_the_one_that_is_shipped():
    """The same noise on the same law: what the files round is the only difference."""
    from slipstick.papers.fibre import synthetic_loops as samples
    from slipstick.papers.tensioner import synthetic_loops as rig

    for name, shipped in rig.loops({}).items():
        made = rig.loops({"noise": 5.0})[name]
        assert np.abs(made.u - shipped.u).max() <= 0.51e-8  # m: five digits of mm
        assert np.abs(made.f - shipped.f).max() <= 0.0051  # N
    for name in ("fibre-set-1", "fibre-set-2"):
        for made, shipped in zip(samples.loops(name, {"noise": 20.0}), samples.loops(name, {}), strict=True):
            assert (made.name, made.frequency, made.system) == (shipped.name, shipped.frequency, shipped.system)
            assert np.abs(made.f - shipped.f).max() <= 0.051  # Pa


def test_numbers_that_a_loop_is_made_with_are_found_in_it():
    rows = {row.quantity: row.here for row in ss.paper("fibre", 14, numbers={"limit": 2000.0, "noise": 5.0}).rows}
    found, rest = rows["tau_C"].split(" (")
    assert float(found) == pytest.approx(2000.0, rel=5e-3)
    assert rest.endswith("made with 2000")
    rows = {row.quantity: row.here for row in ss.paper("tensioner", 10, numbers={"limit": 90.0, "noise": 1.0}).rows}
    found, rest = rows["Masing: limit"].split(" (")
    assert float(found) == pytest.approx(90.0, rel=5e-3)
    assert "made with 90; the rule says" in rest


def test_words_of_a_picture_follow_the_numbers():
    titles = {}
    for name, label, numbers in (
        ("fibre", "mount-push", {"push": 400.0, "duration": 5e-3}),
        ("tensioner", "8", {"noise": 12.0}),
        ("tensioner", "4", {"height": 0.5}),
    ):
        figure = ss.paper(name, label, numbers=numbers).plot()
        titles[label] = " ".join(ax.get_title("left") + ax.get_title() for ax in figure.axes)
        plt.close(figure)
    assert "push of 5 ms, 400 N" in titles["mount-push"]
    assert "12 N of noise" in titles["8"]
    assert "(a) 0.5 σ (b) β(x/0.5)" in titles["4"]


def test_another_mass_moves_the_mount_as_its_natural_frequency():
    """A light push keeps all stuck: 2 S (G1 + 2 sigma)/(h m) is the square of the frequency."""
    made = ss.paper("fibre", "mount-push", numbers={"mass": 20.0, "push": 1.0})
    x, t = made.data["x"].values, made.data["time"].values
    later = np.flatnonzero((x[:-1] < 0.0) & (x[1:] >= 0.0) & (t[1:] > 0.005))
    frequency = 2.0 * np.pi * (later.size - 1) / (t[later[-1]] - t[later[0]])
    stuck = np.sqrt(2.0 * 0.04 * 0.06 * (6.16e6 + 2 * 1.49e6) / 0.02 / 20.0)
    assert frequency == pytest.approx(stuck, rel=0.02)


def test_frequencies_of_the_mount_go_with_its_mass_and_law():
    from slipstick.papers.fibre import figure_parameters, shear_mount

    numbers = {knob.name: knob.value for knob in figure_parameters.MOUNT}
    assert shear_mount._between(numbers) == shear_mount.BETWEEN
    assert shear_mount._between({**numbers, "mass": 20.0}) == pytest.approx([0.5 * end for end in shear_mount.BETWEEN])
    beyond = shear_mount.CurvePeak(750.0, 0.01, False)
    assert "the resonance lies beyond" in shear_mount._of_peaks([beyond] * 2, numbers)[0].here


def test_runs_of_the_mount_that_settle_slowly_are_not_reported_as_drifting():
    from slipstick.papers.fibre import shear_mount

    rows = shear_mount._of_runs(
        [shear_mount.RunCheck(5.0, 0.1, 0.01, 1e-9), shear_mount.RunCheck(20.0, 0.1, 0.01, 5e-4)]
    )
    assert [row.quantity for row in rows] == ["peaks by runs of 100 periods",
                                              "runs that have not settled after 100 periods"]  # fmt: skip
    assert "20 N 500 um" in rows[0].here
    assert rows[1].here.endswith("at most: 5 N")


def test_a_torque_that_moves_nothing_is_refused(refused):
    with refused("gear, convergence: the torque must move the wheels", "a larger amplitude"):
        ss.paper("gear", "convergence", numbers={"amplitude": 0.1, "limit_psi": 1.0})


def test_a_number_that_loops_do_not_tell_is_not_reported_over_frequency():
    """A set without an overshoot: its interval has no end, and the line through it is none."""
    from types import SimpleNamespace

    from slipstick.papers.fibre import law_fits

    nowhere = SimpleNamespace(value=float("nan"), per_decade=float("nan"), low=0.0, high=0.0, depends=False)
    assert law_fits._over_frequency("overshoot", "set 1", nowhere).here == "not identifiable at every frequency"
    one = xarray.Dataset({"value": ("frequency", [0.0, 2.0]), "high": ("frequency", [np.inf, 3.0])})
    assert law_fits._top(one) > 3.0
    assert np.isfinite(law_fits._top(one))
