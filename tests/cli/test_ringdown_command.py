"""``slipstick ringdown``: table, files and mistakes."""

from __future__ import annotations

import numpy as np
import pytest
from typer.testing import CliRunner

import slipstick as ss
from slipstick.cli.commands import app


@pytest.fixture
def hammer(tmp_path):
    t = np.arange(4000) / 2000.0
    x = np.exp(-2.0 * t) * np.cos(500.0 * t)
    file = tmp_path / "hammer.csv"
    file.write_text("t [s],acc\n" + "\n".join(f"{a:.6f},{b:.9f}" for a, b in zip(t, x, strict=True)))
    return file


def test_a_decay_is_shown_and_written(hammer):
    done = CliRunner().invoke(app, ["ringdown", str(hammer), "--channel", "acc", "--near", "80Hz", "--band", "8Hz"])
    assert done.exit_code == 0, done.output
    assert "79.57" in done.output  # 500 rad/s
    assert "0.4" in done.output
    opened = ss.open(hammer.with_name("hammer-ringdown.nc"))
    assert float(opened.data.frequency[20]) == pytest.approx(500.0, rel=1e-6)
    for suffix in (".png", ".svg", ".csv"):
        assert hammer.with_name(f"hammer-ringdown{suffix}").stat().st_size > 0
