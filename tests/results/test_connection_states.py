"""The state of a connection whose law is a sum: all parts that have one, in samples, events, modes and bands."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import slipstick as ss
from slipstick.results.connection_states import join_state_columns, join_states, split_states

STAGES, FRICTION = ss.TwoStage(stiffness=900.0, inner_ratio=0.2, half_gap=0.05), ss.DryFriction(limit=2.0)


def clutch(law):
    m = ss.Model("clutch")
    x = m.coordinate("x", inertia=1.0, displacement=0.3)
    m.connect(x, law, name="clutch")
    m.load(x, ss.Cosine(25.0, frequency=9.0))
    return m


def side(u, half_gap):
    return "free" if abs(u) < half_gap else ("contact+" if u > 0.0 else "contact-")


@pytest.mark.parametrize("method", ["exact", "inclusion"])
def test_a_sample_tells_the_state_of_every_part(method):
    run = clutch(STAGES + FRICTION).simulate(until=3.0, method=method)
    data = run.data.sel(connection="clutch")
    moves = np.abs(run.data.velocity.values[:, 0]) > 1e-3
    away = np.abs(np.abs(data.deflection.values) - STAGES.half_gap) > 1e-3
    states = data.state.values[moves & away]
    rates, deflections = run.data.velocity.values[moves & away, 0], data.deflection.values[moves & away]
    expected = [
        f"{side(u, STAGES.half_gap)} slip{'+' if v > 0 else '-'}" for u, v in zip(deflections, rates, strict=True)
    ]
    assert len(set(expected)) >= 5
    assert states.tolist() == expected


@pytest.mark.parametrize(
    ("method", "law"),
    [
        ("exact", STAGES + FRICTION),
        ("events", STAGES + ss.Jenkins(stiffness=300.0, limit=2.0)),
        ("exact", FRICTION + STAGES),
    ],
)
def test_the_events_of_a_sum_are_a_chain_that_agrees_with_the_samples(method, law):
    run = clutch(law).simulate(until=3.0, method=method, samples=3001)
    events = list(run.events)
    assert len(events) == run.stats.events > 20
    for one, next_one in itertools.pairwise(events):
        assert one.after == next_one.before
    for event in events:
        assert sum(a != b for a, b in zip(split_states(event.before), split_states(event.after), strict=True)) == 1
    times, states = run.data.time.values, run.data.state.sel(connection="clutch").values
    assert states[1] == events[0].before
    which = np.searchsorted(run.events["time"], times, side="right") - 1
    clear = (which >= 0) & (np.abs(run.events["time"][:, None] - times).min(axis=0) > 1e-6)
    assert states[clear].tolist() == run.events["after"][which[clear]].tolist()


def test_inclusion_tells_changes_of_friction_with_the_state_of_the_spring_beside():
    run = clutch(STAGES + FRICTION).simulate(until=3.0, method="inclusion")
    exact = clutch(STAGES + FRICTION).simulate(until=3.0)
    turns = [e for e in exact.events if split_states(e.before)[1] != split_states(e.after)[1]]
    slips = [e.after for e in run.events if "slip" in e.after]  # it may stick for a step between two of them
    assert slips[1:11] == [e.after for e in turns][:10]


def test_friction_of_two_connections_side_by_side_is_reported_for_both():
    m = ss.Model("brake")
    x = m.coordinate("x", inertia=1.0, velocity=1.0)
    for name in ("left", "right"):
        m.connect(x, ss.DryFriction(limit=1.0), name=name)
    run = m.simulate(until=2.0)
    assert [(e.connection, e.before, e.after) for e in run.events] == [
        ("left", "slip+", "stick"),
        ("right", "slip+", "stick"),
    ]
    assert run.stats.events == 2
    assert run.events["time"] == pytest.approx([0.5, 0.5], rel=1e-12)


def test_sliders_in_parallel_are_counted():
    law = ss.Iwan(stiffnesses=(100.0, 100.0, 100.0), limits=(1.0, 2.0, 400.0))
    run = clutch(law).simulate(until=1.0)
    assert "slip-*2 stick" in set(run.data.state.values[:, 0].tolist())


@given(st.lists(st.sampled_from(["", "stick", "slip+", "slip-", "contact"]), max_size=12))
def test_what_is_joined_is_split_again(words):
    assert list(split_states(join_states(words))) == [word for word in words if word]


def test_columns_are_joined_row_by_row():
    a, b = np.array(["free", "contact+", "free"]), np.array(["stick", "stick", ""])
    assert join_state_columns([a, b]).tolist() == ["free stick", "contact+ stick", "free"]


# ---- modes


@pytest.mark.parametrize("state", ["contact slip", ("contact", "slip"), ["slip", "contact"], "contact- slip+"])
def test_modes_take_a_state_of_each_part(state):
    modes = clutch(STAGES + FRICTION).modes(state={"clutch": state})
    assert modes.magnitude == pytest.approx([30.0], rel=1e-12)
    free = clutch(STAGES + FRICTION).modes(state={"clutch": "free slip"})
    assert free.magnitude == pytest.approx([np.sqrt(180.0)], rel=1e-12)


def test_modes_take_the_state_of_an_event():
    m = clutch(STAGES + FRICTION)
    run = m.simulate(until=3.0)
    slips = next(e.after for e in run.events if "slip" in e.after and "contact" in e.after)
    assert m.modes(state={"clutch": slips}).magnitude == pytest.approx([30.0], rel=1e-12)


def test_states_of_sliders_count_in_their_order():
    law = ss.Iwan(stiffnesses=(100.0, 300.0), limits=(1.0, 2.0))
    assert clutch(law).modes(state={"clutch": "slip stick"}).magnitude == pytest.approx([np.sqrt(300.0)])
    assert clutch(law).modes(state={"clutch": "stick*2"}).magnitude == pytest.approx([20.0])


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("contact slide", r'connection "clutch" has no state \'contact slide\''),
        ("stick slip", r'connection "clutch" has no state'),
        (3, r'the state of "clutch" is a word such as "stick"'),
        ((), "is a word"),
    ],
)
def test_states_that_no_part_has_are_refused(state, words):
    with pytest.raises(ss.InvalidInput, match=words):
        clutch(STAGES + FRICTION).modes(state={"clutch": state})


# ---- the band


def test_a_band_has_a_lane_for_each_part():
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure = clutch(STAGES + FRICTION).simulate(until=3.0).plot()
    band = next(panel for part in figure.subfigs for panel in part.axes if panel.get_legend() is not None)
    assert {text.get_text() for text in band.get_legend().get_texts()} == {
        "contact+",
        "contact-",
        "free",
        "slip+",
        "slip-",
    }
    heights = {round(float(np.ptp(path.vertices[:, 1])), 6) for bars in band.collections for path in bars.get_paths()}
    assert heights == {0.36}
    plt.close(figure)
