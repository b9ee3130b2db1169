"""Studies that must be refused: name, content, the line to be named, and what the message must say."""

from __future__ import annotations

from typing import NamedTuple

MODEL = """\
slipstick: 1
name: pair
frequency: 30 Hz
coordinates:
  x: {inertia: 2 kg}
  y: {inertia: 150 g, displacement: 1 mm}
connections:
  mesh: {deflection: x - y, law: freeplay, stiffness: 560 N/mm, half_gap: 0.2 mm}
  bearing: {deflection: x, law: dry-friction, limit: 3 N}
loads:
  - {on: x, cosine: {amplitude: 12 N, order: 1}}
"""
CURVED = MODEL.replace("law: dry-friction, limit: 3 N", "law: dahl, stiffness: 3 N/mm, limit: 3 N")
NO_BASE = MODEL.replace("frequency: 30 Hz\n", "")
BROKEN = MODEL.replace("half_gap: 0.2 mm", "half_gap: -0.2 mm")

GOOD = """\
slipstick: 1
name: first run
model: pair.yaml
transient:
  until: 200 ms
  start: 0 s
  method: auto
  samples: 50
output:
  data: first.nc
  figure: none
"""


class Bad(NamedTuple):
    name: str
    content: str | bytes
    line: int | None
    fragments: tuple[str, ...]
    file: str = "study.yaml"  # the one that the message names


def changed(old: str, new: str) -> str:
    """The good study with one piece replaced."""
    assert GOOD.count(old) == 1, old
    return GOOD.replace(old, new)


def transient(keys: str) -> str:
    """The good study with other keys of the section; they start on line 5."""
    head, rest = GOOD.split("  until: 200 ms\n")
    tail = rest[rest.index("output:") :]
    return head + "".join(f"  {line}\n" for line in keys.strip().split("\n")) + tail


INLINE = """\
slipstick: 1
model:
  frequency: 30 Hz
  coordinates:
    x: {inertia: 2 kg}
  connections:
    mesh:
      deflection: x
      law: freeplay
      stiffness: 560 N/mm
      half_gap: 0.2 mm
transient:
  until: 1 s
"""

BAD = [
    # ---- the file itself
    Bad("empty", "", 1, ("is empty", "slipstick new NAME --study")),
    Bad("a list", "- a\n- b\n", 1, ("a study is a mapping", "a list of 2")),
    Bad("text", "hello\n", 1, ("a study is a mapping",)),
    Bad("binary", b"\x00\x01\x02", 1, ("not text",)),
    Bad("tab", changed("  start: 0 s", "\tstart: 0 s"), 6, ("tab", "spaces")),
    Bad("unclosed quote", changed("first run", '"first run'), 2, ("quote",)),
    Bad("key twice", changed("start: 0 s", "until: 3 s"), 6, ("transient.until", "appears twice", "line 5")),
    Bad("anchor", changed("200 ms", "&a 200 ms"), 5, ("anchor",)),
    Bad("no version", changed("slipstick: 1\n", ""), 1, ("slipstick", "is missing: a study starts")),
    Bad("another version", changed("slipstick: 1", "slipstick: 9"), 1, ("must be 1", "'9'")),
    Bad("unknown section", changed("output:", "outputs:"), 9, ("outputs: unknown key", 'did you mean "output"')),
    Bad("misspelt kind", changed("transient:", "transent:"), 4, ("transent: unknown key", 'did you mean "transient"')),
    # ---- what to do
    Bad("nothing to do", "slipstick: 1\nmodel: pair.yaml\n", 1, ("has no task", "transient: {until: 5 s}")),
    Bad("empty section", "slipstick: 1\nmodel: pair.yaml\ntransient:\n", 3, ("transient: is empty",)),
    Bad(
        "section is text",
        "slipstick: 1\nmodel: pair.yaml\ntransient: now\n",
        3,
        ("transient: must be a mapping", "'now'"),
    ),
    Bad("section is a list", "slipstick: 1\nmodel: pair.yaml\ntransient: [1, 2]\n", 3, ("must be a mapping",)),
    # ---- the model
    Bad("no model", changed("model: pair.yaml\n", ""), 1, ("has no model", "add model:")),
    Bad("empty model", changed("model: pair.yaml", "model:"), 3, ("model: is empty",)),
    Bad(
        "model is not there",
        changed("pair.yaml", "pear.yaml"),
        3,
        ("model: there is no file", "pear.yaml", "beside the study"),
    ),
    Bad("model is no yaml", changed("pair.yaml", "pair.nc"), 3, ("must be a model file, .yaml",)),
    Bad("model is a list", changed("model: pair.yaml", "model: [pair.yaml]"), 3, ("must be the name of a model file",)),
    Bad("model is the study", changed("pair.yaml", "study.yaml"), 3, ("is the study; name a model file",)),
    Bad("model and system", changed("model: pair.yaml", "model: pair.yaml\nsystem: tensioner"), 4, ("are both given",)),
    Bad(
        "model is wrong",
        changed("pair.yaml", "broken.yaml"),
        8,
        ("connections.mesh.half_gap", "must be >= 0"),
        "broken.yaml",
    ),
    Bad(
        "model is a study",
        changed("pair.yaml", "other-study.yaml"),
        3,
        ("model", "other-study.yaml", "is a study; name a model file"),
    ),
    Bad(
        "inline: unknown key",
        INLINE.replace("half_gap: 0.2 mm", "haf_gap: 0.2 mm"),
        11,
        ("model.connections.mesh.haf_gap", "unknown key of freeplay", "half_gap"),
    ),
    Bad("inline: bad unit", INLINE.replace("560 N/mm", "560 kg"), 10, ("model.connections.mesh.stiffness", "560 kg")),
    Bad(
        "inline: no coordinates",
        "slipstick: 1\nmodel: {name: nothing}\ntransient: {until: 1 s}\n",
        2,
        ("model.coordinates", "is missing"),
    ),
    Bad(
        "inline: another version",
        INLINE.replace("  frequency", "  slipstick: 2\n  frequency"),
        3,
        ("model.slipstick", "must be 1"),
    ),
    Bad(
        "inline: unknown coordinate",
        INLINE.replace("deflection: x", "deflection: z"),
        8,
        ("model.connections.mesh.deflection", '"z"'),
    ),
    # ---- systems
    Bad(
        "unknown system",
        changed("model: pair.yaml", "system: tensoiner"),
        3,
        ("unknown system 'tensoiner'", 'did you mean "tensioner"'),
    ),
    Bad(
        "system that is no model",
        changed("model: pair.yaml", "system: {name: TorsionalSystem, inertia: 1}"),
        3,
        ("unknown system 'TorsionalSystem'", 'did you mean "torsional"'),
    ),
    Bad(
        "unit within a list of a system",
        changed("model: pair.yaml", "system: {name: clutch, masses: [1 kg, 1, 1, 1, 1]}"),
        3,
        ("system.masses", "plain numbers in SI, got 1 kg"),
    ),
    Bad(
        "system without a name",
        changed("model: pair.yaml", "system: {amplitude: 5}"),
        3,
        ("system: is missing", "tensioner"),
    ),
    Bad("system is a list", changed("model: pair.yaml", "system: [tensioner]"), 3, ("must be the name of a system",)),
    Bad("unknown parameter", changed("model: pair.yaml", "system: {name: tensioner, amplitud: 5}"), 3, ("amplitud",)),
    Bad(
        "parameter with a unit",
        changed("model: pair.yaml", "system: {name: tensioner, amplitude: 5 N}"),
        3,
        ("system.amplitude", "plain numbers in SI, got 5 N"),
    ),
    Bad(
        "parameter is a list",
        changed("model: pair.yaml", "system: {name: tensioner, amplitude: [5]}"),
        3,
        ("system.amplitude", "must be a number"),
    ),
    Bad(
        "unknown law of a system",
        changed("model: pair.yaml", "system: {name: tensioner, law: mazing}"),
        3,
        ("system.law", "masing"),
    ),
    Bad(
        "frequency of a system in 1/s",
        changed("model: pair.yaml", "system: {name: tensioner, frequency: 5 1/s}"),
        3,
        ("system.frequency", "rad/s, Hz or rpm"),
    ),
    Bad(
        "mass of a system below zero",
        changed("model: pair.yaml", "system: {name: tensioner, mass: -5}"),
        3,
        ("system", "inertia must be >= 0"),
    ),
    # ---- numbers
    Bad("no until", transient("start: 0 s"), 4, ("transient.until: is missing", "the end of the run")),
    Bad("until is a word", changed("200 ms", "later"), 5, ("transient.until: must be a number",)),
    Bad("until in metres", changed("200 ms", "200 mm"), 5, ("transient.until: must be in units like s, got 200 mm",)),
    Bad(
        "until before start",
        changed("start: 0 s", "start: 3 s"),
        5,
        ("transient.until: until must be after start (3 s), got 0.2 s",),
    ),
    Bad("until zero", changed("200 ms", "0 s"), 5, ("until must be after start",)),
    Bad("until infinite", changed("200 ms", ".inf"), 5, ("must be finite",)),
    Bad("until a list", changed("200 ms", "[1, 2]"), 5, ("must be a number", "a list of 2")),
    Bad("unknown unit", changed("200 ms", "200 msec2"), 5, ("transient.until", "unit")),
    Bad(
        "unknown key", changed("start: 0 s", "begin: 0 s"), 6, ("transient.begin: unknown key", 'did you mean "start"')
    ),
    Bad(
        "misspelt key",
        changed("samples: 50", "smaples: 50"),
        8,
        ("transient.smaples: unknown key", 'did you mean "samples"'),
    ),
    Bad(
        "unknown method",
        changed("method: auto", "method: exakt"),
        7,
        ("transient.method: unknown method 'exakt'", 'did you mean "exact"'),
    ),
    Bad("method is a list", changed("method: auto", "method: [exact]"), 7, ("transient.method: must be text",)),
    Bad(
        "negative step",
        transient("until: 1 s\nmethod: inclusion\nstep: -1 us"),
        7,
        ("transient.step: step must be > 0",),
    ),
    Bad("time step by another name", transient("until: 1 s\ndt: 1 ms"), 6, ('did you mean "step" or "samples"',)),
    Bad("end by another name", transient("t_end: 1 s"), 5, ('transient.t_end: unknown key (did you mean "until"?)',)),
    Bad("step of zero", transient("until: 1 s\nmethod: inclusion\nstep: 0 s"), 7, ("step must be > 0",)),
    Bad("step in Hz", transient("until: 1 s\nmethod: inclusion\nstep: 5 Hz"), 7, ("transient.step", "5 Hz")),
    Bad(
        "step where there is none",
        transient("until: 1 s\nstep: 1 us"),
        6,
        ("transient.step", "leave step: out", "events, inclusion, newmark, taylor"),
    ),
    Bad(
        "tolerance where there is none",
        transient("until: 1 s\ntolerance: 1e-6"),
        6,
        ("transient.tolerance", "leave tolerance: out"),
    ),
    Bad(
        "tolerance with a unit",
        transient("until: 1 s\ntolerance: 1 mm"),
        6,
        ("transient.tolerance: must be a plain number without unit",),
    ),
    Bad("frequency in 1/s", transient("until: 1 s\nfrequency: 5 1/s"), 6, ("transient.frequency", "rad/s, Hz or rpm")),
    Bad(
        "frequency of zero",
        transient("until: 1 s\nfrequency: 0 Hz"),
        6,
        ("transient.frequency: frequency must be > 0",),
    ),
    Bad("no base frequency", changed("pair.yaml", "no-base.yaml"), 4, ("has an order and needs a base frequency",)),
    Bad("one sample", changed("samples: 50", "samples: 1"), 8, ("transient.samples: samples must be 0", "got 1")),
    Bad(
        "half a sample", changed("samples: 50", "samples: 2.5"), 8, ("transient.samples: must be a whole number", "2.5")
    ),
    Bad(
        "samples with a unit",
        changed("samples: 50", "samples: 50 s"),
        8,
        ("transient.samples: must be a plain number", "50 s"),
    ),
    Bad(
        "samples are a mapping",
        changed("samples: 50", "samples: {count: 50}"),
        8,
        ("transient.samples: must be a whole number or a list of times",),
    ),
    Bad(
        "samples that fall",
        changed("samples: 50", "samples: [0 s, 100 ms, 50 ms]"),
        8,
        ("samples must increase, got 0.05 s after 0.1 s",),
    ),
    Bad(
        "samples after the end", changed("samples: 50", "samples: [0 s, 1 s]"), 8, ("samples must lie within the run",)
    ),
    Bad(
        "a sample that is a word",
        changed("samples: 50", "samples: [0 s, then]"),
        8,
        ("transient.samples[1]: must be a number",),
    ),
    Bad(
        "a sample in metres",
        changed("samples: 50", "samples: [0 s, 1 mm]"),
        8,
        ("transient.samples[1]: must be in units like s",),
    ),
    # ---- options
    Bad(
        "unknown option",
        transient("until: 1 s\noptions: {sheme: theta}"),
        6,
        ("transient.options.sheme", 'no option "sheme"'),
    ),
    Bad("options are text", transient("until: 1 s\noptions: theta"), 6, ("transient.options: must be a mapping",)),
    Bad(
        "option is a list",
        transient("until: 1 s\noptions: {scheme: [theta]}"),
        6,
        ("transient.options.scheme: must be a number, a word",),
    ),
    Bad(
        "option with a unit",
        transient("until: 1 s\noptions: {theta: 5 mm}"),
        6,
        ("transient.options.theta: must be a plain number",),
    ),
    Bad(
        "step among the options",
        transient("until: 1 s\noptions: {step: 1e-5}"),
        6,
        ("transient.options.step", "directly under transient:"),
    ),
    Bad(
        "a law without the face",
        changed("pair.yaml", "curved.yaml").replace("method: auto", "method: exact"),
        7,
        ("transient.method", 'connection "bearing" (ModifiedDahl, in Dahl) has no pieces', "events, newmark"),
    ),
    # ---- output
    Bad("data is no netCDF", changed("first.nc", "first.csv"), 10, ("output.data: must end in .nc", "'first.csv'")),
    Bad(
        "figure is no picture",
        changed("figure: none", "figure: first.doc"),
        11,
        ("output.figure: must end in .png or .svg or .pdf",),
    ),
    Bad(
        "no such folder", changed("first.nc", "out/first.nc"), 10, ("output.data: there is no folder", "make it first")
    ),
    Bad("long name", changed("first.nc", "n" * 300 + ".nc"), 10, ("output.data: a file's name has at most 255 bytes",)),
    Bad("target is a folder", changed("first.nc", "folder.nc"), 10, ("output.data", "is a folder")),
    Bad("unknown output", changed("figure: none", "picture: first.png"), 11, ("output.picture: unknown key", "figure")),
    Bad(
        "output is text",
        "slipstick: 1\nmodel: pair.yaml\ntransient: {until: 1 s}\noutput: first.nc\n",
        4,
        ("output: must be a mapping",),
    ),
    Bad("empty value", changed("method: auto", "method:"), 7, ("transient.method: is empty",)),
]
