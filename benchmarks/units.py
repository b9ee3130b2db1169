"""How long a step of an exported unit takes, from C through ctypes, beside `simulate` over the same time."""

from __future__ import annotations

import ctypes
import itertools
import sys
import tempfile
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any
from xml.etree import ElementTree as ET

from timing import Sheet, best

import slipstick as ss

STEPS = 2000


def oscillator() -> ss.Model:
    m = ss.Model("oscillator")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Masing(stiffness=1.0, limit=0.5, parallel_stiffness=1.0, damping=0.1), name="slider")
    m.load(x, ss.Cosine(1.0, frequency=0.8))
    return m


def belt() -> ss.Model:
    m = ss.Model("belt")
    x, moving = m.coordinate("x", inertia=1.0), m.coordinate("belt", motion=ss.Ramp(0.1))
    m.connect(x, ss.Linear(stiffness=40.0, damping=0.4), name="spring")
    m.connect(x - moving, ss.DryFriction(limit=2.0, static_limit=3.0), name="friction")
    return m


def chain(n: int) -> ss.Model:
    """n masses with Masing elements between them; its fastest mode is at 24 rad/s."""
    m = ss.Model("chain")
    masses = [m.coordinate(f"x{k}", inertia=1.0) for k in range(n)]
    law = ss.Masing(stiffness=100.0, limit=0.5, parallel_stiffness=50.0, damping=0.1)
    m.connect(masses[0], law)
    for one, other in itertools.pairwise(masses):
        m.connect(other - one, law)
    m.load(masses[-1], ss.Cosine(1.0, frequency=2.0))
    return m


class LoadedUnit:
    """An instance of a unit of FMI 3.0."""

    def __init__(self, model: ss.Model, folder: Path) -> None:
        with zipfile.ZipFile(model.export_fmu(folder / "unit.fmu")) as archive:
            archive.extractall(folder)
        root = ET.parse(folder / "modelDescription.xml").getroot()
        (library,) = (folder / "binaries").rglob("*.so")
        self.code = ctypes.CDLL(str(library))
        self.code.fmi3InstantiateCoSimulation.restype = ctypes.c_void_p
        token = root.attrib["instantiationToken"].encode()
        resources = str(folder / "resources").encode()
        no = ctypes.c_bool(False)
        instance = self.code.fmi3InstantiateCoSimulation(
            b"one", token, resources, no, no, no, no, None, ctypes.c_size_t(0), None, None, None
        )
        self.instance = ctypes.c_void_p(instance)
        outputs = [v for v in root.find("ModelVariables") or () if v.attrib["causality"] == "output"]
        real = [int(v.attrib["valueReference"]) for v in outputs if v.tag == "Float64"]
        self.references, self.values = (ctypes.c_uint32 * len(real))(*real), (ctypes.c_double * len(real))()

    def walk(self, step: float, steps: int, outputs: bool) -> None:
        """Steps from the start."""
        code, x = self.code, self.instance
        flags: Any = [ctypes.byref(ctypes.c_bool()) for _ in range(3)]
        reached = ctypes.byref(ctypes.c_double())
        no, zero = ctypes.c_bool(False), ctypes.c_double(0.0)
        code.fmi3Reset(x)
        code.fmi3EnterInitializationMode(x, no, zero, zero, no, zero)
        code.fmi3ExitInitializationMode(x)
        length, count = ctypes.c_double(step), ctypes.c_size_t(len(self.values))
        for k in range(steps):
            if code.fmi3DoStep(x, ctypes.c_double(k * step), length, no, *flags, reached):
                sys.exit("a step failed")
            if outputs:
                code.fmi3GetFloat64(x, self.references, count, self.values, count)


def table() -> None:
    sheet = Sheet(
        "a step of an exported unit", ("model", "step, s", "µs a step", "with outputs", "simulate, µs a step")
    )
    cases: list[tuple[str, Callable[[], ss.Model], float]] = [
        ("oscillator, Masing", oscillator, 0.05),
        ("block on a belt", belt, 0.01),
        ("chain of 5, Masing", lambda: chain(5), 0.01),
        ("chain of 20, Masing", lambda: chain(20), 0.01),
        ("chain of 20, Masing", lambda: chain(20), 0.5),
    ]
    for name, build, step in cases:
        model = build()
        with tempfile.TemporaryDirectory() as folder:
            walk = partial(LoadedUnit(model, Path(folder)).walk, step, STEPS)
            plain, full = (best(partial(walk, outputs), 3, process_time) for outputs in (False, True))
        run = partial(model.simulate, until=STEPS * step, samples=0)
        run()
        whole = best(run, 3, process_time)
        sheet.row(name, f"{step:g}", *(f"{1e6 * t / STEPS:.1f}" for t in (plain, full, whole)))
    sheet.close("a call through ctypes takes about 1 µs of each")


TABLES = {"units": table}
