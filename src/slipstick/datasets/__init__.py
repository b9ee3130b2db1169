"""Data that come with slipstick: synthetic loops, made by scripts/make_datasets.py from laws that are known.

Nobody measured them. Files, loops and this page say so; they stand in for rigs until you have your own.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from slipstick.errors import InvalidInput, did_you_mean, shown

if TYPE_CHECKING:
    from slipstick.identification.loop import Loop


class Described(NamedTuple):
    """words : what it is.   labels, frequencies : of its loops, in the order of the file; [Hz]."""

    words: str
    labels: tuple[str, ...] = ("",)
    frequencies: tuple[float, ...] = ()


# what the loops of a set were made with, in their order: each amplitude at each frequency
FREQUENCIES = (1.0, 20.0, 40.0, 60.0, 80.0)  # Hz
AMPLITUDES = (5e-4, 1e-3, 2e-3, 3e-3, 4e-3, 5e-3, 6e-3, 7e-3, 8e-3, 1e-2)  # strain
JOINT_FREQUENCIES = (20.0, 100.0)  # Hz
JOINT_AMPLITUDES = (8e-6, 2e-5, 5e-5)  # m
GAP_AMPLITUDES = (4e-4, 7e-4, 1e-3)  # m


def _grid(words: str, frequencies: tuple[float, ...], labels: tuple[str, ...]) -> Described:
    """Loops of each frequency, with labels of their amplitudes."""
    every = [(hertz, label) for hertz in frequencies for label in labels]
    return Described(words, tuple(f"{hertz:g} Hz, {label}" for hertz, label in every), tuple(h for h, _ in every))


def _fibre(words: str) -> Described:
    return _grid(words, FREQUENCIES, tuple(f"strain {strain:g}" for strain in AMPLITUDES))


NAMES: dict[str, Described] = {
    "tensioner-masing": Described("a belt tensioner on its rig: Masing with a damper, 5 kHz, 5 N of noise, a drift"),
    "tensioner-dahl": Described("the same with the modified Dahl law"),
    "fibre-set-1": _fibre("entangled fibres in shear: ten amplitudes at five frequencies, 20 Pa of noise"),
    "fibre-set-2": _fibre("the same for a second set of samples, with more friction"),
    "joint-lag": _grid(
        "fifty sliders with a fixture's inertia and a sensor that lags: no law fits",
        JOINT_FREQUENCIES,
        tuple(f"{1e6 * metres:g} um" for metres in JOINT_AMPLITUDES),
    ),
    "worn-rig": Described("the tensioner's rig while it wears: no law fits"),
    "series-gap": Described(
        "freeplay in series with friction: no law fits", tuple(f"{1e3 * metres:.1f} mm" for metres in GAP_AMPLITUDES)
    ),
}


def dataset_path(name: str) -> Path:
    """The file of a set, a packed CSV (.csv.gz) with a head that says what it is."""
    if name not in NAMES:
        hint = did_you_mean(name, NAMES) if isinstance(name, str) else f"; there are {', '.join(NAMES)}"
        raise InvalidInput(f"there is no dataset {shown(name)}{hint}").about("name")
    return Path(__file__).parent / f"{name}-synthetic.csv.gz"


def dataset(name: str) -> list[Loop]:
    """The loops of a set that comes with slipstick; all are synthetic. `slipstick.datasets.NAMES` has the names."""
    from slipstick.identification.loop import Loop
    from slipstick.identification.tables import read_loops

    path = dataset_path(name)
    own = NAMES[name]
    loops = read_loops(path, by="loop") if len(own.labels) > 1 else read_loops(path)
    hertz = own.frequencies or (None,) * len(loops)
    return [
        Loop(
            loop.u, loop.f, loop.t, name=f"synthetic {name}{f', {label}' if label else ''}",
            notes=("synthetic: made from a known law, never measured", *loop.notes), frequency=frequency,
            system=loop.system,
        )
        for loop, label, frequency in zip(loops, own.labels, hertz, strict=True)
    ]  # fmt: skip
