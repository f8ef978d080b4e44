"""The Markov blankets of all columns of a table at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from sklearn.base import clone

from ensfs._utils.docs import COMMON_DOCS, with_docs
from ensfs._utils.explanation import Explanation
from ensfs._utils.progress import counted
from ensfs._utils.sklearn import check_parameters
from ensfs._utils.threads import effective_n_threads
from ensfs.causal._base import CausalSelector, warn_of_unreliable
from ensfs.causal._graph_selector import GraphSelector
from ensfs.causal.graph import CausalGraph
from ensfs.causal.grow_shrink import IAMB
from ensfs.causal.hybrid import HybridCausalSelector
from ensfs.data.frames import take
from ensfs.data.parameters import resolve_columns
from ensfs.data.schema import column_of
from ensfs.data.sparse_columns import refuse_sparse
from ensfs.data.table import Table, make_table
from ensfs.data.target import make_target
from ensfs.data.values import as_array
from ensfs.independence import (
    CodedTester,
    CorrelationTester,
    FisherZTest,
    PartTester,
    make_test,
)
from ensfs.search.selection import NOTHING
from ensfs.statistics import Resampling
from ensfs.training.contract import refuse_blocks


@dataclass(frozen=True)
class Blanket:
    """What was found of one column.

    Attributes
    ----------
    columns : ndarray of int
        The blanket in ascending order.
    roles : dict of int to str
        What each of them is to the column.
    scores : dict of int to float
        The score of each, as in `scores_` of the selector.
    """

    columns: np.ndarray
    roles: dict[int, str]
    scores: dict[int, float]


class MarkovBlankets(Sequence[np.ndarray]):
    """The blankets of all columns of a table; what `markov_blankets` gives.

    It is a sequence: ``blankets[j]`` are the columns in the blanket of column ``j``, in ascending
    order; a column may be given by its name.

    Attributes
    ----------
    names : list of str
        Names of the columns; x0, x1, ... if they have none.
    adjacency : ndarray of bool, shape (n_columns, n_columns)
        True at (i, j) if column j is in the blanket of column i.
    n_tests : int
        Tests made.
    """

    def __init__(self, found: Sequence[Blanket], names: Sequence[str], n_tests: int):
        self._found = list(found)
        self.names = list(names)
        self.n_tests = n_tests
        self.adjacency = np.zeros((len(self.names), len(self.names)), dtype=bool)
        for i, blanket in enumerate(self._found):
            self.adjacency[i, blanket.columns] = True

    def __len__(self) -> int:
        return len(self._found)

    def __getitem__(self, column: Any) -> Any:
        """The blanket of a column, by its position or name; those of a slice as a list."""
        if isinstance(column, slice):
            return [each.columns for each in self._found[column]]
        if isinstance(column, str):
            if column not in self.names:
                raise KeyError(f"There is no column {column!r}.")
            column = self.names.index(column)
        return self._found[column].columns

    def graph(self, rule: str = "both") -> CausalGraph:
        """The blankets as a graph without directions, to look at or to draw.

        Parameters
        ----------
        rule : {"both", "either"}, default="both"
            Whether two columns are joined if each is in the blanket of the other, or if one is.

        Returns
        -------
        CausalGraph
            See its methods `to_networkx` and `to_dot`.
        """
        if rule not in ("both", "either"):
            raise ValueError(f"rule must be 'both' or 'either'; got {rule!r}.")
        one_way, other_way = self.adjacency, self.adjacency.T
        joined = one_way & other_way if rule == "both" else one_way | other_way
        return CausalGraph(joined, names=self.names)

    def table(self) -> Explanation:
        """A row for each column and member of its blanket, in order of score."""
        return Explanation(
            [
                {
                    "column": self.names[i],
                    "member": self.names[j],
                    "role": blanket.roles.get(j),
                    "score": score,
                    "mutual": bool(self.adjacency[j, i]),
                }
                for i, blanket in enumerate(self._found)
                for j, score in sorted(blanket.scores.items(), key=lambda each: -each[1])
            ]
        )

    def to_frame(self) -> Any:
        """The same as a pandas data frame (pandas must be installed): the edges of a network."""
        import pandas as pd

        return pd.DataFrame(
            list(self.table()), columns=["column", "member", "role", "score", "mutual"]
        )

    def __repr__(self) -> str:
        n_members = int(self.adjacency.sum())
        return f"MarkovBlankets({len(self)} columns, {n_members} members in all)"


@with_docs(COMMON_DOCS)
def markov_blankets(X: Any, selector: Any = None, *, sample_weight: Any = None) -> MarkovBlankets:
    """The Markov blanket of every column, each in turn being the target of the others.

    The result is that of fitting the selector once for each column, to all other columns. Where
    all columns are discrete, or all are numeric, the table is read and coded once, the tests share
    their counts, and each neighbourhood is searched once; other tables take one fit for each
    column. Selectors of graphs draw one graph of such a table, and the blankets are read off it.

    Parameters
    ----------
    X : array-like or data frame of shape (n_samples, n_features)
        The table, without missing cells: every column is a target too.
    selector : object, optional
        The method: a `GrowShrink`, `IAMB`, `InterIAMB`, `MMPC`, `HITONPC`, `PCSelector`,
        `TPDASelector` or `HybridCausalSelector` with its settings; by default ``IAMB()``.
        `MMPC` and `HITONPC` give neighbours alone unless ``spouses=True``. It is not changed.
    sample_weight : array-like of shape (n_samples,), optional
        How often each row is there.

    Returns
    -------
    MarkovBlankets
        A sequence of the blankets, with `adjacency`, `graph()` and `to_frame()`.

    Examples
    --------
    >>> import numpy as np
    >>> from ensfs import markov_blankets
    >>> rng = np.random.default_rng(0)
    >>> cause, noise = rng.integers(0, 2, (2, 1000))
    >>> middle = cause ^ (rng.random(1000) < 0.1)
    >>> effect = middle ^ (rng.random(1000) < 0.1)
    >>> blankets = markov_blankets(np.column_stack([cause, middle, effect, noise]))
    >>> blankets[:]
    [array([1]), array([0, 2]), array([1]), array([], dtype=int64)]
    >>> print(blankets.graph().to_dot())
    digraph {
      "x0" -> "x1" [dir=none];
      "x1" -> "x2" [dir=none];
      "x3";
    }
    """
    selector = IAMB() if selector is None else clone(selector)
    _check_selector(selector)
    refuse_blocks(selector, X)
    table = _read(X, selector)
    tester = _tester_of_all(selector, X, table, sample_weight)
    if tester is None:
        found, n_tests = _one_by_one(selector, X, table, sample_weight)
    else:
        part = tester.part(0)
        found = list(_together(selector, part, table.n_features))
        n_tests = part.n_tests
        warn_of_unreliable(n_tests, part.n_unreliable)
    names = [f"x{j}" for j in range(table.n_features)] if table.names is None else table.names
    return MarkovBlankets(found, [str(name) for name in names], n_tests)


def _check_selector(selector: Any) -> None:
    if not isinstance(selector, CausalSelector | HybridCausalSelector):
        raise TypeError(
            "selector must be a selector of Markov blankets, such as IAMB() or MMPC(spouses=True); "
            f"got {selector!r}."
        )
    check_parameters(selector)
    for name in ("include", "exclude", "feature_groups"):
        if getattr(selector, name) is not None:
            raise ValueError(
                f"{name} must be None for the blankets of all columns: each column is a target, "
                "and a candidate for the others."
            )


def _read(X: Any, selector: Any) -> Table:
    """The whole table; an error if cells are missing."""
    refuse_sparse(selector, X)
    table = make_table(X, **selector.read_options(), n_threads=effective_n_threads(selector.n_jobs))
    if table.n_features < 2:
        raise ValueError(
            f"X has {table.n_features} column(s); the blanket of a column is made of other columns."
        )
    table.check_finite()
    return table


def _apart(X: Any, j: int) -> tuple[Any, Any]:
    """The other columns, and column ``j`` as a target."""
    others = np.delete(np.arange(X.shape[1]), j)
    if nw.dependencies.is_into_dataframe(X):
        return take(X, columns=others), column_of(X, j).to_native()
    return X[:, others], X[:, j]


def _without(selector: Any, j: int, table: Table) -> Any:
    """The selector for the columns without column ``j``."""
    selector, options = clone(selector), selector.read_options()
    mask = resolve_columns(
        options["discrete_features"], table.n_features, table.names, "discrete_features"
    )
    if mask is not None and "discrete_features" in selector.get_params(deep=False):
        selector.set_params(discrete_features=np.delete(mask, j))
    return selector


def _one_by_one(
    selector: Any, X: Any, table: Table, sample_weight: Any
) -> tuple[list[Blanket], int]:
    """A fit for every column."""
    X = X if nw.dependencies.is_into_dataframe(X) else as_array(X)
    found, n_tests, p = [], 0, table.n_features
    for j in counted("searching for blankets", p, range(p)):
        fitted = _without(selector, j, table)
        others, target = _apart(X, j)
        fitted.fit(others, target, sample_weight)
        at = np.delete(np.arange(p), j)
        columns = at[fitted.markov_blanket_]
        roles = {int(at[i]): role for i, role in fitted.roles_.items()}
        scores = dict(zip(columns.tolist(), fitted.scores_[fitted.markov_blanket_], strict=True))
        found.append(Blanket(columns, roles, scores))
        n_tests += fitted.n_tests_
    return found, n_tests


def _tester_of_all(
    selector: Any, X: Any, table: Table, sample_weight: Any
) -> CodedTester | CorrelationTester | None:
    """Tests of all columns, the last one being the target; None if each needs tests of its own.

    That is so where a column is read in one way as a target and in another as a column, or where
    continuous columns are cut by the target.
    """
    if isinstance(selector, HybridCausalSelector) or not _all_alike(selector, X, table):
        return None
    p = table.n_features
    last = _without(selector, p - 1, table)
    others, target = _apart(X if nw.dependencies.is_into_dataframe(X) else as_array(X), p - 1)
    n_threads = effective_n_threads(selector.n_jobs)
    data = last._read(others, target, n_threads, sample_weight, **last.read_options())
    tester = last.sources(data, Resampling.all_rows(data.n_rows), n_threads)
    if isinstance(tester, CodedTester) and tester.rule.kind != "permutation":
        return tester
    return tester if isinstance(tester, CorrelationTester) else None


def _all_alike(selector: CausalSelector, X: Any, table: Table) -> bool:
    """Whether all columns are classes, or all numbers, as columns and as targets."""
    if selector.test != "auto" and isinstance(make_test(selector.test), FisherZTest):
        return not table.nominal_blocks
    if table.discrete.all() and table.kinds_are_automatic:  # few values, or text
        return not table.identifiers.any()
    frame = nw.dependencies.is_into_dataframe(X)
    kinds = {
        make_target(
            column_of(X, j).to_native() if frame else as_array(X)[:, j], table.n_rows,
            warn_constant=False,
        ).kind
        for j in range(table.n_features)
    }  # fmt: skip
    if table.discrete.all():
        return kinds == {"classes"} and not table.identifiers.any()
    return kinds == {"numeric"} and selector.test == "auto"


def _together(selector: CausalSelector, tester: PartTester, n_nodes: int) -> Iterator[Blanket]:
    """The blankets of all nodes by the same tests."""
    if isinstance(selector, GraphSelector):
        yield from _of_graph(selector, tester, n_nodes)
        return
    searches = selector.search_all(tester, n_nodes)
    for result in counted("searching for blankets", n_nodes, searches):
        scores = dict(zip(result.columns, result.scores, strict=True))
        yield Blanket(result.learned["markov_blanket"], result.learned["roles"], scores)


def _of_graph(selector: GraphSelector, tester: PartTester, n_nodes: int) -> Iterator[Blanket]:
    """The blankets in one graph of all nodes."""
    last = n_nodes - 1
    relevance = tester.relevance_to(last)
    graph = selector._search(tester, np.arange(last), relevance, NOTHING).learned["graph"]
    for node in range(n_nodes):
        columns, roles = graph.markov_blanket(node), graph.roles(node)
        of_node = tester.relevance_to(node)
        members = columns.tolist()
        yield Blanket(
            columns, {j: roles[j] for j in members}, {j: float(of_node[j]) for j in members}
        )
