"""The site: Markdown by MyST, the theme furo, and a reference that is written from the sources before each
build.
"""

from __future__ import annotations

project = "HiCRISP"
author = "the HiCRISP workspace's authors"
copyright = "the HiCRISP workspace's authors, BSD-3-Clause"  # noqa: A001 - Sphinx calls it so

extensions = ["myst_parser", "sphinx_copybutton"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
nitpicky = True

html_theme = "furo"
html_title = "HiCRISP on ROS 1"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
highlight_language = "none"

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4
copybutton_selector = "div.highlight-sh pre, div.highlight-yaml pre, div.highlight-python pre"
