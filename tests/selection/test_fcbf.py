"""FCBF against its pseudo-code on a full matrix of symmetrical uncertainties."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
import twins
from hypothesis import given, settings
from hypothesis import strategies as st

from ensfs import FCBF
from ensfs.measures import pairwise

# ---------------------------------------- the definitions, slowly


def fcbf_slow(X, y, threshold=0.0, most=None, uncertainty=twins.uncertainty):
    """Kept columns, who removed whom, and the relevance."""
    columns, y = X.T.tolist(), y.tolist()
    r = [uncertainty(x, y) for x in columns]
    rest = [q for q in range(len(columns)) if r[q] > threshold + 1e-12]
    rest.sort(key=lambda q: (-round(r[q], 11), q))
    kept, removed_by = [], {}
    while rest and (most is None or len(kept) < most):
        f = rest.pop(0)
        kept.append(f)
        if len(kept) == most:
            break
        gone = [q for q in rest if uncertainty(columns[f], columns[q]) >= r[q] - 1e-8]
        removed_by |= dict.fromkeys(gone, f)
        rest = [q for q in rest if q not in gone]
    return kept, removed_by, r


def removed(selector):
    """`removed_by_` as a dictionary of the columns that were removed."""
    return {q: int(f) for q, f in enumerate(selector.removed_by_) if f >= 0}


def assert_selects(selector, X, y, **options):
    kept, removed_by, r = fcbf_slow(X, y, **options)
    assert selector.indices_.tolist() == kept
    assert removed(selector) == removed_by
    np.testing.assert_allclose(selector.relevance_, r, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(selector.scores_[kept], selector.relevance_[kept])
    assert np.isnan(np.delete(selector.scores_, kept)).all()


# ---------------------------------------- tables to try


def table(kind, seed, n, p):
    """Codes with copies, constants and relabelled copies."""
    rng = np.random.default_rng(seed)
    top, n_classes = {"planes": (9, 4), "codes": (15, 12), "ties": (3, 2)}[kind]
    X = rng.integers(0, rng.integers(1, top, p), (n, p))
    y = rng.integers(0, n_classes, n)
    y[0] = (y[1] + 1) % n_classes  # two classes at least
    related = rng.random(p) < 0.5
    X[:, related] = np.where(rng.random((n, p)) < 0.3, X, y[:, None])[:, related]
    X[:, rng.integers(p)] = X[:, rng.integers(p)]
    X[:, rng.integers(p)] = 20 - X[:, rng.integers(p)]
    return X, y


tables = st.tuples(st.integers(0, 2**32 - 1), st.integers(4, 80), st.integers(1, 10))
KINDS = ["planes", "codes", "ties"]

#: Every value is a level, and information is as counted.
published = partial(FCBF, discrete_features=True, correction=None)

# ---------------------------------------- the worked example

Y = np.array(list("000000111111"))
X = np.array(
    [
        list("000001111110"),
        list("000011111100"),
        list("000001111101"),
        list("010101010101"),
        list("000000000000"),
        list("000001111110"),
    ]
).T


def test_worked_example():
    """Check 10 of the specification."""
    selector = published().fit(X, Y)
    r = [0.3499775784, 0.0817041659, 0.3499775784, 0, 0, 0.3499775784]
    np.testing.assert_allclose(selector.relevance_, r, rtol=0, atol=1e-9)
    assert selector.relevance_[3] == selector.relevance_[4] == 0
    assert selector.indices_.tolist() == [0]
    assert removed(selector) == {1: 0, 2: 0, 5: 0}
    assert selector.removed_by_.tolist() == [-1, 0, 0, -2, -2, 0]
    assert selector.support_.tolist() == [True] + 5 * [False]
    assert selector.ranking_.tolist() == [1] + 5 * [2]
    assert selector.n_pairs_needed_ == selector.n_pairs_read_ == 6 + 3
    assert selector.transform(X).tolist() == X[:, :1].tolist()


def test_pairs_of_the_worked_example():
    """The uncertainties among the columns, as printed in check 10."""
    among = pairwise(X, "symmetrical_uncertainty")
    for f, g, value in [
        (0, 1, 0.3499775784),
        (0, 2, 0.3499775784),
        (1, 2, 0.3499775784),
        (2, 3, 0.0817041659),
        (0, 5, 1.0),
    ]:
        assert among[f, g] == pytest.approx(value, rel=0, abs=1e-9)


def test_explanation():
    frame = pd.DataFrame(X, columns=list("abcdef"))
    rows = {row["feature"]: row for row in published().fit(frame, Y).explain()}
    assert list(rows) == ["a", "c", "f", "b", "d", "e"]
    assert {name: row["reason"] for name, row in rows.items()} == {
        "a": "predominant",
        "b": "redundant",
        "c": "redundant",
        "d": "not relevant",
        "e": "not relevant",
        "f": "redundant",
    }
    assert {name: row["removed by"] for name, row in rows.items()} == {
        "a": None, "b": "a", "c": "a", "d": None, "e": None, "f": "a",
    }  # fmt: skip
    assert rows["a"]["rank"] == 1
    assert rows["b"]["rank"] is None
    one = published(n_features_to_select=1).fit(X, Y)
    assert one.explain(2)[0]["reason"] == "beyond n_features_to_select"
    assert "x0" in str(published().fit(X, Y).explain("x5"))


def test_threshold():
    assert published(0.0817).fit(X, Y).removed_by_[1] == 0
    above = published(0.0818).fit(X, Y)
    assert above.removed_by_[1] == -2
    assert published(0.35).fit(X, Y).indices_.tolist() == []


@pytest.mark.parametrize("column", [0, 1, 2, 5])
def test_a_relevance_at_the_threshold_is_too_low(column):
    """Strict, with the tolerance of ties: the printed digits of the threshold do not matter."""
    r = fcbf_slow(X, Y)[2][column]
    for threshold in (r, np.nextafter(r, 0), np.nextafter(r, 1)):
        assert published(threshold).fit(X, Y).removed_by_[column] == -2


def test_only_kept_columns_remove():
    """a removes b; b, were it kept, would remove c."""
    rng = np.random.default_rng(0)
    found = 0
    for _ in range(200):
        Z, y = rng.integers(0, 2, (12, 3)), rng.integers(0, 2, 12)
        kept, removed_by, r = fcbf_slow(Z, y)
        if kept == [0, 2] and removed_by == {1: 0}:
            found += twins.uncertainty(Z[:, 1].tolist(), Z[:, 2].tolist()) >= r[2]
            assert published().fit(Z, y).indices_.tolist() == kept
    assert found


# ---------------------------------------- any table


@settings(max_examples=60)
@given(shape=tables, threshold=st.sampled_from([0.0, 0.01, 0.1, 0.4]))
@pytest.mark.parametrize("kind", KINDS)
def test_pseudo_code(kind, shape, threshold):
    Z, y = table(kind, *shape)
    selector = published(threshold)
    assert_selects(selector.fit(Z, y), Z, y, threshold=threshold)
    assert Z.shape[1] <= selector.n_pairs_read_ <= selector.n_pairs_needed_


@settings(max_examples=60)
@given(shape=tables, threshold=st.sampled_from([0.0, 0.01, 0.1]))
@pytest.mark.parametrize("kind", KINDS)
def test_pseudo_code_without_what_chance_gives(kind, shape, threshold):
    Z, y = table(kind, *shape)
    selector = published(threshold, correction="miller_madow").fit(Z, y)
    uncertainty = twins.corrected(twins.uncertainty)
    assert_selects(selector, Z, y, threshold=threshold, uncertainty=uncertainty)


@settings(max_examples=25)
@given(shape=tables, most=st.integers(1, 4))
@pytest.mark.parametrize("kind", KINDS)
def test_the_number_is_capped(kind, shape, most):
    Z, y = table(kind, *shape)
    most = min(most, Z.shape[1])
    selector = published(n_features_to_select=most).fit(Z, y)
    assert_selects(selector, Z, y, most=most)
    full = published().fit(Z, y)
    assert selector.indices_.tolist() == full.indices_[:most].tolist()


@settings(max_examples=25)
@given(shape=tables, data=st.data())
@pytest.mark.parametrize("kind", KINDS)
def test_rows_and_labels_do_not_matter(kind, shape, data):
    Z, y = table(kind, *shape)
    rng = np.random.default_rng(data.draw(st.integers(0, 999)))
    rows, label = rng.permutation(len(y)), rng.permutation(41)
    one = published().fit(Z, y)
    for other in (published().fit(Z[rows], y[rows]), published().fit(label[20 + Z], label[y])):
        np.testing.assert_array_equal(one.indices_, other.indices_)
        np.testing.assert_array_equal(one.removed_by_, other.removed_by_)
        np.testing.assert_array_equal(one.relevance_, other.relevance_)


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_columns_does_not_matter_without_ties(seed):
    rng = np.random.default_rng(seed)
    Z, y = rng.integers(0, 5, (101, 12)), rng.integers(0, 3, 101)
    one = published().fit(Z, y)
    assert np.diff(np.sort(one.relevance_)).min() > 1e-9
    order = rng.permutation(12)
    other = published().fit(Z[:, order], y)
    assert order[other.indices_].tolist() == one.indices_.tolist()


def test_a_copy_never_stays():
    rng = np.random.default_rng(0)
    Z, y = rng.integers(0, 5, (60, 8)), rng.integers(0, 3, 60)
    twice = published().fit(np.hstack([Z, Z[:, ::-1]]), y)
    assert twice.indices_.tolist() == published().fit(Z, y).indices_.tolist()


@pytest.mark.parametrize(("levels", "n_classes"), [(2, 2), (8, 8), (9, 3), (25, 30), (40, 40)])
@pytest.mark.parametrize("copies", [1, 3, 5, 7])
def test_independent_columns_are_not_relevant(levels, n_classes, copies):
    """Every cell has the same count; rounding must not make it relevant."""
    cells = np.repeat(np.arange(levels * n_classes), copies)
    Z, y = (cells // n_classes)[:, None], cells % n_classes
    selector = published().fit(Z, y)
    assert selector.indices_.tolist() == []
    assert selector.removed_by_.tolist() == [-2]
    with pytest.warns(UserWarning, match="No features were selected"):
        assert selector.transform(Z).shape == (len(y), 0)


def test_one_class():
    with pytest.warns(UserWarning, match="y is constant"):
        selector = published().fit(X, np.zeros(12))
    assert selector.indices_.tolist() == []
    assert selector.removed_by_.tolist() == 6 * [-2]
    assert selector.ranking_.tolist() == 6 * [1]


def test_threads_do_not_matter():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 150)
    Z = np.where(rng.random((150, 300)) < 0.7, rng.integers(0, 12, (150, 300)), y[:, None])
    one = published().fit(Z, y)
    for n_jobs in (2, 4):
        other = published(n_jobs=n_jobs).fit(Z, y)
        np.testing.assert_array_equal(one.removed_by_, other.removed_by_)
        np.testing.assert_array_equal(one.scores_, other.scores_)
    assert_selects(one, Z, y)
