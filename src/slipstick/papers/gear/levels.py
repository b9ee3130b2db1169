"""The four-body train and its three simplifications: the same torque on all of them, and how they come together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.errors import InvalidInput
from slipstick.papers.entry import Content, Work
from slipstick.papers.reproduction import Row
from slipstick.plot import style
from slipstick.systems.gear import gear

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

    from slipstick.api import Model
    from slipstick.reduce.reduction import Reduction

UNTIL = 4.0  # s
SOON = 1.5  # s: later, impacts make any difference large
LIGHT = 1e-4  # kg m^2, of the wheels in the figure of motions
INERTIAS = (1e-3, 1e-4, 1e-5, 1e-6)
FRICTIONS = (1.0, 1e-1, 1e-2, 1e-3)  # of what the wheels' bearings have
WHEELS = ("delta", "gamma")
LEVELS = ("primary", "simplification 1", "simplification 2", "simplification 3")


def primary(inertia: float = LIGHT, share: float = 1.0) -> Model:
    """The train with wheels of this inertia, and a share of their bearings' friction."""
    limit, damping = 0.01 * share, 0.02 * share
    return gear(
        inertia_delta=inertia,
        inertia_gamma=inertia,
        limit_delta=limit,
        limit_gamma=limit,
        damping_delta=damping,
        damping_gamma=damping,
    )


def simplified(model: Model, level: int) -> Reduction:
    """Simplification 1: wheels without inertia; 2: and without friction; 3: linear, with teeth that do not give way."""
    if level == 1:
        return model.reduce(massless=WHEELS)
    if level == 2:
        return model.reduce(massless=WHEELS, frictionless=WHEELS)
    return model.reduce(
        massless=WHEELS,
        frictionless=WHEELS,
        rigid=["mesh"],
        no_gap=["input", "mesh", "output"],
        no_limit=["bearing psi", "bearing phi"],
    )


def motions(work: Work) -> Content:
    """psi and the torque of the teeth over time, for the primary model and all three simplifications."""
    import xarray

    times = np.linspace(0.0, UNTIL, 1601)
    whole = primary()
    psi, torque, segments = [], [], []
    for level, name in enumerate(LEVELS):
        work.progress(name, level / len(LEVELS))
        model = simplified(whole, level).model if level else whole
        run = model.simulate(until=UNTIL, samples=times)
        at = run.data.sel(time=times, method="nearest")
        psi.append(at["displacement"].sel(coordinate="psi").values)
        torque.append(_mesh(model, at))
        segments.append(run.stats.steps)
    units = {"psi": "rad", "mesh": "N m"}
    data = xarray.Dataset(
        {
            "psi": (("level", "time"), np.array(psi), {"units": units["psi"]}),
            "mesh": (("level", "time"), np.array(torque), {"units": units["mesh"]}),
        },
        coords={"level": list(LEVELS), "time": ("time", times, {"units": "s"})},
    )
    law: Any = simplified(whole, 2).model.connection("psi-phi").law
    rows = (
        Row(
            "Simplification 2, stiffness",
            "1/(1/k1 + 1/k2 + p^2/k3)",
            f"{law.stiffness:.6g} N m/rad",
            "the same formula, by the rules of reduce",
        ),
        Row(
            "Simplification 2, half gap",
            "that of the teeth",
            f"{law.half_gap:.6g} rad",
            "the sum of all three; the paper's own text below it has that",
        ),
        Row("delta in Simplification 1", "mu delta' + luz = 0", "mu delta' = luz", "as printed it runs away"),
        Row("segments of the exact flow", "-", ", ".join(map(str, segments)), "what a light wheel costs"),
    )
    return Content(data, rows, "m.reduce, and exact runs of every level", "rounding in every run; energy in balance")


def _mesh(model: Model, data: xarray.Dataset) -> Any:
    """(t,) the torque in the teeth on the first wheel; the merged spring bears the same where they are in it."""
    name = "mesh" if any(one.name == "mesh" for one in model.connections) else "psi-phi"
    return data["force"].sel(connection=name).values


def convergence(work: Work) -> Content:
    """The distance of psi from the simplified model: over the wheels' inertia, and over their friction."""
    import xarray

    times = np.linspace(0.0, SOON, 801)
    light, smooth = [], []
    for i, inertia in enumerate(INERTIAS):
        work.progress(f"inertia {inertia:g}", i / 8)
        whole = primary(inertia)
        light.append(_distance(whole, simplified(whole, 1).model, times))
    bare = simplified(primary(), 2).model
    for i, share in enumerate(FRICTIONS):
        work.progress(f"friction {share:g}", 0.5 + i / 8)
        smooth.append(_distance(simplified(primary(share=share), 1).model, bare, times))
    data = xarray.Dataset(
        {
            "to_first": ("inertia", np.array(light), {"units": "rad"}),
            "to_second": ("friction", np.array(smooth), {"units": "rad"}),
        },
        coords={
            "inertia": ("inertia", np.array(INERTIAS), {"units": "kg m^2"}),
            "friction": ("friction", np.array(FRICTIONS), {"units": "1"}),
        },
    )
    orders = [_order(INERTIAS, light), _order(FRICTIONS, smooth)]
    rows = (
        Row("primary to Simplification 1", "inertia goes to 0", f"order {orders[0]:.2f}", "in proportion"),
        Row("Simplification 1 to 2", "all limits at once", f"order {orders[1]:.2f}", "friction goes after inertia"),
        Row(
            "wheels without friction first",
            "allowed",
            _friction_first(),
            "they rattle for ever: that limit does not exist",
        ),
    )
    return Content(data, rows, "exact runs of 1.5 s", "rounding in every run")


def _friction_first() -> str:
    """What comes of wheels that have lost their friction before their inertia."""
    try:
        simplified(primary(share=0.0), 1)
    except InvalidInput:
        return "refused"
    return "allowed"


def _distance(one: Model, other: Model, times: Any) -> float:
    runs = [model.simulate(until=SOON, samples=times).data for model in (one, other)]
    psi = [data["displacement"].sel(coordinate="psi").sel(time=times, method="nearest").values for data in runs]
    return float(np.abs(psi[0] - psi[1]).max())


def _order(sizes: tuple[float, ...], distances: list[float]) -> float:
    return float(np.polyfit(np.log(sizes[1:]), np.log(distances[1:]), 1)[0])


def draw_motions(data: xarray.Dataset) -> Figure:
    from matplotlib import pyplot as plt

    figure, (top, bottom) = plt.subplots(2, 1, figsize=(8.5, 6.4), sharex=True)
    looks: list[dict[str, Any]] = [
        {"color": style.GREY, "lw": 4.0},
        {"color": style.BLUE},
        {"color": style.ACCENT, "ls": "--"},
        {"color": style.GREEN, "lw": 1.2},
    ]
    for level, look in zip(data["level"].values, looks, strict=True):
        top.plot(data["time"], data["psi"].sel(level=level), label=level, **look)
        bottom.plot(data["time"], data["mesh"].sel(level=level), **look)
    top.set(ylabel="ψ [rad]", title="Gear train and its simplifications")
    bottom.set(xlabel="time [s]", ylabel="torque in the teeth [N m]")
    top.legend(ncols=2)
    return figure


def draw_convergence(data: xarray.Dataset) -> Figure:
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9.5, 4.2), sharey=True)
    for ax, name, over, words in (
        (axes[0], "to_first", "inertia", "inertia of each wheel [kg m²]"),
        (axes[1], "to_second", "friction", "share of the wheels' friction [1]"),
    ):
        x, y = data[over].values, data[name].values
        ax.loglog(x, y, "o-", color=style.BLUE)
        ax.loglog(x, y[-1] * x / x[-1], ":", color=style.GREY, label="first order")
        ax.set_xlabel(words)
        ax.legend()
    axes[0].set(ylabel="largest difference of ψ [rad]", title="Primary to Simplification 1")
    axes[1].set_title("Simplification 1 to 2")
    return figure
