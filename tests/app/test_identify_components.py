"""What the page Identify is made of, without a browser."""

from __future__ import annotations

import asyncio
import re
import shlex
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from headless_page import in_a_page
from nicegui import ui
from nicegui.client import Client

import slipstick as ss
from slipstick.app.equivalent_code import EquivalentCode
from slipstick.app.identify import result_view
from slipstick.app.identify.column_form import FROM_HEADER, ColumnForm, _factor, _factor_problem
from slipstick.app.identify.equivalent_code import equivalent_command
from slipstick.app.identify.file_loader import FileLoader
from slipstick.app.identify.law_cards import LawCard, card_of, offered_laws
from slipstick.app.identify.loop_diagnostics import loop_diagnostics_table
from slipstick.app.identify.loop_figures import fit_figures, thinned_indices
from slipstick.app.identify.page_state import (
    FileContents,
    FilePreview,
    FitRequest,
    FitView,
    IdentificationResult,
    IdentifyState,
    ReadOptions,
    Remedy,
    UploadedFile,
)
from slipstick.app.identify.tasks import examine, identify_laws
from slipstick.app.identify.uploaded_loops import examine_files
from slipstick.app.worker_pool import TaskFailed
from slipstick.errors import InvalidInput
from slipstick.identification.law_names import DEFAULT_LAWS, identified_law_names, law_classes_of
from slipstick.results.fit import MISFIT_WARNING

T = np.linspace(0.0, 2.25, 300)
U = np.sin(2.0 * np.pi * T)


def silent(words: str, share: float) -> None:
    pass


def file(law: ss.Masing | ss.FibreShear | ss.BoucWen, amplitude: float, head: str, shown: float = 1.0) -> UploadedFile:
    u = amplitude * U
    f = law.trace(u, T)
    f += 1e-3 * np.ptp(f) * np.random.default_rng(0).standard_normal(f.size)
    rows = "".join(f"{t:.6f},{shown * x:.9g},{y:.9g}\n" for t, x, y in zip(T, u, f, strict=True))
    return UploadedFile("loop.csv", (head + rows).encode())


MASING = file(ss.Masing(stiffness=4e5, limit=120.0, parallel_stiffness=1e5), 8e-4, "t [s],u [mm],F [N]\n", 1e3)


TURNED = file(ss.Masing(stiffness=40.0, limit=2.0, parallel_stiffness=9.0), 0.2, "t [s],u [rad],M [N m]\n")
BOUC_WEN = file(
    ss.BoucWen(stiffness=4e5, ratio=0.2, beta=3e5, gamma=1e5, exponent=1.7), 8e-4, "t [s],u [mm],F [N]\n", 1e3
)
FIBRES = file(
    ss.FibreShear(stiffness=1.5e6, limit=1e3, linear=6e6, cubic=2e9, overshoot=0.9, ratio=0.4),
    5e-3,
    "t [s],strain,stress [Pa]\n",
)
UNDAMPED = {"damping": 0.0}  # fitted below zero it would be left out of the model


@pytest.mark.parametrize(
    ("given", "law", "fixed", "pad"),
    [
        (MASING, "masing", UNDAMPED, (1.0, 1.0)),
        (TURNED, "masing", UNDAMPED, (1.0, 1.0)),
        (BOUC_WEN, "bouc-wen", {}, (1.0, 1.0)),
        (FIBRES, "fibre-shear", {}, (125.0, 12e-4)),  # [1/m, m^2]
    ],
    ids=["force", "moment", "powers that are not round", "stress"],
)
def test_the_small_model_has_the_law_that_was_found_to_the_last_bit(given, law, fixed, pad, tmp_path):
    held = ",".join(f"{name}={value}" for name, value in fixed.items())
    found = identify_laws(silent, (given,), ReadOptions(), FitRequest((law,), fixed=held))
    path = tmp_path / "loop.csv"
    path.write_bytes(given.content)
    fit = ss.identify(ss.Loop.read_csv(path), law, fixed=fixed)
    (tmp_path / "model.yaml").write_text(found.views[0].model)
    model = ss.open(tmp_path / "model.yaml")
    u, (stretch, area) = fit.loops[0].u, pad
    np.testing.assert_allclose(
        model.connections[0].law.trace(u / stretch, T), area * fit.law.trace(u, T), rtol=1e-12, atol=1e-12
    )
    assert model.simulate(until=0.2).certificate.passed


def test_the_small_model_is_in_the_units_of_the_loop(tmp_path):
    """Also of a law whose units have powers that are not round: it is the same law, not one that is near."""
    for given, law, unit in ((BOUC_WEN, "bouc-wen", "mm"), (MASING, "masing", "mm"), (TURNED, "masing", "rad")):
        view = identify_laws(silent, (given,), ReadOptions(), FitRequest((law,))).views[0]
        path = tmp_path / "model.yaml"
        path.write_text(view.model)
        assert ss.open(path).units.coordinates == {"u": unit}
        assert f"displacement: 0 {unit}\n" in view.model
    (tmp_path / "loop.csv").write_bytes(BOUC_WEN.content)
    fit = ss.identify(ss.Loop.read_csv(tmp_path / "loop.csv"), "bouc-wen")
    text = identify_laws(silent, (BOUC_WEN,), ReadOptions(), FitRequest(("bouc-wen",))).views[0].model
    path.write_text(text)
    read = ss.open(path)
    assert fit.law.exponent != round(fit.law.exponent, 6)
    assert read.connections[0].law == fit.law
    written = re.search(r"beta: (\S+) 1/mm\^(\S+)", text)
    assert written is not None
    assert float(written[1]) * 1e3 ** float(written[2]) == pytest.approx(fit.law.beta, rel=1e-12)
    read.save(tmp_path / "again.yaml")
    assert ss.open(tmp_path / "again.yaml").connections[0].law == fit.law


def test_a_constant_load_stands_in_the_small_model_only_where_it_does_something():
    held = FitRequest(("masing",), fixed="preload=0")
    (view,) = identify_laws(silent, (MASING,), ReadOptions(), held).views
    rows = [line.split(b",") for line in MASING.content.splitlines()]
    lines = [b"%s,%s,%.6f" % (t, u, float(f) + 300.0) for t, u, f in rows[1:]]
    pulled = UploadedFile("pulled.csv", b"\n".join([b",".join(rows[0]), *lines]))
    (other,) = identify_laws(silent, (pulled,), ReadOptions(), FitRequest(("masing",))).views
    mean = re.search(r"# The mean force of the largest loop\.\n(?:  #.*\n)+  - {on: u, constant: (\S+) N}", other.model)
    assert mean is not None
    assert float(mean[1]) == pytest.approx(300.0, abs=5.0)
    assert "constant:" not in view.model


def test_thinning_keeps_every_peak_and_spreads_the_rest():
    rng = np.random.default_rng(3)
    x = rng.standard_normal(100_000)
    x[[777, 54_321]] = 50.0, -50.0
    keep = thinned_indices(x.size, 4000, x)
    assert keep.size <= 4000
    assert {0, 777, 54_321, x.size - 1} <= set(keep.tolist())
    assert np.all(np.diff(keep) <= 2 * x.size // keep.size)
    noise = x[keep][np.abs(x[keep]) < 50.0]
    assert np.std(noise) < 1.8  # of peaks alone it would be above 2.5
    np.testing.assert_array_equal(thinned_indices(100, 4000, x[:100]), np.arange(100))


@pytest.mark.parametrize(("growing", "figures"), [(True, 3), (False, 4)])
def test_a_record_without_a_closed_cycle_has_no_figure_of_energies(growing: bool, figures: int) -> None:
    amplitude = np.linspace(1e-3, 3e-3, 600) if growing else np.repeat([1e-3, 2e-3, 3e-3], 200)
    u = amplitude * np.sin(0.02 * np.pi * np.arange(600))
    force = ss.Jenkins(stiffness=4e5, limit=300.0).trace(u) + np.random.default_rng(0).standard_normal(600)
    assert len(fit_figures(ss.identify(ss.Loop(u, force), ss.Jenkins))) == figures


def test_every_law_that_can_be_found_by_name_is_offered():
    for law in offered_laws():
        law_classes_of(law)
    offered = {part for law in offered_laws() for part in law.split("+")}
    assert set(identified_law_names()) <= offered
    assert set(DEFAULT_LAWS) <= set(offered_laws())


def test_the_page_says_what_to_do_on_the_page():
    turned = UploadedFile(MASING.name, re.sub(rb",([-\d.e]+)\n", lambda m: b",%g\n" % -float(m[1]), MASING.content))
    contents = examine(silent, (turned,), ReadOptions())
    assert contents.problems[0].endswith("one of them has the wrong sign; multiply the force by -1")
    assert contents.table is not None  # the loop is shown all the same
    assert examine(silent, (turned,), ReadOptions(factors={"force": -1.0})).problems == ()


def test_warnings_on_the_page_speak_neither_of_options_nor_of_python():
    bare = UploadedFile("bare.csv", MASING.content.replace(b"t [s],u [mm],F [N]", b"t,u,F"))
    for given in (bare, MASING):  # one without units, and one whose damper is found below zero
        (view,) = identify_laws(silent, (given,), ReadOptions(), FitRequest()).views
        assert view.warnings
        assert not re.search(r"--\w|=\{", " ".join((*view.warnings, *view.notes)))


def test_a_drift_is_among_the_warnings_with_what_to_tick():
    rows = [line.split(b",") for line in MASING.content.splitlines()]
    lines = [b"%s,%s,%.6f" % (t, u, float(f) + 20.0 * float(t)) for t, u, f in rows[1:]]
    drifting = UploadedFile("creeps.csv", b"\n".join([b",".join(rows[0]), *lines]))
    (view,) = identify_laws(silent, (drifting,), ReadOptions(), FitRequest()).views
    assert view.warnings[-1].endswith(
        'if this is a drift of the sensor, tick "remove drift" under "signs, drift, offset, holes"'
    )
    (mended,) = identify_laws(silent, (drifting,), ReadOptions(drift=True), FitRequest()).views
    assert not any("drift" in words for words in mended.warnings)


def damaged(change: Callable[[int, list[str]], list[str]], head: str = "") -> UploadedFile:
    """The loop of MASING with its rows changed."""
    first, *rows = MASING.content.decode().splitlines()
    lines = [",".join(change(k, row.split(","))) for k, row in enumerate(rows)]
    return UploadedFile("rig.csv", "\n".join([head or first, *lines]).encode())


def remedied(given: UploadedFile, reading: ReadOptions, *labels: str) -> FileContents:
    """The contents after each of these remedies, one after the other."""
    for label in labels:
        contents = examine(silent, (given,), reading)
        remedy = next(own for own in contents.remedies if own.label == label)
        assert remedy.message in contents.problems
        reading = remedy.reading(reading)
    return examine(silent, (given,), reading)


ASSIGN = "use b as deflection, c as force"


@pytest.mark.parametrize(
    ("change", "head", "labels"),
    [
        (lambda k, row: [row[0], "error" if k in (40, 41) else row[1], row[2]], "", ["skip bad lines"]),
        (lambda _, row: [row[0], row[1], f"{-float(row[2]):g}"], "", ["turn the sign of the force"]),
        (lambda _, row: row, "a,b,c", [ASSIGN]),
        (lambda _, row: [row[0], row[2], row[1]], "a,b,c", [ASSIGN, "swap deflection and force"]),
    ],
    ids=["bad lines", "wrong sign", "unnamed columns", "swapped columns"],
)  # fmt: skip
def test_a_problem_of_a_file_has_a_button_that_removes_it(change, head, labels):
    given = damaged(change, head)
    assert examine(silent, (given,), ReadOptions()).problems
    contents = remedied(given, ReadOptions(), *labels)
    assert contents.problems == ()
    assert contents.table is not None


def test_an_undecided_decimal_sign_has_a_button_for_each():
    table = "u [um]\tF [N]\n" + "".join(f"{k % 7}\t{11_000 + 50 * (k % 7):,}\n" for k in range(20))
    contents, _ = examine_files([UploadedFile("rig.txt", table.encode())], ReadOptions())
    offered = {own.label: own.reading(ReadOptions()).decimal for own in contents.remedies}
    assert offered == {"decimal point": ".", "decimal comma": ","}


def order_on_the_page(view: FitView) -> list[str]:
    """The labels of buttons, and "figure" for each figure, as they follow each other."""

    async def story(_client: Client) -> list[str]:
        result = IdentificationResult("creeps", (view,), {}, EquivalentCode(""))
        actions = result_view.ResultActions(*[lambda *_: None] * 3)
        with ui.element() as place:
            result_view.result_view(result, IdentifyState(), actions)
        found = (own for own in place.descendants() if isinstance(own, ui.button | ui.plotly))
        return ["figure" if isinstance(own, ui.plotly) else own.text for own in found]

    found: list[str] = in_a_page(story)
    return found


def test_the_warnings_of_a_fit_have_buttons_that_remove_them():
    given = damaged(lambda _, row: [row[0], row[1], f"{float(row[2]) + 20.0 * float(row[0]):.6f}"])
    (view,) = identify_laws(silent, (given,), ReadOptions(), FitRequest()).views
    drift = next(own for own in view.remedies if own.label == "remove drift")
    assert drift.message in view.warnings
    assert drift.reading(ReadOptions()).drift
    shown = order_on_the_page(view)
    assert shown.index("remove drift") < shown.index("figure")  # the cause of the misfit before its picture
    assert shown.index("fix damping at 0") > shown.index("figure")
    assert not any(words.startswith(MISFIT_WARNING) for words in view.warnings)  # the verdict says it
    (view,) = identify_laws(silent, (MASING,), ReadOptions(), FitRequest()).views
    fix = next(own for own in view.remedies if own.label == "fix damping at 0")
    request = fix.request(FitRequest(("masing", "dahl"), fixed="preload=0, damping=1"), "masing")
    assert (request.laws, request.typed("fixed")) == (("masing",), ["preload=0", "damping=0"])
    (mended,) = identify_laws(silent, (MASING,), ReadOptions(), request).views
    assert not any("damping" in words for words in mended.warnings)


def test_a_remedy_of_an_opened_project_sets_nothing_but_flags():
    remedy = Remedy("", "", ticks=("decimal", "columns", "nothing", "drift"))
    assert remedy.reading(ReadOptions()) == ReadOptions(drift=True)


def test_what_is_known_of_a_law_is_held_and_what_cannot_be_is_told_in_one_line():
    found = identify_laws(silent, (MASING,), ReadOptions(), FitRequest(("masing",), fixed="limit=0.11 kN, damping=0"))
    shown = {row[0]: row for row in found.views[0].numbers.rows}
    assert shown["limit"][2:4] == ("110", "fixed")
    assert shown["damping"][2:4] == ("0", "fixed")
    with pytest.raises(InvalidInput, match=r'^"hold"') as refusal:
        identify_laws(silent, (MASING,), ReadOptions(), FitRequest(("masing",), fixed="limit=many"))
    assert "--" not in str(refusal.value)


def test_a_factor_of_zero_is_refused_in_one_line_and_not_taken_for_one():
    (line,) = examine(silent, (MASING,), ReadOptions(factors={"force": 0.0})).problems
    assert line == 'loop.csv: "force times" needs a finite factor that is not zero (1 leaves all as it is), got 0.0'


def test_the_same_in_a_terminal_has_every_digit_of_a_factor():
    factor = 0.012345678901234567
    typed = shlex.split(equivalent_command(["a.csv"], ReadOptions(factors={"force": factor}), FitRequest()))
    assert float(typed[typed.index("--scale") + 1].removeprefix("force=")) == factor


@pytest.mark.parametrize(
    ("typed", "parts"),
    [
        ("limit=250 N, damping=0", ["limit=250 N", "damping=0"]),
        ("limit=0,25 kN, damping=0", ["limit=0.25 kN", "damping=0"]),
        ("limit=0,2:0,3 kN", ["limit=0.2:0.3 kN"]),
        ("limit=0,2:0,3 kN; stiffness=1,5e5", ["limit=0.2:0.3 kN", "stiffness=1.5e5"]),
        ("limit=0,125 kN,", ["limit=0.125 kN"]),
    ],
)
def test_decimal_commas_in_what_is_known_are_told_from_those_between(typed, parts):
    assert FitRequest(bounds=typed).typed("bounds") == parts
    assert "," not in equivalent_command(["a.csv"], ReadOptions(), FitRequest(bounds=typed))


@pytest.mark.parametrize("typed", ["limit=1,250 N", "limit=12,250,000 N", "limit=1,2,3 N", "a=1, limit=1,250"])
def test_a_comma_that_may_stand_for_thousands_is_refused_with_a_way_out(typed):
    with pytest.raises(
        InvalidInput, match=r"; it may mean 1\.250 or 1250: write one of these$|nothing between thousands$"
    ):
        identify_laws(silent, (MASING,), ReadOptions(), FitRequest(fixed=typed))


@pytest.mark.parametrize(("typed", "factor"), [("0,5", 0.5), ("-1", -1.0), ("", 1.0), (None, 1.0), ("2.5e-3", 0.0025)])
def test_a_factor_may_have_a_decimal_comma(typed, factor):
    assert (_factor("force times", typed), _factor_problem("force times", typed)) == (factor, None)


@pytest.mark.parametrize("typed", ["1,250", "many", "1..2"])
def test_a_factor_that_is_none_is_told_below_its_field(typed):
    assert re.search("; .*write", str(_factor_problem("force times", typed)))


def bare(head: str, content: bytes = MASING.content) -> UploadedFile:
    return UploadedFile("bare.csv", content.replace(b"t [s],u [mm],F [N]", head.encode()))


def test_a_file_without_units_is_told_with_the_unit_that_it_looks_like():
    own = examine(silent, (bare("t,u,F"),), ReadOptions()).unitless
    assert own is not None
    assert own.words == "bare.csv has no units and was taken to be in m and N: an amplitude of 0.8 m"
    assert (own.taken, own.guess, own.alone) == ({"deflection": "m", "force": "N"}, "mm", False)
    one = examine(silent, (bare("t,u,F [N]"),), ReadOptions()).unitless
    assert one is not None
    assert (one.taken, one.guess) == ({"deflection": "m"}, "mm")
    assert one.words.startswith(
        "bare.csv has no unit for the deflection and was taken to be in m: an amplitude of 0.8 m"
    )


def test_a_file_whose_units_are_said_is_not_doubted():
    assert examine(silent, (MASING,), ReadOptions()).unitless is None
    units = {"deflection": "mm", "force": "N"}
    assert examine(silent, (bare("t,u,F"),), ReadOptions(units=units)).unitless is None
    assert examine(silent, (bare("t,u,F"),), ReadOptions(factors={"deflection": 1e-3, "force": 2.0})).unitless is None
    small = examine(silent, (bare("t,u,F [N]", BOUC_WEN.content),), ReadOptions(units={"deflection": "m"})).unitless
    assert small is None


def test_units_at_a_click_are_not_offered_where_another_file_has_its_own():
    own = examine(silent, (bare("t,u,F"), MASING), ReadOptions()).unitless
    assert own is not None
    assert own.alone


def test_a_column_that_the_first_file_lacks_is_shown_as_what_is_asked_for():
    reading = ReadOptions(columns={"force": "F2", "time": 7}, by=("run", "u"))

    async def story(_: Client) -> list[tuple[Any, str]]:
        form = ColumnForm(lambda: reading, print)
        form.show(FilePreview("a.csv", (("u", "u [mm]"), ("F", "F [N]")), ()))
        return [(own.value, own.options) for own in (*form._columns.values(), form._by)]

    deflection, force, time, by = in_a_page(story)
    assert deflection[0] == FROM_HEADER
    assert "F2" not in deflection[1]
    assert (force[0], force[1][force[0]]) == ("F2", "F2 (not in this file)")
    assert (time[0], time[1][time[0]]) == (7, "column 7 (not in this file)")
    assert [by[1][own] for own in by[0]] == ["run (not in this file)", "u [mm]"]


def test_two_fields_that_change_at_once_both_count():
    """The second event arrives before the first one has been worked on."""
    options = [ReadOptions()]

    async def change(new: ReadOptions) -> None:
        options.append(new)

    async def story(_: Client) -> None:
        form = ColumnForm(lambda: options[-1], change)
        form.show(FilePreview("a.csv", (("u", "u"), ("F", "F")), ()))
        form._units["deflection"].set_value("mm")
        form._units["force"].set_value("N")
        while len(options) < 3:
            await asyncio.sleep(0)

    in_a_page(story)
    assert options[-1].units == {"deflection": "mm", "force": "N"}


def test_every_law_that_is_offered_has_a_sentence_and_a_drawing():
    for law in (*offered_laws(), "iwan:7"):
        assert card_of(law).use.endswith(".")
        assert card_of(law).drawing.startswith("<svg")
    assert card_of("mine") == LawCard()


OLD, BIG, SET = UploadedFile("old.csv", b"old"), UploadedFile("big.csv", b"big"), UploadedFile("set.csv", b"set", "set")
PICKED = ReadOptions(by=("loop",))


class Reader:
    """Instead of a process: what is read is done when a test says so."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, ...]] = []
        self.answers: list[asyncio.Future[FileContents | None]] = []

    async def look(self, files: tuple[UploadedFile, ...], reading: ReadOptions) -> FileContents | None:
        self.asked.append(tuple(file.name for file in files))
        self.answers.append(asyncio.get_running_loop().create_future())
        return await self.answers[-1]


def told(story: Callable[[IdentifyState, FileLoader, Reader], Coroutine[Any, Any, None]]) -> IdentifyState:
    """What a tab with one file keeps after a story."""
    state, reader = IdentifyState(files=(OLD,), reading=ReadOptions(drift=True), refused=("x.csv: is empty",)), Reader()
    with ThreadPoolExecutor(1) as aside:  # in this thread the browser of other tests has a loop of its own
        aside.submit(lambda: asyncio.run(story(state, FileLoader(state, reader.look, lambda: None), reader))).result()
    return state


async def begun(*requests: Coroutine[Any, Any, None]) -> list[asyncio.Future[None]]:
    """Asked for one after the other, without waiting for what comes of them."""
    tasks = []
    for request in requests:
        tasks.append(asyncio.ensure_future(request))
        await asyncio.sleep(0)
    return tasks


def test_a_set_that_is_picked_while_a_file_is_read_is_not_undone_by_it():
    async def story(state: IdentifyState, loading: FileLoader, reader: Reader) -> None:
        in_progress = await begun(loading.add([BIG]), loading.replace(SET, PICKED))
        assert state.files == (OLD,)  # nothing is there before it was read
        reader.answers[0].set_result(FileContents())
        await asyncio.sleep(0.01)
        assert state.files == (OLD,)
        reader.answers[1].set_result(FileContents(notes=("of the set",)))
        await asyncio.gather(*in_progress)

    state = told(story)
    assert (state.files, state.reading, state.contents.notes, state.refused) == ((SET,), PICKED, ("of the set",), ())


def test_what_is_asked_for_meanwhile_builds_upon_what_was_asked_for_before():
    async def story(state: IdentifyState, loading: FileLoader, reader: Reader) -> None:
        requests = (
            loading.add([BIG]),
            loading.add([UploadedFile("copy.csv", b"old")]),
            loading.read(ReadOptions(offset=True)),
            loading.remove("old.csv"),
        )
        in_progress = await begun(*requests)
        reader.answers[0].set_result(FileContents())
        await asyncio.sleep(0.01)
        reader.answers[1].set_result(FileContents())
        await asyncio.gather(*in_progress)
        assert reader.asked == [("big.csv", "old.csv"), ("big.csv",)]
        assert loading.request.files == state.files

    state = told(story)
    assert (state.files, state.reading) == ((BIG,), ReadOptions(offset=True))


def test_who_waits_for_what_is_being_read_goes_on_with_the_last_wish():
    async def story(state: IdentifyState, loading: FileLoader, reader: Reader) -> None:
        await loading.done()  # nothing is under way
        assert state.request is None
        in_progress = await begun(loading.read(ReadOptions(offset=True)), loading.done(), loading.read(PICKED))
        reader.answers[0].set_result(FileContents())
        await asyncio.sleep(0.01)
        assert not in_progress[1].done()
        reader.answers[1].set_result(FileContents())
        await asyncio.gather(*in_progress)

    assert told(story).reading == PICKED


@pytest.mark.parametrize("ending", ["cancelled", "failed"])
def test_after_a_reading_that_came_to_nothing_all_is_as_before(ending):
    async def story(state: IdentifyState, loading: FileLoader, reader: Reader) -> None:
        in_progress = await begun(loading.replace(SET, PICKED))
        if ending == "cancelled":
            in_progress += await begun(loading.read(ReadOptions(offset=True)))  # this one goes with it
            reader.answers[0].set_result(None)
        else:
            reader.answers[0].set_exception(TaskFailed("no memory"))
        results = await asyncio.gather(*in_progress, return_exceptions=True)
        assert [str(own) for own in results if own] == (["no memory"] if ending == "failed" else [])
        assert len(reader.asked) == 1
        assert loading.request.files == state.files

    state = told(story)
    before = IdentifyState(files=(OLD,), reading=ReadOptions(drift=True), refused=("x.csv: is empty",))
    assert state == before


def test_what_an_earlier_page_of_a_tab_still_reads_gives_way_to_what_this_one_asks_for():
    async def story(state: IdentifyState, loading: FileLoader, reader: Reader) -> None:
        other = FileLoader(state, reader.look, lambda: None)
        in_progress = await begun(loading.add([BIG]), other.replace(SET, PICKED))
        reader.answers[1].set_result(FileContents())
        await asyncio.sleep(0.01)
        reader.answers[0].set_result(FileContents())
        await asyncio.gather(*in_progress)

    assert told(story).files == (SET,)


def test_what_is_quoted_of_a_loop_is_of_the_amplitude_beside_it():
    t = np.linspace(0.0, 6.0, 3000)
    u = np.where(t < 3.0, 4e-4, 8e-4) * np.sin(2.0 * np.pi * t)
    law = ss.Masing(stiffness=4e5, limit=120.0, parallel_stiffness=1e5)
    (row,) = loop_diagnostics_table([ss.Loop(u, law.trace(u, t), t)]).rows
    assert row[2] == "6"
    stiffness = (120.0 + 1e5 * 8e-4) / 8e-4  # of the line between tips, when it slips
    np.testing.assert_allclose(float(row[5]), 4.0 * 120.0 * (8e-4 - 120.0 / 4e5), rtol=1e-3)
    np.testing.assert_allclose(float(row[6]), stiffness, rtol=1e-3)


@pytest.mark.parametrize("samples", [451, 450, 1000])
def test_the_energy_of_two_cycles_is_that_of_the_one_that_does_not_begin_on_a_virgin_curve(samples):
    t = np.linspace(0.0, 2.25, samples)
    u = 8e-4 * np.sin(2.0 * np.pi * t)
    law = ss.Masing(stiffness=4e5, limit=120.0, parallel_stiffness=1e5)
    (row,) = loop_diagnostics_table([ss.Loop(u, law.trace(u, t), t)]).rows
    assert row[2] == "2"
    np.testing.assert_allclose(float(row[5]), 4.0 * 120.0 * (8e-4 - 120.0 / 4e5), rtol=2e-3)


@pytest.mark.parametrize(
    ("head", "unit", "joules"),
    [
        ("t [s],u [mm],F [N]", "N mm = mJ", 1e-3),
        ("t [s],u [mm],F [kN]", "kN mm = J", 1.0),
        ("t [s],u [um],F [N]", "N um = uJ", 1e-6),
        ("t [s],u [deg],M [N m]", "N m deg = 17.45 mJ", np.pi / 180.0),
        ("t [s],strain,stress [MPa]", "MPa", 1e6),
    ],
)
def test_an_energy_is_in_the_units_of_the_axes_with_joules_beside_it_on_page_and_in_the_report(head, unit, joules):
    given = UploadedFile("loop.csv", MASING.content.replace(b"t [s],u [mm],F [N]", head.encode()))
    contents = examine(silent, (given,), ReadOptions())
    found = identify_laws(silent, (given,), ReadOptions(), FitRequest())
    table = found.views[0].loops
    assert f"energy [{unit}]" in contents.table.heads
    assert f"energy [{unit}]" in table.heads
    assert f"energy [{unit}]" in found.files[".html"].decode()
    here, there = (float(own.rows[0][own.heads.index(f"energy [{unit}]")]) for own in (contents.table, table))
    assert here == pytest.approx(there, rel=1e-3)
    assert here * joules == pytest.approx(240.0 * joules, rel=5e-3)  # 4 f (X - f/k) in the units that are written


def test_one_file_with_three_amplitudes_has_a_backbone():
    t = np.linspace(0.0, 9.0, 3600)
    u = np.repeat((2e-4, 5e-4, 9e-4), 1200) * np.sin(2.0 * np.pi * t)
    law = ss.Masing(stiffness=4e5, limit=120.0, parallel_stiffness=1e5)
    f = law.trace(u, t) + np.random.default_rng(2).normal(0.0, 0.5, t.size)
    rows = "".join(f"{s:.6f},{1e3 * x:.9g},{y:.9g}\n" for s, x, y in zip(t, u, f, strict=True))
    (view,) = identify_laws(
        silent, (UploadedFile("steps.csv", ("t [s],u [mm],F [N]\n" + rows).encode()),), ReadOptions(), FitRequest()
    ).views
    assert len(view.figures) == 4
    measured, fitted = view.figures[2]["data"]
    virgin = [min(4e5 * x, 120.0) + 1e5 * x for x in (2e-4, 5e-4, 9e-4)]
    np.testing.assert_allclose(measured["x"], [0.2, 0.5, 0.9], rtol=2e-3)
    np.testing.assert_allclose(measured["y"], virgin, rtol=1e-2)
    np.testing.assert_allclose(fitted["y"], virgin, rtol=1e-2)
    (errors,) = view.figures[3]["data"]
    assert np.abs([own for own in errors["y"] if own is not None]).max() < 2.0  # [%]


def test_a_force_that_never_changes_is_refused_in_one_line_and_takes_no_energy():
    rows = [line.split(b",") for line in MASING.content.splitlines()]
    still = UploadedFile(
        "still.csv", b"\n".join([b",".join(rows[0]), *(b",".join((t, u, b"5")) for t, u, _ in rows[1:])])
    )
    contents = examine(silent, (still,), ReadOptions())
    assert contents.problems == ("still.csv: the force is 5 N at all samples; choose another force column",)
    assert contents.table.rows[0][5] == "0"


def test_the_frequency_of_a_loop_is_not_rounded_to_samples_and_is_one_in_both_tables():
    t = np.arange(900) * 3.25 / 899  # 276.6 samples a cycle
    u = 8e-4 * np.sin(2.0 * np.pi * t)
    f = ss.Masing(stiffness=4e5, limit=120.0, parallel_stiffness=1e5).trace(u, t)
    rows = "".join(f"{s:.9g},{1e3 * x:.9g},{y:.9g}\n" for s, x, y in zip(t, u, f, strict=True))
    given = (UploadedFile("loop.csv", ("t [s],u [mm],F [N]\n" + rows).encode()),)
    before, after = (
        examine(silent, given, ReadOptions()).table,
        identify_laws(silent, given, ReadOptions(), FitRequest()).views[0].loops,
    )
    hertz = [own.rows[0][own.heads.index("Hz")] for own in (before, after)]
    assert hertz[0] == hertz[1]
    assert float(hertz[0]) == pytest.approx(1.0, abs=1.0 / 830.0)  # a sample of three cycles


def test_a_decimal_sign_that_the_file_does_not_tell_is_asked_for_beside_its_preview():
    table = "u [um]\tF [N]\n" + "".join(f"{k % 7}\t{11_000 + 50 * (k % 7):,}\n" for k in range(20))
    file = UploadedFile("rig.txt", table.encode())
    contents, loops = examine_files([file], ReadOptions())
    assert not loops
    assert contents.problems == (
        "rig.txt: 11,000 may be 11000 or 11, and no other number of the file decides; choose the decimal sign",
    )
    assert contents.previews[0].rows[0] == ("0", "11,000")
    for sign, factor in ((".", 1.0), (",", 1e-3)):
        reading = ReadOptions(decimal=sign)
        _, (loop,) = examine_files([file], reading)
        assert loop.f[0] == pytest.approx(11_000.0 * factor)
        assert f"--decimal {sign}" in equivalent_command(["rig.txt"], reading, FitRequest())
