"""Hysteresis laws of the papers along imposed deflections, and an inner loop that is wiped out: out/loops.png."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import slipstick as ss
from slipstick.plot import style
from slipstick.systems.fibre import SAMPLE_PARAMETERS

OUT = Path("out")

# the rig of the tensioner paper (29), (32)
OMEGA, PHASE, MEAN, SWING = 9.4, 4.8, 5.4e-4, 5.2e-4
DAHL = ss.ModifiedDahl(rate=117355, exponent=0.37, upper=(959.6, 7.146e4), lower=(397.2, 5.322e4))  # (33), (35)
MASING = ss.Masing(stiffness=4.84e5, limit=163, parallel_stiffness=2.34e5, damping=1.93e4, preload=573)  # (36)
FIBRE = ss.FibreShear(**SAMPLE_PARAMETERS)  # fibre (38), (39), with sigma = 1.49e6 Pa


def rig(samples: int = 4001) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Times, deflections and rates of the second of two cycles and of the one that leads to it."""
    t = np.linspace(0.0, 2 * 2 * math.pi / OMEGA, 2 * samples - 1)
    return t, MEAN + SWING * np.sin(OMEGA * t + PHASE), SWING * OMEGA * np.cos(OMEGA * t + PHASE)


def draw_tensioner(dahl_axes, masing_axes) -> None:
    t, u, v = rig()
    last = slice(u.size // 2, None)
    dry = ss.Masing(stiffness=4.84e5, limit=163, parallel_stiffness=2.34e5, preload=573)
    line = np.array([u.min(), u.max()])
    ax = dahl_axes
    ax.plot(1e3 * line, 959.6 + 7.146e4 * line, "--", color=style.GREY, lw=1.2, label="envelopes")
    ax.plot(1e3 * line, 397.2 + 5.322e4 * line, "--", color=style.GREY, lw=1.2)
    ax.plot(1e3 * u[last], DAHL.trace(u)[last], color=style.BLUE, label="modified Dahl")
    ax.set_title("Belt tensioner, modified Dahl law")
    ax = masing_axes
    ax.plot(1e3 * u[last], dry.trace(u)[last], "--", color=style.GREY, lw=1.2, label="dry skeleton")
    ax.plot(1e3 * u[last], MASING.trace(u, t, rate=v)[last], color=style.ACCENT, label="Masing with damper")
    ax.set_title("Belt tensioner, Masing law")
    for ax in (dahl_axes, masing_axes):
        ax.set(xlabel="deflection u [mm]", ylabel="force F [N]", ylim=(200, 1250))
        ax.legend(loc="lower right")


def draw_fibre(ax) -> None:
    strains = np.linspace(5e-4, 1e-2, 10)
    branch = np.sin(np.linspace(-0.5 * math.pi, 0.5 * math.pi, 400))
    for gamma in strains:
        loop = gamma * np.concatenate((branch[::-1], branch))
        stress = FIBRE.trace(loop) - SAMPLE_PARAMETERS["linear"] * loop
        ax.plot(1e3 * loop, 1e-3 * stress, color=style.GREEN, lw=0.9, label="loops" if gamma == strains[0] else None)
    tips = np.linspace(0.0, 1e-2, 200)
    backbone = FIBRE.trace(tips) - SAMPLE_PARAMETERS["linear"] * tips
    for side in (1, -1):
        ax.plot(side * 1e3 * tips, side * 1e-3 * backbone, "k--", lw=1.4, label="backbone" if side > 0 else None)
    ax.set_title("Entangled fibres in shear, ten amplitudes")
    ax.set(xlabel="strain γ [10⁻³]", ylabel="stress τ − G₁γ [kPa]")
    ax.legend(loc="upper left")


def draw_wiping_out(ax) -> None:
    turns = 1e-4 * np.array([0, 6, -2, 3, -2, 6, 9])
    path = np.concatenate([np.linspace(a, b, 200) for a, b in pairwise(turns)])
    solid = ss.Dahl(stiffness=2 * SAMPLE_PARAMETERS["stiffness"], limit=SAMPLE_PARAMETERS["limit"])
    stack = ss.DynamicHysteresis(stiffness=SAMPLE_PARAMETERS["stiffness"], limit=SAMPLE_PARAMETERS["limit"])
    ax.plot(1e4 * path, 1e-3 * solid.trace(path), color=style.GREY, lw=1.3, label="Dahl 1968: forgets")
    ax.plot(1e4 * path, 1e-3 * stack.trace(path), color=style.BLUE, label="stack of reversals: closes")
    ax.plot(1e4 * turns[1:], 1e-3 * stack.trace(turns)[1:], "o", color=style.ACCENT, ms=4, label="reversals")
    ax.set_title("An inner loop, and what is remembered of it")
    ax.set(xlabel="strain γ [10⁻⁴]", ylabel="stress τ [kPa]")
    ax.legend(loc="lower right")


def main() -> None:
    OUT.mkdir(exist_ok=True)
    with style.house_style():
        figure, axes = plt.subplots(2, 2, figsize=(11.0, 8.0))
        draw_tensioner(axes[0, 0], axes[0, 1])
        draw_fibre(axes[1, 0])
        draw_wiping_out(axes[1, 1])
        figure.savefig(OUT / "loops.png")
        plt.close(figure)
    print(f"Written: {OUT / 'loops.png'}")


if __name__ == "__main__":
    main()
