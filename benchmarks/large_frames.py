"""Large sparse models: a space frame of beam elements with laws at ten nodes, from its sparse matrices."""

from __future__ import annotations

import resource
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from timing import Sheet

import slipstick as ss

Array = NDArray[np.float64]

E, G, RHO = 2.1e11, 8.1e10, 7850.0  # steel: Pa, Pa, kg/m^3
AREA, INERTIA, TORSION = 4e-4, 1.33e-8, 2.25e-8  # square bar of 20 mm: m^2, m^4, m^4
PITCH = 0.5  # [m] between nodes
SIZES = {"5,000": (6, 6, 24), "20,000": (9, 9, 42), "50,000": (13, 13, 50)}  # nodes along x, y, z above the ground


def element(axis: int) -> tuple[Array, Array]:
    """(12, 12) stiffness and consistent mass of a beam along an axis; six coordinates a node: shifts, then turns."""
    h = PITCH
    along, turn = np.array([[1, -1], [-1, 1]]), np.array([[2, 1], [1, 2]])
    bend = np.array([[12, 6 * h, -12, 6 * h], [6 * h, 4 * h**2, -6 * h, 2 * h**2],
                     [-12, -6 * h, 12, -6 * h], [6 * h, 2 * h**2, -6 * h, 4 * h**2]])  # fmt: skip
    swing = np.array([[156, 22 * h, 54, -13 * h], [22 * h, 4 * h**2, 13 * h, -3 * h**2],
                      [54, 13 * h, 156, -22 * h], [-13 * h, -3 * h**2, -22 * h, 4 * h**2]])  # fmt: skip
    k, m = np.zeros((12, 12)), np.zeros((12, 12))
    x, (y, z) = axis, [(axis + 1) % 3, (axis + 2) % 3]
    pull, twist = np.ix_([x, 6 + x], [x, 6 + x]), np.ix_([3 + x, 9 + x], [3 + x, 9 + x])
    k[pull] += E * AREA / h * along
    m[pull] += RHO * AREA * h / 6.0 * turn
    k[twist] += G * TORSION / h * along
    m[twist] += RHO * 2.0 * INERTIA * h / 6.0 * turn
    for shift, slope, sign in ((y, z, 1.0), (z, y, -1.0)):  # w' is a turn about z, v' one about -y
        own, signs = [shift, 3 + slope, 6 + shift, 9 + slope], np.array([1.0, sign, 1.0, sign])
        k[np.ix_(own, own)] += E * INERTIA / h**3 * bend * np.outer(signs, signs)
        m[np.ix_(own, own)] += RHO * AREA * h / 420.0 * swing * np.outer(signs, signs)
    return k, m


def frame_matrices(nx: int, ny: int, nz: int) -> tuple[csr_array, csr_array, NDArray[np.int_]]:
    """Mass, stiffness and (nx, ny, nz + 1) numbers of the nodes; those on the ground, number 0, are held."""
    nodes = np.arange(nx * ny * (nz + 1)).reshape(nz + 1, ny, nx).transpose(2, 1, 0)
    pairs = [(nodes[:-1], nodes[1:]), (nodes[:, :-1], nodes[:, 1:]), (nodes[:, :, :-1], nodes[:, :, 1:])]
    size, held = 6 * nodes.size, 6 * nx * ny
    found = []
    for which in range(2):
        rows, columns, values = [], [], []
        for axis, (first, last) in enumerate(pairs):
            ends = np.stack([first.ravel(), last.ravel()], axis=1)
            places = (6 * ends[:, :, None] + np.arange(6)).reshape(-1, 12)
            rows.append(np.repeat(places, 12, axis=1).ravel())
            columns.append(np.tile(places, (1, 12)).ravel())
            values.append(np.tile(element(axis)[1 - which].ravel(), len(places)))
        table = np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))
        found.append(csr_array(coo_array(table, shape=(size, size)).tocsr()[held:, held:]))
    return found[0], found[1], nodes


def frame(size: str = "5,000", laws: int = 10) -> ss.Model:
    """The frame with sliders to ground at nodes of its top edge, and a load at a corner of it."""
    nx, ny, nz = SIZES[size]
    mass, stiffness, nodes = frame_matrices(nx, ny, nz)
    damping = 0.5 * mass + 2e-5 * stiffness
    names = [f"{what}{node}" for node in range(nx * ny, nodes.size) for what in ("x", "y", "z", "a", "b", "c")]
    m = ss.Model.from_matrices(mass, damping, stiffness, names=names)
    heights = np.linspace(nz // 2, nz, laws).astype(int)
    for k, height in enumerate(heights):
        at = m[f"x{nodes[k % nx, 0, height]}"]
        m.connect(at, ss.Jenkins(stiffness=2e4, limit=5.0), name=f"slider {k}")
    m.load(m[f"x{nodes[0, 0, nz]}"], ss.Cosine(60.0, order=1))
    return m


def measured(size: str) -> dict[str, Any]:
    """Processor times [s] of model, modes, a curve and a run."""
    times, began = {}, process_time()

    def lap(name: str) -> None:
        nonlocal began
        times[name], began = process_time() - began, process_time()

    m = frame(size)
    lap("model")
    modes = m.modes(count=4)
    first = float(modes.magnitude[0])
    lap("modes")
    curve = m.frequency_response(between=(0.85 * first, 1.15 * first), method="harmonic-balance", harmonics=5)
    points = len(curve)
    lap("curve")
    m.simulate(until=1.0, frequency=first)
    lap("run")
    gigabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return {**times, "points": points, "first": first, "GB": gigabytes}


def table() -> None:
    """Growth of the processor time with the number of coordinates."""
    columns = ("coordinates", "model, s", "modes, s", "points", "curve with data, s", "run of 1 s, s", "memory, GB")
    sheet = Sheet("space frame with ten sliders, processor time", columns)
    for size in ("5,000", "20,000"):
        own = measured(size)
        seconds = [f"{own[name]:.1f}" for name in ("model", "modes")]
        rest = [f"{own[name]:.1f}" for name in ("curve", "run")]
        sheet.row(size, *seconds, str(own["points"]), *rest, f"{own['GB']:.1f}")
    sheet.close()


TABLES = {"large-frames": table}
