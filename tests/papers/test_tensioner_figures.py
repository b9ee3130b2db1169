"""The tensioner paper's figures: loops and (58) against the golden table, points of Fig. 21, its limits and peaks."""

from __future__ import annotations

from dataclasses import replace

import golden
import numpy as np
import pytest
import xarray

import slipstick as ss
from slipstick.papers.certificate_summary import ErrorEvidence
from slipstick.papers.comparison_rows import UNEXPLAINED_TEXT
from slipstick.papers.entry import EntryRequest
from slipstick.papers.tensioner import (
    belt_responses,
    law_fits,
    rig,
    tension_responses,
)

TABLE = golden.table("tensioner")
NO_DOUBT = ErrorEvidence("point", 1, 1e-12)


def test_numbers_beside_the_figures_are_those_of_the_golden_table():
    """The product shows independent numbers in its rows: they are the ones that tests stand on."""
    areas = ("mdm_area", "masing_area", "masing_dry_area")
    assert list(rig.AREAS.values()) == [TABLE[key].printed for key in areas]
    for (u, way), found in rig.BRANCHES.items():
        place = f"{'up' if way > 0 else 'down'}_{u:.0e}".replace("e-0", "e-")
        assert found == (TABLE[f"mdm_{place}"].printed, TABLE[f"masing_{place}"].printed)
    for law, scheme in (("masing", "exact"), ("masing, by (A.7)", "a7")):
        keys = [f"fig21_{scheme}_{force}_{omega}" for force, omega in tension_responses.REFERENCE_POINTS]
        assert tension_responses.REFERENCE_RANGES[law] == tuple(TABLE[key].printed for key in keys)
    assert belt_responses.CONVERGED_RATIOS["masing"] == (TABLE["ratio_t_exact"].printed, TABLE["ratio_f_exact"].printed)
    assert belt_responses.PRINTED_RATIOS["masing"] == (TABLE["ratio_t_a7"].published, TABLE["ratio_f_a7"].published)


def test_loops_have_the_areas_of_the_golden_table():
    found = rig.areas(rig.last_cycle(40_001))
    expected = [TABLE[key].value for key in ("mdm_area", "masing_area", "masing_dry_area")]
    assert list(found.values()) == pytest.approx(expected, abs=6e-8)


def test_rows_of_the_loops_have_no_doubt_and_another_law_has(monkeypatch):
    assert not any(UNEXPLAINED_TEXT in row.why for label in (2, 6, 12) for row in ss.paper("tensioner", label).rows)
    monkeypatch.setattr(rig, "RIG_DAHL", replace(rig.RIG_DAHL, rate=1.0001 * rig.RIG_DAHL.rate))
    for label in (1, 12):
        assert all(UNEXPLAINED_TEXT in row.why for row in ss.paper("tensioner", label).rows)


def closed_area(rate, exponent, swing, middle=5.4e-4):
    """[J] of the closed loop of (3), integrated step by step; its force at the lower tip is found by bisection."""
    from scipy.integrate import solve_ivp
    from scipy.optimize import brentq

    upper, lower = rig.RIG_DAHL.upper, rig.RIG_DAHL.lower

    def rising(u, y):
        room = upper[0] + upper[1] * u - y[0]
        return rate * np.sign(room) * abs(room) ** exponent, y[0]

    def falling(u, y):
        room = y[0] - lower[0] - lower[1] * u
        return rate * np.sign(room) * abs(room) ** exponent, y[0]

    def cycle(force):
        y = [force, 0.0]
        for way, ends in ((rising, (middle - swing, middle + swing)), (falling, (middle + swing, middle - swing))):
            y = solve_ivp(way, ends, y, method="DOP853", rtol=1e-12, atol=1e-14).y[:, -1]
        return y

    force = brentq(lambda f: cycle(f)[0] - f, 300.0, 1000.0, xtol=1e-10)
    return cycle(force)[1]


@pytest.mark.parametrize("numbers", [{"swing": 1e-4}, {"swing": 1e-5}, {"rate": 1e4}, {"exponent": 0.1}])
def test_a_loop_that_settles_slowly_is_the_closed_one(numbers):
    law = {"rate": rig.RIG_DAHL.rate, "exponent": rig.RIG_DAHL.exponent, "swing": rig.SWING}
    made = ss.paper("tensioner", 2, numbers=numbers)
    force = made.data["dahl"].values
    assert force[-1] == pytest.approx(force[0], rel=1e-10)
    area = float(made.rows[0].here.split()[0])
    assert area == pytest.approx(closed_area(**{**law, **numbers}), rel=2e-6)


def test_forces_beside_a_loop_that_settles_slowly_lie_on_it():
    made = ss.paper("tensioner", 12, numbers={"exponent": 0.1, "limit": 2000.0})
    u, rises = made.data["deflection"].values, made.data["rate"].values > 0.0
    for row in made.rows:
        side = rises if "rising" in row.quantity else ~rises
        order = np.argsort(u[side])
        place = 1e-3 * float(row.quantity.split()[2])
        on = [np.interp(place, u[side][order], made.data[law].values[side][order]) for law in ("dahl", "masing")]
        assert [float(value) for value in row.here.removesuffix(" N").split(", ")] == pytest.approx(on, abs=1e-3)


def test_a_long_branch_settles_below_the_upper_envelope_as_the_row_says():
    for numbers in ({}, {"rate": 6e4}):
        told = next(row.here for row in ss.paper("tensioner", 2, numbers=numbers).rows if "below" in row.quantity)
        law = rig.rig_laws(numbers).dahl
        force = np.asarray(law.trace(np.array([0.0, -0.02, 0.05])))[-1]
        assert float(told.split()[0]) == pytest.approx(law.upper[0] + law.upper[1] * 0.05 - force, abs=1e-6)


def test_a_loop_that_is_not_found_is_refused_in_one_line(refused, monkeypatch):
    monkeypatch.setattr(rig, "MAX_BRACKET_DOUBLINGS", 0)
    with refused("no closed loop was found", "raise the swing"):
        ss.paper("tensioner", 2, numbers={"swing": 1e-4})


def test_each_figure_of_the_loops_has_rows_of_its_own():
    rows = {label: [row.quantity for row in ss.paper("tensioner", label).rows] for label in (1, 2, 5, 6)}
    assert rows[1] == ["loop area, modified Dahl"]
    assert rows[5] == ["loop area, its dry part"]
    assert "loop below the upper envelope" in rows[2]
    assert "loop area, Masing" in rows[6]


def test_corners_of_the_parallelogram_lie_on_the_loop():
    data = rig.last_cycle(4001)
    for _, u, f in rig._corners():
        near = np.hypot((data["deflection"] - u) / 1e-3, (data["dry"] - f) / 600.0)
        assert float(near.min()) <= 2e-3


def test_a_number_outside_its_interval_is_explained_by_the_drift_alone():
    class Found:
        low, high, unit = 575.0, 576.0, "N"

    assert law_fits._why(Found, 575.5, 0.0) == "the same: within its interval"
    assert "lifted it by 2.3 N" in law_fits._why(Found, 573.0, 2.3)
    assert UNEXPLAINED_TEXT in law_fits._why(Found, 573.0, 0.0)
    assert UNEXPLAINED_TEXT in law_fits._why(Found, 570.0, 2.3)


def test_the_reason_of_a_number_outside_its_interval_is_reported_for_changed_numbers_too():
    rows = {row.quantity: row.here for row in ss.paper("tensioner", 10, numbers={"noise": 0.1}).rows}
    found, _, made = rows["Masing: preload"].partition("; made with 573, a drift, taken off, had lifted it by ")
    assert float(found.split()[0]) - float(made.split()[0]) == pytest.approx(573.0, abs=0.1)
    assert rows["Masing: damping"].endswith("made with 19300")
    ends = [row.here for row in ss.paper("tensioner", 9, numbers={"noise": 0.1}).rows if "by the rule" in row.quantity]
    upper, lower = 959.6 + 71460 * 1.06e-3, 397.2 + 53220 * 0.02e-3  # (33) at the tips
    for here, made_with in zip(ends, (upper, lower), strict=True):
        assert f"; made with {made_with:.2f} N, a drift, taken off" in here


def test_a_drift_lifts_the_force_as_it_does_at_the_middle_of_the_cycles():
    """The sets are made with 2 N/s: the middle of the full cycles is in the notes of none, but it is measured here."""
    loop = ss.dataset("tensioner-dahl")[0]
    begin, count = loop.cycle_starts[0], sum(len(cycle) for cycle in loop.cycles)
    middle = 0.5 * (loop.t[begin] + loop.t[begin + count - 1])
    assert law_fits.drift_offset(loop) == pytest.approx(2.0 * middle, rel=0.1)


@pytest.fixture(scope="module")
def histories():
    return belt_responses.histories(EntryRequest())


def test_tension_and_force_differ_as_in_the_golden_table(histories):
    rows = {row.quantity: [float(v) for v in row.here.split(", ")] for row in histories.rows if "(58)" in row.quantity}
    assert rows["(58), modified Dahl"] == pytest.approx([4.4054e-3, 4.3861e-3], abs=6e-8)
    for name, scheme in (("(58), Masing", "exact"), ("(58), Masing, by the scheme (A.7)", "a7")):
        expected = [TABLE[f"ratio_{over}_{scheme}"].value for over in "tf"]
        assert rows[name] == pytest.approx(expected, abs=6e-8)
    assert not any(UNEXPLAINED_TEXT in row.why for row in histories.rows)


def test_means_are_of_whole_periods_and_time_is_moved_until_both_go_together(histories):
    """Means of u1 and u2 [um] and Delta t [ms] by an integration of another program over whole periods."""
    data = histories.data
    taken = (data["value"] - data["centred"]).isel(time=0)
    means = [1e6 * float(taken.sel(law="modified-dahl", quantity=name)) for name in ("u1", "u2")]
    assert means == pytest.approx([568.7, 758.2], abs=0.1)
    assert 1e3 * float(data["shift"]) == pytest.approx(0.2726, abs=1e-4)


def test_what_is_drawn_is_in_the_data(histories):
    for draw, name in ((belt_responses.draw_force, "value"), (belt_responses.draw_second, "centred")):
        figure = draw(histories.data)
        lines = figure.axes[0].lines
        assert np.array_equal(lines[1].get_xdata(), histories.data["moved_time"].sel(law="masing"))
        factor = 1.0 if name == "value" else 1e3
        quantity = "F" if name == "value" else "u2"
        assert np.array_equal(lines[1].get_ydata(), factor * histories.data[name].sel(law="masing", quantity=quantity))


@pytest.mark.parametrize(("law", "force", "omega", "range_of_tension"), [
    ("masing", 54, 65.0, TABLE["fig21_exact_54_65"].value),
    ("masing", 160, 50.0, TABLE["fig21_exact_160_50"].value),
    ("modified-dahl", 120, 73.0, 637.11540),
])  # fmt: skip
def test_points_of_figure_21(law, force, omega, range_of_tension):
    found = tension_responses.by_orbits(law, force, [omega])
    assert found.range[0] == pytest.approx(range_of_tension, abs=2e-5)
    assert found.stable
    assert found.evidence.error < 1e-9


def test_the_papers_own_scheme_has_its_own_number():
    ranges, evidence = tension_responses.tension_range_by_marching("masing", 54.0, [65.0])
    assert ranges[0] == pytest.approx(TABLE["fig21_a7_54_65"].value, abs=2e-5)
    assert abs(ranges[0] - TABLE["fig21_exact_54_65"].value) > 0.1
    assert evidence.kind == "run"
    assert 1e-8 < evidence.error < 1e-4  # first order in its step, and it says so itself


def test_the_papers_window_from_the_balance_is_that_of_another_program():
    """At 13 N and 50 rad/s it is not steady yet, so that its number tells where the law began: with the force (51)."""
    ranges, evidence = tension_responses.tension_range_by_marching("modified-dahl", 13.0, [50.0])
    assert ranges[0] == pytest.approx(54.5964, abs=5e-5)
    assert evidence.error < 1e-9


@pytest.mark.parametrize(("law", "force", "tolerance"), [("masing", 1.0, 1e-9), ("modified-dahl", 1e-3, 2e-3)])
def test_a_force_too_small_to_slip_finds_the_stuck_limit(law, force, tolerance):
    at = [40.0, 60.0, 90.0]
    found = tension_responses.by_orbits(law, force, at).range
    assert found / force == pytest.approx(tension_responses.linear_limits(law, at)["stick"], rel=tolerance)


def test_a_force_much_larger_than_friction_finds_the_slip_limit():
    at = [60.0, 90.0]
    found = tension_responses.by_orbits("masing", 1e5, at).range
    assert found / 1e5 == pytest.approx(tension_responses.linear_limits("masing", at)["slip"], rel=0.02)


def test_a_large_force_on_the_modified_dahl_law_adds_its_envelopes_to_the_slip_limit():
    """Beyond 31 mm its envelopes cross, so no force is large enough; friction leaves their distance, 576 N, on top."""
    at = [60.0, 90.0]
    found = tension_responses.by_orbits("modified-dahl", 1000.0, at).range
    held = (73.84 + 0.15) * 9.81
    middle = (held - 0.5 * (959.6 + 397.2)) / (0.5 * (7.146e4 + 5.322e4))
    apart = 959.6 - 397.2 + (7.146e4 - 5.322e4) * middle
    assert found - 1000.0 * tension_responses.linear_limits("modified-dahl", at)["slip"] == pytest.approx(
        apart, rel=0.05
    )


def line(size, harmonics):
    return tension_responses.ResponseLine(np.array(size, dtype=float), np.array(harmonics, dtype=float), True, NO_DOUBT)


def test_a_peak_below_the_resonance_is_named_after_its_largest_higher_harmonic(monkeypatch):
    monkeypatch.setattr(tension_responses, "FREQUENCIES", np.arange(6.0))
    only = [[9.0, 0.1, 0.5, 0.2, 0.3]] * 6
    assert tension_responses.superharmonic_peaks(line([1, 3, 2, 5, 9, 1], only)) == [(1.0, 3, 0.5)]
    fifth = [[9.0, 0.1, 0.2, 0.2, 0.3]] * 6
    assert tension_responses.superharmonic_peaks(line([1, 3, 2, 5, 9, 1], fifth)) == [(1.0, 5, 0.3)]
    assert tension_responses.superharmonic_peaks(line([1, 2, 3, 5, 9, 1], only)) == []  # no hill before the resonance
    assert tension_responses.superharmonic_peaks(line([1, 3, 2, 5, 9, 1], np.empty((6, 0)))) == []


def test_at_120_newton_the_third_and_the_fifth_harmonic_have_peaks(monkeypatch):
    """Three and five times these frequencies are that of the stuck resonance, 69 rad/s."""
    monkeypatch.setattr(tension_responses, "FREQUENCIES", np.array([13.0, 14.0, 15.0, 22.0, 23.0, 24.0, 59.0]))
    found = tension_responses.superharmonic_peaks(
        tension_responses.by_orbits("modified-dahl", 120.0, tension_responses.FREQUENCIES.tolist())
    )
    assert [(at, order) for at, order, _ in found] == [(14.0, 5), (23.0, 3)]
    stuck = tension_responses.linear_limits("modified-dahl", np.arange(50.0, 90.0, 0.1))["stick"]
    assert 50.0 + 0.1 * np.argmax(stuck) == pytest.approx(69.0, abs=1.0)


def of_peaks(*peaks):
    columns = np.array(peaks, dtype=float).T
    names = ("peak_force", "peak_frequency", "peak_order")
    return xarray.Dataset({name: ("peak", column) for name, column in zip(names, columns, strict=True)})


def test_section_4_4_is_answered_by_what_was_found(monkeypatch):
    class Followed:
        special = ()

    monkeypatch.setattr(tension_responses, "response_curve", lambda *_, **__: Followed)
    peaks = of_peaks((230, 22, 3), (300, 18, 3), (120, 23, 3))
    sub, jump = tension_responses._of_section_4_4("modified-dahl", peaks, stable=True)
    assert "22 rad/s (230 N), 18 rad/s (300 N)" in sub.here
    assert "120" not in sub.here
    assert "super-harmonics" in sub.why
    assert jump.here == "0 folds at 300 N"
    assert "turns nowhere" in jump.why
    Followed.special = ({"kind": "fold"}, {"kind": "fold"})
    assert tension_responses._of_section_4_4("modified-dahl", peaks, stable=True)[1].why == "the same"
    assert "super-harmonics" not in tension_responses._of_section_4_4("modified-dahl", peaks, stable=False)[0].why


@pytest.mark.long
def test_the_largest_force_has_no_fold():
    curve = tension_responses.response_curve("modified-dahl", 300.0, between=tension_responses.STEEP_RANGE)
    assert not [one for one in curve.special if one["kind"] == "fold"]
    assert bool(curve.data["stable"].all())


def few(monkeypatch):
    monkeypatch.setattr(tension_responses, "FORCES", (54, 120))
    monkeypatch.setattr(tension_responses, "FREQUENCIES", np.array([22.0, 23.0, 24.0, 59.0, 60.0, 65.0, 73.0]))
    monkeypatch.setattr(tension_responses, "REFERENCE_POINTS", ((54, 65), (120, 73)))
    known = {law: (values[1], values[2]) for law, values in tension_responses.REFERENCE_RANGES.items()}
    monkeypatch.setattr(tension_responses, "REFERENCE_RANGES", known)


def test_a_small_family_is_whole_and_its_picture_has_its_marks(monkeypatch):
    few(monkeypatch)
    made = ss.paper("tensioner", "21c")
    assert not any(UNEXPLAINED_TEXT in row.why for row in made.rows)
    assert "sub-harmonic" not in str(made)  # the paper says that of the other law
    assert made.certificate.startswith("14 points: error at most")
    labels = [one.get_label() for one in made.plot().axes[0].lines]
    assert "always stuck, 54 N" in labels
    monkeypatch.setitem(tension_responses.REFERENCE_RANGES, "masing", ("579.05", "636.0"))
    assert UNEXPLAINED_TEXT in ss.paper("tensioner", "21c").rows[1].why


@pytest.mark.long
def test_a_small_family_of_the_other_law_answers_section_4_4(monkeypatch):
    monkeypatch.setattr(tension_responses, "FORCES", (13, 300))
    monkeypatch.setattr(tension_responses, "FREQUENCIES", np.array([17.0, 18.0, 20.0, 32.0, 50.0, 70.0]))
    monkeypatch.setattr(tension_responses, "REFERENCE_POINTS", ((13, 70), (300, 20)))
    known = tension_responses.REFERENCE_RANGES["modified-dahl"]
    monkeypatch.setitem(tension_responses.REFERENCE_RANGES, "modified-dahl", (known[0], known[-1]))
    made = ss.paper("tensioner", "21b")
    rows = {row.quantity: row for row in made.rows}
    assert not any(UNEXPLAINED_TEXT in row.why for row in made.rows)
    assert "not steady yet" in rows["at 13 N, 50 rad/s: orbit, and over [17, 20] s"].why
    assert "third harmonic at 18 rad/s (300 N)" in rows["peaks below the resonance, above 200 N"].here
    assert rows["a jump at large forces"].here == "0 folds at 300 N"
    assert made.certificate.startswith("12 points: error at most")


def test_by_the_papers_scheme_words_numbers_and_files_are_of_that_scheme(monkeypatch, tmp_path):
    monkeypatch.setattr(tension_responses, "FORCES", (54,))
    monkeypatch.setattr(tension_responses, "FREQUENCIES", np.array([65.0]))
    monkeypatch.setattr(tension_responses, "REFERENCE_POINTS", ((54, 65),))
    monkeypatch.setitem(tension_responses.REFERENCE_RANGES, "masing, by (A.7)", (TABLE["fig21_a7_54_65"].printed,))
    made = ss.paper("tensioner", "21c", own_scheme=True)
    assert "(A.7)" in made.method
    assert made.certificate.startswith("1 run: error at most")
    assert TABLE["fig21_a7_54_65"].printed in made.rows[0].why
    assert not any(UNEXPLAINED_TEXT in row.why for row in made.rows)
    assert "(A.7)" not in tension_responses.METHODS["modified-dahl"]
    written = made.save(tmp_path)
    assert written[0].name == "tensioner-21c-own-scheme.png"  # beside the one by shooting, not over it
    assert ss.open(written[2]).rows == made.rows
