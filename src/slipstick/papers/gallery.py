"""Many entries at once, on several cores, and the page that shows them."""

from __future__ import annotations

import os
import traceback
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass, fields
from html import escape
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter

from slipstick.papers.entry import Entry, EntryRequest, Progress, ignore_progress
from slipstick.papers.reproduction import TABLE_HEADS, Reproduction, Row

INDEX_FILE = "index.html"


@dataclass(frozen=True)
class GalleryItem:
    """A computed and saved entry, or why it failed.

    files : that were written, the picture first.
    trouble : why it failed, in words.   details : the traceback.
    """

    paper: str
    label: str
    title: str
    rows: tuple[Row, ...] = ()
    method: str = ""
    certificate: str = ""
    seconds: float = 0.0
    files: tuple[Path, ...] = ()
    trouble: str = ""
    details: str = ""


def make_entries(entries: Sequence[Entry], folder: Path, request: EntryRequest) -> list[GalleryItem]:
    """Compute a content once and save the files of all entries that show it; the result lists failures.

    request : checked by the entries.
    """
    began = perf_counter()
    try:
        content = entries[0].compute(request)
    except Exception as error:
        return [_failed(one, error) for one in entries]
    seconds = perf_counter() - began
    return [_saved(one.of(content, seconds, request.changed), folder) for one in entries]


def _saved(found: Reproduction, folder: Path) -> GalleryItem:
    try:
        files = tuple(found.save(folder))
    except Exception as error:
        return _failed(found, error)
    there = {one.name for one in fields(found)}
    known = {one.name: getattr(found, one.name) for one in fields(GalleryItem) if one.name in there}
    return GalleryItem(**known, files=files)


def _failed(one: Entry | Reproduction, error: Exception) -> GalleryItem:
    trouble = f"{type(error).__name__}: {' '.join(str(error).split())}"
    return GalleryItem(
        one.paper, one.label, one.title, trouble=trouble, details="".join(traceback.format_exception(error))
    )


def core_count() -> int:
    """The number of entries that can be computed in parallel."""
    return os.cpu_count() or 1


def make_gallery(
    wanted: Sequence[Entry], folder: Path, *, workers: int | None = None, progress: Progress = ignore_progress
) -> list[GalleryItem]:
    """Compute entries in parallel, one core each, in the order of ``wanted``; then write their page."""
    groups = group_by_compute(wanted)
    count = min(workers or core_count(), len(groups))
    made: list[GalleryItem] = []
    if count <= 1:
        for i, group in enumerate(groups):
            progress(f"{group[0].paper} {group[0].label}", i / len(groups))
            made += make_entries(group, folder, EntryRequest())
        progress("", 1.0)
    else:
        made = _side_by_side(groups, folder, count, progress)
    order = {(one.paper, one.label): i for i, one in enumerate(wanted)}
    made.sort(key=lambda one: order[one.paper, one.label])
    write_index(folder, made)
    return made


def group_by_compute(wanted: Sequence[Entry]) -> list[list[Entry]]:
    """Entries grouped by ``compute``, in the order of the first of each group."""
    groups: dict[int, list[Entry]] = {}
    for one in wanted:
        groups.setdefault(id(one.compute), []).append(one)
    return list(groups.values())


def _side_by_side(groups: list[list[Entry]], folder: Path, count: int, progress: Progress) -> list[GalleryItem]:
    made: list[GalleryItem] = []
    with ProcessPoolExecutor(count, mp_context=get_context("spawn")) as pool:
        jobs: list[Future[list[GalleryItem]]] = [
            pool.submit(_made_by_name, group[0].paper, [one.label for one in group], folder) for group in groups
        ]
        for done, job in enumerate(as_completed(jobs), start=1):
            last = job.result()
            made += last
            progress(f"{last[0].paper} {last[0].label}", done / len(groups))
    return made


def _made_by_name(paper: str, labels: list[str], folder: Path) -> list[GalleryItem]:
    """Compute entries in another process, which finds them by name."""
    from slipstick.papers import entry
    from slipstick.plot.style import use_headless_backend

    use_headless_backend()
    return make_entries([entry(paper, label) for label in labels], folder, EntryRequest())


def write_index(folder: Path, made: Sequence[GalleryItem]) -> Path:
    """Write a page that shows each figure with the printed values."""
    from slipstick.report import html_page as html
    from slipstick.report.table import Table
    from slipstick.results.atomic_write import replacing_file

    parts = []
    for one in made:
        shown = [small for small in (one.method, one.certificate) if small]
        picture = (
            f'<img alt="{escape(one.title, quote=True)}" src="{escape(one.files[0].name, quote=True)}">'
            if one.files
            else ""
        )
        table = html.table(Table(TABLE_HEADS, [row.cells for row in one.rows], 0)) if one.rows else ""
        words = [html.small_print(f"{'; '.join(shown)}; {one.seconds:.2g} s")] if shown else []
        trouble = html.bullet_list([one.trouble], "warning") if one.trouble else ""
        parts.append(html.section(f"{one.paper}, {one.label}: {one.title}", picture, table, *words, trouble))
    failed = sum(bool(one.trouble) for one in made)
    verdict = f"{len(made) - failed} made" + (f", {failed} not" if failed else "")
    target = folder / INDEX_FILE
    with replacing_file(target) as aside:
        aside.write_text(html.html_page(_title(made), verdict, not failed, parts), encoding="utf-8")
    return target


def _title(made: Sequence[GalleryItem]) -> str:
    names = list(dict.fromkeys(one.paper for one in made))
    return f"The {names[0]} paper, made again" if len(names) == 1 else f"{len(names)} papers, made again"
