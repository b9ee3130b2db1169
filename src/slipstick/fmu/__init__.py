"""Models as FMUs for co-simulation (FMI 2.0 and 3.0), in native code.

export             the archive of an FMU
variables          inputs, parameters and outputs
parameter_program  how packed numbers depend on parameters
records, arena     all numbers of an instance, in one block
step_loop          compiled: steps and parameters
output_values      compiled: outputs
shared_library     the library, by a C compiler
model_description  the description in XML
c                  the functions of FMI in C
"""

from slipstick.fmu.export import export_fmu

__all__ = ["export_fmu"]
