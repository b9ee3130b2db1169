"""Runs in files: what is opened is what was saved, and what is no run says so."""

from __future__ import annotations

import math
import os

import numpy as np
import pytest
import xarray
from results.recorded_trajectories import trajectory

import slipstick as ss
from slipstick.laws import envelopes
from slipstick.results import result_files
from slipstick.results.run import Run


def model(**options):
    m = ss.Model("Größe [1]", **options)
    x, y = m.coordinate("x", inertia=1.0), m.coordinate("y", inertia=2.0, velocity=0.1)
    m.connect(x - y, ss.Jenkins(stiffness=2.0, limit=0.8) + ss.Linear(damping=0.1), name="joint (é) 1")
    m.connect(y, ss.Linear(stiffness=3.0), name="ground")
    m.load(x, ss.Constant(1.0) + ss.Cosine(0.1, frequency=2.0))
    return m


def saved(run, folder):
    run.save(folder / "run.nc")
    return ss.open(folder / "run.nc")


def a_run(m=None, count=40, **changes):
    m = m or model()
    return Run(trajectory(m, np.linspace(0.0, 7.0, count), **changes), m)


def same(a, b):
    assert a.data.identical(b.data)
    assert a.events == b.events
    assert a.certificate == b.certificate
    assert a.stats == b.stats
    assert a.names == b.names


def test_a_run_comes_back_as_it_was(tmp_path):
    run = a_run()
    again = saved(run, tmp_path)
    same(run, again)
    assert len(again.events) > 0
    assert again.model == run.model
    assert isinstance(again.model, ss.Model)
    assert repr(again) == repr(run)
    assert os.listdir(tmp_path) == ["run.nc"]


def test_it_can_be_saved_again(tmp_path):
    again = saved(a_run(), tmp_path)
    (tmp_path / "b").mkdir()
    same(again, saved(again, tmp_path / "b"))


def test_a_failed_and_sensitive_run_comes_back_failed(tmp_path):
    run = a_run(error=math.inf, errors={"x": math.inf, "y": 1.0}, failures=("friction gained",), sensitive=True)
    again = saved(run, tmp_path)
    same(run, again)
    assert not again.certificate.passed
    assert again.certificate.sensitive


def test_numbers_that_are_none_come_back(tmp_path):
    run = a_run()
    run.samples.force[3, 0] = math.nan
    run.samples.displacement[2, 1] = -math.inf
    run.samples.velocity[0, 0] = 5e-324
    again = saved(run, tmp_path)
    for name in ("force", "displacement", "velocity"):
        assert np.array_equal(getattr(again.samples, name), getattr(run.samples, name), equal_nan=True)


def test_one_sample_and_no_events(tmp_path):
    run = a_run(count=1, events=False)
    same(run, saved(run, tmp_path))


def test_a_model_without_connections(tmp_path):
    m = ss.Model("free")
    m.coordinate("x", inertia=1.0, velocity=1.0)
    run = a_run(m)
    same(run, saved(run, tmp_path))


def test_matrices_and_long_signals_come_along(tmp_path):
    m = ss.Model.from_matrices(np.eye(3), 0.1 * np.eye(3), np.diag([1.0, 2.0, 3.0]))
    times = np.linspace(0.0, 1.0, 500)
    m.load(m["q2"], ss.Signal(tuple(times), tuple(np.sin(9.0 * times))))
    again = saved(a_run(m), tmp_path)
    assert again.model == m


def test_a_model_that_no_file_can_hold_is_left_out_and_the_data_stays(tmp_path):
    m = ss.Model("own")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.GeneralisedDahl(rate=2.0, envelope=envelopes.dynamic_hysteresis(0.8)), name="joint")
    run = a_run(m)
    again = saved(run, tmp_path)
    same(run, again)
    assert again.model is None


def test_any_netcdf_reader_sees_numbers_units_and_meanings(tmp_path):
    a_run().save(tmp_path / "run.nc")
    with xarray.open_dataset(tmp_path / "run.nc", decode_times=False) as plain:
        assert plain.attrs["certificate"] == "passed"
        assert plain.attrs["error"] == 2e-9
        assert "coordinates:" in plain.attrs["model_yaml"]
        assert plain.state.attrs["flag_meanings"].split() == ["none", "slip+", "slip-", "stick"]
        assert plain.time.attrs["units"] == "s"
        assert plain.coordinate.values.tolist() == ["x", "y"]


def test_an_old_file_is_replaced_as_a_whole(tmp_path, monkeypatch):
    path = tmp_path / "run.nc"
    first = a_run(count=10)
    first.save(path)
    monkeypatch.setattr(result_files, "write_tables", _full_disk)
    with pytest.raises(ss.FileError, match=r"run.nc: cannot be written: no space left"):
        a_run(count=20).save(path)
    monkeypatch.undo()
    same(first, ss.open(path))
    assert os.listdir(tmp_path) == ["run.nc"]


def _full_disk(_, path):
    with open(path, "wb") as stream:
        stream.write(b"half")
    raise OSError(28, "No space left on device")


@pytest.mark.skipif(os.name == "nt", reason="modes")
def test_a_new_file_can_be_read_by_whom_the_mask_allows(tmp_path):
    old = os.umask(0o022)
    try:
        a_run(count=3).save(tmp_path / "run.nc")
    finally:
        os.umask(old)
    assert (tmp_path / "run.nc").stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize("name", ["run", "run.yaml", "run.h5", "no/such/folder/run.nc"])
def test_a_bad_target_is_one_line(name, tmp_path):
    with pytest.raises(ss.FileError) as refused:
        a_run(count=3).save(tmp_path / name)
    assert "\n" not in str(refused.value)
    assert list(tmp_path.iterdir()) == []


FOREIGN = {
    "text.nc": b"hello",
    "empty.nc": b"",
    "cut.nc": b"CDF\x02\x00\x00",
}


@pytest.mark.parametrize("name", FOREIGN)
def test_what_is_no_netcdf_says_so(name, tmp_path):
    (tmp_path / name).write_bytes(FOREIGN[name])
    with pytest.raises(ss.FileError, match="cannot be read as netCDF"):
        ss.open(tmp_path / name)


def test_a_missing_file_says_so(tmp_path):
    with pytest.raises(ss.FileError, match="there is no such file"):
        ss.open(tmp_path / "none.nc")


def test_a_netcdf_of_somebody_else_says_so(tmp_path):
    xarray.Dataset({"a": ("t", [1.0, 2.0])}).to_netcdf(tmp_path / "other.nc", engine="scipy")
    with pytest.raises(ss.FileError, match="not a result that slipstick saved"):
        ss.open(tmp_path / "other.nc")


def changed(folder, change):
    """A saved run after a change to what is in the file, made on purpose: without its seal."""
    a_run(count=5).save(folder / "run.nc")
    with xarray.open_dataset(folder / "run.nc", engine="scipy", decode_times=False) as opened:
        dataset = opened.load()
    del dataset.attrs["slipstick_sha256"]
    change(dataset)
    dataset.to_netcdf(folder / "changed.nc", engine="scipy")
    return folder / "changed.nc"


def test_a_later_format_says_so(tmp_path):
    path = changed(tmp_path, lambda d: d.attrs.update(slipstick_format=99))
    with pytest.raises(ss.FileError, match="has format 99, this slipstick reads up to 1"):
        ss.open(path)


@pytest.mark.parametrize("key", ["stats_json", "certificate_json", "coordinates_json"])
def test_a_damaged_file_says_so(key, tmp_path):
    path = changed(tmp_path, lambda d: d.attrs.update({key: "{"}))
    with pytest.raises(ss.FileError, match="is damaged"):
        ss.open(path)


def test_a_file_cannot_write_outside_of_its_folder(tmp_path):
    def escape(dataset):
        dataset["model_file_0"].attrs["file"] = "../../evil.yaml"

    with pytest.raises(ss.FileError):
        ss.open(changed(tmp_path, escape))
    assert not (tmp_path.parent / "evil.yaml").exists()


def test_every_byte_is_under_the_seal(tmp_path):
    """A bit anywhere: the file is refused in one line, or (in the seal's own name) opened as it was."""
    run = a_run(count=5)
    run.save(tmp_path / "run.nc")
    content = (tmp_path / "run.nc").read_bytes()
    random, refused = np.random.default_rng(3), 0
    for place in random.integers(len(content), size=60):
        broken = bytearray(content)
        broken[place] ^= 1 << int(random.integers(8))
        (tmp_path / "broken.nc").write_bytes(broken)
        told = ""
        try:
            same(run, ss.open(tmp_path / "broken.nc"))
        except ss.FileError as error:
            told = str(error)
        assert "\n" not in told
        refused += bool(told)
    assert refused >= 55


def test_a_value_that_has_changed_is_refused(tmp_path):
    run = a_run(count=5)
    run.save(tmp_path / "run.nc")
    content = (tmp_path / "run.nc").read_bytes()
    value = np.array(run.data.time.values[3], dtype=">f8").tobytes()
    assert value in content
    (tmp_path / "run.nc").write_bytes(content.replace(value, np.array(9.5, dtype=">f8").tobytes()))
    with pytest.raises(ss.FileError, match="is damaged: the file was changed after it was saved"):
        ss.open(tmp_path / "run.nc")


@pytest.mark.parametrize("version", ["one", 1.5, [1, 2]])
def test_a_format_that_is_no_number_says_so(version, tmp_path):
    with pytest.raises(ss.FileError, match="not a result that slipstick saved"):
        ss.open(changed(tmp_path, lambda d: d.attrs.update(slipstick_format=version)))


def test_a_variable_of_another_shape_is_damage(tmp_path):
    def turn(dataset):
        dataset["displacement"] = dataset["displacement"].T

    with pytest.raises(ss.FileError, match="is damaged"):
        ss.open(changed(tmp_path, turn))


@pytest.mark.parametrize("path", [3, None, "", ["run.nc"]])
def test_a_target_that_is_no_name_is_one_line(path):
    for target in (a_run(), model()):
        with pytest.raises(ss.InvalidInput, match=r'^path must be the name of a file, such as "'):
            target.save(path)
