"""The page Respond: knobs, curves, orbits, runs, a setting kept for comparison, files."""

import re
import time
from io import StringIO

import numpy as np
import pytest
from app_browser import READY, holding
from long_timeout_app import HOLD, HOLD_FULL

import slipstick as ss
from slipstick.app.model.system_cards import SYSTEM_NAMES
from slipstick.app.respond import curve_notes

CURVE = "document.querySelector('.curve.js-plotly-plot')"


def curve(page):
    """Frequencies and values of the stable part that is drawn."""
    return page.evaluate(f"(() => {{ const t = {CURVE}.data.find(t => t.name === 'stable'); return [t.x, t.y] }})()")


def field(page, label):
    return page.locator(".knob").get_by_role("textbox", name=label)


def turn(page, label, value):
    """Another number, and a picture with other values."""
    page.wait_for_function(f"{CURVE}?.data?.length > 0")
    page.evaluate(f"window.before = JSON.stringify({CURVE}.data.at(-1).y)")
    field(page, label).fill(value)
    field(page, label).press("Enter")
    page.wait_for_function(f"JSON.stringify({CURVE}.data.at(-1).y) !== window.before")


WATCH = """() => {
    const seen = () => {
        const place = document.querySelector('.curve').closest('.stale');
        const word = getComputedStyle(document.querySelector('.word')).visibility;
        const off = [...document.querySelectorAll('.downloads button')].map(button => button.disabled);
        const said = [...document.querySelectorAll('[role=status]')].map(line => line.innerText).join();
        return [place !== null, word === 'hidden', off.every(each => each), said.includes('computing')];
    };
    window.states = [];
    new MutationObserver(() => window.states.push(seen())).observe(document.querySelector('main'),
        {subtree: true, childList: true, attributes: true, characterData: true});
}"""


def settled(page, points=120):
    """Until the fine answer is there."""
    page.wait_for_function(f"{CURVE}?.data?.find(t => t.name === 'stable')?.x.length === {points}")


def followed_curve(page):
    """Until a whole curve is drawn: one of which no point is marked."""
    page.wait_for_function(f"{CURVE}?.data?.find(t => t.name === 'stable')?.mode === 'lines'")


def downloaded(page, name, place="main"):
    with page.expect_download() as caught:
        page.locator(place).get_by_role("button", name=name).first.click()
    return caught.value


def cells(page, head):
    """Rows of the table that has a column of this name."""
    table = page.locator("table.plain", has=page.locator("th", has_text=re.compile(f"^{re.escape(head)}$"))).first
    return [row.locator("td").all_inner_texts() for row in table.locator("tbody tr").all()]


def test_a_torsional_response_from_knob_to_file(open_page, tmp_path):
    page = open_page("/respond")
    settled(page)
    at = np.linspace(0.2, 2.0, 120)
    by_api = ss.systems.torsional().frequency_response(at=at)
    x, y = curve(page)
    np.testing.assert_allclose(x, at, rtol=1e-12)
    np.testing.assert_allclose(y, by_api.data["amplitude"].sel(coordinate="theta"), rtol=1e-12)
    assert "T_p/K" in page.locator(".curve .ytitle").text_content()
    assert page.locator(".certificate").first.inner_text().startswith("error <= ")

    page.get_by_role("button", name="keep this setting").click()
    page.evaluate(WATCH)
    turn(page, "mean", "0.4")
    settled(page)
    page.wait_for_function("window.states.length && !window.states.at(-1).includes(true)")
    # dimmed, without its certificate, its files off and "computing" said, before the next curve
    assert [True] * 4 in page.evaluate("window.states")
    now = ss.systems.torsional(mean=0.4).frequency_response(at=at)
    np.testing.assert_allclose(curve(page)[1], now.data["amplitude"].sel(coordinate="theta"), rtol=1e-12)
    largest = [f"{each.peak('theta').amplitude:.6g}" for each in (by_api, now)]  # solved for between the points
    page.wait_for_selector(f"td:text-is('{largest[1]}')")
    rows = {row[0]: row[2:] for row in cells(page, "A")}
    assert rows["mean"] == ["0.5", "0.4"]
    assert rows["peak of theta"] == largest

    page.get_by_role("button", name="follow the curve").click()
    followed_curve(page)
    followed = ss.systems.torsional(mean=0.4).frequency_response(between=(0.2, 2.0))
    peak = followed.peak("theta")
    assert cells(page, "largest amplitude")[0][1:3] == [f"{peak.frequency:.6g}", f"{peak.amplitude:.6g} T_p/K"]
    assert [row[:2] for row in cells(page, "special point")] == [
        [f"{each['kind']} of {each['connection']}", f"{each['frequency']:.6g}"] for each in followed.special
    ]

    table = downloaded(page, "data (CSV)").path().read_text()
    read = np.genfromtxt(StringIO(table), delimiter=",", names=True, deletechars="", dtype=None, encoding="utf-8")
    np.testing.assert_allclose(
        read["amplitude_of_theta_[T_p/K]"], followed.data["amplitude"].sel(coordinate="theta"), rtol=1e-9
    )
    assert downloaded(page, "picture (PNG)").path().read_bytes().startswith(b"\x89PNG")
    data = downloaded(page, "data (netCDF)")
    data.save_as(tmp_path / "curve.nc")
    assert len(ss.open(tmp_path / "curve.nc")) == len(followed)

    taken = downloaded(page, "model with these numbers")
    taken.save_as(tmp_path / "taken.yaml")
    assert ss.open(tmp_path / "taken.yaml") == ss.systems.torsional(mean=0.4)

    page.reload()  # everything is there again
    followed_curve(page)
    assert field(page, "mean").input_value() == "0.4"


def test_a_click_on_the_tensioners_curve_shows_its_orbit(open_page):
    page = open_page("/model")
    choose(page, "tensioner", "amplitude")
    settled(page)
    turn(page, "amplitude", "120")
    settled(page)

    def at(omega):
        return ss.systems.tensioner(amplitude=120.0, frequency=omega)

    places = np.linspace(10.0, 125.0, 120)
    by_api = ss.frequency_response(at, at=places)
    np.testing.assert_allclose(curve(page)[1], 1e3 * by_api.data["amplitude"].sel(coordinate="u1"), rtol=1e-9)

    page.get_by_label("show").click()
    page.get_by_role("option", name="range of force of belt").click()
    page.wait_for_function(f"{CURVE}.layout.yaxis.title.text === 'range of force of belt [N]'")
    np.testing.assert_allclose(curve(page)[1], by_api.data["force_range"].sel(connection="belt"), rtol=1e-9)

    number = 66
    click_on(page, number)
    page.wait_for_selector("text=multipliers")
    orbit = by_api.orbit(number)
    rows = dict(cells(page, "figure"))
    assert rows["frequency"] == f"{places[number]:.6g} rad/s"
    assert rows["events"] == str(len(orbit.events))
    assert rows["stability"] == orbit.stability
    assert page.locator(".certificate", has_text="certificate passed").count() == 1
    force = page.evaluate("document.querySelectorAll('.loop')[0].data[0].y")
    assert max(force) - min(force) == pytest.approx(orbit.force_range["belt"], rel=1e-4)
    states = page.evaluate("document.querySelector('.history').data.filter(t => t.type === 'bar').map(t => t.name)")
    assert set(states) == set(orbit.events["after"].tolist())


def test_a_curve_of_few_points_says_that_it_is_a_preview_until_the_full_one_is_there(open_page, server):
    page = open_page("/model")
    choose(page, "tensioner", "amplitude")
    settled(page)
    preview = page.locator(".preview")
    assert preview.inner_text() == ""
    page.evaluate(  # each time it is drawn: what stands there, the points of the curve, those of its certificate
        f"""() => {{
            window.seen = [];
            {CURVE}.on('plotly_afterplot', () => setTimeout(() => window.seen.push([
                document.querySelector('.preview').innerText,
                {CURVE}.data.find(t => t.name === 'stable').x.length,
                document.querySelector('.word').innerText.match(/(\\d+) points/)[1]]), 20));
        }}"""
    )
    with holding(server, HOLD_FULL):
        field(page, "amplitude").fill("110")
        field(page, "amplitude").press("Enter")
        page.wait_for_function("window.seen.length && window.seen.at(-1)[1] < 120")
    settled(page)
    page.wait_for_function("window.seen.at(-1)[1] === 120")
    for words, drawn, certified in page.evaluate("window.seen"):
        assert drawn == int(certified)
        assert words == ("" if drawn == 120 else curve_notes.PREVIEW_TEXT.format(drawn, 120))
    assert preview.inner_text() == ""


def test_who_leaves_before_a_knob_is_answered_for_finds_the_curve_of_that_knob(open_page):
    page = open_page("/respond")
    settled(page)
    field(page, "mean").fill("0.3")
    field(page, "mean").press("Enter")
    page.get_by_role("button", name="reset mean").wait_for()  # it has been heard
    page.reload()
    settled(page)
    assert field(page, "mean").input_value() == "0.3"
    by_api = ss.systems.torsional(mean=0.3).frequency_response(at=np.linspace(0.2, 2.0, 120))
    np.testing.assert_allclose(curve(page)[1], by_api.data["amplitude"].sel(coordinate="theta"), rtol=1e-12)


def test_what_a_model_is_warned_of_stands_beside_its_curve_and_its_run(open_page):
    page = open_page("/respond")
    settled(page)
    with pytest.warns(UserWarning, match="limit is negative") as caught:
        ss.systems.torsional(mean=0.4, swing=0.9)
    field(page, "mean").fill("0.4")
    field(page, "mean").press("Enter")
    field(page, "swing").fill("0.9")  # more than the mean
    field(page, "swing").press("Enter")
    warned = page.locator(".warning:visible", has_text=str(caught[0].message))
    warned.wait_for()
    page.get_by_role("button", name="over time").click()
    page.get_by_role("button", name="run", exact=True).click()
    page.wait_for_selector("text=certificate passed")
    warned.wait_for()


def test_a_model_that_takes_long_shows_points_as_they_come_and_keeps_those_it_has(open_page, server):
    with holding(server, HOLD):
        page = open_page("/model")
        page.locator("main b", has_text="torsional").first.wait_for()
        page.get_by_role("button", name="gear train").click()
        page.get_by_label("resisting [N m]").wait_for()
        page.get_by_role("link", name="Respond").click()  # before Model has looked at it
        page.wait_for_selector("h2:text-is('gear train')")
        page.wait_for_selector("text=This is a first look")
        page.wait_for_selector("text=PARTIAL: 3 of 33 frequencies")
        page.get_by_role("button", name="stop", exact=True).click()
        page.get_by_role("button", name="stop", exact=True).wait_for(state="hidden")
        told = page.locator(".word", has_text="PARTIAL").inner_text()
    page.wait_for_timeout(1500)  # none comes any more
    assert page.locator(".word", has_text="PARTIAL").inner_text() == told
    assert page.locator(".word:has-text('PARTIAL') .certificate.unknown").count() == 1  # in amber
    field(page, "amplitude").fill("2,1")
    field(page, "amplitude").press("Enter")
    page.wait_for_selector("text=/by integration; 33 points/")
    assert page.locator(".word", has_text="PARTIAL").count() == 0


def test_a_curve_that_is_cancelled_keeps_what_it_has(open_page):
    page = open_page("/respond")
    settled(page)
    page.get_by_label("from [ω_n]", exact=True).fill("0.001")  # many periods: it takes its time
    page.get_by_label("from [ω_n]", exact=True).press("Enter")
    page.get_by_role("button", name="follow the curve").click()
    page.wait_for_selector("text=/[1-9][0-9]* points, at/")
    page.get_by_role("button", name="cancel").click()
    page.wait_for_selector(".word:has-text('PARTIAL: cancelled')")
    followed_curve(page)


def choose(page, system, knob):
    """A published system, from the page Model to its response, which has this knob."""
    page.locator(f".system-cards button:has-text('{SYSTEM_NAMES[system]}')").click()
    page.locator("main strong, main b", has_text=system).first.wait_for()
    page.get_by_role("link", name="its response").click()
    field(page, knob).wait_for()


def click_on(page, number):
    """A point of the curve, where it is on the screen."""
    page.locator(".curve").scroll_into_view_if_needed()
    hovered = f"{CURVE}._hoverdata?.[0]?.customdata === {number}"  # it is shown what a click would take
    end = time.monotonic() + READY
    while not page.evaluate(hovered):  # the picture may still be moving: look anew where the point is
        assert time.monotonic() < end
        x, y = page.evaluate(
            f"""() => {{
                const plot = {CURVE}, t = plot.data.find(t => t.name === 'stable'), box = plot.getBoundingClientRect();
                const l = plot._fullLayout, size = l._size;
                return [box.x + size.l + l.xaxis.d2p(t.x[{number}]), box.y + size.t + l.yaxis.d2p(t.y[{number}])];
            }}"""
        )
        page.mouse.move(x, y)
        page.mouse.move(x + 1, y)
        page.wait_for_timeout(300)
    page.mouse.down()
    page.mouse.up()


def test_a_run_over_time_equals_that_of_the_api_and_can_be_cancelled(open_page, tmp_path):
    page = open_page("/respond")
    page.wait_for_selector(".certificate")
    page.get_by_role("button", name="over time").click()
    page.get_by_label("base frequency").fill("0.8")
    page.get_by_label("until").fill("60")
    page.get_by_role("button", name="run", exact=True).click()
    page.wait_for_selector("text=certificate passed")
    run = ss.systems.torsional().simulate(until=60.0, frequency=0.8)
    assert dict(cells(page, "figure"))["events"] == str(len(run.events))
    page.wait_for_selector(".history .bars")
    drawn = page.evaluate("document.querySelector('.history').data[0].y")
    motion = run.data["displacement"].sel(coordinate="theta")
    assert max(drawn) == pytest.approx(float(motion.max()), rel=1e-4)
    assert min(drawn) == pytest.approx(float(motion.min()), rel=1e-4)
    data = downloaded(page, "data (netCDF)", "main .stack:visible")
    data.save_as(tmp_path / "run.nc")
    np.testing.assert_allclose(ss.open(tmp_path / "run.nc").data["displacement"], run.data["displacement"], atol=1e-12)

    page.get_by_label("until").fill("2000000")
    page.get_by_role("button", name="run", exact=True).click()
    page.wait_for_selector("text=/^[1-9][0-9]?%$/")
    page.get_by_role("button", name="cancel").click()
    page.wait_for_selector("text=/cancelled at t = .* 1.ω_n, of 2e.06 .* what was reached is shown/")
    page.wait_for_selector(".word:has-text('certificate'):visible")
    assert int(dict(cells(page, "figure"))["events"]) > len(run.events)


def test_a_run_up_shows_its_orders_and_survives_a_reload(open_page):
    page = open_page("/respond")
    page.wait_for_selector(".certificate")
    page.get_by_role("button", name="over time").click()
    page.get_by_role("checkbox", name="run-up").click()
    for label, value in {"speed from": "0.5", "speed to": "1.5", "speed over": "60", "until": "60"}.items():
        page.get_by_label(label).fill(value)
    page.get_by_label("orders").fill("1 3")
    page.get_by_role("button", name="run", exact=True).click()
    page.wait_for_selector(".orders .legendtext")
    drawn = page.evaluate("document.querySelector('.orders').data.map(t => [t.name, t.x, t.y])")
    run = ss.systems.torsional().simulate(60.0, speed=ss.Signal((0.0, 60.0), (0.5, 1.5)))
    orders = run.orders([1, 3]).data
    assert [name for name, *_ in drawn] == ["order 1", "order 3"]
    for (_, speed, amplitude), order in zip(drawn, (1, 3), strict=True):
        np.testing.assert_allclose(speed, orders.speed, rtol=1e-12)
        np.testing.assert_allclose(amplitude, orders.amplitude.sel(order=order, name="theta"), rtol=1e-9)
    page.reload()
    page.wait_for_selector(".orders .legendtext")
    assert page.get_by_label("speed to").input_value() == "1.5"
    page.get_by_text("Python and command").locator("visible=true").click()
    page.wait_for_selector("text=speed=ss.Signal((0.0, 60.0), (0.5, 1.5))")


def test_undo_and_the_buttons_of_the_browser_lead_to_earlier_settings(open_page):
    page = open_page("/respond")
    settled(page)
    turn(page, "mean", "0.4")
    assert "mean=0.4" in page.url
    page.get_by_label("to [ω_n]", exact=True).fill("1.5")
    page.get_by_label("to [ω_n]", exact=True).press("Enter")
    page.wait_for_url("**/respond?*to=1.5*")
    page.get_by_role("button", name="undo").click()
    page.wait_for_url("**/respond?*to=2.0*")
    page.wait_for_function("document.querySelector('[aria-label=\"to [ω_n]\"]').value === '2'")
    page.get_by_role("button", name="undo").click()
    page.wait_for_function("!location.search.includes('mean')")
    assert page.get_by_role("button", name="undo").is_disabled()
    page.go_back()
    field(page, "mean").wait_for()
    page.wait_for_function("document.querySelector('.knob input[aria-label=mean]')?.value === '0.4'")
    bookmarked = page.url
    assert page.get_by_role("button", name="undo").is_enabled()

    other = page.context.new_page()  # another tab, with its own state
    other.goto(bookmarked)
    settled(other)
    assert field(other, "mean").input_value() == "0.4"
    other.goto(bookmarked.replace("mean=0.4", "damping_ratio=-1"))
    other.wait_for_selector("text=the address has no valid model")


def test_a_number_that_cannot_be_is_refused_in_one_line(open_page):
    page = open_page("/respond")
    settled(page)
    field(page, "damping ratio").fill("-1")
    field(page, "damping ratio").press("Enter")
    page.wait_for_selector("text=damping_ratio must be a number >= 0, got -1")
    field(page, "damping ratio").fill("lots")
    field(page, "damping ratio").press("Enter")
    page.wait_for_selector("text=damping_ratio must be a number, got")
    complaints = page.locator(".q-notification")
    assert complaints.count() == 2
    page.get_by_role("button", name="reset damping ratio").click()
    settled(page)
    complaints.first.wait_for(state="detached")  # there is something newer
    assert complaints.count() == 0


def test_a_field_that_is_only_left_takes_no_complaint_away(open_page, server):
    page = open_page("/respond")
    settled(page)
    field(page, "mean").fill("lots")
    field(page, "mean").press("Enter")
    told = page.locator(".q-notification", has_text="mean must be a number")
    told.wait_for()
    field(page, "swing").focus()
    field(page, "order").focus()
    page.wait_for_timeout(500)
    assert told.count() == 1
    told.get_by_role("button", name="close").click()
    told.wait_for(state="detached")
    assert "shown on the page: mean must be a number, got 'lots'" in server.log.read_text()


ROOMS = """() => [...document.querySelectorAll('.knob')].map(knob => {
    const [label, slider, field] = ['span.small', '.q-slider', '.q-field'].map(own => knob.querySelector(own)
        .getBoundingClientRect());
    return [label.bottom <= field.top, label.right <= knob.getBoundingClientRect().right, slider.width];
})"""


def test_labels_of_knobs_keep_off_the_numbers_and_sliders_have_room(open_page):
    page = open_page("/model")
    choose(page, "tensioner", "amplitude")
    page.locator(".more-knobs .q-item").first.click()
    field(page, "parallel stiffness").wait_for()
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        # once it has unfolded; widths are pixels
        page.wait_for_function(f"({ROOMS})().every(([beside, inside, room]) => beside && inside && room > 80)")


def test_the_page_fits_the_screen_with_all_that_was_found(open_page):
    page = open_page("/respond", dark=True)
    settled(page)
    page.get_by_label("frequency [ω_n]", exact=True).fill("1")
    page.get_by_role("button", name="nearest orbit").click()
    page.wait_for_selector(".history .bars")
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function(f"document.documentElement.scrollWidth <= {width}")
