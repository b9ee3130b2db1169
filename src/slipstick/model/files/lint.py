"""What is allowed in a model, but should be looked at."""

from __future__ import annotations

from slipstick.model.files.file_problems import FileFindings, Path
from slipstick.model.negative_damping import negative_dampers
from slipstick.model.system import System


def lint_model(model: System, findings: FileFindings) -> None:
    """Add warnings and notes about a model that was read from a file."""
    for c in negative_dampers(model):
        own: Path = ("connections", c.name, "damping")
        words = (
            "its damper is below zero: it feeds energy into motions, which grow; make it 0 or more, unless it is meant"
        )
        findings.warning(own if own in findings.lines else own[:2], words)
    _orders_without_frequency(model, findings)
    _loose_coordinates(model, findings)
    for c in model.connections:
        if not c.is_conjugate:
            words = f"the force acts along {c.along}, not along the deflection {c.deflection}: it may create energy"
            findings.note(("connections", c.name, "along"), words)


def _orders_without_frequency(model: System, findings: FileFindings) -> None:
    if model.frequency is not None:
        return
    for i, load in enumerate(model.loads):
        if load.function.has_order:
            findings.note(("loads", i), "has an order but the model no frequency; add one, or pass it when solving")
            return


def _loose_coordinates(model: System, findings: FileFindings) -> None:
    used = {name for c in model.connections for form in (c.deflection, c.along) for name in form.terms}
    used |= set(model.matrices.names) if model.matrices else set()
    for c in model.coordinates:
        path: Path = ("coordinates", c.name)
        if c.name not in used and c.motion is not None:
            findings.note(path, "moves, but no connection uses it")
        elif c.name not in used:
            words = (
                "no connection holds it: it will float freely" if c.inertia else "it has no inertia and no connection"
            )
            findings.note(path, words)
