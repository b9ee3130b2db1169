"""What was found, made ready to be shown and handed out: the rows, words and files that the commands make."""

from __future__ import annotations

import io
import shlex
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from slipstick.app.identify import pictures
from slipstick.app.identify.kept import File, Found, Reading, View, Wanted
from slipstick.app.identify.starter import starter
from slipstick.app.identify.words import on_page
from slipstick.report.files import Jobs, fit_jobs, law_file, law_in_name, name_of
from slipstick.report.fits import ENERGY, fit_page, ranking_page
from slipstick.report.page import svg
from slipstick.report.rows import FOLLOWS, laws_of, loops_of, notes_of, numbers_of, verdict_of

if TYPE_CHECKING:
    from slipstick.results.fit import Fit
    from slipstick.results.ranking import Ranking

STOPPED = "the search did not converge; the values are where it stopped"


def told_fit(fit: Fit, files: Sequence[File], reading: Reading, wanted: Wanted) -> Found:
    """Of one law."""
    names = tuple(file.name for file in files)
    name = name_of(names, law_in_name(wanted.laws[0]))
    figure = fit.plot()
    drawn = svg(figure)
    page = fit_page(fit, name, drawn, command_of(names, reading, wanted))
    made = _written(fit_jobs(fit, fit, figure, drawn, page))
    view = _view(fit, wanted.laws[0], names)
    return Found(name, (view,), made | {".csv": _samples(fit)})


def told_ranking(ranking: Ranking, files: Sequence[File], reading: Reading, wanted: Wanted) -> Found:
    """Of several laws, best first."""
    names = tuple(file.name for file in files)
    name = name_of(names, "ranked")
    figure = ranking.plot()
    drawn = svg(figure)
    page = ranking_page(ranking, name, drawn, command_of(names, reading, wanted))
    made = _written(fit_jobs(ranking.best, ranking, figure, drawn, page))
    fits = [(row.name, row.fit) for row in ranking.table if row.fit is not None]
    troubles = tuple(f"no fit of {row.name}: {on_page(row.trouble.command)}" for row in ranking.table if not row.fit)
    return Found(
        name,
        tuple(_view(fit, law, names) for law, fit in fits),
        made | {".csv": _samples(ranking.best)},
        laws_of(ranking),
        ranking.verdict,
        ranking.within_noise,
        troubles,
        tuple(map(on_page, ranking.remarks)),
    )


def command_of(files: Sequence[str], reading: Reading, wanted: Wanted) -> str:
    """What does the same in a terminal."""
    one = len(wanted.laws) == 1
    typed = ["slipstick", "identify" if one else "rank", *files]
    typed += ["--law", wanted.laws[0]] if one else ["--laws", ",".join(wanted.laws)] if wanted.laws else []
    for role, column in reading.columns.items():
        typed += [f"--{role}", str(column)]
    typed += ["--by", ",".join(map(str, reading.by))] if reading.by else []
    for role, unit in reading.units.items():
        typed += ["--unit", f"{role}={unit}"]
    typed += ["--decimal", reading.decimal] if reading.decimal else []
    for role, factor in reading.factors.items():
        typed += ["--scale", f"{role}={factor!r}"]
    typed += ["--remove-drift"] * reading.drift + ["--remove-offset"] * reading.offset
    for option in ("fixed", "bounds", "prior"):
        for text in wanted.typed(option):
            typed += [f"--{option}", text]
    return shlex.join(typed)


def _view(fit: Fit, law: str, files: tuple[str, ...]) -> View:
    notes = notes_of(fit)
    advice = [words for words in notes if on_page(words) != words]  # what to do on the page is not to be missed
    return View(
        law=law,
        kind=fit.kind,
        verdict=verdict_of(fit) if fit.converged else f"{verdict_of(fit)}; {STOPPED}",
        good=fit.within_noise and fit.converged,
        numbers=numbers_of(fit),
        loops=loops_of(fit),
        below=f"{FOLLOWS}; {ENERGY}" if fit.derived else ENERGY,
        warnings=tuple(map(on_page, (*fit.warnings, *advice))),
        notes=tuple(words for words in notes if words not in advice),
        figures=pictures.fitted(fit),
        file=law_file(fit),
        model=starter(fit, files),
    )


def _written(jobs: Jobs) -> dict[str, bytes]:
    """What commands write, as bytes; a folder of our own is used on the way, and is gone afterwards."""
    found: dict[str, bytes] = {}
    with tempfile.TemporaryDirectory(prefix="slipstick-") as folder:
        for suffix, content in jobs.items():
            if isinstance(content, bytes):
                found[suffix] = content
                continue
            path = Path(folder, f"result{suffix}")
            content(path)
            found[suffix] = path.read_bytes()
    return found


def _samples(fit: Fit) -> bytes:
    """Measured and fitted, for a spreadsheet, in the units of the file."""
    u, f = fit.units.deflection, fit.units.force
    text = io.StringIO()
    heads = [f"{what} [{scale.unit}]" if scale.unit else what for what, scale in (("u", u), ("F", f), ("fitted", f))]
    text.write(",".join(["loop", *heads, "compared"]) + "\n")
    for k, loop in enumerate(fit.loops):
        columns = (u.factor * loop.u, f.factor * loop.f, f.factor * loop.fitted, loop.counts)
        for row in zip(*(column.tolist() for column in columns), strict=True):
            text.write(f"{k + 1},{row[0]:.9g},{row[1]:.9g},{row[2]:.9g},{int(row[3])}\n")
    return text.getvalue().encode()
