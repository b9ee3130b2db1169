"""``slipstick identify`` and ``slipstick rank`` as a test engineer meets them."""

from __future__ import annotations

import gzip
import io
import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import slipstick as ss
from slipstick.cli import main
from slipstick.identification.search.unknowns import Unknowns
from slipstick.results.fit import Estimate, Estimates
from slipstick.units.scales import LoopUnits, Scale

Call = Callable[..., SimpleNamespace]  # with arguments; the exit code and what was printed
Prepare = Callable[[dict[str, str]], Call]  # with files

TRUE = ss.Jenkins(stiffness=8e5, limit=250.0)


def table(amplitude: float = 1.0, offset: float = 0.0, samples: int = 300, noise: float = 2.0) -> str:
    """Text of a file in mm and kN; offset : of the force [N]."""
    t = np.linspace(0.0, 3.0, samples)
    u = 1e-3 * amplitude * np.sin(2.0 * np.pi * t)
    f = TRUE.trace(u) + np.random.default_rng(1).normal(offset, noise, samples)
    rows = [f"{a:.6f},{1e3 * b:.9f},{1e-3 * c:.9f}" for a, b, c in zip(t, u, f, strict=True)]
    return "\n".join(["t [s],u [mm],F [kN]", *rows]) + "\n"


LOOP = table()


@pytest.fixture(scope="module")
def identified(tmp_path_factory: pytest.TempPathFactory) -> SimpleNamespace:
    """A whole call, once: its exit code, what it printed, and the folder it wrote to."""
    folder = tmp_path_factory.mktemp("identified")
    (folder / "joint.csv").write_text(LOOP)
    return ran("identify", str(folder / "joint.csv"), "--law", "jenkins", "--out", str(folder / "new"))


@pytest.fixture(scope="module")
def ranked(tmp_path_factory: pytest.TempPathFactory) -> SimpleNamespace:
    folder = tmp_path_factory.mktemp("ranked")
    (folder / "joint.csv").write_text(LOOP)
    return ran("rank", str(folder / "joint.csv"), "--laws", "linear,jenkins", "--out", str(folder / "new"))


def ran(*arguments: str) -> SimpleNamespace:
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setenv("COLUMNS", "80")
        with pytest.raises(SystemExit) as left:
            main(arguments)
    folder = arguments[-1]
    return SimpleNamespace(code=left.value.code, out=out.getvalue(), err=err.getvalue(), folder=folder)


def text_of(done: SimpleNamespace, name: str) -> str:
    with open(f"{done.folder}/{name}", encoding="utf-8") as stream:
        return stream.read()


# ---- identify


def test_no_word_of_a_table_is_broken_in_80_columns(tmp_path: Path) -> None:
    """Of a law with long names, in a unit that is one more sign: what can be spared is left to the page."""
    t = np.linspace(0.0, 3.0, 300)
    u = 0.5 * np.sin(2.0 * np.pi * t)
    joint = ss.Masing(stiffness=12.0, limit=1.8, parallel_stiffness=2.5)
    rows = np.column_stack((t, u, joint.trace(u) + np.random.default_rng(1).normal(0.0, 0.03, t.size)))
    np.savetxt(tmp_path / "rig.csv", rows, delimiter=",", header="t [s],u [mm],F [kN]", comments="")
    done = ran("identify", str(tmp_path / "rig.csv"), "--law", "masing", "--out", str(tmp_path))
    assert done.code == 0
    numbers = done.out.split("\n\n")[1].splitlines()
    assert [line.split()[0] for line in numbers[2:9]] == [
        "stiffness", "limit", "parallel_stiffness", "damping", "preload", "initial_stiffness", "slip_begins",
    ]  # fmt: skip
    assert numbers[9] == "* derived from the parameters above; on the page only: start"
    assert max(map(len, numbers)) <= 80
    assert ">start</th>" in text_of(done, "rig-masing.html")


def test_the_table_has_values_with_intervals_that_hold_the_truth(identified: SimpleNamespace) -> None:
    assert (identified.code, identified.err) == (0, "")
    for name, unit, truth in (("stiffness", "kN/mm", 0.8), ("limit", "kN", 0.25)):  # of the file
        row = re.search(rf"^{name} +{unit} +(\S+) +(\S+) to (\S+) ", identified.out, re.MULTILINE)
        assert row is not None
        value, low, high = map(float, row.groups())
        assert low < truth < high
        assert low < value < high
        assert value == pytest.approx(truth, rel=0.01)
    assert "fits within the noise" in identified.out


def test_tables_fit_on_80_columns(identified: SimpleNamespace) -> None:
    rows = [
        line
        for line in identified.out.splitlines()
        if not line.startswith(("warning", "note", "written", "errors", "    "))
    ]
    assert max(map(len, rows)) <= 80


def test_the_fit_is_written_as_data_and_opens_again(identified: SimpleNamespace) -> None:
    fit = ss.open(f"{identified.folder}/joint-jenkins.nc")
    assert fit.law.limit == pytest.approx(250.0, rel=0.01)
    assert len(fit.sample(3)) == 3


def test_the_block_reads_as_the_law_when_it_is_pasted_into_a_model(identified: SimpleNamespace, tmp_path: Path) -> None:
    fit = ss.open(f"{identified.folder}/joint-jenkins.nc")
    block = text_of(identified, "joint-jenkins.yaml")
    model = tmp_path / "model.yaml"
    model.write_text(f"slipstick: 1\ncoordinates:\n  u: {{inertia: 2 kg}}\nconnections:\n{block}")
    done = ran("check", str(model))
    assert (done.code, done.err) == (0, "")
    assert ss.open(model).connections[0].law == fit.law  # to the last digit
    assert block.split("\n", 1)[1].rstrip() in identified.out


@pytest.mark.parametrize(
    "law",
    [
        ss.ModifiedDahl(rate=0.1234567890123456, exponent=0.6, upper=(10.1, 2e5), lower=(-9.3, 1e5)),
        ss.Linear(stiffness=2e5, damping=1e-7, preload=-3.0) + ss.DynamicHysteresis(stiffness=1e5, limit=12.0),
        ss.Polynomial(coefficients=(0.0, 1e5, 0.0, 1.23e11)) + ss.Dahl(stiffness=1e5, limit=12.0),
        ss.Iwan(stiffnesses=(1e5, 2e5), limits=(3.0, 4.0)),
        ss.FibreShear(stiffness=2e6, limit=3e4, linear=4e5, cubic=1e5, overshoot=0.2, ratio=0.3),
    ],
    ids=lambda law: type(law).__name__,
)
def test_blocks_of_other_laws_read_back_too(law: ss.Law, identified: SimpleNamespace, tmp_path: Path) -> None:
    from slipstick.report.law_block import law_block

    system = "stress" if isinstance(law, ss.FibreShear) else "translation"
    units = LoopUnits(Scale("mm", 1e3), Scale("kN", 1e-3), True)
    if system == "stress":
        units = LoopUnits(Scale("", 1.0), Scale("kPa", 1e-3), True)
    fit = ss.open(f"{identified.folder}/joint-jenkins.nc")
    numbers = {u.name: Estimate(u.value, 0.9 * u.value, 1.1 * u.value, u.unit, dimension=u.dimension)
               for u in Unknowns.of(law, system).each}  # fmt: skip
    loops = (fit.loops[0]._replace(units=units),)
    block = law_block(replace(fit, law=law, parameters=Estimates(numbers), loops=loops, system=system))
    block = block.replace("# scaled:", "scaled:")  # as who has a pad of fibres is told to
    model = tmp_path / "model.yaml"
    model.write_text(f"slipstick: 1\ncoordinates:\n  u: {{inertia: 2}}\nconnections:\n{block}")
    read = ss.open(model).connections[0].law
    assert (read.terms[0].law if system == "stress" else read) == law  # to the last digit, through other units
    lines = [line for line in block.splitlines() if re.search(r"^ *(\w+:|-) -?[0-9]", line)]
    assert all("# 95 %: " in line for line in lines)
    assert any(f" {units.force.unit}" in line for line in lines)


def test_the_page_has_everything_and_asks_for_nothing(identified: SimpleNamespace) -> None:
    page = text_of(identified, "joint-jenkins.html")
    assert page.count('src="data:image/svg+xml;base64,') == 1
    for address in re.findall(r'(?:src|href|url)\s*[=(]\s*"?([^")\s>]+)', page):
        assert address.startswith("data:")
    assert "<script" not in page
    assert "@import" not in page
    for words in ("stiffness", "95 % interval", "law: jenkins", "Correlation", "fits within the noise"):
        assert words in page


def test_the_picture_is_there_twice(identified: SimpleNamespace) -> None:
    with open(f"{identified.folder}/joint-jenkins.png", "rb") as stream:
        assert stream.read(8) == b"\x89PNG\r\n\x1a\n"
    assert "<svg" in text_of(identified, "joint-jenkins.svg")


def test_every_file_is_named_on_the_screen(identified: SimpleNamespace) -> None:
    written = re.findall(r"^written: (.*)$", identified.out, re.MULTILINE)
    assert written == [
        f"{identified.folder}/joint-jenkins{suffix}" for suffix in (".nc", ".yaml", ".png", ".svg", ".html")
    ]


def test_options_hold_bind_and_weigh_numbers_and_loops_are_read_as_asked(called: Prepare) -> None:
    columns = "a,x,y\n" + "\n".join(LOOP.splitlines()[1:]) + "\n"
    done = called({"rig.txt": columns})(
        "identify", "rig.txt", "--law", "jenkins", "--deflection", "x", "--force", "2", "--unit", "deflection=mm",
        "--unit", "force=kN", "--scale", "force=2", "--fixed", "stiffness=1.6e6", "--bounds", "limit=:480", "--prior",
        "limit=470:1", "--remove-offset",
    )  # fmt: skip
    assert (done.code, done.err) == (0, "")
    fit = ss.open("rig-jenkins.nc")
    assert fit.parameters["stiffness"].fixed
    assert fit.law.stiffness == 1.6e6
    assert 460.0 < fit.law.limit <= 480.0  # twice 250 is beyond the bound
    assert "offsets removed" in done.out
    assert "limit ends at its bound" in done.out


def test_numbers_may_be_given_with_units(called: Prepare) -> None:
    call = called({"x.csv": LOOP})
    done = call(
        "identify", "x.csv", "--law", "jenkins", "--fixed", "limit=0.24 kN", "--bounds", "stiffness=700:900N/mm"
    )
    assert (done.code, done.err) == (0, "")
    fit = ss.open("x-jenkins.nc")
    assert fit.law.limit == 240.0
    assert 7e5 <= fit.law.stiffness <= 9e5
    assert re.search(r"^limit +kN +0.24 +fixed ", done.out, re.MULTILINE)


def test_a_law_that_does_not_fit_is_reported_in_words_and_leaves_with_0(called: Prepare, tmp_path: Path) -> None:
    call = called({"joint.csv": LOOP, "less.csv": table(0.6)})
    done = call("identify", "joint.csv", "less.csv", "--law", "linear")
    assert (done.code, done.err) == (0, "")
    assert "does not fit within the noise" in done.out
    assert "does not fit within the noise of 2 of 2 loops" in " ".join(done.out.split())
    page = (tmp_path / "joint-and-1-more-linear.html").read_text(encoding="utf-8")
    assert 'class="verdict bad">does not fit' in page


def test_a_packed_file_and_several_loops_of_one_file_which_need_not_say_its_name(
    called: Prepare, tmp_path: Path
) -> None:
    rows = [f"{a},{line}" for a in (1.0, 0.6) for line in table(a).splitlines()[1:]]
    with gzip.open(tmp_path / "both sizes.csv.gz", "wt") as stream:
        stream.write("\n".join(["size,t [s],u [mm],F [kN]", *rows]))
    done = called({})("identify", "both sizes.csv.gz", "--law", "jenkins", "--by", "size")
    assert (done.code, done.err) == (0, "")
    assert [loop.amplitude for loop in ss.open("both sizes-jenkins.nc").loops] == pytest.approx([1e-3, 6e-4], rel=0.01)
    assert re.search(r"^size = 0.6 ", done.out, re.MULTILINE)
    assert 'all loops: deflection: column "u" in mm, times 0.001; force: column "F" in kN' in done.out


def test_units_are_those_of_the_columns(called: Prepare) -> None:
    text = LOOP.replace("u [mm]", "angle [mrad]").replace("F [kN]", "torque [kN m]")
    done = called({"shaft.csv": text})("identify", "shaft.csv", "--law", "jenkins")
    assert (done.code, done.err) == (0, "")
    assert re.search(r"^stiffness +kN m/mrad ", done.out, re.MULTILINE)
    assert re.search(r"^limit +kN m +0\.2[45]", done.out, re.MULTILINE)
    fit = ss.open("shaft-jenkins.nc")
    assert (fit.system, fit.derived["slip_begins"].unit) == ("rotation", "rad")
    assert fit.plot().axes[0].get_ylabel() == "force [kN m]"


def test_loops_of_different_kinds_are_refused(called: Prepare, tmp_path: Path) -> None:
    call = called({"x.csv": LOOP, "y.csv": LOOP.replace("F [kN]", "stress [kPa]").replace("u [mm]", "strain")})
    refused(
        call("identify", "x.csv", "y.csv", "--law", "jenkins"), "x.csv is of translation, y.csv of stress", tmp_path
    )


def test_advice_in_notes_is_in_the_words_of_options(called: Prepare, tmp_path: Path) -> None:
    done = called({"far.csv": table(offset=1e4)})("identify", "far.csv", "--law", "jenkins")
    assert "if this is an offset of the sensor, use --remove-offset" in " ".join(done.out.split())
    page = (tmp_path / "far-jenkins.html").read_text(encoding="utf-8")
    for told in (done.out, page):
        assert "without_offset()" not in told
    (note,) = (note for note in ss.open("far-jenkins.nc").notes if "offset" in note)
    assert note.startswith("far.csv: the force is about ")
    assert note.endswith("use loop.without_offset()")


def test_mixed_units_are_refused_with_a_way_out_that_is_one(called: Prepare, tmp_path: Path) -> None:
    """--unit and --scale act on all files."""
    call = called({"x.csv": LOOP, "y.csv": LOOP.replace("[mm]", "[m]")})
    refused(call("identify", "x.csv", "y.csv", "--law", "jenkins"), "write the unit into the header", tmp_path)


@pytest.mark.parametrize("command", ["identify", "rank"])
def test_a_search_that_stopped_leaves_with_1(command: str, called: Prepare, monkeypatch: pytest.MonkeyPatch) -> None:
    from slipstick.identification import identify
    from slipstick.identification.search import start_selection
    from slipstick.identification.search.least_squares import minimise as whole

    for module in (identify, start_selection):  # two numbers need more than one evaluation
        monkeypatch.setattr(module, "minimise", lambda problem, x, *_: whole(problem, x, most=1))
    monkeypatch.setattr(start_selection, "MAX_SEARCH_SECONDS", 0.0)  # it would try again and again for this time
    law = ["--law", "jenkins"] if command == "identify" else ["--laws", "jenkins"]
    done = called({"x.csv": LOOP})(command, "x.csv", *law)
    assert done.code == 1
    assert done.err == "slipstick: the search did not converge; the values are where it stopped\n"
    assert "warning: the search did not converge: it ended at its budget of " in done.out


def test_noise_in_the_deflection_makes_intervals_wider(identified: SimpleNamespace, tmp_path: Path) -> None:
    """A stiff spring makes a force of 0.8 N of each micrometre: five of them are twice the noise of the force."""
    (tmp_path / "joint.csv").write_text(LOOP)
    widths = []
    for noise in ("5um", "0.005 mm", "5e-6"):
        done = ran("identify", str(tmp_path / "joint.csv"), "--law", "jenkins", "--deflection-noise", noise, "--out",
                   str(tmp_path))  # fmt: skip
        assert (done.code, done.err) == (0, "")
        fit = ss.open(tmp_path / "joint-jenkins.nc")
        widths.append(fit.parameters["stiffness"].high - fit.parameters["stiffness"].low)
    before = ss.open(f"{identified.folder}/joint-jenkins.nc").parameters["stiffness"]
    assert widths[0] == pytest.approx(widths[1]) == pytest.approx(widths[2])
    assert widths[0] > 1.3 * (before.high - before.low)


# ---- rank


def test_a_ranking_names_the_winner_and_why(ranked: SimpleNamespace) -> None:
    assert (ranked.code, ranked.err) == (0, "")
    laws = re.findall(r"^(jenkins|linear) +\d", ranked.out, re.MULTILINE)
    assert laws == ["jenkins", "linear"]
    assert re.search(r"^jenkins fits best: .*linear", ranked.out, re.MULTILINE)
    assert ss.open(f"{ranked.folder}/joint-ranked.nc").best.kind == "Jenkins"
    assert "law: jenkins" in text_of(ranked, "joint-ranked.yaml")


def test_the_page_of_a_ranking_has_the_verdict(ranked: SimpleNamespace) -> None:
    page = text_of(ranked, "joint-ranked.html")
    assert re.search(r'class="verdict">jenkins fits best', page)
    assert page.count("data:image/svg+xml") == 1
    assert "slip_begins *" in page
    assert "* derived from the parameters above" in page


def test_rank_has_usual_laws_where_none_are_named() -> None:
    from slipstick.identification.law_names import DEFAULT_LAWS, law_classes_of

    assert {kind for name in DEFAULT_LAWS for kind in law_classes_of(name)} >= {
        ss.Jenkins,
        ss.Masing,
        ss.Dahl,
        ss.BoucWen,
    }


def test_what_is_held_in_a_ranking_is_held_for_the_laws_that_have_it(called: Prepare) -> None:
    call = called({"x.csv": LOOP})
    done = call("rank", "x.csv", "--laws", "linear,jenkins", "--fixed", "limit=0.25 kN", "--bounds", "damping=0:1")
    assert (done.code, done.err) == (0, "")
    assert re.search(r"^jenkins +1 ", done.out, re.MULTILINE)  # number that is left to find
    assert ss.open("x-ranked.nc").best.law.limit == 250.0


def test_what_no_law_of_a_ranking_has_is_refused(called: Prepare, tmp_path: Path) -> None:
    call = called({"x.csv": LOOP})
    refused(call("rank", "x.csv", "--laws", "jenkins", "--fixed", "preload=0"), "which none of the laws has", tmp_path)


# ---- what is refused: one line, exit code 2, nothing written

BAD = {
    "empty": ("", "is empty"),
    "one column": ("u\n1\n2\n3\n4\n", "has fewer than two numbers"),
    "text in numbers": (LOOP + "1.0,oops,2.0\n", "x.csv:302: "),
    "not a number": (LOOP + "4.0,nan,1.0\n", 'x.csv:302: column "u": must be finite, got nan'),
    "infinite": (LOOP + "4.0,1.0,inf\n", 'x.csv:302: column "F": must be finite, got inf'),
    "constant deflection": ("u,F\n" + "1,2\n" * 20, "a loop needs motion"),
    "few samples": ("u,F\n0,0\n1,1\n0,0\n", "at least 8 samples"),
    "time backwards": (LOOP.replace("\n0.010033", "\n-0.010033"), "x.csv:3: time must increase"),
    "no reversal": ("u,F\n" + "".join(f"{k},{k % 7}\n" for k in range(50)), "does not turn"),
    "binary": ("\x00\x01\x02\x03" * 20, "is not text"),
    "a wrong sign": (
        "u [mm],F [kN]\n" + "\n".join(f"{b},-{c}".replace("--", "") for _, b, c in
                                      (line.split(",") for line in LOOP.splitlines()[1:])),
        "use --scale force=-1",
    ),
}  # fmt: skip


@pytest.mark.parametrize("command", ["identify", "rank"])
@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_one_line_and_exit_code_2(command: str, name: str, called: Prepare, tmp_path: Path) -> None:
    text, words = BAD[name]
    law = ["--law", "jenkins"] if command == "identify" else ["--laws", "jenkins"]
    refused(called({"x.csv": text})(command, "x.csv", *law), words, tmp_path)


def refused(done: SimpleNamespace, words: str, folder: Path) -> None:
    assert done.code == 2
    assert done.out == ""
    assert done.err.count("\n") == 1
    assert words in done.err
    assert "Traceback" not in done.err
    assert not list(folder.glob("*-*.*"))


OPTIONS = {
    "no such file": (["there-is-none.csv", "--law", "masing"], "there is no such file"),
    "a folder": ([".", "--law", "masing"], "is a folder"),
    "no law": (["x.csv"], "Missing option '--law'; name one, such as --law masing, or let slipstick rank"),
    "unknown law": (["x.csv", "--law", "massing"], 'did you mean "masing"'),
    "a law without starts": (["x.csv", "--law", "two-stage"], "no start values; use one of"),
    "a law with a function": (["x.csv", "--law", "generalised-dahl"], "has a function, which no file can hold"),
    "two springs": (["x.csv", "--law", "linear+polynomial+dahl"], "a sum has at most one spring"),
    "unknown column": (["x.csv", "--law", "jenkins", "--force", "G"], 'there is no column "G"'),
    "unknown number": (["x.csv", "--law", "jenkins", "--fixed", "limitt=3"], '--fixed names "limitt"'),
    "no number": (["x.csv", "--law", "jenkins", "--fixed", "limit=big"], "must be a number with or without a unit"),
    "no value": (["x.csv", "--law", "jenkins", "--fixed", "limit"], "must be name=value"),
    "bounds that are none": (["x.csv", "--law", "jenkins", "--bounds", "limit=3"], "must be name=low:high"),
    "bounds the wrong way": (["x.csv", "--law", "jenkins", "--bounds", "limit=5:3"], "low < high"),
    "noise that is no length": (
        ["x.csv", "--law", "jenkins", "--deflection-noise", "1N"], "--deflection-noise"
    ),
    "noise that is no number": (["x.csv", "--law", "jenkins", "--deflection-noise", "much"], "--deflection-noise"),
    "a prior without width": (["x.csv", "--law", "jenkins", "--prior", "limit=3:"], "must be name=mean:deviation"),
    "unknown unit": (["x.csv", "--law", "jenkins", "--unit", "force=mm"], "must have a unit of"),
    "unknown role": (["x.csv", "--law", "jenkins", "--unit", "forse=N"], 'did you mean "force"'),
    "a unit of another kind": (["x.csv", "--law", "jenkins", "--fixed", "limit=3 mm"], "in units like N, got 3 mm"),
    "a moment for a force": (["x.csv", "--law", "jenkins", "--fixed", "limit=3 N m"], "got 3 N m"),
    "a number twice": (["x.csv", "--law", "jenkins", "--fixed", "limit=3", "--fixed", "limit=4"], "names limit twice"),
    "a prior outside its bounds": (
        ["x.csv", "--law", "jenkins", "--bounds", "limit=200:300", "--prior", "limit=500:10"], "outside its bounds"
    ),
    "everything fixed": (
        ["x.csv", "--law", "jenkins", "--fixed", "limit=3", "--fixed", "stiffness=3"], "every parameter is fixed"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", OPTIONS)
def test_a_wrong_option_is_one_line_and_exit_code_2(name: str, called: Prepare, tmp_path: Path) -> None:
    arguments, words = OPTIONS[name]
    refused(called({"x.csv": LOOP})("identify", *arguments), words, tmp_path)


def test_fewer_samples_than_numbers_are_refused() -> None:
    u = 1e-3 * np.sin(np.linspace(0.0, 4.0 * np.pi, 40))
    many = ss.Iwan(stiffnesses=(3e4,) * 25, limits=tuple(np.linspace(1.0, 20.0, 25)))
    with pytest.raises(ss.InvalidInput, match="51 parameters need at least as many samples, got"):
        ss.identify(ss.Loop(u, TRUE.trace(u)), many)


def test_rank_refuses_no_laws_and_unknown_ones(called: Prepare, tmp_path: Path) -> None:
    call = called({"x.csv": LOOP})
    refused(call("rank", "x.csv", "--laws", ","), "--laws is empty", tmp_path)
    refused(call("rank", "x.csv", "--laws", "masing,dhal"), 'did you mean "dahl"', tmp_path)
    refused(call("rank", "x.csv", "--laws", "masing,dahl,masing"), "has masing twice", tmp_path)


def test_a_file_that_is_named_twice_is_refused(called: Prepare, tmp_path: Path) -> None:
    call = called({"x.csv": LOOP, "y.csv": LOOP})
    refused(call("identify", "x.csv", "y.csv", "./x.csv", "--law", "jenkins"), "x.csv: is named twice", tmp_path)


def test_a_file_that_is_replaced_is_said_to_be(called: Prepare, tmp_path: Path) -> None:
    (tmp_path / "x-jenkins.yaml").write_text("mine")
    done = called({"x.csv": LOOP})("identify", "x.csv", "--law", "jenkins")
    assert "written: x-jenkins.yaml (replaces an older one)\n" in done.out
    assert "written: x-jenkins.nc\n" in done.out


def test_a_folder_that_cannot_be_made_is_refused_before_the_fit(called: Prepare, tmp_path: Path) -> None:
    call = called({"x.csv": LOOP, "taken": "a file"})
    refused(call("identify", "x.csv", "--law", "jenkins", "--out", "taken/inside"), "--out", tmp_path)


def test_files_are_written_although_the_reader_of_the_screen_has_left(tmp_path: Path) -> None:
    (tmp_path / "joint.csv.gz").write_bytes(ss.dataset_path("tensioner-masing").read_bytes())
    command = f"{sys.executable} -m slipstick identify joint.csv.gz --law masing | head -1"
    done = subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, text=True)
    assert "Traceback" not in done.stderr
    assert {"joint-masing.nc", "joint-masing.yaml", "joint-masing.html"} <= {own.name for own in tmp_path.iterdir()}
