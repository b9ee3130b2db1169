"""Project files: all of a tab comes back, and files of strangers are refused in one line."""

import io
import json
import os
import pickle
import zipfile
from dataclasses import replace

import pytest
from test_identify_components import MASING, silent
from test_respond_components import duffing as duffing  # fixture

from slipstick.app.identify.page_state import FitRequest, IdentifyState, ReadOptions
from slipstick.app.identify.tasks import identify_laws
from slipstick.app.model.page_state import ModelDraft
from slipstick.app.model_choice import ModelChoice, SelectedModel
from slipstick.app.project.autosave import Autosave
from slipstick.app.project.project_file import (
    MANIFEST,
    IdentifyPart,
    ModelPart,
    Project,
    check_project_file,
    read_project,
    write_project,
)
from slipstick.app.project.project_menu import has_own_work, project_name
from slipstick.app.project.project_state import project_of, restore_project
from slipstick.app.project.project_tasks import open_project, project_bytes
from slipstick.app.respond import tasks
from slipstick.app.respond.kept_settings import renamed, with_setting
from slipstick.app.respond.model_parameters import with_parameter
from slipstick.app.respond.page_state import RespondState
from slipstick.app.respond.run_up import RunUp
from slipstick.app.tab_state import TabState
from slipstick.errors import FileError


def worked_in(choice):
    """The state of a tab with a curve, a run, and a kept setting."""
    tab = TabState("a")
    tab.of(SelectedModel).choice = choice
    tab.of(ModelDraft).adopt(choice)
    state = tab.of(RespondState)
    state.set_model(choice, tasks.describe_model(silent, choice))
    state.begin, state.end = 0.8, 1.1
    state.curve = tasks.preview_curve(silent, choice, 0.8, 1.1, 5)
    state.base, state.until, state.samples = RunUp(0.8, 1.2, 20.0, orders=(1.0,)), 20.0, 60
    state.run = tasks.simulate_model(silent, choice, state.base, 20.0, 60)
    state.kept = renamed(with_setting(with_setting((), state.setting()), state.setting()), 1, "stiff rig")
    state.panel = next(iter(state.curve.display.panels))
    return tab


def shown(project):
    """A project without the data of its results, whose form differs between page and file."""
    respond = project.respond
    kept = tuple(replace(own, **blanked(own, "curve", "run", "orbit")) for own in respond.kept)
    return replace(project, respond=replace(respond, **blanked(respond, "curve", "run"), kept=kept))


def blanked(owner, *names):
    results = {name: getattr(owner, name) for name in names}
    return {name: own and replace(own, data=b"") for name, own in results.items()}


@pytest.mark.parametrize("system", [True, False], ids=["system", "text"])
def test_a_project_brings_back_model_settings_and_results(system, duffing):
    choice = with_parameter(ModelChoice(), "mean", 0.4) if system else with_parameter(duffing, "spring.damping", 0.12)
    tab = worked_in(choice)
    project = project_of(tab)
    opened = open_project(silent, project_bytes(silent, project), "work.slipstick")
    assert shown(opened) == shown(project)
    other = TabState("b")
    restore_project(other, opened)
    assert shown(project_of(other)) == shown(project)
    assert other.of(RespondState).is_current


def test_results_of_an_opened_project_can_be_used(duffing):
    tab = worked_in(duffing)
    opened = open_project(silent, project_bytes(silent, project_of(tab)), "work.slipstick")
    before, after = tab.of(RespondState).curve, opened.respond.curve
    orbits = [tasks.orbit_at_point(silent, curve.data, 2).display for curve in (before, after)]
    assert orbits[0].histories == orbits[1].histories
    tables = [tasks.result_file_bytes(silent, curve.data, "csv") for curve in (before, after)]
    assert tables[0] == tables[1]


def test_a_project_brings_back_files_columns_and_fits():
    reading, request = ReadOptions(factors={"force": 2.0}, offset=True), FitRequest(("masing",), fixed="damping=0")
    result = identify_laws(silent, (MASING,), reading, request)
    project = Project(IdentifyPart((MASING,), reading, request, result))
    opened = open_project(silent, project_bytes(silent, project), "work.slipstick")
    assert opened.identify.files == (MASING,)
    assert (opened.identify.reading, opened.identify.request) == (reading, request)
    assert opened.identify.result.files == {key: result.files[key] for key in (".nc", ".csv", ".png")}
    assert opened.identify.result.code == result.code
    one, other = opened.identify.result.views[0], result.views[0]
    assert (one.verdict, one.numbers, one.loops, one.model) == (other.verdict, other.numbers, other.loops, other.model)
    tab = TabState("a")
    restore_project(tab, opened)
    assert tab.of(IdentifyState).result == opened.identify.result


def test_a_text_with_problems_comes_back_as_it_was():
    text = "slipstick: 1\nname: [broken"
    project = Project(model=ModelPart(ModelChoice("fibre"), True, text, "mine.yaml"))
    tab = TabState("a")
    restore_project(tab, read_project(write_project(project), "p"))
    draft = tab.of(ModelDraft)
    assert (draft.edits_text, draft.text, draft.name) == (True, text, "mine.yaml")
    assert tab.of(SelectedModel).choice == ModelChoice("fibre")


def test_a_curve_of_another_setting_is_left_out(duffing):
    tab = worked_in(duffing)
    tab.of(RespondState).begin = 0.7
    assert project_of(tab).respond.curve is None


# ---- files of strangers


def packed(manifest, entries=(), name=MANIFEST):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, manifest if isinstance(manifest, bytes) else json.dumps(manifest))
        for number, content in enumerate(entries):
            archive.writestr(f"entry-{number}", content)
    return stream.getvalue()


def manifest_with(**project):
    return {"slipstick-project": 1, "project": project}


HOSTILE = {
    "empty": b"",
    "text": b"slipstick: 1\n",
    "other archive": packed({}, name="word/document.xml"),
    "no project": packed({"a": 1}),
    "newer format": packed({"slipstick-project": 2}),
    "not JSON": packed(b"{"),
    "not text": packed(b"\xff\xfe{"),
    "a list": packed([1, 2]),
    "a pickle": packed(pickle.dumps({"a": 1})),
    "wrong kinds": packed(manifest_with(identify=7)),
    "missing entry": packed(manifest_with(identify={"files": [{"name": "a", "content": {"entry": 5}}]})),
    "unknown system": packed(manifest_with(model={"choice": {"system": "__import__"}})),
    "deep": packed(b'{"slipstick-project": 1, "project": ' + b"[" * 90 + b"]" * 90 + b"}"),
    "very deep": packed(b"[" * 100_000 + b"]" * 100_000),
    "no such law": packed(manifest_with(identify={"selected": 3, "result": {}})),
    "cut": packed(manifest_with())[:-30],
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_file_that_is_no_project_is_refused_in_one_line(kind):
    with pytest.raises(FileError) as refusal:
        read_project(HOSTILE[kind], "../../etc/evil\n.slipstick")
    assert "\n" not in str(refusal.value)
    assert str(refusal.value).startswith("evil.slipstick: ")


def test_a_bomb_is_not_unpacked(monkeypatch):
    bomb = packed(manifest_with(), [b"\0" * 3_000_000])
    assert len(bomb) < 10_000
    monkeypatch.setattr("slipstick.app.project.project_file.MAX_UNPACKED_BYTES", 1_000_000)
    with pytest.raises(FileError, match="unpacks to more than"):
        read_project(bomb, "p")


def test_an_entry_that_lies_about_its_size_does_not_grow():
    honest = packed(manifest_with(), [b"\0" * 3_000_000])
    lying = honest.replace((3_000_000).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    assert lying != honest
    with pytest.raises(FileError):
        read_project(lying, "p")


def test_no_pickle_of_a_file_is_loaded(tmp_path, duffing):
    """Data of a result that are a pickle are refused as netCDF."""
    ran = tmp_path / "ran"

    class Evil:
        def __reduce__(self):
            return (open, (str(ran), "w"))

    project = project_of(worked_in(duffing))
    curve = replace(project.respond.curve, data=pickle.dumps(Evil()))
    content = write_project(replace(project, respond=replace(project.respond, curve=curve, run=None, kept=())))
    with pytest.raises(FileError, match="cannot be read"):
        open_project(silent, content, "evil.slipstick")
    assert not ran.exists()


def test_names_in_a_project_lead_nowhere():
    file = replace(MASING, name="../../.bashrc")
    project = read_project(write_project(Project(IdentifyPart((file,)), ModelPart(name="/etc/passwd"))), "p")
    assert project.identify.files[0].name == ".bashrc"
    assert project.model.name == "passwd"


def test_a_project_that_is_not_there_is_told_by_the_command(tmp_path):
    with pytest.raises(FileError, match="cannot be read"):
        check_project_file(tmp_path / "none.slipstick")


# ---- copies on disk


def test_work_of_a_server_that_has_ended_is_offered(tmp_path, monkeypatch):
    monkeypatch.setattr("os.getpid", lambda: 2**22 + 7)  # no process has this number
    Autosave(folder=tmp_path).store("a", Project(), "rig", b"one")
    monkeypatch.undo()
    work = Autosave(folder=tmp_path).earlier
    assert (work.name, work.content()) == ("rig.slipstick", b"one")
    assert [path.stat().st_mode & 0o077 for path in tmp_path.iterdir()] == [0]


def test_work_of_a_server_that_runs_is_not_offered(tmp_path):
    Autosave(folder=tmp_path).store("a", Project(), "rig", b"one")
    assert Autosave(folder=tmp_path).earlier is None


def test_a_server_keeps_one_copy_and_few_of_others(tmp_path, monkeypatch):
    for number in range(9):
        monkeypatch.setattr("os.getpid", lambda number=number: 2**22 + number)
        own = Autosave(folder=tmp_path)
        own.store("a", Project(), "a", b"one")
        own.store("a", Project(model=ModelPart(ModelChoice("gear"))), "b", b"two")
    assert {path.name.partition("-")[2] for path in tmp_path.iterdir()} == {"b.slipstick"}
    monkeypatch.undo()
    Autosave(folder=tmp_path)
    assert len(list(tmp_path.iterdir())) == 5


def test_every_tab_has_a_copy_of_its_own(tmp_path):
    own = Autosave(folder=tmp_path)
    for tab in ("a", "b", "a"):
        own.store(tab, Project(), f"of-{tab}", b"one")
    assert sorted(path.name.partition("-")[2] for path in tmp_path.iterdir()) == ["of-a.slipstick", "of-b.slipstick"]
    assert not own.is_new("a", Project())
    assert own.is_new("c", Project())


def test_a_tab_that_outlasts_a_server_is_offered_its_own_work(tmp_path, monkeypatch):
    monkeypatch.setattr("os.getpid", lambda: 2**22 + 7)  # no process has this number
    first = Autosave(folder=tmp_path)
    for k, tab in enumerate(("a/../b", "c")):
        first.store(tab, Project(), f"of-{k}", b"one")
        os.utime(next(tmp_path.glob(f"*of-{k}.slipstick")), (k, k))
    monkeypatch.undo()
    second = Autosave(folder=tmp_path)
    offered = {tab: second.offered(tab) for tab in ("a/../b", "c", "new")}
    assert {tab: work.name for tab, work in offered.items()} == {
        "a/../b": "of-0.slipstick", "c": "of-1.slipstick", "new": "of-1.slipstick"
    }  # fmt: skip
    second.settle(offered["c"])
    assert [second.offered(tab) for tab in ("a/../b", "c", "new")] == [offered["a/../b"], None, None]


def test_a_script_in_a_project_is_made_anew():
    reading, request = ReadOptions(), FitRequest(("masing",), fixed="damping=0")
    result = identify_laws(silent, (MASING,), reading, request)
    evil = replace(result, code=replace(result.code, python="import os", command="rm -r ."))
    opened = open_project(silent, write_project(Project(IdentifyPart((MASING,), reading, request, evil))), "p")
    assert opened.identify.result.code == result.code
    assert ".html" not in opened.identify.result.files


def test_a_disk_that_cannot_be_written_to_is_survived(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    own = Autosave(folder=blocked / "below")
    own.store("a", Project(), "rig", b"one")
    assert own.earlier is None


def test_a_name_for_the_file_follows_from_data_or_model():
    assert project_name(Project(IdentifyPart((MASING,)))) == "loop"
    assert project_name(Project(model=ModelPart(ModelChoice("gear")))) == "gear"
    assert project_name(Project(model=ModelPart(edits_text=True, text="x", name="my rig (2).yaml"))) == "my-rig-2"


def test_an_untouched_tab_has_no_work_to_save():
    assert not has_own_work(project_of(TabState("a")))
    assert has_own_work(Project(model=ModelPart(ModelChoice("gear"))))
