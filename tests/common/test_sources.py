"""The sources keep to what CONTRIBUTING.md asks for: short files, and descriptions written once."""

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

import ensfs

PACKAGE = Path(ensfs.__file__).parent
SOURCES = Path(__file__).resolve().parents[2] / "src" / "ensfs"

#: Lines of a file, at most.
MOST_LINES = 450

#: Lines of docstrings, at most, that are copies.
MOST_COPIES = 0.1
#: So many lines in a row that occur twice are a copy.
RUN = 3
#: The headings of numpydoc, which are no text.
HEADINGS = re.compile(
    "-+|Parameters|Attributes|Returns|Yields|Raises|Warns|See Also|Notes|References|Examples"
)


def is_text(line):
    return bool(line) and not HEADINGS.fullmatch(line)


def docstrings(source):
    """Lines of text of each docstring, without blank lines and headings."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            lines = (ast.get_docstring(node) or "").splitlines()
            yield [line.strip() for line in lines if is_text(line.strip())]


def runs(lines):
    """Where runs of lines begin, and the lines of each."""
    return {i: tuple(lines[i : i + RUN]) for i in range(len(lines) - RUN + 1)}


def copies(texts):
    """For each text the lines that are in a run that occurs again, in this text or another one."""
    times = Counter(run for lines in texts for run in runs(lines).values())
    for lines in texts:
        again = [i for i, run in runs(lines).items() if times[run] > 1]
        yield [lines[j] for j in sorted({j for i in again for j in range(i, i + RUN)})]


def test_copies_are_found():
    texts = [list("abcd"), list("xbcdbc"), list("bca"), list("ab")]
    assert list(map("".join, copies(texts))) == ["bcd", "bcd", "", ""]
    assert list(map("".join, copies([list("abcabc")]))) == ["abcabc"]
    source = (
        'def f():\n    """A.\n\n    Parameters\n    ----------\n    x : int\n        B.\n    """'
    )
    assert list(docstrings(source)) == [[], ["A.", "x : int", "B."]]


def test_few_lines_of_docstrings_are_copies():
    texts = [t for path in PACKAGE.rglob("*.py") for t in docstrings(path.read_text("utf-8"))]
    copied = sum(map(len, copies(texts)))
    assert copied < MOST_COPIES * sum(map(len, texts))


@pytest.mark.skipif(not SOURCES.exists(), reason="the sources are not there")
def test_files_are_short():
    files = [path for path in SOURCES.rglob("*") if path.suffix in (".py", ".pyx", ".pxd", ".h")]
    lengths = {
        path.relative_to(SOURCES).as_posix(): len(path.read_text("utf-8").splitlines())
        for path in files
    }
    assert [name for name, n in lengths.items() if n > MOST_LINES] == []
