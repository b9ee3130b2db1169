"""A model as an FMU, in a control loop: its host sees a position and sets a force.

The host is FMPy here; Simulink and Modelica tools do the same. The FMU finds stick and slip within each step, so a
step of the controller, 10 ms, is all that the loop needs.
"""

from __future__ import annotations

import fmpy
from fmpy.fmi3 import FMU3Slave

import slipstick as ss

m = ss.Model("stage")
x = m.coordinate("x", inertia=2.0)
m.connect(x, ss.DryFriction(limit=0.5, damping=20.0), name="guide")
print(f"written: {m.export_fmu('stage.fmu')}")

description = fmpy.read_model_description("stage.fmu")
reference = {v.name: v.valueReference for v in description.modelVariables}
fmu = FMU3Slave(
    guid=description.guid, unzipDirectory=fmpy.extract("stage.fmu"), instanceName="stage",
    modelIdentifier=description.coSimulation.modelIdentifier,
)  # fmt: skip
fmu.instantiate()
fmu.enterInitializationMode()
fmu.exitInitializationMode()

target, sample, integral = 1e-3, 0.01, 0.0
for k in range(200):
    (position,) = fmu.getFloat64([reference["x.displacement"]])
    error = target - position
    integral += sample * error
    fmu.setFloat64([reference["load.x"]], [2e3 * error + 2e4 * integral])
    fmu.doStep(k * sample, sample)
    if k % 40 == 39:
        (state,) = fmu.getInt32([reference["guide.state"]])
        print(f"t = {(k + 1) * sample:.1f} s: {1e3 * position:.4f} mm, {'sticks' if state == 0 else 'slides'}")
fmu.terminate()
fmu.freeInstance()
