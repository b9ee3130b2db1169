"""An asymmetric branch of a symmetric machine leads to its mirror image and back to where it left; what is special on
the one half is so on the other, and the place it left at is no fold of it."""

import numpy as np
import pytest

import slipstick as ss


@pytest.fixture(scope="module")
def curve():
    model = ss.Model("duffing")
    x = model.coordinate("x", inertia=1.0)
    model.connect(x, ss.Polynomial(coefficients=(0.0, 1.0, 0.0, 1.0), damping=0.1), name="spring")
    model.load(x, ss.Cosine(8.0, order=1))
    return model.frequency_response(between=(1.6, 0.85), method="harmonic-balance", harmonics=11)


@pytest.mark.parametrize("number", [0, 1])
def test_where_a_branch_left_is_no_fold_of_it(curve, number):
    left = [s for s in curve.special if s["kind"] == "branch-point" and s["frequency"] > 0.9][number]
    branch = curve.switch(left)
    means = np.array([point.mean[0] for point in branch.points])
    assert branch.stats.closed
    assert means.max() == pytest.approx(-means.min(), abs=1e-2)  # both halves were gone along
    folds = [s for s in branch.special if s["kind"] == "fold"]
    assert min(abs(s["frequency"] - left["frequency"]) for s in folds) > 0.1
    places = sorted((s["frequency"], abs(float(branch.points[s["point"]].mean[0]))) for s in folds)
    assert len(places) % 2 == 0
    for one, other in zip(places[::2], places[1::2], strict=True):  # in pairs, one on each half
        assert one == pytest.approx(other, abs=1e-5)
