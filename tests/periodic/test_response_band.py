"""Bands of responses: quantiles against closed forms, folds, files, pictures, refusals."""

from __future__ import annotations

import numpy as np
import pytest

import slipstick as ss

MASS, DAMPING, LOAD = 2.0, 8.0, 3.0
RNG = np.random.default_rng(5)
STIFFNESS = 800.0 * (1.0 + 0.03 * RNG.standard_normal(41))
LAWS = [ss.Linear(stiffness=k, damping=DAMPING) for k in STIFFNESS]


def build(law):
    m = ss.Model("mass")
    x = m.coordinate("x", inertia=MASS)
    m.connect(x, law, name="joint")
    m.load(x, ss.Cosine(LOAD, order=1))
    return m


def amplitude(stiffness, omega, damping=DAMPING):
    """Of the linear oscillator, in closed form."""
    return LOAD / np.hypot(stiffness - MASS * omega**2, damping * omega)


pytestmark = pytest.mark.xdist_group("response_band")  # its costly fixture is made once


@pytest.fixture(scope="module")
def band():
    return ss.response_band(build, LAWS, between=(5.0, 40.0), nominal=ss.Linear(stiffness=800.0, damping=DAMPING))


@pytest.mark.parametrize("omega", [5.0, 10.0, 35.0])
def test_quantiles_of_a_monotone_response_are_responses_of_quantiles(omega):
    """Far below resonance the amplitude falls with the stiffness, far above it grows: quantiles go through."""
    band = ss.response_band(build, LAWS, at=[omega], coverage=0.9)
    below = omega < np.sqrt(STIFFNESS.min() / MASS)
    outer = np.sort(amplitude(STIFFNESS, omega))
    # linear between order statistics, as quantiles of a sample are
    places = np.array([0.05, 0.5, 0.95]) * (STIFFNESS.size - 1)
    expected = np.interp(places, np.arange(STIFFNESS.size), outer)
    found = [float(each[0, 0]) for each in (band.low, band.median, band.high)]
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    ways = np.sort(STIFFNESS)[::-1] if below else np.sort(STIFFNESS)
    np.testing.assert_allclose(outer, amplitude(ways, omega), rtol=1e-12)
    assert found[1] == pytest.approx(amplitude(np.median(STIFFNESS), omega), rel=1e-9)


def test_followed_curves_give_the_quantiles_of_the_closed_form_everywhere(band):
    exact = amplitude(STIFFNESS[:, None], band.frequency[None, :])
    for name, share in (("low", 0.025), ("median", 0.5), ("high", 0.975)):
        expected = np.quantile(exact, share, axis=0)
        np.testing.assert_allclose(getattr(band, name)[:, 0], expected, rtol=2e-3)
    assert band.count == 41
    assert not band.several.any()


def test_it_has_data_by_frequency_and_coordinate(band):
    assert band.data["high"].dims == ("frequency", "coordinate")
    assert band.data["high"].sel(coordinate="x").max() > band.data["median"].max()


def test_a_band_comes_back_from_its_file(band, tmp_path):
    band.save(tmp_path / "band.nc")
    again = ss.open(tmp_path / "band.nc")
    np.testing.assert_array_equal(again.high, band.high)
    assert repr(again) == repr(band)
    assert again.model == band.model
    assert len(again.parts) == len(band.parts)
    assert again.parts[3].stable is band.parts[3].stable
    assert len(again.plot().axes[0].get_lines()) == len(band.plot().axes[0].get_lines())


def test_the_picture_has_a_line_a_law_and_the_band(band):
    panel = band.plot().axes[0]
    assert len(panel.get_lines()) == 42
    assert len(panel.collections) == 1
    assert [text.get_text() for text in panel.get_legend().get_texts()] == [
        "nominal", "95 % of the laws, at each frequency", "each law",
    ]  # fmt: skip


def test_a_curve_is_drawn_above_a_band(band):
    curve = build(LAWS[0]).frequency_response(between=(5.0, 40.0))
    panel = curve.plot(band=band).axes[0]
    assert len(panel.get_lines()) >= 42
    with pytest.raises(ss.InvalidInput, match="one of amplitudes over frequency"):
        curve.plot(quantity="rms", band=band)
    with pytest.raises(ss.InvalidInput, match=r"must be a result of ss\.response_band"):
        curve.plot(band=LAWS)


def test_a_band_below_a_curve_is_in_the_units_of_the_curve(band, tmp_path):
    """The model of the curve thinks in Hz and mm, that of the band was made without units."""
    (tmp_path / "mass.yaml").write_text(
        "slipstick: 1\nname: mass\nfrequency: 1 Hz\n"
        "coordinates:\n  x: {inertia: 2 kg}\n"
        "connections:\n  joint: {deflection: x, law: linear, stiffness: 0.8 N/mm, damping: 0.008 N s/mm}\n"
        "loads:\n  - {on: x, cosine: {amplitude: 3 N, order: 1}}\n"
    )
    curve = ss.open(tmp_path / "mass.yaml").frequency_response(between=(5.0, 40.0))
    panel = curve.plot(band=band).axes[0]
    assert panel.get_xlabel() == "frequency [Hz]"
    corners = panel.collections[0].get_paths()[0].vertices
    assert corners[:, 0].max() == pytest.approx(40.0 / (2.0 * np.pi))
    assert corners[:, 1].max() == pytest.approx(1e3 * band.high.max())
    hertz, height = panel.get_lines()[0].get_data()  # of the first law
    np.testing.assert_allclose(height, 1e3 * amplitude(STIFFNESS[0], 2.0 * np.pi * hertz), rtol=1e-2)


def test_between_folds_the_band_is_that_of_the_largest_stable_response():
    laws = [ss.Polynomial(coefficients=(0.0, 1.0, 0.0, c), damping=0.1) for c in (0.9, 1.0, 1.1)]

    def duffing(law):
        m = ss.Model("duffing")
        x = m.coordinate("x", inertia=1.0)
        m.connect(x, law, name="spring")
        m.load(x, ss.Cosine(0.4, order=1))
        return m

    band = ss.response_band(duffing, laws, between=(0.5, 3.0), method="harmonic-balance", harmonics=3, coverage=0.5)
    folds = [
        sorted(s["frequency"] for s in curve.special if s["kind"] == "fold")
        for curve in (duffing(law).frequency_response(between=(0.5, 3.0), harmonics=3) for law in laws)
    ]
    low, high = max(own[0] for own in folds), min(own[-1] for own in folds)
    within = (band.frequency > low + 0.01) & (band.frequency < high - 0.01)
    assert within.any()
    assert (band.several[within] == 1.0).all()
    assert (band.median[within, 0] > 0.8).all()  # the upper branch; the lower one is below 0.5 there
    beyond = band.frequency > max(own[-1] for own in folds) + 0.01
    assert (band.several[beyond] == 0.0).all()
    assert (band.high[beyond, 0] < 0.5).all()


def test_laws_drawn_from_a_fit_fill_the_band():
    t = np.linspace(0.0, 3.0, 600)
    u = 1e-3 * np.sin(2.0 * np.pi * t)
    true = ss.Linear(stiffness=800.0, damping=DAMPING)
    force = true.trace(u, t) + RNG.normal(0.0, 0.02, t.size)
    fit = ss.identify(ss.Loop(u, force, t), ss.Linear)
    seen = []
    band = ss.response_band(build, fit, at=[15.0, 25.0], samples=60, progress=lambda *how_far: seen.append(how_far))
    assert seen[-1] == (61, 61)
    assert band.parts[0].law == -1  # the law of the fit itself, beside those drawn
    for i, omega in enumerate((15.0, 25.0)):
        exact = [amplitude(law.stiffness, omega, law.damping) for law in fit.sample(60)]
        assert band.low[i, 0] == pytest.approx(np.quantile(exact, 0.025), rel=1e-9)
        assert band.high[i, 0] == pytest.approx(np.quantile(exact, 0.975), rel=1e-9)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"build": 3, "laws": LAWS, "at": [5.0]}, "build must be a function"),
        ({"build": build, "laws": LAWS[:2], "at": [5.0]}, "at least 3 laws"),
        ({"build": build, "laws": 3, "at": [5.0]}, "laws must be a fit"),
        ({"build": build, "laws": LAWS, "at": [5.0], "coverage": 95}, "coverage must be between 0 and 1, got 95"),
        ({"build": lambda law: law, "laws": LAWS, "at": [5.0]}, "build must return a model"),
        ({"build": build, "laws": LAWS}, "give either between"),
        ({"build": build, "laws": LAWS, "at": [5.0], "sample": 3}, 'did you mean "samples"'),
    ],
)  # fmt: skip
def test_what_is_wrong_is_one_line(arguments, words):
    with pytest.raises(ss.InvalidInput, match=words):
        ss.response_band(**arguments)


@pytest.mark.parametrize("samples", [1, 2])
def test_fewer_samples_than_have_quantiles_are_refused_at_the_door(samples):
    u = np.sin(np.linspace(0.0, 6.0 * np.pi, 60))
    rough = ss.identify(ss.Loop(u, 800.0 * u + np.cos(9.0 * u)), ss.Linear)
    with pytest.raises(ss.InvalidInput, match=f"samples must be at least 3, for quantiles, got {samples}"):
        ss.response_band(build, rough, at=[10.0], samples=samples)


def test_warnings_of_the_fit_go_with_the_band_into_its_file_and_picture(tmp_path):
    u = np.sin(np.linspace(0.0, 6.0 * np.pi, 60))
    wrong = ss.identify(ss.Loop(u, 800.0 * u + 40.0 * u**3), ss.Linear)  # a curved spring is no straight one
    assert wrong.warnings
    band = ss.response_band(build, wrong, at=[10.0], samples=3)
    assert band.warnings == wrong.warnings
    assert wrong.warnings[0] in repr(band)
    band.save(tmp_path / "band.nc")
    assert ss.open(tmp_path / "band.nc").warnings == wrong.warnings
    assert f"their fit has {len(wrong.warnings)} warning" in band.plot().get_suptitle()


def test_laws_without_a_curve_are_named(monkeypatch):
    from slipstick.periodic import response_band as room

    whole, asked = room.frequency_response, []

    def fails_for_two(model, *arguments, **how):
        asked.append(model)
        if len(asked) in (2, 5):
            raise ss.NotConverged("it went nowhere")
        return whole(model, *arguments, **how)

    monkeypatch.setattr(room, "frequency_response", fails_for_two)
    band = ss.response_band(build, LAWS, at=[10.0])
    assert (band.count, band.drawn) == (39, 41)
    assert band.notes == ("2 of 41 curves are left out, laws 1, 4; the first: it went nowhere",)
    assert band.doubt == ""  # two of 41 are few
    assert "over 39 of 41 laws" in repr(band)
    assert "95 % of 39 of 41 laws" in band.plot().get_suptitle()
    kept = amplitude(np.delete(STIFFNESS, [1, 4]), 10.0)
    assert band.high[0, 0] == pytest.approx(np.quantile(kept, 0.975), rel=1e-9)


@pytest.fixture
def only_stiff_ones(monkeypatch):
    """Curves of laws below the median stiffness are not found: those that are found are no random choice."""
    from slipstick.periodic import response_band as room

    whole, median = room.frequency_response, float(np.median(STIFFNESS))

    def fails_below(model, *arguments, **how):
        if model.connections[0].law.stiffness < median:
            raise ss.NotConverged("it went nowhere")
        return whole(model, *arguments, **how)

    monkeypatch.setattr(room, "frequency_response", fails_below)


@pytest.mark.usefixtures("only_stiff_ones")
def test_no_band_is_told_where_many_laws_have_no_curve(tmp_path):
    band = ss.response_band(build, LAWS, at=[10.0, 15.0])
    assert (band.count, band.drawn) == (21, 41)
    for each in (band.low, band.median, band.high):
        assert np.isnan(each).all()  # the median of the stiff half is off, and nothing would tell
    words = "20 of 41 laws have no curve, and the others are no random choice: there is no band"
    assert band.doubt == words
    assert f"NOT TO BE TRUSTED: {words}" in repr(band)
    assert "NOT TO BE TRUSTED: 20 of 41 laws have no curve\n" in band.plot().get_suptitle()
    assert [text.get_text() for text in band.plot().axes[0].get_legend().get_texts()] == ["each law"]
    band.save(tmp_path / "band.nc")
    assert ss.open(tmp_path / "band.nc").doubt == words
    assert repr(ss.open(tmp_path / "band.nc")) == repr(band)


@pytest.mark.usefixtures("only_stiff_ones")
def test_a_nominal_law_without_a_curve_is_told_though_the_band_is_there():
    stiff = [law for law in LAWS if law.stiffness > np.median(STIFFNESS)]
    band = ss.response_band(build, stiff, at=[10.0], nominal=ss.Linear(stiffness=1.0, damping=DAMPING))
    assert band.doubt == "the nominal law has no curve"
    assert np.isfinite(band.high).all()
    assert "the nominal law has no curve" in band.plot().get_suptitle()


def test_where_a_law_has_only_unstable_responses_it_is_said_which_and_where():
    laws = [ss.Linear(stiffness=800.0, damping=c) for c in (8.0, -8.0, 8.0)]  # the second feeds the motion
    band = ss.response_band(build, laws, at=[10.0, 12.0])
    assert np.isnan(band.high).all()
    assert band.notes == ("no band from 10 to 12 rad/s: law 1 has only unstable responses there, or none",)
    assert band.doubt == ""
    dashed = [line for line in band.plot().axes[0].get_lines() if line.get_linestyle() == "--"]
    assert len(dashed) == 2  # of the second law, at both frequencies
    assert "each law, unstable" in [text.get_text() for text in band.plot().axes[0].get_legend().get_texts()]
