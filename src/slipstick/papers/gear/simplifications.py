"""The four-body train and its three simplifications: responses to the same torque, and their convergence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.errors import InvalidInput
from slipstick.papers.certificate_summary import certificate_line
from slipstick.papers.comparison_rows import interpretation_row, number_row, statement_row
from slipstick.papers.entry import EntryContent, EntryRequest
from slipstick.papers.reproduction import Row
from slipstick.plot import style
from slipstick.systems.gear import gear

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

    from slipstick.api import Model
    from slipstick.reduction.reduce import Reduction
    from slipstick.results.run import Run

UNTIL = 4.0  # s
COMPARISON_END = 1.5  # s: later, impacts make any difference large
LIGHT_WHEEL_INERTIA = 1e-4  # kg m^2, of the wheels in the figure of motions
INERTIAS = (1e-3, 1e-4, 1e-5, 1e-6)
FRICTIONS = (1.0, 1e-1, 1e-2, 1e-3)  # over the friction of the wheels' bearings
WHEELS = ("delta", "gamma")
BEARINGS = ("bearing psi", "bearing phi")
# more damping than the train's own 0.005: with that, heavy wheels rattle so long that no error can be given
FRICTION = {"limit_delta": 0.01, "limit_gamma": 0.01, "damping_delta": 0.02, "damping_gamma": 0.02}
LEVELS = ("primary", "simplification 1", "simplification 2", "simplification 3")


def primary_train(inertia: float = LIGHT_WHEEL_INERTIA, share: float = 1.0, **numbers: float) -> Model:
    """The train with wheels of this inertia, and a share of their bearings' friction.   numbers : of the train."""
    friction = {name: share * value for name, value in FRICTION.items()}
    return gear(inertia_delta=inertia, inertia_gamma=inertia, **friction, **numbers)


def simplified_train(model: Model, level: int) -> Reduction:
    """Simplification 1: wheels without inertia; 2: and without friction; 3: linear, with teeth that do not give way."""
    if level == 1:
        return model.reduce(massless=WHEELS)
    if level == 2:
        return model.reduce(massless=WHEELS, frictionless=WHEELS)
    return model.reduce(
        massless=WHEELS,
        frictionless=WHEELS,
        rigid=["mesh"],
        # absent parts cannot be neglected
        no_gap=[name for name in ("input", "mesh", "output") if _half_gap(model.connection(name).law)],
        no_limit=[name for name in BEARINGS if getattr(model.connection(name).law, "limit", 0.0)],
    )


def _half_gap(law: Any) -> float:
    """A spring without play is a plain one."""
    return float(getattr(law, "half_gap", 0.0))


def level_motions(request: EntryRequest) -> EntryContent:
    """psi and the torque of the teeth over time, for the primary model and all three simplifications."""
    import xarray

    times = np.linspace(0.0, UNTIL, 1601)
    whole = primary_train(**request.changed)
    psi, torque, runs = [], [], {}
    for level, name in enumerate(LEVELS):
        request.progress(name, level / len(LEVELS))
        model = simplified_train(whole, level).model if level else whole
        run = model.simulate(until=UNTIL, samples=times)
        at = run.data.sel(time=times, method="nearest")
        psi.append(at["displacement"].sel(coordinate="psi").values)
        torque.append(_mesh(model, at))
        runs[name] = run
    units = {"psi": "rad", "mesh": "N m"}
    data = xarray.Dataset(
        {
            "psi": (("level", "time"), np.array(psi), {"units": units["psi"]}),
            "mesh": (("level", "time"), np.array(torque), {"units": units["mesh"]}),
        },
        coords={"level": list(LEVELS), "time": ("time", times, {"units": "s"})},
    )
    counts = [run.stats.steps for run in runs.values()]
    rows = (
        *_merged(whole),
        statement_row("segments of the exact flow", "-", ", ".join(map(str, counts)), same=counts[2] < 0.1 * counts[1],
               holds="nearly all are the wheels' friction, which goes with Simplification 2"),
    )  # fmt: skip
    return EntryContent(data, rows, "m.reduce, and exact runs of every level", certificate_line(runs, "rad"))


def _merged(whole: Model) -> tuple[Row, ...]:
    """The one spring of Simplification 2, beside the paper's formulas with the numbers of the train."""
    law: Any = simplified_train(whole, 2).model.connection("psi-phi").law
    mesh: Any = whole.connection("mesh")
    first, second = (abs(mesh.along.terms[name]) for name in WHEELS)
    shafts: list[Any] = [whole.connection(name).law for name in ("input", "output")]
    ratio, teeth = second / first, _half_gap(mesh.law) / first
    series = 1.0 / (1.0 / shafts[0].stiffness + 1.0 / (mesh.law.stiffness * first**2) + ratio**2 / shafts[1].stiffness)
    gaps = _half_gap(shafts[0]) + teeth + ratio * _half_gap(shafts[1])
    return (
        number_row("Simplification 2, stiffness", law.stiffness, form=".6g", unit="N m/rad", printed=f"{series:.12g}",
                 paper=f"1/(1/k1 + 1/k2 + p^2/k3) = {series:.6g}", within=1e-10),
        number_row("Simplification 2, half gap", _half_gap(law), form=".6g", unit="rad", printed=f"{teeth:.12g}",
                 paper=f"that of the teeth, {teeth:.6g} rad", independent=f"{gaps:.12g}", within=1e-12,
                 why="gaps in series add; the paper's own text below it has that"),
        interpretation_row("delta in Simplification 1", "mu delta' + luz = 0", "mu delta' = luz",
                 "as printed it runs away"),
    )  # fmt: skip


def _mesh(model: Model, data: xarray.Dataset) -> Any:
    """(t,) the torque in the teeth on the first wheel; the merged spring bears the same where they are in it."""
    name = "mesh" if any(one.name == "mesh" for one in model.connections) else "psi-phi"
    return data["force"].sel(connection=name).values


def convergence(request: EntryRequest) -> EntryContent:
    """The distance of psi from the simplified model: over the wheels' inertia, and over their friction."""
    import xarray

    times = np.linspace(0.0, COMPARISON_END, 801)
    light, smooth, runs = [], [], []
    for i, inertia in enumerate(INERTIAS):
        request.progress(f"inertia {inertia:g}", i / 8)
        whole = primary_train(inertia, **request.changed)
        pair = _both(whole, simplified_train(whole, 1).model, times)
        runs += pair
        light.append(_distance(pair, times))
    bare = simplified_train(primary_train(**request.changed), 2).model
    for i, share in enumerate(FRICTIONS):
        request.progress(f"friction {share:g}", 0.5 + i / 8)
        pair = _both(simplified_train(primary_train(share=share, **request.changed), 1).model, bare, times)
        runs += pair
        smooth.append(_distance(pair, times))
    _check_wheels_move(min(*light, *smooth), max(run.certificate.error for run in runs))
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
    refused = _friction_first(**request.changed)
    rows = (
        statement_row("primary to Simplification 1", "inertia goes to 0", _of_order(orders[0]), same=_first(orders[0])),
        statement_row("Simplification 1 to 2", "friction goes to 0", _of_order(orders[1]), same=_first(orders[1])),
        statement_row("wheels without friction first", "allowed", "refused" if refused else "allowed", same=not refused,
               why="they rattle for ever: that limit does not exist"),
    )  # fmt: skip
    return EntryContent(
        data, rows, f"exact runs of {COMPARISON_END} s, inertia to zero before friction", certificate_line(runs, "rad")
    )


def _check_wheels_move(distance: float, error: float) -> None:
    """Rows for a torque that does not reach the wheels: all distances [rad] are below the error of the runs."""
    if distance <= error:
        found = f"got {distance:.1g} rad beside an error of {error:.1g} rad"
        way = "take a larger amplitude, or a smaller limit_psi or input_half_gap"
        raise InvalidInput(f"gear, convergence: the torque must move the wheels, {found}: {way}").about("numbers")


def _of_order(order: float) -> str:
    return f"the distance goes with its power {order:.2f}"


def _first(order: float) -> bool:
    """True if the differences fall in proportion over the four sizes."""
    return abs(order - 1.0) <= 0.1


def _friction_first(**numbers: float) -> bool:
    """Whether wheels that have lost their friction before their inertia are refused."""
    try:
        simplified_train(primary_train(share=0.0, **numbers), 1)
    except InvalidInput:
        return True
    return False


def _both(one: Model, other: Model, times: Any) -> list[Run]:
    return [model.simulate(until=COMPARISON_END, samples=times) for model in (one, other)]


def _distance(runs: list[Run], times: Any) -> float:
    """[rad] the largest distance of psi."""
    each = [run.data["displacement"].sel(coordinate="psi").sel(time=times, method="nearest").values for run in runs]
    return float(np.abs(each[0] - each[1]).max())


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
