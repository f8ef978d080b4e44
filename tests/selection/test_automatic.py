"""n_features_to_select="auto": the tests, the search, parts, blocks and what is said of it."""

import numpy as np
import pytest
import twins
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import ensfs
from ensfs import CMIM, DISR, JMI, JMIM, MIM, MRMR, FastEnsemble, InnerEnsemble, RowBlocks

COUNTING = [CMIM, JMI, JMIM, DISR, MIM, ensfs.CIFE, ensfs.ICAP, ensfs.NJMIM, ensfs.LCSI]


def worked_example():
    """The generator, and the columns of section 6 of the specification."""
    state, values = 7, []
    for _ in range(640):
        state = (1103515245 * state + 12345) % 2**31
        values.append((state >> 16) % 1000)
    v = np.array(values).reshape(8, 80)
    y = v[0] % 2
    x0 = y ^ (v[1] % 5 == 0)
    X = np.stack([x0, x0 ^ (v[2] % 8 == 0), y ^ (v[3] % 10 < 3), v[4] % 3, v[5] % 2, v[6] % 4], 1)
    u0, u2 = 3 * y + v[1] % 7, 2 * y + v[3] % 5
    U = np.stack([u0, u0 + v[2] % 3, u2, v[4] % 9, v[5] % 9, v[6] % 9], 1).astype(float)
    return X, U, y, 2.0 * u0 + v[7] % 11


def test_worked_example_of_counts():
    X, _, y, _ = worked_example()
    for cls, second in ((CMIM, 0.0945853273), (JMI, 0.4284625215)):
        selector = cls("auto", correction=None).fit(X, y)
        assert selector.indices_.tolist() == [0, 2]
        assert selector.scores_[[0, 2]] == pytest.approx([0.3338771942, second], abs=1e-10)
        assert selector.entry_pvalues_ == pytest.approx(
            [1.16435e-9, 0.2232183315, 0.0052742213, 0.3307255190, 0.8550914883, 0.2672517186],
            abs=1e-10,
        )


def test_worked_example_of_numbers():
    _, U, y, z = worked_example()
    selector = MRMR("auto", relevance="f_test").fit(U, y)
    assert selector.indices_.tolist() == [1, 2]
    assert selector.scores_[[1, 2]] == pytest.approx([42.8394310213, 99.0051054490], rel=1e-10)
    assert selector.entry_pvalues_[[0, 2]] == pytest.approx([0.3931138616, 1.60220e-5], rel=1e-5)
    selector = MRMR("auto", relevance="pearson").fit(U, z)
    assert selector.indices_.tolist() == [0]
    assert selector.scores_[0] == pytest.approx(0.8409210187, abs=1e-10)
    assert selector.entry_pvalues_[1] == pytest.approx(0.6430949794, abs=1e-10)


# ---------------------------------------------------------------- the tests, by their definition


def left_of(target, *columns):
    """Sum of squares that a regression leaves."""
    design = np.stack([np.ones(target.size), *columns], axis=1)
    fitted = design @ np.linalg.lstsq(design, target, rcond=None)[0]
    return float(((target - fitted) ** 2).sum())


def p_slow(x, y, g=None):
    """p of a column with classes or numbers, by regressions with and without what is tested."""
    given = [] if g is None else [g]
    if y.dtype.kind == "f":
        with_x, without, free = left_of(y, *given, x), left_of(y, *given), 1
        rest = y.size - 2 - len(given)
    else:
        classes = [(y == c).astype(float) for c in np.unique(y)[1:]]
        with_x, without, free = left_of(x, *given, *classes), left_of(x, *given), len(classes)
        rest = y.size - 1 - free - len(given)
    return float(stats.f.sf((without - with_x) / free / (with_x / rest), free, rest))


def p_of_counts(x, y, g=None):
    """p of G² with all degrees of freedom."""
    x, y = x.tolist(), y.tolist()
    free = (len(set(x)) - 1) * (len(set(y)) - 1)
    bits = twins.information(x, y)
    if g is not None:
        g = g.tolist()
        free *= len(set(g))
        bits = twins.conditional(x, y, g)
    return float(stats.chi2.sf(2 * len(y) * np.log(2) * bits, free)) if free else 1.0


def pass_slow(X, y, p_of, score, limit):
    """The search, one column after the other."""
    p = np.array([p_of(x, y) if np.ptp(x) else 1.0 for x in X.T])
    chosen = []
    while True:
        left = [f for f in range(X.shape[1]) if f not in chosen and p[f] <= limit]
        if not left:
            return chosen, p
        scores = [score(f, chosen) for f in left]
        best = next(f for f, s in zip(left, scores, strict=True) if s >= max(scores) - 1e-9)
        chosen.append(best)
        for f in left:
            if f != best:
                p[f] = max(p[f], p_of(X[:, f], y, X[:, best]))


@st.composite
def tables(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, p = draw(st.integers(30, 80)), draw(st.integers(2, 7))
    y = rng.integers(0, draw(st.integers(2, 3)), n)
    X = rng.normal(size=(n, p)) + y[:, None] * rng.choice([0.0, 0.5, 1.5], p)
    X[:, -1] += rng.choice([0.0, 1.0]) * X[:, 0]
    return rng, X, y


@pytest.mark.filterwarnings("ignore:.*selected no column")
@given(tables(), st.booleans())
def test_numbers_against_regressions(table, numeric):
    rng, X, y = table
    target = X[:, 0] + rng.normal(size=y.size) if numeric else y
    relevance = "pearson" if numeric else "f_test"
    selector = MRMR(
        "auto", relevance=relevance, scheme="quotient", min_features_to_select=0, expected_false=0.5
    ).fit(X, target)
    r = np.abs(np.corrcoef(X.T)).reshape(X.shape[1], -1)

    def score(f, chosen):
        redundancy = np.mean(r[f, chosen]) if chosen else 1.0
        return selector.relevance_[f] / redundancy

    limit = 0.5 / X.shape[1]
    expected, p = pass_slow(X, target, p_slow, score, limit)
    assert selector.indices_.tolist() == expected
    np.testing.assert_allclose(selector.entry_pvalues_, p, rtol=1e-6, atol=1e-12)


@pytest.mark.filterwarnings("ignore:.*selected no column")
@given(tables(), st.integers(2, 4))
def test_counts_against_the_definition(table, levels):
    _, X, y = table
    codes = np.digitize(X, np.linspace(-1, 2, levels - 1)) if levels > 1 else np.zeros_like(X)
    codes = codes.astype(np.int64)
    selector = CMIM("auto", correction=None, min_features_to_select=0, expected_false=0.5)
    selector.fit(codes, y)

    def score(f, chosen):
        x, classes = codes[:, f].tolist(), y.tolist()
        given = [twins.conditional(x, classes, codes[:, g].tolist()) for g in chosen]
        return min([twins.information(x, classes), *given])

    expected, p = pass_slow(codes, y, p_of_counts, score, 0.5 / X.shape[1])
    assert selector.indices_.tolist() == expected
    np.testing.assert_allclose(selector.entry_pvalues_, p, rtol=1e-6, atol=1e-12)


# ---------------------------------------------------------------- parts and blocks


def wide_table(seed=0, n=120, p=40):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    X = rng.normal(size=(n, p))
    X[:, :6] += y[:, None] * np.linspace(0.5, 1.5, 6)
    X[:, 6:10] = X[:, :4] + 0.3 * rng.normal(size=(n, 4))
    return X, y


def selectors_and_tables():
    X, y = wide_table()
    numbers = y + np.random.default_rng(1).normal(size=y.size)
    codes = np.digitize(X, [-0.5, 0.5])
    yield "F", MRMR("auto"), X, y
    yield "discount", MRMR("auto", scheme="discount"), X, y
    yield "Pearson", MRMR("auto", relevance="pearson"), X, numbers
    yield "F of numbers", MRMR("auto", relevance="f_test"), X, numbers
    yield "MID", MRMR("auto", scheme="MID"), codes, y
    both = MRMR("auto", relevance="f_test", redundancy="mutual_information")
    yield "F and counts", both, codes, y
    for cls in COUNTING:
        yield cls.__name__, cls("auto"), codes, y


CASES = {name: rest for name, *rest in selectors_and_tables()}


@pytest.mark.parametrize("name", CASES)
def test_parts_stop_where_separate_fits_do(name):
    selector, X, y = CASES[name]
    ensemble = FastEnsemble(selector, n_parts=4).fit(X, y)
    assert isinstance(ensemble.part_selections_, list)
    for t, columns in enumerate(ensemble.part_selections_):
        rows = np.arange(len(X)) % 4 != t
        assert columns.tolist() == selector.fit(X[rows], y[rows]).indices_.tolist()
    half = np.bincount(np.concatenate(ensemble.part_selections_), minlength=X.shape[1]) >= 2
    assert sorted(ensemble.indices_.tolist()) == np.nonzero(half)[0].tolist()


@pytest.mark.parametrize("name", CASES)
def test_blocks_give_what_memory_gives(name):
    selector, X, y = CASES[name]
    if name == "F and counts":
        X = X.astype(np.int64)
    memory = selector.fit(X, y)
    expected, p = memory.indices_.tolist(), memory.entry_pvalues_
    blocks = RowBlocks([(X[:50], y[:50]), (X[50:51], y[50:51]), (X[51:], y[51:])])
    found = selector.fit(blocks)
    assert found.indices_.tolist() == expected
    np.testing.assert_allclose(found.entry_pvalues_, p, rtol=1e-9, atol=1e-300)


@pytest.mark.parametrize("offset", [1e4, 1e12])
def test_folds_that_lie_apart(offset):
    """A part that lacks the folds far away is tested as if they did not exist."""
    X, y = wide_table()
    batch = np.arange(len(X)) % 2
    far = X + offset * batch[:, None]
    ensemble = FastEnsemble(MRMR("auto"), folds=batch).fit(far, y)
    for t in (0, 1):
        alone = MRMR("auto").fit(far[batch != t], y[batch != t])
        assert ensemble.part_selections_[t].tolist() == alone.indices_.tolist()


# ---------------------------------------------------------------- what is said, and edges


def test_nothing_passes():
    X, _ = wide_table()
    y = np.random.default_rng(5).integers(0, 2, len(X))
    selector = MRMR("auto", expected_false=1e-6)
    with pytest.warns(UserWarning, match="only 0 of 40 columns pass the test at 2.5e-08"):
        selector.fit(X, y)
    assert selector.indices_.tolist() == MRMR(1).fit(X, y).indices_.tolist()
    assert selector.stop_reason_ == "0 columns pass the test; min_features_to_select reached"
    selector.set_params(min_features_to_select=0)
    with pytest.warns(UserWarning, match="selected no column"):
        selector.fit(X, y)
    assert selector.indices_.size == 0


@pytest.mark.parametrize("cls", [MRMR, *COUNTING])
def test_the_search_goes_on_to_the_least_number(cls):
    """First what passes, then by the score with all selected ones."""
    X, y = wide_table()
    X = np.digitize(X, [0.0]).astype(np.int64)
    passed = cls("auto", expected_false=1e-3).fit(X, y).indices_.tolist()
    with pytest.warns(UserWarning, match="columns pass the test"):
        more = cls("auto", expected_false=1e-3, min_features_to_select=len(passed) + 4).fit(X, y)
    assert more.indices_.tolist()[: len(passed)] == passed
    assert more.indices_.size == len(set(more.indices_.tolist())) == len(passed) + 4
    assert not np.isnan(more.scores_[more.indices_]).any()


def test_a_continued_search_scores_as_a_search_does():
    X, y = wide_table()
    first = MRMR("auto", expected_false=1e-12).fit(X, y).indices_
    plain = MRMR(8).fit(X, y)
    assert plain.indices_[: first.size].tolist() == first.tolist()
    with pytest.warns(UserWarning, match="columns pass the test"):
        more = MRMR("auto", expected_false=1e-12, min_features_to_select=8).fit(X, y)
    assert more.indices_.tolist() == plain.indices_.tolist()
    np.testing.assert_array_equal(more.scores_, plain.scores_)


def test_a_supervised_cut_pays_for_the_cuts_it_could_have_made():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(60, 300)), rng.integers(0, 2, 60)
    X[:, 0] += 2 * y
    selector = JMI("auto").fit(X, y)
    cut = next(j for j, cuts in selector.cut_points_.items() if cuts.size)
    codes = np.digitize(X[:, cut], selector.cut_points_[cut])
    expected = min(1.0, 59 * p_of_counts(codes, y))
    assert selector.entry_pvalues_[cut] == pytest.approx(expected, rel=1e-6)


@pytest.mark.filterwarnings("ignore:.*selected no column")
def test_noise_rarely_passes():
    """At most one of 200 columns that say nothing is expected to pass."""
    passed = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(150, 200)), rng.integers(0, 2, 150)
        selector = MRMR("auto", min_features_to_select=0)
        passed.append(selector.fit(X, y).indices_.size)
    assert np.mean(passed) <= 1.2


def test_explanation_and_what_is_refused():
    X, y = wide_table()
    selector = MRMR("auto").fit(X, y)
    row = selector.explain(int(selector.indices_[0]))[0]
    assert row["p-value"] == selector.entry_pvalues_[selector.indices_[0]]
    assert selector.selection_of_size(2) is None
    assert "p-value" not in MRMR(3).fit(X, y).explain()[0]
    with pytest.raises(ValueError, match="averaged measures, given numbers and forests have none"):
        InnerEnsemble(MRMR("auto")).fit(X, y)
    with pytest.raises(ValueError, match="Give a number"):
        MRMR("auto", relevance=np.ones(40)).fit(X, y)
    with pytest.raises(ValueError, match="expected_false"):
        MRMR("auto", expected_false=0.0).fit(X, y)


@pytest.mark.parametrize("cls", [CMIM, JMI])
def test_threads_of_a_search_among_candidates(cls):
    # the counts of candidates were shared before they were made, in about one of fifteen fits
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 50)
    X = rng.normal(size=(50, 6)) + y[:, None] * rng.random(6) * 2
    expected = cls("auto").fit(X, y)
    for _ in range(100):
        selector = cls("auto", n_jobs=3).fit(X, y)
        np.testing.assert_array_equal(selector.indices_, expected.indices_)
        np.testing.assert_array_equal(selector.entry_pvalues_, expected.entry_pvalues_)


def test_constant_columns_never_pass():
    X, y = wide_table()
    X[:, 3] = 1.0
    selector = MRMR("auto").fit(X, y)
    assert selector.entry_pvalues_[3] == 1.0
    assert 3 not in selector.indices_
