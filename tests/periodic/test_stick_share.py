"""Where sliders stick along a motion: closed forms of one harmonic, and the play operator on many more samples."""

import numpy as np
import pytest

from slipstick.periodic.measures.stick_share import stick_shares

TAU = 2.0 * np.pi * np.arange(257) / 256
# [rad] by which a turn may be off: the slope of a cubic through values and slopes of a cosine is, by h^3 / (72 sqrt(3))
TURN = TAU[1] ** 3 / (72.0 * np.sqrt(3.0)) * 1.05


def swung(amplitudes, phase=0.3):
    """(P, 1, r + 1) deflections X cos(tau - phase), and their rates."""
    size = np.array(amplitudes)[:, None, None]
    return size * np.cos(TAU - phase), -size * np.sin(TAU - phase)


def test_a_slider_sticks_from_each_turn_on_until_it_has_moved_twice_its_half_width():
    sizes, width = np.array([0.5, 1.0, 3.0, 40.0]), 0.4
    share, begin = stick_shares(TAU, np.array([width]), *swung(sizes))
    assert share == pytest.approx(np.arccos(1.0 - 2.0 * width / sizes) / np.pi, abs=TURN / np.pi)
    assert begin == pytest.approx(0.3, abs=TURN)


def test_a_slider_that_is_never_led_to_its_limit_sticks_all_the_time_and_begins_nowhere():
    share, begin = stick_shares(TAU, np.array([0.4]), *swung([0.0, 0.1, 0.39]))
    assert (share == 1.0).all()
    assert np.isnan(begin).all()


def test_sliders_of_one_line_stick_together_only_where_the_weakest_does():
    u, v = swung([1.0])
    widths, scales = np.array([0.4, 0.1, 0.7]), np.array([1.0, -0.5, 2.0])[:, None]
    share, _ = stick_shares(TAU, widths, scales * u, scales * v)
    own = [float(np.arccos(1.0 - 2.0 * w / abs(s)) / np.pi) for w, s in zip(widths, scales[:, 0], strict=True)]
    assert share == pytest.approx(min(own), abs=TURN / np.pi)


def test_a_slider_without_a_width_holds_nothing():
    share, begin = stick_shares(TAU, np.array([0.0]), *swung([1.0]))
    assert share == 0.0
    assert np.isnan(begin)


@pytest.mark.parametrize("seed", range(6))
def test_parts_of_motions_with_many_turns_are_those_of_the_play_operator_on_many_samples(seed):
    rng = np.random.default_rng(seed)
    pairs, orders, width = rng.normal(size=(5, 2)), np.arange(1, 6), 0.3

    def motion(tau):
        angles = np.outer(orders, tau)
        u = pairs[:, 0] @ np.cos(angles) + pairs[:, 1] @ np.sin(angles)
        return u, (orders * pairs[:, 1]) @ np.cos(angles) - (orders * pairs[:, 0]) @ np.sin(angles)

    u, v = motion(TAU)
    share, _ = stick_shares(TAU, np.array([width]), u[None, None], v[None, None])
    many = 200_000
    fine, slider, still = motion(2.0 * np.pi * np.arange(many) / many)[0], 0.0, 0
    for turn in range(2):  # it is settled after the first
        for value in fine.tolist():
            old, slider = slider, min(max(slider, value - width), value + width)
            still += turn * (slider == old)
    assert share == pytest.approx(still / many, abs=1e-4)
