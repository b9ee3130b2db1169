"""Exported FMUs, run by FMPy."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import fmpy
import numpy as np
import pytest
from fmpy.fmi2 import FMU2Slave, fmi2CallbackFunctions, fmi2CallbackLoggerTYPE
from fmpy.fmi3 import FMU3Slave

import slipstick as ss


class RunningFmu:
    """An instance of an FMU, with names in place of value references.   messages : what it has logged."""

    def __init__(self, path: Path, folder: Path, name: str) -> None:
        self.path, self.folder = path, folder
        self.description = fmpy.read_model_description(str(path), validate=True)
        self.version = int(self.description.fmiVersion[0])
        self.variables = {v.name: v for v in self.description.modelVariables}
        self.outputs = [v.name for v in self.description.modelVariables if v.causality == "output"]
        self.messages: list[str] = []
        kind = FMU2Slave if self.version == 2 else FMU3Slave
        self.slave: Any = kind(
            guid=self.description.guid, unzipDirectory=str(folder), instanceName=name,
            modelIdentifier=self.description.coSimulation.modelIdentifier,
        )  # fmt: skip
        if self.version == 2:
            log = fmi2CallbackLoggerTYPE(lambda *_: self.messages.append("error"))
            self.callbacks = fmi2CallbackFunctions()
            self.callbacks.logger, self.logger = log, log
            self.slave.instantiate(callbacks=self.callbacks)
        else:
            self.slave.instantiate(logMessage=lambda _e, _s, _c, message: self.messages.append(message.decode()))
        self.time = 0.0

    def begin(self, start: float = 0.0, **values: float) -> None:
        self.set(values)
        self.time = start
        if self.version == 2:
            self.slave.setupExperiment(startTime=start)
            self.slave.enterInitializationMode()
        else:
            self.slave.enterInitializationMode(startTime=start)
        self.slave.exitInitializationMode()

    def set(self, values: Mapping[str, float]) -> None:
        references = [self.variables[name].valueReference for name in values]
        if references:
            put = self.slave.setReal if self.version == 2 else self.slave.setFloat64
            put(references, [*values.values()])

    def get(self, *names: str) -> list[float]:
        found = []
        for name in names:
            variable = self.variables[name]
            word = {"Real": "getReal", "Integer": "getInteger", "Float64": "getFloat64", "Int32": "getInt32"}
            found += [*getattr(self.slave, word[variable.type])([variable.valueReference])]
        return found

    def step(self, length: float) -> None:
        self.slave.doStep(self.time, length)
        self.time += length

    def end(self) -> None:
        self.slave.terminate()
        self.slave.freeInstance()


Make = Callable[..., RunningFmu]


@pytest.fixture
def fmu(tmp_path: Path) -> Iterator[Make]:
    """``fmu(model, fmi=3, ...)``: an instance; ``fmu(None)``: another one of the same FMU."""
    running: list[RunningFmu] = []

    def make(model: ss.Model | None, fmi: int = 3, **options: Any) -> RunningFmu:
        if model is not None:  # a folder of its own: a library that is in use must not be overwritten
            folder = tmp_path / f"fmu{len(running)}"
            path = folder.with_suffix(".fmu")
            model.export_fmu(path, fmi=fmi, **options)
            fmpy.extract(str(path), str(folder))
        else:
            path, folder = running[-1].path, running[-1].folder
        running.append(RunningFmu(path, folder, f"fmu {len(running)}"))
        return running[-1]

    yield make
    for each in running:
        each.slave.freeInstance()


def walk(
    running: RunningFmu, times: Any, names: list[str], inputs: Callable[[float, float], dict[str, float]] | None = None
) -> dict[str, Any]:
    """The outputs at all times but the first.   inputs : of a step from a time and its length."""
    rows = []
    for begin, end in itertools.pairwise(times):
        if inputs is not None:
            running.set(inputs(begin, end - begin))
        running.time = begin
        running.slave.doStep(begin, end - begin)
        rows.append(running.get(*names))
    return dict(zip(names, np.array(rows).T, strict=True))


def on_a_pad(law: ss.Law, mass: float = 1.0) -> ss.Model:
    """Two motions, one along and one towards a pad."""
    m = ss.Model("pad")
    x, z = m.coordinate("x", inertia=mass), m.coordinate("z", inertia=1.0)
    for q in (x, z):
        m.connect(q, ss.Linear(stiffness=10.0, damping=0.2))
    m.connect((x, z + 0.2 * x), law, name="pad")
    m.load(x, ss.Cosine(12.0, frequency=0.8))
    m.load(z, ss.Cosine(20.0, frequency=1.7))
    return m
