"""slipstick: mechanical systems with dry friction, hysteresis and freeplay.

Names are imported on first use, so ``import slipstick`` loads nothing heavy.

    api                      `Model` with its methods, and the other functions a user calls
    maps, scalar             luz, tar and the other maps of freeplay and friction, on arrays and on floats
    signals                  functions of time
    laws                     force laws of connections
    model                    models, model files, equations, statics and linear modes
    systems, papers          the published systems as models, and the figures of the papers
    reduction                smaller models by luz/tar algebra
    transient                simulation in time
    periodic                 periodic responses, response curves and nonlinear modes
    identification           laws from measured loops, ring-downs
    calibration              numbers of a model from any measurements
    sensitivity              derivatives of figures by parameters, optima, the next measurement
    datasets                 synthetic loops that come with the package
    results                  result types, and their files
    sweeps, study            parameter sweeps, and study files
    plot, report             figures, and HTML reports
    cli, app                 the command line, and the browser application
    native                   the compiler for plain numeric Python
    units, symbolic, errors  unit scales, numbers that may be symbols, and exceptions
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

# public names by module; a law is also known to files by the name of its class
_NAMES = {
    "errors": ["SlipstickError", "InvalidInput", "WrongArguments", "FileError", "MissingFace", "NotConverged"],
    "maps": ["luz", "tar"],
    "signals": ["Constant", "Ramp", "Signal", "Cosine", "Sine", "Fourier", "Chirp", "hz", "rpm"],
    "laws.base": ["Law"],
    "laws.parameters": ["parameter"],
    "laws.elastic": ["Linear", "Polynomial"],
    "laws.piecewise_linear": ["Freeplay", "TwoStage", "PiecewiseLinear", "Contact"],
    "laws.viscoelastic": ["Maxwell", "Zener"],
    "laws.dampers": ["PowerDamper", "DamperTable"],
    "laws.friction": ["DryFriction"],
    "laws.coulomb_contact": ["CoulombContact"],
    "laws.friction_contact": ["FrictionContact"],
    "laws.impact": ["Impact"],
    "laws.masing": ["Jenkins", "Masing", "Iwan"],
    "laws.iwan4": ["Iwan4"],
    "laws.dahl": ["Dahl", "Duhem", "ModifiedDahl"],
    "laws.generalised_dahl": ["GeneralisedDahl"],
    "laws.nonlocal_memory": ["DynamicHysteresis", "BlimanSorine", "FibreShear"],
    "laws.boucwen": ["BoucWen"],
    "laws.baber_noori": ["BoucWenBaberNoori"],
    "laws.lugre": ["LuGre"],
    "laws.series": ["Series"],
    "identification.loop": ["Loop"],
    "identification.identify": ["identify"],
    "identification.record": ["Record"],
    "identification.decay.ringdown": ["ringdown"],
    "identification.rank": ["rank"],
    "identification.trend": ["trend"],
    "model.state_space_element": ["StateSpace"],
    "calibration.measured_response": ["MeasuredResponse"],
    "calibration.calibrate": ["calibrate"],
    "sensitivity.optimise": ["optimise"],
    "datasets": ["dataset", "dataset_path"],
    "reduction.reduce": ["Reduction"],
    "papers": ["paper"],
    "sweeps.sweep_run": ["sweep"],
    "progress": ["progress_bar"],
    "api": ["Model", "frequency_response", "open", "response_band"],
}
_HOME = {name: module for module, names in _NAMES.items() for name in names}
_ROOMS = [
    "datasets",
    "elements",
    "errors",
    "identification",
    "laws",
    "maps",
    "model",
    "papers",
    "plans",
    "plot",
    "rules",
    "scalar",
    "signals",
    "study",
    "systems",
]
_ELSEWHERE = {
    "elements": "model.elements",
    "plans": "sweeps.plan",
    "rules": "identification.rules",
}  # rooms within a room

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name in _HOME:
        found = getattr(import_module(f"slipstick.{_HOME[name]}"), name)
    elif name in _ROOMS:
        found = import_module(f"slipstick.{_ELSEWHERE.get(name, name)}")
    else:
        raise AttributeError(f"module 'slipstick' has no attribute '{name}'{_hint(name)}")
    globals()[name] = found
    return found


def _hint(name: str) -> str:
    from slipstick.name_hints import did_you_mean

    words = "" if name.startswith("_") else did_you_mean(name, _HOME)
    return words if "did you mean" in words else ""


def __dir__() -> list[str]:
    return sorted([*__all__, *_ROOMS, "__version__"])
