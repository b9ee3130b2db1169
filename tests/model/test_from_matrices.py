"""Matrices from arrays, sparse matrices, lists and files; what is refused, and how."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.io
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

import slipstick as ss
from slipstick.model.system import dense

M = np.diag([1.0, 2.0, 3.0])
C = np.array([[0.3, -0.1, 0.0], [-0.1, 0.2, 0.05], [0.0, -0.05, 0.1]])  # unsymmetric
K = np.array([[200.0, -100.0, 0.0], [-100.0, 200.0, -90.0], [0.0, -100.0, 100.0]])  # unsymmetric


def same(model, mass=M, damping=C, stiffness=K):
    given = model.matrices
    return all(
        np.array_equal(dense(a), b)
        for a, b in ((given.mass, mass), (given.damping, damping), (given.stiffness, stiffness))
    )


@pytest.mark.parametrize("kind", [np.array, scipy.sparse.csr_array, scipy.sparse.coo_matrix, lambda a: a.tolist()])
def test_arrays_sparse_matrices_and_lists_give_the_same_model(kind):
    m = ss.Model.from_matrices(kind(M), kind(C), kind(K))
    assert same(m)
    assert [c.name for c in m.coordinates] == ["q1", "q2", "q3"]


def test_given_arrays_are_copied():
    mass = M.copy()
    m = ss.Model.from_matrices(mass, C, K)
    mass[0, 0] = 99.0
    assert same(m)


def test_no_damping_means_zero_damping():
    assert same(ss.Model.from_matrices(M, None, K), damping=np.zeros((3, 3)))
    assert same(ss.Model.from_matrices(scipy.sparse.csr_array(M), None, K), damping=np.zeros((3, 3)))


def test_names_and_model_options_are_taken():
    m = ss.Model.from_matrices(M, C, K, names=["a", "b", "c"], name="beam", frequency=3.0)
    assert (m.name, m.frequency, [c.name for c in m.coordinates]) == ("beam", 3.0, ["a", "b", "c"])


def save_npz(path, **matrices):
    np.savez(path, **matrices)


def save_mat(path, **matrices):
    scipy.io.savemat(path, matrices)


@pytest.mark.parametrize(
    ("suffix", "save", "names"),
    [
        (".npz", save_npz, ("mass", "damping", "stiffness")),
        (".npz", save_npz, ("M", "C", "K")),
        (".mat", save_mat, ("M", "C", "K")),
        (".mat", save_mat, ("mass", "damping", "stiffness")),
        (".mat", save_mat, ("m", "c", "k")),
    ],
)
def test_one_file_may_hold_all_three(tmp_path, suffix, save, names):
    path = tmp_path / f"all{suffix}"
    save(path, **dict(zip(names, (M, C, K))))
    assert same(ss.Model.from_matrices(path))
    assert same(ss.Model.from_matrices(str(path)))
    assert same(ss.Model.from_matrices(path, path, path))


def test_a_file_without_damping_has_none(tmp_path):
    np.savez(tmp_path / "two.npz", mass=M, stiffness=K)
    assert same(ss.Model.from_matrices(tmp_path / "two.npz"), damping=np.zeros((3, 3)))


WRITERS = {
    "m.npz": lambda path, a: scipy.sparse.save_npz(path, scipy.sparse.csr_array(a)),
    "m.npy": lambda path, a: np.save(path, a),
    "only.npz": lambda path, a: np.savez(path, anything=a, words=np.array(["a"])),
    "only.mat": lambda path, a: scipy.io.savemat(path, {"anything": a, "time": np.arange(4.0)}),
    "sparse.mat": lambda path, a: scipy.io.savemat(path, {"x": scipy.sparse.csc_array(a)}),
    "sparse.mtx": lambda path, a: scipy.io.mmwrite(path, scipy.sparse.coo_array(a), precision=17),
    "dense.mtx": lambda path, a: scipy.io.mmwrite(path, a, precision=17),
}


@pytest.mark.parametrize("file", WRITERS)
@settings(max_examples=15, deadline=None)
@given(
    entries=st.lists(st.floats(-1e9, 1e9).filter(lambda a: a == 0.0 or abs(a) > 1e-9), min_size=9, max_size=9),
)
def test_every_format_gives_back_what_was_written(tmp_path_factory, file, entries):
    path = tmp_path_factory.mktemp("matrices") / file
    stiffness = np.array(entries).reshape(3, 3)
    WRITERS[file](path, stiffness)
    assert same(ss.Model.from_matrices(M, C, path), stiffness=stiffness)


def test_each_matrix_may_be_a_file_of_another_kind(tmp_path):
    scipy.io.mmwrite(tmp_path / "m.mtx", scipy.sparse.coo_array(M))
    scipy.io.savemat(tmp_path / "c.mat", {"C": C})
    np.save(tmp_path / "k.npy", K)
    assert same(ss.Model.from_matrices(tmp_path / "m.mtx", tmp_path / "c.mat", tmp_path / "k.npy"))


# ---- modal damping

SYMMETRIC_K = np.array([[200.0, -100.0, 0.0], [-100.0, 200.0, -100.0], [0.0, -100.0, 100.0]])


def test_one_ratio_damps_all_modes_alike():
    m = ss.Model.from_matrices(M, None, SYMMETRIC_K, modal_damping=0.03)
    assert m.modes().damping_ratio == pytest.approx([0.03] * 3, rel=1e-10)


def test_a_list_of_ratios_damps_the_lowest_modes():
    m = ss.Model.from_matrices(M, None, SYMMETRIC_K, modal_damping=[0.03, 0.2])
    assert m.modes().damping_ratio == pytest.approx([0.03, 0.2, 0.0], abs=1e-10)


def test_modal_damping_leaves_rigid_modes_undamped():
    k = 100.0 * np.array([[1.0, -1.0], [-1.0, 1.0]])
    modes = ss.Model.from_matrices(np.eye(2), None, k, modal_damping=0.1).modes()
    assert modes.kind == ("rigid", "oscillating")
    assert modes.damping_ratio == pytest.approx([0.0, 0.1])


# ---- refusals: one line, the thing, the value, the way out

NAN = np.where(np.eye(3) > 0, np.nan, 1.0)


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        ((M, C), {}, "stiffness is missing"),
        ((M, C, np.eye(2)), {}, "stiffness is 2 by 2 but mass is 3 by 3"),
        ((M, np.eye(4), K), {}, "damping is 4 by 4"),
        ((np.ones((2, 3)), None, K), {}, "mass must be square"),
        ((np.zeros((0, 0)), None, K), {}, "mass must be square"),
        ((np.ones(3), None, K), {}, "mass must be square"),
        ((5.0, None, K), {}, "mass must be square"),
        ((M, NAN, K), {}, "damping must be finite, but has 3"),
        ((M, None, np.where(K > 0, np.inf, K)), {}, "stiffness must be finite"),
        ((M, None, K * 1j), {}, "stiffness is complex"),
        ((M, None, [[1, 2], [3]]), {}, "stiffness must be a matrix of numbers"),
        ((M, None, [["a"]]), {}, "stiffness must hold numbers"),
        ((M, None, None), {}, "stiffness is missing"),
        ((-M, None, K), {}, "positive semi-definite"),
        ((np.array([[1.0, 2.0], [2.0, 1.0]]), None, np.eye(2)), {}, "positive semi-definite"),
        ((np.array([[1.0, 0.9, -0.9], [0.9, 1.0, 0.9], [-0.9, 0.9, 1.0]]), None, K), {}, "positive semi-definite"),
        ((scipy.sparse.csr_array([[1.0, 2.0], [2.0, 1.0]]), None, np.eye(2)), {}, "positive semi-definite"),
        ((np.array([[0.0, 1.0], [1.0, 1.0]]), None, np.eye(2)), {}, "positive semi-definite"),
        ((M + np.triu(np.ones((3, 3)), 1), None, K), {}, "symmetric"),
        ((M, C, K), {"names": ["a", "b"]}, "2 for 3"),
        ((M, C, K), {"names": ["a", "b", "a"]}, '"a" appears twice'),
        ((M, C, K), {"names": ["a", "b", "2c"]}, "letters, digits"),
        ((M, C, K), {"names": "abc"}, "list of 3 names"),
        ((M, C, K), {"modal_damping": 0.1}, "both given"),
        ((M, None, K), {"modal_damping": 0.1}, "symmetric stiffness"),
        ((M, None, SYMMETRIC_K), {"modal_damping": -0.1}, ">= 0"),
        ((M, None, SYMMETRIC_K), {"modal_damping": [0.1] * 4}, "4 ratios for 3 modes"),
        ((M, None, SYMMETRIC_K), {"modal_damping": "a"}, "ratio"),
        (
            (scipy.sparse.eye_array(3001), None, scipy.sparse.eye_array(3001)),
            {"modal_damping": 0.1},
            "limited to 3000 coordinates, got 3001",
        ),
        ((M, None, -SYMMETRIC_K), {"modal_damping": 0.1}, "not negative"),
    ],
)
def test_bad_matrices_are_refused_in_one_line(arguments, options, words):
    with pytest.raises(ss.InvalidInput, match=words) as caught:
        ss.Model.from_matrices(*arguments, **options)
    assert "\n" not in str(caught.value)


def write_pickle(path):
    with path.open("wb") as file:
        np.save(file, np.array([{"a": 1}], dtype=object), allow_pickle=True)


def write_cut(path):
    np.savez(path, K=K)
    path.write_bytes(path.read_bytes()[:-40])


BAD_FILES = {
    "missing.npz": (lambda _: None, "no such file"),
    "empty.npz": (lambda path: path.write_bytes(b""), "empty"),
    "noise.npz": (lambda path: path.write_bytes(b"not a zip file at all"), "not a .npz archive"),
    "cut.npz": (write_cut, "cannot be read|not a .npz"),
    "noise.npy": (lambda path: path.write_bytes(b"nonsense"), "not a .npy file"),
    "noise.mat": (lambda path: path.write_bytes(bytes(range(256)) * 3), "cannot be read"),
    "noise.mtx": (lambda path: path.write_text("hello\n1 2 3\n"), "cannot be read"),
    "cut.mtx": (
        lambda path: path.write_text("%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 1.0\n"),
        "cannot be read",
    ),
    "complex.mtx": (lambda path: scipy.io.mmwrite(path, scipy.sparse.coo_array(1j * K)), "complex"),
    "nan.npy": (lambda path: np.save(path, NAN), "NaN"),
    "flat.npy": (lambda path: np.save(path, np.ones((2, 3))), "square"),
    "pickled.npy": (write_pickle, "pickled"),
    "object.npz": (lambda path: np.savez(path, K=np.array([{}], dtype=object)), "pickled"),
    "sparse_inside.npz": (lambda path: np.savez(path, K=scipy.sparse.csr_array(K)), "pickled"),
    "two.mat": (lambda path: scipy.io.savemat(path, {"A": K, "B": K}), "2 square variables and none named"),
    "none.mat": (lambda path: scipy.io.savemat(path, {"t": np.arange(3.0)}), "no square variable"),
    "words.mat": (lambda path: scipy.io.savemat(path, {"K": np.array(["a", "b"])}), "must hold numbers"),
    "struct.mat": (lambda path: scipy.io.savemat(path, {"K": {"a": 1.0}}), "must hold numbers"),
    "k.csv": (lambda path: path.write_text("1,2\n3,4\n"), "files, got .csv"),
    "folder.npz": (lambda path: path.mkdir(), "no such file"),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_files_are_refused_in_one_line_that_names_them(tmp_path, name):
    write, words = BAD_FILES[name]
    path = tmp_path / name
    write(path)
    with pytest.raises(ss.InvalidInput, match=words) as caught:
        ss.Model.from_matrices(M, C, path)
    assert name in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_a_file_with_one_matrix_cannot_stand_for_all_three(tmp_path):
    scipy.sparse.save_npz(tmp_path / "k.npz", scipy.sparse.csr_array(K))
    with pytest.raises(ss.InvalidInput, match="holds one matrix"):
        ss.Model.from_matrices(tmp_path / "k.npz")
    np.savez(tmp_path / "mc.npz", mass=M, damping=C)
    with pytest.raises(ss.InvalidInput, match=r"no stiffness.*holds damping, mass"):
        ss.Model.from_matrices(tmp_path / "mc.npz")
