"""Pictures and files of sweeps."""

import numpy as np
import pytest

import slipstick as ss
from slipstick.errors import FileError, InvalidInput


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    def build(a, b):
        if (a, b) == (2, 0.5):
            raise ValueError("no")
        return {"sum": a + b, "product": a * b, "line": np.arange(100.0)}

    store = tmp_path_factory.mktemp("sweep") / "map.sqlite"
    over = {"a": [1, 2, 3], "b": [0.0, 0.5, 1.0, 1.5]}
    return ss.sweep(build, over=over, store=store, workers=1)


def test_two_axes_are_a_family_of_lines_over_the_longer(found):
    panel = found.plot().axes[0]
    assert panel.get_xlabel() == "b"
    assert panel.get_ylabel() == "sum"
    assert len(panel.lines) == 3
    assert np.array_equal(panel.lines[2].get_ydata(), [3.0, 3.5, 4.0, 4.5])
    assert "1 failed" in panel.get_title("left")


def test_the_other_axis_may_be_asked_for(found):
    panel = found.plot("product", x="a").axes[0]
    assert panel.get_xlabel() == "a"
    assert len(panel.lines) == 4


def test_many_values_are_a_map(tmp_path):
    found = ss.sweep(lambda a, b: a * b, over={"a": range(30), "b": range(40)}, store=tmp_path / "m.sqlite", workers=1)
    panel = found.plot().axes[0]
    assert (panel.get_xlabel(), panel.get_ylabel()) == ("b", "a")
    assert panel.collections[0].get_array().size == 1200


def test_one_axis_is_a_line_with_the_failed_points_marked(found):
    panel = found.sel(a=2).plot().axes[0]
    assert panel.lines[1].get_xdata().tolist() == [0.5]


def test_random_points_are_a_cloud(tmp_path):
    plan = ss.plans.random(12, seed=1, a=(0, 1), b=(0, 1))
    found = ss.sweep(lambda a, b: a * b, over=plan, store=tmp_path / "m.sqlite", workers=1)
    panel = found.plot(x="b").axes[0]
    assert panel.collections[0].get_offsets().shape == (12, 2)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"figure": "summ"}, "did you mean"),
        ({"figure": "line"}, "array at each point"),
        ({"x": "c"}, "no axis"),
        ({"by": "c"}, "no axis"),
    ],
)
def test_what_cannot_be_drawn_is_refused(found, arguments, words):
    with pytest.raises(InvalidInput, match=words):
        found.plot(**arguments)


def test_files_hold_what_the_table_holds(found, tmp_path):
    import pandas as pd
    import xarray as xr

    found.save(tmp_path / "map.nc")
    found.save(tmp_path / "map.csv")
    found.save(tmp_path / "map.parquet")
    with xr.open_dataset(tmp_path / "map.nc") as held:
        assert np.array_equal(held["product"].values, found["product"].values, equal_nan=True)
        assert held["line"].shape == (3, 4, 100)
    for table in (pd.read_csv(tmp_path / "map.csv"), pd.read_parquet(tmp_path / "map.parquet")):
        assert len(table) == 12
        row = table[(table["a"] == 3) & (table["b"] == 1.5)]
        assert row["product"].item() == 4.5
    with pytest.raises(FileError, match=r"\.nc, \.parquet, \.csv"):
        found.save(tmp_path / "map.doc")


def test_drawn_laws_are_lines_over_the_axis_beside_them(tmp_path):
    """More laws than frequencies, whose columns go together: none of these is drawn over another of its own."""
    plan = ss.plans.random(12, k=(1.0, 2.0), f=(3.0, 4.0)) * ss.plans.grid(omega=[0.1, 0.2, 0.3])
    found = ss.sweep(lambda k, f, omega: k * omega + f, over=plan, store=tmp_path / "m.sqlite", workers=1)
    for panel in (found.plot().axes[0], found.plot(by="f").axes[0]):
        assert panel.get_xlabel() == "omega"
        assert len(panel.lines) == 12
    assert found.plot(x="f").axes[0].get_xlabel() == "f"
    with pytest.raises(InvalidInput, match="f and k belong to the same points"):
        found.plot(x="k", by="f")


def test_a_point_between_two_that_failed_is_seen_in_a_family(tmp_path):
    def build(a, b):
        if b != 1.0:
            raise ValueError("no")
        return a

    found = ss.sweep(build, over={"a": [1.0, 2.0], "b": [0.0, 1.0, 2.0]}, store=tmp_path / "m.sqlite", workers=1)
    assert [line.get_marker() for line in found.plot().axes[0].lines] == [".", "."]
