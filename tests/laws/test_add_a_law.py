"""A new law is one file and one public name, as CONTRIBUTING.md says: everything else follows from them.

The test adds a law to a copy of the package and uses it in a fresh interpreter.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MODULE = '''"""A slider that yields at different forces in the two directions."""

from __future__ import annotations

from collections.abc import Iterator

from slipstick.laws.base import Law, Memory
from slipstick.laws.diagram_symbols import DiagramSymbol
from slipstick.laws.identification_traits import DerivedQuantity, IdentificationTraits, LoopView
from slipstick.laws.law_words import LawWords
from slipstick.laws.parameters import parameter
from slipstick.units.dimensions import DEFLECTION, FORCE, STIFFNESS

TEETH = DiagramSymbol((((-0.28, 0.0), (-0.1, 0.2), (-0.1, 0.0), (0.1, 0.2), (0.1, 0.0), (0.28, 0.0)),), dissipates=True)


class RatchetSlider(Law):
    """Spring and slider in series, with a limit for each direction: -lower <= f <= upper."""

    stiffness: float = parameter(STIFFNESS, above=0.0, symbol="k", doc="stiffness of the spring")
    upper: float = parameter(FORCE, above=0.0, symbol="F_u", doc="largest force")
    lower: float = parameter(FORCE, above=0.0, symbol="F_l", doc="largest force the other way")
    remembers = ("slider",)
    is_passive = True
    state_names = ("stick", "slip")
    diagram_symbol = TEETH
    identification = IdentificationTraits(
        derived=(DerivedQuantity("free_travel", lambda law: (law.upper + law.lower) / law.stiffness, DEFLECTION),),
        linear=("stiffness", "upper", "lower"),
    )

    def update(self, u: float, v: float, memory: Memory) -> tuple[float, Memory]:
        s = memory[0]
        f = self.stiffness * (u - s)
        if f > self.upper:
            f = self.upper
            s = u - f / self.stiffness
        elif f < -self.lower:
            f = -self.lower
            s = u - f / self.stiffness
        return f, (s,)

    def stored(self, u: float, memory: Memory) -> float:
        return 0.5 * self.stiffness * (u - memory[0]) ** 2

    @staticmethod
    def start_values(loops: LoopView) -> Iterator[Law]:
        upper, lower = float(loops.up.max()), -float(loops.down.min())
        yield RatchetSlider(stiffness=loops.first_slope, upper=upper, lower=lower)


RatchetSlider.words = LawWords(
    title="ratchet slider",
    force="slider with two limits",
    use="Freewheels and ratchets. They slip more easily one way.",
    identify="The force levels off at one limit in each direction.",
    example="stiffness=4e5, upper=120.0, lower=60.0",
    noise=0.5,
)
'''
USE = """
import sys
from pathlib import Path
import numpy as np
import slipstick as ss

sys.path.insert(0, "{scripts}")
law = ss.RatchetSlider(stiffness=2.0, upper=0.6, lower=0.3)

# trace: the largest force, then the force on the way back, by hand
assert np.allclose(law.trace([0.2, 1.0, 0.8, 0.0]), [0.4, 0.6, 0.2, -0.3], atol=1e-14)
assert law.units()["upper"] == "N"

# files, checker, schema
model = ss.open("model.yaml")
assert model.connection("joint").law == ss.RatchetSlider(stiffness=4e5, upper=120.0, lower=60.0)
model.save("copy.yaml")
assert "law: ratchet-slider" in Path("copy.yaml").read_text()
assert ss.open("copy.yaml") == model

# a run and a periodic response
run = model.simulate(until=0.05)
assert run.certificate.passed, run.certificate
assert model.periodic(frequency=250.0).certificate.passed

# identify by name, with start values, derived quantities and units; rank
t = np.linspace(0.0, 2.0, 401)
u = 1.5 * np.sin(2.0 * np.pi * t)
loop = ss.Loop(u, law.trace(u) + np.random.default_rng(0).normal(0.0, 0.003, t.size), t)
fit = ss.identify(loop, "ratchet-slider")
for name, value in law.parameters().items():
    assert abs(fit.parameters[name].value - value) < 0.01 * value
assert abs(fit.derived["free_travel"].value - 0.45) < 0.01
assert ss.rank([loop], ["jenkins", "ratchet-slider"]).best.law.__class__ is ss.RatchetSlider

# the page of the documentation, the list of laws, the pages of the application
import make_law_pages
page = make_law_pages.page("RatchetSlider")
assert "| `upper` | $F_u$ | N | N m | > 0 | largest force |" in page
assert "Freewheels and ratchets." in page
table = make_law_pages.list_of_laws(Path("{root}/docs/laws.md").read_text())
assert "[`RatchetSlider(stiffness, upper, lower)`](laws/ratchet-slider.md) | slider with two limits |" in table
from slipstick.app.identify.law_cards import card_of, offered_laws
assert "ratchet-slider" in offered_laws()
assert card_of("ratchet-slider").use == "Freewheels and ratchets."
assert card_of("ratchet-slider").drawing.startswith("<svg")
from slipstick.app.model.law_descriptions import law_name_text
assert law_name_text("ratchet-slider", ()) == "Ratchet slider"

# the diagram: its own symbol
from slipstick.plot.model_diagram import draw_diagram
strokes = [line for line in draw_diagram(model).axes[0].lines if len(line.get_xdata()) == 6]
assert len(strokes) == 1
print("all done")
"""
MODEL = """\
slipstick: 1
coordinates:
  x: {inertia: 2 kg}
connections:
  joint: {deflection: x, law: ratchet-slider, stiffness: 4e5 N/m, upper: 120 N, lower: 60 N}
  spring: {deflection: x, law: linear, stiffness: 1e5 N/m, damping: 50 N s/m}
loads:
  - {on: x, cosine: {amplitude: 90 N, order: 1}}
frequency: 250 rad/s
"""


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a copy of the package that has one more file and one more public name."""
    folder = tmp_path_factory.mktemp("add_a_law")
    package = folder / "src" / "slipstick"
    shutil.copytree(ROOT / "src" / "slipstick", package, ignore=shutil.ignore_patterns("__pycache__"))
    (package / "laws" / "ratchet.py").write_text(MODULE)
    names = package / "__init__.py"
    text = names.read_text()
    assert text.count('    "laws.lugre": ["LuGre"],\n') == 1
    names.write_text(text.replace('    "laws.lugre"', '    "laws.ratchet": ["RatchetSlider"],\n    "laws.lugre"'))
    (folder / "model.yaml").write_text(MODEL)
    return folder


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(folder / "src"), "MPLBACKEND": "Agg"}
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600)


def test_files_trace_fits_pages_and_diagram_know_the_law(work: Path) -> None:
    script = USE.replace("{scripts}", str(ROOT / "scripts")).replace("{root}", str(ROOT))
    done = run(work, "-c", script)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("all done\n")


def test_the_checker_names_the_line_of_a_wrong_parameter(work: Path) -> None:
    (work / "wrong.yaml").write_text(MODEL.replace("upper: 120 N", "upper: -120 N"))
    good, wrong = (run(work, "-m", "slipstick", "check", name) for name in ("model.yaml", "wrong.yaml"))
    assert good.returncode == 0, good.stdout + good.stderr
    assert wrong.returncode == 2
    assert wrong.stderr.startswith("wrong.yaml:5: connections.joint.upper: must be > 0, got -120")


def test_importing_the_registry_loads_no_law(work: Path) -> None:
    script = "import sys, slipstick.laws as laws; assert 'ratchet-slider' in laws.LAWS; print('numpy' in sys.modules)"
    assert run(work, "-c", script).stdout == "False\n"
