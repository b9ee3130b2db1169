"""The public names are a contract: tools outside this repository call them."""

from __future__ import annotations

import inspect
import subprocess
import sys
from typing import Any

import pytest

import slipstick as ss

HEAVY = ["numba", "scipy", "xarray", "pydantic", "sympy", "matplotlib", "pint", "nicegui"]

FUNCTIONS = ["luz", "tar", "hz", "rpm", "open", "sweep"]
ERRORS = ["SlipstickError", "InvalidInput", "FileError", "MissingFace", "NotConverged"]
TIME_FUNCTIONS = {
    "Constant": "value",
    "Ramp": "rate",
    "Signal": "times, values",
    "Cosine": "amplitude, *, frequency=None, order=None, phase=0.0",
    "Sine": "amplitude, *, frequency=None, order=None, phase=0.0",
    "Fourier": "mean=0.0, *, cos=(), sin=(), frequency=None, order=None",
}
LAWS = {
    "Linear": "stiffness=0.0, damping=0.0, preload=0.0",
    "Polynomial": "coefficients, damping=0.0",
    "Freeplay": "stiffness, half_gap, damping=0.0",
    "TwoStage": "stiffness, inner_ratio, half_gap, damping=0.0",
    "PiecewiseLinear": "breaks, slopes, value_at, damping=0.0",
    "Contact": "stiffness, gap, damping=0.0",
    "DryFriction": "limit, damping=0.0, static_limit=None, stribeck_velocity=None, stribeck_exponent=2.0",
    "Maxwell": "stiffness, damping",
    "Zener": "stiffness, damping, parallel_stiffness",
    "PowerDamper": "coefficient, exponent, reverse_coefficient=None",
    "DamperTable": "rates, forces",
    "Iwan4": "stiffness, limit, chi, beta",
    "Jenkins": "stiffness, limit",
    "Masing": "stiffness, limit, parallel_stiffness=0.0, damping=0.0, preload=0.0, reverse_limit=None",
    "Iwan": "stiffnesses, limits, parallel_stiffness=0.0",
    "Dahl": "stiffness, limit, exponent=1.0",
    "ModifiedDahl": "rate, exponent, upper, lower, start_force=None",
    "Duhem": "rate, upper, lower, start_force=None",
    "GeneralisedDahl": "rate, envelope, exponent=1.0, start_force=None",
    "DynamicHysteresis": "stiffness, limit, exponent=1.0, virgin='backbone'",
    "BlimanSorine": "stiffness, limit, overshoot_limit, ratio, memory=True, virgin='backbone'",
    "FibreShear": "stiffness, limit, linear, cubic, overshoot, ratio",
    "BoucWen": "stiffness, ratio, beta, gamma, exponent=1.0, A=1.0",
    "BoucWenBaberNoori": (
        "stiffness, ratio, beta, gamma, exponent=1.0, strength_degradation=0.0, stiffness_degradation=0.0, "
        "pinching=0.0, pinching_rate=0.0, pinching_level=0.0, pinching_width=0.0, pinching_spread=0.0, "
        "pinching_coupling=0.1"
    ),
    "LuGre": "bristle_stiffness, bristle_damping, viscous, coulomb, static, stribeck_velocity",
}
OTHERS = ["Law", "MeasuredResponse", "Model", "Record", "Series", "calibrate", "optimise", "parameter", "ringdown"]


def signature(function: Any) -> str:
    """The parameters of a class as one would write them, without annotations."""
    plain = [p.replace(annotation=inspect.Parameter.empty) for p in inspect.signature(function).parameters.values()]
    return str(inspect.Signature(plain))[1:-1]


def loaded_by(statements: str) -> set[str]:
    """The heavy packages that a fresh interpreter has loaded after these statements."""
    script = f"{statements}\nimport sys\nprint(*(name for name in {HEAVY!r} if name in sys.modules))"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


@pytest.mark.parametrize("name", [*FUNCTIONS, *ERRORS, *TIME_FUNCTIONS, *LAWS, *OTHERS])
def test_the_name_resolves_and_is_announced(name: str) -> None:
    assert callable(getattr(ss, name))
    assert name in ss.__all__


@pytest.mark.parametrize("name", LAWS)
def test_a_law_has_its_parameters_in_order_and_by_name_only(name: str) -> None:
    assert signature(getattr(ss, name)) == f"*, {LAWS[name]}"
    assert issubclass(getattr(ss, name), ss.Law)


@pytest.mark.parametrize("name", TIME_FUNCTIONS)
def test_a_function_of_time_has_its_parameters(name: str) -> None:
    assert signature(getattr(ss, name)) == TIME_FUNCTIONS[name]


def test_everything_announced_resolves_under_its_own_name() -> None:
    for name in ss.__all__:
        assert getattr(ss, name).__name__ == name


def test_what_is_announced_is_listed_once_in_order_and_shown_by_dir() -> None:
    assert sorted(set(ss.__all__)) == ss.__all__
    assert set(ss.__all__) <= set(dir(ss))
    assert "__version__" in dir(ss)


def test_a_star_import_brings_what_is_announced() -> None:
    found: dict[str, Any] = {}
    exec("from slipstick import *", found)
    assert set(ss.__all__) <= set(found)


def test_a_name_is_resolved_once_and_stays_the_same_object() -> None:
    assert ss.Freeplay is ss.Freeplay
    assert "Freeplay" in vars(ss)


def test_an_unknown_name_is_an_attribute_error_that_says_which() -> None:
    with pytest.raises(AttributeError, match="'slipstick' has no attribute 'Frepley'"):
        ss.Frepley  # noqa: B018
    assert not hasattr(ss, "Frepley")


def test_every_error_can_be_caught_as_one() -> None:
    for name in ERRORS:
        assert issubclass(getattr(ss, name), ss.SlipstickError)
    assert issubclass(ss.InvalidInput, ValueError)
    assert issubclass(ss.MissingFace, TypeError)


def test_importing_slipstick_loads_nothing_heavy() -> None:
    assert loaded_by("import slipstick") == set()


def test_making_a_law_and_a_load_and_asking_for_a_force_loads_nothing_heavy() -> None:
    assert (
        loaded_by(
            "import slipstick as ss\n"
            "ss.Freeplay(stiffness=1e3, half_gap=0.01).update(0.02, 0.0, ())\n"
            "ss.DryFriction(limit=ss.Fourier(0.5, cos=(0.3,)))\n"
            "(ss.Constant(1.0) + ss.Cosine(1.0, frequency=ss.hz(30))).at(0.5)"
        )
        == set()
    )


def test_a_heavy_package_would_be_noticed() -> None:
    assert "scipy" in loaded_by("import slipstick, scipy")


def test_the_function_sweep_stays_itself_when_its_room_is_used(tmp_path) -> None:
    statements = (
        "import slipstick as ss, slipstick.sweeps.ledger\nfrom slipstick import plans\nassert callable(ss.sweep)\n"
        "assert ss.plans is plans"
    )
    subprocess.run([sys.executable, "-c", statements], check=True, cwd=tmp_path)
