"""The project file: a ZIP archive of ``project.json`` and the files that it names.

Results are stored as they are shown, with their data as netCDF. Nothing in the file is run or unpickled, and nothing is
extracted to disk: entries are read by their number, with a limit on the size of all of them.
"""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from slipstick.app.file_names import plain_name
from slipstick.app.identify.page_state import FitRequest, IdentificationResult, ReadOptions, UploadedFile
from slipstick.app.model_choice import SYSTEM_DESCRIPTIONS, ModelChoice
from slipstick.app.respond.jump_map import MapRequest
from slipstick.app.respond.kept_settings import MAX_KEPT, Kept, KeptSetting, plain_setting_name
from slipstick.app.respond.page_state import FREQUENCY_VIEW
from slipstick.app.respond.response_results import CurveResult, RunResult
from slipstick.app.respond.run_up import RunUp
from slipstick.app.respond.self_excited import CycleRequest
from slipstick.errors import FileError

SUFFIX = ".slipstick"
FORMAT_VERSION = 1
MANIFEST, VERSION_KEY, ENTRY_KEY = "project.json", "slipstick-project", "entry"
MAX_ENTRIES = 1000
MAX_UNPACKED_BYTES = 1_000_000_000  # of all entries together
SAFE_DOWNLOADS = (".nc", ".csv", ".png")  # of a fit; reports and SVG pictures may have scripts
MAX_DEPTH = 40  # of nested lists and tables; those of a project have about ten
NOT_A_PROJECT_TEXT = "is not a project of slipstick; open a file that the button Save wrote"
DAMAGED_TEXT = "is damaged; open an older copy"

ResultT = TypeVar("ResultT", CurveResult | None, RunResult | None)


@dataclass(frozen=True)
class IdentifyPart:
    """The page Identify.   selected : index of the law that is shown."""

    files: tuple[UploadedFile, ...] = ()
    reading: ReadOptions = field(default_factory=ReadOptions)
    request: FitRequest = field(default_factory=FitRequest)
    result: IdentificationResult | None = None
    selected: int = 0


@dataclass(frozen=True)
class ModelPart:
    """The model of the tab, and the text on the page Model, which may have problems."""

    choice: ModelChoice = field(default_factory=ModelChoice)
    edits_text: bool = False
    text: str = ""
    name: str = ModelChoice.name


@dataclass(frozen=True)
class RespondPart:
    """The page Respond; see `slipstick.app.respond.page_state.RespondState`. The data of results are netCDF."""

    begin: float = 0.0
    end: float = 0.0
    panel: str = ""
    log: bool = False
    frequency: float | None = None
    run_up: RunUp | None = None
    until: float = 0.0
    samples: int = 2000
    view: str = FREQUENCY_VIEW
    curve: CurveResult | None = None
    run: RunResult | None = None
    map_request: MapRequest | None = None
    cycle_request: CycleRequest | None = None
    kept: Kept = ()


@dataclass(frozen=True)
class Project:
    """The work of a tab.   respond : None if that page was not opened with this model."""

    identify: IdentifyPart = field(default_factory=IdentifyPart)
    model: ModelPart = field(default_factory=ModelPart)
    respond: RespondPart | None = None


def write_project(project: Project) -> bytes:
    """The file of a project."""
    from slipstick import __version__

    entries: list[bytes] = []
    manifest = {VERSION_KEY: FORMAT_VERSION, "written by": __version__, "project": _plain(project, entries)}
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(MANIFEST, json.dumps(manifest))
        for number, content in enumerate(entries):
            archive.writestr(_entry_name(number), content)
    return stream.getvalue()


def read_project(content: bytes, name: str) -> Project:
    """The project in a file; raises `FileError` for any other file.   name : for messages."""
    from pydantic import TypeAdapter

    shown = plain_name(name, "file")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            manifest, entries = _unpack(archive, shown)
    except FileError:
        raise
    except (zipfile.BadZipFile, KeyError, NotImplementedError, RuntimeError):  # other archives, encrypted ones
        raise FileError(shown, None, "", NOT_A_PROJECT_TEXT) from None
    except (ValueError, RecursionError, EOFError, OSError, zlib.error):
        raise FileError(shown, None, "", DAMAGED_TEXT) from None
    if not isinstance(manifest, dict) or VERSION_KEY not in manifest:
        raise FileError(shown, None, "", NOT_A_PROJECT_TEXT)
    if manifest[VERSION_KEY] != FORMAT_VERSION:
        words = f"has format {str(manifest[VERSION_KEY])[:20]}, and this version reads {FORMAT_VERSION}"
        raise FileError(shown, None, "", f"{words}; use another version of slipstick")
    try:
        plain = _with_entries(manifest.get("project"), entries, 0)
        return _checked(TypeAdapter(Project).validate_python(plain))
    except (ValueError, IndexError):  # pydantic's ValidationError is a ValueError
        raise FileError(shown, None, "", DAMAGED_TEXT) from None


def check_project_file(path: Path) -> None:
    """Raise `FileError` for a file that is no project."""
    try:
        content = path.read_bytes()
    except OSError as problem:
        raise FileError(str(path), None, "", f"cannot be read: {problem.strerror or problem}") from None
    read_project(content, path.name)


# ---- writing


def _plain(value: Any, entries: list[bytes]) -> Any:
    """Lists, tables and numbers for JSON; bytes go to ``entries``."""
    if is_dataclass(value) and not isinstance(value, type):
        return {own.name: _plain(getattr(value, own.name), entries) for own in fields(value)}
    if isinstance(value, bytes):
        entries.append(value)
        return {ENTRY_KEY: len(entries) - 1}
    if isinstance(value, Mapping):
        return {key: _plain(item, entries) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item, entries) for item in value]
    return value


def _entry_name(number: int) -> str:
    return f"entry-{number}"


# ---- reading


def _unpack(archive: zipfile.ZipFile, shown: str) -> tuple[Any, list[bytes]]:
    """The manifest and the entries, by number."""
    known = archive.infolist()
    if len(known) > MAX_ENTRIES or sum(entry.file_size for entry in known) > MAX_UNPACKED_BYTES:
        words = f"unpacks to more than {MAX_ENTRIES} files or {MAX_UNPACKED_BYTES / 1e6:g} MB"
        raise FileError(shown, None, "", f"{words}, so it is not opened")
    manifest = json.loads(archive.read(MANIFEST))
    return manifest, [archive.read(_entry_name(number)) for number in range(len(known) - 1)]


def _with_entries(value: Any, entries: list[bytes], depth: int) -> Any:
    """Plain data with the bytes of its entries."""
    if depth > MAX_DEPTH:
        raise ValueError("nested too deeply")
    if isinstance(value, dict):
        if value.keys() == {ENTRY_KEY} and isinstance(value[ENTRY_KEY], int):
            return entries[value[ENTRY_KEY]]
        return {key: _with_entries(item, entries, depth + 1) for key, item in value.items()}
    return [_with_entries(item, entries, depth + 1) for item in value] if isinstance(value, list) else value


def _checked(project: Project) -> Project:
    """A project with plain file names and known systems."""
    files = tuple(replace(file, name=plain_name(file.name, "file")) for file in project.identify.files)
    choice = _checked_choice(project.model.choice)
    respond = project.respond
    if respond is not None:
        respond = replace(
            respond,
            curve=_with_choice(respond.curve),
            run=_with_choice(respond.run),
            kept=tuple(map(_checked_setting, respond.kept[:MAX_KEPT])),
        )
    identify, model = replace(project.identify, files=files), replace(project.model, choice=choice)
    if identify.result is not None:
        if not 0 <= identify.selected < len(identify.result.views):
            raise ValueError("no such law")
        downloads = {key: own for key, own in identify.result.files.items() if key in SAFE_DOWNLOADS}
        identify = replace(identify, result=replace(identify.result, files=downloads))
    return Project(identify, replace(model, name=plain_name(model.name)), respond)


def _checked_setting(setting: KeptSetting) -> KeptSetting:
    own = setting.settings
    return replace(
        setting,
        curve=_with_choice(setting.curve),
        run=_with_choice(setting.run),
        orbit=_with_choice(setting.orbit),
        name=plain_setting_name(setting.name),
        settings=None if own is None else own._replace(choice=_checked_choice(own.choice)),
    )


def _with_choice(result: ResultT) -> ResultT:
    if result is None or result.choice is None:
        return result
    return replace(result, choice=_checked_choice(result.choice))


def _checked_choice(choice: ModelChoice) -> ModelChoice:
    if choice.system and choice.system not in SYSTEM_DESCRIPTIONS:
        raise ValueError("no such system")
    values = {key: tuple(value) if isinstance(value, list) else value for key, value in choice.values.items()}
    return replace(choice, values=values, name=plain_name(choice.name))
