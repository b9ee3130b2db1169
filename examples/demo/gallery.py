"""The page at the end: every chapter with its picture, numbers, certificate and the lines that made it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

import matplotlib.pyplot as plt
from chapter import Chapter

from slipstick.report import html_page
from slipstick.report.fit_tables import Table


class Told(NamedTuple):
    """A chapter as it went: its number and title, how long it took [s], and the source of what made it."""

    title: str
    chapter: Chapter
    seconds: float
    code: str


def source(functions: Sequence[Callable[..., object]]) -> str:
    """The lines of functions, to be read on the page."""
    return "\n\n\n".join(inspect.getsource(one).rstrip() for one in functions)


def write(out: Path, told: Sequence[Told], seconds: float) -> Path:
    """Write index.html with all pictures inside it, which can be sent around as one file."""
    target = out / "index.html"
    failed = [one.title for one in told if not one.chapter.good]
    verdict = f"{len(told)} chapters in {seconds:.0f} s, from a noisy loop to a response with its error"
    verdict += f"; NOT TO BE TRUSTED: {', '.join(failed)}" if failed else "; all certificates passed"
    target.write_text(
        html_page.html_page("slipstick: the whole story", verdict, not failed, [*map(_section, told)]), encoding="utf-8"
    )
    return target


def _section(one: Told) -> str:
    chapter = one.chapter
    share = min(chapter.figure.get_figwidth() / 9.0, 1.0)  # letters of one size in all pictures
    inside = html_page.embedded_figure(html_page.figure_svg(chapter.figure), chapter.headline)
    drawn = f'<div style="max-width: {100 * share:.0f}%">{inside}</div>'
    plt.close(chapter.figure)
    files = [f'<a href="{escape(file.name, quote=True)}">{escape(file.name)}</a>' for file in chapter.files]
    return html_page.section(
        one.title,
        f"<p>{escape(chapter.words)}</p>",
        drawn,
        html_page.table(Table(chapter.heading, chapter.rows, len(chapter.heading) - 1)),
        html_page.bullet_list(chapter.notes),
        html_page.bullet_list(chapter.warnings, "warning"),
        html_page.small_print(f"Certificate: {chapter.certificate}. It took {one.seconds:.1f} s."),
        f"<details><summary>the lines that made it</summary>{html_page.code(one.code)}</details>",
        f'<p class="small">Beside this page: {", ".join(files)}</p>' if files else "",
    )
