"""Every example runs; the demo's page shows what came out, and what it says holds by other ways."""

from __future__ import annotations

import re
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

import slipstick as ss

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
sys.path.insert(0, str(EXAMPLES.parent / "scripts"))
from make_gallery import SCRIPTS, draw  # noqa: E402


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.name)
def test_examples_run(path, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(path), run_name="__main__")
    assert capsys.readouterr().out


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """The folder that the demo filled, and what it printed."""
    folder = tmp_path_factory.mktemp("demo")
    known = set(sys.modules)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        runpy.run_path(str(EXAMPLES / "demo"), run_name="__main__")
    for name in set(sys.modules) - known:  # its files have plain names, which tests might have too
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(EXAMPLES)):
            del sys.modules[name]
    return folder / "out" / "demo"


def test_the_page_of_the_demo_has_all_chapters_with_pictures_and_no_failed_certificate(demo):
    page = (demo / "index.html").read_text(encoding="utf-8")
    assert page.count("<h2>") == page.count("data:image/svg+xml") == page.count("<details>") == 5
    assert "all certificates passed" in page
    assert "FAILED" not in page
    links = [part.split('"')[0] for part in page.split('href="')[1:]]
    assert links
    assert all((demo / link).is_file() for link in links)


def test_the_demo_draws_the_picture_of_the_readme(demo):
    readme = (EXAMPLES.parent / "README.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"^!\[[^\]]*\]\(([^)]+)\)$", readme, re.MULTILINE)
    assert (demo / Path(shown).name).read_bytes().startswith(b"\x89PNG")


def test_the_law_of_the_demo_is_that_of_the_tensioner_paper(demo):
    fit = ss.open(demo / "tensioner-fit.nc")
    for name, value in {"stiffness": 4.84e5, "limit": 163.0, "parallel_stiffness": 2.34e5, "damping": 1.93e4}.items():
        assert fit.parameters[name].low < value < fit.parameters[name].high  # (36), from which the set was made


def test_both_runs_of_the_demo_end_on_stable_parts_of_its_curve(demo):
    curve = ss.open(demo / "lever-response.nc")
    frequency, amplitude = curve.data["frequency"].values, curve.data["amplitude"].sel(coordinate="x").values
    on_curve = []
    for stable, points in curve.parts():
        order = np.argsort(frequency[points])
        at = np.interp(ss.hz(19.75), frequency[points][order], amplitude[points][order], left=np.nan, right=np.nan)
        on_curve += [at] if stable and np.isfinite(at) else []
    ends = []
    for name in ("lever-from-rest.nc", "lever-let-go-at-7-mm.nc"):
        run = ss.open(demo / name)
        last = run.data["displacement"].sel(coordinate="x", time=slice(1.5, None))
        ends.append(float(last.max() - last.min()) / 2.0)
    assert sorted(ends) == pytest.approx(sorted(on_curve), rel=1e-2)  # straight lines between points of the curve
    assert min(ends) < 5e-3 < max(ends)  # short of the stops, and beyond


def test_the_small_gear_train_of_the_demo_has_the_spring_of_three_in_series(demo):
    page = (demo / "index.html").read_text(encoding="utf-8")
    mesh = 1e5 * 0.04**2  # tooth stiffness times the square of the radius
    stiffness = 1.0 / (1.0 / 40.0 + 1.0 / mesh + 4.0 / 120.0)
    gap = 0.02 + 4e-4 / 0.04 + 2.0 * 0.02
    assert f"one spring of {stiffness:.2f} N m/rad, half gap {gap:.4f} rad" in page
    assert (demo / "gear-train.tex").read_text(encoding="utf-8").startswith(r"\begin{aligned}")


def test_the_gallery_shows_every_script_once():
    page = (EXAMPLES.parent / "docs" / "gallery.md").read_text(encoding="utf-8")
    shown = [name for block in re.findall(r"```{gallery}\n(.*?)```", page, re.DOTALL) for name in block.split()]
    assert sorted(shown) == [path.stem for path in SCRIPTS]
    assert len(shown) >= 24


@pytest.mark.parametrize(
    "script",
    [pytest.param(path, marks=[] if k % 8 == 0 else pytest.mark.long) for k, path in enumerate(SCRIPTS)],
    ids=lambda path: path.stem,
)  # `make docs` draws all of them
def test_a_script_of_the_gallery_draws_its_picture(script, tmp_path):
    lines = script.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 25
    assert draw(script, tmp_path).read_bytes().startswith(b"\x89PNG")
