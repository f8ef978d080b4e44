"""Bayesian networks as text: the Interchange Format, version 0.15, read and written.

Only the format is read: nothing in a file is run, imported or opened, and a table is allocated
only when its size is known to be reasonable.
"""

from __future__ import annotations

import gzip
import math
import os
import re
import zlib
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import IO

import numpy as np

from ensfs._utils.text import printable
from ensfs.networks._bif_tokens import Token, TokenReader, short
from ensfs.networks._graphs import find_cycle
from ensfs.networks.network import SUM_TOLERANCE, BayesianNetwork

#: Cells that a table may have. The largest table of the public networks has less than a million.
MAX_CELLS = 2**26

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_PLAIN = re.compile(r"(?!//|/\*)[^\s{}()\[\]|,;\"]+")


def read_bif(source: str | os.PathLike[str] | IO) -> BayesianNetwork:
    """Read a Bayesian network in the Interchange Format (BIF).

    Understood are the blocks ``network``, ``variable`` and ``probability`` with rows for each
    combination of the parents' states, ``table`` (for variables with parents: the states of the
    variable change slowest, those of the last parent fastest) and ``default``, comments, quoted
    names, and properties, which are skipped.

    Parameters
    ----------
    source : str, path or file object
        The text itself, if it holds a brace or several lines; else the path of a file, which may
        be compressed by gzip; or a file that is open.

    Returns
    -------
    BayesianNetwork
        Variables and states in the order of the text.

    Raises
    ------
    ValueError
        When the text is not a network: cut off, not text at all, unknown or repeated variables or
        states, too few or too many probabilities, probabilities that are negative, above one or
        do not sum to one, cycles. The message names the line and the cause.
    OSError
        When the file cannot be read.

    References
    ----------
    .. [1] F. G. Cozman, "The Interchange Format for Bayesian Networks", version 0.15, 1996.

    Examples
    --------
    >>> from ensfs.datasets import read_bif
    >>> network = read_bif('''
    ... network weather { }
    ... variable rain { type discrete [ 2 ] { no, yes }; }
    ... variable grass { type discrete [ 2 ] { dry, wet }; }
    ... probability ( rain ) { table 0.8, 0.2; }
    ... probability ( grass | rain ) { (no) 0.9, 0.1; (yes) 0.2, 0.8; }
    ... ''')
    >>> network.edges
    [('rain', 'grass')]
    """
    text, name = _text_of(source)
    try:
        return _Reader(text).network()
    except ValueError as error:
        raise ValueError(f"{name}: {error}" if name else str(error)) from None


def write_bif(network: BayesianNetwork, name: str = "unknown") -> str:
    """Write a Bayesian network in the Interchange Format.

    Probabilities keep all of their digits: :func:`read_bif` gives the same network back.

    Parameters
    ----------
    network : BayesianNetwork
        What to write.
    name : str, default="unknown"
        Name of the network.

    Returns
    -------
    str
        The text.

    Examples
    --------
    >>> from ensfs.datasets import BayesianNetwork, write_bif
    >>> print(write_bif(BayesianNetwork({"coin": ["heads", "tails"]}, {}, {"coin": [0.5, 0.5]})))
    network unknown {
    }
    variable coin {
      type discrete [ 2 ] { heads, tails };
    }
    probability ( coin ) {
      table 0.5, 0.5;
    }
    """
    lines = [f"network {_bif_name(name)} {{", "}"]
    for variable, states in network.states.items():
        listed = ", ".join(map(_bif_name, states))
        lines += [
            f"variable {_bif_name(variable)} {{",
            f"  type discrete [ {len(states)} ] {{ {listed} }};",
            "}",
        ]
    for variable in network.names:
        lines += _probability_block(network, variable)
    return "\n".join(lines)


def _probability_block(network: BayesianNetwork, variable: str) -> Iterator[str]:
    parents = network.parents(variable)
    given = f" | {', '.join(map(_bif_name, parents))}" if parents else ""
    yield f"probability ( {_bif_name(variable)}{given} ) {{"
    table = network.probabilities[variable]
    for row in product(*(enumerate(network.states[parent]) for parent in parents)):
        states = f"({', '.join(_bif_name(state) for _, state in row)})" if parents else "table"
        values = ", ".join(map(repr, table[tuple(i for i, _ in row)].tolist()))
        yield f"  {states} {values};"
    yield "}"


def _bif_name(name: str) -> str:
    if _PLAIN.fullmatch(name):
        return name
    if '"' in name or "\n" in name:
        raise ValueError(f"Names must have no quotes and line breaks to be written; got {name!r}.")
    return f'"{name}"'


def _text_of(source: str | os.PathLike[str] | IO) -> tuple[str, str]:
    """Return the text and what to call it in errors."""
    content: str | bytes
    if isinstance(source, str) and (not source or re.search(r"[{\n\0]", source)):
        content, name = source, ""
    elif isinstance(source, str | os.PathLike):
        content, name = Path(source).read_bytes(), os.fspath(source)
    elif hasattr(source, "read"):
        content, name = source.read(), str(getattr(source, "name", ""))
    else:
        raise TypeError(
            f"source must be text, a path or an open file; got {type(source).__name__}."
        )
    try:
        return _decoded(content), name
    except ValueError as error:
        raise ValueError(f"{name}: {error}" if name else str(error)) from None


def _decoded(content: str | bytes) -> str:
    text = content if isinstance(content, str) else _decoded_bytes(content)
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise ValueError(f"line {line}: this is not text, it holds a zero byte.")
    return text


def _decoded_bytes(content: bytes) -> str:
    if content.startswith(b"\x1f\x8b"):
        try:
            content = gzip.decompress(content)
        except (EOFError, OSError, zlib.error) as error:
            raise ValueError(f"The compressed file is damaged ({error}).") from None
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ValueError(f"line {line}: this is not text (UTF-8).") from None


class _Reader(TokenReader):
    """Recursive descent over the tokens of one text."""

    def __init__(self, text: str):
        super().__init__(text)
        self._states: dict[str, list[str]] = {}
        self._parents: dict[str, list[str]] = {}
        self._tables: dict[str, np.ndarray] = {}
        self._declared: dict[str, Token] = {}  # where a variable was named last

    def network(self) -> BayesianNetwork:
        blocks = {
            "network": self._network_block,
            "variable": self._variable_block,
            "probability": self._probability_block,
        }
        while self._next.kind != "end":
            keyword = self._take("word", "'network', 'variable' or 'probability'")
            if keyword.text not in blocks:
                self._fail(
                    keyword, f"expected 'network', 'variable' or 'probability', found {keyword}."
                )
            blocks[keyword.text]()
        if not self._states:
            self._fail(self._next, "there is no variable in this text.")
        for name, token in self._declared.items():
            if name not in self._tables:
                self._fail(token, f"there are no probabilities for the variable {name!r}.")
        self._check_cycles()
        return BayesianNetwork(self._states, self._parents, self._tables)

    def _check_cycles(self) -> None:
        names = list(self._states)
        number = {name: i for i, name in enumerate(names)}
        cycle = find_cycle([[number[p] for p in self._parents[name]] for name in names])
        if cycle:
            path = " -> ".join(printable(names[node]) for node in cycle)
            self._fail(self._declared[names[cycle[0]]], f"the graph has a cycle: {path}.")

    # -- blocks -------------------------------------------------------------------------------

    def _network_block(self) -> None:
        if self._next.text != "{":
            self._name("the name of the network")
        self._mark("{")
        while not self._found("}"):
            self._property()

    def _variable_block(self) -> None:
        token = self._name("the name of a variable")
        name = token.text
        if name in self._states:
            self._fail(token, f"the variable {name!r} is declared twice.")
        states: list[str] | None = None
        self._mark("{")
        while not self._found("}"):
            if self._next.text != "type":
                self._property()
                continue
            if states is not None:
                self._fail(self._next, f"the variable {name!r} has two types.")
            states = self._type(name)
        if states is None:
            self._fail(token, f"the variable {name!r} has no type.")
        self._states[name] = states
        self._declared[name] = token

    def _type(self, name: str) -> list[str]:
        self._take("word", "'type'")
        kind = self._take("word", "'discrete'")
        if kind.text != "discrete":
            self._fail(kind, f"the type of {name!r} is {kind}; only 'discrete' can be read.")
        self._mark("[")
        count = self._take("word", "the number of states")
        self._mark("]")
        opening = self._mark("{")
        states: list[str] = []
        while not self._found("}"):
            if self._found(","):
                continue
            state = self._name(f"a state of {name!r}")
            if state.text in states:
                self._fail(state, f"the state {state} of {name!r} is listed twice.")
            states.append(state.text)
        self._mark(";")
        if not states:
            self._fail(opening, f"{name!r} has no states.")
        if not count.text.isdecimal() or count.text.lstrip("0") != str(len(states)):
            announced = short(count.text)
            self._fail(count, f"{name!r} should have {announced} states, {len(states)} are listed.")
        return states

    def _probability_block(self) -> None:
        opening = self._mark("(")
        variables = self._variables()
        if not variables:
            self._fail(opening, "probabilities of no variable.")
        name, *parents = [token.text for token in variables]
        for i, token in enumerate(variables):
            if token.text not in self._states:
                self._fail(token, f"the variable {token} was not declared before.")
            if token.text in [earlier.text for earlier in variables[:i]]:
                self._fail(token, f"the variable {token} is named twice.")
        if name in self._tables:
            self._fail(variables[0], f"the probabilities of {name!r} are given twice.")
        cells = math.prod(len(self._states[variable]) for variable in (name, *parents))
        if cells > MAX_CELLS:
            self._fail(
                variables[0],
                f"the table of {name!r} would have {cells:.3g} cells, more than {MAX_CELLS:,}.",
            )
        self._parents[name] = parents
        self._declared[name] = variables[0]
        self._tables[name] = self._entries(variables[0], parents)

    def _variables(self) -> list[Token]:
        """The variable and its parents, up to the parenthesis; files without the bar exist."""
        variables: list[Token] = []
        while not self._found(")"):
            bar = self._next
            if self._found("|"):
                if len(variables) != 1:
                    self._fail(bar, f"one variable comes before '|', found {len(variables)}.")
            elif not self._found(","):
                variables.append(self._name("the name of a variable"))
        return variables

    def _entries(self, variable: Token, parents: list[str]) -> np.ndarray:
        """All rows of a probability block, in whichever of the forms."""
        name = variable.text
        n_states = len(self._states[name])
        shape = [len(self._states[parent]) for parent in parents]
        table = np.full((*shape, n_states), np.nan)
        default: np.ndarray | None = None
        self._mark("{")
        while not self._found("}"):
            start = self._next
            if start.text == "property" and start.kind == "word":
                self._property()
            elif start.text == "table" and start.kind == "word":
                self._advance()
                values = self._numbers(name, table.size)
                # the variable's own states are the slowest axis here, and the last one of ours
                whole = np.moveaxis(values.reshape(n_states, *shape), 0, -1)
                self._check_sums(whole, name, start)
                self._fill(table, (), whole, name, start)
            elif start.text == "default" and start.kind == "word":
                self._advance()
                if default is not None:
                    self._fail(start, f"{name!r} has two defaults.")
                default = self._row(name, n_states, start)
            elif start.text == "(" and start.kind == "mark":
                row = self._parent_states(name, parents)
                self._fill(table, row, self._row(name, n_states, start), name, start)
            else:
                self._fail(start, f"expected a row of probabilities of {name!r}, found {start}.")
        missing = np.isnan(table[..., 0])
        if missing.any():
            if default is None:
                self._fail(variable, self._missing(name, parents, missing))
            table[missing] = default
        return table

    def _fill(
        self, table: np.ndarray, row: tuple, values: np.ndarray, name: str, start: Token
    ) -> None:
        if not np.isnan(table[row]).all():
            self._fail(start, f"these probabilities of {name!r} were given before.")
        table[row] = values

    def _parent_states(self, name: str, parents: list[str]) -> tuple[int, ...]:
        opening = self._mark("(")
        states = []
        while not self._found(")"):
            if not self._found(","):
                states.append(self._name("the state of a parent"))
        if len(states) != len(parents):
            self._fail(
                opening, f"{name!r} has {len(parents)} parents, this row has {len(states)} states."
            )
        for parent, state in zip(parents, states, strict=True):
            if state.text not in self._states[parent]:
                self._fail(state, f"{state} is not a state of {parent!r}.")
        return tuple(
            self._states[parent].index(state.text)
            for parent, state in zip(parents, states, strict=True)
        )

    def _row(self, name: str, n_states: int, start: Token) -> np.ndarray:
        row = self._numbers(name, n_states)
        self._check_sums(row, name, start)
        return row

    def _check_sums(self, rows: np.ndarray, name: str, start: Token) -> None:
        sums = rows.sum(axis=-1)
        off = sums[np.abs(sums - 1) > SUM_TOLERANCE]
        if off.size:
            self._fail(start, f"probabilities of {name!r} sum to {off.flat[0]:.6g}, not to 1.")

    def _numbers(self, name: str, count: int) -> np.ndarray:
        """Exactly `count` probabilities and the semicolon."""
        first = self._next
        values: list[float] = []
        while not self._found(";"):
            if not self._found(","):
                values.append(self._probability(name))
                if len(values) > count:
                    self._fail(first, f"more than {count:,} probabilities of {name!r}.")
        if len(values) < count:
            self._fail(first, f"{len(values)} probabilities of {name!r}, expected {count:,}.")
        return np.array(values)

    def _probability(self, name: str) -> float:
        token = self._take("word", f"a probability of {name!r}")
        if not _NUMBER.fullmatch(token.text):
            self._fail(token, f"expected a probability of {name!r}, found {short(token.text)!r}.")
        value = float(token.text)
        if not 0 <= value <= 1:
            self._fail(token, f"the probability {short(token.text)} is not between 0 and 1.")
        return value

    def _missing(self, name: str, parents: list[str], missing: np.ndarray) -> str:
        if not parents:
            return f"there are no probabilities for {name!r}."
        row = np.argwhere(missing)[0]
        states = (printable(f"{p}={self._states[p][i]}") for p, i in zip(parents, row, strict=True))
        return (
            f"{missing.sum():,} of {missing.size:,} rows of {name!r} are missing, the first for "
            f"{', '.join(states)}."
        )

    def _property(self) -> None:
        token = self._take("word", "'property'")
        if token.text != "property":
            self._fail(token, f"expected 'property' or '}}', found {token}.")
        while not self._found(";"):
            if self._next.kind == "end":
                self._fail(self._next, "the text ends inside a property.")
            self._advance()
