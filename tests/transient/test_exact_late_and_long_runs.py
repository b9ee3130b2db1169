"""The exact flow and time: late starts, long runs, and certificates of runs too long to be followed to the end."""

from __future__ import annotations

import re

import mpmath as mp
import numpy as np
import pytest

import slipstick as ss

LATE = 2.0**20  # a power of two: sums with sample times are exact


def test_a_late_start_changes_nothing_of_a_system_that_does_not_know_the_time():
    def run(start):
        m = ss.Model("ringing")
        x = m.coordinate("x", inertia=1.0, displacement=1.0)
        m.connect(x, ss.Linear(stiffness=1.0))
        m.connect(x, ss.Contact(stiffness=100.0, gap=0.5))
        times = start + np.array([125.0, 500.0, 1000.0])
        return m.simulate(until=start + 1000.0, start=start, samples=times, method="exact")

    early, late = run(0.0), run(LATE)
    np.testing.assert_allclose(late.data.displacement, early.data.displacement, rtol=0.0, atol=1e-13)
    np.testing.assert_allclose(late.data.velocity, early.data.velocity, rtol=0.0, atol=1e-12)
    assert late.events["after"].tolist() == early.events["after"].tolist()
    assert late.certificate.passed


def test_an_undamped_resonance_is_followed_for_ten_thousand_seconds():
    m = ss.Model("resonance")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=4.0))
    m.load(x, ss.Cosine(1.0, frequency=2.0))
    run = m.simulate(until=1e4, samples=[1e4], method="exact")
    with mp.workdps(40):
        expected = float(mp.mpf(1e4) * mp.sin(mp.mpf(2e4)) / 4)
    wrong = abs(float(run.data.displacement[-1, 0]) - expected)
    assert run.certificate.passed
    assert wrong <= 10.0 * run.certificate.error
    assert wrong < 1e-12 * 2500.0  # of the amplitude then


def power_taken(until, w=1.7, k=4.0, c=0.1):
    """[J] what the damper takes up to a time, of x'' + c x' + k x = cos(w t) from rest: closed form, many digits."""
    with mp.workdps(40):
        w, k, c, until = (mp.mpf(z) for z in (w, k, c, until))
        answer = 1 / mp.mpc(k - w * w, w * c)
        root = mp.mpc(-c / 2, mp.sqrt(k - c * c / 4))
        # x' = Re(i w answer e^(i w t)) + Re(b root e^(root t)), from x = x' = 0
        real = -mp.re(answer)
        imag = (mp.re(root) * real + mp.re(1j * w * answer)) / mp.im(root)
        terms = [(1j * w * answer, 1j * w), (mp.mpc(real, imag) * root, root)]
        terms += [(mp.conj(a), mp.conj(r)) for a, r in terms]
        total = mp.mpf(0)
        for a, r in terms:
            for b, s in terms:
                rate = r + s
                total += mp.re(a * b / 4 * (until if abs(rate) < 1e-30 else mp.expm1(rate * until) / rate))
        return float(c * total)


@pytest.mark.parametrize("until", [1e3, 1e6])
def test_a_long_segment_has_a_balance_of_the_part_that_its_notes_name(until):
    m = ss.Model("forced")
    x = m.coordinate("x", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=4.0, damping=0.1), name="s")
    m.load(x, ss.Cosine(1.0, frequency=1.7))
    c = m.simulate(until=until, samples=0, method="exact").certificate
    assert c.passed
    notes = [note for note in c.notes if note.startswith("energies: of the first")]
    assert len(notes) == (until > 1e5)
    part = until
    if notes:
        found = re.search(r"first ([\d.e+]+) s", notes[0])
        assert found
        part = float(found[1])
        assert 0.1 * until < part < until
    # notes have a few digits only: the balance itself tells the rest
    assert c.dissipated["s"] == pytest.approx(power_taken(part), rel=1e-3 if notes else 1e-9)
    assert c.energy_residual < 1e-9


def test_matrices_that_are_not_symmetric_have_a_balance_of_their_own():
    stiffness = np.array([[1.0, -1.0], [0.0, 1.07]])
    m = ss.Model.from_matrices(np.eye(2), 2.5 * np.eye(2), stiffness)
    m.coordinates[1].displacement = 1.0
    for until in (1.0, 60.0):  # at first there is work to balance, in the end nothing is left of it
        run = m.simulate(until=until, samples=[until], method="exact")
        assert run.certificate.passed, str(run.certificate)
        v = run.data.velocity.values[-1]
        assert run.certificate.dissipated["matrices"] == pytest.approx(-0.5 * v @ v, abs=1e-13)


def test_a_follower_force_that_fades_has_a_balance():
    m = ss.Model("follower")
    x = m.coordinate("x", inertia=1.0, displacement=1.0)
    y = m.coordinate("y", inertia=1.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.5))
    m.connect(y, ss.Linear(stiffness=2.0, damping=0.5))
    m.connect(x, ss.Linear(stiffness=0.3), along=y)
    run = m.simulate(until=100.0, method="exact")
    assert run.certificate.passed, str(run.certificate)


def test_a_stiffness_that_varies_in_time_has_a_balance_in_free_decay():
    m = ss.Model("modulated")
    x = m.coordinate("x", inertia=1.0, displacement=1.0)
    m.connect(x, ss.Linear(stiffness=1.0, damping=0.5).modulated(ss.Fourier(1.0, cos=(0.2,), frequency=3.0)))
    run = m.simulate(until=100.0)
    assert run.certificate.passed, str(run.certificate)
