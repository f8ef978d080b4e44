import numpy as np
import pytest
from greedy_twins import CRITERIA
from sklearn.datasets import load_wine
from sklearn.feature_selection import f_classif

from ensfs import CFS, CMIM, FCBF, MRMR, FastEnsemble, InnerEnsemble, StabilitySelector
from ensfs.evaluation import nogueira_stability
from ensfs.plotting import RedundancyMapDisplay, SelectionFrequencyDisplay, SelectionPathDisplay


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True, as_frame=True)


def lengths(axes):
    """Lengths of the bars, from top to bottom."""
    return np.array([bar.get_width() for bar in axes.patches])


def labels(axes):
    return [text.get_text() for text in axes.get_yticklabels()]


class TestPath:
    def test_bars_are_the_values_of_the_selector(self, wine):
        selector = MRMR(5).fit(*wine)
        shown = SelectionPathDisplay.from_estimator(selector)
        steps = selector.indices_
        score, relevance, redundancy = shown.axes_
        np.testing.assert_array_equal(lengths(score), selector.scores_[steps])
        np.testing.assert_array_equal(lengths(relevance), selector.relevance_[steps])
        np.testing.assert_array_equal(lengths(redundancy)[1:], selector.redundancy_[steps][1:])
        assert [text.get_text() for text in redundancy.texts] == [" none before"]
        names = selector.feature_names_in_[steps]
        assert labels(score) == [f"{name}  {i + 1}" for i, name in enumerate(names)]
        top, bottom = score.transData.transform([(0, 0), (0, 4)])[:, 1]
        assert top > bottom  # the first step is above

    @pytest.mark.parametrize(
        ("selector", "units"),
        [
            (CMIM(4), ["score", "relevance (bits)"]),
            (FCBF(), ["relevance (uncertainty)"]),  # which is its score
            (CFS(), ["score", "relevance (uncertainty)"]),
            (InnerEnsemble(CMIM(3), n_parts=3), ["score", "relevance (bits)"]),
            (
                MRMR(3, scheme="RFCQ"),
                ["score (quotient)", "relevance (importance)", "redundancy (mean |r|)"],
            ),
            (
                MRMR(3, relevance=f_classif),
                ["score (quotient)", "relevance (given)", "redundancy (mean |r|)"],
            ),
            (
                InnerEnsemble(MRMR(3), n_parts=3),
                ["score (discount)", "relevance (F statistic)", "redundancy (largest |r|)"],
            ),
        ],
        ids=lambda each: getattr(type(each), "__name__", None),
    )
    def test_selectors_without_redundancy(self, selector, units, wine):
        shown = SelectionPathDisplay.from_estimator(selector.fit(*wine))
        assert [panel.get_xlabel() for panel in shown.axes_] == units

    @pytest.mark.parametrize("name", CRITERIA)
    def test_every_greedy_criterion_has_a_path(self, name, wine):
        """Also where scores fall below 0; sums of terms are shown as their means."""
        selector = CRITERIA[name](13).fit(*wine)
        shown = SelectionPathDisplay.from_estimator(selector)
        n_terms = np.maximum(1, np.arange(13)) if name in ("JMI", "DISR") else 1
        scores = selector.scores_[selector.indices_] / n_terms
        np.testing.assert_array_equal(lengths(shown.axes_[0]), scores)

    def test_a_bar_that_hides_the_others_is_cut(self):
        shown = SelectionPathDisplay(
            feature_names=list("abcd"), scores=[3.0, 2.0, 1e9, np.inf], relevance=[4, 3, 2, 1]
        ).plot()
        score, relevance = shown.axes_
        assert lengths(score).tolist() == [3.0, 2.0, 4.5, 0.0]
        assert [text.get_text().strip() for text in score.texts] == ["1e+09 »", "infinite"]
        assert lengths(relevance).tolist() == [4, 3, 2, 1]
        assert not relevance.texts

    def test_long_names_that_begin_and_end_alike_stay_apart(self):
        names = [
            f"Homo sapiens gene of {each}, complete sequence" for each in ("insulin", "leptin")
        ]
        shown = SelectionPathDisplay(feature_names=names, scores=[2, 1], relevance=[2, 1]).plot()
        assert "insulin" in labels(shown.axes_[0])[0]
        assert "leptin" in labels(shown.axes_[0])[1]

    def test_long_paths_are_cut_and_say_so(self, wine):
        shown = SelectionPathDisplay.from_estimator(MRMR(12).fit(*wine), max_features=7)
        assert len(shown.feature_names) == 7
        assert "5 more" in shown.axes_[0].get_title(loc="left")

    def test_infinite_scores_have_no_bars(self):
        y = np.repeat([0, 1], 4)
        X = np.column_stack([y, np.tile([0, 1], 4), np.zeros(8)]).astype(int)
        with pytest.warns(UserWarning, match="Only 2 of 3 columns were selected"):
            selector = MRMR(3, discrete_features=[]).fit(X, y)
        shown = SelectionPathDisplay.from_estimator(selector)
        assert np.isfinite(lengths(shown.axes_[0])).all()
        said = [text.get_text().strip() for text in shown.axes_[0].texts]
        assert said == ["infinite"]
        shown.figure_.canvas.draw()

    def test_what_has_no_path(self, wine):
        with pytest.raises(ValueError, match="SelectionFrequencyDisplay"):
            SelectionPathDisplay.from_estimator(FastEnsemble(MRMR(3), n_parts=3).fit(*wine))
        noise = np.random.default_rng(0).normal(size=(30, 3))
        nothing = FCBF().fit(noise, np.tile([0, 1, 1], 10))
        assert nothing.indices_.size == 0
        with pytest.raises(ValueError, match="Nothing was selected"):
            SelectionPathDisplay.from_estimator(nothing)


class TestFrequency:
    def test_bars_are_the_frequencies_from_the_largest(self, wine):
        ensemble = FastEnsemble(MRMR(4, scheme="FCQ"), n_parts=10).fit(*wine)
        shown = SelectionFrequencyDisplay.from_estimator(ensemble)
        share = ensemble.selection_frequency_
        np.testing.assert_array_equal(lengths(shown.ax_), np.sort(share[share > 0])[::-1])
        assert labels(shown.ax_)[-1] == "alcohol"
        inside = [bar.get_facecolor() for bar in shown.bars_]
        assert len(set(inside[:4])) == 1
        assert inside[4] != inside[3]
        stable = nogueira_stability(ensemble.part_selections_, n_features=13)
        assert shown.stability == stable
        title = shown.ax_.get_title(loc="left")
        assert f"stability of parts that share most rows {stable.stability:.2f}" in title

    def test_selected_columns_come_first_among_equals(self):
        shown = SelectionFrequencyDisplay(
            feature_names=list("abc"), frequency=[0.5, 0.5, 0.5], support=[False, True, False]
        ).plot()
        assert labels(shown.ax_) == ["b", "a", "c"]

    def test_many_columns_are_cut_and_counted(self):
        sets = np.arange(60).reshape(6, 10)
        names = [f"c{j}" for j in range(80)]
        shown = SelectionFrequencyDisplay.from_selections(sets, feature_names=names, max_features=8)
        assert labels(shown.ax_) == names[:8]
        assert "52 more columns" in shown.ax_.get_title(loc="left")

    def test_selections_of_any_selector(self):
        shown = SelectionFrequencyDisplay.from_selections(
            [[0, 1], [0, 2], {0}, [0, 1]], feature_names=list("abcd")
        )
        np.testing.assert_array_equal(shown.frequency, [1, 0.5, 0.25, 0])
        np.testing.assert_array_equal(shown.support, [True, True, False, False])
        with pytest.raises(ValueError, match="column 4, but there are 3 names"):
            SelectionFrequencyDisplay.from_selections([[4]], feature_names=list("abc"))
        with pytest.raises(ValueError, match="at least one"):
            SelectionFrequencyDisplay.from_selections([], feature_names=list("abc"))
        with pytest.raises(ValueError, match="No column was selected"):
            SelectionFrequencyDisplay.from_selections([[], []], feature_names=list("abc"))

    def test_selectors_that_decide_how_many(self, wine):
        ensemble = FastEnsemble(FCBF(), n_parts=4).fit(*wine)
        shown = SelectionFrequencyDisplay.from_estimator(ensemble)
        assert shown.stability is not None

    def test_stability_that_is_not_defined_is_not_shown(self, wine):
        shown = SelectionFrequencyDisplay.from_estimator(FastEnsemble(MRMR(13)).fit(*wine))
        assert shown.stability is None
        assert shown.ax_.get_title(loc="left") == ""

    def test_a_single_selection_has_no_frequencies(self, wine):
        with pytest.raises(ValueError, match="no selection_frequency_"):
            SelectionFrequencyDisplay.from_estimator(MRMR(3).fit(*wine))


class TestRedundancy:
    def test_cells_are_absolute_correlations_in_the_order_of_the_tree(self, wine):
        X, y = wine
        selector = MRMR(6).fit(X, y)
        shown = RedundancyMapDisplay.from_estimator(selector, X)
        expected = np.abs(np.corrcoef(X.to_numpy()[:, selector.indices_].T))
        np.testing.assert_allclose(shown.redundancy, expected, atol=1e-12)
        order = shown.order_
        assert sorted(order) == list(range(6))
        np.testing.assert_array_equal(
            shown.image_.get_array(), shown.redundancy[np.ix_(order, order)]
        )
        names = selector.feature_names_in_[selector.indices_]
        assert labels(shown.ax_) == [f"{names[i]}  {i + 1}" for i in order]

    def test_similar_columns_are_neighbours(self):
        rng = np.random.default_rng(0)
        base = rng.normal(size=(200, 2))
        X = base[:, [0, 1, 0, 1, 0, 1]] + 0.1 * rng.normal(size=(200, 6))
        selector = MRMR(6).fit(X, base[:, 0] > 0)
        order = RedundancyMapDisplay.from_estimator(selector, X).order_
        group = selector.indices_[order] % 2
        assert np.count_nonzero(np.diff(group)) == 1

    def test_text_and_numbers_by_symmetrical_uncertainty(self, wine):
        X, y = wine
        table = X.assign(kind=np.where(X["alcohol"] > 13, "strong", "weak"))
        selector = MRMR(14).fit(table, y)
        shown = RedundancyMapDisplay.from_estimator(selector, table)
        assert shown.measure == "symmetrical uncertainty"
        np.testing.assert_allclose(np.diag(shown.redundancy), 1)
        where = list(selector.indices_)
        assert shown.redundancy[where.index(13), where.index(0)] > 0.4

    @pytest.mark.parametrize("k", [1, 2, 3])
    def test_few_columns(self, k, wine):
        X, y = wine
        shown = RedundancyMapDisplay.from_estimator(MRMR(k).fit(X, y), X)
        shown.figure_.canvas.draw()
        assert len(shown.order_) == k

    def test_bad_measures_and_empty_selections(self, wine):
        X, y = wine
        with pytest.raises(ValueError, match="measure must be"):
            RedundancyMapDisplay.from_estimator(MRMR(2).fit(X, y), X, measure="spearman")
        noise = np.random.default_rng(0).normal(size=(30, 3))
        nothing = FCBF().fit(noise, np.tile([0, 1, 1], 10))
        with pytest.raises(ValueError, match="Nothing was selected"):
            RedundancyMapDisplay.from_estimator(nothing, noise)


class TestWhatTheStabilityIsOf:
    @pytest.mark.parametrize(
        ("ensemble", "words"),
        [
            (FastEnsemble(MRMR(3), n_parts=4), "stability of parts that share most rows"),
            (FastEnsemble(MRMR(3), n_parts=4, parts="halves"), "stability of halves of the rows"),
            (StabilitySelector(MRMR(3), n_pairs=4), "stability of halves of the rows"),
        ],
    )
    def test_the_title_tells(self, ensemble, words, wine):
        shown = SelectionFrequencyDisplay.from_estimator(ensemble.fit(*wine))
        assert shown.ax_.get_title(loc="left").startswith(words)

    def test_the_threshold_is_drawn(self, wine):
        selector = StabilitySelector(MRMR(3), n_pairs=4, threshold=0.8).fit(*wine)
        shown = SelectionFrequencyDisplay.from_estimator(selector)
        assert shown.threshold == 0.8
        assert [line.get_xdata()[0] for line in shown.ax_.lines] == [0.8]
        assert "threshold 0.80" in shown.ax_.get_title(loc="left")
