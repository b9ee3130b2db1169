"""An orbit of harmonic balance as a curve stores it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from slipstick.periodic.balance.accuracy import accuracy
from slipstick.periodic.balance.motion import Connected, all_pairs, free_pairs
from slipstick.periodic.balance.stability import stability
from slipstick.periodic.balance.waves import as_series
from slipstick.results.orbit import OrbitPoint

if TYPE_CHECKING:
    from slipstick.periodic.balance.balance import Balance

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]

NEWTON = 4  # steps to an extreme, from the largest of many samples
CLOSES = 1e-9  # of its force: what may be left open by a memory before it is noted


def point(family: Balance, x: Array, p: float) -> OrbitPoint:
    """The orbit x at the frequency p [rad/s], without its error and its multipliers."""
    found = family.linearise(x, p)
    free = free_pairs(family, x, p)
    pairs = all_pairs(family, free)
    acts = Connected(family, free, p)
    series = as_series(pairs)
    motion = series @ family.fine_waves.values_across
    period = 2.0 * np.pi * family.order / p
    harmonics = np.concatenate([pairs[:, -1:], pairs[:, :-1]], axis=1).conj().T
    return OrbitPoint(
        p=p,
        x=x.copy(),
        frequency=p,
        period=period,
        multipliers=np.zeros(0, dtype=np.complex128),
        stable=None,
        amplitude=0.5 * (highest(harmonics, motion) + highest(-harmonics, -motion)),
        rms=np.sqrt(series[:, -1] ** 2 + 0.5 * (series[:, :-1] ** 2).sum(axis=1)),
        mean=series[:, -1].copy(),
        harmonics=harmonics,
        phase=np.angle(harmonics[family.order]),
        force_range=acts.force_range,
        dissipated=period * (acts.force * acts.rate).mean(axis=1),
        stick_share=acts.sticks.mean(axis=1),
        lag=acts.lags(),
        error=float("nan"),
        residual=float(np.abs(found.residual).max(initial=0.0)),
        notes=tuple(_notes(family, acts)),
    )


def highest(harmonics: Complex, samples: Array) -> Array:
    """(n,) the largest values of series Re sum c_h e^(i h angle), (H+1, n), by Newton from those of samples (n, k)."""
    count = samples.shape[1]
    h = np.arange(harmonics.shape[0])[:, None]
    place = np.argmax(samples, axis=1)
    angle, width = 2.0 * np.pi / count * place, 2.0 * np.pi / count
    middle = angle.copy()
    for _ in range(NEWTON):
        turning = harmonics * np.exp(1j * h * angle)
        slope, bend = (1j * h * turning).real.sum(axis=0), -(h**2 * turning).real.sum(axis=0)
        step = np.divide(-slope, bend, out=np.zeros(slope.size), where=bend < 0.0)
        angle = np.clip(angle + step, middle - width, middle + width)
    values = (harmonics * np.exp(1j * h * angle)).real.sum(axis=0)
    return np.asarray(np.maximum(values, samples[np.arange(place.size), place]))


def judged(family: Balance, point: OrbitPoint) -> OrbitPoint:
    """A point with its error and its multipliers, which take several times as long as the rest."""
    x, p = point.x, point.p
    found = family.linearise(x, p)
    figure = accuracy(family, x, p, found, free_pairs(family, x, p))
    stable = stability(family, x, p)
    return replace(
        point,
        multipliers=stable.multipliers,
        stable=stable.stable,
        error=figure.error,
        notes=(*point.notes, *figure.notes, *stable.notes),
    )


def _notes(family: Balance, acts: Connected) -> list[str]:
    """What a reader should know of how the laws were followed."""
    notes = []
    names = [family.problem.system.connections[c].name for c in family.lines.connections]
    for member, gap in zip(family.lines.members, family.follower.open, strict=True):
        if not gap <= CLOSES:
            notes.append(
                f'"{names[member.line]}": the cycle does not close ({gap:.1e} of its force is left after it); '
                "the law keeps drifting, and this is no periodic response of it"
            )
    for connection, row in enumerate(acts.sticks):
        if (row == 0.0).sum() <= 1 and not np.isnan(row).any():  # led to its limit, it touches it at one sample
            name = family.problem.system.connections[connection].name
            notes.append(f'"{name}" never slips: where it rests depends on how the motion began')
    rounded = [names[m.line] for m in family.lines.members if m.rounds]
    if rounded:
        width = family.width * family.length
        notes.append(
            f"dry friction of {', '.join(rounded)} is rounded over rates up to {width:.2g} times the frequency, "
            'and converges like 1/harmonics; method="shooting" is exact'
        )
    return notes
