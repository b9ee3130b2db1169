# ruff: noqa: E501
"""Model files that must be refused: name, content, the line to be named, and what the message must say."""

from __future__ import annotations

from typing import NamedTuple

GOOD = """\
slipstick: 1
name: pair
frequency: 30 Hz
coordinates:
  x: {inertia: 2 kg}
  y: {inertia: 150 g, displacement: 1 mm}
connections:
  mesh:
    deflection: x - y
    law: freeplay
    stiffness: 560 N/mm
    half_gap: 0.2 mm
  bearing:
    deflection: x
    law: dry-friction
    limit: 3 N
loads:
  - {on: x, cosine: {amplitude: 12 N, order: 1}}
"""


class Bad(NamedTuple):
    name: str
    content: str | bytes
    line: int | None
    fragments: tuple[str, ...]


def changed(old: str, new: str) -> str:
    """The good file with one piece replaced."""
    assert GOOD.count(old) == 1, old
    return GOOD.replace(old, new)


def mesh(keys: str) -> str:
    """The good file with other keys for the connection mesh; they start on line 9."""
    head, rest = GOOD.split("    deflection: x - y\n")
    tail = rest[rest.index("  bearing:") :]
    return head + "".join(f"    {line}\n" for line in keys.strip().split("\n")) + tail


def spring(text: str) -> str:
    """The good file with ``text`` as the stiffness, on line 11."""
    return changed("560 N/mm", text)


def deflection(text: str) -> str:
    """The good file with ``text`` as a deflection, on line 9."""
    return changed("x - y", text)


BAD = [
    # ---- the file itself
    Bad("empty file", "", 1, ("is empty", "slipstick new")),
    Bad("only a comment", "# nothing\n", 1, ("is empty",)),
    Bad("a list at the top", "- slipstick: 1\n", 1, ("mapping", "slipstick: 1", "a list")),
    Bad("plain text", "hello\n", 1, ("mapping", "'hello'")),
    Bad("binary", b"\x7fELF\x02\x01\x01\x00\x00", 1, ("not text", "zero byte", "UTF-8")),
    Bad("random bytes", b"\xfe\x9c\x12", 1, ("not UTF-8", "0xfe")),
    Bad("latin-1", GOOD.replace("pair", "Prüfling").encode("latin-1"), 2, ("not UTF-8", "0xfc", "save it as UTF-8")),
    Bad("UTF-16", GOOD.encode("utf-16"), 1, ("UTF-16", "save it as UTF-8")),
    Bad("UTF-32", GOOD.encode("utf-32"), 1, ("UTF-32",)),
    Bad("too large", GOOD + "#" * 600_000, None, ("600", "bytes", "limit is 500000", ".npz")),
    Bad("control character", changed("name: pair", "name: pa\x07ir"), 2, (r"'\x07'", "not allowed")),
    Bad("control character escaped", changed("name: pair", 'name: "pa\\x07ir"'), 2, ("name", "one line of text")),
    Bad("byte order mark inside", changed("x - y", "x \ufeff- y"), 9, (r"'\ufeff'",)),
    Bad("line separator", changed("x - y", "x \u2028- y"), 9, (r"'\u2028'",)),
    # ---- YAML that is none, or more than we want
    Bad("tab as indentation", changed("    law: freeplay", "\tlaw: freeplay"), 10, ("tab", "spaces")),
    Bad("unclosed bracket", changed("{inertia: 2 kg}", "{inertia: 2 kg"), 5, ("bracket", "not closed", "line 6")),
    Bad("unclosed quote", changed("name: pair", 'name: "pair'), 2, ("quote", "not closed")),
    Bad("two colons", changed("law: freeplay", "law: freeplay: 3"), 10, ('second ":"',)),
    Bad("no colon before a bracket", changed("  x: {", "  x {"), 5, ('":" is missing after the key, before the bracket',)),
    Bad("no colon after brackets", changed("y: {inertia", "y {inertia"), 6, ('":" is missing after the key',)),
    Bad("no colon in brackets", changed("{inertia: 2 kg}", "{inertia 2 kg}"), 5, ("is empty", '":" missing after inertia')),
    Bad("decimal comma in brackets", changed("{inertia: 2 kg}", "{inertia: 2,5 kg}"), 5, ("comma ends a value", "with a point")),
    Bad("indentation off", changed("    law: freeplay", "   law: freeplay"), 10, ("indentation is off", "line 8")),
    Bad("at sign", spring("@5"), 11, ("not valid YAML", "quotes")),
    Bad("bad escape", changed("name: pair", r'name: "\Uffffffff"'), 2, ("not valid YAML",)),
    Bad("anchor", changed("{inertia: 2 kg}", "&a {inertia: 2 kg}"), 5, ("anchor", "write the values out")),
    Bad("alias", changed("{inertia: 2 kg}", "*a"), 5, ("alias", "write the values out")),
    Bad("cyclic reference", "slipstick: 1\ncoordinates: &a\n  x: *a\n", 2, ("anchor",)),
    Bad("alias bomb", "a: &a [x]\n" + "".join(f"{b}: &{b} [*{a},*{a}]\n" for a, b in zip("abcdefgh", "bcdefghi")), 1, ("anchor",)),
    Bad("merge key", changed("{inertia: 2 kg}", "{<<: {inertia: 2 kg}}"), 5, ("merge key",)),
    Bad("python tag", changed("name: pair", "name: !!python/object/apply:os.system [ls]"), 2, ("tag", "remove it")),
    Bad("string tag", changed("name: pair", "name: !!str pair"), 2, ("tag",)),
    Bad("local tag", changed("name: pair", "name: !secret pair"), 2, ("tag",)),
    Bad("two documents", GOOD + "---\n" + GOOD, 19, ("second document", "one model a file")),
    Bad("YAML 1.1 directive", "%YAML 1.1\n---\n" + GOOD, 2, ("% line",)),
    Bad("list as key", "slipstick: 1\n? [a, b]\n: 3\n", 2, ("key must be a word",)),
    Bad("deep nesting", "slipstick: 1\nname: " + "[" * 500, 2, ("levels", "20")),
    Bad("deep nesting in blocks", "slipstick: 1\n" + "".join(" " * i + "a:\n" for i in range(100)), 22, ("levels",)),
    Bad("very many values", "slipstick: 1\nloads: [" + "1, " * 30_000 + "]", 2, ("20000", ".npz")),
    Bad("very long text", changed("name: pair", "name: " + "x" * 20_000), 2, ("20000 characters", "limit is 10000")),
    Bad("long key", GOOD + "k" * 500 + ": 1\n", 19, ("500 characters", "limit is 100")),
    Bad("very long key", GOOD + "k" * 5000 + ": 1\n", 19, ('":" is missing',)),
    Bad("very long name", changed("name: pair", "name: " + "x" * 300), 2, ("name", "200 characters")),
    # ---- keys
    Bad("no version", GOOD.replace("slipstick: 1\n", ""), 1, ("slipstick", "is missing", "slipstick: 1")),
    Bad("newer version", changed("slipstick: 1", "slipstick: 2"), 1, ("must be 1", "'2'")),
    Bad("misspelt section", changed("connections:", "conections:"), 7, ("conections", 'did you mean "connections"?')),
    Bad("misspelt parameter", changed("half_gap", "halfgap"), 12, ("connections.mesh.halfgap", 'did you mean "half_gap"?')),
    Bad("misspelt key of a coordinate", changed("displacement", "displacment"), 6, ("coordinates.y", "displacement")),
    Bad("misspelt key of a function", changed("amplitude", "amplitud"), 18, ("loads[0].cosine.amplitud", '"amplitude"')),
    Bad("misspelt function", changed("cosine", "cosinus"), 18, ("loads[0].cosinus", '"cosine"')),
    Bad("key of another law", changed("half_gap: 0.2 mm", "half_gap: 0.2 mm\n    limit: 3 N"), 13, ("limit", "unknown key of freeplay")),
    Bad("key that appears twice", changed("    stiffness: 560 N/mm", "    stiffness: 1\n    stiffness: 2"), 12, ("appears twice", "line 11")),
    Bad("connection that appears twice", changed("bearing:", "mesh:"), 13, ("connections.mesh", "appears twice", "line 8")),
    Bad("coordinate that appears twice", changed("  y: {", "  x: {"), 6, ("coordinates.x", "appears twice", "line 5")),
    Bad("key without value", spring(""), 11, ("connections.mesh.stiffness", "is empty")),
    Bad("null", spring("null"), 11, ("connections.mesh.stiffness", "is empty")),
    Bad("coordinate without value", changed("x: {inertia: 2 kg}", "x:"), 5, ("coordinates.x", "is empty", "{}")),
    # ---- types
    Bad("list instead of coordinates", "slipstick: 1\ncoordinates: [x, y]\n", 2, ("coordinates", "mapping", "list of 2")),
    Bad("text instead of coordinate", changed("{inertia: 2 kg}", "2 kg"), 5, ("coordinates.x", "mapping", "'2 kg'")),
    Bad("mapping instead of loads", changed("  - {on: x", "    a: {on: x"), 17, ("loads", "list", "mapping")),
    Bad("text instead of load", changed("  - {on: x, cosine: {amplitude: 12 N, order: 1}}", "  - x"), 18, ("loads[0]", "mapping")),
    Bad("list instead of number", spring("[1, 2]"), 11, ("stiffness", "must be a number", "list of 2")),
    Bad("mapping instead of number", spring("{a: 1}"), 11, ("stiffness", "must be a number", "mapping")),
    Bad("text instead of number", spring("stiff"), 11, ("stiffness", "must be a number", "'stiff'", "560 N/mm")),
    Bad("true instead of number", spring("true"), 11, ("stiffness", "must be a number", "true")),
    Bad("yes instead of number", spring("yes"), 11, ("stiffness", "must be a number", "yes")),
    Bad("number instead of list", mesh("deflection: x\nlaw: polynomial\ncoefficients: 3"), 11, ("coefficients", "list", "'3'")),
    Bad("text in a list", mesh("deflection: x\nlaw: polynomial\ncoefficients: [0, b]"), 11, ("coefficients[1]", "number", "'b'")),
    Bad("empty list", mesh("deflection: x\nlaw: polynomial\ncoefficients: []"), 11, ("coefficients", "at least one")),
    Bad("number instead of choice", mesh("deflection: x\nlaw: dynamic-hysteresis\nstiffness: 1\nlimit: 1\nvirgin: 3"), 13, ("virgin", "backbone or printed")),
    Bad("number instead of flag", mesh("deflection: x\nlaw: bliman-sorine\nstiffness: 1\nlimit: 1\novershoot_limit: 0\nratio: 1\nmemory: 1"), 15, ("memory", "true or false")),
    Bad("list instead of law", changed("law: freeplay", "law: [freeplay]"), 10, ("law", "name of a law")),
    # ---- numbers
    Bad("nan", spring(".nan"), 11, ("stiffness", "finite", ".nan")),
    Bad("infinite", spring("-.inf"), 11, ("stiffness", "finite", "-.inf")),
    Bad("nan without dot", spring("NaN"), 11, ("stiffness", "finite", "NaN")),
    Bad("huge exponent", spring("1e999"), 11, ("stiffness", "finite", "1e999")),
    Bad("huge exponent with unit", spring("1e306 N/mm"), 11, ("stiffness", "finite")),
    Bad("huge integer", spring("9" * 400), 11, ("stiffness", "finite", "999...")),
    Bad("integer of 5000 digits", spring("1" * 5000), 11, ("stiffness", "finite")),
    Bad("too small", spring("1e-999"), 11, ("stiffness", "too small", "1e-999")),
    Bad("decimal comma", spring("1,5"), 11, ("stiffness", "'1,5'", "separators")),
    Bad("thousands separator", spring("1_000"), 11, ("stiffness", "'1_000'", "separators")),
    Bad("negative limit", changed("limit: 3 N", "limit: -3 N"), 16, ("connections.bearing.limit", "must be >= 0", "-3")),
    Bad("negative half gap", changed("0.2 mm", "-0.2 mm"), 12, ("half_gap", "must be >= 0", "-0.2 mm")),
    Bad("zero where it must not be", mesh("deflection: x\nlaw: jenkins\nstiffness: 0 N/m\nlimit: 1"), 11, ("stiffness", "must be > 0", "got 0")),
    Bad("negative inertia", changed("2 kg", "-2 kg"), 5, ("coordinates.x.inertia", "must be >= 0", "-2 kg")),
    Bad("zero frequency", changed("30 Hz", "0 Hz"), 3, ("frequency", "must be > 0", "0 Hz")),
    Bad("zero order", changed("order: 1", "order: 0"), 18, ("loads[0].cosine", "order must be > 0")),
    # ---- units
    Bad("wrong unit", spring("560 N"), 11, ("stiffness", "must be in units like N/m, got 560 N")),
    Bad("wrong unit of a gap", changed("0.2 mm", "0.2 s"), 12, ("half_gap", "must be in units like m", "0.2 s")),
    Bad("wrong unit of a load", changed("12 N", "12 kg"), 18, ("loads[0].cosine.amplitude", "must be in units like N", "12 kg")),
    Bad("wrong unit of an inertia", changed("2 kg", "2 N"), 5, ("coordinates.x.inertia", "kg or kg m^2", "2 N")),
    Bad("unit on a plain number", changed("order: 1", "order: 1 Hz"), 18, ("order", "without unit", "1 Hz")),
    Bad("angle on a plain number", changed("order: 1", "order: 1 rad"), 18, ("order", "without unit", "1 rad")),
    Bad("angle too many", spring("560 N rad/mm"), 11, ("stiffness", "must be in units like N/m", "560 N rad/mm")),
    Bad("unknown unit", spring("560 N/xyz"), 11, ("stiffness", 'unknown unit "xyz"', "N/m")),
    Bad("unit in the wrong case", changed("30 Hz", "30 hz"), 3, ("frequency", '"hz"', '"Hz"', "case matters")),
    Bad("unit that cannot be read", spring("560 N//mm"), 11, ("stiffness", "cannot be read", "N m/rad")),
    Bad("unit with a huge power", spring("560 N^99999"), 11, ("stiffness", "power", "12")),
    Bad("very long unit", spring("560 " + "N*" * 100 + "N"), 11, ("stiffness", "characters", "60")),
    Bad("temperature", spring("560 degC"), 11, ("stiffness", "degC", "mechanical")),
    Bad("frequency in 1/s", changed("30 Hz", "30 1/s"), 3, ("frequency", "rad/s or cycles", "rpm")),
    Bad("frequency in N", changed("30 Hz", "30 N"), 3, ("frequency", "rad/s, Hz or rpm", "30 N")),
    Bad("phase in mm", changed("order: 1}", "order: 1, phase: 3 mm}"), 18, ("phase", "angle in rad or deg", "3 mm")),
    Bad("mixed kinds", changed("0.2 mm", "0.2 deg"), 12, ("half_gap", "0.2 deg is rotation", "stiffness: 560 N/mm is translation")),
    Bad("mixed kinds in a coordinate", changed("150 g", "150 kg m^2"), 6, ("inertia", "150 kg m^2 is rotation", "displacement: 1 mm is translation")),
    Bad("mixed kinds in a sum", mesh("deflection: x\nsum:\n  - {law: linear, stiffness: 1 N/m}\n  - {law: linear, stiffness: 1 N m/rad}"), 12, ("sum[1]", "rotation", "translation")),
    Bad("torque on a displacement", changed("12 N", "12 N m"), 18, ("amplitude", "must be in units like N", "12 N m", "rotation")),
    Bad("angle with a force law", mesh("deflection: x\nlaw: linear\nstiffness: 3 N/mm").replace("2 kg", "2 kg m^2"), 11, ("connections.mesh.stiffness", "3 N/mm is translation", "x is rotation", "use a unit like N m/rad")),
    Bad("force on an angle", changed("2 kg", "2 kg m^2").replace("150 g, displacement: 1 mm", "1 kg m^2").replace("560 N/mm", "560").replace("0.2 mm", "2 deg"), 16, ("connections.bearing.limit", "3 N is translation", "use a unit like N m")),
    Bad("mass that turns", changed("{inertia: 2 kg}", "{inertia: 2 kg, velocity: 900 rpm}"), 5, ("coordinates.x.inertia", "2 kg is translation", "velocity: 900 rpm is rotation", "kg m^2")),
    Bad("metres and radians added", changed("2 kg", "2 kg m^2"), 9, ("connections.mesh.deflection", "metres and radians", "radius")),
    Bad("a radius does not hide the bare term", mesh("deflection: x - 0.05*y\nlaw: linear\nstiffness: 3 N/mm^2"), 9, ("connections.mesh.deflection", "stress", "translation")),
    Bad("stress law without scaling", mesh("deflection: x\nlaw: linear\nstiffness: 3 MPa"), 9, ("deflection", "stress", "scaled")),
    Bad("scaling in the wrong unit", mesh("deflection: x\nlaw: linear\nstiffness: 3 MPa\nscaled: {deflection: 3 kg}"), 12, ("scaled.deflection", "1/m", "3 kg")),
    # ---- laws
    Bad("unknown law", changed("law: freeplay", "law: freplay"), 10, ("connections.mesh.law", "'freplay'", 'did you mean "freeplay"?')),
    Bad("no law", mesh("deflection: x\nstiffness: 1"), 8, ("connections.mesh.law", "is missing", "sum")),
    Bad("law and sum", changed("half_gap: 0.2 mm", "half_gap: 0.2 mm\n    sum: []"), 13, ("law: and sum:",)),
    Bad("empty sum", mesh("deflection: x\nsum: []"), 10, ("sum", "empty list")),
    Bad("sum in a sum", mesh("deflection: x\nsum:\n  - {sum: []}"), 11, ("sum[0].sum", "one list")),
    Bad("missing parameter", changed("    half_gap: 0.2 mm\n", ""), 8, ("connections.mesh.half_gap", "is missing", "m, rad", "half of the total freeplay")),
    Bad("law with a function", mesh("deflection: x\nlaw: generalised-dahl\nrate: 1"), 10, ("Python function", "build it in Python")),
    Bad("parameters that disagree", mesh("deflection: x\nlaw: piecewise-linear\nbreaks: [0, 1]\nslopes: [1]\nvalue_at: [0, 0]"), 12, ("slopes", "one more than breaks")),
    Bad("pair of three", mesh("deflection: x\nlaw: piecewise-linear\nbreaks: [0]\nslopes: [1, 2]\nvalue_at: [0, 0, 0]"), 13, ("value_at", "pair")),
    Bad("static below sliding limit", changed("limit: 3 N", "limit: 3 N\n    static_limit: 2 N"), 17, ("static_limit", "must be >= limit")),
    Bad("ramp of a limit without time", changed("limit: 3 N", "limit: {ramp: 3 N}"), 16, ("limit.ramp", "N/s", "3 N")),
    Bad("modulation by a ramp with a force", changed("limit: 3 N", "limit: 3 N\n    modulated: {ramp: 1 N}"), 17, ("modulated.ramp", "1 N")),
    Bad("chirp without a rate", changed("limit: 3 N", "limit: {chirp: {amplitude: 3 N, frequency: 2 Hz}}"), 16, ("limit.chirp.rate", "missing", "Hz/s")),
    Bad("chirp with a frequency for its rate", changed("limit: 3 N", "limit: {chirp: {amplitude: 3 N, frequency: 2 Hz, rate: 3 Hz}}"), 16, ("limit.chirp.rate", "Hz/s", "3 Hz")),
    Bad("modulation with a unit", changed("limit: 3 N", "limit: 3 N\n    modulated: {constant: 1 N}"), 17, ("modulated.constant", "without unit", "1 N")),
    Bad("scaling by zero", changed("limit: 3 N", "limit: 3 N\n    scaled: {force: 0}"), 17, ("scaled.force", "must not be 0")),
    # ---- deflections
    Bad("no deflection", mesh("law: linear"), 8, ("connections.mesh.deflection", "is missing", "u1 - u2")),
    Bad("unknown coordinate", deflection("x - z"), 9, ("connections.mesh.deflection", 'no coordinate "z"', "known: x, y")),
    Bad("misspelt coordinate", GOOD.replace("  y:", "  gear:").replace("x - y", "x - gaer"), 9, ('"gaer"', 'did you mean "gear"?')),
    Bad("product of coordinates", deflection("x*y"), 9, ("deflection", "multiplied", "linear")),
    Bad("constant in a deflection", deflection("x + 3"), 9, ("deflection", "constant 3", "belongs in the law")),
    Bad("number as deflection", deflection("3"), 9, ("deflection", "coordinate", "'3'")),
    Bad("python in a deflection", deflection("__import__('os')"), 9, ("deflection", "__import__", "has no meaning")),
    Bad("call in a deflection", deflection("abs(x)"), 9, ("deflection", 'no coordinate "abs"')),
    Bad("power in a deflection", deflection("x**2"), 9, ("deflection", "power", "linear")),
    Bad("division by a coordinate", deflection("1/x"), 9, ("deflection", "divided by a coordinate")),
    Bad("division by zero", deflection("x/0"), 9, ("deflection", "divides by 0")),
    Bad("deflection that cancels", deflection("x - y - (x - y)"), 9, ("deflection", "always 0", "cancel")),
    Bad("deflection without *", deflection("2x"), 9, ("deflection", "write *")),
    Bad("unit in a deflection", deflection("x - 50 mm*y"), 9, ("deflection", "factors have no units")),
    Bad("open bracket in a deflection", deflection("(x - y"), 9, ("deflection", "closing bracket")),
    Bad("deflection that ends early", deflection("x -"), 9, ("deflection", "ends too early")),
    Bad("nested brackets", deflection("(" * 500 + "x" + ")" * 500), 9, ("deflection", "nested", "50")),
    Bad("list as deflection", deflection("[x, y]"), 9, ("deflection", "text", "list of 2")),
    Bad("huge factor", deflection("1e999*x"), 9, ("deflection", "too large")),
    Bad("unknown coordinate of along", changed("law: freeplay", "law: freeplay\n    along: q"), 11, ("along", 'no coordinate "q"')),
    # ---- names
    Bad("coordinate with a space", changed("  y: {", "  y y: {"), 6, ("coordinates", "letters, digits and _", "'y y'")),
    Bad("coordinate with a digit first", changed("  y: {", "  2y: {"), 6, ("letters, digits and _", "'2y'")),
    Bad("connection with a dot", changed("mesh:", "mesh.left:"), 8, ("connections", "mesh.left", "letters, digits")),
    Bad("connection with a line break", changed("mesh:", '"me\\nsh":'), 8, (r"'me\nsh'", "letters, digits")),
    Bad("connection of dots", changed("mesh:", '"../../etc":'), 8, ("letters, digits",)),
    Bad("connection with a blank name", changed("mesh:", '" ":'), 8, ("letters, digits",)),
    Bad("model without a name", changed("name: pair", 'name: " "'), 2, ("name", "one line of text")),
    # ---- loads and motions
    Bad("load on nothing", changed("on: x, ", ""), 18, ("loads[0].on", "is missing")),
    Bad("load on an unknown coordinate", changed("{on: x", "{on: q"), 18, ("loads[0].on", 'no coordinate "q"')),
    Bad("load without a function", changed(", cosine: {amplitude: 12 N, order: 1}", ""), 18, ("loads[0]", "no function of time", "cosine")),
    Bad("neither frequency nor order", changed(", order: 1", ""), 18, ("loads[0].cosine", "either a frequency or an order")),
    Bad("frequency and order", changed("order: 1", "order: 1, frequency: 3 Hz"), 18, ("loads[0].cosine", "either a frequency or an order")),
    Bad("signal of unequal length", changed("cosine: {amplitude: 12 N, order: 1}", "signal: {times: [0, 1], values: [0]}"), 18, ("loads[0].signal", "2 times but 1 values")),
    Bad("times that decrease", changed("cosine: {amplitude: 12 N, order: 1}", "signal: {times: [1, 0], values: [0, 0]}"), 18, ("signal", "must not decrease")),
    Bad("signal without values", changed("cosine: {amplitude: 12 N, order: 1}", "signal: {times: [0]}"), 18, ("signal", "times: and values:")),
    Bad("motion and start", changed("{inertia: 2 kg}", "{displacement: 1 mm, motion: {ramp: 1 m/s}}"), 5, ("coordinates.x", "prescribed motion", "leave them out")),
    Bad("motion in newtons", changed("{inertia: 2 kg}", "{motion: {ramp: 1 N/s}}"), 5, ("coordinates.x.motion.ramp", "m/s", "1 N/s")),
    Bad("no coordinates", "slipstick: 1\nname: nothing\n", 1, ("coordinates", "at least one coordinate")),
    # ---- other files
    Bad("matrices elsewhere", "slipstick: 1\nmatrices: ../beam.npz\n", 2, ("matrices", "same folder", "'../beam.npz'")),
    Bad("matrices at a full path", "slipstick: 1\nmatrices: /etc/passwd\n", 2, ("matrices", "same folder")),
    Bad("matrices of another kind", "slipstick: 1\nmatrices: beam.pkl\n", 2, ("matrices", ".npz")),
    Bad("matrices that are not there", "slipstick: 1\nmatrices: beam.npz\n", 2, ("matrices", "beam.npz", "no such file")),
]  # fmt: skip
