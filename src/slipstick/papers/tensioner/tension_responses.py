"""Fig. 21 (b), (c): the range of the belt's tension over frequency, for sixteen forces, by shooting."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from slipstick.api import frequency_response
from slipstick.laws.dahl import ModifiedDahl
from slipstick.papers.certificate_summary import ErrorEvidence, certificate_line
from slipstick.papers.comparison_rows import number_row, statement_row
from slipstick.papers.entry import EntryContent, EntryRequest
from slipstick.papers.reproduction import Row
from slipstick.plot import style
from slipstick.systems.tensioner import tensioner

if TYPE_CHECKING:
    from collections.abc import Sequence

    import xarray
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from slipstick.api import Model
    from slipstick.arrays import Array
    from slipstick.results.curve import Curve


PRINTED: Mapping[str, float] = {}  # no number is changed
FORCES = (13, 27, 41, 54, 67, 79, 90, 100, 110, 120, 140, 160, 200, 230, 260, 300)  # N, (59c), (60)
NAMES = {"modified-dahl": "modified Dahl", "masing": "Masing"}
LARGEST_MEASURED_FORCE = 120  # N, the largest force of the experiment
FREQUENCIES = np.linspace(10.0, 125.0, 116)  # rad/s, (59d)
FREQUENCIES_PER_JOB = 8  # frequencies of a job by the paper's scheme, so that the bar moves
STEEP_RANGE = (24.0, 40.0)  # rad/s, where the largest force has its resonance
LARGE_FORCE = 200  # N, above which section 4.4 sees a sub-harmonic and a jump
REFERENCE_POINTS = ((13, 70), (54, 65), (120, 73), (160, 50), (300, 20))  # N, rad/s of what follows
# max T - min T [N] over the window by another program; where steady, that of the orbit too
REFERENCE_RANGES = {
    "modified-dahl": ("386.34103", "628.96535", "637.11540", "679.50374", "648.53374"),
    "masing": ("145.27024", "579.04913", "636.32671", "684.65332", "636.35489"),
    "masing, by (A.7)": ("145.65773", "579.48184", "636.60219", "684.88190", "636.37674"),
}
UNSTEADY_POINT, UNSTEADY_ORBIT_RANGE, UNSTEADY_WINDOW_RANGE = (
    (13, 50.0),
    "54.52855",
    "54.5964",
)  # N, rad/s; N, N by other programs


class ResponseLine(NamedTuple):
    """Of one law and force, at these frequencies: range of tension [N], its harmonics [N], stability, and trust.

    harmonics : (k, H) amplitudes of orders 1, 2 ...; of no order where the scheme of the paper marched.
    """

    range: Array
    harmonics: Array
    stable: bool
    evidence: ErrorEvidence


def response_curve(law: str, force: float, numbers: Mapping[str, float] = PRINTED, **given: Any) -> Curve:
    """Orbits of the system over frequency; the damper of the Masing law follows it.   numbers : of its knobs."""
    return frequency_response(
        lambda omega: tensioner(law, amplitude=float(force), frequency=omega, **numbers), method="shooting", **given
    )


def by_orbits(
    law: str, force: float, frequencies: Sequence[float], numbers: Mapping[str, float] = PRINTED
) -> ResponseLine:
    """The range of tension of periodic orbits, and what harmonics it has."""
    curve = response_curve(law, force, numbers, at=frequencies)
    data = curve.data
    belt: Any = tensioner(law, **numbers).connection("belt").law
    stretch = data["harmonics"].sel(coordinate="u1").values - data["harmonics"].sel(coordinate="u2").values
    turns = np.arange(stretch.shape[1]) * data["frequency"].values[:, None]  # rad/s of every harmonic
    sizes = np.abs(stretch * (belt.stiffness + 1j * belt.damping * turns))
    stable = bool(data["stable"].values.all())
    return ResponseLine(
        data["force_range"].sel(connection="belt").values, sizes[:, 1:], stable, ErrorEvidence.of(curve)
    )


def by_scheme(
    law: str, force: float, frequencies: Sequence[float], numbers: Mapping[str, float] = PRINTED
) -> ResponseLine:
    """The same by the paper's way: marched from rest and read over [17, 20] s, which is slow."""
    ranges, evidence = tension_range_by_marching(law, force, frequencies, **numbers)
    return ResponseLine(ranges, np.empty((ranges.size, 0)), True, evidence)


def response_family(law: str) -> Callable[[EntryRequest], EntryContent]:
    """All forces and frequencies with one of the laws."""

    def compute(request: EntryRequest) -> EntryContent:
        lines = _lines(law, request)
        data = _family_dataset(law, lines, request.changed)
        evidence = [one.evidence for one in lines.values()]
        rows = _points(law, data, request.own_scheme)
        if law == "modified-dahl" and not request.own_scheme and not request.changed:
            rows += [_unsteady(data), *_of_section_4_4(law, data, all(one.stable for one in lines.values()))]
        method = METHODS[law] if request.own_scheme else "shooting: periodic orbits, 16 forces by 116 frequencies"
        return EntryContent(data, tuple(rows), method, certificate_line(evidence, "m"), own_scheme=request.own_scheme)

    return compute


def _lines(law: str, request: EntryRequest) -> dict[int, ResponseLine]:
    """By force; on as many processes as there are workers."""
    make, size = (by_scheme, FREQUENCIES_PER_JOB) if request.own_scheme else (by_orbits, FREQUENCIES.size)
    pieces = [FREQUENCIES[i : i + size] for i in range(0, FREQUENCIES.size, size)]
    wanted = [(force, i) for force in FORCES for i in range(len(pieces))]
    found: dict[tuple[int, int], ResponseLine] = {}
    if request.workers <= 1:
        for force, i in wanted:
            request.progress(f"{force} N", len(found) / len(wanted))
            found[force, i] = make(law, force, pieces[i].tolist(), request.changed)
    else:
        with ProcessPoolExecutor(request.workers, mp_context=get_context("spawn")) as pool:
            jobs = {
                pool.submit(make, law, force, pieces[i].tolist(), request.changed): (force, i) for force, i in wanted
            }
            for job in as_completed(jobs):
                found[jobs[job]] = job.result()
                request.progress(f"{jobs[job][0]} N", len(found) / len(wanted))
    return {force: _joined([found[force, i] for i in range(len(pieces))]) for force in FORCES}


def _joined(lines: list[ResponseLine]) -> ResponseLine:
    return ResponseLine(
        np.concatenate([one.range for one in lines]),
        np.concatenate([one.harmonics for one in lines]),
        all(one.stable for one in lines),
        ErrorEvidence.joint(one.evidence for one in lines),
    )


def _family_dataset(law: str, lines: dict[int, ResponseLine], numbers: Mapping[str, float]) -> xarray.Dataset:
    """Everything that is drawn: ranges, the peaks below the resonances with their orders, and the linear limits."""
    import xarray

    newton = {"units": "N"}
    peaks = [(force, *peak) for force, line in lines.items() for peak in superharmonic_peaks(line)]
    columns = np.array(peaks, dtype=float).reshape(len(peaks), 4).T
    data = xarray.Dataset(
        {
            "range": (("force", "frequency"), np.array([lines[force].range for force in FORCES]), newton),
            **{
                name: ("frequency", line, {"units": "1"})
                for name, line in linear_limits(law, FREQUENCIES, **numbers).items()
            },
        },
        coords={
            "force": ("force", list(FORCES), newton),
            "frequency": ("frequency", FREQUENCIES, {"units": "rad/s"}),
        },
    )
    names = (("peak_force", "N"), ("peak_frequency", "rad/s"), ("peak_order", "1"), ("peak_harmonic", "N"))
    if peaks:  # a dimension of length zero cannot be kept in a file
        for (name, unit), column in zip(names, columns, strict=True):
            data[name] = ("peak", column, {"units": unit})
    return data


def superharmonic_peaks(line: ResponseLine) -> list[tuple[float, int, float]]:
    """Frequency [rad/s], order and size [N] of its largest higher harmonic, of every peak below the resonance."""
    size, top = line.range, int(np.argmax(line.range))
    if not line.harmonics.shape[1]:
        return []
    hills = [i for i in range(1, top) if size[i] > size[i - 1] and size[i] >= size[i + 1]]
    orders = [int(np.argmax(line.harmonics[i, 1:])) + 2 for i in hills]
    return [(float(FREQUENCIES[i]), n, float(line.harmonics[i, n - 1])) for i, n in zip(hills, orders, strict=True)]


def _points(law: str, data: xarray.Dataset, own_scheme: bool) -> list[Row]:
    known = REFERENCE_RANGES["masing, by (A.7)" if own_scheme and law == "masing" else law]
    return [
        number_row(f"max T - min T at {force} N, {omega} rad/s", float(data["range"].sel(force=force, frequency=omega)),
                 form=".5f", unit="N", paper="read off a picture", independent=one, within=2e-5)
        for (force, omega), one in zip(REFERENCE_POINTS, known, strict=True)
    ]  # fmt: skip


def _unsteady(data: xarray.Dataset) -> Row:
    """Where the paper's window is not steady yet: the orbit, and a run as the paper made it."""
    force, omega = UNSTEADY_POINT
    orbit = float(data["range"].sel(force=force, frequency=omega))
    window = float(tension_range_by_marching("modified-dahl", force, [omega])[0][0])
    return number_row(f"at {force} N, {omega:g} rad/s: orbit, and over [17, "
                      f"20] s", (orbit, window), form=".4f", unit="N",
                    paper="the window", independent=(UNSTEADY_ORBIT_RANGE, UNSTEADY_WINDOW_RANGE), within=5e-5,
                    why="the window is not steady yet")  # fmt: skip


def _of_section_4_4(law: str, data: xarray.Dataset, stable: bool) -> list[Row]:
    """The paper's statements on large forces with the modified Dahl law: a sub-harmonic at a third, and a jump."""
    thirds = _of_order(data, 3, above=LARGE_FORCE)
    text = ", ".join(f"{at:.0f} rad/s ({force:.0f} N)" for force, at in thirds)
    folds = [one for one in response_curve(law, FORCES[-1], between=STEEP_RANGE).special if one["kind"] == "fold"]
    return [
        statement_row(f"peaks below the resonance, above {LARGE_FORCE} N", "a sub-harmonic",
               f"third harmonic at {text or 'none'}", same=not (thirds and stable),
               why="super-harmonics: all orbits are stable and repeat with the force"),
        statement_row("a jump at large forces", "yes", f"{len(folds)} folds at {FORCES[-1]} N", same=bool(folds),
               why="steep, but the curve turns nowhere"),
    ]  # fmt: skip


def _of_order(data: xarray.Dataset, order: int, above: float = 0.0) -> list[tuple[float, float]]:
    """Force [N] and frequency [rad/s] of the peaks of this order."""
    if "peak_order" not in data:
        return []
    columns = (data[f"peak_{name}"].values for name in ("force", "frequency", "order"))
    return [(float(f), float(w)) for f, w, n in zip(*columns, strict=True) if n == order and f > above]


def family_drawing(law: str) -> Callable[[xarray.Dataset], Figure]:
    """What draws the family of a law, which is named as `slipstick.systems.tensioner` does."""
    return partial(_draw, title=f"Range of tension, {NAMES[law]} law, {FORCES[0]} to {FORCES[-1]} N")


def _draw(data: xarray.Dataset, title: str) -> Figure:
    """Solid lines up to the forces of the experiment, dash-dotted ones beyond, as printed; colours show the force."""
    from matplotlib import pyplot as plt
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import BoundaryNorm, ListedColormap

    figure, ax = plt.subplots(figsize=(8.6, 5.6))
    forces = data["force"].values
    shades = ListedColormap(plt.get_cmap("viridis")(np.linspace(0.0, 0.9, forces.size)))
    for i, force in enumerate(forces):
        dashes = "-" if force <= LARGEST_MEASURED_FORCE else "-."
        ax.plot(data["frequency"], data["range"].sel(force=force), dashes, color=shades(i), lw=1.3)
    limit = (("stick", forces[0], "--", "always stuck"), ("slip", forces[-1], ":", "always slipping"))
    for name, force, dashes, words in limit:
        ax.plot(data["frequency"], force * data[name], dashes, color=style.INK, lw=1.4, label=f"{words}, {force} N")
    _mark(ax, data)
    ax.set(xlabel="frequency Ω [rad/s]", ylabel="max T − min T [N]", title=title)
    ax.set_ylim(0.0, max(1600.0, 1.05 * float(data["range"].max())))
    scale = ScalarMappable(BoundaryNorm(np.arange(forces.size + 1) - 0.5, forces.size), shades)
    bar = figure.colorbar(scale, ax=ax, pad=0.02, aspect=30)
    bar.set_ticks(list(range(forces.size)), labels=[str(force) for force in forces])
    bar.set_label(f"force [N]; dash-dotted above {LARGEST_MEASURED_FORCE}")
    ax.legend()
    return figure


def _mark(ax: Axes, data: xarray.Dataset) -> None:
    """A sign at every peak below the resonance, one for each order."""
    if "peak_order" not in data:
        return
    for order, sign in zip(np.unique(data["peak_order"].values), "osD^v", strict=False):
        places = _of_order(data, int(order))
        heights = [float(data["range"].sel(force=force, frequency=at)) for force, at in places]
        ax.plot([at for _, at in places], heights, sign, ms=4, mfc="white", color=style.ACCENT, zorder=4,
                label=f"super-harmonic of order {order:.0f}")  # fmt: skip


# ---- limits: a tensioner that always sticks, and one that always slips


def linear_limits(
    law: str, frequencies: Sequence[float] | NDArray[np.float64], **numbers: float
) -> dict[str, NDArray[np.float64]]:
    """(k,) range of tension per newton of force, "stick" and "slip".   numbers : of the system, other than printed.

    Masing: both springs and the damper, or without the friction's spring. Modified Dahl: a small motion turns between
    branches that meet halfway between the envelopes, where their slopes are the same (stick); a large one follows the
    envelopes, whose mean slope is left (slip). Neither has any damping but the belt's.
    """
    lines: dict[str, list[float]] = {"stick": [], "slip": []}
    for omega in frequencies:
        model = tensioner(law, frequency=float(omega), **numbers)
        for name, holder in _tensioner_stiffness(model).items():
            lines[name].append(2.0 * _tension(model, float(omega), holder))
    return {name: np.array(values) for name, values in lines.items()}


def _tensioner_stiffness(model: Model) -> dict[str, complex]:
    """The tensioner in stick and in slip: stiffness and i omega damping [N/m]."""
    law: Any = model.connection("tensioner").law
    place = 0.0
    if isinstance(law, ModifiedDahl):  # its middle line bears what hangs on it
        held = sum(load.function.parts().constant for load in model.loads)
        place = (held - law.midway(0.0)) / law.linearised("slip").stiffness
    each = {state: law.linearised(state, place) for state in ("stick", "slip")}
    return {state: one.stiffness + 1j * float(model.frequency or 0.0) * one.damping for state, one in each.items()}


def _tension(model: Model, omega: float, holder: complex) -> float:
    """[1] amplitude of the tension over that of the force, with a linear tensioner."""
    mass, idler = (float(one.inertia) for one in model.coordinates)
    law: Any = model.connection("belt").law
    belt, held = law.stiffness + 1j * omega * law.damping, holder - idler * omega**2
    series = belt * held / (belt + held)
    return float(abs(series / (series - mass * omega**2)))


# ---- marching in time, as in the paper

WINDOW, STEP, SAMPLES = (17.0, 20.0), 1e-5, 300_001  # s, s: (59a); a sample a step, as crests are narrow
METHODS = {
    "masing": "the paper's scheme (A.7), 1e-5 s, from rest, seen over [17, 20] s",
    "modified-dahl": "adaptive steps where the paper has Matlab's, from rest and the force (51), seen over [17, 20] s",
}


def tension_range_by_marching(
    law: str, force: float, frequencies: Sequence[float], **numbers: float
) -> tuple[NDArray[np.float64], ErrorEvidence]:
    """(k,) max T - min T [N] over the window at these frequencies, and the certificates of the runs.

    numbers : of the system, other than printed.
    """
    method: dict[str, Any] = {"method": "inclusion", "step": STEP} if law == "masing" else {"method": "events"}
    times = np.linspace(*WINDOW, SAMPLES)
    ranges, evidence = [], []
    for omega in frequencies:
        model = tensioner(law, amplitude=float(force), frequency=float(omega), **numbers)
        run = model.simulate(WINDOW[1], samples=times, **method)
        tension = run.data["force"].sel(connection="belt", time=slice(WINDOW[0] - 0.5 * STEP, None))
        ranges.append(float(np.ptp(tension.values)))
        evidence.append(ErrorEvidence.of(run))
    return np.array(ranges), ErrorEvidence.joint(evidence)
