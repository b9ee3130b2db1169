"""Save, Open and the offer of the last work, in a browser."""

import re
import signal
from contextlib import closing

from app_browser import SLOW, Server, opening
from pace import until

MODEL = """\
slipstick: 1
name: my rig
coordinates:
  x: {inertia: 2 kg}
connections:
  spring: {deflection: x, law: linear, stiffness: 8 N/m, damping: 0.2 N s/m}
loads:
  - on: x
    cosine: {amplitude: 1 N, order: 1}
"""


def edit_model(page):
    page.get_by_text("model file", exact=True).click()
    editor = page.locator(".editor .cm-content")
    editor.click()
    editor.fill(MODEL)
    page.get_by_text("my rig").first.wait_for()


def test_a_saved_project_opens_in_another_tab_with_its_curve(open_page, tmp_path):
    page = open_page("/model")
    edit_model(page)
    page.goto(page.url.replace("/model", "/respond"))
    page.wait_for_selector(".certificate.passed")
    page.wait_for_function("!document.querySelector('.preview').textContent")
    peak = page.locator("table.plain").first.inner_text()
    with page.expect_download() as download:
        page.get_by_role("button", name="Save", exact=True).click()
    assert download.value.suggested_filename == "model.slipstick"
    file = tmp_path / "mine.slipstick"
    download.value.save_as(file)

    other = open_page("/respond")
    other.wait_for_selector(".certificate")
    other.get_by_role("button", name="Open", exact=True).click()
    other.locator(".q-dialog input[type=file]").set_input_files(file)
    other.wait_for_function("document.querySelector('h2')?.textContent == 'my rig'")
    other.wait_for_selector(".certificate.passed")
    assert other.locator("table.plain").first.inner_text() == peak


def test_a_file_that_is_no_project_is_refused_on_the_page(open_page, tmp_path):
    page = open_page("/papers")
    wrong = tmp_path / "wrong.slipstick"
    wrong.write_bytes(b"PK nothing")
    page.get_by_role("button", name="Open", exact=True).click()
    page.locator(".q-dialog input[type=file]").set_input_files(wrong)
    page.get_by_text("wrong.slipstick: is not a project").wait_for()


def test_a_page_reconnects_to_a_new_start_and_offers_the_last_work(tmp_path, chromium):
    first = Server(tmp_path)
    with closing(chromium.new_context()) as context:  # lost connections are errors in its console
        page = context.new_page()
        page.set_default_timeout(SLOW)
        page.goto(first.at("/model"))
        edit_model(page)
        copies = tmp_path / "state" / "slipstick" / "projects"
        until(lambda: list(copies.glob("*-model.slipstick")))
        first.stop(signal.SIGKILL)
        page.get_by_text("slipstick does not answer").wait_for()
        assert "my rig" in page.locator(".cm-content").inner_text()
        second = Server(tmp_path, "--port", str(first.port))
        try:
            assert second.token != first.token
            page.get_by_text("Your last work is saved").wait_for()
            assert "model.slipstick" in page.locator(".offer").inner_text()
            page.get_by_role("button", name="open it").click()
            page.wait_for_function("document.querySelector('.cm-content')?.textContent.includes('my rig')", polling=100)
        finally:
            second.stop()


def test_a_project_on_the_command_line_opens_in_the_first_tab(tmp_path, chromium):
    from slipstick.app.model_choice import ModelChoice
    from slipstick.app.project.project_file import ModelPart, Project, write_project

    file = tmp_path / "mine.slipstick"
    file.write_bytes(write_project(Project(model=ModelPart(ModelChoice("", text=MODEL), True, MODEL))))
    server = Server(tmp_path, str(file))
    try:
        with opening(server, chromium) as open_tab:
            page = open_tab("/respond")
            page.wait_for_function("document.querySelector('h2')?.textContent == 'my rig'")
            assert re.search(r"/respond", page.url)
    finally:
        server.stop()
