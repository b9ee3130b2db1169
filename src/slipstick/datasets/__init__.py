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


_FIBRE = (1.0, 20.0, 40.0, 60.0, 80.0)  # Hz
_STRAINS = (5e-4, 1e-3, 2e-3, 3e-3, 4e-3, 5e-3, 6e-3, 7e-3, 8e-3, 1e-2)


def _fibre(words: str) -> Described:
    labels = tuple(f"{hertz:g} Hz, strain {strain:g}" for hertz in _FIBRE for strain in _STRAINS)
    return Described(words, labels, tuple(hertz for hertz in _FIBRE for _ in _STRAINS))


NAMES: dict[str, Described] = {
    "tensioner-masing": Described("a belt tensioner on its rig: Masing with a damper, 5 kHz, 5 N of noise, a drift"),
    "tensioner-dahl": Described("the same with the modified Dahl law"),
    "fibre-set-1": _fibre("entangled fibres in shear: ten amplitudes at five frequencies, 20 Pa of noise"),
    "fibre-set-2": _fibre("the same for a second set of samples, with more friction"),
    "joint-lag": Described(
        "fifty sliders with a fixture's inertia and a sensor that lags: no law fits",
        tuple(f"{hertz} Hz, {um} um" for hertz in (20, 100) for um in (8, 20, 50)),
        (20.0,) * 3 + (100.0,) * 3,
    ),
    "worn-rig": Described("the tensioner's rig while it wears: no law fits"),
    "series-gap": Described(
        "freeplay in series with friction: no law fits", tuple(f"{mm} mm" for mm in (0.4, 0.7, 1.0))
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
