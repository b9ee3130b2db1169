"""A run that ended early is a run like any other: it says where it ended, and nothing of it raises."""

from __future__ import annotations

import math
import os
import signal

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from results.test_runs_of_every_method import STEPS, C, K, decay, oscillator

import slipstick as ss
from slipstick.results.run import Run
from slipstick.transient.methods import METHODS

mpl.use("Agg")

WAYS = ("ctrl-c", "astray")


def astray():
    """An oscillator whose damper pushes: it grows until numbers end, and its last state can still be told."""
    m = ss.Model("astray")
    x = m.coordinate("x", inertia=2.0, displacement=0.3)
    m.connect(x, ss.Linear(stiffness=40.0, damping=-400.0), name="spring")
    return m


def stop(part):
    if part >= 0.3:
        raise KeyboardInterrupt


def ended_early(way, method, samples=50):
    model = oscillator() if way == "ctrl-c" else astray()
    step = {"inclusion": 1e-4, "newmark": 1e-3, "taylor": 1e-3}.get(method)
    with pytest.raises(ss.NotConverged) as failed:
        model.simulate(
            until=30.0, method=method, step=step, samples=samples, progress=stop if way == "ctrl-c" else None
        )
    assert isinstance(failed.value.partial, Run)
    return failed.value.partial


@pytest.fixture(
    scope="module", params=[(way, method, n) for way in WAYS for method in METHODS for n in (50, 0)], ids=str
)
def partial(request):
    return ended_early(*request.param)


def test_it_says_where_it_ended(partial):
    assert 0.0 < partial.stats.reached <= 30.0
    words = f"PARTIAL: ended at t = {partial.stats.reached:.6g} s of 30 s"
    assert words in repr(partial)
    assert partial.data.attrs["partial"] == partial.partial == words
    assert "t = " in partial.stats.ended
    figure = partial.plot()
    assert words in figure.get_suptitle()
    figure.canvas.draw()
    plt.close(figure)


def test_its_data_end_with_the_last_state(partial):
    data = partial.data
    assert data.time.values[-1] == partial.stats.reached
    assert np.all(np.diff(data.time.values) > 0.0)
    for name in ("displacement", "velocity"):
        assert np.isfinite(data[name].values).all()


def test_it_is_saved_and_opened(partial, tmp_path):
    partial.save(tmp_path / "part.nc")
    again = ss.open(tmp_path / "part.nc")
    assert again.data.identical(partial.data)
    assert again.partial == partial.partial
    assert repr(again) == repr(partial)
    assert again.model == partial.model
    plt.close(again.plot())


@pytest.mark.parametrize("method", METHODS)
def test_the_last_state_is_that_of_the_motion(method):
    run = ended_early("ctrl-c", method)
    t, last = run.stats.reached, run.data.isel(time=-1)
    x, v = float(last.displacement[0]), float(last.velocity[0])
    assert x == pytest.approx(decay(np.array(t)), abs=1e-3)
    assert float(last.force[0]) == pytest.approx(K * x + C * v, rel=1e-9)
    assert run.certificate.passed


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a timer")
@pytest.mark.parametrize("method", METHODS)
def test_ctrl_c_at_any_moment_keeps_time_and_state_together(method):
    """The signal comes while compiled steps are taken: nobody has counted them yet."""
    model, step = oscillator(), STEPS.get(method)
    until = 3000.0
    if method in ("exact", "events"):  # which need a reason to take long
        model.load(model["x"], ss.Cosine(1e-6, frequency=1e3))
        model.connect(model["x"], ss.Jenkins(stiffness=1e-9, limit=1e-16), name="busy")
        until = 1e6 if method == "exact" else 7e4  # more steps than adaptive takes are refused at once
    model.simulate(until=0.1, method=method, step=step)  # compiled

    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGVTALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.1)  # of this process: others may keep the machine busy
        with pytest.raises(ss.NotConverged) as failed:
            model.simulate(until=until, method=method, step=step, samples=0)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
        signal.signal(signal.SIGVTALRM, before)
    assert failed.value.interrupted
    last = failed.value.partial.data.isel(time=-1)
    assert float(last.time) == failed.value.partial.stats.reached
    assert float(last.displacement[0]) == pytest.approx(decay(last.time.values), abs=1e-4)


def test_a_finished_run_is_not_partial():
    run = oscillator().simulate(until=3.0)
    assert run.partial == run.stats.ended == ""
    assert (run.stats.start, run.stats.until, run.stats.reached) == (0.0, 3.0, 3.0)
    assert "PARTIAL" not in repr(run)


# ---- a certificate that cannot be had


def broken(error):
    run = oscillator().simulate(until=1.0)

    def fails():
        raise error

    run.trajectory.certificate = fails
    return run


def test_a_certificate_that_cannot_be_computed_is_none_and_says_why(tmp_path):
    run = broken(FloatingPointError("overflow in\nmultiply"))
    assert not run.certificate.passed
    assert math.isnan(run.certificate.error)
    assert "FAILED: no certificate: it could not be computed (overflow in multiply)" in repr(run)
    assert "\n" not in repr(run)
    run.save(tmp_path / "run.nc")
    assert "no certificate" in ss.open(tmp_path / "run.nc").certificate.verdict
    figure = run.plot()
    assert "no certificate" in figure.get_suptitle()
    plt.close(figure)


def test_ctrl_c_in_a_certificate_is_not_swallowed():
    with pytest.raises(KeyboardInterrupt):
        repr(broken(KeyboardInterrupt()))


def test_samples_that_cannot_be_read_are_none_where_the_run_ended_early():
    run = ended_early("ctrl-c", "exact")
    run.__dict__.pop("samples", None)
    run.trajectory.samples = lambda: 1 / 0
    assert run.data.sizes["time"] == 0
    whole = oscillator().simulate(until=1.0)
    whole.trajectory.samples = lambda: 1 / 0
    with pytest.raises(ZeroDivisionError):
        whole.data  # noqa: B018


# ---- the model of a run


def test_changing_the_model_of_a_run_changes_nothing_else():
    model = oscillator()
    first = model.simulate(until=1.0)
    names = first.names
    first.model["x"].displacement = 99.0
    first.model.connections.clear()
    first.model.name = "another"
    again = model.simulate(until=1.0)
    assert np.array_equal(again.samples.displacement, first.samples.displacement)
    assert again.data.connection.values.tolist() == ["spring"]
    assert first.names is names
    assert first.data.attrs["model"] == "oscillator"
    assert again.model == model


@pytest.mark.skipif(os.name == "nt", reason="permissions")
def test_a_new_file_has_the_permissions_of_any_new_file(tmp_path):
    run = oscillator().simulate(until=0.1)
    (tmp_path / "plain").touch()
    run.save(tmp_path / "run.nc")
    assert (tmp_path / "run.nc").stat().st_mode == (tmp_path / "plain").stat().st_mode
    (tmp_path / "run.nc").chmod(0o600)
    run.save(tmp_path / "run.nc")
    assert (tmp_path / "run.nc").stat().st_mode & 0o777 == 0o600
    assert [p.name for p in tmp_path.glob(".slipstick*")] == []
