"""Ensembles of the information filters: parts as separate runs, averages by definition."""

import math
import warnings

import numpy as np
import pytest
import twins
from greedy_twins import CORRECTED, CRITERIA, search_slow
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_wine

from ensfs import CFS, FCBF, FastEnsemble, InnerEnsemble, MDLDiscretizer

# Tables to try have constant columns, which are never selected.
pytestmark = pytest.mark.filterwarnings("ignore:Only .* columns were selected:UserWarning")

# ---------------------------------------- the definitions, slowly


def average_slow(measure, x, y, fold):
    """Mean of a measure over the parts, each all rows but one fold."""
    parts = [fold != t for t in np.unique(fold)]
    return math.fsum(measure(x[rows].tolist(), y[rows].tolist()) for rows in parts) / len(parts)


SELECTORS = {
    "FCBF": FCBF(correction=None),
    "FCBF corrected": FCBF(correction="miller_madow"),
    "FCBF above 0.05": FCBF(0.05),
    "FCBF, 2 at most": FCBF(n_features_to_select=2),
    "CFS": CFS(correction=None),
    "CFS corrected": CFS(correction="miller_madow"),
    "CFS forward": CFS("forward"),
    "CFS floating": CFS("floating"),
    "CFS, 2 at most": CFS(n_features_to_select=2),
    "CFS, locally predictive": CFS(locally_predictive=True),
    **{name: make(4) for name, make in (CRITERIA | CORRECTED).items()},
}
every = pytest.mark.parametrize("name", SELECTORS)
OWN_NUMBER = [n for n in SELECTORS if n.startswith(("FCBF", "CFS")) and "most" not in n]


def table(kind, seed, n, p):
    rng = np.random.default_rng(seed)
    top, n_classes = {"planes": (9, 3), "codes": (15, 3), "classes": (5, 11), "ties": (3, 2)}[kind]
    X = rng.integers(0, rng.integers(1, top, p), (n, p))
    y = rng.permutation(np.arange(n) % n_classes)
    X = np.where(rng.random((n, p)) < rng.uniform(0.3, 1.5, p), X, y[:, None])
    X[:, rng.integers(p)] = X[:, rng.integers(p)]
    return X, y


KINDS = ["planes", "codes", "classes", "ties"]
shapes = st.tuples(
    st.sampled_from(KINDS), st.integers(0, 2**32 - 1), st.integers(12, 60), st.integers(4, 9)
)


def selector_of(name, p):
    """What a column holds must not depend on the rows that are left."""
    return clone(SELECTORS[name]).set_params(discrete_features=np.ones(p, dtype=bool))


def fillers(name, alone):
    """How many of the last columns of a minimum have one score of 0 or below: they get no vote."""
    scores = alone.scores_[alone.indices_]
    n = 0
    if "MIM" in name and not name.startswith("MIM"):
        while n < scores.size and scores[-1] <= 1e-12 and abs(scores[-1 - n] - scores[-1]) <= 1e-12:
            n += 1
    return n if n > 1 else 0


# ---------------------------------------- parts and votes


@settings(max_examples=25)
@given(shape=shapes, e=st.integers(2, 6), folds=st.sampled_from(["interleaved", "blocks"]))
@every
def test_every_part_is_a_run_on_its_rows(name, shape, e, folds):
    X, y = table(*shape)
    n, p = X.shape
    selector = selector_of(name, p)
    fold = np.arange(n) % e
    if folds == "blocks":
        fold = np.repeat(np.arange(e), [len(b) for b in np.array_split(np.arange(n), e)])
    ensemble = FastEnsemble(selector, n_parts=e, folds=folds).fit(X, y)
    assert len(ensemble.part_selections_) == e
    votes = np.zeros(p)
    for t, part in enumerate(ensemble.part_selections_):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a part may have one class
            alone = clone(selector).fit(X[fold != t], y[fold != t])
        assert part.tolist() == alone.indices_.tolist()
        votes[part[: part.size - fillers(name, alone)]] += 1
    np.testing.assert_array_equal(ensemble.selection_frequency_, votes / e)
    if name in OWN_NUMBER:
        assert set(ensemble.indices_) == {f for f in range(p) if votes[f] >= e / 2}
    order = sorted(range(p), key=lambda f: (-votes[f], np.rint(2 * e * ensemble.mean_rank_[f]), f))
    assert ensemble.indices_.tolist() == order[: ensemble.indices_.size]
    ended_early = len({len(part) for part in ensemble.part_selections_}) > 1
    # the parts of FCBF walk side by side, and a little is read ahead; of parts that end early
    # constant columns are read too
    if not name.startswith("FCBF") and not (ended_early and name not in OWN_NUMBER):
        assert ensemble.n_pairs_read_ <= ensemble.n_pairs_needed_


@every
def test_parts_of_a_larger_table(name):
    """More rows than a few words, both kinds of columns in one table, twenty parts."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 330)
    X = rng.integers(0, np.r_[[2] * 15, [5] * 15, [20] * 10], (330, 40))
    X = np.where(rng.random((330, 40)) < 0.8, X, y[:, None])
    selector = selector_of(name, 40)
    ensemble = FastEnsemble(selector, n_parts=20, n_jobs=2).fit(X, y)
    for t in range(0, 20, 4):
        rows = np.arange(330) % 20 != t
        alone = clone(selector).fit(X[rows], y[rows])
        assert ensemble.part_selections_[t].tolist() == alone.indices_.tolist()


@pytest.mark.parametrize("name", ["FCBF, 2 at most", "CFS, 2 at most"])
def test_a_cap_is_the_cap_of_the_ensemble(name):
    X, y = table("planes", 0, 60, 9)
    ensemble = FastEnsemble(selector_of(name, 9), n_parts=5).fit(X, y)
    assert all(part.size <= 2 for part in ensemble.part_selections_)
    assert ensemble.indices_.size == 2


@pytest.mark.parametrize("combine", ["vote", "average_rank"])
@pytest.mark.parametrize("name", OWN_NUMBER)
def test_mean_places(name, combine):
    X, y = table("planes", 1, 60, 9)
    ensemble = FastEnsemble(selector_of(name, 9), n_parts=5, combine=combine).fit(X, y)
    places = [
        [
            part.tolist().index(f) + 1 if f in part else (9 + part.size + 1) / 2
            for part in ensemble.part_selections_
        ]
        for f in range(9)
    ]
    np.testing.assert_allclose(ensemble.mean_rank_, np.mean(places, axis=1), rtol=1e-14)
    kept = int((ensemble.selection_frequency_ >= 0.5).sum())
    assert ensemble.indices_.size == kept


@pytest.mark.parametrize("ensemble", [FastEnsemble, InnerEnsemble])
@pytest.mark.parametrize("name", ["FCBF", "CFS"])
def test_nothing_to_find(ensemble, name):
    cells = np.repeat(np.arange(4), 9)
    X, y = np.stack([cells // 2, cells // 2], axis=1), cells % 2
    fold = np.tile(np.arange(3), 12)  # independent in every part as well
    fitted = ensemble(selector_of(name, 2), folds=fold).fit(X, y)
    assert fitted.indices_.tolist() == []
    assert fitted.support_.tolist() == [False, False]
    with pytest.warns(UserWarning, match="No features were selected"):
        assert fitted.transform(X).shape == (36, 0)
    with pytest.warns(UserWarning, match="y is constant"):
        assert ensemble(selector_of(name, 2), n_parts=3).fit(X, 0 * y).indices_.size == 0


@every
def test_continuous_columns_are_cut_once(name):
    X, y = load_wine(return_X_y=True)
    X = X + 0.0001
    selector = clone(SELECTORS[name])
    ensemble = FastEnsemble(selector, n_parts=5).fit(X, y)
    codes = MDLDiscretizer(better_encoding=True).fit_transform(X, y)
    coded = FastEnsemble(selector_of(name, 13), n_parts=5).fit(codes, y)
    assert [p.tolist() for p in ensemble.part_selections_] == [
        p.tolist() for p in coded.part_selections_
    ]
    np.testing.assert_array_equal(ensemble.scores_, coded.scores_)


# ---------------------------------------- averages


@settings(max_examples=25)
@given(shape=shapes, e=st.integers(2, 5))
@pytest.mark.parametrize("name", CRITERIA)
def test_inner_greedy(name, shape, e):
    """Relevance and terms are means over the parts, and keep their sign."""
    X, y = table(*shape)
    n, p = X.shape
    ensemble = InnerEnsemble(selector_of(name, p), n_parts=e).fit(X, y)
    parts = [np.arange(n) % e != t for t in range(e)]
    chosen, scores, relevance = search_slow(name, X, y, 4, parts)
    assert ensemble.indices_.tolist() == chosen
    np.testing.assert_allclose(ensemble.scores_[chosen], scores, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(ensemble.relevance_, relevance, rtol=1e-9, atol=1e-12)
    assert p <= ensemble.n_pairs_read_ <= ensemble.n_pairs_needed_


@settings(max_examples=30)
@given(shape=shapes, e=st.integers(2, 5), threshold=st.sampled_from([0.0, 0.05]))
def test_inner_fcbf(shape, e, threshold):
    X, y = table(*shape)
    n, p = X.shape
    fold = np.arange(n) % e
    selector = selector_of("FCBF", p).set_params(threshold=threshold)
    ensemble = InnerEnsemble(selector, n_parts=e).fit(X, y)
    r = [average_slow(twins.uncertainty, x, y, fold) for x in X.T]
    rest = sorted(
        (f for f in range(p) if r[f] > threshold + 1e-12), key=lambda f: (-round(r[f], 11), f)
    )
    kept, removed_by = [], {}
    while rest:
        f = rest.pop(0)
        kept.append(f)
        with_f = {q: average_slow(twins.uncertainty, X[:, f], X[:, q], fold) for q in rest}
        removed_by |= {q: f for q in rest if with_f[q] >= r[q] - 1e-8}
        rest = [q for q in rest if q not in removed_by]
    assert ensemble.indices_.tolist() == kept
    removed = ensemble.selector_.removed_by_
    assert {q: int(removed[q]) for q in range(p) if removed[q] >= 0} == removed_by
    np.testing.assert_allclose(ensemble.relevance_, r, rtol=1e-9, atol=1e-12)


@every
@pytest.mark.parametrize("kind", KINDS)
def test_inner_ensembles_run(name, kind):
    X, y = table(kind, 3, 60, 8)
    ensemble = InnerEnsemble(selector_of(name, 8), n_parts=4).fit(X, y)
    assert 0 < ensemble.indices_.size <= 8
    np.testing.assert_array_equal(ensemble.indices_, ensemble.selector_.indices_)
    assert len(ensemble.explain()) == 8
    assert ensemble.n_pairs_read_ <= ensemble.n_pairs_needed_
    # every row four times, once in each fold: each part has the measures of three copies
    rows, fold = np.tile(np.arange(60), 4), np.repeat(np.arange(4), 60)
    same = InnerEnsemble(selector_of(name, 8), folds=fold).fit(X[rows], y[rows])
    alone = selector_of(name, 8).fit(X[rows[:180]], y[rows[:180]])
    assert same.indices_.tolist() == alone.indices_.tolist()
    np.testing.assert_allclose(same.scores_, alone.scores_, rtol=1e-9, atol=1e-12)


# ---------------------------------------- threads


@every
@pytest.mark.parametrize("ensemble", [FastEnsemble, InnerEnsemble])
@pytest.mark.parametrize("kind", ["planes", "codes"])
def test_threads_do_not_matter(name, ensemble, kind):
    X, y = table(kind, 5, 70, 30)
    one = ensemble(selector_of(name, 30), n_parts=7).fit(X, y)
    for n_jobs in (2, 4):
        other = ensemble(selector_of(name, 30), n_parts=7, n_jobs=n_jobs).fit(X, y)
        np.testing.assert_array_equal(one.indices_, other.indices_)
        np.testing.assert_array_equal(one.scores_, other.scores_)
        np.testing.assert_array_equal(one.relevance_, other.relevance_)
        assert one.n_pairs_read_ == other.n_pairs_read_
        if ensemble is FastEnsemble:
            for a, b in zip(one.part_selections_, other.part_selections_, strict=True):
                np.testing.assert_array_equal(a, b)
