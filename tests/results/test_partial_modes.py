"""Parts of nonlinear modes: points that cannot be had are left out with a note, and a mode may have none at all."""

from __future__ import annotations

import pytest
from models import slider

import slipstick as ss
from slipstick.cli.result_output import _quickly_saved_part
from slipstick.errors import NotConverged
from slipstick.periodic.modes import nonlinear_mode as room
from slipstick.results.curve import Curve, CurveFindings, CurveStats

AMPLITUDES = [2.0, 0.1, 0.5, 1.0]


def undamped_slider() -> ss.Model:
    return slider(damping=0.0, limit=0.3)


@pytest.fixture
def without(monkeypatch):
    """Makes points at some amplitudes raise."""
    point = room.mode_point

    def make(trouble, *amplitudes):
        def picky(family, at, amplitude):
            if amplitude in amplitudes:
                raise trouble
            return point(family, at, amplitude)

        monkeypatch.setattr(room, "mode_point", picky)

    return make


@pytest.fixture
def empty(without):
    """A mode that was interrupted before its first motion was there."""
    without(KeyboardInterrupt(), 0.1)
    with pytest.raises(NotConverged) as caught:
        undamped_slider().nonlinear_mode(1, amplitudes=AMPLITUDES).points  # noqa: B018
    return caught.value.partial


def test_a_point_whose_error_cannot_be_estimated_is_left_out_with_a_note(without):
    without(NotConverged("its tangents are singular"), 0.5)
    mode = undamped_slider().nonlinear_mode(1, amplitudes=AMPLITUDES)
    assert [point.amplitude for point in mode.points] == [2.0, 0.1, 1.0]
    assert "the motion at amplitude 0.5 is left out: its tangents are singular" in mode.notes
    assert mode.data.frequency.values[1] == pytest.approx(2.0**0.5)  # it sticks at 0.1


def test_a_mode_without_points_has_data_and_a_file(empty, tmp_path):
    assert len(empty) == 0
    assert empty.data.sizes["point"] == 0
    assert empty.data["shape"].shape == (0, 1)
    empty.save(tmp_path / "empty.nc")
    again = ss.open(tmp_path / "empty.nc")
    assert (again.points, again.partial) == ((), empty.partial)
    assert "0 points" in repr(again)


def test_what_has_no_points_is_not_drawn(empty, without, refused):
    with refused("the mode has no points to show"):
        empty.plot()
    without(None)
    mode = undamped_slider().nonlinear_mode(1, amplitudes=AMPLITUDES)
    nothing = Curve(CurveFindings((), []), undamped_slider(), CurveStats("harmonic-balance", begin=0.3, end=2.5))
    with refused('the curve of "slider" has no points to show'):
        mode.plot(nothing)


def test_nothing_is_kept_of_a_result_whose_points_fail_without_a_part():
    class Failing:
        @property
        def points(self):
            raise NotConverged("no point could be had")

    assert _quickly_saved_part(Failing(), interrupted=False) is None
