"""`Engine`: a problem ready for the compiled exact flow."""

from __future__ import annotations

import math
import threading
from functools import cached_property
from typing import Any

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import Message
from slipstick.laws.law_kernels import pointer
from slipstick.transient.exact import records as at
from slipstick.transient.exact.compiled import kernel
from slipstick.transient.exact.first_order_form import UndeterminedDirection
from slipstick.transient.exact.flow_storage import new_state
from slipstick.transient.exact.guard_roots import NEVER
from slipstick.transient.exact.impacts import START_ROUNDING_REL, TRIAL_ROUNDING_REL
from slipstick.transient.exact.modal_tables import fast_mode_velocities, linear_system_key, modal_table, pack_table
from slipstick.transient.exact.outputs import acceleration_rows, output_rows
from slipstick.transient.exact.packed_model import (
    ModelUnit,
    PackedModel,
    at_base_frequency,
    pack_model,
    tangent_model,
    with_law_parameters,
)
from slipstick.transient.exact.records import FlowModel, ModalTable, ModalTables, State
from slipstick.transient.exact.state_modes import NoModalTable
from slipstick.transient.exact.workspace import Workspace
from slipstick.transient.problem import Problem

SMALL_MODEL_COORDINATES = 8
# Taylor steps in a state of a small and of a larger model before its modal table is built
STEPS_BEFORE_TABLE, STEPS_BEFORE_TABLE_LARGE = 40.0, 200.0
STEP_REACH = 8.0  # |l| h of a Taylor step
GIVE_INERTIA = "give the coordinates without inertia a small one"
STIFF = 2.0  # times STEPS_BEFORE_TABLE_LARGE: Taylor steps in a load period above which tables are built at once


class Engine:
    """A packed problem with the modal tables of all states so far, kept for the next run. One run at a time."""

    def __init__(self, packed: PackedModel) -> None:
        self.packed = packed
        self.model = packed.model.pointer
        self.tables = ModalTables({"entries": at.ENTRY_SLOTS * at.MAX_ENTRIES, "numbers": 4096})
        self.built = 0
        self.refused = Message("")  # why a state of coordinates without inertia has no table
        self._like: dict[tuple[Any, ...], slice] = {}  # where the table of each linear system is
        self.unrest = np.zeros((2, packed.problem.n))  # velocities from rounding of a state, see `fast_mode_velocities`
        self.lock = threading.RLock()

    @property
    def nbytes(self) -> int:
        """[bytes] size of the tables, by which `Problem.tidy` drops them."""
        return int(self.tables.block.nbytes)

    def retuned(self, problem: Problem) -> Engine:
        """The engine of the same problem at another base frequency, with the present tables tuned to it."""
        still = problem.offsets.is_zero
        # computed once for all frequencies
        _ = self.size, self.sticking, self.sticks_where_stretch_moves, self.is_driven
        _ = (self.meters, self.accelerometers) if still else None
        packed = at_base_frequency(self.packed, problem)
        if packed is None:
            return Engine(pack_model(problem))
        new = object.__new__(Engine)
        with self.lock:
            # all that does not depend on waves stays, and so does the lock, as there is one workspace
            new.__dict__.update(
                self.__dict__, packed=packed, model=packed.model.pointer, built=0, _like=self._like.copy()
            )
            old, head = self.tables.block, len(ModalTables.fields)
            used, begin = head + at.ENTRY_SLOTS * self.tables.count, head + at.ENTRY_SLOTS * at.MAX_ENTRIES
            block, end = np.empty(old.size), begin + self.tables.end
            block[:used], block[begin:end] = old[:used], old[begin:end]  # the same room, of which unused is not copied
            new.tables = ModalTables.over(block)
        for name in ("first",) if still else ("first", "meters", "accelerometers"):
            new.__dict__.pop(name, None)
        resonant = kernel("tune_tables").call(new.model, new.tables.pointer, self._room)
        if resonant and problem.massless:  # Taylor steps are not possible: let the run report it
            return Engine(packed)
        return new

    def renewed(self, problem: Problem) -> Engine:
        """The engine of a problem with other parameters of laws: workspace and layout stay, the tables do not."""
        packed = with_law_parameters(self.packed, problem)
        if packed is None:
            return Engine(pack_model(problem))
        new = Engine(packed)
        for name in ("lock", "workspace", "sliders", "sticking", "_room", "_blank"):
            new.__dict__[name] = getattr(self, name)
        return new

    @cached_property
    def _room(self) -> Any:
        """Workspace of `steady_response.tune_tables`."""
        return pointer(np.empty(12 * self.packed.problem.n + 4))

    def add_table(self, state: State) -> None:
        """Build the table of the present state and enter it in the directory."""
        pieces = state.piece.copy()
        place = self.tables.end
        try:
            new = self._table(pieces)
            resonant = kernel("tune_table").call(self.model, new.pointer, self._room)
            if resonant and self.packed.problem.massless:
                self.refused = Message(
                    "a load excites an undamped mode at its resonance; add damping, or change the frequency",
                    advice=[GIVE_INERTIA],
                )
            self._like[linear_system_key(self.packed, pieces)] = slice(place, place + new.block.size)
            self.unrest = np.maximum(self.unrest, fast_mode_velocities(new, self.packed.problem.n))
        except UndeterminedDirection as problem:
            new, self.refused = (
                pack_table({}, [], pieces),
                _undetermined_coordinates(self.packed.problem, problem.direction),
            )
        except NoModalTable as problem:
            new, self.refused = pack_table({}, [], pieces), Message(f"{problem}", advice=[GIVE_INERTIA])
        self.built += 1
        end, tables = place + new.block.size, self.tables
        if end > tables.numbers.size:
            self.tables = tables = ModalTables.over(np.concatenate([tables.block, np.zeros(end)]))
        tables.numbers[place:end] = new.block
        tables.end = end
        keys = tables.entries[: at.ENTRY_SLOTS * tables.count : at.ENTRY_SLOTS]  # their first slots
        for i in np.flatnonzero(keys == state.key).tolist():
            entry = at.entry_at(tables, i)
            if entry.place == at.NO_TABLE:
                entry.place = place
                return

    def _table(self, pieces: Array) -> ModalTable:
        """The table of a state. States that differ only in constants, as in the direction of sliding, share modes."""
        known = self._like.get(linear_system_key(self.packed, pieces))
        if known is None:
            return modal_table(self.packed, pieces)
        new = ModalTable.over(self.tables.numbers[known].copy())
        new.pieces = pieces
        return new

    @cached_property
    def first(self) -> State:
        """The packed state at the start, before the pieces are decided."""
        problem = self.packed.problem
        memories = problem.start_memories()
        u = problem.deflections_at(problem.start, problem.displacement)
        elements = [self.packed.units[j].elements[0] for j in self.sliders]
        stretches = [float(u[e]) - memories[e][0] for e in elements]
        state = self.state_of(np.concatenate([problem.displacement, self._first_velocity, stretches]))
        state.start_slack = START_ROUNDING_REL
        if problem.resumed is not None and len(problem.resumed.sizes) == state.scale.size:
            state.scale = np.array(problem.resumed.sizes)
        return state

    @property
    def _first_velocity(self) -> Array:
        """(n,) velocities at the start; contacts that stuck where an earlier run ended have no rate to rounding."""
        problem, packed = self.packed.problem, self.packed
        v = problem.velocity
        if problem.resumed is None or problem.massless:
            return v
        held = [j for j, unit in enumerate(packed.units) if set(unit.elements) & set(problem.resumed.sticking)]
        d = np.array([packed.units[j].deflection for j in held]).reshape(-1, problem.n)
        rates = problem.rates_at(problem.start, v)[[packed.units[j].elements[0] for j in held]]
        a = np.linalg.solve(problem.mass, np.array([packed.units[j].along for j in held]).reshape(-1, problem.n).T)
        return np.asarray(v - a @ np.linalg.lstsq(d @ a, rates, rcond=None)[0])

    @cached_property
    def sliders(self) -> list[int]:
        """The units with a stretch that can move."""
        return [j for j, pieces in enumerate(self.packed.pieces) if any(p.moves for p in pieces)]

    @cached_property
    def size(self) -> int:
        """Count of numbers in a state (q, v, w)."""
        return 2 * self.packed.problem.n + len(self.sliders)

    def state_of(self, given: Array) -> State:
        """A packed state at the start time, before the pieces are decided.

        given : (2n + sliders,) displacements, velocities, stretches of sliders.
        """
        state = self._blank.copy()
        kernel("put_state").call(self.model, state.pointer, pointer(given))
        return state

    @cached_property
    def _blank(self) -> State:
        problem, state = self.packed.problem, new_state(self.packed.model)
        state.time = problem.start
        state.step_hint = NEVER
        state.start_slack = TRIAL_ROUNDING_REL
        state.steps_before_table = (
            STEPS_BEFORE_TABLE if problem.n <= SMALL_MODEL_COORDINATES else STEPS_BEFORE_TABLE_LARGE
        )
        if problem.massless or self._is_stiff:
            state.steps_before_table = 0.0
        if self.packed.model.swept:
            state.steps_before_table = NEVER
        return state

    @property
    def _is_stiff(self) -> bool:
        """True if modes are far faster than the loads: each state then gets its modal table at once."""
        packed = self.packed
        if packed.model.swept or packed.problem.massless or packed.problem.n <= SMALL_MODEL_COORDINATES:
            return False
        if not packed.omega.size:
            return False
        fastest = math.sqrt(np.max(np.diag(packed.stiffness) / np.diag(packed.mass)))  # at least
        steps = 2.0 * math.pi * fastest / (STEP_REACH * float(packed.omega.min()))
        return steps > STIFF * STEPS_BEFORE_TABLE_LARGE

    @cached_property
    def sticking(self) -> dict[int, list[tuple[int, ModelUnit]]]:
        """The units that can stick, with their numbers, of each connection that can."""
        found: dict[int, list[tuple[int, ModelUnit]]] = {}
        for j, unit in enumerate(self.packed.units):
            if "stick" in unit.pieces:
                for connection in {self.packed.problem.elements[e].connection for e in unit.elements}:
                    found.setdefault(connection, []).append((j, unit))
        return found

    @cached_property
    def sticks_where_stretch_moves(self) -> bool:
        """True if every unit that sticks is a contact or sticks where its stretch moves: compiled code relies on it."""
        return all(
            unit.is_contact or unit.leader >= 0 or all((p.name == "stick") == p.moves for p in unit.described)
            for unit in self.packed.units
        )

    @cached_property
    def is_driven(self) -> bool:
        """True if there is a contact whose deflection is prescribed."""
        return any(unit.driven for unit in self.packed.units)

    @cached_property
    def workspace(self) -> Workspace:
        """Memory for runs over a period in one compiled call."""
        return Workspace(self, self._blank)

    @cached_property
    def meters(self) -> Array:
        """Rows for `outputs.measure_run`."""
        return output_rows(self.packed)

    @cached_property
    def accelerometers(self) -> Array:
        """Rows for `outputs.acceleration_amplitudes`."""
        return acceleration_rows(self.packed)

    @cached_property
    def tangent(self) -> FlowModel:
        """The packed model of perturbations."""
        return tangent_model(self.packed)


def _undetermined_coordinates(problem: Problem, direction: Array) -> Message:
    """The message for loaded coordinates without inertia that nothing holds, with their names."""
    names = [problem.assembly.names[i] for i in problem.assembly.free]
    found = [f'"{names[i]}"' for i in np.flatnonzero(np.abs(direction) > 1e-6 * np.abs(direction).max())]
    one = len(found) == 1
    return Message(
        f"a load acts on {' and '.join(found)}, which {'has' if one else 'have'} no inertia, and no spring or friction "
        f"holds {'it' if one else 'them'} in this state",
        advice=["give an inertia, a spring or friction"],
    )


def engine_of(problem: Problem) -> Engine:
    """The engine of a problem, created on first use and cached with it."""
    found = problem.kept.get("exact")
    if found is None:
        found = problem.kept["exact"] = Engine(pack_model(problem))
    return found
