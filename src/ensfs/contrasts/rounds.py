"""The rounds of ACE: contrasts, masking, and what is left of the target."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse

from ensfs._utils.progress import task
from ensfs.contrasts.linear import LinearEffects
from ensfs.contrasts.masking import Masking
from ensfs.contrasts.null_distribution import chance_p_values, paired_p_values, significant
from ensfs.contrasts.prediction import Predictor, filled_codes, normal_scores
from ensfs.contrasts.replicates import Replicates, upper_quantile
from ensfs.contrasts.state import ACERound, State
from ensfs.data.bins import NOMINAL, kinds_of_bins
from ensfs.data.target import Target
from ensfs.measures.forest import ForestTarget, gini_impurity

if TYPE_CHECKING:
    from ensfs.contrasts.ace import ACE

_NOTHING = 1e-12  # share of the target's impurity below which nothing is left to explain

#: Trees of a forest at least: of all columns where they are many, and of those that are left.
_TREES_OF_ALL, _LEAST_TREES = 200, 100

#: More columns than a few are first compared with contrasts all together, in so many replicates;
#: those that are left are above this quantile of the contrasts.
_FEW_COLUMNS, _REPLICATES_OF_ALL, _LEFT = 50, 5, 0.7

#: After narrowing, columns with this correlation are one; if there are not too many for all pairs.
_TWINS, _MOST_PAIRED = 0.95, 2048

#: Columns that explain less than this share of the impurity together are not worth keeping.
_LITTLE = 0.001


class Search:
    """The rounds of one fit."""

    def __init__(
        self,
        ace: ACE,
        table: Any,
        target: Target,
        n_threads: int,
        weight: np.ndarray | None = None,
    ):
        self.ace, self.weight = ace, weight
        self.target = target
        self.codes = table.bins()
        self.nominal = kinds_of_bins(table)
        numeric = target.kind == "numeric"
        # a target of a few extremes would be split for them alone
        self.y = normal_scores(target.values, weight) if numeric else target.codes
        self.p = table.n_features
        self.included = table.variables.included
        self.replicates = Replicates(ace, self.codes, self.nominal, n_threads, weight)
        self.masking = Masking(self.replicates)
        self.linear = LinearEffects(self.codes, self.nominal, self.weight)
        self.predictor = Predictor(
            self.codes, self.nominal, self.y, None if numeric else len(target.classes),
            ace.min_samples_leaf, self.replicates.seed, weight,
        )  # fmt: skip
        self.state = State(
            confirmed=self.included.tolist(),
            pvalues=np.ones(self.p),
            masking=scipy.sparse.csr_array((self.p, self.p)),
            masked_by=np.full(self.p, -1, dtype=np.int64),
            rounds=[],
        )

    def run(self) -> State:
        """Rounds until one of them finds nothing new."""
        if self.target.constant:
            return self.state
        most = self.ace.max_iter
        prediction = None
        for number in range(1, most + 1):
            before, masked_by = self.state.confirmed.copy(), self.state.masked_by.copy()
            self.found_before = before[self.included.size :]
            target = self._target(number, prediction)
            if target is not None:
                self._one_round(number, target)
            if len(self.state.confirmed) == len(before) or most == 1:
                break
            last, prediction = prediction, self.predictor.predict(self.state.confirmed)
            if number > 1 and self._loss(prediction) >= self._loss(last):
                self._withdraw(range(number, number + 1), before, masked_by)
                break
            needed, prediction = self._needed(self._doubtful(number, len(before)), prediction)
            self._withdraw(range(number, number + 1), needed, masked_by)
        if most > 1:
            self._withdraw_tail()
        self.state.masked_by[self.state.confirmed] = -1
        return self.state

    # ---------------------------------------------- targets and residuals

    def _target(self, number: int, prediction: np.ndarray | None) -> ForestTarget | None:
        """What a round explains: the target, or what is left of it; None if nothing is."""
        numeric, weight = self.target.kind == "numeric", self.weight
        if number == 1:
            if numeric:
                return ForestTarget.of_numbers(self.y, weight=weight)
            return ForestTarget.of_groups(np.eye(len(self.target.classes))[self.y], weight=weight)
        residuals = self.predictor.wanted() - self._predicted(prediction)
        away = residuals - np.average(residuals, axis=0, weights=weight)
        left = float(np.average(np.sum(away**2, axis=1), weights=weight))
        # numbers have variance 1; the variances of all classes sum up to Gini's impurity
        left /= (not numeric and gini_impurity(self.y, weight)) or 1.0
        if left < _NOTHING:
            return None
        if numeric:
            return ForestTarget.of_numbers(normal_scores(residuals[:, 0], weight), left, weight)
        return ForestTarget.of_groups(residuals, left, weight)

    def _predicted(self, prediction: np.ndarray | None) -> np.ndarray:
        return self.predictor.predict(self.state.confirmed) if prediction is None else prediction

    def _loss(self, prediction: np.ndarray | None) -> float:
        """Mean squared error, or Brier's score."""
        losses = self.predictor.losses(self._predicted(prediction))
        return float(np.average(losses, weights=self.weight))

    def _withdraw(self, numbers: range, confirmed: list[int], masked_by: np.ndarray) -> None:
        """Undo the finds of rounds but for those that are confirmed; `masked_by` was before them.

        Where the prediction is bad, what is left of the target depends on the confirmed columns,
        and so on all that goes along with them.
        """
        state = self.state
        gone = [j for j in state.confirmed if j not in confirmed]
        state.confirmed = confirmed
        state.masked_by = np.where(np.isin(state.masked_by, gone), masked_by, state.masked_by)
        for each in state.rounds:
            if each.number in numbers:
                each.kept = each.kept[~np.isin(each.kept, gone)]
                each.new = each.new[~np.isin(each.new, gone)]

    def _doubtful(self, number: int, n_before: int) -> list[int]:
        """Finds of a round that have to help: all on residuals, else those masked in part."""
        new = self.state.confirmed[n_before:]
        if number > 1:
            return new
        in_part = {j for each in self.state.rounds for j in each.in_part.tolist()}
        return [j for j in new if j in in_part]

    def _needed(self, doubtful: list[int], prediction: np.ndarray) -> tuple[list[int], np.ndarray]:
        """Confirmed columns without the doubtful ones that do not help beside the others.

        The last one goes first. Also the prediction from those that are needed.
        """
        needed = self.state.confirmed
        for j in reversed(doubtful):
            rest = [i for i in needed if i != j]
            without = self.predictor.predict(rest)
            if self._loss(without) <= self._loss(prediction):
                needed, prediction = rest, without
        return needed, prediction

    def _withdraw_tail(self) -> None:
        """Withdraw the least important columns as far as they surely help next to nothing.

        A column that goes along with a cause of the target is relevant, and hardly masked where the
        causes explain nearly all.
        """
        state = self.state
        least = max(1, self.included.size)
        found = state.confirmed[self.included.size :]
        importances = state.importances()
        columns = self.included.tolist() + sorted(found, key=lambda j: -importances[j])
        if len(columns) <= least:
            return
        losses = self.predictor.losses(self.predictor.predict(columns))
        little = _LITTLE * self._loss(self.predictor.prior())
        n = enough = len(columns)
        while n > least:
            n = max(least, min(n - 1, n * 3 // 4))
            more = self.predictor.losses(self.predictor.predict(columns[:n])) - losses
            if -_upper_mean(-more, self.weight) > little:  # and even fewer columns are worse
                break
            if _upper_mean(more, self.weight) <= little:
                enough = n
        columns = columns[:enough]
        left = [j for j in state.confirmed if j in columns]
        self._withdraw(range(1, self.ace.max_iter + 1), left, np.full(self.p, -1))

    # ---------------------------------------------- one round

    def _one_round(self, number: int, target: ForestTarget) -> None:
        """Relevant columns of one target, without those that are masked."""
        state = self.state
        found = self._relevant(number, target)
        state.rounds.append(found)
        np.minimum(state.pvalues, found.pvalues, out=state.pvalues)
        if not found.relevant.size:
            return
        relevant = found.relevant
        masks, partly, scores = self.masking.find(number, relevant, target)
        self._add_masking(relevant, masks, scores)
        self._keep_unmasked(found, masks)
        places = np.nonzero(np.isin(relevant, found.kept))[0]
        in_part = np.triu(partly[np.ix_(places, places)]).any(axis=0)
        found.in_part = relevant[places[in_part]]
        state.confirmed += found.new.tolist()

    def _relevant(self, number: int, target: ForestTarget) -> ACERound:
        """The columns that are above the contrasts, or go with the target in a straight line."""
        ace = self.ace
        columns, last, chance_of_all = self._among_all(number, target)
        first = self._first_twins(columns, last)
        held, place = np.unique(first, return_inverse=True)
        share = np.ones(columns.size)  # also of twins without any importance
        np.divide(last[columns], last[first], out=share, where=last[first] > 0)
        forest = self.replicates.forest(
            held, target, self.replicates.n_candidates(held.size), _LEAST_TREES
        )

        def replicate(r: int) -> tuple[np.ndarray, np.ndarray]:
            one = forest.replicate(self.replicates.seed_of(number, 0, r))
            importances = last.copy()
            importances[columns] = one.importances[place] * share
            return importances, one.contrasts

        left = np.zeros(self.p, dtype=bool)
        left[columns] = True
        is_clear = partial(self._is_clear, left=left, number=number)
        scores, contrasts = self.replicates.repeat(
            f"{self.replicates.round_name(number)}: contrasts", replicate, is_clear
        )
        thresholds = upper_quantile(contrasts, ace.quantile)
        # columns that were left out on the way are tests as well
        p_values = np.where(left, paired_p_values(scores, thresholds[:, None]), 1.0)
        mean = scores.mean(axis=0)
        relevant = significant(p_values, ace.alpha, ace.correction)
        chance = np.where(left, chance_p_values(mean, contrasts), 1.0)
        relevant &= self._are_beyond(chance, number)
        chance_in_line = self.linear.p_values(target)
        relevant |= self._are_beyond(chance_of_all, number)
        relevant |= self._are_beyond(chance_in_line, number)
        chance = np.minimum(np.minimum(chance, chance_of_all), chance_in_line)
        relevant[self.included] = False
        order = np.argsort(-mean, kind="stable")
        order = np.concatenate([self.included, order[relevant[order]]])
        band = np.stack([part(contrasts, axis=1) for part in (np.min, np.mean, np.max)], axis=1)
        return ACERound(number, columns, scores, band, thresholds, p_values, chance, order)

    def _among_all(
        self, number: int, target: ForestTarget
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Columns that are left, the importance of all columns before, and its p-values.

        Weak columns show best among all. Those that matter together are seldom tried one below the
        other there, and show among the columns that are left.
        """
        columns = np.arange(self.p)
        if self.p <= _FEW_COLUMNS:
            return columns, np.zeros(self.p), np.ones(self.p)
        n_candidates = self.replicates.n_candidates(self.p)
        forest = self.replicates.forest(columns, target, n_candidates, _TREES_OF_ALL)
        found = []
        with task(
            f"{self.replicates.round_name(number)}: all columns", _REPLICATES_OF_ALL
        ) as advance:
            for r in range(_REPLICATES_OF_ALL):
                found.append(forest.replicate(self.replicates.seed_of(number, 2, r)))
                advance()
        importances = np.mean([one.importances for one in found], axis=0)
        contrasts = np.array([one.contrasts for one in found])
        above = importances > np.quantile(contrasts, _LEFT)
        return (
            columns[above] if above.any() else columns,
            importances,
            chance_p_values(importances, contrasts),
        )

    def _first_twins(self, columns: np.ndarray, importances: np.ndarray) -> np.ndarray:
        """For each of the columns the most important one that is nearly the same, or itself.

        Twins share their importance in a forest, and may both be missed. So one of them stands for
        all until masking looks at each. Without importances, in small tables, they compete.
        """
        first = columns.copy()
        if columns.size == self.p or columns.size > _MOST_PAIRED:
            return first
        places = np.nonzero(self.nominal[columns] != NOMINAL)[0]
        if places.size < 2:
            return first
        places = places[np.argsort(-importances[columns[places]], kind="stable")]
        codes = filled_codes(self.codes[:, columns[places]])
        with np.errstate(invalid="ignore", divide="ignore"):
            twins = np.abs(np.corrcoef(codes, rowvar=False)) >= _TWINS
        free = np.ones(places.size, dtype=bool)
        for k in range(places.size):
            if free[k]:
                same = np.nonzero(twins[k] & free)[0]
                first[places[same]] = columns[places[k]]
                free[same] = False
        return first

    def _are_beyond(self, chance: np.ndarray, number: int) -> np.ndarray:
        """Which columns are beyond chance in a round, by the second test.

        Of the list that the round leaves behind, the expected share of columns that a forest of the
        round let in by chance is at most the level. So what was confirmed before counts as found,
        whatever it is to this round.
        """
        n_tests = 2 if chance.size <= _FEW_COLUMNS else 3  # each has its share
        level = self.ace.alpha * 0.5 ** (number - 1) / n_tests
        counted = chance.copy()
        counted[self.found_before] = 0.0
        found = significant(counted, level, "fdr_bh")
        return chance <= level * found.sum() / found.size

    def _add_masking(self, columns: np.ndarray, masks: np.ndarray, scores: np.ndarray) -> None:
        """Add the scores of the columns that mask others to those of the rounds before."""
        at = np.nonzero(masks)
        found = scipy.sparse.coo_array(
            (scores[at], (columns[at[0]], columns[at[1]])), shape=(self.p, self.p)
        )
        self.state.masking = scipy.sparse.csr_array(self.state.masking + found)

    def _keep_unmasked(self, found: ACERound, masks: np.ndarray) -> None:
        """Keep what none masks, as far as it is beyond chance without the company of the others.

        Twins are many small p-values for one discovery, and would let more noise in, and so would
        columns that were confirmed before: the share of false discoveries is that of the columns
        that are new.
        """
        while True:
            stands_for = self._stands_for(found, masks)
            found.kept = found.relevant[stands_for < 0]
            found.new = found.kept[~np.isin(found.kept, self.state.confirmed)]
            chance = np.ones(self.p)
            chance[found.new] = found.chance[found.new]
            beyond = self._are_beyond(chance, found.number)
            stays = ~np.isin(found.relevant, found.new[~beyond[found.new]])
            if stays.all():
                break
            found.relevant, masks = found.relevant[stays], masks[np.ix_(stays, stays)]
        masked = stands_for >= 0
        self.state.masked_by[found.relevant[masked]] = found.relevant[stands_for[masked]]

    def _stands_for(self, found: ACERound, masks: np.ndarray) -> np.ndarray:
        """For each relevant column the place of the one that masks it; -1: none does.

        `masks` is in the order of ``found.relevant``: the included ones, which nothing masks, then
        by falling importance. Who stands for another is not masked itself.
        """
        columns = found.relevant
        confirmed = np.isin(columns, self.state.confirmed)
        stands_for = np.full(columns.size, -1)
        for j in range(self.included.size, columns.size):
            maskers = np.nonzero(masks[:j, j])[0].tolist()
            if not confirmed[j]:
                rest = np.nonzero(masks[j + 1 :, j] & confirmed[j + 1 :])[0] + j + 1
                maskers += [i for i in rest.tolist() if not self._is_above(found, j, i)]
            if maskers:
                # a kept column rather than one that is masked itself, which has its own masker
                direct = [i for i in maskers if stands_for[i] < 0]
                i = direct[0] if direct else maskers[0]
                stands_for[j] = i if stands_for[i] < 0 else stands_for[i]
        return stands_for

    def _is_above(self, found: ACERound, j: int, i: int) -> bool:
        """Whether relevant column ``j`` is significantly more important than ``i``."""
        scores = found.importances[:, found.relevant]
        return bool(paired_p_values(scores[:, j], scores[:, i]) <= self.ace.alpha)

    def _is_clear(
        self, scores: np.ndarray, contrasts: np.ndarray, left: np.ndarray, number: int
    ) -> bool:
        """Whether every column is clearly above the contrasts, or clearly within their reach.

        Above: significant at a tenth of the level, which pays for looking several times.
        """
        mean, error = scores.mean(axis=0), scores.std(axis=0, ddof=1) / math.sqrt(len(scores))
        thresholds = upper_quantile(contrasts, self.ace.quantile)
        p_values = np.where(left, paired_p_values(scores, thresholds[:, None]), 1.0)
        least, most = (
            np.where(left, chance_p_values(mean + d, contrasts), 1.0)
            for d in (-2 * error, 2 * error)
        )
        above = significant(p_values, self.ace.alpha / 10, self.ace.correction)
        above &= self._are_beyond(least, number)
        return bool((above | ~self._are_beyond(most, number)).all())


def _upper_mean(values: np.ndarray, weight: np.ndarray | None = None) -> float:
    """What the mean surely stays below: two standard errors above it.

    Or above the mean with zeros for what is negative, which is sharper where a few values are far
    below the others and leave the mean uncertain.
    """
    both = values, np.maximum(values, 0.0)
    if weight is None:
        error = 2.0 / math.sqrt(values.size)
        return min(float(v.mean() + error * v.std()) for v in both)
    error = 2.0 / math.sqrt(weight.sum())
    means = [float(np.average(v, weights=weight)) for v in both]
    squares = [np.average((v - m) ** 2, weights=weight) for v, m in zip(both, means, strict=True)]
    return min(m + error * math.sqrt(s) for m, s in zip(means, squares, strict=True))
