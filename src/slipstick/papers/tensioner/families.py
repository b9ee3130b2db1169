"""Fig. 21 (b), (c): the range of the belt's tension over frequency, for sixteen forces, by shooting."""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

import numpy as np

from slipstick.api import frequency_response
from slipstick.papers.entry import Content, Work
from slipstick.papers.reproduction import Row
from slipstick.plot import style
from slipstick.systems.tensioner import tensioner

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

FORCES = (13, 27, 41, 54, 67, 79, 90, 100, 110, 120, 140, 160, 200, 230, 260, 300)  # N, (59c), (60)
FREQUENCIES = np.linspace(10.0, 125.0, 116)  # rad/s, (59d)
WINDOW, STEP = (17.0, 20.0), 1e-5  # s, (59a)
SUPER = 3  # the order of the peak at a third of the resonance
BELOW = 26.0  # rad/s, where that is sought
# max T - min T [N] by direct integration over the window, computed apart
APART = {
    "modified-dahl": (386.34103, 628.96535, 637.11540, 679.50374, 648.53374),
    "masing": (145.27024, 579.04913, 636.32671, 684.65332, 636.35489),
}
AT = ((13, 70), (54, 65), (120, 73), (160, 50), (300, 20))  # N, rad/s of these


def curve(law: str, force: float) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], float]:
    """(116,) the range of tension [N] of the orbits, of their first and third harmonics, and the largest residual."""

    def build(omega: float) -> Any:
        return tensioner(law, amplitude=float(force), frequency=omega)

    data = frequency_response(build, at=FREQUENCIES, method="shooting").data
    tension = _harmonics(data)
    return data["force_range"].sel(connection="belt").values, tension[0], tension[1], float(data["residual"].max())


def _harmonics(data: xarray.Dataset) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Amplitudes [N] of the first and the third harmonic of K (u1 - u2) + C (u1' - u2')."""
    stretch = data["harmonics"].sel(coordinate="u1").values - data["harmonics"].sel(coordinate="u2").values
    omega = data["frequency"].values
    sizes = [np.abs(stretch[:, n]) * np.hypot(560e3, 160.0 * n * omega) for n in (1, SUPER)]
    return sizes[0], sizes[1]


def by_scheme(law: str, force: float) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], float]:
    """The same as the paper made it: marched from rest with 1e-5 s, seen over [17, 20] s; slow."""
    ranges = np.empty(FREQUENCIES.size)
    method: dict[str, Any] = {"method": "inclusion", "step": STEP} if law == "masing" else {"method": "adaptive"}
    times = np.linspace(*WINDOW, 30_001)
    for i, omega in enumerate(FREQUENCIES):
        run = tensioner(law, amplitude=float(force), frequency=float(omega)).simulate(
            WINDOW[1], samples=times, **method
        )
        ranges[i] = float(np.ptp(run.data["force"].sel(connection="belt").values))
    return ranges, np.full_like(ranges, np.nan), np.full_like(ranges, np.nan), math.nan


def family(law: str) -> Callable[[Work], Content]:
    def compute(work: Work) -> Content:
        import xarray

        make = by_scheme if work.own_scheme else curve
        found = _curves(make, law, work)
        size, first, third = (np.array([found[force][i] for force in FORCES]) for i in range(3))
        dims, newton = ("force", "frequency"), {"units": "N"}
        limits = _limits(law)
        data = xarray.Dataset(
            {
                "range": (dims, size, newton),
                "first": (dims, first, newton),
                "third": (dims, third, newton),
                **{name: ("frequency", line, {"units": "1"}) for name, line in limits.items()},
            },
            coords={"force": list(FORCES), "frequency": ("frequency", FREQUENCIES, {"units": "rad/s"})},
        )
        residual = max(found[force][3] for force in FORCES)
        trust = (
            "orbits close: largest residual " + f"{residual:.0e}" if not work.own_scheme else "first order in its step"
        )
        return Content(data, tuple(_rows(law, data, work.own_scheme)), _method(work.own_scheme), trust)

    return compute


def _method(own_scheme: bool) -> str:
    if own_scheme:
        return "marched from rest as in (59a), seen over [17, 20] s"
    return "shooting: periodic orbits, 16 forces by 116 frequencies"


def _curves(make: Callable[..., Any], law: str, work: Work) -> dict[int, Any]:
    if work.workers <= 1:
        found = {}
        for i, force in enumerate(FORCES):
            work.progress(f"{force} N", i / len(FORCES))
            found[force] = make(law, force)
        return found
    with ProcessPoolExecutor(work.workers, mp_context=get_context("spawn")) as pool:
        jobs = {pool.submit(make, law, force): force for force in FORCES}
        found = {}
        for job in as_completed(jobs):
            found[jobs[job]] = job.result()
            work.progress(f"{jobs[job]} N", len(found) / len(FORCES))
    return found


def _limits(law: str) -> dict[str, Any]:
    """(116,) range of tension per newton of force of the linear system that always sticks, and that always slips."""
    if law != "masing":
        return {}
    lines = {}
    for state in ("stick", "slip"):
        values = []
        for omega in FREQUENCIES:
            k = 2.34e5 + (4.84e5 if state == "stick" else 0.0)
            values.append(2.0 * _tension(float(omega), k, 1.93e4 * 9.4 / float(omega)))
        lines[state] = np.array(values)
    return lines


def _tension(omega: float, stiffness: float, damping: float) -> float:
    """[1] amplitude of the tension over that of the force, with a linear tensioner."""
    belt = 560e3 + 160.0j * omega
    holder = stiffness + 1j * omega * damping - 0.15 * omega**2
    series = belt * holder / (belt + holder)
    return float(abs(series / (series - 73.84 * omega**2)))


def _rows(law: str, data: xarray.Dataset, own_scheme: bool) -> list[Row]:
    rows = []
    for (force, omega), apart in zip(AT, APART[law], strict=True):
        here = float(data["range"].sel(force=force, frequency=omega))
        rows.append(
            Row(
                f"max T - min T at {force} N, {omega} rad/s",
                "read off a picture",
                f"{here:.5f} N",
                f"computed apart by direct integration: {apart:.5f} N",
            )
        )
    if law == "modified-dahl" and not own_scheme:
        here = float(data["range"].sel(force=13, frequency=50.0))
        rows.append(
            Row(
                "at 13 N, 50 rad/s: orbit",
                "window [17, 20] s",
                f"{here:.5f} N",
                "the window gives 54.5964: it is not steady there, multipliers go up to 0.998",
            )
        )
    if not own_scheme:
        third = _low_third(data)
        rows.append(
            Row(
                "peak at a third of the resonance",
                "sub-harmonic",
                f"third harmonic {float(third.max()):.0f} N at {float(third.idxmax()):.0f} rad/s, 300 N",
                "an odd super-harmonic: three times the frequency meets the resonance",
            )
        )
        rows.append(
            Row("a jump at large forces", "yes", "none up to 300 N", "steep, but one orbit for every frequency")
        )
    return rows


def draw(data: xarray.Dataset) -> Figure:
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(8.0, 5.6))
    for i, force in enumerate(data["force"].values):
        measured = force <= 120
        shade = plt.get_cmap("viridis")(i / (data.sizes["force"] - 1) * 0.9)
        ax.plot(data["frequency"], data["range"].sel(force=force), "-" if measured else "-.", color=shade, lw=1.3)
    limits = (("stick", 13, "--", "always stuck, 13 N"), ("slip", 300, ":", "always slipping, 300 N"))
    for name, force, dashes, words in limits:
        if name in data:
            ax.plot(data["frequency"], force * data[name], dashes, color=style.INK, lw=1.4, label=words)
    _mark_super(ax, data)
    ax.set(
        xlabel="frequency Ω [rad/s]", ylabel="max T − min T [N]", title="Range of tension, 13 to 300 N", ylim=(0, 1500)
    )
    ax.text(0.99, 0.7, "force grows upwards", transform=ax.transAxes, ha="right", fontsize=8)
    if "stick" in data:
        ax.legend()
    return figure


def _low_third(data: xarray.Dataset) -> xarray.DataArray:
    """The third harmonic of the tension under the largest force, below the frequencies of the resonance itself."""
    return data["third"].sel(force=300).where(data["frequency"] < BELOW)


def _mark_super(ax: Any, data: xarray.Dataset) -> None:
    third = _low_third(data)
    if not np.isfinite(third.values).any():
        return
    at = float(third.idxmax())
    height = float(data["range"].sel(force=300, frequency=at))
    ax.annotate("order 3", (at, height), textcoords="offset points", xytext=(-12, -26), fontsize=8,
                arrowprops={"arrowstyle": "-", "color": style.INK},
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.0})  # fmt: skip
