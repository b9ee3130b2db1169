"""Writing models: YAML that reads back exactly, and .npz files for long lists.

Numbers are in SI, or in the units of the file that the model came from.

Everything is prepared and checked before the first byte reaches the disk; files are written aside and
renamed, so that a file is the old one or the new one, never half of one.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

from slipstick.errors import FileError, InvalidInput, os_error_reason
from slipstick.laws import law_name
from slipstick.laws.base import Law, Leaf
from slipstick.laws.composite import Combination
from slipstick.laws.directions import StatedLaw, stated_laws
from slipstick.laws.followed_force import FollowedForce, followed_force
from slipstick.laws.parameters import spec_of
from slipstick.model.assembly import refuse_symbols
from slipstick.model.files.author_units import document_in_author_units
from slipstick.model.files.condensation_arrays import encode_condensation
from slipstick.model.files.form_expression import format_form
from slipstick.model.files.model_reader import examine
from slipstick.model.files.npz_arrays import matrix_arrays, pack_arrays
from slipstick.model.files.schema import FORMAT_VERSION
from slipstick.model.files.text_file import shown_file_name
from slipstick.model.files.yaml_emitter import emit_document
from slipstick.model.system import Coordinate, System
from slipstick.results.atomic_write import target_path
from slipstick.signals import Chirp, Constant, Cosine, Fourier, Ramp, Signal, Sine, Sum, TimeFunction

MAX_INLINE_SAMPLES = 100  # samples of a signal in the YAML; more go to an .npz file

_FUNCTIONS = {Cosine: "cosine", Sine: "sine", Fourier: "fourier", Signal: "signal", Chirp: "chirp"}


def write_model(model: System, path: str | os.PathLike[str], head: str = "") -> None:
    """Write a model to ``path`` (.yaml), with matrices and long signals in .npz files beside it.

    head : lines of a comment at the top.
    """
    target = target_path(path, "model.yaml")
    name = shown_file_name(path)
    if target.suffix.lower() not in (".yaml", ".yml"):
        raise FileError(name, None, "", f"a model is saved as .yaml, got {target.suffix or 'no suffix'}; add .yaml")
    refuse_symbols(model)
    writer = _Writer(name, target.stem)
    plain = writer.document(model)
    comment = "".join(f"# {line}".rstrip() + "\n" for line in head.splitlines())
    contents = {key: pack_arrays(arrays) for key, arrays in writer.arrays.items()}

    def place(document: dict[str, Any]) -> None:
        text = (comment + emit_document(document)).encode("utf-8", "surrogatepass")
        _move_into_place(name, target, {**contents, target.name: text}, model)

    if model.units.coordinates:
        try:
            place(document_in_author_units(plain, model))
        except InvalidInput:  # units of a model joined from two kinds may contradict each other
            pass
        else:
            return
    place(plain)


def law_document(law: Law, where: str) -> dict[str, Any]:
    """A law as a part of a connection; where : named in errors."""
    return _Writer(where, where).whole(law, where)


class _Writer:
    """Turns a model into a document, and collects the arrays for the file beside it."""

    def __init__(self, file: str, stem: str) -> None:
        self.file, self.stem = file, stem
        self.arrays: dict[str, dict[str, Any]] = {}

    def document(self, model: System) -> dict[str, Any]:
        found: dict[str, Any] = {"slipstick": FORMAT_VERSION, "name": model.name}
        if model.frequency is not None:
            found["frequency"] = model.frequency
        if model.matrices is not None:
            found["matrices"] = self.beside(
                "matrices", matrix_arrays(model.matrices) | encode_condensation(model.condensation)
            )
        found["coordinates"] = {c.name: self.coordinate(c) for c in self.listed(model)}
        found["connections"] = {
            each.name: self.connection(model.connections[each.members[0]])
            if len(each.members) == 1
            else self.several(model, each)
            for each in stated_laws(model.connections)
        }
        found["loads"] = [
            {
                "on": format_form(load.form),
                **({"name": load.name} if load.name else {}),
                **self.function(load.function, f"loads[{i}]"),
            }
            for i, load in enumerate(model.loads)
        ]
        return {key: value for key, value in found.items() if value not in ({}, [])}

    def listed(self, model: System) -> list[Coordinate]:
        """The coordinates to write; those of matrices are known from there, if they lead and have no data."""
        if model.matrices is None:
            return model.coordinates
        count = len(model.matrices.names)
        first, rest = model.coordinates[:count], model.coordinates[count:]
        plain = all(c.data[1:] == (0.0, 0.0, 0.0, None) and not c.kind for c in first)
        if plain and tuple(c.name for c in first) == model.matrices.names:
            return rest
        return model.coordinates

    def beside(self, what: str, arrays: dict[str, Any]) -> str:
        key = f"{self.stem}-{what}.npz"
        self.arrays[key] = arrays
        return key

    def coordinate(self, c: Coordinate) -> dict[str, Any]:
        found: dict[str, Any] = {}
        if c.inertia != 0.0 or c.motion is None:
            found["inertia"] = c.inertia
        if c.displacement != 0.0 or c.velocity != 0.0:
            found |= {"displacement": c.displacement, "velocity": c.velocity}
        if c.motion is not None:
            found["motion"] = self.function(c.motion, f"coordinates.{c.name}.motion")
        return found | ({"kind": c.kind} if c.kind else {})

    def connection(self, c: Any) -> dict[str, Any]:
        found: dict[str, Any] = {"deflection": format_form(c.deflection)}
        if not c.is_conjugate:
            found["along"] = format_form(c.along)
        return found | self.whole(c.law, f"connections.{c.name}")

    def several(self, model: System, each: StatedLaw) -> dict[str, Any]:
        """A law with several deflections: tangential ones, in a list if there are two, and the normal one."""
        if followed_force(each.law) is not None:  # the normal direction is that of the other connection
            own = {"deflection": format_form(model.connections[each.members[0]].deflection)}
            return own | self.whole(each.law, f"connections.{each.name}")
        *others, last = (format_form(model.connections[i].deflection) for i in each.members)
        tangential = others[0] if len(others) == 1 else others
        return {"deflection": {"tangential": tangential, "normal": last}} | self.whole(
            each.law, f"connections.{each.name}"
        )

    def whole(self, law: Law, where: str) -> dict[str, Any]:
        """A law, or a sum of them."""
        if not isinstance(law, Combination):
            return self.law(law, where)
        terms = [self.term(leaf, f"{where}.sum[{i}]") for i, leaf in enumerate(law.terms)]
        return terms[0] if len(terms) == 1 and terms[0].keys() & {"scaled", "modulated"} else {"sum": terms}

    def term(self, leaf: Leaf, where: str) -> dict[str, Any]:
        found = self.law(leaf.law, where)
        if (leaf.deflection, leaf.force) != (1.0, 1.0):
            found["scaled"] = {"deflection": leaf.deflection, "force": leaf.force}
        if leaf.modulation:
            each = [
                self.function(f, f"{where}.modulated") | ({"cut_at_zero": True} if cut else {})
                for f, cut in leaf.modulation
            ]
            found["modulated"] = each[0] if len(each) == 1 else each
        return found

    def law(self, law: Law, where: str) -> dict[str, Any]:
        name = law_name(type(law))
        if name is None:
            words = f"{type(law).__name__} is not one of slipstick's laws; keep the Python code that builds this model"
            raise FileError(self.file, None, where, f"cannot be saved: {words}")
        found: dict[str, Any] = {"law": name}
        for f in fields(law):
            value = getattr(law, f.name)
            if spec_of(f).kind == "function":
                words = (
                    f"{name} has a Python function in it, which no file can hold; keep the code that builds this model"
                )
                raise FileError(self.file, None, where, f"cannot be saved: {words}")
            if f.default is MISSING or value != f.default:
                found[f.name] = (
                    [self.whole(part, f"{where}.{f.name}[{i}]") for i, part in enumerate(value)]
                    if spec_of(f).kind == "laws"
                    else self.value(value, f"{where}.{f.name}")
                )
        return found

    def value(self, value: Any, where: str) -> Any:
        if isinstance(value, TimeFunction):
            return self.function(value, where)
        if isinstance(value, FollowedForce):
            return {"force_of": value.connection, "factor": value.factor}
        return list(value) if isinstance(value, tuple) else value

    def function(self, function: TimeFunction, where: str) -> dict[str, Any]:
        """A function of time under its key."""
        if isinstance(function, Sum) and function.terms:
            return {"sum": [self.function(term, where) for term in function.terms]}
        if type(function) is Constant:
            return {"constant": function.value}
        if type(function) is Ramp:
            return {"ramp": function.rate}
        key = _FUNCTIONS.get(type(function))
        if key is None:
            words = f"{type(function).__name__} is not one of slipstick's functions of time; sample it into a Signal"
            raise FileError(self.file, None, where, f"cannot be saved: {words}")
        if isinstance(function, Signal) and len(function.times) > MAX_INLINE_SAMPLES:
            count = sum("-signal" in name for name in self.arrays) + 1
            return {key: {"file": self.beside(f"signal{count}", {"times": function.times, "values": function.values})}}
        found = {}
        for f in fields(function):  # type: ignore[arg-type]
            value = getattr(function, f.name)
            if value != f.default:
                found[f.name] = list(value) if isinstance(value, tuple) else value
        return {key: found}


def _move_into_place(name: str, target: Path, contents: dict[str, bytes], model: System) -> None:
    """Write all files into a folder aside, read the model back from there, then move them into place."""
    aside = None
    try:
        aside = Path(tempfile.mkdtemp(prefix=".slipstick-", dir=target.parent))
        for key, data in contents.items():
            _write(aside / key, data)
        _check_reads_back(name, aside / target.name, model)
        for key in contents:  # the YAML file last: it names the others
            if (target.parent / key).is_file():
                shutil.copymode(target.parent / key, aside / key)
            os.replace(aside / key, target.parent / key)
    except OSError as error:
        raise FileError(
            name, None, "", f"cannot be written: {os_error_reason(error)}; check the folder and its permissions"
        ) from None
    finally:
        if aside is not None:
            shutil.rmtree(aside, ignore_errors=True)


def _write(path: Path, data: bytes) -> None:
    with open(path, "xb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())


def _check_reads_back(name: str, written: Path, model: System) -> None:
    """A file that does not read back is not left behind: a name that no file can hold, a list that is too long."""
    report = examine(written, System)
    if report.problems:
        first = report.problems[0]
        raise FileError(name, None, first.path, f"cannot be saved: {first.problem}")
    if report.model != model:
        raise FileError(name, None, "", "cannot be saved: the file would differ from the model; please report this")
