import numpy as np
import pytest
from greedy_twins import CRITERIA
from sklearn.datasets import load_diabetes, load_wine
from sklearn.feature_selection import RFE, SelectKBest, VarianceThreshold
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from ensfs import (
    CFS,
    CMIM,
    FCBF,
    MIM,
    MRMR,
    FastEnsemble,
    InnerEnsemble,
    RandomClusterEnsemble,
)
from ensfs.evaluation import nogueira_stability
from ensfs.plotting import AccuracyDisplay, StabilityDisplay
from ensfs.selection.size_curves import resolve_sizes, selections_by_size


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True, as_frame=True)


RANKINGS = [MRMR(), MRMR(scheme="MID"), *(make() for make in CRITERIA.values()), FCBF()]
ENSEMBLES = [
    FastEnsemble(MRMR(), n_parts=4),
    FastEnsemble(MRMR(), n_parts=4, combine="average_rank"),
    FastEnsemble(FCBF(), n_parts=4),
    FastEnsemble(FCBF(), n_parts=4, combine="average_rank"),
    InnerEnsemble(CMIM(), n_parts=4),
]
AGAIN = [
    CFS(),
    FastEnsemble(CFS(), n_parts=3),
    SelectKBest(),
    RFE(DecisionTreeClassifier(random_state=0)),
]


@pytest.mark.parametrize("selector", [*RANKINGS, *ENSEMBLES, *AGAIN], ids=str)
def test_selections_of_every_size_equal_separate_fits(selector, wine):
    X, y = wine
    sizes = np.array([1, 3, 4, 7])
    name = "k" if isinstance(selector, SelectKBest) else "n_features_to_select"
    for k, columns in zip(sizes, selections_by_size(selector, X, y, sizes), strict=True):
        alone = selector.set_params(**{name: int(k)}).fit(X, y)
        np.testing.assert_array_equal(np.sort(columns), np.flatnonzero(alone.get_support()))
        if hasattr(alone, "indices_"):
            np.testing.assert_array_equal(columns, alone.indices_)


def test_greedy_selectors_are_fitted_once(wine, monkeypatch):
    fits = []
    fit = MRMR.fit
    monkeypatch.setattr(MRMR, "fit", lambda self, *data: fits.append(1) or fit(self, *data))
    selections_by_size(MRMR(), *wine, np.arange(1, 9))
    assert len(fits) == 1


class TestSizes:
    def test_up_to_what_the_selector_is_set_to(self):
        assert resolve_sizes(MRMR(6), None, 100).tolist() == [1, 2, 3, 4, 5, 6]
        assert resolve_sizes(MRMR(0.05), None, 100).tolist() == [1, 2, 3, 4, 5]
        assert resolve_sizes(MRMR(10), None, 3).tolist() == [1, 2, 3]
        many = resolve_sizes(MRMR(500), None, 1000)
        assert many[0] == 1
        assert many[-1] == 500
        assert many.size <= 12
        assert resolve_sizes(FCBF(), None, 1000)[-1] == 20
        assert resolve_sizes(SelectKBest(k="all"), None, 15)[-1] == 15

    def test_as_given(self):
        assert resolve_sizes(MRMR(), 3, 10).tolist() == [1, 2, 3]
        assert resolve_sizes(MRMR(), [5, 2, 2], 10).tolist() == [2, 5]
        assert resolve_sizes(MRMR(), range(2, 5), 10).tolist() == [2, 3, 4]

    @pytest.mark.parametrize("sizes", [0, 11, [0, 2], [3, 11], [1.5], [], ["a"], -1])
    def test_impossible_ones(self, sizes):
        with pytest.raises(ValueError, match="n_features must"):
            resolve_sizes(MRMR(), sizes, 10)

    def test_selectors_without_a_number(self, wine):
        with pytest.raises(ValueError, match="no parameter for the number of columns"):
            AccuracyDisplay.from_estimator(VarianceThreshold(), *wine)


class TestStability:
    def test_is_that_of_separate_selections(self, wine):
        X, y = wine
        shown = StabilityDisplay.from_estimator(
            MRMR(5), X, y, n_features=[2, 5], n_resamples=4, subsample=0.3, random_state=7
        )
        rng = np.random.RandomState(7)
        rows = [np.sort(rng.permutation(178)[:53]) for _ in range(4)]
        for k, stability in zip([2, 5], shown.stability, strict=True):
            sets = [MRMR(k).fit(X.iloc[each], y.iloc[each]).indices_ for each in rows]
            assert stability == nogueira_stability(sets, n_features=13)
        np.testing.assert_array_equal(
            shown.line_.get_ydata(), [each.stability for each in shown.stability]
        )

    def test_seeds_and_threads(self, wine):
        one, two, other = (
            StabilityDisplay.from_estimator(
                MRMR(3), *wine, n_resamples=3, random_state=seed, n_jobs=jobs
            ).stability
            for seed, jobs in ((0, 1), (0, 2), (1, 1))
        )
        assert one == two
        assert one != other

    def test_of_the_parts_of_an_ensemble(self, wine):
        ensemble = FastEnsemble(MRMR(5), n_parts=6).fit(*wine)
        shown = StabilityDisplay.from_ensemble(ensemble)
        assert shown.n_features.tolist() == [1, 2, 3, 4, 5]
        for k, stability in zip(shown.n_features, shown.stability, strict=True):
            smaller = FastEnsemble(MRMR(int(k)), n_parts=6).fit(*wine)
            assert stability == nogueira_stability(smaller.part_selections_, n_features=13)
        with pytest.raises(ValueError, match="selections of CFS do not contain"):
            StabilityDisplay.from_ensemble(FastEnsemble(CFS(), n_parts=3).fit(*wine))

    def test_all_columns_have_no_stability(self, wine):
        shown = StabilityDisplay.from_estimator(MRMR(13), *wine, n_features=[12, 13], n_resamples=2)
        assert shown.stability[0] is not None
        assert shown.stability[1] is None

    def test_curves_on_the_same_axes_differ_without_colour(self, wine):
        first = StabilityDisplay.from_estimator(MRMR(2), *wine, n_resamples=2, name="one")
        second = StabilityDisplay.from_estimator(
            MIM(2), *wine, n_resamples=2, name="two", ax=first.ax_
        )
        assert first.line_.get_marker() != second.line_.get_marker()
        assert first.line_.get_linestyle() != second.line_.get_linestyle()
        assert first.line_.get_color() != second.line_.get_color()
        legend = [text.get_text() for text in first.ax_.get_legend().get_texts()]
        assert legend == ["one", "two"]

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"subsample": 1.0}, "subsample"),
            ({"subsample": "a"}, "subsample"),
            ({"n_resamples": 1}, "n_resamples"),
            ({"n_resamples": 2.5}, "n_resamples"),
        ],
    )
    def test_impossible_samples(self, options, message, wine):
        with pytest.raises(ValueError, match=message):
            StabilityDisplay.from_estimator(MRMR(2), *wine, **options)

    def test_an_ensemble_of_the_default_selector(self, wine):
        shown = StabilityDisplay.from_estimator(FastEnsemble(n_parts=3), *wine, n_resamples=2)
        assert shown.n_features[-1] == 10


@pytest.mark.parametrize("display", [StabilityDisplay, AccuracyDisplay])
@pytest.mark.parametrize("length", [100, 178 + 9])
def test_targets_of_another_length_are_refused(display, length, wine):
    X, y = wine
    with pytest.raises(ValueError, match=rf"inconsistent numbers of samples: \[178, {length}\]"):
        display.from_estimator(MRMR(2), X, np.resize(y, length))


def test_targets_that_are_not_there(wine):
    X, _ = wine
    unsupervised = RandomClusterEnsemble(
        n_estimators=10, max_features=6, n_features_to_select=2, random_state=0
    )
    shown = StabilityDisplay.from_estimator(unsupervised, X, n_resamples=2, random_state=0)
    assert shown.n_features.tolist() == [1, 2]
    with pytest.raises(ValueError, match="MRMR requires y to be passed"):
        StabilityDisplay.from_estimator(MRMR(2), X)
    with pytest.raises(ValueError, match="needs a target to predict"):
        AccuracyDisplay.from_estimator(unsupervised, X, None)


class TestAccuracy:
    def test_selects_inside_the_folds(self, wine):
        X, y = wine
        folds = KFold(3, shuffle=True, random_state=0)
        shown = AccuracyDisplay.from_estimator(
            MRMR(4), X, y, estimator=GaussianNB(), n_features=[1, 4], cv=folds
        )
        for k, scores in zip([1, 4], shown.scores, strict=True):
            model = make_pipeline(MRMR(k), GaussianNB())
            np.testing.assert_array_equal(scores, cross_val_score(model, X, y, cv=folds))
        np.testing.assert_array_equal(
            shown.all_columns, cross_val_score(GaussianNB(), X, y, cv=folds)
        )
        np.testing.assert_allclose(shown.line_.get_ydata(), shown.scores.mean(axis=1))

    def test_noise_looks_like_noise(self):
        """Selecting before the cross-validation would find something in these columns."""
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(60, 2000)), np.tile([0, 1], 30)
        shown = AccuracyDisplay.from_estimator(MRMR(10), X, y, n_features=[10], baseline=False)
        assert shown.all_columns is None
        assert abs(shown.scores.mean() - 0.5) < 0.2

    def test_numeric_targets_and_scores(self):
        X, y = load_diabetes(return_X_y=True)
        shown = AccuracyDisplay.from_estimator(MRMR(2), X, y, cv=2)
        assert shown.ax_.get_ylabel() == "cross-validated R²"
        shown = AccuracyDisplay.from_estimator(
            MRMR(2), X, y, cv=2, scoring="neg_mean_absolute_error", estimator=Ridge()
        )
        assert shown.ax_.get_ylabel() == "cross-validated neg mean absolute error"
        assert (shown.scores < 0).all()

    @pytest.mark.parametrize("kind", ["pandas", "polars"])
    def test_the_default_model_takes_text(self, kind, wine):
        X, y = wine
        table = X.assign(kind=np.where(X["alcohol"] > 13, "strong", "weak"))
        if kind == "polars":
            table = pytest.importorskip("polars").DataFrame(table.to_dict("list"))
        shown = AccuracyDisplay.from_estimator(MRMR(14), table, y, n_features=[3, 14], cv=3)
        assert shown.scores[1].mean() > 0.9

    def test_a_fold_in_which_nothing_is_selected(self):
        noise = np.random.default_rng(0).normal(size=(60, 4))
        shown = AccuracyDisplay.from_estimator(FCBF(), noise, np.tile([0, 1], 30), n_features=[2])
        assert np.isnan(shown.scores).all()

    def test_threads_do_not_matter(self, wine):
        one, two = (
            AccuracyDisplay.from_estimator(
                MRMR(3), *wine, estimator=GaussianNB(), n_jobs=jobs
            ).scores
            for jobs in (1, 2)
        )
        np.testing.assert_array_equal(one, two)
