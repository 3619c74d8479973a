"""How the site is built; the README has the command."""

import os
import sys
import warnings
from importlib import import_module
from pathlib import Path

import sklearn_activelearn

# thumbnails.py and results_tables.py; the experiments
sys.path += [str(Path(__file__).parent), str(Path(__file__).parents[1])]

project = "sklearn-activelearn"
author = "the sklearn-activelearn developers"
version = release = sklearn_activelearn.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "sphinx.ext.mathjax",
    "numpydoc",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
templates_path = ["templates"]
exclude_patterns = ["_build", "templates", "images", "snippets", "static"]
default_role = "literal"
rst_prolog = ".. currentmodule:: sklearn_activelearn\n"

# Every reference must resolve. Those to other projects do where their
# inventories can be fetched; without a network they stay plain text.
nitpicky = True
nitpick_ignore_regex = [
    (r"py:.*", r"(sklearn|numpy|scipy|matplotlib|joblib)\..*"),
    # attributes that are properties, listed by numpydoc
    (r"py:obj", r"\w+_|learner|stop_reason"),
]
if os.environ.get("DOCS_ONLINE"):
    intersphinx_mapping = {
        "sklearn": ("https://scikit-learn.org/stable", None),
        "numpy": ("https://numpy.org/doc/stable", None),
        "matplotlib": ("https://matplotlib.org/stable", None),
    }

# The pages of classes list methods themselves (templates/autosummary).
numpydoc_show_class_members = False
autodoc_typehints = "none"

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "generated/gallery",
    "backreferences_dir": "generated/backreferences",
    "image_scrapers": ("thumbnails.panel_first",),
    "doc_module": ("sklearn_activelearn",),
    "reference_url": {"sklearn_activelearn": None},
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "show_signature": False,
    "write_computation_times": False,
    "remove_config_comments": True,
}
# matplotlib's Agg has no window to show
warnings.filterwarnings("ignore", message=".*non-interactive", category=UserWarning)

html_theme = "pydata_sphinx_theme"
html_title = "sklearn-activelearn"
html_static_path = ["static"]
html_css_files = ["widths.css"]
html_theme_options = {
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "navbar_align": "left",
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_sidebars = {
    "changes": [],
    "compare": [],
    "from_zero": [],
    "from_zero_python": [],
    "get_started": [],
    "index": [],
    "installing": [],
}
html_show_sphinx = False
copyright = f"{author}, BSD-3-Clause"

PACKAGE = "sklearn_activelearn"
#: Sections of the API page, one for each public module.
MODULES = {
    "stream": "Learners for streams",
    "pool": "Learners for pools",
    "batch": "Fitted in batch",
    "losses": "Margin losses",
    "audit": "Checks of machine labels",
    "evaluation": "Evaluation",
    "labeling": "Labelling sessions",
    "preprocessing": "Tables, texts and images as numbers",
    "sources": "Rows that do not fit in memory",
    "datasets": "Data sets",
    "exceptions": "Warnings",
    "testing": "Checks of your own learners",
}


def public_names():
    """Return the public names of each section, as they are called in the package.

    What the package itself exports goes by that shorter name, in the section of
    the module it comes from.
    """
    exported = import_module(PACKAGE).__all__
    return {
        section: [
            name if name in exported else f"{section}.{name}"
            for name in import_module(f"{PACKAGE}.{section}").__all__
        ]
        for section in MODULES
    }


def write_api_page(app, config):
    """Write the page of all public names, from which autosummary makes theirs."""
    lines = ["API reference", "=============", ""]
    for section, names in public_names().items():
        title = MODULES[section]
        lines += [title, "-" * len(title), ""]
        lines += [f".. automodule:: {PACKAGE}.{section}", "   :no-members:", ""]
        lines += [f".. currentmodule:: {PACKAGE}", ""]
        lines += [".. autosummary::", "   :toctree: api", "   :nosignatures:", ""]
        lines += [*(f"   {name}" for name in names), ""]
    page = Path(app.srcdir) / "generated" / "api.rst"
    page.parent.mkdir(exist_ok=True)
    text = "\n".join(lines)
    if not page.exists() or page.read_text(encoding="utf-8") != text:
        page.write_text(text, encoding="utf-8")


def write_results(app, config):
    """Write the tables and figures of the pages on published results."""
    import results_tables  # needs matplotlib

    source = Path(app.srcdir)
    results_tables.write(source / "results", source / "generated" / "results")


def skip_foreign(app, what, name, item, skip, options):
    """Leave out what a class inherits from scikit-learn."""
    home = getattr(getattr(item, "fget", item), "__module__", None) or PACKAGE
    return skip or not home.startswith(PACKAGE)


def setup(app):
    """Write what is generated before Sphinx looks for pages."""
    app.connect("config-inited", write_api_page)
    app.connect("config-inited", write_results)
    app.connect("autodoc-skip-member", skip_foreign)
