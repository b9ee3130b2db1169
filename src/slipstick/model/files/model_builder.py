"""From the parts of a document to a model."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path as Folder
from typing import Any, TypeVar

from slipstick.errors import InvalidInput, short_repr
from slipstick.laws.composite import Combination
from slipstick.model.condensation_record import Condensation
from slipstick.model.files import schema
from slipstick.model.files.condensation_arrays import decode_condensation
from slipstick.model.files.file_problems import FileFindings, Path
from slipstick.model.files.form_expression import parse_form
from slipstick.model.files.law_reader import LawReader
from slipstick.model.files.npz_arrays import load_arrays as load_arrays
from slipstick.model.files.npz_arrays import matrices_of
from slipstick.model.files.schema_check import CheckedParts, LawNode
from slipstick.model.files.time_functions import FunctionScope, read_function
from slipstick.model.files.unit_kinds import OpenKinds, kinds_text, read_frequency
from slipstick.model.kind_inference import MotionKinds, infer_kinds, unscaled_names
from slipstick.model.linear_forms import Form
from slipstick.model.system import Connection, Matrices, System
from slipstick.units.dimensions import ALL_KINDS, COORDINATE_KINDS, DEFLECTION, FORCE, INERTIA, VELOCITY

Model = TypeVar("Model", bound=System)

MAX_NAME_LENGTH = 200
# no dots, as a path such as mesh.half_gap must stay readable
CONNECTION_NAME = re.compile(r"[^\W_]([\w +()/#&-]*[\w)#])?|_\w*")

# the inertia comes last, as errors name the last quantity and kg for kg m^2 is the usual mistake
_STARTS = {"displacement": DEFLECTION, "velocity": VELOCITY, "inertia": INERTIA}


class ModelBuilder:
    """Builds one model; problems go to the findings, and checking continues."""

    def __init__(
        self, parts: CheckedParts, known: Collection[str], findings: FileFindings, folder: Folder | None
    ) -> None:
        self.parts, self.findings, self.folder = parts, findings, folder
        self.known: dict[str, None] | None = dict.fromkeys(known)  # None: not known, the matrices are unreadable
        # kinds of motion that the units leave open, by coordinate and connection without problems, and by load
        self.moves: dict[str, frozenset[str]] = {}
        self.acts: dict[str, frozenset[str]] = {}
        self.loads: list[frozenset[str]] = []

    def build(self, model_class: type[Model], default_name: str) -> Model:
        head = self.parts.head
        model = model_class(self.name(head, default_name), self.frequency(head))
        matrices, model.condensation = self.matrices(head)
        self.coordinates(model, matrices)
        for name, node in self.parts.connections.items():
            self.connection(model, name, node)
        for i, load in self.parts.loads.items():
            self.load(model, load, ("loads", i))
        self.refuse_contradictions(model)
        return model

    def refuse_contradictions(self, model: System) -> None:
        """Report connections whose units make a coordinate a translation where those of others make it a rotation."""
        if self.findings.problems:
            return
        found = self.kinds(model)
        for connection in model.connections:
            own, path = found.connections.get(connection.name, ""), ("connections", connection.name)
            for name in unscaled_names(connection.deflection):
                kind = found.coordinates.get(name, own)
                if own and kind != own:
                    first = next((c.name for c in model.connections if self._moves(c, name, found) == kind), "")
                    source = f'connection "{first}"' if first else f'coordinate "{name}"'
                    words = f'its units make "{name}" a {own}, those of {source} a {kind}; use one kind of unit'
                    self.findings.problem(path, words)
                    break

    @staticmethod
    def _moves(connection: Connection, name: str, found: MotionKinds) -> str:
        """The kind of a connection that has a coordinate without a factor; empty for others."""
        return found.connections.get(connection.name, "") if name in unscaled_names(connection.deflection) else ""

    def kinds(self, model: System) -> MotionKinds:
        """The kinds of motion that the units and the declared kinds determine."""

        def only(kinds: frozenset[str]) -> str:
            return next(iter(kinds)) if len(kinds) == 1 else ""

        moves, acts = ({name: only(own) for name, own in kinds.items()} for kinds in (self.moves, self.acts))
        return infer_kinds(model, MotionKinds(moves, acts, [only(own) for own in self.loads]))

    # ---- head

    def name(self, head: schema.Document | None, default: str) -> str:
        name = head.name if head and head.name is not None else default
        if not name.strip() or not name.isprintable() or len(name) > MAX_NAME_LENGTH:
            self.findings.problem(
                ("name",), f"must be one line of text of 1 to {MAX_NAME_LENGTH} characters, got {short_repr(name)}"
            )
            return "model"
        return name

    def frequency(self, head: schema.Document | None) -> float | None:
        if head is None or head.frequency is None:
            return None
        with self.findings.catch(("frequency",)):
            value = read_frequency(head.frequency)
            if value > 0.0:
                return value
            self.findings.problem(("frequency",), f"must be > 0, got {head.frequency.text}; leave it out for none")
        return None

    def matrices(self, head: schema.Document | None) -> tuple[Matrices | None, Condensation | None]:
        """The matrices of the file, and the record of their condensation."""
        if head is None or head.matrices is None:
            return None, None
        with self.findings.catch(("matrices",)):
            held = load_arrays(self.folder, head.matrices)
            found = matrices_of(held, head.matrices)
            return found, decode_condensation(held, head.matrices, found)
        self.known = None
        return None, None

    # ---- coordinates

    def coordinates(self, model: System, matrices: Matrices | None) -> None:
        """Those of the matrices come first, in their order, unless the file lists all of them."""
        listed = self.parts.coordinates
        names = matrices.names if matrices else ()
        first = [] if all(name in listed for name in names) else list(names)
        for name in dict.fromkeys((*first, *listed)):
            self.coordinate(model, name, listed.get(name))
        if self.known is not None:
            self.known |= dict.fromkeys(names)
            if not self.known and not self.findings.problems:
                self.findings.problem(
                    ("coordinates",), "is missing: a model needs at least one coordinate, such as x: {inertia: 1 kg}"
                )
        model.matrices = matrices

    def coordinate(self, model: System, name: str, node: schema.CoordinateSection | None) -> None:
        path: Path = ("coordinates", name)
        declared = node.kind if node else None
        kinds, values = OpenKinds([declared] if declared else COORDINATE_KINDS), {}
        for key, dimension in _STARTS.items():
            quantity = getattr(node, key, None)
            if quantity is not None:
                with self.findings.catch((*path, key)):
                    values[key] = kinds.take(key, quantity, dimension)
        if values.get("inertia", 0.0) < 0.0 and node and node.inertia:
            self.findings.problem((*path, "inertia"), f"must be >= 0, got {node.inertia.text}")
            return
        with self.findings.catch(path):
            motion = None
            if node is not None and node.motion is not None:
                motion = read_function(node.motion, (*path, "motion"), FunctionScope(DEFLECTION, kinds, self.folder))
            model.coordinate(name, motion=motion, kind=declared, **values)
            self.moves[name] = kinds.left
        self.findings.unitless += [(*path, key) for key in kinds.unitless]

    # ---- connections and loads

    def connection(self, model: System, name: str, node: LawNode) -> None:
        path: Path = ("connections", name)
        if not CONNECTION_NAME.fullmatch(name):
            self.findings.problem(path, "a connection's name is letters, digits, spaces and _ - + ( ) / # &; rename it")
        if isinstance(node.keys.deflection, schema.ContactDeflections):
            self.contact(model, name, node, path)
            return
        deflection = self.form(node.keys.deflection, (*path, "deflection"))
        required = frozenset(ALL_KINDS) if deflection is None else self.kinds_of(deflection)
        found = LawReader(self.findings, self.folder).connection(node, path, required)
        along = None if node.keys.along is None else self.form(node.keys.along, (*path, "along"))
        if found is None or deflection is None or (along is None and node.keys.along is not None):
            return
        own = self.kinds_of(deflection)
        if not own & found.kinds:
            self.findings.problem((*path, "deflection"), _kind_conflict(node.keys.deflection, own, found.kinds))
        with self.findings.catch(path):
            if all(form is None or form.terms.keys() <= self.moves.keys() for form in (deflection, along)):
                made = model.connect(deflection, found.law, name=name, along=along)
                for each in made if isinstance(made, tuple) else (made,):
                    self.acts[each.name] = own & found.kinds

    def contact(self, model: System, name: str, node: LawNode, path: Path) -> None:
        """A connection of several deflections."""
        texts = node.keys.deflection.texts
        forms = [self.form(text, (*path, "deflection")) for text in texts]
        known = [form for form in forms if form is not None]
        required = frozenset(ALL_KINDS)
        for form in known:
            required &= self.kinds_of(form)
        found = LawReader(self.findings, self.folder).connection(node, path, required)
        if found is None or len(known) < len(forms):
            return
        if isinstance(found.law, Combination):
            self.findings.problem(path, "sum, scaled and modulated are for laws with one deflection; leave them out")
            return
        if not required & found.kinds:
            self.findings.problem(
                (*path, "deflection"), _kind_conflict(str(node.keys.deflection), required, found.kinds)
            )
        if node.keys.along is not None:
            self.findings.problem((*path, "along"), "is for laws with one deflection; leave it out")
        with self.findings.catch(path):
            if all(form.terms.keys() <= self.moves.keys() for form in known):
                for connection in model.connect(known, found.law, name=name):
                    self.acts[connection.name] = required & found.kinds

    def load(self, model: System, node: schema.LoadSection, path: Path) -> None:
        form = self.form(node.on, (*path, "on"))
        kinds = OpenKinds(COORDINATE_KINDS if form is None else self.kinds_of(form))
        with self.findings.catch(path):
            function = read_function(node, path, FunctionScope(FORCE, kinds, self.folder))
            if form is not None and form.terms.keys() <= self.moves.keys():
                model.load(form, function, name=node.name)
                self.loads.append(kinds.left)
        self.findings.unitless += [(*path, key) for key in kinds.unitless]

    def form(self, text: Any, path: Path) -> Form | None:
        if self.known is None:
            return None
        with self.findings.catch(path):
            form = parse_form(text, self.known)
            if not self.kinds_of(form):
                raise InvalidInput(f"{form} adds metres and radians; put a radius between, such as x - 0.05*phi")
            return form
        return None

    def kinds_of(self, form: Form) -> frozenset[str]:
        """Translation or rotation, as the coordinates without a factor say; a factor may be a radius.

        Empty where they contradict each other; everything where each has a factor.
        """
        bare = unscaled_names(form)
        left = frozenset(COORDINATE_KINDS) if bare else frozenset(ALL_KINDS)
        for name in bare:
            left &= self.moves.get(name) or left
        return left


def _kind_conflict(text: str, own: frozenset[str], law: frozenset[str]) -> str:
    if law == {"stress"}:
        way_out = "add scaled: {deflection: 1/thickness, force: area}"
    else:
        way_out = "change the units, or multiply by the radius: 0.05*phi"
    return f"{text} is {kinds_text(own)} by the units of its coordinates, but the law is {kinds_text(law)}; {way_out}"
