"""``slipstick paper``: the list holds everything, what is asked for is made once, and what fails says where."""

from __future__ import annotations

import math
import re

import matplotlib.pyplot as plt
import pytest
from typer.testing import CliRunner
from xarray import Dataset

from slipstick.api import open as open_file
from slipstick.cli import main
from slipstick.cli.commands import app
from slipstick.papers import NAMES, clutch, entries
from slipstick.papers.entry import Entry, EntryContent
from slipstick.papers.reproduction import Row


def left_with(words):
    with pytest.raises(SystemExit) as left:
        main(words)
    return left.value.code


def test_the_list_has_every_figure_and_table_of_every_paper():
    run = CliRunner().invoke(app, ["paper"])
    assert run.exit_code == 0
    for one in (one for name in NAMES for one in entries(name)):
        assert re.search(rf"^{one.paper} +{re.escape(one.name)} ", run.output, re.MULTILINE), one.name
    assert "more" not in run.output


def test_all_of_a_paper_are_made_side_by_side_with_a_page_that_shows_them(tmp_path, monkeypatch):
    """In processes of their own, which find entries by name."""
    quick = tuple(one for one in clutch.ENTRIES if one.label in ("1", "3"))
    monkeypatch.setattr(clutch, "ENTRIES", quick)
    monkeypatch.setattr("slipstick.papers.gallery.core_count", lambda: 2)
    run = CliRunner().invoke(app, ["paper", "clutch", "--all", "--out", str(tmp_path)])
    assert run.exit_code == 0
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert re.findall(r'src="clutch-(\d)\.png"', page) == ["1", "3"]
    for one in quick:
        assert f"clutch, {one.label}: {one.title}" in run.output
        assert {path.suffix for path in tmp_path.glob(f"clutch-{one.label}.*")} == {".png", ".svg", ".nc"}
    assert "the page with all figures" in run.output
    assert "<h1>The clutch paper, made again</h1>" in page


def test_a_table_is_asked_for_by_its_number(tmp_path):
    run = CliRunner().invoke(app, ["paper", "clutch", "--table", "1", "--out", str(tmp_path)])
    assert run.exit_code == 0
    assert "spline_half_gap" in run.output
    assert {path.name for path in tmp_path.iterdir()} == {f"clutch-table-1.{one}" for one in ("png", "svg", "nc")}


def test_figures_that_show_one_computation_are_computed_once(tmp_path, monkeypatch):
    runs = []

    def compute(work):
        runs.append(work)
        return EntryContent(Dataset(), (Row("laps", "1", "1", "the same"),), "by hand", "exact")

    both = tuple(Entry("clutch", label, "a test", compute, lambda _: plt.figure()) for label in "ab")
    monkeypatch.setattr(clutch, "ENTRIES", both)
    run = CliRunner().invoke(app, ["paper", "clutch", "-f", "a", "-f", "b", "--out", str(tmp_path)])
    assert run.exit_code == 0
    assert len(runs) == 1
    assert run.output.count("laps") == 2
    assert (tmp_path / "clutch-a.png").exists()
    assert (tmp_path / "clutch-b.png").exists()


def test_what_fails_is_said_in_a_line_and_where_with_debug(tmp_path, monkeypatch, capsys):
    def compute(_):
        return [][0]

    monkeypatch.setattr(clutch, "ENTRIES", (Entry("clutch", "9", "a test", compute, None),))
    words = ["paper", "clutch", "--figure", "9", "--out", str(tmp_path)]
    assert left_with(words) == 1
    told = capsys.readouterr().err
    assert told == "clutch, 9: could not be made: IndexError: list index out of range; details with --debug\n"
    assert left_with([*words, "--debug"]) == 1
    told = capsys.readouterr().err
    assert "in compute" in told
    assert "test_paper_command.py" in told


def test_a_figure_is_made_with_another_number_in_files_of_its_own(tmp_path):
    words = ["paper", "gear", "--figure", "8", "--number", "limit=0.8", "--out", str(tmp_path)]
    run = CliRunner().invoke(app, words)
    assert run.exit_code == 0
    found = open_file(tmp_path / "gear-8-changed.nc")
    slips = next(row for row in found.rows if "slips" in row.quantity)
    assert float(slips.here.split()[0]) == pytest.approx(math.asin(0.8), abs=1e-11)
    assert not (tmp_path / "gear-8.nc").exists()


def test_a_decimal_comma_is_taken(tmp_path):
    words = ["paper", "gear", "--figure", "3", "--number", "half_gap=0,25", "--out", str(tmp_path)]
    assert CliRunner().invoke(app, words).exit_code == 0
    assert "half_gap 0.25 m" in open_file(tmp_path / "gear-3-changed.nc").changed


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--figure", "8", "--number", "limt=0.8"], 'did you mean "limit"?'),
        (["--figure", "8", "--number", "limit=8"], "between 0.01 N and 0.95 N"),
        (["--figure", "8", "--number", "limit=nan"], "must be a number"),
        (["--figure", "8", "--number", "limit"], "NAME=VALUE"),
        (["--figure", "8", "--number", "limit="], "NAME=VALUE"),
        (["--figure", "8", "--number", "=0.8"], "NAME=VALUE"),
        (["--figure", "8", "--number", "limit=0.5", "--number", "limit=0.7"], "--number limit is given twice"),
        (["--figure", "8", "--number", "limit=half"], "write it like 0.5"),
        (["--figure", "8", "--number", "limit=1,000"], "it may mean 1.000 or 1000"),
        (["--figure", "8", "--figure", "10", "--number", "limit=0.8"], "it has none"),
        (["--number", "limit=0.8"], "is for a figure or a table"),
        (["--all", "--number", "limit=0.8"], "--all makes everything; leave out"),
    ],
)
def test_a_number_that_cannot_be_is_refused_before_anything_is_made(tmp_path, capsys, words, told):
    assert left_with(["paper", "gear", *words, "--out", str(tmp_path / "out")]) == 2
    line = capsys.readouterr().err.strip()
    assert told in line
    assert "\n" not in line
    assert not (tmp_path / "out").exists()
