"""Selectors in notebooks, and pieces of pages that hold whatever the data hold."""

from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.datasets import load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ensfs import CFS, FCBF, JMI, MRMR, FastEnsemble, InnerEnsemble
from ensfs._utils.html import NOTEBOOK_ROWS, bar, curve, heat_map, safe, table

EVIL = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(2)>',
    "a&amp;b",
    "it's",
    "\x1b[2J\n",
]


class Tags(HTMLParser):
    """Elements, attributes and text of a page."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.attributes, self.text = [], set(), ""
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data):
        self.text += data


def ours(selector):
    """What we add to the diagram of scikit-learn."""
    page = selector._repr_html_()
    return page[page.index('<div class="ensfs-selection"') :]


@pytest.mark.parametrize(
    "selector",
    [MRMR(4), JMI(4), FCBF(), CFS(), FastEnsemble(MRMR(4), n_parts=3), InnerEnsemble(MRMR(4))],
    ids=lambda s: type(s).__name__,
)
def test_a_fitted_selector_shows_its_columns(selector):
    X, y = load_wine(return_X_y=True, as_frame=True)
    assert "ensfs-selection" not in selector._repr_html_()
    selector.fit(X, y)
    found = Tags(ours(selector))
    for j in selector.indices_:
        assert X.columns[j] in found.text
    assert f"{selector.indices_.size} of 13 columns selected" in found.text
    assert found.tags.count("svg") == selector.indices_.size
    bundle = selector._repr_mimebundle_()
    assert bundle["text/html"].count("ensfs-selection") == 1
    assert bundle["text/plain"] == repr(selector)


def test_many_columns_are_cut():
    rng = np.random.default_rng(0)
    selector = MRMR(100).fit(rng.normal(size=(50, 300)), rng.integers(0, 2, 50))
    found = Tags(ours(selector))
    assert found.tags.count("svg") == NOTEBOOK_ROWS
    assert f"and {100 - NOTEBOOK_ROWS} more" in found.text
    assert "x" + str(selector.indices_[0]) in found.text


def test_text_display_has_no_html():
    with sklearn.config_context(display="text"):
        selector = MRMR(2).fit(np.eye(6), [0, 1] * 3)
        assert not hasattr(selector, "_repr_html_")
        assert "text/html" not in selector._repr_mimebundle_()


def test_selectors_inside_of_pipelines_are_shown_by_scikit_learn():
    assert "MRMR" in make_pipeline(StandardScaler(), MRMR(2))._repr_html_()


def test_names_are_text():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(30, len(EVIL))), columns=EVIL)
    selector = MRMR(len(EVIL)).fit(X, rng.integers(0, 2, 30))
    found = Tags(ours(selector))
    assert not {"script", "img"} & set(found.tags)
    assert not any(name.startswith("on") for name in found.attributes)
    assert EVIL[0] in found.text
    assert r"\x1b[2J\n" in found.text


# ---------------------------------------- pieces


@pytest.mark.parametrize("text", [*EVIL, "\ud800", "‮evil", "x" * 10_000, "\U0001d4b3" * 100, ""])
def test_safe_text(text):
    found = Tags(f"<p>{safe(text)}</p>")
    assert found.tags == ["p"]
    assert len(found.text) <= 60
    assert found.text.isprintable()
    found.text.encode("utf-8")


def test_bars_stay_inside():
    for value in (-1.0, 0.0, 0.5, 3.0, float("nan"), float("inf"), float("-inf")):
        text = bar(value, 1.0, 100).text
        width = float(text.split('class="bar" width="')[1].split('"')[0])
        assert width == {0.5: 50.0, 3.0: 100.0, float("inf"): 100.0}.get(value, 0.0)
    assert 'width="0.0"' in bar(0.0, 0.0).text


def test_bars_shrink_with_their_cell():
    """A bar that is drawn narrower than it is wide must be scaled, or 0.8 looks like 1."""
    from xml.etree import ElementTree

    root = ElementTree.fromstring(bar(0.8, 1.0, 200).text)
    assert root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}"
    assert root.get("preserveAspectRatio") == "none"


def test_pictures_are_well_formed_and_inside():
    from xml.etree import ElementTree

    rng = np.random.default_rng(0)
    values = rng.random((30, 30))
    names = [*EVIL, *map(str, range(25))]
    for text in (
        heat_map(names, values, list(range(30)), "a <b>"),
        curve([1, 2, 5], np.array([0.5, 0.7, np.nan]), np.array([0.1, 0, 0]), x_title="<k>",
              y_title="&", reference=0.9),
        curve([3], np.array([0.5]), np.array([0.0]), x_title="k", y_title="a"),
        table(["<a>"], [["<b>"]]),
    ):  # fmt: skip
        root = ElementTree.fromstring(text)
        if root.tag == "svg":
            _, _, width, height = map(float, root.get("viewBox").split())
            for text_element in root.iter("text"):
                assert 0 <= float(text_element.get("x")) <= width
                assert 0 <= float(text_element.get("y")) <= height
