"""`Fmu`: all numbers of one instance of an exported model; shared by the exporter, the compiled steps and the C code.

n coordinates, p of them prescribed by inputs, m units of the packed model, h waves, E epochs, L loads, e elements.
"""

from __future__ import annotations

from slipstick.native import Array, NativeRecord, Section
from slipstick.transient.exact.records import FlowModel, ModalTables, Recording, State


class Fmu(NativeRecord):
    """One instance. Addresses of records point into the same arena of numbers, so an instance is copied as a whole.

    ``values`` holds every variable by its value reference: time, inputs, parameters, outputs.
    """

    model: FlowModel
    state: State
    blank: State  # as runs begin
    scratch: State  # workspace of outputs
    tables: ModalTables
    recording: Recording
    arena: Array  # all numbers of the instance
    state_size: int
    load_count: int
    drive_count: int  # prescribed coordinates
    coordinate_count: int
    connection_count: int
    element_count: int
    epoch_count: int
    program_size: int
    own_epoch: int  # of the model's own loads and motions
    changed: bool  # an input has changed since the last step
    tuned: bool  # a parameter has changed since the last start or step
    frequency_input: int  # value reference of the base frequency and its slope; -1: no load follows it
    angle: float  # [rad] integral of the base frequency
    line_time: float  # [s] where the present lines begin
    # value references of the first input or output of each kind
    first_load: int  # value and slope of each load
    first_drive: int  # velocity of each prescribed coordinate
    first_start: int  # displacements and velocities of free coordinates at the start; -1: not offered
    first_coordinate: int  # displacement and velocity of each coordinate
    first_connection: int  # deflection and force of each connection
    first_piece: int  # state of each unit
    values: Section
    given: Section  # (q, v, w) at the start, then as much workspace
    row: Section  # (2n + c) workspace: a motion and reactions
    drive: Section  # (p) displacement that the inputs have added
    load_at: Section  # (L) the free coordinate of each load
    # the model's own lines in each epoch
    own_begin: Section  # (E)
    load_constant: Section  # (E, n)
    load_slope: Section
    offset_constant: Section  # (E, m)
    offset_slope: Section
    limit_constant: Section  # (E, c)
    limit_slope: Section
    drive_constant: Section  # (E, p)
    drive_slope: Section
    wave_order: Section  # (h) of the base frequency; 0: follows its own angle
    sweep_angle: Section  # (E, h)
    sweep_speed: Section
    sweep_acceleration: Section
    # what prescribed coordinates do
    stiffness_gain: Section  # (n, p) loads by their displacements
    damping_gain: Section  # (n, p) and velocities
    offset_gain: Section  # (m, p)
    drive_cos: Section  # (p, h) their own waves
    drive_sin: Section
    # outputs
    free_of: Section  # (coordinates) the free coordinate, or -1 - the prescribed one
    form_begin: Section  # (connections + 1) of the model
    form_coordinate: Section
    form_factor: Section
    part_begin: Section  # (parts + 1) the same of connections with joints between laws in series
    part_coordinate: Section
    part_factor: Section
    elements: Section  # (e, ELEMENT_ROW)
    code_begin: Section  # (m) where the codes of the pieces of each unit begin
    code: Section
    program: Section  # how parameters enter, see `step_loop.apply_parameters`


# ---- an element: what it is, the connection whose deflection it has, and its unit; its deflection over that of the
# connection, and its force factor; stiffness, damping and preload; the share of a contact; the connection of the model
# whose force it is part of, or -1 in a series
ELEMENT_ROW = 10
KIND, CONNECTION, UNIT, SCALE, FACTOR, STIFFNESS, DAMPING, PRELOAD, SHARE, CARRIES = range(ELEMENT_ROW)
LINEAR, BROKEN_LINE, FRICTION, STOP = range(4)

# ---- operations of programs
NUMBER, PARAMETER, ADD, MULTIPLY, INVERT = range(5)
MAX_STACK = 32
PREVIOUS, PRESENT = 0, 1  # epochs of the packed model: lines of the last and of the present step
