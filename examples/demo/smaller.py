"""A gear train made small by the algebra of luz and tar, with the reasons, and whether that was justified."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import matplotlib.pyplot as plt
from chapter import Chapter

import slipstick as ss
from slipstick.plot import style

if TYPE_CHECKING:
    from slipstick.results.comparison import Comparison
    from slipstick.results.run import Run

TITLE = "A gear train made small, with the reasons"
UNTIL = 3.5  # s
WHEELS = ["delta", "gamma"]


class Smaller(NamedTuple):
    """The reduction, runs of the train and of the small model, and how they come together."""

    reduction: ss.Reduction
    runs: dict[str, Run]
    comparison: Comparison


def make(out: Path) -> Smaller:
    """Four bodies with play and friction; the two wheels lose inertia and friction, by rules and not by hand."""
    train = ss.systems.gear(inertia_delta=1e-6, inertia_gamma=1e-6, limit_delta=1e-3, limit_gamma=1e-3,
                            damping_delta=5e-4, damping_gamma=5e-4)  # fmt: skip
    reduction = train.reduce(massless=WHEELS, frictionless=WHEELS)
    runs = {"four bodies": train.simulate(until=UNTIL), "two bodies": reduction.model.simulate(until=UNTIL)}
    comparison = reduction.compare(until=1.5, scales=(1.0, 0.1, 0.01))
    (out / "gear-train.tex").write_text(reduction.latex(), encoding="utf-8")
    return Smaller(reduction, runs, comparison)


def chapter(found: Smaller, out: Path) -> Chapter:
    """The small model's equations, its motion beside that of the train, and how the difference vanishes."""
    law = found.reduction.model.connection("psi-phi").law
    whole, small = found.runs.values()
    errors = found.comparison.differences.max(axis=1)
    return Chapter(
        words="Two bodies and two light wheels between them; shafts and teeth have play, bearings have dry friction. "
        "Neglecting the wheels is a list of rewriting steps, each with what it assumes; out comes one spring with one "
        "gap, whose numbers follow from all three. Whether that was justified is measured: with a tenth and a "
        "hundredth of what was neglected, the train comes to the small model in proportion.",
        headline=f"one spring of {law.stiffness:.2f} N m/rad, half gap {law.half_gap:.4f} rad, stands for three",
        heading=("quantity", "value"),
        rows=[
            *((str(name), str(value)) for name, value in _formulas(found.reduction)),
            ("segments of the exact flow", f"{whole.stats.steps} for four bodies, {small.stats.steps} for two"),
            ("largest difference in 1.5 s, as neglected", f"{errors[0]:.2g} rad"),
            ("with a tenth and a hundredth of it", f"{errors[1]:.2g} rad, {errors[2]:.2g} rad"),
        ],
        certificate="; ".join(f"{words}: certificate {run.certificate.verdict}" for words, run in found.runs.items()),
        good=all(run.certificate.passed for run in found.runs.values()),
        figure=draw(found.runs),
        notes=tuple(str(step).splitlines()[0] for step in found.reduction.steps),
        files=(out / "gear-train.tex",),
    )


def _formulas(reduction: ss.Reduction) -> list[tuple[str, str]]:
    """Numbers of the small model that follow from those of the train."""
    lines = str(reduction.equations).splitlines()
    return [tuple(line.split(" = ", 1)) for line in lines if line.startswith(("k_", "a_"))]  # type: ignore[misc]


def draw(runs: dict[str, Run]) -> plt.Figure:
    """The angle of the driven body, and the twist between both ends."""
    with style.house_style():
        figure, (top, bottom) = plt.subplots(2, 1, figsize=(9.0, 5.0), sharex=True)
        looks = ({"color": style.GREY, "linewidth": 4.5}, {"color": style.ACCENT, "linewidth": 1.4})
        for look, (words, run) in zip(looks, runs.items()):
            angle = run.data["displacement"]
            psi, phi = angle.sel(coordinate="psi"), angle.sel(coordinate="phi")
            top.plot(run.data["time"], phi, label=words, **look)
            bottom.plot(run.data["time"], psi - 2.0 * phi, **look)
        top.set_ylabel("φ [rad]")
        top.legend(loc="upper right", ncols=2)
        bottom.set(xlabel="time [s]", ylabel="ψ − 2φ [rad]", xlim=(0.0, UNTIL))
    return figure
