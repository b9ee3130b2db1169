"""An orbit as bytes, kept in the ledger as the start of the next point of a chain.

Arrays and JSON, sealed with a digest. Reading them executes nothing, even if they are forged. The netCDF
files of `slipstick.results.result_files` hold the same and more; written in 20 ms they would take longer than the
orbit.
The model is left out: ``start=`` is a guess for another one.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from slipstick.results.certificate import Certificate
from slipstick.results.orbit import Orbit, OrbitPoint
from slipstick.results.result_files import decode_units
from slipstick.results.run import Names
from slipstick.results.trajectory import Event, RecordedTrajectory, Samples, Stats

ORBIT_MAGIC = b"slipstick orbit 1\n"
HEADER_OFFSET = len(ORBIT_MAGIC) + 65  # bytes until the header: the digest is a line of hexadecimal digits
STORED_DTYPES = {"f": "<f8", "c": "<c16", "i": "<i8", "b": "|b1"}  # words as they are; nothing that holds objects
KNOWN_DTYPES = re.compile(r"<f8|<c16|<i8|\|b1|<U[1-9]\d{0,2}")

# kind and shape: k times, n coordinates, m connections; None is any length
SAMPLE_ARRAYS = {
    "time": ("f", "k"), "displacement": ("f", "k", "n"), "velocity": ("f", "k", "n"),
    "deflection": ("f", "k", "m"), "force": ("f", "k", "m"), "state": ("U", "k", "m"),
    "acceleration": ("f", "k", "n"),
}  # fmt: skip
POINT_ARRAYS = {
    "x": ("f", None), "multipliers": ("c", None), "harmonics": ("c", None, "n"),
    "amplitude": ("f", "n"), "rms": ("f", "n"), "mean": ("f", "n"), "phase": ("f", "n"),
    "force_range": ("f", "m"), "dissipated": ("f", "m"), "stick_share": ("f", "m"), "lag": ("f", "m"),
}  # fmt: skip
# a band only where orbits are many, accelerations only where they are known
OPTIONAL_ARRAYS = {"band": ("f", "n", 2), "acceleration_amplitude": ("f", "n")}


class InvalidOrbitBytes(ValueError):
    """Bytes that are no orbit in this format: damaged, older, or foreign."""


def pack_orbit(orbit: Orbit) -> bytes:
    """An orbit as bytes, its model left out."""
    point = vars(orbit.point)
    arrays = {name: value for name, value in point.items() if isinstance(value, np.ndarray)} | orbit.samples._asdict()
    plain = {
        "point": {name: value for name, value in point.items() if name not in arrays},
        "events": list(orbit.trajectory.events()),
        "stats": asdict(orbit.stats),
        "certificate": asdict(orbit.certificate),
        "names": orbit.names,
    }
    held = {name: np.ascontiguousarray(array, dtype=_stored_dtype(array)) for name, array in arrays.items()}
    layout = {name: (array.dtype.str, array.shape) for name, array in held.items()}
    header = json.dumps({"arrays": layout, **plain}, default=lambda value: value.item()).encode()
    body = b"\n".join([header, b"".join(array.tobytes() for array in held.values())])
    return ORBIT_MAGIC + hashlib.sha256(body).hexdigest().encode() + b"\n" + body


def unpack_orbit(data: Any) -> Orbit:
    """The orbit in these bytes. Raises NoOrbit if they are damaged or hold none."""
    if not isinstance(data, bytes) or not data.startswith(ORBIT_MAGIC):
        raise InvalidOrbitBytes("not an orbit in this format")
    body = data[HEADER_OFFSET:]
    if data[len(ORBIT_MAGIC) : HEADER_OFFSET] != hashlib.sha256(body).hexdigest().encode() + b"\n":
        raise InvalidOrbitBytes("damaged: its digest differs")
    header, _, content = body.partition(b"\n")
    try:
        held = json.loads(header)
        name, coordinates, connections, units = held["names"]
        names = Names(name, tuple(coordinates), tuple(connections), decode_units(units))
        arrays = _arrays(held["arrays"], content)
        _refuse_misfits(arrays, names)
        samples = Samples(**{name: arrays.pop(name) for name in SAMPLE_ARRAYS})
        point = OrbitPoint(**arrays, **_tuples(held["point"]))
        events = [Event(*event) for event in held["events"]]
        recorded = RecordedTrajectory(
            Stats(**held["stats"]), samples, events, Certificate(**_tuples(held["certificate"]))
        )
        return Orbit(recorded, None, point, names)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as problem:
        raise InvalidOrbitBytes(f"damaged: {type(problem).__name__}: {problem}") from None


def _stored_dtype(array: Any) -> str:
    """The kind as which an array is kept."""
    return STORED_DTYPES.get(array.dtype.kind) or f"<U{max(array.dtype.itemsize // 4, 1)}"


def _arrays(layout: Mapping[str, Any], content: bytes) -> dict[str, Any]:
    """The arrays of a header, cut from the bytes behind it; all of these have to be theirs."""
    found, begin = dict[str, Any](), 0
    for name, (kind, shape) in layout.items():
        if KNOWN_DTYPES.fullmatch(kind) is None or not all(type(size) is int and size >= 0 for size in shape):
            raise InvalidOrbitBytes(f"{name} is an array of another kind or shape")
        end = begin + np.dtype(kind).itemsize * math.prod(shape)
        found[name] = np.frombuffer(content[begin:end], dtype=kind).reshape(shape).copy()
        begin = end
    if begin != len(content):
        raise InvalidOrbitBytes("bytes are left over")
    return found


def _refuse_misfits(arrays: Mapping[str, Any], names: Names) -> None:
    """Refuse arrays that are not of these coordinates and connections, and unknowns that are no numbers."""
    sizes: dict[Any, Any] = {"k": arrays["time"].size, "n": len(names.coordinates), "m": len(names.connections)}
    optional = {name: own for name, own in OPTIONAL_ARRAYS.items() if name in arrays}
    for name, (kind, *wanted) in (SAMPLE_ARRAYS | POINT_ARRAYS | optional).items():
        own = arrays[name]
        shape = [sizes.get(size, size) for size in wanted]
        if (
            own.dtype.kind != kind
            or own.ndim != len(shape)
            or any(b not in (None, a) for a, b in zip(own.shape, shape))
        ):
            raise InvalidOrbitBytes(f"{name} has the kind {own.dtype.kind} and the shape {own.shape}")
    if not np.all(np.isfinite(arrays["x"])):
        raise InvalidOrbitBytes("its unknowns are not numbers")


def _tuples(held: Mapping[str, Any]) -> dict[str, Any]:
    """Fields of a record; JSON has lists where it had tuples."""
    return {name: tuple(value) if isinstance(value, list) else value for name, value in held.items()}
