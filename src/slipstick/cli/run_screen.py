"""Screen output of a run or an orbit: summary, certificate, energies."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from slipstick.cli.console import console, headline, show_notes, table, timing_text

if TYPE_CHECKING:
    from rich.console import Console

    from slipstick.results.certificate import Certificate
    from slipstick.results.orbit import Orbit
    from slipstick.results.run import Run
    from slipstick.study import Study

ZERO_ENERGY_REL = 1e-12  # of the largest energy: less than that is nothing


def show_run(study: Study, found: Run, seconds: float) -> None:
    """The summary of a run, or of an orbit."""
    from slipstick.results.orbit import Orbit

    screen = console()
    what, counts = found.summary
    headline(screen, f"{study.name}: ", f"{study.kind.title} of {what}")
    screen.print(f"{counts}; {timing_text(found.stats.seconds, seconds)}", soft_wrap=True)
    if isinstance(found, Orbit):
        _orbit(screen, found)
    _certificate(screen, found)


def _orbit(screen: Console, orbit: Orbit) -> None:
    """Frequency, stability and amplitude of each coordinate."""
    from slipstick.units.axes import column_axes
    from slipstick.units.scales import frequency_scale

    names, scale = orbit.names, frequency_scale(orbit.names.units.frequency)
    screen.print(f"{scale.words(orbit.frequency)}, period {orbit.period:.6g} s, {orbit.stability}", soft_wrap=True)
    screen.print()
    rows: list[tuple[str, ...]] = []
    axes = column_axes(names.units.coordinates, names.coordinates, range(len(names.coordinates))).each
    for name, axis in zip(names.coordinates, axes, strict=True):
        figures = (orbit.amplitude[name], orbit.rms[name], orbit.mean[name])
        phase = f"{math.degrees(orbit.phase[name]):.4g} deg"
        rows.append((name, axis.unit, *(f"{axis.factor * value:.6g}" for value in figures), phase))
    screen.print(table(("coordinate", "unit", "amplitude", "rms", "mean", "phase"), rows, numbers=4))
    show_notes(screen, orbit.notes)


def _certificate(screen: Console, found: Run) -> None:
    from slipstick.plot.error_text import error_text
    from slipstick.study.command_messages import COMMAND

    c = found.certificate
    screen.print()
    headline(
        screen,
        f"certificate {c.outcome}",
        "",
        "bold green" if c.passed else "bold yellow" if c.doubtful else "bold red",
    )
    lines = [*c.reasons]
    if math.isfinite(c.error):
        lines.append(f"error <= {error_text(c, found.names)}, the largest of a displacement, estimated")
    if not c.is_none:
        lines.append(f"energy residual {c.energy_residual:.2g} of the energy exchanged, at most {c.tolerance:.2g}")
    for line in (*map(COMMAND.message, lines), *(f"note: {COMMAND.message(note)}" for note in c.notes)):
        screen.print(f"  {line}", soft_wrap=True)
    if c.is_none:
        return
    screen.print()
    screen.print(table(("energy [J]", "work in", "dissipated", "stored"), _energies(c), numbers=3))
    if not c.dissipated.keys() <= c.stored.keys():
        screen.print("* absorbed: the law does not state which part of it is stored", soft_wrap=True)


def _energies(c: Certificate) -> list[tuple[str, ...]]:
    """Where the work went, and the sum of each column."""
    sizes = [c.work_in, c.kinetic, *c.dissipated.values(), *c.stored.values()]
    nothing = ZERO_ENERGY_REL * max(map(abs, sizes))

    def words(value: float, sign: str = "") -> str:
        return f"{value:{sign}.6g}" if abs(value) > nothing else "0"

    rows: list[tuple[str, ...]] = [
        ("loads and motions", words(c.work_in), "", ""),
        ("kinetic", "", "", words(c.kinetic, "+")),
    ]
    for name in dict.fromkeys([*c.dissipated, *c.stored]):
        lost = words(c.dissipated.get(name, 0.0))
        rows.append((name, "", lost, words(c.stored[name], "+")) if name in c.stored else (name, "", f"{lost} *", ""))
    kept = c.kinetic + sum(c.stored.values())
    rows.append(("sum", words(c.work_in), words(sum(c.dissipated.values())), words(kept, "+")))
    return rows
