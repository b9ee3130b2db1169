"""``slipstick trend`` and ``slipstick band``: numbers over frequency, and responses over what is not known of a law."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import slipstick as ss

Call = Callable[..., SimpleNamespace]
Prepare = Callable[[dict[str, str]], Call]

MASS, LOAD = 2.0, 30.0
MODEL = f"""slipstick: 1
coordinates:
  x: {{inertia: {MASS} kg, displacement: 0 mm}}
connections:
  ground: {{deflection: x, law: linear, stiffness: 80 N/mm, damping: 40 N s/m}}
  guide: {{deflection: x, law: freeplay, stiffness: 0.1 N/mm, half_gap: 50 mm}}
loads:
  - {{on: x, cosine: {{amplitude: {LOAD} N, order: 1}}}}
"""
STUDY = "slipstick: 1\nmodel: model.yaml\nfrequency_response: {at: [10 Hz, 30 Hz]}\n"


def rows(limit: float, hertz: float, seed: int, samples: int = 200) -> list[tuple[float, float, float]]:
    """t [s], u [mm], F [kN] of a slider."""
    t = np.linspace(0.0, 3.0, samples) / hertz
    u = 1e-3 * np.sin(2.0 * np.pi * hertz * t)
    f = ss.Jenkins(stiffness=8e5, limit=limit).trace(u) + np.random.default_rng(seed).normal(0.0, 2.0, samples)
    return list(zip(t.tolist(), (1e3 * u).tolist(), (1e-3 * f).tolist(), strict=True))


def text(head: str, lines: list[tuple[float, ...]]) -> str:
    return "\n".join([head, *(",".join(f"{value:.9g}" for value in line) for line in lines)]) + "\n"


OVER = {1.0: 200.0, 10.0: 240.0, 100.0: 280.0}  # the limit [N] over frequency [Hz]: 40 N a decade


def files() -> dict[str, str]:
    return {
        f"{hertz:g}Hz.csv": text("t [s],u [mm],F [kN]", rows(limit, hertz, k))
        for k, (hertz, limit) in enumerate(OVER.items())
    }


def test_what_depends_on_frequency_is_distinguished_from_several_files(called: Prepare, tmp_path: Path) -> None:
    done = called(files())("trend", *files(), "--law", "jenkins")
    assert (done.code, done.err) == (0, "")
    assert re.search(r"^limit +kN +0\.(20|19)\d* +0\.2[34]\d* +0\.2[78]\d*", done.out, re.MULTILINE)
    assert "limit grows with frequency" in done.out
    assert "stiffness does not depend on frequency" in done.out
    trend = ss.open("1Hz-and-2-more-jenkins-trend.nc")
    line = trend.line("limit")
    assert line.low < 40.0 < line.high
    page = (tmp_path / "1Hz-and-2-more-jenkins-trend.html").read_text(encoding="utf-8")
    assert "depends on frequency: limit" in page
    assert page.count("data:image/svg+xml") == 1


def test_a_column_in_hertz_tells_frequencies_without_times(called: Prepare) -> None:
    lines = [
        (hertz, run, u, f)
        for k, (hertz, limit) in enumerate(OVER.items())
        for run in (1.0, 2.0)
        for _, u, f in rows(limit, hertz, 2 * k + int(run))
    ]
    call = called({"all.csv": text("f [Hz],run,u [mm],F [kN]", lines)})
    done = call("trend", "all.csv", "--law", "jenkins", "--by", "f,run")
    assert (done.code, done.err) == (0, "")
    trend = ss.open("all-jenkins-trend.nc")
    assert list(trend.fits[""]) == list(OVER)
    assert [len(fit.loops) for fit in trend.fits[""].values()] == [2, 2, 2]


def test_each_file_may_be_a_set_of_samples(called: Prepare) -> None:
    both = {
        name: text(
            "f [Hz],t [s],u [mm],F [kN]",
            [(hertz, *row) for hertz, limit in OVER.items() for row in rows(limit, hertz, seed)],
        )
        for seed, name in enumerate(("new.csv", "worn.csv"))
    }
    done = called(both)("trend", *both, "--law", "jenkins", "--by", "f", "--sets")
    assert (done.code, done.err) == (0, "")
    assert ss.open("new-and-1-more-jenkins-trend.nc").sets == ("new.csv", "worn.csv")
    assert "worn.csv: limit grows with frequency" in done.out


def test_one_frequency_is_no_trend(called: Prepare) -> None:
    done = called({"x.csv": files()["1Hz.csv"]})("trend", "x.csv", "--law", "jenkins")
    assert done.code == 2
    assert done.err == "slipstick: trend: a trend needs loops at two frequencies or more, got 1\n"


# ---- bands


@pytest.fixture
def spring(tmp_path: Path) -> ss.Law:
    """A fit of a spring and a damper, in a file."""
    t = np.linspace(0.0, 3.0, 300)
    u = 1e-3 * np.sin(2.0 * np.pi * t)
    force = ss.Linear(stiffness=8e4, damping=40.0).trace(u, t) + np.random.default_rng(2).normal(0.0, 2.0, t.size)
    fit = ss.identify(ss.Loop(u, force, t), "linear", {"preload": 0.0, "damping": 40.0})
    fit.save(tmp_path / "spring.nc")
    return fit


def amplitude(stiffness: np.ndarray, hertz: float) -> np.ndarray:
    omega = 2.0 * np.pi * hertz
    return LOAD / np.hypot(stiffness - MASS * omega**2, 40.0 * omega)


def test_a_band_is_that_of_laws_drawn_from_the_fit(called: Prepare, spring: ss.Law) -> None:
    done = called({"model.yaml": MODEL, "study.yaml": STUDY})("band", "spring.nc", "study.yaml", "--samples", "12")
    assert (done.code, done.err) == (0, "")
    band = ss.open("study-band.nc")
    exact = amplitude(np.array([law.stiffness for law in spring.sample(12)]), 30.0)
    assert band.high[1, 0] == pytest.approx(np.quantile(exact, 0.975), rel=1e-6)
    row = re.search(r"^x \[mm\] +(\S+) +(\S+) +(\S+)", done.out, re.MULTILINE)
    assert row is not None
    expected = 1e3 * np.quantile(exact, (0.025, 0.5, 0.975))
    np.testing.assert_allclose([float(own) for own in row.groups()], expected, rtol=1e-3)
    assert re.search(r"^x, at \[Hz\] +30 +30 +30", done.out, re.MULTILINE)
    assert "highest at an end of the range, beyond which a peak may lie: x" in done.out  # 30 Hz is the last
    assert "at rest with every law" not in done.out


WRONG = {
    "no fit": (["study.yaml", "study.yaml"], "is not a fit"),
    "a model": (["spring.nc", "model.yaml"], "is a model, not a study"),
    "another study": (["spring.nc", "run.yaml"], "a band needs frequency_response:"),
    "an unknown connection": (["spring.nc", "study.yaml", "--connection", "grund"], 'did you mean "ground"'),
    "too few laws": (["spring.nc", "study.yaml", "--samples", "2"], "samples must be at least 3"),
    "a share that is none": (["spring.nc", "study.yaml", "--coverage", "95"], "coverage must be between 0 and 1"),
}


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.usefixtures("spring")
def test_what_cannot_be_used_is_one_line_and_exit_code_2(name: str, called: Prepare) -> None:
    arguments, words = WRONG[name]
    run = "slipstick: 1\nmodel: model.yaml\ntransient: {until: 1}\n"
    done = called({"model.yaml": MODEL, "study.yaml": STUDY, "run.yaml": run})("band", *arguments)
    assert done.code == 2
    assert done.out == ""
    assert done.err.count("\n") == 1
    assert words in done.err


@pytest.mark.usefixtures("spring")
def test_a_law_that_two_connections_have_is_asked_for(called: Prepare) -> None:
    twice = MODEL.replace("law: freeplay, stiffness: 0.1 N/mm, half_gap: 50 mm", "law: linear, stiffness: 0.1 N/mm")
    done = called({"model.yaml": twice, "study.yaml": STUDY})("band", "spring.nc", "study.yaml")
    assert done.code == 2
    assert "2 connections have a law of the kind Linear; choose one of them, such as --connection ground" in done.err


@pytest.mark.usefixtures("spring")
@pytest.mark.parametrize(("worst", "code"), [(1.0, 1), (0.0, 0)], ids=["many", "none"])
def test_a_band_of_few_laws_is_none_and_leaves_with_1(
    worst: float, code: int, called: Prepare, spring: ss.Law, monkeypatch: pytest.MonkeyPatch
) -> None:
    from slipstick.periodic import response_band as room

    whole, share = room.frequency_response, np.quantile([law.stiffness for law in spring.sample(12)], 0.5 * worst)

    def fails_below(model: ss.Model, *arguments: object, **how: object) -> ss.Curve:
        if model.connections[0].law.stiffness < share:
            raise ss.NotConverged("it went nowhere")
        return whole(model, *arguments, **how)

    monkeypatch.setattr(room, "frequency_response", fails_below)
    done = called({"model.yaml": MODEL, "study.yaml": STUDY})("band", "spring.nc", "study.yaml", "--samples", "12")
    assert done.code == code
    assert ("x [mm]" in done.out) is not bool(worst)
    assert ("no curve" in done.err) is bool(worst)
    assert ("not to be trusted" in done.out) is bool(worst)
    assert Path("study-band.nc").exists()  # what there is is kept
