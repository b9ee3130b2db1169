"""What every paper's figures share: labels, files, the command, the page; and that each paper holds its own."""

from __future__ import annotations

import pytest
import xarray
from typer.testing import CliRunner

import slipstick as ss
from slipstick.cli.commands import app
from slipstick.papers import NAMES, entries, entries_at, entry
from slipstick.papers.entry import Entry, EntryContent
from slipstick.papers.gallery import make_gallery
from slipstick.papers.reproduction import Row


def small(fails=False):
    def compute(work):
        if fails:
            raise ValueError("no such\nnumber")
        work.progress("half", 0.5)
        data = xarray.Dataset({"y": ("x", [1.0, 2.0], {"units": "m"})})
        return EntryContent(data, (Row("peak", "2 m", "2 m", "the same"),), "by hand", "exact")

    def draw(data):
        from matplotlib import pyplot as plt

        figure, ax = plt.subplots()
        ax.plot(data["y"])
        return figure

    return Entry("torsional", "9z", "a test", compute, draw)


@pytest.mark.parametrize("name", NAMES)
def test_a_paper_has_labels_that_differ_and_schemes_that_can_be_drawn(name, tmp_path):
    there = entries(name)
    assert len({one.label for one in there}) == len(there)
    for one in there:
        assert one.paper == name
        assert one.title
        if one.kind == "scheme":
            made = one.made()
            assert "not reproduced" in made.method
            assert [path.suffix for path in made.save(tmp_path)] == [".png", ".svg", ".nc"]


@pytest.mark.parametrize("label", ["4b", "Fig. 4 (b)", "figure 4B", "fig 4-b"])
def test_a_figure_is_found_however_its_label_is_written(label):
    assert entry("torsional", label).label == "4b"


@pytest.mark.parametrize("label", [1.0, "1.0", "-3", [3], True, "fig"])
def test_what_is_nearly_a_label_is_not_taken_for_another(label, refused):
    with refused("figure"):
        ss.paper("tensioner", label)


def test_a_scheme_that_a_figure_does_not_have_is_refused_in_python_too(refused):
    with refused("gear: Fig. 3 is not made by a scheme of the paper"):
        ss.paper("gear", 3, own_scheme=True)


def test_a_folder_that_is_a_file_is_refused(tmp_path, refused):
    (tmp_path / "file").write_text("")
    with refused("the folder", "cannot be made"):
        small().made().save(tmp_path / "file")


def test_a_figure_stands_for_its_parts():
    assert [one.label for one in entries_at("torsional", 4)] == ["4a", "4b"]
    assert [one.label for one in entries_at("torsional", "4 (b)")] == ["4b"]


def test_what_is_not_in_a_paper_is_refused(refused):
    with refused("name must be one of", 'did you mean "clutch"'):
        ss.paper("cluth", 2)
    with refused("figure 4 has parts", "4a, 4b"):
        ss.paper("torsional", 4)
    with refused("no figure or table 77", "it has 1"):
        ss.paper("torsional", 77)


def test_what_was_made_is_kept_with_its_words(tmp_path):
    made = small().made()
    path = made.save(tmp_path)[2]
    kept = xarray.load_dataset(path, engine="scipy")
    assert kept["y"].attrs["units"] == "m"
    assert kept.attrs["rows"] == "peak | 2 m | 2 m | the same"
    assert kept.attrs["method"] == "by hand"
    assert "why they differ" in str(made)


@pytest.mark.parametrize(
    ("name", "label"), [("clutch", "4"), ("clutch", "table 1"), ("gear", "8"), ("fibre", "9"), ("tensioner", "12")]
)
def test_what_was_saved_is_opened_as_it_was(name, label, tmp_path):
    made = ss.paper(name, label)
    files = made.save(tmp_path)
    again = ss.open(files[2])
    assert str(again) == str(made)
    assert again.rows == made.rows
    assert again.data.attrs == made.data.attrs
    xarray.testing.assert_equal(again.data, made.data)
    for path in files:
        path.rename(path.with_stem("before"))
    again.save(tmp_path)
    assert files[0].read_bytes() == (tmp_path / "before.png").read_bytes()


def test_a_file_of_a_figure_that_is_not_there_is_refused(tmp_path, refused):
    path = small().made().save(tmp_path)[2]
    with refused("torsional-9z.nc", "no figure or table '9z'"):
        ss.open(path)
    kept = xarray.load_dataset(path, engine="scipy")
    kept.assign_attrs(rows_json="[1").to_netcdf(path, engine="scipy")
    with refused("torsional-9z.nc", "is damaged", "JSON"):
        ss.open(path)


def test_one_that_cannot_be_made_does_not_stop_the_others(tmp_path):
    seen = []
    made = make_gallery([small(fails=True), small()], tmp_path, workers=1, progress=lambda *told: seen.append(told))
    assert made[0].trouble == "ValueError: no such number"
    assert not made[1].trouble
    page = (tmp_path / "index.html").read_text()
    assert "1 made, 1 not" in page
    assert "The torsional paper, made again" in page
    assert "no such number" in page
    assert 'src="torsional-9z.png"' in page
    assert seen[-1][1] == 1.0


def test_the_command_shows_what_there_is_and_makes_one(tmp_path):
    run = CliRunner().invoke(app, ["paper", "torsional"])
    assert run.exit_code == 0
    assert "Fig. 4b" in run.output
    run = CliRunner().invoke(app, ["paper", "torsional", "--figure", "1", "--out", str(tmp_path)])
    assert run.exit_code == 0
    assert (tmp_path / "torsional-1.svg").exists()


def test_the_command_refuses_what_does_not_go_together(refused):
    for words, told in (
        (["--figure", "2"], "need the name of a paper"),
        (["torsional", "--all", "--figure", "2"], "leave out --figure"),
        (["torsional", "--figure", "3", "--own-scheme"], "leave out --own-scheme"),
        (["tensioner", "--own-scheme"], "--own-scheme is for a figure"),
    ):
        with refused(told):
            CliRunner().invoke(app, ["paper", *words], catch_exceptions=False)


def test_a_folder_that_cannot_be_is_refused_before_anything_is_made(tmp_path, refused):
    (tmp_path / "file").write_text("")
    words = ["paper", "torsional", "--figure", "1", "--out", str(tmp_path / "file" / "within")]
    with refused("cannot be made", "--out"):
        CliRunner().invoke(app, words, catch_exceptions=False)
