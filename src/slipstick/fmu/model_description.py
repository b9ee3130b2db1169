"""modelDescription.xml of FMI 2.0 and 3.0."""

from __future__ import annotations

from datetime import UTC, datetime
from xml.etree import ElementTree as ET

from slipstick import __version__
from slipstick.fmu.variables import Variable

GENERATION_TOOL = f"slipstick {__version__}"
RUNTIME = "native code; needs no Python"


def model_description(
    name: str, identifier: str, token: str, variables: list[Variable], fmi: int, stop: float
) -> bytes:
    """The description of an FMU.   token : identifies the model.   stop : [s] proposed end of simulations."""
    root = ET.Element("fmiModelDescription", {
        "fmiVersion": f"{fmi}.0", "modelName": name,
        "guid" if fmi == 2 else "instantiationToken": token,
        "description": f"Steps are exact between events, which are located within steps. {RUNTIME}.",
        "generationTool": GENERATION_TOOL, "generationDateAndTime": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
        "variableNamingConvention": "flat",
    })  # fmt: skip
    state = "FMUstate" if fmi == 2 else "FMUState"
    options = {
        "modelIdentifier": identifier, "canHandleVariableCommunicationStepSize": "true",
        f"canGetAndSet{state}": "true", f"canSerialize{state}": "true",
    }  # fmt: skip
    if fmi == 2:
        options["canInterpolateInputs"] = "true"
    ET.SubElement(root, "CoSimulation", options)
    units = dict.fromkeys(variable.unit for variable in variables if variable.unit)
    known = ET.SubElement(root, "UnitDefinitions")
    for unit in units:
        ET.SubElement(known, "Unit", {"name": unit})
    log = ET.SubElement(root, "LogCategories")
    ET.SubElement(log, "Category", {"name": "logStatusError", "description": "errors; always reported"})
    ET.SubElement(log, "Category", {"name": "logSteps", "description": "every step"})
    ET.SubElement(root, "DefaultExperiment", {"startTime": "0", "stopTime": f"{stop!r}"})
    every = ET.SubElement(root, "ModelVariables")
    structure = ET.Element("ModelStructure")
    (_describe_2 if fmi == 2 else _describe_3)(variables, every, structure)
    root.append(structure)
    ET.indent(root)
    return bytes(ET.tostring(root, encoding="utf-8", xml_declaration=True))


def _common(variable: Variable, reference: int) -> dict[str, str]:
    found = {
        "name": variable.name, "valueReference": str(reference), "description": variable.description,
        "causality": variable.causality, "variability": variable.variability,
    }  # fmt: skip
    if variable.causality in ("parameter", "output"):
        found["initial"] = "exact" if variable.causality == "parameter" else "calculated"
    return found


def _value(variable: Variable) -> dict[str, str]:
    """Unit, start value and bounds; a bound that is excluded is checked by the FMU alone."""
    low = variable.bounds.low if variable.bounds.low is not None else variable.bounds.above
    high = variable.bounds.high if variable.bounds.high is not None else variable.bounds.below
    pairs = (("min", low), ("max", high), ("start", variable.start))
    found = {key: repr(float(value)) for key, value in pairs if value is not None}
    return found | ({"unit": variable.unit} if variable.unit else {})


def _describe_2(variables: list[Variable], every: ET.Element, structure: ET.Element) -> None:
    outputs, unknowns = ET.SubElement(structure, "Outputs"), ET.SubElement(structure, "InitialUnknowns")
    for reference, variable in enumerate(variables):
        item = ET.SubElement(every, "ScalarVariable", _common(variable, reference))
        ET.SubElement(item, "Integer" if variable.integer else "Real", _value(variable))
        if variable.causality == "output":
            for part in (outputs, unknowns):
                ET.SubElement(part, "Unknown", {"index": str(reference + 1)})


def _describe_3(variables: list[Variable], every: ET.Element, structure: ET.Element) -> None:
    outputs = [str(k) for k, variable in enumerate(variables) if variable.causality == "output"]
    for reference, variable in enumerate(variables):
        kind = "Int32" if variable.integer else "Float64"
        ET.SubElement(every, kind, _common(variable, reference) | _value(variable))
    for name in ("Output", "InitialUnknown"):
        for output in outputs:
            ET.SubElement(structure, name, {"valueReference": output})
