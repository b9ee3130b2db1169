"""``slipstick paper``: the list holds everything, what is asked for is made once, and what fails says where."""

from __future__ import annotations

import re

import matplotlib.pyplot as plt
import pytest
from typer.testing import CliRunner
from xarray import Dataset

from slipstick.cli import main
from slipstick.cli.app import app
from slipstick.papers import NAMES, clutch, entries
from slipstick.papers.entry import Content, Entry
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
    monkeypatch.setattr("slipstick.papers.gallery.cores", lambda: 2)
    run = CliRunner().invoke(app, ["paper", "clutch", "--all", "--out", str(tmp_path)])
    assert run.exit_code == 0
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert re.findall(r'src="clutch-(\d)\.png"', page) == ["1", "3"]
    for one in quick:
        assert f"clutch, {one.label}: {one.title}" in run.output
        assert {path.suffix for path in tmp_path.glob(f"clutch-{one.label}.*")} == {".png", ".svg", ".nc"}
    assert "the page with all of them" in run.output
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
        return Content(Dataset(), (Row("laps", "1", "1", "the same"),), "by hand", "exact")

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
