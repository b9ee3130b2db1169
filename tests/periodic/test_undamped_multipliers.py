"""Where nothing dissipates multipliers lie on the unit circle, to rounding: no special point is made of that."""

import numpy as np
import pytest

import slipstick as ss

K, KT, LIMIT, FORCE = 1.0, 1.0, 0.5, 0.3


def undamped(law):
    model = ss.Model()
    x = model.coordinate("x", inertia=1.0)
    model.connect(x, ss.Linear(stiffness=K), name="spring")
    model.connect(x, law, name="joint")
    model.load(x, ss.Cosine(FORCE, order=1))
    return model


@pytest.mark.parametrize("between", [(0.2, 3.0), (3.0, 0.2)])
@pytest.mark.parametrize("law", [ss.Jenkins, ss.Masing])
def test_a_joint_that_holds_without_damping_has_grazes_only(law, between):
    curve = undamped(law(stiffness=KT, limit=LIMIT)).frequency_response(between=between, method="shooting")
    assert {each["kind"] for each in curve.special} == {"grazing"}
    # held, the joint is a spring: |F / (K + KT - w^2)| reaches LIMIT / KT at two frequencies
    expected = np.sqrt(K + KT + np.array([-1.0, 1.0]) * FORCE * KT / LIMIT)
    found = sorted(each["frequency"] for each in curve.special)
    assert found == pytest.approx(expected, rel=1e-6)
    holds = curve.data.frequency.values > expected[1] + 1e-3
    moduli = np.sort(np.abs(curve.data.multipliers.values[holds]), axis=1)[:, :2]
    assert holds.any()
    assert moduli == pytest.approx(1.0, abs=1e-9)  # the oscillation's pair; the slider's own is one as well
