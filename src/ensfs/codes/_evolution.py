"""Search among strings of bits on islands: a genetic algorithm and population-based learning.

What is searched is an array of 0 and 1. `evaluate` takes a list of them and gives a sortable value
for each, the least of which is best, so that all new ones of a generation are evaluated together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Bits = np.ndarray
Evaluate = Callable[[Sequence[Bits]], list[Any]]
Repair = Callable[[Bits], Bits]

#: Generations between two exchanges of islands.
_MIGRATION = 5

#: Learning rate, noise and least probability of population-based incremental learning.
_RATE, _NOISE, _LEAST = 0.1, 0.02, 0.02

#: The best individuals that probabilities move towards.
_N_BEST = 2


@dataclass
class Search:
    """What to search, how long, and what was found.

    Attributes
    ----------
    n_bits : int
        Length of a string.
    evaluate, repair : callable
        Values of strings, and the legal string nearest to one.
    population, islands : int
        Strings in all, and the islands that share them.
    generations, patience : int
        Most generations, and those without gain after which the search ends.
    gain_of : callable
        The part of a value that must improve to count as a gain.
    best, value : ndarray, Any
        The best string and its value.
    path : list
        Value of the best string after each generation.
    """

    n_bits: int
    evaluate: Evaluate
    repair: Repair = field(default=lambda bits: bits)
    population: int = 40
    islands: int = 4
    generations: int = 50
    patience: int = 10
    gain_of: Callable[[Any], Any] = field(default=lambda value: value)
    best: Bits = field(default_factory=lambda: np.zeros(0, dtype=np.int8))
    value: Any = None
    path: list[Any] = field(default_factory=list)

    @property
    def sizes(self) -> list[int]:
        """Strings of each island."""
        return [len(part) for part in np.array_split(np.arange(self.population), self.islands)]

    def evaluated(self, groups: list[list[Bits]]) -> list[list[tuple[Any, Bits]]]:
        """Values and strings of each island, the best first."""
        values = iter(self.evaluate([bits for group in groups for bits in group]))
        return [
            sorted(((next(values), bits) for bits in group), key=lambda pair: pair[0])
            for group in groups
        ]

    def record(self, islands: list[list[tuple[Any, Bits]]]) -> bool:
        """Remember the best of a generation; whether the search should go on."""
        value, bits = min((island[0] for island in islands), key=lambda pair: pair[0])
        if self.value is None or value < self.value:
            self.value, self.best = value, bits
        self.path.append(self.value)
        before = self.path[-1 - self.patience] if len(self.path) > self.patience else None
        stuck = before is not None and not self.gain_of(self.value) < self.gain_of(before)
        return len(self.path) < self.generations and not stuck


def evolve(search: Search, rng: np.random.Generator) -> Search:
    """Genetic algorithm: tournaments of two, scattered crossover, an island keeps its best."""
    groups = [[search.repair(_draw(search, rng)) for _ in range(size)] for size in search.sizes]
    islands = search.evaluated(groups)
    while search.record(islands):
        groups = [
            [_child(search, island, rng) for _ in range(len(island) - 1)] for island in islands
        ]
        children = search.evaluated(groups)
        islands = [
            sorted([old[0], *new], key=lambda pair: pair[0])
            for old, new in zip(islands, children, strict=True)
        ]
        if len(search.path) % _MIGRATION == 0:
            islands = migrated(islands)
    return search


def learn(search: Search, rng: np.random.Generator) -> Search:
    """Population-based incremental learning: a probability of each bit, moved to the best two."""
    p = np.full((search.islands, search.n_bits), 0.5)
    going_on = True
    while going_on:
        groups = [
            [search.repair((rng.random(search.n_bits) < each).astype(np.int8)) for _ in range(size)]
            for each, size in zip(p, search.sizes, strict=True)
        ]
        islands = search.evaluated(groups)
        if (len(search.path) + 1) % _MIGRATION == 0:
            islands = migrated(islands)
        going_on = search.record(islands)
        for each, island in zip(p, islands, strict=True):
            aim = np.mean([bits for _, bits in island[:_N_BEST]], axis=0)
            each += _RATE * (aim - each) + rng.uniform(-_NOISE, _NOISE, size=each.size)
        np.clip(p, _LEAST, 1 - _LEAST, out=p)
    return search


def migrated(islands: list[list[tuple[Any, Bits]]]) -> list[list[tuple[Any, Bits]]]:
    """The best of each island replaces the worst of the next one, all at once."""
    if len(islands) == 1:
        return islands
    bests = [island[0] for island in islands]
    return [
        sorted([*island[:-1], bests[s - 1]], key=lambda pair: pair[0])
        for s, island in enumerate(islands)
    ]


def _draw(search: Search, rng: np.random.Generator) -> Bits:
    return rng.integers(2, size=search.n_bits, dtype=np.int8)


def _child(search: Search, island: list[tuple[Any, Bits]], rng: np.random.Generator) -> Bits:
    """One of the two children of two winners, mutated and repaired."""
    first, second = (island[min(rng.integers(len(island), size=2))][1] for _ in range(2))
    child = np.where(rng.integers(2, size=search.n_bits, dtype=np.int8), first, second)
    chosen = rng.random(search.n_bits) < 1.0 / search.n_bits
    moved = np.clip(child + rng.normal(size=search.n_bits), 0.0, 1.0) >= 0.5
    return search.repair(np.where(chosen, moved, child).astype(np.int8))
