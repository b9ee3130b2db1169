"""The pages, in the order of the story: from a measured loop to a response."""

from __future__ import annotations

from slipstick.app.identify.page import build as build_identify
from slipstick.app.model.page import build as build_model
from slipstick.app.page_frame import Page
from slipstick.app.papers.page import build as build_papers
from slipstick.app.respond.page import build as build_respond
from slipstick.app.start_page import build as build_start

PAGES = (
    Page("/start", "Start", build_start, is_tab=False),
    Page("/identify", "Identify", build_identify),
    Page("/model", "Model", build_model),
    Page("/respond", "Respond", build_respond),
    Page("/papers", "Papers", build_papers),
)
