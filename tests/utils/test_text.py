"""Text for people: cells, names and lines."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensfs._utils.text import (
    cell_text,
    distinct_labels,
    one_line,
    printable,
    shortened,
    text_table,
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("größe 木", "größe 木"),
        ("a\tb\nc", r"a\tb\nc"),
        ("\x1b[2J", r"\x1b[2J"),
        ("\u202egnirts", r"\u202egnirts"),
        ("\ud800", r"\ud800"),
        ("\U000e0001", r"\U000e0001"),
        (7, "7"),
    ],
)
def test_printable(text, shown):
    assert printable(text) == shown
    assert printable(text).isprintable()


def test_one_line():
    assert one_line("two\n  lines\r\n and \x1b[2J") == r"two lines and \x1b[2J"


def test_shortened_keeps_both_ends():
    assert shortened("abcdefghij", 5) == "ab…ij"
    assert shortened("abcde", 5) == "abcde"
    assert len(shortened("\x1b" * 50, 32)) <= 32


def test_labels_are_cut_where_names_differ():
    genes = [f"Homo sapiens mRNA for protein {name}, complete sequence" for name in "ABC"]
    assert distinct_labels(genes, 32) == [
        "Homo sap…in A, complete sequence", "Homo sap…in B, complete sequence",
        "Homo sap…in C, complete sequence",
    ]  # fmt: skip
    assert distinct_labels(["plain", genes[0]], 32) == ["plain", shortened(genes[0], 32)]
    assert distinct_labels(["same", "same", "other"], 32) == ["same (1)", "same (2)", "other"]
    assert distinct_labels(["same", "same", "same (1)"], 32) == ["same (2)", "same (3)", "same (1)"]


@given(
    st.lists(st.text("ab$\n…( 1)", min_size=0, max_size=40), max_size=30),
    st.integers(min_value=12, max_value=32),
)
def test_labels_differ_and_fit(names, length):
    labels = distinct_labels(names, length)
    assert len(set(labels)) == len(names)
    assert all(len(label) <= length and label.isprintable() for label in labels)
    for name, label in zip(names, labels, strict=True):
        if len(printable(name)) <= length and names.count(name) == 1:
            assert label == printable(name)


def test_cells():
    values = (None, float("nan"), 1.23456789, 12345, True, "a\n", np.float32(0.5), np.True_)
    cells = [cell_text(value) for value in values]
    assert cells == ["-", "-", "1.235", "12345", "yes", r"a\n", "0.5", "yes"]
    assert cell_text(1.23456789, digits=6) == "1.23457"
    assert cell_text(np.int64(12345), thousands=True) == "12,345"
    assert cell_text(np.nan, missing="–") == "–"


def test_tables_are_aligned():
    assert text_table([["a", "long"], ["longer", "b"]]) == ["a       long", "longer  b"]
