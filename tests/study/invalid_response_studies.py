"""Studies of periodic responses that must be refused; keys of the section start on line 5."""

from __future__ import annotations

from study.invalid_studies import MODEL, Bad

# the models that these studies name, beside those of `bad_studies`
SILENT = MODEL[: MODEL.index("loads:")]
STUBBORN = MODEL.replace("{amplitude: 12 N, order: 1}", "{amplitude: 12 N, frequency: 31 Hz}")
ODD = MODEL + "  - {on: y, cosine: {amplitude: 1 N, order: 1.4142135}}\n"
RAMPED = MODEL + "  - {on: y, ramp: 1 N/s}\n"
MODELS = {"silent": SILENT, "stubborn": STUBBORN, "odd": ODD, "ramped": RAMPED}


def curve(keys: str, model: str = "pair", kind: str = "frequency_response") -> str:
    lines = "".join(f"  {line}\n" for line in keys.strip().split("\n"))
    head = f"slipstick: 1\nname: response\nmodel: {model}.yaml\n{kind}:\n"
    return f"{head}{lines}output: {{data: first.nc, figure: none}}\n"


def orbit(keys: str, model: str = "pair") -> str:
    return curve(keys, model, "periodic")


def drawn(plot: str) -> str:
    text = curve("between: [20 Hz, 40 Hz]")
    return text.replace("figure: none}", f"figure: a.png, plot: {{{plot}}}}}")


SECTION = "frequency_response"
BETWEEN, AT = f"{SECTION}.between", f"{SECTION}.at"

BAD = [
    # ---- frequencies
    Bad("no frequencies", curve("method: auto"), 4, (f"{SECTION}: between is missing: [10 Hz, 40 Hz]", "or at:")),
    Bad("both", curve("between: [20 Hz, 40 Hz]\nat: [25 Hz]"), 6, (f"{AT}: between: and at: are both given",)),
    Bad("empty", curve("between:"), 5, (f"{BETWEEN}: is empty",)),
    Bad("one frequency", curve("between: 20 Hz"), 5, (f"{BETWEEN}: must be two frequencies, such as [10 Hz, 40 Hz]",)),
    Bad("three", curve("between: [20 Hz, 30 Hz, 40 Hz]"), 5, (BETWEEN, "a list of 3")),
    Bad("nothing between", curve("between: [20 Hz, 20 Hz]"), 5, (BETWEEN, "two different frequencies")),
    Bad("from zero", curve("between: [0 Hz, 20 Hz]"), 5, (f"{BETWEEN}[0]: must be a frequency > 0, got 0 Hz",)),
    Bad("across zero", curve("between: [-5 Hz, 20 Hz]"), 5, (f"{BETWEEN}[0]", "got -5 Hz; begin a little above zero")),
    Bad("a word", curve("between: [slow, fast]"), 5, (f"{BETWEEN}[0]: must be a number",)),
    Bad("metres", curve("between: [20 mm, 40 mm]"), 5, (f"{BETWEEN}[0]: must be a frequency in rad/s, Hz or rpm",)),
    Bad("per second", curve("between: [20 1/s, 40 Hz]"), 5, (f"{BETWEEN}[0]", "may mean rad/s or cycles a second")),
    Bad("a range that is a word", curve("between: all"), 5, (BETWEEN, "'all'")),
    Bad("a range without end", curve("between: {from: 5 Hz}"), 5, (BETWEEN, "to is missing; write {from: 10 Hz, to")),
    Bad(
        "a range with a count",
        curve("between: {from: 5 Hz, to: 9 Hz, count: 3}"),
        5,
        (f"{BETWEEN}.count: unknown key; write {{from: 10 Hz, to: 40 Hz}}",),
    ),
    Bad("at nothing", curve("at: []"), 5, (f"{AT}: is an empty list", "such as [10 Hz]")),
    Bad("at zero", curve("at: [10 Hz, 0 Hz]"), 5, (f"{AT}[1]: must be a frequency > 0",)),
    Bad("at a word", curve("at: resonance"), 5, (f"{AT}: must be a number",)),
    Bad("count of one", curve("at: {from: 5 Hz, to: 9 Hz, count: 1}"), 5, (f"{AT}.count", "from 2 to 100000, got 1")),
    Bad("count of half", curve("at: {from: 5 Hz, to: 9 Hz, count: 2.5}"), 5, (f"{AT}.count: must be a whole number",)),
    Bad("count of all", curve("at: {from: 5 Hz, to: 9 Hz, count: 1e9}"), 5, (f"{AT}.count", "100000")),
    Bad("no count", curve("at: {from: 5 Hz, to: 9 Hz}"), 5, (f"{AT}: count is missing; write",)),
    Bad("step", curve("at: {from: 5 Hz, to: 9 Hz, step: 1 Hz}"), 5, (f"{AT}.step: unknown key; write {{from:",)),
    # ---- method, harmonics, periods
    Bad("unknown key", curve("betwen: [20 Hz, 40 Hz]"), 5, (f'{SECTION}.betwen: unknown key (did you mean "between"',)),
    Bad(
        "kebab section",
        curve("between: [20 Hz, 40 Hz]", kind="frequency-response"),
        4,
        ('frequency-response: unknown key (did you mean "frequency_response"',),
    ),
    Bad(
        "unknown method",
        curve("between: [20 Hz, 40 Hz]\nmethod: hbm"),
        6,
        (f"{SECTION}.method: unknown method 'hbm'", "methods: auto, shooting, harmonic-balance"),
    ),
    Bad(
        "zero harmonics",
        curve("between: [20 Hz, 40 Hz]\nmethod: harmonic-balance\nharmonics: 0"),
        7,
        (f"{SECTION}.harmonics: harmonics must be a whole number from 1 to 1000, got 0",),
    ),
    Bad(
        "half a harmonic",
        curve("between: [20 Hz, 40 Hz]\nmethod: harmonic-balance\nharmonics: 2.5"),
        7,
        (f"{SECTION}.harmonics: must be a whole number, got 2.5",),
    ),
    Bad(
        "harmonics of shooting",
        curve("between: [20 Hz, 40 Hz]\nmethod: shooting\nharmonics: 5"),
        7,
        (f"{SECTION}.harmonics", "does not use harmonics; leave harmonics: out"),
    ),
    Bad(
        "no subharmonic",
        curve("between: [20 Hz, 40 Hz]\nsubharmonic: 0"),
        6,
        (f"{SECTION}.subharmonic: subharmonic must be a whole number from 1",),
    ),
    Bad(
        "a law without the face",
        curve("between: [20 Hz, 40 Hz]\nmethod: harmonic-balance", "with-a-rigid-stop"),
        6,
        (f"{SECTION}.method", "Impact", "shooting"),
    ),
    # ---- loads
    Bad("no load", curve("between: [20 Hz, 40 Hz]", "silent"), 4, ("has no periodic load", "with an order")),
    Bad(
        "a load with its own frequency",
        curve("between: [20 Hz, 40 Hz]", "stubborn"),
        4,
        ("the load on x", "an order instead of a frequency"),
    ),
    Bad("no common period", curve("between: [20 Hz, 40 Hz]", "odd"), 4, ("have no common period",)),
    Bad("a ramp", curve("between: [20 Hz, 40 Hz]", "ramped"), 4, ("is not periodic; remove ramps",)),
    # ---- start
    Bad(
        "start is no file of ours", curve("at: [20 Hz]\nstart: a.csv"), 6, ("start: must be a file with an orbit, .nc",)
    ),
    Bad("start is not there", curve("at: [20 Hz]\nstart: a.nc"), 6, (f"{SECTION}.start", "there is no such file")),
    Bad(
        "start is no result", curve("at: [20 Hz]\nstart: text.nc"), 6, (f"{SECTION}.start", "cannot be read as netCDF")
    ),
    Bad("start is a run", curve("at: [20 Hz]\nstart: run.nc"), 6, ("start", "has a run in it, no orbit; name one")),
    # ---- orbits
    Bad("orbit at zero", orbit("frequency: 0 Hz"), 5, ("periodic.frequency: must be a frequency > 0",)),
    Bad("orbit in 1/s", orbit("frequency: 3 1/s"), 5, ("periodic.frequency", "rad/s, Hz or rpm")),
    Bad("orbit between", orbit("between: [3 Hz, 4 Hz]"), 5, ("periodic.between: unknown key",)),
    Bad("orbit of nothing", orbit("frequency: 20 Hz", "silent"), 4, ("periodic", "has no periodic load")),
    Bad("orbit without base", orbit("method: auto", "no-base"), 4, ("needs a base frequency",)),
    Bad("orbit method", orbit("frequency: 20 Hz\nmethod: newton"), 6, ("periodic.method: unknown method 'newton'",)),
    Bad("orbit from a run", orbit("frequency: 20 Hz\nstart: run.nc"), 6, ("periodic.start", "no orbit")),
    # ---- pictures
    Bad("unknown quantity", drawn("quantity: amplitudes"), 6, ("output.plot.quantity: no quantity", '"amplitude"')),
    Bad(
        "quantity of runs", drawn("quantity: velocity"), 6, ("output.plot.quantity: no quantity 'velocity' of a curve",)
    ),
    Bad("time of a curve", drawn("start: 1 s"), 6, ("output.plot.start", "a curve over frequency has no start")),
    Bad("half a log", drawn("log: maybe"), 6, ("output.plot.log: must be true or false",)),
    Bad(
        "names of others",
        drawn("quantity: dissipated, coordinates: x"),
        6,
        ("output.plot.quantity: dissipated belongs to connections; leave coordinates out",),
    ),
]
