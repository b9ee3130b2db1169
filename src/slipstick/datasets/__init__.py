"""Synthetic loops that come with slipstick, generated from known laws by scripts/make_datasets.py.

They are not measurements. The files, the loops and this page say so; use them until you have your own data.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from slipstick.errors import InvalidInput, short_repr
from slipstick.name_hints import did_you_mean

if TYPE_CHECKING:
    from slipstick.identification.loop import Loop


class DatasetInfo(NamedTuple):
    """words : what it is.   labels, frequencies : of its loops, in the order of the file; [Hz]."""

    words: str
    labels: tuple[str, ...] = ("",)
    frequencies: tuple[float, ...] = ()


# what the loops of a set were made with, in their order: each amplitude at each frequency
FIBRE_FREQUENCIES = (1.0, 20.0, 40.0, 60.0, 80.0)  # Hz
FIBRE_AMPLITUDES = (5e-4, 1e-3, 2e-3, 3e-3, 4e-3, 5e-3, 6e-3, 7e-3, 8e-3, 1e-2)  # strain
JOINT_FREQUENCIES = (20.0, 100.0)  # Hz
JOINT_AMPLITUDES = (8e-6, 2e-5, 5e-5)  # m
GAP_AMPLITUDES = (4e-4, 7e-4, 1e-3)  # m


def _grid(words: str, frequencies: tuple[float, ...], labels: tuple[str, ...]) -> DatasetInfo:
    """Loops of each frequency, with labels of their amplitudes."""
    every = [(hertz, label) for hertz in frequencies for label in labels]
    return DatasetInfo(words, tuple(f"{hertz:g} Hz, {label}" for hertz, label in every), tuple(h for h, _ in every))


def _fibre(words: str) -> DatasetInfo:
    return _grid(words, FIBRE_FREQUENCIES, tuple(f"strain {strain:g}" for strain in FIBRE_AMPLITUDES))


NAMES: dict[str, DatasetInfo] = {
    "tensioner-masing": DatasetInfo("a belt tensioner on its rig: Masing with a damper, 5 kHz, 5 N of noise, a drift"),
    "tensioner-dahl": DatasetInfo("the same with the modified Dahl law"),
    "fibre-set-1": _fibre("entangled fibres in shear: ten amplitudes at five frequencies, 20 Pa of noise"),
    "fibre-set-2": _fibre("the same for a second set of samples, with more friction"),
    "joint-lag": _grid(
        "fifty sliders with a fixture's inertia and a sensor that lags: no law fits",
        JOINT_FREQUENCIES,
        tuple(f"{1e6 * metres:g} um" for metres in JOINT_AMPLITUDES),
    ),
    "worn-rig": DatasetInfo("the tensioner's rig while it wears: no law fits"),
    "series-gap": DatasetInfo(
        "freeplay in series with friction: no single law fits",
        tuple(f"{1e3 * metres:.1f} mm" for metres in GAP_AMPLITUDES),
    ),
}


def dataset_path(name: str) -> Path:
    """The file of a set, a packed CSV (.csv.gz) with a head that says what it is."""
    if name not in NAMES:
        hint = did_you_mean(name, NAMES) if isinstance(name, str) else f"; there are {', '.join(NAMES)}"
        raise InvalidInput(f"there is no dataset {short_repr(name)}{hint}").about("name")
    return Path(__file__).parent / f"{name}-synthetic.csv.gz"


def dataset(name: str) -> list[Loop]:
    """The loops of a set that comes with slipstick; all are synthetic. `slipstick.datasets.NAMES` has the names."""
    from slipstick.identification.loop import Loop
    from slipstick.identification.reading.loop_tables import TableOptions, read_loops

    path = dataset_path(name)
    own = NAMES[name]
    loops = read_loops(path, TableOptions(by="loop")) if len(own.labels) > 1 else read_loops(path)
    hertz = own.frequencies or (None,) * len(loops)
    return [
        Loop(
            loop.u, loop.f, loop.t, name=f"synthetic {name}{f', {label}' if label else ''}",
            notes=("synthetic: made from a known law, never measured", *loop.notes), frequency=frequency,
            system=loop.system,
        )
        for loop, label, frequency in zip(loops, own.labels, hertz, strict=True)
    ]  # fmt: skip
