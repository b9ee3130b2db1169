"""What the page Papers has computed elsewhere: the list of figures, a figure with its files, the system behind it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from slipstick.app.papers.kept import Item, Picture
from slipstick.app.staff import Tell

if TYPE_CHECKING:
    from slipstick.app.parts import Verdict


def catalogue(_: Tell) -> tuple[Item, ...]:
    """Every figure and table of the five papers, in the order of the print."""
    from slipstick.papers import NAMES, entries
    from slipstick.papers.opening import left_out

    return tuple(
        Item(
            paper=name,
            label=one.label,
            name=one.name,
            title=one.title,
            kind=one.kind,
            knobs=one.knobs,
            has_own_scheme=one.has_own_scheme,
            fixed=one.fixed,
            opens=one.system is not None,
            case=one.case,
            left_out=left_out(one),
        )
        for name in NAMES
        for one in entries(name)
    )


def make(tell: Tell, paper: str, label: str, changed: Mapping[str, float], own_scheme: bool) -> Picture:
    """Compute and draw a figure; what comes out is plain.   changed : numbers other than the printed ones."""
    from slipstick.papers import entry
    from slipstick.papers.entry import Work
    from slipstick.plot.style import without_screen

    def progress(words: str, share: float) -> None:
        tell(f"computing {words}", share)  # words are such as "13 N"

    without_screen()
    made = entry(paper, label).made(Work(progress=progress, own_scheme=own_scheme, changed=changed))
    tell("drawing", 1.0)
    with TemporaryDirectory(prefix="slipstick-") as folder:  # not before: who cancels kills this process
        files = {path.name: path.read_bytes() for path in made.save(Path(folder))}
    return Picture(
        title=made.title,
        rows=tuple(row.cells for row in made.rows),
        method=made.method,
        certificate=made.certificate,
        verdict=_verdict(made.certificate),
        seconds=made.seconds,
        changed=made.changed,
        files=files,
    )


def _verdict(certificate: str) -> Verdict:
    from slipstick.papers.trust import FAILED, UNKNOWN

    return "failed" if FAILED in certificate else ("unknown" if UNKNOWN in certificate else "passed")


def opened(_: Tell, paper: str, label: str, changed: Mapping[str, float]) -> dict[str, Any]:
    """Keywords of the system that a figure is of, with its numbers; it can be built with them."""
    import slipstick.systems as systems
    from slipstick.papers import entry
    from slipstick.papers.opening import system_of

    values = system_of(entry(paper, label), changed) or {}
    getattr(systems, paper)(**values)
    return values
