"""Why a column is in or out."""

import html

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.exceptions import NotFittedError

from ensfs import MRMR, FastEnsemble, InnerEnsemble, ITDecomposition
from ensfs._utils.explanation import Explanation

ALL = [MRMR(4), FastEnsemble(MRMR(4), n_parts=5), InnerEnsemble(MRMR(4), n_parts=5)]
ids = {"ids": lambda s: type(s).__name__}


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True, as_frame=True)


@pytest.mark.parametrize("selector", ALL, **ids)
def test_all_columns_the_selected_first(selector, wine):
    X, y = wine
    table = selector.fit(X, y).explain()
    assert len(table) == 13
    assert sorted(table["feature"]) == sorted(X.columns)
    assert table["feature"][:4] == X.columns[selector.indices_].tolist()
    assert table["selected"] == [True] * 4 + [False] * 9
    assert table["rank"] == [1, 2, 3, 4] + [None] * 9
    for row in table:
        j = X.columns.get_loc(row["feature"])
        assert row["relevance"] == selector.relevance_[j]


@pytest.mark.parametrize("selector", [ALL[0], ALL[2]], **ids)
def test_columns_left_out_are_ordered_by_relevance(selector, wine):
    relevance = selector.fit(*wine).explain()["relevance"][4:]
    assert relevance == sorted(relevance, reverse=True)


def test_columns_of_no_part_are_ordered_by_relevance(wine):
    selector = FastEnsemble(MRMR(2), n_parts=5).fit(*wine)
    rows = selector.explain()
    never = rows["relevance"][rows["parts"].index(0) :]
    assert len(never) > 5
    assert never == sorted(never, reverse=True)
    assert rows["frequency"] == sorted(rows["frequency"], reverse=True)


@pytest.mark.parametrize("selector", ALL, **ids)
def test_one_column_by_place_and_by_name(selector, wine):
    X, y = wine
    selector.fit(X, y)
    for j, name in enumerate(X.columns):
        table = selector.explain(name)
        assert len(table) == 1
        assert table[0]["feature"] == name
        assert repr(table) == repr(selector.explain(j)) == repr(selector.explain(j - 13))
        assert repr(table) == repr(selector.explain(np.int64(j)))
        assert table[0]["selected"] == selector.support_[j]


@pytest.mark.parametrize("selector", ALL, **ids)
def test_columns_that_do_not_exist(selector, wine):
    X, y = wine
    selector.fit(X, y)
    with pytest.raises(ValueError, match="There is no column 'bouquet'"):
        selector.explain("bouquet")
    for j in (13, -14):
        with pytest.raises(ValueError, match=f"13 columns; got feature={j}"):
            selector.explain(j)
    selector.fit(X.to_numpy(), y)
    assert selector.explain("x3")[0]["feature"] == "x3"
    with pytest.raises(ValueError, match="There is no column 'x13'"):
        selector.explain("x13")


@pytest.mark.parametrize("feature", [1.5, 1.0, True, np.True_, [0, 1], np.arange(2), b"alcohol"])
def test_only_whole_numbers_and_names_are_columns(feature, wine):
    for fitted in (MRMR(4).fit(*wine), ITDecomposition(2).fit(*wine)):
        with pytest.raises(ValueError, match="feature must be the position or the name of a colu"):
            fitted.explain(feature)


@pytest.mark.parametrize("selector", ALL, **ids)
def test_nothing_to_explain_before_fit(selector):
    with pytest.raises(NotFittedError):
        type(selector)().explain()


@pytest.mark.parametrize(
    ("scheme", "score"),
    [("quotient", lambda r, d: r / d), ("discount", lambda r, d: r * (1 - d**2) ** 2)],
)
def test_scores_follow_from_what_is_shown(wine, scheme, score):
    selector = MRMR(4, scheme=scheme).fit(*wine)
    first, *others = selector.explain()[:4]
    assert first["score"] == first["relevance"]
    assert np.isnan(first["redundancy"])
    assert first["nearest"] is None
    for row in others:
        assert row["score"] == pytest.approx(score(row["relevance"], row["redundancy"]))
        assert row["nearest"] in selector.explain()["feature"][:4]


def test_the_nearest_selected_column(wine):
    X, y = wine
    selector = MRMR(4).fit(X, y)
    R = np.abs(np.corrcoef(X.to_numpy().T))
    order = selector.indices_.tolist()
    for place, j in enumerate(order[1:], start=1):
        before = order[:place]
        nearest = before[int(np.argmax(R[j, before]))]
        assert selector.explain(int(j))[0]["nearest"] == X.columns[nearest]


def test_columns_left_out_name_a_selected_column(wine):
    X, y = wine
    selector = MRMR(4, scheme="FCQ").fit(X, y)  # whose search compares every column once
    chosen = set(X.columns[selector.indices_])
    for row in selector.explain()[4:]:
        assert row["nearest"] in chosen
        assert np.isnan(row["score"])


def test_an_ensemble_counts_its_parts(wine):
    X, y = wine
    ensemble = FastEnsemble(MRMR(4), n_parts=5).fit(X, y)
    for row in ensemble.explain():
        j = X.columns.get_loc(row["feature"])
        assert row["parts"] == sum(j in part for part in ensemble.part_selections_)
        assert row["frequency"] == row["parts"] / 5


def test_an_explanation_is_a_small_table(wine):
    table = MRMR(4).fit(*wine).explain()
    assert isinstance(table, Explanation)
    lines = str(table).splitlines()
    assert len(lines) == 14
    assert lines[0].split()[:2] == ["feature", "selected"]
    assert lines[1].split()[:3] == ["flavanoids", "yes", "1"]
    assert " no " in lines[-1]
    frame = table.to_pandas()
    assert frame.shape == (13, 8)
    assert frame.columns.tolist() == table.columns
    assert table.to_polars().columns == table.columns
    assert table.to_polars()["rank"].to_list() == table["rank"]
    text = table._repr_html_()
    assert text.count("<tr>") == 14
    assert html.escape("od280/od315_of_diluted_wines") in text


def test_long_and_empty_tables():
    long = Explanation([{"feature": f"x{j}", "note": "<b>"} for j in range(100)])
    assert str(long).splitlines()[-1] == "... and 40 more"
    assert "<b>" not in long._repr_html_()
    assert len(long[10:20]) == 10
    empty = Explanation([])
    assert (len(empty), empty.columns) == (0, [])


def test_names_from_data_are_text():
    """Neither a terminal nor a notebook takes a name, or a note, as a command."""
    names = ["\x1b[2J\x1b[1;1H", "a\nb\tc", "\u202egnirts", "\x00", "<b>bold</b>"]
    table = Explanation([{"feature": name, "\x1b[31mnearest": name} for name in names])
    lines = str(table).split("\n")
    assert len(lines) == len(names) + 1
    assert all(line.isprintable() for line in lines)
    page = table._repr_html_()
    assert page.isprintable()
    assert "<b>" not in page
    assert table["feature"] == names  # what programs read is what the data hold


def test_long_tables_say_so_in_notebooks_too():
    page = Explanation([{"feature": f"x{j}"} for j in range(100)])._repr_html_()
    assert page.count("<tr>") == 61
    assert "40 more" in page


def test_constants_can_be_explained():
    X = np.ones((10, 3))
    X[:, 1] = np.arange(10)
    with pytest.warns(UserWarning, match="Only 1 of 2 columns were selected"):
        selector = MRMR(2).fit(X, np.arange(10) % 2)
    assert selector.explain()["feature"] == ["x1", "x0", "x2"]
    assert selector.explain("x0")[0]["relevance"] == 0
    assert "nan" not in str(selector.explain())
