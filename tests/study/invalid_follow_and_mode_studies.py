"""Studies with follow: and nonlinear_mode: that must be refused; keys of the section start on line 5."""

from __future__ import annotations

from study.invalid_response_studies import curve
from study.invalid_studies import MODEL, Bad

TWO = MODEL + "  - {on: y, cosine: {amplitude: 1 N, order: 2}}\n"
TURNING = """\
slipstick: 1
frequency: 30 Hz
coordinates: {phi: {inertia: 0.2 kg m^2, displacement: 1 deg}}
connections:
  shaft: {deflection: phi, law: linear, stiffness: 300 N m/rad, damping: 0.1 N m s/rad}
  brake: {deflection: phi, law: jenkins, stiffness: 100 N m/rad, limit: 2 N m}
loads: [{on: phi, cosine: {amplitude: 3 N m, order: 1}}]
"""
STICKY = MODEL.replace("limit: 3 N}", "limit: 3 N, static_limit: 4 N}")
MODELS = {"two": TWO, "turning": TURNING, "sticky": STICKY}


def follow(keys: str, model: str = "pair") -> str:
    return curve(keys, model, "follow")


def limit(between: str, more: str = "") -> str:
    return follow(f"parameter: bearing.limit\nbetween: {between}{more}")


def mode(keys: str, model: str = "turning") -> str:
    return curve(keys, model, "nonlinear_mode")


def drawn(plot: str) -> str:
    return mode("mode: 1").replace("figure: none}", f"figure: a.png, plot: {{{plot}}}}}")


PARAMETER, BETWEEN = "follow.parameter", "follow.between"
AMPLITUDES = "nonlinear_mode.amplitudes"

BAD = [
    # ---- the parameter
    Bad("no parameter", follow("between: [1 N, 2 N]"), 4, (f"{PARAMETER}: is missing", "guide.limit")),
    Bad("no such thing", follow("parameter: bering.limit\nbetween: [1, 2]"), 5, (PARAMETER, 'did you mean "bearing"')),
    Bad("no such number", follow("parameter: bearing.limt\nbetween: [1, 2]"), 5, (PARAMETER, 'did you mean "limit"')),
    Bad("no number", follow("parameter: bearing\nbetween: [1, 2]"), 5, (f'{PARAMETER}: "bearing" is no number',)),
    Bad("the frequency", follow("parameter: frequency\nbetween: [1, 2]"), 5, (PARAMETER, "frequency_response: {bet")),
    Bad("an order", follow("parameter: forcing.order\nbetween: [1, 2]"), 5, (PARAMETER, "no common period")),
    Bad("a list", follow("parameter: [bearing.limit]\nbetween: [1, 2]"), 5, (f"{PARAMETER}: must be text",)),
    Bad(
        "which load",
        follow("parameter: forcing.amplitude\nbetween: [1 N, 2 N]", "two"),
        5,
        (f"{PARAMETER}: ", "2 loads that vary in time", "such as {on: x, name: forcing, cosine: ...}"),
    ),
    # ---- its values
    Bad("no values", follow("parameter: bearing.limit"), 4, (f"{BETWEEN}: is missing",)),
    Bad("one value", limit("2 N"), 6, (f"{BETWEEN}: must be two values, such as [1.5 N, 6 N]",)),
    Bad("empty list", limit("[]"), 6, (f"{BETWEEN}: must be two values", "an empty list")),
    Bad("nothing between", limit("[2 N, 2000 mN]"), 6, (f"{BETWEEN}: must be two different values",)),
    Bad("metres", limit("[1 mm, 2 mm]"), 6, (f"{BETWEEN}[0]: must be in units like N, got 1 mm",)),
    Bad("a torque", limit("[1 N, 2 N m]"), 6, (f"{BETWEEN}[1]: must be in units like N", "which is rotation")),
    Bad("no unit", limit("[1 foo, 2 foo]"), 6, (f"{BETWEEN}[0]: ", "foo")),
    Bad("one is no unit", limit("[1 foo, 2 N]"), 6, (f"{BETWEEN}[0]: ", "foo")),
    Bad("nan", limit("[1 N, nan]"), 6, (f"{BETWEEN}[1]: must be finite",)),
    Bad("below its bound", limit("[1 N, -1 N]"), 6, (f"{BETWEEN}: limit must be >= 0, got -1",)),
    Bad("count", limit("{from: 1 N, to: 2 N, count: 3}"), 6, (f"{BETWEEN}.count: unknown key; write {{from: 1.5 N",)),
    Bad("an inertia below zero", follow("parameter: x.inertia\nbetween: [-1 kg, 1 kg]"), 6, (BETWEEN, ">= 0, got -1")),
    Bad(
        "a force", follow("parameter: brake.limit\nbetween: [1 N, 2 N]", "turning"), 6, ("in units like N m, got 1 N",)
    ),
    # ---- the rest
    Bad("integration", limit("[1 N, 2 N]", "\nmethod: integration"), 7, ("follow.method", "harmonic-balance")),
    Bad("zero harmonics", limit("[1 N, 2 N]", "\nmethod: harmonic-balance\nharmonics: 0"), 8, ("follow.harmonics",)),
    Bad("at zero", limit("[1 N, 2 N]", "\nfrequency: 0 Hz"), 7, ("follow.frequency: must be a frequency > 0",)),
    Bad("start", limit("[1 N, 2 N]", "\nstart: run.nc"), 7, ("follow.start", "has a run in it, no orbit")),
    Bad("at", limit("[1 N, 2 N]", "\nat: 3 N"), 7, ("follow.at: unknown key",)),
    Bad(
        "no load", follow("parameter: bearing.limit\nbetween: [1 N, 2 N]", "silent"), 4, ("{on: x, cosine: {amplitude",)
    ),
    Bad(
        "no frequency",
        follow("parameter: bearing.limit\nbetween: [1 N, 2 N]", "no-base"),
        4,
        ("follow: a frequency is needed; give frequency: 12 Hz, or an orbit with start:",),
    ),
    # ---- modes
    Bad("mode zero", mode("mode: 0"), 5, ("nonlinear_mode.mode: mode must be a whole number from 1 to 1, got 0",)),
    Bad("mode half", mode("mode: 1.5"), 5, ("nonlinear_mode.mode: must be a whole number",)),
    Bad("a second mode", mode("mode: 2"), 5, ("nonlinear_mode.mode", "from 1 to 1")),
    Bad("a method", mode("method: shooting"), 5, ("nonlinear_mode.method: unknown key",)),
    Bad("no amplitude", mode("amplitudes: []"), 5, (f"{AMPLITUDES}: is an empty list", "such as [0.01]")),
    Bad("below zero", mode("amplitudes: [0.1, -1]"), 5, (f"{AMPLITUDES}[1]: must be an amplitude > 0, got -1",)),
    Bad("a displacement", mode("amplitudes: [1 mm]"), 5, (f"{AMPLITUDES}[0]", "coordinate: x makes it the displac")),
    Bad("of an angle", mode("coordinate: phi\namplitudes: 1 mm"), 6, (f"{AMPLITUDES}: must be in units like rad",)),
    Bad("from zero", mode("between: [0, 1]"), 5, ("nonlinear_mode.between[0]: must be an amplitude > 0",)),
    Bad("no unit", mode("between: [1 foo, 2 foo]"), 5, ("nonlinear_mode.between[0]: ", "foo")),
    Bad("one end", mode("between: [1]"), 5, ("nonlinear_mode.between: must be two amplitudes, such as [0.01, 1]",)),
    Bad("beyond numbers", mode("between: [1, 1e200]"), 5, ("nonlinear_mode.between", "between 1e-60 and 1e+60")),
    Bad("both", mode("amplitudes: 1\nbetween: [1, 2]"), 5, (f"{AMPLITUDES}: between: and amplitudes: are both given",)),
    Bad("no coordinate", mode("coordinate: fi"), 5, ("nonlinear_mode.coordinate: no free coordinate 'fi'",)),
    Bad("no harmonics", mode("harmonics: 0"), 5, ("nonlinear_mode.harmonics", "from 1 to 1000, got 0")),
    Bad("sustain", mode("sustain: both"), 5, ('nonlinear_mode.sustain: sustain must be "first" or "all"',)),
    Bad("static limit", mode("mode: 1", "sticky"), 4, ("nonlinear_mode", "leave the static limit out")),
    # ---- pictures of modes
    Bad(
        "quantity",
        drawn("quantity: rms"),
        6,
        ("output.plot.quantity: the picture of a nonlinear mode has no quantity",),
    ),
    Bad("no curves", drawn("curves: []"), 6, ("output.plot.curves: is an empty list",)),
    Bad("a run as curve", drawn("curves: run.nc"), 6, ("output.plot.curves", "has a run in it, no curve")),
    Bad("beside nothing", drawn("coordinate: phi"), 6, ("output.plot.coordinate", "curves: [response.nc]")),
    # ---- no study at all
    Bad("a model", MODEL, 1, ("is a model, not a study of one; `slipstick new NAME --study study.yaml` writes",)),
]
