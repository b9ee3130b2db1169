"""Loads of several orders by harmonic balance: the harmonics cover them, and a curve has points or is an error."""

from __future__ import annotations

import numpy as np
import pytest

import slipstick as ss
from slipstick.cli import main
from slipstick.periodic.balance import HarmonicBalance


def rubbing(orders, limit=0.1):
    m = ss.Model("rubbing")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.1))
    m.connect(x, ss.DryFriction(limit=limit))
    for order, amplitude in orders:
        m.load(x, ss.Cosine(amplitude, order=order))
    return m


@pytest.mark.parametrize("given", [False, True], ids=["default harmonics", "as many as the highest order"])
@pytest.mark.parametrize(
    ("orders", "at"),
    [
        ([(1, 1.0), (4, 0.3)], (0.5, 0.6, 0.7)),
        ([(2, 1.0), (4, 0.5), (6, 0.2)], (0.3, 0.45, 0.6)),
        ([(13, 1.0)], (0.05, 0.08)),
        ([(0.5, 1.0), (2.5, 0.4)], (0.5, 0.7)),
    ],
    ids=["1 and 4", "2, 4 and 6", "13", "half orders"],
)
def test_dry_friction_answers_to_every_order_of_the_loads_as_by_shooting(orders, at, given):
    m = rubbing(orders)
    harmonics = int(np.ceil(max(order for order, _ in orders))) if given else None
    found = m.frequency_response(at=at, method="harmonic-balance", harmonics=harmonics)
    exact = m.frequency_response(at=at, method="shooting")
    apart = np.abs(found.data.amplitude.values - exact.data.amplitude.values)[:, 0]
    assert len(found) == len(at)
    assert (apart <= found.data.error.values).all()
    assert found.error < 0.3 * exact.data.amplitude.values.max()


def test_harmonics_that_do_not_cover_the_loads_are_refused():
    with pytest.raises(ss.InvalidInput, match=r"harmonic 4 .* only 3 are balanced.*raise harmonics="):
        rubbing([(1, 1.0), (4, 0.3)]).frequency_response(between=(0.5, 0.8), method="harmonic-balance", harmonics=3)


def no_point(*_):
    raise ss.NotConverged("of no use")


@pytest.mark.parametrize("how", [{"between": (0.5, 0.6)}, {"at": [0.5, 0.6]}], ids=["followed", "visited"])
def test_a_curve_without_points_is_an_error(monkeypatch, how):
    monkeypatch.setattr(HarmonicBalance, "point", no_point)
    monkeypatch.setattr(HarmonicBalance, "points", no_point)
    with pytest.raises(ss.NotConverged, match=r"orbits could be measured; the first: .* of no use"):
        rubbing([(1, 1.0)]).frequency_response(method="harmonic-balance", **how).data  # noqa: B018  measured now


def test_the_command_line_fails_where_a_curve_has_no_points(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(HarmonicBalance, "point", no_point)
    monkeypatch.setattr(HarmonicBalance, "points", no_point)
    rubbing([(1, 1.0)]).save(tmp_path / "model.yaml")
    study = tmp_path / "study.yaml"
    study.write_text(
        "slipstick: 1\nmodel: model.yaml\n"
        "frequency_response:\n  between: [0.5 rad/s, 0.6 rad/s]\n  method: harmonic-balance\n"
    )
    with pytest.raises(SystemExit) as left:
        main(["run", str(study)])
    assert left.value.code
    assert "orbits could be measured" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize("method", ["shooting", "harmonic-balance"])
def test_a_load_with_a_frequency_of_its_own_gives_the_base_frequency(method):
    m = ss.Model("own frequency")
    x = m.coordinate("x", inertia=1.5)
    m.connect(x, ss.Linear(stiffness=2.0, damping=0.3))
    m.load(x, ss.Cosine(0.7, frequency=0.9))
    m.load(x, ss.Cosine(0.2, frequency=1.8))
    orbit = m.periodic(method=method)
    receptance = [1.0 / abs(2.0 - 1.5 * w * w + 0.3j * w) for w in (0.9, 1.8)]
    assert orbit.frequency == pytest.approx(0.9)
    t = orbit.data.time.values
    u = orbit.data.displacement.sel(coordinate="x").values
    for order, amplitude, gain in zip((1, 2), (0.7, 0.2), receptance, strict=True):
        found = 2.0 / (t[-1] - t[0]) * np.trapezoid(u * np.exp(-1j * order * 0.9 * t), t)
        assert abs(found) == pytest.approx(amplitude * gain, rel=1e-4)
