"""How `make docs` builds the site: Markdown pages, names from docstrings, and nothing fetched from anywhere."""

from __future__ import annotations

import sys
from pathlib import Path

import slipstick

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_extensions"))

project = "slipstick"
author = "The slipstick developers"
version = release = slipstick.__version__
html_show_copyright = False

extensions = ["myst_parser", "sphinx.ext.autodoc", "plain_docstrings", "mathml", "command_pages", "gallery"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
myst_update_mathjax = False  # there is none

html_theme = "furo"
html_title = "slipstick"
html_math_renderer = "mathml"
html_static_path = ["_static"]
html_css_files = ["slipstick.css"]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {"footer_icons": []}
pygments_style = "default"

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
