"""The API page and the table of all methods, derived from the public names of the package."""

import inspect
from pathlib import Path

import ensfs

#: Headings of the API page, and the modules whose public names stand below them; the longest match
#: decides.
SECTIONS = {
    "Selectors": ("selection", "contrasts"),
    "Markov blankets and causal selectors": ("causal",),
    "Tests of independence": ("independence",),
    "Ensembles of selectors": (
        "selection.part_ensembles",
        "selection.stability",
        "selection.selector_cv",
        "ensemble.rank_ensemble",
    ),
    "Without a target": ("clusters",),
    "Decompositions": ("decomposition",),
    "Ensembles of classifiers": ("ensemble",),
    "Output codes and dichotomies": ("codes", "fisher"),
    "Bayesian networks": ("networks",),
    "Columns from images": ("features",),
    "Data larger than memory": ("scale",),
    "Discretizers": ("discretize",),
    "Reports": ("reporting",),
    "This installation": ("_config",),
}

#: Headings of the public modules, which come after the classes.
MODULES = {
    "Measures": "measures",
    "Codes": "codes",
    "Members of ensembles": "ensemble",
    "Evaluation": "evaluation",
    "Data sets": "datasets",
    "Plotting": "plotting",
}

#: Sections whose estimators are methods to choose from.
METHODS = (
    "Selectors",
    "Markov blankets and causal selectors",
    "Ensembles of selectors",
    "Without a target",
    "Decompositions",
    "Ensembles of classifiers",
    "Output codes and dichotomies",
    "Bayesian networks",
    "Columns from images",
)


def sections():
    """Public names below each heading, in their order in ``__all__``."""
    found = {title: [] for title in SECTIONS}
    for name in ensfs.__all__:
        public = getattr(ensfs, name)
        if not inspect.ismodule(public):
            found[_section(name, public.__module__)].append(name)
    for title, module in MODULES.items():
        inside = getattr(ensfs, module).__all__
        found[title] = [module, *(f"{module}.{name}" for name in inside)]
    return found


def _section(name, module):
    lengths = {
        title: max((len(each) for each in modules if _is_in(module, each)), default=0)
        for title, modules in SECTIONS.items()
    }
    title = max(lengths, key=lengths.get)
    if not lengths[title]:
        raise LookupError(f"docs/_ext/public_names.py has no section for {name} of {module}.")
    return title


def _is_in(module, prefix):
    return f"{module}.".startswith(f"ensfs.{prefix}.")


def api_page():
    """The page in reStructuredText, with a table for each section."""
    lines = ["API", "===", "", "Everything public is imported from ``ensfs``.", ""]
    lines += [".. currentmodule:: ensfs", ""]
    for title, names in sections().items():
        lines += [title, "-" * len(title), ""]
        lines += [".. autosummary::", "   :toctree: generated", "   :nosignatures:", ""]
        lines += [*(f"   {name}" for name in names), ""]
    return "\n".join(lines)


def method_table():
    """All methods in Markdown, each with the first line of its docstring."""
    lines = ["| method | what it gives |", "| --- | --- |"]
    listed = sections()
    for title in METHODS:
        lines.append(f"| **{title}** | |")
        for name in listed[title]:
            if hasattr(getattr(ensfs, name), "fit"):
                link = f"{{doc}}`{name} <generated/ensfs.{name}>`"
                lines.append(f"| {link} | {_summary(name)} |")
    return "\n".join([*lines, ""])


def _summary(name):
    return inspect.getdoc(getattr(ensfs, name)).splitlines()[0].replace("|", "\\|")


def write(app, config):
    """Write both before Sphinx looks for pages; unchanged files are left alone."""
    source = Path(app.srcdir)
    (source / "generated").mkdir(exist_ok=True)
    for path, text in (("api.rst", api_page()), ("generated/methods.txt", method_table())):
        page = source / path
        if not page.exists() or page.read_text(encoding="utf-8") != text:
            page.write_text(text, encoding="utf-8")


def setup(app):
    app.connect("config-inited", write)
    return {"parallel_read_safe": True}
