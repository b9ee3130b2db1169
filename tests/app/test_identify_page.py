"""The page Identify: from a file to a law and its files, with the numbers of the API."""

from __future__ import annotations

import random
import re
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from app_browser import READY
from identification.test_damaged_tables import DAMAGE, GOOD

import slipstick as ss
from slipstick.app.identify.page_messages import IDENTIFY

T = np.linspace(0.0, 2.25, 450)
LAW = ss.Masing(stiffness=4e5, limit=120.0, parallel_stiffness=1e5)
NAMES = ("small.csv", "other.csv")
FITTING = 600_000  # [ms] a fit may take on a machine that is busy


def written(folder: Path, name: str, head: str, amplitude: float, seed: int = 0) -> Path:
    """A loop in s, mm and N, with a newton of noise."""
    u = amplitude * np.sin(2.0 * np.pi * T)
    f = LAW.trace(u, T) + np.random.default_rng(seed).normal(0.0, 1.0, T.size)
    path = folder / name
    path.write_text(head + "".join(f"{t:.5f},{1e3 * x:.6f},{y:.3f}\n" for t, x, y in zip(T, u, f, strict=True)))
    return path


def drop(page: Any, *paths: Path) -> None:
    page.set_input_files("input[type=file]", [str(path) for path in paths])


def choose(page: Any, label: str, *names: str) -> None:
    page.get_by_label(label, exact=True).click()
    for name in names:
        page.get_by_role("option", name=name, exact=True).click()
    page.keyboard.press("Escape")
    page.get_by_role("option").first.wait_for(state="hidden")


def choose_laws(page: Any, *names: str) -> None:
    """Click the cards of laws."""
    cards = page.get_by_role("group", name="laws")
    for name in names:
        card = cards.get_by_role("button", name=name, exact=True)
        pressed = "false" if card.get_attribute("aria-pressed") == "true" else "true"
        card.click()
        cards.locator(f"[aria-pressed={pressed}]", has_text=re.compile(f"^{name}$")).wait_for()


def table_under(page: Any, head: str) -> list[list[str]]:
    """The rows of the table whose first head is so; the last of them on the page."""
    own = page.locator("table.plain", has=page.locator("th:first-child", has_text=re.compile(f"^{head}$"))).last
    return [row.locator("td").all_inner_texts() for row in own.locator("tbody tr").all()]


def taken(page: Any, button: str) -> tuple[str, bytes]:
    """The name and content of what a button hands out."""
    with page.expect_download() as coming:
        page.get_by_role("button", name=button, exact=True).click()
    return coming.value.suggested_filename, Path(coming.value.path()).read_bytes()


def test_from_a_file_without_units_to_a_law_with_the_numbers_of_the_api(open_page, tmp_path):
    path = written(tmp_path, "rig 7.csv", "a,b,c\n", 8e-4)
    loop = ss.Loop.read_csv(path, "b", "c", "a", units={"deflection": "mm", "force": "N"})
    fit = ss.identify(loop, "masing")
    page = open_page("/identify")
    drop(page, path)
    page.get_by_text("rig 7.csv: which column is the deflection? choose one of b, c").wait_for()
    for role, column in (("deflection", "b"), ("force", "c"), ("time", "a")):
        choose(page, f"{role}: column", column)
    page.get_by_label("unit of deflection").fill("mm")
    page.get_by_label("unit of force").fill("N")
    page.get_by_text('force: column "c" in N').wait_for()
    (row,) = table_under(page, "loop")
    page.get_by_role("columnheader", name="energy [N mm = mJ]").wait_for()
    _, settled = loop.figures  # the first begins on a virgin curve
    area, secant, loss = settled.area, settled.secant, settled.loss_factor
    assert row[:3] == ["rig 7.csv", "450", str(len(loop.figures))]
    expected = [1e3 * loop.amplitude, 1e3 * area, 1e-3 * secant, loss, loop.noise]
    np.testing.assert_allclose([float(row[k]) for k in (3, 5, 6, 7, 9)], expected, rtol=1e-3)

    page.get_by_role("button", name="fit masing").click()
    page.get_by_text("What was found").wait_for(timeout=FITTING)
    shown = {row[0]: row for row in table_under(page, "parameter")}
    assert set(fit.parameters) <= set(shown)
    for name, found in fit.parameters.items():
        own = found.shown_in(fit.units)
        low, high = map(float, shown[name][3].split(" to "))
        assert float(shown[name][2]) == pytest.approx(own.value, abs=0.1 * (own.high - own.low))  # rounded to it
        np.testing.assert_allclose([low, high], [own.low, own.high], rtol=1e-2)
    assert page.get_by_text(f"residual {fit.residual:.4g} N rms, noise {fit.noise:.4g} N").first.is_visible()

    name, law = taken(page, "law (YAML)")
    assert name == "rig 7-masing.yaml"
    model = tmp_path / "model.yaml"
    model.write_bytes(b"slipstick: 1\nname: m\ncoordinates: {u: {inertia: 1 kg}}\nconnections:\n" + law)
    assert ss.open(model).connections[0].law == fit.law
    name, data = taken(page, "data (netCDF)")
    (tmp_path / name).write_bytes(data)
    np.testing.assert_array_equal(ss.open(tmp_path / name).loops[0].fitted, fit.loops[0].fitted)
    name, report = taken(page, "report (HTML)")
    assert name == "rig 7-masing.html"
    assert "slipstick identify &#x27;rig 7.csv&#x27; --law masing --deflection b" in report.decode()
    _, samples = taken(page, "samples (CSV)")
    rows = np.loadtxt(samples.decode().splitlines(), delimiter=",", skiprows=1)
    np.testing.assert_allclose(rows[:, 3], fit.loops[0].fitted, rtol=1e-6, atol=1e-6)

    page.reload()
    page.get_by_text("What was found").wait_for()
    assert {row[0]: row for row in table_under(page, "parameter")} == shown
    page.get_by_role("button", name="use this law in a model").click()
    page.wait_for_url(re.compile("/model$"))
    page.get_by_text("One mass on a law that was identified").first.wait_for()


@pytest.mark.long
def test_several_files_are_ranked_together_and_a_ranking_can_be_stopped(open_page, tmp_path):
    head = "t [s],u [mm],F [N]\n"
    paths = [written(tmp_path, f"{k}.csv", head, amplitude, k) for k, amplitude in enumerate((4e-4, 8e-4, 1.2e-3))]
    ranking = ss.rank(ss.Loop.read_many(paths), ["masing", "jenkins"])
    page = open_page("/identify", width=390)
    drop(page, *paths)
    page.get_by_label("remove file 3").wait_for()
    page.get_by_text("loss factor", exact=True).wait_for()
    choose_laws(page, "jenkins", "iwan", "bouc-wen", "fibre-shear")  # these take their time
    page.get_by_role("button", name="compare 5 laws").click()
    page.get_by_role("button", name="cancel").click()
    page.get_by_text("cancelled; nothing was changed").wait_for()
    assert not page.get_by_text("What was found").count()

    choose_laws(page, "iwan", "bouc-wen", "fibre-shear")
    page.get_by_role("button", name="compare 2 laws").click()
    page.get_by_text("What was found").wait_for(timeout=FITTING)
    rows = table_under(page, "law")
    assert [row[0] for row in rows] == [row.name for row in ranking.table]
    residuals = [row.fit.residual for row in ranking.table if row.fit]
    np.testing.assert_allclose([float(row[2]) for row in rows], residuals, rtol=1e-3)
    assert page.get_by_text(ranking.verdict).first.is_visible()
    assert page.get_by_text("at the tips").count()  # three amplitudes have a backbone
    choose(page, "law that is shown", "jenkins")
    page.get_by_text("Jenkins does not fit").wait_for()
    assert taken(page, "law (YAML)")[0] == "0-and-2-more-jenkins.yaml"
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_fit_of_files_that_were_changed_meanwhile_is_dropped_and_said_to_be(open_page, tmp_path):
    small, other = (written(tmp_path, name, "t [s],u [mm],F [N]\n", 8e-4, k) for k, name in enumerate(NAMES))
    page = open_page("/identify")
    drop(page, small)
    page.get_by_text("loss factor", exact=True).wait_for()
    choose_laws(page, "jenkins", "iwan", "bouc-wen")
    page.get_by_role("button", name="compare 4 laws").click()
    page.get_by_role("button", name="cancel").wait_for()
    page.get_by_label("remove file 1", exact=True).click()
    page.get_by_label("remove file 1").wait_for(state="hidden")
    drop(page, other)
    page.get_by_text("loss factor", exact=True).wait_for()
    assert page.get_by_role("button", name="cancel").is_visible()  # it is under way still
    page.get_by_text("The fit is not shown: files or columns have changed meanwhile").wait_for(timeout=FITTING)
    assert not page.get_by_text("What was found").count()
    page.reload()
    page.get_by_text("The fit is not shown").wait_for()
    assert table_under(page, "loop")[0][0] == "other.csv"


def bad_files(folder: Path) -> dict[Path, str]:
    """Files that are refused, one of each kind of damage, and what the API says of each."""
    numbers = GOOD.split("\n")
    own: dict[str, bytes] = {
        "empty": b"",
        "binary": bytes(range(256)) * 20,
        "words": b"once upon a time\nthere was a loop\n",
        "html": b"<!doctype html><html><body><p>no</p></body></html>",
        "short": "\n".join(numbers[:4]).encode(),
        "still": ("u,F\n" + "1.0,2.0\n" * 50).encode(),
        "units": GOOD.replace("[mm]", "[parsec3]").encode(),
        "swapped": GOOD.replace("[mm]", "[N]").replace("F [N]", "F [mm]").encode(),
        "backwards": "\n".join([numbers[0], *reversed(numbers[1:-1])]).encode(),
        "missing": GOOD.replace(numbers[20], numbers[20].rpartition(",")[0]).encode(),
    }
    rng = random.Random(9)
    for kind, damage in DAMAGE.items():
        for _ in range(40):
            content = damage(rng, GOOD)
            path = folder / "trial.csv"
            path.write_bytes(content)
            try:
                ss.Loop.read_many(path)
            except ss.InvalidInput:
                own[kind] = content
                break
    said = {}
    for k, (kind, content) in enumerate(own.items()):
        path = folder / f"{k:02d}-{kind}.csv"
        path.write_bytes(content)
        with pytest.raises(ss.InvalidInput) as refusal:
            ss.Loop.read_many(path)
        said[path] = IDENTIFY.message(refusal.value.message).replace(str(path), path.name)
    return said


def test_every_bad_file_gets_one_line_and_the_page_goes_on(open_page, tmp_path):
    said = bad_files(tmp_path)
    assert len(said) >= 20
    page = open_page("/identify")
    drop(page, *said)
    page.wait_for_function(f"document.querySelectorAll('.problem').length >= {len(said)}")
    lines = [text.split("\n")[0] for text in page.locator(".problem").all_inner_texts()]  # a button may follow
    assert sorted(lines) == sorted(" ".join(words.split()) for words in said.values())
    while page.get_by_label("remove file 1").count():  # those whose columns might be chosen otherwise
        count = page.get_by_label(re.compile("remove file")).count()
        page.get_by_label("remove file 1", exact=True).click()
        page.wait_for_function(f"document.querySelectorAll('[aria-label^=\"remove file\"]').length < {count}")
    assert page.locator(".problem").count() == 0
    drop(page, written(tmp_path, "good.csv", "t [s],u [mm],F [N]\n", 8e-4))
    page.get_by_text("loss factor", exact=True).wait_for()
    assert page.locator(".problem").count() == 0


def test_a_file_without_units_is_put_right_at_a_click_and_a_fit_waits_for_what_is_typed(open_page, tmp_path):
    path = written(tmp_path, "bare.csv", "t,u,F\n", 8e-4)
    fit = ss.identify(ss.Loop.read_csv(path, units={"deflection": "mm", "force": "kN"}), "masing")
    page = open_page("/identify", width=390, dark=True)
    drop(page, path)
    page.get_by_text("bare.csv has no units and was taken to be in m and N: an amplitude of 0.8 m").wait_for()
    page.get_by_role("button", name="mm and N", exact=True).click()
    page.get_by_text("bare.csv has no units").wait_for(state="hidden")
    assert page.get_by_label("unit of deflection").input_value() == "mm"
    assert float(table_under(page, "loop")[0][3]) == pytest.approx(0.8, rel=1e-3)
    page.get_by_label("unit of force").fill("kN")
    page.get_by_role("button", name="fit masing").click()  # before that was read
    page.get_by_text("What was found").wait_for(timeout=FITTING)
    shown = {row[0]: row for row in table_under(page, "parameter")}
    assert shown["limit"][1] == "kN"
    limit = fit.parameters["limit"].shown_in(fit.units)
    assert float(shown["limit"][2]) == pytest.approx(1e-3 * fit.law.limit, abs=0.1 * (limit.high - limit.low))
    assert not page.get_by_text("The fit is not shown").count()


def test_what_is_typed_while_files_are_read_is_not_lost(open_page, tmp_path):
    """Long enough that the reading of each key is under way when the next one comes."""
    rows = written(tmp_path, "long.csv", "", 8e-4).read_text().splitlines()
    path = tmp_path / "long.csv"
    lines = [
        f"{2.255 * k + float(t):.5f},{rest}" for k in range(300) for t, rest in (row.split(",", 1) for row in rows)
    ]
    path.write_text("\n".join(["t,u,F", *lines]))
    page = open_page("/identify")
    drop(page, path)
    page.get_by_text("long.csv has no units").wait_for()
    page.get_by_label("unit of deflection").focus()
    page.keyboard.type("m")
    page.get_by_role("progressbar", name="progress").first.wait_for()
    page.keyboard.type("m", delay=20)
    page.keyboard.press("Tab")
    page.get_by_text('deflection: column "u" in mm').wait_for()
    assert page.get_by_label("unit of deflection").input_value() == "mm"
    page.get_by_text("signs, drift, offset").click()
    field = page.get_by_label("force times")
    field.fill("1,250")
    page.get_by_text("write one of these").wait_for()
    field.fill("0,5")
    page.get_by_text("deflection times 1, force times 0.5").wait_for()
    assert field.input_value() == "0,5"
    assert page.get_by_label("unit of deflection").input_value() == "mm"


def test_what_is_typed_when_other_columns_arrive_is_not_lost(open_page, tmp_path):
    """Keys follow each other so closely that what they say is not told anybody before the other file is there."""
    first = written(tmp_path, "b.csv", "t,u,F\n", 8e-4)
    other = written(tmp_path, "a.csv", "time [s],x,load\n", 6e-4, 1)
    page = open_page("/identify")
    drop(page, first)
    page.get_by_text("b.csv has no units").wait_for()
    drop(page, other)
    field = page.get_by_label("unit of deflection")
    field.focus()
    page.keyboard.type("mm")
    until = time.monotonic() + READY
    while not page.get_by_label("remove file 2").count():
        assert time.monotonic() < until, "the other file did not come"
        page.keyboard.press("Space")
        page.keyboard.press("Backspace")
    page.get_by_text('deflection: column "x" in mm').wait_for()
    assert field.input_value() == "mm"
    assert [float(row[3]) for row in table_under(page, "loop")] == pytest.approx([0.6, 0.8], rel=1e-3)


def test_a_law_is_chosen_by_its_loop_and_one_that_cannot_follow_an_offset_says_so(open_page, tmp_path):
    head = "t [s],u [mm],F [N]\n"
    path = written(tmp_path, "lifted.csv", head, 8e-4)
    rows = [line.split(",") for line in path.read_text().splitlines()[1:]]
    path.write_text(head + "".join(f"{t},{u},{float(f) + 60.0:.3f}\n" for t, u, f in rows))
    page = open_page("/identify")
    drop(page, path)
    page.get_by_text("loss factor", exact=True).wait_for()
    card = page.get_by_role("group", name="laws").get_by_role("button", name="jenkins", exact=True)
    assert card.locator("svg.loop path").get_attribute("d").startswith("M")
    card.hover()
    page.get_by_role("tooltip").get_by_text("The simplest law that sticks elastically and slips").wait_for()
    choose_laws(page, "jenkins")
    page.get_by_text("jenkins: The simplest law").wait_for()
    page.get_by_role("button", name="compare 2 laws").click()
    page.get_by_text("What was found").wait_for(timeout=FITTING)
    advice = 'tick "remove the offset" under "signs, drift'
    said = f"jenkins has no constant force, and the loops are not centred at zero.*{advice}"
    page.get_by_text(re.compile(said)).wait_for()


@pytest.mark.long
def test_every_warning_is_put_right_by_its_button_and_a_law_that_does_not_fit_is_compared(open_page, tmp_path):
    head = "t [s],u [mm],F [N]\n"
    path = written(tmp_path, "drifts.csv", head, 8e-4)
    rows = [line.split(",") for line in path.read_text().splitlines()[1:]]
    rows[30][1] = "overload"
    path.write_text(head + "".join(f"{t},{u},{float(f) + 30.0 * float(t):.3f}\n" for t, u, f in rows))
    page = open_page("/identify")
    drop(page, path)
    page.get_by_role("button", name="skip bad lines").click()
    page.get_by_text("loss factor", exact=True).wait_for()
    page.get_by_role("button", name="fit masing").click()
    page.get_by_role("button", name="remove drift").click(timeout=FITTING)
    page.get_by_role("button", name="remove drift").wait_for(state="hidden")
    page.get_by_text("What was found").wait_for(timeout=FITTING)
    assert page.get_by_text("drift removed: ").first.is_visible()
    choose_laws(page, "masing", "jenkins")
    page.get_by_role("button", name="fit jenkins").click()
    page.get_by_role("button", name="compare laws", exact=True).click(timeout=FITTING)
    page.get_by_role("heading", name=re.compile(r"Comparison of \d laws")).wait_for(timeout=FITTING)
    assert "masing" in [row[0] for row in table_under(page, "law")]
    verdict, table = page.locator(".certificate").first, page.locator("table.plain", has_text="BIC difference")
    figure = page.locator("section .js-plotly-plot").first
    top, middle, bottom = (own.bounding_box()["y"] for own in (verdict, figure, table))
    assert top < middle < bottom


def test_what_is_held_is_in_sight_when_the_page_is_opened_again(open_page):
    page = open_page("/identify")
    assert not page.get_by_label("hold", exact=True).is_visible()
    page.get_by_text("known parameters", exact=True).click()
    page.get_by_label("hold", exact=True).fill("damping=0")
    page.get_by_label("hold", exact=True).press("Tab")
    page.get_by_role("link", name="Model").click()
    page.wait_for_url(re.compile("/model$"))
    page.wait_for_selector("main h1")
    page.get_by_role("link", name="Identify").click()
    page.wait_for_url(re.compile("/identify$"))
    page.get_by_label("hold", exact=True).wait_for()
    assert page.get_by_label("hold", exact=True).input_value() == "damping=0"
