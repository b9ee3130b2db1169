"""Tables of results: every file is read back by another program's reader and compared with the data."""

from __future__ import annotations

import numpy as np
import pandas
import pytest
from scipy.io import loadmat

import slipstick as ss


@pytest.fixture(scope="module")
def model():
    m = ss.Model("m")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Masing(stiffness=1.0, limit=0.5, parallel_stiffness=1.0, damping=0.05), name="joint")
    m.load(x, ss.Cosine(1.0, order=1))
    return m


@pytest.fixture(scope="module")
def results(model):
    loop = ss.Loop(*(np.array(own) for own in _loop()))
    return {
        "run": model.simulate(until=3.0, frequency=1.0, samples=50),
        "orbit": model.periodic(frequency=1.0),
        "curve": model.frequency_response(at=[0.8, 1.0]),
        "mode": model.nonlinear_mode(1, amplitudes=[0.1, 1.0]),
        "fit": ss.identify(loop, ss.Jenkins),
    }


def _loop():
    u = 0.02 * np.sin(np.linspace(0.0, 6.0 * np.pi, 301))
    noise = 0.01 * np.random.default_rng(0).normal(size=u.size)
    return u, np.asarray(ss.Jenkins(stiffness=1e3, limit=5.0).trace(u)) + noise


READERS = {
    ".csv": pandas.read_csv,
    ".parquet": pandas.read_parquet,
    ".xlsx": pandas.read_excel,
}


@pytest.mark.parametrize("suffix", READERS)
@pytest.mark.parametrize("kind", ["run", "orbit", "curve", "mode", "fit"])
def test_a_table_is_read_back_by_pandas(results, kind, suffix, tmp_path):
    result, path = results[kind], tmp_path / f"table{suffix}"
    result.save(path)
    pandas.testing.assert_frame_equal(READERS[suffix](path), result.to_pandas(), check_dtype=False, rtol=1e-12)


def test_columns_have_the_names_of_studies(results):
    run, table = results["run"], results["run"].to_pandas()
    assert np.array_equal(table["time"], run.data.time)
    assert np.array_equal(table["x.velocity"], run.data.velocity.sel(coordinate="x"))
    assert table["joint.state"].tolist() == run.data.state.sel(connection="joint").values.tolist()
    curve = results["curve"].to_pandas()
    assert curve["frequency"].tolist() == [0.8, 1.0]
    first = results["curve"].data.harmonics.values[:, 1, 0]
    assert np.array_equal(curve["x.harmonics.harmonic_1.real"] + 1j * curve["x.harmonics.harmonic_1.imag"], first)


def test_a_fit_has_a_row_for_each_parameter(results):
    table = results["fit"].to_pandas().set_index("parameter")
    limit = results["fit"].parameters["limit"]
    assert table.loc["limit", "value"] == limit.value
    assert table.loc["limit", "unit"] == limit.unit


@pytest.mark.parametrize("kind", ["run", "orbit", "curve", "mode", "fit"])
def test_a_matlab_file_has_the_arrays_of_the_data(results, kind, tmp_path):
    result, path = results[kind], tmp_path / "table.mat"
    result.save(path)
    held = loadmat(path)
    for name, variable in result.table_data().variables.items():
        if variable.dtype.kind in "fc":
            assert np.array_equal(np.squeeze(held[str(name)]), np.squeeze(variable.values), equal_nan=True)


def test_a_sweep_has_a_table_and_all_files(tmp_path):
    sweep = ss.sweep(_build, over={"limit": [0.4, 0.5]}, measure="x.amplitude", store=tmp_path / "s.sqlite", workers=1)
    table = sweep.to_pandas()
    assert table["limit"].tolist() == [0.4, 0.5]
    for suffix, read in READERS.items():
        sweep.save(tmp_path / f"s{suffix}")
        assert len(read(tmp_path / f"s{suffix}")) == 2
    sweep.save(tmp_path / "s.mat")
    assert np.array_equal(loadmat(tmp_path / "s.mat")["limit"].ravel(), [0.4, 0.5])


def _build(limit):
    m = ss.Model("m")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Masing(stiffness=1.0, limit=limit, parallel_stiffness=1.0, damping=0.05), name="joint")
    m.load(x, ss.Cosine(1.0, order=1))
    return m.periodic(frequency=1.0)
