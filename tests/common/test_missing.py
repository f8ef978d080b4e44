"""Missing cells: what each way gives, that it is the same for all tables, and what is refused."""

import math
import warnings
from itertools import pairwise as neighbours

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import ensfs
from ensfs import (
    ACE,
    CFS,
    CMIM,
    DISR,
    FCBF,
    HITONPC,
    IAMB,
    JMI,
    JMIM,
    MIM,
    MMPC,
    MRMR,
    DecompositionClassifier,
    EqualFrequencyDiscretizer,
    FastEnsemble,
    FisherZTest,
    ForestImportance,
    ForwardSelection,
    G2Test,
    GrowShrink,
    HybridCausalSelector,
    InnerEnsemble,
    InputDecimation,
    InterIAMB,
    ITDecomposition,
    IteratedFCBFDecomposition,
    L1Path,
    PCSelector,
    PermutationTest,
    RandomClusterEnsemble,
    RandomSubspaceDecomposition,
    RowBlocks,
    StabilitySelector,
    TPDASelector,
)
from ensfs.independence import TableToTest
from ensfs.measures import (
    conditional_mutual_information,
    entropy,
    f_test,
    g_square,
    mutual_information,
    pairwise,
    pearson,
    symmetrical_uncertainty,
)
from ensfs.statistics import Resampling
from ensfs.statistics.corrected import CorrectedSource
from ensfs.statistics.observed_counts import spread

NAN = math.nan


def numbers(text):
    return np.array([NAN if cell == "." else float(cell) for cell in text.split()])


def words(text):
    return np.array([None if cell == "." else cell for cell in text.split()], dtype=object)


#: The table of the specification.
Y = np.array([0] * 6 + [1] * 6)
ABC = np.column_stack(
    [
        numbers("1 2 . 4 2 3 6 . 5 7 8 6"),
        numbers("2 1 3 . 5 4 4 6 . 8 7 9"),
        numbers("5 3 4 4 . 6 5 2 3 . 4 5"),
    ]
)
Z = numbers("3.1 2.0 4.5 1.2 5.0 2.2 7.5 6.1 8.8 9.4 5.9 7.0")
DE = np.column_stack([words("r r s . r s s . t t . t"), words("u u v u v v . v u v v .")])


def approx(values):
    return pytest.approx(np.asarray(values), rel=1e-9, abs=1e-9)


# ---------------------------------------------------------------------- the worked numbers

F = {
    "mean": [19.53125, 9.7620335316, 0.6172839506],
    "corrected": [19.53125, 9.7620335316, 0.6172839506],
    "available": [30.7692307692, 11.6451612903, 0.6],
}
PAIRS = {
    "mean": [0.7396870911, -0.0462777125, 0.0185523890],
    "corrected": [0.9246088639, -0.0578471407, 0.0231904863],
    "available": [0.7757975234, -0.0651404749, 0.0417028828],
}
WITH_Z = {
    "mean": [0.6787299144, 0.6190226209, -0.1808004235],
    "corrected": [0.6787299144, 0.6190226209, -0.1808004235],
    "available": [0.6842424435, 0.7736628028, -0.2068811238],
}
FOLDS = {
    "mean": [9.5238095238, 11.3139013453, 17.0659898477],
    "available": [18, 14.2857142857, 28.6507936508],
}
SELECTED = {
    "mean": ([0, 2, 1], [19.53125, 13.3386876088, 25.7492092875]),
    "corrected": ([0, 2, 1], [19.53125, 10.6709500871, 20.5993674300]),
    "available": ([0, 1, 2], [30.7692307692, 15.0105677560, 11.2313954338]),
}


@pytest.mark.parametrize("missing", F)
def test_worked_numbers_of_continuous_columns(missing):
    assert f_test(ABC, Y, missing=missing) == approx(F[missing])
    assert pairwise(ABC, missing=missing)[[0, 0, 1], [1, 2, 2]] == approx(PAIRS[missing])
    assert pearson(ABC, Z, missing=missing) == approx(WITH_Z[missing])
    if missing in FOLDS:
        assert f_test(ABC, Y, folds=3, missing=missing)[0] == approx(FOLDS[missing])
    selector = MRMR(3, scheme="FCQ", missing=missing).fit(ABC, Y)
    assert selector.indices_.tolist() == SELECTED[missing][0]
    assert selector.scores_[selector.indices_] == approx(SELECTED[missing][1])
    assert selector.n_missing_.tolist() == [2, 2, 2]


def test_auto_corrects_correlations():
    assert MRMR(3).fit(ABC, Y).scores_ == approx(MRMR(3, missing="corrected").fit(ABC, Y).scores_)
    assert pairwise(ABC) == approx(pairwise(ABC, missing="corrected"))


def test_worked_numbers_of_counts():
    level = {"missing": "level"}
    assert mutual_information(DE, Y, **level) == approx([0.5408520830, 0.2295739585])
    assert symmetrical_uncertainty(DE, Y) == approx([0.3605680553, 0.1867101665])
    both = pairwise(DE, "symmetrical_uncertainty")
    assert both[0, 1] == both[1, 0] == approx(0.2163454268)
    assert conditional_mutual_information(DE[:, 1:], Y, DE[:, 0]) == approx([0.4591479170])
    given_d, alone = g_square(DE[:, 1:], Y, DE[:, 0]), g_square(DE[:, :1], Y)
    assert [each[0] for each in given_d] == approx([7.6381700195, 8, 0.4695881587])
    assert [each[0] for each in alone] == approx([8.9973623139, 3, 0.0293259766])

    available = {"missing": "available"}
    assert mutual_information(DE, Y, **available) == approx([0.6849774485, 0.0464393447])
    assert symmetrical_uncertainty(DE, Y, **available) == approx([0.5318068285, 0.0478287412])
    both = pairwise(DE, "symmetrical_uncertainty", **available)
    assert both[0, 1] == both[1, 0] == approx(0.2407335593)
    assert conditional_mutual_information(DE[:, 1:], Y, DE[:, 0], **available) == approx([0.0])
    given_d, alone = g_square(DE[:, 1:], Y, DE[:, 0], **available), g_square(DE, Y, **available)
    assert [each[0] for each in given_d] == approx([0, 3, 1])
    assert [each[0] for each in alone] == approx([8.5462233690, 2, 0.0139383439])

    spread_out = {"missing": "distribute"}
    assert symmetrical_uncertainty(DE, Y, **spread_out) == approx([0.2466294891, 0.0307518057])
    both = pairwise(DE, "symmetrical_uncertainty", **spread_out)
    assert both[0, 1] == both[1, 0] == approx(0.0674332159)


def test_the_table_after_distribution():
    counts = np.array([[2, 1, 0], [0, 2, 1], [1, 1, 1], [1, 2, 0]], dtype=float)  # r, s, t, missing
    expected = [[7 / 3, 5 / 3], [11 / 15, 49 / 15], [26 / 15, 34 / 15]]
    assert spread(counts, True, True) == approx(expected)


@pytest.mark.parametrize("selector", [FCBF, CFS])
def test_selectors_by_uncertainty_take_every_way(selector):
    for missing, relevance in {
        "auto": [0.3605680553, 0.1867101665],
        "available": [0.5318068285, 0.0478287412],
        "distribute": [0.2466294891, 0.0307518057],
    }.items():
        assert selector(missing=missing).fit(DE, Y).relevance_ == approx(relevance)


def chain(seed, n=300):
    """A chain y - b0 - b1 whose middle is often missing."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    b0 = y ^ (rng.random(n) < 0.1)
    b1 = b0 ^ (rng.random(n) < 0.1)
    X = np.column_stack([b0, b1]).astype(float)
    X[rng.random(n) < 0.45, 0] = NAN
    return X, y


@pytest.mark.parametrize("blanket", [IAMB, InterIAMB, GrowShrink, MMPC])
def test_a_level_of_missing_cells_does_not_separate(blanket):
    X, y = chain(0)
    assert blanket().fit(X, y).indices_.tolist() == [0]
    assert sorted(blanket(missing="level").fit(X, y).indices_) == [0, 1]


# ---------------------------------------------------------------------- definitions

tables = st.integers(0, 2**32 - 1).map(np.random.default_rng)


def with_gaps(rng, X, share=0.3):
    X = X.astype(object if X.dtype.kind in "UO" else float)
    X[rng.random(X.shape) < share * rng.random(X.shape[1])] = None if X.dtype == object else NAN
    return X


def draw_codes(rng, n=40, p=4):
    codes = rng.integers(0, rng.integers(1, 5, p), (n, p)).astype(str)
    return with_gaps(rng, codes), rng.integers(0, rng.integers(1, 4), n)


def weights_of(rng, n):
    return rng.integers(1, 4, n) if rng.random() < 0.5 else np.ones(n, dtype=int)


def present(X):
    return np.array([[cell is not None for cell in row] for row in X])


@pytest.mark.parametrize("test", ["g2", "mi", "permutation", "fisherz"])
@pytest.mark.parametrize("selector", [MMPC, HITONPC, PCSelector, TPDASelector])
def test_without_a_complete_row_nothing_is_decided(selector, test):
    """Two columns that no row has both of are given together: they are no reason to go."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 600)
    X = (y[:, None] ^ (rng.random((600, 3)) < 0.2)).astype(float)
    X[:300, 0] = X[300:, 1] = np.nan
    fitted = selector(test=test, alpha=0.05, discrete_features=test != "fisherz").fit(X, y)
    assert set(fitted.indices_) == {0, 1, 2}
    found = g_square(X, y, X[:, :2], missing="available")
    assert found.statistic.tolist() == [0, 0, 0]
    assert found.pvalue.tolist() == [1, 1, 1]


@settings(max_examples=25, deadline=None)
@given(tables)
def test_available_counts_are_those_of_the_complete_rows(rng):
    X, y = draw_codes(rng)
    weight = weights_of(rng, len(y))
    seen = present(X)
    options = {"sample_weight": weight, "missing": "available"}
    for measure in (mutual_information, symmetrical_uncertainty):
        found = measure(X, y, **options)
        for j, value in enumerate(found):
            rows = seen[:, j]
            alone = (
                measure(X[rows][:, [j]], y[rows], sample_weight=weight[rows])[0]
                if rows.any()
                else 0
            )
            assert value == approx(alone)
    found = entropy(X, **options)
    for j, value in enumerate(found):
        rows = seen[:, j]
        assert value == approx(
            entropy(X[rows][:, [j]], sample_weight=weight[rows])[0] if rows.any() else 0
        )
    found = conditional_mutual_information(X[:, 2:], y, X[:, :2], **options)
    tests = g_square(X[:, 2:], y, X[:, :2], df="adjusted", **options)
    for j in range(2):
        rows = seen[:, [0, 1, 2 + j]].all(axis=1)
        if not rows.any():
            assert found[j] == tests.statistic[j] == 0
            continue
        complete = X[rows][:, [2 + j]], y[rows], X[rows][:, :2]
        given = {"sample_weight": weight[rows]}
        assert found[j] == approx(conditional_mutual_information(*complete, **given)[0])
        expected = g_square(*complete, df="adjusted", **given)
        assert [each[j] for each in tests] == approx([each[0] for each in expected])


@settings(max_examples=25, deadline=None)
@given(tables)
def test_numbers_by_their_definitions(rng):
    X = with_gaps(
        rng, rng.normal(size=(30, 4)) * 10.0 ** rng.integers(-3, 4) + rng.integers(-50, 50)
    )
    y, z, weight = rng.integers(0, 3, 30), rng.normal(size=30), weights_of(rng, 30)
    rows = np.repeat(np.arange(30), weight)  # a weight is how often a row is there
    options = {"sample_weight": weight}
    means = np.nan_to_num(
        np.nanmean(np.vstack([X[rows], np.where(np.isnan(X[rows]).all(0), 0, NAN)]), axis=0)
    )
    filled = np.where(np.isnan(X), means, X)
    assert f_test(X, y, missing="mean", **options) == approx(f_test(filled, y, **options))
    assert pearson(X, z, **options) == approx(pearson(filled, z, **options))
    mean = pairwise(filled, **options)
    assert pairwise(X, missing="mean", **options) == approx(mean)
    seen = ~np.isnan(X[rows])
    n, both = seen.sum(axis=0), seen.astype(int).T @ seen
    with np.errstate(divide="ignore", invalid="ignore"):
        expected = np.where(both < 3, 0.0, np.clip(mean * np.sqrt(np.outer(n, n)) / both, -1, 1))
    assert pairwise(X, missing="corrected", **options) == approx(expected)
    available = pairwise(X, missing="available", **options)
    for f, g in ((0, 1), (2, 3), (1, 2)):
        common = ~np.isnan(X[:, [f, g]]).any(axis=1)
        r = 0.0
        if weight[common].sum() >= 3:
            r = pairwise(X[common][:, [f, g]], sample_weight=weight[common])[0, 1]
        assert available[f, g] == approx(r)
    for j, value in enumerate(f_test(X, y, missing="available", **options)):
        here = ~np.isnan(X[:, j])
        alone = f_test(X[here][:, [j]], y[here], sample_weight=weight[here])[0] if here.any() else 0
        assert value == approx(alone)
    for j, value in enumerate(pearson(X, z, missing="available", **options)):
        here = ~np.isnan(X[:, j])
        few = weight[here].sum() < 3
        assert value == approx(
            0.0 if few else pearson(X[here][:, [j]], z[here], sample_weight=weight[here])[0]
        )


def test_correlations_of_fewer_than_three_rows_are_0():
    X = np.array([[1, NAN], [2, 4.0], [3, NAN], [NAN, 2], [5, 9]])
    for missing in ("corrected", "available"):
        assert pairwise(X, missing=missing)[0, 1] == 0.0
    assert pearson(X, np.arange(5.0), missing="available")[1] != 0.0
    X[3, 1] = NAN
    assert pearson(X, np.arange(5.0), missing="available")[1] == 0.0
    assert f_test(X, [0, 0, 1, 1, 1], missing="available")[1] == 0.0  # no row is left


@pytest.mark.parametrize("kind", ["g2", "fisherz"])
def test_tests_of_independence_see_the_complete_rows(kind):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(80, 4))
    X[:, 1] += X[:, 0]
    y = X[:, 1] + rng.normal(size=80)
    if kind == "g2":
        X, y = (X > 0).astype(float), (y > 0).astype(int)
    X[rng.random(X.shape) < 0.2] = NAN
    test = G2Test(samples_per_df=1) if kind == "g2" else FisherZTest()
    selector = IAMB(test=test)

    def tester(X, y):
        data = selector._read(X, y, 1, **selector.read_options())
        target = data.target(test.target_kind)
        parts = Resampling.all_rows(data.n_rows)
        return test.make_tester(TableToTest(data, target, parts, 0.05, missing="auto")).part(0)

    whole = tester(X, y)
    for x, node, given_ in ((0, 4, ()), (0, 4, (1,)), (2, 1, (0, 3)), (3, 4, (0, 1))):
        nodes = [j for j in (x, node, *given_) if j < 4]
        rows = ~np.isnan(X[:, nodes]).any(axis=1)
        alone = tester(np.nan_to_num(X[rows]), y[rows]).pair(x, node, given_)
        found = whole.pair(x, node, given_)
        assert found.pvalue == approx(alone.pvalue)
        assert found.statistic == approx(alone.statistic)
        assert bool(found.reliable) == bool(alone.reliable)


def test_permutation_tests_permute_the_complete_rows():
    X, y = chain(1, 120)
    selector = IAMB(test=PermutationTest(n_permutations=99)).fit(X, y)
    assert 0 in selector.indices_
    rows = ~np.isnan(X[:, 0])
    alone = IAMB(test=PermutationTest(n_permutations=99)).fit(X[rows][:, :1], y[rows])
    assert selector.relevance_[0] == approx(alone.relevance_[0])


# ---------------------------------------------------------------------- selectors

CAUSAL = [IAMB, InterIAMB, GrowShrink, MMPC, PCSelector, TPDASelector]
COUNTING = [
    FCBF(), CFS(), CMIM(3), JMI(3), JMIM(3), DISR(3), MIM(3), MRMR(3, scheme="MIQ"),
    *(each(test=G2Test(samples_per_df=0), max_conditioning=1, missing="level") for each in CAUSAL),
]  # fmt: skip
CONTINUOUS = [
    MRMR(3, scheme="FCQ"), MRMR(3, scheme="FCD"), MRMR(3, relevance="pearson"),
    MRMR(3, scheme="discount"), ForwardSelection(3),
]  # fmt: skip


def name_of(selector):
    return type(selector).__name__


def with_parameter(selector, **parameters):
    return clone(selector).set_params(**parameters)


def coded_table(seed=0, n=90, p=6):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    X = np.where(rng.random((n, p)) < 0.5, y[:, None], rng.integers(0, 3, (n, p))).astype(str)
    return with_gaps(rng, X.astype(object), 0.5), y


def continuous_table(seed=0, n=90, p=6):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    return with_gaps(rng, rng.normal(size=(n, p)) + y[:, None] * rng.random(p), 0.5), y


@pytest.mark.parametrize("selector", COUNTING, ids=name_of)
def test_a_missing_cell_is_a_level_like_text(selector):
    X, y = coded_table()
    text = np.where(present(X), X, "none").astype(object)
    a, b = with_parameter(selector).fit(X, y), with_parameter(selector).fit(text, y)
    assert a.indices_.tolist() == b.indices_.tolist()
    np.testing.assert_array_equal(a.scores_, b.scores_)


@pytest.mark.parametrize("selector", [*CONTINUOUS, L1Path(3)], ids=name_of)
def test_the_mean_is_what_an_imputer_gives(selector):
    X, y = continuous_table()
    a = with_parameter(selector, missing="mean").fit(X, y)
    b = with_parameter(selector).fit(SimpleImputer().fit_transform(X), y)
    assert a.indices_.tolist() == b.indices_.tolist()
    assert a.scores_ == pytest.approx(b.scores_, rel=1e-9, nan_ok=True)


WAYS = [
    *((selector, missing) for selector in COUNTING[:8] for missing in ("level", "available")),
    *((selector, "distribute") for selector in COUNTING[:2]),
    *((selector, missing) for selector in CONTINUOUS for missing in F),
    *((each(test=G2Test(samples_per_df=0), max_conditioning=1), "available") for each in CAUSAL),
]  # fmt: skip


def table_for(selector):
    return continuous_table() if any(selector is each for each in CONTINUOUS) else coded_table()


def equal(a, b):
    assert a.indices_.tolist() == b.indices_.tolist()
    np.testing.assert_array_equal(a.relevance_, b.relevance_)
    np.testing.assert_array_equal(a.scores_, b.scores_)


@pytest.mark.parametrize(("selector", "missing"), WAYS)
def test_order_threads_and_blocks_make_no_difference(selector, missing):
    X, y = table_for(selector)
    fitted = with_parameter(selector, missing=missing).fit(X, y)
    equal(fitted, with_parameter(selector, missing=missing, n_jobs=3).fit(X, y))
    order = np.random.default_rng(1).permutation(len(y))
    shuffled = with_parameter(selector, missing=missing).fit(X[order], y[order])
    assert fitted.indices_.tolist() == shuffled.indices_.tolist()
    turned = with_parameter(selector, missing=missing).fit(X[:, ::-1], y)
    assert sorted(fitted.indices_) == sorted(X.shape[1] - 1 - turned.indices_)
    if not isinstance(selector, tuple(CAUSAL)):
        edges = [0, 1, 40, 41, len(y)]
        blocks = RowBlocks([(X[a:b], y[a:b]) for a, b in neighbours(edges)])
        equal(fitted, with_parameter(selector, missing=missing).fit(blocks))


@pytest.mark.parametrize(("selector", "missing"), WAYS)
def test_parts_are_exact_on_their_rows(selector, missing):
    """Means and codes come from all rows; everything else from those of the part."""
    if isinstance(selector, MRMR) and missing in ("mean", "corrected"):
        pytest.skip("filled by the means of all rows; see below")
    if isinstance(selector, ForwardSelection):
        pytest.skip("as MRMR")
    X, y = table_for(selector)
    ensemble = FastEnsemble(with_parameter(selector, missing=missing), n_parts=3).fit(X, y)
    for t, part in enumerate(ensemble.part_selections_):
        rows = np.arange(len(y)) % 3 != t
        alone = with_parameter(selector, missing=missing).fit(X[rows], y[rows])
        assert part.tolist() == alone.indices_.tolist()


def test_parts_share_the_means_of_all_rows():
    X, y = continuous_table()
    filled = SimpleImputer().fit_transform(X)
    a = FastEnsemble(MRMR(3, missing="mean"), n_parts=3).fit(X, y)
    b = FastEnsemble(MRMR(3), n_parts=3).fit(filled, y)
    np.testing.assert_array_equal(a.part_selections_, b.part_selections_)
    assert a.relevance_ == pytest.approx(b.relevance_)
    assert a.n_missing_.tolist() == np.isnan(X).sum(axis=0).tolist()


@pytest.mark.parametrize("ensemble", [InnerEnsemble, StabilitySelector])
def test_ensembles_of_parts_take_what_their_selector_takes(ensemble):
    X, y = continuous_table()
    fitted = ensemble(MRMR(3)).fit(X, y)
    assert fitted.n_missing_.tolist() == np.isnan(X).sum(axis=0).tolist()
    assert fitted.__sklearn_tags__().input_tags.allow_nan
    refusing = ensemble(MRMR(3, missing="error"))
    assert not refusing.__sklearn_tags__().input_tags.allow_nan
    with pytest.raises(ValueError, match="contains NaN"):
        refusing.fit(X, y)


# ---------------------------------------------------------------------- tables of all kinds


def frames():
    data = {
        "whole": [1, None, 3, 1, 2, 3, None, 1, 2, 3, 1, 2],
        "flag": [True, False, None, True, False, True, True, None, False, True, False, False],
        "text": ["a", None, "b", "a", "b", "", "a", "b", "a", None, "b", "a"],
        "real": [0.5, 1.5, None, 2.5, 0.1, 0.2, 3.0, 4.0, None, 5.0, 6.5, 7.0],
    }
    plain = pd.DataFrame(
        {
            "whole": pd.array(data["whole"], dtype="Int64"),
            "flag": pd.array(data["flag"], dtype="boolean"),
            "text": pd.Series(data["text"], dtype=object),
            "real": data["real"],
        }
    )
    as_objects = pd.DataFrame({name: pd.Series(each, dtype=object) for name, each in data.items()})
    categories = plain.assign(text=plain["text"].astype("category"))
    arrow = pa.table(data)
    return {
        "nullable": plain, "objects": as_objects, "categories": categories,
        "polars": pl.DataFrame(data, strict=False), "arrow": arrow,
    }  # fmt: skip


@pytest.mark.parametrize("kind", ["objects", "categories", "polars", "arrow"])
@pytest.mark.parametrize("selector", [MIM(4), FCBF(), MRMR(4), IAMB()], ids=name_of)
def test_the_same_from_every_kind_of_table(kind, selector):
    expected = with_parameter(selector).fit(frames()["nullable"], Y)
    found = with_parameter(selector).fit(frames()[kind], Y)
    equal(expected, found)
    assert found.n_missing_.tolist() == [2, 2, 2, 2]


def test_a_null_among_the_levels_of_arrow():
    place = np.arange(60) % 3
    levels = pa.DictionaryArray.from_arrays(pa.array(place, pa.int8()), pa.array(["x", None, "y"]))
    text = np.array(["x", None, "y"], dtype=object)[place]
    y = (place > 0).astype(int)
    found = JMI(1).fit(pa.table({"a": levels}), y)
    equal(found, JMI(1).fit(pd.DataFrame({"a": text}), y))
    assert found.n_missing_.tolist() == [20]


def test_kinds_are_decided_on_what_is_there():
    fitted = MIM(4).fit(frames()["nullable"], Y)
    assert list(fitted.cut_points_) == [3]  # whole numbers and booleans with gaps are not cut
    X = np.column_stack([[0, 1, NAN, 1] * 3, np.where(np.arange(12) % 4 == 0, NAN, np.arange(12))])
    assert list(MIM(2).fit(X, Y).cut_points_) == [1]


def test_masked_cells_are_missing():
    masked = np.ma.masked_array(np.nan_to_num(ABC), mask=np.isnan(ABC))
    equal(MRMR(3).fit(masked, Y), MRMR(3).fit(ABC, Y))
    whole = np.ma.masked_array(
        np.arange(24).reshape(12, 2) % 3, mask=np.arange(24).reshape(12, 2) % 5 == 0
    )
    assert MIM(2).fit(whole, Y).n_missing_.sum() == 5
    assert not MIM(2).fit(whole, Y).cut_points_


def test_large_integers_with_gaps_are_refused():
    X = pd.DataFrame({"id": pd.array([2**60, None, 2**60 + 1] * 4, dtype="Int64")})
    with pytest.raises(ValueError, match=r"column 'id' has missing values, and integers beyond"):
        MIM(1).fit(X, Y)


def test_infinities_and_missing_targets_stay_errors():
    X = ABC.copy()
    X[0, 0] = np.inf
    for selector in (MRMR(2), MIM(2), MRMR(2, missing="available")):
        with pytest.raises(ValueError, match="column 0 has 1 infinite"):
            selector.fit(X, Y)
        with pytest.raises(ValueError, match="Input y contains NaN"):
            selector.fit(ABC, np.where(Y == 0, NAN, 1.0))


# ---------------------------------------------------------------------- what is learned and said


@pytest.mark.filterwarnings("ignore:.* tests had too few rows")
def test_a_column_that_is_missing_in_all_rows():
    X = pd.DataFrame(ABC, columns=["a", "b", "c"]).assign(none=NAN, nothing=None)
    for selector in (MRMR(2), MIM(2), FCBF(), MRMR(2, missing="available"), IAMB(), JMI(2)):
        with pytest.warns(
            UserWarning, match="Missing in all rows: column 'none', column 'nothing'"
        ) as seen:
            selector.fit(X, Y)
        assert sum("Missing in all rows" in str(each.message) for each in seen) == 1
        assert selector.relevance_[3:].tolist() == [0.0, 0.0]
        assert not selector.support_[3:].any()
        assert selector.n_missing_.tolist() == [2, 2, 2, 12, 12]
        row = selector.explain("none")
        assert row["missing"][0] == 1.0
        assert row["reason"][0] == "all missing"


@pytest.mark.filterwarnings("ignore:Missing in all rows", "ignore:.*had too few rows")
@pytest.mark.parametrize("test", ["auto", "mi", "permutation", "fisherz"])
@pytest.mark.parametrize("selector", [*CAUSAL, HITONPC])
def test_a_column_that_is_missing_in_all_rows_is_independent(selector, test):
    """No test has a row with it, and none is needed."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    X = np.column_stack([np.full(200, NAN), y ^ (rng.random(200) < 0.1), rng.integers(0, 2, 200)])
    fitted = selector(test=test, discrete_features=test != "fisherz").fit(X, y)
    assert fitted.indices_.tolist() == [1]
    X[:, 0] = 1.0
    constant = selector(test=test, discrete_features=test != "fisherz").fit(X, y)
    assert constant.indices_.tolist() == [1]


def test_explain_tells_the_share_of_missing_cells():
    table = MRMR(3).fit(ABC, Y).explain()
    assert table["missing"] == pytest.approx([1 / 6] * 3)
    complete = MRMR(3).fit(np.nan_to_num(ABC), Y)
    assert "missing" not in complete.explain().columns
    assert complete.n_missing_.tolist() == [0, 0, 0]


@pytest.mark.parametrize("X", [ABC, pd.DataFrame(ABC), pl.DataFrame(ABC)])
def test_transform_hands_missing_cells_through(X):
    selector = MRMR(2).fit(X, Y)
    np.testing.assert_array_equal(selector.transform(X), ABC[:, np.sort(selector.indices_)])


@pytest.mark.parametrize(
    ("fit", "message"),
    [
        (lambda: MRMR(2, scheme="FCQ", missing="level").fit(ABC, Y), "'level' has no meaning"),
        (lambda: MRMR(2, missing="distribute").fit(ABC, Y), "'distribute' has no meaning for F"),
        (lambda: MIM(2, missing="mean").fit(DE, Y), "'mean' has no meaning for measures"),
        (lambda: JMI(2, missing="corrected").fit(DE, Y), "'corrected' has no meaning"),
        (lambda: JMI(2, missing="distribute").fit(DE, Y), "'distribute' has no meaning"),
        (lambda: FCBF(missing="mean").fit(DE, Y), "'mean' has no meaning for symmetrical"),
        (lambda: IAMB(missing="mean").fit(DE, Y), "'mean' has no meaning for tests that count"),
        (lambda: IAMB(test="fisherz", missing="level").fit(ABC, Z), "no meaning for Fisher's z"),
        (lambda: f_test(ABC, Y, missing="level"), "no meaning for F"),
        (lambda: pearson(ABC, Z, missing="distribute"), "no meaning for F"),
        (lambda: mutual_information(DE, Y, missing="distribute"), "no meaning for measures"),
        (lambda: mutual_information(DE, Y, missing="mean"), "no meaning for measures"),
        (lambda: pairwise(ABC, missing="level"), "no meaning for F"),
        (lambda: MRMR(2, missing="error").fit(ABC, Y), "contains NaN: column 0 has 2 missing"),
        (lambda: MIM(2, missing="error").fit(DE, Y), "contains NaN: column 0 has 3 missing"),
        (lambda: mutual_information(DE, Y, missing="error"), "contains NaN: column 0 has 3"),
        (lambda: f_test(ABC, Y, missing="error"), "contains NaN: column 0 has 2"),
        (lambda: MRMR(2, missing="category").fit(ABC, Y), "'missing' parameter"),
        (lambda: RandomClusterEnsemble().fit(ABC, Y), "contains NaN"),
    ],
)  # fmt: skip
def test_what_has_no_meaning_is_an_error(fit, message):
    with pytest.raises(ValueError, match=message):
        fit()


@pytest.mark.parametrize("selector", [*COUNTING, *CONTINUOUS, IAMB()], ids=name_of)
def test_tags(selector):
    assert selector.__sklearn_tags__().input_tags.allow_nan
    refusing = with_parameter(selector, missing="error")
    assert not refusing.__sklearn_tags__().input_tags.allow_nan


# ---------------------------------------------------------------------- what is built of selectors


def test_hybrid_deletes_in_its_causal_step():
    X, y = chain(0)
    assert HybridCausalSelector().fit(X, y).indices_.tolist() == [0]


@pytest.mark.parametrize(
    "decomposition", [ITDecomposition(2), IteratedFCBFDecomposition(2), InputDecimation(2)]
)
def test_decompositions_and_their_classifiers(decomposition):
    X, y = continuous_table(n=120)
    fitted = with_parameter(decomposition).fit(X, y)
    assert fitted.n_missing_.tolist() == np.isnan(X).sum(axis=0).tolist()
    if not isinstance(decomposition, InputDecimation):
        model = DecompositionClassifier(
            DecisionTreeClassifier(random_state=0), with_parameter(decomposition)
        )
        assert model.__sklearn_tags__().input_tags.allow_nan
        assert model.fit(X, y).score(X, y) > 0.8


@pytest.mark.parametrize(
    "decomposition", [ITDecomposition(2), RandomSubspaceDecomposition(2, 3, random_state=0)]
)
@pytest.mark.parametrize("first", ["imputer", "encoder", "columns", "side by side"])
def test_text_with_gaps_reaches_members_that_fill_it(decomposition, first):
    """A pipeline takes what its first step takes; gaps are NaN in every library."""
    X, y = table_of_every_kind()
    imputer = SimpleImputer(strategy="most_frequent")
    encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    steps = {
        "imputer": [imputer, encoder],
        "encoder": [OneHotEncoder(handle_unknown="ignore")],
        "columns": [make_column_transformer((imputer, [0, 1]), remainder="drop"), encoder],
        "side by side": [make_union(encoder, imputer), encoder],
    }[first]
    model = DecompositionClassifier(
        make_pipeline(*steps, DecisionTreeClassifier(random_state=0)), decomposition, random_state=0
    )
    tags = model.__sklearn_tags__().input_tags
    assert tags.allow_nan
    found = []
    for frame in (X, pl.from_pandas(X), pa.Table.from_pandas(X)):
        fitted = clone(model).fit(frame, y)
        assert fitted.score(frame, y) > 0.6
        found.append(
            (fitted.predict_proba(frame), [each.tolist() for each in fitted.estimators_features_])
        )
    for proba, subsets in found[1:]:
        np.testing.assert_array_equal(proba, found[0][0])
        assert subsets == found[0][1]
    numbers = DecompositionClassifier(
        make_pipeline(StandardScaler(), DecisionTreeClassifier()), decomposition
    )
    assert numbers.__sklearn_tags__().input_tags.allow_nan  # a scaler leaves gaps as they are
    refused = DecompositionClassifier(
        make_pipeline(PCA(1), DecisionTreeClassifier()), decomposition
    )
    with pytest.raises(ValueError, match="NaN: column"):
        refused.fit(X, y)


def tree_table(side):
    """Rows whose first column is missing or large (small) have class 1; noise beside it."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(240, 4))
    missing = rng.random(240) < 0.3
    y = (missing | (side * X[:, 0] > 0.4)).astype(int)
    X[missing, 0] = NAN
    X[rng.random(240) < 0.2, 3] = NAN
    return X, y


@pytest.mark.parametrize("side", [-1, 1])
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_trees_send_missing_cells_to_the_better_side(side, task):
    X, y = tree_table(side)
    options = {"task": task, "n_estimators": 30, "max_depth": 1, "max_features": 1.0}
    fitted = ForestImportance(1, random_state=0, **options).fit(X, y)
    assert fitted.indices_.tolist() == [0]
    # one split of the column with its gaps explains nearly all, whichever side they belong to
    assert fitted.feature_importances_[0] > 0.9
    assert fitted.n_missing_.tolist() == np.isnan(X).sum(axis=0).tolist()


def test_trees_split_missing_cells_from_the_rest():
    X, y = tree_table(1)
    y = np.isnan(X[:, 0]).astype(int)
    fitted = ForestImportance(1, n_estimators=30, max_depth=1, random_state=0).fit(X, y)
    assert fitted.indices_.tolist() == [0]
    ace = ACE(n_estimators=25, n_replicates=8, max_iter=1, random_state=0).fit(X, y)
    assert ace.indices_.tolist() == [0]
    text = np.where(np.isnan(X), None, np.where(X > 0, "a", "b")).astype(object)
    assert ForestImportance(1, n_estimators=30, random_state=0).fit(text, y).indices_.tolist() == [
        0
    ]


@pytest.mark.parametrize("selector", [ACE(), ForestImportance(2)], ids=name_of)
def test_trees_know_no_other_way(selector):
    X, y = tree_table(1)
    for missing in ("level", "mean", "corrected", "available", "distribute"):
        with pytest.raises(ValueError, match="has no meaning for trees"):
            with_parameter(selector, missing=missing).fit(X, y)
    with pytest.raises(ValueError, match="column 0 has"):
        with_parameter(selector, missing="error").fit(X, y)


@pytest.mark.parametrize(("selector", "missing"), WAYS)
def test_whole_weights_are_repeated_rows(selector, missing):
    X, y = table_for(selector)
    weight = np.random.default_rng(2).integers(0, 4, len(y))
    a = with_parameter(selector, missing=missing).fit(X, y, sample_weight=weight)
    rows = np.repeat(np.arange(len(y)), weight)
    b = with_parameter(selector, missing=missing).fit(X[rows], y[rows])
    assert a.indices_.tolist() == b.indices_.tolist()
    assert a.relevance_ == approx(b.relevance_)


def table_of_every_kind(n=120):
    """Text, categories, booleans, whole numbers and fractions, with gaps in all of them."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)

    def gaps(values):
        series = pd.Series(values)
        series[rng.random(n) < 0.1] = None
        return series

    text = pd.Series(np.where(rng.random(n) < 0.8, y, 2).astype(str), dtype=object)
    table = {
        "text": gaps(text),
        "category": gaps(text).astype("category"),
        "flag": gaps(pd.array((y == 1) ^ (rng.random(n) < 0.3), dtype="boolean")),
        "count": gaps(pd.array(rng.poisson(2 + 2 * y), dtype="Int64")),
        "dose": gaps(y + rng.normal(size=n)),
    }
    return pd.DataFrame(table), y


@pytest.mark.parametrize("selector", [MRMR(2), FCBF(), ensfs.FastEnsemble(ensfs.JMI(2))])
def test_pages_and_comparisons_of_tables_with_gaps(selector, tmp_path):
    X, y = table_of_every_kind()
    selector.fit(X, y)
    ensfs.report(selector, X, y, tmp_path / "page.html")
    assert "text" in (tmp_path / "page.html").read_text(encoding="utf-8")
    compared = ensfs.evaluation.compare_selectors({"it": selector}, X, y, cv=3)
    assert compared.to_pandas()["accuracy"].min() > 0.7


@pytest.mark.parametrize("frame", [np.asarray, pd.DataFrame])
def test_the_size_by_prediction_names_a_bad_column(frame):
    X, y = continuous_table(n=60)
    X = np.nan_to_num(X)
    X[3, 2] = np.inf
    for estimator in (None, DecisionTreeClassifier()):
        with pytest.raises(ValueError, match=r"infinity \(inf\): column 2"):
            ensfs.SelectorCV(MRMR(), estimator).fit(frame(X), y)
    X[3, 2] = np.nan
    with pytest.raises(ValueError, match="NaN: column 2"):
        ensfs.SelectorCV(MRMR(missing="error")).fit(frame(X), y)


def test_the_size_by_prediction_of_a_table_with_gaps():
    X, y = table_of_every_kind()
    search = ensfs.SelectorCV(MRMR(), cv=3).fit(X, y)
    assert search.__sklearn_tags__().input_tags.allow_nan
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_the_size_by_prediction_of_sparse_tables_with_gaps():
    X, y = continuous_table(n=90)
    X[np.abs(X) < 0.7] = 0
    rows, columns = np.nonzero(X)
    sparse = scipy.sparse.csr_array((X[rows, columns], (rows, columns)), shape=X.shape)
    assert ensfs.SelectorCV(MRMR(), cv=3).fit(sparse, y).n_features_ > 1


def test_the_size_by_prediction_with_categories_of_other_types():
    """Intervals and bytes are categories for the default model too."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=120)
    y = (x > 0.2).astype(int)
    X = pd.DataFrame({"cut": pd.cut(x, 6), "bytes": np.where(y, b"a", b"b").astype(object)})
    X["noise"] = rng.normal(size=120)
    X.loc[::7, ["cut", "bytes"]] = None
    search = ensfs.SelectorCV(MRMR(scheme="MIQ"), cv=3).fit(X, y)
    assert search.cv_results_["mean_test_score"].max() > 0.85


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_the_size_by_prediction_of_labels_of_different_types(library):
    X, y = continuous_table(n=90)
    labels = {"text": np.array(["a", "b", "c"])[y].tolist(), "number": (y > 0).astype(int)}
    search = ensfs.SelectorCV(MRMR(), sizes=[1, 3], cv=3).fit(X, library(labels))
    assert search.n_features_ in (1, 3)


def test_columns_that_a_column_with_gaps_stands_for():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    X[:, 1] = X[:, 0] + 0.1 * rng.normal(size=200)
    X[::50, 0] = np.nan
    selector = MRMR(1).fit(X, X[:, 1] > 0)
    [also] = ensfs.evaluation.represented_columns(selector, X)
    assert {int(selector.indices_[0]), *also.tolist()} == {0, 1}
    X[3, 2] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        ensfs.evaluation.represented_columns(selector, X)


def test_groups_with_gaps_in_blocks():
    """A combination with a gap is a level, or missing as a whole; other blocks have others."""
    first = np.array(["u", None, "v", "w", None, "u"] * 8, dtype=object)
    second = np.array([1.0, NAN, 2.0, 1.0, 2.0] * 10)[:48]
    X = pd.DataFrame({"a": first, "b": second, "c": np.arange(48) % 3})
    y = np.array([first[i] == "u" for i in range(48)]).astype(int)
    blocks = RowBlocks([(X[:7], y[:7]), (X[7:20], y[7:20]), (X[20:], y[20:])])
    for missing in ("level", "available"):
        selector = JMI(2, feature_groups=[[0, 1]], discrete_features=True, missing=missing)
        whole, in_blocks = clone(selector).fit(X, y), clone(selector).fit(blocks)
        assert in_blocks.indices_.tolist() == whole.indices_.tolist()
        np.testing.assert_array_equal(in_blocks.relevance_, whole.relevance_)
        np.testing.assert_array_equal(in_blocks.scores_, whole.scores_)


@pytest.mark.parametrize("scale", [1.0, 1e-150, 1e200])
@pytest.mark.parametrize("discretizer", ["sigma", "fitted"])
def test_cuts_of_columns_with_gaps_in_blocks(scale, discretizer):
    X, y = continuous_table(n=90)
    X[:40, 1] = NAN  # missing in all rows of some blocks
    X[:, 0] *= scale
    if discretizer == "fitted":
        discretizer = EqualFrequencyDiscretizer(4).fit(X)
    for selector in (JMI(3, discretizer=discretizer), FCBF(discretizer=discretizer)):
        whole = clone(selector).set_params(discretizer=discretizer).fit(X, y)
        blocks = RowBlocks([(X[a : a + 30], y[a : a + 30]) for a in (0, 30, 60)])
        found = clone(selector).set_params(discretizer=discretizer).fit(blocks)
        assert found.indices_.tolist() == whole.indices_.tolist()
        np.testing.assert_array_equal(found.relevance_, whole.relevance_)
        for j, cuts in whole.cut_points_.items():
            assert found.cut_points_[j].tolist() == cuts.tolist()


@pytest.mark.parametrize("combine", ["mean", "max", "joint"])
@pytest.mark.parametrize("missing", ["level", "available", "distribute"])
def test_decompositions_with_several_outputs(combine, missing):
    """Columns are compared alone, whatever the source of their counts."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (80, 6)).astype(float)
    X[rng.random(X.shape) < 0.2] = NAN
    Y = np.stack([X[:, 0] > 0, X[:, 1] > 1], axis=1).astype(int)
    options = {"missing": missing, "multi_output": combine, "discrete_features": True}
    whole = IteratedFCBFDecomposition(2, **options).fit(X, Y)
    first = FCBF(correction=None, **options).fit(X, Y)
    assert whole.subsets_[0].tolist() == first.indices_.tolist()
    weighted = IteratedFCBFDecomposition(2, **options).fit(X, Y, sample_weight=np.full(80, 0.5))
    assert [each.tolist() for each in weighted.subsets_] == [
        each.tolist() for each in whole.subsets_
    ]


@settings(max_examples=40)
@given(
    seed=st.integers(0, 2**32 - 1), n=st.integers(5, 90), p=st.integers(3, 30),
    share=st.sampled_from([0.05, 0.3, 0.8]), scheme=st.sampled_from(["quotient", "difference"]),
    way=st.sampled_from(["alone", "left out", "halves"]), n_jobs=st.sampled_from([1, 4]),
    dtype=st.sampled_from([np.float64, np.float32]), numeric=st.booleans(),
)  # fmt: skip
def test_lazy_searches_correct_the_same_pairs(
    seed, n, p, share, scheme, way, n_jobs, dtype, numeric
):
    """Reading only pairs that can win selects what reading all of them does, to the bit."""
    rng = np.random.default_rng(seed)
    y = rng.normal(size=n).round(2) if numeric else np.arange(n) % 3
    X = (rng.normal(size=(n, p)) + np.outer(y, rng.normal(size=p))).astype(dtype)
    X[:, ::2] = X[:, ::2].round(1)
    X[(rng.random(X.shape) < share) & (rng.random(p) < 0.7)] = NAN
    selector = MRMR(min(p, 8), scheme=scheme, n_jobs=n_jobs)
    if way == "left out":
        selector = FastEnsemble(selector, n_parts=min(n, 9), n_jobs=n_jobs)
    elif way == "halves" and n >= 16:
        selector = StabilitySelector(selector, n_pairs=5, n_folds=8, threshold=0.6, n_jobs=n_jobs)
    found = []
    for lazy in (True, False):
        with pytest.MonkeyPatch.context() as patch:
            if not lazy:
                patch.setattr(CorrectedSource, "supports_lazy", False)
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    fitted = clone(selector).fit(X, y)
            except ValueError as error:  # a fold of a small table may miss a class
                found.append(str(error))
                continue
        parts = [each.tolist() for each in getattr(fitted, "part_selections_", [])]
        found.append((fitted.indices_.tolist(), fitted.scores_.tobytes(), parts))
    assert found[0] == found[1]


def test_lazy_searches_read_few_pairs_of_tables_with_gaps():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 100)
    X = rng.normal(size=(100, 2000))
    X[:, :20] += y[:, None]
    X[rng.random(X.shape) < 0.1] = NAN
    fitted = MRMR(20, scheme="difference").fit(X, y)
    assert fitted.n_pairs_read_ < fitted.n_pairs_needed_ / 4
