"""What is saved reads back exactly."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from file_strategies import PRESENT, SAVED, laws, systems
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from slipstick.errors import FileError
from slipstick.laws import law_class
from slipstick.laws.base import Law, Leaf
from slipstick.laws.composite import Combination
from slipstick.laws.elastic import Linear
from slipstick.laws.friction import DryFriction
from slipstick.laws.piecewise_linear import Freeplay
from slipstick.model.files import read_model, write_model
from slipstick.model.given_matrices import checked_matrices
from slipstick.model.system import System
from slipstick.signals import Constant, Cosine, Fourier, Ramp, Signal, Sum, TimeFunction


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with TemporaryDirectory() as name:
        yield Path(name)


def with_law(law: Law) -> System:
    system = System("one law")
    system.connect(system.coordinate("x", inertia=1.0), law, name="c")
    return system


def again(system: System, folder: Path) -> System:
    write_model(system, folder / "model.yaml")
    return read_model(folder / "model.yaml", warns=False)  # dampers below zero among the random ones are meant


def test_every_law_of_the_package_is_tried() -> None:
    assert set(SAVED) == set(PRESENT) - {"generalised-dahl", "friction-contact", "coulomb-contact"}
    assert len(SAVED) >= 20


@pytest.mark.parametrize("name", SAVED)
def test_a_saved_law_reads_back_exactly(name: str, folder: Path) -> None:
    @given(laws(name))
    @settings(max_examples=20, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
    def check(law: Law) -> None:
        found = again(with_law(law), folder).connections[0].law
        assert found == law
        assert type(found) is type(law)

    check()


@given(system=systems())
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
def test_a_saved_system_reads_back_exactly(system: System, folder: Path) -> None:
    assert again(system, folder) == system


@given(x=st.floats(allow_nan=False, allow_infinity=False))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_finite_number_reads_back_to_the_last_bit(x: float, folder: Path) -> None:
    found = again(with_law(Linear(stiffness=x)), folder).connections[0].law
    assert found.stiffness.hex() == float(x).hex() or x == 0.0


def test_a_sum_of_one_law_stays_a_sum(folder: Path) -> None:
    law = Combination(terms=(Leaf(Linear(stiffness=2.0)),))
    found = again(with_law(law), folder).connections[0].law
    assert isinstance(found, Combination)
    assert found == law


def test_a_varying_limit_that_is_regularised_keeps_its_cut_at_zero(folder: Path) -> None:
    law = DryFriction(limit=Fourier(1.0, cos=[0.5]), damping=2.0).regularised("tanh", sharpness=50.0)
    found = again(with_law(law), folder).connections[0].law
    assert found == law
    assert found.leaves()[0].modulation[0][1] is True


def test_regularised_laws_read_back(folder: Path) -> None:
    for law in (
        Freeplay(stiffness=1e3, half_gap=0.01).regularised("sqrt", rounding=0.01),
        Freeplay(stiffness=1e3, half_gap=0.01).regularised("tanh", sharpness=1e4),
        DryFriction(limit=2.0).regularised("sqrt", rounding=0.01, width=1e-3),
    ):
        assert again(with_law(law), folder).connections[0].law == law


@pytest.mark.parametrize(
    "name", ["null", "True", "~", "1e3", "- a", "a: b", "# a", '"', "'", "[a]", "{a}", "&a", "a #b", "%"]
)
def test_a_name_that_yaml_would_misread_stays_what_it_is(folder: Path, name: str) -> None:
    system = System(name)
    connection = name if name.isalnum() else "c"
    system.connect(system.coordinate("null", inertia=1.0), Linear(stiffness=1.0), name=connection)
    assert again(system, folder) == system
    assert YAML(typ="safe", pure=True).load((folder / "model.yaml").read_text())["name"] == name


def test_nested_sums_of_functions_read_back(folder: Path) -> None:
    system = System("nested")
    inner = Sum((Constant(1.0), Cosine(2.0, order=1.0)))
    system.load(system.coordinate("x", inertia=1.0), Sum((inner, Ramp(3.0))))
    assert again(system, folder) == system


def test_a_long_signal_goes_to_a_file_beside_the_model(tmp_path: Path) -> None:
    system = System("long")
    x = system.coordinate("x", inertia=1.0)
    times = np.linspace(0.0, 1.0, 5000)
    system.load(x, Signal(times, np.sin(times)) + Signal(times, np.cos(times)))
    assert again(system, tmp_path) == system
    assert sorted(p.name for p in tmp_path.iterdir()) == ["model-signal1.npz", "model-signal2.npz", "model.yaml"]
    assert (tmp_path / "model.yaml").stat().st_size < 1000


@pytest.mark.parametrize("sparse", [False, True])
def test_matrices_go_to_a_file_beside_the_model(tmp_path: Path, sparse: bool) -> None:
    from scipy.sparse import csr_array

    mass, stiffness = np.diag([1.0, 2.0, 1 / 3]), np.array([[2.0, -1, 0], [-1, 2, -1], [0, -1, 0.1]])
    if sparse:
        mass, stiffness = csr_array(mass), csr_array(stiffness)
    system = System("beam")
    for name in ("a", "b", "c"):
        system.coordinate(name)
    system.matrices = checked_matrices(mass, None, stiffness, ["a", "b", "c"])
    found = again(system, tmp_path)
    assert found == system
    assert found.matrices is not None
    assert hasattr(found.matrices.mass, "tocsr") == sparse
    assert "coordinates" not in (tmp_path / "model.yaml").read_text()
    system.connect(system.coordinate("tip", inertia=3.0) - system["c"], Linear(stiffness=1.0), name="end")
    assert again(system, tmp_path) == system


def test_coordinates_of_matrices_in_another_order_read_back(tmp_path: Path) -> None:
    system = System("beam")
    for name in ("tip", "b", "a"):
        system.coordinate(name, displacement=0.5)
    system.matrices = checked_matrices(np.eye(2), None, np.eye(2), ["a", "b"])
    assert again(system, tmp_path) == system


def test_saving_gives_the_same_text_each_time_and_again_after_reading(tmp_path: Path) -> None:
    system = with_law(Linear(stiffness=0.1) + Freeplay(stiffness=1e-300, half_gap=1 / 3))
    found = again(system, tmp_path)
    first = (tmp_path / "model.yaml").read_bytes()
    write_model(found, tmp_path / "model.yaml")
    assert (tmp_path / "model.yaml").read_bytes() == first


def test_a_saved_file_is_plain_yaml_of_si_numbers(tmp_path: Path) -> None:
    system = System("belt", 73.15)
    u1 = system.coordinate("u1", inertia=73.84)
    system.connect(u1, Linear(stiffness=5.6e5, damping=1e-5), name="belt")
    system.load(u1, Cosine(122.1, order=1))
    write_model(system, tmp_path / "belt.yaml")
    assert (tmp_path / "belt.yaml").read_text() == (
        "slipstick: 1\nname: belt\nfrequency: 73.15\n\n"
        "coordinates:\n  u1: {inertia: 73.84}\n\n"
        "connections:\n  belt:\n    deflection: u1\n    law: linear\n    stiffness: 560000.0\n    damping: 1.0e-05\n\n"
        "loads:\n  - {on: u1, cosine: {amplitude: 122.1, order: 1.0}}\n"
    )


# ---- what cannot be saved: one line, and nothing is written


class Own(Law):
    """A user's law."""

    k: float = 1.0

    def update(self, u: float, v: float, memory: tuple[float, ...]) -> tuple[float, tuple[float, ...]]:
        return self.k * u, memory


class OwnFunction(TimeFunction):
    """A user's function of time."""


def refuse_to_save(system: System, folder: Path, *words: str) -> None:
    with pytest.raises(FileError) as caught:
        write_model(system, folder / "model.yaml")
    message = str(caught.value)
    assert "\n" not in message
    for word in ("model.yaml", *words):
        assert word in message
    assert list(folder.iterdir()) == []


def test_a_users_own_law_cannot_be_saved(tmp_path: Path) -> None:
    refuse_to_save(with_law(Own()), tmp_path, "connections.c", "Own", "cannot be saved", "keep the Python code")


def test_a_users_own_law_in_a_sum_cannot_be_saved(tmp_path: Path) -> None:
    refuse_to_save(with_law(Own() + Linear(stiffness=1.0)), tmp_path, "connections.c", "Own", "cannot be saved")


@pytest.mark.skipif("generalised-dahl" not in PRESENT, reason="the Dahl family is not there yet")
def test_a_law_with_a_python_function_cannot_be_saved(tmp_path: Path) -> None:
    law = law_class("generalised-dahl")(rate=1.0, envelope=lambda *_: 1.0)
    refuse_to_save(with_law(law), tmp_path, "generalised-dahl", "Python function", "cannot be saved")


def test_a_users_own_function_of_time_cannot_be_saved(tmp_path: Path) -> None:
    system = with_law(Linear(stiffness=1.0))
    system.load(system["x"], OwnFunction())
    refuse_to_save(system, tmp_path, "loads[0]", "OwnFunction", "Signal")


@pytest.mark.parametrize("name", ["a.b", "a\nb", 'a"b', "a: b", " a", "x" * 200])
def test_a_connection_whose_name_no_file_can_hold_is_refused(tmp_path: Path, name: str) -> None:
    system = System("odd")
    system.connect(system.coordinate("x", inertia=1.0), Linear(stiffness=1.0), name=name)
    refuse_to_save(system, tmp_path, "cannot be saved")


@pytest.mark.parametrize("name", ["a\nb", "\ud800", "x" * 300])
def test_a_model_whose_name_no_file_can_hold_is_refused(tmp_path: Path, name: str) -> None:
    system = with_law(Linear(stiffness=1.0))
    system.name = name
    refuse_to_save(system, tmp_path)


@pytest.mark.parametrize("name", ["model", "model.txt", "model.npz"])
def test_a_model_is_saved_as_yaml_only(tmp_path: Path, name: str) -> None:
    with pytest.raises(FileError, match=r"add \.yaml"):
        write_model(with_law(Linear(stiffness=1.0)), tmp_path / name)


def test_saving_into_a_folder_that_is_not_there_says_so(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot be written: no such file or directory; check the folder"):
        write_model(with_law(Linear(stiffness=1.0)), tmp_path / "no" / "model.yaml")


def test_a_failed_save_leaves_the_old_file_as_it_was(tmp_path: Path) -> None:
    write_model(with_law(Linear(stiffness=1.0)), tmp_path / "model.yaml")
    before = (tmp_path / "model.yaml").read_bytes()
    with pytest.raises(FileError):
        write_model(with_law(Own()), tmp_path / "model.yaml")
    assert (tmp_path / "model.yaml").read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["model.yaml"]


def test_a_disk_that_fails_leaves_the_old_file_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_model(with_law(Linear(stiffness=1.0)), tmp_path / "model.yaml")
    before = (tmp_path / "model.yaml").read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(FileError, match="cannot be written: no space left on device"):
        write_model(with_law(Linear(stiffness=2.0)), tmp_path / "model.yaml")
    assert (tmp_path / "model.yaml").read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["model.yaml"]
