"""A model of one mass on a law, from the file of a law alone, as the page Identify writes it.

Mass, load and amplitude are assumed from the law itself, and the assumptions are shown.
"""

from __future__ import annotations

import re
import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

from slipstick.app.file_names import plain_name
from slipstick.app.task_worker import ReportProgress
from slipstick.errors import FileError, SlipstickError

if TYPE_CHECKING:
    from slipstick.api import Model
    from slipstick.app.identify.starter_model import LoopCentre
    from slipstick.laws.base import Law
    from slipstick.units.scales import Scale

DEFAULT_AMPLITUDES = {
    "translation": 1e-3,
    "rotation": 1e-2,
    "stress": 1e-3,
}  # [m or rad] for laws without a scale
MIN_AMPLITUDE_EXPONENT, MAX_AMPLITUDE_EXPONENT, AMPLITUDES_PER_DECADE = (
    -7,
    0,
    8,
)  # powers of ten of the trial amplitudes [m or rad]
POINTS_PER_CYCLE = 200
STIFFNESS_CHANGE_REL = 0.05  # smallest change of stiffness that counts
_MODEL_KEYS = re.compile(r"^(slipstick|coordinates|connections|matrices)\s*:", re.MULTILINE)


class LawModel(NamedTuple):
    """text : of the model.   assumptions : made in it."""

    text: str
    assumptions: str


def looks_like_law(text: str) -> bool:
    """True if a text may be a law alone."""
    return _MODEL_KEYS.search(text) is None and bool(re.search(r"\b(law|sum)\s*:", text))


def model_from_law(_: ReportProgress, text: str, name: str) -> LawModel | None:
    """A model of one mass on the law in a text; None if that is not possible.   name : of its file."""
    on = coordinate_of_law(text, plain_name(name))
    if on is None:
        return None
    law = _block(text)
    title = f"One mass on the law in {plain_name(name)}"
    for system in _systems(law):
        model = _one_mass_text(law, system, title, on)
        if model is not None:
            return model
    return None


def coordinate_of_law(text: str, name: str) -> str | None:
    """The coordinate of the law in a text; None if the text is not one law alone."""
    from slipstick.model.files.yaml_tree import parse_yaml

    if not looks_like_law(text):
        return None
    try:
        data, _ = parse_yaml(name, text)
    except FileError:
        return None
    if not isinstance(data, dict) or len(data) != 1:
        return None
    (law,) = data.values()
    if not isinstance(law, dict) or not {"law", "sum"} & set(law):
        return None
    on = law.get("deflection")
    return on if isinstance(on, str) and re.fullmatch(r"[A-Za-z]\w*", on) else None


def _systems(law: str) -> tuple[str, ...]:
    """Possible kinds of motion, the likeliest first, from units and comments."""
    if "    # scaled:" in law:
        return ("stress",)
    turned = re.search(r"\bN m\b|\brad\b", law) is not None
    return ("rotation", "translation") if turned else ("translation", "rotation")


def _block(text: str) -> str:
    """The lines of the law, indented as under connections."""
    lines = text.replace("\t", "  ").splitlines()
    first = next(i for i, line in enumerate(lines) if line.strip() and not line.lstrip().startswith("#"))
    own = lines[first:]
    missing = 2 - (len(own[0]) - len(own[0].lstrip()))
    return "".join(f"{' ' * max(missing, 0)}{line}\n" if line.strip() else "\n" for line in own)


def _one_mass_text(law: str, system: str, title: str, on: str) -> LawModel | None:
    from slipstick.app.identify.starter_model import RESONANCE_HZ, LoopCentre, one_mass_model_text, units_in_si
    from slipstick.units.scales import NO_SCALE

    plain = units_in_si(system)
    trial = _model(
        one_mass_model_text(
            law, LoopCentre(0.0, 0.0, 1.0, 1.0), system, title, on=on, units=plain._replace(deflection=NO_SCALE)
        )
    )
    if trial is None:
        return None
    units = plain._replace(deflection=_displacement_unit(trial))
    amplitude, at = _operating_loop(trial.connections[0].law, system)
    loop = f"a loop of {units.deflection.words(amplitude, 2)} to each side"
    text = one_mass_model_text(law, at, system, title, loop, on, units)
    if _model(text) is None:
        return None
    pad = "; a pad 8 mm thick of 12 cm^2" if system == "stress" else ""
    assumptions = (
        f"this file was a law alone, so a mass and a load were assumed: {loop} resonates at {RESONANCE_HZ:g} Hz{pad}. "
        "Put your own where the text says so."
    )
    return LawModel(text, assumptions)


def _model(text: str) -> Model | None:
    from slipstick.app.model.text_reader import examine_model_text

    return examine_model_text(text, "law.yaml").model


def _displacement_unit(model: Model) -> Scale:
    """The display unit of displacements in the text."""
    from slipstick.units.axes import axis_unit
    from slipstick.units.scales import Scale

    axis = axis_unit(model.units.coordinates.get(model.coordinates[0].name, ""))
    return Scale(axis.unit, axis.factor)


def _operating_loop(law: Law, system: str) -> tuple[float, LoopCentre]:
    """A characteristic amplitude of the law, and the centre of its loop there.

    It is twice the amplitude at which the secant stiffness has made half of its change: a slider slips, a gap closes.
    A law of constant stiffness gets a default amplitude.
    """
    import numpy as np

    from slipstick.app.identify.starter_model import loop_centre

    amplitudes = 10.0 ** np.linspace(
        MIN_AMPLITUDE_EXPONENT,
        MAX_AMPLITUDE_EXPONENT,
        AMPLITUDES_PER_DECADE * (MAX_AMPLITUDE_EXPONENT - MIN_AMPLITUDE_EXPONENT) + 1,
    )
    loops = [(x, loop_centre(*loop)) for x in amplitudes if (loop := _closed_cycle(law, float(x))) is not None]
    amplitude = DEFAULT_AMPLITUDES[system]
    if loops:
        secants = np.array([abs(place.secant) for _, place in loops])
        least = 1e-9 * secants.max()  # smaller values count as no stiffness
        change = np.abs(secants - secants[0]) / np.maximum(np.maximum(secants, secants[0]), max(least, 1e-300))
        if change.max() > STIFFNESS_CHANGE_REL:
            amplitude = 2.0 * float(loops[int(np.argmax(change >= 0.5 * change.max()))][0])
    amplitude = float(f"{amplitude:.1g}")
    loop = _closed_cycle(law, amplitude)
    if loop is None:
        raise SlipstickError(f"this law has no loop of amplitude {amplitude:g}; write a model around it by hand")
    return amplitude, loop_centre(*loop)


def _closed_cycle(law: Law, amplitude: float) -> tuple[Any, Any] | None:
    """Deflection and force of a settled cycle; None if there is none."""
    import numpy as np

    from slipstick.app.identify.starter_model import RESONANCE_HZ

    angle = np.linspace(0.0, 4.0 * np.pi, 2 * POINTS_PER_CYCLE + 1)
    u = amplitude * np.sin(angle)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")  # trial amplitudes
            f = law.trace(u, angle / (2.0 * np.pi * RESONANCE_HZ), frequency=2.0 * np.pi * RESONANCE_HZ)
    except (SlipstickError, ArithmeticError):
        return None
    return (u[POINTS_PER_CYCLE:], f[POINTS_PER_CYCLE:]) if np.isfinite(f).all() else None
