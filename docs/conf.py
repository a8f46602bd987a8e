"""How the user guide is built; nothing here or in the pages needs a network."""

import sys
from importlib.metadata import version as version_of
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "holdfast"
author = "holdfast contributors"
copyright = author  # noqa: A001  (Sphinx wants this name)
version = release = version_of("holdfast")

extensions = ["myst_parser", "sphinx.ext.autodoc", "numpydoc", "native_math", "generated"]
exclude_patterns = ["_build", "_generated"]
default_role = "py:obj"

myst_enable_extensions = ["deflist", "dollarmath"]
myst_heading_anchors = 3
html_math_renderer = "mathml"

autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the docstrings say it in words
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

html_theme = "pydata_sphinx_theme"
html_title = "holdfast"
html_static_path = ["_static"]
html_css_files = ["holdfast.css"]
html_show_sourcelink = False
html_copy_source = False
html_sidebars = {"**": []}
html_theme_options = {
    "logo": {"text": "holdfast"},
    "navbar_align": "left",
    "navigation_with_keys": False,
    "show_toc_level": 1,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": {"**": ["page-toc"], "measures": [], "comparison": []},
}
