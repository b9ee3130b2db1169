"""Make the data that slipstick ships: `python scripts/make_datasets.py` writes src/slipstick/datasets/*.csv.gz.

SYNTHETIC, all of them: laws with known numbers, driven along a known motion, with noise from a seeded generator. Nobody
measured them. They stand in for rigs, so that identification can be tried and tested against what is known to be true.

    tensioner-masing, tensioner-dahl   the rig of the tensioner paper (29), (32): 5 kHz, noise, a force that drifts
    fibre-set-1, fibre-set-2           the samples of the fibre paper: ten amplitudes at five frequencies each
    joint-lag, worn-rig, series-gap    from outside every law that can be fitted; a ranking must say so
"""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import slipstick as ss
from slipstick.datasets import FIBRE_AMPLITUDES, FIBRE_FREQUENCIES, GAP_AMPLITUDES, JOINT_AMPLITUDES, JOINT_FREQUENCIES
from slipstick.papers.fibre.synthetic_loops import SEEDS as FIBRE_SEEDS
from slipstick.papers.fibre.synthetic_loops import SETS as FIBRE
from slipstick.papers.fibre.synthetic_loops import STRESS_NOISE, TRENDS
from slipstick.papers.fibre.synthetic_loops import set_law as fibre_law
from slipstick.papers.fibre.synthetic_loops import synthetic_record as fibre_recorded
from slipstick.papers.tensioner.rig import DAMPED_MASING, PHASE, PRELOAD, RIG_DAHL, SWING
from slipstick.papers.tensioner.synthetic_loops import DEFLECTION_NOISE, DRIFT, FORCE_NOISE
from slipstick.papers.tensioner.synthetic_loops import SEEDS as RIG_SEEDS
from slipstick.papers.tensioner.synthetic_loops import imposed_deflection as rig_motion
from slipstick.papers.tensioner.synthetic_loops import synthetic_record as rig_recorded
from slipstick.scalar import luz
from slipstick.systems.tensioner import IDENTIFIED_AT, MASING_PARAMETERS

HERE = Path(__file__).resolve().parent.parent / "src" / "slipstick" / "datasets"
WARNING = "SYNTHETIC DATA: made by scripts/make_datasets.py from a known law, never measured."


class Table(NamedTuple):
    """What a file holds: words for its head, columns with their units, digits behind the point, and rows."""

    words: tuple[str, ...]
    columns: tuple[str, ...]
    digits: tuple[int, ...]
    rows: np.ndarray


# ---- the tensioner's rig: (29), (32), with the laws of (33), (35) and (36)

TENSIONER = {"tensioner-masing": DAMPED_MASING, "tensioner-dahl": RIG_DAHL}


def tensioner(name: str, seed: int) -> Table:
    """Four cycles, settled."""
    law = TENSIONER[name]
    t, u, f = rig_recorded(law, seed)
    words = (
        f"A belt tensioner on the rig of Bastien et al. (29), (32), after {law!r}",
        f"noise {FORCE_NOISE:g} N and {1e6 * DEFLECTION_NOISE:g} um (standard deviations)",
        f"the force drifts {DRIFT:g} N/s",
    )
    return Table(words, ("t [s]", "u [mm]", "F [N]"), (4, 5, 2), np.column_stack((t, 1e3 * u, f)))


# ---- the fibre paper's samples


def fibre(name: str, seed: int) -> Table:
    """Two and a half settled cycles for each frequency and amplitude, after the laws of `FIBRE`."""
    parts = [
        np.column_stack((np.full(t.size, i), t, strain, stress))
        for i, (t, strain, stress) in enumerate(fibre_recorded(name, seed), start=1)
    ]
    words = (
        f"Entangled fibres in shear after Piollet et al.; at 20 Hz {fibre_law(name, 20.0)!r}",
        "a factor e of frequency changes " + " and ".join(f"{k} by {100.0 * v:g} %" for k, v in TRENDS[name].items()),
        f"noise {STRESS_NOISE:g} Pa - frequencies {' '.join(f'{f:g}' for f in FIBRE_FREQUENCIES)} Hz; at each one "
        f"strain amplitudes {' '.join(f'{a:g}' for a in FIBRE_AMPLITUDES)}",
    )
    return Table(words, ("loop", "t [s]", "strain", "stress [Pa]"), (0, 7, 8, 1), np.concatenate(parts))


# ---- outside every family

FIXTURE, LAG, JOINT_NOISE = 1.5, 1e-4, 0.5  # kg, s, N


def joint() -> ss.Iwan:
    """Fifty sliders whose ways to slip spread evenly in the logarithm, softer the farther they go."""
    ways = np.geomspace(1e-6, 6e-5, 50)  # m
    stiffness = ways**-0.4
    stiffness *= 1.6e7 / stiffness.sum()  # N/m, all together
    return ss.Iwan(stiffnesses=tuple(stiffness), limits=tuple(stiffness * ways), parallel_stiffness=2e6)


def lagged(f: np.ndarray, step: float, lag: float) -> np.ndarray:
    """A sensor of first order behind a force that is straight between samples, from rest."""
    keep = np.exp(-step / lag)
    slope = np.diff(f, prepend=f[0]) / step
    seen, y = np.empty_like(f), f[0]
    for i, (force, rise) in enumerate(zip(f, slope, strict=True)):
        settled = force - rise * lag
        y = settled + (y - (force - rise * step - rise * lag)) * keep
        seen[i] = y
    return seen


def joint_lag(name: str, seed: int) -> Table:
    """A fixture between sensor and joint moves along, and the sensor is late."""
    del name
    rng, parts, law, fine = np.random.default_rng(seed), [], joint(), 10
    for frequency in JOINT_FREQUENCIES:
        omega = 2.0 * np.pi * frequency
        t = np.arange(1300 * fine) / (400.0 * fine * frequency)  # three cycles and a quarter, 400 samples each
        for amplitude in JOINT_AMPLITUDES:
            u = amplitude * np.sin(omega * t)
            f = lagged(law.trace(u) - FIXTURE * omega**2 * u, float(t[1]), LAG)
            number = np.full(1300, len(parts) + 1)
            noisy = f[::fine] + rng.normal(0.0, JOINT_NOISE, 1300)
            parts.append(np.column_stack((number, t[::fine], 1e6 * u[::fine], noisy)))
    words = (
        "A bolted joint of 50 Jenkins elements: ways to slip from 1 to 60 um, 1.6e7 N/m in all, 2e6 N/m beside them",
        f"a fixture of {FIXTURE:g} kg moves between joint and sensor, the sensor lags by {1e3 * LAG:g} ms",
        f"noise {JOINT_NOISE:g} N - frequencies 20 and 100 Hz - no law of the package fits, and a ranking must say so",
    )
    return Table(words, ("loop", "t [s]", "u [um]", "F [N]"), (0, 6, 4, 2), np.concatenate(parts))


WORN, SOFTER, WITHIN = 0.4, 0.05, 4.0  # of the limit, of the spring beside; cycles to 63 % of both


def worn_rig(name: str, seed: int) -> Table:
    """The tensioner's rig with friction that wears and a spring that softens, cycle by cycle."""
    del name
    rng = np.random.default_rng(seed)
    t = np.arange(5400) * 1e-3  # eight cycles at 1 kHz
    u = rig_motion(t)
    worn = 1.0 - np.exp(-IDENTIFIED_AT * t / (2.0 * np.pi) / WITHIN)  # of what wears in the end
    rate = SWING * IDENTIFIED_AT * np.cos(IDENTIFIED_AT * t + PHASE)
    f, memory = np.empty_like(u), None
    for i, share in enumerate(worn):
        less = {"limit": 1.0 - WORN * share, "parallel_stiffness": 1.0 - SOFTER * share}
        law = ss.Masing(
            **{key: value * less.get(key, 1.0) for key, value in MASING_PARAMETERS.items()}, preload=PRELOAD
        )
        f[i], memory = law.update(float(u[i]), float(rate[i]), law.start(float(u[i])) if memory is None else memory)
    rows = np.column_stack((t, 1e3 * u, f + rng.normal(0.0, FORCE_NOISE, t.size)))
    words = (
        f"The belt tensioner's rig while it wears: the limit of friction falls from {MASING_PARAMETERS['limit']:g} N "
        f"by {100.0 * WORN:g} %",
        f"and the spring beside it from {MASING_PARAMETERS['parallel_stiffness']:g} N/m by "
        f"{100.0 * SOFTER:g} %; 63 % of that "
        f"within {WITHIN:g} cycles",
        f"stiffness {MASING_PARAMETERS['stiffness']:g} N/m - damping {MASING_PARAMETERS['damping']:g} N s/m "
        f"- preload {PRELOAD:g} N",
        f"noise {FORCE_NOISE:g} N - no law of the package fits, and a ranking must say so",
    )
    return Table(words, ("t [s]", "u [mm]", "F [N]"), (3, 6, 2), rows)


GAP, CONTACT, GAP_NOISE = 1e-4, 5e6, 1.0  # m, N/m, N
BEHIND_THE_GAP = ss.Masing(stiffness=4e5, limit=120.0, parallel_stiffness=1e5)


def in_series(u: np.ndarray, law: ss.Law) -> np.ndarray:
    """The force of a gap with stiff sides in series with a law: what lies between has no mass, so both forces agree."""
    from scipy.optimize import brentq

    f, memory, x = np.empty_like(u), law.start(0.0), 0.0

    def unbalanced(place: float, end: float) -> float:
        """One force grows with the place between, the other falls."""
        return law.update(place, 0.0, memory)[0] - CONTACT * luz(end - place, GAP)

    for i, end in enumerate(u):
        x = brentq(unbalanced, x - 1e-3, x + 1e-3, args=(float(end),), xtol=1e-15)
        f[i], memory = law.update(x, 0.0, memory)
    return f


def series_gap(name: str, seed: int) -> Table:
    """A worn pin: freeplay in series with a spring and a slider."""
    del name
    rng, parts = np.random.default_rng(seed), []
    t = np.arange(1125) * 1e-3
    for amplitude in GAP_AMPLITUDES:
        u = amplitude * np.sin(4.0 * np.pi * t)
        f = in_series(u, BEHIND_THE_GAP) + rng.normal(0.0, GAP_NOISE, t.size)
        parts.append(np.column_stack((np.full(t.size, len(parts) + 1), t, 1e3 * u, f)))
    words = (
        f"Freeplay with a half gap of {1e3 * GAP:g} mm and sides of {CONTACT:g} N/m in series with {BEHIND_THE_GAP!r}",
        f"noise {GAP_NOISE:g} N - 2 Hz - no law of the package fits, and a ranking must say so",
    )
    return Table(words, ("loop", "t [s]", "u [mm]", "F [N]"), (0, 3, 6, 2), np.concatenate(parts))


# ---- files

MAKERS: dict[str, tuple[Callable[[str, int], Table], int]] = {
    **{f"tensioner-{law}": (tensioner, seed) for law, seed in RIG_SEEDS.items()},
    **{name: (fibre, FIBRE_SEEDS[name]) for name in FIBRE},
    "joint-lag": (joint_lag, 5),
    "worn-rig": (worn_rig, 6),
    "series-gap": (series_gap, 7),
}


def made(name: str, seed: int | None = None) -> Table:
    """The table of a set, with the noise of the file or of another seed."""
    maker, own = MAKERS[name]
    return maker(name, own if seed is None else seed)


def lines_of(table: Table) -> Iterator[str]:
    """The lines of a file."""
    for words in (WARNING, *table.words):
        yield f"# {words}"
    yield ",".join(table.columns)
    form = ",".join(f"%.{n}f" for n in table.digits)
    for row in table.rows:
        yield form % tuple(row)


def write(name: str, folder: Path = HERE) -> Path:
    """Write a set; the same bytes every time, so without the hour in the packed file."""
    path = folder / f"{name}-synthetic.csv.gz"
    text = "\n".join(lines_of(made(name))) + "\n"
    path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    return path


def main(arguments: Any = None) -> None:
    for name in arguments or MAKERS:
        path = write(name)
        print(f"{path.name}: {path.stat().st_size / 1024:.0f} kB")


if __name__ == "__main__":
    main()
