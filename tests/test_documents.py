"""The documents say what is true: every public name is listed, every example runs."""

import importlib.util
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import ensfs

ROOT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
PRINTED = re.compile(r"^```python\n.*?^```\n+```text\n(.*?)^```", re.MULTILINE | re.DOTALL)
PAGES = [
    page
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    if BLOCK.search(page.read_text(encoding="utf-8"))
]


def python_of(page):
    """Return the Python blocks of a page as one program that keeps the line numbers."""
    text = page.read_text(encoding="utf-8")
    program = [""] * len(text.splitlines())
    for block in BLOCK.finditer(text):
        first = text.count("\n", 0, block.start(1))
        lines = block[1].splitlines()
        program[first : first + len(lines)] = lines
    return "\n".join(program).rstrip()


def listed_names(rst):
    """Return the names in the autosummary tables, each with its module."""
    names, module, in_table = set(), "", False
    for line in rst.splitlines():
        if line.startswith(".. currentmodule::"):
            module = line.split("::")[1].strip()
        elif line and not line.startswith(" "):
            in_table = line.startswith(".. autosummary::")
        elif in_table and re.fullmatch(r"\s+[\w.]+", line):
            names.add(f"{module}.{line.strip()}")
    return names


def test_public_names_exist_once():
    assert [name for name in ensfs.__all__ if not hasattr(ensfs, name)] == []
    assert len(set(ensfs.__all__)) == len(ensfs.__all__)


def test_every_public_name_is_in_the_api_page():
    listed = listed_names((ROOT / "docs" / "api.rst").read_text(encoding="utf-8"))
    for name in ensfs.__all__:
        public = getattr(ensfs, name)
        if inspect.ismodule(public):
            inside = getattr(public, "__all__", ())
            missing = {f"ensfs.{name}.{each}" for each in inside} - listed
        else:
            missing = {f"ensfs.{name}"} - listed
        assert not missing, f"docs/api.rst does not list {sorted(missing)}"


def test_the_api_page_lists_nothing_else():
    listed = listed_names((ROOT / "docs" / "api.rst").read_text(encoding="utf-8"))
    for name in listed:
        found = ensfs
        for part in name.split(".")[1:]:
            assert hasattr(found, part), f"docs/api.rst lists {name}, which is not there"
            found = getattr(found, part)


def test_listed_names_reads_tables_only():
    rst = (
        ".. currentmodule:: a\n\nText\n\n.. autosummary::\n   :toctree: g\n\n"
        "   f\n   b.g\n\nMore\n   not this\n\n"
        ".. currentmodule:: c\n\n.. autosummary::\n\n   h\n"
    )
    assert listed_names(rst) == {"a.f", "a.b.g", "c.h"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_examples_of_a_page_run(page, tmp_path):
    program = python_of(page)
    script = tmp_path / "page.py"
    script.write_text(program, encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-P", "-W", "error", script],
        cwd=tmp_path,
        check=False,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    printed = re.sub(r"\d+\.\d s", "0.0 s", run.stdout + run.stderr)
    for text in PRINTED.findall(page.read_text(encoding="utf-8")):
        assert text in printed


def load_script(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_broken_links_are_found(tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "index.html").write_text(
        '<a href="deep/page.html#there">x</a> <a href="deep/page.html#gone">x</a>'
        '<a href="https://example.org/gone">x</a> <img src="gone.png"> <p id="here">'
        '<a href="#here">x</a> <a href="deep/">x</a>'
    )
    (tmp_path / "deep" / "page.html").write_text('<p id="there"><a href="../index.html#here">x</a>')
    broken, n_links = load_script("check_links").broken_links(tmp_path)
    assert [link for _, link in broken] == ["deep/page.html#gone", "gone.png", "deep/"]
    assert n_links == 6


def test_files_that_the_readme_links_to_exist():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    links = [link for link in re.findall(r"\]\(([^)#]+)", readme) if "://" not in link]
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []
