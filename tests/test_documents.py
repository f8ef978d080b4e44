"""The documents say what is true: every public name is listed, every example runs."""

import importlib.util
import inspect
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from families import CLASSES, ESTIMATORS, SELECTORS, TRANSFORMERS

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


def load_script(name):
    spec = importlib.util.spec_from_file_location(Path(name).stem, ROOT / "docs" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_public_names_exist_once():
    assert [name for name in ensfs.__all__ if not hasattr(ensfs, name)] == []
    assert len(set(ensfs.__all__)) == len(ensfs.__all__)


def test_the_api_page_lists_every_public_name():
    public_names = load_script("_ext/public_names")
    expected = []
    for name in ensfs.__all__:
        public = getattr(ensfs, name)
        expected.append(name)
        if inspect.ismodule(public):
            expected += [f"{name}.{each}" for each in public.__all__]
    listed = re.findall(r"^   ([\w.]+)$", public_names.api_page(), re.MULTILINE)
    assert sorted(listed) == sorted(expected)
    with pytest.raises(LookupError, match="no section for Thing of ensfs"):
        public_names._section("Thing", "ensfs.attic.thing")


def text_of(*patterns):
    return "".join(p.read_text(encoding="utf-8") for each in patterns for p in ROOT.glob(each))


@pytest.mark.parametrize("c", CLASSES, ids=lambda c: c.__name__)
def test_readme_and_guide_name_every_public_class(c):
    name = re.compile(rf"\b{c.__name__}\b")
    for where in ("README.md", "docs/guide/*.md"):
        assert name.search(text_of(where)), f"{where} does not name {c.__name__}"


def test_the_page_to_choose_from_names_every_method():
    table = load_script("_ext/public_names").method_table()
    assert "generated/methods.txt" in text_of("docs/choose.md")
    discretizers = {c for c in TRANSFORMERS if c not in SELECTORS and "Discretizer" in c.__name__}
    for c in set(ESTIMATORS) - discretizers:
        assert f"{{doc}}`{c.__name__} <" in table


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


def test_the_times_in_the_readme_are_those_of_the_benchmarks():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    times = json.loads((ROOT / "docs/benchmarks.json").read_text(encoding="utf-8"))["times"]

    def ours_and_theirs(case, what, rival, scheme="quotient"):
        kind = (case, what, rival, scheme, 1)
        found = [
            (each["ours_s"], each["theirs_s"])
            for each in times
            if tuple(each[key] for key in ("case", "what", "rival", "scheme", "threads")) == kind
        ]
        assert len(found) == 1, kind
        return found[0]

    one, _ = ours_and_theirs("f-500x10000", "MRMR", "mrmrs")
    twenty, _ = ours_and_theirs("f-500x10000", "FastEnsemble", "20 runs of ensfs MRMR")
    assert f"50 columns by mRMR take {one:.2f} s" in readme
    assert f"20 columns by twenty voting runs {twenty:.2f} s" in readme

    row = re.search(r"^\| time of one mRMR, ensfs = 1 \| 1 \|(.*)\| \|$", readme, re.MULTILINE)
    shown = [float(cell.replace(",", "")) for cell in row[1].split("|")]
    rivals = [
        ("f-500x10000", "MRMR", "mrmr-selection"),
        ("f-500x10000", "MRMR", "mrmrs"),
        ("f-500x10000", "MRMR", "feature-engine FCQ"),
        ("mi-100x7000", "MRMR", "skfeature-chappers", "difference"),
    ]
    measured = [theirs / ours for ours, theirs in (ours_and_theirs(*rival) for rival in rivals)]
    assert shown == [float(f"{ratio:.2g}") for ratio in measured]


def test_the_demo_prints_what_the_readme_says(tmp_path):
    run = subprocess.run(
        [sys.executable, "-P", ROOT / "examples/demo.py"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
    )
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    names = "one run|the vote|MRMR by default|its vote"
    rows = re.findall(rf"^(?:{names}) +([\d.]+) +([\d.]+) +([\d.]+ %)$", run.stdout, re.M)
    assert len(rows) == 4
    for row in rows:
        assert f"| {' | '.join(row)} |" in readme
