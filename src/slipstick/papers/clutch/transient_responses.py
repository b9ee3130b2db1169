"""Figs 6 and 7: responses of the clutch with rounded, smoothed and exact contacts, in two readings of the paper.

Angles and contact actions are of the same runs, which are made once for both figures of a reading.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.laws.friction import DryFriction
from slipstick.laws.piecewise_linear import Freeplay
from slipstick.papers.certificate_summary import certificate_line
from slipstick.papers.comparison_rows import NOT_PRINTED_TEXT, number_row, statement_row
from slipstick.papers.entry import EntryContent, EntryRequest
from slipstick.papers.knob import Knob
from slipstick.papers.reproduction import Row
from slipstick.plot import style
from slipstick.systems.clutch import LAWS, ROTOR_PAIRS, clutch

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

    from slipstick.api import Model
    from slipstick.results.run import Run

UNTIL, STEP = 0.12, 4e-7  # s, of the paper
SAMPLES = 3001
LINE_STYLES: dict[str, dict[str, Any]] = {
    "sqrt": {"color": style.BLUE},
    "tanh": {"color": style.ACCENT, "lw": 1.2},
    "exact": {"color": style.INK, "ls": ":"},
}
NAMES = {"sqrt": "square root", "tanh": "tanh", "exact": "exact laws"}
ACTIONS = {"springs": 4, "spline": 5, "plate": 2, "flywheel": 3}  # over which delta, or its rate
SLIDING = ("plate", "flywheel")
# the diaphragm is stiff: what each of the two holds while both stick depends on how it came about, their sum does not
CONTACT_PANELS = (("springs",), ("spline",), SLIDING)
TITLES = {
    "springs": "springs over δ₄",
    "spline": "spline over δ₅",
    "plate": "plate over the rate of δ₂",
    "flywheel": "flywheel over the rate of δ₃",
}
PRINTED: dict[str, tuple[str, ...]] = {"paper": ("595391", "605054"), "consistent": ()}
KNOBS = (
    Knob("frequency", 120.0, 20.0, 1000.0, "of the torque's first harmonic, N_e F_e", "rad/s"),
    Knob("mean_torque", 300.0, 0.0, 1000.0, "T_m, mean of the torque", "N m"),
    Knob("torque_amplitude", 250.0, 0.0, 1000.0, "T_p, amplitude of the torque", "N m"),
    Knob("friction_torque", 350.0, 10.0, 2000.0, "T_s, the torque at which plate and flywheel slip", "N m"),
    Knob("spring_half_gap", 0.125, 0.01, 0.5, "b_dss, where the springs' second stage begins", "rad"),
    Knob("spring_ratio", 0.167, 0.0, 1.0, "alpha_dss, of the springs' first stage"),
    Knob("spline_half_gap", 0.2, 0.01, 0.5, "b_sc, half the clearance of the spline", "rad"),
    Knob("spline_stiffness", 3e5, 1e4, 1e6, "K_sc of the spline", "N m/rad"),
)
ANGLES, CONTACTS = ("factorisations", "spline", "largest"), ("tanh", "plate")  # how rows of Figs 6 and 7 begin


def clutch_run(reading: str, laws: str, changed: Mapping[str, float] | None = None) -> Run:
    """The paper's 0.12 s from rest: Newmark with its step for rounded laws, the exact flow for exact ones.

    changed : numbers of `KNOBS` that are not the printed ones.
    """
    m = clutch(reading, laws, **keywords(changed or {}))
    if laws == "exact":
        return m.simulate(UNTIL, method="exact", samples=SAMPLES)
    return m.simulate(UNTIL, method="newmark", step=STEP, newton="full", samples=SAMPLES)


def keywords(changed: Mapping[str, float]) -> dict[str, Any]:
    """Numbers of `KNOBS` as keywords of the system."""
    given: dict[str, Any] = dict(changed)
    if "torque_amplitude" in given:
        given["torque_amplitudes"] = (given.pop("torque_amplitude"),)
    return given


def relative_angles(at: xarray.DataArray) -> Any:
    """(5, t) delta_1 .. delta_5, or their rates, from those of the coordinates."""
    if "delta1" in at["coordinate"].values:
        return np.array([at.sel(coordinate=f"delta{i}").values for i in range(1, 6)])
    pairs = [(f"theta{a}", f"theta{b}") for a, b in ROTOR_PAIRS]
    return np.array([at.sel(coordinate=a).values - at.sel(coordinate=b).values for a, b in pairs])


def runs_of_reading(reading: str) -> Callable[[EntryRequest], EntryContent]:
    """The three runs of a reading."""

    def compute(request: EntryRequest) -> EntryContent:
        runs = {}
        for i, laws in enumerate(LAWS):
            request.progress(f"{reading}, {NAMES[laws]}", i / len(LAWS))
            runs[laws] = clutch_run(reading, laws, request.changed)
        data = _data(runs)
        exact = clutch(reading, "exact", **keywords(request.changed))
        return EntryContent(
            data,
            (*_of_angles(reading, runs, data, exact), *_of_contacts(data, exact)),
            f"reading {reading}; Newmark, full Newton, {STEP:g} s; exact laws by the exact flow",
            certificate_line({NAMES[laws]: run for laws, run in runs.items()}, "rad"),
        )

    return compute


def _data(runs: dict[str, Run]) -> xarray.Dataset:
    """Angles delta; the contact actions, and the angles or rates that they are drawn over."""
    import xarray

    times = np.linspace(0.0, UNTIL, SAMPLES)
    delta, over, force = [], [], []
    for run in runs.values():
        at = run.data.sel(time=times, method="nearest")
        angles, rates = relative_angles(at["displacement"]), relative_angles(at["velocity"])
        delta.append(angles)
        over.append([(rates if name in SLIDING else angles)[i - 1] for name, i in ACTIONS.items()])
        force.append([at["force"].sel(connection=name).values for name in ACTIONS])
    along = ("laws", "action", "time")
    return xarray.Dataset(
        {
            "delta": (("laws", "angle", "time"), np.array(delta), {"units": "rad"}),
            "over": (along, np.array(over), {"units": "rad, of plate and flywheel rad/s"}),
            "force": (along, np.array(force), {"units": "N m"}),
        },
        coords={
            "laws": list(runs),
            "angle": range(1, 6),
            "action": list(ACTIONS),
            "time": ("time", times, {"units": "s"}),
        },
    )


def _of_angles(reading: str, runs: dict[str, Run], data: xarray.Dataset, exact: Model) -> tuple[Row, ...]:
    steps = round(UNTIL / STEP)
    free = {laws: _free(data, laws, exact) for laws in LAWS}
    apart = [float(np.abs(data["delta"].sel(laws=laws) - data["delta"].sel(laws="exact")).max()) for laws in LAWS[:2]]
    return (
        number_row(
            "factorisations, square root and tanh",
            [runs[laws].stats.factorisations for laws in LAWS[:2]],
            form=".0f",
            printed=PRINTED[reading],
            explains=1.1 * steps,
            why="a better first guess: one correction a step instead of two",
        ),
        statement_row(
            "spline out of contact",
            "longer with the square root",
            "; ".join(f"{NAMES[laws]} {1e3 * free[laws]:.2f} ms" for laws in LAWS),
            same=free["sqrt"] > free["tanh"],
        ),
        statement_row(
            "largest distance from exact laws",
            "tanh is farther from them",
            f"square root {apart[0]:.2g} rad; tanh {apart[1]:.2g} rad",
            same=apart[0] < apart[1],
        ),
    )


def _free(data: xarray.Dataset, laws: str, exact: Model) -> float:
    """[s] while the spline is out of contact."""
    law = exact.connection("spline").law
    assert isinstance(law, Freeplay)
    gap = np.abs(data["delta"].sel(laws=laws, angle=5).values) < law.half_gap
    return float(gap.mean() * UNTIL)


def _of_contacts(data: xarray.Dataset, exact: Model) -> tuple[Row, ...]:
    """Distances of the actions from those of exact laws, and creep of a rounded plate while the exact one sticks."""
    law = exact.connection("plate").law
    assert isinstance(law, DryFriction)
    assert isinstance(law.limit, float)
    stuck = np.abs(data["force"].sel(laws="exact", action="plate").values) < law.limit * (1.0 - 1e-9)
    over = [data["over"].sel(laws=laws, action="plate").values[stuck] for laws in LAWS[:2]]
    creep = [float(np.abs(rates).max(initial=0.0)) for rates in over]
    off = {laws: [_rms_off(data, laws, names) for names in CONTACT_PANELS] for laws in LAWS[:2]}
    text = "; ".join(
        f"{' and '.join(names)} {root:.2g}, {smooth:.2g}"
        for names, root, smooth in zip(CONTACT_PANELS, off["sqrt"], off["tanh"], strict=True)
    )
    return (
        statement_row(
            "tanh and discontinuities: rms from exact laws [N m], square root and tanh",
            "not well represented",
            text,
            same=all(smooth > root for root, smooth in zip(off["sqrt"], off["tanh"], strict=True)),
        ),
        Row(
            "plate while the exact one sticks",
            NOT_PRINTED_TEXT,
            f"{100.0 * stuck.mean():.0f} % of the time; the square root creeps by up to {creep[0]:.2g}, "
            f"tanh by {creep[1]:.2g} rad/s",
            "a rounded law carries nothing at rest",
        ),
    )


def _rms_off(data: xarray.Dataset, laws: str, names: tuple[str, ...]) -> float:
    """[N m] of the sum of some actions, from that of exact laws."""
    force = data["force"].sel(action=list(names)).sum("action")
    return float(np.sqrt(((force.sel(laws=laws) - force.sel(laws="exact")) ** 2).mean()))


def draw_displacements(data: xarray.Dataset) -> Figure:
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(5, 1, figsize=(8.0, 10.0), sharex=True)
    for ax, angle in zip(axes, data["angle"].values, strict=True):
        for laws in LAWS:
            ax.plot(
                1e3 * data["time"], data["delta"].sel(laws=laws, angle=angle), label=NAMES[laws], **LINE_STYLES[laws]
            )
        ax.set_ylabel(f"δ{'₁₂₃₄₅'[int(angle) - 1]} [rad]")
    axes[-1].set_xlabel("time [ms]")
    axes[0].set_title("Relative angles of the clutch")
    axes[0].legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=3, borderaxespad=0.2)  # lines fill the frame
    return figure


def draw_actions(data: xarray.Dataset) -> Figure:
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(2, 2, figsize=(10.0, 7.4))
    for ax, name in zip(axes.flat, ACTIONS, strict=True):
        for laws in LAWS:
            one = data.sel(laws=laws, action=name)
            look = {**LINE_STYLES[laws], "ls": "none", "marker": ".", "ms": 2.5 if laws != "exact" else 1.5}
            ax.plot(one["over"], one["force"], label=NAMES[laws], **look)
        ax.set(title=TITLES[name], ylabel="torque [N m]")
        ax.set_xlabel("rate [rad/s]" if name in SLIDING else "angle [rad]")
        if name in SLIDING:
            ax.set_xlim(-0.1, 0.3)  # where rounded laws creep
    axes[0, 0].legend(markerscale=4.0)
    return figure
