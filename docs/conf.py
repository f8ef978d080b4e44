"""Configuration of the documentation; ``make docs`` treats warnings as errors."""

import re
import sys
from pathlib import Path

from sklearn.base import ClassifierMixin

import ensfs

# The extensions that draw what the pages show.
sys.path.insert(0, str(Path(__file__).resolve().parent / "_ext"))

project = "ensfs"
author = "The ensfs developers"
copyright = "2026, The ensfs developers"
release = ensfs.__version__
version = ".".join(release.split(".")[:2])

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "benchmarks",
    "drawings",
    "mathml",
    "public_names",
    "report_page",
]
exclude_patterns = ["_build", "README.md"]
templates_path = []
default_role = "literal"
nitpicky = False

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"/plot_",
    "ignore_pattern": r"demo\.py",
    "within_subsection_order": "FileNameSortKey",
    "backreferences_dir": None,
    "doc_module": (),
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 60,
    "remove_config_comments": True,
    "abort_on_example_error": True,
}

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_theme = "pydata_sphinx_theme"
html_title = f"ensfs {release}"
html_static_path = ["_static"]
html_copy_source = False
html_theme_options = {
    "show_prev_next": False,
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "secondary_sidebar_items": ["page-toc"],
    "show_nav_level": 2,
}
html_sidebars = {
    "changelog": [],
    "contributing": [],
    "benchmarks": [],
    "papers": [],
    "getting_started": [],
    "choose": [],
}
html_show_sourcelink = False


def without_references(text):
    """Docstrings that come from scikit-learn refer to pages of its own; keep their words."""
    return re.sub(r":ref:`([^`<]+?)\s*<[^`]+>`", r"\1", text)


def plain_references(app, what, name, obj, options, lines):
    """Clean a docstring that autodoc reads."""
    lines[:] = [without_references(line) for line in lines]


# Tables of methods read the docstring itself.
ClassifierMixin.score.__doc__ = without_references(ClassifierMixin.score.__doc__)


def setup(app):
    app.connect("autodoc-process-docstring", plain_references)
