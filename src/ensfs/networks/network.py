"""Discrete Bayesian networks: graphs with tables of probabilities, and samples from them."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from ensfs._utils.checks import check_integer
from ensfs._utils.text import printable
from ensfs.independence import OracleTest
from ensfs.networks import _graphs, inference

#: Rows of a table may miss a sum of one by this much: published tables are rounded.
SUM_TOLERANCE = 1e-3


class BayesianNetwork:
    """A directed acyclic graph of discrete variables with a table of probabilities for each.

    Nothing is learned here: everything is known, the distribution, the Markov blanket of each
    variable and the graph that a causal selector should find.

    Parameters
    ----------
    states : mapping of str to sequence of str
        Names of the variables, in the order of the columns of a sample, and the names of their
        states, in the order of the codes 0, 1, ...
    parents : mapping of str to sequence of str
        Parents of each variable. A variable that is not mentioned has none.
    probabilities : mapping of str to array-like
        Table of each variable. Its last axis is the states of the variable, the axes before are
        the states of its parents, in the order of `parents`: ``table[i, j, k]`` is the probability
        of state ``k`` where the first parent has state ``i`` and the second state ``j``. Rows sum
        to one, within 0.001.

    Attributes
    ----------
    names : tuple of str
        The variables.
    states : mapping of str to tuple of str
        States of each variable.
    probabilities : mapping of str to ndarray
        Table of each variable, read-only.
    edges : list of (str, str)
        Parent and child of each edge.

    Raises
    ------
    ValueError
        For unknown or repeated names, cycles, tables of the wrong shape, and rows that are not
        probabilities. The message names the variable.

    See Also
    --------
    BayesianNetworkClassifier : A network that is learned.
    read_bif : Networks from files.
    load_lucas_network : A small network to try things on.

    Examples
    --------
    >>> from ensfs.datasets import BayesianNetwork
    >>> network = BayesianNetwork(
    ...     {"rain": ["no", "yes"], "sprinkler": ["off", "on"], "grass": ["dry", "wet"]},
    ...     {"grass": ["rain", "sprinkler"]},
    ...     {
    ...         "rain": [0.8, 0.2],
    ...         "sprinkler": [0.6, 0.4],
    ...         "grass": [[[1.0, 0.0], [0.1, 0.9]], [[0.2, 0.8], [0.0, 1.0]]],
    ...     },
    ... )
    >>> network.markov_blanket("rain")
    ('sprinkler', 'grass')
    >>> network.d_separated("rain", "sprinkler"), network.d_separated("rain", "sprinkler", "grass")
    (True, False)
    >>> network.sample(3, random_state=0)
    array([[0, 0, 0],
           [0, 0, 0],
           [0, 1, 1]], dtype=int8)
    """

    def __init__(
        self,
        states: Mapping[str, Sequence[str]],
        parents: Mapping[str, Sequence[str]],
        probabilities: Mapping[str, ArrayLike],
    ):
        if not states:
            raise ValueError("A network needs at least one variable.")
        self.names = tuple(states)
        self.states = MappingProxyType(
            {name: _read_states(name, given) for name, given in states.items()}
        )
        self._number = {name: i for i, name in enumerate(self.names)}
        self._check_known(parents, "parents")
        self._check_known(probabilities, "probabilities")
        self._parents = [self._read_parents(name, parents.get(name, ())) for name in self.names]
        if cycle := _graphs.find_cycle(self._parents):
            path = " -> ".join(printable(self.names[node]) for node in cycle)
            raise ValueError(f"The graph has a cycle: {path}.")
        self.probabilities = MappingProxyType(
            {name: self._read_table(name, probabilities) for name in self.names}
        )

    def __repr__(self) -> str:
        return f"<BayesianNetwork of {len(self.names)} variables and {len(self.edges)} edges>"

    def __reduce__(self) -> tuple[type[BayesianNetwork], tuple[dict, dict, dict]]:
        parents = {name: self.parents(name) for name in self.names}
        return type(self), (dict(self.states), parents, dict(self.probabilities))

    # -- the graph ----------------------------------------------------------------------------

    @property
    def edges(self) -> list[tuple[str, str]]:
        """Parent and child of each edge, in the order of the children."""
        return [
            (self.names[parent], name)
            for name, above in zip(self.names, self._parents, strict=True)
            for parent in above
        ]

    def parents(self, variable: str) -> tuple[str, ...]:
        """Parents of a variable, in the order of the axes of its table.

        Parameters
        ----------
        variable : str
            Name of a variable.

        Returns
        -------
        tuple of str
        """
        return self._named(self._parents[self._find(variable)])

    def children(self, variable: str) -> tuple[str, ...]:
        """Children of a variable, in the order of the columns.

        Parameters
        ----------
        variable : str
            Name of a variable.

        Returns
        -------
        tuple of str
        """
        return self._named(_graphs.children_of(self._parents)[self._find(variable)])

    def markov_blanket(self, variable: str) -> tuple[str, ...]:
        """Parents, children and other parents of the children, in the order of the columns.

        Given these, the variable is independent of all others.

        Parameters
        ----------
        variable : str
            Name of a variable.

        Returns
        -------
        tuple of str
        """
        return self._named(_graphs.markov_blanket(self._parents, self._find(variable)))

    def d_separated(
        self,
        x: str | Collection[str],
        y: str | Collection[str],
        given: str | Collection[str] = (),
    ) -> bool:
        """Whether the graph makes two sets of variables independent, given a third.

        Parameters
        ----------
        x, y : str or collection of str
            Variables.
        given : str or collection of str, default=()
            Variables that are known.

        Returns
        -------
        bool
            True when no path between `x` and `y` is active.
        """
        left, right, known = (self._find_all(names) for names in (x, y, given))
        if shared := (left & right) | (left & known) | (right & known):
            raise ValueError(
                f"The sets of d_separated must be disjoint; {list(self._named(sorted(shared)))} "
                "is in more than one of them."
            )
        oracle = OracleTest(self.adjacency())
        return all(oracle.separated(a, b, sorted(known)) for b in right for a in left)

    def oracle(self, target: str) -> OracleTest:
        """The graph as a test of independence that is never wrong, for the causal selectors.

        Parameters
        ----------
        target : str
            Name of a variable. The others are the columns, in the order of `sample`.

        Returns
        -------
        OracleTest
            For the parameter `test` of a selector.
        """
        self._find(target)
        return OracleTest({name: self.parents(name) for name in self.names}, target)

    def adjacency(self) -> np.ndarray:
        """The graph as a matrix.

        Returns
        -------
        ndarray of bool, shape (n_variables, n_variables)
            ``[a, b]`` is True where there is an edge from a to b.
        """
        return _graphs.adjacency(self._parents)

    def cpdag(self) -> np.ndarray:
        """Completed partially directed graph: all that can be learned of the graph from data.

        Graphs with the same adjacent variables and the same colliders between variables that are
        not adjacent imply the same independences. An edge that has the same direction in all of
        them is directed.

        Returns
        -------
        ndarray of bool, shape (n_variables, n_variables)
            ``[a, b]`` is True for an edge from a to b; both ``[a, b]`` and ``[b, a]`` are for an
            edge without direction.
        """
        return _graphs.equivalence_class(self._parents)

    # -- samples ------------------------------------------------------------------------------

    def sample(
        self,
        n_samples: int = 1,
        random_state: Any = None,
        *,
        target: str | None = None,
        as_frame: bool = False,
    ) -> Any:
        """Draw rows, every variable after its parents.

        Parameters
        ----------
        n_samples : int, default=1
            Number of rows.
        random_state : int, RandomState instance or None, default=None
            Where the random numbers come from. The same integer gives the same rows.
        target : str, optional
            A variable to take out of the table.
        as_frame : bool, default=False
            Return a pandas frame of categories with the names of the states, not an array of codes.

        Returns
        -------
        table : ndarray of shape (n_samples, n_variables) or DataFrame
            Codes 0, 1, ... of the states, columns in the order of `names`. Without the column of
            `target`, if that was given.
        y : ndarray of shape (n_samples,) or Series
            Only if `target` was given: its column.
        """
        n_rows = check_integer("n_samples", n_samples, 1)
        column = None if target is None else self._find(target)
        codes = self._draw(n_rows, check_random_state(random_state))
        table: Any = self._frame(codes) if as_frame else codes
        if column is None:
            return table
        if as_frame:
            return table.drop(columns=[target]), table[target]
        return np.delete(codes, column, axis=1), codes[:, column].copy()

    def _draw(self, n: int, rng: np.random.RandomState) -> np.ndarray:
        most = max(len(states) for states in self.states.values())
        codes = np.zeros((n, len(self.names)), dtype=np.min_scalar_type(-most), order="F")
        for node in _graphs.topological_order(self._parents):
            table = self.probabilities[self.names[node]]
            cumulative = np.cumsum(table, axis=-1)
            # Exactly one from the last possible state on, so that impossible ones never come.
            cumulative /= cumulative[..., -1:]
            above = tuple(codes[:, parent].astype(np.intp) for parent in self._parents[node])
            u = rng.random_sample(n)
            for state in range(table.shape[-1] - 1):
                codes[:, node] += u >= cumulative[(*above, state)]
        return np.ascontiguousarray(codes)

    def _frame(self, codes: np.ndarray) -> Any:
        try:
            import pandas as pd
        except ImportError as error:
            raise ImportError(
                "sample(as_frame=True) needs pandas; install it with `pip install pandas`."
            ) from error
        return pd.DataFrame(
            {
                name: pd.Categorical.from_codes(codes[:, i], list(self.states[name]))
                for i, name in enumerate(self.names)
            }
        )

    # -- probabilities ------------------------------------------------------------------------

    def posterior(self, variable: str, codes: ArrayLike) -> np.ndarray:
        """Probability of each state of a variable given what is known of the others, exactly.

        Parameters
        ----------
        variable : str
            Name of a variable.
        codes : array-like of int, shape (n_samples, n_variables)
            States 0, 1, ... as `sample` gives them, -1 where nothing is known. The column of the
            variable itself is not looked at.

        Returns
        -------
        ndarray of shape (n_samples, n_states)
            For rows that the network holds impossible, the probabilities without any knowledge.
        """
        graph, tables = self._arrays()
        return inference.posterior(graph, tables, self._read_codes(codes), self._find(variable))

    def log_likelihood(self, codes: ArrayLike) -> np.ndarray:
        """Logarithm of the probability of what is known of each row.

        Parameters
        ----------
        codes : array-like of int, shape (n_samples, n_variables)
            States 0, 1, ..., -1 where nothing is known.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return inference.log_likelihood(*self._arrays(), self._read_codes(codes))

    def _arrays(self) -> tuple[inference.Graph, list[np.ndarray]]:
        n_levels = [len(self.states[name]) for name in self.names]
        tables = [self.probabilities[name] for name in self.names]
        return inference.Graph(self._parents, n_levels), tables

    def _read_codes(self, codes: ArrayLike) -> np.ndarray:
        array = np.asarray(codes)
        if array.ndim != 2 or array.shape[1] != len(self.names):
            raise ValueError(
                f"codes must have a column for each of the {len(self.names)} variables; got shape "
                f"{array.shape}."
            )
        most = [len(self.states[name]) - 1 for name in self.names]
        if array.dtype.kind not in "iu" or (array < -1).any() or (array > most).any():
            raise ValueError(
                "codes must be whole numbers, from 0 below the number of states, or -1; got "
                f"values from {array.min()!r} to {array.max()!r} of type {array.dtype}."
            )
        return array.astype(np.intp)

    # -- names and checks ---------------------------------------------------------------------

    def _named(self, nodes: Sequence[int]) -> tuple[str, ...]:
        return tuple(self.names[node] for node in nodes)

    def _find(self, variable: str) -> int:
        try:
            return self._number[variable]
        except (KeyError, TypeError):
            raise ValueError(_unknown(variable, self.names)) from None

    def _find_all(self, variables: str | Collection[str]) -> set[int]:
        names = [variables] if isinstance(variables, str) else variables
        return {self._find(name) for name in names}

    def _check_known(self, given: Mapping[str, Any], what: str) -> None:
        for name in given:
            if name not in self._number:
                raise ValueError(f"{what}: {_unknown(name, self.names)}")

    def _read_parents(self, name: str, given: Sequence[str]) -> tuple[int, ...]:
        if isinstance(given, str):
            raise ValueError(f"The parents of {name!r} must be a list of names; got {given!r}.")
        for parent in given:
            if parent not in self._number:
                raise ValueError(f"Parent of {name!r}: {_unknown(parent, self.names)}")
        if len(set(given)) < len(given):
            raise ValueError(f"The parents of {name!r} must differ; got {list(given)}.")
        return tuple(self._number[parent] for parent in given)

    def _read_table(self, name: str, given: Mapping[str, ArrayLike]) -> np.ndarray:
        if name not in given:
            raise ValueError(f"There are no probabilities for {name!r}.")
        sizes = [len(self.states[parent]) for parent in (*self.parents(name), name)]
        try:
            table = np.array(given[name], dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"The table of {name!r} must be an array of numbers ({error})."
            ) from None
        if table.shape != tuple(sizes):
            raise ValueError(
                f"The table of {name!r} must have the shape {tuple(sizes)}, the states of its "
                f"parents {list(self.parents(name))}, then its own; got {table.shape}."
            )
        if not np.all((table >= 0) & (table <= 1)):
            raise ValueError(f"The probabilities of {name!r} must lie between 0 and 1.")
        sums = table.sum(axis=-1)
        off = np.argwhere(np.abs(sums - 1) > SUM_TOLERANCE)
        if off.size:
            raise ValueError(
                f"The probabilities of {name!r}{self._where(name, off[0])} must sum to 1; got "
                f"{sums[tuple(off[0])]:.6g}."
            )
        table.flags.writeable = False
        return table

    def _where(self, name: str, row: np.ndarray) -> str:
        parents = self.parents(name)
        if not parents:
            return ""
        states = (printable(f"{p}={self.states[p][i]}") for p, i in zip(parents, row, strict=True))
        return f" given {', '.join(states)}"


def _read_states(name: str, given: Sequence[str]) -> tuple[str, ...]:
    if not isinstance(name, str) or not name:
        raise ValueError(f"The name of a variable must be text that is not empty; got {name!r}.")
    states = tuple(given)
    if isinstance(given, str) or not states or not all(isinstance(s, str) and s for s in states):
        raise ValueError(f"The states of {name!r} must be a list of names; got {given!r}.")
    if len(set(states)) < len(states):
        raise ValueError(f"The states of {name!r} must differ; got {list(states)}.")
    return states


def _unknown(name: Any, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(str(name), known, n=3)
    hint = f"did you mean {' or '.join(map(repr, near))}?" if near else _list(known)
    return f"There is no variable {name!r} in the network; {hint}"


def _list(names: Sequence[str], most: int = 10) -> str:
    shown = ", ".join(map(repr, names[:most]))
    return f"it has {shown}{', ...' if len(names) > most else ''}."
