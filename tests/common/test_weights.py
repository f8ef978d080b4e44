"""What every estimator that takes weights must pass: a weight is how often its row is there."""

import inspect

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from families import ESTIMATORS
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.feature_selection import SelectFromModel, SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_sample_weight_equivalence_on_dense_data
from sklearn.utils.validation import has_fit_parameter

from ensfs import (
    ACE,
    CFS,
    FCBF,
    IAMB,
    JMI,
    MRMR,
    FastEnsemble,
    ForestImportance,
    ForwardSelection,
    G2Test,
    HybridCausalSelector,
    InnerEnsemble,
    InputDecimation,
    ITDecomposition,
    L1Path,
    PermutationTest,
    RankEnsemble,
    RowBlocks,
    SelectorCV,
    StabilitySelector,
)
from ensfs.causal._base import CausalSelector
from ensfs.decomposition._base import BaseDecomposition
from ensfs.selection._base import BaseSelector

#: Selectors and decompositions that take weights.
WEIGHTED = [
    c
    for c in ESTIMATORS
    if has_fit_parameter(c, "sample_weight") and issubclass(c, BaseSelector | BaseDecomposition)
]
#: Those that draw rows: weights act as repeated rows on average only.
DRAWING = {ACE, ForestImportance, RankEnsemble}
#: Those that cut rows into folds, which repeated rows would change.
FOLDING = {FastEnsemble, InnerEnsemble, StabilitySelector, SelectorCV}
#: What has no rows to weigh, or none that can be weighed.
REFUSING = {
    "PCASubspace", "RandomClusterEnsemble", "RandomPartitionDecomposition",
    "RandomSubspaceDecomposition",
}  # fmt: skip

quiet = pytest.mark.filterwarnings(
    "ignore:Only .* of", "ignore:.*had too few rows", "ignore:.* selected no column",
    "ignore:.* selected columns of relevance 0", "ignore:The causal selector kept nothing",
    "ignore:Class .* has one row", "ignore:No features were selected",
    "ignore:.*subsets were found", "ignore:y has two classes",
    "ignore:ACE needs at least 30 rows", "ignore:No threshold bounds the expected number",
)  # fmt: skip
ids = {"ids": lambda c: c.__name__}


def test_who_takes_weights():
    without = {
        c.__name__
        for c in ESTIMATORS
        if issubclass(c, BaseSelector | BaseDecomposition) and c not in WEIGHTED
    }
    assert without == REFUSING
    for c in WEIGHTED:
        parameters = list(inspect.signature(c.fit).parameters)
        assert parameters[-1] == "sample_weight"


def table(seed, n=60, p=6):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    X = np.round(rng.normal(size=(n, p)) + np.outer(y, rng.normal(size=p)), 1)
    X[:, 1] = rng.integers(0, 3, n)
    X[:, 2] = np.where(rng.random(n) < 0.7, y, X[:, 1])
    return X, y


def instance(c):
    estimator = c()
    parameters = estimator.get_params(deep=False)
    wanted = {
        "n_features_to_select": 3, "n_subsets": 2, "n_parts": 4, "n_pairs": 8, "random_state": 0,
        "n_estimators": 20, "n_halves": 0,
    }  # fmt: skip
    if "selector" in parameters:
        wanted = {"selector": MRMR(3), "n_parts": 4, "n_pairs": 8, "sizes": [2, 3], "n_folds": 8}
    if c is ACE:
        wanted = {"random_state": 0, "n_estimators": 20, "n_replicates": 6, "max_iter": 1}
    if issubclass(c, CausalSelector):
        wanted = {"test": estimator._test_of_classes(samples_per_df=1), "alpha": 0.3}
    if c is HybridCausalSelector:
        wanted = {"causal": IAMB(0.3, test=G2Test(samples_per_df=1))}
    if c is RankEnsemble:
        wanted["estimators"] = [("forward", ForwardSelection()), ("l1", L1Path())]
    return estimator.set_params(**{k: v for k, v in wanted.items() if k in parameters})


def with_folds(estimator, fold):
    """An estimator that cuts rows into these folds."""
    if isinstance(estimator, StabilitySelector | FastEnsemble | InnerEnsemble):
        return estimator.set_params(folds=fold)
    return estimator


def learned(fitted):
    """Everything that was learned: numbers, and columns."""
    for name in sorted(vars(fitted)):
        value = getattr(fitted, name)
        if name in ("indices_", "ranking_", "support_", "markov_blanket_", "removed_by_"):
            yield name, np.asarray(value)
        elif name in ("scores_", "relevance_", "pvalues_", "entry_pvalues_", "redundancy_"):
            yield name, np.asarray(value, dtype=float)
        elif name in ("subsets_", "part_selections_"):
            yield name, np.concatenate([[len(each), *each] for each in value])


def assert_same(a, b):
    found, wanted = dict(learned(a)), dict(learned(b))
    assert found.keys() == wanted.keys()
    assert found
    for name, value in found.items():
        if value.dtype.kind == "f":
            np.testing.assert_allclose(value, wanted[name], rtol=1e-8, atol=1e-9, err_msg=name)
        else:
            np.testing.assert_array_equal(value, wanted[name], err_msg=name)


EXACT = [c for c in WEIGHTED if c not in DRAWING | {SelectorCV}]


@quiet
@pytest.mark.parametrize("largest", [3, 40])
@pytest.mark.parametrize("c", EXACT, **ids)
def test_whole_weights_are_repeated_rows(c, largest):
    for seed in range(2):
        X, y = table(seed)
        w = np.random.default_rng(seed).integers(0, largest + 1, len(y))
        fold = np.arange(len(y)) % 8
        fast = with_folds(instance(c), fold).fit(X, y, sample_weight=w)
        repeated = [np.repeat(each, w, axis=0) for each in (X, y, fold)]
        assert_same(fast, with_folds(instance(c), repeated[2]).fit(*repeated[:2]))


@quiet
@pytest.mark.parametrize("c", WEIGHTED, **ids)
def test_weight_zero_is_an_absent_row(c):
    X, y = table(5)
    w = np.random.default_rng(5).exponential(size=len(y)) + 0.5
    w[::5] = 0
    kept = np.nonzero(w)[0]
    y[::5] = 7  # a class that does not exist
    fold = np.arange(len(y)) % 8
    fast = with_folds(instance(c), fold).fit(X, y, sample_weight=w)
    slow = with_folds(instance(c), fold[kept]).fit(X[kept], y[kept], sample_weight=w[kept])
    assert_same(fast, slow)


def repeats_rows(estimator, X, y, seed, names=()):
    """Whether whole weights give what repeated rows give, and the attributes named are equal."""
    w = np.random.default_rng(seed).integers(0, 4, len(y))
    fold = np.arange(len(y)) % 8
    fast = with_folds(clone(estimator), fold).fit(X, y, sample_weight=w)
    X, y, fold = (np.repeat(each, w, axis=0) for each in (X, y, fold))
    slow = with_folds(clone(estimator), fold).fit(X, y)
    assert_same(fast, slow)
    for name in names:
        found, wanted = np.asarray(getattr(fast, name)), np.asarray(getattr(slow, name))
        np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-12)


def takes(c, *names):
    return set(names) <= set(c().get_params(deep=False))


@quiet
@pytest.mark.parametrize("c", [c for c in EXACT if takes(c, "target_bins")], **ids)
def test_whole_weights_cut_numeric_targets(c):
    X, y = table(11)
    numbers = y + np.random.default_rng(11).normal(size=len(y))
    repeats_rows(instance(c).set_params(target_bins=4), X, numbers, 11)


def test_weighted_cuts_of_the_target():
    X, y = table(12)
    numbers = y + np.random.default_rng(12).normal(size=len(y))
    repeats_rows(JMI(2, target_bins=5), X, numbers, 12, ["target_cut_points_"])


@quiet
@pytest.mark.parametrize("combine", ["mean", "max", "joint"])
@pytest.mark.parametrize("c", [c for c in EXACT if takes(c, "multi_output")], **ids)
def test_several_weighted_outputs(c, combine):
    X, y = table(13)
    both = np.column_stack([y, (y + X[:, 1]) % 2]).astype(int)
    repeats_rows(instance(c).set_params(multi_output=combine), X, both, 13)
    w = np.random.default_rng(0).integers(0, 3, len(y))
    sparse = scipy.sparse.csr_array(np.eye(3, dtype=int)[y])
    labels = instance(c).set_params(multi_output=combine).fit(X, sparse, sample_weight=w)
    assert_same(labels, clone(labels).fit(X, sparse.toarray(), sample_weight=w))


@quiet
@pytest.mark.parametrize("c", [c for c in EXACT if takes(c, "feature_groups")], **ids)
def test_weighted_groups(c):
    X, y = table(14)
    if takes(c, "n_features_to_select"):
        repeats_rows(instance(c).set_params(feature_groups=[[1, 2], [0, 4]]), X, y, 14)
    codes = X[:, 1:3].astype(int)
    codes = np.column_stack([codes, codes[:, ::-1] == 1, X[:, 4] > 0]).astype(int)
    repeats_rows(instance(c).set_params(feature_groups=[[1, 2], [0, 4]]), codes, y, 14)


@quiet
@pytest.mark.parametrize("c", [c for c in EXACT if takes(c, "include", "exclude")], **ids)
def test_weights_with_kept_and_excluded_columns(c):
    X, y = table(15)
    repeats_rows(instance(c).set_params(include=[3], exclude=[0]), X, y, 15)


@quiet
@pytest.mark.parametrize(
    "selector",
    [
        MRMR(4), MRMR(4, missing="available"), MRMR("auto"), JMI(4), JMI(4, missing="available"),
        FCBF(missing="distribute"), IAMB(0.3, test=G2Test(samples_per_df=1)),
        FastEnsemble(MRMR(4), n_parts=4), ITDecomposition(2),
    ],
    ids=lambda s: repr(s)[:40],
)  # fmt: skip
def test_weights_with_missing_cells(selector):
    X, y = table(16, n=120, p=8)
    X[np.random.default_rng(16).random(X.shape) < 0.15] = np.nan
    repeats_rows(selector, X, y, 17)


SPARSE = [c for c in WEIGHTED if get_tags(c()).input_tags.sparse]


@quiet
@pytest.mark.parametrize("c", [c for c in SPARSE if c not in DRAWING], **ids)
def test_sparse_tables(c):
    """Weights mean the same for a sparse table, whether its rows are repeated or not."""
    X, y = table(7)
    X[np.random.default_rng(7).random(X.shape) < 0.5] = 0
    w = np.random.default_rng(8).integers(0, 4, len(y))
    dense = instance(c).fit(X, y, sample_weight=w)
    for make in (scipy.sparse.csr_array, scipy.sparse.csc_matrix, scipy.sparse.coo_array):
        assert_same(instance(c).fit(make(X), y, sample_weight=w), dense)
    for weight in (0.7 * w, w * 1000):
        dense = instance(c).fit(X, y, sample_weight=weight)
        sparse = instance(c).fit(scipy.sparse.csr_array(X), y, sample_weight=weight)
        assert_same(sparse, dense)


@quiet
@pytest.mark.parametrize("c", WEIGHTED, **ids)
def test_weights_of_one_are_no_weights(c):
    X, y = table(1)
    for ones in (np.ones(len(y)), [1] * len(y), pd.Series(np.ones(len(y)))):
        assert_same(instance(c).fit(X, y, sample_weight=ones), instance(c).fit(X, y))


@quiet
@pytest.mark.parametrize("c", WEIGHTED, **ids)
def test_weights_matter(c):
    """A column that explains the heavy rows comes first, one that explains the light ones last."""
    rng = np.random.default_rng(0)
    n = 400
    y = rng.integers(0, 3, n)
    heavy = np.arange(n) < n // 2
    X = rng.integers(0, 3, (n, 4)).astype(float)
    X[heavy, 1], X[~heavy, 2] = y[heavy], y[~heavy]
    X += rng.normal(scale=0.1, size=X.shape)
    fitted = instance(c)
    for name, w in ((1, np.where(heavy, 1.7, 0.2)), (2, np.where(heavy, 0.2, 1.7))):
        fitted = clone(fitted).fit(X, y, sample_weight=w)
        relevance = getattr(fitted, "relevance_", getattr(fitted, "scores_", None))
        if relevance.ndim > 1:
            relevance = relevance.mean(axis=1)
        assert int(np.nanargmax(relevance)) == name or name in np.atleast_1d(fitted.indices_)[:1]


@quiet
@pytest.mark.parametrize("c", WEIGHTED, **ids)
def test_threads_do_not_matter(c):
    X, y = table(2, n=90)
    w = np.random.default_rng(2).exponential(size=len(y))
    one, four = (instance(c).set_params(n_jobs=n).fit(X, y, sample_weight=w) for n in (1, 4))
    for (name, a), (_, b) in zip(learned(one), learned(four), strict=True):
        np.testing.assert_array_equal(a, b, err_msg=name)


BLOCKED = [MRMR(3, relevance="f_test"), MRMR(3, relevance="mutual_information"), JMI(3), FCBF(),
           CFS(), ForwardSelection(3), FastEnsemble(MRMR(3), n_parts=4),
           FastEnsemble(JMI(3), n_parts=4), InnerEnsemble(MRMR(3), n_parts=4),
           MRMR("auto"), JMI("auto")]  # fmt: skip


@quiet
@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("selector", BLOCKED, ids=lambda s: repr(s)[:40])
def test_blocks(selector, whole):
    """Blocks with weights give what the table gives, to the last bit."""
    rng = np.random.default_rng(3)
    n = 100
    y = rng.integers(0, 3, n)
    X = rng.integers(0, 3, (n, 6))
    X[:, 4] = np.where(rng.random(n) < 0.6, y, X[:, 4])
    inner = selector.get_params().get("selector", selector)
    if isinstance(inner, ForwardSelection) or getattr(inner, "relevance", "") == "f_test":
        X = X + np.round(rng.normal(size=X.shape), 2)
    w = rng.integers(0, 4, n).astype(float)
    w = w if whole else w * rng.exponential(size=n)
    w[60:80] = 0  # a block without rows
    memory = clone(selector).fit(X, y, sample_weight=w)
    cuts = [(0, 35), (35, 60), (60, 80), (80, 100)]
    blocks = RowBlocks([(X[a:b], y[a:b], w[a:b]) for a, b in cuts])
    from_blocks = clone(selector).fit(blocks)
    for (name, a), (_, b) in zip(learned(memory), learned(from_blocks), strict=True):
        np.testing.assert_array_equal(a, b, err_msg=name)


def test_bad_blocks():
    X, y = table(0)
    w = np.ones(len(y))
    with pytest.raises(ValueError, match="Some blocks have weights and some have none"):
        MRMR(2).fit(RowBlocks([(X, y, w), (X, y)]))
    with pytest.raises(ValueError, match="Block 1: sample_weight has the shape"):
        MRMR(2).fit(RowBlocks([(X, y, w), (X, y, w[:3])]))
    with pytest.raises(ValueError, match="sample_weight must be None for row blocks"):
        MRMR(2).fit(RowBlocks([(X, y)]), sample_weight=w)
    with pytest.raises(ValueError, match="There are no blocks"):
        MRMR(2).fit(RowBlocks([(X, y, 0 * w)]))

    class Changing:
        readings = 0

        def __call__(self):
            self.readings += 1
            return iter([(X, y, w + self.readings)])

    with pytest.raises(ValueError, match="The weights of block 0 are not what they were before"):
        MRMR(2).fit(RowBlocks(Changing()))


@pytest.mark.parametrize("c", WEIGHTED, **ids)
@pytest.mark.parametrize(
    ("weight", "words"),
    [
        ([-1.0] * 60, "finite numbers of at least 0"),
        ([np.nan] * 60, "finite numbers of at least 0"),
        (np.zeros(60), "must not be zero for all rows"),
        (np.ones(59), "one weight for each of the 60 rows"),
        (np.full(60, 2.0**50), r"less than 2\*\*53"),
        (np.full(60, 1e-300), "sample_weight must add up to at least 1e-100"),
    ],
)
def test_bad_weights(c, weight, words):
    X, y = table(0)
    with pytest.raises(ValueError, match=words):
        instance(c).fit(X, y, sample_weight=weight)


@quiet
@pytest.mark.parametrize("n_heavy", [1, 30])
@pytest.mark.parametrize("c", [c for c in WEIGHTED if c is not SelectorCV], **ids)
def test_some_rows_have_all_the_weight_but_for_rounding(c, n_heavy):
    X, y = table(0)
    w = np.where(np.arange(len(y)) < n_heavy, 1e14, 1e-6)
    relevance = getattr(instance(c).fit(X, y, sample_weight=w), "relevance_", np.zeros(1))
    assert np.isfinite(relevance).all()


# ---------------------------------------- scikit-learn


@quiet
@pytest.mark.parametrize("c", [c for c in EXACT if c not in FOLDING], **ids)
def test_equivalence_check_of_scikit_learn(c):
    estimator = instance(c)
    if "n_features_to_select" in estimator.get_params(deep=False):
        estimator.set_params(n_features_to_select=2)
    if c is InputDecimation:
        estimator.set_params(binary="allow")
    if hasattr(estimator, "transform"):
        check_sample_weight_equivalence_on_dense_data(c.__name__, estimator)


@quiet
def test_pipelines_and_searches_route_weights():
    X, y = table(4, n=90)
    w = np.random.default_rng(4).integers(0, 4, len(y)).astype(float)
    with config_context(enable_metadata_routing=True):
        model = LogisticRegression(max_iter=2000).set_fit_request(sample_weight=True)
        model.set_score_request(sample_weight=True)
        for selector in (
            MRMR(2),
            FastEnsemble(JMI(2), n_parts=3),
            IAMB(0.3),
            SelectorCV(MRMR(2), cv=2),
        ):
            pipeline = make_pipeline(selector.set_fit_request(sample_weight=True), model)
            pipeline.fit(X, y, sample_weight=w)
            alone = clone(selector).fit(X, y, sample_weight=w)
            np.testing.assert_array_equal(pipeline[0].get_support(), alone.get_support())
        search = GridSearchCV(
            Pipeline([("select", MRMR().set_fit_request(sample_weight=True)), ("model", model)]),
            {"select__n_features_to_select": [1, 3]}, cv=3,
            scoring=make_scorer(accuracy_score).set_score_request(sample_weight=True),
        )  # fmt: skip
        search.fit(X, y, sample_weight=w)
        assert search.best_estimator_[0].get_support().sum() in (1, 3)


@quiet
def test_selections_inside_others_route_weights():
    """Each of the selector, the estimator and the scorer gets weights where it requests them."""
    X, y = table(4, n=90)
    w = np.random.default_rng(9).integers(1, 4, len(y)).astype(float)
    foreign = SelectFromModel(DecisionTreeClassifier(random_state=0), max_features=2, threshold=0.0)
    cv = [(np.arange(0, 60), np.arange(60, 90)), (np.arange(30, 90), np.arange(30))]
    alone = SelectorCV(MRMR(2), LogisticRegression(max_iter=2000), sizes=[1, 2], cv=cv)
    wanted = {
        weights: clone(alone).fit(X, y, sample_weight=w if weights else None).cv_results_
        for weights in (True, False)
    }
    with config_context(enable_metadata_routing=True):
        for weights in (True, False):
            model = LogisticRegression(max_iter=2000).set_fit_request(sample_weight=weights)
            model.set_score_request(sample_weight=weights)
            selector = MRMR(2).set_fit_request(sample_weight=weights)
            search = clone(alone).set_params(selector=selector, estimator=model)
            if weights:
                search.fit(X, y, sample_weight=w)
                pipeline = make_pipeline(clone(search), clone(model)).fit(X, y, sample_weight=w)
                for found in (search, pipeline[0]):
                    for name, values in wanted[True].items():
                        np.testing.assert_array_equal(found.cv_results_[name], values)
            else:
                with pytest.raises(TypeError, match="unexpected"):
                    search.fit(X, y, sample_weight=w)
        mixed = clone(alone).set_params(
            selector=MRMR(2).set_fit_request(sample_weight=False),
            estimator=LogisticRegression(max_iter=2000)
            .set_fit_request(sample_weight=False)
            .set_score_request(sample_weight=True),
        )
        scores = mixed.fit(X, y, sample_weight=w).cv_results_["mean_test_score"]
        assert (scores != wanted[True]["mean_test_score"]).any()
        assert (scores != wanted[False]["mean_test_score"]).any()
        with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
            clone(alone).fit(X, y, sample_weight=w)
        groups = np.arange(len(y)) // 9
        grouped = clone(alone).set_params(cv=GroupKFold(3)).fit(X, y, groups=groups)
    plain = clone(alone).set_params(cv=GroupKFold(3)).fit(X, y, groups=groups)
    np.testing.assert_array_equal(
        grouped.cv_results_["mean_test_score"], plain.cv_results_["mean_test_score"]
    )
    stable = StabilitySelector(foreign, n_pairs=5)
    alone = clone(stable).fit(X, y, sample_weight=w).selection_frequency_
    with config_context(enable_metadata_routing=True):
        tree = DecisionTreeClassifier(random_state=0).set_fit_request(sample_weight=True)
        routed = clone(stable).set_params(selector__estimator=tree)
        pipeline = make_pipeline(routed, LogisticRegression().set_fit_request(sample_weight=False))
        found = pipeline.fit(X, y, sample_weight=w)[0].selection_frequency_
    np.testing.assert_array_equal(found, alone)


@quiet
def test_members_get_weights():
    X, y = table(6, n=90)
    w = np.random.default_rng(6).integers(0, 4, len(y)).astype(float)
    kept = np.nonzero(w)[0]
    tree = SelectFromModel(DecisionTreeClassifier(random_state=0), max_features=2, threshold=-1.0)
    cv = KFold(3)
    for selector in (MRMR(), tree):
        found = SelectorCV(selector, DecisionTreeClassifier(random_state=0), sizes=[1, 2], cv=cv)
        found.fit(X, y, sample_weight=w)
        train, test = next(cv.split(X[kept]))
        inner = clone(found.selector_).set_params(
            **{"n_features_to_select" if selector is not tree else "max_features": 1}
        )
        inner.fit(X[kept][train], y[kept][train], sample_weight=w[kept][train])
        columns = np.flatnonzero(inner.get_support())
        model = DecisionTreeClassifier(random_state=0)
        model.fit(X[kept][train][:, columns], y[kept][train], sample_weight=w[kept][train])
        score = model.score(X[kept][test][:, columns], y[kept][test], w[kept][test])
        assert found.cv_results_["split0_test_score"][0] == pytest.approx(score)
    # the default model is a pipeline
    SelectorCV(MRMR(), sizes=[1, 2], cv=3).fit(X, y, sample_weight=w)


@quiet
@pytest.mark.parametrize(
    "estimator",
    [
        StabilitySelector(SelectKBest(k=2), n_pairs=2, n_folds=8),
        SelectorCV(SelectKBest(k=2), LinearSVC(), sizes=[1]),
        HybridCausalSelector(SelectKBest(k=2)),
        RankEnsemble([("best", SelectKBest(k=2))], n_features_to_select=2),
    ],
    ids=lambda e: type(e).__name__,
)
def test_members_that_take_no_weights(estimator):
    X, y = table(0)
    with pytest.raises(ValueError, match="must be None for SelectKBest, whose fit does not take"):
        estimator.fit(X, y, sample_weight=np.arange(len(y)))


@quiet
def test_permutations_want_equal_weights():
    X, y = table(0)
    X = X.astype(int)
    selector = IAMB(test=PermutationTest(9), discrete_features=True)
    with pytest.raises(ValueError, match="must be the same for all rows for a PermutationTest"):
        selector.fit(X, y, sample_weight=np.arange(len(y)))
    assert_same(
        clone(selector).fit(X, y, sample_weight=np.full(len(y), 2.0)), clone(selector).fit(X, y)
    )


def test_a_function_for_relevance_sees_no_weights():
    X, y = table(0)
    selector = InputDecimation(2, relevance=lambda X, y: np.ones(X.shape[1]))
    with pytest.raises(ValueError, match="must be None if relevance is a function"):
        selector.fit(X, y, sample_weight=np.arange(len(y)))


@quiet
def test_foreign_discretizers_get_weights():
    from sklearn.preprocessing import KBinsDiscretizer, OrdinalEncoder

    X, y = table(0)
    w = np.random.default_rng(0).integers(1, 4, len(y))
    bins = KBinsDiscretizer(3, encode="ordinal", quantile_method="averaged_inverted_cdf")
    X = X + np.random.default_rng(1).normal(size=X.shape)
    found = JMI(2, discretizer=bins).fit(X, y, sample_weight=w)
    codes = clone(bins).fit(X, sample_weight=w).transform(X).astype(int)
    wanted = JMI(2, discrete_features=True).fit(codes, y, sample_weight=w)
    assert_same(found, wanted)
    with pytest.raises(ValueError, match="must be None for OrdinalEncoder, whose fit"):
        JMI(2, discretizer=OrdinalEncoder()).fit(X, y, sample_weight=w)


@quiet
def test_numeric_targets_are_cut_by_weight():
    X, _ = table(0)
    y = np.random.default_rng(0).normal(size=len(X)) + X[:, 0]
    w = np.random.default_rng(1).integers(0, 5, len(y))
    for selector in (JMI(2), FCBF(), ITDecomposition(2)):
        fast = clone(selector).fit(X, y, sample_weight=w)
        assert_same(fast, clone(selector).fit(np.repeat(X, w, axis=0), np.repeat(y, w)))
