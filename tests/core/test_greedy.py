"""One step of greedy search, full and lazy, against a choice spelt out."""

import math

import numpy as np
import pytest
import twins
from hypothesis import given, settings
from hypothesis import strategies as st

from ensfs._core import greedy
from ensfs.search import greedy as search
from ensfs.search.criteria import Criterion
from ensfs.statistics import Source

CRITERIA = {
    "quotient": Criterion(combine="mean", score="quotient"),
    "difference": Criterion(combine="mean", score="difference"),
    "difference of sum": Criterion(combine="sum", score="difference"),
    "minimum": Criterion(combine="minimum"),
    "minimum with relevance": Criterion(combine="minimum", from_relevance=True),
    "sum": Criterion(combine="sum"),
    "discount": Criterion(combine="maximum", score="discount"),
}

# ---------------------------------------- slow twins


def score_slow(relevance, redundancies, scheme):
    if not redundancies or relevance == -math.inf:
        return relevance
    if scheme == "minimum":
        return min(redundancies)
    if scheme == "minimum with relevance":
        return min(relevance, *redundancies)
    if scheme == "discount":
        return twins.discounted(relevance, redundancies)
    if scheme == "sum":
        return sum(redundancies)
    if scheme == "difference of sum":
        return relevance - sum(redundancies)
    mean = sum(redundancies) / len(redundancies)
    if scheme == "difference":
        return relevance - mean
    if relevance <= 0:
        return relevance
    return relevance / mean if mean > 0 else math.inf


def choose_slow(scores, scheme):
    """The lowest column whose score is within 1e-12 of the best."""
    best = max(scores.values())
    if math.isinf(best):
        return min(f for f in scores if scores[f] == best)
    size = abs(best) if scheme == "quotient" else max(abs(best), 1.0)
    return min(f for f in scores if scores[f] >= best - 1e-12 * size)


def search_slow(relevance, R, k, scheme):
    chosen, scores = [], []
    for _ in range(k):
        each = {
            f: score_slow(relevance[f], [R[g][f] for g in chosen], scheme)
            for f in range(len(relevance))
            if f not in chosen
        }
        if max(each.values()) == -math.inf:
            break  # only constant columns are left
        chosen.append(choose_slow(each, scheme))
        scores.append(each[chosen[-1]])
    return chosen, scores


# ---------------------------------------- a source that is a matrix


class MatrixSource(Source):
    """Redundancies from a symmetric matrix for every part."""

    def __init__(self, relevance, R):
        self.relevance, self.R = relevance, R
        self.n_parts, self.n_features = relevance.shape
        self.n_threads = 1
        self.constant = np.isneginf(relevance)
        self.asked = []

    @property
    def n_pairs_read(self):
        return len(self.asked)

    def association(self, requests, out, ahead=None):
        for g, parts in requests:
            self.asked.append(g)
            out[parts] = self.R[parts, g]


@settings(max_examples=150)
@given(
    data=st.data(),
    parts=st.integers(1, 3),
    p=st.integers(1, 20),
    scheme=st.sampled_from(list(CRITERIA)),
)
def test_full_search(data, parts, p, scheme):
    seed = data.draw(st.integers(0, 2**32 - 1), label="seed")
    rng = np.random.default_rng(seed)
    exact = data.draw(st.booleans(), label="round numbers")
    if exact:  # many ties, zeros, infinities and constants
        values = np.array([0.0, 0.25, 0.5, 1.0, 3.0, np.inf, -np.inf])
        relevance = rng.choice(values, (parts, p))
        R = rng.choice(values[:4], (parts, p, p))
    else:
        relevance, R = rng.random((parts, p)), rng.random((parts, p, p))
    if scheme not in ("quotient", "discount") and data.draw(st.booleans(), label="negative terms"):
        R = np.where(rng.random(R.shape) < 0.5, R, -R)
    R = (R + R.transpose(0, 2, 1)) / 2
    k = int(rng.integers(1, p + 1))
    found = search.full_search(MatrixSource(relevance, R), relevance, k, CRITERIA[scheme])
    for t in range(parts):
        chosen, scores = search_slow(relevance[t].tolist(), R[t].tolist(), k, scheme)
        assert found.columns[t].tolist() == chosen
        np.testing.assert_allclose(found.scores[t], scores, rtol=1e-12, atol=1e-12)


def one_step(relevance, scheme="quotient", sums=None, taken=(), j=0, values=None):
    relevance = np.array([relevance], dtype=float)
    p = relevance.shape[1]
    sums = np.zeros((1, p)) if sums is None else np.array([sums], dtype=float)
    flags = np.zeros((1, p), dtype=np.int32)
    flags[0, list(taken)] = -1
    chosen, score = np.empty(1, dtype=np.int64), np.empty(1)
    values = None if values is None else np.array([values], dtype=float)
    scratch = np.empty(greedy.scores_size(p))
    criterion = CRITERIA[scheme].flags
    greedy.step(j, relevance, values, sums, flags, scratch, criterion, 0, 1, chosen, score)
    assert flags[0, chosen[0]] == -1
    return int(chosen[0]), float(score[0]), sums[0].tolist()


def test_the_first_choice_is_the_most_relevant():
    assert one_step([1, 3, 2])[:2] == (1, 3)
    assert one_step([-math.inf, 0, -math.inf])[:2] == (1, 0)
    assert one_step([1, math.inf, math.inf])[:2] == (1, math.inf)


@pytest.mark.parametrize("scheme", CRITERIA)
def test_ties_go_to_the_lower_column(scheme):
    assert one_step([1, 1, 1], scheme)[0] == 0
    assert one_step([1 - 0.9e-12, 1], scheme)[0] == 0
    assert one_step([1 - 1.1e-12, 1], scheme)[0] == 1
    assert one_step([1, 1, 1], scheme, taken=[0])[0] == 1


def test_ties_are_relative_for_quotients_and_absolute_for_small_differences():
    assert one_step([1e-13, 2e-13], "quotient")[0] == 1
    assert one_step([1e-13, 2e-13], "difference")[0] == 0
    assert one_step([1e6 - 1e-7, 1e6], "difference")[0] == 0


def test_redundancies_are_added_and_averaged():
    column, score, sums = one_step(
        [3, 2, 1], sums=[0, 1, 0.25], taken=[0], j=2, values=[9, 1, 0.25]
    )
    assert (column, score, sums) == (2, 4.0, [9, 2, 0.5])
    column, score, _ = one_step(
        [3, 2, 1], "difference", sums=[0, 3, 0], taken=[0], j=2, values=[0, 1, 1]
    )
    assert (column, score) == (2, 0.5)


def test_no_redundancy_is_infinitely_good_but_not_without_relevance():
    assert one_step([5, 1, 9], sums=[1, 0, 1], taken=[0], j=1)[:2] == (1, math.inf)
    assert one_step([5, 0, 1e-9], sums=[1, 0, 1], taken=[0], j=1)[0] == 2
    assert one_step([5, -math.inf, 0], sums=[1, 0, 1], taken=[0], j=1)[0] == 2


def test_when_only_constants_are_left_the_lowest_is_taken():
    column, score, _ = one_step([1, -math.inf, -math.inf], taken=[0], j=1)
    assert column == 1
    assert not math.isnan(score)


def test_step_checks_its_shapes():
    for width, room in ((2, 4), (3, 3)):
        with pytest.raises(ValueError, match="must have"):
            greedy.step(
                0, np.ones((1, 3)), None, np.zeros((1, width)), np.zeros((1, 3), dtype=np.int32),
                np.empty(room), 0, 0, 1, np.empty(1, dtype=np.int64), np.empty(1),
            )  # fmt: skip
