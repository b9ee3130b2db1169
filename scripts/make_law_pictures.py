"""The loops of every law: `python scripts/make_law_pictures.py` draws docs/pictures/laws/*.png."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from make_law_pages import DOCS, PUBLIC_LAWS, law_of, memory_of, words_of

import slipstick as ss
from slipstick.laws import name_in_files
from slipstick.plot.style import ACCENT, BAND, BLUE, INK, house_style

SHARES = ((0.3, BAND), (0.6, BLUE), (1.0, INK))  # of the largest amplitude
TURNS = np.array([0.0, 0.8, -0.1, 0.4, -0.1, 0.8, 1.0, -0.6])  # a history with an inner loop, of the amplitude
SI = ("deflection [mm]", "force [N]", 1e3, 1.0)
STRAIN = ("strain [10⁻³]", "stress [kPa]", 1e3, 1e-3)


def draw(name: str, folder: Path) -> None:
    """Loops of three amplitudes; beside them an inner loop, or the force over the rate."""
    law, words = law_of(name), words_of(name)
    if law.rigid_stop is not None:
        _bounces(name, law, folder)
        return
    if law.rigid_contact is not None:
        _thrown_body(name, law, folder)
        return
    if law.directions:
        _contact_loops(name, law, folder)
        return
    amplitude, units = words.amplitude, STRAIN if words.system == "stress" else SI
    remembers = memory_of(law) != "nothing"
    two = remembers or words.over_rate
    with house_style():
        figure, axes = plt.subplots(1, 2 if two else 1, figsize=(8.4 if two else 5.0, 3.4), squeeze=False)
        for share, colour in SHARES if two else SHARES[-1:]:
            _loop(axes[0], law, share * amplitude, colour, units, over_rate=words.over_rate)
        axes[0, 0].set(title=name, xlabel=units[0], ylabel=units[1])
        if words.over_rate:
            axes[0, 1].set(title="The same over the rate", xlabel="rate [mm/s]")
        elif remembers:
            _inner_loop(axes[0, 1], law, amplitude, units)
        figure.savefig(folder / f"{name_in_files(name)}.png")
        plt.close(figure)


def _bounces(name: str, law: Any, folder: Path) -> None:
    """Deflection and rate of a mass that a force presses on a stop."""
    m = ss.Model("mass")
    x = m.coordinate("x", inertia=1.0)
    m.load(x, ss.Constant(1.0))
    m.connect(x, law, name="stop")
    s = m.simulate(until=1.1, samples=np.linspace(0.0, 1.1, 4001)).samples
    with house_style():
        figure, axes = plt.subplots(1, 2, figsize=(8.4, 3.4))
        axes[0].axhline(1e3 * law.gap, color=ACCENT, label="gap")
        axes[0].plot(s.time, 1e3 * s.deflection[:, 0], color=INK)
        axes[0].set(title=f"{name}, a mass pressed on it", xlabel="time [s]", ylabel="deflection [mm]")
        axes[0].legend()
        axes[1].plot(s.time, 1e3 * s.velocity[:, 0], color=BLUE)
        axes[1].set(title="Each impact reverses the rate", xlabel="time [s]", ylabel="rate [mm/s]")
        figure.savefig(folder / f"{name_in_files(name)}.png")
        plt.close(figure)


def _thrown_body(name: str, law: Any, folder: Path) -> None:
    """The path of a thrown body that bounces and slides on a floor, and its velocity along it."""
    m = ss.Model("body")
    x, y = m.coordinate("x", inertia=1.0, velocity=3.0), m.coordinate("y", inertia=1.0, displacement=0.15)
    m.load(y, ss.Constant(-9.81))
    m.connect((x, -y), type(law)(friction=law.friction, restitution=0.6), name="floor")
    s = m.simulate(until=1.2, samples=np.linspace(0.0, 1.2, 4001)).samples
    with house_style():
        figure, axes = plt.subplots(1, 2, figsize=(8.4, 3.4))
        axes[0].axhline(0.0, color=ACCENT, label="floor")
        axes[0].plot(s.displacement[:, 0], 1e3 * s.displacement[:, 1], color=INK)
        axes[0].set(title=f"{name}, a thrown body", xlabel="way [m]", ylabel="height [mm]")
        axes[0].legend()
        axes[1].plot(s.time, s.velocity[:, 0], color=BLUE)
        axes[1].set(title="Friction slows it at impacts and in slip", xlabel="time [s]", ylabel="velocity [m/s]")
        figure.savefig(folder / f"{name_in_files(name)}.png")
        plt.close(figure)


def _contact_loops(name: str, law: Any, folder: Path) -> None:
    """Tangential loops under normal motions in phase, out of phase, and so large that the contact opens."""
    angle = np.linspace(0.0, 4.0 * np.pi, 8001)
    last = angle >= 2.0 * np.pi
    u, swing = 2.5e-4 * np.sin(angle), law.preload / law.normal_stiffness
    cases = (("constant", 0.0, 0.0), ("in phase", 0.6, 0.0), ("opposite", 0.6, np.pi))
    with house_style():
        figure, axes = plt.subplots(1, 2, figsize=(8.4, 3.4), sharey=True)
        for (words, share, phase), colour in zip(cases, (BAND, BLUE, INK), strict=True):
            force, _ = law.trace((u, share * swing * np.sin(angle + phase)))
            axes[0].plot(1e3 * u[last], force[last], color=colour, label=words)
        for (words, phase), colour in zip((("90° ahead", 0.5 * np.pi), ("opposite", np.pi)), (BLUE, INK), strict=True):
            force, _ = law.trace((u, 1.8 * swing * np.sin(angle + phase)))
            axes[1].plot(1e3 * u[last], force[last], color=colour, label=words)
        axes[0].set(title=f"{name}: normal motion", xlabel="tangential deflection [mm]", ylabel="tangential force [N]")
        axes[1].set(title="With separation", xlabel="tangential deflection [mm]")
        for ax in axes:
            ax.legend()
        figure.savefig(folder / f"{name_in_files(name)}.png")
        plt.close(figure)


def _loop(axes: Any, law: Any, amplitude: float, colour: str, units: Any, *, over_rate: bool) -> None:
    t = np.linspace(0.0, 2.0, 4001)
    u, v = amplitude * np.sin(2.0 * np.pi * t), 2.0 * np.pi * amplitude * np.cos(2.0 * np.pi * t)
    f = law.trace(u, t, rate=v)
    last = t >= 1.0  # settled
    axes[0].plot(units[2] * u[last], units[3] * f[last], color=colour)
    if over_rate:
        axes[1].plot(units[2] * v[last], units[3] * f[last], color=colour)


def _inner_loop(ax: Any, law: Any, amplitude: float, units: Any) -> None:
    turns, ticks = amplitude * TURNS, np.arange(float(len(TURNS)))
    t = np.unique(np.concatenate((ticks, np.linspace(0.0, ticks[-1], 4001))))
    u = np.interp(t, ticks, turns)
    f = law.trace(u, t)
    ax.plot(units[2] * u, units[3] * f, color=BLUE)
    at = np.searchsorted(t, ticks[1:-1])
    ax.plot(units[2] * u[at], units[3] * f[at], "o", color=ACCENT, markersize=4, label="reversals")
    ax.set(title="Turning back on the way", xlabel=units[0])
    ax.legend()


if __name__ == "__main__":
    where = DOCS / "pictures" / "laws"
    where.mkdir(parents=True, exist_ok=True)
    for law_name in PUBLIC_LAWS:
        draw(law_name, where)
