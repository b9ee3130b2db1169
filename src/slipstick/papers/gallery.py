"""Many entries at once, on several cores, and the page that shows them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from html import escape
from multiprocessing import get_context
from pathlib import Path

from slipstick.papers.entry import Entry, Progress, Work, unwatched
from slipstick.papers.reproduction import Row

PAGE = "index.html"


@dataclass(frozen=True)
class Made:
    """An entry that was made and saved; or why it was not.

    files : that were written, the picture first.   trouble : in words, where it could not be made.
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


def make(entry: Entry, folder: Path, work: Work) -> Made:
    """Make one entry and save its files; what fails is said in the result."""
    try:
        found = entry.made(work)
        files = tuple(found.save(folder))
    except Exception as error:
        words = f"{type(error).__name__}: {' '.join(str(error).split())}"
        return Made(entry.paper, entry.label, entry.title, trouble=words)
    return Made(
        entry.paper,
        entry.label,
        entry.title,
        rows=found.rows,
        method=found.method,
        certificate=found.certificate,
        seconds=found.seconds,
        files=files,
    )


def make_all(
    wanted: Sequence[Entry], folder: Path, *, workers: int | None = None, progress: Progress = unwatched
) -> list[Made]:
    """Make entries side by side, one core each, in the order of ``wanted``; then write the page about them."""
    count = min(workers or os.cpu_count() or 1, len(wanted))
    if count <= 1:
        made = []
        for i, one in enumerate(wanted):
            progress(f"{one.paper} {one.label}", i / len(wanted))
            made.append(make(one, folder, Work()))
    else:
        made = _side_by_side(wanted, folder, count, progress)
    write_page(folder, made)
    return made


def _side_by_side(wanted: Sequence[Entry], folder: Path, count: int, progress: Progress) -> list[Made]:
    with ProcessPoolExecutor(count, mp_context=get_context("spawn")) as pool:
        jobs: dict[Future[Made], int] = {
            pool.submit(_made_by_name, one.paper, one.label, folder): i for i, one in enumerate(wanted)
        }
        found: dict[int, Made] = {}
        for job in as_completed(jobs):
            found[jobs[job]] = job.result()
            last = found[jobs[job]]
            progress(f"{last.paper} {last.label}", len(found) / len(wanted))
    return [found[i] for i in range(len(wanted))]


def _made_by_name(paper: str, label: str, folder: Path) -> Made:
    """In a process of its own, which finds the entry again by its name."""
    import matplotlib as mpl

    from slipstick.papers import entry

    mpl.use("Agg")
    return make(entry(paper, label), folder, Work())


def write_page(folder: Path, made: Sequence[Made]) -> Path:
    """A page beside the files that shows what was made, with what is printed beside it."""
    from slipstick.report import page as html
    from slipstick.report.rows import Table
    from slipstick.results.aside import written_aside

    parts = []
    for one in made:
        shown = [small for small in (one.method, one.certificate) if small]
        picture = (
            f'<img alt="{escape(one.title, quote=True)}" src="{escape(one.files[0].name, quote=True)}">'
            if one.files
            else ""
        )
        table = html.table(Table(("", "paper", "here", "why they differ"), [*one.rows], 0)) if one.rows else ""
        words = [html.small(f"{'; '.join(shown)}; {one.seconds:.2g} s")] if shown else []
        trouble = html.listed([one.trouble], "warning") if one.trouble else ""
        parts.append(html.section(f"{one.paper}, {one.label}: {one.title}", picture, table, *words, trouble))
    failed = sum(bool(one.trouble) for one in made)
    verdict = f"{len(made) - failed} made" + (f", {failed} not" if failed else "")
    target = folder / PAGE
    with written_aside(target) as aside:
        aside.write_text(html.page("The five papers, made again", verdict, not failed, parts), encoding="utf-8")
    return target
