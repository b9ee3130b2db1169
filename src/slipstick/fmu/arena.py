"""One block of numbers with the records of an exported model, and the places of addresses within it."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

from slipstick.angle import Angle
from slipstick.arrays import Array
from slipstick.errors import InvalidInput
from slipstick.fmu import records as own
from slipstick.fmu.parameter_program import Slot, find_parameters
from slipstick.fmu.records import Fmu
from slipstick.fmu.variables import VariableList, state_codes, state_names, stated_connections, stated_system
from slipstick.laws.law_kernels import pointer
from slipstick.model.system import dense
from slipstick.transient.exact import records as at
from slipstick.transient.exact.compiled import kernel
from slipstick.transient.exact.engine import Engine
from slipstick.transient.exact.first_order_form import UndeterminedDirection
from slipstick.transient.exact.flow import HASH_BASE, HASH_SIZE
from slipstick.transient.exact.flow_storage import new_recording
from slipstick.transient.exact.guard_roots import NEVER
from slipstick.transient.exact.load_waves import collect_waves, wave_amplitudes
from slipstick.transient.exact.modal_tables import modal_table, pack_table
from slipstick.transient.exact.packed_model import PackedModel
from slipstick.transient.exact.records import FlowModel, ModalTables, Recording
from slipstick.transient.exact.state_modes import NoModalTable
from slipstick.transient.problem import Problem

EPOCHS = 2  # of the packed model: lines of the last and of the present step
SEGMENTS, EVENTS = 64, 64  # that are kept within a step
MAX_TABLES = 600  # states of a model with coordinates without inertia, whose modes are computed before
EPOCH_SECTIONS = (
    "load_constant", "load_slope", "offset_constant", "offset_slope", "limit_constant", "limit_slope",
    "sweep_angle", "sweep_speed", "sweep_acceleration",
)  # fmt: skip


@dataclass
class Arena:
    """All numbers of an instance.

    fmu : the slot at which the `records.Fmu` begins.   relocations : slots that hold addresses, and the slots that
    these point at.
    """

    numbers: Array
    fmu: int
    relocations: list[tuple[int, int]]
    variables: VariableList


def build_arena(engine: Engine) -> Arena:
    """The arena of a packed problem, at the start of a run."""
    packed = engine.packed
    model = _two_epochs(packed.model, bool(packed.problem.assembly.prescribed.size))
    sections = _sections(packed)
    first = engine.first
    stretched = {engine.sliders[k] for k, w in enumerate(_start_stretches(engine)) if w != 0.0}
    program = find_parameters(packed, stretched, sections)
    variables = VariableList(packed, program.parameters, _start_values(engine), _speed_input(packed))
    given = np.concatenate([packed.problem.displacement, packed.problem.velocity, _start_stretches(engine)])
    sections |= {"given": np.concatenate([given, given]), "values": _start_of(variables)}
    first.steps_before_table = NEVER
    blocks = {
        "model": model.block.copy(), "pieces": packed.model.pieces.numbers, "guards": packed.model.guards.numbers,
        "state": first.block, "blank": first.block, "scratch": first.block, "tables": _tables(packed).block,
        "recording": _recording(packed.model).block,
    }  # fmt: skip
    begins = dict(zip(blocks, itertools.accumulate([0, *(b.size for b in blocks.values())]), strict=False))
    begins["fmu"] = sum(b.size for b in blocks.values())
    fmu = _record(packed, sections, variables, first.block.size)
    place = _places(model, fmu, begins)
    operations = program.operations(variables.references, place)
    fmu = _record(packed, sections | {"program": np.array(operations, dtype=float)}, variables, first.block.size)
    numbers = np.concatenate([*(b.ravel() for b in blocks.values()), fmu.block])
    fields = [*Fmu.fields]
    links = [(begins["fmu"] + fields.index(name), begins[name]) for name in blocks if name in fields]
    links.append((begins["fmu"] + fields.index("arena"), 0))
    links += [([*FlowModel.fields].index(name), begins[name]) for name in ("pieces", "guards")]
    return Arena(numbers, begins["fmu"], links, variables)


def _places(model: FlowModel, fmu: Fmu, begins: dict[str, int]) -> Any:
    """A function from a `Slot` to its place in the arena."""

    def place(slot: Slot) -> int:
        if slot.record in ("pieces", "guards"):
            fields = [*(at.PackedPiece if slot.record == "pieces" else at.PackedGuard).fields]
            return begins[slot.record] + len(fields) * slot.place + fields.index(slot.section)
        record: Any = model if slot.record == "model" else fmu
        slot_of_section = [*type(record).fields].index(slot.section)
        return begins[slot.record] + int(record.block.view(np.int64)[slot_of_section]) + slot.place

    return place


def _two_epochs(model: FlowModel, driven: bool) -> FlowModel:
    """The packed model with two epochs, which steps fill.   driven : inputs prescribe motions."""
    values = {name: getattr(model, name) for name in FlowModel.fields if name not in ("pieces", "guards")}
    values["epoch_begin"], values["epoch_end"] = np.zeros(EPOCHS), np.full(EPOCHS, NEVER)
    count = model.epoch_begin.size
    for name in EPOCH_SECTIONS:
        values[name] = np.zeros(EPOCHS * (values[name].size // count))
    lengths = {name: values[name].size for name, kind in FlowModel.fields.items() if kind == "section"}
    values["has_offsets"] = values["has_offsets"] or driven
    return FlowModel(lengths, **values)


def _recording(model: FlowModel) -> Recording:
    return new_recording(model, SEGMENTS, EVENTS + 4 * model.unit_count)


def _start_stretches(engine: Engine) -> list[float]:
    """The stretches of sliders at the start."""
    problem = engine.packed.problem
    memories = problem.start_memories()
    u = problem.deflections_at(problem.start, problem.displacement)
    elements = [engine.packed.units[j].elements[0] for j in engine.sliders]
    return [float(u[e]) - memories[e][0] for e in elements]


def _start_values(engine: Engine) -> list[float]:
    """Displacements and velocities at the start; empty if stretches, stops or other states depend on them."""
    problem = engine.packed.problem
    if problem.massless or engine.sliders or engine.packed.model.has_stops:
        return []
    return [*problem.displacement.tolist(), *problem.velocity.tolist()]


def _speed_input(packed: PackedModel) -> float | None:
    """The base frequency at the start, if waves follow it."""
    angle = packed.problem.angle
    return float(angle.speed[0]) if isinstance(angle, Angle) else None


def _start_of(variables: VariableList) -> Array:
    return np.array([0.0 if v.start is None else v.start for v in variables.all])


def _record(packed: PackedModel, sections: dict[str, Array], variables: VariableList, state_size: int) -> Fmu:
    """The record of an instance."""
    parts = {name: np.asarray(sections.get(name, np.zeros(0)), dtype=float).ravel() for name in _section_names()}
    assembly = packed.problem.assembly
    return Fmu(
        {name: part.size for name, part in parts.items()}, **parts,
        state_size=state_size, load_count=variables.load_count, drive_count=assembly.prescribed.size,
        coordinate_count=len(assembly.names), connection_count=len(stated_system(packed.problem).connections),
        element_count=len(packed.problem.elements), epoch_count=parts["own_begin"].size,
        program_size=parts["program"].size, frequency_input=variables.frequency, first_load=variables.first_load,
        first_drive=variables.first_drive, first_start=variables.first_start,
        first_coordinate=variables.first_coordinate, first_connection=variables.first_connection,
        first_piece=variables.first_piece,
    )  # fmt: skip


def _section_names() -> list[str]:
    return [name for name, kind in Fmu.fields.items() if kind == "section"]


def _sections(packed: PackedModel) -> dict[str, Any]:
    """The sections of an instance that do not depend on its variables."""
    problem, model = packed.problem, packed.model
    a = problem.assembly
    free = a.free.tolist()
    held = a.prescribed.tolist()
    states = [state_names(unit) for unit in packed.units]
    codes = [[state_codes(names)[name] for name in names] for names in states]
    return {
        "row": np.zeros(2 * problem.n + model.contact_count), "drive": np.zeros(len(held)),
        "load_at": np.arange(len(free)), "own_begin": model.epoch_begin,
        **{name: getattr(model, name) for name in EPOCH_SECTIONS},
        **_drives(packed), **_gains(packed),
        "wave_order": _wave_orders(packed),
        "free_of": [free.index(i) if i in free else -1 - held.index(i) for i in range(len(a.names))],
        **_forms("form", _stated_forms(problem)), **_forms("part", dense(a.deflections)),
        "elements": _element_rows(packed),
        "code_begin": np.cumsum([0, *map(len, codes)]),
        "code": [code for unit in codes for code in unit],
    }  # fmt: skip


def _stated_forms(problem: Problem) -> Array:
    """(coordinates, connections) the deflections of the connections of the model."""
    names, connections = problem.assembly.names, stated_system(problem).connections
    found = np.zeros((len(names), len(connections)))
    for c, connection in enumerate(connections):
        for name, factor in connection.deflection.terms.items():
            found[names.index(name), c] = factor
    return found


def _forms(name: str, forms: Array) -> dict[str, Array]:
    """Sections with the entries of linear forms, by columns."""
    columns = [np.flatnonzero(column) for column in forms.T]
    return {
        f"{name}_begin": np.cumsum([0, *(rows.size for rows in columns)]),
        f"{name}_coordinate": np.concatenate([np.zeros(0), *columns]),
        f"{name}_factor": np.concatenate([np.zeros(0), *(forms[rows, c] for c, rows in enumerate(columns))]),
    }


def _wave_orders(packed: PackedModel) -> Array:
    """(h,) the order of each wave that follows the base frequency; 0 for the others."""
    angle = packed.problem.angle
    if not isinstance(angle, Angle):
        return np.zeros(packed.omega.size)
    kinds, _ = collect_waves(packed.problem, packed.units, packed.linear)
    orders = {h.omega for f in functions_of_time(packed.problem) for h in f.parts().harmonics if h.is_order}
    by_angle = {angle.scaled(order): order for order in orders}
    return np.array([0.0 if kind.angle is None else by_angle.get(kind.angle, 0.0) for kind in kinds])


def functions_of_time(problem: Problem) -> list[Any]:
    """All functions of time of a model."""
    system = problem.system
    motions = [c.motion for c in system.coordinates if c.motion is not None]
    factors = [f for element in problem.elements for f, _ in element.modulation]
    return [load.function for load in system.loads] + motions + factors


def _drives(packed: PackedModel) -> dict[str, Any]:
    """The motions that the model itself prescribes: lines in each epoch, and waves."""
    from slipstick.forcing import sum_functions

    problem = packed.problem
    held = problem.assembly.prescribed
    functions = [(problem.system.coordinates[i].motion, row) for i, row in zip(held, np.eye(held.size), strict=True)]
    moves = sum_functions(held.size, [(f, row) for f, row in functions if f is not None], problem.base)
    constant, slope = moves.lines_from(packed.model.epoch_begin)
    kinds, _ = collect_waves(problem, packed.units, packed.linear)
    cos, sin = np.zeros((held.size, len(kinds))), np.zeros((held.size, len(kinds)))
    for kind, amplitude in wave_amplitudes(moves):
        if kind not in kinds:
            words = "a prescribed motion acts on no connection; connect the coordinate, or leave it out"
            raise InvalidInput(words, owner="export_fmu")
        cos[:, kinds.index(kind)] += amplitude.real
        sin[:, kinds.index(kind)] -= amplitude.imag
    return {"drive_constant": constant, "drive_slope": slope, "drive_cos": cos, "drive_sin": sin}


def _gains(packed: PackedModel) -> dict[str, Array]:
    """Loads and deflections by displacements and velocities of prescribed coordinates."""
    problem = packed.problem
    a = problem.assembly
    free, held = a.free, a.prescribed
    stiffness = -dense(a.stiffness)[np.ix_(free, held)]
    damping = -dense(a.damping)[np.ix_(free, held)]
    forms = dense(a.deflections)[held]
    for e in packed.linear:
        element = problem.elements[e]
        law: Any = element.law
        outer = element.force * np.outer(element.along, element.scale * forms[:, element.connection])
        stiffness = stiffness - (getattr(law, "stiffness", 0.0) if law.linear_force is not None else 0.0) * outer
        damping = damping - law.damping * outer
    elements = [problem.elements[unit.elements[0]] for unit in packed.units]
    offset = np.array([e.scale * forms[:, e.connection] for e in elements]).reshape(len(elements), held.size)
    return {"stiffness_gain": stiffness, "damping_gain": damping, "offset_gain": offset}


def _element_rows(packed: PackedModel) -> Array:
    """What each element adds to the force of its connection, see `records`."""
    problem = packed.problem
    unit_of = {e: j for j, unit in enumerate(packed.units) for e in unit.elements}
    rows, carries = np.zeros((len(problem.elements), own.ELEMENT_ROW)), stated_connections(problem)[1]
    for e, element in enumerate(problem.elements):
        law: Any = element.law
        j = unit_of.get(e, -1)
        share, factor, spring = 1.0, element.force, (0.0, 0.0, 0.0)
        if j < 0:
            kind, spring = own.LINEAR, (getattr(law, "stiffness", 0.0), law.damping, getattr(law, "preload", 0.0))
        elif packed.units[j].stop is not None:
            kind, factor = own.STOP, element.scale
        elif packed.units[j].friction:
            damping = 0.0 if law.rigid_friction is None else law.rigid_friction.damping
            kind, spring = own.FRICTION, (0.0, damping, 0.0)
            share = packed.units[j].shares[packed.units[j].elements.index(e)]
        else:
            kind = own.BROKEN_LINE
        rows[e] = (kind, element.connection, j, element.scale, factor, *spring, share, carries[element.connection])
    return rows


def _tables(packed: PackedModel) -> ModalTables:
    """Tables of modes: none if Taylor steps are possible, else those of all states."""
    room = {"entries": at.ENTRY_SLOTS * at.MAX_ENTRIES, "numbers": 0}
    if not packed.problem.massless:
        return ModalTables(room)
    counts = [len(unit.pieces) for unit in packed.units]
    if np.prod([float(count) for count in counts]) > MAX_TABLES:
        words = f"a coordinate has no inertia, and the laws have more than {MAX_TABLES} states together"
        raise InvalidInput(words, owner="export_fmu", advice=["give every coordinate a small inertia"])
    tables, parts, end = ModalTables(room), [], 0
    workspace = pointer(np.empty(12 * packed.problem.n + 4))
    for k, pieces in enumerate(itertools.product(*(range(count) for count in counts))):
        table = _table(packed, np.array(pieces, dtype=float), workspace)
        entry = at.entry_at(tables, k)
        entry.key, entry.place, entry.steps = _key(pieces), end, 0
        parts.append(table)
        end += table.size
    full = ModalTables(room | {"numbers": end}, count=len(parts), end=end, numbers=np.concatenate(parts))
    full.entries = tables.entries
    return full


def _table(packed: PackedModel, pieces: Array, workspace: Any) -> Array:
    try:
        table = modal_table(packed, pieces)
        kernel("tune_table").call(packed.model.pointer, table.pointer, workspace)
    except (NoModalTable, UndeterminedDirection):
        table = pack_table({}, [], pieces)
    return table.block


def _key(pieces: tuple[int, ...]) -> float:
    """The hash of a state, as `flow.find_entry` has it."""
    key = 7.0
    for piece in pieces:
        key = (key * HASH_BASE + piece + 1.0) % HASH_SIZE
    return key
