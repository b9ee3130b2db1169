"""The gradient of a peak by twenty parameters beside its curve: processor time, the shortest of several runs."""

from __future__ import annotations

from time import process_time

from timing import Sheet, best

import slipstick as ss

MAX_RATIO = 5.0  # budget, gradient over curve with its data


def chain() -> ss.Model:
    """Five masses with springs and dampers, two sliders and a load: more than twenty parameters."""
    m = ss.Model("chain with friction dampers")
    q = [m.coordinate(f"q{i}", inertia=1.0 + 0.1 * i) for i in range(1, 6)]
    for k, x in enumerate(q):
        m.connect(x - q[k - 1] if k else x, ss.Linear(stiffness=4.0, damping=0.08), name=f"spring{k + 1}")
    m.connect(q[0], ss.Jenkins(stiffness=2.0, limit=0.2), name="slider1")
    m.connect(q[3] - q[2], ss.Jenkins(stiffness=1.5, limit=0.15), name="slider2")
    m.load(q[4], ss.Cosine(0.2, order=1), name="shaker")
    return m


def cubic() -> ss.Model:
    """The same chain with a cubic spring in place of the sliders."""
    m = ss.Model("chain with a cubic spring")
    q = [m.coordinate(f"q{i}", inertia=1.0 + 0.1 * i) for i in range(1, 6)]
    for k, x in enumerate(q):
        m.connect(x - q[k - 1] if k else x, ss.Linear(stiffness=4.0, damping=0.08), name=f"spring{k + 1}")
    m.connect(q[0], ss.Polynomial(coefficients=(0.0, 0.5, 0.0, 0.4), damping=0.01), name="slider1")
    m.connect(q[3] - q[2], ss.Polynomial(coefficients=(0.0, 0.2, 0.0, 0.3), damping=0.01), name="slider2")
    m.load(q[4], ss.Cosine(0.2, order=1), name="shaker")
    return m


def names(model: ss.Model) -> list[str]:
    """Twenty parameters."""
    found = [f"q{i}.inertia" for i in range(1, 6)]
    found += [f"spring{i}.{key}" for i in range(1, 6) for key in ("stiffness", "damping")]
    if "friction" in model.name:
        found += [f"slider{i}.{key}" for i in (1, 2) for key in ("stiffness", "limit")]
    else:
        found += [f"slider{i}.coefficients.{key}" for i in (1, 2) for key in (1, 3)]
    return [*found, "shaker.amplitude"]


def main() -> None:
    sheet = Sheet("Gradient of a peak by 20 parameters", ("model", "curve", "gradient", "ratio", "budget"))
    for model, method in ((chain(), "shooting"), (cubic(), "harmonic-balance")):

        def curve(model: ss.Model = model, method: str = method) -> ss.results.curve.Curve:
            found = model.frequency_response(between=(0.3, 1.2), method=method)
            _ = found.data
            return found

        done = curve()
        done.gradient("q5.peak", names(model))
        curve_time = best(curve, 3, process_time)
        gradient_time = best(lambda done=done, model=model: done.gradient("q5.peak", names(model)), 3, process_time)
        ratio = gradient_time / curve_time
        sheet.row(f"{model.name}, {method}", f"{curve_time:.2f} s", f"{gradient_time:.2f} s", f"{ratio:.2f}",
                  f"{MAX_RATIO:g}" if ratio <= MAX_RATIO else f"{MAX_RATIO:g}: MISSED")  # fmt: skip
    sheet.close("curve: with its data; gradient: by shares of the equations, without the curve")


if __name__ == "__main__":
    main()
