"""Files that hold no loop are refused with where to read them; a guess from their units would be a wrong loop."""

from pathlib import Path

import numpy as np
import pytest

import slipstick as ss

X = np.arange(40.0)


def table(path: Path, header: str, columns: int) -> Path:
    rows = np.column_stack([np.sin(X + k) + (100.0 + X if k == 0 else 0.0) for k in range(columns)])
    np.savetxt(path, rows, delimiter=",", header=header, comments="")
    return path


@pytest.mark.parametrize("header", ["f [Hz],force [N],acc [m/s^2],phase [rad]", "omega [rad/s],phase,force [N],x [m]"])
def test_a_stepped_sine_test_is_no_loop(header: str, tmp_path: Path) -> None:
    """The phase in rad was taken for a deflection."""
    with pytest.raises(ss.InvalidInput, match=r"amplitudes over frequency.*MeasuredResponse"):
        ss.Loop.read(table(tmp_path / "rig.csv", header, 4))


def test_columns_that_are_named_are_read_whatever_else_the_file_has(tmp_path: Path) -> None:
    path = table(tmp_path / "rig.csv", "f [Hz],phase [rad],force [N],x [m]", 4)
    assert ss.Loop.read(path, deflection="x", force="force").u.size == X.size


def test_a_constant_test_frequency_beside_a_loop_is_no_response(tmp_path: Path) -> None:
    path = table(tmp_path / "rig.csv", "f [Hz],x [m],force [N]", 3)
    assert ss.Loop.read(path).u.size == X.size


def test_accelerations_are_no_deflection(tmp_path: Path) -> None:
    path = table(tmp_path / "rig.csv", "t [s],acc1 [m/s^2],acc2 [m/s^2]", 3)
    with pytest.raises(ss.InvalidInput, match=r"accelerations, and no deflection.*ringdown"):
        ss.Loop.read(path)
