"""Frequency responses of two oscillators: one damped by a slider, one with play.

The slider sticks under small loads and slips under large ones: the resonance moves down from that of two springs to
that of one, and is damped most in between. The play bends the response over: it folds, and the part between the folds
is unstable. A test rig that sweeps up and down would jump at the folds, and so does a sweep by integration.

Pictures are in out/: slider.png, play.png, play-orbit.png.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt

import slipstick as ss
from slipstick.plot import style

OUT = Path("out")
LOADS = (0.02, 0.2, 0.5, 1.0, 3.0, 20.0)  # N


def slider(load: float) -> ss.Model:
    """A mass on a spring, and on a second one that ends in a slider."""
    m = ss.Model("damped by a slider")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.04), name="spring")
    m.connect(x, ss.Jenkins(stiffness=1.0, limit=0.5), name="slider")
    m.load(x, ss.Cosine(load, order=1))
    return m


def play() -> ss.Model:
    """A mass between two stops, on a soft spring."""
    m = ss.Model("gear with play")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=0.2, damping=0.08), name="shaft")
    m.connect(x, ss.Freeplay(stiffness=1.0, half_gap=0.5), name="mesh")
    m.load(x, ss.Cosine(0.2, order=1))
    return m


def show_slider() -> None:
    """Amplitude over load, which would be one curve if the model were linear."""
    with style.house_style():
        figure, axis = plt.subplots(figsize=(8.5, 4.8))
        for load in LOADS:
            curve = slider(load).frequency_response(between=(0.6, 1.8))
            ratio = curve.data.amplitude.sel(coordinate="x") / load
            peak = curve.peak("x")
            print(f"load {load:5g} N: resonance at {peak.frequency:.4f} rad/s, {peak.amplitude / load:6.2f} m/N")
            axis.plot(curve.data.frequency, ratio, label=f"{load:g} N")
        for frequency, words in ((1.0, "one spring: it slips"), (2.0**0.5, "both: it sticks")):
            axis.axvline(frequency, color=style.GREY, linestyle=":", linewidth=1.2)
            axis.text(frequency + 0.01, 0.32, words, color=style.INK, fontsize=9)
        axis.set(xlabel="frequency [rad/s]", ylabel="amplitude over load [m/N]", yscale="log", ylim=(0.28, None))
        axis.set_title("damped by a slider: resonance and damping depend on the load")
        axis.legend(title="load", loc="upper right")
        figure.savefig(OUT / "slider.png")


def show_play() -> None:
    """The curve around its folds, with what sweeps up and down find, and one of its orbits."""
    m = play()
    curve = m.frequency_response(between=(0.6, 1.6))
    print(f"\n{curve}")
    for special in curve.special:
        amplitude = float(curve.data.amplitude.sel(coordinate="x")[special["point"]])
        print(f"{special['kind']:8} at {special['frequency']:.6f} rad/s, amplitude {amplitude:.4f} m")
    swept = m.frequency_response(between=(0.6, 1.6), method="integration")

    figure = curve.plot()
    (axis,) = figure.axes
    how = {"linestyle": "", "marker": "o", "fillstyle": "none", "markersize": 5, "markevery": 3, "color": style.GREEN}
    axis.plot(swept.data.frequency, swept.data.amplitude.sel(coordinate="x"), **how)
    axis.set_title("green: sweeps up and down by integration", loc="left", fontweight="normal", fontsize=10)
    figure.savefig(OUT / "play.png")

    orbit = m.periodic(frequency=0.7)
    print(f"\n{orbit}")
    print(f"amplitude {orbit.amplitude['x']:.4f} m, in touch with the stops {orbit.stats.events // 2} times a period")
    orbit.plot().savefig(OUT / "play-orbit.png")
    curve.save(OUT / "play.nc")


def main() -> None:
    OUT.mkdir(exist_ok=True)
    show_slider()
    show_play()
    print(
        f"\nWritten: {', '.join(str(OUT / name) for name in ('slider.png', 'play.png', 'play-orbit.png', 'play.nc'))}"
    )


if __name__ == "__main__":
    main()
