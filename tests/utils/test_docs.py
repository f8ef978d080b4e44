"""Shared descriptions in docstrings."""

import importlib
import inspect
import pkgutil
import re
import subprocess
import sys

import pytest

import ensfs
from ensfs._utils.docs import COMMON_DOCS, read_descriptions, with_docs

TABLE = read_descriptions("""
n_jobs : int, optional
    Threads.

    None is one.
**kwargs : dict
    For the line.
support_ : ndarray
    Mask.
""")


def test_descriptions_are_found_by_name():
    assert list(TABLE) == ["n_jobs", "**kwargs", "support_"]
    assert TABLE["n_jobs"] == "n_jobs : int, optional\n    Threads.\n\n    None is one."
    assert TABLE["support_"] == "support_ : ndarray\n    Mask."


@with_docs(TABLE)
class Example:
    """A class.

    Parameters
    ----------
    name : {"a", "b"}
        A name; {n_jobs} inside a line is no place.
    {n_jobs, **kwargs}

    Attributes
    ----------
    {support_}

    Examples
    --------
    >>> {1, 2}
    {1, 2}
    """

    def method(self):
        """Do it.

        Parameters
        ----------
        {support_}
        """

    @classmethod
    def make(cls):
        """{n_jobs}"""

    def undocumented(self):
        pass


@with_docs(TABLE)
def function():
    """{support_}"""


def test_a_line_of_names_becomes_their_descriptions():
    assert inspect.getdoc(Example).split("\n") == [
        "A class.",
        "",
        "Parameters",
        "----------",
        'name : {"a", "b"}',
        "    A name; {n_jobs} inside a line is no place.",
        "n_jobs : int, optional",
        "    Threads.",
        "",
        "    None is one.",
        "**kwargs : dict",
        "    For the line.",
        "",
        "Attributes",
        "----------",
        "support_ : ndarray",
        "    Mask.",
        "",
        "Examples",
        "--------",
        ">>> {1, 2}",
        "{1, 2}",
    ]


def test_a_method_keeps_its_indentation():
    *_, name, description, _ = Example.method.__doc__.split("\n")
    indent = name.removesuffix("support_ : ndarray")
    assert indent.isspace() or not indent  # Python 3.13 strips it
    assert description == indent + "    Mask."


def test_functions_and_class_methods_are_filled_in_too():
    assert function.__doc__ == TABLE["support_"]
    assert Example.make.__doc__ == TABLE["n_jobs"]
    assert Example.undocumented.__doc__ is None


def test_an_unknown_name_is_an_error():
    with pytest.raises(KeyError, match="gone"):

        @with_docs(TABLE)
        def function():
            """{gone}"""


def test_a_name_may_stand_for_a_list_of_names():
    @with_docs({"a": "a : int\n    First.", "b": "b : int\n    Second.", "both": "{a, b}"})
    def function():
        """Do it.

        {both}
        """

    assert "        a : int\n            First.\n        b : int\n" in function.__doc__


def test_what_has_no_docstring_stays_without():
    def function():
        pass

    assert with_docs(TABLE)(function) is function
    assert function.__doc__ is None


def test_common_descriptions_have_a_type_and_a_text():
    for name, description in COMMON_DOCS.items():
        first, *others = description.split("\n")
        if first.startswith("{"):  # a name for a list of names
            assert all(line[0] + line[-1] == "{}" for line in (first, *others))
            assert {each for line in (first, *others) for each in line[1:-1].split(", ")} <= set(
                COMMON_DOCS
            )
            continue
        assert first.startswith(f"{name} : ")
        assert others
        assert all(line.startswith("    ") for line in others)


def documented():
    """Every class, function and method of the package."""
    for module in pkgutil.walk_packages(ensfs.__path__, "ensfs."):
        if module.name == "ensfs.__main__":
            continue
        for thing in vars(importlib.import_module(module.name)).values():
            if getattr(thing, "__module__", None) == module.name:
                yield thing
                if inspect.isclass(thing):
                    yield from vars(thing).values()


def test_no_names_in_braces_are_left():
    texts = [thing.__doc__ for thing in documented() if isinstance(thing.__doc__, str)]
    assert len(texts) > 1000
    assert [
        text for text in texts if re.search(r"^ *\{[a-z*][\w*, ]*\}$", text, re.MULTILINE)
    ] == []


def test_everything_imports_without_docstrings():
    program = "import ensfs; print(*(getattr(ensfs, name).__doc__ for name in ensfs.__all__))"
    command = [sys.executable, "-OO", "-P", "-c", program]
    run = subprocess.run(command, check=False, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert "None" in run.stdout
